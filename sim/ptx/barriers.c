/* mbarriers (PTX ISA 9.7.13.15), barrier.cta and barrier.cluster (9.7.13.1 to 9.7.13.4).
 *
 * The state of an mbarrier is its 8 bytes of shared memory:
 *   bits 0 to 19  arrivals that a phase needs
 *   20 to 39      arrivals that the current phase still needs
 *   40 to 61      bytes that are expected and have not come (two's complement)
 *   63            the parity of the current phase */
#include <stdio.h>

#include "ptx/check_calls.h"
#include "ptx/execution_state.h"

enum { COUNT_BITS = 20, TRANSACTION_BITS = 22 };
#define COUNT_MASK UINT64_C(0xfffff)

static uint64_t needed(uint64_t state) {
    return state & COUNT_MASK;
}

static uint64_t pending(uint64_t state) {
    return state >> COUNT_BITS & COUNT_MASK;
}

static int64_t transactions_of(uint64_t state) {
    return (int64_t)(state << (64 - 2 * COUNT_BITS - TRANSACTION_BITS)) >> (64 - TRANSACTION_BITS);
}

static uint64_t parity_of(uint64_t state) {
    return state >> 63;
}

static uint64_t pack(uint64_t need, uint64_t left, int64_t transactions, uint64_t parity) {
    uint64_t mask = (UINT64_C(1) << TRANSACTION_BITS) - 1;
    return need | left << COUNT_BITS | ((uint64_t)transactions & mask) << 2 * COUNT_BITS |
           parity << 63;
}

/* "mbarrier 0x410 (full + 0x10)", and whose it is where that is another CTA. */
struct barrier_name {
    char text[TMA_PTX_SHARED_NAME_BYTES + 32];
};

static struct barrier_name name_of(const struct tma_warp *warp, uint32_t rank, uint64_t offset) {
    const struct tma_ptx_launch *launch = warp->launch->launch;
    char place[TMA_PTX_SHARED_NAME_BYTES], whose[16] = "";
    struct barrier_name name;
    tma_ptx_shared_name(launch->module, launch->function, (uint32_t)offset, place);
    if (rank != warp->cta->rank)
        snprintf(whose, sizeof whose, " of CTA %u", rank);
    snprintf(name.text, sizeof name.text, "mbarrier %s%s", place, whose);
    return name;
}

/* The CTA and the place of an mbarrier. `fresh`: it need not be one yet. */
static struct tma_ptx_cta *find(struct tma_warp *warp, const struct tma_op *op, uint64_t address,
                                bool generic, uint32_t lane, bool fresh, uint64_t *offset) {
    struct tma_region *region = tma_locate(warp, op, generic ? TMA_PTX_GENERIC : TMA_PTX_SHARED,
                                           address, 8, 8, lane, offset);
    if (region == NULL)
        return NULL;
    struct tma_ptx_cluster *cluster = warp->cta->cluster;
    for (uint32_t rank = 0; rank < cluster->cta_count; ++rank) {
        struct tma_ptx_cta *cta = &cluster->ctas[rank];
        if (region != &cta->shared)
            continue;
        if (!fresh && !(cta->mbarriers[*offset >> 6] >> (*offset >> 3 & 7) & 1)) {
            tma_stop(
                warp, op, TMA_PTX_FAULT,
                "lane %u uses 0x%llx as an mbarrier, which mbarrier.init has not initialised, or "
                "mbarrier.inval has ended",
                lane, (unsigned long long)address);
            return NULL;
        }
        return cta;
    }
    tma_stop(warp, op, TMA_PTX_FAULT,
             "lane %u has an mbarrier at 0x%llx, in %s: it must lie in shared "
             "memory",
             lane, (unsigned long long)address, region->name);
    return NULL;
}

static uint64_t load(const struct tma_ptx_cta *cta, uint64_t offset) {
    uint64_t state;
    memcpy(&state, cta->shared.bytes + offset, 8);
    return state;
}

static void store(struct tma_ptx_cta *cta, uint64_t offset, uint64_t state) {
    memcpy(cta->shared.bytes + offset, &state, 8);
    tma_region_mark(&cta->shared, offset, 8, false, 0);
}

/* Stores an mbarrier, whose next phase begins where nothing is left of this one. */
static void settle(struct tma_warp *warp, struct tma_ptx_cta *cta, uint64_t offset, uint64_t need,
                   uint64_t left, int64_t bytes, uint64_t parity) {
    if (left == 0 && bytes == 0) {
        left = need;
        parity ^= 1;
        if (tma_watched(warp))
            tma_watch_phase(warp, cta->rank, offset);
    }
    store(cta, offset, pack(need, left, bytes, parity));
}

bool tma_mbarrier_change(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                         uint64_t address, bool generic, uint32_t arrivals, int64_t transactions,
                         bool drop, uint64_t *state) {
    uint64_t offset;
    struct tma_ptx_cta *cta = find(warp, op, address, generic, lane, false, &offset);
    if (cta == NULL)
        return false;
    uint64_t old = load(cta, offset);
    if (state != NULL)
        *state = old;
    uint64_t need = needed(old), left = pending(old);
    int64_t bytes = transactions_of(old) + transactions;
    if (arrivals > left) {
        tma_stop(warp, op, TMA_PTX_FAULT,
                 "lane %u arrives %u times at %s, of which the current phase needs %llu more "
                 "arrivals, of "
                 "%llu",
                 lane, arrivals, name_of(warp, cta->rank, offset).text, (unsigned long long)left,
                 (unsigned long long)need);
        return false;
    }
    if (bytes > (1 << COUNT_BITS) - 1 || bytes < -((1 << COUNT_BITS) - 1)) {
        tma_stop(warp, op, TMA_PTX_FAULT, "%s would wait for %lld bytes: it counts up to 1048575",
                 name_of(warp, cta->rank, offset).text, (long long)bytes);
        return false;
    }
    if (drop)
        need -= need != 0;
    if (arrivals > 0 && tma_watched(warp))
        tma_watch_barrier_arrive(warp, op, lane, cta->rank, offset);
    settle(warp, cta, offset, need, left - arrivals, bytes, parity_of(old));
    ++warp->launch->changes;
    if (warp->launch->step != NULL)
        warp->launch->step->signalled |= UINT32_C(1) << cta->rank;
    return true;
}

void tma_mbarrier_complete(struct tma_ptx_cta *cta, uint32_t offset, uint32_t arrivals,
                           uint32_t transactions) {
    uint64_t old = load(cta, offset), left = pending(old);
    settle(&cta->warps[0], cta, offset, needed(old), arrivals < left ? left - arrivals : 0,
           transactions_of(old) - (int64_t)transactions, parity_of(old));
}

bool tma_mbarrier_receive(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes, struct tma_ptx_transfer *transfer) {
    uint64_t offset;
    if (transfer == NULL)
        return tma_mbarrier_change(warp, op, lane, address, false, 0, -(int64_t)bytes, false, NULL);
    struct tma_ptx_cta *cta = find(warp, op, address, false, lane, false, &offset);
    if (cta == NULL)
        return false;
    transfer->barrier = (uint32_t)offset;
    transfer->barrier_rank = cta->rank;
    transfer->completed_bytes = bytes;
    return true;
}

static bool generic(const struct tma_op *op) {
    return op->space == TMA_PTX_GENERIC;
}

enum tma_step tma_run_mbarrier_init(struct tma_warp *warp, const struct tma_op *op,
                                    uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of an mbarrier") ||
        !tma_known(warp, op, &op->b, lanes, "the count of an mbarrier"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t offset, address = tma_address(warp, &op->a, op->offset, i);
        uint64_t count = tma_lane_value(warp, &op->b, i);
        struct tma_ptx_cta *cta = find(warp, op, address, generic(op), i, true, &offset);
        if (cta == NULL)
            return TMA_STEP_FAILED;
        if (count == 0 || count > COUNT_MASK)
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u gives an mbarrier %llu arrivals; 1 to 1048575 are allowed", i,
                            (unsigned long long)count);
        cta->mbarriers[offset >> 6] |= (uint8_t)(1u << (offset >> 3 & 7));
        store(cta, offset, pack(count, count, 0, 0));
        if (tma_watched(warp))
            tma_watch_barrier_init(warp, op, i, cta->rank, offset);
        ++warp->launch->changes;
    }
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_mbarrier_inval(struct tma_warp *warp, const struct tma_op *op,
                                     uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of an mbarrier"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t offset, address = tma_address(warp, &op->a, op->offset, i);
        struct tma_ptx_cta *cta = find(warp, op, address, generic(op), i, false, &offset);
        if (cta == NULL)
            return TMA_STEP_FAILED;
        cta->mbarriers[offset >> 6] &= (uint8_t) ~(1u << (offset >> 3 & 7));
        if (tma_watched(warp))
            tma_watch_barrier_init(warp, op, i, cta->rank, offset);
        ++warp->launch->changes;
    }
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_mbarrier_arrive(struct tma_warp *warp, const struct tma_op *op,
                                      uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of an mbarrier") ||
        !tma_known(warp, op, &op->b, lanes, "a count of an mbarrier"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t address = tma_address(warp, &op->a, op->offset, i), state;
        uint64_t value = op->b.absent ? 1 : (uint32_t)tma_lane_value(warp, &op->b, i);
        bool expects = op->mode & TMA_ARRIVE_EXPECT;
        if (value > COUNT_MASK || (value == 0 && !expects))
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u arrives with %llu at an mbarrier; 1 to 1048575 are allowed", i,
                            (unsigned long long)value);
        if (!tma_mbarrier_change(warp, op, i, address, generic(op), expects ? 1 : (uint32_t)value,
                                 expects ? (int64_t)value : 0, op->mode & TMA_ARRIVE_DROP, &state))
            return TMA_STEP_FAILED;
        if (!op->d.absent)
            tma_set_lane(warp, &op->d, i, state);
    }
    if (!op->d.absent)
        tma_mark(warp, &op->d, lanes, 0, 0);
    return TMA_STEP_NEXT;
}

/* The copies are complete, so that each lane arrives now. Without .noinc the phase first needs one
 * arrival more: its count stays. */
enum tma_step tma_run_cp_async_arrive(struct tma_warp *warp, const struct tma_op *op,
                                      uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of an mbarrier"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t offset, address = tma_address(warp, &op->a, op->offset, i);
        struct tma_ptx_cta *cta = find(warp, op, address, generic(op), i, false, &offset);
        if (cta == NULL)
            return TMA_STEP_FAILED;
        if (tma_watched(warp))
            tma_watch_copy_arrive(warp, op, i, cta->rank, offset);
        struct tma_ptx_step *step = warp->launch->step;
        if (step != NULL) {
            uint64_t state = load(cta, offset);
            if (op->mode == 0) /* one more arrival, which this is */
                store(cta, offset,
                      pack(needed(state), pending(state) + 1, transactions_of(state),
                           parity_of(state)));
            step->deferred[step->deferred_count++] =
                (struct tma_ptx_deferred){cta->rank, (uint32_t)offset};
            continue;
        }
        if (op->mode != 0 &&
            !tma_mbarrier_change(warp, op, i, address, generic(op), 1, 0, false, NULL))
            return TMA_STEP_FAILED;
    }
    return TMA_STEP_NEXT;
}

/* mbarrier.pending_count: of a token. */
enum tma_step tma_run_mbarrier_count(struct tma_warp *warp, const struct tma_op *op,
                                     uint32_t lanes) {
    if (!tma_spread(warp, op, lanes))
        return TMA_STEP_NEXT;
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, &op->d, i, pending(tma_lane_value(warp, &op->a, i)));
    }
    return TMA_STEP_NEXT;
}

/* mbarrier.expect_tx, and mbarrier.complete_tx (op->mode 1). */
enum tma_step tma_run_mbarrier_transactions(struct tma_warp *warp, const struct tma_op *op,
                                            uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of an mbarrier") ||
        !tma_known(warp, op, &op->b, lanes, "the bytes that an mbarrier expects"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t address = tma_address(warp, &op->a, op->offset, i);
        int64_t bytes = (int64_t)(uint32_t)tma_lane_value(warp, &op->b, i);
        if (!tma_mbarrier_change(warp, op, i, address, generic(op), 0, op->mode ? -bytes : bytes,
                                 false, NULL))
            return TMA_STEP_FAILED;
    }
    return TMA_STEP_NEXT;
}

/* mbarrier.test_wait and mbarrier.try_wait (op->mode 1); op->mode2: op->b is a parity, not a token.
 */
enum tma_step tma_run_mbarrier_wait(struct tma_warp *warp, const struct tma_op *op,
                                    uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the address of an mbarrier") ||
        !tma_known(warp, op, &op->b, lanes, "the phase of an mbarrier"))
        return TMA_STEP_FAILED;
    struct tma_path *path = &warp->paths[warp->current];
    uint32_t over = 0;
    struct tma_ptx_wait wait = {.kind = TMA_WAIT_NOTHING};
    TMA_EACH_OF(i, lanes) {
        uint64_t offset, address = tma_address(warp, &op->a, op->offset, i);
        uint64_t value = tma_lane_value(warp, &op->b, i);
        struct tma_ptx_cta *cta = find(warp, op, address, generic(op), i, false, &offset);
        if (cta == NULL)
            return TMA_STEP_FAILED;
        uint64_t parity = op->mode2 ? value & 1 : parity_of(value);
        if (parity_of(load(cta, offset)) != parity) {
            over |= UINT32_C(1) << i;
            if (tma_watched(warp))
                tma_watch_barrier_wait(warp, op, UINT32_C(1) << i, cta->rank, offset);
        } else if (wait.kind == TMA_WAIT_NOTHING)
            wait = (struct tma_ptx_wait){.kind = TMA_WAIT_MBARRIER,
                                         .cta = cta->rank,
                                         .address = (uint32_t)offset,
                                         .parity = (uint32_t)parity};
    }
    bool gave_up = path->wait.gave_up;
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    if (over != lanes && op->mode && !gave_up) {
        path->wait = wait;
        return TMA_STEP_PARKED;
    }
    tma_set_predicate(warp, &op->d, lanes, over);
    tma_mark(warp, &op->d, lanes, 0, 0);
    if (over == lanes)
        return TMA_STEP_NEXT;
    path->poll = wait;
    path->poll_pc = path->pc;
    return TMA_STEP_YIELD;
}

/* ---- barriers of a CTA ---- */

static void complete(struct tma_warp *warp, struct tma_barrier *barrier) {
    if (warp->launch->step != NULL)
        warp->launch->step->signalled |= UINT32_C(1) << warp->cta->rank;
    if (tma_watched(warp))
        tma_watch_sync_complete(warp, (uint32_t)(barrier - warp->cta->barriers));
    barrier->last_count = barrier->count;
    barrier->last_all = barrier->all;
    barrier->last_any = barrier->any;
    barrier->count = barrier->any = 0;
    barrier->all = 1;
    barrier->arrived = barrier->expected = 0;
    ++barrier->generation;
    ++warp->launch->changes;
}

static uint32_t participants(const struct tma_ptx_cta *cta, const struct tma_barrier *barrier) {
    return barrier->expected != 0 ? barrier->expected : cta->alive_warps * 32;
}

bool tma_converged(struct tma_warp *warp) {
    struct tma_path *path = &warp->paths[warp->current];
    if (warp->path_count == 1 || path->lanes == warp->alive)
        return true;
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_LANES, .parity = warp->alive};
    return false;
}

enum tma_step tma_run_barrier(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_path *path = &warp->paths[warp->current];
    struct tma_ptx_cta *cta = warp->cta;
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!tma_known(warp, op, &op->a, lanes, "the number of a barrier") ||
        !tma_known(warp, op, &op->b, lanes, "the threads of a barrier"))
        return TMA_STEP_FAILED;
    uint32_t first = (uint32_t)__builtin_ctz(lanes);
    uint64_t number = tma_lane_value(warp, &op->a, first),
             threads = op->b.absent ? 0 : tma_lane_value(warp, &op->b, first);
    if (path->wait.kind != TMA_WAIT_BARRIER) {
        if (op->synchronises && !tma_converged(warp))
            return TMA_STEP_PARKED;
        path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
        if (number > 15)
            return tma_stop(warp, op, TMA_PTX_FAULT, "barrier %llu: a CTA has barriers 0 to 15",
                            (unsigned long long)number);
        if (!op->b.absent && (threads == 0 || threads % 32 != 0 || threads > 1024))
            return tma_stop(
                warp, op, TMA_PTX_FAULT,
                "barrier %llu with %llu threads; multiples of 32 up to 1024 are allowed",
                (unsigned long long)number, (unsigned long long)threads);
        struct tma_barrier *barrier = &cta->barriers[number];
        if (barrier->arrived == 0) {
            barrier->all = 1;
            barrier->expected = (uint32_t)threads;
        } else if (barrier->expected != threads) {
            tma_note(warp->launch, warp, op->instruction, barrier->line, "barrier",
                     "barrier %llu has %llu threads here and %u at another arrival (0: all)",
                     (unsigned long long)number, (unsigned long long)threads, barrier->expected);
        }
        barrier->line = op->instruction;
        if (tma_watched(warp)) {
            tma_watch_converge(warp, op, lanes);
            tma_watch_sync_arrive(warp, op, lanes, (uint32_t)number);
        }
        barrier->arrived +=
            path->lanes == warp->alive ? 32 : (uint32_t)__builtin_popcount(path->lanes);
        if (op->mode == TMA_BARRIER_RED) {
            if (!tma_known(warp, op, &op->c, lanes, "the predicate of barrier.red"))
                return TMA_STEP_FAILED;
            uint32_t mask = tma_predicate(warp, &op->c) & lanes;
            barrier->count += (uint32_t)__builtin_popcount(mask);
            barrier->any |= mask != 0;
            barrier->all &= mask == lanes;
        }
        ++warp->launch->changes;
        uint64_t generation = barrier->generation;
        if (barrier->arrived >= participants(cta, barrier)) {
            if (barrier->arrived > participants(cta, barrier))
                tma_note(warp->launch, warp, op->instruction, UINT32_MAX, "barrier",
                         "%u threads arrive at barrier %llu, which has %u", barrier->arrived,
                         (unsigned long long)number, participants(cta, barrier));
            complete(warp, barrier);
        } else if (op->mode != TMA_BARRIER_ARRIVE) {
            path->wait = (struct tma_ptx_wait){
                .kind = TMA_WAIT_BARRIER, .address = (uint32_t)number, .generation = generation};
            return TMA_STEP_PARKED;
        }
    }
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    if (op->mode != TMA_BARRIER_ARRIVE && tma_watched(warp))
        tma_watch_sync_wait(warp, op, lanes, (uint32_t)number);
    if (op->mode == TMA_BARRIER_RED) {
        const struct tma_barrier *barrier = &cta->barriers[number];
        uint32_t value = op->immediate == TMA_PTX_DOT_POPC  ? barrier->last_count
                         : op->immediate == TMA_PTX_DOT_AND ? barrier->last_all
                                                            : barrier->last_any;
        TMA_EACH_OF(i, lanes) {
            tma_set_lane(warp, &op->d, i, value);
        }
        tma_mark(warp, &op->d, lanes, 0, 0);
    }
    return TMA_STEP_NEXT;
}

/* ---- barrier.cluster ---- */

static uint32_t cluster_threads(const struct tma_ptx_cluster *cluster) {
    uint32_t threads = 0;
    for (uint32_t i = 0; i < cluster->cta_count; ++i)
        threads += cluster->ctas[i].alive_threads;
    return threads;
}

static void complete_cluster(struct tma_warp *warp) {
    struct tma_ptx_cluster *cluster = warp->cta->cluster;
    if (cluster->arrived == 0 || cluster->arrived < cluster_threads(cluster))
        return;
    cluster->arrived = 0;
    ++cluster->generation;
    if (warp->launch->step != NULL)
        warp->launch->step->signalled |= (UINT32_C(1) << cluster->cta_count) - 1;
    if (tma_watched(warp))
        tma_watch_sync_complete(warp, TMA_CHECK_CLUSTER);
    ++warp->launch->changes;
    for (uint32_t i = 0; i < cluster->cta_count; ++i)
        for (uint32_t j = 0; j < cluster->ctas[i].warp_count; ++j)
            cluster->ctas[i].warps[j].cluster_lanes = 0;
}

enum tma_step tma_run_cluster_arrive(struct tma_warp *warp, const struct tma_op *op,
                                     uint32_t lanes) {
    if (warp->cluster_lanes & lanes)
        return tma_stop(warp, op, TMA_PTX_FAULT,
                        "barrier.cluster.arrive again, before the barrier.cluster.wait of the "
                        "arrival before");
    if (tma_watched(warp))
        tma_watch_sync_arrive(warp, op, lanes, TMA_CHECK_CLUSTER);
    warp->cluster_lanes |= lanes;
    warp->cta->cluster->arrived += (uint32_t)__builtin_popcount(lanes);
    ++warp->launch->changes;
    complete_cluster(warp);
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_cluster_wait(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_path *path = &warp->paths[warp->current];
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    if ((warp->cluster_lanes & lanes) == 0) {
        if (lanes != 0 && tma_watched(warp))
            tma_watch_sync_wait(warp, op, lanes, TMA_CHECK_CLUSTER);
        return TMA_STEP_NEXT;
    }
    path->wait.kind = TMA_WAIT_CLUSTER;
    return TMA_STEP_PARKED;
}

/* ---- registers ---- */

/* setmaxnreg: op->immediate registers of a thread. Registers that a warp gives up, or leaves when
 * it ends, are there for others of the CTA. */
enum tma_step tma_run_registers(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    enum { LEAST = 24, MOST = 256, UNIT = 8 };
    struct tma_path *path = &warp->paths[warp->current];
    struct tma_ptx_cta *cta = warp->cta;
    uint32_t wanted = (uint32_t)op->immediate, had = warp->registers;
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (op->immediate < LEAST || op->immediate > MOST || op->immediate % UNIT != 0)
        return tma_stop(warp, op, TMA_PTX_FAULT,
                        "setmaxnreg with %llu registers; multiples of 8 from 24 to 256 are allowed",
                        (unsigned long long)op->immediate);
    if (!tma_converged(warp))
        return TMA_STEP_PARKED;
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    if (had == 0 || (op->mode == 1 ? wanted <= had : wanted >= had))
        return TMA_STEP_NEXT;
    if (op->mode == 0) {
        cta->free_registers += had - wanted;
        if (warp->launch->step != NULL)
            warp->launch->step->signalled |= UINT32_C(1) << cta->rank;
    } else if (wanted - had > cta->free_registers) {
        path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_REGISTERS, .address = wanted};
        return TMA_STEP_PARKED;
    } else {
        cta->free_registers -= wanted - had;
    }
    warp->registers = wanted;
    ++warp->launch->changes;
    return TMA_STEP_NEXT;
}

/* mbarriers of a CTA that has ended still expect bytes, or have more than were expected. */
static void check_transactions(struct tma_warp *warp, const struct tma_op *op) {
    const struct tma_ptx_cta *cta = warp->cta;
    for (uint64_t offset = 0; offset + 8 <= cta->shared.size; offset += 8) {
        if (!(cta->mbarriers[offset >> 6] >> (offset >> 3 & 7) & 1))
            continue;
        int64_t bytes = transactions_of(load(cta, offset));
        if (bytes != 0)
            tma_note(warp->launch, warp, op->instruction, UINT32_MAX, "barrier",
                     "CTA %u ends, and its %s %s %lld bytes", cta->rank,
                     name_of(warp, cta->rank, offset).text,
                     bytes > 0 ? "still expects" : "has got more than it expected:",
                     (long long)(bytes > 0 ? bytes : -bytes));
    }
}

void tma_barriers_after_exit(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_ptx_cta *cta = warp->cta;
    struct tma_ptx_cluster *cluster = cta->cluster;
    cluster->arrived -= (uint32_t)__builtin_popcount(warp->cluster_lanes & lanes);
    warp->cluster_lanes &= ~lanes;
    complete_cluster(warp);
    if (warp->alive != 0)
        return;
    cta->free_registers += warp->registers;
    if (cta->alive_warps == 0 && tma_watched(warp))
        check_transactions(warp, op);
    for (uint32_t i = 0; i < 16; ++i) {
        struct tma_barrier *barrier = &cta->barriers[i];
        if (barrier->arrived != 0 && barrier->arrived >= participants(cta, barrier))
            complete(warp, barrier);
    }
}

/* ---- waits ---- */

bool tma_wait_over(const struct tma_warp *warp, const struct tma_ptx_wait *wait, uint32_t lanes) {
    switch (wait->kind) {
    case TMA_WAIT_NOTHING:
        return true;
    case TMA_WAIT_MBARRIER: {
        const struct tma_ptx_cta *cta = &warp->cta->cluster->ctas[wait->cta];
        return parity_of(load(cta, wait->address)) != wait->parity;
    }
    case TMA_WAIT_BARRIER:
        return warp->cta->barriers[wait->address].generation != wait->generation;
    case TMA_WAIT_CLUSTER:
        return (warp->cluster_lanes & lanes) == 0;
    case TMA_WAIT_REGISTERS:
        return wait->address - warp->registers <= warp->cta->free_registers;
    case TMA_WAIT_PRODUCTS:
        return tma_products_begun(warp, wait->address);
    case TMA_WAIT_LANES:
        return (wait->parity & warp->alive & ~lanes) == 0;
    }
    return true;
}

void tma_wait_text(const struct tma_warp *warp, const struct tma_ptx_wait *wait, char *text,
                   size_t size) {
    switch (wait->kind) {
    case TMA_WAIT_NOTHING:
        snprintf(text, size, "nothing that it names");
        break;
    case TMA_WAIT_MBARRIER: {
        const struct tma_ptx_cta *cta = &warp->cta->cluster->ctas[wait->cta];
        uint64_t state = load(cta, wait->address);
        int64_t bytes = transactions_of(state);
        snprintf(text, size,
                 "the end of a phase of parity %u of %s, which needs %llu more of "
                 "%llu arrivals and %s%lld %s",
                 wait->parity, name_of(warp, wait->cta, wait->address).text,
                 (unsigned long long)pending(state), (unsigned long long)needed(state),
                 bytes < 0 ? "has got " : "", (long long)(bytes < 0 ? -bytes : bytes),
                 bytes < 0 ? "bytes more than it expects" : "more bytes");
        break;
    }
    case TMA_WAIT_BARRIER: {
        const struct tma_barrier *barrier = &warp->cta->barriers[wait->address];
        snprintf(text, size, "barrier %u, at which %u of %u threads have arrived", wait->address,
                 barrier->arrived, participants(warp->cta, barrier));
        break;
    }
    case TMA_WAIT_CLUSTER:
        snprintf(text, size, "the cluster's barrier, at which %u of %u threads have arrived",
                 warp->cta->cluster->arrived, cluster_threads(warp->cta->cluster));
        break;
    case TMA_WAIT_REGISTERS:
        snprintf(text, size,
                 "setmaxnreg.inc to %u registers of a thread, of which it has %u; other warps of "
                 "the CTA have given up %u for one warp",
                 wait->address, warp->registers, warp->cta->free_registers);
        break;
    case TMA_WAIT_PRODUCTS:
        snprintf(text, size,
                 "a product (wgmma) that not all four warps of its warpgroup have committed");
        break;
    case TMA_WAIT_LANES:
        snprintf(text, size, "other lanes of its warp (mask 0x%x)", wait->parity & warp->alive);
        break;
    }
}
