/* Scenario files: numbers with units, settings, defaults, errors, and descriptions. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "scenario/describe.h"
#include "scenario/document.h"
#include "scenario/scenario.h"
#include "scenario/suggestion.h"
#include "scenario/units.h"
#include "suite.h"

/* A scenario without any key that has a default. */
static const char small[] =
    "name: small\n"
    "gpu: configs/gpus/h200.yaml\n"
    "tensor_maps:\n"
    "  A: {data_type: float16, global_dim: [256, 512], box_dim: [64, 128]}\n"
    "  B: {data_type: uint8, global_dim: [128], box_dim: [16]}\n"
    "workload:\n"
    "  ctas: 4\n"
    "  iterations: 2\n"
    "  operations:\n"
    "    - load: A\n"
    "    - load: B\n"
    "    - load: A\n"
    "  consumers:\n"
    "    - {instruction: ld.shared.b128, lanes: row}\n";

static char path[32];

/* Reads a text as a scenario file in the repository's root, where the tests run. */
static bool read_text(const char *text, size_t length, const char *const *settings, size_t count,
                      struct tma_scenario *scenario, struct tma_diagnostics *list) {
    strcpy(path, "scenario-test-XXXXXX");
    int descriptor = mkstemp(path);
    ck_assert(descriptor >= 0);
    ck_assert(write(descriptor, text, length) == (ssize_t)length);
    close(descriptor);
    bool good = tma_scenario_read(path, settings, count, scenario, list);
    unlink(path);
    return good;
}

static void read_good(const char *const *settings, size_t count, struct tma_scenario *scenario) {
    struct tma_diagnostics list = {0};
    bool good = read_text(small, strlen(small), settings, count, scenario, &list);
    ck_assert_msg(good, "%s", list.count > 0 ? list.items[0].text : "no reason");
    ck_assert_uint_eq(list.count, 0);
}

static const struct number_case {
    const char *text;
    const struct tma_quantity_unit *unit;
    enum tma_number_error fault;
    int64_t value;
} number_cases[] = {
    {"0", &tma_unit_bytes, TMA_NUMBER_OK, 0},
    {"228 KiB", &tma_unit_bytes, TMA_NUMBER_OK, 228 * 1024},
    {"60MiB", &tma_unit_bytes, TMA_NUMBER_OK, 60 << 20},
    {"1.5 KiB", &tma_unit_bytes, TMA_NUMBER_OK, 1536},
    {"16", &tma_unit_bytes, TMA_NUMBER_NEEDS_UNIT, 0},
    {"16 KB", &tma_unit_bytes, TMA_NUMBER_UNKNOWN_UNIT, 0},
    {"16 KiB ", &tma_unit_bytes, TMA_NUMBER_UNKNOWN_UNIT, 0},
    {"8192", &tma_unit_driver_bytes, TMA_NUMBER_OK, 8192},
    {"8 KiB", &tma_unit_driver_bytes, TMA_NUMBER_OK, 8192},
    {"1.98 GHz", &tma_unit_mhz, TMA_NUMBER_OK, 1980},
    {"1.14 cycles", &tma_unit_millicycles, TMA_NUMBER_OK, 1140},
    {"1 cycle", &tma_unit_cycles, TMA_NUMBER_OK, 1},
    {"-7", &tma_unit_none, TMA_NUMBER_OK, -7},
    {"0x7f00", &tma_unit_none, TMA_NUMBER_OK, 0x7f00},
    {"999999999999999999", &tma_unit_none, TMA_NUMBER_OK, 999999999999999999},
    {"1000000000000000000", &tma_unit_none, TMA_NUMBER_TOO_LARGE, 0},
    {"0x1000000000000000", &tma_unit_none, TMA_NUMBER_TOO_LARGE, 0},
    {"7 B", &tma_unit_none, TMA_NUMBER_UNKNOWN_UNIT, 0},
    {"1.", &tma_unit_none, TMA_NUMBER_NONE, 0},
    {".5", &tma_unit_none, TMA_NUMBER_NONE, 0},
    {"", &tma_unit_none, TMA_NUMBER_NONE, 0},
    {"-", &tma_unit_none, TMA_NUMBER_NONE, 0},
    {"0x", &tma_unit_none, TMA_NUMBER_NONE, 0},
    {"1e3", &tma_unit_none, TMA_NUMBER_UNKNOWN_UNIT, 0},
    {"nan", &tma_unit_none, TMA_NUMBER_NONE, 0},
};

TEST_ROWS(numbers_are_read_with_units, TABLE_ROWS(number_cases)) {
    const struct number_case *test = &number_cases[_i];
    struct tma_number number;
    const char *suffix;
    enum tma_number_error fault = tma_number_read(test->text, test->unit, &number, &suffix);
    ck_assert_msg(fault == test->fault, "\"%s\": fault %d", test->text, (int)fault);
    int64_t value = 0;
    if (fault == TMA_NUMBER_OK)
        ck_assert(tma_number_integer(&number, &value));
    ck_assert_int_eq(value, test->value);
}

TEST_ROWS(fractions_are_not_integers, 3) {
    static const char *const texts[] = {"1.5", "0.0000000001", "0.3 KiB"};
    struct tma_number number;
    const char *suffix;
    int64_t value;
    const struct tma_quantity_unit *unit = _i == 2 ? &tma_unit_bytes : &tma_unit_none;
    ck_assert_int_eq(tma_number_read(texts[_i], unit, &number, &suffix), TMA_NUMBER_OK);
    ck_assert(!tma_number_integer(&number, &value));
}

static const struct format_case {
    const struct tma_quantity_unit *unit;
    int64_t value;
    const char *text;
} format_cases[] = {
    {&tma_unit_bytes, 0, "0 B"},
    {&tma_unit_bytes, 1536, "1536 B"},
    {&tma_unit_bytes, 2048, "2 KiB"},
    {&tma_unit_driver_bytes, 2048, "2048"},
    {&tma_unit_none, -3, "-3"},
    {&tma_unit_address, 0x7f0000000000, "0x7f0000000000"},
    {&tma_unit_cycles, 1, "1 cycle"},
    {&tma_unit_cycles, 40, "40 cycles"},
    {&tma_unit_millicycles, 1000, "1 cycle"},
    {&tma_unit_millicycles, 1140, "1.14 cycles"},
    {&tma_unit_millicycles, 1005, "1.005 cycles"},
    {&tma_unit_millicycles, 500, "0.5 cycles"},
    {&tma_unit_bytes_per_kcycle, 106500, "106.5 B/cycle"},
    {&tma_unit_mhz, 1980, "1980 MHz"},
};

TEST_ROWS(values_are_formatted_with_units, TABLE_ROWS(format_cases)) {
    char text[40];
    tma_unit_format(format_cases[_i].unit, format_cases[_i].value, text, sizeof text);
    ck_assert_str_eq(text, format_cases[_i].text);
}

static const struct distance_case {
    const char *a, *b;
    size_t distance;
} distance_cases[] = {
    {"", "", 0},
    {"depth", "depth", 0},
    {"depth", "", 5},
    {"", "depth", 5},
    {"dept", "depth", 1},
    {"detph", "depth", 1},
    {"swizle", "swizzle", 1},
    {"128", "128b", 1},
    {"kitten", "sitting", 3},
};

TEST_ROWS(edit_distance, TABLE_ROWS(distance_cases)) {
    const struct distance_case *test = &distance_cases[_i];
    ck_assert_uint_eq(tma_text_distance(test->a, test->b), test->distance);
}

static const struct suggestion_case {
    const char *wanted, *candidate;
    bool near;
} suggestion_cases[] = {
    {"gem", "gemm", true},           {"foo", "fa3", false},       {"rn", "run", true},
    {"mma_wait", "wait_mma", true},  {"h100", "h100_sxm", true},  {"h101", "h100_sxm", true},
    {"h102", "b200_sxm", false},     {"f99", "ftz", false},       {"BM", "bm", true},
    {"transpos", "transpose", true}, {"attention2", "fa", false}, {"ab", "xy", false},
};

TEST_ROWS(suggestions, TABLE_ROWS(suggestion_cases)) {
    const struct suggestion_case *test = &suggestion_cases[_i];
    struct tma_suggestion suggestion = {.wanted = test->wanted};
    tma_suggest(&suggestion, test->candidate);
    ck_assert_str_eq(suggestion.best, test->near ? test->candidate : "");
}

/* Receives the value of one key of a described scenario. */
struct lookup {
    const char *key;
    char value[256]; /* empty until the key is found */
};

static void receive_value(void *context, const char *key, const char *value) {
    struct lookup *lookup = context;
    if (strcmp(key, lookup->key) == 0)
        snprintf(lookup->value, sizeof lookup->value, "%s", value);
}

static const struct setting_case {
    const char *setting; /* NULL: the default */
    const char *key, *value;
} setting_cases[] = {
    {NULL, "tensor_maps.A.global_strides", "[512]"},
    {NULL, "tensor_maps.A.element_strides", "[1, 1]"},
    {NULL, "tensor_maps.A.global_address", "0x7f0000000000"},
    {NULL, "tensor_maps.B.global_address", "0x7f0000200000"},
    {NULL, "tensor_maps.A.count", "1"},
    {NULL, "tensor_maps.A.descriptor", "parameter"},
    {"tensor_maps.A.count=8", "tensor_maps.B.global_address", "0x7f0000200000"},
    {"tensor_maps.A.count=9", "tensor_maps.B.global_address", "0x7f0000400000"},
    {"tensor_maps.A.descriptor=global", "tensor_maps.A.descriptor", "global"},
    {NULL, "workload.sms", "132"},
    {NULL, "workload.pipeline.depth", "1"},
    {NULL, "workload.pipeline.stage_bytes", "33 KiB"},
    {NULL, "workload.pipeline.expect_tx", "32784 B"},
    {NULL, "workload.initial_cache", "cold"},
    {NULL, "workload.operations.0.access", "tile"},
    {NULL, "workload.operations.0.shared_offset", "0 B"},
    {NULL, "workload.operations.1.shared_offset", "16 KiB"},
    {NULL, "workload.operations.2.shared_offset", "17 KiB"},
    {NULL, "workload.operations.0.walk.tiles", "[4, 4]"},
    {NULL, "workload.operations.0.walk.step", "[64, 128]"},
    {"workload.pipeline.depth=4", "workload.pipeline.depth", "4"},
    {"workload.initial_cache=warm", "workload.initial_cache", "warm"},
    {"tensor_maps.A.box_dim=[32, 16]", "tensor_maps.A.box_dim", "[32, 16]"},
    {"tensor_maps.A.box_dim=[32, 16]", "workload.operations.0.walk.tiles", "[8, 32]"},
    {"tensor_maps.A.box_dim.1=32", "tensor_maps.A.box_dim", "[64, 32]"},
    {"tensor_maps.A.swizzle=128b", "tensor_maps.A.swizzle", "128b"},
    {"tensor_maps.A.global_address=0x100000", "tensor_maps.B.global_address", "0x7f0000000000"},
    {"workload.operations.2.walk.order=same", "workload.operations.2.walk.order", "same"},
    {"workload.operations.2={prefetch: B}", "workload.operations.2.prefetch", "B"},
    {"workload.operations.3={load: B}", "workload.operations.3.load", "B"},
    {"workload.operations.2={reduce: A, reduction: max}", "workload.operations.2.reduction", "max"},
    {"workload.pipeline.shared_base=1 KiB", "workload.pipeline.shared_base", "1 KiB"},
    {"workload.pipeline.expect_tx=7 B", "workload.pipeline.expect_tx", "7 B"},
    {"gpu.sm_clock=1.5 GHz", "gpu.sm_clock", "1500 MHz"},
    {"gpu.name=another", "gpu.name", "another"},
};

TEST_ROWS(setting_or_default_is_described, TABLE_ROWS(setting_cases)) {
    const struct setting_case *test = &setting_cases[_i];
    struct tma_scenario scenario;
    struct lookup lookup = {.key = test->key};
    read_good(&test->setting, test->setting != NULL, &scenario);
    tma_scenario_describe(&scenario, receive_value, &lookup);
    ck_assert_str_eq(lookup.value, test->value);
    tma_scenario_free(&scenario);
}

static const struct fault_case {
    const char *setting, *text;
} fault_cases[] = {
    {"workload.ctas", "is not path=value"},
    {"=3", "is not path=value"},
    {"workload.ctas=", "expected a value"},
    {"workload.ctas=[", "not YAML"},
    {"workload.ctas=3\n---\n4", "a second document"},
    {"workload.ctas.x=3", "workload.ctas is a single value and has no \"x\""},
    {"workload.operations.9.load=A", "has no index \"9\"; allowed: 0 to 3"},
    {"workload.operations.x.load=A", "has no index \"x\""},
    {"workload.pipelin.depth=3", "did you mean \"pipeline\"?"},
    {"gpu.sm_cont=3", "did you mean \"sm_count\"?"},
    {"gpu.sm_clock=3 Mhz", "did you mean \"MHz\"?"},
    {"gpu.topology.gpc_size=[1]", "adds up to 1 SMs"},
    {"gpu.topology.sms.1=255", "allowed: SMs 0 to"},
    {"tensor_maps.A.count=0", "expected a whole number from 1 to 65536"},
    {"tensor_maps.A.count=256", "A and the maps before it are 256 kernel parameters"},
    {"tensor_maps.A={data_type: float16, global_dim: [256, 512], box_dim: [64, 128], count: 2, "
     "global_address: 0xffffffffc0000, descriptor: global}",
     "2 tensors of 262144 bytes from address 0xffffffffc0000 exceed the highest address"},
    {"tensor_maps.A.descriptor=shared", "parameter or global"},
    {"gpu.tma.descriptors=0", "expected a whole number from 1 to 65536"},
    {"gpu=nowhere.yaml", "gpu names a file that cannot be read or parsed"},
    {"workload.operations.0.load=C", "expected a name in tensor_maps: A, B"},
    {"tensor_maps.A.box_dim=[64]", "has length 1; expected 2"},
    {"workload.pipeline.stage_bytes=33 B", "too small for the tile of operation 0 (A)"},
    {"workload.pipeline.depth=8", "of shared memory; a CTA of"},
    {"workload.operations.0.walk.start=[1, 0]", "multiple of 16 bytes"},
    {"workload.operations.0={store: A, walk: {start: [0, -1]}}", "negative"},
    {"workload.consumers.0.operation=3", "allowed: operations 0 to 2"},
    {"workload.consumers.0.operation=8", "expected a whole number from 0 to 7"},
};

TEST_ROWS(faulty_setting_is_reported, TABLE_ROWS(fault_cases)) {
    const struct fault_case *test = &fault_cases[_i];
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    ck_assert(!read_text(small, strlen(small), &test->setting, 1, &scenario, &list));
    bool found = false;
    for (size_t i = 0; i < list.count; i++)
        found = found || (strstr(list.items[i].text, test->text) != NULL &&
                          strcmp(list.items[i].at.file, "--set 1") == 0);
    ck_assert_msg(found, "%s: %s: %s", test->setting, list.items[0].at.file, list.items[0].text);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
}

/* A described scenario, as the arguments of --set. */
struct described {
    char *settings[1024];
    size_t count;
};

static void append_setting(void *context, const char *key, const char *value) {
    struct described *described = context;
    size_t bytes = strlen(key) + strlen(value) + 2;
    char *setting = malloc(bytes);
    ck_assert_ptr_nonnull(setting);
    snprintf(setting, bytes, "%s=%s", key, value);
    ck_assert_uint_lt(described->count, TABLE_ROWS(described->settings));
    described->settings[described->count++] = setting;
}

static void free_settings(struct described *described) {
    for (size_t i = 0; i < described->count; i++)
        free(described->settings[i]);
}

/* A description means the same as the scenario: all of its lines as --set change nothing. */
TEST(description_reads_back_unchanged) {
    static struct described first, second;
    struct tma_scenario scenario;
    first.count = second.count = 0;
    read_good(NULL, 0, &scenario);
    tma_scenario_describe(&scenario, append_setting, &first);
    tma_scenario_free(&scenario);
    read_good((const char *const *)first.settings, first.count, &scenario);
    tma_scenario_describe(&scenario, append_setting, &second);
    tma_scenario_free(&scenario);
    ck_assert_uint_eq(first.count, second.count);
    for (size_t i = 0; i < first.count; i++)
        ck_assert_str_eq(first.settings[i], second.settings[i]);
    free_settings(&first);
    free_settings(&second);
}

static uint32_t next_random(uint32_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* Changes a text in one to four places: replaces, deletes or doubles a byte. Returns its new
 * length.
 */
static size_t mutate(char *text, size_t length, uint32_t *state) {
    static const char bytes[] = "0189-.:,[]{}&*!#'\"|> \n\taAbz\x80\xff";
    for (uint32_t edits = 1 + next_random(state) % 4; edits > 0; edits--) {
        size_t at = next_random(state) % length;
        switch (next_random(state) % 3) {
        case 0:
            text[at] = bytes[next_random(state) % (sizeof bytes - 1)];
            break;
        case 1:
            memmove(text + at, text + at + 1, length - at - 1);
            length--;
            break;
        default:
            memmove(text + at + 1, text + at, length - at);
            length++;
        }
    }
    return length;
}

/* For any text, the reader either succeeds or gives a reason. */
TEST_ROWS(mutated_text_reads_or_gives_a_reason, 4) {
    uint32_t state = 0x9e3779b9u + (uint32_t)_i;
    for (int round = 0; round < 150; round++) {
        char text[sizeof small + 16];
        memcpy(text, small, sizeof small);
        size_t length = mutate(text, sizeof small - 1, &state);
        struct tma_scenario scenario;
        struct tma_diagnostics list = {0};
        bool good = read_text(text, length, NULL, 0, &scenario, &list);
        ck_assert_msg(good == (list.count == 0), "%.*s", (int)length, text);
        tma_diagnostics_free(&list);
        tma_scenario_free(&scenario);
    }
}

TEST_SUITE("scenario", .timeout = 60);
