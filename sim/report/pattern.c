#include "report/format_table.h"
#include "report/pattern_formats.h"

enum { TMA_PATTERN_FORMATS(TMA_FORMAT_INDEX) FORMAT_COUNT };

static const struct tma_name names[] = {TMA_PATTERN_FORMATS(TMA_FORMAT_NAME)};

const struct tma_names tma_pattern_format_names = {"format", names, FORMAT_COUNT};

void tma_pattern_write(const struct tma_tile_distribution *distribution, int format, FILE *out) {
#define WRITER(name) tma_pattern_write_##name,
    static void (*const writers[])(const struct tma_tile_distribution *,
                                   FILE *) = {TMA_PATTERN_FORMATS(WRITER)};
#undef WRITER
    writers[format](distribution, out);
}
