#include "engine/simulation.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/allocation.h"
#include "engine/module.h"

void tma_simulation_fail(struct tma_simulation *simulation, enum tma_error_code code,
                         const char *text) {
    if (simulation->code == TMA_OK)
        simulation->code = tma_fail(&simulation->error, code, "%s", text);
}

void tma_simulation_out_of_memory(struct tma_simulation *simulation) {
    tma_simulation_fail(simulation, TMA_ERROR_MEMORY, "out of memory");
}

void tma_simulation_check_progress(struct tma_simulation *simulation) {
    char text[TMA_ERROR_TEXT_BYTES], what[TMA_ERROR_TEXT_BYTES / 2];
    if (!tma_memory_is_stuck(simulation->memory))
        return;
    tma_memory_describe(simulation->memory, what, sizeof what);
    snprintf(text, sizeof text,
             "fault of the model: at cycle %" PRIu64
             " no event is left that could end what is in flight: %s",
             tma_memory_now(simulation->memory), what);
    tma_simulation_fail(simulation, TMA_ERROR_MODEL, text);
}

bool tma_simulation_samples(struct tma_simulation *simulation, const struct tma_event_sink *sink) {
    const struct tma_watch *watch = simulation->watch;
    if (watch == NULL || watch->sampling == TMA_SAMPLING_NONE)
        return false;
    if (sink != NULL) {
        tma_simulation_fail(simulation, TMA_ERROR_ARGUMENT,
                            "a sampled run leaves parts out: it has no events");
        return false;
    }
    bool samples =
        watch->sampling != TMA_SAMPLING_LONG || simulation->total_bytes > TMA_LONG_RUN_BYTES;
    simulation->accounting.result->sampled = (struct tma_sampled){
        .asked = true, .whole = samples ? TMA_WHOLE_NO_REASON : TMA_WHOLE_SHORT};
    return samples;
}

const struct tma_engine_module *tma_simulation_reserve(struct tma_simulation *simulation) {
    const struct tma_engine_module *module;
    const char *text = "";
    simulation->code = tma_module_load(&module, &simulation->error);
    if (simulation->code != TMA_OK)
        return NULL;
    enum tma_error_code code = module->reserve(&text);
    if (code == TMA_OK)
        return module;
    tma_simulation_fail(simulation, code, text);
    return NULL;
}

void tma_simulation_free(struct tma_simulation *simulation) {
    tma_release(simulation->reports);
    tma_observer_free(&simulation->observer);
    tma_tracer_free(&simulation->tracer);
    tma_accounting_free(&simulation->accounting);
    tma_issue_queue_free(&simulation->issues);
    tma_actors_free(&simulation->actors);
    tma_memory_free(simulation->memory);
}

/* Steps of the memory's actor from one look of the caller's to the next. A step of a full chip
 * takes some milliseconds of the host's time, and one of a single SM some microseconds. */
enum { STEPS_BETWEEN_LOOKS = 16 };

bool tma_simulation_look_is_due(struct tma_simulation *simulation) {
    const struct tma_watch *watch = simulation->watch;
    return watch != NULL && watch->look != NULL && !tma_simulation_is_over(simulation) &&
           simulation->steps++ % STEPS_BETWEEN_LOOKS == 0;
}

void tma_simulation_let_look(struct tma_simulation *simulation, struct tma_run_state *state) {
    const struct tma_watch *watch = simulation->watch;
    struct tma_accounting *accounting = &simulation->accounting;
    uint64_t total = simulation->total_operations;
    state->operations = accounting->result->counters.operations;
    state->total_operations = total > state->operations ? total : state->operations;
    if (watch->look(watch->context, state))
        return;
    tma_simulation_fail(simulation, TMA_ERROR_INTERRUPTED, "the caller ended the run");
    if (state->cycle > accounting->last_cycle)
        accounting->last_cycle = state->cycle;
}
