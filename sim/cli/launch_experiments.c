#include "cli/launch_experiments.h"

#include <string.h>

#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "experiment/improvement.h"
#include "workers/pool.h"

/* Parts of the machine that a compiled kernel may wait for. */
static const struct part {
    enum tma_relief_part part;
    const char *key, *name;
} parts[] = {
    {TMA_RELIEF_OF_tensor_cores, "tensor_cores", "tensor cores"},
    {TMA_RELIEF_OF_shared_memory, "shared_memory", "shared memory"},
    {TMA_RELIEF_OF_tma, "tma", "TMA unit"},
    {TMA_RELIEF_OF_sm_port, "sm_port", "SM port"},
    {TMA_RELIEF_OF_gpc_ports, "gpc_ports", "GPC ports"},
    {TMA_RELIEF_OF_l2, "l2", "L2"},
    {TMA_RELIEF_OF_dram, "dram", "DRAM"},
    {TMA_RELIEF_OF_latency, "latency", "latency"},
};
enum { PARTS = sizeof parts / sizeof parts[0] };
_Static_assert((int)PARTS <= (int)TMA_LAUNCH_LIMITS, "a report has room for all parts");

struct experiments {
    const struct tma_launch *launch;
    const struct tma_machine *machine;
    struct cli_progress progress;
    uint64_t cycles[PARTS]; /* with the part improved; 0: not known */
};

/* In a worker: the launch from its beginning, with fresh memory. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct experiments *experiments = context;
    struct tma_machine machine = *experiments->machine;
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_prepared prepared = {0};
    struct tma_ptx_result executed = {0};
    struct tma_core_result timing = {0};
    struct tma_error error;
    uint64_t cycles = 0;
    (void)bytes, (void)size;
    tma_improve_part(&machine, parts[number].part);
    if (tma_launch_prepare(experiments->launch, &machine, true, &prepared, &list) &&
        tma_core_run(&machine, &prepared.execution, NULL, &executed, &timing, &error) == TMA_OK &&
        executed.failure == TMA_PTX_COMPLETED)
        cycles = timing.cycles;
    tma_core_result_free(&timing);
    tma_ptx_result_free(&executed);
    tma_prepared_free(&prepared);
    tma_diagnostics_free(&list);
    tma_reply_append(reply, &cycles, sizeof cycles);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct experiments *experiments = context;
    if (outcome->failure == NULL && outcome->size == sizeof experiments->cycles[number])
        memcpy(&experiments->cycles[number], outcome->bytes, outcome->size);
    return true;
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct experiments *experiments = context;
    return cli_progress_look(&experiments->progress, done, done_cost);
}

uint32_t cli_launch_experiments(const struct tma_launch *launch, const struct tma_machine *machine,
                                uint64_t cycles, unsigned jobs, bool quiet,
                                struct tma_launch_limit limits[TMA_LAUNCH_LIMITS]) {
    struct experiments experiments = {.launch = launch, .machine = machine};
    struct tma_worker_code code = {.work = work, .context = &experiments};
    struct tma_task tasks[PARTS];
    struct tma_batch batch = {
        .tasks = tasks, .count = PARTS, .context = &experiments, .take = take, .idle = idle};
    struct tma_error error = {.text = "out of memory"};
    for (uint32_t i = 0; i < PARTS; i++)
        tasks[i] = (struct tma_task){.cost = 1};
    cli_progress_begin(&experiments.progress, quiet);
    experiments.progress.unit = "launches";
    experiments.progress.total = experiments.progress.total_work = PARTS;
    struct tma_workers *workers = tma_workers_create(jobs, &code);
    bool good = workers != NULL && tma_workers_run(workers, &batch, &error) == TMA_OK;
    tma_workers_free(workers);
    cli_progress_clear(&experiments.progress);
    if (!good) {
        cli_error("%s", error.text);
        return 0;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < PARTS; i++) {
        uint64_t now = experiments.cycles[i];
        if (now == 0 || now >= cycles || (cycles - now) * 100 < cycles)
            continue;
        struct tma_launch_limit limit = {parts[i].key, parts[i].name,
                                         tma_improvement_words(parts[i].part),
                                         cycles - experiments.cycles[i]};
        uint32_t at = count++;
        for (; at > 0 && limits[at - 1].saved_cycles < limit.saved_cycles; at--)
            limits[at] = limits[at - 1];
        limits[at] = limit;
    }
    return count;
}
