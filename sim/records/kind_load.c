/* Records of kinds "load_tile" and "load_im2col": the bytes that a load writes to shared memory,
 * the bytes that it completes on its mbarrier, and whether it faults. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/utf8.h"
#include "records/crc32.h"
#include "records/kinds.h"
#include "records/operation_record.h"

static bool is_load_of(const struct tma_tsv *records, const char *mode) {
    return tma_tsv_column(records, "crc") >= 0 &&
           strcmp(tma_tsv_cell(records, 0, "op"), "load") == 0 &&
           strcmp(tma_tsv_cell(records, 0, "mode"), mode) == 0;
}

static bool matches_tile(const struct tma_tsv *records) {
    return is_load_of(records, "tile");
}

static bool matches_im2col(const struct tma_tsv *records) {
    return is_load_of(records, "im2col");
}

static void read_global(void *context, uint64_t address, uint8_t *bytes, uint32_t count) {
    (void)context;
    tma_record_global_bytes(address, bytes, count);
}

static void compare(const struct tma_operation_record *record, enum tma_error_code code,
                    const struct tma_operation_size *size, const uint8_t *window,
                    const struct tma_error *error, struct tma_record_outcome *outcome) {
    uint32_t crc = tma_crc32(0, window, record->window_bytes);
    if (code != TMA_OK && !(record->faulted && code == TMA_ERROR_FAULT))
        snprintf(outcome->reason, sizeof outcome->reason, "%.*s", tma_text_cut(error->text, 190),
                 error->text);
    else if (record->faulted && code == TMA_OK)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the hardware faults, the model does not");
    else if (!record->faulted && size->transaction_bytes != record->transaction_bytes)
        snprintf(outcome->reason, sizeof outcome->reason, "mbarrier bytes: measured %u, model %u",
                 record->transaction_bytes, size->transaction_bytes);
    else if (!record->faulted && crc != record->crc)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "bytes in shared memory: measured crc %08x, model %08x", record->crc, crc);
    else
        outcome->verdict = TMA_RECORD_AGREES;
}

static void replay(const struct tma_machine *machine, const struct tma_tsv *records, size_t row,
                   struct tma_record_outcome *outcome) {
    (void)machine;
    struct tma_operation_record record;
    struct tma_error error = {0};
    struct tma_operation_size size = {0};
    outcome->verdict = TMA_RECORD_DIFFERS;
    if (tma_operation_record_read(records, row, &record, &error) != TMA_OK) {
        snprintf(outcome->reason, sizeof outcome->reason, "%.*s", tma_text_cut(error.text, 190),
                 error.text);
        return;
    }
    if (record.descriptor_differs) {
        outcome->verdict = TMA_RECORD_SKIPPED;
        snprintf(outcome->reason, sizeof outcome->reason, "%s", TMA_DESCRIPTOR_DIFFERS_REASON);
        return;
    }
    uint8_t *window = tma_allocate(record.window_bytes + 1, 1);
    if (window == NULL) {
        outcome->out_of_memory = true;
        return;
    }
    tma_record_shared_bytes(0, window, record.window_bytes);
    struct tma_global_memory global = {.read = read_global};
    struct tma_shared_memory shared = {window, 0, record.window_bytes, NULL};
    enum tma_error_code code =
        tma_execute(&record.map, &record.operation, &global, &shared, 1, &size, &error);
    compare(&record, code, &size, window, &error, outcome);
    tma_release(window);
}

const struct tma_record_kind tma_kind_load_tile = {
    .name = "load_tile", .matches = matches_tile, .replay = replay};

const struct tma_record_kind tma_kind_load_im2col = {
    .name = "load_im2col", .matches = matches_im2col, .replay = replay};
