/* The load/store unit of an SM. Accesses of warps pass the data path of the SM, which is that of
 * shared memory, wavefront by wavefront, in the order of the calls. Then the unit looks up their
 * lines, in order. A load waits for sectors that others have requested, and requests those that
 * nobody has. Only so many requests may be on their way, and only so many flits of writes; while
 * there are no more, the unit waits, and with it all accesses behind. Requests go to L2 as those of
 * the TMA unit do, and the GPC's coalescer merges them but for those that must see what others have
 * written; responses come by the same port of the SM. */
#include <stddef.h>
#include <string.h>

#include "base/allocation.h"
#include "base/fuzzing.h"
#include "memory/sm/sms.h"

/* The pools grow by doubling. */
enum { FIRST_ACCESSES = TMA_UNLESS_FUZZING(256, 4), FIRST_DONE = TMA_UNLESS_FUZZING(256, 4) };

/* Requests have the number of the waiting line in 32 bits. */
enum { MOST_ACCESSES = 1 << 26 };

static bool grow_accesses(struct tma_lsus *lsus) {
    uint32_t old = lsus->access_count, count = old == 0 ? FIRST_ACCESSES : 2 * old;
    struct tma_access_in_flight *accesses =
        count > MOST_ACCESSES ? NULL : tma_resize(lsus->accesses, count, sizeof *accesses);
    if (accesses == NULL)
        return false;
    for (uint32_t i = count; i > old; i--) {
        accesses[i - 1].next = lsus->free_access;
        lsus->free_access = i - 1;
    }
    lsus->accesses = accesses;
    lsus->access_count = count;
    return true;
}

static bool grow_done(struct tma_lsus *lsus) {
    uint32_t old = lsus->done_capacity, capacity = old == 0 ? FIRST_DONE : 2 * old;
    struct tma_access_completion *ring = tma_allocate(capacity, sizeof *ring);
    if (ring == NULL)
        return false;
    for (uint32_t i = 0; i < lsus->done_count; i++)
        ring[i] = lsus->done[(lsus->done_head + i) % old];
    tma_release(lsus->done);
    lsus->done = ring;
    lsus->done_capacity = capacity;
    lsus->done_head = 0;
    return true;
}

static bool writes(const struct tma_access *access) {
    switch (access->kind) {
    case TMA_ACCESS_STORE:
    case TMA_ACCESS_REDUCE:
    case TMA_ACCESS_ATOMIC:
        return true;
    case TMA_ACCESS_LOAD:
    case TMA_ACCESS_INVALIDATE:
        break;
    }
    return false;
}

/* Whether lanes that have one address ask L2 one after the other. */
static bool has_rounds(const struct tma_access *access) {
    return access->kind == TMA_ACCESS_REDUCE || access->kind == TMA_ACCESS_ATOMIC;
}

/* Whether what an access requests goes into L1. */
static bool fills_l1(const struct tma_access *access) {
    if (writes(access))
        return false;
    switch (access->caching) {
    case TMA_CACHING_ALL:
    case TMA_CACHING_EVICT_FIRST:
    case TMA_CACHING_EVICT_LAST:
        return true;
    case TMA_CACHING_L2:
    case TMA_CACHING_COHERENT:
    case TMA_CACHING_NO_ALLOCATE:
        break;
    }
    return false;
}

static void set_done(struct tma_core *core, struct tma_lsus *lsus, uint32_t id) {
    struct tma_access_in_flight *flight = &lsus->accesses[id];
    if (lsus->done_count == lsus->done_capacity && !grow_done(lsus)) {
        core->out_of_memory = true;
        return;
    }
    uint32_t at = (lsus->done_head + lsus->done_count++) % lsus->done_capacity;
    lsus->done[at] = (struct tma_access_completion){flight->access.tag, flight->ready_cycle};
    flight->next = lsus->free_access;
    lsus->free_access = id;
    lsus->accesses_used--;
}

bool tma_sms_take_access(struct tma_sms *sms, struct tma_access_completion *completion) {
    struct tma_lsus *lsus = &sms->lsus;
    if (lsus->done_count == 0)
        return false;
    *completion = lsus->done[lsus->done_head];
    lsus->done_head = (lsus->done_head + 1) % lsus->done_capacity;
    lsus->done_count--;
    return true;
}

static void schedule(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t soonest) {
    const struct tma_lsus *lsus = &sms->lsus;
    struct tma_lsu *lsu = &lsus->units[sm];
    if (lsu->head == TMA_NONE || lsu->halted)
        return;
    uint64_t cycle =
        tma_later(lsus->accesses[lsu->head].queued_cycle, lsu->clock_ticks / TMA_TICKS);
    cycle = tma_later(cycle, soonest);
    if (lsu->scheduled && lsu->wake_cycle <= cycle)
        return;
    lsu->scheduled = true;
    lsu->wake_cycle = cycle;
    tma_event_queue_push(&core->queue,
                         tma_event_of(TMA_WAKE_UNIT, 2 * core->machine->sm_count + sm), cycle);
}

/* Loads that keep nothing in L1, or only for now, keep their lines in L2 as little. */
static enum tma_l2_hint hint_of(const struct tma_access *access, uint64_t line) {
    if (access->policy != 0)
        return tma_l2_policy_hint(access->policy, line);
    bool passes =
        access->caching == TMA_CACHING_NO_ALLOCATE || access->caching == TMA_CACHING_EVICT_FIRST;
    return access->kind == TMA_ACCESS_LOAD && passes ? TMA_L2_HINT_FIRST : TMA_L2_HINT_NONE;
}

/* The part of a packet that all requests of an access have in common. */
static struct tma_packet packet_of(const struct tma_core *core, const struct tma_access *access,
                                   uint32_t waiting, uint64_t line, uint32_t sectors) {
    return (struct tma_packet){
        .line = line,
        .sent_cycle = core->cycle,
        .sectors = (uint8_t)sectors,
        .wanted = (uint8_t)sectors,
        .sm = (uint8_t)access->sm,
        .gpc = (uint8_t)core->sm_gpc[access->sm],
        .promotion = TMA_L2_NONE,
        .hint = hint_of(access, line) & 3u,
        .merged = TMA_NONE,
        .of_access = true,
        .waiting = waiting,
    };
}

/* Requests sectors of a line from the SM's partition of L2. */
static void request(struct tma_core *core, struct tma_lsu *lsu, const struct tma_access *access,
                    uint32_t waiting, uint64_t line, uint32_t sectors) {
    uint32_t id = tma_packet_new(core);
    if (id == TMA_NONE)
        return;
    struct tma_packet *packet = tma_packet_at(core, id);
    *packet = packet_of(core, access, waiting, line, sectors);
    packet->kind = TMA_PACKET_LOAD;
    tma_locate_read(core, packet, &core->gpc_sides[packet->gpc]);
    packet->coalesces = access->caching != TMA_CACHING_COHERENT;
    lsu->misses++;
    tma_send_out(core, id);
}

/* Flits of a round of a line: as tma_write_flits. */
static uint32_t flits_of(const struct tma_access *access, const struct tma_access_line *line) {
    return tma_write_flits(access->kind == TMA_ACCESS_STORE ? TMA_PACKET_STORE : TMA_PACKET_REDUCE,
                           line->sectors, access->kind != TMA_ACCESS_ATOMIC && line->partial);
}

/* Sends a write to the home of its line, by way of the slice of the SM's partition. */
static void write(struct tma_core *core, struct tma_lsu *lsu, const struct tma_access *access,
                  uint32_t waiting, const struct tma_access_line *line) {
    uint32_t id = tma_packet_new(core);
    if (id == TMA_NONE)
        return;
    struct tma_packet *packet = tma_packet_at(core, id);
    struct tma_line_place place = tma_place_at_home(core, line->line);
    *packet = packet_of(core, access, waiting, line->line, line->sectors);
    packet->kind = access->kind == TMA_ACCESS_STORE ? TMA_PACKET_STORE : TMA_PACKET_REDUCE;
    packet->partial = access->kind != TMA_ACCESS_ATOMIC && line->partial;
    packet->returns = access->kind == TMA_ACCESS_ATOMIC;
    packet->index = place.index;
    packet->server = place.server;
    lsu->credits -= (int32_t)flits_of(access, line);
    tma_send_out(core, id);
}

/* Adds a line of an access to those that wait for sectors of a line of L1. */
static void wait_in_l1(struct tma_lsus *lsus, struct tma_l1_line *line, uint32_t waiting) {
    uint32_t *end = line->first == TMA_NONE ? &line->first
                                            : &lsus->accesses[line->last / TMA_MAX_ACCESS_LINES]
                                                   .next_waiting[line->last % TMA_MAX_ACCESS_LINES];
    *end = line->last = waiting;
    lsus->accesses[waiting / TMA_MAX_ACCESS_LINES].next_waiting[waiting % TMA_MAX_ACCESS_LINES] =
        TMA_NONE;
}

/* Looks up a line of a load. False if the unit has to wait, with nothing changed. */
static bool look_up(struct tma_core *core, struct tma_lsus *lsus, struct tma_lsu *lsu,
                    struct tma_access_in_flight *flight, uint32_t waiting) {
    const struct tma_machine *machine = core->machine;
    const struct tma_access *access = &flight->access;
    const struct tma_access_line *line = &access->lines[waiting % TMA_MAX_ACCESS_LINES];
    struct tma_l1 *l1 = &lsu->l1;
    bool room = lsu->misses < machine->l1.misses;
    uint32_t number = TMA_NONE, missing = line->sectors, absent;
    if (access->caching != TMA_CACHING_L2 && access->caching != TMA_CACHING_COHERENT)
        number = tma_l1_find(l1, line->line);
    if (number != TMA_NONE)
        missing &= ~(uint32_t)l1->lines[number].valid;
    absent = missing;
    if (number != TMA_NONE && fills_l1(access))
        absent &= ~(uint32_t)l1->lines[number].pending;
    if (absent != 0 && !room)
        return false;
    if (number == TMA_NONE && fills_l1(access)) {
        number = tma_l1_allocate(l1, line->line);
        if (number == TMA_NONE)
            return false;
    }
    core->counters.l1_sectors += tma_sector_count(line->sectors);
    core->counters.l1_hit_sectors += tma_sector_count(line->sectors & ~missing);
    if (number != TMA_NONE) {
        tma_l1_use(l1, number, access->caching == TMA_CACHING_EVICT_FIRST);
        l1->lines[number].keep |= access->caching == TMA_CACHING_EVICT_LAST;
    }
    if (missing == 0) {
        flight->ready_cycle = tma_later(flight->ready_cycle, core->cycle + machine->l1.hit_cycles);
        return true;
    }
    flight->outstanding++;
    if (fills_l1(access)) {
        l1->lines[number].pending |= (uint8_t)absent;
        wait_in_l1(lsus, &l1->lines[number], waiting);
    }
    if (absent != 0)
        request(core, lsu, access, waiting, line->line, absent);
    return true;
}

/* Sends a line of a store, reduction or atomic to L2. False if the unit has to wait. */
static bool write_through(struct tma_core *core, struct tma_lsu *lsu,
                          struct tma_access_in_flight *flight, uint32_t waiting) {
    const struct tma_access *access = &flight->access;
    const struct tma_access_line *line = &access->lines[waiting % TMA_MAX_ACCESS_LINES];
    if (lsu->credits <= 0)
        return false;
    flight->outstanding++;
    write(core, lsu, access, waiting, line);
    if (access->kind == TMA_ACCESS_STORE)
        return true;
    uint32_t number = tma_l1_find(&lsu->l1, line->line);
    if (number != TMA_NONE)
        lsu->l1.lines[number].valid &= (uint8_t)~line->sectors;
    return true;
}

/* For how long the line that was looked up occupies the unit. */
static uint64_t ticks_of(const struct tma_lsus *lsus, const struct tma_access_in_flight *flight) {
    const struct tma_access *access = &flight->access;
    uint64_t ticks = lsus->tag_ticks;
    if (writes(access)) {
        uint32_t flits = flits_of(access, &access->lines[flight->looked_up]);
        ticks = tma_later(ticks, flits * lsus->flit_ticks);
    }
    if (flight->looked_up > 0 || flight->rounds > 0 || access->line_count > 1)
        return ticks;
    return tma_later(ticks, lsus->access_ticks);
}

/* Sends the access at the head to the SM that has the shared memory. In its own SM it is one of
 * shared memory. */
static void take_distant(struct tma_core *core, struct tma_sms *sms, struct tma_lsu *lsu) {
    uint32_t id = lsu->head;
    struct tma_access_in_flight *flight = &sms->lsus.accesses[id];
    const struct tma_access *access = &flight->access;
    uint64_t now = core->cycle * TMA_TICKS, sent = now;
    lsu->head = flight->next;
    lsu->waiting--;
    flight->looked_up = access->line_count;
    if (access->peer == access->sm) {
        flight->ready_cycle = core->cycle + core->machine->l1.hit_cycles;
        set_done(core, &sms->lsus, id);
    } else {
        flight->outstanding = 1;
        sent = tma_dsmem_request(core, sms, access, id * TMA_MAX_ACCESS_LINES);
    }
    lsu->clock_ticks = tma_later(lsu->clock_ticks, tma_later(sent, now));
}

/* Looks up the next line of the access at the head, or sends the next round of it. False if the
 * unit has to wait. */
static bool take_line(struct tma_core *core, struct tma_lsus *lsus, struct tma_lsu *lsu) {
    uint32_t id = lsu->head;
    struct tma_access_in_flight *flight = &lsus->accesses[id];
    uint32_t waiting = id * TMA_MAX_ACCESS_LINES + flight->looked_up;
    if (flight->access.kind == TMA_ACCESS_INVALIDATE)
        tma_l1_invalidate(&lsu->l1);
    else if (!(writes(&flight->access) ? write_through(core, lsu, flight, waiting)
                                       : look_up(core, lsus, lsu, flight, waiting)))
        return false;
    uint64_t ticks = ticks_of(lsus, flight);
    lsu->clock_ticks = tma_later(lsu->clock_ticks, core->cycle * TMA_TICKS) + ticks;
    lsu->busy_ticks += ticks;
    if (has_rounds(&flight->access) &&
        ++flight->rounds < flight->access.lines[flight->looked_up].rounds)
        return true;
    flight->rounds = 0;
    if (++flight->looked_up < flight->access.line_count)
        return true;
    lsu->head = flight->next;
    lsu->waiting--;
    if (flight->outstanding == 0)
        set_done(core, lsus, id);
    return true;
}

TMA_RARE struct tma_handover tma_lsu_wake(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                          uint64_t cycle) {
    struct tma_lsus *lsus = &sms->lsus;
    struct tma_lsu *lsu = &lsus->units[sm];
    if (!lsu->scheduled || lsu->wake_cycle != cycle)
        return tma_nowhere;
    lsu->scheduled = false;
    while (lsu->head != TMA_NONE && lsus->accesses[lsu->head].queued_cycle <= cycle &&
           lsu->clock_ticks / TMA_TICKS <= cycle && !lsu->halted && !core->out_of_memory)
        if (lsus->accesses[lsu->head].access.distant)
            take_distant(core, sms, lsu);
        else
            lsu->halted = !take_line(core, lsus, lsu);
    schedule(core, sms, sm, cycle + 1);
    return tma_nowhere;
}

/* A line of an access has all of its sectors, or L2 has them, at `cycle`. */
static void end_wait(struct tma_core *core, struct tma_lsus *lsus, uint32_t waiting,
                     uint64_t cycle) {
    struct tma_access_in_flight *flight = &lsus->accesses[waiting / TMA_MAX_ACCESS_LINES];
    flight->ready_cycle = tma_later(flight->ready_cycle, cycle);
    flight->outstanding--;
    if (flight->outstanding == 0 && flight->looked_up == flight->access.line_count)
        set_done(core, lsus, waiting / TMA_MAX_ACCESS_LINES);
}

/* Sectors arrive in L1. Ends the wait of all that have theirs now. */
static void fill(struct tma_core *core, struct tma_lsus *lsus, struct tma_l1 *l1, uint64_t address,
                 uint32_t sectors, uint64_t cycle) {
    uint32_t number = tma_l1_find(l1, address);
    assert(number != TMA_NONE && (sectors & ~(uint32_t)l1->lines[number].pending) == 0);
    struct tma_l1_line *line = &l1->lines[number];
    line->valid |= (uint8_t)sectors;
    line->pending &= (uint8_t)~sectors;
    uint32_t waiting = line->first;
    line->first = TMA_NONE;
    while (waiting != TMA_NONE) {
        const struct tma_access_in_flight *flight = &lsus->accesses[waiting / TMA_MAX_ACCESS_LINES];
        uint32_t i = waiting % TMA_MAX_ACCESS_LINES, next = flight->next_waiting[i];
        if ((flight->access.lines[i].sectors & line->pending) != 0)
            wait_in_l1(lsus, line, waiting);
        else
            end_wait(core, lsus, waiting, cycle);
        waiting = next;
    }
}

TMA_RARE struct tma_handover tma_lsu_receive_response(struct tma_core *core, struct tma_sms *sms,
                                                      uint32_t id, uint64_t passed) {
    const struct tma_packet *packet = tma_packet_at(core, id);
    uint32_t sectors = tma_sector_count(packet->sectors);
    uint64_t arrival =
        tma_port_serve(&sms->ports[packet->sm], passed + core->response_cycles[packet->sm],
                       sectors * sms->lsus.sector_ticks);
    if (packet->kind == TMA_PACKET_LOAD) /* an atomic had both ways on the first one */
        arrival += tma_hop_cycles(core, packet->gpc, packet->server);
    core->counters.response_sectors += sectors;
    tma_send(core, TMA_TO_LSU, id, tma_later(arrival, core->cycle + 1));
    return tma_nowhere;
}

TMA_RARE struct tma_handover tma_lsu_receive(struct tma_core *core, struct tma_sms *sms,
                                             uint32_t id, uint64_t cycle) {
    const struct tma_packet packet = *tma_packet_at(core, id);
    struct tma_lsus *lsus = &sms->lsus;
    struct tma_lsu *lsu = &lsus->units[packet.sm];
    uint64_t ready = cycle + core->machine->l1.fill_cycles;
    if (packet.distant) {
        if (tma_dsmem_receive(core, sms, id, cycle)) {
            tma_packet_free(core, id);
            end_wait(core, lsus, packet.waiting, ready);
        }
        return tma_nowhere;
    }
    tma_packet_free(core, id);
    if (packet.kind == TMA_PACKET_REDUCE) {
        lsu->credits += (int32_t)tma_write_flits(packet.kind, packet.sectors, packet.partial);
    } else {
        lsu->misses--;
        core->counters.l1_miss_cycles += cycle - packet.sent_cycle;
    }
    if (fills_l1(&lsus->accesses[packet.waiting / TMA_MAX_ACCESS_LINES].access))
        fill(core, lsus, &lsu->l1, packet.line, packet.sectors, ready);
    else
        end_wait(core, lsus, packet.waiting, ready);
    lsu->halted = false;
    schedule(core, sms, packet.sm, cycle + 1);
    return tma_nowhere;
}

TMA_RARE struct tma_handover tma_lsu_receive_written(struct tma_core *core, struct tma_sms *sms,
                                                     uint32_t id, uint64_t cycle) {
    const struct tma_packet packet = *tma_packet_at(core, id);
    struct tma_lsus *lsus = &sms->lsus;
    struct tma_lsu *lsu = &lsus->units[packet.sm];
    bool credits_only = packet.kind == TMA_PACKET_CREDIT;
    enum tma_packet_kind kind = credits_only ? TMA_PACKET_REDUCE : packet.kind;
    lsus->units[packet.sm].credits +=
        (int32_t)tma_write_flits(kind, packet.sectors, packet.partial);
    tma_packet_free(core, id);
    uint64_t way = core->response_cycles[packet.sm];
    if (!tma_is_near(core, &packet))
        way += tma_crossing_cycles(core, packet.server);
    if (!credits_only)
        end_wait(core, lsus, packet.waiting, cycle + way);
    lsu->halted = false;
    schedule(core, sms, packet.sm, cycle + 1);
    return tma_nowhere;
}

bool tma_sms_access(struct tma_core *core, struct tma_sms *sms, const struct tma_access *access) {
    struct tma_lsus *lsus = &sms->lsus;
    struct tma_lsu *lsu = &lsus->units[access->sm];
    assert(access->line_count <= TMA_MAX_ACCESS_LINES);
    assert((access->line_count > 0) == (access->kind != TMA_ACCESS_INVALIDATE));
    if (!tma_l1_exists(&lsu->l1) &&
        !tma_l1_create(&lsu->l1, lsus->l1_bytes, core->machine->l1.ways))
        return false;
    if (sms->transfer_count == 0 && !tma_transfers_grow(core, sms))
        return false;
    if (lsus->free_access == TMA_NONE && !grow_accesses(lsus))
        return false;
    uint32_t id = lsus->free_access;
    struct tma_access_in_flight *flight = &lsus->accesses[id];
    lsus->free_access = flight->next;
    lsus->accesses_used++;
    memcpy(&flight->access, access,
           offsetof(struct tma_access, lines) + access->line_count * sizeof access->lines[0]);
    flight->queued_cycle = tma_shared_port_access(&sms->shared[access->sm],
                                                  access->cycle + core->machine->l1.issue_cycles,
                                                  access->wavefronts * lsus->wavefront_ticks);
    flight->ready_cycle = flight->queued_cycle;
    flight->next = TMA_NONE;
    flight->looked_up = flight->outstanding = flight->rounds = 0;
    if (lsu->head == TMA_NONE)
        lsu->head = id;
    else
        lsus->accesses[lsu->tail].next = id;
    lsu->tail = id;
    lsu->waiting++;
    if (access->distant) {
        core->counters.dsmem_accesses++;
        core->counters.dsmem_bytes += access->bytes;
        schedule(core, sms, access->sm, flight->queued_cycle);
        return true;
    }
    core->counters.accesses++;
    core->counters.access_bytes += access->bytes;
    for (uint32_t i = 0; i < access->line_count; i++) {
        tma_l1_prefetch(&lsu->l1, access->lines[i].line);
        core->counters.access_sectors += tma_sector_count(access->lines[i].sectors);
        if (has_rounds(access) && access->lines[i].rounds > 1)
            core->counters.access_repeats += access->lines[i].rounds - 1u;
    }
    schedule(core, sms, access->sm, flight->queued_cycle);
    return true;
}

enum tma_error_code tma_lsus_create(struct tma_sms *sms, struct tma_error *error) {
    const struct tma_machine *machine = sms->core->machine;
    struct tma_lsus *lsus = &sms->lsus;
    *lsus = (struct tma_lsus){
        .units = tma_allocate(machine->sm_count, sizeof *lsus->units),
        .wavefront_ticks = tma_millicycles_to_ticks(machine->l1.wavefront_millicycles),
        .tag_ticks = tma_millicycles_to_ticks(machine->l1.tag_millicycles),
        .flit_ticks = tma_millicycles_to_ticks(machine->l1.write_flit_millicycles),
        .access_ticks = tma_millicycles_to_ticks(machine->l1.access_millicycles),
        .sector_ticks = tma_sector_ticks(machine->l1.port_bytes_per_kcycle),
        .free_access = TMA_NONE,
    };
    if (lsus->units == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u SMs", machine->sm_count);
    for (uint32_t sm = 0; sm < machine->sm_count; sm++) {
        lsus->units[sm].head = TMA_NONE;
        lsus->units[sm].credits = (int32_t)machine->l1.write_flits;
    }
    tma_sms_carve_out(sms, 0);
    return TMA_OK;
}

void tma_lsus_free(struct tma_sms *sms) {
    struct tma_lsus *lsus = &sms->lsus;
    for (uint32_t sm = 0; lsus->units != NULL && sm < sms->core->machine->sm_count; sm++)
        tma_l1_free(&lsus->units[sm].l1);
    TMA_RELEASE(lsus->units, lsus->accesses, lsus->done);
}

void tma_sms_carve_out(struct tma_sms *sms, uint64_t shared_bytes) {
    const struct tma_machine *machine = sms->core->machine;
    uint64_t used = tma_machine_carve_out(machine, shared_bytes) + machine->l1.reserved_bytes;
    uint64_t all = machine->l1.capacity_bytes;
    sms->lsus.l1_bytes = all > used ? all - used : 0;
}
