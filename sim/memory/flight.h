/* Operations and requests in flight: two pools, and the calendar that the requests are in. Internal
 * to memory/. */
#ifndef TMA_MEMORY_FLIGHT_H
#define TMA_MEMORY_FLIGHT_H

#include "base/array.h"
#include "memory/dram.h"
#include "memory/l2.h"
#include "memory/shared_port.h"
#include "memory/system.h"
#include "memory/wheel.h"

/* Where a request is on its way: what its next entry in the calendar stands for. */
enum tma_stage {
    TMA_STAGE_SLICE,    /* at the L2 slice of the SM's own partition */
    TMA_STAGE_HOME,     /* at the slice of the line's home, in the other partition */
    TMA_STAGE_RESPONSE, /* at the GPC's port, on the way back */
    TMA_STAGE_PASS,     /* a write, at a slice of the SM's partition, on to the other one */
    TMA_STAGE_WRITE,    /* at the home of a line that is written or reduced */
    TMA_STAGE_WRITTEN,  /* back at the SM: it may send another */
};

/* One line of the host's cache. */
struct tma_request {
    uint64_t line;
    uint64_t sent_cycle;
    struct tma_place place;
    struct tma_l2_index index; /* of the line in the partition where it is looked up next */
    uint32_t flight;           /* the operation */
    uint32_t next;             /* next that waits for the same line, or among some riders */
    uint32_t riders;           /* those that are answered with it, the last one first */
    uint32_t known_cycles;     /* from sent_cycle until the first slice knew what it has, */
    uint32_t dram_cycles;      /* and from then until the data was there */
    uint8_t asked : 4;         /* sectors: bit mask */
    uint8_t wanted : 4;        /* sectors: those, or all that are to be fetched with them */
    uint8_t stage : 3;         /* enum tma_stage */
    uint8_t coalesces : 1;     /* it may be answered with another one of its GPC */
    uint8_t descriptor : 1;    /* of a tensor map, for the GPC's cache: it is not counted */
    uint8_t sm;
    uint8_t gpc : 4;       /* of the SM */
    uint8_t direction : 2; /* enum tma_direction */
    uint8_t partial : 1;   /* a write of part of a sector; a reduction of half the work of one */
    uint8_t fill : 1;      /* for a row that is out of bounds altogether */
};
_Static_assert(sizeof(struct tma_request) == TMA_HOST_LINE_BYTES, "or each touches two lines");

/* What one request of an operation asks for: bytes of a row in one 128-byte line. */
struct tma_piece {
    uint64_t line;
    uint8_t sectors; /* bit mask */
    bool fill;       /* out of bounds */
    bool partial;    /* its bytes begin or end inside a sector; of a reduction: see half_work */
};

/* Requests of rows of which each has one, like the last one but for the line. */
struct tma_alike {
    uint64_t line;       /* of the last one */
    uint64_t step_lines; /* from a row's line to the next's */
    uint32_t rows;       /* yet to come */
    uint8_t sectors;
    bool fill, partial;
};

/* What a response touches, from the completion's arrival on, is one line of the host's cache. */
struct tma_flight {
    _Alignas(TMA_HOST_LINE_BYTES) struct tma_completion completion;
    uint32_t outstanding; /* requests that are still on their way */
    uint32_t copies;      /* multicast: the flight of the next SM that gets the data; or TMA_NONE */
    bool begun;           /* the TMA unit works on it, or has */
    bool generated;       /* every request has been made */
    bool completed;       /* its completion is known */
    bool wait_group;      /* stores: as in struct tma_issue */
    uint8_t warp;         /* likewise */
    bool half_work;       /* reductions: 16 bytes are half the work of a sector */
    enum tma_l2_promotion promotion;
    enum tma_direction direction;
    uint32_t sm;
    uint32_t descriptor;   /* as in struct tma_issue */
    uint32_t next;         /* next in the TMA unit's queue, or on the free list */
    uint64_t queued_cycle; /* it is at the TMA unit */
    uint64_t number;       /* stores: among those of the SM, */
    uint64_t commit;       /* and that of the last one before its commit */
    uint32_t next_open;    /* stores: the next one that is not complete */
    struct tma_alike alike;
    uint32_t row_done_bytes; /* of the current row: requests were made for these */
    uint32_t row_total_bytes;
    uint32_t fills_asked; /* requests for rows that are out of bounds altogether */
    struct tma_row row;   /* the current one */
    struct tma_row_stream rows;
};

/* What writes pass in a slice: what comes from SMs and from the other partition, and the data. */
struct tma_write_ports {
    struct tma_port from_sms, from_partition, data;
};

/* A request that others may be answered with: until its answer has passed the GPC's port. */
struct tma_coalesced {
    uint64_t line : 45; /* all that there are: see TMA_L2_ADDRESS_LIMIT */
    uint64_t sectors : 4;
    uint64_t answered : 3; /* requests, itself too; 0: no request */
    uint64_t sm : 8;
    uint64_t passes : 1;
    uint64_t number : 63; /* of the request; or, if it passes the port, the cycle when it has */
};

/* The requests of a GPC, by a hash of their line. */
enum { TMA_COALESCER_LINES = 1024 };

struct tma_coalescer {
    struct tma_coalesced lines[TMA_COALESCER_LINES];
};

/* A TMA unit waits for an operation's tensor map. */
struct tma_map_wait {
    uint32_t flight; /* or TMA_NONE */
    uint64_t asked_cycle;
    uint64_t map_cycle;  /* when it is there, or UINT64_MAX as long as that is not known */
    uint64_t held_cycle; /* since when the operation could have begun, or UINT64_MAX */
};

enum { TMA_MAP_WAITS = 2 };

/* A TMA unit's queue of operations; loads and prefetches have one, stores and reductions another.
 */
struct tma_unit {
    uint32_t head, tail;          /* flights that it has yet to work on */
    uint32_t coming, coming_tail; /* stores: flights that have yet to get here; */
    uint32_t open, open_tail;     /* those that are not complete; */
    uint64_t number;              /* how many there were */
    int32_t credits;              /* stores: flits that it may yet send */
    uint64_t clock_ticks;         /* when it can make its next request */
    uint64_t start_ticks;         /* when it may start on the next operation */
    uint64_t busy_ticks;
    bool scheduled;      /* it is in the calendar, */
    uint64_t step_cycle; /* loads: at this cycle; what else is there of it counts no longer */
    struct tma_map_wait waits[TMA_MAP_WAITS];
};

/* Tensor maps, the one that was used last first. */
struct tma_descriptor_cache {
    uint32_t *entries; /* owned: `capacity` of them, of which `count` are taken */
    uint32_t count, capacity;
};

/* The calendar's entries from here on are TMA units: by SM for loads; then by SM for stores. */
#define TMA_FIRST_UNIT (UINT32_C(1) << 31)

struct tma_memory {
    struct tma_machine machine;
    struct tma_wheel wheel; /* entries: requests, and units from TMA_FIRST_UNIT on */
    struct tma_request *requests;
    uint32_t request_capacity, request_count; /* room; those that were ever in use */
    uint32_t *free_requests, free_count;      /* those that are not in use any more: a stack */
    struct tma_flight *flights;
    uint32_t flight_count, free_flight, flights_used;
    struct tma_completion *completions; /* ring */
    uint32_t completion_capacity, completion_head, completion_count;
    bool out_of_memory;

    struct tma_unit *units;         /* by SM: loads; then by SM: stores */
    struct tma_port *sm_ports;      /* by SM */
    struct tma_shared_port *shared; /* by SM */
    struct tma_port *gpc_ports;     /* by GPC */
    uint16_t *hops;          /* by GPC, partition and slice: cycles beyond the nearest slice's */
    struct tma_port *slices; /* by partition and slice */
    struct tma_write_ports *write_ports;                           /* likewise */
    struct tma_coalescer *coalescers;                              /* by GPC */
    struct tma_descriptor_cache *sm_descriptors, *gpc_descriptors; /* by SM, by GPC */
    uint64_t descriptor_line;                                      /* of tensor map number 1 */
    uint32_t sm_gpc[TMA_MAX_SMS];
    uint16_t ranks[2 * TMA_MAX_SMS]; /* by unit: see draw_ranks */
    struct tma_l2 l2;
    struct tma_dram dram;
    uint64_t wavefront_ticks;        /* of shared memory */
    uint64_t fill_ticks, join_ticks; /* of a slice */
    uint64_t sm_sector_ticks, gpc_sector_ticks, row_ticks, interval_ticks;
    uint64_t read_ticks[TMA_SECTORS + 1]; /* by sectors: what reading them takes a slice */

    struct tma_memory_counters counters;
};

/* pieces.c: the next request of an operation; false after the last. */
bool tma_flight_piece(struct tma_flight *flight, struct tma_piece *piece);

/* tma_unit.c: loads and prefetches */
void tma_unit_enqueue(struct tma_memory *memory, uint32_t flight, uint64_t cycle);
void tma_unit_step(struct tma_memory *memory, uint32_t sm, uint64_t cycle);
void tma_unit_resume(struct tma_memory *memory, uint32_t sm, uint64_t cycle);

/* store_unit.c: stores and reductions */
void tma_store_enqueue(struct tma_memory *memory, uint32_t flight, uint64_t cycle);
void tma_store_step(struct tma_memory *memory, uint32_t sm, uint64_t cycle);
void tma_store_resume(struct tma_memory *memory, uint32_t sm, uint64_t cycle);
void tma_store_written(struct tma_memory *memory, uint32_t entry, uint64_t cycle);

/* coalescer.c: whether a request that is at the slice of its SM's partition is answered together
 * with one of its GPC that was there before; that one's answer will have passed the port at
 * `passed`; and a request comes back that was answered with it. */
bool tma_coalesce(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_coalescer_pass(struct tma_memory *memory, uint32_t entry, uint64_t passed);
void tma_coalescer_land(struct tma_memory *memory, uint32_t entry, const struct tma_request *first,
                        uint64_t cycle, uint64_t passed);

/* response.c: an answer is at its GPC's port at `cycle`; when it has passed it; and what happens to
 * one that has, whose request is then done with. */
void tma_response_arrive(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
uint64_t tma_response_pass(struct tma_memory *memory, const struct tma_request *request,
                           uint64_t cycle);
void tma_response_land(struct tma_memory *memory, uint32_t entry, uint64_t cycle, uint64_t passed);

/* descriptors.c: the caches of tensor maps (false when out of memory). */
bool tma_descriptors_create(struct tma_memory *memory);
void tma_descriptors_free(struct tma_memory *memory);

/* descriptors.c: whether an operation, the next one of unit number `unit`, has its map. If not, the
 * unit is to ask again at the cycle that tma_descriptor_cycle gives, where that is UINT64_MAX when
 * it is resumed. */
bool tma_descriptor_ready(struct tma_memory *memory, uint32_t unit, uint32_t flight,
                          uint64_t cycle);
uint64_t tma_descriptor_cycle(const struct tma_unit *unit, uint32_t flight);

/* descriptors.c: the operation behind that one fetches its map too. */
void tma_descriptor_look_ahead(struct tma_memory *memory, uint32_t unit, uint32_t flight,
                               uint64_t cycle);

/* descriptors.c: a map that L2 was asked for is at its GPC's port. */
void tma_descriptor_arrive(struct tma_memory *memory, uint32_t request, uint64_t cycle);

/* write.c: what happens to a write at the slice */
void tma_slice_pass(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_slice_write(struct tma_memory *memory, uint32_t entry, uint64_t cycle);

/* slice.c: sends a request that has its line, sectors and GPC to its SM's partition; and what
 * happens at the slices. */
void tma_slice_send(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_slice_request(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_slice_home(struct tma_memory *memory, uint32_t entry, uint64_t cycle);

/* slice.c, for write.c: takes the slice that answers for a line in a partition for `ticks`, at
 * least the interval, and gives the cycle at which it is free, or that at which the look-up is done
 * as well; takes a way for a line (see tma_l2_claim), and writes back what it held (-1: none to be
 * had); fills what is missing of `wanted`, and gives the cycle at which it is there. */
uint64_t tma_slice_take(struct tma_memory *memory, uint32_t partition,
                        const struct tma_place *place, uint64_t ticks, uint64_t cycle);
uint64_t tma_slice_look_up(struct tma_memory *memory, uint32_t partition,
                           const struct tma_place *place, uint64_t ticks, uint64_t cycle);
int tma_slice_claim(struct tma_memory *memory, const struct tma_request *request, bool passing,
                    uint64_t cycle);
uint64_t tma_slice_data(struct tma_memory *memory, uint32_t entry, int way, uint64_t cycle);

/* slice.c: writes to DRAM what has to leave a set. */
void tma_slice_write_back(struct tma_memory *memory, uint32_t set,
                          const struct tma_l2_victim *victim, uint64_t cycle);

/* system.c: the pools: another flight (TMA_NONE when out of memory), and room for more requests
 * (false then). That is also noted in the memory system. */
uint32_t tma_flight_new(struct tma_memory *memory);
bool tma_requests_grow(struct tma_memory *memory);

/* system.c: an operation that has no data to wait for completes at `cycle`; and one of its requests
 * is done with. */
void tma_flight_complete(struct tma_memory *memory, uint32_t flight, uint64_t cycle);
void tma_flight_drop(struct tma_memory *memory, uint32_t flight);

/* response.c: an answer that was at its GPC's port at `cycle`, and has passed it at `passed`,
 * arrives in the SM of one flight. */
void tma_flight_deliver(struct tma_memory *memory, struct tma_flight *flight, uint32_t sm,
                        const struct tma_request *request, uint64_t cycle, uint64_t passed);

/* multicast.c: adds the SMs that get a load's data too (false when out of memory); a response
 * arrives there; the load completes there. */
bool tma_multicast_add(struct tma_memory *memory, uint32_t flight, const struct tma_issue *issue);
void tma_multicast_deliver(struct tma_memory *memory, const struct tma_request *request,
                           uint64_t cycle, uint64_t passed_cycle);
void tma_multicast_complete(struct tma_memory *memory, uint32_t flight);

/* Cycles between a GPC and a slice beyond the nearest one's, both ways together. */
static inline uint32_t tma_hop_cycles(const struct tma_memory *memory, uint32_t gpc,
                                      const struct tma_place *place) {
    uint32_t slice = place->home * memory->l2.slices + place->server;
    return memory->hops[gpc * memory->machine.l2.slices + slice];
}

/* The first slice knows what it has. */
static inline uint64_t tma_known_cycle(const struct tma_request *request) {
    return request->sent_cycle + request->known_cycles;
}

/* Spreads lines, by the high bits. */
static inline uint32_t tma_hash_line(uint64_t line) {
    return (uint32_t)(line * UINT64_C(0x9e3779b97f4a7c15) >> 32);
}

/* Flits of 32 bytes that a write takes on its way from an SM: its sectors; and one that says, for a
 * store of part of a sector, which bytes, and for a reduction, what to do with them, unless these
 * are half the work of a sector and leave room. */
static inline uint32_t tma_write_flits(enum tma_direction direction, uint32_t sectors,
                                       bool partial) {
    return tma_sector_count(sectors) + (direction == TMA_REDUCE ? !partial : partial);
}

static inline struct tma_request *tma_request_at(struct tma_memory *memory, uint32_t entry) {
    return &memory->requests[entry];
}

/* TMA_NONE when out of memory, which is also noted in the memory system. */
static inline uint32_t tma_request_new(struct tma_memory *memory) {
    if (memory->free_count > 0)
        return memory->free_requests[--memory->free_count];
    if (memory->request_count == memory->request_capacity && !tma_requests_grow(memory))
        return TMA_NONE;
    return memory->request_count++;
}

static inline void tma_request_free(struct tma_memory *memory, uint32_t entry) {
    memory->free_requests[memory->free_count++] = entry;
}

#endif
