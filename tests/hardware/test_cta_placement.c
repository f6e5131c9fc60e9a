/* Where the CTAs of a grid run on an H200, without and with clusters, which SMs share a GPC, and
 * how far they are from L2: the machine file against the records that it was made from. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "gpus.h"
#include "memory/topology.h"

static struct tma_machine machine;
static struct tma_tsv records;

static void set_up(void) {
    read_h200(&machine);
}

static void tear_down(void) {
    tma_tsv_free(&records);
}

static size_t list_of(size_t row, const char *column, int64_t values[TMA_MAX_SMS]) {
    return tma_parse_list(tma_tsv_cell(&records, row, column), values, TMA_MAX_SMS);
}

static uint32_t number(size_t row, const char *column) {
    return record_number(&records, row, column);
}

static int compare_values(const void *a, const void *b) {
    const int64_t *first = a, *second = b;
    return (*first > *second) - (*first < *second);
}

/* Whether two lists have the same values, in any order. */
static bool same_set(const int64_t *a, const int64_t *b, size_t count) {
    int64_t sorted[2][TMA_MAX_SMS];
    memcpy(sorted[0], a, count * sizeof *a);
    memcpy(sorted[1], b, count * sizeof *b);
    qsort(sorted[0], count, sizeof *a, compare_values);
    qsort(sorted[1], count, sizeof *b, compare_values);
    return memcmp(sorted[0], sorted[1], count * sizeof *a) == 0;
}

static void widen(const uint32_t *from, size_t count, int64_t *to) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i];
}

/* The same SMs, of which the first ones in the lists of the GPCs have the first CTAs. */
TEST(test_grids) {
    read_records(FOLDER "cta_placement.tsv", &records);
    ck_assert_uint_eq(records.rows, 29);
    for (size_t row = 0; row < records.rows; row++) {
        uint32_t count = number(row, "grid"), sms[TMA_MAX_SMS];
        int64_t measured[TMA_MAX_SMS], placed[TMA_MAX_SMS];
        ck_assert_uint_eq(list_of(row, "sm_of_cta", measured), count);
        tma_machine_place(&machine, count, sms);
        widen(sms, count, placed);
        ck_assert_msg(same_set(placed, measured, count), "%u CTAs", count);
    }
}

/* SMs that form clusters share a GPC. The others are TPCs, alone but for SMs 120 and 121, whose
 * rates say that they share the ports of two GPCs. */
TEST(test_gpcs) {
    uint32_t gpcs[TMA_MAX_SMS], sms = 0;
    read_records(FOLDER "gpcs.tsv", &records);
    tma_machine_gpcs(&machine, gpcs);
    for (size_t row = 0; row < records.rows; row++) {
        int64_t list[TMA_MAX_SMS];
        size_t count = list_of(row, "sm", list);
        for (size_t i = 1; i < count; i++)
            ck_assert_msg(gpcs[list[i]] == gpcs[list[0]], "SMs %d and %d", (int)list[0],
                          (int)list[i]);
        bool lone = false;
        for (uint32_t i = 0; i < machine.topology.lone_tpc_count; i++)
            lone |= machine.topology.lone_tpcs[i] == list[0] / TMA_TPC_SMS;
        ck_assert_msg(lone == (count <= TMA_TPC_SMS), "SM %d", (int)list[0]);
        sms += (uint32_t)count;
    }
    ck_assert_uint_eq(sms, machine.sm_count);
}

/* Whether one of `count` clusters has these SMs. */
static bool has_cluster(const int64_t *clusters, uint32_t count, uint32_t ctas,
                        const int64_t *sms) {
    for (uint32_t i = 0; i < count; i++)
        if (same_set(&clusters[i * ctas], sms, ctas))
            return true;
    return false;
}

TEST_ROWS(test_clusters, 4) {
    static const struct { uint32_t ctas, at_once; } sizes[] = {{2, 66}, {4, 30}, {8, 15}, {16, 7}};
    uint32_t ctas = sizes[_i].ctas, rows = 0, most = 0;
    read_records(FOLDER "cluster_placement.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        uint32_t count = number(row, "clusters"), sms[TMA_MAX_SMS];
        int64_t measured[TMA_MAX_SMS], placed[TMA_MAX_SMS];
        if (number(row, "cluster") != ctas)
            continue;
        rows++;
        most = count > most ? count : most;
        ck_assert_uint_eq(number(row, "at_once"), sizes[_i].at_once);
        ck_assert_uint_eq(list_of(row, "sm_of_cta", measured), count * ctas);
        ck_assert_uint_eq(tma_machine_place_clusters(&machine, ctas, count, sms), count);
        widen(sms, count * ctas, placed);
        for (uint32_t i = 0; i < count; i++)
            ck_assert_msg(has_cluster(placed, count, ctas, &measured[i * ctas]),
                          "%u clusters of %u: that of SM %d", count, ctas, (int)measured[i * ctas]);
        if (count == sizes[_i].at_once)
            ck_assert_uint_eq(tma_machine_place_clusters(&machine, ctas, TMA_MAX_SMS, sms), count);
    }
    ck_assert_uint_gt(rows, 6);
    ck_assert_uint_eq(most, sizes[_i].at_once);
}

/* The mean of the SMs of a GPC. */
static double mean_of_gpc(const double *cycles, const uint32_t *gpcs, uint32_t gpc) {
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t sm = 0; sm < machine.sm_count; sm++)
        if (gpcs[sm] == gpc) {
            sum += cycles[sm];
            count++;
        }
    return sum / count;
}

/* How much longer than from the other SMs of its GPC loads from an SM take. (The distances of GPCs
 * are those of topology.slice_distances.) */
TEST(test_distances) {
    double cycles[TMA_MAX_SMS], model[TMA_MAX_SMS];
    uint32_t gpcs[TMA_MAX_SMS];
    read_records(FOLDER "sm_distances.tsv", &records);
    ck_assert_uint_eq(records.rows, machine.sm_count);
    tma_machine_gpcs(&machine, gpcs);
    for (uint32_t sm = 0; sm < machine.sm_count; sm++) {
        ck_assert_uint_eq(number(sm, "sm"), sm);
        cycles[sm] = strtod(tma_tsv_cell(&records, sm, "cycles"), NULL);
        model[sm] = tma_machine_sm_distance(&machine, sm);
    }
    for (uint32_t sm = 0; sm < machine.sm_count; sm++) {
        double measured = cycles[sm] - mean_of_gpc(cycles, gpcs, gpcs[sm]);
        double simulated = model[sm] - mean_of_gpc(model, gpcs, gpcs[sm]);
        ck_assert_msg(fabs(measured - simulated) < 2, "SM %u: %.1f, measured %.1f", sm, simulated,
                      measured);
    }
}

/* How much further the slices of a group are from a GPC than the nearest ones. */
static double slice_distance(uint32_t gpc, uint32_t group) {
    uint32_t number = gpc * tma_machine_slice_groups(&machine) + group;
    return machine.topology.slice_distances[number] * machine.crossbar.spread_cycles / 100.0;
}

/* How much further an SM is from L2 than the nearest one could be, in the mean of all slices. */
static double distance_of(uint32_t sm, const uint32_t *gpcs) {
    uint32_t groups = tma_machine_slice_groups(&machine);
    double sum = 0;
    for (uint32_t group = 0; group < groups; group++)
        sum += slice_distance(gpcs[sm], group);
    return tma_machine_sm_distance(&machine, sm) + sum / groups;
}

/* The H100's topology is what scripts/part-topology found: SMs that share a cluster of four or more
 * are in one GPC, a growing grid of CTAs with one warp occupies SMs as the records say, and each SM
 * is as much further from L2 than the nearest TPC as measured. */
TEST(test_part_of_an_h100) {
    uint32_t gpcs[TMA_MAX_SMS];
    double cycles[TMA_MAX_SMS], nearest = 1e9, model_nearest = 1e9;
    machine = shipped_machine("h100_sxm");
    tma_machine_gpcs(&machine, gpcs);
    read_records("tests/hardware/h100/clusters.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        int64_t sms[2 * TMA_MAX_SMS];
        size_t count =
            tma_parse_list(tma_tsv_cell(&records, row, "sm_of_cta"), sms, 2 * TMA_MAX_SMS);
        uint32_t size = number(row, "cluster");
        for (size_t i = 0; size >= 4 && i < count; i++)
            ck_assert_uint_eq(gpcs[sms[i]], gpcs[sms[i - i % size]]);
    }
    tma_tsv_free(&records);
    read_records("tests/hardware/h100/sm_distances.tsv", &records);
    for (uint32_t sm = 0; sm < machine.sm_count; sm++)
        cycles[sm] = strtod(tma_tsv_cell(&records, sm, "cycles"), NULL);
    for (uint32_t sm = 0; sm < machine.sm_count; sm += 2) {
        nearest = fmin(nearest, (cycles[sm] + cycles[sm + 1]) / 2);
        model_nearest = fmin(model_nearest, distance_of(sm, gpcs));
    }
    for (uint32_t sm = 0; sm < machine.sm_count; sm++) {
        double measured = cycles[sm] - nearest, model = distance_of(sm, gpcs) - model_nearest;
        ck_assert_msg(fabs(measured - model) < 2, "SM %u: %.1f, measured %.1f", sm, model,
                      measured);
    }
}

/* SMs of an H100 are near slices 0 to 23, or near 24 to 39. slice_distances.tsv is of another part
 * than the machine, whose GPCs are of the same two kinds. */
TEST(test_slices_of_an_h100) {
    enum { GROUPS = 5, NEAR_24 = 3 };
    double sum[2][GROUPS] = {{0}}, sms[2] = {0};
    machine = shipped_machine("h100_sxm");
    ck_assert_uint_eq(tma_machine_slice_groups(&machine), GROUPS);
    read_records("tests/hardware/h100/slice_distances.tsv", &records);
    ck_assert_uint_eq(records.rows, machine.sm_count * GROUPS);
    for (size_t row = 0; row < records.rows; row += GROUPS) {
        double cycles[GROUPS];
        for (size_t group = 0; group < GROUPS; group++)
            cycles[group] = strtod(tma_tsv_cell(&records, row + group, "cycles"), NULL);
        bool kind = cycles[NEAR_24] < cycles[0];
        sms[kind]++;
        for (size_t group = 0; group < GROUPS; group++)
            sum[kind][group] += cycles[group];
    }
    for (uint32_t gpc = 0; gpc < machine.topology.gpc_count; gpc++) {
        bool kind = slice_distance(gpc, NEAR_24) < slice_distance(gpc, 0);
        double nearest = fmin(sum[kind][0], sum[kind][NEAR_24]) / sms[kind];
        for (uint32_t group = 0; group < GROUPS; group++) {
            double measured = sum[kind][group] / sms[kind] - nearest;
            ck_assert_msg(fabs(measured - slice_distance(gpc, group)) < 2,
                          "GPC %u, group %u: %.1f, measured %.1f", gpc, group,
                          slice_distance(gpc, group), measured);
        }
    }
}

TEST_SUITE("placement of CTAs on an H200", .set_up = set_up, .tear_down = tear_down);
