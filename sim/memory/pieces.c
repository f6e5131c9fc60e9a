/* From an operation's rows to its requests. A request is of one 128-byte line of global memory and,
 * but for prefetches, of one 128-byte line of shared memory. A load asks for whole sectors, as many
 * as follow each other, or for part of one; and for fill apart from what is of the tensor. */
#include "memory/flight.h"

/* Counts rows like the current one. */
static void count_rows(struct tma_flight *flight, uint32_t rows) {
    struct tma_completion *completion = &flight->completion;
    completion->rows += rows;
    completion->tensor_bytes += rows * flight->row.data_bytes;
    completion->rows_out_of_bounds += flight->row.data_bytes == 0 ? rows : 0;
}

/* Moves on to the operation's next row; false after the last. */
static bool next_row(struct tma_flight *flight) {
    if (flight->row_done_bytes < flight->row_total_bytes)
        return true;
    if (!tma_rows_next(&flight->rows, &flight->row))
        return false;
    const struct tma_row *row = &flight->row;
    flight->row_done_bytes = 0;
    flight->row_total_bytes = row->before_bytes + row->data_global_bytes + row->after_bytes;
    count_rows(flight, 1);
    return true;
}

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* Bytes up to the next multiple of `unit`, a power of two. */
static uint32_t up_to(uint64_t address, uint32_t unit) {
    return unit - (uint32_t)(address & (unit - 1));
}

/* Bytes of the row from `done` on that are alike: of the tensor, or fill. */
static uint32_t alike_bytes(const struct tma_row *row, uint32_t done, uint32_t total) {
    uint32_t data_end = row->before_bytes + row->data_global_bytes;
    return done < row->before_bytes ? row->before_bytes - done
           : done < data_end        ? data_end - done
                                    : total - done;
}

/* Bytes of the next request. */
static uint32_t piece_bytes(const struct tma_flight *flight, uint64_t address) {
    const struct tma_row *row = &flight->row;
    uint32_t done = flight->row_done_bytes;
    uint32_t bytes =
        smaller(alike_bytes(row, done, flight->row_total_bytes), up_to(address, TMA_LINE_BYTES));
    if (flight->direction == TMA_PREFETCH)
        return bytes;
    if (row->data_global_bytes == row->data_bytes)
        bytes = smaller(bytes, up_to(row->shared_address + done, TMA_LINE_BYTES));
    if (flight->direction != TMA_LOAD)
        return bytes;
    uint32_t sector_left = up_to(address, TMA_SECTOR_BYTES);
    if (sector_left < TMA_SECTOR_BYTES || bytes < TMA_SECTOR_BYTES)
        return smaller(bytes, sector_left);
    return bytes - bytes % TMA_SECTOR_BYTES;
}

static bool is_partial(const struct tma_flight *flight, uint32_t offset, uint32_t bytes) {
    if (flight->direction == TMA_REDUCE)
        return flight->half_work && bytes <= TMA_SECTOR_BYTES / 2;
    return (offset | bytes) % TMA_SECTOR_BYTES != 0;
}

/* Where the row was one request, so is each of the rest of its run, of the next rows' lines. Most
 * boxes have such rows; this takes a tenth of the time of finding it out for every row. */
static void expect_alike(struct tma_flight *flight, const struct tma_piece *piece) {
    const struct tma_row_run *run = &flight->rows.run;
    if ((run->global_step_bytes | run->shared_step_bytes) % TMA_LINE_BYTES != 0)
        return;
    uint32_t rows = tma_rows_take_run(&flight->rows);
    count_rows(flight, rows);
    flight->alike = (struct tma_alike){piece->line, run->global_step_bytes / TMA_LINE_BYTES,
                                       rows,        piece->sectors,
                                       piece->fill, piece->partial};
}

/* Field by field: to read as a whole what was written in parts, the host would wait. */
static void take_alike(struct tma_alike *alike, struct tma_piece *piece) {
    alike->rows--;
    alike->line += alike->step_lines;
    piece->line = alike->line;
    piece->sectors = alike->sectors;
    piece->fill = alike->fill;
    piece->partial = alike->partial;
}

bool tma_flight_piece(struct tma_flight *flight, struct tma_piece *piece) {
    if (flight->alike.rows > 0) {
        take_alike(&flight->alike, piece);
        return true;
    }
    if (!next_row(flight))
        return false;
    const struct tma_row *row = &flight->row;
    uint32_t done = flight->row_done_bytes;
    uint64_t address = row->global_address - row->before_bytes + done;
    uint32_t bytes = piece_bytes(flight, address);
    uint32_t offset = (uint32_t)(address % TMA_LINE_BYTES);
    uint32_t sectors = tma_sector_mask(offset, offset + bytes - 1);
    bool data = done >= row->before_bytes && done < row->before_bytes + row->data_global_bytes;
    *piece = (struct tma_piece){
        .line = address / TMA_LINE_BYTES,
        .sectors = (uint8_t)sectors,
        .fill = !data,
        .partial = data && is_partial(flight, offset, bytes),
    };
    flight->row_done_bytes = done + bytes;
    if (bytes == flight->row_total_bytes)
        expect_alike(flight, piece);
    return true;
}
