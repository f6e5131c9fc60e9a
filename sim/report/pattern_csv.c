/* CSV: one line for each element of the tile. */
#include <inttypes.h>

#include "report/pattern_formats.h"

void tma_pattern_write_csv(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    fputs("y,x,thread,element\n", out);
    for (uint32_t y = 0; y < pattern->y_per_tile; y++)
        for (uint32_t x = 0; x < pattern->x_per_tile; x++) {
            struct tma_tile_element at = {y, x};
            struct tma_tile_owner owner = tma_distribution_owner(distribution, at);
            fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", y, x, owner.thread,
                    owner.element);
        }
}
