/* Where a role is in its program, for spans of it. */
#pragma once

#include "engine/roles/kernel_state.h"

/* The place of the role's current statement, for which it spends time with this cause. Without
 * somebody who wants spans it has no statement. */
struct tma_span_place tma_role_span_place(const struct tma_role_state *role,
                                          enum tma_role_cause cause);

/* Whose events and spans they are. */
static inline struct tma_event_source tma_role_source(const struct tma_role_state *role) {
    return (struct tma_event_source){role->cta->sm->number, role->cta->base.number, role->index};
}
