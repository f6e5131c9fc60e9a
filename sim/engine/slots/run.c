#include "engine/slots/run.h"

#include "base/allocation.h"
#include "engine/relieved_wavefronts.h"
#include "engine/runtime.h"
#include "engine/sampling/sample_plan.h"
#include "engine/slots/slot.h"
#include "engine/slots/workload_check.h"
#include "placement/rows.h"

/* Measures one pass of each consumer over its tile in each slot: addresses differ from slot to
 * slot, and with them the banks. */
static enum tma_error_code measure_consumers(struct tma_slot_program *program,
                                             struct tma_result *result) {
    const struct tma_workload *workload = program->workload;
    struct tma_error *error = &program->simulation.error;
    for (uint32_t s = 0; s < workload->depth; s++)
        for (uint32_t c = 0; c < workload->consumer_count; c++) {
            const struct tma_consumer *consumer = &workload->consumers[c];
            struct tma_tile tile;
            enum tma_error_code code =
                tma_workload_tile(workload, s, consumer->operation, &tile, error);
            if (code == TMA_OK)
                code = tma_consumer_check(consumer, &tile, error);
            if (code != TMA_OK)
                return code;
            struct tma_consumer_report *report = tma_consumer_report_of(program, s, c);
            *report = tma_consumer_measure(consumer, &tile);
            report->wavefronts = tma_relieved_wavefronts(workload->wavefronts, report);
        }
    for (uint32_t c = 0; c < workload->consumer_count; c++)
        result->consumers[c].tile = *tma_consumer_report_of(program, 0, c);
    return TMA_OK;
}

static bool create(struct tma_slot_program *program, const struct tma_event_sink *sink,
                   struct tma_result *result) {
    program->reports = tma_allocate((size_t)program->workload->depth * TMA_MAX_CONSUMERS,
                                    sizeof *program->reports);
    return tma_simulation_create(&program->simulation, sink, TMA_CAUSE_COUNT, result) &&
           program->reports != NULL && tma_slots_create(program);
}

static uint64_t total_operations(const struct tma_workload *workload) {
    uint64_t operations = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        operations += (uint64_t)workload->cta_count /
                      tma_ctas_sharing(&workload->operations[i], workload) * workload->iterations;
    return operations;
}

/* The bytes of the boxes of all operations. */
static uint64_t bytes_of(const struct tma_workload *workload) {
    uint64_t stage = 0;
    for (uint32_t i = 0; i < workload->operation_count; i++)
        stage += tma_moved_bytes(&workload->maps[workload->operations[i].map],
                                 &workload->operations[i].operation);
    return stage * workload->cta_count * workload->iterations;
}

enum tma_error_code tma_run_watched(const struct tma_machine *machine,
                                    const struct tma_workload *workload,
                                    const struct tma_event_sink *sink,
                                    const struct tma_watch *watch, struct tma_result *result,
                                    struct tma_error *error) {
    enum tma_error_code code = tma_workload_check(machine, workload, error);
    if (code != TMA_OK)
        return code;
    struct tma_slot_program program = {
        .workload = workload,
        .simulation = {.program = &tma_slots,
                       .state = &program,
                       .machine = machine,
                       .maps = {workload->maps, workload->arrays, workload->map_places,
                                workload->map_count, workload->cold, workload->profiled},
                       .cta_count = workload->cta_count,
                       /* Without consumers, which share their SM's shared memory, and without
                        * clusters, where a release depends on loads in flight, slots share nothing
                        * that depends on the order of what happens within a cycle. */
                       .completes_ahead =
                           workload->consumer_count == 0 && tma_cluster_ctas(workload) == 1,
                       .total_operations = total_operations(workload),
                       .total_bytes = bytes_of(workload),
                       .watch = watch}};
    struct tma_simulation *simulation = &program.simulation;
    if (!create(&program, sink, result))
        tma_simulation_out_of_memory(simulation);
    else
        simulation->code = measure_consumers(&program, result);
    tma_simulation_run(simulation, sink);
    tma_simulation_free(simulation);
    TMA_RELEASE(program.slots, program.reports);
    if (simulation->code != TMA_OK && error != NULL)
        *error = simulation->error;
    struct tma_watch whole;
    struct tma_sampled sampled;
    if (simulation->code != TMA_OK || !tma_sample_is_rough(result, watch, &whole, &sampled))
        return simulation->code;
    code = tma_run_watched(machine, workload, sink, &whole, result, error);
    result->sampled = sampled;
    return code;
}

enum tma_error_code tma_run(const struct tma_machine *machine, const struct tma_workload *workload,
                            const struct tma_event_sink *sink, struct tma_result *result,
                            struct tma_error *error) {
    return tma_run_watched(machine, workload, sink, NULL, result, error);
}
