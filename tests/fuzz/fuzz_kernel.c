/* Kernels with roles. The first byte says what the rest is:
 *   t   the text of a scenario with a kernel;
 *   r   a TSV file of records of kernels, whose settings the library's kernels are read with;
 *   else a random kernel is drawn from the bytes: rings, roles and loops that mostly fit together.
 *
 * A kernel that is read is printed and read again, and must print the same. A random kernel also
 * runs, in both forms, to the same end: the same cycles and bytes, or the same error. */
#define _GNU_SOURCE /* memfd_create */
#include <stdarg.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/kernel_run.h"
#include "fuzz.h"
#include "records/kernel_record.h"
#include "scenario/kernel_print.h"
#include "scenario/scenario.h"

enum { TEXT_BYTES = 1 << 14, MOST_RECORDS = 4, LONGEST_CYCLES = 300000 };

static char *print(const struct tma_scenario *scenario) {
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    FUZZ_ASSERT(out != NULL);
    tma_kernel_print(&scenario->program->kernel, scenario->map_names, "configs/gpus/h200.yaml",
                     out);
    fclose(out);
    return text;
}

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

/* Reads what the kernel prints into *again, which must print the same. */
static void print_and_read(const struct tma_scenario *scenario, struct tma_scenario *again) {
    char *first = print(scenario);
    if (!read_kernel(first, again)) {
        fputs(first, stderr);
        FUZZ_FAIL("a kernel that was printed cannot be read");
    }
    char *second = print(again);
    FUZZ_ASSERT(strcmp(first, second) == 0);
    free(first);
    free(second);
}

static void read_text(const char *text) {
    struct tma_scenario scenario, again;
    if (read_kernel(text, &scenario)) {
        print_and_read(&scenario, &again);
        tma_scenario_free(&again);
    }
    tma_scenario_free(&scenario);
}

/* What a record says becomes settings, and the library's kernel with them prints itself. */
static void read_record(const struct tma_tsv *records, size_t row) {
    struct tma_kernel_record record;
    struct tma_scenario scenario, again;
    struct tma_diagnostics list = {0};
    struct tma_error error = {0};
    char path[160];
    if (tma_kernel_record_read(records, row, &record, &error) != TMA_OK) {
        FUZZ_ASSERT(error.text[0] != '\0');
        return;
    }
    FUZZ_ASSERT(strchr(record.kernel, '/') == NULL);
    snprintf(path, sizeof path, "configs/scenarios/kernels/%s.yaml", record.kernel);
    if (tma_scenario_read(path, record.settings, record.setting_count, &scenario, &list)) {
        print_and_read(&scenario, &again);
        tma_scenario_free(&again);
    }
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

/* Text of a scenario that grows. */
struct yaml {
    char text[TEXT_BYTES];
    size_t used;
};

__attribute__((format(printf, 2, 3))) static void add(struct yaml *yaml, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    size_t left = sizeof yaml->text - yaml->used;
    int length = vsnprintf(yaml->text + yaml->used, left, format, arguments);
    va_end(arguments);
    FUZZ_ASSERT(length >= 0 && (size_t)length < left);
    yaml->used += (size_t)length;
}

static bool one_in(struct fuzz_input *input, int64_t n) {
    return fuzz_between(input, 0, n - 1) == 1;
}

static void draw_work(struct fuzz_input *input, const char *indent, const char *ring,
                      struct yaml *yaml) {
    int amount = (int)fuzz_between(input, 1, 8);
    switch (fuzz_between(input, 0, 7)) {
    case 0:
        add(yaml, "%s- mma: {shape: [64, %d, 64], in_flight: %d}\n", indent, 8 * amount,
            amount % 3);
        break;
    case 1:
        add(yaml, "%s- alu: %d*k\n", indent, 32 * amount);
        break;
    case 2:
        add(yaml, "%s- sfu: %d\n", indent, 16 * amount);
        break;
    case 3:
        add(yaml, "%s- access: {tile: %s, instruction: ld.shared.b32, lanes: %s}\n", indent, ring,
            amount % 2 == 0 ? "row" : "column");
        break;
    case 4:
        add(yaml, "%s- %s: {map: C, from: c, at: [0, 16*(k + cta)]%s}\n%s- commit\n", indent,
            amount % 2 == 0 ? "store" : "reduce", amount % 2 == 0 ? "" : ", reduction: add",
            indent);
        break;
    case 5:
        add(yaml, "%s- wait_stores: {until: %s, in_flight: %d}\n", indent,
            amount > 4 ? "read" : "complete", amount % 2);
        break;
    case 6:
        add(yaml, "%s- sync: meet\n", indent);
        break;
    default:
        add(yaml, "%s- cycles: %d\n", indent, 10 * amount);
        break;
    }
}

/* Writes a statement, which is left out or written twice now and then: a fault of the model. */
static void draw_statement(struct fuzz_input *input, const char *indent, const char *statement,
                           struct yaml *yaml) {
    int64_t times = fuzz_between(input, 0, 40);
    for (int64_t i = times == 7 ? 1 : times == 9 ? -1 : 0; i < 1; i++)
        add(yaml, "%s- %s\n", indent, statement);
}

static void draw_producer(struct fuzz_input *input, unsigned rings, bool cluster,
                          struct yaml *yaml) {
    static const char indent[] = "            ";
    char text[96];
    add(yaml, "    producer:\n      program:\n        - for: {k: STEPS}\n          do:\n");
    for (unsigned ring = 0; ring < rings; ring++) {
        if (one_in(input, 4))
            draw_work(input, indent, "r0", yaml);
        snprintf(text, sizeof text, "acquire: r%u", ring);
        draw_statement(input, indent, text, yaml);
        snprintf(text, sizeof text, "load: {map: A, into: r%u, at: [0, 16*(k*ctas + cta)]%s}", ring,
                 cluster && one_in(input, 3) ? ", multicast: all" : "");
        if (one_in(input, 6))
            add(yaml, "%s- if: (k + cta) %% 2 == 0\n%s  then:\n%s    - %s\n", indent, indent,
                indent, text);
        else
            draw_statement(input, indent, text, yaml);
    }
}

static void draw_consumer(struct fuzz_input *input, unsigned number, unsigned rings,
                          struct yaml *yaml) {
    static const char indent[] = "            ";
    char text[64], name[16];
    int64_t more = fuzz_between(input, 0, 20);
    add(yaml, "    consumer%u:\n      warps: %d\n      program:\n", number,
        one_in(input, 2) ? 4 : 8);
    add(yaml, "        - for: {k: STEPS%s}\n          do:\n",
        more == 3   ? " + 1"
        : more == 5 ? " - 1"
                    : "");
    for (unsigned ring = 0; ring < rings; ring++) {
        snprintf(name, sizeof name, "r%u", ring);
        snprintf(text, sizeof text, "wait: r%u", ring);
        draw_statement(input, indent, text, yaml);
        for (int64_t parts = fuzz_between(input, 0, 2); parts > 0; parts--)
            draw_work(input, indent, name, yaml);
        snprintf(text, sizeof text, "release: r%u", ring);
        draw_statement(input, indent, text, yaml);
    }
}

static void draw_kernel(struct fuzz_input *input, struct yaml *yaml) {
    bool cluster = one_in(input, 3);
    unsigned ctas = 2 * (unsigned)fuzz_between(input, 1, 3);
    unsigned steps = (unsigned)fuzz_between(input, 1, 5);
    unsigned rings = (unsigned)fuzz_between(input, 1, 2);
    unsigned consumers = (unsigned)fuzz_between(input, 1, 2);
    yaml->used = 0;
    add(yaml,
        "name: random\ngpu: configs/gpus/h200.yaml\nparameters: {STEPS: %u}\ntensor_maps:\n"
        "  A: {data_type: float16, global_dim: [64, %u], box_dim: [64, 16]%s}\n"
        "  C: {data_type: float32, global_dim: [32, 1024], box_dim: [32, 16]}\n"
        "kernel:\n  ctas: %u\n  cluster: %d\n  sms: %d\n  initial_cache: %s\n  rings:\n",
        steps, 16 * ctas * steps, one_in(input, 2) ? ", swizzle: 128b" : "", ctas, cluster ? 2 : 1,
        2 * (int)fuzz_between(input, 1, 2), one_in(input, 2) ? "warm" : "cold");
    for (unsigned ring = 0; ring < rings; ring++)
        add(yaml, "    r%u: {stages: %d%s}\n", ring, (int)fuzz_between(input, 1, 4),
            cluster && one_in(input, 2) ? ", release_to: all" : "");
    add(yaml, "  buffers: {c: 2048}\n  barriers: [meet]\n  roles:\n");
    draw_producer(input, rings, cluster, yaml);
    for (unsigned i = 0; i < consumers; i++)
        draw_consumer(input, i, rings, yaml);
}

/* A kernel that only counts cycles can run for long: then both runs end. */
static bool look(void *context, const struct tma_run_state *state) {
    (void)context;
    return state->cycle < LONGEST_CYCLES;
}

static enum tma_error_code run(const struct tma_scenario *scenario, struct tma_result *result,
                               struct tma_error *error) {
    const struct tma_watch watch = {.look = look};
    enum tma_error_code code = tma_kernel_run_watched(
        &scenario->machine, &scenario->program->kernel, NULL, &watch, result, NULL, error);
    FUZZ_ASSERT(code == TMA_OK || error->text[0] != '\0' || code == TMA_ERROR_INTERRUPTED);
    FUZZ_ASSERT(code != TMA_ERROR_MODEL);
    return code;
}

static void run_both(const struct tma_scenario *scenario, const struct tma_scenario *again) {
    static struct tma_result result, other;
    struct tma_error error = {0}, other_error = {0};
    enum tma_error_code code = run(scenario, &result, &error);
    if (code == TMA_ERROR_INTERRUPTED || code == TMA_ERROR_FILE)
        return;
    FUZZ_ASSERT(run(again, &other, &other_error) == code);
    FUZZ_ASSERT(strcmp(error.text, other_error.text) == 0);
    if (code != TMA_OK)
        return;
    const struct tma_counters *counters = &result.counters;
    FUZZ_ASSERT(memcmp(counters, &other.counters, sizeof *counters) == 0);
    FUZZ_ASSERT(result.cycles == other.cycles && result.memory_cycles == other.memory_cycles);
    FUZZ_ASSERT(memcmp(result.role_cycles, other.role_cycles, sizeof result.role_cycles) == 0);
    /* Nothing is lost: sectors hit or miss, and what came from DRAM was asked for. */
    FUZZ_ASSERT(counters->l2_sectors == counters->l2_sector_hits + counters->l2_sector_misses);
    FUZZ_ASSERT(counters->bytes % 2048 == 0 && counters->tensor_bytes <= counters->bytes);
    FUZZ_ASSERT(counters->dram_read_sectors <= counters->l2_sectors + 64);
    FUZZ_ASSERT(result.cta_cycles.count == scenario->program->kernel.cta_count);
}

static void run_random(const uint8_t *data, size_t size) {
    static struct yaml yaml;
    struct fuzz_input input = {data, size};
    struct tma_scenario scenario, again;
    draw_kernel(&input, &yaml);
    if (read_kernel(yaml.text, &scenario)) {
        print_and_read(&scenario, &again);
        run_both(&scenario, &again);
        tma_scenario_free(&again);
    }
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
    else
        run_random(data, size);
    return 0;
}
