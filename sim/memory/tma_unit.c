/* The TMA unit of an SM, for loads and prefetches: works on one operation after the other, and
 * makes one request after the other for its rows. */
#include "memory/flight.h"

/* Requests that it makes in one step of the calendar: they leave one by one all the same. */
enum { BATCH_REQUESTS = 32 };

/* A row that is out of bounds altogether is asked for at one of eight lines that all operations
 * share, by turns. */
static void ask_fill_line(struct tma_flight *flight, struct tma_request *request) {
    request->line = tma_fill_line(flight->fills_asked++);
    request->fill = true;
    request->asked = request->wanted = ((1u << tma_sector_count(request->asked)) - 1) & 15u;
}

/* Sends a request on its way. Nothing is prefetched for what is out of bounds. */
static void send(struct tma_memory *memory, uint32_t flight, const struct tma_piece *piece,
                 uint64_t cycle) {
    struct tma_flight *owner = &memory->flights[flight];
    if (owner->direction == TMA_PREFETCH && piece->fill)
        return;
    uint32_t entry = tma_request_new(memory);
    if (entry == TMA_NONE)
        return;
    struct tma_request *request = tma_request_at(memory, entry);
    *request = (struct tma_request){
        .line = piece->line,
        .flight = flight,
        .sent_cycle = cycle,
        .asked = piece->sectors & 15u,
        .wanted = piece->sectors & 15u,
        .sm = (uint8_t)owner->sm,
        .gpc = memory->sm_gpc[owner->sm] & 15u,
        .direction = owner->direction & 3u,
        .riders = TMA_NONE,
        .coalesces = owner->direction == TMA_LOAD && owner->copies == TMA_NONE,
    };
    if (piece->fill && owner->row.data_bytes == 0)
        ask_fill_line(owner, request);
    owner->outstanding++;
    tma_slice_send(memory, entry, cycle);
}

/* Takes the operation at the head off the queue: all its requests have been made. */
static void finish(struct tma_memory *memory, struct tma_unit *unit) {
    uint32_t index = unit->head;
    struct tma_flight *flight = &memory->flights[index];
    flight->generated = true;
    flight->completion.rows_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    unit->head = flight->next;
    if (unit->clock_ticks < unit->start_ticks)
        unit->clock_ticks = unit->start_ticks;
    if (flight->direction != TMA_PREFETCH)
        return;
    flight->completion.sent_cycle = flight->completion.arrival_cycle =
        flight->completion.rows_cycle;
    unit->clock_ticks += (uint64_t)memory->machine.tma.prefetch_gap_cycles * TMA_TICKS;
    tma_flight_complete(memory, index,
                        flight->completion.rows_cycle + memory->machine.tma.complete_cycles);
}

/* Starts on the operation at the head, if it has got here by now, and its tensor map too. */
static bool begin(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    struct tma_unit *unit = &memory->units[sm];
    struct tma_flight *flight = &memory->flights[unit->head];
    if (flight->begun)
        return true;
    if (flight->queued_cycle > cycle)
        return false;
    if (unit->clock_ticks < flight->queued_cycle * TMA_TICKS)
        unit->clock_ticks = flight->queued_cycle * TMA_TICKS;
    if (!tma_descriptor_ready(memory, sm, unit->head, cycle))
        return false;
    if (flight->completion.descriptor_cycles > 0)
        unit->clock_ticks = cycle * TMA_TICKS;
    flight->begun = true;
    flight->completion.start_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    unit->start_ticks =
        unit->clock_ticks + (uint64_t)memory->machine.tma.dispatch_interval_cycles * TMA_TICKS;
    return true;
}

/* The next cycle after `now` at which there is something for the unit to do: its next request, or,
 * while the operation at the head waits for its tensor map, that of the one behind. UINT64_MAX
 * where that is not known, and it will be resumed. */
static uint64_t next_cycle(const struct tma_memory *memory, const struct tma_unit *unit,
                           uint64_t now) {
    const struct tma_flight *flight = &memory->flights[unit->head];
    uint64_t cycle = tma_ticks_to_cycle(unit->clock_ticks);
    if (flight->begun)
        return cycle;
    if (flight->queued_cycle > cycle)
        cycle = flight->queued_cycle;
    uint64_t map_cycle = tma_descriptor_cycle(unit, unit->head);
    if (map_cycle <= cycle || flight->next == TMA_NONE)
        return map_cycle > cycle ? map_cycle : cycle;
    uint64_t behind_cycle = memory->flights[flight->next].queued_cycle;
    return behind_cycle > now && behind_cycle < map_cycle ? behind_cycle : map_cycle;
}

/* Puts the unit into the calendar, if it is not there for that cycle or before. */
static void schedule(struct tma_memory *memory, uint32_t sm, uint64_t now) {
    struct tma_unit *unit = &memory->units[sm];
    if (unit->head == TMA_NONE)
        return;
    uint64_t cycle = next_cycle(memory, unit, now);
    if (cycle == UINT64_MAX || (unit->scheduled && unit->step_cycle <= cycle))
        return;
    unit->scheduled = true;
    unit->step_cycle = cycle;
    tma_wheel_put(&memory->wheel, TMA_FIRST_UNIT + sm, cycle);
}

void tma_unit_resume(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    schedule(memory, sm, cycle);
}

void tma_unit_enqueue(struct tma_memory *memory, uint32_t index, uint64_t cycle) {
    struct tma_flight *flight = &memory->flights[index];
    struct tma_unit *unit = &memory->units[flight->sm];
    flight->queued_cycle = cycle;
    flight->next = TMA_NONE;
    if (unit->head == TMA_NONE)
        unit->head = index;
    else
        memory->flights[unit->tail].next = index;
    unit->tail = index;
    schedule(memory, flight->sm, cycle - 1);
}

/* The operation behind the one at the head, which goes first, fetches its tensor map, if it has got
 * here by now. */
static void look_ahead(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    const struct tma_unit *unit = &memory->units[sm];
    if (unit->head == TMA_NONE)
        return;
    const struct tma_flight *flight = &memory->flights[unit->head];
    if (!flight->begun && tma_descriptor_cycle(unit, unit->head) == 0)
        return;
    if (flight->next != TMA_NONE && memory->flights[flight->next].queued_cycle <= cycle)
        tma_descriptor_look_ahead(memory, sm, flight->next, cycle);
}

void tma_unit_step(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    struct tma_unit *unit = &memory->units[sm];
    int made = 0;
    if (!unit->scheduled || unit->step_cycle != cycle)
        return;
    unit->scheduled = false;
    while (made < BATCH_REQUESTS && unit->head != TMA_NONE && !memory->out_of_memory) {
        struct tma_flight *flight = &memory->flights[unit->head];
        struct tma_piece piece;
        if (!begin(memory, sm, cycle))
            break;
        if (!tma_flight_piece(flight, &piece)) {
            finish(memory, unit);
            continue;
        }
        flight->completion.requests++;
        send(memory, unit->head, &piece, tma_ticks_to_cycle(unit->clock_ticks));
        unit->clock_ticks += memory->row_ticks;
        unit->busy_ticks += memory->row_ticks;
        made++;
    }
    look_ahead(memory, sm, cycle);
    schedule(memory, sm, cycle);
}
