/* The TMA operation of a statement, with its coordinates. */
#pragma once

#include "engine/roles/program_cursor.h"

/* Fills an operation with the values of a statement, at a place of the program; false where an
 * expression fails. */
bool tma_statement_operation(const struct tma_kernel *kernel, const struct tma_statement *statement,
                             const int64_t *variables, struct tma_operation *operation,
                             uint32_t *map_index, struct tma_error *error);

/* Operations that the TMA unit gets for a statement. Copies without a map move bytes that lie
 * together: the whole tile, or a row of it each. */
uint32_t tma_statement_pieces(const struct tma_kernel *kernel,
                              const struct tma_statement *statement);

/* The bytes that an EXCHANGE moves. Fails as its expression does. */
bool tma_exchanged_bytes(const struct tma_statement *statement, const int64_t *variables,
                         int64_t *bytes, struct tma_error *error);
