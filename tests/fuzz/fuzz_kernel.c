/* Kernels with roles. The first byte says what the rest is:
 *   t   the text of a scenario with a kernel;
 *   r   a TSV file of records of kernels, whose settings the library's kernels are read with;
 *   k   a random kernel is drawn from the bytes: rings, roles and loops that mostly fit together;
 *   else a small one, so that there are many of them.
 *
 * A random kernel runs twice, with the actors of a cycle in two orders, to the same end: the same
 * cycles and bytes, or the same error. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "../unit/machine.h"
#include "cached_machine.h"
#include "engine/roles/kernel_run.h"
#include "fuzz.h"
#include "random_kernel.h"
#include "records/kernel_record.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "stepped_engine.h"

enum { MOST_RECORDS = 4, LONGEST_CYCLES = 12000 };

/* Reads the scenario; false if it has errors, each of which has a text, or has no kernel. */
static bool read_kernel(const char *text, struct tma_scenario *scenario) {
    struct tma_diagnostics list = {0};
    bool good = tma_scenario_read_text(text, "input", NULL, 0, scenario, &list);
    FUZZ_ASSERT(good == (tma_diagnostics_total(&list) == 0));
    for (size_t i = 0; i < list.count; i++)
        FUZZ_ASSERT(list.items[i].text[0] != '\0');
    tma_diagnostics_free(&list);
    return good && scenario->program != NULL;
}

static void read_text(const char *text) {
    struct tma_scenario scenario;
    read_kernel(text, &scenario);
    tma_scenario_free(&scenario);
}

/* What a record says becomes settings, with which the library's kernel is read. */
static void read_record(const struct tma_tsv *records, size_t row) {
    struct tma_kernel_record record;
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    struct tma_error error = {0};
    char path[160];
    if (tma_kernel_record_read(records, row, &record, &error) != TMA_OK) {
        FUZZ_ASSERT(error.text[0] != '\0');
        return;
    }
    FUZZ_ASSERT(strchr(record.kernel, '/') == NULL);
    snprintf(path, sizeof path, "configs/scenarios/kernels/%s.yaml", record.kernel);
    tma_scenario_read(path, record.settings, record.setting_count, &scenario, &list);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
}

static void read_records(const uint8_t *data, size_t size) {
    struct tma_tsv records;
    struct tma_error error = {0};
    char path[40];
    int file = memfd_create("input", 0);
    FUZZ_ASSERT(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (tma_tsv_read(path, &records, &error) == TMA_OK) {
        for (size_t row = 0; row < records.rows && row < MOST_RECORDS; row++)
            read_record(&records, row);
        tma_tsv_free(&records);
    } else {
        FUZZ_ASSERT(error.text[0] != '\0');
    }
    close(file);
}

/* A kernel that only counts cycles can run for long: then both runs end. */
static bool look(void *context, const struct tma_run_state *state) {
    (void)context;
    return state->cycle < LONGEST_CYCLES;
}

/* On a small machine, moved by a plain clock: an L2 of an H200 takes a millisecond to create. The
 * clock steps actors of one cycle from the first to the last, or backwards. */
static enum tma_error_code run(const struct tma_scenario *scenario, bool backwards,
                               struct tma_result *result, struct tma_error *error) {
    const struct tma_watch watch = {.look = look};
    const struct tma_machine machine = small_machine();
    engine_clock = CLOCK_OF_EVENTS;
    is_backwards = backwards;
    scenario->program->kernel.allow_races = true; /* many have some */
    enum tma_error_code code = tma_kernel_run_watched(&machine, &scenario->program->kernel, NULL,
                                                      &watch, result, NULL, error);
    FUZZ_ASSERT(code == TMA_OK || error->text[0] != '\0' || code == TMA_ERROR_INTERRUPTED);
    FUZZ_ASSERT(code != TMA_ERROR_MODEL);
    return code;
}

/* Which of several faults of a model comes first is left open. */
static bool ends_anywhere(enum tma_error_code code) {
    return code == TMA_ERROR_INTERRUPTED || code == TMA_ERROR_FILE || code == TMA_ERROR_FAULT;
}

static void run_both(const struct tma_scenario *scenario) {
    static struct tma_result result, other;
    struct tma_error error = {0}, other_error = {0};
    enum tma_error_code code = run(scenario, false, &result, &error);
    if (ends_anywhere(code))
        return;
    enum tma_error_code other_code = run(scenario, true, &other, &other_error);
    if (ends_anywhere(other_code))
        return;
    FUZZ_ASSERT(other_code == code);
    FUZZ_ASSERT(strcmp(error.text, other_error.text) == 0);
    if (code != TMA_OK)
        return;
    const struct tma_counters *counters = &result.counters;
    FUZZ_ASSERT(memcmp(counters, &other.counters, sizeof *counters) == 0);
    FUZZ_ASSERT((result.races > 0) == (other.races > 0));
    FUZZ_ASSERT(result.cycles == other.cycles && result.memory_cycles == other.memory_cycles);
    FUZZ_ASSERT(memcmp(result.role_cycles, other.role_cycles, sizeof result.role_cycles) == 0);
    /* Nothing is lost: sectors hit or miss, and what came from DRAM was asked for. */
    FUZZ_ASSERT(counters->l2_sectors == counters->l2_sector_hits + counters->l2_sector_misses);
    FUZZ_ASSERT(counters->bytes % 2048 == 0 && counters->tensor_bytes <= counters->bytes);
    FUZZ_ASSERT(counters->dram_read_sectors <= counters->l2_sectors + 64);
    FUZZ_ASSERT(result.cta_cycles.count == scenario->program->kernel.cta_count);
}

static void run_random(struct fuzz_input *input, const struct kernel_bounds *bounds) {
    static struct yaml_text yaml;
    struct tma_scenario scenario;
    draw_kernel(input, bounds, &yaml);
    if (read_kernel(yaml.bytes, &scenario))
        run_both(&scenario);
    tma_scenario_free(&scenario);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    size_t length;
    if (size == 0)
        return 0;
    struct fuzz_input input = {data + 1, size - 1};
    if (data[0] == 't') {
        char *text = fuzz_text(&input, &length);
        read_text(text);
        free(text);
    } else if (data[0] == 'r')
        read_records(data + 1, size - 1);
    else if (data[0] == 'k')
        run_random(&input, &usual_kernel);
    else
        run_random(&input, &small_kernel);
    return 0;
}
