/* The bank model: each of its rules, and random accesses against a plain reference.
 * tests/hardware/test_records.c replays records of a real GPU. */
#include <string.h>

#include "banks/banks.h"
#include "suite.h"

/* Lane l accesses the address base + l / run * step. */
struct rule {
    const char *name;
    enum tma_shared_instruction instruction;
    uint32_t lane_mask, base, step, run;
    struct tma_bank_report report;
};

#define ALL UINT32_MAX

/* The report lists: wavefronts, ideal wavefronts, conflicts, ways, worst bank, worst phase, worst
 * lanes, banks used. */
static const struct rule rules[] = {
    {"consecutive words", TMA_LD_SHARED_B32, ALL, 0, 4, 1, {1, 1, 0, 1, 0, 0, 1, ALL}},
    {"one word for all", TMA_LD_SHARED_B32, ALL, 12, 0, 1, {1, 1, 0, 1, 3, 0, ALL, 1U << 3}},
    {"every other word",
     TMA_LD_SHARED_B32,
     ALL,
     4,
     8,
     1,
     {2, 1, 1, 2, 1, 0, 0x00010001, 0xAAAAAAAA}},
    {"one bank", TMA_ST_SHARED_B32, ALL, 8, 128, 1, {32, 1, 31, 32, 2, 0, ALL, 1U << 2}},
    {"one bank, half the lanes",
     TMA_LD_SHARED_B32,
     0xFFFF,
     8,
     128,
     1,
     {16, 1, 15, 16, 2, 0, 0xFFFF, 1U << 2}},
    {"no lane", TMA_LD_SHARED_B32, 0, 8, 128, 1, {0}},
    {"bytes of a word", TMA_LD_SHARED_B8, ALL, 0, 1, 1, {1, 1, 0, 1, 0, 0, 0xF, 0xFF}},
    /* 8 bytes: two phases, but one for a load whose neighbours share their addresses. A store has
     * two there, too. */
    {"pairs", TMA_LD_SHARED_B64, ALL, 0, 8, 1, {2, 2, 0, 1, 0, 0, 1, ALL}},
    {"one pair for all", TMA_LD_SHARED_B64, ALL, 16, 0, 1, {1, 1, 0, 1, 4, 0, ALL, 3U << 4}},
    {"one pair for all, stored",
     TMA_ST_SHARED_B64,
     ALL,
     16,
     0,
     1,
     {2, 2, 0, 1, 4, 0, 0xFFFF, 3U << 4}},
    {"two pairs", TMA_LD_SHARED_B64, ALL, 16, 8, 16, {1, 1, 0, 1, 4, 0, 0xFFFF, 0xF << 4}},
    /* 16 bytes: four phases, four banks a lane. A phase without active lanes costs nothing. */
    {"chunks", TMA_LD_SHARED_B128, ALL, 0, 16, 1, {4, 4, 0, 1, 0, 0, 1, ALL}},
    {"one chunk for all", TMA_LD_SHARED_B128, ALL, 16, 0, 1, {2, 2, 0, 1, 4, 0, 0xFFFF, 0xFU << 4}},
    {"one chunk for each two lanes", TMA_LD_SHARED_B128, ALL, 0, 16, 2, {2, 2, 0, 1, 0, 0, 3, ALL}},
    {"chunks of one column",
     TMA_LD_SHARED_B128,
     ALL,
     32,
     128,
     1,
     {32, 4, 28, 8, 8, 0, 0xFF, 0xF00}},
    {"chunks, two phases idle",
     TMA_LD_SHARED_B128,
     0x00FF00FF,
     0,
     128,
     1,
     {16, 2, 14, 8, 0, 0, 0xFF, 0xF}},
    {"two matrices take 16 addresses",
     TMA_LDMATRIX_X2,
     ALL,
     0,
     128,
     1,
     {16, 2, 14, 8, 0, 0, 0xFF, 0xF}},
    {"a matrix", TMA_STMATRIX_X1, ALL, 0, 16, 1, {1, 1, 0, 1, 0, 0, 1, ALL}},
    /* Reductions on one word are serialized. */
    {"reduce on one word", TMA_RED_SHARED_B32, ALL, 0, 0, 1, {32, 1, 31, 32, 0, 0, ALL, 1}},
    {"reduce, words of one bank and the same word",
     TMA_RED_SHARED_B32,
     0xF,
     0,
     128,
     1,
     {4, 1, 3, 4, 0, 0, 0xF, 1}},
};

static struct tma_warp_access access_of(const struct rule *rule) {
    struct tma_warp_access access = {.instruction = rule->instruction,
                                     .lane_mask = rule->lane_mask};
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        access.address[lane] = rule->base + lane / rule->run * rule->step;
    return access;
}

static void assert_report(const char *name, const struct tma_bank_report *got,
                          const struct tma_bank_report *expected) {
    const struct {
        const char *what;
        uint32_t got, expected;
    } figures[] = {{"wavefronts", got->wavefronts, expected->wavefronts},
                   {"ideal", got->ideal_wavefronts, expected->ideal_wavefronts},
                   {"conflicts", got->bank_conflicts, expected->bank_conflicts},
                   {"ways", got->ways, expected->ways},
                   {"worst bank", got->worst_bank, expected->worst_bank},
                   {"worst phase", got->worst_phase, expected->worst_phase},
                   {"worst lanes", got->worst_lanes, expected->worst_lanes},
                   {"banks used", got->banks_used, expected->banks_used}};
    /* Check writes a file at each assertion, which is too slow for the random accesses. */
    for (int i = 0; i < TABLE_ROWS(figures); i++)
        if (figures[i].got != figures[i].expected)
            ck_abort_msg("%s: %s is %#x, not %#x", name, figures[i].what, figures[i].got,
                         figures[i].expected);
}

TEST_ROWS(report_follows_rule, TABLE_ROWS(rules)) {
    struct tma_warp_access access = access_of(&rules[_i]);
    struct tma_bank_report got = tma_bank_conflicts(&access);
    assert_report(rules[_i].name, &got, &rules[_i].report);
}

/* The lanes that are active and give an address. */
static uint32_t address_lanes(const struct tma_warp_access *access) {
    uint32_t lanes = tma_shared_instruction_info(access->instruction)->lanes;
    return access->lane_mask & (uint32_t)((UINT64_C(1) << lanes) - 1);
}

static bool is_active(uint32_t lanes, uint32_t lane) {
    return (lanes >> lane & 1) != 0;
}

/* The reference: the rules of banks.h in plain loops, without bit tricks. */

static uint32_t reference_width(const struct tma_warp_access *access) {
    uint32_t bytes = tma_shared_instruction_info(access->instruction)->lane_bytes;
    return bytes < TMA_BANK_BYTES ? TMA_BANK_BYTES : bytes;
}

static bool shares_at(const struct tma_warp_access *access, uint32_t lanes, uint32_t distance) {
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        if (is_active(lanes, lane) && is_active(lanes, lane ^ distance) &&
            access->address[lane] != access->address[lane ^ distance])
            return false;
    return true;
}

static uint32_t reference_phase(const struct tma_warp_access *access, uint32_t lanes,
                                uint32_t lane) {
    uint32_t phase = lane * reference_width(access) / (TMA_BANKS * TMA_BANK_BYTES);
    bool load =
        access->instruction == TMA_LD_SHARED_B64 || access->instruction == TMA_LD_SHARED_B128;
    return load && (shares_at(access, lanes, 1) || shares_at(access, lanes, 2)) ? phase / 2 : phase;
}

/* What occupies a bank: the words that the lanes of one phase access in it; for a reduction, each
 * lane's access by itself. */
struct bank_queue {
    uint32_t entries[TMA_WARP_LANES];
    uint32_t count;
    uint32_t lanes;
};

static void enqueue(struct bank_queue *queue, uint32_t entry, uint32_t lane) {
    queue->lanes |= 1U << lane;
    for (uint32_t i = 0; i < queue->count; i++)
        if (queue->entries[i] == entry)
            return;
    queue->entries[queue->count++] = entry;
}

static void fill_queues(const struct tma_warp_access *access, uint32_t phase,
                        struct bank_queue queues[TMA_BANKS]) {
    uint32_t lanes = address_lanes(access), width = reference_width(access);
    bool reduction = access->instruction == TMA_RED_SHARED_B32;
    memset(queues, 0, TMA_BANKS * sizeof *queues);
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
        if (!is_active(lanes, lane) || reference_phase(access, lanes, lane) != phase)
            continue;
        uint32_t start = access->address[lane] / width * width;
        for (uint32_t byte = 0; byte < width; byte += TMA_BANK_BYTES) {
            uint32_t word = (start + byte) / TMA_BANK_BYTES;
            enqueue(&queues[word % TMA_BANKS], reduction ? lane : word, lane);
        }
    }
}

static struct tma_bank_report reference_report(const struct tma_warp_access *access) {
    struct tma_bank_report report = {0};
    for (uint32_t phase = 0; phase < 4; phase++) {
        struct bank_queue queues[TMA_BANKS];
        uint32_t longest = 0;
        fill_queues(access, phase, queues);
        for (uint32_t bank = 0; bank < TMA_BANKS; bank++) {
            if (queues[bank].count > 0)
                report.banks_used |= 1U << bank;
            if (queues[bank].count > longest)
                longest = queues[bank].count;
            if (queues[bank].count > report.ways) {
                report.ways = queues[bank].count;
                report.worst_bank = bank;
                report.worst_phase = phase;
                report.worst_lanes = queues[bank].lanes;
            }
        }
        report.wavefronts += longest;
        report.ideal_wavefronts += longest > 0;
    }
    report.bank_conflicts = report.wavefronts - report.ideal_wavefronts;
    return report;
}

/* Each active lane has a wavefront below `count`; the lanes of a wavefront are of one phase; and in
 * a wavefront, each bank transfers one word at most (for a reduction, the word of one lane). */
static void assert_schedule(const char *name, const struct tma_warp_access *access,
                            const uint8_t wavefront[TMA_WARP_LANES], uint32_t count) {
    uint32_t lanes = address_lanes(access), used = 0;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        if (is_active(lanes, lane)) {
            ck_assert_uint_lt(wavefront[lane], count);
            used |= 1U << wavefront[lane];
        }
    for (uint32_t number = 0; number < count; number++) {
        struct tma_warp_access part = *access;
        uint32_t phases = 0;
        part.lane_mask = 0;
        ck_assert_msg((used >> number & 1) != 0, "%s: wavefront %u serves no lane", name, number);
        for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
            if (is_active(lanes, lane) && wavefront[lane] == number) {
                part.lane_mask |= 1U << lane;
                phases |= 1U << reference_phase(access, lanes, lane);
            }
        ck_assert_msg((phases & (phases - 1)) == 0, "%s: wavefront %u mixes phases", name, number);
        ck_assert_msg(reference_report(&part).ways == 1, "%s: wavefront %u has a conflict", name,
                      number);
    }
}

TEST_ROWS(schedule_has_no_conflict_in_a_wavefront, TABLE_ROWS(rules)) {
    const struct rule *rule = &rules[_i];
    struct tma_warp_access access = access_of(rule);
    uint8_t wavefront[TMA_WARP_LANES];
    uint32_t count = tma_bank_schedule(&access, wavefront);
    ck_assert_uint_eq(count, rule->report.wavefronts);
    assert_schedule(rule->name, &access, wavefront, count);
}

/* Random lanes and addresses, some of them shared by several lanes, for each instruction. */
static struct tma_warp_access random_access(enum tma_shared_instruction instruction,
                                            uint32_t *random) {
    struct tma_warp_access access = {.instruction = instruction};
    uint32_t bytes = tma_shared_instruction_info(instruction)->lane_bytes, range = 0;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
        *random = *random * 1664525 + 1013904223;
        if (lane == 0)
            range = 1U << (*random >> 16) % 14;
        access.lane_mask |= (uint32_t)(*random >> 30 != 0) << lane;
        access.address[lane] = (*random >> 8) % range / bytes * bytes;
    }
    return access;
}

TEST_ROWS(random_accesses_match_the_reference, TMA_WGMMA_SHARED + 1) {
    enum tma_shared_instruction instruction = (enum tma_shared_instruction)_i;
    const char *name = tma_shared_instruction_info(instruction)->name;
    uint32_t random = 1 + (uint32_t)_i;
    for (int round = 0; round < 2000; round++) {
        struct tma_warp_access access = random_access(instruction, &random);
        uint8_t wavefront[TMA_WARP_LANES];
        struct tma_bank_report expected = reference_report(&access);
        uint32_t count = tma_bank_schedule(&access, wavefront);
        if (count != expected.wavefronts)
            ck_abort_msg("%s, round %d: %u wavefronts, not %u", name, round, count,
                         expected.wavefronts);
        struct tma_bank_report got = tma_bank_conflicts(&access);
        assert_report(name, &got, &expected);
        if (round < 20)
            assert_schedule(name, &access, wavefront, count);
    }
}

TEST(misaligned_addresses_round_down) {
    struct tma_warp_access access = {.instruction = TMA_LD_SHARED_B128, .lane_mask = 3};
    access.address[0] = 0;
    access.address[1] = 12;
    ck_assert_uint_eq(tma_bank_conflicts(&access).wavefronts, 1);
}

/* The phases of an access share its lanes out, and there are none behind the last. */
TEST_ROWS(phases_have_all_lanes, TMA_WGMMA_SHARED + 1) {
    enum tma_shared_instruction instruction = (enum tma_shared_instruction)_i;
    struct tma_warp_access access = {.instruction = instruction, .lane_mask = 0xFFFF00FF};
    uint32_t lanes = tma_shared_instruction_info(instruction)->lanes, found = 0;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++)
        access.address[lane] = 16 * lane;
    for (uint32_t phase = 0; phase < 4; phase++) {
        ck_assert_uint_eq(found & tma_bank_phase_lanes(&access, phase), 0);
        found |= tma_bank_phase_lanes(&access, phase);
    }
    ck_assert_uint_eq(found, 0xFFFF00FF & UINT32_MAX >> (TMA_WARP_LANES - lanes));
    ck_assert_uint_eq(tma_bank_phase_lanes(&access, 4), 0);
}

TEST_SUITE("banks");
