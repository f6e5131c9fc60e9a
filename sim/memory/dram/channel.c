#include "memory/dram/channel.h"

#include <assert.h>

#include "base/allocation.h"
#include "base/array.h"
#include "memory/core/random.h"
#include "memory/core/sectors.h"
#include "memory/core/slice_hash.h"
#include "memory/dram/address.h"
#include "memory/dram/refresh.h"
#include "memory/dram/scheduler.h"
#include "memory/dram/state.h"

/* Banks: the commands that open and close rows, and when a bank takes them. */

/* The first time from `ticks` on that is at least tRRD from the activations of all other banks. An
 * activation that waits for its bank does not hold up others: these fit before it. */
static uint64_t free_slot(const struct tma_dram *dram, const struct tma_dram_channel *channel,
                          uint32_t number, uint64_t ticks) {
    const uint64_t trrd = dram->trrd_ticks, span = trrd == 0 ? 0 : 2 * trrd - 1;
    const uint64_t *activated = channel->activated_ticks,
                   *end = activated + dram->machine->dram.banks;
    const uint64_t *own = activated + number;
    bool fits = ticks >= channel->last_activation_ticks + trrd;
    while (!fits) {
        fits = true;
        for (const uint64_t *other = activated; other < end; other++)
            if (ticks + trrd - 1 - *other < span && other != own) { /* less than tRRD apart */
                ticks = *other + trrd;
                fits = false;
            }
    }
    return ticks;
}

/* Opens a row of a bank, from `ticks` on: once the bank has closed its last row (tRP after tRAS and
 * after that row's last access), at least tRRD from the channel's other activations, and after a
 * refresh that would close the row before its first access. The row takes column commands tRCD
 * later, from opened_ticks on. */
static void dram_activate(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t number,
                          uint64_t row, uint64_t ticks) {
    struct tma_dram_bank *bank = &channel->banks[number];
    uint64_t *activated = &channel->activated_ticks[number];
    uint64_t activate = ticks;
    if (*activated != TMA_NEVER_ACTIVATED) {
        uint64_t precharge = tma_later(*activated + dram->tras_ticks, bank->precharge_ticks);
        activate = tma_later(ticks, precharge + dram->trp_ticks);
    }
    activate = free_slot(dram, channel, number, activate);
    const uint64_t use = dram->trcd_ticks + dram->data_ticks[TMA_SECTORS];
    /* The bank's next refresh is still that which would close its last row. */
    struct tma_refresh refresh = {.start_ticks = bank->closes_ticks};
    if (activate + use > refresh.start_ticks)
        refresh = dram->refresh->next(dram, channel, number, activate);
    if (activate + use > refresh.start_ticks) {
        activate = free_slot(dram, channel, number, refresh.end_ticks);
        refresh = dram->refresh->next(dram, channel, number, refresh.end_ticks);
    }
    *activated = activate;
    channel->last_activation_ticks = tma_later(channel->last_activation_ticks, activate);
    bank->row = row;
    bank->opened_ticks = activate + dram->trcd_ticks;
    bank->closes_ticks = refresh.start_ticks;
}

static const struct tma_dram_list empty_list = {TMA_NONE, TMA_NONE};
static const struct tma_dram_queue empty_queue = {
    .first_ready_ticks = {[0 ... TMA_DRAM_MAX_GROUPS - 1] = UINT64_MAX},
    .runs = {[0 ... TMA_DRAM_MAX_GROUPS - 1] = {TMA_NONE, TMA_NONE}}};

/* A FIFO of requests that wait for room in a queue: a ring that grows. */
enum { FIRST_REQUESTS = 64 };

/* Doubles the ring. False when out of memory. */
static bool fifo_grow(struct tma_dram_fifo *fifo) {
    uint32_t capacity = fifo->capacity == 0 ? FIRST_REQUESTS : 2 * fifo->capacity;
    struct tma_dram_request *requests = tma_allocate_lines(capacity, sizeof *requests);
    if (requests == NULL)
        return false;
    for (uint32_t i = 0; i < fifo->count; i++)
        requests[i] = fifo->requests[(fifo->first + i) & (fifo->capacity - 1)];
    tma_release(fifo->requests);
    fifo->requests = requests;
    fifo->capacity = capacity;
    fifo->first = 0;
    return true;
}

/* Appends a request. False when out of memory. */
static bool fifo_put(struct tma_dram_fifo *fifo, const struct tma_dram_request *request) {
    if (fifo->count == fifo->capacity && !fifo_grow(fifo))
        return false;
    fifo->requests[(fifo->first + fifo->count) & (fifo->capacity - 1)] = *request;
    fifo->count++;
    __builtin_prefetch(&fifo->requests[(fifo->first + fifo->count) & (fifo->capacity - 1)], 1);
    return true;
}

/* The first request of a FIFO that has some. */
static inline const struct tma_dram_request *fifo_first(const struct tma_dram_fifo *fifo) {
    return &fifo->requests[fifo->first];
}

/* Takes the first request, and prefetches those behind it into the host's caches. */
static inline struct tma_dram_request fifo_take(struct tma_dram_fifo *fifo) {
    enum { AHEAD = 4 };
    const struct tma_dram_request request = fifo->requests[fifo->first];
    __builtin_prefetch(&fifo->requests[(fifo->first + AHEAD) & (fifo->capacity - 1)], 1);
    fifo->first = (fifo->first + 1) & (fifo->capacity - 1);
    fifo->count--;
    return request;
}

/* Requests that all queues admit together. */
static size_t admitted_requests(const struct tma_machine *machine) {
    return (size_t)machine->dram.channels * TMA_DRAM_QUEUES *
           tma_dram_scheduler_policy(machine->dram.scheduler)->window(machine);
}

uint64_t tma_dram_bytes(const struct tma_machine *machine) {
    uint64_t banks = (uint64_t)machine->dram.channels * machine->dram.banks;
    return admitted_requests(machine) * sizeof(struct tma_dram_request) +
           banks * (sizeof(struct tma_dram_bank) + sizeof(uint64_t));
}

/* When the channels of a slice begin a refresh of their first bank. Slices of one partition do so
 * within dram.refresh_spread, each second one of eight neighbours at a time of its own. Partitions
 * follow each other as banks do. */
static uint64_t refresh_phase(const struct tma_dram *dram, uint32_t slice) {
    enum { NEIGHBOURS = 8 };
    const struct tma_machine *machine = dram->machine;
    uint32_t partition = slice / dram->partition_slices, server = slice % dram->partition_slices;
    uint64_t eight = (uint64_t)partition * dram->partition_slices + server / NEIGHBOURS;
    uint64_t seed = dram->refresh_seed;
    uint64_t spread =
        tma_picoseconds_to_ticks(machine->dram.refresh_spread_ps, machine->sm_clock_mhz);
    uint64_t offset = tma_mix64(seed + 1 + eight * 2 + server % 2) % (spread + 1);
    uint64_t before = (machine->l2.partitions - 1 - partition) * dram->trrefd_ticks;
    return (seed % dram->trefi_ticks + before + offset) % dram->trefi_ticks;
}

static void create_channels(struct tma_dram *dram) {
    const struct tma_machine *machine = dram->machine;
    for (uint32_t i = 0; i < machine->dram.channels; i++)
        dram->channels[i] = (struct tma_dram_channel){
            .banks = &dram->banks[(size_t)i * machine->dram.banks],
            .activated_ticks = &dram->activated_ticks[(size_t)i * machine->dram.banks],
            .queues = {empty_queue, empty_queue},
            .free_request = TMA_NONE,
            .wake_cycle = UINT64_MAX,
        };
    for (size_t i = 0; i < (size_t)machine->dram.channels * machine->dram.banks; i++) {
        dram->banks[i] = (struct tma_dram_bank){.waiting = empty_list};
        dram->activated_ticks[i] = TMA_NEVER_ACTIVATED;
    }
    const uint32_t pool = TMA_DRAM_QUEUES * dram->window;
    for (uint32_t i = machine->dram.channels * pool; i > 0; i--) {
        uint32_t *first = &dram->channels[(i - 1) / pool].free_request;
        dram->requests[i - 1].next = *first;
        *first = i - 1;
    }
    uint32_t each = (uint32_t)dram->by_slice_channels.by;
    for (uint32_t i = 0; i < machine->l2.slices; i++) {
        dram->slice_channels[i] = i * each % machine->dram.channels;
        for (uint32_t k = 0; k < each; k++)
            dram->channels[dram->slice_channels[i] + k].refresh_phase_ticks =
                refresh_phase(dram, i);
    }
}

/* Time that a sector takes the bus of a channel. All channels halt for a part of the time, at
 * moments that differ from launch to launch: a sector takes so much longer on average. */
static uint64_t sector_ticks(const struct tma_machine *machine) {
    uint64_t ticks = (uint64_t)TMA_SECTOR_BYTES * 1000 * TMA_TICKS * machine->dram.channels /
                     tma_machine_dram_bytes_per_kcycle(machine);
    uint64_t interval = machine->dram.halt_interval_ps, halt = machine->dram.halt_ps;
    return halt == 0 ? ticks : ticks * interval / (interval - halt);
}

/* Sectors that one column command moves: a burst of eight beats. */
static uint32_t burst_sectors(const struct tma_machine *machine) {
    uint32_t sectors = machine->dram.bus_bits / machine->dram.channels / TMA_SECTOR_BYTES;
    return sectors > 0 ? sectors : 1;
}

/* Channels behind each L2 slice. */
static uint32_t slice_channels(const struct tma_machine *machine) {
    uint32_t channels = machine->dram.channels / machine->l2.slices;
    return channels > 0 ? channels : 1;
}

/* Requests of each size take so much time. Their bursts are tCCD_L apart: the bus moves data of
 * other bank groups between them. */
static void set_data_ticks(struct tma_dram *dram) {
    const uint32_t each = burst_sectors(dram->machine);
    for (uint32_t sectors = 1; sectors <= TMA_SECTORS; sectors++) {
        uint32_t bursts = (sectors + each - 1) / each;
        uint64_t last = (bursts - 1) * dram->tccd_long_ticks + each * dram->sector_ticks;
        dram->data_ticks[sectors] = tma_later(sectors * dram->sector_ticks, last);
        dram->columns_ticks[sectors] = bursts * dram->tccd_long_ticks;
    }
}

/* Less than an access takes: L2 can't have the data before the channel wakes up. */
static uint64_t wake_cycles(const struct tma_dram *dram) {
    uint64_t access = dram->access_ticks / TMA_TICKS, lookup = dram->machine->l2.lookup_cycles;
    return (lookup < access ? lookup : access) / 2;
}

/* Banks refresh dram.trrefd apart, or less if an interval has not the time for all of them. */
static void set_refresh_round(struct tma_dram *dram) {
    const struct tma_machine *machine = dram->machine;
    uint64_t even = dram->trefi_ticks / machine->dram.banks;
    uint64_t apart = tma_picoseconds_to_ticks(machine->dram.trrefd_ps, machine->sm_clock_mhz);
    dram->trrefd_ticks = apart < even ? apart : even;
}

enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error) {
    uint32_t channels = machine->dram.channels;
    size_t banks = (size_t)channels * machine->dram.banks;
    uint64_t mhz = machine->sm_clock_mhz;
    *dram = (struct tma_dram){
        .machine = machine,
        .scheduler = tma_dram_scheduler_policy(machine->dram.scheduler),
        .refresh = tma_refresh_policy(machine->dram.refresh_policy),
        .channels = tma_allocate_lines(channels, sizeof *dram->channels),
        .slice_channels = tma_allocate(machine->l2.slices, sizeof *dram->slice_channels),
        .banks = tma_allocate_lines(banks, sizeof *dram->banks),
        .activated_ticks = tma_allocate_lines(banks, sizeof *dram->activated_ticks),
        .requests = tma_allocate_lines(admitted_requests(machine), sizeof *dram->requests),
        .partition_slices = machine->l2.slices / machine->l2.partitions,
        .groups = machine->dram.ranks * machine->dram.bank_groups,
        .rank_groups = machine->dram.bank_groups,
        .group_banks = machine->dram.banks / (machine->dram.ranks * machine->dram.bank_groups),
        .by_row_blocks =
            tma_divisor_of(machine->dram.row_bytes / (TMA_BLOCK_LINES * TMA_LINE_BYTES)),
        .by_slice_channels = tma_divisor_of(slice_channels(machine)),
        .by_banks = tma_divisor_of(machine->dram.banks),
        .sector_ticks = sector_ticks(machine),
        .access_ticks = tma_picoseconds_to_ticks(machine->dram.access_ps, mhz),
        .access_spread_ticks = tma_picoseconds_to_ticks(machine->dram.access_spread_ps, mhz),
        .trcd_ticks = tma_picoseconds_to_ticks(machine->dram.trcd_ps, mhz),
        .trp_ticks = tma_picoseconds_to_ticks(machine->dram.trp_ps, mhz),
        .tras_ticks = tma_picoseconds_to_ticks(machine->dram.tras_ps, mhz),
        .trrd_ticks = tma_picoseconds_to_ticks(machine->dram.trrd_ps, mhz),
        .tccd_long_ticks = tma_picoseconds_to_ticks(machine->dram.tccd_long_ps, mhz),
        .trtp_ticks = tma_picoseconds_to_ticks(machine->dram.trtp_ps, mhz),
        .twr_ticks = tma_picoseconds_to_ticks(machine->dram.twr_ps, mhz),
        .trtw_ticks = tma_picoseconds_to_ticks(machine->dram.trtw_ps, mhz),
        .twtr_ticks = tma_picoseconds_to_ticks(machine->dram.twtr_ps, mhz),
        .trfc_ticks = tma_picoseconds_to_ticks(machine->dram.trfc_ps, mhz),
        .trefi_ticks = tma_picoseconds_to_ticks(machine->dram.trefi_ps, mhz),
        .refresh_seed = tma_mix64(machine->topology.seed),
    };
    tma_dram_prepare_places(dram);
    dram->window = dram->scheduler->window(machine);
    dram->wake_cycles = wake_cycles(dram);
    dram->by_refresh = tma_divisor_of(dram->trefi_ticks);
    set_refresh_round(dram);
    set_data_ticks(dram);
    if (dram->channels == NULL || dram->banks == NULL || dram->slice_channels == NULL ||
        dram->activated_ticks == NULL || dram->requests == NULL) {
        tma_dram_free(dram);
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %u DRAM channels", channels);
    }
    create_channels(dram);
    return TMA_OK;
}

void tma_dram_free(struct tma_dram *dram) {
    for (uint32_t i = 0; dram->channels != NULL && i < dram->machine->dram.channels; i++)
        for (uint32_t k = 0; k < TMA_DRAM_QUEUES; k++)
            tma_release(dram->channels[i].queues[k].outside.requests);
    TMA_RELEASE(dram->channels, dram->slice_channels, dram->banks, dram->activated_ticks,
                dram->requests);
    *dram = (struct tma_dram){0};
}

/* Takes a request from a channel's pool, which has room: there are no more than its queues admit.
 */
static uint32_t new_request(struct tma_dram *dram, struct tma_dram_channel *channel,
                            const struct tma_dram_request *request) {
    uint32_t id = channel->free_request;
    assert(id != TMA_NONE);
    channel->free_request = dram->requests[id].next;
    dram->requests[id] = *request;
    return id;
}

static void free_request(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t id) {
    dram->requests[id].next = channel->free_request;
    channel->free_request = id;
}

/* Puts a request into a list, behind `before` (TMA_NONE: as the first one). */
static void put_behind(struct tma_dram *dram, struct tma_dram_list *list, uint32_t before,
                       uint32_t id) {
    uint32_t *link = before == TMA_NONE ? &list->first : &dram->requests[before].next;
    dram->requests[id].next = *link;
    *link = id;
    if (list->last == before)
        list->last = id;
}

/* Takes the request behind `before` (TMA_NONE: the first one) out of a list. */
static void take_behind(struct tma_dram *dram, struct tma_dram_list *list, uint32_t before) {
    uint32_t *link = before == TMA_NONE ? &list->first : &dram->requests[before].next;
    uint32_t id = *link;
    *link = dram->requests[id].next;
    if (list->last == id)
        list->last = before;
}

/* Puts a request into the run of its bank group. */
static void insert(struct tma_dram *dram, struct tma_dram_queue *queue, uint32_t id) {
    const struct tma_dram_request *request = &dram->requests[id];
    const uint32_t group = request->group;
    struct tma_dram_list *run = &queue->runs[group];
    uint32_t before = run->last;
    if (before != TMA_NONE && dram->requests[before].ticks > request->ticks) {
        before = TMA_NONE;
        for (uint32_t next = run->first; dram->requests[next].ticks <= request->ticks;
             next = dram->requests[next].next)
            before = next;
    }
    put_behind(dram, run, before, id);
    if (before == TMA_NONE)
        queue->first_ready_ticks[group] = request->ticks;
    queue->ready++;
}

/* Takes the first request of a bank group out of its run. */
static void take(struct tma_dram *dram, struct tma_dram_queue *queue, uint32_t group) {
    struct tma_dram_list *run = &queue->runs[group];
    take_behind(dram, run, TMA_NONE);
    queue->ready--;
    queue->first_ready_ticks[group] =
        run->first == TMA_NONE ? UINT64_MAX : dram->requests[run->first].ticks;
}

/* The scheduler can choose a request, whose row is open or opening. */
static void make_ready(struct tma_dram *dram, struct tma_dram_channel *channel,
                       struct tma_dram_bank *bank, uint32_t id) {
    struct tma_dram_request *request = &dram->requests[id];
    request->ticks = tma_later(request->ticks, bank->opened_ticks);
    bank->active++;
    insert(dram, &channel->queues[request->write], id);
}

/* A request comes to its bank. If no other request uses the bank, its row is closed, and opens. A
 * request for the open row joins those that use it, but bypasses requests for other rows only
 * dram.bypass times. Else it waits. */
static void admit(struct tma_dram *dram, struct tma_dram_channel *channel,
                  const struct tma_dram_request *request) {
    struct tma_dram_bank *bank = &channel->banks[request->bank];
    bool others = bank->waiting.first != TMA_NONE;
    uint32_t id = new_request(dram, channel, request);
    channel->queues[request->write].admitted++;
    if (bank->active == 0) {
        dram_activate(dram, channel, request->bank, request->row, request->ticks);
    } else if (bank->row != request->row ||
               (others && bank->bypassed >= dram->machine->dram.bypass)) {
        put_behind(dram, &bank->waiting, bank->waiting.last, id);
        return;
    }
    bank->bypassed += others;
    make_ready(dram, channel, bank, id);
}

/* The last request for the open row of a bank was served: opens the row of the first request that
 * waits, for all requests for it that may bypass others. */
static void open_next_row(struct tma_dram *dram, struct tma_dram_channel *channel, uint32_t number,
                          uint64_t ticks) {
    struct tma_dram_bank *bank = &channel->banks[number];
    uint64_t row = dram->requests[bank->waiting.first].row;
    uint32_t before = TMA_NONE;
    dram_activate(dram, channel, number, row, ticks);
    bank->bypassed = 0;
    for (uint32_t id = bank->waiting.first; id != TMA_NONE;) {
        uint32_t next = dram->requests[id].next;
        if (dram->requests[id].row == row && bank->bypassed <= dram->machine->dram.bypass) {
            take_behind(dram, &bank->waiting, before);
            make_ready(dram, channel, bank, id);
            bank->bypassed += before != TMA_NONE;
        } else {
            before = id;
        }
        id = next;
    }
}

/* Requests come into a queue from outside, as long as it has room. */
static void fill_queue(struct tma_dram *dram, struct tma_dram_channel *channel,
                       struct tma_dram_queue *queue, uint64_t ticks) {
    while (queue->admitted < dram->window && queue->outside.count > 0) {
        struct tma_dram_request request = fifo_take(&queue->outside);
        request.ticks = tma_later(request.ticks, ticks);
        admit(dram, channel, &request);
    }
}

bool tma_dram_enqueue(struct tma_dram *dram, const struct tma_dram_place *place, uint32_t packet,
                      bool write, uint32_t sectors, uint64_t cycle) {
    struct tma_dram_channel *channel = &dram->channels[place->channel];
    struct tma_dram_queue *queue = &channel->queues[write];
    struct tma_dram_request request = {.row = place->row,
                                       .ticks = cycle * TMA_TICKS,
                                       .packet = packet,
                                       .bank = place->bank,
                                       .group = place->group,
                                       .sectors = (uint8_t)sectors,
                                       .write = write,
                                       .served_before = channel->served,
                                       .line = place->line};
    queue->size++;
    if (write || queue->admitted >= dram->window || queue->outside.count > 0)
        return fifo_put(&queue->outside, &request);
    admit(dram, channel, &request);
    return true;
}

/* The bus began to move a request's data before the last observation. */
static void note_late(struct tma_dram *dram, struct tma_dram_channel *channel,
                      const struct tma_dram_request *request, uint64_t start, uint64_t end) {
    channel->late_ticks += (end < dram->observed_ticks ? end : dram->observed_ticks) - start;
    dram->late_sectors[request->write] += request->sectors;
}

void tma_dram_observe(struct tma_dram *dram, uint64_t cycle) {
    dram->observed_ticks = cycle * TMA_TICKS;
    for (uint32_t i = 0; i < dram->machine->dram.channels; i++)
        dram->channels[i].late_ticks = 0;
    for (uint32_t i = 0; i < TMA_DRAM_QUEUES; i++)
        dram->late_sectors[i] = 0;
}

/* The bus moves the data of a request from `start` on. */
static void move(struct tma_dram *dram, struct tma_dram_channel *channel,
                 const struct tma_dram_request *request, bool write, uint64_t start) {
    struct tma_dram_bank *bank = &channel->banks[request->bank];
    uint64_t ticks = request->sectors * dram->sector_ticks;
    channel->bus.free_ticks = start + ticks;
    channel->bus.busy_ticks += ticks;
    if (start < dram->observed_ticks)
        note_late(dram, channel, request, start, start + ticks);
    channel->writing = write;
    channel->rank = request->group / dram->rank_groups;
    channel->group_ticks[request->group] = start + dram->columns_ticks[request->sectors];
    uint64_t precharge = write ? start + ticks + dram->twr_ticks : start + dram->trtp_ticks;
    bank->precharge_ticks = tma_later(bank->precharge_ticks, precharge);
}

/* The row of a request is open again, after a refresh or for an earlier request. */
static void put_off(struct tma_dram *dram, struct tma_dram_queue *queue, uint32_t group,
                    uint64_t opened_ticks) {
    uint32_t id = queue->runs[group].first;
    take(dram, queue, group);
    dram->requests[id].ticks = opened_ticks;
    insert(dram, queue, id);
}

/* A random number for a bank at some time. */
static uint64_t random_of(const struct tma_dram *dram, const struct tma_dram_bank *bank,
                          uint64_t ticks) {
    uint64_t banks = (uint64_t)dram->machine->dram.channels * dram->machine->dram.banks;
    return tma_mix64(dram->refresh_seed + ticks * banks + (uint64_t)(bank - dram->banks));
}

/* From the last data of a request on the bus until L2 has it. The random part is the same for all
 * requests that use a row while it is open. */
static uint64_t access_ticks(const struct tma_dram *dram, const struct tma_dram_bank *bank) {
    uint64_t random = random_of(dram, bank, bank->opened_ticks);
    return dram->access_ticks + tma_random_share(random, dram->access_spread_ticks);
}

/* What the bus may serve next. */
struct choice {
    bool write;
    uint32_t group; /* its first request */
    uint64_t start_ticks;
};

static struct choice choose_from(const struct tma_dram *dram,
                                 const struct tma_dram_channel *channel, bool write) {
    struct choice choice = {.write = write, .start_ticks = UINT64_MAX};
    uint64_t free_ticks = channel->bus.free_ticks;
    if (write != channel->writing)
        free_ticks += write ? dram->trtw_ticks : dram->twtr_ticks;
    if (channel->queues[write].ready > 0)
        choice.group = dram->scheduler->pick(dram, channel, &channel->queues[write], free_ticks,
                                             &choice.start_ticks);
    return choice;
}

/* Whether the channel drains its writes: from the high watermark to the low one. A drain that ended
 * early begins again after a row cycle, when rows of the next writes can be open. */
static bool drains(const struct tma_dram *dram, const struct tma_dram_channel *channel) {
    uint32_t writes = channel->queues[TMA_DRAM_WRITES].size;
    if (channel->draining)
        return writes > dram->machine->dram.write_low;
    return writes >= dram->machine->dram.write_high &&
           channel->bus.free_ticks >= channel->drain_ticks;
}

/* Reads go first, unless the channel drains its writes or has no reads. But the bus waits for
 * neither: where it can turn and move the others sooner, they go first, and a drain ends. So as
 * long as reads keep the bus busy, writes wait for room in their queue. */
static struct choice choose(struct tma_dram *dram, struct tma_dram_channel *channel) {
    struct tma_dram_queue *writes = &channel->queues[TMA_DRAM_WRITES];
    channel->draining = drains(dram, channel);
    bool write = channel->draining || channel->queues[TMA_DRAM_READS].size == 0;
    if (write && writes->outside.count > 0)
        fill_queue(dram, channel, writes, channel->bus.free_ticks);
    struct choice first = choose_from(dram, channel, write);
    if (first.start_ticks <= channel->bus.free_ticks)
        return first;
    struct choice other = choose_from(dram, channel, !write);
    if (other.start_ticks >= first.start_ticks)
        return first;
    if (channel->draining)
        channel->drain_ticks = other.start_ticks + dram->tras_ticks + dram->trp_ticks;
    channel->draining = false;
    return other;
}

/* Moves the data of the first request of a bank group, which leaves its queue. */
static struct tma_dram_request move_first(struct tma_dram *dram, struct tma_dram_channel *channel,
                                          const struct choice *choice) {
    struct tma_dram_queue *queue = &channel->queues[choice->write];
    const uint32_t id = queue->runs[choice->group].first;
    const struct tma_dram_request request = dram->requests[id];
    struct tma_dram_bank *bank = &channel->banks[request.bank];
    take(dram, queue, choice->group);
    free_request(dram, channel, id);
    move(dram, channel, &request, choice->write, choice->start_ticks);
    queue->admitted--;
    queue->size--;
    if (--bank->active == 0 && bank->waiting.first != TMA_NONE)
        open_next_row(dram, channel, request.bank, choice->start_ticks);
    if (!choice->write && queue->outside.count > 0)
        fill_queue(dram, channel, queue, choice->start_ticks);
    channel->served += !choice->write;
    *(choice->write ? &dram->written_sectors : &dram->read_sectors) += request.sectors;
    return request;
}

/* The read of the other line of a block, if it is ready right behind that of its first one. */
static uint32_t other_line_of(const struct tma_dram *dram, uint32_t id, uint64_t start_ticks) {
    const struct tma_dram_request *request = &dram->requests[id];
    if (request->write || request->next == TMA_NONE)
        return TMA_NONE;
    const struct tma_dram_request *next = &dram->requests[request->next];
    bool other = next->bank == request->bank && next->row == request->row &&
                 next->line == (request->line ^ 1u) && next->ticks <= start_ticks;
    return other ? request->next : TMA_NONE;
}

/* Whether a channel has had no reads but two of a block since the first of them came. */
static bool had_only_a_block(const struct tma_dram_channel *channel,
                             const struct tma_dram_request *request) {
    return channel->queues[TMA_DRAM_READS].size == TMA_BLOCK_LINES &&
           channel->served == request->served_before;
}

/* Two lines of a block waited, and other reads too: the lines come one after the other, any of them
 * first by the seed. */
static void shuffle(struct tma_dram *dram, const struct tma_dram_channel *channel, uint32_t id,
                    uint32_t other, uint64_t ticks) {
    struct tma_dram_request *one = &dram->requests[id], *two = &dram->requests[other];
    const struct tma_dram_request first = *one;
    bool keep = (random_of(dram, &channel->banks[one->bank], ticks) & 1) == 0;
    if (keep || dram->machine->topology.seed == 0)
        return;
    one->packet = two->packet;
    one->sectors = two->sectors;
    two->packet = first.packet;
    two->sectors = first.sectors;
}

/* The read of the other line of a request's block, if both are one access: no other read was there
 * while they waited, and the row stays open for both. If another one was, this shuffles the lines.
 */
static uint32_t read_together(struct tma_dram *dram, const struct tma_dram_channel *channel,
                              uint32_t id, uint64_t start) {
    const struct tma_dram_request *request = &dram->requests[id];
    uint32_t other = other_line_of(dram, id, start);
    if (other == TMA_NONE)
        return TMA_NONE;
    if (!had_only_a_block(channel, request)) {
        shuffle(dram, channel, id, other, start);
        return TMA_NONE;
    }
    uint64_t end = start + dram->columns_ticks[request->sectors] +
                   dram->data_ticks[dram->requests[other].sectors];
    return end <= channel->banks[request->bank].closes_ticks ? other : TMA_NONE;
}

/* Serves a request whose row is open, and with it the other line of its block if `other` is not
 * TMA_NONE. */
static struct tma_dram_served serve_first(struct tma_dram *dram, struct tma_dram_channel *channel,
                                          struct choice choice, uint32_t other, uint64_t access) {
    struct tma_dram_request request = move_first(dram, channel, &choice);
    struct tma_dram_served served = {request.packet, TMA_NONE, 0, request.write};
    if (other != TMA_NONE) {
        choice.start_ticks = channel->group_ticks[choice.group];
        request = move_first(dram, channel, &choice);
        served.other_line = request.packet;
    }
    uint64_t data = choice.start_ticks + dram->data_ticks[request.sectors];
    served.cycle = tma_ticks_to_cycle(data + access);
    return served;
}

bool tma_dram_serve(struct tma_dram *dram, struct tma_dram_channel *channel, uint64_t until,
                    struct tma_dram_served *served) {
    for (;;) {
        const struct choice choice = choose(dram, channel);
        const uint64_t start = choice.start_ticks;
        struct tma_dram_queue *queue = &channel->queues[choice.write];
        served->cycle = start == UINT64_MAX ? start : start / TMA_TICKS;
        if (served->cycle >= until)
            return false;
        const uint32_t id = queue->runs[choice.group].first;
        const struct tma_dram_request *request = &dram->requests[id];
        struct tma_dram_bank *bank = &channel->banks[request->bank];
        uint64_t data = start + dram->data_ticks[request->sectors];
        if (data > bank->closes_ticks && request->ticks >= bank->opened_ticks)
            dram_activate(dram, channel, request->bank, bank->row, bank->closes_ticks);
        if (request->ticks < bank->opened_ticks) {
            put_off(dram, queue, choice.group, bank->opened_ticks);
            continue;
        }
        uint32_t other = read_together(dram, channel, id, start);
        *served = serve_first(dram, channel, choice, other, access_ticks(dram, bank));
        return true;
    }
}

uint64_t tma_dram_next_cycle(const struct tma_dram *dram, const struct tma_dram_channel *channel) {
    const struct tma_dram_queue *writes = &channel->queues[TMA_DRAM_WRITES];
    uint64_t first = UINT64_MAX;
    for (int k = 0; k < TMA_DRAM_QUEUES; k++)
        for (uint32_t group = 0; channel->queues[k].ready > 0 && group < dram->groups; group++) {
            uint64_t ready = channel->queues[k].first_ready_ticks[group];
            first = ready < first ? ready : first;
        }
    if (first == UINT64_MAX && writes->outside.count > 0)
        first = fifo_first(&writes->outside)->ticks;
    return first == UINT64_MAX ? first : tma_later(first, channel->bus.free_ticks) / TMA_TICKS;
}
