/* Coherence between the two partitions. The home of a line knows of the copy in the other
 * partition; a write at the home invalidates the copy. Internal to l2/. */
#pragma once

#include "memory/l2/slice.h"

/* Whether the other partition holds a copy of all of a line, with no fill of it pending. `home`:
 * the index of the line at its home. */
bool tma_copy_is_complete(struct tma_core *core, const struct tma_l2 *l2, uint64_t line,
                          struct tma_set_index home);

/* Marks sectors at the home as requested, since a request asked for them in the copy. */
void tma_copy_mark_requested(struct tma_l2 *l2, struct tma_set_index home, uint32_t sectors);

/* A store on its way to the home, for which it has the index, leaves its sectors in the copy of its
 * SM's partition. */
void tma_copy_store(struct tma_core *core, struct tma_l2 *l2, const struct tma_packet *packet,
                    uint64_t cycle);

/* Invalidates the copy of a packet's line. The packet's index is that at the home. */
void tma_copy_invalidate(struct tma_core *core, struct tma_l2 *l2, const struct tma_packet *packet);

/* Whether the last write to a line at its home was a store of the other partition. */
bool tma_copy_was_stored(const struct tma_l2 *l2, struct tma_set_index home);
