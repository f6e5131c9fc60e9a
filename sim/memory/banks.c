#include "memory/banks.h"

#include <assert.h>
#include <stddef.h>

/* constant, name, family, bytes at a lane's address, lanes that give one, reduction */
#define INSTRUCTIONS(X)                                                                            \
    X(TMA_LD_SHARED_B8, "ld.shared.b8", VECTOR, 1, 32, false)                                      \
    X(TMA_LD_SHARED_B16, "ld.shared.b16", VECTOR, 2, 32, false)                                    \
    X(TMA_LD_SHARED_B32, "ld.shared.b32", VECTOR, 4, 32, false)                                    \
    X(TMA_LD_SHARED_B64, "ld.shared.b64", VECTOR, 8, 32, false)                                    \
    X(TMA_LD_SHARED_B128, "ld.shared.b128", VECTOR, 16, 32, false)                                 \
    X(TMA_ST_SHARED_B8, "st.shared.b8", VECTOR, 1, 32, false)                                      \
    X(TMA_ST_SHARED_B16, "st.shared.b16", VECTOR, 2, 32, false)                                    \
    X(TMA_ST_SHARED_B32, "st.shared.b32", VECTOR, 4, 32, false)                                    \
    X(TMA_ST_SHARED_B64, "st.shared.b64", VECTOR, 8, 32, false)                                    \
    X(TMA_ST_SHARED_B128, "st.shared.b128", VECTOR, 16, 32, false)                                 \
    X(TMA_LDMATRIX_X1, "ldmatrix.x1", MATRIX, 16, 8, false)                                        \
    X(TMA_LDMATRIX_X2, "ldmatrix.x2", MATRIX, 16, 16, false)                                       \
    X(TMA_LDMATRIX_X4, "ldmatrix.x4", MATRIX, 16, 32, false)                                       \
    X(TMA_STMATRIX_X1, "stmatrix.x1", MATRIX, 16, 8, false)                                        \
    X(TMA_STMATRIX_X2, "stmatrix.x2", MATRIX, 16, 16, false)                                       \
    X(TMA_STMATRIX_X4, "stmatrix.x4", MATRIX, 16, 32, false)                                       \
    X(TMA_RED_SHARED_B32, "red.shared.b32", VECTOR, 4, 32, true)                                   \
    X(TMA_WGMMA_SHARED, "wgmma", WGMMA, 16, 32, false)

static const struct tma_shared_instruction_info infos[] = {
#define INSTRUCTION_INFO(constant, name, family, bytes, lanes, reduction)                          \
    [constant] = {name, TMA_FAMILY_##family, bytes, lanes, reduction},
    INSTRUCTIONS(INSTRUCTION_INFO)};

static const struct tma_name instruction_items[] = {
#define INSTRUCTION_NAME(constant, name, family, bytes, lanes, reduction) {name, constant},
    INSTRUCTIONS(INSTRUCTION_NAME)};

enum { INSTRUCTION_COUNT = sizeof infos / sizeof infos[0] };

const struct tma_names tma_shared_instruction_names = {"instruction", instruction_items,
                                                       INSTRUCTION_COUNT};

const struct tma_shared_instruction_info *
tma_shared_instruction_info(enum tma_shared_instruction instruction) {
    assert((unsigned)instruction < INSTRUCTION_COUNT);
    return &infos[instruction];
}

/* A phase moves at most one word of every bank. Lanes of 8 and 16 bytes take 2 and 4 banks each,
 * always the same ones together: such a group of banks serves one unit at a time. */
struct phasing {
    uint32_t unit_shift;  /* log2 of a unit's bytes: 4, 8 or 16 */
    uint32_t phase_lanes; /* and as many groups of banks */
    uint32_t group_banks;
    bool reduction;
};

static bool same_address(const struct tma_warp_access *access, uint32_t lanes) {
    uint32_t first = access->address[__builtin_ctz(lanes)];
    for (uint32_t left = lanes; left != 0; left &= left - 1)
        if (access->address[__builtin_ctz(left)] != first)
            return false;
    return true;
}

static struct phasing phasing_of(const struct tma_warp_access *access, uint32_t lanes) {
    const struct tma_shared_instruction_info *info = &infos[access->instruction];
    uint32_t shift = info->lane_bytes <= 4 ? 2 : info->lane_bytes == 8 ? 3 : 4;
    struct phasing phasing = {shift, 128U >> shift, 1U << (shift - 2), info->reduction};
    bool merges = access->instruction == TMA_LD_SHARED_B64 && same_address(access, lanes);
    if (merges)
        phasing.phase_lanes = TMA_WARP_LANES;
    return phasing;
}

static uint32_t active_lanes(const struct tma_warp_access *access) {
    uint32_t lanes = infos[access->instruction].lanes;
    return access->lane_mask & (lanes == 32 ? UINT32_MAX : (1U << lanes) - 1);
}

static uint32_t group_of(const struct phasing *phasing, uint32_t unit) {
    return unit & ((128U >> phasing->unit_shift) - 1);
}

/* The units that a phase wants of each group of banks. The first of a group is kept by group, the
 * others, those that conflict, in a hash table with room for twice a phase's lanes. */
enum { SLOT_BITS = 6, SLOTS = 1 << SLOT_BITS };

struct phase {
    uint32_t touched; /* bit g: group g was touched; the rest is written on first touch */
    uint8_t units[TMA_BANKS];
    uint32_t first[TMA_BANKS];
    bool conflicts;
    uint32_t slot_unit[SLOTS]; /* UINT32_MAX: empty (no unit number is as large) */
    uint8_t slot_turn[SLOTS];
};

static void start_conflicts(struct phase *phase) {
    for (unsigned i = 0; i < SLOTS; i++)
        phase->slot_unit[i] = UINT32_MAX;
    phase->conflicts = true;
}

/* The turn of a unit that is not the first of its group. */
static uint32_t later_turn(struct phase *phase, uint32_t group, uint32_t unit) {
    if (!phase->conflicts)
        start_conflicts(phase);
    uint32_t slot = unit * 2654435769U >> (32 - SLOT_BITS);
    while (phase->slot_unit[slot] != unit && phase->slot_unit[slot] != UINT32_MAX)
        slot = (slot + 1) % SLOTS;
    if (phase->slot_unit[slot] != unit) {
        phase->slot_unit[slot] = unit;
        phase->slot_turn[slot] = phase->units[group]++;
    }
    return phase->slot_turn[slot];
}

/* The turn, from 0, in which the group of banks serves the unit. */
static inline uint32_t turn_of(struct phase *phase, uint32_t group, uint32_t unit, bool reduction) {
    if ((phase->touched >> group & 1) == 0) {
        phase->touched |= 1U << group;
        phase->first[group] = unit;
        phase->units[group] = 1;
        return 0;
    }
    if (reduction)
        return phase->units[group]++;
    return phase->first[group] == unit ? 0 : later_turn(phase, group, unit);
}

/* Serves a phase's lanes, which is not none of them, and returns its wavefronts. turns may be NULL.
 */
static inline uint32_t serve(struct phase *phase, const struct phasing *phasing,
                             const struct tma_warp_access *access, uint32_t lanes, uint8_t *turns,
                             uint32_t base) {
    uint32_t last_turn = 0;
    phase->touched = 0;
    phase->conflicts = false;
    for (; lanes != 0; lanes &= lanes - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes);
        uint32_t unit = access->address[lane] >> phasing->unit_shift;
        uint32_t turn = turn_of(phase, group_of(phasing, unit), unit, phasing->reduction);
        last_turn = turn > last_turn ? turn : last_turn;
        if (turns != NULL)
            turns[lane] = (uint8_t)(base + turn);
    }
    return last_turn + 1;
}

static uint32_t phase_mask(const struct phasing *phasing, uint32_t number) {
    uint32_t ones = UINT32_MAX >> (TMA_WARP_LANES - phasing->phase_lanes);
    return ones << number * phasing->phase_lanes;
}

static uint32_t busiest_group(const struct phase *phase, uint32_t ways) {
    uint32_t group = (uint32_t)__builtin_ctz(phase->touched);
    while ((phase->touched >> group & 1) == 0 || phase->units[group] != ways)
        group++;
    return group;
}

static uint32_t lanes_of_group(const struct tma_warp_access *access, const struct phasing *phasing,
                               uint32_t lanes, uint32_t group) {
    uint32_t found = 0;
    for (uint32_t left = lanes; left != 0; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        uint32_t unit = access->address[lane] >> phasing->unit_shift;
        found |= (uint32_t)(group_of(phasing, unit) == group) << lane;
    }
    return found;
}

static uint32_t widen(const struct phasing *phasing, uint32_t groups) {
    uint32_t banks = 0;
    if (phasing->group_banks == 1)
        return groups;
    uint32_t ones = (1U << phasing->group_banks) - 1;
    for (; groups != 0; groups &= groups - 1)
        banks |= ones << (uint32_t)__builtin_ctz(groups) * phasing->group_banks;
    return banks;
}

struct tma_bank_report tma_bank_conflicts(const struct tma_warp_access *access) {
    struct tma_bank_report report = {0};
    uint32_t active = active_lanes(access), groups = 0;
    if (active == 0)
        return report;
    struct phasing phasing = phasing_of(access, active);
    for (uint32_t number = 0; number * phasing.phase_lanes < TMA_WARP_LANES; number++) {
        uint32_t lanes = active & phase_mask(&phasing, number);
        if (lanes == 0)
            continue;
        struct phase phase;
        uint32_t ways = serve(&phase, &phasing, access, lanes, NULL, 0);
        groups |= phase.touched;
        report.wavefronts += ways;
        report.ideal_wavefronts++;
        if (ways > report.ways) {
            uint32_t group = busiest_group(&phase, ways);
            report.ways = ways;
            report.worst_phase = number;
            report.worst_bank = group * phasing.group_banks;
            report.worst_lanes = lanes_of_group(access, &phasing, lanes, group);
        }
    }
    report.bank_conflicts = report.wavefronts - report.ideal_wavefronts;
    report.banks_used = widen(&phasing, groups);
    return report;
}

uint32_t tma_bank_schedule(const struct tma_warp_access *access,
                           uint8_t wavefront[TMA_WARP_LANES]) {
    uint32_t active = active_lanes(access), wavefronts = 0;
    if (active == 0)
        return 0;
    struct phasing phasing = phasing_of(access, active);
    for (uint32_t number = 0; number * phasing.phase_lanes < TMA_WARP_LANES; number++) {
        uint32_t lanes = active & phase_mask(&phasing, number);
        struct phase phase;
        if (lanes != 0)
            wavefronts += serve(&phase, &phasing, access, lanes, wavefront, wavefronts);
    }
    return wavefronts;
}
