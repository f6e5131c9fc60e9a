/* Builds the memory system from the machine, and wires its components: the one place that knows all
 * of them. It takes events from the queue, in order of time, and delivers packets. */
#include "memory/system.h"

#include <stdlib.h>

#include "base/allocation.h"
#include "memory/dram/dram.h"
#include "memory/dram/refresh.h"
#include "memory/gpc/gpcs.h"
#include "memory/host_bytes.h"
#include "memory/l2/l2.h"
#include "memory/sm/sms.h"

/* How many events ahead of the current one the host's caches are prefetched: first the packets,
 * then the sets and transfers that these lead to. */
enum { PACKETS_AHEAD = TMA_EVENTS_AHEAD, TARGETS_AHEAD = 16 };
_Static_assert(TARGETS_AHEAD <= PACKETS_AHEAD, "run_cycle compares with PACKETS_AHEAD first");

/* Period at which L2 forgets old cycles, which it keeps modulo 2^32. */
#define L2_AGING_CYCLES (UINT64_C(1) << 30)

/* An SM has a load unit and a store unit, which are its TMA unit, and a load/store unit. */
enum { UNITS_OF_SM = 3 };

struct tma_memory {
    struct tma_machine machine;
    struct tma_core core;
    struct tma_sms sms;
    struct tma_gpcs gpcs;
    struct tma_l2 l2;
    struct tma_dram dram;
    uint32_t delivered;                        /* of the core's handovers */
    uint16_t ranks[UNITS_OF_SM * TMA_MAX_SMS]; /* of units: see rank_units */
    uint32_t merged[2];                        /* packets: see prefetch_merged */
};

/* The order of units that make packets in the same cycle. Which SM of a TPC is first is random
 * (the slots of an SM use the same seed, but not its negative). The table is its own inverse: it
 * also gives the unit of a rank. */
static void rank_units(struct tma_memory *memory) {
    const struct tma_machine *machine = &memory->machine;
    for (uint32_t unit = 0; unit < UNITS_OF_SM * machine->sm_count; unit++) {
        uint32_t sm = unit % machine->sm_count, other = sm ^ 1u, seed = machine->topology.seed;
        bool swapped = seed > 0 && other < machine->sm_count &&
                       (tma_mix64(-(uint64_t)(seed + sm / TMA_TPC_SMS)) & 1u) != 0;
        memory->ranks[unit] = (uint16_t)(unit - sm + (swapped ? other : sm));
    }
}

struct tma_memory_bytes tma_memory_bytes(const struct tma_machine *machine) {
    return (struct tma_memory_bytes){.l2_tags = tma_tags_bytes(machine),
                                     .dram_channels = tma_dram_bytes(machine)};
}

enum tma_error_code tma_memory_create(struct tma_memory **out, const struct tma_machine *machine,
                                      struct tma_error *error) {
    struct tma_memory *memory = tma_allocate(1, sizeof *memory);
    if (memory == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for the memory system");
    memory->machine = *machine;
    memory->merged[0] = memory->merged[1] = TMA_NONE;
    rank_units(memory);
    enum tma_error_code code = tma_core_create(&memory->core, &memory->machine, error);
    if (code == TMA_OK)
        code = tma_sms_create(&memory->sms, &memory->core, error);
    if (code == TMA_OK)
        code = tma_gpcs_create(&memory->gpcs, &memory->core, error);
    if (code == TMA_OK)
        code = tma_l2_create(&memory->l2, &memory->core, error);
    if (code == TMA_OK)
        code = tma_dram_create(&memory->dram, &memory->machine, error);
    if (code != TMA_OK) {
        tma_memory_free(memory);
        return code;
    }
    *out = memory;
    return TMA_OK;
}

void tma_memory_free(struct tma_memory *memory) {
    if (memory == NULL)
        return;
    tma_dram_free(&memory->dram);
    tma_l2_free(&memory->l2);
    tma_gpcs_free(&memory->gpcs);
    tma_sms_free(&memory->sms);
    tma_core_free(&memory->core);
    tma_release(memory);
}

bool tma_memory_issue(struct tma_memory *memory, const struct tma_issue *issue) {
    return tma_sm_issue(&memory->core, &memory->sms, issue);
}

bool tma_memory_access(struct tma_memory *memory, const struct tma_access *access) {
    return tma_sms_access(&memory->core, &memory->sms, access);
}

bool tma_memory_take_access(struct tma_memory *memory, struct tma_access_completion *completion) {
    return tma_sms_take_access(&memory->sms, completion);
}

uint32_t tma_memory_waiting_accesses(const struct tma_memory *memory, uint32_t sm) {
    return memory->sms.lsus.units[sm].waiting;
}

void tma_memory_carve_out(struct tma_memory *memory, uint64_t shared_bytes) {
    tma_sms_carve_out(&memory->sms, shared_bytes);
}

/* Whether the wiring can continue with a packet at once: no other packet was handed over before it.
 */
static inline bool goes_on(const struct tma_memory *memory, const struct tma_handover *next,
                           enum tma_destination destination) {
    return next->destination == destination && memory->core.handover_count == 0;
}

/* The wiring: which component receives a packet. Returns what it hands over. The usual next stops
 * follow each other, so that the host's branch predictor sees one jump for a whole way. */
__attribute__((always_inline)) static inline struct tma_handover deliver(struct tma_memory *memory,
                                                                         struct tma_handover next) {
    switch (next.destination) {
    case TMA_TO_L2:
        if (tma_l2_waits(&memory->core, &memory->l2, next.packet))
            return tma_nowhere;
        /* fall through */
    case TMA_TO_COALESCER:
        next = tma_gpc_receive_load(&memory->core, &memory->gpcs, next.packet, next.cycle);
        if (!goes_on(memory, &next, TMA_TO_SLICE))
            return next;
        /* fall through */
    case TMA_TO_SLICE:
        next = tma_l2_receive_read(&memory->core, &memory->l2, next.packet, next.cycle);
        if (!goes_on(memory, &next, TMA_TO_DRAM))
            return next;
        /* fall through */
    case TMA_TO_DRAM:
        return tma_dram_receive(&memory->core, &memory->dram, next.packet, next.cycle);
    case TMA_TO_SLICE_FILL:
        return tma_l2_receive_fill(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_HOME_SLICE:
        return tma_l2_receive_at_home(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_L2_IN_TURN:
        return tma_l2_receive_in_turn(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_SLICE_MERGED:
        return tma_l2_receive_merged(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_RESPONSE_PORT:
        next = tma_gpc_receive_response(&memory->core, &memory->gpcs, next.packet, next.cycle);
        if (!goes_on(memory, &next, TMA_TO_SM))
            return next;
        /* fall through */
    case TMA_TO_SM:
        return tma_sm_receive(&memory->core, &memory->sms, next.packet, next.cycle);
    case TMA_WAKE_LOAD_UNIT:
        return tma_load_unit_wake(&memory->core, &memory->sms, next.packet, next.cycle);
    case TMA_WAKE_STORE_UNIT:
        return tma_store_unit_wake(&memory->core, &memory->sms, next.packet, next.cycle);
    case TMA_TO_WRITE_TRANSIT:
        return tma_l2_receive_write_in_transit(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_WRITE_SLICE:
        return tma_l2_receive_write(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_DRAM_CREDIT:
        return tma_dram_receive_credit(&memory->core, &memory->dram, next.packet, next.cycle);
    case TMA_WAKE_CHANNEL:
        return tma_dram_wake(&memory->core, &memory->dram, next.packet);
    case TMA_TO_WRITE_ACCEPTED:
        return tma_l2_receive_accepted(&memory->core, &memory->l2, next.packet, next.cycle);
    case TMA_TO_TLB:
        return tma_gpc_translate(&memory->core, &memory->gpcs, next.packet);
    case TMA_TO_LSU:
        return tma_lsu_receive(&memory->core, &memory->sms, next.packet, next.cycle);
    case TMA_WAKE_LSU:
        return tma_lsu_wake(&memory->core, &memory->sms, next.packet, next.cycle);
    case TMA_TO_STORE_UNIT:
        return tma_store_unit_receive(&memory->core, &memory->sms, next.packet, next.cycle);
    case TMA_TO_DESCRIPTORS:
        return tma_gpc_receive_descriptor_request(&memory->core, &memory->gpcs, next.packet,
                                                  next.cycle);
    case TMA_TO_SM_DESCRIPTORS:
        return tma_sm_receive_descriptor(&memory->core, &memory->sms, next.packet, next.cycle);
    default:
        __builtin_unreachable();
    }
}

/* Functions that only prefetch into the host's caches. They have to be inlined: gcc takes a
 * function without any other effect for pure and drops its calls. */
#define PREFETCH __attribute__((always_inline)) static inline void

/* How many handovers ahead the sets of lines that come from DRAM are prefetched, and the packets
 * that wait for these. (The channel has prefetched the packets that read the lines.) */
enum { SETS_AHEAD = 8, WAITING_AHEAD = 4 };

PREFETCH prefetch_filled_set(const struct tma_memory *memory, uint32_t at) {
    const struct tma_core *core = &memory->core;
    if (at < core->handover_count && core->handovers[at].destination == TMA_TO_SLICE_FILL)
        tma_l2_prefetch_filled(core, &memory->l2, tma_packet_at(core, core->handovers[at].packet));
}

PREFETCH prefetch_waiting(const struct tma_memory *memory, uint32_t at) {
    const struct tma_core *core = &memory->core;
    if (at < core->handover_count && core->handovers[at].destination == TMA_TO_SLICE_FILL)
        tma_l2_prefetch_waiting(core, &memory->l2, tma_packet_at(core, core->handovers[at].packet));
}

/* Prefetches what the handovers behind that of number `at` need. */
TMA_RARE static void prefetch_fills(const struct tma_memory *memory, uint32_t at) {
    uint32_t count = memory->core.handover_count;
    for (uint32_t first = 0; at == 0 && first < SETS_AHEAD && first < count; first++)
        prefetch_filled_set(memory, first);
    prefetch_filled_set(memory, at + SETS_AHEAD);
    prefetch_waiting(memory, at + WAITING_AHEAD);
}

/* Chooses what is delivered next, when the wiring did not take `next` at once or packets were
 * handed over before it; TMA_TO_NOWHERE where all have been delivered. */
TMA_RARE static struct tma_handover next_handover(struct tma_memory *memory,
                                                  struct tma_handover next) {
    struct tma_core *core = &memory->core;
    if (core->handover_count == 0)
        return next;
    if (next.destination != TMA_TO_NOWHERE)
        tma_pass(core, next.destination, next.packet, next.cycle);
    if (memory->delivered < core->handover_count) {
        uint32_t at = memory->delivered++;
        if (core->handovers[at].destination == TMA_TO_SLICE_FILL)
            prefetch_fills(memory, at);
        return core->handovers[at];
    }
    memory->delivered = core->handover_count = 0;
    return tma_nowhere;
}

/* Delivers a packet, then those that its receiver hands over, and those that these hand over in
 * turn. */
__attribute__((always_inline)) static inline void deliver_all(struct tma_memory *memory,
                                                              struct tma_handover next) {
    do {
        next = deliver(memory, next);
        if (next.destination != TMA_TO_NOWHERE || memory->core.handover_count > 0)
            next = next_handover(memory, next);
    } while (next.destination != TMA_TO_NOWHERE);
}

/* An access of a warp: what it asks for, and its first lines. */
PREFETCH prefetch_access(const struct tma_memory *memory, uint32_t id) {
    const char *access = (const char *)&memory->sms.lsus.accesses[id];
    __builtin_prefetch(access, 1);
    __builtin_prefetch(access + TMA_HOST_LINE_BYTES, 1);
}

PREFETCH prefetch_unit(const struct tma_memory *memory, uint32_t unit) {
    uint32_t sms = memory->machine.sm_count;
    if (unit >= 2 * sms) {
        uint32_t access = memory->sms.lsus.units[unit - 2 * sms].head;
        if (access != TMA_NONE)
            prefetch_access(memory, access);
        return;
    }
    uint32_t id =
        unit < sms ? memory->sms.load_units[unit].head : memory->sms.store_units[unit - sms].head;
    if (id == TMA_NONE)
        return;
    const char *transfer = (const char *)&memory->sms.transfers[id];
    __builtin_prefetch(transfer, 1);
    __builtin_prefetch(transfer + TMA_HOST_LINE_BYTES, 1);
    __builtin_prefetch(transfer + (size_t)2 * TMA_HOST_LINE_BYTES, 1);
}

PREFETCH prefetch_packet(const struct tma_memory *memory, uint32_t event) {
    if (event < TMA_FIRST_CHANNEL)
        __builtin_prefetch(tma_packet_at(&memory->core, tma_event_number(event)), 1);
}

/* A packet of a list, its transfer, and the one behind it, if the packet itself has been
 * prefetched. Returns the one behind. */
__attribute__((always_inline)) static inline uint32_t
prefetch_behind(const struct tma_memory *memory, uint32_t id) {
    if (id >= memory->core.packet_count)
        return TMA_NONE;
    const struct tma_packet *packet = &memory->core.packets[id];
    __builtin_prefetch(&memory->sms.transfers[packet->transfer].outstanding, 1);
    if (packet->next < memory->core.packet_count)
        __builtin_prefetch(&memory->core.packets[packet->next], 1);
    return packet->next;
}

/* The loads that were merged into the one of a response: the first of their list, the second one of
 * the list before, and so on. (A list that is gone by now may lead anywhere in the pool.) */
PREFETCH prefetch_merged(struct tma_memory *memory, uint32_t merged) {
    __builtin_prefetch(&memory->core.packets[merged], 1);
    prefetch_behind(memory, memory->merged[1]);
    memory->merged[1] = prefetch_behind(memory, memory->merged[0]);
    memory->merged[0] = merged;
}

/* What the rarer events need. */
PREFETCH prefetch_rare_target(struct tma_memory *memory, enum tma_destination destination,
                              uint32_t number) {
    if (destination == TMA_WAKE_UNIT) {
        prefetch_unit(memory, number);
        return;
    }
    if (destination == TMA_WAKE_CHANNEL) {
        tma_dram_prefetch(&memory->dram, number);
        return;
    }
    if (destination == TMA_TO_TLB)
        return;
    const struct tma_packet *packet = tma_packet_at(&memory->core, number);
    if (destination == TMA_TO_LSU) {
        uint32_t access = packet->waiting / TMA_MAX_ACCESS_LINES;
        if (access < memory->sms.lsus.access_count)
            prefetch_access(memory, access);
        return;
    }
    if (destination == TMA_TO_STORE_UNIT) {
        __builtin_prefetch(&memory->sms.transfers[packet->transfer].outstanding, 1);
        return;
    }
    tma_tags_prefetch(&memory->l2.tags, packet->index.set);
    if (destination == TMA_TO_HOME_SLICE)
        tma_l2_prefetch_at_home(&memory->core, &memory->l2, packet);
    else if (packet->kind == TMA_PACKET_STORE || packet->kind == TMA_PACKET_REDUCE)
        tma_l2_prefetch_write(&memory->core, &memory->l2, packet,
                              destination == TMA_TO_WRITE_TRANSIT);
}

/* What an event needs besides its packet, which has been prefetched. */
PREFETCH prefetch_target(struct tma_memory *memory, uint32_t event) {
    enum tma_destination destination = tma_event_destination(event);
    uint32_t number = tma_event_number(event);
    const struct tma_packet *packet = tma_packet_at(&memory->core, number);
    if (destination <= TMA_TO_L2_IN_TURN) {
        __builtin_prefetch(tma_mshr_of(&memory->gpcs, packet), 1);
        tma_tags_prefetch(&memory->l2.tags, packet->index.set);
        tma_l2_prefetch_read(&memory->core, &memory->l2, packet);
    } else if (destination == TMA_TO_RESPONSE_PORT) {
        __builtin_prefetch(tma_mshr_of(&memory->gpcs, packet), 1);
        __builtin_prefetch(&memory->sms.transfers[packet->transfer].outstanding, 1);
        if (packet->merged != TMA_NONE)
            prefetch_merged(memory, packet->merged);
    } else {
        prefetch_rare_target(memory, destination, number);
    }
}

/* Units that wake up in the current cycle, by rank: a bit each. */
enum { UNIT_WORDS = UNITS_OF_SM * TMA_MAX_SMS / 64 };

struct woken_units {
    uint64_t words[UNIT_WORDS];
    uint32_t first; /* word that may have a bit */
};

static void add_unit(struct woken_units *woken, uint32_t rank) {
    woken->words[rank / 64] |= UINT64_C(1) << rank % 64;
}

/* Takes the unit of the lowest rank; false where there is none. */
static bool take_unit(struct tma_memory *memory, struct woken_units *woken,
                      struct tma_handover *next) {
    while (woken->first < UNIT_WORDS && woken->words[woken->first] == 0)
        woken->first++;
    if (woken->first == UNIT_WORDS)
        return false;
    uint64_t *word = &woken->words[woken->first];
    uint32_t unit = memory->ranks[woken->first * 64 + (uint32_t)__builtin_ctzll(*word)];
    uint32_t sms = memory->machine.sm_count;
    *word &= *word - 1;
    enum tma_destination wake = TMA_WAKE_LOAD_UNIT;
    if (unit >= 2 * sms) {
        unit -= 2 * sms;
        wake = TMA_WAKE_LSU;
    } else if (unit >= sms) {
        unit -= sms;
        wake = TMA_WAKE_STORE_UNIT;
    }
    *next = (struct tma_handover){unit, wake, memory->core.cycle};
    return true;
}

/* Works through the events of a cycle: first packets, in the order in which they were sent; then
 * units of SMs, by rank. (When a unit's wake-up was scheduled depends on how far the engine had
 * advanced the memory system at the time, which must not count.) Behind the `count` events, `due`
 * lists those of the next cycle that are known: `known` events in all. */
static void run_cycle(struct tma_memory *memory, const uint32_t *due, uint32_t count,
                      uint32_t known) {
    struct woken_units woken = {.first = 0};
    for (uint32_t i = 0;; i++) {
        struct tma_handover next;
        if (i < count) {
            if (i + PACKETS_AHEAD < known) { /* as most often: one comparison */
                prefetch_packet(memory, due[i + PACKETS_AHEAD]);
                prefetch_target(memory, due[i + TARGETS_AHEAD]);
            } else if (i + TARGETS_AHEAD < known) {
                prefetch_target(memory, due[i + TARGETS_AHEAD]);
            }
            uint32_t event = due[i], number = tma_event_number(event);
            if (event >= TMA_FIRST_UNIT) {
                add_unit(&woken, memory->ranks[number]);
                continue;
            }
            next = (struct tma_handover){number, tma_event_destination(event), memory->core.cycle};
        } else if (!take_unit(memory, &woken, &next)) {
            break;
        }
        deliver_all(memory, next);
    }
}

bool tma_memory_advance(struct tma_memory *memory, uint64_t until) {
    struct tma_core *core = &memory->core;
    struct tma_event_queue *queue = &core->queue;
    while (queue->now < until && !core->out_of_memory) {
        uint64_t cycle = queue->now;
        if (cycle > 0 && cycle % L2_AGING_CYCLES == 0)
            tma_tags_age(&memory->l2.tags, cycle);
        if (queue->count == 0) {
            uint64_t aging = (cycle / L2_AGING_CYCLES + 1) * L2_AGING_CYCLES;
            tma_event_queue_skip(queue, aging < until ? aging : until);
            continue;
        }
        const uint32_t *due;
        uint32_t known, count = tma_event_queue_pop(queue, &due, &known);
        core->cycle = cycle;
        run_cycle(memory, due, count, known);
        core->out_of_memory |= queue->out_of_memory;
    }
    return !core->out_of_memory;
}

bool tma_memory_drain(struct tma_memory *memory) {
    while (!tma_memory_is_drained(memory))
        if (!tma_memory_advance(memory, memory->core.queue.now + TMA_EVENT_QUEUE_CYCLES))
            return false;
    return true;
}

bool tma_memory_is_drained(const struct tma_memory *memory) {
    return memory->core.queue.count == 0;
}

uint64_t tma_memory_access_shared(struct tma_memory *memory, uint32_t sm, uint64_t cycle,
                                  uint64_t wavefronts) {
    return tma_shared_port_access(&memory->sms.shared[sm], cycle,
                                  wavefronts * memory->sms.wavefront_ticks);
}

uint64_t tma_memory_read_operands(struct tma_memory *memory, uint32_t sm, uint64_t cycle,
                                  uint64_t wavefronts, uint64_t end) {
    return tma_shared_port_read_operands(&memory->sms.shared[sm], cycle,
                                         wavefronts * memory->sms.wavefront_ticks, end);
}

uint64_t tma_memory_shared_conflicts(const struct tma_memory *memory, uint32_t sm, uint32_t address,
                                     uint64_t cycle, uint64_t wavefronts) {
    return tma_shared_port_conflicts(&memory->sms.shared[sm], tma_shared_half(address), cycle,
                                     wavefronts);
}

uint64_t tma_memory_waited_cycles(const struct tma_memory *memory, uint32_t sm) {
    return memory->sms.shared[sm].waited_ticks / TMA_TICKS;
}

uint64_t tma_memory_operand_ticks(const struct tma_memory *memory, uint32_t sm) {
    return memory->sms.shared[sm].operand_ticks;
}

uint64_t tma_memory_operands_end(const struct tma_memory *memory, uint32_t sm) {
    return memory->sms.shared[sm].operands_end_cycle;
}

uint64_t tma_memory_now(const struct tma_memory *memory) {
    return memory->core.queue.now;
}

void tma_memory_report_fills(struct tma_memory *memory) {
    memory->sms.reports_fills = true;
}

bool tma_memory_take_fills(struct tma_memory *memory, struct tma_late_fills *fills) {
    return tma_sms_take_fills(&memory->sms, fills);
}

bool tma_memory_take(struct tma_memory *memory, struct tma_completion *completion) {
    return tma_sms_take_completion(&memory->sms, completion);
}

uint32_t tma_memory_in_flight(const struct tma_memory *memory) {
    return memory->sms.transfers_used + memory->sms.lsus.accesses_used;
}

bool tma_memory_is_stuck(const struct tma_memory *memory) {
    return memory->core.queue.count == 0 && tma_memory_in_flight(memory) > 0;
}

void tma_memory_describe(const struct tma_memory *memory, char *text, size_t size) {
    tma_sms_describe(&memory->sms, text, size);
}

void tma_memory_lose_events(struct tma_memory *memory) {
    struct tma_event_queue *queue = &memory->core.queue;
    const uint32_t *due;
    uint32_t known;
    while (queue->count > 0)
        tma_event_queue_pop(queue, &due, &known);
}

void tma_memory_warm(struct tma_memory *memory, uint32_t sm, enum tma_direction direction,
                     enum tma_l2_promotion promotion, const struct tma_row_stream *rows,
                     bool again) {
    tma_l2_warm(&memory->core, &memory->l2, tma_memory_partition(memory, sm), direction, promotion,
                rows, again);
}

void tma_memory_follow_load(struct tma_memory *memory) {
    tma_refresh_follow_load(&memory->dram);
}

void tma_memory_place_descriptors(struct tma_memory *memory, uint64_t address) {
    memory->core.descriptor_line = address / TMA_LINE_BYTES;
}

void tma_memory_leave_descriptor_in_gpcs(struct tma_memory *memory, uint32_t descriptor) {
    for (uint32_t gpc = 0; gpc < memory->machine.topology.gpc_count; gpc++)
        tma_descriptor_cache_put(&memory->gpcs.descriptors[gpc], descriptor);
}

void tma_memory_leave_descriptor_in_l2(struct tma_memory *memory, uint32_t descriptor) {
    tma_l2_warm_line(&memory->core, &memory->l2, memory->core.descriptor_line + descriptor - 1);
}

bool tma_memory_is_full(const struct tma_memory *memory) {
    return memory->l2.tags.full;
}

uint32_t tma_memory_partition(const struct tma_memory *memory, uint32_t sm) {
    return memory->machine.topology.gpc_partition[memory->core.sm_gpc[sm]];
}

/* No event marks the end of a write to DRAM, or of a prefetch that a slice looks up. */
static uint64_t last_cycle(const struct tma_memory *memory) {
    uint64_t last = memory->core.cycle;
    for (uint32_t i = 0; i < memory->machine.l2.slices; i++)
        for (size_t k = TMA_SLICE_TAGS; k <= TMA_SLICE_READ; k++) {
            uint64_t done = tma_ticks_to_cycle(memory->l2.slices[i].ports[k].free_ticks);
            last = tma_later(done, last);
        }
    for (uint32_t i = 0; i < memory->machine.dram.channels; i++) {
        uint64_t done = tma_ticks_to_cycle(memory->dram.channels[i].bus.free_ticks);
        last = tma_later(done, last);
    }
    return last;
}

struct tma_memory_counters tma_memory_count(const struct tma_memory *memory) {
    struct tma_memory_counters counters = memory->core.counters;
    counters.last_cycle = last_cycle(memory);
    counters.tma_busy = tma_sms_busy_unit_cycles(&memory->sms);
    counters.sm_port_busy = tma_sms_busy_port_cycles(&memory->sms);
    counters.shared_busy = tma_sms_busy_shared_cycles(&memory->sms);
    counters.gpc_port_busy = tma_gpcs_busy_cycles(&memory->gpcs);
    counters.lsu_busy = tma_sms_busy_lsu_cycles(&memory->sms);
    counters.dsmem_busy = tma_sms_busy_dsmem_cycles(&memory->sms);
    counters.slice_busy = tma_l2_busy_cycles(&memory->l2);
    counters.atomic_busy = tma_l2_atomic_cycles(&memory->l2);
    counters.bus_busy = tma_dram_busy_cycles(&memory->dram);
    counters.hit_sectors = counters.sectors - counters.miss_sectors;
    counters.evictions = memory->l2.tags.evictions;
    counters.unused_sectors = memory->l2.tags.unused_sectors;
    counters.dram_read_sectors = memory->dram.read_sectors;
    counters.dram_write_sectors = memory->dram.written_sectors;
    return counters;
}

/* Of a server's busy time, the part until now. A server that will be free only later works through
 * a queue until then: without gaps. */
static uint64_t busy_until(uint64_t now_ticks, uint64_t busy_ticks, uint64_t free_ticks) {
    uint64_t ahead = free_ticks > now_ticks ? free_ticks - now_ticks : 0;
    return busy_ticks > ahead ? busy_ticks - ahead : 0;
}

static uint64_t port_busy_until(uint64_t now_ticks, const struct tma_port *port) {
    return busy_until(now_ticks, port->busy_ticks, port->free_ticks);
}

/* A slice is as busy as its busiest port. */
static uint64_t slice_busy_until(uint64_t now_ticks, const struct tma_l2 *l2, uint32_t slice) {
    uint64_t busiest = 0;
    for (size_t i = 0; i < TMA_SLICE_PORTS; i++) {
        uint64_t busy = port_busy_until(now_ticks, &l2->slices[slice].ports[i]);
        busiest = tma_later(busy, busiest);
    }
    return busiest;
}

void tma_memory_busy_ticks(const struct tma_memory *memory, uint64_t cycle, uint64_t *ticks) {
    const struct tma_machine *machine = &memory->machine;
    const struct tma_sms *sms = &memory->sms;
    uint64_t now = cycle == UINT64_MAX ? UINT64_MAX : cycle * TMA_TICKS;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        *ticks++ = busy_until(now, sms->load_units[i].busy_ticks, sms->load_units[i].clock_ticks) +
                   busy_until(now, sms->store_units[i].busy_ticks, sms->store_units[i].clock_ticks);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        *ticks++ = port_busy_until(now, &sms->ports[i]);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        *ticks++ = port_busy_until(now, &sms->shared[i].accesses) +
                   tma_operand_ticks_until(&sms->shared[i], now);
    for (uint32_t i = 0; i < machine->topology.gpc_count; i++)
        *ticks++ = port_busy_until(now, &memory->gpcs.ports[i].port);
    for (uint32_t i = 0; i < machine->l2.slices; i++)
        *ticks++ = slice_busy_until(now, &memory->l2, i);
    for (uint32_t i = 0; i < machine->dram.channels; i++)
        *ticks++ = port_busy_until(now, &memory->dram.channels[i].bus);
}

void tma_memory_observe(struct tma_memory *memory, uint64_t cycle) {
    tma_dram_observe(&memory->dram, cycle);
}

uint64_t tma_memory_late_ticks(const struct tma_memory *memory, uint32_t channel) {
    return memory->dram.channels[channel].late_ticks;
}

uint64_t tma_memory_late_sectors(const struct tma_memory *memory, bool written) {
    return memory->dram.late_sectors[written];
}

/* Whether each of `count` ports was busy for at most `ticks`. */
static bool fit(const struct tma_port *ports, uint32_t count, uint64_t ticks) {
    for (uint32_t i = 0; i < count; i++)
        if (ports[i].busy_ticks > ticks)
            return false;
    return true;
}

static bool sms_fit(const struct tma_sms *sms, uint64_t ticks) {
    uint32_t count = sms->core->machine->sm_count;
    for (uint32_t i = 0; i < count; i++)
        if (sms->load_units[i].busy_ticks + sms->store_units[i].busy_ticks > ticks ||
            sms->shared[i].accesses.busy_ticks + sms->shared[i].operand_ticks > ticks)
            return false;
    return fit(sms->ports, count, ticks);
}

static bool gpcs_fit(const struct tma_gpcs *gpcs, uint64_t ticks) {
    for (uint32_t i = 0; i < gpcs->core->machine->topology.gpc_count; i++)
        if (!fit(&gpcs->ports[i].port, 1, ticks))
            return false;
    return true;
}

static bool slices_fit(const struct tma_l2 *l2, uint64_t ticks) {
    for (uint32_t i = 0; i < l2->core->machine->l2.slices; i++)
        if (!fit(l2->slices[i].ports, TMA_SLICE_PORTS, ticks))
            return false;
    return true;
}

static bool channels_fit(const struct tma_dram *dram, uint64_t ticks) {
    for (uint32_t i = 0; i < dram->machine->dram.channels; i++)
        if (!fit(&dram->channels[i].bus, 1, ticks))
            return false;
    return true;
}

bool tma_memory_is_conserved(const struct tma_memory *memory, uint64_t cycles) {
    uint64_t last = last_cycle(memory), ticks = tma_later(last, cycles) * TMA_TICKS;
    const struct tma_core *core = &memory->core;
    return core->queue.count == 0 && tma_memory_in_flight(memory) == 0 &&
           core->free_count == core->packet_count && sms_fit(&memory->sms, ticks) &&
           gpcs_fit(&memory->gpcs, ticks) && slices_fit(&memory->l2, ticks) &&
           channels_fit(&memory->dram, ticks);
}
