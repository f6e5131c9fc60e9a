/* From an operation's rows to its requests: one for each row and 128-byte line. */
#include "memory/flight.h"

/* Moves on to the operation's next row; false after the last. */
static bool next_row(struct tma_flight *flight) {
    if (flight->row_done_bytes < flight->row_total_bytes)
        return true;
    if (!tma_rows_next(&flight->rows, &flight->row))
        return false;
    flight->row_done_bytes = 0;
    flight->row_total_bytes =
        flight->row.before_bytes + flight->row.data_bytes + flight->row.after_bytes;
    flight->completion.rows++;
    flight->completion.tensor_bytes += flight->row.data_bytes;
    flight->completion.rows_out_of_bounds += flight->row.data_bytes == 0;
    return true;
}

/* Bit per sector of a line that the bytes from `first` to `last` of it touch. */
static uint32_t sector_mask(uint32_t first, uint32_t last) {
    return (2u << last / TMA_SECTOR_BYTES) - (1u << first / TMA_SECTOR_BYTES);
}

bool tma_flight_piece(struct tma_flight *flight, struct tma_piece *piece) {
    if (!next_row(flight))
        return false;
    const struct tma_row *row = &flight->row;
    uint64_t address = row->global_address - row->before_bytes + flight->row_done_bytes;
    uint32_t offset = (uint32_t)(address % TMA_LINE_BYTES);
    uint32_t left = flight->row_total_bytes - flight->row_done_bytes;
    uint32_t bytes = left < TMA_LINE_BYTES - offset ? left : TMA_LINE_BYTES - offset;
    /* The part of it that is of the tensor, in bytes of the row. */
    uint32_t begin = flight->row_done_bytes, end = begin + bytes;
    uint32_t data_end = row->before_bytes + row->data_bytes;
    uint32_t from = begin > row->before_bytes ? begin : row->before_bytes;
    uint32_t to = end < data_end ? end : data_end;
    *piece = (struct tma_piece){
        .line = address / TMA_LINE_BYTES,
        .count = (uint8_t)tma_sector_count(sector_mask(offset, offset + bytes - 1)),
    };
    if (from < to) {
        uint32_t first = offset + (from - begin), past = offset + (to - begin);
        piece->bytes = to - from;
        piece->sectors = (uint8_t)sector_mask(first, past - 1);
        piece->partial = first % TMA_SECTOR_BYTES != 0 || past % TMA_SECTOR_BYTES != 0;
    }
    flight->row_done_bytes = end;
    return true;
}
