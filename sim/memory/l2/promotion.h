/* Promotion policies (memory/policies.h lists them): which accesses of a tensor map with 256-byte
 * promotion also fetch the second line of their 256-byte block. */
#ifndef TMA_MEMORY_L2_PROMOTION_H
#define TMA_MEMORY_L2_PROMOTION_H

#include "memory/core/packet.h"
#include "memory/core/sectors.h"

struct tma_promotion_policy {
    /* A load or prefetch with 256-byte promotion that asks for one of these sectors of a block's
     * first line, or of its second line, fetches the second line. */
    uint32_t first_line_sectors, second_line_sectors;
};

#define TMA_DECLARE_PROMOTION(name) extern const struct tma_promotion_policy tma_promotion_##name;
TMA_PROMOTION_POLICIES(TMA_DECLARE_PROMOTION)
#undef TMA_DECLARE_PROMOTION

const struct tma_promotion_policy *tma_promotion_policy(enum tma_promotion promotion);

/* Whether a packet fetches the second line of its block. */
static inline bool tma_promotes(const struct tma_promotion_policy *policy,
                                const struct tma_packet *packet) {
    uint32_t sectors =
        packet->line % 2 == 0 ? policy->first_line_sectors : policy->second_line_sectors;
    return packet->promotion == TMA_L2_256B && (packet->sectors & sectors) != 0 &&
           (packet->kind == TMA_PACKET_LOAD || packet->kind == TMA_PACKET_PREFETCH);
}

#endif
