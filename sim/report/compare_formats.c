#include "report/compare_formats.h"

#include "report/format_table.h"

enum { TMA_COMPARE_FORMATS(TMA_FORMAT_INDEX) FORMAT_COUNT };

static const struct tma_name names[] = {TMA_COMPARE_FORMATS(TMA_FORMAT_NAME)};

const struct tma_names tma_compare_format_names = {"format", names, FORMAT_COUNT};

void tma_compare_write(const struct tma_swizzle_comparison *comparison, int format, FILE *out) {
#define WRITER(name) tma_compare_write_##name,
    static void (*const writers[])(const struct tma_swizzle_comparison *,
                                   FILE *) = {TMA_COMPARE_FORMATS(WRITER)};
#undef WRITER
    writers[format](comparison, out);
}
