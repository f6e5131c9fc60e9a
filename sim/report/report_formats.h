/* One writer for each report format; report.c has the table. Internal to sim/report. */
#ifndef TMA_REPORT_REPORT_FORMATS_H
#define TMA_REPORT_REPORT_FORMATS_H

#include "report/report.h"

enum tma_error_code tma_report_write_text(FILE *out, const struct tma_report_input *input,
                                          struct tma_error *error);
enum tma_error_code tma_report_write_json(FILE *out, const struct tma_report_input *input,
                                          struct tma_error *error);

/* Flushes, and says whether everything has arrived. */
enum tma_error_code tma_report_finish(FILE *out, struct tma_error *error);

#endif
