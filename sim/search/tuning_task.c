#include "search/tuning_task.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "bound/bound.h"
#include "cli/messages.h"

static bool simulate(const struct cli_tuning_task *task, struct tma_scenario *scenario,
                     struct cli_tuning_outcome *outcome, struct tma_reply *reply,
                     struct tma_error *error) {
    const struct tma_kernel *kernel = &scenario->program->kernel;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    enum tma_error_code code = TMA_ERROR_MEMORY;
    if (result == NULL)
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    else
        code = tma_kernel_estimate(&scenario->machine, kernel, &task->limits, result,
                                   &outcome->estimate, error);
    if (code == TMA_OK) {
        struct tma_kernel_report_input input = {
            .scenario = scenario->name,
            .machine = &scenario->machine,
            .kernel = kernel,
            .result = result,
            .map_names = scenario->map_names,
        };
        outcome->limiter = tma_tune_limiter_of(&input);
        tma_reply_note(reply, &result->cycles, sizeof result->cycles);
    }
    tma_release(result);
    return code == TMA_OK;
}

/* Returns true where the step succeeds; else writes the reason. */
static bool do_step(const struct cli_tuning_task *task, struct tma_scenario *scenario,
                    struct cli_tuning_outcome *outcome, struct tma_reply *reply,
                    char reason[CLI_REASON_BYTES]) {
    struct tma_error error = {.text = ""};
    bool good = true;
    if (scenario->program == NULL) {
        snprintf(reason, CLI_REASON_BYTES, "it has a workload; tune takes kernels with roles");
        return false;
    }
    const struct tma_kernel *kernel = &scenario->program->kernel;
    if (task->draw > 0) {
        outcome->repeated = scenario->machine.topology.seed == task->draw;
        scenario->machine.topology.seed = task->draw;
    }
    outcome->sm_clock_mhz =
        kernel->sm_clock_mhz > 0 ? kernel->sm_clock_mhz : scenario->machine.sm_clock_mhz;
    outcome->timing_validated = scenario->machine.validated;
    outcome->timing_edited = scenario->machine.edited;
    struct tma_kernel_bound bound;
    if (task->step == CLI_TUNING_LOOK) {
        tma_kernel_bound(&scenario->machine, kernel, &bound);
        outcome->estimate.kind = TMA_ESTIMATE_BOUND;
        outcome->estimate.cycles = bound.cycles;
    } else if (!outcome->repeated)
        good = simulate(task, scenario, outcome, reply, &error);
    if (!good)
        snprintf(reason, CLI_REASON_BYTES, "%s", error.text);
    return good;
}

static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct cli_tuning *tuning = context;
    struct cli_tuning_task task;
    struct cli_tuning_outcome outcome = {.failed = true};
    struct cli_variant_scenario variant;
    char reason[CLI_REASON_BYTES];
    (void)number;
    assert(size == sizeof task);
    memcpy(&task, bytes, size);
    size_t kernel = task.row / tuning->variants->row_count;
    if (cli_variant_read(tuning->paths[kernel], cli_file_name(tuning->paths[kernel]),
                         &tuning->options->settings, tuning->variants,
                         task.row % tuning->variants->row_count, &variant, reason))
        outcome.failed = !do_step(&task, &variant.scenario, &outcome, reply, reason);
    cli_variant_free(&variant);
    tma_reply_append(reply, &outcome, sizeof outcome);
    if (outcome.failed)
        tma_reply_append(reply, reason, strlen(reason) + 1);
}

struct tma_worker_code cli_tuning_code(const struct cli_tuning *tuning) {
    return (struct tma_worker_code){.work = work, .context = (void *)tuning};
}
