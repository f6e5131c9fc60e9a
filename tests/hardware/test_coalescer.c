/* The coalescer against an H200: sequences of loads of a line that no partition has, one load at a
 * time, and the requests that L2 saw. An H200 counted 150 lines of each sequence. */
#include <math.h>

#include "../unit/coalesced_load.h"
#include "gpus.h"
#include "memory/gpc/gpcs.h"

/* The SMs that the letters stand for: a to d are in one GPC, p and q in another one next to the
 * same partition, x and y in one next to the other partition. */
static const struct {
    char letter;
    uint32_t sm;
} sms[] = {{'a', 2}, {'b', 18}, {'c', 34}, {'d', 50}, {'p', 14}, {'q', 30}, {'x', 4}, {'y', 20}};

static struct tma_machine machine;
static struct tma_tsv records;
static struct tma_core core;
static struct tma_gpcs gpcs;

static void set_up(void) {
    read_h200(&machine);
    read_records(FOLDER "coalescer.tsv", &records);
    ck_assert_int_eq(tma_core_create(&core, &machine, NULL), TMA_OK);
    ck_assert_int_eq(tma_gpcs_create(&gpcs, &core, NULL), TMA_OK);
}

static void tear_down(void) {
    tma_gpcs_free(&gpcs);
    tma_core_free(&core);
    tma_tsv_free(&records);
}

static uint32_t sm_of(char letter) {
    size_t i = 0;
    while (sms[i].letter != letter)
        ck_assert_uint_lt(++i, sizeof sms / sizeof *sms);
    return sms[i].sm;
}

/* Whether a load of a sector goes on to L2, and is not merged. */
static bool goes_to_l2(uint32_t sm, uint32_t sector, uint64_t line, uint64_t cycle) {
    uint32_t id = new_coalesced_load(&core, sm, line, 1u << sector, cycle);
    struct tma_handover next = tma_gpc_receive_load(&core, &gpcs, id, cycle);
    core.handover_count = 0;
    return next.destination == TMA_TO_SLICE;
}

static double requests_of(const char *loads, uint64_t line) {
    double requests = 0;
    for (uint64_t cycle = 1000; *loads != '\0'; loads += loads[2] == ' ' ? 3 : 2)
        requests += goes_to_l2(sm_of(loads[0]), (uint32_t)(loads[1] - '0'), line, cycle += 80);
    return requests;
}

/* In four sequences an H200 counted up to 0.43 of a request more or less: its GPCs have clocks of
 * their own, which the program that took the records knows to within some cycles. From L2 a line
 * is there before the last loads of some sequences are, so that these records say less. */
TEST(test_sequences) {
    double difference[2] = {0};
    uint32_t count[2] = {0};
    for (size_t row = 0; row < records.rows; row++) {
        const char *loads = tma_tsv_cell(&records, row, "loads");
        bool l2 = strcmp(tma_tsv_cell(&records, row, "from"), "l2") == 0;
        double lines = strtod(tma_tsv_cell(&records, row, "lines"), NULL);
        double measured = strtod(tma_tsv_cell(&records, row, "requests"), NULL) / lines;
        double error = fabs(requests_of(loads, 1000000 + row * 64) - measured);
        ck_assert_msg(l2 || error < 0.5, "%s: %.2f requests", loads, measured);
        difference[l2] += error;
        count[l2]++;
    }
    ck_assert_uint_eq(count[0], 32);
    ck_assert_uint_eq(count[1], 32);
    ck_assert_double_lt(difference[0] / count[0], 0.06);
    ck_assert_double_lt(difference[1] / count[1], 0.25);
}

TEST_SUITE("coalescer", .set_up = set_up, .tear_down = tear_down);
