/* The tile of an operation as it lies in shared memory: one line for each 128-byte bank row, and
 * answers about single bytes and elements. */
#ifndef TMA_REPORT_LAYOUT_H
#define TMA_REPORT_LAYOUT_H

#include <stdio.h>

#include "placement/locate.h"
#include "tensormap/types.h"

enum tma_layout_format { TMA_LAYOUT_TEXT, TMA_LAYOUT_CSV, TMA_LAYOUT_JSON };

extern const struct tma_names tma_layout_format_names; /* text, csv, json */

/* What is shown: an operation and the names that its reader knows. */
struct tma_layout_view {
    const struct tma_tensor_map *map;
    const struct tma_operation *operation;
    const char *map_name;
};

/* Writes the whole tile: each 16-byte chunk with the coordinates of the element that its first byte
 * belongs to. Fails as tma_rows_begin does; write errors stay with the stream. */
enum tma_error_code tma_layout_write(const struct tma_layout_view *view,
                                     enum tma_layout_format format, FILE *out,
                                     struct tma_error *error);

/* Says what the byte at shared-memory address `address` belongs to. */
enum tma_error_code tma_layout_write_byte(const struct tma_layout_view *view, uint32_t address,
                                          enum tma_layout_format format, FILE *out,
                                          struct tma_error *error);

/* Says where the element at `coordinates` lies, and whether it does at all. */
enum tma_error_code tma_layout_write_element(const struct tma_layout_view *view,
                                             const int64_t coordinates[TMA_MAX_RANK],
                                             enum tma_layout_format format, FILE *out,
                                             struct tma_error *error);

#endif
