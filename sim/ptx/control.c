/* Control flow (PTX ISA 9.7.12) and miscellaneous instructions (9.7.19).
 *
 * Lanes that part become paths of their own. The warp runs the path with the deepest call and the
 * lowest pc first, so that paths meet again behind the branch. */
#include <stdio.h>

#include "ptx/check_calls.h"
#include "ptx/execution_state.h"

/* Parts `lanes` from the current path, which goes on behind the instruction. Returns the path of
 * `lanes`. */
static struct tma_path *part(struct tma_warp *warp, uint32_t lanes) {
    struct tma_path *path = &warp->paths[warp->current];
    if (path->lanes == lanes)
        return path;
    struct tma_path *other = &warp->paths[warp->path_count++];
    *other = *path;
    path->lanes &= ~lanes;
    ++path->pc;
    other->lanes = lanes;
    other->executed = 0;
    return other;
}

enum tma_step tma_run_bra(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    part(warp, lanes)->pc = op->target;
    return TMA_STEP_JUMPED;
}

enum tma_step tma_run_brx(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (!tma_known(warp, op, &op->a, lanes, "the index of a branch"))
        return TMA_STEP_FAILED;
    struct tma_path *path = &warp->paths[warp->current];
    uint32_t pc = path->pc, left = lanes;
    bool all = path->lanes == lanes;
    while (left != 0) {
        uint32_t first = (uint32_t)__builtin_ctz(left), same = 0;
        uint64_t index = tma_lane_value(warp, &op->a, first);
        if (index >= op->list_count)
            return tma_stop(warp, op, TMA_PTX_FAULT, "lane %u branches to target %llu of %u", first,
                            (unsigned long long)index, op->list_count);
        TMA_EACH_OF(i, left) {
            if (tma_lane_value(warp, &op->a, i) == index)
                same |= UINT32_C(1) << i;
        }
        uint32_t target =
            (uint32_t)tma_lane_value(warp, &warp->launch->places[op->list + index], 0);
        left &= ~same;
        part(warp, same)->pc = target;
    }
    if (!all)
        path->pc = pc + 1;
    return TMA_STEP_JUMPED;
}

/* Copies an argument or a result: a register, or bytes in the frame of a function. */
static void copy_value(struct tma_warp *warp, const struct tma_place *to,
                       const struct tma_place *from, uint32_t lanes) {
    if (to->absent)
        return;
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, to, i, tma_lane_value(warp, from, i));
    }
    tma_mark(warp, to, lanes, tma_opaque(warp, from), warp->origin[from->number]);
}

static bool in_frame(const struct tma_place *place) {
    return place->kind == TMA_PLACE_FRAME;
}

static void copy_frame(struct tma_warp *warp, const struct tma_place *to,
                       const struct tma_place *from, uint32_t lanes) {
    uint32_t bytes = to->number < from->number ? to->number : from->number;
    TMA_EACH_OF(i, lanes) {
        uint64_t base = (uint64_t)i * warp->launch->local_bytes;
        memcpy(warp->local + base + to->offset, warp->local + base + from->offset, bytes);
        for (uint32_t b = 0; b < bytes; ++b)
            tma_region_mark(&warp->local_region, base + to->offset + b, 1,
                            tma_region_opaque(&warp->local_region, base + from->offset + b, 1),
                            TMA_ORIGIN_LOCAL);
    }
}

/* Between a register and a frame. */
static void copy_mixed(struct tma_warp *warp, const struct tma_place *to,
                       const struct tma_place *from, uint32_t lanes) {
    TMA_EACH_OF(i, lanes) {
        uint64_t base = (uint64_t)i * warp->launch->local_bytes, value = 0;
        if (in_frame(to)) {
            bool opaque = tma_opaque(warp, from) >> i & 1;
            uint32_t bytes = to->number < 8 ? to->number : 8;
            value = tma_lane_value(warp, from, i);
            memcpy(warp->local + base + to->offset, &value, bytes);
            tma_region_mark(&warp->local_region, base + to->offset, bytes, opaque,
                            warp->origin[from->number]);
        } else {
            uint32_t bytes = from->number < 8 ? from->number : 8;
            memcpy(&value, warp->local + base + from->offset, bytes);
            tma_set_lane(warp, to, i, value);
            tma_mark(warp, to, UINT32_C(1) << i,
                     tma_region_opaque(&warp->local_region, base + from->offset, bytes)
                         ? TMA_ALL_LANES
                         : 0,
                     TMA_ORIGIN_LOCAL);
        }
    }
}

static void copy_pair(struct tma_warp *warp, const struct tma_place *to,
                      const struct tma_place *from, uint32_t lanes) {
    if (in_frame(to) && in_frame(from))
        copy_frame(warp, to, from, lanes);
    else if (in_frame(to) || in_frame(from))
        copy_mixed(warp, to, from, lanes);
    else
        copy_value(warp, to, from, lanes);
}

enum tma_step tma_run_call(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    struct tma_executor *launch = warp->launch;
    struct tma_path *path = &warp->paths[warp->current];
    const struct tma_ptx_function *callee = &launch->module->functions[op->function];
    if (path->depth == TMA_MAX_CALL_DEPTH)
        return tma_stop(warp, op, TMA_PTX_FAULT, "calls deeper than %u", TMA_MAX_CALL_DEPTH);
    for (uint32_t i = 0; i < path->depth; ++i)
        if (launch->code[path->returns[i]].function == op->function)
            return tma_stop(warp, op, TMA_PTX_UNKNOWN_INSTRUCTION,
                            "%s calls itself: recursion is not simulated", callee->name);
    for (uint32_t i = 0; i < op->list2_count; i += 2)
        copy_pair(warp, &launch->places[op->list2 + i], &launch->places[op->list2 + i + 1], lanes);
    struct tma_path *other = part(warp, lanes);
    other->returns[other->depth++] = (uint32_t)(op - launch->code);
    other->pc = callee->first_instruction;
    return TMA_STEP_JUMPED;
}

enum tma_step tma_run_ret(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    if (warp->paths[warp->current].depth == 0)
        return tma_run_exit(warp, op, lanes);
    struct tma_executor *launch = warp->launch;
    struct tma_path *path = part(warp, lanes);
    uint32_t call = path->returns[--path->depth];
    const struct tma_op *caller = &launch->code[call];
    for (uint32_t i = 0; i < caller->list_count; i += 2)
        copy_pair(warp, &launch->places[caller->list + i + 1], &launch->places[caller->list + i],
                  lanes);
    path->pc = call + 1;
    return TMA_STEP_JUMPED;
}

/* Removes lanes of the current path; the path, if none is left. */
static void end_lanes(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    struct tma_path *path = &warp->paths[warp->current];
    path->lanes &= ~lanes;
    if (path->lanes == 0) {
        *path = warp->paths[--warp->path_count];
        warp->current = 0;
    } else {
        ++path->pc;
    }
    warp->alive &= ~lanes;
    warp->cta->alive_threads -= (uint32_t)__builtin_popcount(lanes);
    ++warp->launch->changes;
    if (warp->alive == 0) {
        warp->exited = true;
        if (tma_watched(warp))
            tma_watch_exit(warp);
        --warp->cta->alive_warps;
    }
    tma_barriers_after_exit(warp, op, lanes);
}

enum tma_step tma_run_exit(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    end_lanes(warp, op, lanes);
    return TMA_STEP_JUMPED;
}

enum tma_step tma_run_trap(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    return tma_stop(warp, op, TMA_PTX_FAULT, "lane %u executes %s", (uint32_t)__builtin_ctz(lanes),
                    op->mode ? "brkpt" : "trap: the kernel found something wrong");
}

/* An instruction that the reader did not understand. */
const char *tma_why_not(const struct tma_executor *launch, const struct tma_op *op, char *text,
                        size_t size) {
    const struct tma_ptx_module *module = launch->module;
    const struct tma_ptx_instruction *instruction = &module->instructions[op->instruction];
    if (instruction->opcode == TMA_PTX_UNKNOWN)
        return module->messages[instruction->unknown];
    if (instruction->opcode == TMA_PTX_OP_CALL && op->mode == 1)
        snprintf(text, size, "the call of %s, a function without a body, is not simulated",
                 module->functions[op->function].name);
    else if (instruction->opcode == TMA_PTX_OP_CALL)
        return "a call through a register is not simulated";
    else
        snprintf(text, size, "%s is not simulated with these types or operands",
                 tma_ptx_opcode_name((enum tma_ptx_opcode)instruction->opcode));
    return text;
}

enum tma_step tma_run_unexecuted(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    enum { TEXT_BYTES = 256 };
    char text[TEXT_BYTES];
    if (lanes == 0)
        return TMA_STEP_NEXT;
    return tma_stop(warp, op, TMA_PTX_UNKNOWN_INSTRUCTION, "%s",
                    tma_why_not(warp->launch, op, text, sizeof text));
}

enum tma_step tma_run_alloca(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint64_t base = TMA_LOCAL_BASE + warp->launch->stack_base;
    if (!tma_known(warp, op, &op->a, lanes, "the size of alloca"))
        return TMA_STEP_FAILED;
    TMA_EACH_OF(i, lanes) {
        uint64_t bytes = tma_lane_value(warp, &op->a, i), end = tma_lane_value(warp, &op->b, i),
                 begin = (end - bytes) & -op->immediate;
        if (bytes > end - base || begin < base)
            return tma_stop(warp, op, TMA_PTX_FAULT,
                            "alloca of %llu bytes: the stack of a thread has %llu of %u left",
                            (unsigned long long)bytes, (unsigned long long)(end - base),
                            TMA_STACK_BYTES);
        tma_set_lane(warp, &op->d, i, begin);
        tma_set_lane(warp, &op->b, i, begin);
    }
    tma_mark(warp, &op->d, lanes, 0, 0);
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_sleep(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (!tma_known(warp, op, &op->a, lanes, "the time of nanosleep"))
        return TMA_STEP_FAILED;
    uint32_t ns =
        lanes == 0 ? 0 : (uint32_t)tma_lane_value(warp, &op->a, (uint32_t)__builtin_ctz(lanes));
    if (warp->launch->step != NULL)
        warp->launch->step->sleep_ns = ns;
    else
        warp->launch->time += ns;
    return TMA_STEP_YIELD;
}
