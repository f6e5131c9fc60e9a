#include "banks/tile_distribution.h"

#include <assert.h>

const struct tma_names tma_raking_names =
    TMA_NAMES("distribution pattern", {"thread_raked", TMA_THREAD_RAKED},
              {"warp_raked", TMA_WARP_RAKED}, {"block_raked", TMA_BLOCK_RAKED});

/* The factors of YPerTile. */
enum factor { WARPS, WARP_ROWS, ITERATIONS };

/* What each of <Y0, Y1, Y2> counts. */
static const enum factor factors[][3] = {
    [TMA_THREAD_RAKED] = {WARPS, WARP_ROWS, ITERATIONS},
    [TMA_WARP_RAKED] = {WARPS, ITERATIONS, WARP_ROWS},
    [TMA_BLOCK_RAKED] = {ITERATIONS, WARPS, WARP_ROWS},
};

/* Returns the index of a factor in <Y0, Y1, Y2>. */
static uint32_t y_index(enum tma_raking raking, enum factor factor) {
    uint32_t index = 0;
    while (factors[raking][index] != factor)
        index++;
    return index;
}

static enum tma_error_code check_parameters(const struct tma_tile_pattern *pattern,
                                            struct tma_error *error) {
    if ((unsigned)pattern->raking > TMA_BLOCK_RAKED)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "distribution pattern %d; allowed: thread_raked, warp_raked, block_raked",
                        (int)pattern->raking);
    const struct {
        const char *name;
        uint32_t value;
    } positive[] = {{"BlockSize", pattern->block_size},
                    {"YPerTile", pattern->y_per_tile},
                    {"XPerTile", pattern->x_per_tile},
                    {"VecSize", pattern->vec_size},
                    {"NumWaveGroups", pattern->wave_groups}};
    for (size_t i = 0; i < sizeof positive / sizeof positive[0]; i++)
        if (positive[i].value == 0 || positive[i].value > 1U << 20)
            return tma_fail(error, TMA_ERROR_ARGUMENT, "%s is %u; allowed: 1 to 1048576",
                            positive[i].name, positive[i].value);
    if (pattern->warp_size != 32 && pattern->warp_size != 64)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "WarpSize is %u; allowed: 32, 64",
                        pattern->warp_size);
    return TMA_OK;
}

/* Computes <X0, X1>. */
static enum tma_error_code find_x(struct tma_tile_distribution *distribution,
                                  struct tma_error *error) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint64_t tile = (uint64_t)pattern->y_per_tile * pattern->x_per_tile;
    uint64_t most = tile / pattern->block_size;
    if (most == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "MaxVecSize = YPerTile * XPerTile / BlockSize must be at least 1, but "
                        "%u * %u / %u is less: there are more threads than elements",
                        pattern->y_per_tile, pattern->x_per_tile, pattern->block_size);
    uint32_t x0 = most < pattern->vec_size ? (uint32_t)most : pattern->vec_size;
    uint32_t x1 = pattern->x_per_tile / x0;
    if (x0 * x1 != pattern->x_per_tile)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "X0 * X1 == XPerTile fails: X0 = min(MaxVecSize %llu, VecSize %u) = %u "
                        "does not divide XPerTile = %u",
                        (unsigned long long)most, pattern->vec_size, x0, pattern->x_per_tile);
    distribution->x[0] = x0;
    distribution->x[1] = x1;
    return TMA_OK;
}

/* Computes the warps of a wave group and the rows of a warp. */
static enum tma_error_code find_warps(struct tma_tile_distribution *distribution,
                                      struct tma_error *error) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    enum tma_raking raking = pattern->raking;
    uint32_t warps = pattern->block_size / pattern->warp_size / pattern->wave_groups;
    if ((uint64_t)warps * pattern->warp_size * pattern->wave_groups != pattern->block_size)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "Y%u * WarpSize%s == BlockSize fails: %u threads are no whole number of "
                        "%u-thread warps in %u wave group%s",
                        y_index(raking, WARPS), pattern->wave_groups > 1 ? " * NumWaveGroups" : "",
                        pattern->block_size, pattern->warp_size, pattern->wave_groups,
                        pattern->wave_groups > 1 ? "s" : "");
    uint32_t warp_rows = pattern->warp_size / distribution->x[1];
    if (warp_rows * distribution->x[1] != pattern->warp_size)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "Y%u * X1 == WarpSize fails: X1 = XPerTile / X0 = %u / %u = %u threads of "
                        "a row do not divide WarpSize = %u",
                        y_index(raking, WARP_ROWS), pattern->x_per_tile, distribution->x[0],
                        distribution->x[1], pattern->warp_size);
    distribution->warps = warps;
    distribution->warp_rows = warp_rows;
    return TMA_OK;
}

static enum tma_error_code find_iterations(struct tma_tile_distribution *distribution,
                                           struct tma_error *error) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t rows = distribution->warps * distribution->warp_rows;
    distribution->iterations = pattern->y_per_tile / rows;
    if (distribution->iterations * rows != pattern->y_per_tile)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "Y0 * Y1 * Y2 == YPerTile fails: %u warps * %u rows of a warp = %u do not "
                        "divide YPerTile = %u",
                        distribution->warps, distribution->warp_rows, rows, pattern->y_per_tile);
    return TMA_OK;
}

static uint32_t factor_value(const struct tma_tile_distribution *distribution, enum factor factor) {
    const uint32_t values[] = {[WARPS] = distribution->warps,
                               [WARP_ROWS] = distribution->warp_rows,
                               [ITERATIONS] = distribution->iterations};
    return values[factor];
}

enum tma_error_code tma_tile_distribute(const struct tma_tile_pattern *pattern,
                                        struct tma_tile_distribution *distribution,
                                        struct tma_error *error) {
    struct tma_tile_distribution result = {.pattern = *pattern};
    enum tma_error_code code = check_parameters(pattern, error);
    if (code == TMA_OK)
        code = find_x(&result, error);
    if (code == TMA_OK)
        code = find_warps(&result, error);
    if (code == TMA_OK)
        code = find_iterations(&result, error);
    if (code != TMA_OK)
        return code;
    for (unsigned i = 0; i < 3; i++)
        result.y[i] = factor_value(&result, factors[pattern->raking][i]);
    *distribution = result;
    return TMA_OK;
}

struct tma_tile_element tma_distribution_element(const struct tma_tile_distribution *distribution,
                                                 uint32_t thread, uint32_t element) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    const uint32_t *x = distribution->x, *y = distribution->y;
    assert(thread < pattern->block_size && element < distribution->iterations * x[0]);
    uint32_t lane = thread % pattern->warp_size;
    const uint32_t index[] = {[WARPS] = thread / pattern->warp_size % distribution->warps,
                              [WARP_ROWS] = lane / x[1],
                              [ITERATIONS] = element / x[0]};
    const enum factor *factor = factors[pattern->raking];
    return (struct tma_tile_element){.y = (index[factor[0]] * y[1] + index[factor[1]]) * y[2] +
                                          index[factor[2]],
                                     .x = lane % x[1] * x[0] + element % x[0]};
}

struct tma_tile_owner tma_distribution_owner(const struct tma_tile_distribution *distribution,
                                             struct tma_tile_element at) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    const uint32_t *x = distribution->x, *y = distribution->y;
    assert(at.y < pattern->y_per_tile && at.x < pattern->x_per_tile);
    const enum factor *factor = factors[pattern->raking];
    uint32_t index[3];
    index[factor[0]] = at.y / y[2] / y[1];
    index[factor[1]] = at.y / y[2] % y[1];
    index[factor[2]] = at.y % y[2];
    return (struct tma_tile_owner){
        .thread = (index[WARPS] * distribution->warp_rows + index[WARP_ROWS]) * x[1] + at.x / x[0],
        .element = index[ITERATIONS] * x[0] + at.x % x[0]};
}
