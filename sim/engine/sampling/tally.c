#include "engine/sampling/tally.h"

#include <assert.h>
#include <string.h>

enum { NUMBERS = sizeof(struct tma_tally) / sizeof(uint64_t) };

static_assert(sizeof(struct tma_tally) % sizeof(uint64_t) == 0, "a tally is a list of numbers");
static_assert(sizeof(struct tma_counters) % sizeof(uint64_t) == 0 &&
                  sizeof(struct tma_memory_counters) % sizeof(uint64_t) == 0,
              "counters are numbers");

struct tma_tally tma_tally_of(const struct tma_result *result,
                              const struct tma_memory_counters *memory) {
    struct tma_tally tally = {
        .counters = result->counters, .memory = *memory, .statements = result->statements};
    tally.memory.last_cycle = 0;
    memcpy(tally.causes, result->cause_cycles, sizeof tally.causes);
    memcpy(tally.roles, result->role_cycles, sizeof tally.roles);
    for (int c = 0; c < TMA_MAX_CONSUMERS; c++) {
        const struct tma_consumer_total *total = &result->consumers[c];
        tally.consumers[c][0] = total->instructions;
        tally.consumers[c][1] = total->wavefronts;
        tally.consumers[c][2] = total->ideal_wavefronts;
    }
    return tally;
}

static uint64_t scale(uint64_t value, uint64_t units, uint64_t per) {
    return (uint64_t)((unsigned __int128)value * units / per);
}

void tma_tally_extend(struct tma_tally *tally, const struct tma_tally *from,
                      const struct tma_tally *to, uint64_t units, uint64_t per) {
    uint64_t sums[NUMBERS], before[NUMBERS], after[NUMBERS];
    memcpy(sums, tally, sizeof sums);
    memcpy(before, from, sizeof before);
    memcpy(after, to, sizeof after);
    /* A count that becomes less, such as that of sectors which nobody has used yet, stays. */
    for (int i = 0; i < NUMBERS; i++)
        if (after[i] > before[i])
            sums[i] += scale(after[i] - before[i], units, per);
    memcpy(tally, sums, sizeof sums);
    tally->memory.sectors = tally->memory.hit_sectors + tally->memory.miss_sectors;
}

void tma_tally_add(const struct tma_tally *tally, struct tma_result *result,
                   struct tma_memory_counters *memory) {
    uint64_t sums[NUMBERS], more[NUMBERS];
    struct tma_tally all = tma_tally_of(result, memory);
    memcpy(sums, &all, sizeof sums);
    memcpy(more, tally, sizeof more);
    for (int i = 0; i < NUMBERS; i++)
        sums[i] += more[i];
    memcpy(&all, sums, sizeof sums);
    uint64_t last_cycle = memory->last_cycle;
    result->counters = all.counters;
    result->statements = all.statements;
    *memory = all.memory;
    memory->last_cycle = last_cycle;
    memcpy(result->cause_cycles, all.causes, sizeof all.causes);
    memcpy(result->role_cycles, all.roles, sizeof all.roles);
    for (int c = 0; c < TMA_MAX_CONSUMERS; c++) {
        struct tma_consumer_total *total = &result->consumers[c];
        total->instructions = all.consumers[c][0];
        total->wavefronts = all.consumers[c][1];
        total->ideal_wavefronts = all.consumers[c][2];
    }
}
