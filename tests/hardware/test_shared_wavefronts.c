/* Replays the rows of shared_wavefronts.tsv in which warps access shared memory as often as they
 * can, four wavefronts at a time, beside a warp group that multiplies: how many cycles a wavefront
 * keeps its place at the port, which a profiler counts as wavefronts. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../unit/traffic.h"
#include "gpus.h"

enum { WINDOW = 60000, PRODUCTS = 16, WAVEFRONTS = 4, ROWS_OF_A = 64, BYTES = 32 };

static struct tma_machine machine;
static struct tma_tsv records;

static void set_up(void) {
    read_gpu(H100, &machine);
    read_gpu_records(H100, "shared_wavefronts.tsv", &records);
}

static void tear_down(void) {
    tma_tsv_free(&records);
}

/* Cycles at the port for each wavefront. Products of `n` columns follow each other, and their warp
 * group waits once in 16 of them, so long that `products` of them end in the window. */
static double cycles_of_a_wavefront(uint32_t n, uint32_t products) {
    struct tma_memory *memory;
    uint64_t wavefronts = 0, free_cycle = 0, next = 0, product_cycles = n / 2,
             round = (uint64_t)WINDOW * PRODUCTS / products;
    ck_assert_int_eq(tma_memory_create(&memory, &machine, NULL), TMA_OK);
    for (uint64_t cycle = 0; cycle < WINDOW; cycle++) {
        for (uint32_t i = 0; cycle == next && i < PRODUCTS; i++)
            tma_memory_read_operands(memory, 0, cycle, (ROWS_OF_A + n) * BYTES / 128,
                                     cycle + product_cycles * (i + 1));
        next = cycle == next ? cycle + round : next;
        if (free_cycle > cycle)
            continue;
        free_cycle = tma_memory_access_shared(memory, 0, cycle, WAVEFRONTS);
        wavefronts += WAVEFRONTS;
    }
    uint64_t waits = tma_memory_waited_cycles(memory, 0);
    tma_memory_free(memory);
    return 1 + (double)waits / (double)wavefronts;
}

TEST(test_wavefronts_beside_products) {
    size_t rows = 0;
    for (size_t row = 0; row < records.rows; row++) {
        uint32_t n, instructions = record_number(&records, row, "instructions");
        const char *name = tma_tsv_cell(&records, row, "instruction");
        if (sscanf(tma_tsv_cell(&records, row, "operation"), "wgmma.m64n%uk16", &n) != 1 ||
            record_number(&records, row, "gap") != 0 ||
            (strstr(name, "b128") == NULL && strstr(name, "x4") == NULL))
            continue;
        double measured =
                   (double)record_number(&records, row, "wavefronts") / instructions / WAVEFRONTS,
               predicted = cycles_of_a_wavefront(n, record_number(&records, row, "operations"));
        printf("%s beside m64n%uk16: %.2f cycles a wavefront, measured %.2f\n", name, n, predicted,
               measured);
        ck_assert_msg(fabs(predicted / measured - 1) <= 0.12, "%s, n %u: %.2f, measured %.2f", name,
                      n, predicted, measured);
        rows++;
    }
    ck_assert_uint_eq(rows, 12);
}

TEST_SUITE("shared memory beside products", .set_up = set_up, .tear_down = tear_down);
