#include "banks/banks.h"

#include <string.h>

/* A lane of 8 or 16 bytes occupies 2 or 4 adjacent banks, which always work together. Such a bank
 * group transfers one unit (4, 8 or 16 bytes, the lane's width) in a wavefront. A phase has as many
 * lanes as there are bank groups. The pair of a phase and a bank group is a slot, with the number
 * phase * groups + group: an instruction always has 32 slots, one for each bit of a mask. */
struct phasing {
    uint32_t unit_shift; /* log2 of a unit's bytes */
    uint32_t groups;     /* number of bank groups; also the number of lanes in a phase */
};

/* Inlining gives the compiler a copy of each function for each of the three widths, in which
 * `phasing` is a constant. */
#define INLINE static inline __attribute__((always_inline))

INLINE struct phasing phasing_of(uint32_t lane_bytes) {
    uint32_t shift = lane_bytes <= 4 ? 2 : lane_bytes == 8 ? 3 : 4;
    return (struct phasing){shift, 128U >> shift};
}

INLINE uint32_t unit_of(const struct tma_warp_access *access, uint32_t lane,
                        struct phasing phasing) {
    return access->address[lane] >> phasing.unit_shift;
}

/* The number of units that each slot has to transfer: 32 bit-sliced counters. Bit s of bit[b] is
 * bit b of slot s's counter. A few logic operations add all 32 counters at once. */
enum { COUNTER_BITS = 6 };

struct slot_counts {
    uint32_t bit[COUNTER_BITS];
};

INLINE void full_add(struct slot_counts *sum, uint32_t a, uint32_t b, uint32_t *carry,
                     uint32_t bit) {
    sum->bit[bit] = a ^ b ^ *carry;
    *carry = (a & b) | ((a ^ b) & *carry);
}

/* Adds counters of `bits` bits. Unrolled by hand, because compilers keep a loop here. */
INLINE struct slot_counts add(struct slot_counts a, struct slot_counts b, uint32_t bits) {
    struct slot_counts sum = {{0}};
    uint32_t carry = 0;
    full_add(&sum, a.bit[0], b.bit[0], &carry, 0);
    if (bits > 1)
        full_add(&sum, a.bit[1], b.bit[1], &carry, 1);
    if (bits > 2)
        full_add(&sum, a.bit[2], b.bit[2], &carry, 2);
    if (bits > 3)
        full_add(&sum, a.bit[3], b.bit[3], &carry, 3);
    if (bits > 4)
        full_add(&sum, a.bit[4], b.bit[4], &carry, 4);
    sum.bit[bits] = carry;
    return sum;
}

/* Returns the slot of a lane as a mask; 0 for an inactive lane. */
INLINE uint32_t slot_bit(const struct tma_warp_access *access, uint32_t lanes, uint32_t lane,
                         struct phasing phasing) {
    uint32_t slot =
        lane / phasing.groups * phasing.groups + unit_of(access, lane, phasing) % phasing.groups;
    return (lanes >> lane & 1) << slot;
}

/* Counts lane `lane` of every phase. Each phase has slots of its own, so one bit a slot is enough.
 */
INLINE struct slot_counts count_1(const struct tma_warp_access *access, uint32_t lanes,
                                  uint32_t lane, struct phasing phasing) {
    uint32_t groups = phasing.groups, bits = slot_bit(access, lanes, lane, phasing);
    if (groups <= 16)
        bits |= slot_bit(access, lanes, lane + groups, phasing);
    if (groups <= 8)
        bits |= slot_bit(access, lanes, lane + 2 * groups, phasing) |
                slot_bit(access, lanes, lane + 3 * groups, phasing);
    return (struct slot_counts){{bits}};
}

/* Counts lanes `lane` to `lane` + n - 1 of every phase. */
#define COUNT_LANES(n, half, bits)                                                                 \
    INLINE struct slot_counts count_##n(const struct tma_warp_access *access, uint32_t lanes,      \
                                        uint32_t lane, struct phasing phasing) {                   \
        return add(count_##half(access, lanes, lane, phasing),                                     \
                   count_##half(access, lanes, lane + half, phasing), bits);                       \
    }
COUNT_LANES(2, 1, 1)
COUNT_LANES(4, 2, 2)
COUNT_LANES(8, 4, 3)
COUNT_LANES(16, 8, 4)
COUNT_LANES(32, 16, 5)

INLINE struct slot_counts count_lanes(const struct tma_warp_access *access, uint32_t lanes,
                                      struct phasing phasing) {
    switch (phasing.groups) {
    case 8:
        return count_8(access, lanes, 0, phasing);
    case 16:
        return count_16(access, lanes, 0, phasing);
    default:
        return count_32(access, lanes, 0, phasing);
    }
}

INLINE bool conflicts(const struct slot_counts *counts) {
    return (counts->bit[1] | counts->bit[2] | counts->bit[3] | counts->bit[4] | counts->bit[5]) !=
           0;
}

/* Combines a lane's phase and unit into one number below 2^31 that orders by phase, then by unit.
 * Numbers of 4-, 8- and 16-byte units have 30, 29 and 28 bits; there are 1, 2 and 4 phases. */
INLINE uint32_t key_of(const struct tma_warp_access *access, uint32_t lane,
                       struct phasing phasing) {
    return unit_of(access, lane, phasing) | lane / phasing.groups << 29;
}

/* True if the units increase from lane to lane within each phase. Then no two lanes share a unit,
 * active or not. The sign bit of each difference tells. Lane 27 is compared twice so that both
 * loops have a multiple of four iterations, which compilers vectorize. */
INLINE bool increasing(const struct tma_warp_access *access, struct phasing phasing) {
    uint32_t key[TMA_WARP_LANES], negative = UINT32_MAX;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        key[lane] = key_of(access, lane, phasing);
    for (uint32_t lane = 0; lane < 28; lane++)
        negative &= key[lane] - key[lane + 1];
    for (uint32_t lane = 27; lane < 31; lane++)
        negative &= key[lane] - key[lane + 1];
    return negative >> 31 != 0;
}

/* Returns the lanes that are the first of their phase to access their unit. A hash table with twice
 * as many entries as a warp has lanes holds the units seen so far. */
INLINE uint32_t first_lanes_of_units(const struct tma_warp_access *access, uint32_t lanes,
                                     struct phasing phasing) {
    enum { BITS = 6, SIZE = 1 << BITS };
    const uint32_t empty = UINT32_MAX;
    uint32_t table[SIZE], first = 0;
    memset(table, 0xFF, sizeof table);
    for (; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint32_t key = key_of(access, lane, phasing);
        uint32_t entry = key * 2654435769U >> (32 - BITS);
        while (table[entry] != key && table[entry] != empty)
            entry = (entry + 1) % SIZE;
        first |= (uint32_t)(table[entry] == empty) << lane;
        table[entry] = key;
    }
    return first;
}

/* Counts the distinct units that each slot has to transfer; for a reduction, the lanes. */
INLINE struct slot_counts count_units(const struct tma_warp_access *access, uint32_t lanes,
                                      struct phasing phasing) {
    struct slot_counts counts = lanes == UINT32_MAX ? count_lanes(access, UINT32_MAX, phasing)
                                                    : count_lanes(access, lanes, phasing);
    bool reduction = access->instruction == TMA_RED_SHARED_B32;
    if (!conflicts(&counts) || reduction || increasing(access, phasing))
        return counts;
    return count_lanes(access, first_lanes_of_units(access, lanes, phasing), phasing);
}

/* Returns the largest counter among `slots`, which has to include one that is not 0. Reduces
 * *slots to the slots that have it. */
INLINE uint32_t largest_count(const struct slot_counts *counts, uint32_t *slots,
                              struct phasing phasing) {
    uint32_t count = 0;
    uint32_t bits = phasing.groups == 8 ? 4 : phasing.groups == 16 ? 5 : COUNTER_BITS;
    for (uint32_t bit = bits; bit-- > 0;)
        if ((*slots & counts->bit[bit]) != 0) {
            *slots &= counts->bit[bit];
            count |= 1U << bit;
        }
    return count;
}

static uint32_t phase_mask(struct phasing phasing, uint32_t phase) {
    return UINT32_MAX >> (TMA_WARP_LANES - phasing.groups) << phase * phasing.groups;
}

/* Fills in the wavefront counts, the ways and the worst phase; returns the worst slot. */
INLINE uint32_t count_wavefronts(const struct slot_counts *counts, uint32_t touched,
                                 struct phasing phasing, struct tma_bank_report *report) {
    uint32_t worst_slot = 0;
    for (uint32_t phase = 0; phase * phasing.groups < TMA_WARP_LANES; phase++) {
        uint32_t slots = touched & phase_mask(phasing, phase);
        if (slots == 0)
            continue;
        uint32_t ways = conflicts(counts) ? largest_count(counts, &slots, phasing) : 1;
        report->wavefronts += ways;
        report->ideal_wavefronts++;
        if (ways > report->ways) {
            report->ways = ways;
            report->worst_phase = phase;
            worst_slot = (uint32_t)__builtin_ctz(slots);
        }
    }
    report->bank_conflicts = report->wavefronts - report->ideal_wavefronts;
    return worst_slot;
}

/* Four lanes, which the compiler handles with vector instructions where the host has them. */
typedef uint32_t quad __attribute__((vector_size(16)));

/* Returns the lanes, active or not, that access bank group `group`. */
INLINE uint32_t lanes_of_group(const struct tma_warp_access *access, struct phasing phasing,
                               uint32_t group) {
    quad bits = {1, 2, 4, 8}, found = {0};
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane += 4, bits <<= 4) {
        quad address;
        memcpy(&address, access->address + lane, sizeof address);
        found |= (quad)((address >> phasing.unit_shift) % phasing.groups == group) & bits;
    }
    return found[0] | found[1] | found[2] | found[3];
}

/* Spreads the low 16 bits: bit i becomes bits 2i and 2i + 1. */
static uint32_t double_bits(uint32_t bits) {
    bits = (bits | bits << 8) & 0x00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F;
    bits = (bits | bits << 2) & 0x33333333;
    bits = (bits | bits << 1) & 0x55555555;
    return bits | bits << 1;
}

/* Returns the mask of the banks that the slots use, in any phase. */
INLINE uint32_t banks_of(uint32_t slots, struct phasing phasing) {
    if (phasing.groups == 32)
        return slots;
    slots |= slots >> 16;
    if (phasing.groups == 16)
        return double_bits(slots & 0xFFFF);
    return double_bits(double_bits((slots | slots >> 8) & 0xFF));
}

INLINE struct tma_bank_report analyze(const struct tma_warp_access *access, uint32_t lanes,
                                      struct phasing phasing) {
    struct tma_bank_report report = {0};
    struct slot_counts counts = count_units(access, lanes, phasing);
    uint32_t touched = counts.bit[0] | counts.bit[1] | counts.bit[2] | counts.bit[3] |
                       counts.bit[4] | counts.bit[5];
    uint32_t group = count_wavefronts(&counts, touched, phasing, &report) % phasing.groups;
    report.worst_bank = group * (TMA_BANKS / phasing.groups);
    report.worst_lanes =
        lanes & phase_mask(phasing, report.worst_phase) & lanes_of_group(access, phasing, group);
    report.banks_used = banks_of(touched, phasing);
    return report;
}

/* Returns the active lanes among those that give an address. */
static uint32_t active_lanes(const struct tma_warp_access *access) {
    uint32_t lanes = tma_shared_instruction_info(access->instruction)->lanes;
    return access->lane_mask & UINT32_MAX >> (TMA_WARP_LANES - lanes);
}

/* Loads of 8 and 16 bytes: true if each active lane's neighbour, lane XOR distance, is inactive or
 * has the same address. */
static bool neighbours_share(const struct tma_warp_access *access, uint32_t lanes,
                             uint32_t distance) {
    uint32_t pairs = distance == 1 ? 0x55555555 : 0x33333333; /* the first lane of each pair */
    for (pairs &= lanes & lanes >> distance; pairs != 0; pairs &= pairs - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(pairs);
        if (access->address[lane] != access->address[lane + distance])
            return false;
    }
    return true;
}

/* Returns the distance (1 or 2) at which neighbours share their addresses, so that two phases
 * become one; 0 if no phases merge. */
static uint32_t merge_distance(const struct tma_warp_access *access, uint32_t lanes) {
    if (access->instruction != TMA_LD_SHARED_B64 && access->instruction != TMA_LD_SHARED_B128)
        return 0;
    return neighbours_share(access, lanes, 1) ? 1 : neighbours_share(access, lanes, 2) ? 2 : 0;
}

/* Returns the access of one lane for each pair of neighbours: the pairs of two phases fill one. */
static struct tma_warp_access one_lane_for_each_pair(const struct tma_warp_access *access,
                                                     uint32_t lanes, uint32_t distance) {
    struct tma_warp_access half = {.instruction = access->instruction};
    uint32_t number = 0;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
        if ((lane & distance) != 0)
            continue;
        uint32_t active = (lanes >> lane & 1) != 0 ? lane : lane + distance;
        half.address[number] = access->address[active];
        half.lane_mask |= (lanes >> active & 1) << number;
        number++;
    }
    return half;
}

static struct tma_bank_report analyze_lanes(const struct tma_warp_access *access, uint32_t lanes) {
    switch (tma_shared_instruction_info(access->instruction)->lane_bytes) {
    case 16:
        return analyze(access, lanes, phasing_of(16));
    case 8:
        return analyze(access, lanes, phasing_of(8));
    default:
        return analyze(access, lanes, phasing_of(4));
    }
}

struct tma_bank_report tma_bank_conflicts(const struct tma_warp_access *access) {
    uint32_t lanes = active_lanes(access);
    if (lanes == 0)
        return (struct tma_bank_report){0};
    uint32_t distance = merge_distance(access, lanes);
    if (distance == 0)
        return analyze_lanes(access, lanes);
    struct tma_warp_access half = one_lane_for_each_pair(access, lanes, distance);
    struct tma_bank_report report = analyze_lanes(&half, half.lane_mask);
    struct phasing phasing =
        phasing_of(tma_shared_instruction_info(access->instruction)->lane_bytes);
    uint32_t group = report.worst_bank / (TMA_BANKS / phasing.groups);
    report.worst_lanes =
        tma_bank_phase_lanes(access, report.worst_phase) & lanes_of_group(access, phasing, group);
    return report;
}

uint32_t tma_bank_phase_lanes(const struct tma_warp_access *access, uint32_t phase) {
    uint32_t lanes = active_lanes(access);
    struct phasing phasing =
        phasing_of(tma_shared_instruction_info(access->instruction)->lane_bytes);
    if (lanes != 0 && merge_distance(access, lanes) != 0) {
        if (phase * phasing.groups * 2 >= TMA_WARP_LANES)
            return 0;
        return lanes & (phase_mask(phasing, 2 * phase) | phase_mask(phasing, 2 * phase + 1));
    }
    return phase * phasing.groups < TMA_WARP_LANES ? lanes & phase_mask(phasing, phase) : 0;
}

/* Returns the wavefront that serves a lane, counted from 0 in the lane's phase. The lane's unit
 * waits until its bank group has transferred the units of lower lanes. Lanes of one unit share a
 * wavefront, except in a reduction. `lanes` are those of the phase; `assigned` holds the results
 * for lower lanes. */
static uint8_t wavefront_in_phase(const struct tma_warp_access *access, uint32_t lanes,
                                  uint32_t lane, struct phasing phasing,
                                  const uint8_t assigned[TMA_WARP_LANES]) {
    uint32_t unit = unit_of(access, lane, phasing);
    bool shares = access->instruction != TMA_RED_SHARED_B32;
    uint8_t number = 0;
    for (uint32_t left = lanes & ((1U << lane) - 1); left != 0; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);
        if (shares && unit_of(access, other, phasing) == unit)
            return assigned[other];
        if (unit_of(access, other, phasing) % phasing.groups == unit % phasing.groups &&
            assigned[other] >= number)
            number = (uint8_t)(assigned[other] + 1);
    }
    return number;
}

/* Assigns the lanes of one phase their wavefronts, counted from `base`; returns the next number. */
static uint32_t schedule_phase(const struct tma_warp_access *access, uint32_t lanes,
                               struct phasing phasing, uint32_t base,
                               uint8_t wavefront[TMA_WARP_LANES]) {
    uint8_t assigned[TMA_WARP_LANES];
    uint32_t next = base;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        assigned[lane] = wavefront_in_phase(access, lanes, lane, phasing, assigned);
        wavefront[lane] = (uint8_t)(base + assigned[lane]);
        if (wavefront[lane] >= next)
            next = wavefront[lane] + 1U;
    }
    return next;
}

uint32_t tma_bank_schedule(const struct tma_warp_access *access,
                           uint8_t wavefront[TMA_WARP_LANES]) {
    uint32_t wavefronts = 0;
    struct phasing phasing =
        phasing_of(tma_shared_instruction_info(access->instruction)->lane_bytes);
    for (uint32_t phase = 0; phase * phasing.groups < TMA_WARP_LANES; phase++)
        wavefronts = schedule_phase(access, tma_bank_phase_lanes(access, phase), phasing,
                                    wavefronts, wavefront);
    return wavefronts;
}
