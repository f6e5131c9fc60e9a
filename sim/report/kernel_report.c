#include "report/kernel_report.h"

#include "report/format_table.h"
#include "report/kernel_figures.h"
#include "report/report_formats.h"

enum { TMA_REPORT_FORMATS(TMA_FORMAT_INDEX) FORMAT_COUNT };

void tma_kernel_report_write(const struct tma_kernel_report_input *input, int format, FILE *out) {
#define WRITER(name) tma_kernel_report_##name,
    static void (*const writers[FORMAT_COUNT])(const struct tma_kernel_report_input *,
                                               FILE *) = {TMA_REPORT_FORMATS(WRITER)};
#undef WRITER
    writers[format](input, out);
}
