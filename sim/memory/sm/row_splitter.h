/* The row splitter: turns the rows of an operation into line requests. A line request is for bytes
 * of one 128-byte line of global memory and, except for prefetches, of one 128-byte line of shared
 * memory. A load asks for whole sectors, or for part of one. Data and out-of-bounds fill are
 * separate requests. */
#pragma once

#include "memory/core/sectors.h"
#include "placement/rows.h"

struct tma_line_request {
    uint64_t line;   /* byte address / 128 */
    uint8_t sectors; /* that the bytes touch */
    bool fill;       /* the bytes are out of bounds */
    bool fill_row;   /* so is the whole row */
    bool partial;    /* the bytes begin or end inside a sector; of a reduction: see half_work */
};

/* A uniform run: line requests that differ only in the line. */
struct tma_uniform_run {
    struct tma_line_request request; /* the first one */
    uint64_t step_lines;             /* from one request to the next */
    uint32_t requests;               /* how many there are */
};

struct tma_row_splitter {
    enum tma_direction direction;
    uint8_t global_bits, shared_bits; /* of an element; they differ for padded sub-byte types */
    bool half_work; /* L2 takes half the work of a sector to reduce 16 bytes of this type */
    struct tma_uniform_run uniform; /* rows of one request each that are still to come */
    uint32_t row_done_bytes;        /* of the current row: line requests were made for these */
    uint32_t row_total_bytes;       /* of the current row */
    uint32_t run_rows; /* rows after the current one that differ from it only in their address */
    uint32_t shared_step_bytes;
    uint64_t global_step_bytes;
    struct tma_row row; /* the current one */
    /* Totals of the rows so far. */
    uint32_t rows, rows_out_of_bounds;
    uint32_t tensor_bytes;
    struct tma_row_stream stream;
};

/* `rows` is before its first row, and is copied. */
void tma_row_splitter_init(struct tma_row_splitter *splitter, const struct tma_row_stream *rows,
                           enum tma_direction direction, enum tma_data_type type);

/* Gives the next line request; false after the last. */
bool tma_row_splitter_next(struct tma_row_splitter *splitter, struct tma_line_request *request);

/* Whether bytes from an offset in a line on make a partial request. */
bool tma_row_splitter_is_partial(const struct tma_row_splitter *splitter, uint32_t offset,
                                 uint32_t bytes);

/* The last request was the last one of its row. */
static inline bool tma_row_splitter_is_row_end(const struct tma_row_splitter *splitter) {
    return splitter->row_done_bytes == splitter->row_total_bytes;
}

/* The same for several requests at once: gives the next 1 to `most` ones, as many as are known to
 * form a uniform run. */
bool tma_row_splitter_next_run(struct tma_row_splitter *splitter, uint32_t most,
                               struct tma_uniform_run *run);
