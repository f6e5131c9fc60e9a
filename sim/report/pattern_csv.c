/* CSV: one line for each wave group and element of the tile. */
#include <inttypes.h>

#include "report/pattern_formats.h"

void tma_pattern_write_csv(const struct tma_tile_distribution *distribution, FILE *out) {
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t group_threads = pattern->block_size / pattern->wave_groups;
    uint64_t elements = (uint64_t)pattern->y_per_tile * pattern->x_per_tile;
    fputs("wave_group,y,x,thread,element\n", out);
    for (uint64_t i = 0; i < elements * pattern->wave_groups; i++) {
        uint32_t group = (uint32_t)(i / elements);
        struct tma_tile_element at = {(uint32_t)(i % elements / pattern->x_per_tile),
                                      (uint32_t)(i % pattern->x_per_tile)};
        struct tma_tile_owner owner = tma_distribution_owner(distribution, at);
        fprintf(out, "%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32 "\n", group, at.y,
                at.x, group * group_threads + owner.thread, owner.element);
    }
}
