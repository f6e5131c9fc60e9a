/* The report of a run of a kernel with roles, for people (text) and for programs (JSON). Both have
 * the same figures. */
#ifndef TMA_REPORT_KERNEL_REPORT_H
#define TMA_REPORT_KERNEL_REPORT_H

#include <stdio.h>

#include "base/api.h"
#include "base/digest.h"
#include "engine/observe/series.h"
#include "engine/result.h"
#include "report/findings.h"

TMA_API_BEGIN

struct tma_kernel;

/* All pointers are borrowed. */
struct tma_kernel_report_input {
    const char *scenario;              /* its name */
    const struct tma_digests *digests; /* NULL: not known */
    const struct tma_machine *machine;
    const struct tma_kernel *kernel; /* laid out */
    const struct tma_result *result;
    const char *const *map_names; /* by index of the tensor map */
    struct tma_findings findings;
    const struct tma_series *series; /* NULL: the report is without servers and series */
    bool partial;                    /* an interrupt ended the run */
    bool details;                    /* as text, all counters too; JSON always has them */
};

/* Writes the report in a format: a value of tma_report_format_names. Write errors stay with the
 * stream. The output does not depend on the locale. */
void tma_kernel_report_write(const struct tma_kernel_report_input *input, int format, FILE *out);

TMA_API_END

#endif
