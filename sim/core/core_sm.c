#include "core/core_sm.h"

#include "base/allocation.h"
#include "base/array.h"
#include "core/core_sample.h"

/* ---- warps ---- */

static void look_again(struct tma_core_sm *sm, struct tma_core_warp *warp) {
    warp->known = false;
    sm->best_cycles[warp->index % TMA_SCHEDULERS] = 0;
    if (warp->ready < sm->next_cycle)
        sm->next_cycle = warp->ready;
}

/* The warp issues nothing before a cycle, and says why. */
static void hold(struct tma_core_warp *warp, uint64_t cycle, enum tma_core_stall reason,
                 uint32_t cause) {
    if (warp->ready >= cycle)
        return;
    warp->ready = cycle;
    warp->ready_reason = (uint8_t)reason;
    warp->ready_cause = cause;
}

/* Something that a blocked warp may wait for has happened. */
static void unblock(struct tma_core_sm *sm, struct tma_core_warp *warp, uint64_t cycle,
                    enum tma_core_stall reason, uint32_t cause) {
    if (warp->state != TMA_CORE_BLOCKED)
        return;
    warp->state = TMA_CORE_RUNS;
    hold(warp, cycle, reason, cause);
    look_again(sm, warp);
}

void tma_core_signal(struct tma_core_run *run, struct tma_core_cluster *cluster, uint32_t rank,
                     uint64_t cycle, uint32_t cause) {
    struct tma_core_warp *warps = &cluster->warps[(size_t)rank * run->cta_warps];
    for (uint32_t i = 0; i < run->cta_warps; ++i) {
        struct tma_core_warp *warp = &warps[i];
        if (warp->state != TMA_CORE_PARKED)
            continue;
        uint32_t next = tma_stepper_next(warp->warp);
        if (next == UINT32_MAX)
            continue;
        warp->state = TMA_CORE_RUNS;
        warp->next = next;
        warp->cause = cause;
        uint64_t awake =
            cycle + (run->plan.instructions[next].is_free ? 0 : run->machine->core.wake_cycles);
        if (warp->ready < awake)
            warp->ready = awake;
        look_again(cluster->sms[rank], warp);
    }
}

static struct tma_core_warpgroup *group_of(const struct tma_core_run *run,
                                           const struct tma_core_warp *warp) {
    return &warp->cluster->groups[warp->rank * tma_core_warpgroups(run) +
                                  warp->index / TMA_CORE_GROUP_WARPS];
}

/* The cycle at which product `number` of a warpgroup ends; TMA_NEVER: not all warps have issued it.
 */
static uint64_t product_end(const struct tma_core_warpgroup *group, uint64_t number) {
    return number < group->products ? group->ends[number % TMA_CORE_PRODUCTS] : TMA_NEVER;
}

/* The cycle at which all groups but the last `left` have completed. */
static uint64_t groups_end(const struct tma_core_groups *groups, uint64_t left) {
    uint64_t cycle = 0;
    for (uint64_t back = left + 1; back <= groups->committed && back <= TMA_CORE_GROUPS; ++back) {
        uint64_t at = (groups->committed - back) % TMA_CORE_GROUPS;
        if (groups->pending[at] != 0)
            return TMA_NEVER;
        if (groups->cycle[at] > cycle)
            cycle = groups->cycle[at];
    }
    return cycle;
}

static void wait_until(struct tma_core_warp *warp, uint64_t cycle, enum tma_core_stall reason,
                       uint32_t cause) {
    if (cycle > warp->earliest) {
        warp->earliest = cycle;
        warp->reason = (uint8_t)reason;
        warp->cause = cause;
    }
}

/* Of product `number` of the warp's group, and what follows it. */
static void wait_for_product(const struct tma_core_run *run, struct tma_core_warp *warp,
                             uint64_t number, uint32_t more) {
    const struct tma_core_warpgroup *group = group_of(run, warp);
    uint64_t end = product_end(group, number);
    wait_until(warp, end == TMA_NEVER ? end : end + more, TMA_STALL_PRODUCT,
               group->instructions[number % TMA_CORE_PRODUCTS]);
}

/* The results of the warp's first `products`. */
static void wait_for_results(const struct tma_core_run *run, struct tma_core_warp *warp,
                             uint64_t products) {
    if (products != 0)
        wait_for_product(run, warp, products - 1, run->machine->core.product_tail_cycles);
}

/* Products of all groups that are committed but the last `left`. */
static uint64_t products_before(const struct tma_core_warp *warp, uint64_t left) {
    uint64_t groups = warp->product_groups;
    return groups > left ? warp->group_products[(groups - 1 - left) % TMA_CORE_GROUPS] : 0;
}

/* All instructions of the block have their operands. */
static void wait_for_block(struct tma_core_warp *warp) {
    wait_until(warp, warp->late_count > 0 ? TMA_NEVER : warp->block_cycle,
               (enum tma_core_stall)warp->block_reason, warp->block_cause);
}

/* All groups but the last `left`, and `more` cycles. */
static void wait_for_groups(struct tma_core_warp *warp, const struct tma_core_groups *groups,
                            uint64_t left, uint32_t more, enum tma_core_stall reason) {
    uint64_t end = groups_end(groups, left);
    uint32_t cause = groups->committed > left
                         ? groups->cause[(groups->committed - left - 1) % TMA_CORE_GROUPS]
                         : TMA_CORE_NO_CAUSE;
    wait_until(warp, end == TMA_NEVER ? end : end + more, reason, cause);
}

/* The warps of a group stay within a queue of products of each other. */
static void wait_for_queue(const struct tma_core_run *run, struct tma_core_warp *warp) {
    uint32_t queue = run->machine->sm.mma_queue;
    if (queue != 0 && warp->products >= queue)
        wait_for_product(run, warp, warp->products - queue, 0);
}

/* ptxas orders the instructions of a block so that those whose operands are there fill the time
 * until those of others are. So an instruction that works on registers, or accesses memory, does
 * not hold up those behind it: it takes its slot, and its result comes when its operands are there.
 * What orders other warps or units waits for its operands, and the end of a block for all of it. */
static bool is_reordered(const struct tma_core_run *run,
                         const struct tma_core_instruction *planned) {
    if (run->in_order)
        return false;
    return planned->kind == TMA_CORE_PLAIN || planned->kind == TMA_CORE_ACCESS ||
           planned->kind == TMA_CORE_COPY;
}

/* Finds when the warp can issue its next instruction. */
static void find_earliest(struct tma_core_run *run, struct tma_core_warp *warp) {
    const struct tma_machine *machine = run->machine;
    if (warp->next == UINT32_MAX)
        warp->next = tma_stepper_next(warp->warp);
    warp->known = true;
    warp->earliest = warp->ready;
    if (warp->next == UINT32_MAX) {
        warp->state = TMA_CORE_PARKED;
        return;
    }
    if (warp->resumed)
        return;
    warp->reason = warp->ready_reason;
    warp->cause = warp->ready_cause;
    const struct tma_core_instruction *planned = &run->plan.instructions[warp->next];
    if (planned->is_free) {
        /* Products end at once, but only when all warps of the group have issued them. */
        if (planned->kind == TMA_CORE_PRODUCT)
            wait_for_queue(run, warp);
        /* What a block asked for is not the cost of the branch that ends it. */
        if (planned->kind == TMA_CORE_BRANCH || planned->kind == TMA_CORE_EXIT)
            wait_for_block(warp);
        if (warp->earliest == TMA_NEVER)
            warp->state = TMA_CORE_BLOCKED;
        return;
    }
    const uint32_t *numbers = run->plan.numbers + planned->first;
    uint32_t count = (uint32_t)planned->read_count + planned->write_count;
    bool reordered = is_reordered(run, planned),
         may_be_late = reordered && planned->kind == TMA_CORE_PLAIN &&
                       planned->read_count <= TMA_CORE_LATE_OPERANDS &&
                       warp->late_count < TMA_CORE_LATE;
    /* One that may be late waits for what it writes alone. Mostly all results are there. */
    bool waits = warp->unknown > 0 || (!reordered && warp->results_cycle > warp->earliest);
    for (uint32_t i = may_be_late ? planned->read_count : 0; waits && i < count; ++i) {
        uint64_t result = warp->registers[numbers[i]];
        if (!reordered || result == TMA_NEVER)
            wait_until(warp, tma_core_result_cycle(result), tma_core_result_reason(result),
                       tma_core_result_cause(result));
    }
    /* Writes are on their way while the fence takes its time. */
    if (warp->fenced || (planned->kind == TMA_CORE_FENCE && planned->fence == 0))
        wait_until(warp, warp->writes > 0 ? TMA_NEVER : warp->written_cycle, TMA_STALL_GLOBAL,
                   TMA_CORE_NO_CAUSE);
    switch ((enum tma_core_kind)planned->kind) {
    case TMA_CORE_PRODUCT:
        wait_for_queue(run, warp);
        if (planned->serialised)
            wait_for_results(run, warp, warp->products);
        break;
    case TMA_CORE_PRODUCT_WAIT:
        wait_for_results(run, warp,
                         planned->serialised ? warp->products
                                             : products_before(warp, planned->count));
        break;
    case TMA_CORE_BULK_WAIT:
    case TMA_CORE_BULK_WAIT_READ:
        wait_for_groups(warp, planned->kind == TMA_CORE_BULK_WAIT ? &warp->stores : &warp->reads,
                        planned->count, machine->warp.store_wake_cycles, TMA_STALL_STORES);
        break;
    case TMA_CORE_BRANCH:
    case TMA_CORE_EXIT:
        wait_for_block(warp);
        break;
    case TMA_CORE_COPY_WAIT:
        wait_for_groups(warp, &warp->copies, planned->count, 0, TMA_STALL_COPIES);
        break;
    case TMA_CORE_CLUSTER:
        wait_until(warp, warp->cluster->barrier_cycle, TMA_STALL_BARRIER, TMA_CORE_NO_CAUSE);
        break;
    case TMA_CORE_COPY_WAIT_ALL:
        wait_for_groups(warp, &warp->copies, 0, 0, TMA_STALL_COPIES);
        break;
    default:
        break;
    }
    if (warp->earliest == TMA_NEVER)
        warp->state = TMA_CORE_BLOCKED;
}

/* ---- groups ---- */

static void commit(struct tma_core_groups *groups, uint64_t cycle) {
    uint64_t at = groups->committed++ % TMA_CORE_GROUPS;
    groups->pending[at] = groups->open;
    groups->cycle[at] = cycle;
    groups->open = 0;
    groups->cause[groups->committed % TMA_CORE_GROUPS] = TMA_CORE_NO_CAUSE;
}

/* An operation of the group that is not committed yet begins. */
static void open(struct tma_core_groups *groups, uint32_t instruction) {
    ++groups->open;
    groups->cause[groups->committed % TMA_CORE_GROUPS] = instruction;
}

/* An operation of a group has completed; of one that is not committed yet, too. */
static void complete(struct tma_core_groups *groups, uint64_t group, uint64_t cycle) {
    if (group >= groups->committed) {
        --groups->open;
        return;
    }
    uint64_t at = group % TMA_CORE_GROUPS;
    --groups->pending[at];
    if (cycle > groups->cycle[at])
        groups->cycle[at] = cycle;
}

/* Lets arrivals happen whose copies have completed. */
static void arrive(struct tma_core_sm *sm, struct tma_core_warp *warp, uint64_t cycle) {
    for (; warp->arrival_first < warp->arrival_count; ++warp->arrival_first) {
        uint64_t at = warp->arrival_first % TMA_CORE_GROUPS,
                 end = groups_end(&warp->copies,
                                  warp->copies.committed - 1 - warp->arrivals[at].group);
        if (end == TMA_NEVER)
            return;
        struct tma_core_event event = {
            .cycle = (end > cycle ? end : cycle) + sm->run->machine->core.arrive_cycles,
            .kind = TMA_EVENT_ARRIVAL,
            .cluster = warp->cluster,
            .cluster_generation = warp->cluster->generation,
            .rank = warp->arrivals[at].to.rank,
            .barrier = warp->arrivals[at].to.offset,
            .instruction = warp->copies.cause[warp->arrivals[at].group % TMA_CORE_GROUPS]};
        tma_core_add_event(sm, &event);
    }
}

/* cp.async.mbarrier.arrive: the copies before it are a group of their own. */
static void defer(struct tma_core_sm *sm, struct tma_core_warp *warp,
                  const struct tma_ptx_deferred *to, uint64_t cycle) {
    commit(&warp->copies, cycle);
    uint64_t at = warp->arrival_count++ % TMA_CORE_GROUPS;
    warp->arrivals[at].to = *to;
    warp->arrivals[at].group = warp->copies.committed - 1;
    arrive(sm, warp, cycle);
}

/* ---- results ---- */

static void set_results(struct tma_core_run *run, struct tma_core_warp *warp,
                        const struct tma_core_instruction *planned, uint64_t cycle,
                        enum tma_core_stall reason, uint32_t cause) {
    const uint32_t *numbers = run->plan.numbers + planned->first + planned->read_count;
    uint64_t result = tma_core_result_at(cycle, reason, cause);
    if (cycle != TMA_NEVER && cycle > warp->results_cycle)
        warp->results_cycle = cycle;
    for (uint32_t i = 0; i < planned->write_count; ++i)
        warp->registers[numbers[i]] = result;
}

/* Stores and reductions: fences wait for them. */
static bool has_no_result(const struct tma_core_instruction *planned) {
    return planned->access == TMA_ACCESS_STORE || planned->access == TMA_ACCESS_REDUCE;
}

/* ---- the timeline ---- */

static void add_span(const struct tma_core_sm *sm, enum tma_core_track track,
                     const struct tma_core_cluster *cluster, uint32_t rank,
                     const struct tma_core_span *rest) {
    struct tma_core_span span = *rest;
    span.track = track;
    span.sm = sm->number;
    span.cta = (uint32_t)(cluster->number * sm->run->cluster_ctas + rank);
    tma_core_timeline_add(sm->run->timeline, &span);
}

static void add_wait(const struct tma_core_sm *sm, const struct tma_core_warp *warp,
                     uint64_t cycle) {
    enum { LEAST_CYCLES = 8 /* less is no wait in a picture */ };
    if (sm->run->timeline == NULL || warp->index % TMA_CORE_GROUP_WARPS != 0 ||
        cycle < warp->issued_cycle + LEAST_CYCLES)
        return;
    struct tma_core_span span = {
        .group = warp->index / TMA_CORE_GROUP_WARPS,
        .instruction = warp->next,
        .stall = warp->earliest > warp->issued_cycle ? warp->reason : (uint32_t)TMA_STALL_SCHEDULER,
        .start_cycle = warp->issued_cycle,
        .end_cycle = cycle};
    add_span(sm, TMA_TRACK_WARPS, warp->cluster, warp->rank, &span);
}

static void add_transfer(const struct tma_core_sm *sm, const struct tma_core_event *event) {
    struct tma_core_span span = {.instruction = event->instruction,
                                 .store = event->kind == TMA_EVENT_WRITTEN,
                                 .start_cycle = event->begin_cycle,
                                 .end_cycle = event->cycle};
    if (sm->run->timeline != NULL)
        add_span(sm, TMA_TRACK_TMA, event->cluster, event->rank, &span);
}

static void end_block_later(struct tma_core_warp *warp, uint64_t cycle, enum tma_core_stall reason,
                            uint32_t cause) {
    if (cycle <= warp->block_cycle)
        return;
    warp->block_cycle = cycle;
    warp->block_reason = (uint8_t)reason;
    warp->block_cause = cause;
}

/* The cycle at which the instruction has its operands, and why not earlier; the block ends no
 * earlier. TMA_NEVER: that is not known yet. */
static uint64_t start_of(struct tma_core_run *run, struct tma_core_warp *warp,
                         const struct tma_core_instruction *planned, uint64_t cycle,
                         enum tma_core_stall *reason, uint32_t *cause) {
    const uint32_t *numbers = run->plan.numbers + planned->first;
    uint32_t count = (uint32_t)planned->read_count + planned->write_count;
    *cause = TMA_CORE_NO_CAUSE;
    *reason = TMA_STALL_ORDER;
    bool waits = warp->unknown > 0 || warp->results_cycle > cycle;
    for (uint32_t i = 0; waits && i < count; ++i) {
        uint64_t result = warp->registers[numbers[i]];
        if (tma_core_result_cycle(result) > cycle) {
            cycle = tma_core_result_cycle(result);
            *reason = tma_core_result_reason(result);
            *cause = tma_core_result_cause(result);
        }
    }
    if (cycle != TMA_NEVER)
        end_block_later(warp, cycle, *reason, *cause);
    return cycle;
}

/* Who reads the result waits for the latency of a pipe, or for a scoreboard. */
static enum tma_core_stall reason_of(const struct tma_core_instruction *planned) {
    return planned->scoreboard ? TMA_STALL_SHARED : TMA_STALL_ORDER;
}

/* An instruction on registers, issued at `cycle`, has its operands at `start`. Who reads its result
 * waits for what took longer: this one, or what it waited for. */
static void finish_plain(struct tma_core_run *run, struct tma_core_warp *warp,
                         const struct tma_core_instruction *planned, uint32_t instruction,
                         uint64_t cycle, uint64_t start, enum tma_core_stall reason,
                         uint32_t cause) {
    if (start - cycle <= planned->latency) {
        cause = instruction;
        if (planned->issues != 0)
            reason = reason_of(planned);
    }
    set_results(run, warp, planned, start + planned->latency, reason, cause);
}

/* Operands of a late instruction that have come in the meantime. One that has come may be written
 * anew before the instruction has the others: by one behind it, which may write what it reads. */
static void take_operands(const struct tma_core_run *run, const struct tma_core_warp *warp,
                          struct tma_core_late *late) {
    const uint32_t *numbers = run->plan.numbers + late->planned->first;
    for (uint64_t left = late->awaited; left != 0; left &= left - 1) {
        uint64_t result = warp->registers[numbers[__builtin_ctzll(left)]];
        if (result == TMA_NEVER)
            continue;
        late->awaited ^= left & -left;
        if (tma_core_result_cycle(result) <= late->cycle)
            continue;
        late->cycle = tma_core_result_cycle(result);
        late->cause = tma_core_result_cause(result);
    }
}

/* Why a warp waits for what an access of global memory loads; TMA_CORE_NO_CAUSE: any. */
static enum tma_core_stall memory_stall(const struct tma_core_run *run, uint32_t cause) {
    return cause != TMA_CORE_NO_CAUSE && run->plan.instructions[cause].polls ? TMA_STALL_FLAG
                                                                             : TMA_STALL_GLOBAL;
}

/* An operand comes from a load that is on its way. */
static void be_late(struct tma_core_run *run, struct tma_core_warp *warp,
                    const struct tma_core_instruction *planned, uint32_t instruction,
                    uint64_t cycle) {
    struct tma_core_late *late = &warp->late[warp->late_count++];
    *late = (struct tma_core_late){.planned = planned,
                                   .cycle = cycle,
                                   .awaited =
                                       UINT64_MAX >> (TMA_CORE_LATE_OPERANDS - planned->read_count),
                                   .instruction = instruction,
                                   .cause = TMA_CORE_NO_CAUSE};
    take_operands(run, warp, late);
    late->first_cycle = late->cycle;
    set_results(run, warp, planned, TMA_NEVER, TMA_STALL_GLOBAL, TMA_CORE_NO_CAUSE);
    warp->unknown += planned->write_count;
}

/* A load has come: those that now have all operands. */
static void finish_late(struct tma_core_run *run, struct tma_core_warp *warp) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < warp->late_count; ++i) {
        take_operands(run, warp, &warp->late[i]);
        struct tma_core_late late = warp->late[i];
        if (late.awaited != 0) {
            warp->late[kept++] = late;
            continue;
        }
        enum tma_core_stall stall = memory_stall(run, late.cause);
        finish_plain(run, warp, late.planned, late.instruction, late.first_cycle, late.cycle, stall,
                     late.cause);
        end_block_later(warp, late.cycle, stall, late.cause);
        warp->unknown -= late.planned->write_count;
    }
    warp->late_count = kept;
}

/* ---- what happens at a cycle ---- */

static void happen(struct tma_core_sm *sm, const struct tma_core_event *event) {
    struct tma_core_run *run = sm->run;
    struct tma_core_warp *warp = event->warp;
    bool same = warp != NULL && warp->generation == event->generation;
    run->progress_cycle = event->cycle;
    switch (event->kind) {
    case TMA_EVENT_BYTES:
        if (event->cluster->generation == event->cluster_generation) {
            tma_stepper_complete(event->cluster->cluster, event->rank, event->barrier,
                                 event->bytes);
            tma_core_signal(run, event->cluster, event->rank, event->cycle, event->instruction);
            add_transfer(sm, event);
        }
        break;
    case TMA_EVENT_ARRIVAL:
        if (event->cluster->generation == event->cluster_generation) {
            struct tma_ptx_deferred arrival = {event->rank, event->barrier};
            tma_stepper_arrive(event->cluster->cluster, &arrival);
            tma_core_signal(run, event->cluster, event->rank, event->cycle, event->instruction);
        }
        break;
    case TMA_EVENT_STORE:
    case TMA_EVENT_WRITTEN:
        if (same) {
            complete(event->kind == TMA_EVENT_STORE ? &warp->reads : &warp->stores, event->group,
                     event->cycle);
            unblock(sm, warp, event->cycle, TMA_STALL_STORES, event->instruction);
            if (event->kind == TMA_EVENT_WRITTEN)
                add_transfer(sm, event);
        }
        break;
    case TMA_EVENT_COPY:
        if (same) {
            complete(&warp->copies, event->group, event->cycle);
            arrive(sm, warp, event->cycle);
            unblock(sm, warp, event->cycle, TMA_STALL_COPIES, event->instruction);
        }
        break;
    case TMA_EVENT_ACCESS:
        if (same) {
            const struct tma_core_instruction *planned =
                &run->plan.instructions[event->instruction];
            enum tma_core_stall stall = memory_stall(run, event->instruction);
            set_results(run, warp, planned, event->cycle, stall, event->instruction);
            warp->unknown -= planned->write_count;
            finish_late(run, warp);
            if (has_no_result(planned)) {
                --warp->writes;
                warp->written_cycle = event->cycle;
            }
            unblock(sm, warp, event->cycle, stall, event->instruction);
        }
        break;
    }
}

/* ---- matrix products ---- */

static enum tma_mma_type mma_type(enum tma_ptx_type type) {
    uint32_t bits = tma_ptx_types[type].bits;
    return bits == 64   ? TMA_MMA_FP64
           : bits == 32 ? TMA_MMA_TF32
           : bits == 8  ? TMA_MMA_BYTE
                        : TMA_MMA_HALF;
}

/* The warpgroup has issued a product: the tensor cores compute one after the other. */
static uint64_t multiply(struct tma_core_sm *sm, const struct tma_ptx_product *product,
                         uint64_t cycle, uint64_t last_end) {
    const struct tma_machine *machine = sm->run->machine;
    enum { WAVEFRONT_BYTES = 128 };
    uint64_t m = product->shape.m, n = product->shape.n, kept = tma_ptx_kept_columns(product);
    uint32_t bits = tma_ptx_types[product->a].bits;
    uint64_t read_a = product->a_in_registers ? 0 : m * kept * bits / 8,
             read_b = n * product->shape.k * bits / 8;
    uint64_t end = tma_port_serve(
        &sm->tensor, cycle,
        tma_work_to_ticks(m * n * kept, tma_mma_rate(machine, mma_type(product->a))));
    uint64_t ticks = tma_work_to_ticks(read_a, machine->sm.mma_a_bytes) +
                     tma_work_to_ticks(read_b, machine->sm.mma_b_bytes);
    uint64_t read_end = (last_end > cycle ? last_end : cycle) + ticks / TMA_TICKS;
    return tma_memory_read_operands(sm->run->memory, sm->number, cycle,
                                    (read_a + read_b + WAVEFRONT_BYTES - 1) / WAVEFRONT_BYTES,
                                    read_end > end ? read_end : end);
}

static void issue_product(struct tma_core_sm *sm, struct tma_core_warp *warp,
                          const struct tma_ptx_product *product, uint64_t cycle) {
    struct tma_core_run *run = sm->run;
    struct tma_core_warpgroup *group = group_of(run, warp);
    uint64_t number = warp->products++, at = number % TMA_CORE_PRODUCTS;
    if (group->warps[at] == 0 || cycle > group->asked[at])
        group->asked[at] = cycle;
    uint32_t in_group = warp->index % TMA_CORE_GROUP_WARPS,
             warps = run->cta_warps - (warp->index - in_group);
    if (warps > TMA_CORE_GROUP_WARPS)
        warps = TMA_CORE_GROUP_WARPS;
    if (++group->warps[at] < warps)
        return;
    group->warps[at] = 0;
    run->result->macs[mma_type(product->a)] +=
        (uint64_t)product->shape.m * product->shape.n * tma_ptx_kept_columns(product);
    uint64_t last = number == 0 ? 0 : group->ends[(number - 1) % TMA_CORE_PRODUCTS];
    uint64_t begin = last > group->asked[at] ? last : group->asked[at];
    group->ends[at] = run->plan.instructions[run->step.instruction].is_free
                          ? begin
                          : multiply(sm, product, group->asked[at], last);
    group->instructions[at] = run->step.instruction;
    group->products = number + 1;
    if (run->timeline != NULL) {
        struct tma_core_span span = {.group = warp->index / TMA_CORE_GROUP_WARPS,
                                     .instruction = run->step.instruction,
                                     .start_cycle = begin,
                                     .end_cycle = group->ends[at]};
        add_span(sm, TMA_TRACK_TENSOR, warp->cluster, warp->rank, &span);
    }
    for (uint32_t i = 0; i < warps; ++i)
        unblock(sm, warp - in_group + i, cycle, TMA_STALL_PRODUCT, run->step.instruction);
}

/* ---- issue ---- */

/* The load/store unit takes no more than a queue of accesses. */
static void hold_back(struct tma_core_sm *sm, uint64_t cycle) {
    uint32_t queue = sm->run->machine->core.access_queue;
    uint32_t waiting = tma_memory_waiting_accesses(sm->run->memory, sm->number);
    if (waiting <= queue)
        return;
    for (uint32_t i = 0; i < TMA_SCHEDULERS; ++i) {
        struct tma_core_scheduler *scheduler = &sm->schedulers[i];
        if (scheduler->pipes[TMA_PIPE_LSU] < cycle + waiting - queue)
            scheduler->pipes[TMA_PIPE_LSU] = cycle + waiting - queue;
        sm->best_cycles[i] = 0;
    }
}

/* An access that is issued at `cycle`, and has its operands at `start`. */
static void access_memory(struct tma_core_sm *sm, struct tma_core_warp *warp,
                          const struct tma_core_instruction *planned, uint64_t cycle,
                          uint64_t start) {
    struct tma_core_run *run = sm->run;
    uint32_t instruction = run->step.instruction;
    struct tma_ptx_step *step = &run->step;
    if (step->shared_wavefronts != 0 && !step->distant) {
        bool relieved = run->relief != NULL && run->relief->no_conflicts;
        bool stores = planned->write_count == 0;
        uint64_t *waits =
            stores ? &run->result->shared_store_waits : &run->result->shared_load_waits;
        if (stores)
            run->result->shared_store_conflicts += tma_memory_shared_conflicts(
                run->memory, sm->number, warp->cluster->bases[warp->rank] + step->shared_offset,
                cycle, step->shared_wavefronts);
        *waits -= tma_memory_waited_cycles(run->memory, sm->number);
        /* The port takes the wavefronts in the order of the instructions, also those of an access
         * that begins later because of its operands: others go ahead of it meanwhile. */
        uint64_t wavefronts = step->shared_wavefronts - (relieved ? step->shared_conflicts : 0),
                 end = tma_memory_access_shared(run->memory, sm->number, cycle, wavefronts),
                 alone = start + wavefronts * run->machine->shared.wavefront_cycles;
        if (end < alone)
            end = alone;
        if (has_no_result(planned) && warp->stored_cycle < end)
            warp->stored_cycle = end;
        *waits += tma_memory_waited_cycles(run->memory, sm->number);
        set_results(run, warp, planned, end + run->machine->core.shared_latency_cycles,
                    TMA_STALL_SHARED, instruction);
        if (end > cycle + run->machine->core.shared_queue)
            hold(warp, end - run->machine->core.shared_queue, TMA_STALL_SHARED, TMA_CORE_NO_CAUSE);
    } else if (step->line_count != 0) {
        set_results(run, warp, planned, TMA_NEVER, TMA_STALL_GLOBAL, instruction);
        warp->unknown += planned->write_count;
        warp->writes += has_no_result(planned);
        tma_core_access(run, sm, warp, TMA_EVENT_ACCESS, start);
        hold_back(sm, start);
    } else {
        set_results(run, warp, planned, start + planned->latency, TMA_STALL_ORDER, instruction);
    }
}

/* Where the warp has a loop over lanes, each has a turn of it. */
static void issue_transfers(struct tma_core_sm *sm, struct tma_core_warp *warp, uint64_t cycle) {
    struct tma_core_run *run = sm->run;
    uint32_t turn = run->plan.instructions[run->step.instruction].turn;
    for (uint32_t i = 0; i < run->step.transfer_count; ++i) {
        const struct tma_ptx_transfer *transfer = &run->step.transfers[i];
        if (tma_writes_tensor(transfer->direction)) {
            open(&warp->reads, run->step.instruction);
            open(&warp->stores, run->step.instruction);
        }
        tma_core_issue_transfer(run, sm, warp, transfer, cycle + i * turn);
    }
}

/* The asynchronous proxy sees the warp's stores to shared memory: the fence waits for them, and
 * fences of an SM follow each other. */
static void fence_shared(struct tma_core_sm *sm, struct tma_core_warp *warp, uint64_t cycle) {
    uint64_t ticks = tma_millicycles_to_ticks(sm->run->machine->core.shared_fence_millicycles),
             end = tma_port_serve(&sm->shared_fences, cycle, ticks),
             alone = warp->stored_cycle + tma_ticks_to_cycle(ticks);
    hold(warp, end < alone ? alone : end, TMA_STALL_SHARED, TMA_CORE_NO_CAUSE);
}

/* A warp arrives at a barrier of its CTA; arrivals of an SM follow each other. The last one goes on
 * when the barrier ends, as those do that wait. Returns when the barrier ends if this arrival is
 * the last one, in cycles from now. */
static uint64_t meet_cta(struct tma_core_sm *sm, struct tma_core_warp *warp,
                         const struct tma_core_instruction *planned, uint64_t cycle) {
    const struct tma_machine *machine = sm->run->machine;
    uint64_t ticks = (uint64_t)machine->core.barrier_arrive_cycles * TMA_TICKS,
             end = tma_port_serve(&sm->barriers, cycle, ticks) + planned->latency;
    if (planned->meets && !sm->run->step.waits)
        hold(warp, end + machine->core.wake_cycles, TMA_STALL_BARRIER, TMA_CORE_NO_CAUSE);
    return end - cycle;
}

/* What an instruction does beyond its results. */
static void act(struct tma_core_sm *sm, struct tma_core_warp *warp,
                const struct tma_core_instruction *planned, uint32_t instruction, uint64_t cycle) {
    struct tma_core_run *run = sm->run;
    struct tma_ptx_step *step = &run->step;
    enum tma_core_stall reason = TMA_STALL_ORDER;
    uint32_t cause = instruction;
    uint64_t start = is_reordered(run, planned) && !planned->is_free
                         ? start_of(run, warp, planned, cycle, &reason, &cause)
                         : cycle;
    switch ((enum tma_core_kind)planned->kind) {
    case TMA_CORE_PLAIN:
        if (start == TMA_NEVER)
            be_late(run, warp, planned, instruction, cycle);
        else
            finish_plain(run, warp, planned, instruction, cycle, start, reason, cause);
        return;
    case TMA_CORE_ACCESS:
        if (planned->is_free)
            set_results(run, warp, planned, cycle, TMA_STALL_ORDER, instruction);
        else
            access_memory(sm, warp, planned, cycle, start);
        return;
    case TMA_CORE_PRODUCT:
        if (step->lanes != 0 && step->product != NULL)
            issue_product(sm, warp, step->product, cycle);
        return;
    case TMA_CORE_PRODUCT_COMMIT:
        warp->group_products[warp->product_groups++ % TMA_CORE_GROUPS] = warp->products;
        return;
    case TMA_CORE_BULK:
        if (planned->is_free)
            for (uint32_t i = 0; i < step->transfer_count; ++i)
                tma_core_complete_transfer(run, warp, &step->transfers[i], cycle);
        else
            issue_transfers(sm, warp, cycle);
        return;
    case TMA_CORE_BULK_COMMIT:
        commit(&warp->reads, cycle);
        commit(&warp->stores, cycle);
        return;
    case TMA_CORE_COPY:
        if (step->line_count != 0 && !planned->is_free) {
            open(&warp->copies, instruction);
            tma_core_access(run, sm, warp, TMA_EVENT_COPY, start);
            hold_back(sm, cycle);
        }
        return;
    case TMA_CORE_COPY_COMMIT:
        commit(&warp->copies, cycle);
        return;
    case TMA_CORE_BRANCH: {
        uint32_t next = tma_stepper_next(warp->warp);
        /* Time passes in loops, also where a warp polls at a line that is free. */
        if (planned->is_free)
            warp->ready += next <= instruction;
        else
            warp->ready += planned->latency;
        if (run->sampling != NULL)
            tma_core_sample_branch(run, warp, instruction, next, cycle);
        return;
    }
    case TMA_CORE_SHARED_FENCE:
        if (!planned->is_free)
            fence_shared(sm, warp, cycle);
        return;
    case TMA_CORE_FENCE:
        if (planned->renews && step->lanes != 0)
            tma_core_renew_map(run, warp, instruction);
        return;
    case TMA_CORE_SLEEP:
        warp->ready_reason = TMA_STALL_SLEEP;
        if (!planned->is_free)
            warp->ready += (uint64_t)step->sleep_ns * run->machine->sm_clock_mhz / 1000;
        return;
    default:
        set_results(run, warp, planned, cycle + planned->latency, reason_of(planned), instruction);
    }
}

/* Keeps the causes that cost most: one that is new takes the place of the least, and its cycles. */
static void count_cause(struct tma_core_wait *wait, uint32_t cause, uint64_t cycles) {
    uint32_t least = 0;
    for (uint32_t i = 0; i < TMA_CORE_CAUSES; ++i) {
        if (wait->causes[i].cycles > 0 && wait->causes[i].instruction == cause) {
            wait->causes[i].cycles += cycles;
            return;
        }
        if (wait->causes[i].cycles < wait->causes[least].cycles)
            least = i;
    }
    wait->causes[least].instruction = cause;
    wait->causes[least].cycles += cycles;
}

/* The pipe that the instruction waits for longest; TMA_PIPE_COUNT: none is busy until `cycle`. */
static uint32_t late_pipe(const struct tma_core_scheduler *scheduler,
                          const struct tma_core_instruction *planned, uint64_t cycle) {
    for (uint32_t i = 0; i < TMA_CORE_USES && planned->uses[i].busy != 0; ++i)
        if (scheduler->pipes[planned->uses[i].pipe] >= cycle)
            return planned->uses[i].pipe;
    return TMA_PIPE_COUNT;
}

static void count_stall(struct tma_core_run *run, const struct tma_core_scheduler *scheduler,
                        const struct tma_core_warp *warp, uint64_t cycle, uint64_t issues) {
    uint64_t *line = run->result->line_stalls[warp->next];
    struct tma_core_wait *wait = &run->result->waits[warp->next];
    uint64_t earliest = warp->earliest < warp->issued_cycle ? warp->issued_cycle : warp->earliest;
    if (earliest > cycle)
        earliest = cycle;
    line[warp->reason] += earliest - warp->issued_cycle;
    line[TMA_STALL_NONE] += issues;
    if (earliest > warp->issued_cycle && warp->cause < run->launch->module->instruction_count)
        count_cause(wait, warp->cause, earliest - warp->issued_cycle);
    if (cycle == earliest)
        return;
    uint32_t pipe = issues == 0 ? TMA_PIPE_COUNT
                                : late_pipe(scheduler, &run->plan.instructions[warp->next], cycle);
    line[pipe == TMA_PIPE_COUNT ? TMA_STALL_SCHEDULER : TMA_STALL_PIPE] += cycle - earliest;
    if (pipe != TMA_PIPE_COUNT)
        wait->pipes[pipe] += cycle - earliest;
}

/* The warp waits for an mbarrier: remembers which. */
static void count_barrier(struct tma_core_run *run, const struct tma_core_warp *warp,
                          uint32_t instruction) {
    enum { MBARRIER_BYTES = 8 };
    struct tma_core_wait *wait = &run->result->waits[instruction];
    uint32_t offset;
    if (!tma_core_barrier_of(run, warp, instruction, &offset))
        return;
    if (wait->barrier_end == 0 || offset < wait->first_barrier)
        wait->first_barrier = offset;
    if (offset + MBARRIER_BYTES > wait->barrier_end)
        wait->barrier_end = offset + MBARRIER_BYTES;
}

static enum tma_core_stall stall_of_wait(const struct tma_core_instruction *planned) {
    return planned->kind == TMA_CORE_MBARRIER_WAIT ? TMA_STALL_MBARRIER : TMA_STALL_BARRIER;
}

/* The cycle from which the pipe takes the next instruction. One that is relieved may be ready
 * inside a cycle: what is left of the cycle is not lost where instructions follow each other. */
static uint64_t use_pipe(const struct tma_core_run *run, struct tma_core_scheduler *scheduler,
                         uint8_t pipe, uint8_t busy, uint64_t cycle) {
    const struct tma_core_relief *relief = run->relief;
    if (relief == NULL || relief->pipe_percent == 0 || relief->pipe != (enum tma_pipe)pipe)
        return cycle + busy;
    if (scheduler->relieved_ticks < cycle * TMA_TICKS)
        scheduler->relieved_ticks = cycle * TMA_TICKS;
    scheduler->relieved_ticks += (uint64_t)busy * TMA_TICKS * 100 / relief->pipe_percent;
    return scheduler->relieved_ticks / TMA_TICKS;
}

static uint64_t add_millicycles(uint64_t millicycles, uint32_t *rest) {
    enum { CYCLE = 1000 };
    millicycles += *rest;
    *rest = (uint32_t)(millicycles % CYCLE);
    return millicycles / CYCLE;
}

/* Tensor cores read and write accumulators in the register file all the time. What else reads
 * registers there is slower beside them: of each warp, and of each scheduler. */
static void issue_beside_products(const struct tma_core_sm *sm,
                                  struct tma_core_scheduler *scheduler, struct tma_core_warp *warp,
                                  const struct tma_core_instruction *planned, uint64_t cycle) {
    const struct tma_machine *machine = sm->run->machine;
    if (planned->readers == 0 || sm->tensor.free_ticks <= cycle * TMA_TICKS)
        return;
    uint64_t others = cycle + planned->issues - planned->readers,
             free = others + add_millicycles((uint64_t)planned->readers *
                                                 machine->core.mma_issue_millicycles,
                                             &scheduler->free_millicycles),
             ready = others + add_millicycles((uint64_t)planned->readers *
                                                  machine->core.mma_warp_issue_millicycles,
                                              &warp->ready_millicycles);
    if (free > scheduler->free)
        scheduler->free = free;
    if (ready > warp->ready)
        warp->ready = ready;
}

/* When a fence beyond the CTA ends that begins now: such fences of an SM follow each other. */
static uint64_t fence_end(struct tma_core_sm *sm, const struct tma_core_instruction *planned,
                          uint64_t cycle) {
    uint64_t ticks = tma_millicycles_to_ticks(sm->run->machine->core.fence_interval_millicycles);
    return tma_later(cycle + planned->fence, tma_port_serve(&sm->fences, cycle, ticks));
}

/* A warp is at the cluster's barrier: first comes the fence of its arrival. If all are there, those
 * that come to the wait now wait as well. Returns when the barrier ends for those that wait, in
 * cycles from now. */
static uint64_t meet_cluster(struct tma_core_sm *sm, struct tma_core_warp *warp,
                             const struct tma_core_instruction *planned, uint64_t cycle) {
    struct tma_core_run *run = sm->run;
    const struct tma_machine *machine = run->machine;
    struct tma_core_cluster *cluster = warp->cluster;
    uint64_t delay = machine->core.cluster_barrier_cycles;
    if (planned->fence != 0 && !run->step.waits) {
        warp->ready = fence_end(sm, planned, cycle);
        warp->ready_reason = TMA_STALL_GLOBAL;
        delay += warp->ready - cycle;
    }
    if (run->step.signalled == 0)
        return delay;
    cluster->barrier_cycle = cycle + delay + machine->core.wake_cycles;
    for (uint32_t i = 0; i < run->cluster_ctas * run->cta_warps; ++i)
        look_again(cluster->sms[i / run->cta_warps], &cluster->warps[i]);
    return delay;
}

/* The fence that an instruction is, or has before it, takes its time first. That of a barrier, at
 * which the lanes of a warp may have to meet first, is part of its arrival (meet_cluster). */
static bool issue_fence(struct tma_core_sm *sm, struct tma_core_scheduler *scheduler,
                        struct tma_core_warp *warp, uint64_t cycle) {
    const struct tma_core_instruction *planned = &sm->run->plan.instructions[warp->next];
    warp->fenced = planned->fence != 0 && planned->kind != TMA_CORE_CLUSTER && !planned->is_free &&
                   !warp->fenced;
    if (!warp->fenced)
        return false;
    count_stall(sm->run, scheduler, warp, cycle, 0);
    sm->best_cycles[scheduler - sm->schedulers] = 0;
    warp->issued_cycle = cycle;
    warp->ready = fence_end(sm, planned, cycle);
    warp->ready_reason = TMA_STALL_GLOBAL;
    warp->ready_cause = TMA_CORE_NO_CAUSE;
    warp->known = false;
    return true;
}

/* While a warp waits at a barrier, it goes on with instructions behind it that only work on
 * registers (BAR.SYNC.DEFER_BLOCKING), as other warps of its scheduler do. Whether there was time
 * for this one; *start: when. */
static bool was_issued_behind_barrier(const struct tma_core_run *run, struct tma_core_warp *warp,
                                      const struct tma_core_instruction *planned, uint64_t cycle,
                                      uint64_t *start) {
    uint64_t each = (run->cta_warps + TMA_SCHEDULERS - 1) / TMA_SCHEDULERS;
    if (planned->kind == TMA_CORE_PLAIN && warp->behind_cycle + planned->issues * each <= cycle) {
        *start = warp->behind_cycle;
        warp->behind_cycle += planned->issues * each;
        return true;
    }
    if (planned->kind != TMA_CORE_BARRIER || !planned->meets)
        warp->behind_cycle = TMA_NEVER / 2;
    else if (!warp->resumed)
        warp->behind_cycle = cycle + planned->issues;
    return false;
}

static void issue(struct tma_core_sm *sm, struct tma_core_scheduler *scheduler,
                  struct tma_core_warp *warp, uint64_t cycle) {
    struct tma_core_run *run = sm->run;
    struct tma_ptx_step *step = &run->step;
    uint32_t instruction = warp->next;
    if (issue_fence(sm, scheduler, warp, cycle))
        return;
    const struct tma_core_instruction *planned = &run->plan.instructions[instruction];
    bool resumed = warp->resumed;
    uint64_t start = cycle;
    bool issued = was_issued_behind_barrier(run, warp, planned, cycle, &start);
    uint64_t issues = resumed || issued ? 0 : planned->issues;
    if (issued)
        sm->issue_slots += planned->issues;
    if (planned->is_free && planned->kind == TMA_CORE_MBARRIER_WAIT)
        tma_core_relieve_barrier(run, warp, instruction);
    tma_stepper_step(run->stepper, warp->warp, cycle, step);
    if (planned->kind == TMA_CORE_BULK && step->transfer_count == 0 && issues > 1)
        issues = 1;
    count_stall(run, scheduler, warp, cycle, issues);
    add_wait(sm, warp, cycle);
    if (issues != 0) {
        scheduler->free = cycle + issues;
        for (uint32_t i = 0; i < TMA_CORE_USES && planned->uses[i].busy != 0; ++i)
            scheduler->pipes[planned->uses[i].pipe] =
                use_pipe(run, scheduler, planned->uses[i].pipe, planned->uses[i].busy, cycle);
        sm->issue_slots += issues;
    }
    sm->best_cycles[scheduler - sm->schedulers] = 0;
    warp->ready = warp->issued_cycle = cycle + issues;
    if (!resumed && planned->turn > issues)
        warp->ready = cycle + planned->turn * (step->transfer_count > 1 ? step->transfer_count : 1);
    if (issues != 0)
        issue_beside_products(sm, scheduler, warp, planned, cycle);
    warp->ready_reason = TMA_STALL_FETCH;
    warp->ready_cause = TMA_CORE_NO_CAUSE;
    warp->known = warp->resumed = false;
    warp->next = UINT32_MAX;
    if (step->failed) {
        run->failed = true;
        return;
    }
    if (step->waits) {
        warp->state = TMA_CORE_PARKED;
        warp->resumed = true;
        warp->reason = (uint8_t)stall_of_wait(planned);
        if (warp->reason == TMA_STALL_MBARRIER)
            count_barrier(run, warp, instruction);
    } else {
        act(sm, warp, planned, instruction, start);
        if (resumed && planned->kind == TMA_CORE_MBARRIER_WAIT) /* it wakes up with its result */
            set_results(run, warp, planned, cycle, TMA_STALL_MBARRIER, instruction);
        if (step->polls) {
            warp->ready_reason = TMA_STALL_SLEEP;
            warp->ready += run->machine->core.shuffle_latency_cycles;
        }
    }
    for (uint32_t i = 0; i < step->deferred_count; ++i)
        defer(sm, warp, &step->deferred[i], cycle);
    const bool cluster = planned->kind == TMA_CORE_CLUSTER;
    uint64_t met = planned->is_free ? 0
                   : cluster        ? meet_cluster(sm, warp, planned, cycle)
                   : planned->kind == TMA_CORE_BARRIER && !resumed
                       ? meet_cta(sm, warp, planned, cycle)
                       : planned->latency;
    for (uint32_t left = step->signalled; left != 0; left &= left - 1) {
        uint32_t rank = (uint32_t)__builtin_ctz(left);
        uint64_t delay = planned->is_free || cluster ? met
                         : rank != warp->rank        ? run->machine->core.remote_arrive_cycles
                         : planned->kind == TMA_CORE_MBARRIER ? run->machine->core.arrive_cycles
                                                              : met;
        tma_core_signal(run, warp->cluster, rank, cycle + delay, instruction);
    }
    if (!step->polls)
        run->progress_cycle = cycle;
    if (step->ended) {
        warp->state = TMA_CORE_ENDED;
        --warp->cluster->running;
        if (cycle > run->last_cycle)
            run->last_cycle = cycle;
        if (cycle > warp->cluster->free_cycle)
            warp->cluster->free_cycle = cycle;
    }
}

/* Chooses the warp that a scheduler issues next. Returns the cycle; TMA_NEVER: none. */
static uint64_t choose(struct tma_core_run *run, struct tma_core_scheduler *scheduler) {
    uint64_t best_cycle = TMA_NEVER;
    scheduler->best = NULL;
    uint32_t at = scheduler->last;
    for (uint32_t i = 0; i < scheduler->count; ++i) {
        at = at + 1 < scheduler->count ? at + 1 : 0;
        struct tma_core_warp *warp = scheduler->warps[at];
        if (warp->state != TMA_CORE_RUNS)
            continue;
        if (!warp->known) {
            find_earliest(run, warp);
            if (warp->state != TMA_CORE_RUNS)
                continue;
        }
        uint64_t cycle = warp->earliest;
        const struct tma_core_instruction *planned = &run->plan.instructions[warp->next];
        if (planned->issues != 0 && !warp->resumed) {
            if (scheduler->free > cycle)
                cycle = scheduler->free;
            for (uint32_t u = 0; u < TMA_CORE_USES && planned->uses[u].busy != 0; ++u)
                if (scheduler->pipes[planned->uses[u].pipe] > cycle)
                    cycle = scheduler->pipes[planned->uses[u].pipe];
        }
        if (cycle < best_cycle) {
            scheduler->best = warp;
            best_cycle = cycle;
        }
    }
    return best_cycle;
}

/* The registers that the next instructions of a warp use. */
static void prefetch_registers(const struct tma_core_run *run, const struct tma_core_warp *warp) {
    const uint16_t *groups = run->plan.soon[warp->next].groups;
    for (uint32_t i = 0; i < TMA_CORE_SOON_GROUPS && groups[i] != TMA_CORE_NO_GROUP; ++i) {
        uint32_t first = (uint32_t)groups[i] * TMA_CORE_GROUP_REGISTERS;
        __builtin_prefetch(&warp->registers[first], 1);
        tma_stepper_prefetch_registers(warp->warp, first);
    }
}

void tma_core_sm_prefetch(const struct tma_core_sm *sm, uint32_t ahead, uint64_t until) {
    for (uint32_t s = 0; s < TMA_SCHEDULERS; ++s)
        for (uint32_t i = 0; i < sm->schedulers[s].count; ++i) {
            const struct tma_core_warp *warp = sm->schedulers[s].warps[i];
            if (ahead == TMA_CORE_PREFETCHES) {
                __builtin_prefetch(warp, 1);
                __builtin_prefetch((const char *)warp + TMA_HOST_LINE_BYTES, 1);
            } else if (warp->state == TMA_CORE_RUNS && (!warp->known || warp->earliest < until)) {
                if (ahead > 1)
                    tma_stepper_prefetch(warp->warp);
                else if (warp->next != UINT32_MAX)
                    prefetch_registers(sm->run, warp);
            }
        }
}

void tma_core_sm_step(struct tma_core_sm *sm, uint64_t until) {
    struct tma_core_run *run = sm->run;
    for (;;) {
        uint64_t event = sm->event_count > 0 ? sm->events[0].cycle : TMA_NEVER, first = TMA_NEVER;
        struct tma_core_scheduler *scheduler = NULL;
        for (uint32_t i = 0; i < TMA_SCHEDULERS; ++i) {
            if (sm->best_cycles[i] == 0)
                sm->best_cycles[i] = choose(run, &sm->schedulers[i]);
            if (sm->best_cycles[i] < first) {
                first = sm->best_cycles[i];
                scheduler = &sm->schedulers[i];
            }
        }
        sm->next_cycle = event <= first ? event : first;
        if (sm->next_cycle >= until || run->failed || run->out_of_memory)
            return;
        if (event <= first) {
            struct tma_core_event next = tma_core_pop_event(sm);
            happen(sm, &next);
        } else {
            struct tma_core_warp *warp = scheduler->best;
            while (scheduler->warps[scheduler->last] != warp)
                scheduler->last = scheduler->last + 1 < scheduler->count ? scheduler->last + 1 : 0;
            issue(sm, scheduler, warp, first);
        }
    }
}

/* ---- CTAs ---- */

void tma_core_sm_add(struct tma_core_sm *sm, struct tma_core_warp *warps, uint32_t count,
                     uint64_t cycle) {
    for (uint32_t i = 0; i < count; ++i) {
        uint32_t number = warps[i].index % TMA_SCHEDULERS;
        struct tma_core_scheduler *scheduler = &sm->schedulers[number];
        warps[i].ready = warps[i].issued_cycle = cycle;
        warps[i].behind_cycle = TMA_NEVER / 2;
        scheduler->warps[scheduler->count++] = &warps[i];
        sm->best_cycles[number] = 0;
    }
    if (cycle < sm->next_cycle)
        sm->next_cycle = cycle;
}

void tma_core_sm_remove(struct tma_core_sm *sm, struct tma_core_warp *warps, uint32_t count) {
    for (uint32_t s = 0; s < TMA_SCHEDULERS; ++s) {
        struct tma_core_scheduler *scheduler = &sm->schedulers[s];
        uint32_t kept = 0;
        for (uint32_t i = 0; i < scheduler->count; ++i)
            if (scheduler->warps[i] < warps || scheduler->warps[i] >= warps + count)
                scheduler->warps[kept++] = scheduler->warps[i];
        scheduler->count = kept;
        scheduler->last = 0;
        sm->best_cycles[s] = 0;
    }
}

void tma_core_sm_free(struct tma_core_sm *sm) {
    for (uint32_t i = 0; i < TMA_SCHEDULERS; ++i)
        tma_release(sm->schedulers[i].warps);
    tma_release(sm->events);
}
