#include "placement/operation_words.h"

const struct tma_names tma_direction_names =
    TMA_NAMES("direction", {"load", TMA_LOAD}, {"store", TMA_STORE}, {"reduce", TMA_REDUCE},
              {"prefetch", TMA_PREFETCH});

enum tma_access_mode tma_access_of_kind(enum tma_map_kind kind) {
    static const enum tma_access_mode modes[] = {
        [TMA_MAP_TILED] = TMA_ACCESS_TILE,
        [TMA_MAP_IM2COL] = TMA_ACCESS_IM2COL,
        [TMA_MAP_IM2COL_W] = TMA_ACCESS_IM2COL_W,
        [TMA_MAP_IM2COL_W128] = TMA_ACCESS_IM2COL_W128,
    };
    return modes[kind];
}
