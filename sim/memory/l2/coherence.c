#include "memory/l2/slice.h"

bool tma_copy_is_complete(struct tma_core *core, const struct tma_l2 *l2, uint64_t line,
                          struct tma_set_index home) {
    if (core->map.partitions == 1)
        return false;
    struct tma_set_index index = tma_opposite_index(&core->map, line, home);
    const struct tma_l2_set *set = &l2->tags.sets[index.set];
    int way = tma_tags_find(&l2->tags, set, index.tag);
    return way >= 0 && (set->pending & 1u << way) == 0 &&
           tma_sectors_of_way(set->valid, way) == TMA_ALL_SECTORS;
}

void tma_copy_mark_requested(struct tma_l2 *l2, struct tma_set_index home, uint32_t sectors) {
    struct tma_l2_set *set = &l2->tags.sets[home.set];
    int way = tma_tags_find(&l2->tags, set, home.tag);
    if (way >= 0)
        tma_tags_mark_requested(&l2->tags, set, way, sectors);
}

void tma_copy_store(struct tma_core *core, struct tma_l2 *l2, const struct tma_packet *packet,
                    uint64_t cycle) {
    struct tma_set_index index = tma_opposite_index(&core->map, packet->line, packet->index);
    struct tma_l2_set *set = &l2->tags.sets[index.set];
    struct tma_l2_victim victim;
    uint32_t sectors = packet->sectors;
    int way = tma_tags_allocate(&l2->tags, set, index.tag, &victim);
    if (way >= 0) {
        tma_tags_fill_copy(&l2->tags, set, way, sectors);
        tma_tags_hint(&l2->tags, set, way, tma_write_hint(packet));
    }
    tma_slice_write_back(core, NULL, index.set, &victim, cycle);
}

void tma_copy_invalidate(struct tma_core *core, struct tma_l2 *l2,
                         const struct tma_packet *packet) {
    if (core->map.partitions == 1)
        return;
    struct tma_set_index index = tma_opposite_index(&core->map, packet->line, packet->index);
    tma_tags_invalidate(&l2->tags, &l2->tags.sets[index.set], index.tag);
}

bool tma_copy_was_stored(const struct tma_l2 *l2, struct tma_set_index home) {
    const struct tma_l2_set *set = &l2->tags.sets[home.set];
    int way = tma_tags_find(&l2->tags, set, home.tag);
    return way >= 0 && (*tma_tags_remote_copies(&l2->tags, set) & 1u << way) != 0;
}
