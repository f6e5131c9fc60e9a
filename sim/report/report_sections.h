/* What the reports of a scenario and of a kernel have in common, in both of their formats. Internal
 * to sim/report. */
#pragma once

#include <stdio.h>

#include "engine/result.h"
#include "memory/machine.h"
#include "report/json_writer.h"
#include "report/limit_figures.h"
#include "report/report.h"

/* The first lines: of a run that was interrupted, the cycle until which it went; the scenario; the
 * machine, whose SMs run at `sm_clock_mhz`. */
void tma_heading_write_text(const char *scenario, const struct tma_machine *machine,
                            uint32_t sm_clock_mhz, FILE *out);
void tma_partial_write_text(const struct tma_result *result, FILE *out);

/* In JSON the machine alone. */
void tma_machine_write_json(const struct tma_machine *machine, uint32_t sm_clock_mhz,
                            struct tma_json *json);

/* Cycles of each `what`, a plural: "CTAs". */
void tma_distribution_write_text(const char *label, const struct tma_distribution *distribution,
                                 const char *what, FILE *out);
void tma_distribution_write_json(const char *key, const struct tma_distribution *distribution,
                                 struct tma_json *json);

/* When L2 and DRAM were done, where that is after the last CTA, and the cycles of CTAs. */
void tma_cta_times_write_text(const struct tma_result *result,
                              const struct tma_memory_figures *memory, FILE *out);

/* What the run used of each limit of the machine. Limits that are not known are left out of the
 * text, and null in JSON. */
void tma_limits_write_text(const struct tma_limit_figure limits[TMA_LIMIT_COUNT], FILE *out);
void tma_limits_write_json(const struct tma_limit_figure limits[TMA_LIMIT_COUNT],
                           struct tma_json *json);

/* What warps did in global memory themselves. Nothing where they did nothing. */
void tma_accesses_write_text(const struct tma_counters *counters, FILE *out);
void tma_accesses_write_json(const struct tma_counters *counters, struct tma_json *json);

/* What the TMA units did: operations, rows and fetches of tensor maps. In JSON the fetches alone
 * are members of the object "tma". */
void tma_operations_write_text(const struct tma_counters *counters, FILE *out);
void tma_map_fetches_write_json(const struct tma_counters *counters, struct tma_json *json);

/* What L2 fetched from DRAM and evicted, and what DRAM moved. Over-fetch and evictions that are not
 * known are null in JSON, and the text says why. In JSON these are the members of the object "l2",
 * from its sectors on, and the object "dram". */
void tma_traffic_write_text(const struct tma_counters *counters,
                            const struct tma_memory_figures *figures, FILE *out);
void tma_l2_members_write_json(const struct tma_counters *counters,
                               const struct tma_memory_figures *figures, struct tma_json *json);
void tma_dram_write_json(const struct tma_counters *counters,
                         const struct tma_memory_figures *figures, struct tma_json *json);

/* One cause in a list of what time went to: `cycles_key` names its cycles in JSON. */
struct tma_cause_share {
    const char *key, *text;
    uint64_t cycles;
    uint32_t tenths; /* of a percent */
};
void tma_cause_write_text(struct tma_cause_share share, FILE *out);
void tma_cause_write_json(struct tma_cause_share share, const char *cycles_key,
                          struct tma_json *json);

/* One line for each format; see format_table.h. The file report_NAME.c has its writer. */
#define TMA_REPORT_FORMATS(X)                                                                      \
    X(text)                                                                                        \
    X(json)

#define TMA_REPORT_WRITER(name)                                                                    \
    void tma_report_write_##name(const struct tma_report_input *input, FILE *out);
TMA_REPORT_FORMATS(TMA_REPORT_WRITER)
#undef TMA_REPORT_WRITER
