/* A cut in the loops of a kernel's roles: all roles of a cluster leave out the same iterations.
 * Their rings and barriers go on as if the loops were shorter. */
#ifndef TMA_ENGINE_LOOP_CUT_H
#define TMA_ENGINE_LOOP_CUT_H

#include "engine/result.h"

struct tma_loop_cut {
    uint32_t loops[TMA_MAX_ROLES]; /* by role: the statement of its loop, or UINT32_MAX */
    uint32_t counted;              /* the role whose iterations are counted */
    uint64_t passes; /* iterations that it has begun, but for the first, in all CTAs */
};

/* What is cut out of the loops of a cluster. */
struct tma_loop_gap {
    uint64_t after; /* the last iteration before the cut, as the loop has counted them from 0 */
    uint64_t by;    /* iterations that are left out; 0: none yet */
};

#endif
