/* The report of a run, for people (text) and for programs (JSON). Both have the same figures. */
#pragma once

#include <stdio.h>

#include "base/api.h"
#include "base/digest.h"
#include "engine/observe/series.h"
#include "engine/result.h"
#include "report/findings.h"
#include "tensormap/types.h"

TMA_API_BEGIN

struct tma_kernel;

/* All pointers are borrowed. */
struct tma_report_input {
    const char *scenario;              /* its name */
    const struct tma_digests *digests; /* NULL: not known */
    const struct tma_machine *machine;
    const struct tma_kernel *kernel;     /* a kernel with roles, laid out; NULL: */
    const struct tma_workload *workload; /* the short form */
    const struct tma_result *result;
    const char *const *map_names; /* by index of the tensor map */
    struct tma_findings findings;
    const struct tma_series *series; /* NULL: the report is without servers and series */
    bool partial;                    /* an interrupt ended the run */
    bool details;                    /* as text, all counters too; JSON always has them */
};

/* Formats of tma_report_write; the first is the default. */
extern const struct tma_names tma_report_format_names;

/* Writes the report in a format: a value of tma_report_format_names. Write errors stay with the
 * stream. The output does not depend on the locale. */
void tma_report_write(const struct tma_report_input *input, int format, FILE *out);

TMA_API_END
