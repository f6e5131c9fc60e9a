/* Replays translation.tsv: one thread of an H100 loads `bytes` bytes at 400 random places of a
 * region, one after the other. Regions are part of one allocation, of which nothing was used but by
 * earlier records; L2 holds none of it. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gpus.h"
#include "memory/system.h"

enum {
    LOADS = 400,
    PLACE_BYTES = 16384,   /* loads begin at multiples */
    START_BYTES = 2 << 20, /* and regions */
    ALL_MIB = 75776,       /* of the program's one allocation */
    NEXT_CYCLES = 100,     /* from a completion to the next load */
};

static struct tma_machine machine;
static struct tma_tsv records;

/* The first byte of each place that was loaded so far, in the program's one allocation. */
static uint64_t used[LOADS * 64];
static uint32_t used_count;

/* The random numbers of the program. */
static uint64_t draw(uint64_t *state) {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    return *state ^= *state << 17;
}

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* A load of `bytes` bytes at `cycle`. Returns how long it takes. */
static uint64_t load(struct tma_memory *memory, uint64_t first, uint32_t bytes, uint64_t cycle) {
    struct tma_error error;
    const struct tma_tensor_map map = {
        .kind = TMA_MAP_TILED,
        .data_type = TMA_FLOAT16,
        .rank = 2,
        .global_address = FIRST_ADDRESS,
        .global_dim = {TMA_LINE_BYTES / 2, 1u << 31},
        .global_strides = {TMA_LINE_BYTES},
        .box_dim = {TMA_LINE_BYTES / 2, bytes / TMA_LINE_BYTES},
        .element_strides = {1, 1},
    };
    const struct tma_operation operation = {.direction = TMA_LOAD,
                                            .coordinates = {0, (int32_t)(first / TMA_LINE_BYTES)}};
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_completion done;
    ck_assert(tma_rows_begin(&rows, &map, &operation, &size, &error) == TMA_OK);
    ck_assert(tma_memory_issue(memory, &(struct tma_issue){.cycle = cycle,
                                                           .sm = 0,
                                                           .direction = TMA_LOAD,
                                                           .map = &map,
                                                           .rows = &rows,
                                                           .size = &size}));
    while (!tma_memory_take(memory, &done))
        ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + 1));
    return done.cycle - cycle;
}

/* The loads of a record, sorted by their cycles. First the TLBs get what earlier records left
 * there. */
static void replay(uint64_t region_bytes, uint32_t bytes, uint64_t *random, uint64_t cycles[]) {
    struct tma_memory *memory;
    struct tma_error error;
    uint64_t cycle = 1000, all = (uint64_t)ALL_MIB << 20;
    uint64_t start = 0;
    if (region_bytes < all)
        start = draw(random) % (all - region_bytes + 1) / START_BYTES * START_BYTES;
    ck_assert(tma_memory_create(&memory, &machine, &error) == TMA_OK);
    tma_memory_follow_load(memory);
    for (uint32_t i = 0; i < used_count; i++)
        cycle += load(memory, used[i] + PLACE_BYTES / 2, TMA_LINE_BYTES, cycle) + NEXT_CYCLES;
    for (int i = 0; i < LOADS; i++) {
        uint64_t place = start + draw(random) % (region_bytes / PLACE_BYTES) * PLACE_BYTES;
        cycles[i] = load(memory, place, bytes, cycle);
        cycle += cycles[i] + NEXT_CYCLES;
        used[used_count++] = place;
    }
    ck_assert(tma_memory_drain(memory));
    tma_memory_free(memory);
    qsort(cycles, LOADS, sizeof *cycles, compare);
}

TEST(test_translation) {
    uint64_t cycles[LOADS], random = UINT64_C(88172645463325252);
    double sum = 0;
    uint32_t count = 0;
    for (size_t row = 0; row < records.rows; row++) {
        replay((uint64_t)record_number(&records, row, "region_mib") << 20,
               record_number(&records, row, "bytes"), &random, cycles);
        static const char *const columns[] = {"median", "p90"};
        const uint64_t replayed[] = {cycles[LOADS / 2], cycles[LOADS * 9 / 10]};
        for (int i = 0; i < 2; i++) {
            double measured = record_number(&records, row, columns[i]);
            double error = 100 * ((double)replayed[i] / measured - 1);
            if (getenv("VERBOSE") != NULL)
                printf("%u MiB, %u bytes, %s: %u, measured %.0f: %+.1f %%\n",
                       record_number(&records, row, "region_mib"),
                       record_number(&records, row, "bytes"), columns[i], (uint32_t)replayed[i],
                       measured, error);
            sum += fabs(error);
            count++;
        }
    }
    printf("translation: %u figures, mean error %.1f %%\n", count, sum / count);
    ck_assert_msg(sum / count <= 10, "%.1f %%", sum / count);
}

static void read_files(void) {
    struct tma_diagnostics list = {0};
    ck_assert(tma_machine_read("configs/gpus/h100_sxm.yaml", &machine, &list));
    tma_diagnostics_free(&list);
    ck_assert(tma_tsv_read("tests/hardware/h100/translation.tsv", &records, NULL) == TMA_OK);
    machine.tlb.start = TMA_TRANSLATION_cold;
}

static void free_files(void) {
    tma_tsv_free(&records);
}

TEST_SUITE("translation on an H100", .set_up_once = read_files, .tear_down_once = free_files,
           .timeout = NO_TIMEOUT);
