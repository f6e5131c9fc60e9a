#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/flight.h"

/* Pools grow by doubling from this. Requests are no more than what the largest GPUs have on their
 * way: room that is never used costs nothing, but to move them to a larger one does. */
enum { FIRST_POOL = 1024, FIRST_REQUESTS = 1 << 17 };

/* How many entries ahead of the one that is worked on the host's caches are looked after. */
enum { REQUESTS_AHEAD = TMA_WHEEL_AHEAD, TARGETS_AHEAD = 16 };

/* How often the L2's cycles, which are kept modulo 2^32, are looked after. */
#define L2_AGING_CYCLES (UINT64_C(1) << 30)

bool tma_requests_grow(struct tma_memory *memory) {
    uint32_t old = memory->request_capacity;
    uint32_t capacity = old == 0 ? FIRST_REQUESTS : 2 * old;
    struct tma_request *requests =
        tma_resize_aligned(memory->requests, old * sizeof *requests, capacity * sizeof *requests);
    if (requests == NULL) {
        memory->out_of_memory = true;
        return false;
    }
    memory->requests = requests;
    uint32_t *free_requests =
        realloc(memory->free_requests, capacity * sizeof *memory->free_requests);
    if (free_requests == NULL) {
        memory->out_of_memory = true;
        return false;
    }
    memory->free_requests = free_requests;
    memory->request_capacity = capacity;
    return true;
}

static bool grow_flights(struct tma_memory *memory) {
    uint32_t old = memory->flight_count;
    uint32_t count = old == 0 ? FIRST_POOL : 2 * old;
    struct tma_flight *flights =
        tma_resize_aligned(memory->flights, old * sizeof *flights, count * sizeof *flights);
    if (flights == NULL)
        return false;
    for (uint32_t i = count; i > old; i--) {
        flights[i - 1].next = memory->free_flight;
        memory->free_flight = i - 1;
    }
    memory->flights = flights;
    memory->flight_count = count;
    return true;
}

uint32_t tma_flight_new(struct tma_memory *memory) {
    if (memory->free_flight == TMA_NONE && !grow_flights(memory)) {
        memory->out_of_memory = true;
        return TMA_NONE;
    }
    uint32_t index = memory->free_flight;
    memory->free_flight = memory->flights[index].next;
    memory->flights_used++;
    return index;
}

static bool push_completion(struct tma_memory *memory, const struct tma_completion *completion) {
    if (memory->completion_count == memory->completion_capacity) {
        uint32_t old = memory->completion_capacity, capacity = old == 0 ? FIRST_POOL : 2 * old;
        struct tma_completion *ring = malloc(capacity * sizeof *ring);
        if (ring == NULL)
            return false;
        for (uint32_t i = 0; i < memory->completion_count; i++)
            ring[i] = memory->completions[(memory->completion_head + i) % old];
        free(memory->completions);
        memory->completions = ring;
        memory->completion_capacity = capacity;
        memory->completion_head = 0;
    }
    uint32_t at =
        (memory->completion_head + memory->completion_count) % memory->completion_capacity;
    memory->completions[at] = *completion;
    memory->completion_count++;
    return true;
}

static uint64_t ticks_per_sector(uint32_t bytes_per_kcycle) {
    return (uint64_t)TMA_SECTOR_BYTES * 1000 * TMA_TICKS / bytes_per_kcycle;
}

static bool allocate_servers(struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    memory->units = calloc(2 * (size_t)machine->sm_count, sizeof *memory->units);
    memory->sm_ports = calloc(machine->sm_count, sizeof *memory->sm_ports);
    memory->shared = calloc(machine->sm_count, sizeof *memory->shared);
    memory->gpc_ports = calloc(machine->topology.gpc_count, sizeof *memory->gpc_ports);
    memory->slices = calloc(machine->l2.slices, sizeof *memory->slices);
    memory->write_ports = calloc(machine->l2.slices, sizeof *memory->write_ports);
    memory->coalescers = calloc(machine->topology.gpc_count, sizeof *memory->coalescers);
    memory->hops =
        calloc((size_t)machine->topology.gpc_count * machine->l2.slices, sizeof *memory->hops);
    return memory->units != NULL && memory->sm_ports != NULL && memory->shared != NULL &&
           memory->gpc_ports != NULL && memory->slices != NULL && memory->write_ports != NULL &&
           memory->coalescers != NULL && memory->hops != NULL;
}

/* Slices lie at evenly spread distances from a GPC, in another order for every GPC. */
static void measure_hops(struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    for (uint32_t gpc = 0; gpc < machine->topology.gpc_count; gpc++)
        for (uint32_t i = 0; i < machine->l2.slices; i++) {
            uint32_t order = (i % slices * 7 + gpc * 13 + i / slices * 29) % slices;
            uint32_t hop = slices == 1 ? 0 : order * machine->crossbar.spread_cycles / (slices - 1);
            memory->hops[gpc * machine->l2.slices + i] = (uint16_t)hop;
        }
}

/* The place of each unit among those that make requests in the same cycle; and as well, of a place,
 * the unit. (Slots are drawn by the same number, but not by its negative.) */
static void draw_ranks(struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    for (uint32_t unit = 0; unit < 2 * machine->sm_count; unit++) {
        uint32_t sm = unit % machine->sm_count, other = sm ^ 1u, draw = machine->topology.draw;
        bool swapped = draw > 0 && other < machine->sm_count &&
                       (tma_mix64(-(uint64_t)(draw + sm / TMA_TPC_SMS)) & 1u) != 0;
        memory->ranks[unit] = (uint16_t)(unit - sm + (swapped ? other : sm));
    }
}

static void convert_rates(struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    memory->sm_sector_ticks = ticks_per_sector(machine->crossbar.sm_port_bytes_per_kcycle);
    memory->gpc_sector_ticks = ticks_per_sector(machine->crossbar.gpc_port_bytes_per_kcycle);
    memory->wavefront_ticks = (uint64_t)machine->shared.wavefront_cycles * TMA_TICKS;
    memory->row_ticks = tma_millicycles_to_ticks(machine->tma.row_millicycles);
    memory->fill_ticks = tma_millicycles_to_ticks(machine->l2.fill_millicycles);
    memory->join_ticks = tma_millicycles_to_ticks(machine->l2.join_millicycles);
    memory->interval_ticks = tma_millicycles_to_ticks(machine->l2.interval_millicycles);
    for (uint64_t sectors = 0; sectors <= TMA_SECTORS; sectors++)
        memory->read_ticks[sectors] =
            (machine->l2.request_millicycles + sectors * machine->l2.sector_millicycles) *
            TMA_TICKS / 1000;
}

enum tma_error_code tma_memory_create(struct tma_memory **out, const struct tma_machine *machine,
                                      struct tma_error *error) {
    struct tma_memory *memory = calloc(1, sizeof *memory);
    if (memory == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for the memory system");
    memory->machine = *machine;
    memory->free_flight = TMA_NONE;
    tma_wheel_init(&memory->wheel);
    convert_rates(memory);
    draw_ranks(memory);
    tma_machine_gpcs(&memory->machine, memory->sm_gpc);
    enum tma_error_code code = TMA_OK;
    if (!allocate_servers(memory) || !tma_descriptors_create(memory) ||
        !tma_requests_grow(memory) || !grow_flights(memory))
        code = tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u SMs", machine->sm_count);
    if (code == TMA_OK)
        code = tma_l2_create(&memory->l2, machine, error);
    if (code == TMA_OK)
        code = tma_dram_create(&memory->dram, machine, error);
    if (code != TMA_OK) {
        tma_memory_free(memory);
        return code;
    }
    measure_hops(memory);
    for (uint32_t i = 0; i < 2 * machine->sm_count; i++)
        memory->units[i] = (struct tma_unit){.head = TMA_NONE,
                                             .tail = TMA_NONE,
                                             .coming = TMA_NONE,
                                             .open = TMA_NONE,
                                             .waits = {{.flight = TMA_NONE}, {.flight = TMA_NONE}},
                                             .credits = (int32_t)machine->tma.write_flits};
    *out = memory;
    return TMA_OK;
}

void tma_memory_free(struct tma_memory *memory) {
    if (memory == NULL)
        return;
    tma_wheel_free(&memory->wheel);
    tma_l2_free(&memory->l2);
    tma_dram_free(&memory->dram);
    tma_descriptors_free(memory);
    free(memory->requests);
    free(memory->free_requests);
    free(memory->flights);
    free(memory->completions);
    free(memory->units);
    free(memory->sm_ports);
    free(memory->shared);
    free(memory->gpc_ports);
    free(memory->slices);
    free(memory->write_ports);
    free(memory->coalescers);
    free(memory->hops);
    free(memory);
}

/* L2 reduces 16 bytes of these types in one step: two steps to a sector. */
static bool is_short_float(enum tma_data_type type) {
    return type == TMA_FLOAT16 || type == TMA_BFLOAT16 || type == TMA_FLOAT32;
}

bool tma_memory_issue(struct tma_memory *memory, const struct tma_issue *issue) {
    uint32_t index = tma_flight_new(memory);
    if (index == TMA_NONE)
        return false;
    memory->flights[index] =
        (struct tma_flight){.rows = *issue->rows,
                            .sm = issue->sm,
                            .descriptor = issue->descriptor,
                            .promotion = issue->map->l2_promotion,
                            .direction = issue->direction,
                            .wait_group = issue->wait_group,
                            .warp = (uint8_t)issue->warp,
                            .half_work = is_short_float(issue->map->data_type),
                            .copies = TMA_NONE,
                            .completion = {.tag = issue->tag,
                                           .sm = issue->sm,
                                           .bytes = issue->size->transaction_bytes,
                                           .issue_cycle = issue->cycle}};
    if (issue->copy_count > 0 && !tma_multicast_add(memory, index, issue))
        return false;
    uint64_t queued = issue->cycle + memory->machine.tma.issue_cycles;
    if (tma_writes_tensor(issue->direction))
        tma_store_enqueue(memory, index, queued);
    else
        tma_unit_enqueue(memory, index, queued);
    return true;
}

static void free_if_done(struct tma_memory *memory, uint32_t index) {
    struct tma_flight *flight = &memory->flights[index];
    if (!flight->completed || flight->outstanding > 0)
        return;
    flight->next = memory->free_flight;
    memory->free_flight = index;
    memory->flights_used--;
}

void tma_flight_complete(struct tma_memory *memory, uint32_t index, uint64_t cycle) {
    struct tma_flight *flight = &memory->flights[index];
    flight->completion.cycle = cycle;
    flight->completed = true;
    if (!push_completion(memory, &flight->completion))
        memory->out_of_memory = true;
    free_if_done(memory, index);
}

void tma_flight_drop(struct tma_memory *memory, uint32_t index) {
    memory->flights[index].outstanding--;
    free_if_done(memory, index);
}

static void step(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    switch ((enum tma_stage)tma_request_at(memory, entry)->stage) {
    case TMA_STAGE_SLICE:
        tma_slice_request(memory, entry, cycle);
        break;
    case TMA_STAGE_HOME:
        tma_slice_home(memory, entry, cycle);
        break;
    case TMA_STAGE_RESPONSE:
        if (tma_request_at(memory, entry)->descriptor)
            tma_descriptor_arrive(memory, entry, cycle);
        else
            tma_response_arrive(memory, entry, cycle);
        break;
    case TMA_STAGE_PASS:
        tma_slice_pass(memory, entry, cycle);
        break;
    case TMA_STAGE_WRITE:
        tma_slice_write(memory, entry, cycle);
        break;
    case TMA_STAGE_WRITTEN:
        tma_store_written(memory, entry, cycle);
        break;
    }
}

/* Fetches what the work on entries will need into the host's caches, a few of them ahead: the
 * model's own time goes into waiting for its memory. First the requests; then, when those are there
 * to say which, the sets and the operations that they go to. (Inlined always: a function that does
 * nothing but this has no effect for gcc, which leaves its calls out.) */
#define PREFETCH __attribute__((always_inline)) static inline void

PREFETCH prefetch_unit(const struct tma_memory *memory, uint32_t unit) {
    uint32_t index = memory->units[unit].head;
    if (index == TMA_NONE)
        return;
    const char *flight = (const char *)&memory->flights[index];
    __builtin_prefetch(flight, 1);
    __builtin_prefetch(flight + TMA_HOST_LINE_BYTES, 1);
    __builtin_prefetch(flight + (size_t)2 * TMA_HOST_LINE_BYTES, 1);
}

PREFETCH prefetch_request(const struct tma_memory *memory, uint32_t entry) {
    if (entry < TMA_FIRST_UNIT)
        __builtin_prefetch(&memory->requests[entry], 1);
}

PREFETCH prefetch_target(const struct tma_memory *memory, uint32_t entry) {
    if (entry >= TMA_FIRST_UNIT) {
        prefetch_unit(memory, entry - TMA_FIRST_UNIT);
        return;
    }
    const struct tma_request *request = &memory->requests[entry];
    if (request->coalesces)
        __builtin_prefetch(&memory->coalescers[request->gpc]
                                .lines[tma_hash_line(request->line) % TMA_COALESCER_LINES],
                           1);
    if (request->stage == TMA_STAGE_RESPONSE || request->stage == TMA_STAGE_WRITTEN)
        __builtin_prefetch(&memory->flights[request->flight].outstanding, 1);
    else
        tma_l2_prefetch(&memory->l2, request->index.set);
}

static void note_unit(uint64_t *units, uint32_t rank) {
    units[rank / 64] |= UINT64_C(1) << rank % 64;
}

/* Works through the entries of a cycle: requests as they came, then TMA units by SM, and of the two
 * SMs of a TPC as they are drawn. (When a unit
 * was put into the calendar depends on how far time had been let pass when its operation came.) Of
 * the next cycle's, some stand behind them: `known` in all. */
static void work(struct tma_memory *memory, const uint32_t *due, uint32_t count, uint32_t known,
                 uint64_t cycle) {
    enum { WORDS = 2 * TMA_MAX_SMS / 64 };
    uint32_t sms = memory->machine.sm_count;
    uint64_t units[WORDS] = {0};
    for (uint32_t i = 0; i < count; i++) {
        if (i + REQUESTS_AHEAD < known)
            prefetch_request(memory, due[i + REQUESTS_AHEAD]);
        if (i + TARGETS_AHEAD < known)
            prefetch_target(memory, due[i + TARGETS_AHEAD]);
        if (due[i] < TMA_FIRST_UNIT)
            step(memory, due[i], cycle);
        else
            note_unit(units, memory->ranks[due[i] - TMA_FIRST_UNIT]);
    }
    for (uint32_t word = 0; word < WORDS; word++)
        for (uint64_t left = units[word]; left != 0; left &= left - 1) {
            uint32_t unit = memory->ranks[word * 64 + (uint32_t)__builtin_ctzll(left)];
            if (unit < sms)
                tma_unit_step(memory, unit, cycle);
            else
                tma_store_step(memory, unit - sms, cycle);
        }
}

bool tma_memory_advance(struct tma_memory *memory, uint64_t until) {
    while (memory->wheel.now < until && !memory->out_of_memory) {
        uint64_t cycle = memory->wheel.now;
        if (cycle > 0 && cycle % L2_AGING_CYCLES == 0)
            tma_l2_age(&memory->l2, cycle);
        if (memory->wheel.count == 0) {
            uint64_t aging = (cycle / L2_AGING_CYCLES + 1) * L2_AGING_CYCLES;
            tma_wheel_skip(&memory->wheel, aging < until ? aging : until);
            continue;
        }
        const uint32_t *due;
        uint32_t known, count = tma_wheel_take(&memory->wheel, &due, &known);
        work(memory, due, count, known, cycle);
        memory->out_of_memory |= memory->wheel.out_of_memory;
    }
    return !memory->out_of_memory;
}

bool tma_memory_drain(struct tma_memory *memory) {
    while (memory->wheel.count > 0)
        if (!tma_memory_advance(memory, memory->wheel.now + TMA_WHEEL_CYCLES))
            return false;
    return true;
}

void tma_memory_consume(struct tma_memory *memory, uint32_t sm, uint64_t from, uint64_t until) {
    uint64_t later = memory->machine.tma.issue_cycles;
    tma_shared_port_occupy(&memory->shared[sm], from + later, until + later);
}

uint64_t tma_memory_now(const struct tma_memory *memory) {
    return memory->wheel.now;
}

bool tma_memory_take(struct tma_memory *memory, struct tma_completion *completion) {
    if (memory->completion_count == 0)
        return false;
    *completion = memory->completions[memory->completion_head];
    memory->completion_head = (memory->completion_head + 1) % memory->completion_capacity;
    memory->completion_count--;
    return true;
}

uint32_t tma_memory_in_flight(const struct tma_memory *memory) {
    return memory->flights_used;
}
