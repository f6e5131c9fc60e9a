/* What lowering says that ptxas's code executes, compared with what a profiler counted on an H100,
 * for launches of kernels that Triton compiled. */
#define _GNU_SOURCE
#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "core/lowering.h"
#include "gpus.h"
#include "launch/launch.h"
#include "launch/prepared.h"
#include "scenario/text_file.h"

#define LAUNCHES "tests/hardware/launches/launches.jsonl"

enum { LAUNCH_COUNT = 12, FIGURES = 5 };

/* Mean errors, in percent of the measured count, of all instructions, alu, fma, xu and lsu; and how
 * many are allowed. docs/lowering.md has those of 126 launches. */
static const double most[FIGURES] = {6, 15, 35, 15, 10};

struct figures {
    double predicted[FIGURES], measured[FIGURES];
    bool serialised;
};

static void count(const struct tma_prepared *prepared, struct figures *figures) {
    struct tma_ptx_options options = {.maximum_instructions = UINT64_C(1) << 32};
    struct tma_ptx_result result = {0};
    struct tma_sass_counts counts;
    struct tma_error error;
    ck_assert(tma_ptx_execute(&prepared->execution, &options, &result, &error) == TMA_OK);
    ck_assert(result.failure == TMA_PTX_COMPLETED);
    ck_assert(tma_count_sass(prepared->module, prepared->execution.registers, NULL, result.lines,
                             &counts, &error) == TMA_OK);
    const uint64_t all[FIGURES] = {counts.instructions, counts.alu, counts.fma, counts.xu,
                                   counts.lsu};
    for (int f = 0; f < FIGURES; f++)
        figures->predicted[f] = (double)all[f];
    struct tma_lowered *lowered =
        tma_allocate(prepared->module->instruction_count, sizeof *lowered);
    ck_assert_ptr_nonnull(lowered);
    ck_assert(tma_lower(prepared->module, prepared->execution.function, 0, NULL, lowered, NULL,
                        &error) == TMA_OK);
    for (size_t i = 0; i < prepared->module->instruction_count; i++)
        figures->serialised = figures->serialised || lowered[i].serialised;
    tma_release(lowered);
    tma_ptx_result_free(&result);
}

static void take(const char *text, size_t length, unsigned line, const struct tma_machine *machine,
                 struct figures *figures) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_launch launch;
    struct tma_prepared prepared = {0};
    struct tma_launch_measured measured;
    ck_assert(tma_launch_read_record(text, length, LAUNCHES, line, &launch, &list));
    ck_assert(tma_launch_measurement(&launch, "NVIDIA H100", &measured));
    const uint64_t all[FIGURES] = {measured.instructions, measured.alu, measured.fma, measured.xu,
                                   measured.lsu};
    for (int f = 0; f < FIGURES; f++)
        figures->measured[f] = (double)all[f];
    ck_assert(tma_launch_prepare(&launch, machine, true, &prepared, &list));
    count(&prepared, figures);
    tma_diagnostics_free(&list);
    tma_prepared_free(&prepared);
    tma_launch_free(&launch);
}

TEST(instructions_are_those_of_a_gpu) {
    struct tma_machine machine;
    struct tma_error error;
    char *text;
    size_t length;
    double errors[FIGURES] = {0};
    uint32_t counted[FIGURES] = {0};
    read_h200(&machine);
    ck_assert(tma_text_read(LAUNCHES, &text, &length, &error) == TMA_OK);
    unsigned line = 0;
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        struct figures figures = {0};
        take(at, (size_t)(end - at), ++line, &machine, &figures);
        /* ptxas says C7515 of this one only */
        bool serialised = memmem(at, (size_t)(end - at), "_serialised", 11) != NULL;
        ck_assert_msg(figures.serialised == serialised, "line %u", line);
        for (int f = 0; f < FIGURES; f++)
            if (figures.measured[f] > 0) {
                errors[f] += 100 * fabs(figures.predicted[f] / figures.measured[f] - 1);
                counted[f]++;
            }
    }
    ck_assert_uint_eq(line, LAUNCH_COUNT);
    for (int f = 0; f < FIGURES; f++)
        ck_assert_msg(errors[f] / counted[f] <= most[f], "figure %d: mean error %.1f %%", f,
                      errors[f] / counted[f]);
    tma_release(text);
}

TEST_SUITE("lowering", .timeout = 120);
