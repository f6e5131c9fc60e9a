#include "records/operation_record.h"

#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "base/record_word.h"
#include "placement/operation_words.h"
#include "placement/reduction.h"
#include "records/map_record.h"
#include "tensormap/rules.h"

enum { MAX_COORDINATES = 5 };

/* Return the initial contents of a 32-bit word of global or shared memory. */
static uint32_t global_word(uint64_t index) {
    return tma_record_word((uint32_t)index);
}

static uint32_t shared_word(uint64_t index) {
    return tma_record_word((uint32_t)index + 0x51000000) | 0x01010101;
}

static void fill_bytes(uint32_t (*word_at)(uint64_t index), uint64_t address, uint8_t *bytes,
                       uint64_t count) {
    uint64_t done = 0;
    for (; done < count && (address + done) % 4 != 0; done++)
        bytes[done] = (uint8_t)(word_at((address + done) / 4) >> (address + done) % 4 * 8);
    for (; count - done >= 4; done += 4) {
        uint32_t word = word_at((address + done) / 4);
        for (int i = 0; i < 4; i++)
            bytes[done + (uint64_t)i] = (uint8_t)(word >> 8 * i);
    }
    for (; done < count; done++)
        bytes[done] = (uint8_t)(word_at((address + done) / 4) >> (address + done) % 4 * 8);
}

void tma_record_global_bytes(uint64_t address, uint8_t *bytes, uint64_t count) {
    fill_bytes(global_word, address, bytes, count);
}

void tma_record_shared_bytes(uint32_t address, uint8_t *bytes, uint32_t count) {
    fill_bytes(shared_word, address, bytes, count);
}

/* Reads the cells of one row, and remembers the first malformed one. */
struct row_reader {
    const struct tma_tsv *records;
    size_t row;
    const char *wrong; /* the column of the first malformed cell, or NULL */
};

/* Reads `count` integers, each from `least` to `most`. */
static void read_list(struct row_reader *reader, const char *column, size_t count, int64_t least,
                      int64_t most, int64_t *values) {
    const char *cell = tma_tsv_cell(reader->records, reader->row, column);
    bool good = tma_parse_list(cell, values, count) == count;
    for (size_t i = 0; i < count && good; i++)
        good = values[i] >= least && values[i] <= most;
    if (!good && reader->wrong == NULL)
        reader->wrong = column;
}

static int64_t read_number(struct row_reader *reader, const char *column, int64_t least,
                           int64_t most) {
    int64_t value = 0;
    read_list(reader, column, 1, least, most, &value);
    return value;
}

static int read_word(struct row_reader *reader, const char *column, const struct tma_name *words,
                     size_t count) {
    const char *cell = tma_tsv_cell(reader->records, reader->row, column);
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i].name, cell) == 0)
            return words[i].value;
    if (reader->wrong == NULL)
        reader->wrong = column;
    return 0;
}

static void read_operation(struct row_reader *reader, enum tma_map_kind kind,
                           struct tma_operation *operation) {
    static const struct tma_name directions[] = {
        {"load", TMA_LOAD}, {"store", TMA_STORE}, {"reduce", TMA_REDUCE}};
    int64_t coordinates[MAX_COORDINATES] = {0}, offsets[3] = {0};
    operation->access = tma_access_of_kind(kind);
    operation->direction = (enum tma_direction)read_word(reader, "op", directions, 3);
    if (operation->direction == TMA_REDUCE)
        operation->reduction = (enum tma_reduction)read_word(
            reader, "redop", tma_reduction_names.items, tma_reduction_names.count);
    read_list(reader, "coord", MAX_COORDINATES, INT32_MIN, INT32_MAX, coordinates);
    for (int i = 0; i < MAX_COORDINATES; i++)
        operation->coordinates[i] = (int32_t)coordinates[i];
    read_list(reader, "im2col_offset", 3, 0, UINT16_MAX, offsets);
    for (int i = 0; i < 3; i++)
        operation->im2col_offsets[i] = (uint16_t)offsets[i];
    operation->shared_address =
        (uint32_t)read_number(reader, "smem_offset", 0, TMA_LIMIT_RECORD_WINDOW_BYTES);
}

static void read_outcome(struct row_reader *reader, struct tma_operation_record *record) {
    static const struct tma_name outcomes[] = {{"ok", false}, {"fault", true}};
    record->window_bytes =
        (uint32_t)read_number(reader, "window", 0, TMA_LIMIT_RECORD_WINDOW_BYTES);
    record->faulted = read_word(reader, "outcome", outcomes, 2);
    if (record->faulted)
        return;
    if (record->operation.direction == TMA_LOAD)
        record->transaction_bytes = (uint32_t)read_number(reader, "tx_bytes", 0, UINT32_MAX);
    else
        record->changed_words = (uint64_t)read_number(reader, "changed_words", 0, INT64_MAX);
    record->crc = (uint32_t)strtoul(tma_tsv_cell(reader->records, reader->row, "crc"), NULL, 16);
}

/* Reads the map, with addresses that count from the start of the buffer, and compares the driver's
 * descriptor with the one of the arguments. */
static enum tma_error_code read_map(const struct tma_tsv *records, size_t row,
                                    struct tma_operation_record *record, struct tma_error *error) {
    struct tma_descriptor written, encoded;
    struct tma_violation violation;
    int64_t offset = 0;
    enum tma_error_code code = tma_map_record_read(records, row, &record->map, error);
    if (code == TMA_OK)
        code = tma_descriptor_record_read(records, row, &written, error);
    if (code != TMA_OK)
        return code;
    if (tma_tensor_map_check(&record->map, TMA_SM_90, &violation, 1) > 0 &&
        tma_tensor_map_check(&record->map, TMA_SM_100, &violation, 1) > 0)
        return tma_fail(error, TMA_ERROR_TENSOR_MAP, "the tensor map breaks rule %s",
                        violation.rule->id);
    tma_descriptor_encode(&record->map, &encoded);
    record->descriptor_differs = memcmp(&written, &encoded, sizeof written) != 0;
    if (record->descriptor_differs)
        tma_descriptor_decode(&written, &record->map, NULL, 0);
    tma_parse_list(tma_tsv_cell(records, row, "tensor_offset"), &offset, 1);
    record->map.global_address = (uint64_t)offset;
    return TMA_OK;
}

enum tma_error_code tma_operation_record_read(const struct tma_tsv *records, size_t row,
                                              struct tma_operation_record *record,
                                              struct tma_error *error) {
    struct row_reader reader = {records, row, NULL};
    *record = (struct tma_operation_record){0};
    enum tma_error_code code = read_map(records, row, record, error);
    if (code != TMA_OK)
        return code;
    read_operation(&reader, record->map.kind, &record->operation);
    read_outcome(&reader, record);
    if (reader.wrong != NULL)
        return tma_fail(error, TMA_ERROR_SYNTAX, "column %s: \"%s\" is malformed", reader.wrong,
                        tma_tsv_cell(records, row, reader.wrong));
    return TMA_OK;
}
