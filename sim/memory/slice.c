/* L2 slices: what happens to a request there. A request goes to the slice of its SM's own
 * partition; what that one doesn't have, and whose home is the other partition, it asks for there;
 * what the home doesn't have comes from DRAM, in fills of the promotion's size. */
#include <assert.h>

#include "memory/flight.h"

static uint32_t partition_of(const struct tma_memory *memory, const struct tma_request *request) {
    return memory->machine.topology.gpc_partition[request->gpc];
}

static struct tma_l2_set *set_of(struct tma_memory *memory, const struct tma_request *request) {
    return &memory->l2.sets[request->index.set];
}

/* Sends a request to a slice, where it is at `cycle`. */
static void go_to_slice(struct tma_memory *memory, uint32_t entry, uint32_t partition,
                        enum tma_stage stage, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    request->stage = stage & 7u;
    request->index = tma_l2_index(&memory->l2, partition, &request->place);
    tma_wheel_put(&memory->wheel, entry, cycle);
}

void tma_slice_send(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    request->place = tma_route_line(&memory->l2.dealing, request->line);
    go_to_slice(memory, entry, partition_of(memory, request), TMA_STAGE_SLICE,
                cycle + memory->machine.crossbar.request_cycles);
}

static struct tma_port *port_of(struct tma_memory *memory, uint32_t partition,
                                const struct tma_place *place) {
    return &memory->slices[partition * memory->l2.slices + place->server];
}

uint64_t tma_slice_take(struct tma_memory *memory, uint32_t partition,
                        const struct tma_place *place, uint64_t ticks, uint64_t cycle) {
    if (ticks < memory->interval_ticks)
        ticks = memory->interval_ticks;
    return tma_port_serve(port_of(memory, partition, place), cycle, ticks);
}

uint64_t tma_slice_look_up(struct tma_memory *memory, uint32_t partition,
                           const struct tma_place *place, uint64_t ticks, uint64_t cycle) {
    return tma_slice_take(memory, partition, place, ticks, cycle) +
           memory->machine.l2.lookup_cycles;
}

/* Sends a request's data back: they leave the slice of the SM's partition at `ready`, for the GPC's
 * port. Nobody waits for those of a prefetch. */
static void respond(struct tma_memory *memory, uint32_t entry, uint64_t ready) {
    struct tma_request *request = tma_request_at(memory, entry);
    if (request->direction == TMA_PREFETCH) {
        uint32_t flight = request->flight;
        tma_request_free(memory, entry);
        tma_flight_drop(memory, flight);
        return;
    }
    request->dram_cycles = (uint32_t)(ready - tma_known_cycle(request));
    request->stage = TMA_STAGE_RESPONSE;
    tma_wheel_put(&memory->wheel, entry, ready);
}

/* Sectors that a fill brings for `missing` ones of a line: whole blocks of 64 bytes, or the line.
 */
static uint32_t fill_sectors(enum tma_l2_promotion promotion, uint32_t missing) {
    if (promotion >= TMA_L2_128B)
        return TMA_ALL_SECTORS;
    return ((missing & 3u) != 0 ? 3u : 0u) | ((missing & 12u) != 0 ? 12u : 0u);
}

/* Sectors that a request's own partition had to fetch: as the profiler counts, for SMs alone. */
static void count_fetched(struct tma_memory *memory, const struct tma_request *request,
                          uint32_t sectors) {
    memory->counters.lookup_miss_sectors += request->descriptor ? 0 : sectors;
}

/* Fills a line from DRAM at its home, into a way or (-1) past the cache; gives the cycle at which
 * the data is there. `place` is where DRAM has it: a promoted line comes behind the first of its
 * block, in one access. */
static uint64_t fill(struct tma_memory *memory, const struct tma_request *request,
                     struct tma_l2_set *set, int way, uint32_t missing,
                     const struct tma_place *place, uint64_t cycle) {
    struct tma_flight *flight = &memory->flights[request->flight];
    uint32_t sectors = missing;
    if (request->direction != TMA_REDUCE)
        sectors = fill_sectors(flight->promotion, missing);
    else if (partition_of(memory, request) == request->place.home)
        sectors = fill_sectors(TMA_L2_NONE, missing);
    if (way >= 0)
        sectors &= ~tma_l2_sectors(set->valid, way);
    uint32_t count = tma_sector_count(sectors);
    uint64_t ready = tma_dram_read(&memory->dram, place, count, cycle);
    if (way >= 0)
        tma_l2_fill(&memory->l2, set, way, sectors, ready);
    flight->completion.fills++;
    flight->completion.fill_sectors += count;
    if (ready > flight->completion.fill_cycle)
        flight->completion.fill_cycle = ready;
    memory->counters.fills++;
    memory->counters.fill_sectors += count;
    if (partition_of(memory, request) == request->place.home)
        count_fetched(memory, request, count);
    return ready;
}

void tma_slice_write_back(struct tma_memory *memory, uint32_t set,
                          const struct tma_l2_victim *victim, uint64_t cycle) {
    if (victim->sectors == 0)
        return;
    /* Dirty lines are at home. */
    struct tma_l2_index index = {set, victim->tag};
    uint32_t slice = set / memory->l2.slice_sets;
    uint64_t line = tma_line_at(&memory->l2.dealing, slice / memory->l2.slices,
                                slice % memory->l2.slices, tma_l2_group(&memory->l2, index));
    struct tma_place place = tma_route_line(&memory->l2.dealing, line);
    tma_dram_write(&memory->dram, &place, tma_sector_count(victim->sectors), cycle);
}

int tma_slice_claim(struct tma_memory *memory, const struct tma_request *request, bool passing,
                    uint64_t cycle) {
    struct tma_l2_victim victim;
    int way =
        tma_l2_claim(&memory->l2, set_of(memory, request), request->index.tag, passing, &victim);
    tma_slice_write_back(memory, request->index.set, &victim, cycle);
    return way;
}

/* A promotion to 256 bytes takes place where the block's first sector is asked for. */
static bool is_promoted(const struct tma_memory *memory, const struct tma_request *request) {
    return memory->flights[request->flight].promotion == TMA_L2_256B && !request->descriptor &&
           request->direction != TMA_REDUCE && request->line % 2 == 0 && (request->asked & 1u) != 0;
}

/* Requests wait longer at the line's home than a promotion from the other partition would. */
static bool is_busy(struct tma_memory *memory, const struct tma_place *place) {
    uint64_t until = memory->wheel.now + memory->machine.l2.promotion_wait_cycles;
    return port_of(memory, place->home, place)->free_ticks > until * TMA_TICKS;
}

/* The other partition has a copy of all of a line (one that is there: not on its way), which its
 * home knows even where it has let go of the line. */
static bool is_copied(const struct tma_memory *memory, const struct tma_place *place) {
    if (memory->l2.partitions == 1)
        return false;
    struct tma_l2_index index = tma_l2_copy_index(&memory->l2, place);
    const struct tma_l2_set *set = &memory->l2.sets[index.set];
    int way = tma_l2_find(&memory->l2, set, index.tag);
    return way >= 0 && (set->waiting & 1u << way) == 0 &&
           tma_l2_sectors(set->valid, way) == TMA_ALL_SECTORS;
}

static void count_request(struct tma_memory *memory, uint32_t sectors) {
    memory->counters.requests++;
    memory->counters.sectors += tma_sector_count(sectors);
}

/* Promotion to 256 bytes: the second line of the block, which has the same home, is fetched along,
 * by a request that its slice sees in the next cycle. The SM's own partition counts it as the SM's,
 * and for a load makes it only if the line is not there yet; one that comes from the other
 * partition is dropped where the home is busy. */
static void promote(struct tma_memory *memory, const struct tma_request *of, uint64_t cycle) {
    struct tma_request pair = *of;
    pair.line |= 1;
    pair.asked = 0;
    pair.wanted = TMA_ALL_SECTORS;
    pair.place = tma_route_line(&memory->l2.dealing, pair.line);
    pair.index = tma_l2_index(&memory->l2, pair.place.home, &pair.place);
    bool near = partition_of(memory, of) == pair.place.home;
    if (is_copied(memory, &pair.place) || (!near && is_busy(memory, &pair.place)))
        return;
    struct tma_l2_set *set = set_of(memory, &pair);
    int way = tma_slice_claim(memory, &pair, !near, cycle);
    uint32_t missing = way < 0 ? 0 : TMA_ALL_SECTORS & ~tma_l2_sectors(set->valid, way);
    if (near && missing == 0 && of->direction == TMA_LOAD)
        return;
    tma_slice_look_up(memory, pair.place.home, &pair.place, 0, memory->wheel.now);
    if (near) {
        count_request(memory, TMA_ALL_SECTORS);
        memory->counters.miss_sectors += tma_sector_count(missing);
    }
    if (missing != 0)
        fill(memory, &pair, set, way, missing, &of->place, cycle);
}

/* Sectors that L2 did not have for a request. */
static void count_missed(struct tma_memory *memory, const struct tma_request *request,
                         uint32_t sectors) {
    if (request->descriptor) {
        memory->counters.descriptor_dram_fetches++;
        return;
    }
    memory->flights[request->flight].completion.miss_sectors += sectors;
    memory->counters.miss_sectors += sectors;
}

uint64_t tma_slice_data(struct tma_memory *memory, uint32_t entry, int way, uint64_t cycle) {
    const struct tma_request *request = tma_request_at(memory, entry);
    struct tma_l2_set *set = set_of(memory, request);
    uint32_t missing = request->wanted;
    if (way >= 0) {
        missing &= ~tma_l2_sectors(set->valid, way);
        tma_l2_ask(&memory->l2, set, way, request->asked);
    }
    if (missing == 0) {
        uint64_t ready = tma_l2_ready(set, way, cycle);
        if (request->direction == TMA_PREFETCH && ready > cycle && is_promoted(memory, request))
            promote(memory, request, cycle);
        return ready;
    }
    count_missed(memory, request, tma_sector_count(missing & request->asked));
    uint64_t ready = fill(memory, request, set, way, missing, &request->place, cycle);
    if (is_promoted(memory, request))
        promote(memory, request, cycle);
    return ready;
}

/* Looks a line up at its home and fills what is missing; gives the cycle at which all is there. */
static uint64_t home_data(struct tma_memory *memory, uint32_t entry, bool passing, uint64_t cycle) {
    int way = tma_slice_claim(memory, tma_request_at(memory, entry), passing, cycle);
    return tma_slice_data(memory, entry, way, cycle);
}

/* Waits in a line's list for data that somebody asked the home for. */
static void join(struct tma_l2_set *set, int way, struct tma_request *request, uint32_t entry) {
    request->next = set->ready[way];
    set->ready[way] = entry;
}

/* The home has fetched sectors that were asked of a copy. */
static void note_at_home(struct tma_memory *memory, const struct tma_place *place,
                         uint32_t sectors) {
    struct tma_l2_index index = tma_l2_index(&memory->l2, place->home, place);
    struct tma_l2_set *set = &memory->l2.sets[index.set];
    int way = tma_l2_find(&memory->l2, set, index.tag);
    if (way >= 0)
        tma_l2_note(&memory->l2, set, way, sectors);
}

/* At the slice of the SM's partition, where the line's home is the other one: a copy, or a way to
 * get it. */
static void request_copy(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    struct tma_l2_set *set = set_of(memory, request);
    int way = tma_slice_claim(memory, request, false, cycle);
    bool first = false, waiting = way >= 0 && (set->waiting & 1u << way) != 0;
    uint32_t missing = request->asked;
    if (way >= 0)
        missing = tma_l2_ask_copy(set, way, request->asked, &first);
    if (missing == 0 && waiting) {
        join(set, way, request, entry);
        return;
    }
    if (missing == 0) {
        if (first)
            note_at_home(memory, &request->place, request->asked);
        respond(memory, entry, tma_l2_ready(set, way, cycle));
        return;
    }
    /* As much is copied as would be filled from DRAM. */
    uint32_t copied = fill_sectors(memory->flights[request->flight].promotion, missing);
    if (way >= 0)
        copied &= ~tma_l2_sectors(set->valid, way);
    request->wanted = copied & 15u;
    memory->counters.partition_sectors += tma_sector_count(copied);
    count_fetched(memory, request, tma_sector_count(copied));
    if (way >= 0 && !waiting) {
        set->waiting = (uint16_t)(set->waiting | 1u << way);
        set->filling = (uint16_t)(set->filling & ~(1u << way));
        set->ready[way] = TMA_NONE;
    }
    if (way >= 0)
        set->valid |= tma_l2_of_way(way, copied);
    go_to_slice(memory, entry, request->place.home, TMA_STAGE_HOME,
                cycle + memory->machine.crossbar.partition_cycles);
}

/* A prefetch of a line whose home is the other partition leaves no copy: it goes on to the home. So
 * does the promotion that comes with it, which is not made there but here. */
static void prefetch_at_home(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    memory->counters.lookup_miss_sectors += tma_sector_count(request->asked);
    if (is_promoted(memory, request)) {
        count_request(memory, TMA_ALL_SECTORS);
        memory->counters.lookup_miss_sectors += TMA_SECTORS;
    }
    go_to_slice(memory, entry, request->place.home, TMA_STAGE_HOME,
                cycle + memory->machine.crossbar.partition_cycles);
}

void tma_slice_request(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    struct tma_request *request = tma_request_at(memory, entry);
    uint32_t partition = partition_of(memory, request);
    struct tma_port *port = port_of(memory, partition, &request->place);
    if (request->coalesces && tma_coalesce(memory, entry, cycle)) {
        tma_port_serve(port, cycle, memory->join_ticks);
        return;
    }
    uint64_t read_ticks =
        request->fill ? memory->fill_ticks : memory->read_ticks[tma_sector_count(request->asked)];
    uint64_t done = tma_slice_look_up(memory, partition, &request->place, read_ticks, cycle);
    request->known_cycles = (uint32_t)(done - request->sent_cycle);
    if (!request->descriptor)
        count_request(memory, request->asked);
    if (request->place.home != partition) {
        if (request->direction == TMA_PREFETCH)
            prefetch_at_home(memory, entry, done);
        else
            request_copy(memory, entry, done);
        return;
    }
    uint64_t ready = home_data(memory, entry, false, done);
    respond(memory, entry, ready);
}

/* Turns the list of those that wait for a line, which has the last one first, around. */
static uint32_t oldest_first(struct tma_memory *memory, uint32_t waiter) {
    uint32_t first = TMA_NONE;
    while (waiter != TMA_NONE) {
        struct tma_request *request = tma_request_at(memory, waiter);
        uint32_t next = request->next;
        request->next = first;
        first = waiter;
        waiter = next;
    }
    return first;
}

/* The home's answer is at the SM's partition at `ready`: lets go of all that waited for it there.
 */
static void release_waiters(struct tma_memory *memory, const struct tma_request *request,
                            uint64_t ready) {
    struct tma_l2_index index =
        tma_l2_index(&memory->l2, partition_of(memory, request), &request->place);
    struct tma_l2_set *set = &memory->l2.sets[index.set];
    int way = tma_l2_find(&memory->l2, set, index.tag);
    if (way < 0 || (set->waiting & 1u << way) == 0)
        return;
    uint32_t waiter = oldest_first(memory, set->ready[way]);
    set->waiting = (uint16_t)(set->waiting & ~(1u << way));
    tma_l2_fill(&memory->l2, set, way, 0, ready);
    uint32_t asked = 0;
    while (waiter != TMA_NONE) {
        uint32_t next = tma_request_at(memory, waiter)->next;
        asked |= tma_request_at(memory, waiter)->asked;
        uint64_t looked_up = tma_known_cycle(tma_request_at(memory, waiter));
        respond(memory, waiter, ready > looked_up ? ready : looked_up);
        waiter = next;
    }
    if (asked != 0)
        note_at_home(memory, &request->place, asked);
}

void tma_slice_home(struct tma_memory *memory, uint32_t entry, uint64_t cycle) {
    const struct tma_request *request = tma_request_at(memory, entry);
    bool prefetch = request->direction == TMA_PREFETCH;
    uint64_t read_ticks = prefetch ? 0 : memory->read_ticks[tma_sector_count(request->wanted)];
    uint64_t done =
        tma_slice_look_up(memory, request->place.home, &request->place, read_ticks, cycle);
    uint64_t ready =
        home_data(memory, entry, !prefetch, done) + memory->machine.crossbar.partition_cycles;
    respond(memory, entry, ready);
    if (!prefetch)
        release_waiters(memory, tma_request_at(memory, entry), ready);
}
