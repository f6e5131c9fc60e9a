/* Where a line lives: its home partition, its slice there, its set, its DRAM channel, bank and row.
 *
 * Of each 8 KiB, 4 KiB have their home in each partition, as the latency of single rows shows; the
 * parity of the address says which, so that every pitch is spread over both (counters.tsv: half of
 * all sectors cross, exactly). The lines of a home are dealt to its slices group by group, one to
 * each, so that what is contiguous is spread evenly; the order within a group is a hash of its
 * number, so that no pitch keeps to few slices. (The real hash is not published; every figure of
 * the records is an average over it.) */
#ifndef TMA_MEMORY_ADDRESS_H
#define TMA_MEMORY_ADDRESS_H

#include "memory/machine.h"

/* Tags have 32 bits: the lines of addresses below this have tags of their own. */
#define TMA_L2_ADDRESS_LIMIT (UINT64_C(1) << 52)

struct tma_place {
    uint64_t group; /* number of the line's group: a slice's lines are numbered by it */
    uint16_t slice; /* within a partition: the home's, and the one that copies it in the other */
    uint8_t home;   /* partition */
};

static inline uint64_t tma_mix64(uint64_t x) {
    x ^= x >> 33;
    x *= UINT64_C(0xff51afd7ed558ccd);
    x ^= x >> 33;
    x *= UINT64_C(0xc4ceb9fe1a85ec53);
    return x ^ (x >> 33);
}

/* The lines that stand for all that is out of bounds, each in 256 bytes of its own. */
enum { TMA_FILL_LINES = 8 };

static inline uint64_t tma_fill_line(uint32_t number) {
    uint64_t past = TMA_L2_ADDRESS_LIMIT / TMA_LINE_BYTES;
    return past - (uint64_t)2 * TMA_FILL_LINES + (uint64_t)2 * (number % TMA_FILL_LINES);
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

/* How a machine's lines are dealt out. */
struct tma_dealing {
    uint32_t partitions;
    uint32_t slices; /* of one partition */
    struct tma_divisor per_slice;
};

static inline struct tma_dealing tma_dealing_of(const struct tma_machine *machine) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    return (struct tma_dealing){machine->l2.partitions, slices, tma_divisor_of(slices)};
}

/* line: byte address / TMA_LINE_BYTES. */
static inline struct tma_place tma_place_line(const struct tma_dealing *dealing, uint64_t line) {
    uint32_t slices = dealing->slices, home = 0;
    uint64_t number = line; /* among the lines of its home */
    if (dealing->partitions == 2) {
        enum { PAGE_BITS = 5, PAGE_LINES = 1 << PAGE_BITS };
        home = 1u ^ (uint32_t)__builtin_parityll(line >> PAGE_BITS);
        number = line >> (PAGE_BITS + 1) << PAGE_BITS | line % PAGE_LINES;
    }
    uint64_t group = tma_divide(number, &dealing->per_slice);
    uint32_t turn = (uint32_t)(((tma_mix64(group * 2 + home) >> 32) * slices) >> 32);
    uint32_t slot = (uint32_t)(number - group * slices) + turn;
    slot = slot < slices ? slot : slot - slices;
    return (struct tma_place){group, (uint16_t)slot, (uint8_t)home};
}

#endif
