/* What the state machines of one run share: what is simulated, the memory system, the queue of
 * issued operations, and those that observe. It knows none of the machines. */
#ifndef TMA_ENGINE_SIMULATION_H
#define TMA_ENGINE_SIMULATION_H

#include "engine/accounting.h"
#include "engine/actor.h"
#include "engine/issue_queue.h"
#include "engine/observer.h"
#include "engine/tracer.h"

struct tma_engine_module;

struct tma_simulation {
    const struct tma_machine *machine;
    const struct tma_workload *workload;
    struct tma_memory *memory; /* owned */
    struct tma_actors actors;
    struct tma_issue_queue issues;
    struct tma_accounting accounting;
    struct tma_tracer tracer;
    struct tma_observer observer;
    struct tma_consumer_report *reports; /* owned: by slot and consumer, one pass over the tile */
    const struct tma_watch *watch;       /* borrowed; NULL: no caller follows the run */
    uint64_t total_operations;           /* that the watch is told */
    uint64_t total_bytes;                /* about: of the boxes of these operations */
    uint64_t steps;                      /* of the memory's actor */
    bool finished;                       /* every CTA has ended: the actors end too */
    enum tma_error_code code;            /* TMA_OK, or why the run stops early */
    struct tma_error error;
};

/* Stops the run. The first failure counts. */
void tma_simulation_fail(struct tma_simulation *simulation, enum tma_error_code code,
                         const char *text);
void tma_simulation_out_of_memory(struct tma_simulation *simulation);

/* Stops the run with TMA_ERROR_MODEL where the memory system can never give another completion,
 * though operations are in flight. The text says which. */
void tma_simulation_check_progress(struct tma_simulation *simulation);

/* Whether the run is sampled. Fails where that is asked for together with events, which would have
 * gaps. */
bool tma_simulation_samples(struct tma_simulation *simulation, const struct tma_event_sink *sink);

/* Loads the engine, and reserves it for this run; the caller releases it. Returns NULL where that
 * fails, which stops the run. */
const struct tma_engine_module *tma_simulation_reserve(struct tma_simulation *simulation);

/* Frees what the simulation owns, as far as it has been created. */
void tma_simulation_free(struct tma_simulation *simulation);

/* In each step of the memory's actor: whether the caller is to see how far the run is, which is so
 * from time to time. */
bool tma_simulation_look_is_due(struct tma_simulation *simulation);

/* Shows the caller how far the run is at state->cycle, and fills in the operations. The run ends if
 * the caller wants it to. */
void tma_simulation_let_look(struct tma_simulation *simulation, struct tma_run_state *state);

/* The run ends: no state machine takes another transition. */
static inline bool tma_simulation_is_over(const struct tma_simulation *simulation) {
    return simulation->finished || simulation->code != TMA_OK;
}

/* The bank conflicts of one pass of a consumer over the tile in a slot. */
static inline const struct tma_consumer_report *
tma_consumer_report_of(const struct tma_simulation *simulation, uint32_t slot, uint32_t consumer) {
    return &simulation->reports[slot * simulation->workload->consumer_count + consumer];
}

#endif
