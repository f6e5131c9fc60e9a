/* Other choices of what L2 fetches, and in which order tiles ask for it. */
#include <stdio.h>

#include "experiment/kernel_reliefs.h"
#include "tensormap/legal.h"
#include "tensormap/types.h"

static bool another_promotion(struct tma_relieved *relieved) {
    static const enum tma_l2_promotion modes[] = {TMA_L2_NONE, TMA_L2_256B};
    struct tma_kernel *kernel = tma_kernel_of(relieved);
    bool changes = false, legal = true;
    for (uint32_t i = 0; i < kernel->map_count; i++) {
        changes |= kernel->maps[i].l2_promotion != modes[relieved->variant];
        kernel->maps[i].l2_promotion = modes[relieved->variant];
        legal = legal && tma_tensor_map_require_legal(&kernel->maps[i], NULL) == TMA_OK;
    }
    snprintf(relieved->change, sizeof relieved->change, "%s for every tensor map",
             tma_name_of(&tma_l2_promotion_names, (int)modes[relieved->variant]));
    return changes && legal && relieved->before->counters.l2_fills > 0;
}

/* Every loop over output tiles goes through them in groups of so many along m. CTAs of a cluster
 * share tiles of one order. */
static bool another_order(struct tma_relieved *relieved) {
    static const int64_t groups[] = {1, 4, 8, 16};
    struct tma_kernel *kernel = tma_kernel_of(relieved);
    bool changes = false;
    if (kernel->cluster_ctas > 1)
        return false;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        struct tma_statement *tiles = &kernel->statements[i];
        if (tiles->kind != TMA_STATEMENT_TILES)
            continue;
        if (tiles->group.expression != NULL &&
            !tma_expression_constant(tiles->group.expression, &tiles->group.constant))
            return false;
        changes |= tiles->group.constant != groups[relieved->variant];
        tiles->group = (struct tma_value){.constant = groups[relieved->variant]};
    }
    snprintf(relieved->change, sizeof relieved->change, "group_m %u for every loop over them",
             (unsigned)groups[relieved->variant]);
    return changes && relieved->before->counters.l2_requests > 0;
}

const struct tma_relief tma_relief_kernel_promotion = {.key = "promotion",
                                                       .name = "L2 promotion",
                                                       .advice = true,
                                                       .variants = 2,
                                                       .apply = another_promotion};
const struct tma_relief tma_relief_tile_order = {.key = "tile_order",
                                                 .name = "order of output tiles",
                                                 .advice = true,
                                                 .variants = 4,
                                                 .apply = another_order};
