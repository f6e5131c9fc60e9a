/* A kernel that was read from a scenario, with what its statements borrow. */
#pragma once

#include "engine/roles/kernel.h"

struct tma_kernel_program {
    struct tma_kernel kernel;
    struct tma_expression **expressions; /* owned, each of them too */
    size_t expression_count, expression_capacity;
    int64_t *tables[TMA_MAX_TABLES]; /* owned: the numbers of the kernel's tables */
};

/* Frees the program with its statements and expressions. NULL is allowed. */
void tma_kernel_program_free(struct tma_kernel_program *program);
