/* The TMA unit of an SM, for loads and prefetches. It works on one transfer after the other, and
 * sends one packet after the other for the transfer's rows. It shares the way out of the SM with
 * stores: a load begins behind the stores that were issued before it (store_unit.c). */
#include "memory/sm/descriptor_waits.h"
#include "memory/sm/sms.h"
#include "memory/sm/transfer.h"

/* Packets that the unit makes in one wake-up. Each still leaves at its own cycle. And how many rows
 * ahead the host's caches are prefetched for the pages of their lines. */
enum { BATCH_PACKETS = 32, PAGES_AHEAD = 8 };

/* What all packets of a run have in common. */
static struct tma_packet packet_of(const struct tma_core *core, uint32_t id,
                                   const struct tma_transfer *transfer,
                                   const struct tma_line_request *request) {
    bool load = transfer->direction == TMA_LOAD;
    uint32_t sectors = request->sectors;
    if (request->fill_row) /* as many sectors of a fill line */
        sectors = (1u << tma_sector_count(sectors)) - 1;
    return (struct tma_packet){
        .transfer = id,
        .kind = load ? TMA_PACKET_LOAD : TMA_PACKET_PREFETCH,
        .sectors = (uint8_t)sectors,
        .wanted = (uint8_t)sectors,
        .sm = (uint8_t)transfer->sm,
        .gpc = (uint8_t)core->sm_gpc[transfer->sm],
        .promotion = transfer->promotion & 3u,
        .merged = TMA_NONE,
        .coalesces = load && transfer->copies == TMA_NONE,
        .fill_line = request->fill_row,
    };
}

/* Sends the packets of a run of requests to the SM's partition of L2: one at each turn of the unit
 * from `ticks` on. A row that lies completely out of bounds reads one of the eight lines that all
 * transfers share. (Not inlined: gcc would take `common` apart into its fields, and need three
 * times as many instructions to copy it.) */
__attribute__((noinline)) static void send_run(struct tma_core *core, const struct tma_sms *sms,
                                               struct tma_transfer *transfer,
                                               const struct tma_packet *common,
                                               const struct tma_uniform_run *run, uint64_t ticks) {
    const struct tma_gpc_side *side = &core->gpc_sides[common->gpc];
    uint64_t way_cycles = core->request_cycles[common->sm], line = run->request.line;
    enum tma_destination first = TMA_TO_L2;
    if (core->machine->tlb.start == TMA_TRANSLATION_cold) { /* as tma_send_out */
        first = TMA_TO_TLB;
        way_cycles = 1;
    }
    for (uint32_t i = 0; i < run->requests; i++) {
        uint32_t number = tma_packet_new(core);
        if (number == TMA_NONE)
            return;
        tma_packet_prefetch_new(core);
        __builtin_prefetch(tma_page_slot(core->pages, line + PAGES_AHEAD * run->step_lines), 1);
        struct tma_packet *packet = tma_packet_at(core, number);
        *packet = *common;
        packet->line = common->fill_line ? tma_fill_line(transfer->fill_lines++) : line;
        if (transfer->policy != 0)
            packet->hint = tma_l2_policy_hint(transfer->policy, packet->line) & 3u;
        packet->sent_cycle = tma_ticks_to_cycle(ticks);
        tma_locate_read(core, packet, side);
        tma_send(core, first, number, packet->sent_cycle + way_cycles);
        line += run->step_lines;
        ticks += sms->row_ticks;
    }
    transfer->outstanding += run->requests;
}

/* Makes the next packets of the transfer at the head, at most `most`. Returns their number; 0 where
 * all have been made. A prefetch sends no packet for a row out of bounds. */
static uint32_t make_packets(struct tma_core *core, struct tma_sms *sms, struct tma_load_unit *unit,
                             uint32_t most) {
    struct tma_transfer *transfer = &sms->transfers[unit->head];
    struct tma_uniform_run run;
    if (!tma_row_splitter_next_run(&transfer->splitter, most, &run))
        return 0;
    transfer->completion.requests += run.requests;
    if (transfer->direction == TMA_LOAD || !run.request.fill) {
        const struct tma_packet common = packet_of(core, unit->head, transfer, &run.request);
        send_run(core, sms, transfer, &common, &run, unit->clock_ticks);
    }
    unit->sent_ticks = unit->clock_ticks += run.requests * sms->row_ticks;
    unit->busy_ticks += run.requests * sms->row_ticks;
    return run.requests;
}

/* Removes the transfer at the head from the queue: all of its packets have been made. */
static void finish(struct tma_core *core, struct tma_sms *sms, struct tma_load_unit *unit) {
    uint32_t id = unit->head;
    struct tma_transfer *transfer = &sms->transfers[id];
    const struct tma_machine *machine = core->machine;
    transfer->generated = true;
    transfer->completion.rows_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    unit->head = transfer->next;
    if (unit->clock_ticks < unit->start_ticks)
        unit->clock_ticks = unit->start_ticks;
    if (transfer->direction != TMA_PREFETCH)
        return;
    uint64_t cycle = transfer->completion.rows_cycle;
    transfer->completion.sent_cycle = transfer->completion.arrival_cycle = cycle;
    unit->clock_ticks += (uint64_t)machine->tma.prefetch_gap_cycles * TMA_TICKS;
    tma_transfer_complete(core, sms, id, cycle + machine->tma.complete_cycles);
}

/* Begins with the transfer at the head, if it has reached the unit, stores before it are done, and
 * its tensor map is available. */
static bool begin(struct tma_core *core, struct tma_sms *sms, struct tma_load_unit *unit,
                  uint64_t cycle) {
    struct tma_transfer *transfer = &sms->transfers[unit->head];
    if (transfer->begun)
        return true;
    if (transfer->queued_cycle > cycle)
        return false;
    if (!tma_stores_are_read(sms, transfer))
        return false;
    if (unit->clock_ticks < transfer->queued_cycle * TMA_TICKS)
        unit->clock_ticks = transfer->queued_cycle * TMA_TICKS;
    uint64_t stores_ticks = sms->store_units[transfer->sm].clock_ticks;
    if (unit->clock_ticks < stores_ticks)
        unit->clock_ticks = stores_ticks;
    if (!tma_descriptor_ready(core, sms, unit->waits, unit->head,
                              tma_ticks_to_cycle(unit->clock_ticks), cycle))
        return false;
    if (transfer->completion.descriptor_cycles > 0 && unit->clock_ticks < cycle * TMA_TICKS)
        unit->clock_ticks = cycle * TMA_TICKS;
    transfer->begun = true;
    transfer->completion.start_cycle = tma_ticks_to_cycle(unit->clock_ticks);
    unit->start_ticks =
        unit->clock_ticks + (uint64_t)core->machine->tma.dispatch_interval_cycles * TMA_TICKS;
    return true;
}

/* The next cycle after `now` at which the unit has work: its next packet or, while the transfer at
 * the head waits for its tensor map, the arrival of the transfer behind, whose map it fetches
 * ahead. UINT64_MAX where the cycle is not known: the unit will be resumed. */
static uint64_t next_cycle(const struct tma_sms *sms, const struct tma_load_unit *unit,
                           uint64_t now) {
    const struct tma_transfer *transfer = &sms->transfers[unit->head];
    uint64_t cycle = tma_ticks_to_cycle(unit->clock_ticks);
    if (transfer->begun)
        return cycle;
    if (transfer->queued_cycle > cycle)
        cycle = transfer->queued_cycle;
    if (cycle <= now && !tma_stores_are_read(sms, transfer))
        return UINT64_MAX;
    uint64_t map_cycle = tma_descriptor_cycle(unit->waits, unit->head);
    if (map_cycle <= cycle || transfer->next == TMA_NONE)
        return tma_later(map_cycle, cycle);
    uint64_t behind_cycle = sms->transfers[transfer->next].queued_cycle;
    return behind_cycle > now && behind_cycle < map_cycle ? behind_cycle : map_cycle;
}

/* Puts a wake-up into the event queue, unless there is one for that cycle or before. */
static void schedule(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t now) {
    struct tma_load_unit *unit = &sms->load_units[sm];
    if (unit->head == TMA_NONE)
        return;
    uint64_t cycle = next_cycle(sms, unit, now);
    if (cycle <= now)
        cycle = now + 1;
    if (cycle == UINT64_MAX || (unit->scheduled && unit->wake_cycle <= cycle))
        return;
    unit->scheduled = true;
    unit->wake_cycle = cycle;
    tma_event_queue_push(&core->queue, tma_event_of(TMA_WAKE_UNIT, sm), cycle);
}

void tma_load_unit_resume(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t cycle) {
    schedule(core, sms, sm, cycle);
}

void tma_load_unit_enqueue(struct tma_core *core, struct tma_sms *sms, uint32_t id,
                           uint64_t cycle) {
    struct tma_transfer *transfer = &sms->transfers[id];
    struct tma_load_unit *unit = &sms->load_units[transfer->sm];
    transfer->queued_cycle = cycle;
    transfer->next = TMA_NONE;
    if (unit->head == TMA_NONE)
        unit->head = id;
    else
        sms->transfers[unit->tail].next = id;
    unit->tail = id;
    schedule(core, sms, transfer->sm, cycle - 1);
}

/* Fetches the tensor map of the transfer behind the head, if it has reached the unit. The head's
 * own map comes first. */
static void look_ahead(struct tma_core *core, struct tma_sms *sms, struct tma_load_unit *unit,
                       uint64_t cycle) {
    if (unit->head == TMA_NONE)
        return;
    const struct tma_transfer *transfer = &sms->transfers[unit->head];
    if (!transfer->begun && tma_descriptor_cycle(unit->waits, unit->head) == 0)
        return;
    if (transfer->next != TMA_NONE && sms->transfers[transfer->next].queued_cycle <= cycle)
        tma_descriptor_look_ahead(core, sms, unit->waits, transfer->next);
}

/* The store unit wakes up where its next store has waited for loads that have been made now, when
 * the last packet of these leaves. */
static struct tma_handover wake_next_store(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                           uint64_t cycle) {
    const struct tma_store_unit *stores = &sms->store_units[sm];
    if (stores->head != TMA_NONE || stores->coming == TMA_NONE)
        return tma_nowhere;
    const struct tma_transfer *store = &sms->transfers[stores->coming];
    uint64_t begin =
        tma_later(tma_ticks_to_cycle(sms->load_units[sm].sent_ticks), store->queued_cycle);
    if (!tma_loads_are_made(sms, store) || (stores->scheduled && stores->wake_cycle <= begin))
        return tma_nowhere;
    if (begin <= cycle)
        return tma_store_unit_wake_now(sms, sm, cycle);
    tma_store_unit_wake_at(core, sms, sm, begin);
    return tma_nowhere;
}

struct tma_handover tma_load_unit_wake(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                       uint64_t cycle) {
    struct tma_load_unit *unit = &sms->load_units[sm];
    uint32_t made = 0;
    bool finished = false;
    if (!unit->scheduled || unit->wake_cycle != cycle)
        return tma_nowhere;
    unit->scheduled = false;
    while (made < BATCH_PACKETS && unit->head != TMA_NONE && !core->out_of_memory) {
        if (!begin(core, sms, unit, cycle))
            break;
        uint32_t packets = make_packets(core, sms, unit, BATCH_PACKETS - made);
        if (packets == 0) {
            finish(core, sms, unit);
            finished = true;
        }
        made += packets;
    }
    look_ahead(core, sms, unit, cycle);
    schedule(core, sms, sm, cycle);
    return finished ? wake_next_store(core, sms, sm, cycle) : tma_nowhere;
}
