#include "memory/l2/replacement.h"

#define POLICY(name) &tma_replacement_##name,
static const struct tma_replacement_policy *const policies[] = {TMA_REPLACEMENT_POLICIES(POLICY)};

const struct tma_replacement_policy *tma_replacement_policy(enum tma_replacement replacement) {
    return policies[replacement];
}
