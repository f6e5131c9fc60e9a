/* The mbarrier of a pipeline slot (PTX: mbarrier.arrive.expect_tx, complete_tx). A phase completes
 * when every operation of its stage has completed and their bytes are those that it expects. Where
 * they are not, it never completes: the kernel deadlocks. */
#ifndef TMA_ENGINE_MBARRIER_H
#define TMA_ENGINE_MBARRIER_H

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>

struct tma_mbarrier {
    uint64_t phase; /* number of the current phase, from 0 */
    uint64_t expected_bytes;
    uint64_t arrived_bytes;
    uint32_t pending_operations; /* operations of the phase that have not completed */
};

/* Opens the current phase for the operations of a stage. */
static inline void tma_mbarrier_expect(struct tma_mbarrier *mbarrier, uint32_t operations,
                                       uint64_t bytes) {
    mbarrier->pending_operations = operations;
    mbarrier->expected_bytes = bytes;
    mbarrier->arrived_bytes = 0;
}

/* Completes an operation and its bytes; true if this completes the phase. */
static inline bool tma_mbarrier_complete(struct tma_mbarrier *mbarrier, uint64_t bytes) {
    assert(mbarrier->pending_operations > 0);
    mbarrier->pending_operations--;
    mbarrier->arrived_bytes += bytes;
    if (mbarrier->pending_operations > 0 || mbarrier->arrived_bytes != mbarrier->expected_bytes)
        return false;
    mbarrier->phase++;
    return true;
}

#endif
