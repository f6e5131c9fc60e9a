/* Reads of SMs that arrive at a slice. As many as `l2.queue` wait in its queue, of all SMs, until
 * the slice looks them up, or in the list of those that wait to leave it (misses.h). Further ones
 * wait in queues of the CPCs of their SMs. Whenever there is room, the CPC whose turn it is sends
 * its oldest read: first to the coalescer, which reads in the queues have not passed yet. Internal
 * to l2/, but for l2.h. */
#pragma once

#include "memory/l2/slice.h"

/* Reads have left a slice, which may have room for others. */
void tma_arrivals_go_on(struct tma_core *core, struct tma_l2 *l2, struct tma_slice *slice);
