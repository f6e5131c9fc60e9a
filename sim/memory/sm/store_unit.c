/* The TMA unit of an SM, for stores and reductions. It reads shared memory and sends writes to L2:
 * one row of each of a few transfers in turn (round robin). It waits for no write, but only so
 * many flits may be in flight (credits). The SM's TMA unit works on its operations in the order in
 * which they reach it: a store begins when all packets of the loads before it have been made,
 * and a load when shared memory has been read for the stores before it. */
#include <assert.h>
#include <string.h>

#include "memory/sm/descriptor_waits.h"
#include "memory/sm/sms.h"
#include "memory/sm/transfer.h"

static bool share_scheduler(const struct tma_transfer *a, const struct tma_transfer *b) {
    return (a->warp - b->warp) % TMA_SCHEDULERS == 0;
}

static void append(struct tma_sms *sms, struct tma_store_unit *unit, uint32_t id) {
    sms->transfers[id].next = TMA_NONE;
    if (unit->head == TMA_NONE)
        unit->head = id;
    else
        sms->transfers[unit->tail].next = id;
    unit->tail = id;
    unit->count++;
}

static uint32_t take_head(const struct tma_sms *sms, struct tma_store_unit *unit) {
    uint32_t id = unit->head;
    unit->head = sms->transfers[id].next;
    unit->count--;
    return id;
}

/* Begins with the transfers that have reached the unit and have their tensor maps, in order of
 * their arrival. */
static void begin_arrived(struct tma_core *core, struct tma_sms *sms, struct tma_store_unit *unit,
                          uint64_t cycle) {
    while (unit->coming != TMA_NONE && sms->transfers[unit->coming].queued_cycle <= cycle) {
        uint32_t id = unit->coming;
        struct tma_transfer *transfer = &sms->transfers[id];
        if (!tma_loads_are_made(sms, transfer))
            return;
        uint64_t sent_ticks = sms->load_units[transfer->sm].sent_ticks;
        if (unit->clock_ticks < sent_ticks)
            unit->clock_ticks = sent_ticks;
        if (!tma_descriptor_ready(core, sms, unit->waits, id, tma_ticks_to_cycle(unit->clock_ticks),
                                  cycle))
            return;
        unit->coming = transfer->next;
        transfer->completion.start_cycle = cycle;
        append(sms, unit, id);
    }
}

/* Time to read the bytes of a packet from shared memory. */
static uint64_t read_ticks(const struct tma_machine *machine, enum tma_direction direction,
                           const struct tma_line_request *request) {
    uint64_t sectors = tma_sector_count(request->sectors), millicycles;
    if (request->fill)
        millicycles = machine->tma.row_millicycles;
    else if (direction == TMA_REDUCE)
        millicycles = machine->tma.reduce_request_millicycles +
                      (sectors - request->partial) * machine->tma.reduce_sector_millicycles;
    else
        millicycles = sectors * machine->tma.store_sector_millicycles +
                      (request->partial ? machine->tma.store_partial_millicycles : 0);
    return tma_millicycles_to_ticks(millicycles);
}

static enum tma_packet_kind kind_of(enum tma_direction direction) {
    return direction == TMA_REDUCE ? TMA_PACKET_REDUCE : TMA_PACKET_STORE;
}

/* Sends a write to the home of its line, by way of the slice of the SM's partition. */
static void send(struct tma_core *core, struct tma_sms *sms, uint32_t transfer,
                 const struct tma_line_request *request, uint64_t cycle) {
    struct tma_transfer *owner = &sms->transfers[transfer];
    if (owner->peer != TMA_NONE) {
        tma_dsmem_send_line(core, sms, transfer, request->sectors, cycle);
        return;
    }
    uint32_t id = tma_packet_new(core);
    if (id == TMA_NONE)
        return;
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_line_place place = tma_place_at_home(core, request->line);
    *packet = (struct tma_packet){
        .line = request->line,
        .transfer = transfer,
        .sent_cycle = cycle,
        .index = place.index,
        .server = place.server,
        .kind = (uint8_t)kind_of(owner->direction),
        .sectors = (uint8_t)request->sectors,
        .wanted = (uint8_t)request->sectors,
        .sm = (uint8_t)owner->sm,
        .gpc = (uint8_t)core->sm_gpc[owner->sm],
        .promotion = owner->promotion & 3u,
        .partial = request->partial,
        .hint = tma_l2_policy_hint(owner->policy, request->line) & 3u,
    };
    owner->outstanding++;
    tma_send_out(core, id);
}

static void complete(struct tma_core *core, struct tma_sms *sms, uint32_t id, uint64_t read) {
    const struct tma_machine *machine = core->machine;
    const struct tma_transfer *transfer = &sms->transfers[id];
    uint64_t cycles = transfer->direction == TMA_REDUCE ? machine->tma.reduce_complete_cycles
                                                        : machine->tma.store_complete_cycles;
    tma_transfer_complete(core, sms, id, read + cycles);
}

/* Completes the transfers whose commit group has been read. */
static void complete_committed(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                               uint64_t read) {
    struct tma_store_unit *unit = &sms->store_units[sm];
    uint32_t first = tma_store_unit_first_unread(sms, sm);
    uint64_t unread = first == TMA_NONE ? UINT64_MAX : sms->transfers[first].number;
    uint32_t *link = &unit->open;
    unit->open_tail = TMA_NONE;
    while (*link != TMA_NONE) {
        uint32_t id = *link;
        struct tma_transfer *transfer = &sms->transfers[id];
        if (transfer->commit >= unread) {
            unit->open_tail = id;
            link = &transfer->next_open;
            continue;
        }
        *link = transfer->next_open;
        complete(core, sms, id, read);
    }
}

/* Notes for how long writes in flight held up the unit while it worked on a transfer. */
static void note_held(const struct tma_store_unit *unit, struct tma_transfer *transfer) {
    struct tma_completion *completion = &transfer->completion;
    uint32_t cycles[TMA_WRITE_PLACES];
    for (int place = 0; place < TMA_WRITE_PLACES; place++)
        cycles[place] =
            (uint32_t)((unit->held_ticks[place] - transfer->held_before[place]) / TMA_TICKS);
    completion->crossbar_cycles = cycles[TMA_WRITE_CROSSBAR];
    completion->l2_cycles = cycles[TMA_WRITE_L2];
    completion->dram_cycles = cycles[TMA_WRITE_DRAM];
}

/* The transfer at the head has been read from shared memory. */
static void finish(struct tma_core *core, struct tma_sms *sms, struct tma_store_unit *unit) {
    uint32_t id = take_head(sms, unit);
    struct tma_transfer *transfer = &sms->transfers[id];
    uint64_t read = tma_ticks_to_cycle(unit->clock_ticks);
    transfer->generated = true;
    transfer->completion.rows_cycle = transfer->completion.sent_cycle = read;
    if (transfer->peer != TMA_NONE) { /* no commit group has it: it completes where it goes */
        if (transfer->outstanding == 0)
            tma_transfer_complete(core, sms, id,
                                  transfer->completion.arrival_cycle +
                                      core->machine->tma.complete_cycles);
        return;
    }
    transfer->completion.arrival_cycle = read;
    note_held(unit, transfer);
    complete_committed(core, sms, transfer->sm, read);
}

static void wait_until(struct tma_store_unit *unit, uint64_t cycle) {
    if (unit->clock_ticks < cycle * TMA_TICKS)
        unit->clock_ticks = cycle * TMA_TICKS;
}

/* Round robin: the transfer at the head goes behind the others that take turns. Those behind them
 * wait until one of these ends. */
static void rotate(struct tma_core *core, struct tma_sms *sms, struct tma_store_unit *unit) {
    uint32_t turns = core->machine->tma.store_operations, all = unit->count;
    uint32_t id = take_head(sms, unit), *link = &unit->head;
    if (all <= turns) {
        append(sms, unit, id);
        return;
    }
    for (uint32_t i = 1; i < turns; i++)
        link = &sms->transfers[*link].next;
    sms->transfers[id].next = *link;
    *link = id;
    unit->count++;
}

/* Makes one packet of the transfer at the head. */
static void make_packet(struct tma_core *core, struct tma_sms *sms, struct tma_store_unit *unit) {
    struct tma_transfer *transfer = &sms->transfers[unit->head];
    struct tma_line_request request;
    if (!transfer->begun) {
        /* A transfer that waited for its tensor map begins no sooner than it took its place among
         * those that take turns, even if the unit is behind that cycle. */
        wait_until(unit, transfer->completion.descriptor_cycles > 0
                             ? transfer->completion.start_cycle
                             : transfer->queued_cycle);
        transfer->begun = true;
        transfer->completion.start_cycle = tma_ticks_to_cycle(unit->clock_ticks);
        memcpy(transfer->held_before, unit->held_ticks, sizeof transfer->held_before);
    }
    if (!tma_row_splitter_next(&transfer->splitter, &request)) {
        finish(core, sms, unit);
        return;
    }
    uint64_t ticks = read_ticks(core->machine, transfer->direction, &request);
    unit->clock_ticks += ticks;
    unit->busy_ticks += ticks;
    transfer->completion.requests++;
    if (!request.fill) {
        if (transfer->peer == TMA_NONE)
            unit->credits -= (int32_t)tma_write_flits(kind_of(transfer->direction), request.sectors,
                                                      request.partial);
        send(core, sms, unit->head, &request, tma_ticks_to_cycle(unit->clock_ticks));
    }
    if (tma_row_splitter_is_row_end(&transfer->splitter))
        rotate(core, sms, unit);
}

/* Puts a wake-up into the event queue, for when the unit is free and has a transfer. Without
 * credits it sleeps until a write returns some; without a tensor map, or behind loads, until it is
 * resumed. */
static void schedule(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t soonest) {
    struct tma_store_unit *unit = &sms->store_units[sm];
    bool idle = unit->head == TMA_NONE && unit->coming == TMA_NONE;
    if (unit->scheduled || unit->credits <= 0 || idle)
        return;
    uint64_t cycle = tma_ticks_to_cycle(unit->clock_ticks);
    if (unit->head == TMA_NONE) {
        const struct tma_transfer *next = &sms->transfers[unit->coming];
        uint64_t queued = next->queued_cycle;
        if (!tma_loads_are_made(sms, next))
            return;
        cycle = tma_later(cycle, tma_ticks_to_cycle(sms->load_units[sm].sent_ticks));
        uint64_t map_cycle = tma_descriptor_cycle(unit->waits, unit->coming);
        if (map_cycle == UINT64_MAX)
            return;
        cycle = tma_later(queued, cycle);
        cycle = tma_later(map_cycle, cycle);
    }
    tma_store_unit_wake_at(core, sms, sm, tma_later(cycle, soonest));
}

static bool can_make_packet(const struct tma_store_unit *unit, uint64_t cycle) {
    return unit->head != TMA_NONE && unit->credits > 0 &&
           tma_ticks_to_cycle(unit->clock_ticks) <= cycle;
}

/* The load unit wakes up where its next load has waited for stores that have been read now. */
static struct tma_handover wake_next_load(struct tma_sms *sms, uint32_t sm, uint64_t cycle) {
    uint32_t id = sms->load_units[sm].head;
    if (id == TMA_NONE)
        return tma_nowhere;
    const struct tma_transfer *load = &sms->transfers[id];
    bool waits = !load->begun && load->queued_cycle <= cycle;
    return waits && tma_stores_are_read(sms, load) ? tma_load_unit_wake_now(sms, sm, cycle)
                                                   : tma_nowhere;
}

/* Most packets that the unit makes in one cycle, on a machine where a packet takes no time. */
enum { MAX_PACKETS = 16 };

TMA_RARE struct tma_handover tma_store_unit_wake(struct tma_core *core, struct tma_sms *sms,
                                                 uint32_t sm, uint64_t cycle) {
    struct tma_store_unit *unit = &sms->store_units[sm];
    if (!unit->scheduled || unit->wake_cycle != cycle)
        return tma_nowhere;
    unit->scheduled = false;
    if (unit->head == TMA_NONE)
        wait_until(unit, cycle);
    begin_arrived(core, sms, unit, cycle);
    int made = 0;
    while (made < MAX_PACKETS && can_make_packet(unit, cycle)) {
        make_packet(core, sms, unit);
        made++;
    }
    schedule(core, sms, sm, cycle + 1);
    return wake_next_load(sms, sm, cycle);
}

void tma_store_unit_resume(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                           uint64_t cycle) {
    schedule(core, sms, sm, cycle + 1);
}

/* Time to read bytes of one line from shared memory. */
static uint64_t line_ticks(const struct tma_machine *machine, const struct tma_transfer *transfer,
                           uint32_t bytes) {
    const struct tma_line_request request = {
        .sectors = (uint8_t)tma_sector_mask(0, bytes - 1),
        .partial = tma_row_splitter_is_partial(&transfer->splitter, 0, bytes),
    };
    return read_ticks(machine, transfer->direction, &request);
}

/* Time to read an operation from shared memory, if its rows are lines of the tensor. */
static uint64_t work_ticks(const struct tma_machine *machine, const struct tma_transfer *transfer,
                           const struct tma_operation_size *size) {
    uint32_t lines = size->row_bytes / TMA_LINE_BYTES, rest = size->row_bytes % TMA_LINE_BYTES;
    uint64_t row = lines * line_ticks(machine, transfer, TMA_LINE_BYTES);
    if (rest > 0)
        row += line_ticks(machine, transfer, rest);
    return size->rows * row;
}

/* The last operation that another warp of the same scheduler has issued, of those that have not
 * completed; NULL: none. */
static struct tma_transfer *last_of_scheduler(const struct tma_sms *sms,
                                              const struct tma_store_unit *unit,
                                              const struct tma_transfer *transfer) {
    struct tma_transfer *last = NULL;
    for (uint32_t open = unit->open; open != TMA_NONE; open = sms->transfers[open].next_open) {
        struct tma_transfer *other = &sms->transfers[open];
        if (other->warp != transfer->warp && share_scheduler(other, transfer))
            last = other;
    }
    return last;
}

/* The operation comes before the commits of those of its scheduler whose commits come after
 * `before`. */
static void delay_commits(const struct tma_sms *sms, const struct tma_store_unit *unit,
                          const struct tma_transfer *transfer, const struct tma_transfer *before) {
    for (uint32_t open = unit->open; open != TMA_NONE; open = sms->transfers[open].next_open) {
        struct tma_transfer *other = &sms->transfers[open];
        if (share_scheduler(other, transfer) && other->commit >= before->number)
            other->commit = transfer->number;
    }
}

/* A warp issues an operation, and then the commit that it waits for. Warps of one scheduler issue
 * one after the other, so the commit of the first one may come after the operation of the second;
 * and after those of all that issue at once, unless the unit is busy. Returns the cycle at which
 * the operation is issued. */
static uint64_t issue(struct tma_core *core, struct tma_sms *sms, struct tma_store_unit *unit,
                      uint32_t id, uint64_t cycle) {
    const struct tma_machine *machine = core->machine;
    struct tma_transfer *transfer = &sms->transfers[id];
    struct tma_transfer *before = last_of_scheduler(sms, unit, transfer);
    transfer->number = transfer->commit = unit->number++;
    transfer->next_open = TMA_NONE;
    if (before != NULL && cycle <= before->queued_cycle + machine->tma.store_issue_cycles) {
        cycle = before->queued_cycle + machine->tma.store_issue_cycles;
        if (unit->work_ticks <= (cycle + machine->tma.store_backlog_cycles) * TMA_TICKS)
            delay_commits(sms, unit, transfer, before);
        else
            before->commit = transfer->number;
    }
    if (unit->open == TMA_NONE)
        unit->open = id;
    else
        sms->transfers[unit->open_tail].next_open = id;
    unit->open_tail = id;
    return cycle;
}

void tma_store_unit_enqueue(struct tma_core *core, struct tma_sms *sms, uint32_t id,
                            const struct tma_operation_size *size, uint64_t cycle) {
    struct tma_transfer *transfer = &sms->transfers[id];
    struct tma_store_unit *unit = &sms->store_units[transfer->sm];
    transfer->queued_cycle = transfer->peer == TMA_NONE ? issue(core, sms, unit, id, cycle) : cycle;
    unit->work_ticks = tma_later(unit->work_ticks, transfer->queued_cycle * TMA_TICKS) +
                       work_ticks(core->machine, transfer, size);
    transfer->next = TMA_NONE;
    if (unit->coming == TMA_NONE)
        unit->coming = id;
    else
        sms->transfers[unit->coming_tail].next = id;
    unit->coming_tail = id;
    schedule(core, sms, transfer->sm, transfer->queued_cycle);
}

/* A write returns credits, for which the unit has waited. It waited for the whole round trip: each
 * place has its part of that. */
static void end_wait(const struct tma_core *core, struct tma_store_unit *unit,
                     const struct tma_packet *packet, uint64_t cycle) {
    if (unit->clock_ticks >= cycle * TMA_TICKS)
        return;
    uint64_t waited = cycle * TMA_TICKS - unit->clock_ticks, trip = cycle - packet->sent_cycle;
    uint64_t way =
        core->request_cycles[packet->sm] + tma_hop_cycles(core, packet->gpc, packet->server);
    if (!tma_is_near(core, packet))
        way += tma_crossing_cycles(core, packet->server);
    uint64_t known = packet->known_cycles - core->machine->l2.lookup_cycles;
    assert(way + packet->held_cycles <= known && known <= trip);
    const uint64_t cycles[TMA_WRITE_PLACES] = {
        [TMA_WRITE_CROSSBAR] = way,
        [TMA_WRITE_L2] = known - way - packet->held_cycles,
        [TMA_WRITE_DRAM] = trip - known + packet->held_cycles,
    };
    for (int place = 0; place < TMA_WRITE_PLACES; place++)
        unit->held_ticks[place] += waited * cycles[place] / trip;
    wait_until(unit, cycle);
}

TMA_RARE struct tma_handover tma_store_unit_receive(struct tma_core *core, struct tma_sms *sms,
                                                    uint32_t packet_id, uint64_t cycle) {
    const struct tma_packet *packet = tma_packet_at(core, packet_id);
    if (packet->of_access)
        return tma_lsu_receive_written(core, sms, packet_id, cycle);
    uint32_t id = packet->transfer, sm = packet->sm;
    struct tma_store_unit *unit = &sms->store_units[sm];
    bool credits_only = packet->kind == TMA_PACKET_CREDIT;
    enum tma_packet_kind kind = credits_only ? TMA_PACKET_REDUCE : packet->kind;
    uint32_t flits = tma_write_flits(kind, packet->sectors, packet->partial);
    if (unit->credits <= 0 && flits > 0)
        end_wait(core, unit, packet, cycle);
    unit->credits += (int32_t)flits;
    tma_packet_free(core, packet_id);
    if (!credits_only)
        tma_transfer_drop(sms, id);
    schedule(core, sms, sm, cycle + 1);
    return tma_nowhere;
}
