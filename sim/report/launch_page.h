/* The report of a launch as one HTML page that needs no network: figures, findings, and the lines
 * of the PTX and of its sources with their counts. docs/compiled-kernels.md describes it. */
#ifndef TMA_REPORT_LAUNCH_PAGE_H
#define TMA_REPORT_LAUNCH_PAGE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/launch_report.h"

struct tma_launch_page {
    struct tma_launch_report report;
    const char *ptx;            /* the text of the PTX file */
    const char *const *sources; /* texts by file of the module; NULL: not at hand */
};

/* Writes the page. False when out of memory; write errors stay with the stream. */
bool tma_launch_page_write(const struct tma_launch_page *page, FILE *out);

#endif
