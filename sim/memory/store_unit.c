/* The TMA unit of an SM, for stores and reductions: reads shared memory and sends writes to L2, a
 * request of each of a few operations in turn. Nobody waits for a write; but only so many may be on
 * their way. */
#include "memory/flight.h"

static struct tma_unit *unit_of(struct tma_memory *memory, uint32_t sm) {
    return &memory->units[memory->machine.sm_count + sm];
}

static void append(struct tma_memory *memory, struct tma_unit *unit, uint32_t index) {
    memory->flights[index].next = TMA_NONE;
    if (unit->head == TMA_NONE)
        unit->head = index;
    else
        memory->flights[unit->tail].next = index;
    unit->tail = index;
}

static uint32_t take_head(struct tma_memory *memory, struct tma_unit *unit) {
    uint32_t index = unit->head;
    unit->head = memory->flights[index].next;
    return index;
}

/* Lets the operations that are there by `cycle`, with their tensor maps, take their turns, in the
 * order in which they came: not before, or their place would depend on how far ahead they were
 * announced. */
static void join(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    struct tma_unit *unit = unit_of(memory, sm);
    uint32_t number = memory->machine.sm_count + sm;
    while (unit->coming != TMA_NONE && memory->flights[unit->coming].queued_cycle <= cycle &&
           tma_descriptor_ready(memory, number, unit->coming, cycle)) {
        uint32_t index = unit->coming;
        unit->coming = memory->flights[index].next;
        append(memory, unit, index);
    }
}

/* What reading a request's bytes from shared memory takes. */
static uint64_t read_ticks(const struct tma_machine *machine, enum tma_direction direction,
                           const struct tma_piece *piece) {
    uint64_t sectors = tma_sector_count(piece->sectors), millicycles;
    if (piece->fill)
        millicycles = machine->tma.row_millicycles;
    else if (direction == TMA_REDUCE)
        millicycles = machine->tma.reduce_request_millicycles +
                      (sectors - piece->partial) * machine->tma.reduce_sector_millicycles;
    else
        millicycles = sectors * machine->tma.store_sector_millicycles +
                      (piece->partial ? machine->tma.store_partial_millicycles : 0);
    return tma_millicycles_to_ticks(millicycles);
}

/* Sends a write to the line's home. */
static void send(struct tma_memory *memory, uint32_t flight, const struct tma_piece *piece,
                 uint64_t cycle) {
    struct tma_flight *owner = &memory->flights[flight];
    uint32_t entry = tma_request_new(memory);
    if (entry == TMA_NONE)
        return;
    struct tma_request *request = tma_request_at(memory, entry);
    *request = (struct tma_request){
        .line = piece->line,
        .flight = flight,
        .sent_cycle = cycle,
        .place = tma_route_line(&memory->l2.dealing, piece->line),
        .asked = piece->sectors & 15u,
        .wanted = piece->sectors & 15u,
        .stage = TMA_STAGE_WRITE,
        .sm = (uint8_t)owner->sm,
        .gpc = memory->sm_gpc[owner->sm] & 15u,
        .direction = owner->direction & 3u,
        .partial = piece->partial,
    };
    request->index = tma_l2_index(&memory->l2, request->place.home, &request->place);
    owner->outstanding++;
    if (memory->machine.topology.gpc_partition[request->gpc] != request->place.home)
        request->stage = TMA_STAGE_PASS;
    tma_wheel_put(&memory->wheel, entry,
                  cycle + memory->machine.crossbar.request_cycles +
                      tma_hop_cycles(memory, request->gpc, &request->place));
}

static void complete(struct tma_memory *memory, uint32_t index, uint64_t read) {
    const struct tma_machine *machine = &memory->machine;
    const struct tma_flight *flight = &memory->flights[index];
    uint64_t cycles = flight->direction == TMA_REDUCE ? machine->tma.reduce_complete_cycles
                                                      : machine->tma.store_complete_cycles;
    if (flight->wait_group)
        cycles += machine->tma.wait_group_cycles;
    tma_flight_complete(memory, index, read + cycles);
}

/* The first one of the operations that are not complete whose bytes have not all been read. */
static uint64_t first_unread(const struct tma_memory *memory, const struct tma_unit *unit) {
    uint32_t index = unit->open;
    while (index != TMA_NONE && memory->flights[index].generated)
        index = memory->flights[index].next_open;
    return index == TMA_NONE ? UINT64_MAX : memory->flights[index].number;
}

/* Completes the operations before whose commits all were read, by now. */
static void complete_committed(struct tma_memory *memory, struct tma_unit *unit, uint64_t read) {
    uint64_t unread = first_unread(memory, unit);
    uint32_t *place = &unit->open;
    unit->open_tail = TMA_NONE;
    while (*place != TMA_NONE) {
        uint32_t index = *place;
        struct tma_flight *flight = &memory->flights[index];
        if (flight->commit >= unread) {
            unit->open_tail = index;
            place = &flight->next_open;
            continue;
        }
        *place = flight->next_open;
        complete(memory, index, read);
    }
}

/* The operation at the head has been read from shared memory. */
static void finish(struct tma_memory *memory, struct tma_unit *unit) {
    struct tma_flight *flight = &memory->flights[take_head(memory, unit)];
    uint64_t read = tma_ticks_to_cycle(unit->clock_ticks);
    flight->generated = true;
    flight->completion.rows_cycle = flight->completion.sent_cycle = read;
    flight->completion.arrival_cycle = read;
    complete_committed(memory, unit, read);
}

static void rest_until(struct tma_unit *unit, uint64_t cycle) {
    if (unit->clock_ticks < cycle * TMA_TICKS)
        unit->clock_ticks = cycle * TMA_TICKS;
}

/* The operation at the head gives way to the others that the unit works on at the same time. */
static void give_way(struct tma_memory *memory, struct tma_unit *unit) {
    uint32_t index = take_head(memory, unit), *place = &unit->head;
    for (uint32_t i = 1; i < memory->machine.tma.store_operations && *place != TMA_NONE; i++)
        place = &memory->flights[*place].next;
    if (*place == TMA_NONE)
        unit->tail = index;
    memory->flights[index].next = *place;
    *place = index;
}

/* One request of the operation at the head, which then gives way to the next one. */
static void work(struct tma_memory *memory, struct tma_unit *unit) {
    struct tma_flight *flight = &memory->flights[unit->head];
    struct tma_piece piece;
    if (!flight->begun) {
        rest_until(unit, flight->queued_cycle);
        flight->begun = true;
        flight->completion.start_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    }
    if (!tma_flight_piece(flight, &piece)) {
        finish(memory, unit);
        return;
    }
    uint64_t ticks = read_ticks(&memory->machine, flight->direction, &piece);
    unit->clock_ticks += ticks;
    unit->busy_ticks += ticks;
    flight->completion.requests++;
    if (!piece.fill) {
        unit->credits -= (int32_t)tma_write_flits(flight->direction, piece.sectors, piece.partial);
        send(memory, unit->head, &piece, tma_ticks_to_cycle(unit->clock_ticks));
    }
    give_way(memory, unit);
}

static bool has_work(const struct tma_unit *unit) {
    return unit->head != TMA_NONE || unit->coming != TMA_NONE;
}

/* Puts the unit into the calendar for its next request: when it is free, and an operation there. */
static void schedule(struct tma_memory *memory, uint32_t sm, uint64_t soonest) {
    struct tma_unit *unit = unit_of(memory, sm);
    if (unit->scheduled || unit->credits <= 0 || !has_work(unit))
        return; /* without credits, a write that comes back will */
    uint64_t cycle = tma_ticks_to_cycle(unit->clock_ticks);
    if (unit->head == TMA_NONE && memory->flights[unit->coming].queued_cycle > cycle)
        cycle = memory->flights[unit->coming].queued_cycle;
    uint64_t map_cycle = unit->head == TMA_NONE ? tma_descriptor_cycle(unit, unit->coming) : cycle;
    if (map_cycle == UINT64_MAX)
        return; /* it is resumed when the tensor map comes */
    cycle = map_cycle > cycle ? map_cycle : cycle;
    unit->scheduled = true;
    tma_wheel_put(&memory->wheel, TMA_FIRST_UNIT + memory->machine.sm_count + sm,
                  cycle > soonest ? cycle : soonest);
}

/* Requests that it makes in one cycle at most, should they take no time. */
enum { MAX_REQUESTS = 16 };

void tma_store_step(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    struct tma_unit *unit = unit_of(memory, sm);
    unit->scheduled = false;
    if (unit->head == TMA_NONE)
        rest_until(unit, cycle);
    join(memory, sm, cycle);
    for (int made = 0; made < MAX_REQUESTS && unit->head != TMA_NONE && unit->credits > 0 &&
                       tma_ticks_to_cycle(unit->clock_ticks) <= cycle;
         made++)
        work(memory, unit);
    schedule(memory, sm, cycle + 1);
}

void tma_store_resume(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    schedule(memory, sm, cycle + 1);
}

/* A warp issues an operation, and then the commit that it waits for. Two warps of a scheduler take
 * their time after each other; the commit of the first one then comes after the operation of the
 * second. Gives the cycle at which the operation is issued. */
static uint64_t issue(struct tma_memory *memory, struct tma_unit *unit, uint32_t index,
                      uint64_t cycle) {
    struct tma_flight *flight = &memory->flights[index], *before = NULL;
    flight->number = flight->commit = unit->number++;
    flight->next_open = TMA_NONE;
    for (uint32_t open = unit->open; open != TMA_NONE; open = memory->flights[open].next_open) {
        struct tma_flight *other = &memory->flights[open];
        if (other->warp != flight->warp && (other->warp - flight->warp) % TMA_SCHEDULERS == 0)
            before = other;
    }
    if (before != NULL && cycle <= before->queued_cycle + memory->machine.tma.store_issue_cycles) {
        cycle = before->queued_cycle + memory->machine.tma.store_issue_cycles;
        before->commit = flight->number;
    }
    if (unit->open == TMA_NONE)
        unit->open = index;
    else
        memory->flights[unit->open_tail].next_open = index;
    unit->open_tail = index;
    return cycle;
}

void tma_store_enqueue(struct tma_memory *memory, uint32_t index, uint64_t cycle) {
    struct tma_flight *flight = &memory->flights[index];
    struct tma_unit *unit = unit_of(memory, flight->sm);
    flight->queued_cycle = issue(memory, unit, index, cycle);
    flight->next = TMA_NONE;
    if (unit->coming == TMA_NONE)
        unit->coming = index;
    else
        memory->flights[unit->coming_tail].next = index;
    unit->coming_tail = index;
    schedule(memory, flight->sm, flight->queued_cycle);
}

void tma_store_written(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    uint32_t flight = tma_request_at(memory, entry)->flight;
    uint32_t sm = memory->flights[flight].sm;
    struct tma_unit *unit = unit_of(memory, sm);
    const struct tma_request *request = tma_request_at(memory, entry);
    if (unit->credits <= 0)
        rest_until(unit, cycle);
    unit->credits += (int32_t)tma_write_flits(request->direction, request->asked, request->partial);
    tma_request_free(memory, entry);
    tma_flight_drop(memory, flight);
    schedule(memory, sm, cycle + 1);
}
