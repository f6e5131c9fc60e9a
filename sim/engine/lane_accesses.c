#include "engine/lane_accesses.h"

#include <inttypes.h>

#include "banks/banks.h"
#include "base/allocation.h"
#include "base/array.h"
#include "memory/core/sectors.h"
#include "placement/rows.h"

/* Pieces of a row. */
static uint32_t parts_of(const struct tma_lanes *lanes, const struct tma_operation_size *size) {
    return (size->row_moved_bytes + lanes->lane_bytes - 1) / lanes->lane_bytes;
}

/* Pieces that lanes have, of so many rows. */
static uint64_t pieces_of(const struct tma_lanes *lanes, const struct tma_operation_size *size,
                          uint32_t rows) {
    uint64_t pieces = (uint64_t)rows * parts_of(lanes, size);
    bool all = lanes->active == 0 || (lanes->active >= pieces && lanes->order != TMA_PIECES_SAME);
    return all ? pieces : lanes->active;
}

uint64_t tma_lane_instructions(const struct tma_lanes *lanes,
                               const struct tma_operation_size *size) {
    return (pieces_of(lanes, size, size->rows) + TMA_WARP_LANES - 1) / TMA_WARP_LANES;
}

enum tma_error_code tma_lane_row_at(const struct tma_lanes *lanes, int64_t entry, int32_t *row,
                                    struct tma_error *error) {
    const struct tma_expression_table *table = lanes->rows;
    if (entry < 0 || entry >= table->count)
        return tma_fail(error, TMA_ERROR_FAULT,
                        "it takes row %" PRId64 " from a table of %u entries", entry, table->count);
    if (table->values[entry] < INT32_MIN || table->values[entry] > INT32_MAX)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "entry %" PRId64 " of its table is %" PRId64
                        "; allowed: 32 bits with a sign",
                        entry, table->values[entry]);
    *row = (int32_t)table->values[entry];
    return TMA_OK;
}

/* Appends the rows of an operation. */
static bool add_rows(struct tma_lane_rows *found, struct tma_row_stream *stream, uint32_t *count,
                     struct tma_completion *sum) {
    struct tma_row row;
    while (tma_rows_next(stream, &row)) {
        if (!TMA_GROW(found->rows, *count, found->capacity))
            return false;
        found->rows[(*count)++] =
            (struct tma_lane_row){row.global_address, row.before_bytes, row.data_bytes};
        sum->rows++;
        sum->rows_out_of_bounds += row.data_bytes == 0;
        sum->tensor_bytes += row.data_bytes;
    }
    return true;
}

/* Finds the rows of the tile, which a table may name. */
static enum tma_error_code find_rows(struct tma_lane_rows *found, const struct tma_issued *issued,
                                     const struct tma_tensor_map *whole, uint32_t *count,
                                     struct tma_operation_size *size, struct tma_completion *sum,
                                     struct tma_error *error) {
    struct tma_tensor_map map = *whole;
    struct tma_operation operation = issued->operation;
    const struct tma_expression_table *table = issued->lanes.rows;
    struct tma_row_stream stream;
    enum tma_error_code code;
    uint32_t times = table != NULL ? map.box_dim[1] : 1;
    if (table != NULL)
        map.box_dim[1] = 1;
    for (uint32_t i = 0; i < times; i++) {
        if (table != NULL) {
            code = tma_lane_row_at(&issued->lanes, issued->entry + i, &operation.coordinates[1],
                                   error);
            if (code != TMA_OK)
                return code;
        }
        code = tma_rows_begin(&stream, &map, &operation, size, error);
        if (code != TMA_OK)
            return code;
        if (!add_rows(found, &stream, count, sum))
            return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    size->rows *= times;
    return TMA_OK;
}

/* The address of a lane's piece, and how much of it is in the tensor; 0: nothing. */
static uint32_t find_piece(const struct tma_lane_row *row, uint32_t part, uint32_t bytes,
                           uint64_t *address) {
    uint32_t first = part * bytes, end = first + bytes, data_end = row->before + row->bytes;
    first = first > row->before ? first : row->before;
    end = end < data_end ? end : data_end;
    if (first >= end)
        return 0;
    *address = row->address + (first - row->before);
    return end - first;
}

/* Adds what a lane touches to an access. */
static void add_lane(struct tma_access *access, uint32_t line_bytes[TMA_MAX_ACCESS_LINES],
                     uint64_t address, uint32_t bytes) {
    uint64_t line = address / TMA_LINE_BYTES;
    uint32_t first = (uint32_t)(address % TMA_LINE_BYTES),
             last = (uint32_t)((address + bytes - 1) % TMA_LINE_BYTES);
    uint32_t i = access->line_count;
    while (i > 0 && access->lines[i - 1].line != line)
        i--;
    if (i == 0) {
        i = ++access->line_count;
        access->lines[i - 1] = (struct tma_access_line){.line = line};
        line_bytes[i - 1] = 0;
    }
    access->lines[i - 1].sectors |= (uint8_t)tma_sector_mask(first, last);
    line_bytes[i - 1] += bytes;
}

/* Forms one instruction of a warp: the pieces from `first` on. `bytes` and `line_count` are 0 where
 * none of them is in the tensor. */
static enum tma_error_code form_access(const struct tma_lane_rows *found,
                                       const struct tma_lanes *lanes, struct tma_access *access,
                                       uint64_t first, uint64_t end, uint32_t row_parts,
                                       uint32_t row_count, struct tma_error *error) {
    uint32_t line_bytes[TMA_MAX_ACCESS_LINES], touched = 0;
    bool same = lanes->order == TMA_PIECES_SAME, strided = lanes->order == TMA_PIECES_STRIDED;
    /* Pieces of a row follow each other, or, strided, the same piece of each row. */
    uint64_t piece = same ? 0 : first, most = strided ? row_count : row_parts;
    uint64_t inner = piece % most, outer = piece / most;
    access->line_count = access->bytes = 0;
    for (uint64_t i = first; i < end; i++) {
        uint64_t address, row = strided ? inner : outer;
        uint32_t part = (uint32_t)(strided ? outer : inner);
        uint32_t bytes = find_piece(&found->rows[row], part, lanes->lane_bytes, &address);
        if (!same && ++inner == most) {
            inner = 0;
            outer++;
        }
        if (bytes == 0)
            continue;
        /* lane_bytes is a power of two. */
        if ((address & (lanes->lane_bytes - 1)) != 0 && address % bytes != 0)
            return tma_fail(error, TMA_ERROR_FAULT,
                            "a lane accesses %u bytes at address %" PRIu64
                            ", which is no multiple of that",
                            lanes->lane_bytes, address);
        add_lane(access, line_bytes, address, bytes);
        access->bytes += bytes;
        touched++;
    }
    if (access->line_count == 0)
        return TMA_OK;
    access->wavefronts = lanes->by == TMA_BY_CP_ASYNC ? 0 : access->line_count;
    for (uint32_t l = 0; l < access->line_count; l++) {
        struct tma_access_line *line = &access->lines[l];
        line->partial = line_bytes[l] < TMA_SECTOR_BYTES * tma_sector_count(line->sectors);
        line->rounds = lanes->order == TMA_PIECES_SAME && !lanes->combines ? (uint8_t)touched : 1;
    }
    return TMA_OK;
}

static enum tma_access_kind kind_of(const struct tma_issued *issued) {
    if (issued->operation.direction == TMA_STORE)
        return TMA_ACCESS_STORE;
    if (issued->operation.direction != TMA_REDUCE)
        return TMA_ACCESS_LOAD;
    return issued->lanes.returns ? TMA_ACCESS_ATOMIC : TMA_ACCESS_REDUCE;
}

/* Hands over one instruction of a warp: the pieces from `first` on. */
static enum tma_error_code access_once(struct tma_simulation *simulation, struct tma_issued *issued,
                                       struct tma_access *access, uint64_t first, uint64_t end,
                                       uint32_t row_parts, uint32_t row_count,
                                       struct tma_error *error) {
    enum tma_error_code code = form_access(&simulation->lane_rows, &issued->lanes, access, first,
                                           end, row_parts, row_count, error);
    if (code != TMA_OK || access->line_count == 0)
        return code;
    issued->accesses++;
    issued->sum.requests += access->line_count;
    if (!tma_memory_access(simulation->memory, access))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    return TMA_OK;
}

/* The last access of an operation is done. */
static bool complete(struct tma_simulation *simulation, struct tma_issued *issued) {
    return tma_completion_queue_push(&simulation->completions, &issued->sum,
                                     (uint64_t)issued->actor << 32 | issued->order);
}

enum tma_error_code tma_lanes_hand_over(struct tma_simulation *simulation,
                                        struct tma_issued *issued, uint64_t cycle, uint64_t tag,
                                        uint32_t sm, struct tma_error *error) {
    const struct tma_program_maps *maps = &simulation->maps;
    struct tma_tensor_map map = maps->maps[issued->map];
    const struct tma_lanes *lanes = &issued->lanes;
    struct tma_operation_size size = {.rows = 0};
    uint32_t rows = 0;
    uint64_t now = tma_memory_now(simulation->memory);
    struct tma_access access = {.cycle = cycle > now ? cycle : now,
                                .tag = tag,
                                .sm = sm,
                                .kind = kind_of(issued),
                                .caching = lanes->caching,
                                .policy = lanes->policy};
    map.global_address += maps->arrays[issued->map].pitch_bytes * issued->map_index;
    issued->sum = (struct tma_completion){.tag = tag, .sm = sm, .issue_cycle = cycle};
    enum tma_error_code code =
        find_rows(&simulation->lane_rows, issued, &map, &rows, &size, &issued->sum, error);
    if (code != TMA_OK)
        return code;
    uint32_t parts = parts_of(lanes, &size);
    uint64_t pieces = pieces_of(lanes, &size, rows);
    issued->sum.writes = tma_writes_tensor(issued->operation.direction);
    issued->sum.bytes = size.row_moved_bytes * rows;
    issued->sum.cycle = issued->sum.start_cycle = issued->sum.rows_cycle = access.cycle;
    issued->accesses = 0;
    for (uint64_t first = 0; first < pieces && code == TMA_OK; first += TMA_WARP_LANES)
        code = access_once(simulation, issued, &access, first,
                           first + TMA_WARP_LANES < pieces ? first + TMA_WARP_LANES : pieces, parts,
                           rows, error);
    issued->sum.sent_cycle = issued->sum.arrival_cycle = issued->sum.cycle;
    if (code == TMA_OK && issued->accesses == 0 && !complete(simulation, issued))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    return code;
}

enum tma_error_code tma_lanes_demand(const struct tma_tensor_map *map,
                                     const struct tma_operation *operation,
                                     const struct tma_lanes *lanes, struct tma_lanes_demand *demand,
                                     struct tma_error *error) {
    const struct tma_issued issued = {.operation = *operation, .lanes = *lanes};
    struct tma_lane_rows found = {0};
    struct tma_operation_size size = {.rows = 0};
    struct tma_completion sum = {0};
    struct tma_access access = {.line_count = 0};
    uint32_t rows = 0;
    *demand = (struct tma_lanes_demand){0};
    enum tma_error_code code = find_rows(&found, &issued, map, &rows, &size, &sum, error);
    uint64_t pieces = code == TMA_OK ? pieces_of(lanes, &size, rows) : 0;
    for (uint64_t first = 0; first < pieces && code == TMA_OK; first += TMA_WARP_LANES) {
        uint64_t end = first + TMA_WARP_LANES < pieces ? first + TMA_WARP_LANES : pieces;
        uint32_t sectors = 0;
        code = form_access(&found, lanes, &access, first, end, parts_of(lanes, &size), rows, error);
        for (uint32_t i = 0; code == TMA_OK && i < access.line_count; i++) {
            sectors += tma_sector_count(access.lines[i].sectors);
            demand->repeats += operation->direction == TMA_REDUCE ? access.lines[i].rounds - 1u : 0;
        }
        uint32_t full = (access.bytes + TMA_SECTOR_BYTES - 1) / TMA_SECTOR_BYTES;
        demand->accesses += access.line_count > 0;
        demand->sectors += sectors;
        demand->ideal_sectors += full < sectors ? full : sectors;
    }
    tma_release(found.rows);
    return code;
}

/* The part of a line of shared memory that the lanes of one instruction touch. */
static struct tma_access_line part_of_line(uint64_t first, uint64_t end, uint64_t line) {
    uint64_t from = line * TMA_LINE_BYTES, to = from + TMA_LINE_BYTES;
    uint32_t begin = (uint32_t)((first > from ? first : from) - from);
    uint32_t last = (uint32_t)((end < to ? end : to) - from) - 1;
    uint32_t sectors = tma_sector_mask(begin, last);
    enum { UNIT_BYTES = 16 };
    return (struct tma_access_line){
        .line = line,
        .sectors = (uint8_t)sectors,
        .partial = last + 1 - begin < TMA_SECTOR_BYTES * tma_sector_count(sectors),
        .units = (uint8_t)((2u << last / UNIT_BYTES) - (1u << begin / UNIT_BYTES)),
        .rounds = 1};
}

bool tma_lanes_hand_over_distant(struct tma_simulation *simulation, struct tma_issued *issued,
                                 uint64_t cycle, uint64_t tag, uint32_t sm) {
    const struct tma_lanes *lanes = &issued->lanes;
    uint64_t now = tma_memory_now(simulation->memory),
             pieces = tma_distant_pieces(lanes, issued->bytes);
    bool same = lanes->order == TMA_PIECES_SAME;
    struct tma_access access = {.cycle = cycle > now ? cycle : now,
                                .tag = tag,
                                .sm = sm,
                                .kind = kind_of(issued),
                                .distant = true,
                                .peer = issued->peer};
    issued->sum = (struct tma_completion){.tag = tag,
                                          .sm = issued->peer,
                                          .copied = issued->peer != sm,
                                          .bytes = issued->bytes,
                                          .issue_cycle = cycle,
                                          .cycle = access.cycle};
    issued->accesses = 0;
    for (uint64_t first = 0; first < pieces; first += TMA_WARP_LANES) {
        uint32_t active =
            (uint32_t)(pieces - first < TMA_WARP_LANES ? pieces - first : TMA_WARP_LANES);
        uint64_t from = issued->operation.shared_address + (same ? 0 : first * lanes->lane_bytes),
                 to = from + (same ? 1 : active) * lanes->lane_bytes;
        access.bytes = active * lanes->lane_bytes;
        access.wavefronts = (access.bytes + TMA_LINE_BYTES - 1) / TMA_LINE_BYTES;
        access.line_count = 0;
        for (uint64_t line = from / TMA_LINE_BYTES; line * TMA_LINE_BYTES < to; line++)
            access.lines[access.line_count++] = part_of_line(from, to, line);
        if (same && !lanes->combines)
            access.lines[0].rounds = (uint8_t)active;
        issued->accesses++;
        if (!tma_memory_access(simulation->memory, &access))
            return false;
    }
    return true;
}

bool tma_lanes_end_access(struct tma_simulation *simulation, struct tma_issued *issued,
                          uint64_t cycle) {
    if (cycle > issued->sum.cycle)
        issued->sum.cycle = issued->sum.arrival_cycle = issued->sum.sent_cycle = cycle;
    return --issued->accesses > 0 || complete(simulation, issued);
}
