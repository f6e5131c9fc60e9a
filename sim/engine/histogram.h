/* Distributions of cycle counts: exact from a list, or collected one by one in constant memory. */
#ifndef TMA_ENGINE_HISTOGRAM_H
#define TMA_ENGINE_HISTOGRAM_H

#include <stddef.h>

#include "engine/result.h"

/* Sorts `values` in place. Median and p95 are nearest-rank: a value of the list, the smallest one
 * that at least half (95 %) of the list does not exceed. All zero where the list is empty. */
struct tma_distribution tma_distribution_of(uint64_t *values, size_t count);

/* Collects values without keeping them. Those below 4096 are told apart exactly, larger ones to
 * one part in 2048 (the median and p95 are then rounded down); count, min and max are exact. */
struct tma_histogram;

/* NULL where there is no memory (about 0.9 MB). */
struct tma_histogram *tma_histogram_new(void);
void tma_histogram_free(struct tma_histogram *histogram);
void tma_histogram_add(struct tma_histogram *histogram, uint64_t value);
struct tma_distribution tma_histogram_distribution(const struct tma_histogram *histogram);

#endif
