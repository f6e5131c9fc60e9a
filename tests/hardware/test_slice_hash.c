/* Replays slice_hash.tsv: which slice of an H200 answers for lines of a program's first allocation.
 */
#include "h200.h"
#include "memory/core/address_map.h"

enum { SLICES = 47, RECORDS = 6816 };

static const uint64_t page_bytes = 2 << 20;

/* The records number slices in the order in which they were met. So each number has to stand for
 * one slice of the model, and each slice for one number. */
START_TEST(test_lines_have_the_slices_of_an_h200) {
    struct tma_machine machine;
    struct tma_tsv records;
    read_h200(&machine);
    read_records(FOLDER "slice_hash.tsv", &records);
    ck_assert_uint_eq(records.rows, RECORDS);
    struct tma_address_map map = tma_address_map_of(&machine);
    int numbers[SLICES], slices[SLICES];
    for (int i = 0; i < SLICES; i++)
        numbers[i] = slices[i] = -1;
    for (size_t row = 0; row < records.rows; row++) {
        uint64_t page = record_number(&records, row, "page"),
                 line = record_number(&records, row, "line");
        uint64_t address = FIRST_ADDRESS + page * page_bytes + line * TMA_LINE_BYTES;
        int slice = tma_locate(&map, address / TMA_LINE_BYTES).server.slice;
        int measured = (int)record_number(&records, row, "slice");
        ck_assert_int_lt(slice, SLICES);
        ck_assert_int_lt(measured, SLICES);
        if (slices[measured] < 0 && numbers[slice] < 0) {
            slices[measured] = slice;
            numbers[slice] = measured;
        }
        ck_assert_msg(slices[measured] == slice && numbers[slice] == measured,
                      "page %d, line %d: slice %d, which is that of other lines of slice %d",
                      (int)page, (int)line, measured, numbers[slice]);
    }
    tma_tsv_free(&records);
}
END_TEST

TEST_FILE() {
    Suite *suite = suite_create("slice hash");
    TCase *tests = tcase_create("records");
    tcase_add_test(tests, test_lines_have_the_slices_of_an_h200);
    suite_add_tcase(suite, tests);
    return run_suite(suite);
}
