/* Which mode is recommended, what padding does, and that every format holds what was compared. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/swizzle_comparison.h"
#include "suite.h"

#define USE(instruction_, lanes_)                                                                  \
    { .instruction = TMA_##instruction_, .lanes = TMA_LANES_##lanes_, .repeat = 1 }

/* One operation that loads a tile of 32 rows of 128 bytes, and its consumers. */
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

/* Adds a mode; the run has one stage, and takes a cycle for each wavefront. */
static void add_mode(struct tma_swizzle_comparison *comparison, enum tma_swizzle swizzle) {
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
    tma_compare_add_legal(comparison, swizzle, &workload, result);
    free(result);
}

struct advice {
    const char *name;
    struct tma_consumer consumers[2];
    uint32_t count;
    const char *recommendation;
};

static const struct advice advices[] = {
    {"fragments",
     {USE(LDMATRIX_X4, FRAGMENT_A)},
     1,
     "use 128b: no consumer has a bank conflict, while with swizzle none ldmatrix.x4 of consumer 0 "
     "has "
     "8-way conflicts (224 excess wavefronts)"},
    {"rows", {USE(LD_SHARED_B128, ROW)}, 1, "use any legal mode: no consumer has a bank conflict"},
    {"no consumer",
     {USE(LD_SHARED_B128, ROW)},
     0,
     "use any legal mode: no consumer reads the tiles"},
    {"a column of words",
     {USE(LD_SHARED_B32, COLUMN)},
     1,
     "use 128b: it has the fewest excess wavefronts, 96 (swizzle none has 992), but ld.shared.b32 "
     "of consumer 0 has 4-way conflicts; padded rows would avoid all conflicts, for 128 more bytes "
     "of shared memory per stage"},
    {"the second consumer is worse",
     {USE(LD_SHARED_B128, ROW), USE(LDMATRIX_X2, MATRIX)},
     2,
     "use 128b: no consumer has a bank conflict, while with swizzle none ldmatrix.x2 of consumer 1 "
     "has "
     "8-way conflicts (224 excess wavefronts)"},
};

TEST_ROWS(recommends, TABLE_ROWS(advices)) {
    const struct advice *advice = &advices[_i];
    struct tma_workload workload = workload_of(advice->consumers, advice->count);
    struct tma_swizzle_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    add_mode(comparison, TMA_SWIZZLE_NONE);
    tma_compare_add_illegal(comparison, TMA_SWIZZLE_64B, "too wide");
    add_mode(comparison, TMA_SWIZZLE_128B);
    tma_compare_finish(comparison);
    ck_assert_str_eq(comparison->recommendation, advice->recommendation);
    free(comparison);
}

/* A mode with fewer conflicts is faster only if the ranges of the launches do not overlap. */
static const struct {
    struct tma_launches none, best;
    const char *end;
} launches[] = {
    {{3, 300, 300, 290, 310},
     {3, 200, 200, 180, 289},
     "(224 excess wavefronts); 3 launches take 180 to 289 cycles, and with swizzle none 290 to "
     "310"},
    {{3, 300, 300, 290, 310},
     {3, 200, 200, 180, 290},
     "(224 excess wavefronts); in time there is no difference: the cycles of 3 launches overlap"},
    {{0}, {0}, "(224 excess wavefronts)"},
};

TEST_ROWS(compares_launches, TABLE_ROWS(launches)) {
    struct tma_workload workload = workload_of(advices[0].consumers, 1);
    struct tma_swizzle_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    add_mode(comparison, TMA_SWIZZLE_NONE);
    add_mode(comparison, TMA_SWIZZLE_128B);
    comparison->modes[0].draws = launches[_i].none;
    comparison->modes[1].draws = launches[_i].best;
    tma_compare_finish(comparison);
    const char *text = comparison->recommendation, *end = launches[_i].end;
    ck_assert_uint_ge(strlen(text), strlen(end));
    ck_assert_str_eq(text + strlen(text) - strlen(end), end);
    free(comparison);
}

TEST(no_mode_is_legal) {
    struct tma_workload workload = workload_of(NULL, 0);
    struct tma_swizzle_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    tma_compare_add_illegal(comparison, TMA_SWIZZLE_64B, "too wide");
    tma_compare_finish(comparison);
    ck_assert_ptr_null(comparison->best);
    ck_assert_str_eq(comparison->recommendation,
                     "none: no mode is legal for every tensor map and consumer");
    free(comparison);
}

struct padded {
    const char *name;
    struct tma_consumer consumers[2];
    uint32_t count;
    uint32_t gap; /* bytes; 0: not possible */
    uint64_t wavefronts[2];
};

/* 32 rows. A gap of one word turns a column of words into all banks, one chunk a column of chunks;
 * both together need a multiple of 16 bytes, with which the column of words keeps 4 rows a bank. */
static const struct padded paddings[] = {
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

TEST_ROWS(pads, TABLE_ROWS(paddings)) {
    const struct padded *expected = &paddings[_i];
    struct tma_workload workload = workload_of(expected->consumers, expected->count);
    struct tma_swizzle_comparison *comparison = calloc(1, sizeof *comparison);
    comparison->workload = &workload;
    tma_compare_finish(comparison);
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

/* A comparison with a name and a reason that every format has to quote. */
static char *write_awkward(int format) {
    const struct tma_consumer consumers[] = {USE(LDMATRIX_X4, MATRIX), USE(LD_SHARED_B32, COLUMN)};
    struct tma_workload workload = workload_of(consumers, 2);
    struct tma_swizzle_comparison *comparison = calloc(1, sizeof *comparison);
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    comparison->scenario = "a<b|\"c\"&d";
    comparison->machine = "M";
    comparison->trust.validated = true;
    comparison->workload = &workload;
    comparison->show_padding = true;
    add_mode(comparison, TMA_SWIZZLE_NONE);
    tma_compare_add_illegal(comparison, TMA_SWIZZLE_64B, "too \"wide\", a|b");
    add_mode(comparison, TMA_SWIZZLE_128B);
    tma_compare_finish(comparison);
    tma_compare_write(comparison, format, out);
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
    {"text", "16 bytes after every row cost 512 bytes", 1},
    {"json", "\"layout\": \"none+16\"", 2},
    {"json", "a<b|\\\"c\\\"&d", 1},
    {"json", "\"legal\": false", 1},
    {"svg", "a&lt;b|&quot;c&quot;&amp;d", 2},
    /* Six panels of 32 rows of 8 chunks, and the legend; the lanes that collide: 8, and in the
     * column of words 32, 4 and 4. */
    {"svg", "class=\"cell over\"", 6 * 32 * 8},
    {"svg", "class=\"cell\"", 8},
    {"svg", "class=\"worst\"", 8 + 32 + 4 + 4},
    {"svg", "class=\"lane\"", 3 * 8 + 3 * 32},
    {"svg", "</g>", 6},
};

TEST_ROWS(format_has, TABLE_ROWS(parts)) {
    const struct format_part *part = &parts[_i];
    int format;
    ck_assert(tma_value_of(&tma_compare_format_names, part->format, &format));
    char *text = write_awkward(format);
    size_t times = occurrences(text, part->part);
    ck_assert_msg(times == part->times, "%s has \"%s\" %zu times:\n%.3000s", part->format,
                  part->part, times, text);
    free(text);
}

TEST_SUITE("comparison");
