/* Replays slot_order.tsv: how often two slots that load the two lines of the same blocks from DRAM
 * change places. It depends on the order in which DRAM serves lines, and in which warps see their
 * phases. */
#include "../unit/engine.h"
#include "engine/slots/run.h"
#include "gpus.h"
#include "records/timing_record.h"

enum { SEEDS = 8, MAX_ITERATIONS = 1024, TOGETHER = 24 };

/* Rounds in which two slots issue together, and after how many of them the other one is ahead. */
struct changes {
    double rounds, lost;
};

static void take_issue(void *context, const struct tma_event *event) {
    int64_t *issues = context;
    if (event->kind == TMA_EVENT_ISSUE && event->figures[0] < MAX_ITERATIONS)
        issues[event->figures[0]] = (int64_t)event->cycle;
}

static void count_changes(const int64_t *issues, uint32_t iterations, uint32_t slots,
                          struct changes *changes) {
    for (uint32_t first = 0; first + slots + 1 < iterations; first++) {
        if (first % slots % 2 == 1)
            continue;
        int64_t gap = issues[first + 1] - issues[first];
        int64_t after = issues[first + slots + 1] - issues[first + slots];
        if (llabs(gap) > TOGETHER)
            continue;
        changes->rounds++;
        changes->lost += (after > 0) != (gap > 0);
    }
}

static struct changes simulate(struct tma_machine *machine, const struct tma_tsv *records,
                               size_t row) {
    static int64_t issues[MAX_ITERATIONS];
    struct tma_workload workload;
    struct tma_error error;
    struct tma_event_sink sink = {take_issue, issues};
    struct tma_result result;
    struct changes changes = {0, 0};
    ck_assert_int_eq(tma_timing_record_read(records, row, machine, &workload, &error), TMA_OK);
    ck_assert_uint_le(workload.iterations, MAX_ITERATIONS);
    for (uint32_t seed = 1; seed <= SEEDS; seed++) {
        machine->topology.seed = seed;
        ck_assert_int_eq(tma_run(machine, &workload, &sink, &result, &error), TMA_OK);
        count_changes(issues, workload.iterations, workload.depth, &changes);
    }
    return changes;
}

static struct changes record_of(const struct tma_tsv *records, size_t row) {
    return (struct changes){
        record_number(records, row, "first_ahead") + record_number(records, row, "second_ahead"),
        record_number(records, row, "first_lost") + record_number(records, row, "second_lost")};
}

/* The share of rounds after which the slots change places is within a factor of three, or 0.05. */
TEST(test_slots_change_places) {
    struct tma_machine machine;
    struct tma_tsv records;
    read_h200(&machine);
    read_records(FOLDER "slot_order.tsv", &records);
    ck_assert_uint_eq(records.rows, 21);
    for (size_t i = 0; i < records.rows; i++) {
        struct changes measured = record_of(&records, i);
        struct changes simulated = simulate(&machine, &records, i);
        double expected = measured.lost / measured.rounds;
        double share = simulated.lost / simulated.rounds;
        ck_assert_msg(share >= expected / 3 - 0.05 && share <= expected * 3 + 0.05,
                      "%s: %.3f of %.0f rounds, measured %.3f", tma_tsv_cell(&records, i, "name"),
                      share, simulated.rounds, expected);
    }
    tma_tsv_free(&records);
}

TEST_SUITE("order of slots of an H200", .timeout = 600, .prepare = load_engine);
