/* Distributions of cycle counts: exact ones of a list, and histograms, which take constant memory.
 */
#pragma once

#include <stddef.h>

#include "engine/observe/series.h"

/* The distribution of a list, which is sorted in place. Median and p95 are nearest-rank: the
 * smallest value of the list that is at least as large as half (95 %) of the list. All zero if the
 * list is empty. */
struct tma_distribution tma_distribution_of(uint64_t *values, size_t count);

/* Counts values in buckets: values below 4096 have a bucket each, larger ones are resolved to one
 * part in 2048. Median and p95 are rounded down to the start of their bucket. Count, min and max
 * are exact. */
struct tma_histogram;

/* An empty histogram, of about 0.9 MB. NULL when out of memory. */
struct tma_histogram *tma_histogram_new(void);
void tma_histogram_free(struct tma_histogram *histogram);

void tma_histogram_add(struct tma_histogram *histogram, uint64_t value);

/* How many values were added. */
uint64_t tma_histogram_count(const struct tma_histogram *histogram);

/* The values in bars of one width, from the smallest value to the largest. */
struct tma_latency_bars tma_histogram_bars(const struct tma_histogram *histogram);

/* The distribution of what was added; all zero if that is nothing. */
struct tma_distribution tma_histogram_distribution(const struct tma_histogram *histogram);
