/* No access fetches another line: 256-byte promotion acts like that of 128 bytes. */
#include "memory/l2/promotion.h"

const struct tma_promotion_policy tma_promotion_none = {0};
