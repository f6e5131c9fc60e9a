/* The paths of a warp: choosing one, running it, parting and meeting again. */
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"

enum { PATH_QUANTUM = 1024, CLOCK_STEP = 16 };

/* ---- paths ---- */

static bool same_place(const struct tma_path *a, const struct tma_path *b) {
    return a->pc == b->pc && a->depth == b->depth &&
           memcmp(a->returns, b->returns, a->depth * sizeof a->returns[0]) == 0;
}

/* May the path be taken up by another one at its instruction? */
static bool open(const struct tma_path *path) {
    return !path->parked || path->wait.kind == TMA_WAIT_LANES;
}

static void remove_path(struct tma_warp *warp, uint32_t index) {
    uint32_t last = --warp->path_count;
    warp->paths[index] = warp->paths[last];
    if (warp->current == last)
        warp->current = index;
}

/* Joins the paths that have come to the current one's place. */
static void join(struct tma_warp *warp) {
    for (uint32_t i = 0; i < warp->path_count;) {
        struct tma_path *path = &warp->paths[warp->current], *other = &warp->paths[i];
        if (i == warp->current || !open(other) || !open(path) || !same_place(path, other) ||
            (path->wait.kind == TMA_WAIT_MBARRIER) || (other->wait.kind == TMA_WAIT_MBARRIER) ||
            (path->wait.kind == TMA_WAIT_BARRIER) || (other->wait.kind == TMA_WAIT_BARRIER)) {
            ++i;
            continue;
        }
        path->lanes |= other->lanes;
        path->parked = false;
        path->resumed = path->resumed && other->resumed;
        path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
        remove_path(warp, i);
        i = 0;
    }
}

/* Lanes that wait at bar.warp.sync on several paths meet, also at different instructions. */
static bool meet(struct tma_warp *warp) {
    uint32_t lanes = 0;
    bool met = false;
    for (uint32_t i = 0; i < warp->path_count; ++i)
        if (warp->paths[i].parked && warp->paths[i].wait.kind == TMA_WAIT_LANES &&
            warp->paths[i].wait.address == 1)
            lanes |= warp->paths[i].lanes;
    for (uint32_t i = 0; i < warp->path_count; ++i) {
        struct tma_path *path = &warp->paths[i];
        if (path->parked && path->wait.kind == TMA_WAIT_LANES && path->wait.address == 1 &&
            (path->wait.parity & warp->alive & ~lanes) == 0) {
            path->parked = false;
            path->resumed = true;
            path->wait.gave_up = true;
            met = true;
        }
    }
    return met;
}

/* Chooses the path to run: of those that can, the one in the deepest call, with the lowest pc. */
static bool choose(struct tma_warp *warp) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < warp->path_count; ++i) {
        struct tma_path *path = &warp->paths[i];
        if (path->parked && tma_wait_over(warp, &path->wait, path->lanes)) {
            path->parked = false;
            path->resumed = true;
        }
        if (path->parked || path->passed)
            continue;
        if (best == UINT32_MAX || path->depth > warp->paths[best].depth ||
            (path->depth == warp->paths[best].depth && path->pc < warp->paths[best].pc))
            best = i;
    }
    if (best == UINT32_MAX)
        return false;
    warp->current = best;
    if (warp->path_count > 1)
        join(warp);
    return true;
}

void tma_give_up(struct tma_warp *warp) {
    for (uint32_t i = 0; i < warp->path_count; ++i) {
        struct tma_path *path = &warp->paths[i];
        if (path->parked && path->wait.kind == TMA_WAIT_MBARRIER) {
            path->wait.gave_up = true;
            path->parked = false;
            path->resumed = true;
        }
    }
}

/* ---- one instruction ---- */

/* Runs an instruction that names the lanes which must take part. */
static enum tma_step run_members(struct tma_warp *warp, const struct tma_op *op,
                                 struct tma_path *path, uint32_t lanes) {
    if (!tma_known(warp, op, &op->members, lanes, "the mask of lanes"))
        return TMA_STEP_FAILED;
    bool released = path->wait.gave_up;
    uint32_t need = 0, left = lanes;
    TMA_EACH_OF(i, lanes) {
        need |= (uint32_t)tma_lane_value(warp, &op->members, i);
        if (op->members.kind == TMA_PLACE_CONSTANT)
            break;
    }
    path->wait = (struct tma_ptx_wait){.kind = TMA_WAIT_NOTHING};
    if (!released && (need & warp->alive & ~path->lanes) != 0) {
        path->wait = (struct tma_ptx_wait){
            .kind = TMA_WAIT_LANES, .parity = need, .address = op->run == tma_run_nothing};
        return TMA_STEP_PARKED;
    }
    if (tma_watched(warp))
        tma_watch_converge(warp, op, lanes);
    /* Lanes with one mask act together. */
    while (left != 0) {
        uint32_t first = (uint32_t)__builtin_ctz(left), group = 0;
        uint64_t mask = tma_lane_value(warp, &op->members, first);
        TMA_EACH_OF(i, left) {
            if (op->members.kind == TMA_PLACE_CONSTANT ||
                tma_lane_value(warp, &op->members, i) == mask)
                group |= UINT32_C(1) << i;
        }
        left &= ~group;
        if ((group & mask) == 0)
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "lane %u executes the instruction for the lanes 0x%x, of which it is "
                            "none",
                            first, (uint32_t)mask);
        enum tma_step step = op->run(warp, op, group & (uint32_t)mask);
        if (step != TMA_STEP_NEXT)
            return step;
    }
    return TMA_STEP_NEXT;
}

/* The lanes whose guard holds, and in *unknown those whose guard is opaque. */
static bool apply_guard(struct tma_warp *warp, const struct tma_op *op, uint32_t *lanes,
                        uint32_t *unknown) {
    *unknown = tma_opaque(warp, &op->guard) & *lanes;
    if (*unknown != 0 && !op->pure)
        return tma_known(warp, op, &op->guard, *lanes,
                         op->run == tma_run_bra ? "a branch" : "the guard of an instruction");
    *lanes &= tma_predicate(warp, &op->guard) | *unknown;
    return true;
}

/* Lets paths that had their turns have another one. */
static void begin_turns(struct tma_warp *warp) {
    for (uint32_t i = 0; i < warp->path_count; ++i)
        warp->paths[i].passed = false;
}

bool tma_choose_path_slowly(struct tma_warp *warp) {
    if (choose(warp))
        return true;
    begin_turns(warp);
    return choose(warp) || (meet(warp) && choose(warp));
}

static bool past_limit(const struct tma_executor *launch) {
    uint64_t most = launch->options->maximum_instructions;
    return most != 0 && launch->result->instructions > most;
}

/* Runs the path's instruction, and counts it in *executed unless it had begun before. */
static inline enum tma_step run_instruction(struct tma_warp *warp, struct tma_path *path,
                                            uint32_t *executed) {
    struct tma_executor *launch = warp->launch;
    const struct tma_op *op = &launch->code[path->pc];
    uint32_t lanes = path->lanes, unknown = 0;
    bool counted = path->resumed;
    path->resumed = false;
    if (!op->guard.absent && !apply_guard(warp, op, &lanes, &unknown))
        return TMA_STEP_FAILED;
    if (!counted) {
        struct tma_ptx_line *line = &launch->result->lines[path->pc];
        ++*executed;
        ++line->executions;
        line->lanes += lanes == TMA_ALL_LANES ? 32 : (uint32_t)__builtin_popcount(lanes);
    }
    if (tma_watched(warp))
        tma_watch_registers(warp, op, lanes);
    if (op->samples) {
        launch->time += launch->step == NULL ? CLOCK_STEP : 0;
        tma_set_clocks(warp);
    }
    enum tma_step step =
        op->members.absent ? op->run(warp, op, lanes) : run_members(warp, op, path, lanes);
    if (unknown != 0 && step == TMA_STEP_NEXT)
        tma_mark(warp, &op->d, unknown, unknown, warp->origin[op->guard.number]);
    return step;
}

enum tma_turn tma_run_warp(struct tma_warp *warp, uint32_t quantum) {
    struct tma_executor *launch = warp->launch;
    uint32_t executed = 0, steps = 0;
    enum tma_turn turn = TMA_TURN_QUANTUM;
    bool polled = false;
    if (!tma_choose_path(warp))
        return TMA_TURN_PARKED;
    for (;;) {
        struct tma_path *path = &warp->paths[warp->current];
        enum tma_step step = run_instruction(warp, path, &executed);
        ++steps;
        if (step == TMA_STEP_NEXT) {
            ++path->pc;
            if (warp->path_count == 1) {
                if (steps < quantum)
                    continue;
                break;
            }
            if (++path->executed > PATH_QUANTUM) {
                path->passed = true;
                path->executed = 0;
            }
        } else if (step == TMA_STEP_FAILED) {
            turn = TMA_TURN_FAILED;
            break;
        } else if (step == TMA_STEP_PARKED) {
            path->parked = true;
        } else if (step == TMA_STEP_YIELD) {
            ++path->pc;
            path->passed = true;
            polled = true;
        } else if (warp->alive == 0) {
            turn = TMA_TURN_ENDED;
            break;
        }
        if (steps >= quantum) {
            turn = polled ? TMA_TURN_POLLED : turn;
            break;
        }
        if (warp->path_count == 1 && step == TMA_STEP_JUMPED)
            continue;
        if (choose(warp))
            continue;
        /* All paths wait, or have had their turns. */
        bool passed = false;
        for (uint32_t i = 0; i < warp->path_count; ++i)
            passed |= warp->paths[i].passed;
        if (meet(warp) && choose(warp))
            continue;
        turn = polled ? TMA_TURN_POLLED : passed ? TMA_TURN_QUANTUM : TMA_TURN_PARKED;
        break;
    }
    launch->result->instructions += executed;
    if (past_limit(launch) && turn != TMA_TURN_FAILED && warp->path_count != 0) {
        tma_stop(warp, &launch->code[warp->paths[0].pc], TMA_PTX_RUNAWAY,
                 "the launch has executed %llu warp instructions, the limit, and goes on",
                 (unsigned long long)launch->options->maximum_instructions);
        turn = TMA_TURN_FAILED;
    }
    if (launch->step == NULL)
        launch->time += executed;
    return turn;
}
