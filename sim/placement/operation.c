#include "placement/operation.h"

static const struct tma_name direction_items[] = {
    {"load", TMA_LOAD}, {"store", TMA_STORE}, {"reduce", TMA_REDUCE}, {"prefetch", TMA_PREFETCH}};

const struct tma_names tma_direction_names = {"direction", direction_items,
                                              sizeof direction_items / sizeof direction_items[0]};

enum tma_access_mode tma_access_of_kind(enum tma_map_kind kind) {
    static const enum tma_access_mode modes[] = {
        [TMA_MAP_TILED] = TMA_ACCESS_TILE,
        [TMA_MAP_IM2COL] = TMA_ACCESS_IM2COL,
        [TMA_MAP_IM2COL_W] = TMA_ACCESS_IM2COL_W,
        [TMA_MAP_IM2COL_W128] = TMA_ACCESS_IM2COL_W128,
    };
    return modes[kind];
}
