/* The SMs: their TMA units (a load unit and a store unit each), caches of tensor maps, response
 * ports and shared memories; and the transfers that the units work on.
 *
 * system.c alone includes this header from outside the folder. */
#pragma once

#include "memory/core/core.h"
#include "memory/core/descriptor_cache.h"
#include "memory/core/issue.h"
#include "memory/core/port.h"
#include "memory/sm/lsu.h"
#include "memory/sm/row_splitter.h"
#include "memory/sm/shared_port.h"

/* Distributed shared memory: the links between the SMs of a cluster., but for
 * sms.h.
 */

struct tma_dsmem_link {
    struct tma_port out, in;
};

struct tma_dsmem {
    struct tma_dsmem_link *links; /* owned: by SM */
    uint64_t flit_ticks;          /* for which a flit occupies a link */
    uint64_t atomic_ticks; /* for which a round of atomics occupies the link that brings it */
};

/* Where writes in flight are. */
enum tma_write_place {
    TMA_WRITE_CROSSBAR, /* on the way, without queues */
    TMA_WRITE_L2,       /* in slices and their queues */
    TMA_WRITE_DRAM,     /* at the home, as DRAM takes no further writes or has to bring the line */
    TMA_WRITE_PLACES
};

/* A transfer: one TMA operation, from its issue until its last packet is done. A response touches
 * only its first cache line of the host. */
struct tma_transfer {
    _Alignas(TMA_HOST_LINE_BYTES) struct tma_completion completion;
    uint32_t outstanding; /* packets in flight */
    uint32_t copies;   /* multicast: the transfer of the next SM that gets the data; or TMA_NONE */
    bool begun;        /* the TMA unit works on it, or has done so */
    bool generated;    /* the TMA unit has made all of its packets */
    bool completed;    /* its completion is known */
    uint8_t warp;      /* stores: as in struct tma_issue */
    uint8_t promotion; /* enum tma_l2_promotion of the tensor map */
    uint8_t half;      /* of shared memory: 0 or 1 */
    uint16_t policy;   /* as in struct tma_issue */
    enum tma_direction direction;
    uint32_t sm;
    uint32_t peer;         /* SM whose shared memory gets the bytes; TMA_NONE: those of L2 do */
    uint32_t descriptor;   /* number of the tensor map, or 0: see struct tma_issue */
    uint32_t next;         /* in the TMA unit's queue, or among the free transfers */
    uint64_t queued_cycle; /* it reaches the TMA unit */
    uint64_t number;       /* stores: its place among the stores of the SM */
    uint64_t commit;       /* stores: the number of the last store before its commit */
    uint32_t next_open;    /* stores: the next one that has not completed */
    uint64_t held_before[TMA_WRITE_PLACES]; /* stores: the unit's held_ticks at its start */
    uint32_t fill_lines;                    /* packets for rows that are out of bounds altogether */
    struct tma_row_splitter splitter;
};

/* A transfer that waits for its tensor map. */
struct tma_descriptor_wait {
    uint32_t transfer;        /* or TMA_NONE */
    uint64_t available_cycle; /* the SM has the tensor map; UINT64_MAX: not known yet */
    uint64_t held_cycle;      /* the transfer could have begun; UINT64_MAX: not yet */
};

/* A TMA unit waits for the tensor map of its next transfer, and of the one behind it. */
enum { TMA_DESCRIPTOR_WAITS = 2 };

/* The TMA unit of an SM, for loads and prefetches. */
struct tma_load_unit {
    uint32_t head, tail;  /* queue of transfers */
    uint64_t clock_ticks; /* it can make its next packet */
    uint64_t sent_ticks;  /* it has made the last one */
    uint64_t start_ticks; /* it may begin with the next transfer */
    uint64_t busy_ticks;
    bool scheduled;      /* a wake-up is in the event queue, */
    uint64_t wake_cycle; /* at this cycle; other wake-ups in the queue are void */
    struct tma_descriptor_wait waits[TMA_DESCRIPTOR_WAITS];
};

/* The TMA unit of an SM, for stores and reductions. */
struct tma_store_unit {
    uint32_t head, tail;          /* transfers that it works on, in round robin, */
    uint32_t count;               /* and their number */
    uint32_t coming, coming_tail; /* queue of transfers that it has yet to begin with */
    uint32_t open, open_tail;     /* list of transfers that have not completed */
    uint64_t number;              /* of the next transfer */
    int32_t credits;              /* flits that it may still send to L2 */
    uint64_t clock_ticks;         /* it can make its next packet */
    uint64_t work_ticks;          /* it will have read all that it was given */
    uint64_t busy_ticks;
    uint64_t held_ticks[TMA_WRITE_PLACES]; /* it had no credits, by where the writes were */
    bool scheduled;                        /* a wake-up is in the event queue, */
    uint64_t wake_cycle;                   /* at this cycle; other wake-ups in the queue are void */
    struct tma_descriptor_wait waits[TMA_DESCRIPTOR_WAITS];
};

struct tma_sms {
    struct tma_core *core;          /* borrowed */
    struct tma_transfer *transfers; /* owned: a pool */
    uint32_t transfer_count, free_transfer, transfers_used;
    struct tma_completion *completions; /* owned: a ring of completions that tma_sms_take_completion
                                           has not given yet */
    uint32_t completion_capacity, completion_head, completion_count;
    bool reports_fills;             /* that end after the completion of their transfer: */
    struct tma_late_fills *reports; /* owned: a stack of those that the caller has not taken */
    size_t report_count, report_capacity;
    uint64_t late_transfers;          /* so far */
    struct tma_load_unit *load_units; /* owned: by SM, as the fields below */
    struct tma_store_unit *store_units;
    struct tma_port *ports; /* response ports */
    struct tma_shared_port *shared;
    struct tma_descriptor_cache *descriptors;
    uint64_t sector_ticks;    /* for which a sector occupies a response port */
    uint64_t wavefront_ticks; /* of shared memory */
    uint64_t row_ticks;       /* for which a packet occupies a load unit */
    struct tma_lsus lsus;
    struct tma_dsmem dsmem;
};

/* Fails with TMA_ERROR_MEMORY. tma_sms_free may be called after a failure. */
enum tma_error_code tma_sms_create(struct tma_sms *sms, struct tma_core *core,
                                   struct tma_error *error);
void tma_sms_free(struct tma_sms *sms);

/* issue.c: an SM issues an operation. False when out of memory. */
bool tma_sm_issue(struct tma_core *core, struct tma_sms *sms, const struct tma_issue *issue);

/* load_unit.c: a transfer reaches the load unit of its SM at `cycle`; the unit wakes up. */
void tma_load_unit_enqueue(struct tma_core *core, struct tma_sms *sms, uint32_t transfer,
                           uint64_t cycle);
struct tma_handover tma_load_unit_wake(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                       uint64_t cycle);

/* store_unit.c: likewise; and a write of the SM is done, which returns its credits. */
void tma_store_unit_enqueue(struct tma_core *core, struct tma_sms *sms, uint32_t transfer,
                            const struct tma_operation_size *size, uint64_t cycle);
struct tma_handover tma_store_unit_wake(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                        uint64_t cycle);
struct tma_handover tma_store_unit_receive(struct tma_core *core, struct tma_sms *sms,
                                           uint32_t packet, uint64_t cycle);

/* lsu.c: the LSUs. Their creation fails with TMA_ERROR_MEMORY. */
enum tma_error_code tma_lsus_create(struct tma_sms *sms, struct tma_error *error);
void tma_lsus_free(struct tma_sms *sms);

/* lsu.c: the SMs give so many bytes to shared memory, and the rest to L1. Only before the first
 * access. */
void tma_sms_carve_out(struct tma_sms *sms, uint64_t shared_bytes);

/* lsu.c: a warp accesses global memory. False when out of memory. And takes the oldest access that
 * is done; false where there is none. */
bool tma_sms_access(struct tma_core *core, struct tma_sms *sms, const struct tma_access *access);
bool tma_sms_take_access(struct tma_sms *sms, struct tma_access_completion *completion);

/* lsu.c: the LSU of an SM wakes up; a response to it has passed the GPC's port at `passed`, or has
 * passed the SM's port; and L2 has a write. */
struct tma_handover tma_lsu_wake(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                 uint64_t cycle);
struct tma_handover tma_lsu_receive_response(struct tma_core *core, struct tma_sms *sms,
                                             uint32_t packet, uint64_t passed);
struct tma_handover tma_lsu_receive(struct tma_core *core, struct tma_sms *sms, uint32_t packet,
                                    uint64_t cycle);
struct tma_handover tma_lsu_receive_written(struct tma_core *core, struct tma_sms *sms,
                                            uint32_t packet, uint64_t cycle);

/* dsmem.c: an SM asks for an access to the shared memory of another one: line `waiting` of those in
 * flight. Returns when its link has taken the request, in ticks. */
uint64_t tma_dsmem_request(struct tma_core *core, struct tma_sms *sms,
                           const struct tma_access *access, uint32_t waiting);

/* dsmem.c: a transfer sends sectors of a line to another SM, at `cycle`. */
void tma_dsmem_send_line(struct tma_core *core, struct tma_sms *sms, uint32_t transfer,
                         uint32_t sectors, uint64_t cycle);

/* dsmem.c: what another SM has sent comes at `cycle`. True where it ends an access of the SM: then
 * the packet is the caller's. */
bool tma_dsmem_receive(struct tma_core *core, struct tma_sms *sms, uint32_t packet, uint64_t cycle);

/* transfer.c: makes room for further transfers. False when out of memory. */
bool tma_transfers_grow(struct tma_core *core, struct tma_sms *sms);

/* delivery.c: a response has passed the GPC's port at `passed`; or a prefetch is done. */
struct tma_handover tma_sm_receive(struct tma_core *core, struct tma_sms *sms, uint32_t packet,
                                   uint64_t passed);

/* sms.c: a tensor map is in the SM's cache at `cycle`. */
struct tma_handover tma_sm_receive_descriptor(struct tma_core *core, struct tma_sms *sms,
                                              uint32_t packet, uint64_t cycle);

/* Takes the oldest completion; false where there is none. */
bool tma_sms_take_fills(struct tma_sms *sms, struct tma_late_fills *fills);
bool tma_sms_take_completion(struct tma_sms *sms, struct tma_completion *completion);

/* Writes how many transfers are in use, and the first of them: what, of which SM, issued when, and
 * what each waits for. Cut to `size` bytes. */
void tma_sms_describe(const struct tma_sms *sms, char *text, size_t size);

/* Cycles for which TMA units, response ports and, for accesses of warps, shared memory were busy,
 * load/store units with lines of accesses, and links to other SMs in their busier direction, summed
 * over SMs. */
uint64_t tma_sms_busy_unit_cycles(const struct tma_sms *sms);
uint64_t tma_sms_busy_port_cycles(const struct tma_sms *sms);
uint64_t tma_sms_busy_shared_cycles(const struct tma_sms *sms);
uint64_t tma_sms_busy_lsu_cycles(const struct tma_sms *sms);
uint64_t tma_sms_busy_dsmem_cycles(const struct tma_sms *sms);

/* Internal to sm/. */

/* Wakes the store unit of an SM at a later cycle. */
static inline void tma_store_unit_wake_at(struct tma_core *core, struct tma_sms *sms, uint32_t sm,
                                          uint64_t cycle) {
    sms->store_units[sm].scheduled = true;
    sms->store_units[sm].wake_cycle = cycle;
    tma_event_queue_push(&core->queue, tma_event_of(TMA_WAKE_UNIT, core->machine->sm_count + sm),
                         cycle);
}

/* Wakes the unit of an SM in this cycle. */
static inline struct tma_handover tma_store_unit_wake_now(struct tma_sms *sms, uint32_t sm,
                                                          uint64_t cycle) {
    sms->store_units[sm].scheduled = true;
    sms->store_units[sm].wake_cycle = cycle;
    return (struct tma_handover){sm, TMA_WAKE_STORE_UNIT, cycle};
}

static inline struct tma_handover tma_load_unit_wake_now(struct tma_sms *sms, uint32_t sm,
                                                         uint64_t cycle) {
    sms->load_units[sm].scheduled = true;
    sms->load_units[sm].wake_cycle = cycle;
    return (struct tma_handover){sm, TMA_WAKE_LOAD_UNIT, cycle};
}

/* The first store whose bytes have not all been read from shared memory; TMA_NONE. */
static inline uint32_t tma_store_unit_first_unread(const struct tma_sms *sms, uint32_t sm) {
    uint32_t id = sms->store_units[sm].open;
    while (id != TMA_NONE && sms->transfers[id].generated)
        id = sms->transfers[id].next_open;
    return id;
}

/* An SM's TMA unit works on its operations in the order in which they reach it, loads first of
 * those that do so in one cycle. Whether shared memory has been read for all stores before a load;
 * whether the requests of all loads before a store have been made. */
static inline bool tma_stores_are_read(const struct tma_sms *sms, const struct tma_transfer *load) {
    uint32_t id = tma_store_unit_first_unread(sms, load->sm);
    return id == TMA_NONE || sms->transfers[id].queued_cycle >= load->queued_cycle;
}

static inline bool tma_loads_are_made(const struct tma_sms *sms, const struct tma_transfer *store) {
    uint32_t id = sms->load_units[store->sm].head;
    return id == TMA_NONE || sms->transfers[id].queued_cycle > store->queued_cycle;
}

/* Schedules the unit of an SM again: a tensor map that it waits for has a cycle now, or the
 * operations before its next one are done. */
void tma_load_unit_resume(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t cycle);
void tma_store_unit_resume(struct tma_core *core, struct tma_sms *sms, uint32_t sm, uint64_t cycle);
