/* The engine against a reference: the same kernel as a plain loop over all cycles, without SimGrid
 * and without looking ahead. Every operation and every CTA has to take the same time in both. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "engine/slots/run.h"
#include "kernel.h"
#include "machine.h"
#include "memory/core/port.h"
#include "memory/topology.h"
#include "suite.h"

enum { MAX_CTAS = 64, MAX_OPERATIONS = 128, MAX_DEPTH = 8, SMS = 4 };

/* Cycles from issue to completion of each operation, and from start to end of each CTA. */
struct times {
    uint64_t operations[MAX_CTAS][MAX_OPERATIONS];
    uint64_t ctas[MAX_CTAS];
};

struct reference_slot {
    uint64_t wake;      /* cycle at which it goes on; UINT64_MAX while it waits for its mbarrier */
    uint32_t iteration; /* iteration of the CTA whose stage it holds */
    uint32_t pending;   /* operations of the stage that have not completed */
    uint32_t consumers; /* consumers of the stage that have begun */
    bool issues;        /* it is to issue its stage, from `begin` on */
    uint64_t begin;     /* cycle of its first issue in the CTA */
    bool wrote;         /* the operation that completed last was a store or reduction */
    uint64_t completed; /* cycle of the stage's last completion so far */
    uint64_t visible;   /* cycle at which its warp sees that, or UINT64_MAX */
};

struct reference_sm {
    uint32_t number, cta, slots_left;
    uint64_t launch; /* cycle at which its CTA starts; UINT64_MAX once it has */
    uint64_t start, end;
    uint64_t woken; /* cycle at which a warp went on last after a load */
    struct tma_port shared;
    struct reference_slot slots[MAX_DEPTH];
};

struct reference {
    const struct tma_machine *machine;
    const struct tma_workload *workload;
    struct tma_memory *memory;
    struct tma_consumer_report reports[MAX_DEPTH][TMA_MAX_CONSUMERS];
    struct reference_sm sms[SMS];
    uint32_t sm_count, next_cta, running;
    uint64_t now;
    struct times *times;
};

static struct tma_row_stream stream_of(const struct reference *reference, uint32_t operation,
                                       uint32_t cta, uint32_t slot, uint32_t iteration,
                                       struct tma_operation_size *size) {
    const struct tma_workload *workload = reference->workload;
    const struct tma_stage_operation *stage = &workload->operations[operation];
    struct tma_operation at = stage->operation;
    struct tma_row_stream rows;
    tma_walk_coordinates(stage, workload, cta, iteration, at.coordinates);
    at.shared_address += slot * workload->stage_bytes;
    struct tma_tensor_map map = tma_walk_map(stage, workload, cta, iteration);
    ck_assert_int_eq(tma_rows_begin(&rows, &map, &at, size, NULL), TMA_OK);
    return rows;
}

/* Puts tensor maps where the launch and the kernel before leave them. The workload has one array of
 * maps, or single maps. */
static void leave_descriptors(struct reference *reference) {
    const struct tma_workload *workload = reference->workload;
    bool global = workload->arrays[0].global, cold = workload->cold;
    uint32_t maps = workload->map_count - 1 + tma_array_maps(&workload->arrays[0]);
    bool fits = maps <= reference->machine->tma.gpc_descriptors;
    tma_memory_place_descriptors(
        reference->memory,
        tma_descriptor_address(workload->maps, workload->map_count,
                               tma_workload_descriptor(workload, workload->map_count, 0) - 1));
    for (uint32_t number = 1; number <= maps; number++)
        if (!global && fits)
            tma_memory_leave_descriptor_in_gpcs(reference->memory, number);
        else if (!global || !cold)
            tma_memory_leave_descriptor_in_l2(reference->memory, number);
}

/* Puts lines into L2 as a launch of the kernel leaves them. */
static void warm_once(struct reference *reference) {
    const struct tma_workload *workload = reference->workload;
    for (uint32_t o = 0; o < workload->operation_count; o++)
        for (uint32_t i = 0; i < workload->iterations; i++)
            for (uint32_t cta = 0; cta < workload->cta_count; cta++) {
                struct tma_row_stream rows = stream_of(reference, o, cta, 0, i, NULL);
                tma_memory_warm(reference->memory, reference->sms[cta % reference->sm_count].number,
                                workload->operations[o].operation.direction,
                                workload->maps[workload->operations[o].map].l2_promotion, &rows,
                                false);
            }
}

/* Three launches of the kernel, if L2 does not hold all of it. */
static void warm_up(struct reference *reference) {
    warm_once(reference);
    for (int launch = 1; launch < 3 && tma_memory_is_full(reference->memory); launch++)
        warm_once(reference);
}

/* The tag of an operation: SM, slot and number of the operation in the CTA. */
static uint64_t make_tag(uint32_t sm, uint32_t slot, uint32_t number) {
    return (uint64_t)sm << 40 | (uint64_t)slot << 32 | number;
}

static void issue_stage(struct reference *reference, uint32_t sm, uint32_t slot) {
    struct reference_slot *issuer = &reference->sms[sm].slots[slot];
    uint32_t count = reference->workload->operation_count;
    issuer->issues = false;
    issuer->pending = count;
    const struct tma_workload *workload = reference->workload;
    for (uint32_t i = 0; i < count; i++) {
        struct tma_operation_size size;
        struct tma_row_stream rows =
            stream_of(reference, i, reference->sms[sm].cta, slot, issuer->iteration, &size);
        const struct tma_stage_operation *stage = &workload->operations[i];
        uint32_t index =
            tma_walk_map_index(stage, workload, reference->sms[sm].cta, issuer->iteration);
        struct tma_issue issue = {.cycle = reference->now,
                                  .tag = make_tag(sm, slot, issuer->iteration * count + i),
                                  .sm = reference->sms[sm].number,
                                  .direction = stage->operation.direction,
                                  .warp = slot,
                                  .map = &workload->maps[stage->map],
                                  .descriptor =
                                      tma_workload_descriptor(workload, stage->map, index),
                                  .rows = &rows,
                                  .size = &size};
        ck_assert(tma_memory_issue(reference->memory, &issue));
    }
}

/* Assigns the next CTA, if there is one, to the SM. It starts at `launch`. */
static void take_cta(struct reference *reference, struct reference_sm *sm, uint64_t launch) {
    sm->launch = UINT64_MAX;
    if (reference->next_cta == reference->workload->cta_count) {
        reference->running--;
        return;
    }
    sm->cta = reference->next_cta++;
    sm->launch = launch;
}

static void start_cta(struct reference *reference, struct reference_sm *sm) {
    const struct tma_workload *workload = reference->workload;
    if (sm->launch != reference->now)
        return;
    sm->launch = UINT64_MAX;
    sm->start = sm->end = reference->now;
    bool writes = tma_writes_tensor(workload->operations[0].operation.direction);
    uint64_t begin = reference->now + (writes ? reference->machine->tma.store_first_pass_cycles
                                              : reference->machine->tma.first_pass_cycles);
    uint64_t apart = writes ? 0 : reference->machine->tma.wake_interval_cycles;
    for (uint32_t s = 0; s < workload->depth && s < workload->iterations; s++, sm->slots_left++)
        sm->slots[s] = (struct reference_slot){.wake = UINT64_MAX,
                                               .iteration = s,
                                               .issues = true,
                                               .begin = begin + s * apart,
                                               .visible = UINT64_MAX};
}

/* A slot goes on with the next consumer of its stage, with its next stage, or it ends. */
static void go_on(struct reference *reference, struct reference_sm *sm, uint32_t index) {
    const struct tma_workload *workload = reference->workload;
    struct reference_slot *slot = &sm->slots[index];
    while (slot->wake == reference->now && slot->consumers < workload->consumer_count) {
        uint32_t consumer = slot->consumers++;
        uint64_t wavefronts = reference->reports[index][consumer].wavefronts *
                              workload->consumers[consumer].repeat *
                              reference->machine->shared.wavefront_cycles;
        slot->wake = tma_port_serve(&sm->shared, reference->now, wavefronts * TMA_TICKS);
        sm->end = slot->wake > sm->end ? slot->wake : sm->end;
    }
    if (slot->wake != reference->now)
        return;
    slot->wake = UINT64_MAX;
    slot->consumers = 0;
    slot->iteration += workload->depth;
    slot->issues = slot->iteration < workload->iterations;
    sm->slots_left -= !slot->issues;
}

/* The number of other slots whose warps belong to the scheduler of slot `index`. */
static uint64_t others_of(const struct reference *reference, uint32_t index) {
    uint64_t others = 0;
    for (uint32_t s = 0; s < reference->workload->depth; s++)
        others += s != index && s % TMA_SCHEDULERS == index % TMA_SCHEDULERS;
    return others;
}

/* The cycle at which a slot's warp goes on, when it sees now that its stage is there. Warps of an
 * SM go on at least wake_interval_cycles after each other. */
static uint64_t wake_of(const struct reference *reference, struct reference_sm *sm,
                        uint32_t index) {
    const struct tma_machine *machine = reference->machine;
    uint64_t apart = machine->tma.wake_interval_cycles;
    if (sm->slots[index].wrote)
        return reference->now + machine->tma.store_turnaround_cycles;
    uint64_t wake = reference->now + machine->tma.turnaround_cycles +
                    others_of(reference, index) * machine->tma.poll_millicycles / 1000;
    if (wake + apart >= sm->woken && wake < sm->woken + apart)
        wake = sm->woken + apart;
    sm->woken = wake > sm->woken ? wake : sm->woken;
    return wake;
}

/* The slot whose warp is the next to see in this cycle that its stage is there: that whose stage
 * was there first. `depth`: none does. */
static uint32_t next_to_see(const struct reference *reference, const struct reference_sm *sm) {
    uint32_t depth = reference->workload->depth, next = depth;
    for (uint32_t s = 0; s < depth; s++)
        if (sm->slots[s].visible == reference->now &&
            (next == depth || sm->slots[s].completed < sm->slots[next].completed))
            next = s;
    return next;
}

/* Finds the slots whose warps see in this cycle that their stages are there. Those that have more
 * to do go on after the warp's turnaround. */
static void see_stages(struct reference *reference, struct reference_sm *sm) {
    const struct tma_workload *workload = reference->workload;
    for (;;) {
        uint32_t s = next_to_see(reference, sm);
        if (s == workload->depth)
            return;
        struct reference_slot *slot = &sm->slots[s];
        bool more = slot->iteration + workload->depth < workload->iterations;
        slot->visible = UINT64_MAX;
        slot->wake = reference->now;
        if (more || workload->consumer_count > 0)
            slot->wake = wake_of(reference, sm, s);
    }
}

/* Takes the completions that are known. The slot's warp sees its stage when it looks next. */
static void take_completions(struct reference *reference) {
    const struct tma_workload *workload = reference->workload;
    uint32_t interval = reference->machine->tma.wake_interval_cycles;
    struct tma_completion done;
    while (tma_memory_take(reference->memory, &done)) {
        struct reference_sm *sm = &reference->sms[done.tag >> 40];
        struct reference_slot *slot = &sm->slots[done.tag >> 32 & 0xff];
        reference->times->operations[sm->cta][(uint32_t)done.tag] = done.cycle - done.issue_cycle;
        uint32_t index = (uint32_t)done.tag % workload->operation_count;
        enum tma_direction direction = workload->operations[index].operation.direction;
        if (done.cycle >= slot->completed) {
            slot->completed = done.cycle;
            slot->wrote = tma_writes_tensor(direction);
        }
        sm->end = done.cycle > sm->end ? done.cycle : sm->end;
        if (--slot->pending > 0)
            continue;
        slot->visible = slot->completed;
        while (interval > 0 && slot->visible % interval != 0)
            slot->visible++;
    }
}

/* Lets slots go on. The slot that has the shared memory is first: a tile that arrives just now does
 * not hold up its next consumer. When all slots of a CTA are through, the SM takes its next CTA. */
static void go_on_with_cta(struct reference *reference, struct reference_sm *sm) {
    if (sm->slots_left == 0)
        return;
    for (uint32_t s = 0; s < reference->workload->depth; s++)
        if (sm->slots[s].wake == reference->now && sm->slots[s].consumers > 0)
            go_on(reference, sm, s);
    for (uint32_t s = 0; s < reference->workload->depth; s++)
        if (sm->slots[s].wake == reference->now)
            go_on(reference, sm, s);
    if (sm->slots_left > 0)
        return;
    reference->times->ctas[sm->cta] = sm->end - sm->start;
    take_cta(reference, sm, reference->now);
}

/* Simulates one cycle: slots go on, CTAs end and start, stages are issued, and time passes in the
 * memory system. SMs are in order of their numbers, and slots in order of theirs. */
static void do_cycle(struct reference *reference) {
    uint32_t depth = reference->workload->depth;
    take_completions(reference);
    for (uint32_t i = 0; i < reference->sm_count; i++) {
        see_stages(reference, &reference->sms[i]);
        go_on_with_cta(reference, &reference->sms[i]);
        start_cta(reference, &reference->sms[i]);
    }
    for (uint32_t i = 0; i < reference->sm_count; i++)
        for (uint32_t s = 0; s < depth; s++)
            if (reference->sms[i].slots[s].issues &&
                reference->sms[i].slots[s].begin <= reference->now)
                issue_stage(reference, i, s);
    ck_assert(tma_memory_advance(reference->memory, ++reference->now));
}

static void measure_consumers(struct reference *reference) {
    const struct tma_workload *workload = reference->workload;
    for (uint32_t s = 0; s < workload->depth; s++)
        for (uint32_t c = 0; c < workload->consumer_count; c++) {
            struct tma_tile tile;
            ck_assert_int_eq(
                tma_workload_tile(workload, s, workload->consumers[c].operation, &tile, NULL),
                TMA_OK);
            reference->reports[s][c] = tma_consumer_measure(&workload->consumers[c], &tile);
        }
}

static void run_reference(const struct tma_machine *machine, const struct tma_workload *workload,
                          struct times *times) {
    struct reference reference = {.machine = machine, .workload = workload, .times = times};
    uint32_t numbers[SMS];
    uint64_t launches[SMS];
    reference.sm_count =
        workload->cta_count < workload->sm_count ? workload->cta_count : workload->sm_count;
    reference.running = reference.sm_count;
    ck_assert_int_eq(tma_memory_create(&reference.memory, machine, NULL), TMA_OK);
    tma_machine_place(machine, reference.sm_count, numbers);
    tma_machine_launch(machine, numbers, reference.sm_count, 1, workload->depth, launches);
    for (uint32_t i = 0; i < reference.sm_count; i++) {
        reference.sms[i].number = numbers[i];
        for (uint32_t s = 0; s < MAX_DEPTH; s++)
            reference.sms[i].slots[s].wake = reference.sms[i].slots[s].visible = UINT64_MAX;
    }
    measure_consumers(&reference);
    if (!workload->cold)
        warm_up(&reference);
    leave_descriptors(&reference);
    for (uint32_t i = 0; i < reference.sm_count; i++)
        take_cta(&reference, &reference.sms[i], launches[i]);
    while (reference.running > 0)
        do_cycle(&reference);
    tma_memory_free(reference.memory);
}

static void take_time(void *context, const struct tma_event *event) {
    struct times *times = context;
    if (event->kind == TMA_EVENT_ARRIVAL)
        times->operations[event->cta][event->figures[0]] = event->figures[2];
    if (event->kind == TMA_EVENT_CTA_END)
        times->ctas[event->cta] = event->figures[0];
}

static void expect_same(const char *name, const struct tma_machine *machine,
                        const struct tma_workload *workload) {
    static struct times engine, reference;
    struct tma_result result;
    struct tma_event_sink sink = {take_time, &engine};
    memset(&engine, 0, sizeof engine);
    memset(&reference, 0, sizeof reference);
    ck_assert_uint_le(workload->cta_count, MAX_CTAS);
    ck_assert_uint_le(workload->iterations * workload->operation_count, MAX_OPERATIONS);
    ck_assert_int_eq(tma_run(machine, workload, &sink, &result, NULL), TMA_OK);
    run_reference(machine, workload, &reference);
    for (uint32_t cta = 0; cta < workload->cta_count; cta++) {
        for (uint32_t i = 0; i < workload->iterations * workload->operation_count; i++)
            ck_assert_msg(engine.operations[cta][i] == reference.operations[cta][i],
                          "%s: CTA %u, operation %u: engine %llu, reference %llu", name, cta, i,
                          (unsigned long long)engine.operations[cta][i],
                          (unsigned long long)reference.operations[cta][i]);
        ck_assert_msg(engine.ctas[cta] == reference.ctas[cta],
                      "%s: CTA %u: engine %llu, reference %llu", name, cta,
                      (unsigned long long)engine.ctas[cta],
                      (unsigned long long)reference.ctas[cta]);
    }
}

/* name, CTAs, SMs, iterations, depth, rows of a box, cold, order */
static const struct kernel kernels[] = {
    {"one load", 1, 1, 1, 1, 1, true, TMA_WALK_GRID_STRIDED},
    {"one after the other", 1, 1, 64, 1, 16, false, TMA_WALK_GRID_STRIDED},
    {"deep, warm", 1, 1, 64, 8, 8, false, TMA_WALK_GRID_STRIDED},
    {"deep, cold", 1, 1, 64, 8, 8, true, TMA_WALK_GRID_STRIDED},
    {"small boxes", 1, 1, 128, 8, 1, true, TMA_WALK_GRID_STRIDED},
    {"two SMs of different GPCs", 2, 2, 64, 4, 8, true, TMA_WALK_GRID_STRIDED},
    {"all SMs, warm", 4, 4, 32, 2, 4, false, TMA_WALK_GRID_STRIDED},
    {"all SMs, cold", 4, 4, 64, 4, 16, true, TMA_WALK_GRID_STRIDED},
    {"all SMs, shallow", 4, 4, 64, 1, 16, true, TMA_WALK_GRID_STRIDED},
    {"all SMs, deep, small boxes", 4, 4, 128, 8, 1, true, TMA_WALK_GRID_STRIDED},
    {"all SMs, more than L2 holds, warm", 4, 4, 128, 4, 16, false, TMA_WALK_GRID_STRIDED},
    {"all SMs, the same tiles, more than L2 holds", 4, 4, 128, 4, 16, false, TMA_WALK_SAME},
    {"its own tile again and again", 4, 4, 128, 4, 16, false, TMA_WALK_FIXED},
    {"blocked", 4, 4, 64, 3, 16, true, TMA_WALK_BLOCKED},
    {"the same tiles", 4, 4, 64, 4, 16, true, TMA_WALK_SAME},
    {"the same tiles, one row", 4, 4, 64, 4, 1, false, TMA_WALK_SAME},
    {"its own tile", 4, 4, 64, 4, 16, false, TMA_WALK_FIXED},
    {"more CTAs than SMs", 23, 4, 5, 2, 8, true, TMA_WALK_GRID_STRIDED},
    {"more CTAs than SMs, one load each", 64, 4, 1, 1, 2, true, TMA_WALK_GRID_STRIDED},
    {"more CTAs than SMs, warm", 23, 3, 5, 4, 1, false, TMA_WALK_FIXED},
    {"more slots than iterations", 7, 4, 3, 8, 8, true, TMA_WALK_GRID_STRIDED},
};
enum { KERNELS = sizeof kernels / sizeof *kernels };

static void change_nothing(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    (void)workload;
}

static void add_consumers(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    for (uint32_t i = 0; i < 2; i++)
        workload->consumers[i] = (struct tma_consumer){
            .instruction = TMA_LD_SHARED_B32, .lanes = TMA_LANES_ROW, .repeat = 1 + 2 * i};
    workload->consumer_count = 2;
}

static void add_operation(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    if (workload->iterations == MAX_OPERATIONS)
        workload->iterations /= 2;
    workload->maps[1] = line_map(3);
    workload->maps[1].global_address *= 2;
    workload->map_count = workload->operation_count = 2;
    workload->operations[1] = workload->operations[0];
    workload->operations[1].map = 1;
    workload->expect_bytes += (uint64_t)3 * TMA_LINE_BYTES;
}

/* A tensor map for every two tiles: more maps than the cache of a GPC holds. */
static void add_maps(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    workload->arrays[0] = (struct tma_map_array){.count = 6, .pitch_bytes = 32 * TMA_LINE_BYTES};
    workload->operations[0].walk.tiles[1] = 2;
}

static void add_global_maps(struct tma_machine *machine, struct tma_workload *workload) {
    add_maps(machine, workload);
    workload->arrays[0].global = true;
}

static void store_by_maps(struct tma_machine *machine, struct tma_workload *workload) {
    add_global_maps(machine, workload);
    add_operation(machine, workload);
    workload->operations[1].operation.direction = TMA_STORE;
    workload->operations[1].map = 0;
    workload->expect_bytes = workload->stage_bytes;
}

static void promote(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    workload->maps[0].l2_promotion = TMA_L2_256B;
}

static void write_tiles(struct tma_workload *workload, enum tma_direction direction) {
    workload->operations[0].operation.direction = direction;
    workload->expect_bytes = 0;
}

static void store(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    write_tiles(workload, TMA_STORE);
}

static void reduce(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    write_tiles(workload, TMA_REDUCE);
}

static void prefetch(struct tma_machine *machine, struct tma_workload *workload) {
    (void)machine;
    write_tiles(workload, TMA_PREFETCH);
}

/* Loads and stores of the same tiles: SMs read what others have written. */
static void load_and_store(struct tma_machine *machine, struct tma_workload *workload) {
    add_operation(machine, workload);
    workload->operations[1].operation.direction = TMA_STORE;
    workload->operations[1].map = 0;
    workload->expect_bytes = workload->stage_bytes;
}

/* Times that are not multiples of whole cycles or of each other. */
static void use_odd_times(struct tma_machine *machine, struct tma_workload *workload) {
    (void)workload;
    machine->tma.row_millicycles = 1005;
    machine->tma.turnaround_cycles = 0;
    machine->tma.poll_millicycles = 1700;
    machine->tma.wake_interval_cycles = 3;
    machine->crossbar.spread_cycles = 13;
    machine->crossbar.sm_port_bytes_per_kcycle = 107300;
    machine->crossbar.gpc_port_bytes_per_kcycle = 170000;
    machine->l2.request_millicycles = 430;
    machine->l2.sector_millicycles = 550;
    machine->dram.refresh_policy = TMA_REFRESH_per_bank;
    machine->dram.trfc_ps = 40100;
    machine->dram.trefi_ps = 370300;
}

/* The memory system can be advanced by one cycle at a time. */
static void use_short_window(struct tma_machine *machine, struct tma_workload *workload) {
    (void)workload;
    machine->tma.issue_cycles = 0;
    machine->tma.complete_cycles = 1;
}

/* The CTAs of a GPC start one after the other, at odd times. */
static void launch_one_by_one(struct tma_machine *machine, struct tma_workload *workload) {
    (void)workload;
    machine->topology.launch_interval_cycles = 37;
}

/* The second CTA of a GPC starts when many CTAs have ended on the first SM. */
static void launch_late(struct tma_machine *machine, struct tma_workload *workload) {
    (void)workload;
    machine->topology.launch_interval_cycles = 1500;
}

static const struct {
    const char *name;
    void (*change)(struct tma_machine *machine, struct tma_workload *workload);
} variants[] = {
    {"as it is", change_nothing},
    {"consumers", add_consumers},
    {"two operations", add_operation},
    {"many maps", add_maps},
    {"many maps in global memory", add_global_maps},
    {"loads and stores by many maps", store_by_maps},
    {"promotion", promote},
    {"stores", store},
    {"reductions", reduce},
    {"prefetches", prefetch},
    {"loads and stores", load_and_store},
    {"odd times", use_odd_times},
    {"short window", use_short_window},
    {"launched one by one", launch_one_by_one},
    {"launched late", launch_late},
};
enum { VARIANTS = sizeof variants / sizeof *variants };

/* All variants of one kernel in one process: with a sanitizer, a process takes longer than a test.
 */
TEST_ROWS(test_engine_is_exact, KERNELS) {
    for (int v = 0; v < VARIANTS; v++) {
        struct tma_machine machine = small_machine();
        struct tma_workload workload = make_workload(&kernels[_i]);
        char name[100];
        machine.tma.first_pass_cycles = 11;
        machine.tma.store_first_pass_cycles = 29;
        variants[v].change(&machine, &workload);
        snprintf(name, sizeof name, "%s, %s", kernels[_i].name, variants[v].name);
        expect_same(name, &machine, &workload);
    }
}

TEST_SUITE("engine and reference", .timeout = 60, .prepare = load_engine); /* sanitizers are slow */
