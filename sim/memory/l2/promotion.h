/* Promotion policies (memory/policies.h lists them): which accesses of a tensor map with 256-byte
 * promotion also fetch the second line of their 256-byte block. */
#ifndef TMA_MEMORY_L2_PROMOTION_H
#define TMA_MEMORY_L2_PROMOTION_H

#include "memory/core/packet.h"

struct tma_promotion_policy {
    /* Whether a load or prefetch with 256-byte promotion fetches the block's second line. */
    bool (*promotes)(const struct tma_packet *packet);
};

#define TMA_DECLARE_PROMOTION(name) extern const struct tma_promotion_policy tma_promotion_##name;
TMA_PROMOTION_POLICIES(TMA_DECLARE_PROMOTION)
#undef TMA_DECLARE_PROMOTION

/* The functions of a policy. */
const struct tma_promotion_policy *tma_promotion_policy(enum tma_promotion promotion);

#endif
