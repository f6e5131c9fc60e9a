/* Scenarios, machines, maps and --set: a first byte that says which, then the text and settings. */
#include "cached_machine.h"
#include "fuzz.h"
#include "scenario/describe.h"
#include "scenario/map_file.h"
#include "scenario/scenario.h"
#include "tensormap/descriptor.h"
#include "tensormap/rules.h"

enum { MOST_SETTINGS = 4 };

static void count_pair(void *context, const char *key, const char *value) {
    FUZZ_ASSERT(key != NULL && value != NULL);
    ++*(size_t *)context;
}

/* The list has an error if and only if reading failed, and every error has a text. */
static void check_list(bool good, struct tma_diagnostics *list) {
    FUZZ_ASSERT(good == (tma_diagnostics_total(list) == 0));
    tma_diagnostics_sort(list);
    for (size_t i = 0; i < list->count; i++)
        FUZZ_ASSERT(list->items[i].text[0] != '\0');
    tma_diagnostics_free(list);
}

static void read_scenario(const char *text, const char *const *settings, size_t count) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read_text(text, "input", settings, count, &scenario, &list);
    if (good) {
        size_t pairs = 0;
        tma_scenario_describe(&scenario, count_pair, &pairs);
        FUZZ_ASSERT(pairs > 0);
    }
    check_list(good, &list);
    tma_scenario_free(&scenario);
}

static void read_machine(const char *text, size_t length) {
    struct tma_diagnostics list = {0};
    struct tma_machine machine;
    struct tma_yaml_node *root = tma_yaml_parse_mapping(text, length, "input", &list);
    bool good = root != NULL && tma_machine_from(root, &machine, &list);
    /* A part of the document can be there though another part has an error. */
    check_list(good && tma_diagnostics_total(&list) == 0, &list);
    tma_yaml_free(root);
}

static void read_maps(const char *text, size_t length, const char *const *settings, size_t count) {
    struct tma_map_file file;
    struct tma_diagnostics list = {0};
    bool good = tma_map_file_read(text, length, "input", settings, count, &file, &list);
    for (uint32_t i = 0; good && i < file.scenario->workload.map_count; i++) {
        struct tma_location at = tma_map_file_locate(&file, i, TMA_FIELD_BOX_DIM, 1);
        struct tma_tensor_map *map = &file.scenario->workload.maps[i];
        struct tma_violation violations[TMA_MAX_VIOLATIONS];
        FUZZ_ASSERT(at.file != NULL);
        if (tma_tensor_map_check(map, TMA_SM_90, violations, TMA_MAX_VIOLATIONS) > 0)
            continue;
        struct tma_descriptor descriptor;
        tma_descriptor_encode(map, &descriptor);
    }
    check_list(good, &list);
    tma_map_file_free(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_input input = {data, size};
    char kind = (char)fuzz_bits(&input, 1);
    size_t length, settings = 0, ignored;
    char *text = fuzz_text(&input, &length), *copies[MOST_SETTINGS];
    const char *given[MOST_SETTINGS];
    machine_is_set = false;
    for (; settings < MOST_SETTINGS && input.size > 0; settings++) {
        given[settings] = copies[settings] = fuzz_text(&input, &ignored);
        machine_is_set = machine_is_set || strncmp(given[settings], "gpu", 3) == 0;
    }
    if (kind == 'm')
        read_machine(text, length);
    else if (kind == 't')
        read_maps(text, length, given, settings);
    else
        read_scenario(text, given, settings);
    for (size_t i = 0; i < settings; i++)
        free(copies[i]);
    free(text);
    return 0;
}
