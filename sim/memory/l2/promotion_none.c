/* No access fetches another line: 256-byte promotion acts like that of 128 bytes. */
#include "memory/l2/promotion.h"

static bool promotes(const struct tma_packet *packet) {
    (void)packet;
    return false;
}

const struct tma_promotion_policy tma_promotion_none = {promotes};
