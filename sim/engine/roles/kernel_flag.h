/* Counters in global memory with which CTAs tell each other how far they are. */
#pragma once

#include "engine/roles/kernel_state.h"

/* What a statement wants of its flag. */
struct tma_flag_request {
    int64_t *counter;
    int64_t number; /* to add, or to wait for */
};

/* Finds the counter and the number of a statement. False, with the error, where an expression fails
 * or the index is none of the flag's. */
bool tma_flag_request(const struct tma_role_state *role, const struct tma_statement *statement,
                      struct tma_flag_request *request, struct tma_error *error);

/* The cycle at which a role goes on that has looked at a flag from `first` on, each time that its
 * load has come back, and whose counter is high enough from `cycle` on. */
uint64_t tma_flag_seen(const struct tma_machine *machine, uint64_t first, uint64_t cycle);

/* "for flag done[3] to be 2, which is 1" */
void tma_flag_describe(const struct tma_role_state *role, char *text, size_t size);
