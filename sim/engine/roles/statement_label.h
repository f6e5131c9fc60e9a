/* How pictures and messages name the statements of a kernel. */
#pragma once

#include "engine/observe/span.h"
#include "engine/roles/kernel.h"

/* The word of a statement in a program: "load", "cp_async", "wait". */
const char *tma_statement_word(const struct tma_statement *statement);

/* A statement at a place: "load A into ab[2], tile = 3, k = 5". map_names is by tensor map. */
void tma_statement_label(const struct tma_kernel *kernel, const char *const *map_names,
                         const struct tma_span_place *place, char *text, size_t size);
