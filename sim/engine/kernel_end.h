/* How CTAs of a kernel end: with the last of their roles, and with the last of their operations. */
#ifndef TMA_ENGINE_KERNEL_END_H
#define TMA_ENGINE_KERNEL_END_H

#include "engine/kernel_state.h"

/* A role of a CTA has ended at `cycle`. */
void tma_kernel_end_role(struct tma_kernel_cta *cta, uint64_t cycle);

/* An operation of a CTA has completed: with its last one, a CTA whose roles have ended ends. */
void tma_kernel_end_operation(struct tma_kernel_cta *cta, uint64_t cycle);

#endif
