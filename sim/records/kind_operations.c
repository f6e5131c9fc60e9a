/* Records of operations. Kinds "load_tile" and "load_im2col": the bytes that a load writes to
 * shared memory, the bytes that it completes on its mbarrier, and whether it faults. Kinds "store"
 * and "reduce": the 32-bit words of global memory that the operation changes. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "records/crc32.h"
#include "records/operation_record.h"
#include "records/record_kind.h"

/* The records' checksum covers the first bytes of global memory only. */
enum { HASHED_BYTES = 4 << 20 };

/* Whether the records have a column and are of an operation, and of a mode unless it is NULL. */
static bool are_of(const struct tma_tsv *records, const char *column, const char *operation,
                   const char *mode) {
    return tma_tsv_column(records, column) >= 0 &&
           strcmp(tma_tsv_cell(records, 0, "op"), operation) == 0 &&
           (mode == NULL || strcmp(tma_tsv_cell(records, 0, "mode"), mode) == 0);
}

static bool matches_tile(const struct tma_tsv *records) {
    return are_of(records, "crc", "load", "tile");
}

static bool matches_im2col(const struct tma_tsv *records) {
    return are_of(records, "crc", "load", "im2col");
}

static bool matches_store(const struct tma_tsv *records) {
    return are_of(records, "changed_words", "store", NULL);
}

static bool matches_reduce(const struct tma_tsv *records) {
    return are_of(records, "changed_words", "reduce", NULL);
}

/* Returns whether the record is of a fault; then it agrees if the model faults, too. */
static bool is_of_fault(const struct tma_operation_record *record, enum tma_error_code code,
                        struct tma_record_outcome *outcome) {
    if (code == TMA_ERROR_FAULT && record->faulted)
        outcome->verdict = TMA_RECORD_AGREES;
    else if (code == TMA_OK && record->faulted)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the hardware faults, the model does not");
    return record->faulted;
}

static void skip(struct tma_record_outcome *outcome) {
    outcome->verdict = TMA_RECORD_SKIPPED;
    snprintf(outcome->reason, sizeof outcome->reason, "%s", TMA_DESCRIPTOR_DIFFERS_REASON);
}

static void read_global(void *context, uint64_t address, uint8_t *bytes, uint32_t count) {
    (void)context;
    tma_record_global_bytes(address, bytes, count);
}

static enum tma_error_code replay_load(const struct tma_machine *machine,
                                       const struct tma_tsv *records, size_t row,
                                       struct tma_record_outcome *outcome,
                                       struct tma_error *error) {
    (void)machine;
    struct tma_operation_record record;
    struct tma_operation_size size = {0};
    outcome->verdict = TMA_RECORD_DIFFERS;
    enum tma_error_code code = tma_operation_record_read(records, row, &record, error);
    if (code != TMA_OK)
        return code;
    if (record.descriptor_differs) {
        skip(outcome);
        return TMA_OK;
    }
    uint8_t *window = tma_allocate(record.window_bytes + 1, 1);
    if (window == NULL)
        return TMA_ERROR_MEMORY;
    tma_record_shared_bytes(0, window, record.window_bytes);
    struct tma_global_memory global = {.read = read_global};
    struct tma_shared_memory shared = {window, 0, record.window_bytes, NULL};
    code = tma_execute(&record.map, &record.operation, &global, &shared, 1, &size, error);
    uint32_t crc = tma_crc32(0, window, record.window_bytes);
    tma_release(window);
    bool faults = is_of_fault(&record, code, outcome);
    if (code != TMA_OK && outcome->verdict != TMA_RECORD_AGREES)
        return code;
    if (faults)
        return TMA_OK;
    if (size.transaction_bytes != record.transaction_bytes)
        snprintf(outcome->reason, sizeof outcome->reason, "mbarrier bytes: measured %u, model %u",
                 record.transaction_bytes, size.transaction_bytes);
    else if (crc != record.crc)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "bytes in shared memory: measured crc %08x, model %08x", record.crc, crc);
    else
        outcome->verdict = TMA_RECORD_AGREES;
    return TMA_OK;
}

/* A range of global memory in bytes: from `begin` up to, but not including, `end`. */
struct span {
    uint64_t begin, end;
};

/* Returns a range of whole words that has all bytes the operation may write. */
static struct span written_span(struct tma_row_stream rows) {
    struct span span = {UINT64_MAX, 0};
    struct tma_row row;
    while (tma_rows_next(&rows, &row)) {
        uint64_t begin = row.global_address / 4 * 4;
        uint64_t end = (row.global_address + row.data_global_bytes + 3) / 4 * 4;
        if (row.data_bytes == 0)
            continue;
        span.begin = begin < span.begin ? begin : span.begin;
        span.end = end > span.end ? end : span.end;
    }
    return span.end == 0 ? (struct span){0, 0} : span;
}

static void put_word(uint8_t *bytes, uint32_t word) {
    for (int i = 0; i < 4; i++)
        bytes[i] = (uint8_t)(word >> 8 * i);
}

/* Returns the checksum over (word number, new value) of each word that changed, and their number.
 */
static uint32_t hash_changes(const struct tma_global_memory *global, uint64_t *changed_words) {
    uint32_t crc = 0;
    *changed_words = 0;
    for (uint64_t at = 0; at < global->size; at += 4) {
        uint8_t before[4], change[8];
        uint64_t address = global->address + at;
        tma_record_global_bytes(address, before, 4);
        if (address >= HASHED_BYTES || memcmp(before, global->bytes + at, 4) == 0)
            continue;
        put_word(change, (uint32_t)(address / 4));
        memcpy(change + 4, global->bytes + at, 4);
        crc = tma_crc32(crc, change, sizeof change);
        ++*changed_words;
    }
    return crc;
}

static void compare(const struct tma_operation_record *record,
                    const struct tma_global_memory *global, struct tma_record_outcome *outcome) {
    uint64_t changed_words;
    uint32_t crc = hash_changes(global, &changed_words);
    if (changed_words != record->changed_words)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "changed words: measured %llu, model %llu",
                 (unsigned long long)record->changed_words, (unsigned long long)changed_words);
    else if (crc != record->crc)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "values of the changed words: measured crc %08x, model %08x", record->crc, crc);
    else
        outcome->verdict = TMA_RECORD_AGREES;
}

static enum tma_error_code execute(const struct tma_operation_record *record,
                                   const struct tma_row_stream *rows, uint32_t footprint_bytes,
                                   struct tma_record_outcome *outcome, struct tma_error *error) {
    struct span span = written_span(*rows);
    uint32_t window_bytes = record->operation.shared_address + footprint_bytes;
    if (span.end - span.begin > TMA_LIMIT_RECORD_SPAN_BYTES)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "the box spans %llu bytes of global memory; allowed: %d",
                        (unsigned long long)(span.end - span.begin), TMA_LIMIT_RECORD_SPAN_BYTES);
    struct tma_global_memory global = {.address = span.begin, .size = span.end - span.begin};
    struct tma_shared_memory shared = {.size = window_bytes};
    enum tma_error_code code = TMA_ERROR_MEMORY;
    global.bytes = tma_allocate(global.size + 1, 1);
    shared.bytes = tma_allocate(window_bytes, 1);
    if (global.bytes != NULL && shared.bytes != NULL) {
        tma_record_global_bytes(global.address, global.bytes, global.size);
        tma_record_shared_bytes(0, shared.bytes, window_bytes);
        code = tma_execute(&record->map, &record->operation, &global, &shared, 1, NULL, error);
        if (code == TMA_OK)
            compare(record, &global, outcome);
    }
    TMA_RELEASE(global.bytes, shared.bytes);
    return code;
}

static enum tma_error_code replay_store(const struct tma_machine *machine,
                                        const struct tma_tsv *records, size_t row,
                                        struct tma_record_outcome *outcome,
                                        struct tma_error *error) {
    (void)machine;
    struct tma_operation_record record;
    struct tma_row_stream rows;
    struct tma_operation_size size = {0};
    outcome->verdict = TMA_RECORD_DIFFERS;
    enum tma_error_code code = tma_operation_record_read(records, row, &record, error);
    if (code == TMA_OK)
        code = tma_rows_begin(&rows, &record.map, &record.operation, &size, error);
    bool faults = is_of_fault(&record, code, outcome);
    if (code == TMA_OK && !faults)
        code = execute(&record, &rows, size.shared_footprint_bytes, outcome, error);
    if (outcome->verdict == TMA_RECORD_AGREES)
        return TMA_OK;
    if (!record.descriptor_differs)
        return code;
    skip(outcome);
    return code == TMA_ERROR_MEMORY ? code : TMA_OK;
}

const struct tma_record_kind tma_kind_load_tile = {
    .name = "load_tile", .matches = matches_tile, .replay = replay_load};

const struct tma_record_kind tma_kind_load_im2col = {
    .name = "load_im2col", .matches = matches_im2col, .replay = replay_load};

const struct tma_record_kind tma_kind_store = {
    .name = "store", .matches = matches_store, .replay = replay_store};

const struct tma_record_kind tma_kind_reduce = {
    .name = "reduce", .matches = matches_reduce, .replay = replay_store};
