/* Where a line lives: its home partition, its slice there, its set, its DRAM channel, bank and row.
 *
 * Of each 8 KiB, 4 KiB have their home in each partition, as the latency of single rows shows; the
 * parity of the address says which, so that every pitch is spread over both (counters.tsv: half of
 * all sectors cross, exactly). The lines of a home are dealt to the sets of its slices group by
 * group, one to each slice, so that what is contiguous is spread evenly; the order within a group
 * is a hash of its number, so that no pitch keeps to few of them.
 *
 * Which slice answers for a line is measured (TMA_HASH_H200), within 2 MiB: that is as much as a
 * page of memory has, and nobody knows where the next one is. The DRAM channel is that of the
 * slice. */
#ifndef TMA_MEMORY_ADDRESS_H
#define TMA_MEMORY_ADDRESS_H

#include "memory/machine.h"

/* Tags have 32 bits: the lines of addresses below this have tags of their own. */
#define TMA_L2_ADDRESS_LIMIT (UINT64_C(1) << 52)

struct tma_place {
    uint64_t group;  /* number of the line's group: a slice's lines are numbered by it */
    uint16_t slice;  /* within a partition, whose sets have it: the home's, and the copy's */
    uint16_t server; /* within a partition: the slice that answers for it, with DRAM's channel */
    uint8_t home;    /* partition */
};

static inline uint64_t tma_mix64(uint64_t x) {
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* The number for `what` that a machine's topology.draw gives. */
static inline uint64_t tma_drawn(uint32_t draw, uint64_t what) {
    return tma_mix64(tma_mix64(draw) ^ what);
}

/* The lines that stand for all that is out of bounds, each in 256 bytes of its own: of 4 KiB, one
 * for each of the eight slices (see tma_h200_slices). */
enum { TMA_FILL_LINES = 8 };

static inline uint64_t tma_fill_line(uint32_t number) {
    uint64_t past = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES;
    number %= TMA_FILL_LINES;
    return past - 4 * TMA_FILL_LINES + number / 2 * 8 + number % 2 * 2;
}

/* Tensor maps that a kernel may have. They lie one behind the other: below those lines, where
 * nothing else is said. */
enum { TMA_MAX_DESCRIPTORS = 1 << 20 };

static inline uint64_t tma_default_descriptor_line(void) {
    return tma_fill_line(0) - TMA_MAX_DESCRIPTORS;
}

/* A divisor, known only when the machine is read, that every line is divided by. */
struct tma_divisor {
    uint64_t by, reciprocal; /* 2^64 / by, or a bit less */
};

static inline struct tma_divisor tma_divisor_of(uint64_t by) {
    return (struct tma_divisor){by, UINT64_MAX / by};
}

/* number / divisor: what the reciprocal gives is right or one too few. (The host takes three times
 * as long for a division.) */
static inline uint64_t tma_divide(uint64_t number, const struct tma_divisor *divisor) {
    uint64_t quotient = (uint64_t)((unsigned __int128)number * divisor->reciprocal >> 64);
    return quotient + (number - quotient * divisor->by >= divisor->by);
}

/* slice_hash.c: by bits of a line's number, 1 and 3 to 13, its slice. (Bits 0 and 2 don't matter:
 * of 1 KiB, one slice has lines 0, 1, 4 and 5, another one the rest.) */
enum { TMA_HASHED_LINES = 1 << 14, TMA_HASHED_ENTRIES = 1 << 12, TMA_H200_SLICES = 47 };
extern const uint8_t tma_h200_slices[TMA_HASHED_ENTRIES];

/* How a machine's lines are dealt out. */
struct tma_dealing {
    uint32_t partitions;
    uint32_t slices; /* of one partition */
    struct tma_divisor per_slice;
    const uint8_t *hashed; /* TMA_HASHED_ENTRIES; or NULL: as they are dealt */
};

static inline struct tma_dealing tma_dealing_of(const struct tma_machine *machine) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    return (struct tma_dealing){machine->l2.partitions, slices, tma_divisor_of(slices),
                                machine->l2.hash == TMA_HASH_H200 ? tma_h200_slices : NULL};
}

/* Of each 2 MiB, another exclusive-or of the entries, as if the page were anywhere. */
static inline uint8_t tma_hashed_slice(const uint8_t *hashed, uint64_t line) {
    uint32_t within = (uint32_t)(line % TMA_HASHED_LINES);
    uint32_t entry = (within >> 1 & 1u) | within >> 3 << 1;
    uint64_t page = line / TMA_HASHED_LINES * UINT64_C(0x9e3779b97f4a7c15);
    return hashed[(entry ^ (uint32_t)(page >> 52)) % TMA_HASHED_ENTRIES];
}

/* Lines, as bits of their number, that have one home: 4 KiB. */
enum { TMA_HOME_BITS = 5 };

static inline uint32_t tma_home(uint64_t pages) {
    return 1u ^ (uint32_t)__builtin_parityll(pages);
}

/* Which slice has the first line of a group. */
static inline uint32_t tma_turn(const struct tma_dealing *dealing, uint64_t group, uint32_t home) {
    return (uint32_t)(((tma_mix64(group * 2 + home) >> 32) * dealing->slices) >> 32);
}

/* line: byte address / TMA_LINE_BYTES. */
static inline struct tma_place tma_place_line(const struct tma_dealing *dealing, uint64_t line) {
    uint32_t slices = dealing->slices, home = 0;
    uint64_t number = line; /* among the lines of its home */
    if (dealing->partitions == 2) {
        home = tma_home(line >> TMA_HOME_BITS);
        number = line >> (TMA_HOME_BITS + 1) << TMA_HOME_BITS | line % (1 << TMA_HOME_BITS);
    }
    uint64_t group = tma_divide(number, &dealing->per_slice);
    uint32_t slot = (uint32_t)(number - group * slices) + tma_turn(dealing, group, home);
    slot = slot < slices ? slot : slot - slices;
    return (struct tma_place){group, (uint16_t)slot, (uint16_t)slot, (uint8_t)home};
}

/* The line that has this place: its home, its slice there and its group. */
static inline uint64_t tma_line_at(const struct tma_dealing *dealing, uint32_t home, uint32_t slice,
                                   uint64_t group) {
    uint64_t number = group * dealing->slices +
                      (slice + dealing->slices - tma_turn(dealing, group, home)) % dealing->slices;
    if (dealing->partitions == 1)
        return number;
    uint64_t pages = number >> TMA_HOME_BITS << 1;
    pages |= home == tma_home(pages) ? 0 : 1;
    return pages << TMA_HOME_BITS | number % (1 << TMA_HOME_BITS);
}

/* The same, with the slice that answers for the line. */
static inline struct tma_place tma_route_line(const struct tma_dealing *dealing, uint64_t line) {
    struct tma_place place = tma_place_line(dealing, line);
    if (dealing->hashed != NULL)
        place.server = tma_hashed_slice(dealing->hashed, line);
    return place;
}

#endif
