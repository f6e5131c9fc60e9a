#include "memory/core/slice_hash.h"

/* Lines are interleaved over the slices of their home partition. */

const struct tma_slice_hash_policy tma_slice_hash_even = {.slices = 0,
                                                          .server = tma_interleaved_server};

/* The slice hash of an H200, for 47 slices in each partition. It agrees with 148 thousand lines
 * that were measured in 120 GiB (tests/hardware/h200/slice_hash.tsv has some of them): two lines
 * that all SMs read over and over take twice as long if one slice answers for both.
 *
 * A partition's part of each 128 KiB of memory is 64 units of 8 lines. Six exclusive-ors of address
 * bits give the place of a line's unit in its 128 KiB. Units are dealt out to slices one after the
 * other, which is a remainder by 47. A slice of one partition and one of the other work together:
 * one holds the copies of what has its home in the other. Where both partitions have whole groups
 * of eight slices, lines with the other home have the neighbour's turn. */

enum { SLICES = 47, IN_WHOLE_GROUPS = 40, UNITS = 64, BLOCK_BITS = 10 }; /* lines of 128 KiB */

/* What an address bit from bit 7 on adds, by exclusive or: bits 0 to 5 to the unit, bit 6 to the
 * home. Bits 7 and 9 add nothing: they choose among the lines of a unit. */
/* clang-format off */
enum {
    B7  = 0x00, B8  = 0x08, B9  = 0x00, B10 = 0x14, B11 = 0x21, B12 = 0x48, B13 = 0x55, B14 = 0x22,
    B15 = 0x44, B16 = 0x1f, B17 = 0x72, B18 = 0x3e, B19 = 0x57, B20 = 0x0d, B21 = 0x75, B22 = 0x5b,
    B23 = 0x15, B24 = 0x5c, B25 = 0x26, B26 = 0x5d, B27 = 0x56, B28 = 0x74, B29 = 0x51, B30 = 0x1b,
    B31 = 0x53, B32 = 0x36, B33 = 0x2b, B34 = 0x54, B35 = 0x6d, B36 = 0x67, NONE = 0x00,
};

/* For each byte of a line's number, the sum of what its bits add. */
#define BIT(byte, n, b) ((byte) >> (n) & 1 ? (b) : 0)
#define SUM(byte, a, b, c, d, e, f, g, h)                                                          \
    BIT(byte, 0, a) ^ BIT(byte, 1, b) ^ BIT(byte, 2, c) ^ BIT(byte, 3, d) ^                        \
    BIT(byte, 4, e) ^ BIT(byte, 5, f) ^ BIT(byte, 6, g) ^ BIT(byte, 7, h)
#define SUMS_4(n, ...)  SUM(n, __VA_ARGS__), SUM((n) + 1, __VA_ARGS__), SUM((n) + 2, __VA_ARGS__), SUM((n) + 3, __VA_ARGS__)
#define SUMS_16(n, ...) SUMS_4(n, __VA_ARGS__), SUMS_4((n) + 4, __VA_ARGS__), SUMS_4((n) + 8, __VA_ARGS__), SUMS_4((n) + 12, __VA_ARGS__)
#define SUMS_64(n, ...) SUMS_16(n, __VA_ARGS__), SUMS_16((n) + 16, __VA_ARGS__), SUMS_16((n) + 32, __VA_ARGS__), SUMS_16((n) + 48, __VA_ARGS__)
#define SUMS(...)       {SUMS_64(0, __VA_ARGS__), SUMS_64(64, __VA_ARGS__), SUMS_64(128, __VA_ARGS__), SUMS_64(192, __VA_ARGS__)}

static const uint8_t sums[4][256] = {
    SUMS(B7, B8, B9, B10, B11, B12, B13, B14),
    SUMS(B15, B16, B17, B18, B19, B20, B21, B22),
    SUMS(B23, B24, B25, B26, B27, B28, B29, B30),
    SUMS(B31, B32, B33, B34, B35, B36, NONE, NONE),
};
/* clang-format on */

/* What the bits of a physical line add. */
static uint32_t sum_of(uint64_t line) {
    return sums[0][line & 0xff] ^ sums[1][line >> 8 & 0xff] ^ sums[2][line >> 16 & 0xff] ^
           sums[3][line >> 24 & 0xff];
}

/* The number of a line's unit among all units of its home. */
static uint64_t unit_of(uint64_t line, uint32_t sum) {
    return (line >> BLOCK_BITS) * UNITS + sum % UNITS;
}

static struct tma_line_server server(uint64_t line) {
    line = tma_physical_line(line);
    uint32_t sum = sum_of(line), home = sum / UNITS;
    uint32_t turn = (uint32_t)unit_of(line, sum) % SLICES;
    return (struct tma_line_server){
        .home = (uint16_t)home,
        .slice = (uint16_t)(turn < IN_WHOLE_GROUPS ? turn ^ home : turn),
    };
}

/* The four blocks of a unit differ in address bits 9 and 16. */
static uint64_t block(uint64_t line) {
    line = tma_physical_line(line);
    uint64_t unit = unit_of(line, sum_of(line)) / SLICES;
    return unit << 2 | (line >> 9 & 1) << 1 | (line >> 2 & 1);
}

const struct tma_slice_hash_policy tma_slice_hash_h200 = {
    .slices = SLICES, .server = server, .block = block};

#define POLICY(name) &tma_slice_hash_##name,
static const struct tma_slice_hash_policy *const policies[] = {TMA_SLICE_HASHES(POLICY)};

const struct tma_slice_hash_policy *tma_slice_hash_policy(enum tma_slice_hash hash) {
    return policies[hash];
}
