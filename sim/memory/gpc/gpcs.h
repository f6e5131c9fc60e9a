/* The GPCs: what the SMs of a GPC share on their way to L2 and back. A GPC has a coalescer with
 * MSHRs, a response port, and a cache of tensor maps.
 *
 * system.c alone includes this header from outside the folder. */
#ifndef TMA_MEMORY_GPC_GPCS_H
#define TMA_MEMORY_GPC_GPCS_H

#include "memory/core/core.h"
#include "memory/core/descriptor_cache.h"

/* An MSHR: a load that is outstanding until its response has passed the GPC's port. Further loads
 * of the same sectors are merged into it. */
struct tma_mshr {
    uint64_t line : 45;     /* lines are below TMA_L2_ADDRESS_LIMIT */
    uint64_t sectors : 4;   /* that the load asks for */
    uint64_t loads : 3;     /* loads that one response serves; 0: the MSHR is free */
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

/* Fails with TMA_ERROR_MEMORY. tma_gpcs_free may be called after a failure. */
enum tma_error_code tma_gpcs_create(struct tma_gpcs *gpcs, struct tma_core *core,
                                    struct tma_error *error);
void tma_gpcs_free(struct tma_gpcs *gpcs);

/* A load passes the coalescer on its way to L2. */
struct tma_handover tma_gpc_receive_load(struct tma_core *core, struct tma_gpcs *gpcs,
                                         uint32_t packet, uint64_t cycle);

/* A response of L2 arrives at the response port. */
struct tma_handover tma_gpc_receive_response(struct tma_core *core, struct tma_gpcs *gpcs,
                                             uint32_t packet, uint64_t cycle);

/* descriptor_fetches.c: an SM asks for a tensor map. */
struct tma_handover tma_gpc_receive_descriptor_request(struct tma_core *core, struct tma_gpcs *gpcs,
                                                       uint32_t packet, uint64_t cycle);

static inline struct tma_mshr *tma_mshr_of(const struct tma_gpcs *gpcs,
                                           const struct tma_packet *packet) {
    return &gpcs->mshrs[packet->location.mshr];
}

/* Cycles for which the response ports were busy, summed over GPCs. */
uint64_t tma_gpcs_busy_cycles(const struct tma_gpcs *gpcs);

#endif
