#include "ptx/lane_arithmetic.h"

enum tma_step tma_each_lane(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (!tma_spread(warp, op, lanes))
        return TMA_STEP_NEXT;
    if (tma_computes_once(warp, op, lanes) && op->d.width != TMA_PTX_PREDICATE) {
        tma_set_uniform(warp, &op->d,
                        op->lane(op, tma_uniform_value(warp, &op->a),
                                 tma_uniform_value(warp, &op->b), tma_uniform_value(warp, &op->c)));
        return TMA_STEP_NEXT;
    }
    uint64_t values[32];
    TMA_EACH_OF(i, lanes) {
        values[i] = op->lane(op, op->a.absent ? 0 : tma_lane_value(warp, &op->a, i),
                             op->b.absent ? 0 : tma_lane_value(warp, &op->b, i),
                             op->c.absent ? 0 : tma_lane_value(warp, &op->c, i));
    }
    TMA_EACH_OF(i, lanes) {
        tma_set_lane(warp, &op->d, i, values[i]);
    }
    return TMA_STEP_NEXT;
}

enum tma_step tma_each_half(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (!tma_spread(warp, op, lanes))
        return TMA_STEP_NEXT;
    const uint32_t *a = tma_read(warp, &op->a), *b = tma_read(warp, &op->b),
                   *c = tma_read(warp, &op->c);
    uint32_t *d = tma_write(warp, &op->d);
    bool combines = op->c.width == TMA_PTX_PREDICATE; /* set: with both halves */
    TMA_EACH_OF(i, lanes) {
        uint32_t third =
            combines ? (uint32_t)tma_lane_value(warp, &op->c, i) * UINT32_C(0x10001) : c[i];
        uint64_t low = op->lane(op, a[i] & 0xffff, b[i] & 0xffff, third & 0xffff);
        uint64_t high = op->lane(op, a[i] >> 16, b[i] >> 16, third >> 16);
        d[i] = (uint32_t)(low & 0xffff) | (uint32_t)(high & 0xffff) << 16;
    }
    return TMA_STEP_NEXT;
}
