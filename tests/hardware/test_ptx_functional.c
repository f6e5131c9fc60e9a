/* The program that took the records of placement, as PTX: it loads, stores and reduces what a
 * record says, and what it leaves behind has the checksum that an H200's bytes had. nvcc 13.0 made
 * tests/hardware/ptx/functional/functional.ptx (nvcc -ptx -arch=sm_90a). */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/record_word.h"
#include "gpus.h"
#include "ptx/execution.h"
#include "ptx/read.h"
#include "records/crc32.h"
#include "scenario/text_file.h"

enum {
    GLOBAL_BYTES = 16 << 20,
    STORED_BYTES = 4 << 20, /* that stores and reductions may reach */
    WINDOW_BYTES = 160 << 10,
    BASE_ALIGNMENT = 4096, /* of the window in shared memory */
    STRAY_FIRST = 19501,   /* stores whose arguments belong to other descriptors */
    STRAY_LAST = 19625,
    EVERY = 16 /* one record of so many is replayed; RECORDS=all: each */
};

/* What the program takes from global memory. */
struct operation {
    uint32_t id;
    uint8_t mode, op, redop, map, dtype, rank, interleave, swizzle, promotion, fill;
    uint16_t unused;
    uint64_t dim[5], stride[4];
    uint32_t box[5], element_stride[5];
    int32_t lower[3], upper[3];
    uint32_t channels, pixels;
    int32_t coord[5];
    uint16_t offset[3];
    uint16_t unused_too;
    uint32_t smem_offset, rest[16];
};
_Static_assert(sizeof(struct operation) == 256, "the program's layout");

static uint32_t global[GLOBAL_BYTES / 4], dump[WINDOW_BYTES / 4];
static struct tma_ptx_module *module;

static void setup(void) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    static const char path[] = "tests/hardware/ptx/functional/functional.ptx";
    char *text;
    size_t length;
    ck_assert_int_eq(tma_text_read(path, &text, &length, &(struct tma_error){0}), TMA_OK);
    module = tma_ptx_read(text, length, path, &list);
    ck_assert_ptr_nonnull(module);
    tma_release(text);
    for (uint32_t i = 0; i < GLOBAL_BYTES / 4; ++i)
        global[i] = tma_record_word(i);
}

static void teardown(void) {
    tma_ptx_module_free(module);
}

/* Reads "a,b,c". */
static void read_list(const char *text, uint32_t count, int64_t *numbers) {
    for (uint32_t i = 0; i < count; ++i) {
        char *end;
        numbers[i] = strtoll(text, &end, 10);
        text = *end == ',' ? end + 1 : end;
    }
}

static uint8_t index_of(const char *word, const char *const *words, uint8_t count) {
    for (uint8_t i = 0; i < count; ++i)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

static struct operation operation_of(const struct tma_tsv *records, size_t row) {
    static const char *const operations[] = {"encode", "load", "store", "reduce"};
    static const char *const reductions[] = {"add", "min", "max", "inc", "dec", "and", "or", "xor"};
    struct operation operation = {.mode = strcmp(tma_tsv_cell(records, row, "mode"), "tile") != 0,
                                  .op = index_of(tma_tsv_cell(records, row, "op"), operations, 4),
                                  .redop =
                                      index_of(tma_tsv_cell(records, row, "redop"), reductions, 8),
                                  .rank = (uint8_t)record_number(records, row, "rank"),
                                  .smem_offset = record_number(records, row, "smem_offset")};
    int64_t coord[5], offset[3];
    read_list(tma_tsv_cell(records, row, "coord"), 5, coord);
    read_list(tma_tsv_cell(records, row, "im2col_offset"), 3, offset);
    for (int i = 0; i < 5; ++i)
        operation.coord[i] = (int32_t)coord[i];
    for (int i = 0; i < 3; ++i)
        operation.offset[i] = (uint16_t)offset[i];
    return operation;
}

static void read_map(const char *hex, uint8_t map[128]) {
    for (int i = 0; i < 128; ++i) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], 0};
        map[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
}

/* The checksum of the words that differ from what was there, with their places; they are put back.
 */
static uint32_t changed_crc(uint32_t *changed) {
    uint32_t crc = 0;
    *changed = 0;
    for (uint32_t i = 0; i < STORED_BYTES / 4; ++i) {
        uint32_t was = tma_record_word(i);
        if (global[i] == was)
            continue;
        uint32_t pair[2] = {i, global[i]};
        crc = tma_crc32(crc, (const uint8_t *)pair, sizeof pair);
        global[i] = was;
        ++*changed;
    }
    return crc;
}

/* Replays a record; false: what the GPU did is something else. */
static bool replay(const struct tma_tsv *records, size_t row) {
    struct operation operation = operation_of(records, row);
    bool load = operation.op == 1;
    /* A store's is as large as its box needs, at least. */
    uint32_t window = load ? record_number(records, row, "window") : WINDOW_BYTES;
    static uint8_t map[128] __attribute__((aligned(64)));
    uint64_t meta[8] = {0};
    read_map(tma_tsv_cell(records, row, "descriptor"), map);
    struct tma_ptx_buffer buffers[] = {
        {.name = "global", .address = FIRST_ADDRESS, .size = sizeof global},
        {.name = "case", .address = FIRST_ADDRESS + (1 << 26), .size = sizeof operation},
        {.name = "map", .address = FIRST_ADDRESS + (2 << 26), .size = sizeof map},
        {.name = "dump", .address = FIRST_ADDRESS + (3 << 26), .size = sizeof dump},
        {.name = "meta", .address = FIRST_ADDRESS + (4ll << 26), .size = sizeof meta}};
    uint8_t *const contents[] = {(uint8_t *)global, (uint8_t *)&operation, map, (uint8_t *)dump,
                                 (uint8_t *)meta};
    for (int i = 0; i < 5; ++i)
        buffers[i].contents = contents[i];
    uint64_t parameters[] = {buffers[1].address, buffers[2].address, buffers[3].address, window,
                             buffers[4].address};
    struct tma_ptx_launch launch = {
        .module = module,
        .function = tma_ptx_find_function(module, "_Z8run_casePK4CasePK14CUtensorMap_stPhjPm"),
        .grid = {1, 1, 1},
        .block = {128, 1, 1},
        .cluster = {1, 1, 1},
        .dynamic_shared = window + BASE_ALIGNMENT,
        .parameters = (const uint8_t *)parameters,
        .buffers = buffers,
        .buffer_count = 5,
        .resident_ctas = 132};
    struct tma_ptx_options options = {.sanitize_ctas = 1, .maximum_instructions = 100000000};
    struct tma_ptx_result result;
    struct tma_error error;
    ck_assert_msg(tma_ptx_execute(&launch, &options, &result, &error) == TMA_OK, "%s", error.text);
    bool ok = strcmp(tma_tsv_cell(records, row, "outcome"), "ok") == 0;
    bool good = (result.failure == TMA_PTX_COMPLETED) == ok;
    const char *finding = result.finding_count > 0 ? result.findings[0].text : "";
    if (!good || (ok && result.finding_count > 0)) {
        printf("%s: the GPU: %s; here: %s\n", tma_tsv_cell(records, row, "id"),
               tma_tsv_cell(records, row, "outcome"), finding);
        good = false;
    }
    tma_ptx_result_free(&result);
    uint32_t changed = 0;
    uint32_t crc = load ? tma_crc32(0, (const uint8_t *)dump, window) : changed_crc(&changed);
    if (!ok || !good)
        return good;
    uint32_t wanted = (uint32_t)strtoul(tma_tsv_cell(records, row, "crc"), NULL, 16);
    uint64_t count = load ? meta[0] : changed;
    uint64_t wanted_count = record_number(records, row, load ? "tx_bytes" : "changed_words");
    if (crc == wanted && count == wanted_count)
        return true;
    printf("%s: checksum %08x, %llu bytes or words; the GPU: %08x, %llu\n",
           tma_tsv_cell(records, row, "id"), crc, (unsigned long long)count, wanted,
           (unsigned long long)wanted_count);
    return false;
}

static const char *const files[] = {"load_tile.tsv", "load_im2col.tsv", "store.tsv", "reduce.tsv"};

TEST_ROWS(test_records, TABLE_ROWS(files)) {
    char path[100];
    struct tma_tsv records;
    snprintf(path, sizeof path, FOLDER "%s", files[_i]);
    read_records(path, &records);
    size_t step = getenv("RECORDS") != NULL ? 1 : EVERY * (size_t)case_step();
    size_t replayed = 0, agree = 0;
    for (size_t row = 0; row < records.rows; row += step) {
        uint32_t id = record_number(&records, row, "id");
        if (id >= STRAY_FIRST && id <= STRAY_LAST && files[_i][0] == 's')
            continue;
        agree += replay(&records, row);
        ++replayed;
    }
    if (step == 1)
        printf("%s: %zu of %zu records agree\n", files[_i], agree, replayed);
    fflush(stdout);
    tma_tsv_free(&records);
    ck_assert_uint_eq(agree, replayed);
}

TEST_SUITE("ptx_functional", .set_up_once = setup, .tear_down_once = teardown, .timeout = 600);
