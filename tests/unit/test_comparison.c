/* The comparison of swizzle modes: its recommendation, padded rows, and each output format. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/swizzle_comparison.h"
#include "suite.h"

#define USE(instruction_, lanes_)                                                                  \
    { .instruction = TMA_##instruction_, .lanes = TMA_LANES_##lanes_, .repeat = 1 }

/* A workload of one operation that loads a tile of 32 rows of 128 bytes, and its consumers. */
static struct tma_workload workload_of(const struct tma_consumer *consumers, uint32_t count) {
    struct tma_workload workload = {
        .maps = {{.kind = TMA_MAP_TILED,
                  .data_type = TMA_FLOAT16,
                  .rank = 2,
                  .global_dim = {64, 32},
                  .global_strides = {128},
                  .box_dim = {64, 32},
                  .element_strides = {1, 1}}},
        .map_count = 1,
        .cta_count = 1,
        .sm_count = 1,
        .iterations = 1,
        .depth = 1,
        .stage_bytes = 4096,
        .operations = {{.walk = {.tiles = {1, 1, 1, 1, 1}}}},
        .operation_count = 1,
        .consumer_count = count,
    };
    for (uint32_t i = 0; i < count; i++)
        workload.consumers[i] = consumers[i];
    return workload;
}

/* Adds a mode with the result of a run of one stage, which takes 100 cycles and one for each
 * wavefront. */
static void add_mode(struct tma_comparison *comparison, enum tma_swizzle swizzle) {
    struct tma_workload workload = *comparison->workload;
    struct tma_result *result = calloc(1, sizeof *result);
    workload.maps[0].swizzle = swizzle;
    result->cycles = 100;
    for (uint32_t i = 0; i < workload.consumer_count; i++) {
        struct tma_consumer_total *total = &result->consumers[i];
        struct tma_tile tile;
        ck_assert_int_eq((int)tma_workload_tile(&workload, 0, 0, &tile, NULL), TMA_OK);
        total->tile = tma_consumer_measure(&workload.consumers[i], &tile);
        total->wavefronts = total->tile.wavefronts;
        total->ideal_wavefronts = total->tile.ideal_wavefronts;
        result->cycles += total->wavefronts;
    }
    tma_comparison_add(comparison, swizzle, &workload, result);
    free(result);
}

struct recommendation {
    const char *name;
    struct tma_consumer consumers[2];
    uint32_t count;
    const char *text;
};

static const struct recommendation recommendations[] = {
    {"fragments",
     {USE(LDMATRIX_X4, FRAGMENT_A)},
     1,
     "take 128b: no consumer has a bank conflict, while with none ldmatrix.x4 of consumer 0 meets "
     "8-way conflicts (224 excess wavefronts)"},
    {"rows", {USE(LD_SHARED_B128, ROW)}, 1, "any legal mode will do: none has a bank conflict"},
    {"no consumer",
     {USE(LD_SHARED_B128, ROW)},
     0,
     "any legal mode will do: no consumer reads the tiles"},
    {"a column of words",
     {USE(LD_SHARED_B32, COLUMN)},
     1,
     "take 128b: 96 excess wavefronts are the fewest (with none 992), yet ld.shared.b32 of "
     "consumer "
     "0 meets 4-way conflicts; padded rows would have no conflict, for 128 bytes more of shared "
     "memory a stage"},
    {"the second consumer is worse",
     {USE(LD_SHARED_B128, ROW), USE(LDMATRIX_X2, MATRIX)},
     2,
     "take 128b: no consumer has a bank conflict, while with none ldmatrix.x2 of consumer 1 meets "
     "8-way conflicts (224 excess wavefronts)"},
};

START_TEST(recommendation_names_best_mode) {
    const struct recommendation *expected = &recommendations[_i];
    struct tma_workload workload = workload_of(expected->consumers, expected->count);
    struct tma_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    add_mode(comparison, TMA_SWIZZLE_NONE);
    tma_comparison_refuse(comparison, TMA_SWIZZLE_64B, "too wide");
    add_mode(comparison, TMA_SWIZZLE_128B);
    tma_comparison_judge(comparison);
    ck_assert_str_eq(comparison->recommendation, expected->text);
    free(comparison);
}
END_TEST

START_TEST(no_legal_mode_is_said) {
    struct tma_workload workload = workload_of(NULL, 0);
    struct tma_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    tma_comparison_refuse(comparison, TMA_SWIZZLE_64B, "too wide");
    tma_comparison_judge(comparison);
    ck_assert_ptr_null(comparison->best);
    ck_assert_str_eq(comparison->recommendation,
                     "none: no mode is legal for every tensor map and consumer");
    free(comparison);
}
END_TEST

struct padding {
    const char *name;
    struct tma_consumer consumers[2];
    uint32_t count;
    uint32_t gap;           /* bytes behind each row; 0 if padding is not possible */
    uint64_t wavefronts[2]; /* of each consumer, with the padding */
};

/* 32 rows. A gap of one word spreads a column of words over all banks; a gap of one chunk does so
 * for a column of chunks. Both consumers together need a multiple of 16 bytes, which leaves 4 words
 * of a column of words in each bank. */
static const struct padding paddings[] = {
    {"words", {USE(LD_SHARED_B32, COLUMN)}, 1, 4, {32}},
    {"chunks", {USE(LD_SHARED_B128, COLUMN)}, 1, 16, {32}},
    {"pairs", {USE(LD_SHARED_B64, COLUMN)}, 1, 8, {32}},
    {"both", {USE(LD_SHARED_B32, COLUMN), USE(LDMATRIX_X4, MATRIX)}, 2, 16, {128, 32}},
    {"wgmma",
     {{.instruction = TMA_WGMMA_SHARED, .lanes = TMA_LANES_DESCRIPTOR, .wgmma = {.mn = 32}}},
     1,
     0,
     {0}},
};

START_TEST(padding_has_expected_gap) {
    const struct padding *expected = &paddings[_i];
    struct tma_workload workload = workload_of(expected->consumers, expected->count);
    struct tma_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    tma_comparison_judge(comparison);
    const struct tma_compared_padding *padding = &comparison->padding[0];
    ck_assert_uint_eq(comparison->padding_count, 1);
    ck_assert_msg(padding->possible == (expected->gap != 0), "%s", expected->name);
    ck_assert_uint_eq(padding->extra_bytes, 32 * expected->gap);
    if (padding->possible)
        ck_assert_uint_eq(padding->tile.pitch_bytes, 128 + expected->gap);
    else
        ck_assert_ptr_nonnull(strstr(padding->reason, "wgmma descriptor"));
    for (uint32_t i = 0; i < expected->count; i++)
        ck_assert_msg(padding->passes[i].wavefronts == expected->wavefronts[i], "%s: %llu",
                      expected->name, (unsigned long long)padding->passes[i].wavefronts);
    free(comparison);
}
END_TEST

/* Writes a comparison whose scenario name and reason contain characters that formats have to quote.
 */
static char *write_awkward(int format) {
    const struct tma_consumer consumers[] = {USE(LDMATRIX_X4, MATRIX), USE(LD_SHARED_B32, COLUMN)};
    struct tma_workload workload = workload_of(consumers, 2);
    struct tma_comparison *comparison = calloc(1, sizeof *comparison);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    comparison->scenario = "a<b|\"c\"&d";
    comparison->machine = "M";
    comparison->timing_validated = true;
    comparison->workload = &workload;
    comparison->show_padding = true;
    add_mode(comparison, TMA_SWIZZLE_NONE);
    tma_comparison_refuse(comparison, TMA_SWIZZLE_64B, "too \"wide\", a|b");
    add_mode(comparison, TMA_SWIZZLE_128B);
    tma_comparison_judge(comparison);
    tma_comparison_write(comparison, format, out);
    fclose(out);
    free(comparison);
    return text;
}

static size_t occurrences(const char *text, const char *part) {
    size_t count = 0;
    for (text = strstr(text, part); text != NULL; text = strstr(text + 1, part))
        count++;
    return count;
}

struct format_part {
    const char *format;
    const char *part;
    size_t times;
};

static const struct format_part parts[] = {
    {"text", "128b ", 3},
    {"text", "instruction 0, lanes 0-7, bank 0", 1},
    {"text", "none+16", 2},
    {"text", "16 bytes behind every row cost 512 bytes", 1},
    {"json", "\"layout\": \"none+16\"", 2},
    {"json", "a<b|\\\"c\\\"&d", 1},
    {"json", "\"legal\": false", 1},
    {"csv", "64b,,,,,,,,,,,,,,,,,\"too \"\"wide\"\", a|b\",true\n", 1},
    {"csv", "none+16,,,0,ldmatrix.x4,matrix,0,512,8,32,32,0,1,0,00000001,0,32,,true\n", 1},
    {"csv", "\n", 8},
    {"markdown", "a<b\\|\"c\"&d", 1},
    {"markdown", "a\\|b |\n", 1},
    {"markdown", "| **128b** |", 1},
    {"markdown", "| 8-way: instruction 0, lanes 0-7, bank 0 |", 1},
    {"svg", "a&lt;b|\"c\"&amp;d", 1},
    /* Six panels of 32 rows of 8 chunks. The conflicting lanes: 8 for ldmatrix; 32, 4 and 4 for the
     * column of words. */
    {"svg", "class=\"bank\"", 6 * 32 * 8 + 8},
    {"svg", "class=\"worst\"", 8 + 32 + 4 + 4},
    {"svg", "class=\"lane\"", 3 * 8 + 3 * 32},
    {"svg", "</g>", 6},
};

START_TEST(format_contains_parts) {
    const struct format_part *part = &parts[_i];
    int format;
    ck_assert(tma_value_of(&tma_comparison_format_names, part->format, &format));
    char *text = write_awkward(format);
    size_t times = occurrences(text, part->part);
    ck_assert_msg(times == part->times, "%s has \"%s\" %zu times:\n%.3000s", part->format,
                  part->part, times, text);
    free(text);
}
END_TEST

int main(void) {
    Suite *suite = suite_create("comparison");
    TCase *cases = tcase_create("comparison");
    tcase_add_loop_test(cases, recommendation_names_best_mode, 0, TABLE_ROWS(recommendations));
    tcase_add_test(cases, no_legal_mode_is_said);
    tcase_add_loop_test(cases, padding_has_expected_gap, 0, TABLE_ROWS(paddings));
    tcase_add_loop_test(cases, format_contains_parts, 0, TABLE_ROWS(parts));
    suite_add_tcase(suite, cases);
    return run_suite(suite);
}
