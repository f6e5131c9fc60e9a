/* Replays the placement maps of an H200: for each byte of shared memory that a load wrote, where it
 * came from. A failure names the byte. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/suite.h"
#include "placement/rows.h"
#include "placement/swizzle.h"
#include "records/operation_record.h"

/* The source of a byte of shared memory: an offset in the global buffer, or one of these. */
enum { UNTOUCHED = -1, FILL = -2 };

enum { LARGEST_WINDOW_BYTES = 256 << 10 };

struct byte_map {
    int32_t source[LARGEST_WINDOW_BYTES];
    uint32_t bytes;
};

/* Check writes a file at each assertion, which is too slow for every byte. */
static void check_inside(const struct byte_map *map, uint64_t at) {
    if (at >= map->bytes)
        ck_abort_msg("byte %llu is outside the window of %u bytes", (unsigned long long)at,
                     map->bytes);
}

/* Fills in the source of every byte of the window by the row stream. */
static void map_rows(const struct tma_operation_record *record, struct byte_map *map) {
    struct tma_row_stream rows;
    struct tma_row row;
    struct tma_error error;
    ck_assert_msg(tma_rows_begin(&rows, &record->map, &record->operation, NULL, &error) == TMA_OK,
                  "%s", error.text);
    while (tma_rows_next(&rows, &row)) {
        uint32_t bytes = row.before_bytes + row.data_bytes + row.after_bytes;
        for (uint32_t i = 0; i < bytes; i++) {
            uint32_t at = tma_swizzle_address(record->map.swizzle, row.shared_address + i);
            bool data = i >= row.before_bytes && i < row.before_bytes + row.data_bytes;
            check_inside(map, at);
            map->source[at] = data ? (int32_t)(row.global_address + i - row.before_bytes) : FILL;
        }
    }
}

/* Fills in the source of every byte by a record: runs "smem:global+length" and "smem:F0+length",
 * separated by spaces. */
static void map_runs(const char *runs, struct byte_map *map) {
    for (const char *run = runs; *run != '\0'; run += strspn(run, " ")) {
        char *end;
        uint64_t at = strtoull(run, &end, 10);
        bool fill = end[1] == 'F';
        int32_t from = fill ? FILL : (int32_t)strtol(end + 1, NULL, 10);
        uint64_t length = strtoull(strchr(run, '+') + 1, &end, 10);
        for (uint64_t i = 0; i < length; i++) {
            check_inside(map, at + i);
            map->source[at + i] = fill ? FILL : from + (int32_t)i;
        }
        run = end;
    }
}

static uint8_t fill_byte(const struct tma_tensor_map *map, uint32_t at) {
    static const uint8_t nan_bytes[2] = {0xf7, 0x7f};
    return map->oob_fill == TMA_OOB_NAN ? nan_bytes[at % 2] : 0;
}

/* True if the measured and the modelled source of a byte agree. The measurement detects changed
 * bytes, so it lacks a byte that was overwritten with its old value. It derives the source from the
 * byte's value, which TF32 rounding changes: for these types it only distinguishes data from fill.
 * (The records of load_tile.tsv check the values.) */
static bool agrees(const struct tma_operation_record *record, int32_t measured, int32_t model,
                   uint32_t at) {
    if (measured == model)
        return true;
    uint8_t before, value = fill_byte(&record->map, at);
    if (measured == UNTOUCHED && model != UNTOUCHED) {
        if (model != FILL)
            tma_record_global_bytes((uint64_t)model, &value, 1);
        tma_record_shared_bytes(at, &before, 1);
        return value == before;
    }
    bool tf32 = record->map.data_type == TMA_TFLOAT32 || record->map.data_type == TMA_TFLOAT32_FTZ;
    return tf32 && model >= 0 && measured != UNTOUCHED;
}

static size_t find_record(const struct tma_tsv *records, const char *id) {
    for (size_t row = 0; row < records->rows; row++)
        if (strcmp(tma_tsv_cell(records, row, "id"), id) == 0)
            return row;
    return records->rows;
}

static void clear(struct byte_map *map, uint32_t bytes) {
    ck_assert_uint_le(bytes, LARGEST_WINDOW_BYTES);
    map->bytes = bytes;
    for (uint32_t i = 0; i < bytes; i++)
        map->source[i] = UNTOUCHED;
}

static void compare(const char *id, const struct tma_operation_record *record, const char *runs) {
    static struct byte_map measured, model;
    clear(&measured, record->window_bytes);
    clear(&model, record->window_bytes);
    map_runs(runs, &measured);
    map_rows(record, &model);
    for (uint32_t at = 0; at < record->window_bytes; at++)
        if (!agrees(record, measured.source[at], model.source[at], at))
            ck_abort_msg("record %s, byte %u of the window: measured from %d, model from %d "
                         "(-1 untouched, -2 fill)",
                         id, at, measured.source[at], model.source[at]);
}

TEST(every_byte_has_its_measured_source) {
    struct tma_tsv maps, records[2];
    ck_assert(tma_tsv_read("tests/hardware/h200/placement_maps.tsv", &maps, NULL) == TMA_OK);
    ck_assert(tma_tsv_read("tests/hardware/h200/load_tile.tsv", &records[0], NULL) == TMA_OK);
    ck_assert(tma_tsv_read("tests/hardware/h200/load_im2col.tsv", &records[1], NULL) == TMA_OK);
    ck_assert_uint_eq(maps.rows, 1200);
    for (size_t i = 0; i < maps.rows; i++) {
        const char *id = tma_tsv_cell(&maps, i, "id");
        struct tma_operation_record record;
        size_t tile = find_record(&records[0], id);
        size_t im2col = find_record(&records[1], id);
        bool is_tile = tile < records[0].rows;
        ck_assert_msg(is_tile || im2col < records[1].rows, "record %s is missing", id);
        ck_assert(tma_operation_record_read(is_tile ? &records[0] : &records[1],
                                            is_tile ? tile : im2col, &record, NULL) == TMA_OK);
        compare(id, &record, tma_tsv_cell(&maps, i, "runs"));
    }
    tma_tsv_free(&maps);
    tma_tsv_free(&records[0]);
    tma_tsv_free(&records[1]);
}

TEST_SUITE("placement maps", .timeout = 60);
