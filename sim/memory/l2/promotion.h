/* Promotion policies (memory/policies.h lists them): which accesses of a tensor map with 256-byte
 * promotion also fetch the second line of their 256-byte block. */
#pragma once

#include "memory/core/packet.h"
#include "memory/core/sectors.h"

struct tma_promotion_policy {
    /* A load or prefetch with 256-byte promotion that asks for one of these sectors of a block's
     * first line fetches the second line. */
    uint32_t sectors;
};

#define TMA_DECLARE_PROMOTION(name) extern const struct tma_promotion_policy tma_promotion_##name;
TMA_PROMOTION_POLICIES(TMA_DECLARE_PROMOTION)
#undef TMA_DECLARE_PROMOTION

const struct tma_promotion_policy *tma_promotion_policy(enum tma_promotion promotion);

/* Whether an access to sectors of a line fetches the second line of its block. */
static inline bool tma_promotes_sectors(const struct tma_promotion_policy *policy, uint64_t line,
                                        uint32_t sectors) {
    return line % 2 == 0 && (sectors & policy->sectors) != 0;
}

/* Whether a packet fetches the second line of its block. */
static inline bool tma_promotes(const struct tma_promotion_policy *policy,
                                const struct tma_packet *packet) {
    return packet->promotion == TMA_L2_256B &&
           tma_promotes_sectors(policy, packet->line, packet->sectors) &&
           (packet->kind == TMA_PACKET_LOAD || packet->kind == TMA_PACKET_PREFETCH);
}
