/* The gate of a GPC: its reads pass one after the other, before they reach L2. In this machine a
 * partition has one slice, which takes a read for less time than the gate, and all SMs are next to
 * partition 0. SMs 0 and 1 are in one GPC, SM 3 in another. */
#include "memory/gpc/gate.h"
#include "small_memory.h"
#include "suite.h"

enum { READ = 10, ROWS = 16 };

/* Cycles until the first read is at the gate, and from the slice to the end of the load. */
enum { ISSUE = 10, REQUEST = 30, LOOKUP = 15, GPC_PORT = 2, SM_PORT = 4, BACK = 20, COMPLETE = 5 };
enum { ARRIVAL = ISSUE + REQUEST, AFTER = READ + LOOKUP + GPC_PORT + BACK + SM_PORT + COMPLETE };

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

/* Two SMs load a row each in the same cycle: how many reads have passed the gate of the later one
 * when its own has. */
static const struct {
    const char *what;
    uint32_t sm, passed;
} seconds[] = {{"the gate of the same GPC", 1, 2}, {"the gate of another GPC", 3, 1}};

TEST_ROWS(reads_pass_one_after_the_other, TABLE_ROWS(seconds)) {
    struct tma_tensor_map row = line_map(1);
    int32_t first = row_at_home(&machine, &row, 0, 0);
    struct load loads[] = {{.map = &row, .y = first},
                           {.map = &row, .y = first + 1, .sm = seconds[_i].sm, .tag = 1}};
    struct tma_completion done[2];
    for (size_t i = 0; i < 2; i++)
        warm_load(memory, &loads[i]);
    run_loads(memory, loads, 2, done);
    ck_assert_uint_eq(done[0].cycle, ARRIVAL + TMA_GATE_CYCLES + AFTER);
    /* Those of another GPC reach the slice together. */
    uint64_t slice = seconds[_i].passed == 1 ? READ : 0;
    ck_assert_msg(done[1].cycle == ARRIVAL + seconds[_i].passed * TMA_GATE_CYCLES + slice + AFTER,
                  "%s: %lu", seconds[_i].what, (unsigned long)done[1].cycle);
}

TEST(rows_of_a_load_pass_one_after_the_other) {
    struct tma_tensor_map rows = line_map(ROWS);
    struct load load = {.map = &rows, .y = row_at_home(&machine, &rows, 0, 0)};
    warm_load(memory, &load);
    ck_assert_uint_eq(run_load(memory, &load).cycle, ARRIVAL + ROWS * TMA_GATE_CYCLES + AFTER);
}

TEST_SUITE("gates", .set_up = set_up_one_slice, .tear_down = tear_down);
