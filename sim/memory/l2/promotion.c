#include "memory/l2/promotion.h"

#define POLICY(name) &tma_promotion_##name,
static const struct tma_promotion_policy *const policies[] = {TMA_PROMOTION_POLICIES(POLICY)};

const struct tma_promotion_policy *tma_promotion_policy(enum tma_promotion promotion) {
    return policies[promotion];
}
