#include "report/compare_layouts.h"

#include <inttypes.h>

size_t tma_compared_layouts(const struct tma_swizzle_comparison *comparison, uint32_t consumer,
                            struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1]) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal)
            continue;
        layouts[count] = (struct tma_compared_layout){
            .mode = mode, .tile = &mode->tiles[consumer], .pass = &mode->passes[consumer]};
        snprintf(layouts[count++].name, sizeof layouts->name, "%s",
                 tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
    }
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++) {
        const struct tma_compared_padding *padding = &comparison->padding[i];
        if (!padding->possible ||
            padding->operation != comparison->workload->consumers[consumer].operation)
            continue;
        layouts[count] = (struct tma_compared_layout){.tile = &padding->tile,
                                                      .pass = &padding->passes[consumer],
                                                      .extra_bytes = padding->extra_bytes};
        snprintf(layouts[count++].name, sizeof layouts->name, "none+%" PRIu32,
                 padding->tile.pitch_bytes - padding->tile.row_bytes);
    }
    return count;
}
