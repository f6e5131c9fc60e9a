/* What a run gave, for people (text) and for programs (JSON): the same figures in both. */
#ifndef TMA_REPORT_REPORT_H
#define TMA_REPORT_REPORT_H

#include <stdio.h>

#include "base/error.h"
#include "engine/result.h"
#include "tensormap/types.h"

/* What the machine could do at best, to set a run's figures against. 0: not known, not reported. */
struct tma_report_limits {
    double sm_bytes_per_cycle;   /* into one SM */
    double l2_bytes_per_cycle;   /* out of all L2 slices, over the crossbar */
    double dram_bytes_per_cycle; /* all channels; a cycle is the SM clock's */
};

/* All borrowed. */
struct tma_report_input {
    const char *scenario; /* name */
    const struct tma_machine *machine;
    const struct tma_workload *workload;
    const struct tma_result *result;
    const char *const *map_names; /* one for each of the workload's tensor maps */
    struct tma_report_limits limits;
};

struct tma_report_format {
    const char *name;
    /* Writes the whole report and flushes. Fails with TMA_ERROR_FILE where `out` cannot be
     * written. Output does not depend on the locale. */
    enum tma_error_code (*write)(FILE *out, const struct tma_report_input *input,
                                 struct tma_error *error);
};

/* "text" (the default) and "json". */
extern const struct tma_names tma_report_format_names;

/* NULL where no format has this name. */
const struct tma_report_format *tma_report_format(const char *name);

#endif
