/* The time series of a run: what happens in each window of time, and how busy each server is.
 *
 *     struct tma_series *series = tma_series_new(&machine);
 *     struct tma_watch watch = {.series = series};
 *     tma_run_watched(&machine, &workload, NULL, &watch, &result, &error);
 *     for (uint32_t i = 0; i < series->windows; i++)
 *         use(tma_series_figure(series, i, TMA_SERIES_DRAM_READ_SECTORS));
 *     tma_series_free(series);
 *
 * Windows begin short. When a run has more than TMA_SERIES_WINDOWS of them, each two become one. So
 * a series takes a few megabytes, however long the run is. Every figure is a sum over its window:
 * the sum over all windows is the run's. Recording changes no result. */
#pragma once

#include "engine/result.h"
#include "memory/core/servers.h"

TMA_API_BEGIN

enum {
    TMA_SERIES_WINDOWS = 512,     /* at most; an even number */
    TMA_SERIES_FIRST_CYCLES = 32, /* length of the first windows */
    TMA_SERIES_TICKS = 1024,      /* of a cycle */
    TMA_LATENCY_BARS = 48         /* at most, of the histogram of latencies */
};

/* Figures of a window: name, key in a report, text in a report. Those in "... cycles" are
 * integrals over time: divided by the window's cycles they are means. */
#define TMA_SERIES_FIGURES(X)                                                                      \
    X(TMA_SERIES_OPERATIONS, "operations", "operations completed")                                 \
    X(TMA_SERIES_BYTES, "bytes", "bytes of completed operations, fill and copies included")        \
    X(TMA_SERIES_L2_SECTORS, "l2_sectors", "sectors that TMA units asked L2 for")                  \
    X(TMA_SERIES_L2_MISS_SECTORS, "l2_miss_sectors", "the part of them that L2 lacked")            \
    X(TMA_SERIES_SM_READ_SECTORS, "sm_read_sectors", "sectors from L2 to SMs")                     \
    X(TMA_SERIES_SM_WRITE_SECTORS, "sm_write_sectors", "sectors from SMs to L2")                   \
    X(TMA_SERIES_DRAM_READ_SECTORS, "dram_read_sectors", "sectors read from DRAM")                 \
    X(TMA_SERIES_DRAM_WRITE_SECTORS, "dram_write_sectors", "sectors written to DRAM")              \
    X(TMA_SERIES_CTA_CYCLES, "cta_cycles", "CTAs running, cycles")                                 \
    X(TMA_SERIES_FLIGHT_CYCLES, "flight_cycles", "operations in flight, cycles")                   \
    X(TMA_SERIES_FLIGHT_BYTE_CYCLES, "flight_byte_cycles", "bytes in flight, cycles")              \
    X(TMA_SERIES_FULL_STAGE_CYCLES, "full_stage_cycles", "stages that are full, cycles")           \
    X(TMA_SERIES_TENSOR_TICKS, "tensor_ticks", "tensor cores busy, 1/1024 cycles")                 \
    X(TMA_SERIES_FMA_TICKS, "fma_ticks", "FMA pipes busy, 1/1024 cycles")                          \
    X(TMA_SERIES_ALU_TICKS, "alu_ticks", "ALUs busy, 1/1024 cycles")                               \
    X(TMA_SERIES_SFU_TICKS, "sfu_ticks", "special functions busy, 1/1024 cycles")                  \
    X(TMA_SERIES_ISSUE_TICKS, "issue_ticks", "issue slots of compute statements, 1/1024 cycles")

enum tma_series_figure {
#define TMA_SERIES_ENUM(name, key, text) name,
    TMA_SERIES_FIGURES(TMA_SERIES_ENUM)
#undef TMA_SERIES_ENUM
        TMA_SERIES_FIGURE_COUNT
};

/* Latencies of operations, from issue to completion, in bars of one width. */
struct tma_latency_bars {
    uint64_t first_cycle, bar_cycles; /* bar i has latencies from first + i * bar on */
    uint32_t count;
    uint64_t operations[TMA_LATENCY_BARS];
};

struct tma_series {
    uint64_t window_cycles;             /* length of a window; the last one may end earlier */
    uint32_t windows;                   /* of the run */
    uint64_t cycles;                    /* end of the run: memory_cycles of the result, without
                                           what a sampled run has skipped */
    uint32_t servers[TMA_SERVER_COUNT]; /* of each kind */
    uint32_t cause_count;               /* TMA_CAUSE_COUNT; kernels with roles: causes of role 0,
                                           then those of role 1 ... */
    struct tma_latency_bars latencies;
    uint32_t columns; /* of the table */
    uint64_t *cells;  /* owned: by window and column */
};

/* An empty series for runs on a machine. NULL when out of memory. A run clears what the one before
 * has left. */
struct tma_series *tma_series_new(const struct tma_machine *machine);
void tma_series_free(struct tma_series *series);

/* The keys and texts of what a series has. */
const char *tma_series_key(enum tma_series_figure figure);
const char *tma_series_text(enum tma_series_figure figure);
const char *tma_server_key(enum tma_server kind);
const char *tma_server_text(enum tma_server kind);

/* A figure of a window; of all windows together. */
uint64_t tma_series_figure(const struct tma_series *series, uint32_t window,
                           enum tma_series_figure figure);
uint64_t tma_series_total(const struct tma_series *series, enum tma_series_figure figure);

/* For how long a server was busy in a window, in ticks; in all windows together. */
uint64_t tma_series_busy_ticks(const struct tma_series *series, uint32_t window,
                               enum tma_server kind, uint32_t number);
uint64_t tma_series_total_busy_ticks(const struct tma_series *series, enum tma_server kind,
                                     uint32_t number);

/* Cycles that slots, or roles, spent in a window for a cause: number `cause` of cause_count. */
uint64_t tma_series_cause_cycles(const struct tma_series *series, uint32_t window, uint32_t cause);

TMA_API_END
