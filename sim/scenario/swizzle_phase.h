/* Tiles that do not begin where the pattern of their swizzle does. */
#pragma once

#include "scenario/scenario.h"

enum { TMA_PHASE_TEXT_BYTES = 500 };

/* Hardware swizzles addresses of shared memory, not offsets in a tile (PTX ISA 5.5.7). Finds the
 * first stage of the first operation on a map whose tile begins within the pattern of the map's
 * swizzle, and says what that means. A tile that lies behind another one of the same map counts as
 * a part of it. Returns false if there is none. */
bool tma_swizzle_phase_find(const struct tma_scenario *scenario, uint32_t map,
                            char text[TMA_PHASE_TEXT_BYTES]);

/* The same for a tile at one address. */
bool tma_swizzle_phase_text(const char *map_name, const struct tma_tensor_map *map,
                            uint32_t address, char text[TMA_PHASE_TEXT_BYTES]);
