/* Tensor maps (descriptors) on their way to the TMA units. An SM's cache holds a few, which its
 * units for loads and for stores share; the SMs of a GPC share a larger one behind it; what that
 * lacks, it reads from L2. A unit that lacks the map of its next operation waits for it. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "memory/flight.h"

#define UNKNOWN UINT64_MAX

static bool create(struct tma_descriptor_cache *cache, uint32_t capacity) {
    cache->capacity = capacity;
    cache->entries = calloc(capacity, sizeof *cache->entries);
    return cache->entries != NULL;
}

bool tma_descriptors_create(struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    uint32_t gpcs = machine->topology.gpc_count;
    memory->descriptor_line = tma_default_descriptor_line();
    memory->sm_descriptors = calloc(machine->sm_count, sizeof *memory->sm_descriptors);
    memory->gpc_descriptors = calloc(gpcs, sizeof *memory->gpc_descriptors);
    bool good = memory->sm_descriptors != NULL && memory->gpc_descriptors != NULL;
    for (uint32_t sm = 0; good && sm < machine->sm_count; sm++)
        good = create(&memory->sm_descriptors[sm], machine->tma.descriptors);
    for (uint32_t gpc = 0; good && gpc < gpcs; gpc++)
        good = create(&memory->gpc_descriptors[gpc], machine->tma.gpc_descriptors);
    return good;
}

static void free_caches(struct tma_descriptor_cache *caches, uint32_t count) {
    for (uint32_t i = 0; caches != NULL && i < count; i++)
        free(caches[i].entries);
    free(caches);
}

void tma_descriptors_free(struct tma_memory *memory) {
    free_caches(memory->sm_descriptors, memory->machine.sm_count);
    free_caches(memory->gpc_descriptors, memory->machine.topology.gpc_count);
}

static void move_to_front(struct tma_descriptor_cache *cache, uint32_t at, uint32_t descriptor) {
    memmove(&cache->entries[1], cache->entries, at * sizeof *cache->entries);
    cache->entries[0] = descriptor;
}

/* Uses a map that the cache has; false where it lacks it. */
static bool use(struct tma_descriptor_cache *cache, uint32_t descriptor) {
    if (cache->entries[0] == descriptor)
        return true;
    uint32_t at = 1;
    while (at < cache->count && cache->entries[at] != descriptor)
        at++;
    if (at >= cache->count)
        return false;
    move_to_front(cache, at, descriptor);
    return true;
}

/* Uses a map, which the cache has or now gets: the one that was used least recently leaves. */
static void put(struct tma_descriptor_cache *cache, uint32_t descriptor) {
    if (use(cache, descriptor))
        return;
    if (cache->count < cache->capacity)
        cache->count++;
    move_to_front(cache, cache->count - 1, descriptor);
}

void tma_memory_leave_descriptor_in_gpcs(struct tma_memory *memory, uint32_t descriptor) {
    for (uint32_t gpc = 0; gpc < memory->machine.topology.gpc_count; gpc++)
        put(&memory->gpc_descriptors[gpc], descriptor);
}

void tma_memory_place_descriptors(struct tma_memory *memory, uint64_t address) {
    memory->descriptor_line = address / TMA_LINE_BYTES;
}

static uint64_t line_of(const struct tma_memory *memory, uint32_t descriptor) {
    return memory->descriptor_line + descriptor - 1;
}

void tma_memory_leave_descriptor_in_l2(struct tma_memory *memory, uint32_t descriptor) {
    struct tma_place place = tma_place_line(&memory->l2.dealing, line_of(memory, descriptor));
    for (uint32_t partition = 0; partition < memory->l2.partitions; partition++) {
        struct tma_l2_index index = tma_l2_index(&memory->l2, partition, &place);
        tma_l2_leave(&memory->l2, &memory->l2.sets[index.set], index.tag, false, TMA_ALL_SECTORS);
    }
}

/* The wait of a unit for a map, or NULL: it has one at most. */
static struct tma_map_wait *awaits(const struct tma_memory *memory, struct tma_unit *unit,
                                   uint32_t descriptor) {
    for (int i = 0; i < TMA_MAP_WAITS; i++)
        if (unit->waits[i].flight != TMA_NONE &&
            memory->flights[unit->waits[i].flight].descriptor == descriptor)
            return &unit->waits[i];
    return NULL;
}

/* The same, for one that L2 was asked for and that has not come. */
static struct tma_map_wait *open_wait(const struct tma_memory *memory, struct tma_unit *unit,
                                      uint32_t descriptor) {
    struct tma_map_wait *wait = awaits(memory, unit, descriptor);
    return wait != NULL && wait->map_cycle == UNKNOWN ? wait : NULL;
}

static uint32_t gpc_of(const struct tma_memory *memory, uint32_t number) {
    return memory->sm_gpc[number % memory->machine.sm_count];
}

/* The GPC has asked L2 for a map: some unit waits for it. */
static bool is_coming(const struct tma_memory *memory, uint32_t gpc, uint32_t descriptor) {
    for (uint32_t number = 0; number < 2 * memory->machine.sm_count; number++)
        if (gpc_of(memory, number) == gpc &&
            open_wait(memory, &memory->units[number], descriptor) != NULL)
            return true;
    return false;
}

/* The GPC asks L2 for the map of an operation. What that fetches from DRAM, it does on the
 * operation's behalf. */
static void ask_l2(struct tma_memory *memory, uint32_t index, uint32_t gpc, uint64_t cycle) {
    uint32_t entry = tma_request_new(memory);
    if (entry == TMA_NONE)
        return;
    const struct tma_flight *flight = &memory->flights[index];
    *tma_request_at(memory, entry) = (struct tma_request){
        .line = line_of(memory, flight->descriptor),
        .flight = index,
        .sent_cycle = cycle,
        .asked = TMA_ALL_SECTORS,
        .wanted = TMA_ALL_SECTORS,
        .sm = (uint8_t)flight->sm,
        .gpc = gpc & 15u,
        .direction = TMA_LOAD,
        .riders = TMA_NONE,
        .descriptor = true,
    };
    memory->counters.descriptor_l2_fetches++;
    tma_slice_send(memory, entry, cycle);
}

/* Which of a unit's waits is that of an operation, or is free (TMA_NONE); -1: none. */
static int wait_of(const struct tma_unit *unit, uint32_t flight) {
    for (int i = 0; i < TMA_MAP_WAITS; i++)
        if (unit->waits[i].flight == flight)
            return i;
    return -1;
}

/* A unit begins to wait for the map of an operation. */
static struct tma_map_wait *ask(struct tma_memory *memory, uint32_t number, uint32_t index,
                                uint64_t cycle) {
    const struct tma_flight *flight = &memory->flights[index];
    struct tma_unit *unit = &memory->units[number];
    int free_wait = wait_of(unit, TMA_NONE);
    uint32_t gpc = memory->sm_gpc[flight->sm], descriptor = flight->descriptor;
    assert(free_wait >= 0);
    memory->counters.descriptor_fetches++;
    uint64_t map_cycle = UNKNOWN;
    if (use(&memory->gpc_descriptors[gpc], descriptor))
        map_cycle = cycle + memory->machine.tma.descriptor_fetch_cycles;
    else if (!is_coming(memory, gpc, descriptor))
        ask_l2(memory, index, gpc, cycle);
    unit->waits[free_wait] = (struct tma_map_wait){index, cycle, map_cycle, UNKNOWN};
    return &unit->waits[free_wait];
}

/* The SM has the map of an operation, which can begin. */
static void receive(struct tma_memory *memory, struct tma_map_wait *wait) {
    struct tma_flight *flight = &memory->flights[wait->flight];
    uint64_t held = wait->held_cycle < wait->map_cycle ? wait->map_cycle - wait->held_cycle : 0;
    flight->completion.descriptor_cycles = (uint32_t)held & INT32_MAX;
    memory->counters.descriptor_cycles += held;
    put(&memory->sm_descriptors[flight->sm], flight->descriptor);
    wait->flight = TMA_NONE;
}

bool tma_descriptor_ready(struct tma_memory *memory, uint32_t number, uint32_t index,
                          uint64_t cycle) {
    const struct tma_flight *flight = &memory->flights[index];
    struct tma_unit *unit = &memory->units[number];
    if (flight->descriptor == 0)
        return true;
    uint64_t free_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    uint64_t begin_cycle = free_cycle > cycle ? free_cycle : cycle;
    int found = wait_of(unit, index);
    struct tma_map_wait *wait = found < 0 ? NULL : &unit->waits[found];
    if (wait == NULL) {
        if (use(&memory->sm_descriptors[flight->sm], flight->descriptor))
            return true;
        if (free_cycle > cycle) /* the SMs of a GPC ask its cache in the order of time */
            return false;
        wait = ask(memory, number, index, cycle);
    }
    if (wait->map_cycle > begin_cycle) {
        if (wait->held_cycle == UNKNOWN)
            wait->held_cycle = begin_cycle;
        return false;
    }
    receive(memory, wait);
    return true;
}

uint64_t tma_descriptor_cycle(const struct tma_unit *unit, uint32_t flight) {
    int found = wait_of(unit, flight);
    return found < 0 ? 0 : unit->waits[found].map_cycle;
}

void tma_descriptor_look_ahead(struct tma_memory *memory, uint32_t number, uint32_t index,
                               uint64_t cycle) {
    const struct tma_flight *flight = &memory->flights[index];
    struct tma_unit *unit = &memory->units[number];
    if (flight->descriptor != 0 && !awaits(memory, unit, flight->descriptor) &&
        !use(&memory->sm_descriptors[flight->sm], flight->descriptor))
        ask(memory, number, index, cycle);
}

static uint64_t larger(uint64_t a, uint64_t b) {
    return a > b ? a : b;
}

void tma_descriptor_arrive(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    const struct tma_request *request = tma_request_at(memory, entry);
    uint32_t gpc = request->gpc, sms = memory->machine.sm_count;
    uint32_t descriptor = memory->flights[request->flight].descriptor;
    uint64_t arrival =
        tma_response_pass(memory, request, cycle) + memory->machine.crossbar.response_cycles;
    tma_request_free(memory, entry);
    put(&memory->gpc_descriptors[gpc], descriptor);
    for (uint32_t number = 0; number < 2 * sms; number++) {
        struct tma_map_wait *wait = open_wait(memory, &memory->units[number], descriptor);
        if (gpc_of(memory, number) != gpc || wait == NULL)
            continue;
        wait->map_cycle = larger(larger(arrival, cycle + 1),
                                 wait->asked_cycle + memory->machine.tma.descriptor_fetch_cycles);
        if (number < sms)
            tma_unit_resume(memory, number, cycle);
        else
            tma_store_resume(memory, number - sms, cycle);
    }
}
