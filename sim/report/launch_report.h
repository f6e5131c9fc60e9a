/* The report of a launch of a compiled kernel. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "core/core_run.h"
#include "core/core_timeline.h"
#include "launch/prepared.h"
#include "report/access_findings.h"
#include "report/clock_figures.h"
#include "report/json_writer.h"
#include "report/tune.h"

enum { TMA_LAUNCH_LIMITS = 16 };

/* A part of the machine that, a tenth better, makes the launch shorter. */
struct tma_launch_limit {
    const char *key, *name, *change; /* constant: "NAME: CHANGE would save" is a sentence */
    uint64_t saved_cycles;
};

/* A run without the cost of one thing. */
enum { TMA_LAUNCH_RELIEF_BYTES = 200 };

struct tma_launch_relieved {
    const char *text; /* borrowed: what, and how much better it is */
    uint64_t cycles;  /* 0: the run did not come to its end */
};

struct tma_launch_report {
    const struct tma_prepared *prepared;
    const struct tma_ptx_result *result;
    const struct tma_output_difference *outputs; /* NULL: the launch did not come to its end */
    const char *ptx_name;                        /* of the PTX file, for places */
    const char
        *folder; /* in which the command runs: annotations leave it out of sources; or NULL */
    uint32_t checked_ctas; /* that were checked for races */
    const struct tma_machine *machine;
    const struct tma_core_result *timing;       /* NULL: no time passed */
    uint32_t sm_clock_mhz;                      /* as tma_kernel.sm_clock_mhz */
    const struct tma_launch_measured *measured; /* on the machine's GPU; NULL: nothing */
    bool sampled;                               /* it was to be simulated in part, where long */
    bool tried;                                 /* the experiments that find limits have run */
    struct tma_launch_limit limits[TMA_LAUNCH_LIMITS]; /* the one that saves most first */
    uint32_t limit_count;
    const char *untried[TMA_LAUNCH_LIMITS]; /* parts that were not tried, to save time */
    uint32_t untried_count;
    bool too_long;                              /* no part was tried, as the launch is long */
    const struct tma_launch_relieved *relieved; /* by the wishes of the user */
    size_t relieved_count;
};

/* A launch beside what was measured of it, with the launch itself. Cycles are compared where they
 * were measured, at the clock of the measurement; else the time at the clock of the report. */
struct tma_launch_comparison {
    double measured_ns, predicted_ns;
    double measured_mhz; /* 0: not known */
    double predicted_mhz;
    double error_percent;
};

/* Of a report with `timing` and `measured`; of `measured` without a time, what is predicted alone.
 */
struct tma_launch_comparison tma_launch_compare(const struct tma_launch_report *report);

/* What limits the launch: sentence `number` from 0; the first one also says that nothing does, or
 * that nothing was tried. False: there are no more. */
enum { TMA_LAUNCH_SENTENCE_BYTES = 400 };
bool tma_launch_limit_text(const struct tma_launch_report *report, uint32_t number,
                           char text[TMA_LAUNCH_SENTENCE_BYTES]);

void tma_launch_report_text(const struct tma_launch_report *report, FILE *out);
void tma_launch_report_json(const struct tma_launch_report *report, struct tma_json *json);

/* Annotations of GitHub's workflows, and JUnit's XML: what is wrong, and how the launch ended. */
void tma_launch_report_github(const struct tma_launch_report *report, FILE *out);
void tma_launch_report_junit(const struct tma_launch_report *report, FILE *out);

/* The same of a launch that cannot be read: `list` says why, and is not empty. */
void tma_launch_errors_github(const struct tma_diagnostics *list, FILE *out);
void tma_launch_errors_junit(const struct tma_diagnostics *list, const char *file, FILE *out);

enum tma_launch_format { TMA_LAUNCH_TEXT, TMA_LAUNCH_JSON, TMA_LAUNCH_GITHUB, TMA_LAUNCH_JUNIT };
extern const struct tma_names tma_launch_format_names;

/* The word for how a launch ended: "completed", "deadlock", ... */
extern const struct tma_names tma_launch_failure_names;

/* Writes how a launch was sampled: "sampled". */
void tma_launch_sampled_json(const struct tma_core_result *timing, struct tma_json *json);

/* What a launch keeps busy: shares of its time, of all SMs that have a CTA, slices or channels; of
 * reductions and atomics, that of the slice with most of them. Names are keys of JSON. */
#define TMA_LAUNCH_BUSY(X)                                                                         \
    X(issue_slots)                                                                                 \
    X(tensor_cores)                                                                                \
    X(shared_memory)                                                                               \
    X(lsu)                                                                                         \
    X(l1_misses)                                                                                   \
    X(dsmem)                                                                                       \
    X(l2)                                                                                          \
    X(atomics)                                                                                     \
    X(dram)
#define TMA_BUSY_PART(name) TMA_BUSY_##name,
enum tma_launch_busy { TMA_LAUNCH_BUSY(TMA_BUSY_PART) TMA_LAUNCH_BUSY_COUNT };
#undef TMA_BUSY_PART
extern const char *const tma_launch_busy_keys[TMA_LAUNCH_BUSY_COUNT];
double tma_launch_busy_percent(const struct tma_machine *machine,
                               const struct tma_core_result *timing, enum tma_launch_busy part);

/* What a launch with time reached, and how much of what the machine can that is. */
struct tma_launch_rates {
    double ns; /* at this clock */
    struct tma_clock_name clock;
    double teraflops, tensor_percent; /* of matrix products; 0: there are none */
    double moved_bytes, port_percent; /* between L2 and SMs; of the ports of the SMs, loads alone */
    double dram_bytes, bus_percent;
};
struct tma_launch_rates tma_launch_rates_of(const struct tma_launch_report *report);

/* What keeps a launch busy, and what its warps wait for longest. */
struct tma_tune_limiter tma_launch_limiter_of(const struct tma_machine *machine,
                                              const struct tma_core_result *timing);

/* What the accesses of an instruction to global memory ask for. */
struct tma_access_figures tma_launch_accesses_of(const struct tma_launch_report *report,
                                                 uint32_t instruction);

/* The name of the launch; without one, that of its kernel. */
const char *tma_launch_report_name(const struct tma_launch_report *report);

/* Findings that make the kernel wrong: all but notes. */
uint32_t tma_launch_report_errors(const struct tma_ptx_result *result);

/* Writes the timeline of a launch, as Chrome's trace events; `timeline` is sorted. Write errors
 * stay with the stream. */
void tma_launch_timeline_write(const struct tma_launch_report *report,
                               const struct tma_core_timeline *timeline, FILE *out);

/* The HTML page of a launch: its figures, findings, and the lines of its PTX and sources with their
 * counts. */
struct tma_launch_page {
    struct tma_launch_report report;
    const char *ptx;            /* the text of the PTX file */
    const char *const *sources; /* texts by file of the module; NULL: not at hand */
};

/* Writes the page. False when out of memory; write errors stay with the stream. */
bool tma_launch_page_write(const struct tma_launch_page *page, FILE *out);
