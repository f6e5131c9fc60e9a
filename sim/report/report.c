#include "report/report.h"

#include "report/format_table.h"
#include "report/report_sections.h"

TMA_FORMAT_NAMES(tma_report_format_names, TMA_REPORT_FORMATS);

void tma_report_write(const struct tma_report_input *input, int format, FILE *out) {
#define WRITER(name) tma_report_write_##name,
    static void (*const writers[])(const struct tma_report_input *,
                                   FILE *) = {TMA_REPORT_FORMATS(WRITER)};
#undef WRITER
    writers[format](input, out);
}
