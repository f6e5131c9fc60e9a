/* What the GPCs are made of. Internal to gpc/, but for gpcs.h. */
#pragma once

#include "memory/core/core.h"
#include "memory/core/descriptor_cache.h"

/* An MSHR of a coalescer: a load that is outstanding until its response has passed its GPC's port.
 * Further loads of the GPC of the same sectors are merged into it, until one of other sectors, of
 * any GPC next to the partition, closes it. */
struct tma_mshr {
    uint64_t tag : 49;      /* the load's line, below TMA_L2_ADDRESS_LIMIT, and its sectors */
    uint64_t loads : 3;     /* loads that one response serves; 0: free, or closed */
    uint64_t sm : 8;        /* of the first load */
    uint64_t responded : 1; /* the response is at the port */
    uint64_t number : 63;   /* the first load's packet; once responded, the cycle at which the
                               response has passed the port */
};

_Static_assert(sizeof(struct tma_mshr) == 16, "a row takes a cache line of the host (core.c)");

/* The response port of a GPC, and the links that lead to it: one from each group of slices of the
 * GPC's partition. */
struct tma_response_port {
    struct tma_port port;
    uint64_t *link_free_ticks; /* borrowed: when a link has passed all, by group of slices */
};

/* Fetches of tensor maps that are outstanding at L2: two for each TMA unit, at most. */
enum { TMA_MAX_DESCRIPTOR_FETCHES = 4 * TMA_MAX_SMS };

struct tma_descriptor_fetches {
    uint32_t packets[TMA_MAX_DESCRIPTOR_FETCHES]; /* each with the packets merged into it */
    uint32_t count;
};

/* What TLBs hold. Internal to gpc/. */

/* A translation in the TLB of a CPC, or in that of the GPU. */
struct tma_tlb_entry {
    uint64_t key;   /* of the block and of the TLB; 0: none */
    uint64_t cycle; /* it is there from then on */
};

struct tma_tlbs {
    struct tma_tlb_entry *entries; /* owned: a hash table of those of all TLBs */
    uint32_t bits, count;          /* it has 2 to the power of bits; of which so many are in use */
    uint64_t arrivals[TMA_MAX_CPCS][TMA_MAX_TLB_MISSES]; /* of the last misses of a CPC: a ring */
    uint32_t next_arrival[TMA_MAX_CPCS];
    struct tma_port walker;
};

struct tma_gpcs {
    struct tma_core *core; /* borrowed */
    struct tma_mshr
        *mshrs;      /* owned: of both partitions, in rows: one for each GPC of a partition */
    bool *has_parts; /* owned: rows that were asked for less than a line */
    bool any_parts;  /* some row was */
    struct tma_response_port *ports;          /* owned: by GPC, as those below */
    struct tma_descriptor_cache *descriptors; /* caches of tensor maps */
    struct tma_descriptor_fetches *fetches;
    struct tma_tlbs tlbs;
    uint64_t sector_ticks;      /* for which a sector occupies a response port */
    uint64_t *link_free_ticks;  /* owned: of all ports */
    uint64_t link_sector_ticks; /* for which a sector occupies a link */
};

static inline struct tma_mshr *tma_mshr_of(const struct tma_gpcs *gpcs,
                                           const struct tma_packet *packet) {
    return &gpcs->mshrs[packet->mshr];
}

/* A response passes a link and the response port of its GPC. Internal to gpc/. */

/* A response enters the link to its GPC's port. Returns the cycle at which it has passed the port.
 */
static inline uint64_t tma_response_port_serve(struct tma_gpcs *gpcs,
                                               const struct tma_packet *packet, uint64_t cycle) {
    struct tma_response_port *responses = &gpcs->ports[packet->gpc];
    uint64_t *link = &responses->link_free_ticks[packet->server.slice / TMA_GROUP_SLICES];
    uint32_t sectors = tma_sector_count(packet->sectors);
    *link = tma_later(*link, cycle * TMA_TICKS) + sectors * gpcs->link_sector_ticks;
    tma_port_serve(&responses->port, cycle, sectors * gpcs->sector_ticks);
    return tma_ticks_to_cycle(tma_later(*link, responses->port.free_ticks));
}
