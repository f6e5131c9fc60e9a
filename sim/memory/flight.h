/* Operations and requests in flight: two pools, and the calendar that the requests are in. Internal
 * to memory/. */
#ifndef TMA_MEMORY_FLIGHT_H
#define TMA_MEMORY_FLIGHT_H

#include "memory/dram.h"
#include "memory/l2.h"
#include "memory/system.h"
#include "memory/wheel.h"

/* Where a request is on its way: what its next entry in the calendar stands for. */
enum tma_stage {
    TMA_STAGE_SLICE,    /* at the L2 slice of the SM's own partition */
    TMA_STAGE_HOME,     /* at the slice of the line's home, in the other partition */
    TMA_STAGE_PROMOTE,  /* at the home of a line that promotion fetches along */
    TMA_STAGE_RESPONSE, /* at the GPC's port, on the way back */
};

/* One line of the host's cache. */
struct tma_request {
    uint64_t line;
    uint64_t sent_cycle;
    uint64_t l2_done_cycle; /* the first slice knows what it has */
    struct tma_place place;
    struct tma_l2_index index; /* of the line in the partition where it is looked up next */
    uint32_t flight;           /* the operation */
    uint32_t next;             /* next that waits for the same line; next on the free list */
    uint32_t dram_cycles;      /* from l2_done_cycle until the data was there */
    uint8_t asked : 4;         /* sectors: bit mask; 0 for out-of-bounds fill, which asks for none */
    uint8_t wanted : 4;        /* sectors: those, or all that are to be fetched with them */
    uint8_t count : 4;         /* sectors that go back to the SM */
    uint8_t stage : 3;         /* enum tma_stage */
    uint8_t shares : 1;        /* its data pass the GPC's port with those of another SM */
    uint8_t gpc;               /* of the SM */
};

struct tma_flight {
    struct tma_row_stream rows;
    struct tma_row row;      /* the current one */
    uint32_t row_done_bytes; /* of it: requests were made for these */
    uint32_t row_total_bytes;
    uint32_t outstanding;  /* requests that have not come back */
    uint32_t promotes;     /* promotion's requests that are still on their way */
    bool begun;            /* the TMA unit works on it, or has */
    bool generated;        /* every request has been made */
    uint64_t queued_cycle; /* it is at the TMA unit */
    uint32_t next;         /* next in the TMA unit's queue, or on the free list */
    enum tma_l2_promotion promotion;
    uint32_t sm;
    struct tma_completion completion;
};

/* Data that a slice has read lately, and the GPCs that it has answered with them. */
struct tma_recent_read {
    uint64_t line;
    uint64_t until_cycle;
    uint32_t gpcs;   /* bit mask */
    uint8_t sectors; /* bit mask */
};

enum { TMA_RECENT_READS = 8 };

struct tma_slice {
    struct tma_port port;
    struct tma_recent_read recent[TMA_RECENT_READS];
};

struct tma_unit {
    uint32_t head, tail;  /* flights that it has yet to work on */
    uint64_t clock_ticks; /* when it can make its next request */
    uint64_t start_ticks; /* when it may start on the next operation */
    uint64_t busy_ticks;
    bool scheduled; /* it is in the calendar */
};

struct tma_memory {
    struct tma_machine machine;
    struct tma_wheel wheel; /* entries: units first, by SM; then requests */
    struct tma_request *requests;
    uint32_t request_count, free_request;
    struct tma_flight *flights;
    uint32_t flight_count, free_flight, flights_used;
    struct tma_completion *completions; /* ring */
    uint32_t completion_capacity, completion_head, completion_count;
    bool out_of_memory;

    struct tma_unit *units;     /* by SM */
    struct tma_port *sm_ports;  /* by SM */
    struct tma_port *gpc_ports; /* by GPC */
    uint16_t *hops;             /* by GPC, partition and slice: cycles beyond the nearest slice's */
    struct tma_slice *slices;   /* by partition and slice */
    uint32_t sm_gpc[TMA_MAX_SMS];
    struct tma_l2 l2;
    struct tma_dram dram;
    uint64_t sm_sector_ticks, gpc_sector_ticks, row_ticks, interval_ticks;
    uint64_t read_ticks[TMA_SECTORS + 1]; /* by sectors: what reading them takes a slice */

    struct tma_memory_counters counters;
};

/* tma_unit.c */
void tma_unit_enqueue(struct tma_memory *memory, uint32_t flight, uint64_t cycle);
void tma_unit_step(struct tma_memory *memory, uint32_t sm, uint64_t cycle);

/* slice.c: sends a request that has its line, sectors and GPC to its SM's partition; and what
 * happens at the slices. */
void tma_slice_send(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_slice_request(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_slice_home(struct tma_memory *memory, uint32_t entry, uint64_t cycle);
void tma_slice_promote(struct tma_memory *memory, uint32_t entry, uint64_t cycle);

/* system.c: the pools. TMA_NONE when out of memory, which is also noted in the memory system. */
uint32_t tma_request_new(struct tma_memory *memory);
void tma_request_free(struct tma_memory *memory, uint32_t entry);

/* Cycles between a GPC and a slice beyond the nearest one's, both ways together. */
static inline uint32_t tma_hop_cycles(const struct tma_memory *memory, uint32_t gpc,
                                      const struct tma_place *place) {
    uint32_t slice = place->home * memory->l2.slices + place->slice;
    return memory->hops[gpc * memory->machine.l2.slices + slice];
}

static inline struct tma_request *tma_request_at(struct tma_memory *memory, uint32_t entry) {
    return &memory->requests[entry - memory->machine.sm_count];
}

#endif
