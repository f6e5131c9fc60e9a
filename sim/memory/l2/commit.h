/* A write takes effect at the home of its line. Internal to l2/. */
#ifndef TMA_MEMORY_L2_COMMIT_H
#define TMA_MEMORY_L2_COMMIT_H

#include "memory/l2/slice.h"

/* The cycle at which a write was through the ports of its home. */
static inline uint64_t tma_write_done_cycle(const struct tma_core *core,
                                            const struct tma_packet *packet) {
    return tma_known_cycle(packet) - core->machine->l2.lookup_cycles;
}

/* Whether a write at its home leaves the copy in the other partition valid: a store from there has
 * updated it on its way. */
static inline bool tma_write_updates_copy(const struct tma_core *core,
                                          const struct tma_packet *packet) {
    return packet->kind == TMA_PACKET_STORE && !tma_is_near(core, packet);
}

/* Writes the sectors of a packet, in a way of their home (-1: none). Returns whether something goes
 * to DRAM. Pointers to packets are invalid afterwards. */
bool tma_write_commit(struct tma_core *core, struct tma_l2 *l2, uint32_t packet, int way);

/* Writes a line that needs no fill. `used_dram`: its way's victim goes to DRAM. The SM gets its
 * credits back at `done`, or as soon as the DRAM channel takes further writes. */
struct tma_handover tma_write_line(struct tma_core *core, struct tma_l2 *l2, uint32_t packet,
                                   int way, bool used_dram, uint64_t done);

/* A write is done: the SM gets its credits back, and the result of an atomic. */
struct tma_handover tma_write_respond(struct tma_core *core, uint32_t packet, uint64_t done);

#endif
