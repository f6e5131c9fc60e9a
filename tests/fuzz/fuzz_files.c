/* Traces, records, reports and sweeps: files that are given by name. The first byte says which. A
 * trace is compared with a second one, or with itself; a report or a sweep with itself. */
#define _GNU_SOURCE /* memfd_create */
#include <sys/mman.h>
#include <unistd.h>

#include "difference/difference.h"
#include "fuzz.h"
#include "records/validate.h"
#include "scenario/machine_file.h"
#include "trace/pending_events.h"
#include "trace/trace.h"

static int write_file(const uint8_t *data, size_t size, char path[40]) {
    int file = memfd_create("input", 0);
    FUZZ_ASSERT(file >= 0 && write(file, data, size) == (ssize_t)size);
    snprintf(path, 40, "/proc/self/fd/%d", file);
    return file;
}

static void compare_traces(const uint8_t *data, size_t size) {
    static FILE *out;
    const uint8_t *end = size == 0 ? NULL : memchr(data, 0x1e, size);
    size_t first = end == NULL ? size : (size_t)(end - data);
    char paths[2][40];
    int files[] = {write_file(data, first, paths[0]),
                   end == NULL ? write_file(data, size, paths[1])
                               : write_file(end + 1, size - first - 1, paths[1])};
    struct tma_trace_tolerance tolerance = {0};
    enum tma_trace_verdict verdict;
    struct tma_error error = {0};
    if (out == NULL)
        out = fopen("/dev/null", "w");
    enum tma_error_code code =
        tma_trace_diff(paths[0], paths[1], &tolerance, out, &verdict, &error);
    FUZZ_ASSERT(code == TMA_OK || error.text[0] != '\0');
    FUZZ_ASSERT(code != TMA_OK || end != NULL || verdict == TMA_TRACE_SAME);
    close(files[0]);
    close(files[1]);
}

static void replay_records(const uint8_t *data, size_t size) {
    static struct tma_machine machine;
    static bool known;
    char path[40];
    int file = write_file(data, size, path);
    struct tma_validation validation;
    struct tma_error error = {0};
    if (!known) {
        struct tma_diagnostics list = {0};
        known = tma_machine_read("configs/gpus/h200.yaml", &machine, &list);
        FUZZ_ASSERT(known);
    }
    enum tma_error_code code = tma_validate_file(path, &machine, &validation, &error);
    FUZZ_ASSERT(code == TMA_OK || error.text[0] != '\0');
    if (code == TMA_OK)
        tma_validation_free(&validation);
    close(file);
}

static void compare_figures(const uint8_t *data, size_t size) {
    static FILE *out;
    char path[40];
    int file = write_file(data, size, path);
    struct tma_diagnostics list = {0};
    struct tma_variant variant;
    bool good = tma_variant_read(path, &variant, &list);
    FUZZ_ASSERT(good == (tma_diagnostics_total(&list) == 0));
    if (out == NULL)
        out = fopen("/dev/null", "w");
    if (good) {
        static const struct tma_difference_rules rules = {.show_all = true};
        struct tma_difference difference = {
            .base = &variant, .variants = &variant, .variant_count = 1, .title = "fuzz"};
        FUZZ_ASSERT(tma_difference_compare(&difference, &rules, NULL) == TMA_OK);
        for (int format = 0; format < (int)tma_difference_format_names.count; format++)
            tma_difference_write(&difference, format, out);
        tma_difference_free(&difference);
    }
    tma_variant_free(&variant);
    tma_diagnostics_free(&list);
    close(file);
}

/* The tables of a comparison of traces take milliseconds to allocate, and an input has few events:
 * each trace has one from now on, of which only the hash table has to be cleared. The linker puts
 * these functions in the place of the library's. */
static struct tma_pending_events kept[4];
static bool is_in_use[4];

bool __real_tma_pending_open(struct tma_pending_events *pending);
bool __wrap_tma_pending_open(struct tma_pending_events *pending);
bool __wrap_tma_pending_open(struct tma_pending_events *pending) {
    size_t i = 0;
    while (is_in_use[i])
        FUZZ_ASSERT(++i < sizeof kept / sizeof *kept);
    if (kept[i].entries == NULL)
        FUZZ_ASSERT(__real_tma_pending_open(&kept[i]));
    memset(kept[i].buckets, 0, TMA_PENDING_BUCKETS * sizeof *kept[i].buckets);
    is_in_use[i] = true;
    *pending = (struct tma_pending_events){.entries = kept[i].entries, .buckets = kept[i].buckets};
    return true;
}

void __wrap_tma_pending_close(struct tma_pending_events *pending);
void __wrap_tma_pending_close(struct tma_pending_events *pending) {
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
        is_in_use[i] = is_in_use[i] && kept[i].entries != pending->entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    /* Timing records would simulate: their columns are the only ones with "scenario". */
    if (data[0] == 't')
        compare_traces(data + 1, size - 1);
    else if (data[0] == 'd')
        compare_figures(data + 1, size - 1);
    else if (memmem(data, size, "scenario", 8) == NULL)
        replay_records(data + 1, size - 1);
    return 0;
}
