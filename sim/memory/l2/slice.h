/* The parts of a slice that reads and writes share. Internal to l2/. */
#ifndef TMA_MEMORY_L2_SLICE_H
#define TMA_MEMORY_L2_SLICE_H

#include "memory/l2/l2.h"

static inline struct tma_l2_set *tma_slice_set(const struct tma_l2 *l2,
                                               const struct tma_packet *packet) {
    return &l2->tags.sets[packet->index.set];
}

/* The tag pipeline of the slice that serves a location in a partition. */
static inline struct tma_port *tma_slice_port(struct tma_core *core, const struct tma_l2 *l2,
                                              uint32_t partition,
                                              const struct tma_line_location *location) {
    return &l2->slices[partition * core->map.slices + location->server];
}

/* Occupies the tag pipeline for `ticks`, at least the interval between requests. Returns the cycle
 * at which the pipeline is free again. */
uint64_t tma_slice_occupy(struct tma_core *core, const struct tma_l2 *l2, uint32_t partition,
                          const struct tma_line_location *location, uint64_t ticks, uint64_t cycle);

/* Looks a line up: as tma_slice_occupy, but returns the cycle at which the result is known. */
uint64_t tma_slice_look_up(struct tma_core *core, const struct tma_l2 *l2, uint32_t partition,
                           const struct tma_line_location *location, uint64_t ticks,
                           uint64_t cycle);

/* Allocates a way for a packet's line (see tma_tags_allocate) and writes its victim back to DRAM.
 * -1: no way is to be had. Pointers to packets are invalid afterwards. */
int tma_slice_allocate(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, bool remote,
                       uint64_t cycle);

/* Sends dirty sectors of a set to DRAM, if there are any. Pointers to packets are invalid
 * afterwards.
 */
void tma_slice_write_back(struct tma_core *core, uint32_t set, const struct tma_l2_victim *victim,
                          uint64_t cycle);

/* Sends `sectors` of a line to DRAM. Pointers to packets are invalid afterwards. */
void tma_slice_write_to_dram(struct tma_core *core, const struct tma_line_location *location,
                             uint32_t sectors, uint64_t cycle);

/* The sectors that a fill brings for `missing` ones of a line: blocks of 64 bytes, or the line. */
uint32_t tma_slice_fill_sectors(enum tma_l2_promotion promotion, uint32_t missing);

/* Reads what a way (-1: none) lacks of `missing` sectors from DRAM. */
struct tma_handover tma_slice_start_fill(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                         int way, uint32_t missing, uint64_t cycle);

#endif
