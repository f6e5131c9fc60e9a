/* A packet: one request for (part of) one 128-byte line, on its way through the components, and its
 * response on the way back. */
#pragma once

#include <stdbool.h>

#include "base/array.h"
#include "memory/core/line_places.h"
#include "memory/core/random.h"
#include "memory/core/sectors.h"
#include "tensormap/l2_policy.h"

/* L2 cache hints: what an access makes of its lines in L2. */

enum tma_l2_hint {
    TMA_L2_HINT_NONE,  /* also evict_unchanged */
    TMA_L2_HINT_FIRST, /* evict_first: the set's next victim */
    TMA_L2_HINT_LAST,  /* evict_last: other lines go first */
    TMA_L2_HINT_NORMAL /* evict_normal: as without a hint, also a line that was to stay */
};

/* Lines of one unit have the same priority. */
enum { TMA_L2_POLICY_UNIT_LINES = 4 };

/* The hint that a policy gives a line. */
static inline enum tma_l2_hint tma_l2_policy_hint(uint32_t policy, uint64_t line) {
    uint32_t part = policy & TMA_L2_POLICY_PART;
    if ((policy & TMA_L2_POLICY_BASE) == 0)
        return TMA_L2_HINT_NONE;
    if (part < TMA_L2_POLICY_PART && tma_mix64(line / TMA_L2_POLICY_UNIT_LINES) >> 60 > part)
        return (policy & TMA_L2_POLICY_OTHERS_FIRST) != 0 ? TMA_L2_HINT_FIRST : TMA_L2_HINT_NONE;
    switch (policy & TMA_L2_POLICY_PRIMARY) {
    case TMA_L2_POLICY_FIRST:
        return TMA_L2_HINT_FIRST;
    case TMA_L2_POLICY_LAST:
        return TMA_L2_HINT_LAST;
    case TMA_L2_POLICY_NORMAL:
        return TMA_L2_HINT_NORMAL;
    }
    return TMA_L2_HINT_NONE;
}

enum tma_packet_kind {
    TMA_PACKET_LOAD,       /* reads sectors into the shared memory of an SM */
    TMA_PACKET_PREFETCH,   /* reads sectors into L2 */
    TMA_PACKET_STORE,      /* writes sectors */
    TMA_PACKET_REDUCE,     /* reads, modifies and writes sectors at L2 */
    TMA_PACKET_DESCRIPTOR, /* reads a tensor map for the caches of a GPC and an SM */
    TMA_PACKET_PROMOTION,  /* reads the second line of a promoted 256-byte block into L2 */
    TMA_PACKET_WRITE_BACK, /* writes dirty sectors from L2 to DRAM */
    TMA_PACKET_CREDIT,     /* the credits of a reduction whose line comes from DRAM */
};

/* Where a packet goes next: a component, and what it receives. */
enum tma_destination {
    /* In the event queue too: the part of an event (core.h) that says what it is. */
    TMA_TO_L2,             /* the SM's partition: a read */
    TMA_TO_L2_IN_TURN,     /* the same: a read that waited, and whose CPC has its turn now */
    TMA_TO_HOME_SLICE,     /* L2 slice of the line's home, from the other partition: a read */
    TMA_TO_SLICE_FILL,     /* L2 slice: data from DRAM, or that DRAM has written a line */
    TMA_TO_WRITE_TRANSIT,  /* L2 slice of the SM's partition: a write to the other partition */
    TMA_TO_WRITE_SLICE,    /* L2 slice of the line's home: a write */
    TMA_TO_WRITE_ACCEPTED, /* L2 slice: the DRAM channel takes further writes */
    TMA_TO_DRAM,           /* DRAM channel: a read or a write-back */
    TMA_TO_DRAM_CREDIT,    /* DRAM channel: asks when it takes further writes */
    TMA_TO_RESPONSE_PORT,  /* GPC: a response of L2 */
    TMA_TO_SM,             /* SM: a response, or a prefetch that is done */
    TMA_TO_STORE_UNIT,     /* SM: a write is done */
    TMA_TO_LSU, /* SM: a response to an access of a warp has passed the SM's port; or what
                   another SM of the cluster has sent */
    TMA_TO_TLB, /* CPC: a request that leaves its SM, where translation takes time */
    /* Not of packets: a DRAM channel or a unit of an SM wakes up, and receives its number. */
    TMA_WAKE_CHANNEL,
    TMA_WAKE_UNIT, /* load units by SM, then store units, then load/store units (LSUs) */
    /* Within a cycle only. */
    TMA_TO_DESCRIPTORS,    /* GPC: a request for a tensor map */
    TMA_TO_SM_DESCRIPTORS, /* SM: a tensor map */
    TMA_TO_COALESCER,      /* the coalescer of the SM's partition: a read */
    TMA_TO_SLICE,          /* L2 slice of the SM's partition: a read */
    TMA_TO_SLICE_MERGED,   /* the same: a load that was merged */
    TMA_TO_NOWHERE,        /* it is in the event queue, or done */
    /* Not of packets: a unit wakes up, and receives the number of its SM. */
    TMA_WAKE_LOAD_UNIT,
    TMA_WAKE_STORE_UNIT,
    TMA_WAKE_LSU,
};

/* Numbers of packets have this many bits. The number that is all ones stands for TMA_NONE where a
 * number is kept in so many bits. */
enum { TMA_PACKET_BITS = 27, TMA_PACKET_MASK = (1 << TMA_PACKET_BITS) - 1 };

/* One cache line of the host. */
struct tma_packet {
    uint64_t line;                 /* byte address / 128 */
    uint64_t sent_cycle;           /* it left the SM */
    struct tma_set_index index;    /* in the partition whose slice receives the packet next */
    struct tma_line_server server; /* at home */
    union {
        uint32_t transfer; /* the transfer that it belongs to */
        uint32_t waiting;  /* of_access: the line of an access that it is for (sm/lsu.h) */
    };
    union {
        uint32_t next; /* in a list: of packets that wait for a fill, or that were merged */
        struct {
            int8_t way;      /* during a DRAM read: the L2 way that is filled; -1: none */
            uint8_t missing; /* sectors that are read */
        } fill;
    };
    union {
        uint32_t merged;      /* packets that the response serves too: a list, the newest first */
        uint32_t held_cycles; /* a write: its slice took no write, because DRAM took none */
        uint32_t flits;       /* distant: that the link of the next SM has yet to take */
    };
    uint32_t known_cycles; /* from sent_cycle until the first slice has looked the line up */
    union {
        /* from then until the data is there. During a DRAM read: until it began */
        uint32_t dram_cycles;
        uint32_t next_waiting; /* in a queue (packet_queue.h); not valid in its last packet */
    };
    uint32_t mshr;            /* a read (tma_locate_read): the line's MSHR for the GPC of the SM */
    uint16_t near_slice : 14; /* a read: that serves the line in the partition of the SM */
    uint16_t hint : 2;        /* enum tma_l2_hint */
    uint8_t sm;
    uint8_t gpc;           /* of the SM */
    uint8_t sectors;       /* that it asks for */
    uint8_t wanted;        /* sectors: these, and those that are fetched along */
    uint8_t kind;          /* enum tma_packet_kind */
    uint8_t promotion : 2; /* enum tma_l2_promotion of the tensor map */
    uint8_t coalesces : 1; /* it may be merged with others of its GPC */
    uint8_t partial : 1;   /* a store of part of a sector; a reduction of half the work of one */
    uint8_t fill_line : 1; /* it stands for a row that lies completely out of bounds */
    uint8_t of_access : 1; /* an access of a warp, not an operation of the TMA unit */
    uint8_t returns : 1;   /* a reduction whose SM gets the result: an atomic; a write-back whose
                              slice waits until DRAM has written it; distant: it has been done */
    uint8_t distant : 1;   /* from SM to SM; `sm` is the one that it comes to next */
};
_Static_assert(sizeof(struct tma_packet) == TMA_HOST_LINE_BYTES,
               "a packet takes one cache line of the host");

/* The cycle at which the first slice had looked the line up. */
static inline uint64_t tma_known_cycle(const struct tma_packet *packet) {
    return packet->sent_cycle + packet->known_cycles;
}

/* Flits of 32 bytes that a write takes on its way from an SM: one for each sector, and one for byte
 * masks (a store of part of a sector) or for the operation (a reduction, unless it does half the
 * work of a sector and leaves room). */
static inline uint32_t tma_write_flits(enum tma_packet_kind kind, uint32_t sectors, bool partial) {
    return tma_sector_count(sectors) + (kind == TMA_PACKET_REDUCE ? !partial : partial);
}
