/* How much longer a load takes of a line that only the other partition of L2 has, on a GPU and in
 * the model: partition_distances.tsv. */
#include <math.h>

#include "gpus.h"
#include "memory/core/core.h"

/* Cycles by which a group of slices may differ from the record. */
enum { TOLERANCE = 2 };

TEST_ROWS(test_groups_of_slices, GPUS) {
    struct tma_machine machine;
    struct tma_core core;
    struct tma_tsv records;
    read_gpu(_i, &machine);
    read_gpu_records(_i, "partition_distances.tsv", &records);
    ck_assert_int_eq(tma_core_create(&core, &machine, NULL), TMA_OK);
    ck_assert_uint_eq(records.rows, (size_t)2 * tma_machine_slice_groups(&machine));
    for (size_t i = 0; i < records.rows; i++) {
        struct tma_line_server server = {
            .slice = (uint16_t)record_number(&records, i, "slice"),
            .home = (uint16_t)record_number(&records, i, "home"),
        };
        double measured = strtod(tma_tsv_cell(&records, i, "cycles"), NULL);
        double simulated = 2.0 * tma_crossing_cycles(&core, server) + machine.l2.lookup_cycles;
        ck_assert_msg(fabs(measured - simulated) < TOLERANCE, "row %zu: %.1f, measured %.1f", i,
                      simulated, measured);
    }
    tma_core_free(&core);
    tma_tsv_free(&records);
}

TEST_SUITE("distances between the partitions of L2");
