/* Replays slice_hash.tsv and page_homes.tsv: which slice of a partition answers for lines of a
 * program's first allocation, and which partition is their home. */
#include "gpus.h"
#include "memory/core/address_map.h"

enum { MOST_SLICES = 47 };

static const struct {
    int slices, lines, blocks;
} gpus[GPUS] = {[H200] = {47, 6816, 3216}, [H100] = {40, 6800, 3216}};

static const uint64_t page_bytes = 2 << 20;

/* The records number slices in the order in which they were met. So each number has to stand for
 * one slice of the model, and each slice for one number. */
TEST_ROWS(test_slices_of_lines, GPUS) {
    struct tma_machine machine;
    struct tma_tsv records;
    read_gpu(_i, &machine);
    read_gpu_records(_i, "slice_hash.tsv", &records);
    ck_assert_uint_eq(records.rows, (size_t)gpus[_i].lines);
    struct tma_address_map map = tma_address_map_of(&machine);
    int numbers[MOST_SLICES], slices[MOST_SLICES];
    for (int i = 0; i < MOST_SLICES; i++)
        numbers[i] = slices[i] = -1;
    for (size_t row = 0; row < records.rows; row++) {
        uint64_t page = record_number(&records, row, "page"),
                 line = record_number(&records, row, "line");
        uint64_t address = FIRST_ADDRESS + page * page_bytes + line * TMA_LINE_BYTES;
        int slice = tma_locate(&map, address / TMA_LINE_BYTES).server.slice;
        int measured = (int)record_number(&records, row, "slice");
        ck_assert_int_lt(slice, gpus[_i].slices);
        ck_assert_int_lt(measured, gpus[_i].slices);
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

TEST_ROWS(test_homes_of_blocks, GPUS) {
    const uint64_t block_bytes = 4096;
    struct tma_machine machine;
    struct tma_tsv records;
    read_gpu(_i, &machine);
    read_gpu_records(_i, "page_homes.tsv", &records);
    ck_assert_uint_eq(records.rows, (size_t)gpus[_i].blocks);
    struct tma_address_map map = tma_address_map_of(&machine);
    for (size_t row = 0; row < records.rows; row++) {
        uint64_t page = record_number(&records, row, "page"),
                 block = record_number(&records, row, "block");
        uint64_t address = FIRST_ADDRESS + page * page_bytes + block * block_bytes;
        uint32_t home = tma_locate(&map, address / TMA_LINE_BYTES).server.home;
        ck_assert_msg(home == record_number(&records, row, "home"), "page %d, block %d", (int)page,
                      (int)block);
    }
    tma_tsv_free(&records);
}

TEST_SUITE("slice hash");
