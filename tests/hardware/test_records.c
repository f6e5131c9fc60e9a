/* Replays the records of an H200 that the model has to match exactly: bytes in memory, mbarrier
 * bytes, changed words, faults, conversions, wavefronts and bank conflicts. */
#include "../unit/suite.h"
#include "records/validate.h"

static const struct {
    const char *path;
    const char *kind;
    uint64_t records;
    uint64_t skipped; /* records that cannot be replayed */
} files[] = {
    {"tests/hardware/h200/load_tile.tsv", "load_tile", 2916, 0},
    {"tests/hardware/h200/load_im2col.tsv", "load_im2col", 2500, 0},
    /* The descriptors of records 19501 to 19625 do not belong to their arguments. With the map of
     * the descriptor, 15 of them do not agree with their coordinates. */
    {"tests/hardware/h200/store.tsv", "store", 1603, 15},
    {"tests/hardware/h200/reduce.tsv", "reduce", 1339, 0},
    {"tests/hardware/h200/convert.tsv", "convert", 16384, 0},
    {"tests/hardware/h200/banks.tsv", "banks", 900, 0},
    {"tests/hardware/h200/banks_merged.tsv", "banks", 473, 0},
};

TEST_ROWS(every_record_agrees, TABLE_ROWS(files)) {
    struct tma_validation validation;
    struct tma_error error;
    ck_assert_msg(tma_validate_file(files[_i].path, NULL, &validation, &error) == TMA_OK, "%s",
                  error.text);
    ck_assert_str_eq(validation.kind->name, files[_i].kind);
    ck_assert_uint_eq(validation.records, files[_i].records);
    ck_assert_uint_eq(validation.skipped, files[_i].skipped);
    ck_assert_msg(validation.agree == files[_i].records - files[_i].skipped, "%s",
                  validation.differences[0]);
    tma_validation_free(&validation);
}

TEST_SUITE("records", .timeout = 60);
