/* The driver's page asks for strides of at least the dimensions inside them. An H200's driver
 * accepts smaller ones and 0: how many of its records show it, and that each gets advice. */
#include <string.h>

#include "../unit/suite.h"
#include "records/map_record.h"
#include "tensormap/advice.h"

/* Accepted maps of encode.tsv that get each advice. */
static const struct {
    const char *advice;
    size_t records;
} rows[] = {{"overlapping_rows", 987}, {"broadcast_stride", 31}};

TEST_ROWS(small_strides_are_accepted, TABLE_ROWS(rows)) {
    struct tma_tsv records;
    struct tma_error error = {0};
    size_t found = 0;
    ck_assert_int_eq(tma_tsv_read("tests/hardware/h200/encode.tsv", &records, &error), TMA_OK);
    for (size_t row = 0; row < records.rows; row++) {
        struct tma_tensor_map map;
        struct tma_advice list[TMA_MAX_ADVICE];
        if (!tma_record_is_accepted(&records, row))
            continue;
        ck_assert_int_eq(tma_map_record_read(&records, row, &map, &error), TMA_OK);
        size_t count = tma_tensor_map_advise(&map, TMA_SM_90, NULL, list, TMA_MAX_ADVICE);
        for (size_t i = 0; i < count; i++)
            found += strcmp(list[i].rule->id, rows[_i].advice) == 0;
    }
    ck_assert_uint_eq(found, rows[_i].records);
    tma_tsv_free(&records);
}

TEST_SUITE("strides");
