/* The cost that the advice estimates for a map, compared with the cycles that an H200 took: one SM,
 * tiles in L2, and enough tiles in flight that the TMA's row rate is the limit. */
#include <string.h>

#include "../unit/suite.h"
#include "records/timing_record.h"
#include "tensormap/advice.h"

static const struct {
    const char *name;
    const char *advice; /* NULL: no advice */
} rows[] = {
    {"sm1_l2_16k_inner16B", "short_rows"}, {"sm1_l2_16k_inner32B", "short_rows"},
    {"sm1_l2_16k_inner64B", "short_rows"}, {"sm1_l2_swz0_16x128", "short_rows"},
    {"sm1_l2_swz3_16x128", "short_rows"},  {"sm1_l2_16k_inner128B", NULL},
};

static size_t row_named(const struct tma_tsv *records, const char *name) {
    for (size_t row = 0; row < records->rows; row++)
        if (strcmp(tma_tsv_cell(records, row, "name"), name) == 0)
            return row;
    ck_abort_msg("no row %s", name);
    return 0;
}

static const struct tma_advice *advice_named(const struct tma_advice *list, size_t count,
                                             const char *id) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(list[i].rule->id, id) == 0)
            return &list[i];
    return NULL;
}

TEST_ROWS(estimate_matches_measured_cycles, TABLE_ROWS(rows)) {
    struct tma_tsv records;
    struct tma_machine machine = {.sm_count = 132};
    struct tma_workload workload;
    struct tma_error error = {0};
    struct tma_advice list[TMA_MAX_ADVICE];
    ck_assert_int_eq(tma_tsv_read("tests/hardware/h200/timing.tsv", &records, &error), TMA_OK);
    size_t row = row_named(&records, rows[_i].name);
    ck_assert_msg(tma_timing_record_read(&records, row, &machine, &workload, &error) == TMA_OK,
                  "%s", error.text);
    size_t count = tma_tensor_map_advise(&workload.maps[0], TMA_SM_90, NULL, list, TMA_MAX_ADVICE);
    const struct tma_advice *advice = advice_named(list, count, "short_rows");
    ck_assert_int_eq(advice != NULL, rows[_i].advice != NULL);
    if (advice != NULL) {
        double measured =
            strtod(tma_tsv_cell(&records, row, "cycles_med"), NULL) / (double)workload.iterations;
        ck_assert_double_eq_tol(advice->cost / measured, 1, 0.02);
    }
    tma_tsv_free(&records);
}

TEST_SUITE("advice");
