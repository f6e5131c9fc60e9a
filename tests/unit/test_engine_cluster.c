/* Kernels in clusters: when a slot is filled again, which CTA waits for which, and which clusters
 * are refused. Times are those of the small machine with all four SMs in one GPC. */
#include <string.h>

#include "engine.h"
#include "engine/slots/run.h"
#include "kernel.h"
#include "machine.h"
#include "suite.h"

enum {
    /* Load of one row whose line L2 has, in the partition of the SM. */
    HIT = 10 + 30 + 3 + 15 + 20 + 2 + 4 + 5,
    TURNAROUND = 7,
    RELEASE = 12,
    ARRIVE = 9,
    DISPATCH = 8,
    ROW = 4, /* each further row of a box, at the SM port */
    ROWS = 8,
    GPC_PORT = 2, /* a line at the GPC port */
    SMS = 4
};

static struct tma_machine machine;

static void set_up(void) {
    machine = flat_machine();
    machine.topology.gpc_count = 1;
    machine.topology.gpc_size[0] = SMS;
}

/* A warm multicast kernel that may use all SMs. */
static struct tma_workload make_cluster(uint32_t ctas, uint32_t cluster, uint16_t mask,
                                        const struct kernel *shape) {
    struct kernel kernel = *shape;
    kernel.ctas = ctas;
    kernel.sms = SMS;
    struct tma_workload workload = make_workload(&kernel);
    workload.cluster_ctas = cluster;
    workload.operations[0].operation.cta_mask = mask;
    return workload;
}

static struct tma_result run_workload(const struct tma_workload *workload) {
    struct tma_result result;
    struct tma_error error = {0};
    ck_assert_msg(tma_run(&machine, workload, NULL, &result, &error) == TMA_OK, "%s", error.text);
    return result;
}

enum { LATER = 1000, AGAIN = TURNAROUND + RELEASE + ARRIVE, WHOLE = HIT + (ROWS - 1) * ROW };

/* Kernels, and the cycles that they take. */
static const struct {
    const char *what;
    uint32_t ctas, cluster;
    uint16_t mask;
    uint32_t iterations, depth, rows;
    uint64_t cycles;
} times[] = {
    {"one load for two", 2, 2, 3, 1, 1, 1, HIT},
    {"a slot is filled again when all have arrived", 2, 2, 3, 3, 1, 1, 3 * HIT + 2 * AGAIN},
    {"however many they are", 4, 4, 15, 3, 1, 1, 3 * HIT + 2 * AGAIN},
    {"a CTA is at its own mbarrier at once", 2, 2, 1, 3, 1, 1, 3 * HIT + 2 * (AGAIN - ARRIVE)},
    {"the lowest rank of the mask loads", 4, 4, 12, 3, 1, 1, 3 * HIT + 2 * AGAIN},
    {"the others have nothing to wait for", 4, 4, 2, 3, 1, 1, 3 * HIT + 2 * (AGAIN - ARRIVE)},
    /* Both clusters share the GPC's port. */
    {"two clusters side by side", 4, 2, 3, 2, 1, 1, 2 * HIT + AGAIN + GPC_PORT},
    {"and two after them", 8, 2, 3, 2, 1, 1, 2 * (2 * HIT + AGAIN) + GPC_PORT},
    {"every slot is used once", 2, 2, 3, 2, 2, ROWS, WHOLE + (ROWS * ROW)},
    /* Slot 0 is done first. Its release waits for slot 1's load, which ends after the other CTA has
     * arrived. Slot 1's next tile follows slot 0's through the port. */
    {"a release waits for loads", 2, 2, 3, 4, 2, ROWS, 2 * (WHOLE + (ROWS * ROW)) + RELEASE},
    {"also where no tile follows", 2, 2, 3, 3, 2, ROWS, 2 * WHOLE + (ROWS * ROW) + RELEASE},
    /* Slot 1's load ends soon enough: the other CTA's arrival is later. */
    {"the last arrival counts", 2, 2, 3, 3, 2, 3, 2 * (HIT + 2 * ROW) + AGAIN},
};

TEST_ROWS(test_times, TABLE_ROWS(times)) {
    struct tma_workload workload = make_cluster(times[_i].ctas, times[_i].cluster, times[_i].mask,
                                                &(struct kernel){.iterations = times[_i].iterations,
                                                                 .depth = times[_i].depth,
                                                                 .rows = times[_i].rows});
    uint64_t cycles = run_workload(&workload).cycles;
    ck_assert_msg(cycles == times[_i].cycles, "%s: %llu, not %llu", times[_i].what,
                  (unsigned long long)cycles, (unsigned long long)times[_i].cycles);
}

/* The CTAs of a cluster start together. Those of the next cluster of the GPC start later. */
static const struct {
    uint32_t ctas, cluster;
    uint64_t starts; /* cycle at which the last cluster starts */
} launches[] = {{2, 2, 0}, {4, 2, LATER}, {4, 4, 0}, {8, 4, 2 * HIT + AGAIN}};

TEST_ROWS(test_launch, TABLE_ROWS(launches)) {
    const uint32_t cluster = launches[_i].cluster;
    struct tma_workload workload =
        make_cluster(launches[_i].ctas, cluster, (uint16_t)((1u << cluster) - 1),
                     &(struct kernel){.iterations = 2, .depth = 1, .rows = 1});
    machine.topology.launch_interval_cycles = LATER;
    ck_assert_uint_eq(run_workload(&workload).cycles, launches[_i].starts + 2 * HIT + AGAIN);
}

/* CTA 0 loads a tile for both CTAs. CTA 1 has a larger tile of its own beside it. So CTA 0 has its
 * copy long before CTA 1 is done, and has to wait for CTA 1 before it loads the next one. */
TEST(test_late_cta_holds_the_issuer_back) {
    struct tma_workload workload =
        make_cluster(2, 2, 3, &(struct kernel){.iterations = 2, .depth = 1, .rows = 1});
    workload.maps[1] = line_map(ROWS);
    workload.map_count = 2;
    workload.operations[1] = workload.operations[0];
    workload.operations[1].map = 1;
    workload.operations[1].operation.cta_mask = 2;
    workload.operations[1].walk.start[1] = 100;
    workload.operation_count = 2;
    workload.expect_bytes = (1 + ROWS) * TMA_LINE_BYTES;
    struct tma_result result = run_workload(&workload);
    const uint64_t late = WHOLE + ROW; /* the copy takes a turn at CTA 1's port */
    const uint64_t met = 1;            /* at the GPC's port: half a line of CTA 1's next tile */
    ck_assert_uint_eq(result.cta_cycles.min, late + AGAIN + met + HIT);
    ck_assert_uint_eq(result.counters.operations, 4);
}

/* A cluster of any size makes as many L2 requests as one CTA. */
TEST_RANGE(test_counters, 1, 3) {
    const uint32_t ctas = 1u << _i, tiles = 6;
    struct tma_workload workload =
        make_cluster(ctas, ctas, (uint16_t)((1u << ctas) - 1),
                     &(struct kernel){.iterations = 6, .depth = 2, .rows = ROWS});
    struct tma_result result = run_workload(&workload);
    const struct tma_counters *counters = &result.counters;
    const uint64_t lines = (uint64_t)tiles * ROWS, bytes = lines * TMA_LINE_BYTES;
    ck_assert_uint_eq(counters->operations, tiles);
    ck_assert_uint_eq(counters->rows, lines);
    ck_assert_uint_eq(counters->l2_requests, lines);
    ck_assert_uint_eq(counters->l2_sectors, 4 * lines);
    ck_assert_uint_eq(counters->sm_read_sectors, 4 * lines * ctas);
    ck_assert_uint_eq(counters->bytes, bytes * ctas);
    ck_assert_uint_eq(counters->tensor_bytes, bytes * ctas);
    ck_assert_uint_eq(counters->copied_bytes, bytes * (ctas - 1));
    ck_assert_uint_eq(result.latency_cycles.count, (uint64_t)tiles * ctas);
}

/* Slots wait for their cluster: those of the issuer for arrivals, those of the other CTA until the
 * issuer loads. */
TEST(test_causes) {
    struct tma_workload workload =
        make_cluster(2, 2, 3, &(struct kernel){.iterations = 4, .depth = 1, .rows = 1});
    struct tma_result result = run_workload(&workload);
    const uint64_t *causes = result.cause_cycles;
    ck_assert_uint_eq(causes[TMA_CAUSE_CLUSTER], 2 * 3 * (RELEASE + ARRIVE));
    ck_assert_uint_eq(causes[TMA_CAUSE_WAKE], 2 * 3 * TURNAROUND);
    ck_assert_uint_eq(result.slot_cycles, 2 * result.cycles);
}

/* The trace has an issue and its rows at the issuing SM, and an arrival and a phase at each SM. */
struct seen {
    uint32_t kinds[2][TMA_EVENT_KIND_COUNT]; /* by CTA */
    uint64_t cycle;
};

static void see(void *context, const struct tma_event *event) {
    struct seen *seen = context;
    ck_assert_uint_ge(event->cycle, seen->cycle);
    seen->cycle = event->cycle;
    seen->kinds[event->cta][event->kind]++;
}

TEST(test_trace) {
    struct tma_workload workload =
        make_cluster(2, 2, 3, &(struct kernel){.iterations = 9, .depth = 4, .rows = ROWS});
    struct seen seen = {0};
    struct tma_event_sink sink = {see, &seen};
    struct tma_result result;
    ck_assert_int_eq(tma_run(&machine, &workload, &sink, &result, NULL), TMA_OK);
    for (uint32_t cta = 0; cta < 2; cta++) {
        const uint32_t *kinds = seen.kinds[cta];
        ck_assert_uint_eq(kinds[TMA_EVENT_ISSUE], cta == 0 ? 9 : 0);
        ck_assert_uint_eq(kinds[TMA_EVENT_ROWS], cta == 0 ? 9 : 0);
        ck_assert_uint_eq(kinds[TMA_EVENT_ARRIVAL], 9);
        ck_assert_uint_eq(kinds[TMA_EVENT_MBARRIER], 9);
        ck_assert_uint_eq(kinds[TMA_EVENT_CTA_START], 1);
        ck_assert_uint_eq(kinds[TMA_EVENT_CTA_END], 1);
    }
}

static const struct {
    uint32_t ctas, cluster, sms;
    uint16_t mask;
    uint32_t depth;
    const char *text;
} refusals[] = {
    {6, 3, 4, 7, 1, "clusters of 3 CTAs in a grid of 6"},
    {64, 32, 4, 1, 1, "clusters of 32 CTAs"},
    {6, 4, 4, 15, 1, "clusters of 4 CTAs in a grid of 6"},
    {4, 4, 4, 16, 1, "cta_mask is 0x10; a cluster has ranks 0 to 3"},
    {4, 0, 4, 2, 1, "cta_mask is 0x2; a cluster has ranks 0 to 0"},
    {8, 8, 4, 1, 1, "a cluster of 8 CTAs does not fit"},
    {4, 4, 2, 15, 1, "a cluster of 4 CTAs does not fit on 2 SMs"},
    {2, 2, 4, 3, 65, "depth is 65; with multicast loads, allowed: 1 to 64"},
};

TEST_ROWS(test_refusals, TABLE_ROWS(refusals)) {
    struct tma_workload workload =
        make_cluster(refusals[_i].ctas, refusals[_i].cluster, refusals[_i].mask,
                     &(struct kernel){.iterations = 1, .depth = refusals[_i].depth, .rows = 1});
    struct tma_result result;
    struct tma_error error;
    workload.sm_count = refusals[_i].sms;
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &result, &error), TMA_ERROR_ARGUMENT);
    ck_assert_msg(strstr(error.text, refusals[_i].text) != NULL, "%s", error.text);
}

/* The error names every CTA that waits for more bytes than come. The next run is not affected. */
TEST(test_deadlock) {
    struct tma_workload workload =
        make_cluster(2, 2, 3, &(struct kernel){.iterations = 2, .depth = 1, .rows = 1});
    struct tma_result result;
    struct tma_error error;
    workload.expect_bytes += 16;
    ck_assert_int_eq(tma_run(&machine, &workload, NULL, &result, &error), TMA_ERROR_DEADLOCK);
    ck_assert_ptr_nonnull(strstr(error.text, "SM 0 CTA 0 slot 0 waits"));
    ck_assert_ptr_nonnull(strstr(error.text, "SM 1 CTA 1 slot 0 waits"));
    workload.expect_bytes -= 16;
    ck_assert_uint_eq(run_workload(&workload).cycles, 2 * HIT + AGAIN);
}

TEST_SUITE("clusters", .set_up = set_up, .prepare = load_engine);
