/* What the GPCs are made of. Internal to gpc/, but for gpcs.h. */
#ifndef TMA_MEMORY_GPC_GPC_STATE_H
#define TMA_MEMORY_GPC_GPC_STATE_H

#include "memory/core/core.h"
#include "memory/core/descriptor_cache.h"

/* An MSHR: a load that is outstanding until its response has passed the GPC's port. Further loads
 * of the same sectors are merged into it, until one of other sectors closes it. */
struct tma_mshr {
    uint64_t line : 45;     /* lines are below TMA_L2_ADDRESS_LIMIT */
    uint64_t sectors : 4;   /* that the load asks for */
    uint64_t loads : 3;     /* loads that one response serves; 0: free, or closed */
    uint64_t sm : 8;        /* of the first load */
    uint64_t responded : 1; /* the response is at the port */
    uint64_t number : 63;   /* the first load's packet; once responded, the cycle at which the
                               response has passed the port */
};

/* Fetches of tensor maps that are outstanding at L2: two for each TMA unit, at most. */
enum { TMA_MAX_DESCRIPTOR_FETCHES = 4 * TMA_MAX_SMS };

struct tma_descriptor_fetches {
    uint32_t packets[TMA_MAX_DESCRIPTOR_FETCHES]; /* each with the packets merged into it */
    uint32_t count;
};

struct tma_gpcs {
    struct tma_core *core;                    /* borrowed */
    struct tma_mshr *mshrs;                   /* owned: TMA_MSHRS for each GPC */
    struct tma_port *ports;                   /* owned: response ports by GPC, as those below */
    struct tma_descriptor_cache *descriptors; /* caches of tensor maps */
    struct tma_descriptor_fetches *fetches;
    uint64_t sector_ticks; /* for which a sector occupies a response port */
};

static inline struct tma_mshr *tma_mshr_of(const struct tma_gpcs *gpcs,
                                           const struct tma_packet *packet) {
    return &gpcs->mshrs[packet->location.mshr];
}

#endif
