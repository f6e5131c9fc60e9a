#include "report/report.h"

#include <errno.h>
#include <string.h>

#include "report/report_formats.h"

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_COUNT };

static const struct tma_report_format formats[FORMAT_COUNT] = {
    [FORMAT_TEXT] = {"text", tma_report_write_text},
    [FORMAT_JSON] = {"json", tma_report_write_json},
};

static const struct tma_name names[FORMAT_COUNT] = {
    {"text", FORMAT_TEXT},
    {"json", FORMAT_JSON},
};

const struct tma_names tma_report_format_names = {"format", names, FORMAT_COUNT};

const struct tma_report_format *tma_report_format(const char *name) {
    int format;
    return tma_value_of(&tma_report_format_names, name, &format) ? &formats[format] : NULL;
}

enum tma_error_code tma_report_finish(FILE *out, struct tma_error *error) {
    if (fflush(out) == 0 && ferror(out) == 0)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_FILE, "the report cannot be written: %s", strerror(errno));
}
