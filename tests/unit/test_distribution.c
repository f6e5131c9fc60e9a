/* The tuples of the tile-distribution document, worked out by hand from its equations. */
#include <string.h>

#include "banks/consumer.h"
#include "banks/tile_distribution.h"
#include "suite.h"

struct tuples {
    struct tma_tile_pattern pattern;
    uint32_t x[2], y[3];
};

#define PATTERN(raking_, block_, y_, x_, vec_, warp_, groups_)                                     \
    { TMA_##raking_##_RAKED, block_, y_, x_, vec_, warp_, groups_ }

/* A tile of 128 x 64 elements in vectors of 8: X1 = 8 threads share a row, so a warp of 32 takes 4
 * rows at once and a warp of 64 takes 8. Blocks of 64, 128 and 256 threads are 2, 4 and 8 warps of
 * 32, which take 128 rows in 16, 8 and 4 iterations. */
static const struct tuples tuples[] = {
    {PATTERN(THREAD, 64, 128, 64, 8, 32, 1), {8, 8}, {2, 4, 16}},
    {PATTERN(THREAD, 128, 128, 64, 8, 32, 1), {8, 8}, {4, 4, 8}},
    {PATTERN(THREAD, 256, 128, 64, 8, 32, 1), {8, 8}, {8, 4, 4}},
    {PATTERN(WARP, 64, 128, 64, 8, 32, 1), {8, 8}, {2, 16, 4}},
    {PATTERN(WARP, 128, 128, 64, 8, 32, 1), {8, 8}, {4, 8, 4}},
    {PATTERN(WARP, 256, 128, 64, 8, 32, 1), {8, 8}, {8, 4, 4}},
    {PATTERN(BLOCK, 64, 128, 64, 8, 32, 1), {8, 8}, {16, 2, 4}},
    {PATTERN(BLOCK, 128, 128, 64, 8, 32, 1), {8, 8}, {8, 4, 4}},
    {PATTERN(BLOCK, 256, 128, 64, 8, 32, 1), {8, 8}, {4, 8, 4}},
    {PATTERN(THREAD, 64, 128, 64, 8, 64, 1), {8, 8}, {1, 8, 16}},
    {PATTERN(THREAD, 128, 128, 64, 8, 64, 1), {8, 8}, {2, 8, 8}},
    {PATTERN(THREAD, 256, 128, 64, 8, 64, 1), {8, 8}, {4, 8, 4}},
    {PATTERN(WARP, 64, 128, 64, 8, 64, 1), {8, 8}, {1, 16, 8}},
    {PATTERN(WARP, 128, 128, 64, 8, 64, 1), {8, 8}, {2, 8, 8}},
    {PATTERN(WARP, 256, 128, 64, 8, 64, 1), {8, 8}, {4, 4, 8}},
    {PATTERN(BLOCK, 64, 128, 64, 8, 64, 1), {8, 8}, {16, 1, 8}},
    {PATTERN(BLOCK, 128, 128, 64, 8, 64, 1), {8, 8}, {8, 2, 8}},
    {PATTERN(BLOCK, 256, 128, 64, 8, 64, 1), {8, 8}, {4, 4, 8}},
    /* Two wave groups: each has half of the warps, and therefore takes twice the iterations. */
    {PATTERN(THREAD, 256, 128, 64, 8, 32, 2), {8, 8}, {4, 4, 8}},
    {PATTERN(THREAD, 256, 128, 64, 8, 64, 2), {8, 8}, {2, 8, 8}},
    {PATTERN(WARP, 256, 128, 64, 8, 32, 2), {8, 8}, {4, 8, 4}},
    {PATTERN(BLOCK, 256, 128, 64, 8, 64, 2), {8, 8}, {8, 2, 8}},
    /* 16 x 32 elements for 256 threads are 2 each: MaxVecSize 2 limits VecSize 8. */
    {PATTERN(THREAD, 256, 16, 32, 8, 32, 1), {2, 16}, {8, 2, 1}},
    /* A warp for each row; then a thread for each row. */
    {PATTERN(BLOCK, 64, 8, 32, 1, 32, 1), {1, 32}, {4, 2, 1}},
    {PATTERN(WARP, 64, 64, 4, 4, 32, 1), {4, 1}, {2, 1, 32}},
};

TEST_ROWS(tuples_match_the_document, TABLE_ROWS(tuples)) {
    const struct tuples *expected = &tuples[_i];
    struct tma_tile_distribution got;
    struct tma_error error = {0};
    ck_assert_msg(tma_tile_distribute(&expected->pattern, &got, &error) == TMA_OK, "%s",
                  error.text);
    ck_assert_msg(memcmp(got.x, expected->x, sizeof got.x) == 0 &&
                      memcmp(got.y, expected->y, sizeof got.y) == 0,
                  "case %d: <%u, %u> <%u, %u, %u>", _i, got.x[0], got.x[1], got.y[0], got.y[1],
                  got.y[2]);
}

/* Each element of the tile belongs to exactly one thread of a wave group, and
 * tma_distribution_owner() is the inverse of tma_distribution_element(). */
TEST_ROWS(elements_cover_the_tile_exactly_once, TABLE_ROWS(tuples)) {
    struct tma_tile_distribution distribution;
    ck_assert_int_eq((int)tma_tile_distribute(&tuples[_i].pattern, &distribution, NULL), TMA_OK);
    const struct tma_tile_pattern *pattern = &distribution.pattern;
    uint32_t group_threads = pattern->block_size / pattern->wave_groups;
    uint32_t thread_elements = distribution.iterations * distribution.x[0];
    ck_assert_uint_eq(group_threads * thread_elements, pattern->y_per_tile * pattern->x_per_tile);
    for (uint32_t thread = 0; thread < pattern->block_size; thread++)
        for (uint32_t element = 0; element < thread_elements; element++) {
            struct tma_tile_element at = tma_distribution_element(&distribution, thread, element);
            struct tma_tile_owner owner = tma_distribution_owner(&distribution, at);
            ck_assert_uint_eq(owner.thread, thread % group_threads);
            ck_assert_uint_eq(owner.element, element);
        }
}

struct place {
    enum tma_raking raking;
    uint32_t thread, element;
    uint32_t y, x;
};

/* 128 threads over 64 x 64 elements in vectors of 8: 4 warps, 4 rows of a warp, 4 iterations.
 * Thread 42 is lane 10 of warp 1: row 1 of the warp's 4 rows, third vector of the row. Element 19
 * is the fourth of the vector in iteration 2. */
static const struct place places[] = {
    {TMA_THREAD_RAKED, 42, 0, (1 * 4 + 1) * 4 + 0, 16},
    {TMA_THREAD_RAKED, 42, 19, (1 * 4 + 1) * 4 + 2, 19},
    {TMA_WARP_RAKED, 42, 0, (1 * 4 + 0) * 4 + 1, 16},
    {TMA_WARP_RAKED, 42, 19, (1 * 4 + 2) * 4 + 1, 19},
    {TMA_BLOCK_RAKED, 42, 0, (0 * 4 + 1) * 4 + 1, 16},
    {TMA_BLOCK_RAKED, 42, 19, (2 * 4 + 1) * 4 + 1, 19},
    {TMA_BLOCK_RAKED, 127, 31, 63, 63},
};

TEST_ROWS(element_has_its_coordinates, TABLE_ROWS(places)) {
    const struct place *expected = &places[_i];
    const struct tma_tile_pattern pattern = {expected->raking, 128, 64, 64, 8, 32, 1};
    struct tma_tile_distribution distribution;
    ck_assert_int_eq((int)tma_tile_distribute(&pattern, &distribution, NULL), TMA_OK);
    struct tma_tile_element at =
        tma_distribution_element(&distribution, expected->thread, expected->element);
    ck_assert_uint_eq(at.y, expected->y);
    ck_assert_uint_eq(at.x, expected->x);
}

struct rejected {
    struct tma_tile_pattern pattern;
    const char *message; /* part of the error text */
};

static const struct rejected rejected[] = {
    {PATTERN(THREAD, 0, 128, 64, 8, 32, 1), "BlockSize is 0"},
    {PATTERN(THREAD, 1048577, 128, 64, 8, 32, 1), "BlockSize is 1048577; allowed: 1 to 1048576"},
    {{(enum tma_raking)3, 64, 128, 64, 8, 32, 1},
     "distribution pattern 3; allowed: thread_raked, warp_raked, block_raked"},
    {PATTERN(THREAD, 64, 128, 64, 8, 16, 1), "WarpSize is 16; allowed: 32, 64"},
    {PATTERN(THREAD, 256, 4, 32, 8, 32, 1), "4 * 32 / 256 is less"},
    {PATTERN(THREAD, 64, 128, 60, 8, 32, 1), "X0 * X1 == XPerTile fails"},
    {PATTERN(THREAD, 96, 128, 64, 8, 64, 1), "Y0 * WarpSize == BlockSize fails"},
    {PATTERN(BLOCK, 96, 128, 64, 8, 64, 1), "Y1 * WarpSize == BlockSize fails"},
    {PATTERN(WARP, 96, 128, 64, 8, 32, 2), "Y0 * WarpSize * NumWaveGroups == BlockSize fails"},
    {PATTERN(THREAD, 64, 128, 48, 8, 32, 1), "Y1 * X1 == WarpSize fails: X1 = XPerTile / X0 = "
                                             "48 / 8 = 6"},
    {PATTERN(WARP, 64, 128, 512, 8, 32, 1), "Y2 * X1 == WarpSize fails"},
    {PATTERN(BLOCK, 256, 40, 64, 8, 32, 1), "Y0 * Y1 * Y2 == YPerTile fails: 8 warps * 4 rows"},
};

TEST_ROWS(error_names_the_failing_equation, TABLE_ROWS(rejected)) {
    struct tma_tile_distribution distribution;
    struct tma_error error = {0};
    ck_assert_int_eq((int)tma_tile_distribute(&rejected[_i].pattern, &distribution, &error),
                     TMA_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.text, rejected[_i].message) != NULL, "%s", error.text);
}

/* Bank conflicts of distributions as consumers of a tile of 64 rows of 64 elements of 2 bytes. By
 * default 8 threads share a row, so that each phase is one row of 8 chunks: every pattern is
 * conflict-free. */
struct pass {
    enum tma_raking raking;
    uint32_t x_per_tile, vec_size, warp_size;
    enum tma_swizzle swizzle;
    uint64_t instructions, wavefronts;
    uint32_t ways;
};

static const struct pass passes[] = {
    {TMA_THREAD_RAKED, 0, 0, 0, TMA_SWIZZLE_NONE, 16, 64, 1},
    {TMA_WARP_RAKED, 0, 0, 0, TMA_SWIZZLE_128B, 16, 64, 1},
    {TMA_BLOCK_RAKED, 0, 0, 64, TMA_SWIZZLE_128B, 16, 64, 1},
    /* Windows of 8 elements: a thread takes a row of its window. The threads of a phase take the
     * same chunk column of 8 rows. */
    {TMA_WARP_RAKED, 8, 0, 0, TMA_SWIZZLE_NONE, 16, 512, 8},
    {TMA_WARP_RAKED, 8, 0, 0, TMA_SWIZZLE_128B, 16, 64, 1},
    /* Vectors of 16 elements take two instructions: 4 threads share a row, and access its even
     * chunks, then its odd ones. So the 2 rows of a phase conflict in chunks 0, 2, 4 and 6 unless
     * they are swizzled. */
    {TMA_BLOCK_RAKED, 0, 16, 0, TMA_SWIZZLE_NONE, 16, 128, 2},
    {TMA_BLOCK_RAKED, 0, 16, 0, TMA_SWIZZLE_128B, 16, 64, 1},
};

TEST_ROWS(pass_takes_expected_wavefronts, TABLE_ROWS(passes)) {
    const struct pass *expected = &passes[_i];
    const struct tma_consumer consumer = {.instruction = TMA_LD_SHARED_B128,
                                          .lanes = TMA_LANES_DISTRIBUTION,
                                          .distribution = {.raking = expected->raking,
                                                           .block_size = 64,
                                                           .x_per_tile = expected->x_per_tile,
                                                           .vec_size = expected->vec_size,
                                                           .warp_size = expected->warp_size}};
    const struct tma_tile tile = {.swizzle = expected->swizzle,
                                  .rows = 64,
                                  .row_bytes = 128,
                                  .pitch_bytes = 128,
                                  .element_bytes = 2};
    struct tma_error error = {0};
    ck_assert_msg(tma_consumer_check(&consumer, &tile, &error) == TMA_OK, "%s", error.text);
    struct tma_consumer_report report = tma_consumer_measure(&consumer, &tile);
    ck_assert_uint_eq(report.bytes, 64 * 128);
    ck_assert_uint_eq(report.instructions, expected->instructions);
    ck_assert_uint_eq(report.wavefronts, expected->wavefronts);
    ck_assert_uint_eq(report.worst.ways, expected->ways);
}

struct misfit {
    enum tma_shared_instruction instruction;
    struct tma_tile_pattern pattern;
    const char *message; /* part of the error text */
};

static const struct misfit misfits[] = {
    {TMA_LD_SHARED_B128, PATTERN(WARP, 64, 48, 64, 8, 32, 1),
     "does not divide the tile of 64 rows"},
    {TMA_LD_SHARED_B128, PATTERN(WARP, 64, 64, 128, 8, 32, 1),
     "does not divide the tile of 64 rows"},
    {TMA_LD_SHARED_B128, PATTERN(WARP, 64, 64, 64, 4, 32, 1), "X0 * element = 4 * 2 = 8 bytes"},
};

TEST_ROWS(check_rejects_a_misfit, TABLE_ROWS(misfits)) {
    struct tma_consumer consumer = {.instruction = misfits[_i].instruction,
                                    .lanes = TMA_LANES_DISTRIBUTION,
                                    .distribution = misfits[_i].pattern};
    const struct tma_tile tile = {
        .rows = 64, .row_bytes = 128, .pitch_bytes = 128, .element_bytes = 2};
    struct tma_error error = {0};
    ck_assert_int_eq((int)tma_consumer_check(&consumer, &tile, &error), TMA_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.text, misfits[_i].message) != NULL, "%s", error.text);
}

TEST(patterns_have_names) {
    static const char *const names[] = {"thread_raked", "warp_raked", "block_raked"};
    int value;
    ck_assert_uint_eq(tma_raking_names.count, 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(tma_name_of(&tma_raking_names, i), names[i]);
        ck_assert(tma_value_of(&tma_raking_names, names[i], &value) && value == i);
    }
}

TEST_SUITE("distribution");
