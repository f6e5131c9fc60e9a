#include "memory/dram/refresh.h"

#define POLICY(name) &tma_refresh_##name,
static const struct tma_refresh_policy *const policies[] = {TMA_REFRESH_POLICIES(POLICY)};

const struct tma_refresh_policy *tma_refresh_policy(enum tma_refresh_kind refresh) {
    return policies[refresh];
}
