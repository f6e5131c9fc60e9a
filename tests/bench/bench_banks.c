/* Speed of the bank model: warp instructions a second on one core, for several access patterns. */
#include <stdio.h>

#include "banks/consumer.h"
#include "bench.h"

enum { INSTRUCTIONS = 1 << 19, ROUNDS = 7, POOL = 64 };

struct pattern {
    const char *name;
    enum tma_shared_instruction instruction;
    uint32_t step_bytes; /* from one lane's address to the next; 0: random addresses */
};

static const struct pattern patterns[] = {
    {"ld.shared.b32_conflict_free", TMA_LD_SHARED_B32, 4},
    {"ld.shared.b32_2_way", TMA_LD_SHARED_B32, 8},
    {"ld.shared.b32_8_way", TMA_LD_SHARED_B32, 32},
    {"ld.shared.b32_32_way", TMA_LD_SHARED_B32, 128},
    {"ld.shared.b32_random", TMA_LD_SHARED_B32, 0},
    {"ld.shared.b64_conflict_free", TMA_LD_SHARED_B64, 8},
    {"ld.shared.b128_conflict_free", TMA_LD_SHARED_B128, 16},
    {"ld.shared.b128_8_way", TMA_LD_SHARED_B128, 128},
    {"ldmatrix.x4_conflict_free", TMA_LDMATRIX_X4, 144},
    {"ldmatrix.x4_8_way", TMA_LDMATRIX_X4, 128},
    {"red.shared.b32_conflict_free", TMA_RED_SHARED_B32, 4},
};

static void fill_pool(const struct pattern *pattern, struct tma_warp_access pool[POOL]) {
    uint32_t random = 1;
    uint32_t bytes = tma_shared_instruction_info(pattern->instruction)->lane_bytes;
    for (uint32_t i = 0; i < POOL; i++) {
        pool[i] = (struct tma_warp_access){pattern->instruction, UINT32_MAX, {0}};
        for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
            random = random * 1664525 + 1013904223;
            uint32_t place = pattern->step_bytes == 0 ? random >> 16 : lane * pattern->step_bytes;
            pool[i].address[lane] = (place + i * 128) & ~(bytes - 1);
        }
    }
}

/* Returns millions of instructions a second. Takes the best of several rounds, because other
 * programs may slow down some of them. */
static double measure(const struct pattern *pattern, uint64_t *wavefronts) {
    struct tma_warp_access pool[POOL];
    double best = 0;
    fill_pool(pattern, pool);
    for (uint32_t round = 0; round < ROUNDS; round++) {
        double start = cpu_seconds();
        for (uint32_t i = 0; i < INSTRUCTIONS; i++)
            *wavefronts += tma_bank_conflicts(&pool[i % POOL]).wavefronts;
        double rate = INSTRUCTIONS / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    return best;
}

/* Returns millions of instructions a second of whole passes over a tile. */
static double measure_consumer(const struct tma_consumer *consumer) {
    const struct tma_tile tile = {.swizzle = TMA_SWIZZLE_128B,
                                  .rows = 128,
                                  .row_bytes = 128,
                                  .pitch_bytes = 128,
                                  .element_bytes = 2};
    double best = 0;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        uint64_t instructions = 0;
        double start = cpu_seconds();
        while (instructions < INSTRUCTIONS / 4)
            instructions += tma_consumer_measure(consumer, &tile).instructions;
        double rate = (double)instructions / (cpu_seconds() - start) * 1e-6;
        best = rate > best ? rate : best;
    }
    return best;
}

int main(void) {
    uint64_t wavefronts = 0;
    double inverse = 0;
    size_t count = sizeof patterns / sizeof patterns[0];
    for (size_t i = 0; i < count; i++) {
        double rate = measure(&patterns[i], &wavefronts);
        inverse += 1 / rate;
        printf("banks %-30s %7.1f Minstructions/s\n", patterns[i].name, rate);
    }
    printf("banks %-30s %7.1f Minstructions/s\n", "mean_of_all", (double)count / inverse);
    const struct tma_consumer fragment = {.instruction = TMA_LDMATRIX_X4,
                                          .lanes = TMA_LANES_FRAGMENT_A};
    const struct tma_consumer column = {.instruction = TMA_LD_SHARED_B128,
                                        .lanes = TMA_LANES_COLUMN};
    printf("consumer %-27s %7.1f Minstructions/s\n", "ldmatrix.x4_fragment_a",
           measure_consumer(&fragment));
    printf("consumer %-27s %7.1f Minstructions/s\n", "ld.shared.b128_column",
           measure_consumer(&column));
    return wavefronts == 0;
}
