/* The cycles of compiled kernels on an H100, at the clock of each record: small launches, of which
 * the launch itself is half, and larger ones. docs/compiled-kernels.md has those of a larger
 * sample. */
#include <math.h>
#include <string.h>

#include "../unit/shipped_machine.h"
#include "base/allocation.h"
#include "core/core_run.h"
#include "launch/launch.h"
#include "launch/prepared.h"
#include "scenario/machine_file.h"
#include "scenario/text_file.h"

#define LAUNCHES "tests/hardware/launches/launches.jsonl"

/* Ceilings of the mean errors, in percent: of launches with "small" in their labels, and of others.
 */
static const double most[2] = {15, 7.5};
enum { SMALL, LARGE };

static double error_of(const struct tma_launch *launch, const struct tma_machine *machine) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_prepared prepared = {0};
    struct tma_launch_measured measured;
    struct tma_ptx_result executed;
    struct tma_core_result timing;
    struct tma_error error;
    ck_assert(tma_launch_measurement(launch, machine->name, &measured));
    struct tma_machine clocked =
        tma_machine_at_clock(machine, (uint32_t)(measured.cycles * 1000 / measured.ns));
    ck_assert(tma_launch_prepare(launch, &clocked, true, &prepared, &list));
    ck_assert(tma_core_run(&clocked, &prepared.execution, NULL, &executed, &timing, &error) ==
              TMA_OK);
    ck_assert(executed.failure == TMA_PTX_COMPLETED);
    double predicted = (double)(timing.cycles + timing.launch_cycles);
    tma_core_result_free(&timing);
    tma_ptx_result_free(&executed);
    tma_prepared_free(&prepared);
    tma_diagnostics_free(&list);
    return 100 * (predicted / (double)measured.cycles - 1);
}

TEST(cycles_are_those_of_a_gpu) {
    struct tma_machine machine;
    struct tma_error error;
    struct tma_diagnostics list = tma_diagnostics_empty();
    char *text;
    size_t length;
    double errors[2] = {0};
    uint32_t counts[2] = {0};
    unsigned line = 0;
    machine = shipped_machine("h100_sxm");
    ck_assert(tma_text_read(LAUNCHES, &text, &length, &error) == TMA_OK);
    for (char *at = text, *end; (end = strchr(at, '\n')) != NULL; at = end + 1) {
        struct tma_launch launch;
        ck_assert(tma_launch_read_record(at, (size_t)(end - at), LAUNCHES, ++line, &launch, &list));
        int kind = strstr(launch.name, "small") != NULL ? SMALL : LARGE;
        errors[kind] += fabs(error_of(&launch, &machine));
        counts[kind]++;
        tma_launch_free(&launch);
    }
    for (int kind = 0; kind < 2; kind++)
        ck_assert_msg(counts[kind] > 0 && errors[kind] / counts[kind] <= most[kind],
                      "%s: mean error %.1f %%", kind == SMALL ? "small" : "large",
                      errors[kind] / counts[kind]);
    tma_release(text);
    tma_diagnostics_free(&list);
}

TEST_SUITE("cycles of launches", .timeout = 300);
