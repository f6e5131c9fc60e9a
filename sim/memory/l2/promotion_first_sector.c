/* As on an H200: an access to the first sector of a 256-byte block fetches the second line. */
#include "memory/l2/promotion.h"

const struct tma_promotion_policy tma_promotion_first_sector = {.sectors = 1};
