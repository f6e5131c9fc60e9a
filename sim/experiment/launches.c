/* The cycles of several launches. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "experiment/experiment.h"

static int ascending(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

enum tma_error_code tma_launches_of(const uint64_t *cycles, uint32_t count,
                                    struct tma_launches *launches) {
    assert(count > 0);
    uint64_t *sorted = tma_allocate(count, sizeof *sorted), sum = 0;
    if (sorted == NULL)
        return TMA_ERROR_MEMORY;
    memcpy(sorted, cycles, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, ascending);
    for (uint32_t i = 0; i < count; i++)
        sum += sorted[i];
    *launches = (struct tma_launches){count, (sum + count / 2) / count, sorted[(count - 1) / 2],
                                      sorted[0], sorted[count - 1]};
    tma_release(sorted);
    return TMA_OK;
}

bool tma_launches_overlap(const struct tma_launches *a, const struct tma_launches *b) {
    return a->least <= b->most && b->least <= a->most;
}
