#include "report/format_table.h"
#include "report/pattern_formats.h"

TMA_FORMAT_NAMES(tma_pattern_format_names, TMA_PATTERN_FORMATS);

void tma_pattern_write(const struct tma_tile_distribution *distribution, int format, FILE *out) {
#define WRITER(name) tma_pattern_write_##name,
    static void (*const writers[])(const struct tma_tile_distribution *,
                                   FILE *) = {TMA_PATTERN_FORMATS(WRITER)};
#undef WRITER
    writers[format](distribution, out);
}
