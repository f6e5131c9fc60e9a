/* Statements on the shared memory of another CTA of the cluster. Internal to roles/. */
#ifndef TMA_ENGINE_KERNEL_EXCHANGE_H
#define TMA_ENGINE_KERNEL_EXCHANGE_H

#include "engine/roles/kernel_state.h"

/* The role issues an EXCHANGE at its cycle. Returns how long its warps take for that. */
uint64_t tma_role_exchange(struct tma_role_state *role, const struct tma_statement *statement);

#endif
