#include "cli/files/statistics_output.h"

#include "base/allocation.h"
#include "difference/statistics.h"
#include "report/report.h"

/* The report is written as JSON, and read again. */
enum tma_error_code cli_statistics_write(const struct cli_report *report, FILE *out,
                                         struct tma_error *error) {
    struct cli_report figures = *report;
    struct tma_diagnostics list = {0};
    struct tma_variant variant = {0};
    char *text = NULL;
    size_t length = 0;
    int json = 0;
    figures.series = NULL;
    FILE *memory = tma_open_text(&text, &length);
    bool good = memory != NULL && tma_value_of(&tma_report_format_names, "json", &json);
    if (good)
        cli_report_write(&figures, json, memory);
    good = memory != NULL && tma_close_text(memory, &text) && good &&
           tma_variant_add_report(&variant, "", text, length, "report", &list);
    if (good)
        tma_statistics_write(&variant, report->series, out);
    tma_diagnostics_free(&list);
    tma_variant_free(&variant);
    tma_release(text);
    return good ? TMA_OK : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}
