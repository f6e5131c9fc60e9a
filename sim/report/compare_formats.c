#include "report/compare_formats.h"

#include "report/format_table.h"

TMA_FORMAT_NAMES(tma_compare_format_names, TMA_COMPARE_FORMATS);

void tma_compare_write(const struct tma_swizzle_comparison *comparison, int format, FILE *out) {
#define WRITER(name) tma_compare_write_##name,
    static void (*const writers[])(const struct tma_swizzle_comparison *,
                                   FILE *) = {TMA_COMPARE_FORMATS(WRITER)};
#undef WRITER
    writers[format](comparison, out);
}
