#include "engine/observe/series.h"

#include <assert.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/observe/series_columns.h"

const char *tma_series_key(enum tma_series_figure figure) {
    static const char *const keys[] = {
#define KEY(name, key, text) key,
        TMA_SERIES_FIGURES(KEY)};
    return keys[figure];
}

const char *tma_series_text(enum tma_series_figure figure) {
    static const char *const texts[] = {
#define TEXT(name, key, text) text,
        TMA_SERIES_FIGURES(TEXT)};
    return texts[figure];
}

const char *tma_server_key(enum tma_server kind) {
    static const char *const keys[] = {TMA_SERVERS(KEY)};
    return keys[kind];
}

const char *tma_server_text(enum tma_server kind) {
    static const char *const texts[] = {TMA_SERVERS(TEXT)};
    return texts[kind];
}

struct tma_series *tma_series_new(const struct tma_machine *machine) {
    struct tma_series *series = tma_allocate(1, sizeof *series);
    if (series == NULL)
        return NULL;
    const uint32_t servers[TMA_SERVER_COUNT] = {
        [TMA_SERVER_TMA_UNIT] = machine->sm_count,
        [TMA_SERVER_SM_PORT] = machine->sm_count,
        [TMA_SERVER_SHARED_MEMORY] = machine->sm_count,
        [TMA_SERVER_GPC_PORT] = machine->topology.gpc_count,
        [TMA_SERVER_L2_SLICE] = machine->l2.slices,
        [TMA_SERVER_DRAM_CHANNEL] = machine->dram.channels,
    };
    memcpy(series->servers, servers, sizeof servers);
    series->columns = tma_first_cause_column(series) + MOST_CAUSES;
    series->cells =
        tma_allocate((size_t)TMA_SERIES_WINDOWS * series->columns, sizeof *series->cells);
    if (series->cells == NULL) {
        tma_release(series);
        return NULL;
    }
    tma_series_clear(series, 0);
    return series;
}

void tma_series_free(struct tma_series *series) {
    if (series != NULL)
        tma_release(series->cells);
    tma_release(series);
}

void tma_series_clear(struct tma_series *series, uint32_t cause_count) {
    series->window_cycles = TMA_SERIES_FIRST_CYCLES;
    series->windows = 0;
    series->cycles = 0;
    series->cause_count = cause_count;
    series->latencies = (struct tma_latency_bars){0};
    memset(series->cells, 0, (size_t)TMA_SERIES_WINDOWS * series->columns * sizeof *series->cells);
}

static uint64_t *row_of(const struct tma_series *series, uint64_t window) {
    return &series->cells[window * series->columns];
}

/* Makes one window of each two. */
static void halve(struct tma_series *series) {
    for (uint32_t window = 0; window < TMA_SERIES_WINDOWS / 2; window++) {
        const uint64_t *a = row_of(series, 2 * (uint64_t)window);
        uint64_t *sum = row_of(series, window);
        for (uint32_t column = 0; column < series->columns; column++)
            sum[column] = a[column] + a[series->columns + column];
    }
    memset(row_of(series, TMA_SERIES_WINDOWS / 2), 0,
           (size_t)TMA_SERIES_WINDOWS / 2 * series->columns * sizeof *series->cells);
    series->window_cycles *= 2;
    series->windows = (series->windows + 1) / 2;
}

uint64_t *tma_series_row(struct tma_series *series, uint64_t cycle) {
    while (cycle / series->window_cycles >= TMA_SERIES_WINDOWS)
        halve(series);
    uint32_t window = (uint32_t)(cycle / series->window_cycles);
    if (window >= series->windows)
        series->windows = window + 1;
    return row_of(series, window);
}

void tma_series_add(struct tma_series *series, uint32_t column, uint64_t start, uint64_t end,
                    uint64_t weight, uint64_t cycle_parts) {
    if (end <= start || weight == 0)
        return;
    tma_series_row(series, (end - 1) / cycle_parts);
    uint64_t width = series->window_cycles * cycle_parts;
    for (uint64_t window = start / width; start < end; window++) {
        uint64_t next = (window + 1) * width, until = next < end ? next : end;
        row_of(series, window)[column] += (until - start) * weight;
        start = until;
    }
}

static uint64_t sum_of(const struct tma_series *series, uint32_t column) {
    uint64_t sum = 0;
    for (uint32_t window = 0; window < series->windows; window++)
        sum += row_of(series, window)[column];
    return sum;
}

uint64_t tma_series_figure(const struct tma_series *series, uint32_t window,
                           enum tma_series_figure figure) {
    assert(window < series->windows);
    return row_of(series, window)[figure];
}

uint64_t tma_series_total(const struct tma_series *series, enum tma_series_figure figure) {
    return sum_of(series, figure);
}

uint64_t tma_series_busy_ticks(const struct tma_series *series, uint32_t window,
                               enum tma_server kind, uint32_t number) {
    assert(window < series->windows && number < series->servers[kind]);
    return row_of(series, window)[tma_server_column(series, kind) + number];
}

uint64_t tma_series_total_busy_ticks(const struct tma_series *series, enum tma_server kind,
                                     uint32_t number) {
    assert(number < series->servers[kind]);
    return sum_of(series, tma_server_column(series, kind) + number);
}

uint64_t tma_series_cause_cycles(const struct tma_series *series, uint32_t window, uint32_t cause) {
    assert(window < series->windows && cause < series->cause_count);
    return row_of(series, window)[tma_first_cause_column(series) + cause];
}
