#include "engine/observe/histogram.h"

#include <stdlib.h>

#include "base/allocation.h"
#include "base/fuzzing.h"

/* A bucket is an exponent and the 11 bits below the leading one. So there are 2048 buckets for each
 * power of two from 2^12 on, and one bucket for each value below 2^12. */
enum { MANTISSA_BITS = TMA_UNLESS_FUZZING(11, 5), EXACT = 1 << (MANTISSA_BITS + 1) };
enum { BUCKETS = EXACT + (64 - MANTISSA_BITS - 1) * (1 << MANTISSA_BITS) };

struct tma_histogram {
    uint64_t count, min, max;
    uint64_t buckets[BUCKETS];
};

/* The place, in sorted order from 1, of the nearest-rank percentile. */
static uint64_t rank_of(uint64_t count, unsigned percent) {
    return count / 100 * percent + (count % 100 * percent + 99) / 100;
}

static int compare_values(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct tma_distribution tma_distribution_of(uint64_t *values, size_t count) {
    if (count == 0)
        return (struct tma_distribution){0};
    qsort(values, count, sizeof *values, compare_values);
    return (struct tma_distribution){
        .count = count,
        .min = values[0],
        .median = values[rank_of(count, 50) - 1],
        .p95 = values[rank_of(count, 95) - 1],
        .max = values[count - 1],
    };
}

struct tma_histogram *tma_histogram_new(void) {
    return tma_allocate(1, sizeof(struct tma_histogram));
}

void tma_histogram_free(struct tma_histogram *histogram) {
    tma_release(histogram);
}

static size_t bucket_of(uint64_t value) {
    if (value < EXACT)
        return (size_t)value;
    unsigned shift = 63 - MANTISSA_BITS - (unsigned)__builtin_clzll(value);
    return (size_t)(shift << MANTISSA_BITS) + (size_t)(value >> shift);
}

static uint64_t bucket_start(size_t bucket) {
    if (bucket < EXACT)
        return bucket;
    size_t shift = (bucket >> MANTISSA_BITS) - 1;
    return ((uint64_t)bucket - ((uint64_t)shift << MANTISSA_BITS)) << shift;
}

void tma_histogram_add(struct tma_histogram *histogram, uint64_t value) {
    if (histogram->count == 0 || value < histogram->min)
        histogram->min = value;
    if (value > histogram->max)
        histogram->max = value;
    histogram->count++;
    histogram->buckets[bucket_of(value)]++;
}

static uint64_t percentile(const struct tma_histogram *histogram, unsigned percent) {
    uint64_t rank = rank_of(histogram->count, percent);
    uint64_t seen = 0;
    size_t bucket = 0;
    while (seen + histogram->buckets[bucket] < rank)
        seen += histogram->buckets[bucket++];
    uint64_t start = bucket_start(bucket);
    return start < histogram->min ? histogram->min : start;
}

uint64_t tma_histogram_count(const struct tma_histogram *histogram) {
    return histogram->count;
}

struct tma_latency_bars tma_histogram_bars(const struct tma_histogram *histogram) {
    struct tma_latency_bars bars = {0};
    if (histogram->count == 0)
        return bars;
    bars.first_cycle = histogram->min;
    bars.bar_cycles = (histogram->max - histogram->min) / TMA_LATENCY_BARS + 1;
    bars.count = (uint32_t)((histogram->max - histogram->min) / bars.bar_cycles + 1);
    for (size_t bucket = bucket_of(histogram->min); bucket <= bucket_of(histogram->max); bucket++) {
        uint64_t start = bucket_start(bucket);
        start = start < histogram->min ? histogram->min : start;
        bars.operations[(start - histogram->min) / bars.bar_cycles] += histogram->buckets[bucket];
    }
    return bars;
}

struct tma_distribution tma_histogram_distribution(const struct tma_histogram *histogram) {
    if (histogram->count == 0)
        return (struct tma_distribution){0};
    return (struct tma_distribution){
        .count = histogram->count,
        .min = histogram->min,
        .median = percentile(histogram, 50),
        .p95 = percentile(histogram, 95),
        .max = histogram->max,
    };
}
