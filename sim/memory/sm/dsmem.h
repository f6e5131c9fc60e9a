/* Distributed shared memory: the links between the SMs of a cluster. Internal to sm/, but for
 * sms.h.
 */
#pragma once

#include "memory/core/port.h"

struct tma_dsmem_link {
    struct tma_port out, in;
};

struct tma_dsmem {
    struct tma_dsmem_link *links; /* owned: by SM */
    uint64_t flit_ticks;          /* for which a flit occupies a link */
    uint64_t atomic_ticks; /* for which a round of atomics occupies the link that brings it */
};
