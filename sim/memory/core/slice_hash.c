#include "memory/core/slice_hash.h"

/* Lines are interleaved over the slices of their home partition, which is that of an H200. */
static struct tma_line_server interleaved_server(uint64_t line) {
    const uint64_t bits = UINT64_C(0x1cbd6ab000); /* of a physical address, whose parity it is */
    uint64_t sum = tma_physical_line(line) & bits / TMA_LINE_BYTES;
    return (struct tma_line_server){.home = (uint16_t)__builtin_parityll(sum),
                                    .slice = TMA_INTERLEAVED};
}

const struct tma_slice_hash_policy tma_slice_hash_even = {.slices = 0,
                                                          .server = interleaved_server};

/* The slice hashes of an H200, for 47 slices in each partition, and of an H100, for 40. They agree
 * with all lines that were measured: 148 thousand in 120 GiB of H200s, 13,600 in 64 GiB of two
 * H100s (tests/hardware/h200/slice_hash.tsv, h100/slice_hash.tsv). Two lines that all SMs read over
 * and over take twice as long if one slice answers for both.
 *
 * A partition's part of each 128 KiB of memory is 64 units of 8 lines. Six exclusive-ors of address
 * bits give the place of a line's unit in its 128 KiB. Units are dealt out to slices one after the
 * other, which is a remainder by their number. A slice of one partition and one of the other work
 * together: one holds the copies of what has its home in the other. Where both partitions have
 * whole groups of eight slices, lines with the other home have the neighbour's turn. */

enum { UNITS = 64, BLOCK_BITS = 10 /* lines of 128 KiB */ };

/* What the address bits from 7 to 36 add, by exclusive or: bits 0 to 5 to the unit, bit 6 to the
 * home. Address bits 7 and 9 add nothing: they choose among the lines of a unit. */
/* clang-format off */
#define H200_BITS                                                                                  \
    0x00, 0x08, 0x00, 0x14, 0x21, 0x48, 0x55, 0x22, 0x44, 0x1f, 0x72, 0x3e, 0x57, 0x0d, 0x75,      \
    0x5b, 0x15, 0x5c, 0x26, 0x5d, 0x56, 0x74, 0x51, 0x1b, 0x53, 0x36, 0x2b, 0x54, 0x6d, 0x67
#define H100_BITS                                                                                  \
    0x00, 0x08, 0x00, 0x10, 0x21, 0x48, 0x55, 0x22, 0x04, 0x40, 0x79, 0x12, 0x6e, 0x2c, 0x0d,      \
    0x16, 0x73, 0x62, 0x50, 0x75, 0x26, 0x0c, 0x60, 0x2f, 0x5d, 0x76, 0x7c, 0x3c, 0x31, 0x6a

/* For each byte of a line's number, the sum of what its bits add. */
#define BIT(byte, n, b) ((byte) >> (n) & 1 ? (b) : 0)
#define SUM(byte, a, b, c, d, e, f, g, h)                                                          \
    BIT(byte, 0, a) ^ BIT(byte, 1, b) ^ BIT(byte, 2, c) ^ BIT(byte, 3, d) ^                        \
    BIT(byte, 4, e) ^ BIT(byte, 5, f) ^ BIT(byte, 6, g) ^ BIT(byte, 7, h)
#define SUMS_4(n, ...)  SUM(n, __VA_ARGS__), SUM((n) + 1, __VA_ARGS__), SUM((n) + 2, __VA_ARGS__), SUM((n) + 3, __VA_ARGS__)
#define SUMS_16(n, ...) SUMS_4(n, __VA_ARGS__), SUMS_4((n) + 4, __VA_ARGS__), SUMS_4((n) + 8, __VA_ARGS__), SUMS_4((n) + 12, __VA_ARGS__)
#define SUMS_64(n, ...) SUMS_16(n, __VA_ARGS__), SUMS_16((n) + 16, __VA_ARGS__), SUMS_16((n) + 32, __VA_ARGS__), SUMS_16((n) + 48, __VA_ARGS__)
#define SUMS(...)       {SUMS_64(0, __VA_ARGS__), SUMS_64(64, __VA_ARGS__), SUMS_64(128, __VA_ARGS__), SUMS_64(192, __VA_ARGS__)}
#define TABLE_OF(b7, b8, b9, b10, b11, b12, b13, b14, b15, b16, b17, b18, b19, b20, b21, b22, b23, \
                 b24, b25, b26, b27, b28, b29, b30, b31, b32, b33, b34, b35, b36)                  \
    {SUMS(b7, b8, b9, b10, b11, b12, b13, b14), SUMS(b15, b16, b17, b18, b19, b20, b21, b22),      \
     SUMS(b23, b24, b25, b26, b27, b28, b29, b30), SUMS(b31, b32, b33, b34, b35, b36, 0, 0)}
#define TABLE(...)      TABLE_OF(__VA_ARGS__)
/* clang-format on */

typedef const uint8_t sum_table[4][256];

/* What the bits of a physical line add. */
static inline uint32_t sum_of(sum_table sums, uint64_t line) {
    return sums[0][line & 0xff] ^ sums[1][line >> 8 & 0xff] ^ sums[2][line >> 16 & 0xff] ^
           sums[3][line >> 24 & 0xff];
}

/* The number of a line's unit among all units of its home. */
static inline uint64_t unit_of(uint64_t line, uint32_t sum) {
    return (line >> BLOCK_BITS) * UNITS + sum % UNITS;
}

static inline struct tma_line_server server_of(sum_table sums, uint32_t slices, uint64_t line) {
    line = tma_physical_line(line);
    uint32_t sum = sum_of(sums, line), home = sum / UNITS;
    uint32_t turn = (uint32_t)unit_of(line, sum) % slices;
    return (struct tma_line_server){
        .home = (uint16_t)home,
        .slice =
            (uint16_t)(turn < slices / TMA_GROUP_SLICES * TMA_GROUP_SLICES ? turn ^ home : turn),
    };
}

/* The four blocks of a unit differ in address bits 9 and 16. */
static inline uint64_t block_of(sum_table sums, uint32_t slices, uint64_t line) {
    line = tma_physical_line(line);
    uint64_t unit = unit_of(line, sum_of(sums, line)) / slices;
    return unit << 2 | (line >> 9 & 1) << 1 | (line >> 2 & 1);
}

#define UNIT_HASH(name, count, bits)                                                               \
    static sum_table name##_sums = TABLE(bits);                                                    \
    static struct tma_line_server name##_server(uint64_t line) {                                   \
        return server_of(name##_sums, count, line);                                                \
    }                                                                                              \
    static uint64_t name##_block(uint64_t line) {                                                  \
        return block_of(name##_sums, count, line);                                                 \
    }                                                                                              \
    const struct tma_slice_hash_policy tma_slice_hash_##name = {                                   \
        .slices = (count), .server = name##_server, .block = name##_block};

UNIT_HASH(h200, 47, H200_BITS)
UNIT_HASH(h100, 40, H100_BITS)

#define POLICY(name) &tma_slice_hash_##name,
static const struct tma_slice_hash_policy *const policies[] = {TMA_SLICE_HASHES(POLICY)};

const struct tma_slice_hash_policy *tma_slice_hash_policy(enum tma_slice_hash hash) {
    return policies[hash];
}
