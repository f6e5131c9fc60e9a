#include "report/report.h"

#include "report/format_table.h"
#include "report/report_formats.h"

enum { TMA_REPORT_FORMATS(TMA_FORMAT_INDEX) FORMAT_COUNT };

static const struct tma_name names[] = {TMA_REPORT_FORMATS(TMA_FORMAT_NAME)};

const struct tma_names tma_report_format_names = {"format", names, FORMAT_COUNT};

void tma_report_write(const struct tma_report_input *input, int format, FILE *out) {
#define WRITER(name) tma_report_write_##name,
    static void (*const writers[])(const struct tma_report_input *,
                                   FILE *) = {TMA_REPORT_FORMATS(WRITER)};
#undef WRITER
    writers[format](input, out);
}
