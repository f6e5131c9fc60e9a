#include "banks/banks.h"

#include <string.h>

/* A phase moves at most one word of every bank. Lanes of 8 and 16 bytes take 2 and 4 banks each,
 * always the same ones together: such a group of banks serves one unit of 4, 8 or 16 bytes at a
 * time, and a phase has as many lanes as there are groups. So there are always 32 slots: a slot is
 * a group of banks in a phase, slot number phase * groups + group. */
struct phasing {
    uint32_t unit_shift; /* log2 of a unit's bytes */
    uint32_t groups;     /* of banks; also the lanes of a phase */
};

/* Everything below is made once for each of the three widths. */
#define INLINE static inline __attribute__((always_inline))

INLINE struct phasing phasing_of(uint32_t lane_bytes) {
    uint32_t shift = lane_bytes <= 4 ? 2 : lane_bytes == 8 ? 3 : 4;
    return (struct phasing){shift, 128U >> shift};
}

INLINE uint32_t unit_of(const struct tma_warp_access *access, uint32_t lane,
                        struct phasing phasing) {
    return access->address[lane] >> phasing.unit_shift;
}

/* How many units each slot has to serve, 32 counters side by side: bit s of bit[b] is bit b of slot
 * s's count. Adding two such sets takes a few logic operations, and no slot waits for another. */
enum { TALLY_BITS = 6 };

struct tally {
    uint32_t bit[TALLY_BITS];
};

INLINE void full_add(struct tally *sum, uint32_t a, uint32_t b, uint32_t *carry, uint32_t bit) {
    sum->bit[bit] = a ^ b ^ *carry;
    *carry = (a & b) | ((a ^ b) & *carry);
}

/* Adds counts of `bits` bits. (Written out: compilers keep a loop.) */
INLINE struct tally add(struct tally a, struct tally b, uint32_t bits) {
    struct tally sum = {{0}};
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

/* The slot of an active lane, as a bit. */
INLINE uint32_t slot_bit(const struct tma_warp_access *access, uint32_t lanes, uint32_t lane,
                         struct phasing phasing) {
    uint32_t slot =
        lane / phasing.groups * phasing.groups + unit_of(access, lane, phasing) % phasing.groups;
    return (lanes >> lane & 1) << slot;
}

/* Lane `lane` of every phase: they have different slots. */
INLINE struct tally tally_1(const struct tma_warp_access *access, uint32_t lanes, uint32_t lane,
                            struct phasing phasing) {
    uint32_t groups = phasing.groups, bits = slot_bit(access, lanes, lane, phasing);
    if (groups <= 16)
        bits |= slot_bit(access, lanes, lane + groups, phasing);
    if (groups <= 8)
        bits |= slot_bit(access, lanes, lane + 2 * groups, phasing) |
                slot_bit(access, lanes, lane + 3 * groups, phasing);
    return (struct tally){{bits}};
}

/* Lanes `lane` to `lane` + n - 1 of every phase. */
#define TALLY(n, half, bits)                                                                       \
    INLINE struct tally tally_##n(const struct tma_warp_access *access, uint32_t lanes,            \
                                  uint32_t lane, struct phasing phasing) {                         \
        return add(tally_##half(access, lanes, lane, phasing),                                     \
                   tally_##half(access, lanes, lane + half, phasing), bits);                       \
    }
TALLY(2, 1, 1)
TALLY(4, 2, 2)
TALLY(8, 4, 3)
TALLY(16, 8, 4)
TALLY(32, 16, 5)

INLINE struct tally tally_lanes(const struct tma_warp_access *access, uint32_t lanes,
                                struct phasing phasing) {
    switch (phasing.groups) {
    case 8:
        return tally_8(access, lanes, 0, phasing);
    case 16:
        return tally_16(access, lanes, 0, phasing);
    default:
        return tally_32(access, lanes, 0, phasing);
    }
}

INLINE bool conflicts(const struct tally *tally) {
    return (tally->bit[1] | tally->bit[2] | tally->bit[3] | tally->bit[4] | tally->bit[5]) != 0;
}

/* A unit and its phase in one number below 2^31 that grows with both: units of 4, 8 and 16 bytes
 * have 30, 29 and 28 bits, and 1, 2 and 4 phases. */
INLINE uint32_t key_of(const struct tma_warp_access *access, uint32_t lane,
                       struct phasing phasing) {
    return unit_of(access, lane, phasing) | lane / phasing.groups << 29;
}

/* In each phase, does every lane want a higher unit than the lane before? Then none share one,
 * active or not. (The sign of a difference tells; lane 27 is taken twice so that both loops go in
 * fours, which compilers turn into vectors.) */
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

/* The lanes that are the first of their phase to want their unit. A hash table with room for twice
 * a warp's units has those seen before. */
INLINE uint32_t first_takers(const struct tma_warp_access *access, uint32_t lanes,
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

/* What the lanes of each phase want of each slot: units, or for a reduction lanes. */
INLINE struct tally demand(const struct tma_warp_access *access, uint32_t lanes,
                           struct phasing phasing) {
    struct tally tally = lanes == UINT32_MAX ? tally_lanes(access, UINT32_MAX, phasing)
                                             : tally_lanes(access, lanes, phasing);
    bool reduction = access->instruction == TMA_RED_SHARED_B32;
    if (!conflicts(&tally) || reduction || increasing(access, phasing))
        return tally;
    return tally_lanes(access, first_takers(access, lanes, phasing), phasing);
}

/* The largest count among `slots`, of which one is not 0; leaves in *slots those that have it. */
INLINE uint32_t largest(const struct tally *tally, uint32_t *slots, struct phasing phasing) {
    uint32_t count = 0;
    uint32_t bits = phasing.groups == 8 ? 4 : phasing.groups == 16 ? 5 : TALLY_BITS;
    for (uint32_t bit = bits; bit-- > 0;)
        if ((*slots & tally->bit[bit]) != 0) {
            *slots &= tally->bit[bit];
            count |= 1U << bit;
        }
    return count;
}

static uint32_t phase_mask(struct phasing phasing, uint32_t phase) {
    return UINT32_MAX >> (TMA_WARP_LANES - phasing.groups) << phase * phasing.groups;
}

/* Fills in the wavefronts and the worst slot's phase and ways; returns the slot. */
INLINE uint32_t judge_phases(const struct tally *tally, uint32_t touched, struct phasing phasing,
                             struct tma_bank_report *report) {
    uint32_t worst_slot = 0;
    for (uint32_t phase = 0; phase * phasing.groups < TMA_WARP_LANES; phase++) {
        uint32_t slots = touched & phase_mask(phasing, phase);
        if (slots == 0)
            continue;
        uint32_t ways = conflicts(tally) ? largest(tally, &slots, phasing) : 1;
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

/* Four lanes at a time: the compiler takes vector instructions where the machine has them. */
typedef uint32_t quad __attribute__((vector_size(16)));

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

/* Each of the low 16 bits twice. */
static uint32_t double_bits(uint32_t bits) {
    bits = (bits | bits << 8) & 0x00FF00FF;
    bits = (bits | bits << 4) & 0x0F0F0F0F;
    bits = (bits | bits << 2) & 0x33333333;
    bits = (bits | bits << 1) & 0x55555555;
    return bits | bits << 1;
}

/* The banks of the slots. */
INLINE uint32_t banks_of(uint32_t slots, struct phasing phasing) {
    if (phasing.groups == 32)
        return slots;
    slots |= slots >> 16;
    if (phasing.groups == 16)
        return double_bits(slots & 0xFFFF);
    return double_bits(double_bits((slots | slots >> 8) & 0xFF));
}

INLINE struct tma_bank_report report_access(const struct tma_warp_access *access, uint32_t lanes,
                                            struct phasing phasing) {
    struct tma_bank_report report = {0};
    struct tally tally = demand(access, lanes, phasing);
    uint32_t touched =
        tally.bit[0] | tally.bit[1] | tally.bit[2] | tally.bit[3] | tally.bit[4] | tally.bit[5];
    uint32_t group = judge_phases(&tally, touched, phasing, &report) % phasing.groups;
    report.worst_bank = group * (TMA_BANKS / phasing.groups);
    report.worst_lanes =
        lanes & phase_mask(phasing, report.worst_phase) & lanes_of_group(access, phasing, group);
    report.banks_used = banks_of(touched, phasing);
    return report;
}

/* Of the lanes that give an address, those that are active. */
static uint32_t active_lanes(const struct tma_warp_access *access) {
    uint32_t lanes = tma_shared_instruction_info(access->instruction)->lanes;
    return access->lane_mask & UINT32_MAX >> (TMA_WARP_LANES - lanes);
}

/* Do all active lanes load the same 8 bytes? Then the two phases are one. */
static bool is_merged(const struct tma_warp_access *access, uint32_t lanes) {
    if (access->instruction != TMA_LD_SHARED_B64)
        return false;
    uint32_t first = access->address[__builtin_ctz(lanes)];
    for (; lanes != 0; lanes &= lanes - 1)
        if (access->address[__builtin_ctz(lanes)] != first)
            return false;
    return true;
}

struct tma_bank_report tma_bank_conflicts(const struct tma_warp_access *access) {
    uint32_t lanes = active_lanes(access);
    if (lanes == 0)
        return (struct tma_bank_report){0};
    if (is_merged(access, lanes)) {
        uint32_t one = lanes & (~lanes + 1);
        struct tma_bank_report report = report_access(access, one, phasing_of(8));
        report.worst_phase = 0;
        report.worst_lanes = lanes;
        return report;
    }
    switch (tma_shared_instruction_info(access->instruction)->lane_bytes) {
    case 16:
        return report_access(access, lanes, phasing_of(16));
    case 8:
        return report_access(access, lanes, phasing_of(8));
    default:
        return report_access(access, lanes, phasing_of(4));
    }
}

uint32_t tma_bank_phase_lanes(const struct tma_warp_access *access, uint32_t phase) {
    uint32_t lanes = active_lanes(access);
    struct phasing phasing =
        phasing_of(tma_shared_instruction_info(access->instruction)->lane_bytes);
    if (lanes != 0 && is_merged(access, lanes))
        return phase == 0 ? lanes : 0;
    return phase * phasing.groups < TMA_WARP_LANES ? lanes & phase_mask(phasing, phase) : 0;
}

/* The wavefront of its phase, from 0, that serves a lane: its unit waits for those that lower lanes
 * want of the same group. A lane that shares a unit goes along; a reduction's does not. */
static uint8_t turn_of(const struct tma_warp_access *access, uint32_t lanes, uint32_t lane,
                       struct phasing phasing, const uint8_t turns[TMA_WARP_LANES]) {
    uint32_t unit = unit_of(access, lane, phasing);
    bool shares = access->instruction != TMA_RED_SHARED_B32;
    uint8_t turn = 0;
    for (uint32_t left = lanes & ((1U << lane) - 1); left != 0; left &= left - 1) {
        uint32_t other = (uint32_t)__builtin_ctz(left);
        if (shares && unit_of(access, other, phasing) == unit)
            return turns[other];
        if (unit_of(access, other, phasing) % phasing.groups == unit % phasing.groups &&
            turns[other] >= turn)
            turn = (uint8_t)(turns[other] + 1);
    }
    return turn;
}

/* Gives the lanes of one phase their wavefronts, which count from `base`; returns the next. */
static uint32_t schedule_phase(const struct tma_warp_access *access, uint32_t lanes,
                               struct phasing phasing, uint32_t base,
                               uint8_t wavefront[TMA_WARP_LANES]) {
    uint8_t turns[TMA_WARP_LANES];
    uint32_t next = base;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        turns[lane] = turn_of(access, lanes, lane, phasing, turns);
        wavefront[lane] = (uint8_t)(base + turns[lane]);
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
