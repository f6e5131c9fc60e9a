/* A cut in the loops of a kernel's roles: all roles of a cluster leave out the same iterations.
 * Their rings and barriers go on as if the loops were shorter. */
#ifndef TMA_ENGINE_LOOP_CUT_H
#define TMA_ENGINE_LOOP_CUT_H

#include "engine/cta.h"
#include "engine/result.h"

struct tma_loop_cut {
    uint32_t loops[TMA_MAX_ROLES]; /* by role: the statement of its loop, or UINT32_MAX */
    uint32_t counted;              /* the role whose iterations are counted */
    uint64_t passes; /* iterations that it has begun, but for the first, in all CTAs */
};

#endif
