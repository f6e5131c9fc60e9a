#include <inttypes.h>

#include "report/pattern_formats.h"

/* The meaning of <Y0, Y1, Y2> in each pattern. */
static const char *const meanings[][3] = {
    [TMA_THREAD_RAKED] = {"warps", "rows per warp and iteration", "iterations"},
    [TMA_WARP_RAKED] = {"warps", "iterations", "rows per warp and iteration"},
    [TMA_BLOCK_RAKED] = {"iterations", "warps", "rows per warp and iteration"},
};

static struct tma_tile_owner owner_at(const struct tma_tile_distribution *distribution, uint32_t y,
                                      uint32_t vector) {
    struct tma_tile_element at = {y, vector * distribution->x[0]};
    return tma_distribution_owner(distribution, at);
}

static void write_tuples(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    const uint32_t *x = distribution->x, *y = distribution->y;
    const char *const *meaning = meanings[pattern->raking];
    fprintf(out,
            "pattern       %s: BlockSize %" PRIu32 ", YPerTile %" PRIu32 ", XPerTile %" PRIu32
            ", VecSize %" PRIu32 ", WarpSize %" PRIu32 ", wave groups %" PRIu32 "\n",
            tma_name_of(&tma_raking_names, (int)pattern->raking), pattern->block_size,
            pattern->y_per_tile, pattern->x_per_tile, pattern->vec_size, pattern->warp_size,
            pattern->wave_groups);
    fprintf(out,
            "<X0, X1>      <%" PRIu32 ", %" PRIu32 ">: elements that a thread accesses at "
            "once, threads per row\n",
            x[0], x[1]);
    fprintf(out, "<Y0, Y1, Y2>  <%" PRIu32 ", %" PRIu32 ", %" PRIu32 ">: %s, %s, %s\n", y[0], y[1],
            y[2], meaning[0], meaning[1], meaning[2]);
}

static int digits(uint32_t value) {
    int count = 1;
    for (; value >= 10; value /= 10)
        count++;
    return count;
}

/* One line for each row of the tile, with one thread number for every X0 elements. */
void tma_pattern_write_text(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t x0 = distribution->x[0], x1 = distribution->x[1];
    int width = digits(pattern->block_size > pattern->x_per_tile ? pattern->block_size
                                                                 : pattern->x_per_tile);
    write_tuples(distribution, out);
    if (pattern->wave_groups > 1)
        fprintf(out,
                "wave groups   each covers the whole tile: thread t + %" PRIu32
                " * g of group g has the elements of thread t\n",
                pattern->block_size / pattern->wave_groups);
    fprintf(out, "\n%6s %5s %5s  thread at x =\n%20s", "y", "iter", "warp", "");
    for (uint32_t vector = 0; vector < x1; vector++)
        fprintf(out, "%*" PRIu32, width + 1, vector * x0);
    fputc('\n', out);
    for (uint32_t y = 0; y < pattern->y_per_tile; y++) {
        struct tma_tile_owner first = owner_at(distribution, y, 0);
        fprintf(out, "%6" PRIu32 " %5" PRIu32 " %5" PRIu32 "  ", y, first.element / x0,
                first.thread / pattern->warp_size);
        for (uint32_t vector = 0; vector < x1; vector++)
            fprintf(out, "%*" PRIu32, width + 1, owner_at(distribution, y, vector).thread);
        fputc('\n', out);
    }
}
