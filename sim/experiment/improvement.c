#include "experiment/improvement.h"

uint32_t tma_improve(uint32_t value, enum tma_improvement improvement) {
    uint64_t wide = value;
    switch (improvement) {
    case TMA_MORE:
        return (uint32_t)((wide * 11 + 5) / 10);
    case TMA_FASTER:
        return (uint32_t)((wide * 20 + 11) / 22);
    case TMA_SHORTER:
        return (uint32_t)((wide * 9 + 5) / 10);
    case TMA_NONE:
        break;
    }
    return 0;
}

void tma_improve_all(void *base, const struct tma_better *better, size_t count) {
    for (size_t i = 0; i < count; i++) {
        uint32_t *value = (uint32_t *)((char *)base + better[i].offset);
        *value = tma_improve(*value, better[i].improvement);
    }
}
