/* The row splitter, compared with a plain reference that looks at each byte of each row, on random
 * boxes. */
#include "memory/sm/row_splitter.h"
#include "random_operation.h"
#include "suite.h"
#include "tensormap/types.h"

enum { BOXES = 3000, OPERATIONS = 200 };

/* The part of a row that a byte belongs to. */
enum part { BEFORE, DATA, AFTER };

struct row_byte {
    enum part part;
    uint64_t address;      /* in global memory */
    uint32_t shared;       /* in shared memory */
    bool new_piece;        /* a line of global or shared memory begins, or another part */
    bool in_whole_sector;  /* all bytes of its sector belong to its piece */
    bool begins_in_sector; /* the sector begins with it */
};

/* Addresses are modulo 2^64: rows that are out of bounds may lie ahead of address 0. */
#define LINES (UINT64_C(1) << 57)

enum { MAX_ROW_BYTES = 2048 };

static struct row_byte bytes[MAX_ROW_BYTES];

/* Marks the bytes of the `count` ones from `first` on, one piece, whose sectors are whole. */
static void mark_whole_sectors(uint32_t first, uint32_t count) {
    for (uint32_t i = first; i < first + count; i++) {
        uint32_t begin = i;
        while (begin > first && !bytes[begin].begins_in_sector)
            begin--;
        bytes[i].in_whole_sector =
            bytes[begin].begins_in_sector && begin + TMA_SECTOR_BYTES <= first + count;
    }
}

/* Describes every byte of a row that is moved: without the padding of sub-byte types, in fill too.
 * Returns their number. */
static uint32_t describe(const struct tma_row *row, enum tma_direction direction,
                         enum tma_data_type type) {
    const struct tma_type_info *info = tma_type_info(type);
    uint32_t before = row->before_bytes * info->global_bits / info->shared_bits;
    uint32_t after = row->after_bytes * info->global_bits / info->shared_bits;
    uint32_t data_end = before + row->data_global_bytes;
    uint32_t count = data_end + after, piece = 0;
    bool padded = row->data_global_bytes != row->data_bytes; /* sub-byte types with padding */
    ck_assert_uint_le(count, MAX_ROW_BYTES);
    for (uint32_t i = 0; i < count; i++) {
        struct row_byte *byte = &bytes[i];
        *byte = (struct row_byte){.part = i < before     ? BEFORE
                                          : i < data_end ? DATA
                                                         : AFTER,
                                  .address = row->global_address - before + i,
                                  .shared = row->shared_address + i};
        byte->begins_in_sector = byte->address % TMA_SECTOR_BYTES == 0;
        byte->new_piece =
            i == 0 || byte->part != bytes[i - 1].part || byte->address % TMA_LINE_BYTES == 0 ||
            (direction != TMA_PREFETCH && !padded && byte->shared % TMA_LINE_BYTES == 0);
        if (byte->new_piece && i > 0)
            mark_whole_sectors(piece, i - piece);
        piece = byte->new_piece ? i : piece;
    }
    mark_whole_sectors(piece, count - piece);
    return count;
}

/* Whether a line request begins with byte i. Loads ask for whole sectors apart from parts. */
static bool begins_request(uint32_t i, enum tma_direction direction) {
    if (bytes[i].new_piece)
        return true;
    return direction == TMA_LOAD && bytes[i].begins_in_sector &&
           !(bytes[i - 1].in_whole_sector && bytes[i].in_whole_sector);
}

static bool is_short_float(enum tma_data_type type) {
    return type == TMA_FLOAT16 || type == TMA_BFLOAT16 || type == TMA_FLOAT32;
}

/* The line request that begins with byte `first` of `count`. Returns the number of its bytes. */
static uint32_t reference_request(const struct tma_row *row, enum tma_direction direction,
                                  enum tma_data_type type, uint32_t first, uint32_t count,
                                  struct tma_line_request *request) {
    *request = (struct tma_line_request){.line = bytes[first].address / TMA_LINE_BYTES,
                                         .fill = bytes[first].part != DATA,
                                         .fill_row = row->data_bytes == 0};
    uint32_t end = first, sectors = 0;
    bool part_of_sector = false;
    for (; end < count && (end == first || !begins_request(end, direction)); end++) {
        sectors |= 1u << bytes[end].address % TMA_LINE_BYTES / TMA_SECTOR_BYTES;
        part_of_sector |= !bytes[end].in_whole_sector;
    }
    request->sectors = (uint8_t)sectors;
    if (direction == TMA_REDUCE)
        part_of_sector = is_short_float(type) && end - first <= TMA_SECTOR_BYTES / 2;
    request->partial = !request->fill && part_of_sector;
    return end - first;
}

static bool is_same(const struct tma_line_request *a, const struct tma_line_request *b) {
    return a->line % LINES == b->line % LINES && a->sectors == b->sectors && a->fill == b->fill &&
           a->fill_row == b->fill_row && a->partial == b->partial;
}

/* Gives the requests of runs one by one. Runs have at most 1 to 40 requests, by turns. */
struct run_reader {
    struct tma_row_splitter splitter;
    struct tma_uniform_run run;
    uint32_t taken, most;
};

static bool next_of_run(struct run_reader *reader, struct tma_line_request *request) {
    if (reader->taken == reader->run.requests) {
        reader->most = reader->most % 40 + 1;
        reader->taken = 0;
        if (!tma_row_splitter_next_run(&reader->splitter, reader->most, &reader->run))
            return false;
        ck_assert_uint_ge(reader->run.requests, 1);
        ck_assert_uint_le(reader->run.requests, reader->most);
    }
    *request = reader->run.request;
    request->line += reader->taken++ * reader->run.step_lines;
    return true;
}

/* Compares the line requests of an operation with the reference, one by one and in runs. */
static void compare(const struct tma_tensor_map *map, const struct tma_operation *operation) {
    struct tma_row_stream rows;
    struct tma_row_splitter splitter;
    struct run_reader runs = {.taken = 0};
    struct tma_line_request expected, request, of_run;
    struct tma_row row;
    uint32_t row_count = 0, out_of_bounds = 0, tensor_bytes = 0;
    enum tma_direction direction = operation->direction;
    ck_assert_int_eq(tma_rows_begin(&rows, map, operation, NULL, NULL), TMA_OK);
    tma_row_splitter_init(&splitter, &rows, direction, map->data_type);
    tma_row_splitter_init(&runs.splitter, &rows, direction, map->data_type);
    while (tma_rows_next(&rows, &row)) {
        uint32_t count = describe(&row, direction, map->data_type), taken;
        for (uint32_t first = 0; first < count; first += taken) {
            taken = reference_request(&row, direction, map->data_type, first, count, &expected);
            if (!tma_row_splitter_next(&splitter, &request) || !is_same(&request, &expected))
                ck_abort_msg("row %u, byte %u: line %llx, sectors %x, fill %d, fill row %d, "
                             "partial %d; not %llx, %x, %d, %d, %d",
                             row_count, first, (unsigned long long)request.line, request.sectors,
                             request.fill, request.fill_row, request.partial,
                             (unsigned long long)expected.line, expected.sectors, expected.fill,
                             expected.fill_row, expected.partial);
            ck_assert(next_of_run(&runs, &of_run) && is_same(&of_run, &expected));
        }
        row_count++;
        out_of_bounds += row.data_bytes == 0;
        tensor_bytes += row.data_global_bytes;
    }
    ck_assert(!tma_row_splitter_next(&splitter, &request));
    ck_assert(!next_of_run(&runs, &of_run));
    ck_assert_uint_eq(runs.splitter.rows, row_count);
    ck_assert_uint_eq(runs.splitter.tensor_bytes, tensor_bytes);
    ck_assert_uint_eq(splitter.rows, row_count);
    ck_assert_uint_eq(splitter.rows_out_of_bounds, out_of_bounds);
    ck_assert_uint_eq(splitter.tensor_bytes, tensor_bytes);
}

static const enum tma_direction directions[] = {TMA_LOAD, TMA_PREFETCH, TMA_STORE, TMA_REDUCE};

/* Boxes of a matrix: rows of 16 to 1024 bytes that begin anywhere, at a pitch of their own, also
 * beside the matrix. Some pitches are whole lines, which makes uniform runs. Coordinates of stores
 * are not negative, as hardware faults on them. */
TEST_ROWS(test_rows_of_a_matrix, TABLE_ROWS(directions)) {
    static const enum tma_data_type types[] = {TMA_FLOAT32, TMA_INT32, TMA_FLOAT16, TMA_UINT64};
    uint64_t state = 1 + (uint64_t)_i;
    bool writes = directions[_i] == TMA_STORE || directions[_i] == TMA_REDUCE;
    for (int n = 0; n < BOXES; n++) {
        enum tma_data_type type = types[random_between(&state, 0, 3)];
        int64_t element = tma_type_info(type)->global_bits / 8, unit = 16 / element;
        int64_t columns = random_between(&state, 1, 96) * unit;
        int64_t lines = random_between(&state, 0, 1) == 0 ? 128 : 16;
        int64_t pitch = (columns * element + lines - 1) / lines * lines;
        int64_t most = 1024 / element < 256 ? 1024 / element : 256;
        struct tma_tensor_map map = {
            .kind = TMA_MAP_TILED,
            .data_type = type,
            .rank = 2,
            .global_address = 0x10000000 + 16 * (uint64_t)random_between(&state, 0, 8),
            .global_dim = {(uint64_t)columns, 64},
            .global_strides = {(uint64_t)(pitch + lines * random_between(&state, 0, 4))},
            .box_dim = {(uint32_t)(random_between(&state, 1, most / unit) * unit),
                        (uint32_t)random_between(&state, 1, 12)},
            .element_strides = {1, (uint32_t)random_between(&state, 1, 3)}};
        struct tma_operation operation = {
            .direction = directions[_i],
            .shared_address = 128 * (uint32_t)random_between(&state, 0, 15),
            .coordinates = {(int32_t)(random_between(&state, writes ? 0 : -20, 100) * unit),
                            (int32_t)random_between(&state, writes ? 0 : -5, 66)}};
        compare(&map, &operation);
    }
}

/* Operations of all access modes, data types and interleaves. */
static const struct {
    enum tma_direction direction;
    enum tma_access_mode access;
} modes[] = {
    {TMA_LOAD, TMA_ACCESS_TILE},        {TMA_LOAD, TMA_ACCESS_GATHER4},
    {TMA_LOAD, TMA_ACCESS_IM2COL},      {TMA_LOAD, TMA_ACCESS_IM2COL_W},
    {TMA_LOAD, TMA_ACCESS_IM2COL_W128}, {TMA_PREFETCH, TMA_ACCESS_TILE},
    {TMA_PREFETCH, TMA_ACCESS_GATHER4}, {TMA_PREFETCH, TMA_ACCESS_IM2COL},
    {TMA_STORE, TMA_ACCESS_TILE},       {TMA_STORE, TMA_ACCESS_GATHER4},
    {TMA_STORE, TMA_ACCESS_IM2COL},     {TMA_REDUCE, TMA_ACCESS_TILE},
    {TMA_REDUCE, TMA_ACCESS_IM2COL},
};

TEST_ROWS(test_rows_of_all_modes, TABLE_ROWS(modes)) {
    uint64_t state = 100 + (uint64_t)_i;
    for (int n = 0; n < OPERATIONS; n++) {
        struct tma_tensor_map map;
        struct tma_operation operation;
        random_operation(&state, modes[_i].access, modes[_i].direction, &map, &operation);
        compare(&map, &operation);
    }
}

TEST_SUITE("row splitter", .timeout = 60);
