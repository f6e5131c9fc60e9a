/* The report of a run as one HTML page that needs no network: what limits the run, where its time
 * went, series over time, latencies, the load of each L2 slice and DRAM channel, tiles in shared
 * memory, waves and the configuration. docs/pictures.md describes it. */
#pragma once

#include <stdio.h>

#include "engine/observe/series.h"
#include "engine/roles/kernel.h"
#include "experiment/experiment.h"
#include "report/span_sample.h"

/* A key of the resolved configuration, its value, and where the value comes from. */
struct tma_page_setting {
    const char *key, *value, *origin;
};

/* All pointers are borrowed. */
struct tma_page_input {
    const char *scenario, *description; /* its name, and what it says of itself */
    const struct tma_machine *machine;
    const struct tma_workload *workload; /* NULL: the kernel ran */
    const struct tma_kernel *kernel;     /* with roles, laid out; NULL: the workload ran */
    const char *const *map_names;        /* by index of the tensor map */
    const struct tma_result *result;
    const struct tma_series *series;
    const struct tma_span_sample *ctas;        /* sorted */
    const struct tma_experiments *experiments; /* NULL: there were none */
    const char *verdict;                       /* what limits the run, in a sentence */
    const char *text;                          /* the report as text */
    const struct tma_page_setting *settings;
    size_t setting_count;
};

/* Writes what stands before the body of each page, and opens it. Its title is "NAME on WHERE". */
void tma_page_write_head(const char *name, const char *where, FILE *out);

/* Writes the section of a report as text. False when out of memory. */
bool tma_page_write_text(const char *id, const char *text, FILE *out);

/* Writes the page. False when out of memory; write errors stay with the stream. */
bool tma_page_write(const struct tma_page_input *input, FILE *out);
