/* What the engine does about a fault of the model: where operations are in flight and the memory
 * system can never give another completion, the run ends, and its message says what is in flight.
 */
#include <string.h>

#include "engine/memory_actor.h"
#include "small_memory.h"

static struct tma_simulation simulation;

static void set_up_engine(void) {
    set_up();
    simulation =
        (struct tma_simulation){.machine = &machine, .memory = memory, .actors = {.awake = 1}};
}

static const struct {
    enum tma_direction direction;
    uint64_t lost_cycle; /* the packets get lost before this cycle */
    const char *text;
} faults[] = {
    {TMA_LOAD, 40, "load of SM 2 issued at cycle 7: packets all made, 4 not answered"},
    {TMA_LOAD, 20, "load of SM 2 issued at cycle 7: packets all made, 4 not answered"},
    {TMA_LOAD, 1, "load of SM 2 issued at cycle 7: packets none made, 0 not answered"},
    {TMA_STORE, 22, "store of SM 2 issued at cycle 7: packets not all made, 2 not answered"},
    {TMA_PREFETCH, 1, "prefetch of SM 2 issued at cycle 7: packets none made, 0 not answered"},
};

TEST_ROWS(a_lost_packet_ends_the_run, TABLE_ROWS(faults)) {
    const struct tma_tensor_map map = line_map(4);
    issue_load(memory,
               &(struct load){.map = &map, .sm = 2, .cycle = 7, .direction = faults[_i].direction});
    ck_assert(tma_memory_advance(memory, faults[_i].lost_cycle));
    ck_assert(!tma_memory_is_stuck(memory));
    tma_memory_lose_events(memory);
    ck_assert(tma_memory_is_stuck(memory));
    tma_memory_actor_step(&simulation, 100);
    ck_assert_int_eq(simulation.code, TMA_ERROR_MODEL);
    ck_assert_msg(strstr(simulation.error.text,
                         "no event is left that could end what is in flight: 1 in flight; ") !=
                      NULL,
                  "%s", simulation.error.text);
    ck_assert_msg(strstr(simulation.error.text, faults[_i].text) != NULL, "%s",
                  simulation.error.text);
}

/* Of many operations the message names a few. */
TEST(the_message_names_a_few) {
    const struct tma_tensor_map map = line_map(4);
    for (uint32_t sm = 0; sm < 4; sm++)
        issue_load(memory, &(struct load){.map = &map, .sm = sm, .tag = sm});
    tma_memory_lose_events(memory);
    tma_memory_actor_step(&simulation, 0);
    ck_assert_int_eq(simulation.code, TMA_ERROR_MODEL);
    ck_assert(strstr(simulation.error.text, "4 in flight; load of SM 0 ") != NULL);
    ck_assert(strstr(simulation.error.text, "load of SM 2 ") != NULL);
    ck_assert(strstr(simulation.error.text, "load of SM 3 ") == NULL);
}

TEST_SUITE("model_fault", .set_up = set_up_engine, .tear_down = tear_down);
