/* Consumers: wavefronts of known patterns, where lanes go, and what the check rejects. The comment
 * of each group of cases derives its figures. */
#include <string.h>

#include "banks/consumer.h"
#include "suite.h"

enum { PACKED = 0, F16 = 2, F32 = 4 };

struct pass {
    const char *name;
    struct tma_consumer consumer;
    struct tma_tile tile;
    uint64_t instructions, wavefronts, ideal;
    uint32_t ways;
};

#define TILE(swizzle_, rows_, row_bytes_, pitch_, element_)                                        \
    {                                                                                              \
        .swizzle = TMA_SWIZZLE_##swizzle_, .rows = rows_, .row_bytes = row_bytes_,                 \
        .pitch_bytes = pitch_, .element_bytes = element_                                           \
    }
#define USE(instruction_, lanes_)                                                                  \
    { .instruction = TMA_##instruction_, .lanes = TMA_LANES_##lanes_ }
#define USE_TRANSPOSED(instruction_, lanes_)                                                       \
    { .instruction = TMA_##instruction_, .lanes = TMA_LANES_##lanes_, .transposed = true }
#define USE_STRIDED(instruction_, stride_)                                                         \
    { .instruction = TMA_##instruction_, .lanes = TMA_LANES_STRIDED, .stride = stride_ }

static const struct pass passes[] = {
    /* 64 rows of 128 bytes, read column by column in chunks of 16 bytes: 64 * 8 chunks are 16
     * instructions of 4 phases with 8 rows each. The swizzle spreads the 8 rows of a phase over 1,
     * 2, 4 or 8 bank groups. */
    {"column of chunks, none", USE(LD_SHARED_B128, COLUMN), TILE(NONE, 64, 128, 128, F16), 16, 512,
     64, 8},
    {"column of chunks, 32B", USE(LD_SHARED_B128, COLUMN), TILE(32B, 64, 128, 128, F16), 16, 256,
     64, 4},
    {"column of chunks, 64B", USE(LD_SHARED_B128, COLUMN), TILE(64B, 64, 128, 128, F16), 16, 128,
     64, 2},
    {"column of chunks, 128B", USE(LD_SHARED_B128, COLUMN), TILE(128B, 64, 128, 128, F16), 16, 64,
     64, 1},
    /* Atoms of 32 bytes spread them over 4 groups, atoms of 64 bytes over 2. */
    {"column of chunks, 32-byte atom", USE(LD_SHARED_B128, COLUMN),
     TILE(128B_ATOM_32B, 64, 128, 128, F16), 16, 128, 64, 2},
    {"column of chunks, 64-byte atom", USE(LD_SHARED_B128, COLUMN),
     TILE(128B_ATOM_64B, 64, 128, 128, F16), 16, 256, 64, 4},
    /* Rows as short as the swizzle's span: 8 rows of 64 bytes are 4 lines of two rows, which are 4
     * chunks apart. The swizzle spreads the 4 lines over the other bank groups. */
    {"column of chunks, 64-byte rows, none", USE(LD_SHARED_B128, COLUMN),
     TILE(NONE, 64, 64, 64, F16), 8, 128, 32, 4},
    {"column of chunks, 64-byte rows, 64B", USE(LD_SHARED_B128, COLUMN), TILE(64B, 64, 64, 64, F16),
     8, 32, 32, 1},
    {"column of chunks, 32-byte rows, none", USE(LD_SHARED_B128, COLUMN),
     TILE(NONE, 64, 32, 32, F16), 4, 32, 16, 2},
    {"column of chunks, 32-byte rows, 32B", USE(LD_SHARED_B128, COLUMN), TILE(32B, 64, 32, 32, F16),
     4, 16, 16, 1},
    /* A transpose of a 32 x 32 tile of floats: a column is 32 words in one bank. The 128B swizzle
     * puts 4 of the 32 rows at each of the 8 chunk positions. With a pitch of 33 words, a column
     * uses all 32 banks. */
    {"transpose floats, none", USE(LD_SHARED_B32, COLUMN), TILE(NONE, 32, 128, 128, F32), 32, 1024,
     32, 32},
    {"transpose floats, 32B", USE(LD_SHARED_B32, COLUMN), TILE(32B, 32, 128, 128, F32), 32, 512, 32,
     16},
    {"transpose floats, 64B", USE(LD_SHARED_B32, COLUMN), TILE(64B, 32, 128, 128, F32), 32, 256, 32,
     8},
    {"transpose floats, 128B", USE(LD_SHARED_B32, COLUMN), TILE(128B, 32, 128, 128, F32), 32, 128,
     32, 4},
    {"transpose floats, pitch 132", USE(LD_SHARED_B32, COLUMN), TILE(NONE, 32, 128, 132, F32), 32,
     32, 32, 1},
    /* With a pitch of 9 chunks, 8 rows use 8 bank groups. */
    {"column of chunks, pitch 144", USE(LD_SHARED_B128, COLUMN), TILE(NONE, 64, 128, 144, F16), 16,
     64, 64, 1},
    /* Reading along rows never conflicts, swizzled or not. Lanes of 8 bytes take 2 phases, lanes of
     * 16 bytes take 4. */
    {"rows of floats, none", USE(LD_SHARED_B32, ROW), TILE(NONE, 32, 128, 128, F32), 32, 32, 32, 1},
    {"rows of floats, 128B", USE(LD_SHARED_B32, ROW), TILE(128B, 32, 128, 128, F32), 32, 32, 32, 1},
    {"rows of pairs, 128B", USE(ST_SHARED_B64, ROW), TILE(128B, 32, 128, 128, F32), 16, 32, 32, 1},
    {"rows of chunks, 128B", USE(ST_SHARED_B128, ROW), TILE(128B, 32, 128, 128, F32), 8, 32, 32, 1},
    /* 2 lanes of 2 bytes, or 4 lanes of 1 byte, share a word. */
    {"rows of halves", USE(LD_SHARED_B16, ROW), TILE(NONE, 8, 128, 128, F16), 16, 16, 16, 1},
    {"rows of 4-bit elements", USE(LD_SHARED_B32, ROW), TILE(NONE, 8, 128, 128, PACKED), 8, 8, 8,
     1},
    {"rows of bytes", USE(LD_SHARED_B8, ROW), TILE(NONE, 8, 128, 128, 1), 32, 32, 32, 1},
    /* Columns of halves: as columns of floats, but twice as many. */
    {"column of halves", USE(LD_SHARED_B16, COLUMN), TILE(NONE, 32, 128, 128, F16), 64, 2048, 64,
     32},
    /* Blocks of 8 x 4 words: 8 rows in each of 4 banks. The 128B swizzle moves each row to 4 banks
     * of its own. */
    {"8 x 4 words, none", USE(LD_SHARED_B32, TRANSPOSED), TILE(NONE, 8, 128, 128, F32), 8, 64, 8,
     8},
    {"8 x 4 words, 128B", USE(LD_SHARED_B32, TRANSPOSED), TILE(128B, 8, 128, 128, F32), 8, 8, 8, 1},
    /* With stride 2, the 32 lanes span two rows and use each even bank twice. With stride 32, they
     * read a column. */
    {"stride 2", USE_STRIDED(LD_SHARED_B32, 2), TILE(NONE, 32, 128, 128, F32), 32, 64, 32, 2},
    {"stride 32", USE_STRIDED(LD_SHARED_B32, 32), TILE(NONE, 32, 128, 128, F32), 32, 1024, 32, 32},
    /* 5 rows of 5 words: 25 active lanes in one instruction. */
    {"part of a warp", USE(LD_SHARED_B32, ROW), TILE(NONE, 5, 20, 32, F32), 1, 2, 1, 2},
    /* A reduction takes a wavefront for each word of a bank, as a load does. */
    {"reduce along rows",
     {.instruction = TMA_RED_SHARED_B32},
     TILE(NONE, 4, 128, 128, F32),
     4,
     4,
     4,
     1},
    {"reduce down a column", USE(RED_SHARED_B32, COLUMN), TILE(NONE, 32, 128, 128, F32), 32, 1024,
     32, 32},
    /* A matrix of ldmatrix is 8 rows of one chunk column: 8-way conflicts without swizzle. 64 x 64
     * elements of 2 bytes are 64 matrices. */
    {"ldmatrix.x4 along, none", USE(LDMATRIX_X4, MATRIX), TILE(NONE, 64, 128, 128, F16), 16, 512,
     64, 8},
    {"ldmatrix.x4 along, padded", USE(LDMATRIX_X4, MATRIX), TILE(NONE, 64, 144, 144, F16), 16, 64,
     64, 1},
    {"ldmatrix.x4 along, 128B", USE(LDMATRIX_X4, MATRIX), TILE(128B, 64, 128, 128, F16), 16, 64, 64,
     1},
    {"ldmatrix.x4 down, 64B", USE_TRANSPOSED(LDMATRIX_X4, MATRIX), TILE(64B, 64, 128, 128, F16), 16,
     128, 64, 2},
    {"ldmatrix.x2", USE(LDMATRIX_X2, MATRIX), TILE(NONE, 64, 128, 128, F16), 32, 512, 64, 8},
    {"stmatrix.x1", USE(STMATRIX_X1, MATRIX), TILE(128B, 64, 128, 128, F16), 64, 64, 64, 1},
    /* Fragments consist of 8x8 matrices too. */
    {"A fragments, none", USE(LDMATRIX_X4, FRAGMENT_A), TILE(NONE, 64, 128, 128, F16), 16, 512, 64,
     8},
    {"A fragments, 128B", USE(LDMATRIX_X4, FRAGMENT_A), TILE(128B, 64, 128, 128, F16), 16, 64, 64,
     1},
    {"B fragments .trans, 128B", USE_TRANSPOSED(LDMATRIX_X4, FRAGMENT_B),
     TILE(128B, 64, 128, 128, F16), 16, 64, 64, 1},
    {"B fragments .trans, pitch 144", USE_TRANSPOSED(LDMATRIX_X4, FRAGMENT_B),
     TILE(NONE, 64, 128, 144, F16), 16, 64, 64, 1},
    /* On an H200, wgmma takes 16 wavefronts for 64 x 32 bytes; 64 x 128 bytes are 4 times that. */
    {"wgmma K-major 128B", USE(WGMMA_SHARED, DESCRIPTOR), TILE(128B, 64, 128, 128, F16), 16, 64, 64,
     1},
    {"wgmma K-major 64B", USE(WGMMA_SHARED, DESCRIPTOR), TILE(64B, 64, 64, 64, F16), 8, 32, 32, 1},
    {"wgmma K-major 32B", USE(WGMMA_SHARED, DESCRIPTOR), TILE(32B, 64, 32, 32, F16), 4, 16, 16, 1},
};

TEST_ROWS(pass_takes_expected_wavefronts, TABLE_ROWS(passes)) {
    const struct pass *expected = &passes[_i];
    struct tma_error error = {0};
    ck_assert_msg(tma_consumer_check(&expected->consumer, &expected->tile, &error) == TMA_OK,
                  "%s: %s", expected->name, error.text);
    struct tma_consumer_report report = tma_consumer_measure(&expected->consumer, &expected->tile);
    ck_assert_msg(report.instructions == expected->instructions &&
                      report.wavefronts == expected->wavefronts &&
                      report.ideal_wavefronts == expected->ideal &&
                      report.worst.ways == expected->ways,
                  "%s: %llu instructions, %llu wavefronts, %llu ideal, %u ways", expected->name,
                  (unsigned long long)report.instructions, (unsigned long long)report.wavefronts,
                  (unsigned long long)report.ideal_wavefronts, report.worst.ways);
    /* ldmatrix.x4 along a row reads 64 bytes of it; what is left of the row is padding. */
    uint32_t unit = expected->consumer.lanes == TMA_LANES_MATRIX ? 64 : 1;
    uint32_t row_bytes = expected->tile.row_bytes / unit * unit;
    ck_assert_uint_eq(report.bytes, (uint64_t)expected->tile.rows * row_bytes);
}

/* Where lanes go in a tile of 64-byte rows; the fragments are those of mma.m16n8k16. */
struct placed {
    const char *name;
    struct tma_consumer consumer;
    uint32_t access, lane; /* index of the instruction, and the lane */
    uint32_t row, byte;    /* where the lane's address is expected */
};

static const struct placed placed[] = {
    /* A: matrices 0 and 1 are rows 0-7 and 8-15, 2 and 3 the next 16 bytes of K. */
    {"A", USE(LDMATRIX_X4, FRAGMENT_A), 0, 7, 7, 0},
    {"A", USE(LDMATRIX_X4, FRAGMENT_A), 0, 8, 8, 0},
    {"A", USE(LDMATRIX_X4, FRAGMENT_A), 0, 16, 0, 16},
    {"A", USE(LDMATRIX_X4, FRAGMENT_A), 1, 0, 0, 32},
    {"A", USE(LDMATRIX_X4, FRAGMENT_A), 2, 31, 31, 16},
    /* B stored N x K: matrices 0 and 1 are K 0-7 and 8-15 of the first 8 columns. */
    {"B", USE(LDMATRIX_X4, FRAGMENT_B), 0, 8, 0, 16},
    {"B", USE(LDMATRIX_X4, FRAGMENT_B), 0, 16, 8, 0},
    /* With x2, matrix 1 of A is the next 8 rows; x1 is one matrix, and the next is along the row.
     */
    {"A x2", USE(LDMATRIX_X2, FRAGMENT_A), 0, 8, 8, 0},
    {"A x1", USE(LDMATRIX_X1, FRAGMENT_A), 0, 7, 7, 0},
    {"A x1", USE(LDMATRIX_X1, FRAGMENT_A), 1, 0, 0, 16},
    {"B x2", USE(LDMATRIX_X2, FRAGMENT_B), 0, 15, 7, 16},
    /* A stored K x M: matrix 1 is the next 8 of M, 16 bytes along the row; matrix 2 is K 8-15. */
    {"A.trans", USE_TRANSPOSED(LDMATRIX_X4, FRAGMENT_A), 0, 8, 0, 16},
    {"A.trans", USE_TRANSPOSED(LDMATRIX_X4, FRAGMENT_A), 0, 16, 8, 0},
    /* B stored K x N: matrix 1 is K 8-15, matrix 2 the next 8 of N. */
    {"B.trans", USE_TRANSPOSED(LDMATRIX_X4, FRAGMENT_B), 0, 8, 8, 0},
    {"B.trans", USE_TRANSPOSED(LDMATRIX_X4, FRAGMENT_B), 0, 16, 0, 16},
    /* Vectors, and matrices that are not fragments. */
    {"row", USE(LD_SHARED_B128, ROW), 0, 5, 1, 16},
    {"column", USE(LD_SHARED_B128, COLUMN), 1, 2, 2, 16},
    {"transposed", USE(LD_SHARED_B128, TRANSPOSED), 0, 9, 1, 16},
    {"strided", USE_STRIDED(LD_SHARED_B128, 2), 0, 3, 1, 32},
    {"strided, second round", USE_STRIDED(LD_SHARED_B128, 2), 2, 3, 1, 48},
    {"matrix", USE(LDMATRIX_X4, MATRIX), 0, 9, 1, 16},
    {"matrix.trans", USE_TRANSPOSED(LDMATRIX_X4, MATRIX), 0, 9, 9, 0},
};

struct lookup {
    uint64_t index;
    struct tma_warp_access access;
};

static bool keep_access(void *context, uint64_t index, const struct tma_warp_access *access) {
    struct lookup *lookup = context;
    lookup->access = *access;
    return index != lookup->index;
}

TEST_ROWS(lane_accesses_expected_address, TABLE_ROWS(placed)) {
    const struct placed *expected = &placed[_i];
    const struct tma_tile tile = {
        .shared_address = 1024, .rows = 32, .row_bytes = 64, .pitch_bytes = 80, .element_bytes = 2};
    struct lookup lookup = {.index = expected->access};
    tma_consumer_visit(&expected->consumer, &tile, keep_access, &lookup);
    ck_assert_msg(lookup.access.address[expected->lane] ==
                      1024 + expected->row * 80 + expected->byte,
                  "%s: lane %u of access %u is at %u", expected->name, expected->lane,
                  expected->access, lookup.access.address[expected->lane]);
}

#define USE_DISTRIBUTION(instruction_, ...)                                                        \
    {                                                                                              \
        .instruction = TMA_##instruction_, .lanes = TMA_LANES_DISTRIBUTION, .distribution = {      \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }

/* Consumers of a tile of 64 rows of 64 bytes that lie end to end. */
static const struct {
    const char *name;
    struct tma_consumer consumer;
    uint32_t element_bytes;
} whole[] = {
    {"row", USE(LD_SHARED_B32, ROW), F16},
    {"column", USE(LD_SHARED_B128, COLUMN), F16},
    {"transposed", USE(LD_SHARED_B64, TRANSPOSED), F16},
    {"strided", USE_STRIDED(LD_SHARED_B32, 4), F16},
    {"matrix x4", USE(LDMATRIX_X4, MATRIX), F16},
    {"matrix x4.trans", USE_TRANSPOSED(LDMATRIX_X4, MATRIX), F16},
    {"A x4", USE(LDMATRIX_X4, FRAGMENT_A), F16},
    {"A x2", USE(LDMATRIX_X2, FRAGMENT_A), F16},
    {"A x1", USE(LDMATRIX_X1, FRAGMENT_A), F16},
    {"B x4", USE(LDMATRIX_X4, FRAGMENT_B), F16},
    {"B x2", USE(LDMATRIX_X2, FRAGMENT_B), F16},
    {"B x1", USE(LDMATRIX_X1, FRAGMENT_B), F16},
    {"distribution", USE_DISTRIBUTION(LD_SHARED_B128, .raking = TMA_WARP_RAKED, .block_size = 64),
     F16},
    {"windows below and beside each other",
     USE_DISTRIBUTION(LD_SHARED_B32, .raking = TMA_BLOCK_RAKED, .block_size = 64, .y_per_tile = 16,
                      .x_per_tile = 16),
     F16},
    {"vectors of several instructions",
     USE_DISTRIBUTION(LD_SHARED_B32, .raking = TMA_THREAD_RAKED, .block_size = 64, .vec_size = 8),
     F16},
    {"elements of several instructions",
     USE_DISTRIBUTION(LD_SHARED_B16, .raking = TMA_WARP_RAKED, .block_size = 64), F32},
    {"wave groups",
     USE_DISTRIBUTION(LD_SHARED_B32, .raking = TMA_WARP_RAKED, .block_size = 128, .wave_groups = 2),
     F16},
};

enum { WHOLE_ROWS = 64, WHOLE_ROW_BYTES = 64 };

/* How often each byte of the tile is accessed. */
struct coverage {
    uint32_t lane_bytes;
    uint8_t counts[WHOLE_ROWS * WHOLE_ROW_BYTES];
};

static bool count_bytes(void *context, uint64_t index, const struct tma_warp_access *access) {
    struct coverage *coverage = context;
    (void)index;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        for (uint32_t i = 0; (access->lane_mask >> lane & 1) != 0 && i < coverage->lane_bytes;
             i++) {
            ck_assert_uint_lt(access->address[lane] + i, sizeof coverage->counts);
            coverage->counts[access->address[lane] + i]++;
        }
    return true;
}

/* A pass accesses each byte of the tile exactly once. */
TEST_ROWS(pass_covers_the_tile_once, TABLE_ROWS(whole)) {
    const struct tma_consumer *consumer = &whole[_i].consumer;
    const struct tma_tile tile = {.rows = WHOLE_ROWS,
                                  .row_bytes = WHOLE_ROW_BYTES,
                                  .pitch_bytes = WHOLE_ROW_BYTES,
                                  .element_bytes = whole[_i].element_bytes};
    struct coverage coverage = {tma_shared_instruction_info(consumer->instruction)->lane_bytes,
                                {0}};
    struct tma_error error = {0};
    ck_assert_msg(tma_consumer_check(consumer, &tile, &error) == TMA_OK, "%s: %s", whole[_i].name,
                  error.text);
    tma_consumer_visit(consumer, &tile, count_bytes, &coverage);
    for (size_t i = 0; i < sizeof coverage.counts; i++)
        ck_assert_msg(coverage.counts[i] == 1, "%s: byte %zu is accessed %d times", whole[_i].name,
                      i, coverage.counts[i]);
}

struct rejected {
    struct tma_consumer consumer;
    struct tma_tile tile;
    enum tma_error_code code;
    const char *message; /* part of the error text */
};

static const struct rejected rejected[] = {
    {USE(LD_SHARED_B128, ROW), TILE(NONE, 8, 8, 16, F16), TMA_ERROR_ARGUMENT,
     "wider than the tile's rows of 8 bytes"},
    {USE(LD_SHARED_B128, ROW), TILE(NONE, 8, 24, 32, F16), TMA_ERROR_ARGUMENT,
     "would leave the tile"},
    {USE(LD_SHARED_B128, ROW), TILE(NONE, 8, 32, 36, F16), TMA_ERROR_FAULT,
     "the row pitch is 36: hardware stops the kernel"},
    {USE(LD_SHARED_B64, ROW),
     {.shared_address = 4, .rows = 8, .row_bytes = 32, .pitch_bytes = 32, .element_bytes = 2},
     TMA_ERROR_FAULT,
     "shared-memory address is 4: hardware stops the kernel"},
    {USE(LD_SHARED_B32, TRANSPOSED), TILE(NONE, 12, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "blocks of 8 rows by 16 bytes, which leave the tile of 12 rows by 32 bytes"},
    {USE_STRIDED(LD_SHARED_B32, 3), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "a lane stride of 3 vectors leaves the tile"},
    {USE_STRIDED(LD_SHARED_B32, 0), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "a lane stride of 0"},
    {USE(LDMATRIX_X4, ROW), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "ldmatrix.x4 with lane map row; allowed: matrix, fragment_a, fragment_b"},
    {USE(LD_SHARED_B32, DESCRIPTOR), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "allowed: row, column, transposed, strided, distribution"},
    {USE_TRANSPOSED(LD_SHARED_B32, ROW), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "only ldmatrix and stmatrix have .trans"},
    {USE(LDMATRIX_X4, MATRIX), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "blocks of 8 rows by 64 bytes"},
    {USE_TRANSPOSED(LDMATRIX_X2, FRAGMENT_B), TILE(NONE, 16, 32, 32, F32), TMA_ERROR_ARGUMENT,
     "transposes elements of 2 bytes; the tile's have 4"},
    {{.instruction = TMA_LD_SHARED_B32, .lanes = (enum tma_lane_map)99},
     TILE(NONE, 8, 32, 32, F16),
     TMA_ERROR_ARGUMENT,
     "allowed: row, column, transposed, strided, distribution"},
    {USE_TRANSPOSED(LDMATRIX_X4, MATRIX), TILE(NONE, 32, 64, 64, F32), TMA_ERROR_ARGUMENT,
     "ldmatrix.x4.trans transposes elements of 2 bytes; the tile's have 4"},
    {USE(LD_SHARED_B32, ROW), TILE(NONE, 0, 32, 32, F16), TMA_ERROR_ARGUMENT, "not a tile: 0 rows"},
    {USE(LD_SHARED_B32, ROW), TILE(NONE, 8, 0, 32, F16), TMA_ERROR_ARGUMENT,
     "not a tile: 8 rows of 0 bytes"},
    {USE(LD_SHARED_B32, ROW), TILE(NONE, 8, 32, 16, F16), TMA_ERROR_ARGUMENT,
     "16 bytes from row to row"},
    {USE(LD_SHARED_B32, DISTRIBUTION), TILE(NONE, 8, 32, 32, F16), TMA_ERROR_ARGUMENT,
     "needs its block_size"},
    {USE(LD_SHARED_B32, DISTRIBUTION), TILE(NONE, 8, 32, 32, PACKED), TMA_ERROR_ARGUMENT,
     "elements of whole bytes"},
    {USE(WGMMA_SHARED, DESCRIPTOR), TILE(32B, 64, 32, 32, PACKED), TMA_ERROR_ARGUMENT,
     "elements of whole bytes"},
    {USE_TRANSPOSED(LDMATRIX_X2, FRAGMENT_B), TILE(NONE, 16, 32, 32, PACKED), TMA_ERROR_ARGUMENT,
     "transposes elements of 2 bytes"},
};

TEST_ROWS(check_rejects_a_misfit, TABLE_ROWS(rejected)) {
    struct tma_error error = {0};
    ck_assert_int_eq((int)tma_consumer_check(&rejected[_i].consumer, &rejected[_i].tile, &error),
                     (int)rejected[_i].code);
    ck_assert_msg(strstr(error.text, rejected[_i].message) != NULL, "%s", error.text);
}

TEST(worst_access_is_the_first_with_most_ways) {
    const struct tma_consumer consumer = USE(LD_SHARED_B32, COLUMN);
    const struct tma_tile tile = {.shared_address = 256,
                                  .rows = 32,
                                  .row_bytes = 128,
                                  .pitch_bytes = 128,
                                  .element_bytes = 4};
    struct tma_consumer_report report = tma_consumer_measure(&consumer, &tile);
    ck_assert_uint_eq(report.worst_index, 0);
    ck_assert_uint_eq(report.worst_access.address[31], 256 + 31 * 128);
    ck_assert_uint_eq(report.worst.worst_bank, 0);
    ck_assert_uint_eq(report.worst.worst_lanes, UINT32_MAX);
    ck_assert_uint_eq(report.banks_used, UINT32_MAX);
}

TEST_SUITE("consumer");
