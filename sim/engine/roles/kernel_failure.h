/* Errors in the program of a role, with the cycle, the CTA, the role and its loop variables. */
#pragma once

#include "engine/roles/kernel_state.h"

/* Stops the run with an error in a statement of the role. */
void tma_role_fail(struct tma_role_state *role, const struct tma_statement *statement,
                   enum tma_error_code code, const char *text);

/* program->describe_wait and explain_deadlock. */
bool tma_role_describe_wait(struct tma_simulation *simulation, uint32_t actor, char *text,
                            size_t size);
const char *tma_roles_explain_deadlock(const struct tma_simulation *simulation);
