/* Records of kinds "store" and "reduce": the 32-bit words of global memory that the operation
 * changes. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "records/crc32.h"
#include "records/kinds.h"
#include "records/operation_record.h"

/* The records' checksum covers the first bytes of global memory only. */
enum { HASHED_BYTES = 4 << 20 };

static bool is_operation(const struct tma_tsv *records, const char *operation) {
    return tma_tsv_column(records, "changed_words") >= 0 &&
           strcmp(tma_tsv_cell(records, 0, "op"), operation) == 0;
}

static bool matches_store(const struct tma_tsv *records) {
    return is_operation(records, "store");
}

static bool matches_reduce(const struct tma_tsv *records) {
    return is_operation(records, "reduce");
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

static void execute(const struct tma_operation_record *record, const struct tma_row_stream *rows,
                    uint32_t footprint_bytes, struct tma_record_outcome *outcome) {
    struct span span = written_span(*rows);
    uint32_t window_bytes = record->operation.shared_address + footprint_bytes;
    if (span.end - span.begin > TMA_LIMIT_RECORD_SPAN_BYTES) {
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the box spans %llu bytes of global memory; allowed: %d",
                 (unsigned long long)(span.end - span.begin), TMA_LIMIT_RECORD_SPAN_BYTES);
        return;
    }
    struct tma_global_memory global = {.address = span.begin, .size = span.end - span.begin};
    struct tma_shared_memory shared = {.size = window_bytes};
    struct tma_error error = {0};
    global.bytes = tma_allocate(global.size + 1, 1);
    shared.bytes = tma_allocate(window_bytes, 1);
    if (global.bytes == NULL || shared.bytes == NULL) {
        outcome->out_of_memory = true;
    } else {
        tma_record_global_bytes(global.address, global.bytes, global.size);
        tma_record_shared_bytes(0, shared.bytes, window_bytes);
        if (tma_execute(&record->map, &record->operation, &global, &shared, 1, NULL, &error) ==
            TMA_OK)
            compare(record, &global, outcome);
        else
            snprintf(outcome->reason, sizeof outcome->reason, "%.*s", tma_text_cut(error.text, 190),
                     error.text);
    }
    tma_release(global.bytes);
    tma_release(shared.bytes);
}

static void replay(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                   struct tma_record_outcome *outcome) {
    (void)machine;
    struct tma_operation_record record;
    struct tma_error error = {0};
    struct tma_row_stream rows;
    struct tma_operation_size size;
    outcome->verdict = TMA_RECORD_DIFFERS;
    enum tma_error_code code = tma_operation_record_read(records, row, &record, &error);
    if (code == TMA_OK)
        code = tma_rows_begin(&rows, &record.map, &record.operation, &size, &error);
    if (code == TMA_ERROR_FAULT && record.faulted)
        outcome->verdict = TMA_RECORD_AGREES;
    else if (code != TMA_OK)
        snprintf(outcome->reason, sizeof outcome->reason, "%.*s", tma_text_cut(error.text, 190),
                 error.text);
    else if (record.faulted)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the hardware faults, the model does not");
    else
        execute(&record, &rows, size.shared_footprint_bytes, outcome);
    if (record.descriptor_differs && outcome->verdict == TMA_RECORD_DIFFERS) {
        outcome->verdict = TMA_RECORD_SKIPPED;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", TMA_DESCRIPTOR_DIFFERS_REASON);
    }
}

const struct tma_record_kind tma_kind_store = {
    .name = "store", .matches = matches_store, .replay = replay};

const struct tma_record_kind tma_kind_reduce = {
    .name = "reduce", .matches = matches_reduce, .replay = replay};
