/* As on an H200: an access to the first sector of a 256-byte block fetches the second line. */
#include "memory/l2/promotion.h"

static bool promotes(const struct tma_packet *packet) {
    return packet->line % 2 == 0 && (packet->sectors & 1u) != 0;
}

const struct tma_promotion_policy tma_promotion_first_sector = {promotes};
