/* The TMA unit of an SM: works on one operation after the other, and makes one request for each row
 * and 128-byte line of it. */
#include "memory/flight.h"

/* Requests that it makes in one step of the calendar: they leave one by one all the same. */
enum { BATCH_REQUESTS = 32 };

/* Sends a request on its way. One that has no sector of the tensor asks nothing of L2: it comes
 * back as fast as the nearest slice would answer. */
static void send(struct tma_memory *memory, uint32_t flight, uint64_t line, uint8_t sectors,
                 uint8_t count, uint64_t cycle) {
    struct tma_flight *owner = &memory->flights[flight];
    uint32_t entry = tma_request_new(memory);
    if (entry == TMA_NONE)
        return;
    struct tma_request *request = tma_request_at(memory, entry);
    *request = (struct tma_request){
        .line = line,
        .flight = flight,
        .sent_cycle = cycle,
        .asked = sectors & 15u,
        .wanted = sectors & 15u,
        .count = count & 15u,
        .gpc = (uint8_t)memory->sm_gpc[owner->sm],
    };
    owner->outstanding++;
    owner->completion.requests++;
    uint64_t reached = cycle + memory->machine.crossbar.request_cycles;
    if (sectors != 0) {
        tma_slice_send(memory, entry, reached);
        return;
    }
    request->stage = TMA_STAGE_RESPONSE;
    request->l2_done_cycle = reached + memory->machine.l2.lookup_cycles;
    tma_wheel_put(&memory->wheel, entry,
                  request->l2_done_cycle + memory->machine.crossbar.response_cycles);
}

/* The next request of the current row: up to the end of its 128-byte line. */
static void make_request(struct tma_memory *memory, uint32_t flight, uint64_t cycle) {
    struct tma_flight *owner = &memory->flights[flight];
    const struct tma_row *row = &owner->row;
    uint64_t address = row->global_address - row->before_bytes + owner->row_done_bytes;
    uint32_t left = owner->row_total_bytes - owner->row_done_bytes;
    uint32_t in_line = TMA_LINE_BYTES - (uint32_t)(address % TMA_LINE_BYTES);
    uint32_t bytes = left < in_line ? left : in_line;
    uint32_t first = (uint32_t)(address % TMA_LINE_BYTES) / TMA_SECTOR_BYTES;
    uint32_t last = (uint32_t)((address + bytes - 1) % TMA_LINE_BYTES) / TMA_SECTOR_BYTES;
    uint32_t sectors = 0;
    uint32_t data_begin = row->before_bytes, data_end = row->before_bytes + row->data_bytes;
    uint32_t begin = owner->row_done_bytes, end = begin + bytes;
    if (begin < data_begin)
        begin = data_begin;
    if (end > data_end)
        end = data_end;
    if (begin < end) {
        uint64_t from = address - owner->row_done_bytes + begin, to = from + (end - begin) - 1;
        uint32_t low = (uint32_t)(from % TMA_LINE_BYTES) / TMA_SECTOR_BYTES;
        uint32_t high = (uint32_t)(to % TMA_LINE_BYTES) / TMA_SECTOR_BYTES;
        sectors = (2u << high) - (1u << low);
    }
    owner->row_done_bytes += bytes;
    send(memory, flight, address / TMA_LINE_BYTES, (uint8_t)sectors, (uint8_t)(last - first + 1),
         cycle);
}

/* Moves on to the operation's next row; false after the last. */
static bool next_row(struct tma_flight *flight) {
    if (flight->row_done_bytes < flight->row_total_bytes)
        return true;
    if (!tma_rows_next(&flight->rows, &flight->row))
        return false;
    flight->row_done_bytes = 0;
    flight->row_total_bytes =
        flight->row.before_bytes + flight->row.data_bytes + flight->row.after_bytes;
    flight->completion.rows++;
    flight->completion.tensor_bytes += flight->row.data_bytes;
    flight->completion.rows_out_of_bounds += flight->row.data_bytes == 0;
    return true;
}

/* Takes the operation at the head off the queue: all its requests have been made. */
static void finish(struct tma_memory *memory, struct tma_unit *unit) {
    struct tma_flight *flight = &memory->flights[unit->head];
    flight->generated = true;
    flight->completion.rows_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    unit->head = flight->next;
    if (unit->clock_ticks < unit->start_ticks)
        unit->clock_ticks = unit->start_ticks;
}

/* Starts on the operation at the head, if it has got here by now. */
static bool begin(struct tma_memory *memory, struct tma_unit *unit, struct tma_flight *flight,
                  uint64_t cycle) {
    if (flight->begun)
        return true;
    if (flight->queued_cycle > cycle)
        return false;
    if (unit->clock_ticks < flight->queued_cycle * TMA_TICKS)
        unit->clock_ticks = flight->queued_cycle * TMA_TICKS;
    flight->begun = true;
    flight->completion.start_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    unit->start_ticks =
        unit->clock_ticks + (uint64_t)memory->machine.tma.dispatch_interval_cycles * TMA_TICKS;
    return true;
}

static void schedule(struct tma_memory *memory, uint32_t sm) {
    struct tma_unit *unit = &memory->units[sm];
    unit->scheduled = unit->head != TMA_NONE;
    if (!unit->scheduled)
        return;
    const struct tma_flight *flight = &memory->flights[unit->head];
    uint64_t cycle = tma_ticks_to_cycle(unit->clock_ticks);
    if (!flight->begun && flight->queued_cycle > cycle)
        cycle = flight->queued_cycle;
    tma_wheel_put(&memory->wheel, sm, cycle);
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
    if (!unit->scheduled)
        schedule(memory, flight->sm);
}

void tma_unit_step(struct tma_memory *memory, uint32_t sm, uint64_t cycle) {
    struct tma_unit *unit = &memory->units[sm];
    int made = 0;
    while (made < BATCH_REQUESTS && unit->head != TMA_NONE && !memory->out_of_memory) {
        struct tma_flight *flight = &memory->flights[unit->head];
        if (!begin(memory, unit, flight, cycle))
            break;
        if (!next_row(flight)) {
            finish(memory, unit);
            continue;
        }
        make_request(memory, unit->head, tma_ticks_to_cycle(unit->clock_ticks));
        unit->clock_ticks += memory->row_ticks;
        unit->busy_ticks += memory->row_ticks;
        made++;
    }
    schedule(memory, sm);
}
