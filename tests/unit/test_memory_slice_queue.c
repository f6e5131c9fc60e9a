/* Reads that wait for a slice: in its queue, in the order of arrival, and beyond it by CPC, which
 * have turns. In this machine a partition has one slice, all SMs are next to partition 0, and a
 * read takes the slice 10 cycles. SMs 0 and 1 are CPC 0, SM 2 is CPC 1 of the same GPC, SM 3 is in
 * another GPC. */
#include "memory/topology.h"
#include "small_memory.h"
#include "suite.h"

enum { READ = 10, ROWS = 16 };

/* Cycles until the first of SM 0's reads, a row each, reaches the slice, and from the end of a
 * lookup there to the end of the load. */
enum { ISSUE = 10, REQUEST = 30, LOOKUP = 15, GPC_PORT = 2, SM_PORT = 4, BACK = 20, COMPLETE = 5 };
enum { ARRIVAL = ISSUE + REQUEST, AFTER = LOOKUP + GPC_PORT + BACK + SM_PORT + COMPLETE };

static void set_up_one_slice(void) {
    machine = small_machine();
    machine.topology.gpc_size[0] = 3;
    machine.topology.gpc_size[1] = 1;
    machine.topology.gpc_partition[1] = 0;
    machine.tma.row_millicycles = 1000;
    machine.l2.slices = 2;
    machine.l2.request_millicycles = READ * 1000;
    create();
}

TEST(test_cpcs) {
    uint32_t cpcs[TMA_MAX_SMS];
    machine.sm_count = 16;
    machine.topology.gpc_size[0] = 9;
    machine.topology.gpc_size[1] = 7;
    for (uint32_t sm = 0; sm < machine.sm_count; sm++)
        machine.topology.sms[sm] = sm;
    tma_machine_cpcs(&machine, cpcs);
    /* The TPC of SMs 8 and 9 lies in both GPCs. */
    const uint32_t expected[] = {0, 0, 1, 1, 2, 2, 0, 0, 1, 3, 4, 4, 5, 5, 3, 3};
    for (uint32_t sm = 0; sm < machine.sm_count; sm++)
        ck_assert_msg(cpcs[sm] == expected[sm], "SM %u: CPC %u", sm, cpcs[sm]);
}

/* SM 0 loads 16 rows. Another SM loads one that arrives as the third read begins: how many are
 * served before it. */
static const struct {
    const char *what;
    uint32_t sm, queue, before;
} queues[] = {
    {"all in the slice's queue", 2, 1000, ROWS},
    {"another GPC, all in the slice's queue", 3, 1000, ROWS},
    {"in the queue of the same CPC", 1, 2, ROWS},
    /* three that the queue had room for, two that had turns before, and one whose turn is next */
    {"another CPC", 2, 2, 6},
    {"another GPC", 3, 2, 6},
};

TEST_ROWS(test_turns_of_cpcs, TABLE_ROWS(queues)) {
    struct tma_tensor_map rows = line_map(ROWS), row = line_map(1);
    machine.l2.queue_reads = queues[_i].queue;
    recreate();
    int32_t first = row_at_home(&machine, &rows, 0, 0);
    struct load loads[] = {
        {.map = &rows, .y = first},
        {.map = &row, .y = first + ROWS, .sm = queues[_i].sm, .cycle = 21, .tag = 1}};
    for (size_t i = 0; i < 2; i++)
        warm_load(memory, &loads[i]);
    struct tma_completion done[2];
    run_loads(memory, loads, 2, done);
    ck_assert_msg(done[1].cycle == ARRIVAL + (queues[_i].before + 1u) * READ + AFTER, "%s: %lu",
                  queues[_i].what, (unsigned long)done[1].cycle);
    ck_assert_uint_eq(done[0].cycle, ARRIVAL + (ROWS + (queues[_i].before < ROWS)) * READ + AFTER);
}

TEST_SUITE("slice queue", .set_up = set_up_one_slice, .tear_down = tear_down);
