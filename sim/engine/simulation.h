/* A run: the program that is simulated, the places of its CTAs, the memory system, the operations
 * that are under way, and those that observe. This is the runtime of programs of every kind
 * (program.h). */
#pragma once

#include "engine/actor.h"
#include "engine/completion_queue.h"
#include "engine/issued_operation.h"
#include "engine/observe/accounting.h"
#include "engine/observe/observer.h"
#include "engine/sampling/sampling.h"

struct tma_program;

/* The tensor maps of a program, and what is in the caches before it. */
struct tma_program_maps {
    const struct tma_tensor_map *maps;
    const struct tma_map_array *arrays; /* by map */
    const uint8_t *places;              /* by map: tma_workload.map_places */
    uint32_t count;
    bool cold, profiled; /* as in struct tma_workload */
};

struct tma_simulation {
    const struct tma_program *program;
    void *state; /* the program's */
    const struct tma_machine *machine;
    struct tma_program_maps maps;
    uint64_t cta_count;       /* CTAs of the grid */
    uint64_t relaunch_cycles; /* from the end of a CTA to the start of the next one there */
    /* Nothing but a completion itself decides what follows from it. It is then given to the program
     * as soon as it is known, ahead of time (memory_actor.h). */
    bool completes_ahead;

    struct tma_sm *sms; /* owned: in use */
    uint32_t sm_count;
    struct tma_cluster *clusters; /* owned */
    uint32_t cluster_count, cluster_ctas;
    void *ctas; /* owned: program->cta_bytes each, by place */
    uint32_t place_count;
    uint32_t cta_actors;              /* of each place */
    struct tma_operation_pool *pools; /* owned: by actor */
    uint64_t next_cta;                /* number of the first CTA that has not started */
    bool scheduler_waits;             /* for the end of the cycle */

    struct tma_memory *memory; /* owned */
    struct tma_actors actors;
    struct tma_issue_queue issues;
    struct tma_completion_queue completions; /* known, not yet given to the program */
    uint64_t completed_cycle;                /* visible cycle of the last one that was given */
    struct tma_accounting accounting;
    struct tma_tracer tracer;
    struct tma_observer observer;
    struct tma_sampling_state sampling;
    const struct tma_watch *watch; /* borrowed; NULL: no caller follows the run */
    /* Of programs whose warps access global memory themselves (lanes.h): */
    bool has_lanes;
    uint64_t sm_shared_bytes;       /* that the CTAs of an SM take */
    struct tma_lane_rows lane_rows; /* of the operation that is handed over */
    uint64_t total_operations;      /* that the watch is told */
    uint64_t total_bytes;           /* about: of the boxes of these operations */
    uint64_t steps;                 /* of the memory's actor */
    bool finished;                  /* every CTA has ended: the actors end too */
    enum tma_error_code code;       /* TMA_OK, or why the run stops early */
    struct tma_error error;
};

/* Stops the run. The first failure counts. */
void tma_simulation_fail(struct tma_simulation *simulation, enum tma_error_code code,
                         const char *text);
void tma_simulation_out_of_memory(struct tma_simulation *simulation);

/* The run ends: no state machine takes another transition. */
static inline bool tma_simulation_is_over(const struct tma_simulation *simulation) {
    return simulation->finished || simulation->code != TMA_OK;
}

/* Actors of the program; behind them come the scheduler of CTAs, and the memory actor. */
static inline uint32_t tma_program_actors(const struct tma_simulation *simulation) {
    return simulation->place_count * simulation->cta_actors;
}

static inline uint32_t tma_scheduler_actor(const struct tma_simulation *simulation) {
    return tma_program_actors(simulation);
}

/* The number of a tensor map of an array among all of the program's, from 1. */
static inline uint32_t tma_program_descriptor(const struct tma_simulation *simulation,
                                              uint32_t array, uint32_t index) {
    const struct tma_program_maps *maps = &simulation->maps;
    return tma_descriptor_number(maps->arrays, maps->places, maps->count, array, index);
}
