/* The SASS of a kernel, as nvdisasm prints it with the lines of the PTX: which instructions a warp
 * really issues, and in which order. Who has it needs no rules of lowering. */
#pragma once

#include "base/error.h"
#include "core/lowering.h"

struct tma_sass;

/* Reads the text of `nvdisasm -c -gp`, of a cubin that ptxas made of the module with -lineinfo, and
 * puts the instructions of the module in the order in which SASS has them, inside each block, as
 * far as the results do not depend on it: what orders warps or units stays in its order, and so do
 * stores beside loads. `function` is an entry; what it calls is in its section, too.
 *
 * Fails with TMA_ERROR_SYNTAX if the text has no such kernel, or no lines of the PTX, or
 * TMA_ERROR_MEMORY. */
enum tma_error_code tma_sass_read(const char *text, size_t length, struct tma_ptx_module *module,
                                  uint32_t function, struct tma_sass **sass,
                                  struct tma_error *error);

/* Replaces slots and latencies of a function that the SASS has; others keep theirs. `lowered` is of
 * the module. */
void tma_sass_lower(const struct tma_sass *sass, const struct tma_ptx_module *module,
                    uint32_t function, struct tma_lowered *lowered);

void tma_sass_free(struct tma_sass *sass);
