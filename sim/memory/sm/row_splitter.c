#include "memory/sm/row_splitter.h"

#include "base/numbers.h"
#include "tensormap/types.h"

/* L2 reduces these types 16 bytes at a time: two steps for a sector. */
static bool is_short_float(enum tma_data_type type) {
    return type == TMA_FLOAT16 || type == TMA_BFLOAT16 || type == TMA_FLOAT32;
}

void tma_row_splitter_init(struct tma_row_splitter *splitter, const struct tma_row_stream *rows,
                           enum tma_direction direction, enum tma_data_type type) {
    *splitter = (struct tma_row_splitter){.direction = direction,
                                          .half_work = is_short_float(type),
                                          .global_bits = (uint8_t)tma_type_info(type)->global_bits,
                                          .shared_bits = (uint8_t)tma_type_info(type)->shared_bits,
                                          .stream = *rows};
}

static void count_rows(struct tma_row_splitter *splitter, uint32_t rows) {
    splitter->rows += rows;
    splitter->tensor_bytes += rows * splitter->row.data_global_bytes;
    splitter->rows_out_of_bounds += splitter->row.data_bytes == 0 ? rows : 0;
}

/* Fill is moved as packed as data: without the padding that sub-byte types have in shared memory.
 */
static void pack_fill(const struct tma_row_splitter *splitter, struct tma_row *row) {
    if (splitter->global_bits == splitter->shared_bits)
        return;
    row->before_bytes = row->before_bytes * splitter->global_bits / splitter->shared_bits;
    row->after_bytes = row->after_bytes * splitter->global_bits / splitter->shared_bits;
}

/* Makes the next row the current one; false after the last. */
static bool next_row(struct tma_row_splitter *splitter) {
    struct tma_row *row = &splitter->row;
    if (splitter->run_rows > 0) {
        splitter->run_rows--;
        row->global_address += splitter->global_step_bytes;
        row->shared_address += splitter->shared_step_bytes;
    } else {
        const struct tma_row_run *run = tma_rows_next_run(&splitter->stream);
        if (run == NULL)
            return false;
        *row = run->first;
        pack_fill(splitter, row);
        splitter->run_rows = run->rows - 1;
        splitter->global_step_bytes = run->global_step_bytes;
        splitter->shared_step_bytes = run->shared_step_bytes;
        splitter->row_total_bytes = row->before_bytes + row->data_global_bytes + row->after_bytes;
    }
    splitter->row_done_bytes = 0;
    count_rows(splitter, 1);
    return true;
}

/* Bytes up to the next multiple of `unit`, a power of two. */
static uint32_t up_to(uint64_t address, uint32_t unit) {
    return unit - (uint32_t)(address & (unit - 1));
}

/* Bytes of a row from `done` on that are all data, or all fill. */
static uint32_t segment_bytes(const struct tma_row *row, uint32_t done, uint32_t total) {
    uint32_t data_end = row->before_bytes + row->data_global_bytes;
    return done < row->before_bytes ? row->before_bytes - done
           : done < data_end        ? data_end - done
                                    : total - done;
}

/* Bytes of the next line request. */
static uint32_t request_bytes(const struct tma_row_splitter *splitter, uint64_t address) {
    const struct tma_row *row = &splitter->row;
    uint32_t done = splitter->row_done_bytes;
    uint32_t bytes = tma_least(segment_bytes(row, done, splitter->row_total_bytes),
                               up_to(address, TMA_LINE_BYTES));
    if (splitter->direction == TMA_PREFETCH)
        return bytes;
    if (row->data_global_bytes == row->data_bytes)
        bytes = tma_least(bytes, up_to(row->shared_address + done, TMA_LINE_BYTES));
    if (splitter->direction != TMA_LOAD)
        return bytes;
    uint32_t sector_left = up_to(address, TMA_SECTOR_BYTES);
    if (sector_left < TMA_SECTOR_BYTES || bytes < TMA_SECTOR_BYTES)
        return tma_least(bytes, sector_left);
    return bytes - bytes % TMA_SECTOR_BYTES;
}

bool tma_row_splitter_is_partial(const struct tma_row_splitter *splitter, uint32_t offset,
                                 uint32_t bytes) {
    if (splitter->direction == TMA_REDUCE)
        return splitter->half_work && bytes <= TMA_SECTOR_BYTES / 2;
    return (offset | bytes) % TMA_SECTOR_BYTES != 0;
}

/* Where a row is one line request, and the rows of its run are whole lines apart, the rest of the
 * run is uniform. Most boxes have such rows; to find that out for each row would take ten times as
 * long.
 */
static void begin_uniform_run(struct tma_row_splitter *splitter,
                              const struct tma_line_request *request) {
    if ((splitter->global_step_bytes | splitter->shared_step_bytes) % TMA_LINE_BYTES != 0)
        return;
    uint64_t step_lines = splitter->global_step_bytes / TMA_LINE_BYTES;
    splitter->uniform = (struct tma_uniform_run){*request, step_lines, splitter->run_rows};
    splitter->uniform.request.line += step_lines;
    count_rows(splitter, splitter->run_rows);
    splitter->run_rows = 0;
}

/* Takes requests from the front of a uniform run. It copies field by field: to load as a whole what
 * was just stored in parts would stall the host. */
static inline void take_uniform(struct tma_uniform_run *uniform, uint32_t requests,
                                struct tma_line_request *first) {
    first->line = uniform->request.line;
    first->sectors = uniform->request.sectors;
    first->fill = uniform->request.fill;
    first->fill_row = uniform->request.fill_row;
    first->partial = uniform->request.partial;
    uniform->requests -= requests;
    uniform->request.line += requests * uniform->step_lines;
}

/* Gives the next line request where none is left of a uniform run. */
static bool next_of_row(struct tma_row_splitter *splitter, struct tma_line_request *request) {
    if (splitter->row_done_bytes == splitter->row_total_bytes && !next_row(splitter))
        return false;
    const struct tma_row *row = &splitter->row;
    uint32_t done = splitter->row_done_bytes;
    uint64_t address = row->global_address - row->before_bytes + done;
    uint32_t bytes = request_bytes(splitter, address);
    uint32_t offset = (uint32_t)(address % TMA_LINE_BYTES);
    bool data = done >= row->before_bytes && done < row->before_bytes + row->data_global_bytes;
    *request = (struct tma_line_request){
        .line = address / TMA_LINE_BYTES,
        .sectors = (uint8_t)tma_sector_mask(offset, offset + bytes - 1),
        .fill = !data,
        .fill_row = !data && row->data_bytes == 0,
        .partial = data && tma_row_splitter_is_partial(splitter, offset, bytes),
    };
    splitter->row_done_bytes = done + bytes;
    if (bytes == splitter->row_total_bytes)
        begin_uniform_run(splitter, request);
    return true;
}

bool tma_row_splitter_next(struct tma_row_splitter *splitter, struct tma_line_request *request) {
    if (splitter->uniform.requests == 0)
        return next_of_row(splitter, request);
    take_uniform(&splitter->uniform, 1, request);
    return true;
}

bool tma_row_splitter_next_run(struct tma_row_splitter *splitter, uint32_t most,
                               struct tma_uniform_run *run) {
    struct tma_uniform_run *uniform = &splitter->uniform;
    run->step_lines = uniform->step_lines;
    if (uniform->requests == 0) {
        run->requests = 1;
        return next_of_row(splitter, &run->request);
    }
    run->requests = tma_least(uniform->requests, most);
    take_uniform(uniform, run->requests, &run->request);
    return true;
}
