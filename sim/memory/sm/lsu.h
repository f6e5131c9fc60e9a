/* The load/store unit (LSU) of an SM: accesses of its warps to global memory. It looks up the lines
 * of one access after the other in L1, and sends to L2 what L1 lacks, writes and atomics. Internal
 * to sm/, but for sms.h. */
#pragma once

#include "memory/core/warp_access.h"
#include "memory/sm/l1.h"

/* An access in flight. Its line of number i waits as number TMA_MAX_ACCESS_LINES * access + i. */
struct tma_access_in_flight {
    uint64_t queued_cycle;    /* its last wavefront has passed the data path */
    uint64_t ready_cycle;     /* of its lines so far, the last is in registers, or at L2 */
    uint32_t next;            /* in the queue of its unit, or among the free ones */
    uint32_t looked_up;       /* lines */
    uint32_t rounds;          /* of the next line, that were sent to L2 */
    uint32_t outstanding;     /* of these, lines that wait for L2 */
    struct tma_access access; /* of its lines, those that it has */
    uint32_t next_waiting[TMA_MAX_ACCESS_LINES]; /* for the same line of L1 */
};

struct tma_lsu {
    uint32_t head, tail;  /* queue of accesses whose lines have not all been looked up */
    uint32_t waiting;     /* their number */
    uint64_t clock_ticks; /* it can look up its next line */
    uint64_t busy_ticks;  /* that lines have occupied it so far */
    uint32_t misses;      /* requests of loads that are on their way */
    int32_t credits;      /* flits that it may still send to L2 */
    bool halted;          /* it cannot take the next line before L2 has answered a request */
    bool scheduled;       /* a wake-up is in the event queue, */
    uint64_t wake_cycle;  /* at this cycle; other wake-ups in the queue are void */
    struct tma_l1 l1;
};

struct tma_lsus {
    struct tma_lsu *units; /* owned: by SM */
    uint64_t l1_bytes;     /* of each L1 */
    /* for which a wavefront occupies the data path of the SM; a line, a flit of a write, and an
     * access at least the unit, and a sector the response port of the SM */
    uint64_t wavefront_ticks, tag_ticks, flit_ticks, access_ticks, sector_ticks;
    struct tma_access_in_flight *accesses; /* owned: a pool */
    uint32_t access_count, free_access, accesses_used;
    struct tma_access_completion *done; /* owned: a ring of completions that the caller has not
                                           taken */
    uint32_t done_capacity, done_head, done_count;
};
