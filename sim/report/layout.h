/* The tile of an operation in shared memory: the whole tile as one line for each 128-byte bank row,
 * one byte of shared memory, or one element. */
#pragma once

#include <stdio.h>

#include "placement/locate.h"
#include "tensormap/types.h"

/* Formats of the functions below; the first is the default. */
extern const struct tma_names tma_layout_format_names;

/* An operation with its tensor map, and the name of the map for the reader. All borrowed. */
struct tma_layout_view {
    const struct tma_tensor_map *map;
    const struct tma_operation *operation;
    const char *map_name;
};

/* Writes the whole tile. Each 16-byte chunk shows the coordinates of the element that holds its
 * first byte. `format` is a value of tma_layout_format_names. Fails as tma_rows_begin does, and
 * with TMA_ERROR_ARGUMENT for a prefetch. Write errors stay with the stream. */
enum tma_error_code tma_layout_write(const struct tma_layout_view *view, int format, FILE *out,
                                     struct tma_error *error);

/* Writes what the byte at shared-memory address `address` holds. Fails as tma_layout_begin does. */
enum tma_error_code tma_layout_write_byte(const struct tma_layout_view *view, uint32_t address,
                                          int format, FILE *out, struct tma_error *error);

/* Writes every place of the element at `coordinates`; there is none for an element outside the box
 * of the operation. Fails as tma_layout_begin does. */
enum tma_error_code tma_layout_write_element(const struct tma_layout_view *view,
                                             const int64_t coordinates[TMA_MAX_RANK], int format,
                                             FILE *out, struct tma_error *error);
