/* What warps ask of the memory system, and what comes back. */
#include <string.h>

#include "base/array.h"
#include "core/core_sm.h"
#include "memory/core/address_map.h"
#include "memory/core/port.h"
#include "tensormap/l2_policy.h"

static uint32_t take_pending(struct tma_core_run *run) {
    if (run->free_pending != UINT32_MAX) {
        uint32_t tag = run->free_pending;
        run->free_pending = run->pending[tag].next_free;
        return tag;
    }
    if (!TMA_GROW(run->pending, run->pending_count, run->pending_capacity)) {
        run->out_of_memory = true;
        return UINT32_MAX;
    }
    return run->pending_count++;
}

static void free_pending(struct tma_core_run *run, uint32_t tag) {
    run->pending[tag].next_free = run->free_pending;
    run->free_pending = tag;
}

/* Puts an operation into the queue of those on their way to TMA units, which is in order of time:
 * SMs are stepped one after the other. */
static void queue_issue(struct tma_core_run *run, const struct tma_core_issue *issue) {
    if (!TMA_GROW(run->issues, run->issue_count, run->issue_capacity)) {
        run->out_of_memory = true;
        return;
    }
    size_t at = run->issue_count++;
    for (; at > 0 && run->issues[at - 1].cycle > issue->cycle; --at)
        run->issues[at] = run->issues[at - 1];
    run->issues[at] = *issue;
}

/* What an operand of an instruction is in a lane: an address, a register or a constant. False: it
 * is neither, or the instruction is in a function that the kernel calls, whose registers are
 * others. */
static bool read_operand(const struct tma_core_run *run, const struct tma_core_warp *warp,
                         uint32_t instruction, uint32_t at, uint32_t lane, uint64_t *value) {
    enum { LANES = 32 };
    const struct tma_ptx_module *module = run->launch->module;
    const struct tma_ptx_function *function = &module->functions[run->launch->function];
    const struct tma_ptx_operand *operand =
        &module->operands[module->instructions[instruction].operands + at];
    bool address = operand->kind == TMA_PTX_ADDRESS && operand->base == TMA_PTX_REGISTER;
    uint64_t lanes[LANES];
    uint32_t opaque;
    if (operand->kind == TMA_PTX_IMMEDIATE) {
        *value = operand->bits;
        return true;
    }
    if (instruction - function->first_instruction >= function->instruction_count ||
        !(address || operand->kind == TMA_PTX_REGISTER))
        return false;
    tma_stepper_read(run->stepper, warp->warp, function->first_register + operand->number, lanes,
                     &opaque);
    *value = lanes[lane] + (address ? (uint64_t)operand->offset : 0);
    return true;
}

/* The policy of L2 that an instruction with a hint has in a lane: its last operand, but for masks
 * of bytes. 0: none, or not known. */
static uint32_t policy_of(const struct tma_core_run *run, const struct tma_core_warp *warp,
                          uint32_t instruction, uint32_t lane) {
    const struct tma_ptx_instruction *own = &run->launch->module->instructions[instruction];
    uint64_t policy;
    if (!tma_ptx_has(own, TMA_PTX_DOT_L2_CACHE_HINT))
        return 0;
    uint32_t behind = tma_ptx_has(own, TMA_PTX_DOT_CP_MASK) ? 2 : 1;
    return own->operand_count >= behind &&
                   read_operand(run, warp, instruction, own->operand_count - behind, lane, &policy)
               ? (uint32_t)(policy >> TMA_L2_POLICY_SHIFT)
               : 0;
}

/* A multicast completes in each CTA that has a copy; others say in which they do. */
static bool is_multicast(uint32_t cta_mask) {
    return (cta_mask & (cta_mask - 1)) != 0;
}

/* From the shared memory of a CTA to that of another one, where it completes on an mbarrier. */
static bool is_between_ctas(const struct tma_ptx_transfer *transfer) {
    return !transfer->has_map && transfer->global_address == 0 && transfer->direction == TMA_LOAD;
}

void tma_core_complete_transfer(struct tma_core_run *run, struct tma_core_warp *warp,
                                const struct tma_ptx_transfer *transfer, uint64_t cycle) {
    struct tma_core_event event = {.cycle = cycle,
                                   .kind = TMA_EVENT_BYTES,
                                   .cluster = warp->cluster,
                                   .cluster_generation = warp->cluster->generation,
                                   .barrier = transfer->barrier,
                                   .bytes = transfer->completed_bytes,
                                   .instruction = run->step.instruction,
                                   .begin_cycle = cycle};
    if (tma_writes_tensor(transfer->direction) || transfer->barrier == UINT32_MAX)
        return;
    for (uint32_t left = transfer->cta_mask; left != 0; left &= left - 1) {
        event.rank = is_multicast(transfer->cta_mask) ? (uint32_t)__builtin_ctz(left)
                                                      : transfer->barrier_rank;
        tma_core_add_event(warp->cluster->sms[event.rank], &event);
    }
    if (run->relief != NULL)
        run->relief->barrier_bytes += transfer->completed_bytes;
}

static bool is_relieved(const struct tma_core_run *run, uint32_t barrier) {
    for (uint32_t i = 0; run->relief != NULL && i < run->relief->barrier_count; ++i)
        if (run->relief->barriers[i] == barrier)
            return true;
    return false;
}

bool tma_core_barrier_of(struct tma_core_run *run, const struct tma_core_warp *warp,
                         uint32_t instruction, uint32_t *offset) {
    const struct tma_ptx_instruction *wait = &run->launch->module->instructions[instruction];
    uint64_t address;
    if (!read_operand(run, warp, instruction, wait->target_count, 0, &address))
        return false;
    *offset = tma_stepper_shared_offset(address);
    return true;
}

void tma_core_relieve_barrier(struct tma_core_run *run, const struct tma_core_warp *warp,
                              uint32_t instruction) {
    struct tma_core_relief *relief = run->relief;
    uint32_t offset;
    if (relief->barrier_count < TMA_CORE_RELIEVED_BARRIERS &&
        tma_core_barrier_of(run, warp, instruction, &offset) && !is_relieved(run, offset))
        relief->barriers[relief->barrier_count++] = offset;
}

void tma_core_issue_transfer(struct tma_core_run *run, struct tma_core_sm *sm,
                             struct tma_core_warp *warp, const struct tma_ptx_transfer *transfer,
                             uint64_t cycle) {
    uint32_t tag = take_pending(run);
    if (tag == UINT32_MAX)
        return;
    run->pending[tag] = (struct tma_core_pending){
        .event = {.kind =
                      tma_writes_tensor(transfer->direction) ? TMA_EVENT_STORE : TMA_EVENT_BYTES,
                  .warp = warp,
                  .generation = warp->generation,
                  .cluster = warp->cluster,
                  .cluster_generation = warp->cluster->generation,
                  .rank = transfer->barrier_rank,
                  .barrier = transfer->barrier,
                  .bytes = transfer->completed_bytes,
                  .instruction = run->step.instruction,
                  .begin_cycle = cycle,
                  .group = warp->reads.committed},
        .cta_mask = transfer->cta_mask,
        .left =
            transfer->direction == TMA_LOAD ? (uint32_t)__builtin_popcount(transfer->cta_mask) : 1};
    struct tma_core_issue issue = {.cycle = cycle,
                                   .policy = policy_of(run, warp, run->step.instruction,
                                                       (uint32_t)__builtin_ctz(run->step.lanes)),
                                   .warp = warp,
                                   .cluster = warp->cluster,
                                   .sm = sm->number,
                                   .tag = tag,
                                   .transfer = *transfer};
    if (is_between_ctas(transfer))
        run->pending[tag].cta_mask = 1u << transfer->barrier_rank;
    if (is_relieved(run, transfer->barrier)) {
        run->pending[tag].event.barrier = UINT32_MAX;
        tma_core_complete_transfer(run, warp, transfer, cycle);
    }
    queue_issue(run, &issue);
}

void tma_core_access(struct tma_core_run *run, struct tma_core_sm *sm, struct tma_core_warp *warp,
                     enum tma_core_event_kind kind, uint64_t cycle) {
    const struct tma_ptx_step *step = &run->step;
    const struct tma_core_instruction *planned = &run->plan.instructions[step->instruction];
    uint32_t tag = take_pending(run);
    if (tag == UINT32_MAX)
        return;
    run->pending[tag] = (struct tma_core_pending){.event = {.kind = kind,
                                                            .warp = warp,
                                                            .generation = warp->generation,
                                                            .cluster = warp->cluster,
                                                            .rank = warp->rank,
                                                            .instruction = step->instruction,
                                                            .group = warp->copies.committed}};
    if (cycle > sm->access_cycle)
        sm->access_cycle = cycle;
    if (sm->access_cycle < tma_memory_now(run->memory))
        sm->access_cycle = tma_memory_now(run->memory);
    struct tma_access access = {
        .cycle = sm->access_cycle,
        .tag = tag,
        .sm = sm->number,
        .kind = (enum tma_access_kind)planned->access,
        .distant = step->distant,
        .peer = step->distant ? warp->cluster->sms[step->peer]->number : 0,
        .caching = (enum tma_caching)planned->caching,
        .policy = policy_of(run, warp, step->instruction, (uint32_t)__builtin_ctz(step->lanes)),
        .wavefronts = step->distant            ? step->shared_wavefronts
                      : kind == TMA_EVENT_COPY ? 0
                                               : step->line_count,
        .line_count = step->line_count};
    bool combines = run->relief != NULL && run->relief->combines;
    for (uint32_t i = 0; i < step->line_count; ++i) {
        const uint64_t *used = step->lines[i].used;
        access.bytes += (uint32_t)(__builtin_popcountll(used[0]) + __builtin_popcountll(used[1]));
        access.lines[i] = (struct tma_access_line){
            .line = step->lines[i].line,
            .sectors = step->lines[i].sectors,
            .units = step->lines[i].units,
            .partial =
                step->lines[i].bytes < 32u * (uint32_t)__builtin_popcount(step->lines[i].sectors),
            .rounds = combines ? 1 : step->lines[i].rounds};
    }
    if (!tma_memory_access(run->memory, &access))
        run->out_of_memory = true;
}

/* Gives a tensor map the next number among those of the kernel, from 1; 0: there are too many. */
static uint32_t number_map(struct tma_core_run *run, uint64_t address) {
    if (!TMA_GROW(run->map_addresses, run->map_count, run->map_capacity)) {
        run->out_of_memory = true;
        return 0;
    }
    run->map_addresses[run->map_count++] = address;
    return run->map_count <= TMA_MAX_DESCRIPTORS ? (uint32_t)run->map_count : 0;
}

static uint32_t descriptor_of(struct tma_core_run *run, uint64_t address) {
    for (size_t i = run->map_count; i-- > 0;)
        if (run->map_addresses[i] == address)
            return (uint32_t)i + 1;
    return number_map(run, address);
}

/* Caches know maps by their numbers: it gets a new one. What was written is in L2. */
void tma_core_renew_map(struct tma_core_run *run, const struct tma_core_warp *warp,
                        uint32_t instruction) {
    enum { NO_MAP = 0 };
    uint64_t address;
    if (!read_operand(run, warp, instruction, 0, (uint32_t)__builtin_ctz(run->step.lanes),
                      &address))
        return;
    for (size_t i = 0; i < run->map_count; ++i)
        if (run->map_addresses[i] == address)
            run->map_addresses[i] = NO_MAP;
    uint32_t number = number_map(run, address);
    if (number != 0)
        tma_memory_leave_descriptor_in_l2(run->memory, number);
}

/* Where a transfer's tile begins in the shared memory of the SM; a copy without a map: 0. */
static uint32_t shared_address_of(const struct tma_core_issue *issue) {
    const struct tma_ptx_transfer *transfer = &issue->transfer;
    uint32_t base = issue->cluster->bases[issue->warp->rank];
    return transfer->has_map ? base + (transfer->operation.shared_address - TMA_SHARED_BASE) : 0;
}

static void hand_over(struct tma_core_run *run, struct tma_core_issue *issue) {
    struct tma_ptx_transfer *transfer = &issue->transfer;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_error error;
    bool between = is_between_ctas(transfer);
    if (!transfer->has_map) {
        transfer->map = tma_map_of_bytes(transfer->global_address, transfer->bytes);
        transfer->operation = (struct tma_operation){
            .direction =
                transfer->direction == TMA_REDUCE || between ? TMA_STORE : transfer->direction,
            .access = TMA_ACCESS_TILE};
    }
    if (tma_rows_begin(&rows, &transfer->map, &transfer->operation, &size, &error) != TMA_OK) {
        run->failed = true; /* execution has found it legal before */
        return;
    }
    uint32_t copies[TMA_PTX_MAX_CLUSTER_CTAS], copy_count = 0, own = issue->warp->rank;
    uint32_t mask = transfer->direction == TMA_LOAD && !between ? transfer->cta_mask : 0;
    for (uint32_t left = mask & ~(1u << own); left != 0; left &= left - 1)
        copies[copy_count++] = issue->cluster->sms[__builtin_ctz(left)]->number;
    if (mask != 0 && !(mask >> own & 1))
        ++run->pending[issue->tag].left;
    struct tma_issue operation = {
        .cycle = issue->cycle,
        .tag = issue->tag,
        .sm = issue->sm,
        .direction = between ? TMA_STORE : transfer->direction,
        .warp = issue->warp->index,
        .map = &transfer->map,
        .descriptor = transfer->has_map ? descriptor_of(run, transfer->map_address) : 0,
        .rows = &rows,
        .size = &size,
        .copies = copies,
        .copy_count = copy_count,
        .policy = issue->policy,
        .shared_address = shared_address_of(issue),
        .distant = between,
        .peer = between ? issue->cluster->sms[transfer->barrier_rank]->number : 0};
    if (!tma_memory_issue(run->memory, &operation))
        run->out_of_memory = true;
}

/* The SM of a cluster's CTA. */
static uint32_t rank_of(const struct tma_core_cluster *cluster, uint32_t ctas, uint32_t sm) {
    for (uint32_t rank = 0; rank < ctas; ++rank)
        if (cluster->sms[rank]->number == sm)
            return rank;
    return 0;
}

static void take_completions(struct tma_core_run *run) {
    struct tma_completion completion;
    while (tma_memory_take(run->memory, &completion)) {
        struct tma_core_pending *pending = &run->pending[completion.tag];
        struct tma_core_event event = pending->event;
        event.cycle = completion.cycle;
        uint32_t rank = rank_of(event.cluster, run->cluster_ctas, completion.sm);
        if (event.kind == TMA_EVENT_STORE) {
            tma_core_add_event(event.cluster->sms[rank], &event);
            event.kind = TMA_EVENT_WRITTEN;
            event.cycle += tma_machine_write_cycles(run->machine);
            tma_core_add_event(event.cluster->sms[rank], &event);
            run->memory_cycle = tma_later(run->memory_cycle, event.cycle);
        } else if (event.barrier != UINT32_MAX) {
            if (is_multicast(pending->cta_mask))
                event.rank = rank;
            if (pending->cta_mask >> rank & 1)
                tma_core_add_event(event.cluster->sms[event.rank], &event);
        }
        if (--pending->left == 0)
            free_pending(run, (uint32_t)completion.tag);
    }
}

static void take_accesses(struct tma_core_run *run) {
    struct tma_access_completion completion;
    while (tma_memory_take_access(run->memory, &completion)) {
        struct tma_core_event event = run->pending[completion.tag].event;
        event.cycle = completion.cycle;
        tma_core_add_event(event.cluster->sms[event.rank], &event);
        run->memory_cycle = tma_later(run->memory_cycle, event.cycle);
        free_pending(run, (uint32_t)completion.tag);
    }
}

bool tma_core_drain(struct tma_core_run *run) {
    if (!tma_memory_drain(run->memory))
        return false;
    take_completions(run);
    take_accesses(run);
    run->last_cycle = tma_later(run->last_cycle, run->memory_cycle);
    return true;
}

void tma_core_advance(struct tma_core_run *run, uint64_t cycle) {
    uint32_t way = run->machine->tma.issue_cycles;
    size_t done = 0;
    while (done < run->issue_count && run->issues[done].cycle + way < cycle) {
        struct tma_core_issue *issue = &run->issues[done++];
        if (!tma_memory_advance(run->memory, issue->cycle + way))
            run->out_of_memory = true;
        hand_over(run, issue);
    }
    if (done > 0) {
        run->issue_count -= done;
        memmove(run->issues, run->issues + done, run->issue_count * sizeof *run->issues);
    }
    if (!tma_memory_advance(run->memory, cycle))
        run->out_of_memory = true;
    take_completions(run);
    take_accesses(run);
}
