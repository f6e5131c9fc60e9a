#include "memory/l2/promotion.h"

/* As on an H200: an access to the first sector of a 256-byte block fetches the second line. */

const struct tma_promotion_policy tma_promotion_first_sector = {.sectors = 1};

/* No access fetches another line: 256-byte promotion acts like that of 128 bytes. */

const struct tma_promotion_policy tma_promotion_none = {0};

#define POLICY(name) &tma_promotion_##name,
static const struct tma_promotion_policy *const policies[] = {TMA_PROMOTION_POLICIES(POLICY)};

const struct tma_promotion_policy *tma_promotion_policy(enum tma_promotion promotion) {
    return policies[promotion];
}
