/* Instructions that lanes of a warp execute together (PTX ISA 9.7.9.6, 9.7.13.5 to 9.7.13.12). */
#include "ptx/execution_state.h"

enum tma_step tma_run_nothing(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    (void)warp, (void)op, (void)lanes;
    return TMA_STEP_NEXT;
}

/* shfl: op->immediate is the word; a value, b lane or distance, c clamp and mask of segments;
 * places[list]: the predicate. */
enum tma_step tma_run_shfl(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (!tma_known(warp, op, &op->b, lanes, "the lane of a shuffle") ||
        !tma_known(warp, op, &op->c, lanes, "the lane of a shuffle"))
        return TMA_STEP_FAILED;
    uint32_t opaque_from = tma_opaque(warp, &op->a), opaque = 0, in_range = 0;
    uint16_t origin = warp->origin[op->a.number];
    uint32_t whole = 31; /* clamp and segments of one lane for all */
    if (op->immediate == TMA_PTX_DOT_IDX && op->list_count == 0 && lanes == TMA_ALL_LANES &&
        tma_is_uniform(warp, &op->b) && tma_is_uniform(warp, &op->c) &&
        (uint32_t)tma_uniform_value(warp, &op->c) == whole) {
        uint32_t from = (uint32_t)tma_uniform_value(warp, &op->b) & 31;
        opaque = opaque_from >> from & 1 ? TMA_ALL_LANES : 0;
        tma_set_uniform(warp, &op->d, tma_lane_value(warp, &op->a, from));
        if (opaque | tma_opaque(warp, &op->d))
            tma_mark(warp, &op->d, lanes, opaque, origin);
        return TMA_STEP_NEXT;
    }
    const uint32_t *a = tma_read(warp, &op->a), *b = tma_read(warp, &op->b),
                   *c = tma_read(warp, &op->c);
    uint32_t result[32] = {0};
    TMA_EACH_OF(i, lanes) {
        uint32_t clamp = c[i] & 31, segments = c[i] >> 8 & 31, distance = b[i] & 31;
        int32_t least = (int32_t)(i & segments),
                most = (int32_t)((i & segments) | (clamp & ~segments)), from;
        bool inside;
        switch ((enum tma_ptx_word)op->immediate) {
        case TMA_PTX_DOT_UP:
            from = (int32_t)i - (int32_t)distance;
            inside = from >= most;
            break;
        case TMA_PTX_DOT_DOWN:
            from = (int32_t)(i + distance);
            inside = from <= most;
            break;
        case TMA_PTX_DOT_BFLY:
            from = (int32_t)(i ^ distance);
            inside = from <= most;
            break;
        default:
            from = least | (int32_t)(distance & ~segments);
            inside = from <= most;
        }
        if (!inside)
            from = (int32_t)i;
        else
            in_range |= UINT32_C(1) << i;
        result[i] = a[from & 31];
        opaque |= (opaque_from >> (from & 31) & 1) << i;
        /* The value of a lane that does not take part is undefined. */
        if (!(lanes >> (from & 31) & 1) && (warp->alive >> (from & 31) & 1) == 0)
            result[i] = 0;
    }
    tma_merge_words(tma_write(warp, &op->d), result, lanes);
    if (opaque | tma_opaque(warp, &op->d))
        tma_mark(warp, &op->d, lanes, opaque, origin);
    if (op->list_count != 0) {
        const struct tma_place *p = &warp->launch->places[op->list];
        tma_set_predicate(warp, p, lanes, in_range);
        tma_mark(warp, p, lanes, 0, 0);
    }
    return TMA_STEP_NEXT;
}

/* vote: op->immediate is the word, a the predicate. */
enum tma_step tma_run_vote(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t opaque = tma_opaque(warp, &op->a) & lanes;
    tma_mark(warp, &op->d, lanes, opaque ? TMA_ALL_LANES : 0, warp->origin[op->a.number]);
    uint32_t mask = tma_predicate(warp, &op->a) & lanes;
    bool holds = op->immediate == TMA_PTX_DOT_ALL   ? mask == lanes
                 : op->immediate == TMA_PTX_DOT_ANY ? mask != 0
                                                    : mask == lanes || mask == 0;
    tma_set_lanes(warp, &op->d, lanes, op->immediate == TMA_PTX_DOT_BALLOT ? mask : holds);
    return TMA_STEP_NEXT;
}

/* match.any; match.all (op->mode 1): places[list] is the predicate. */
enum tma_step tma_run_match(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t opaque = tma_opaque(warp, &op->a) & lanes, all = 0, result[32];
    uint16_t origin = warp->origin[op->a.number];
    TMA_EACH_OF(i, lanes) {
        uint64_t value = tma_lane_value(warp, &op->a, i);
        result[i] = 0;
        TMA_EACH_OF(j, lanes) {
            if (tma_lane_value(warp, &op->a, j) == value)
                result[i] |= UINT32_C(1) << j;
        }
        if (op->mode) {
            if (result[i] == lanes)
                all |= UINT32_C(1) << i;
            else
                result[i] = 0;
        }
    }
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, &op->d, i, result[i]);
    }
    tma_mark(warp, &op->d, lanes, opaque ? TMA_ALL_LANES : 0, origin);
    if (op->list_count != 0) {
        const struct tma_place *p = &warp->launch->places[op->list];
        tma_set_predicate(warp, p, lanes, all);
        tma_mark(warp, p, lanes, opaque ? TMA_ALL_LANES : 0, origin);
    }
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_redux(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    uint32_t opaque = tma_opaque(warp, &op->a) & lanes;
    tma_mark(warp, &op->d, lanes, opaque ? TMA_ALL_LANES : 0, warp->origin[op->a.number]);
    if (opaque || lanes == 0)
        return TMA_STEP_NEXT;
    uint64_t result = tma_lane_value(warp, &op->a, (uint32_t)__builtin_ctz(lanes));
    TMA_EACH_OF(i, lanes & (lanes - 1)) {
        result = tma_atomic_value((enum tma_ptx_word)op->immediate, (enum tma_ptx_type)op->type,
                                  result, tma_lane_value(warp, &op->a, i), 0);
    }
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, &op->d, i, result);
    }
    return TMA_STEP_NEXT;
}

/* elect.sync d|p: the lowest lane. places[list] is p. */
enum tma_step tma_run_elect(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (lanes == 0)
        return TMA_STEP_NEXT;
    uint32_t leader = (uint32_t)__builtin_ctz(lanes);
    const struct tma_place *p = &warp->launch->places[op->list];
    if (!op->d.absent) {
        tma_set_lanes(warp, &op->d, lanes, leader);
        tma_mark(warp, &op->d, lanes, 0, 0);
    }
    tma_set_predicate(warp, p, lanes, UINT32_C(1) << leader);
    tma_mark(warp, p, lanes, 0, 0);
    return TMA_STEP_NEXT;
}

enum tma_step tma_run_activemask(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    tma_set_lanes(warp, &op->d, lanes, lanes);
    tma_mark(warp, &op->d, lanes, 0, 0);
    return TMA_STEP_NEXT;
}
