/* The first screen of a text report: how long the run took, how good that is, what limits it and
 * what to do; then what was busy and where time went, the most first. Internal to sim/report. */
#pragma once

#include <stdio.h>

#include "engine/result.h"
#include "report/figures.h"
#include "report/findings.h"

/* How long: the time, that of launches with other seeds, and of a sampled run how sure it is. */
void tma_time_write_text(const struct tma_result *result, double time_ns,
                         const struct tma_findings *findings, FILE *out);

/* How good: rates, and what part they are of what the machine can. */
void tma_rates_write_text(const struct tma_figures *figures, FILE *out);

/* What limits it, and what to do; how busy its parts were is what is known of a run without
 * experiments. */
void tma_limited_write_text(const struct tma_findings *findings, bool idle,
                            const struct tma_cause_share *busy, size_t count, FILE *out);

/* What most likely limits a run without experiments, by how busy its parts were; "" where none was
 * busy. */
enum { TMA_LIKELY_BYTES = 160 };
void tma_likely_text(const struct tma_cause_share *busy, size_t count, char text[TMA_LIKELY_BYTES]);

/* A list of shares of 0.1 % or more, the largest first, behind a title. Sorts them. */
void tma_shares_write_text(const char *title, struct tma_cause_share *shares, size_t count,
                           FILE *out);
