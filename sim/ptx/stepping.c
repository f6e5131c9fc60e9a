#include "ptx/stepping.h"

#include "base/allocation.h"
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"

struct tma_stepper {
    struct tma_executor executor;
    struct tma_ptx_options options;
    struct tma_ptx_cluster *unused;
};

enum tma_error_code tma_stepper_create(const struct tma_ptx_launch *launch,
                                       const struct tma_ptx_options *options,
                                       struct tma_ptx_result *result, struct tma_stepper **stepper,
                                       struct tma_error *error) {
    *stepper = tma_allocate(1, sizeof **stepper);
    if (*stepper == NULL) {
        *result = (struct tma_ptx_result){.failure = TMA_PTX_COMPLETED};
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    if (options != NULL)
        (*stepper)->options = *options;
    (*stepper)->executor = (struct tma_executor){.launch = launch,
                                                 .options = &(*stepper)->options,
                                                 .module = launch->module,
                                                 .result = result,
                                                 .error = error};
    return tma_open_launch(&(*stepper)->executor);
}

enum tma_error_code tma_stepper_free(struct tma_stepper *stepper, enum tma_error_code code) {
    if (stepper == NULL)
        return code;
    while (stepper->unused != NULL) {
        struct tma_ptx_cluster *next = stepper->unused->next;
        tma_free_cluster(stepper->unused);
        stepper->unused = next;
    }
    code = tma_close_launch(&stepper->executor, code);
    tma_release(stepper);
    return code;
}

uint32_t tma_stepper_cluster_ctas(const struct tma_stepper *stepper) {
    return stepper->executor.cluster_ctas;
}

uint32_t tma_stepper_cta_warps(const struct tma_stepper *stepper) {
    return (stepper->executor.threads + 31) / 32;
}

uint32_t tma_stepper_shared_bytes(const struct tma_stepper *stepper) {
    return stepper->executor.shared_bytes;
}

uint32_t tma_stepper_registers(const struct tma_stepper *stepper) {
    return stepper->executor.register_count;
}

bool tma_stepper_reaches(const struct tma_stepper *stepper, uint32_t function) {
    return stepper->executor.reachable[function];
}

uint32_t tma_stepper_number(const struct tma_stepper *stepper, uint32_t module_register) {
    return stepper->executor.register_numbers[module_register];
}

struct tma_ptx_cluster *tma_stepper_start(struct tma_stepper *stepper, uint64_t index) {
    return tma_start_cluster(&stepper->executor, &stepper->unused, index);
}

void tma_stepper_end(struct tma_stepper *stepper, struct tma_ptx_cluster *cluster) {
    if (tma_cluster_ended(cluster))
        stepper->executor.result->ended_ctas += cluster->cta_count;
    tma_watch_end(cluster, tma_cluster_ended(cluster));
    cluster->next = stepper->unused;
    stepper->unused = cluster;
}

struct tma_warp *tma_stepper_warp(struct tma_ptx_cluster *cluster, uint32_t rank, uint32_t warp) {
    return &cluster->ctas[rank].warps[warp];
}

void tma_stepper_prefetch(const struct tma_warp *warp) {
    __builtin_prefetch(warp, 1);
    __builtin_prefetch(&warp->paths[0], 1);
    __builtin_prefetch(&warp->paths[0].wait, 1);
}

void tma_stepper_prefetch_registers(const struct tma_warp *warp, uint32_t number) {
    __builtin_prefetch(&warp->values[number], 1);
    __builtin_prefetch(&warp->opaque[number], 1);
    __builtin_prefetch(&warp->forms[number], 1);
}

uint32_t tma_stepper_next(struct tma_warp *warp) {
    if (warp->exited || !tma_choose_path(warp))
        return UINT32_MAX;
    return warp->paths[warp->current].pc;
}

void tma_stepper_step(struct tma_stepper *stepper, struct tma_warp *warp, uint64_t cycle,
                      struct tma_ptx_step *step) {
    struct tma_executor *executor = &stepper->executor;
    const struct tma_path *path = &warp->paths[warp->current];
    const struct tma_op *op = &executor->code[path->pc];
    step->instruction = op->instruction;
    step->lanes = path->lanes;
    step->product = op->extra;
    step->sleep_ns = step->shared_wavefronts = step->shared_conflicts = step->signalled = 0;
    step->distant = false;
    step->line_count = step->transfer_count = step->deferred_count = 0;
    executor->step = step;
    executor->time = cycle;
    enum tma_turn turn = tma_run_warp(warp, 1);
    executor->step = NULL;
    if (path->wait.kind == TMA_WAIT_LANES)
        step->product = NULL; /* it has not been issued: other lanes of the warp are elsewhere */
    step->polls = turn == TMA_TURN_POLLED;
    step->ended = turn == TMA_TURN_ENDED;
    step->failed = turn == TMA_TURN_FAILED;
    step->waits = !step->ended && !step->failed && tma_stepper_next(warp) == UINT32_MAX;
}

static struct tma_place place_of(const struct tma_stepper *stepper, uint32_t module_register) {
    const struct tma_executor *executor = &stepper->executor;
    return (struct tma_place){.offset = executor->register_offsets[module_register],
                              .number = executor->register_numbers[module_register],
                              .kind = TMA_PLACE_REGISTER,
                              .width = (uint8_t)executor->module->registers[module_register].width};
}

void tma_stepper_read(const struct tma_stepper *stepper, const struct tma_warp *warp,
                      uint32_t module_register, uint64_t lanes[32], uint32_t *opaque) {
    const struct tma_place place = place_of(stepper, module_register);
    *opaque = tma_opaque(warp, &place);
    for (uint32_t i = 0; i < 32; ++i)
        lanes[i] = tma_lane_value(warp, &place, i);
}

void tma_stepper_add(const struct tma_stepper *stepper, struct tma_warp *warp,
                     uint32_t module_register, const uint64_t steps[32]) {
    const struct tma_place place = place_of(stepper, module_register);
    bool same = tma_is_uniform(warp, &place);
    for (uint32_t i = 1; same && i < 32; ++i)
        same = steps[i] == steps[0];
    if (same) {
        tma_set_uniform(warp, &place, tma_uniform_value(warp, &place) + steps[0]);
        return;
    }
    for (uint32_t i = 0; i < 32; ++i)
        tma_set_lane(warp, &place, i, tma_lane_value(warp, &place, i) + steps[i]);
}

void tma_stepper_complete(struct tma_ptx_cluster *cluster, uint32_t rank, uint32_t barrier,
                          uint32_t bytes) {
    tma_mbarrier_complete(&cluster->ctas[rank], barrier, 0, bytes);
}

void tma_stepper_arrive(struct tma_ptx_cluster *cluster, const struct tma_ptx_deferred *arrival) {
    tma_mbarrier_complete(&cluster->ctas[arrival->rank], arrival->offset, 1, 0);
}

void tma_stepper_give_up(struct tma_warp *warp) {
    tma_give_up(warp);
}

void tma_stepper_deadlock(struct tma_stepper *stepper, struct tma_ptx_cluster *const *clusters,
                          uint32_t count) {
    tma_report_deadlock(&stepper->executor, clusters, count);
}

uint32_t tma_stepper_shared_offset(uint64_t address) {
    return ((uint32_t)address & TMA_SHARED_OFFSET_MASK) - TMA_SHARED_BASE;
}
