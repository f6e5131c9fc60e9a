#include "engine/sampling/sample_plan.h"

#include "tensormap/types.h"

/* A window has at least so many refreshes of each DRAM bank. */
enum { REFRESHES = 2, CAREFUL_REFRESHES = 32 };

/* An estimate that may be further off is none. */
enum { MOST_ERROR_PERCENT = 20 };

/* What is skipped at once, as a multiple of all that came before. */
enum { FACTOR = 64, CAREFUL_FACTOR = 1 };

/* 1.5 times the smaller of one walk and twice the capacity. */
static uint64_t guard_of(uint64_t walk_bytes, uint64_t capacity_bytes) {
    uint64_t most = 2 * capacity_bytes;
    return (walk_bytes < most ? walk_bytes : most) / 2 * 3;
}

struct tma_sample_plan tma_sample_plan_of(const struct tma_machine *machine,
                                          enum tma_sampling sampling, uint64_t walk_bytes) {
    bool careful = sampling == TMA_SAMPLING_CAREFUL;
    uint64_t refresh = (uint64_t)machine->dram.trefi_ps * machine->sm_clock_mhz / 1000000;
    return (struct tma_sample_plan){
        .window_cycles = refresh * (careful ? CAREFUL_REFRESHES : REFRESHES),
        .guard_bytes = guard_of(walk_bytes, machine->l2.capacity_bytes),
        .outgrows_l2 = walk_bytes > machine->l2.capacity_bytes,
        .factor = careful ? CAREFUL_FACTOR : FACTOR,
    };
}

uint64_t tma_tensor_bytes(const struct tma_tensor_map *maps, const struct tma_map_array *arrays,
                          uint32_t map_count) {
    uint64_t sum = 0;
    for (uint32_t m = 0; m < map_count; m++) {
        uint64_t bytes = tma_type_info(maps[m].data_type)->global_bits;
        bool small = true;
        for (uint32_t d = 0; d < maps[m].rank && small; d++)
            small = !__builtin_mul_overflow(bytes, maps[m].global_dim[d], &bytes);
        if (!small || __builtin_mul_overflow(bytes / 8, tma_array_maps(&arrays[m]), &bytes) ||
            __builtin_add_overflow(sum, bytes, &sum))
            return UINT64_MAX;
    }
    return sum;
}

struct tma_tally tma_sample_tally(const struct tma_accounting *accounting,
                                  const struct tma_memory_counters *counters) {
    struct tma_tally tally = tma_tally_of(accounting->result, counters);
    tally.latencies = tma_histogram_count(accounting->latencies);
    tally.ended_ctas = accounting->ended_ctas;
    for (uint64_t i = 0; i < accounting->ended_ctas; i++)
        tally.cta_cycles += accounting->cta_cycles[i];
    return tally;
}

static enum tma_whole_reason whole_reason(const struct tma_sampler *sampler) {
    if (sampler->marks == NULL)
        return TMA_WHOLE_NO_UNIT;
    return sampler->compared ? TMA_WHOLE_UNSTEADY : TMA_WHOLE_SHORT;
}

enum { ROOT_ONE = 1 << 10 };

static uint64_t square_root(uint64_t value) {
    uint64_t root = 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit > 0; bit /= 2)
        if ((root + bit) * (root + bit) <= value)
            root += bit;
    return root;
}

/* The square root of the part of the run that was skipped, in 1 / ROOT_ONE. */
static uint64_t root_of_skipped(const struct tma_accounting *accounting) {
    uint64_t skipped = accounting->skipped.cycles, all = accounting->last_cycle + skipped;
    return square_root(
        (uint64_t)((unsigned __int128)skipped * (ROOT_ONE * ROOT_ONE) / (all > 0 ? all : 1)));
}

/* By how many cycles the last CTAs may end earlier or later than they would have without the skip:
 * twice the standard deviation of the time of CTAs. CTAs that went on over the skip were apart
 * before: what comes by chance grows with the square root of the time. */
static uint64_t ending_cycles(const struct tma_accounting *accounting, bool inside_ctas) {
    unsigned __int128 squares = 0;
    uint64_t count = accounting->ended_ctas, sum = 0;
    for (uint64_t i = 0; i < count; i++)
        sum += accounting->cta_cycles[i];
    for (uint64_t i = 0; i < count; i++) {
        uint64_t cycles = accounting->cta_cycles[i], mean = sum / count;
        uint64_t off = cycles > mean ? cycles - mean : mean - cycles;
        squares += (unsigned __int128)off * off;
    }
    uint64_t ending = count == 0 ? 0 : 2 * square_root((uint64_t)(squares / count));
    return inside_ctas ? ending * root_of_skipped(accounting) / ROOT_ONE : ending;
}

void tma_sample_account(const struct tma_sampler *sampler, uint64_t walk_bytes, bool inside_ctas,
                        struct tma_accounting *accounting, struct tma_memory_counters *counters) {
    struct tma_result *result = accounting->result;
    struct tma_sampled *sampled = &result->sampled;
    const struct tma_tally *tally = &sampler->tally;
    sampled->asked = true;
    if (sampler->skipped == 0) {
        sampled->whole = whole_reason(sampler);
        return;
    }
    accounting->skipped = (struct tma_skipped){
        .cycles = sampler->skipped_cycles,
        .latencies = tally->latencies,
        .ctas = inside_ctas ? 0 : sampler->skipped,
        .cta_cycles = inside_ctas ? 0 : tally->cta_cycles,
        .each_cycles = inside_ctas ? sampler->skipped_cycles : 0,
    };
    tma_tally_add(tally, result, counters);
    sampled->skipped_cycles = sampler->skipped_cycles;
    sampled->error_cycles = sampler->error_cycles;
    sampled->error_cycles += ending_cycles(accounting, inside_ctas);
    sampled->rereads = result->counters.tensor_bytes > walk_bytes;
}

bool tma_estimate_is_rough(uint64_t error_cycles, uint64_t cycles) {
    return error_cycles > cycles / (100 / MOST_ERROR_PERCENT);
}

bool tma_sample_is_rough(const struct tma_result *result, const struct tma_watch *watch,
                         struct tma_watch *whole, struct tma_sampled *sampled) {
    const struct tma_sampled *estimate = &result->sampled;
    if (!estimate->asked || estimate->skipped_cycles == 0 ||
        !tma_estimate_is_rough(estimate->error_cycles, result->cycles))
        return false;
    *sampled = (struct tma_sampled){.asked = true,
                                    .whole = TMA_WHOLE_ROUGH,
                                    .refused_error_cycles = estimate->error_cycles,
                                    .refused_cycles = result->cycles};
    *whole = *watch;
    whole->sampling = TMA_SAMPLING_NONE;
    if (watch->spans != NULL && watch->spans->restart != NULL)
        watch->spans->restart(watch->spans->context);
    return true;
}
