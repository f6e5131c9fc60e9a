/* The time series and the spans of a run: they change nothing, and add up to the result. */
#include <stdio.h>
#include <string.h>

#include "engine.h"
#include "engine/observe/histogram.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "suite.h"

/* Sums over the spans of a run, and the end of the last one. */
struct sums {
    uint64_t causes[TMA_CAUSE_COUNT], roles[TMA_MAX_ROLES][TMA_ROLE_CAUSE_COUNT];
    uint64_t cta_cycles, ctas, operations, bytes, last_cycle, tensor_cycles;
    bool used[TMA_MAX_SMS];
};

static void add_span(void *context, const struct tma_span *span) {
    struct sums *sums = context;
    ck_assert_uint_le(span->start_cycle, span->end_cycle);
    uint64_t cycles = span->end_cycle - span->start_cycle;
    if (span->end_cycle > sums->last_cycle)
        sums->last_cycle = span->end_cycle;
    switch (span->kind) {
    case TMA_SPAN_CTA:
        sums->ctas++;
        sums->used[span->sm] = true;
        sums->cta_cycles += cycles;
        break;
    case TMA_SPAN_SLOT:
        sums->causes[span->cause] += cycles;
        break;
    case TMA_SPAN_ROLE:
        sums->roles[span->slot][span->cause] += cycles;
        break;
    case TMA_SPAN_OPERATION:
        sums->operations++;
        sums->bytes += span->bytes;
        break;
    case TMA_SPAN_TENSOR:
        sums->tensor_cycles += cycles;
        break;
    case TMA_SPAN_PIPES:
        break;
    case TMA_SPAN_KIND_COUNT:
        ck_abort();
    }
}

static struct tma_result plain, observed;
static struct sums sums;

static enum tma_error_code run(const struct tma_scenario *scenario, const struct tma_watch *watch,
                               struct tma_result *result) {
    if (scenario->program == NULL)
        return tma_run_watched(&scenario->machine, &scenario->workload, NULL, watch, result, NULL);
    return tma_kernel_run_watched(&scenario->machine, &scenario->program->kernel, NULL, watch,
                                  result, NULL, NULL);
}

/* Busy cycles of all servers of a kind, as the result counts them: whole ones of each server. */
static uint64_t busy_cycles(const struct tma_series *series, enum tma_server kind) {
    uint64_t cycles = 0;
    for (uint32_t i = 0; i < series->servers[kind]; i++)
        cycles += tma_series_total_busy_ticks(series, kind, i) / TMA_SERIES_TICKS;
    return cycles;
}

static void check_busy(const char *name, const struct tma_series *series, enum tma_server kind,
                       double fraction, uint64_t cycles, uint32_t servers) {
    double expected = fraction * (double)cycles * servers;
    double sum = (double)busy_cycles(series, kind);
    /* The result cuts a TMA unit's ticks of loads and of stores to cycles each. */
    ck_assert_msg(sum >= expected - 0.5 && sum <= expected + servers, "%s: %s: %f, not %f", name,
                  tma_server_key(kind), sum, expected);
    for (uint32_t w = 0; w < series->windows; w++)
        for (uint32_t i = 0; i < series->servers[kind]; i++)
            ck_assert_msg(tma_series_busy_ticks(series, w, kind, i) <=
                              (series->window_cycles + 8192) * TMA_SERIES_TICKS,
                          "%s: %s %u in window %u", name, tma_server_key(kind), i, w);
}

static void check_series(const char *name, const struct tma_machine *machine,
                         const struct tma_series *series, const struct tma_result *result) {
    const struct tma_counters *counters = &result->counters;
    const uint64_t figures[TMA_SERIES_FIGURE_COUNT] = {
        [TMA_SERIES_OPERATIONS] = counters->operations,
        [TMA_SERIES_BYTES] = counters->bytes + counters->stored_bytes + counters->reduced_bytes +
                             counters->prefetched_bytes,
        [TMA_SERIES_L2_SECTORS] = counters->l2_sectors,
        [TMA_SERIES_L2_MISS_SECTORS] = counters->l2_sector_misses,
        [TMA_SERIES_SM_READ_SECTORS] = counters->sm_read_sectors,
        [TMA_SERIES_SM_WRITE_SECTORS] = counters->sm_write_sectors,
        [TMA_SERIES_DRAM_READ_SECTORS] = counters->dram_read_sectors,
        [TMA_SERIES_DRAM_WRITE_SECTORS] = counters->dram_write_sectors,
        [TMA_SERIES_CTA_CYCLES] = sums.cta_cycles,
    };
    for (enum tma_series_figure f = 0; f <= TMA_SERIES_CTA_CYCLES; f++)
        ck_assert_msg(tma_series_total(series, f) == figures[f], "%s: %s: %llu, not %llu", name,
                      tma_series_key(f), (unsigned long long)tma_series_total(series, f),
                      (unsigned long long)figures[f]);
    ck_assert_uint_eq(series->cycles, result->memory_cycles);
    ck_assert_uint_le(series->windows, TMA_SERIES_WINDOWS);
    ck_assert_uint_ge(series->windows * series->window_cycles, series->cycles);
    ck_assert_uint_lt((series->windows - 1) * series->window_cycles, series->cycles);
    uint32_t sms = 0;
    for (int i = 0; i < TMA_MAX_SMS; i++)
        sms += sums.used[i];
    check_busy(name, series, TMA_SERVER_TMA_UNIT, result->busy_tma, result->cycles, sms);
    check_busy(name, series, TMA_SERVER_SM_PORT, result->busy_sm_port, result->cycles, sms);
    check_busy(name, series, TMA_SERVER_GPC_PORT, result->busy_crossbar, result->memory_cycles,
               result->gpcs);
    check_busy(name, series, TMA_SERVER_L2_SLICE, result->busy_l2, result->memory_cycles,
               machine->l2.slices);
    check_busy(name, series, TMA_SERVER_DRAM_CHANNEL, result->busy_dram, result->memory_cycles,
               machine->dram.channels);
    uint64_t bars = 0;
    for (uint32_t i = 0; i < series->latencies.count; i++)
        bars += series->latencies.operations[i];
    ck_assert_uint_eq(bars, result->latency_cycles.count);
}

/* Of a multicast load, the first stage of a CTA may be issued elsewhere before the CTA starts. That
 * time counts as a negative wait for the cluster in the result, and not at all in spans. */
static void check_causes(const struct tma_series *series, const struct tma_result *result,
                         bool clusters) {
    uint64_t all = 0;
    for (uint32_t cause = 0; cause < series->cause_count; cause++) {
        uint64_t cycles = 0;
        for (uint32_t w = 0; w < series->windows; w++)
            cycles += tma_series_cause_cycles(series, w, cause);
        all += cycles;
        if (result->role_count == 0)
            ck_assert_uint_eq(cycles, clusters ? sums.causes[cause] : result->cause_cycles[cause]);
        else
            ck_assert_uint_eq(
                cycles,
                result->role_cycles[cause / TMA_ROLE_CAUSE_COUNT][cause % TMA_ROLE_CAUSE_COUNT]);
    }
    if (result->role_count == 0)
        ck_assert_uint_eq(all, result->slot_cycles);
    ck_assert_int_eq(memcmp(sums.roles, result->role_cycles, sizeof sums.roles), 0);
    ck_assert_uint_eq(sums.operations, result->counters.operations);
    ck_assert_double_eq_tol((double)sums.tensor_cycles,
                            result->busy_tensor * (double)result->cycles * result->sms,
                            0.01 * (double)result->cycles * result->sms);
    ck_assert_uint_eq(sums.bytes + result->counters.copied_bytes,
                      tma_series_total(series, TMA_SERIES_BYTES));
    ck_assert_uint_eq(sums.ctas, result->cta_cycles.count);
    ck_assert_uint_le(sums.last_cycle, result->cycles);
}

static void check_scenario(const char *path) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    ck_assert_msg(tma_scenario_read(path, NULL, 0, &scenario, &list), "%s", path);
    tma_diagnostics_free(&list);
    struct tma_series *series = tma_series_new(&scenario.machine);
    ck_assert_ptr_nonnull(series);
    const struct tma_span_sink sink = {.span = add_span, .context = &sums};
    const struct tma_watch watch = {.series = series, .spans = &sink};
    ck_assert_int_eq(run(&scenario, NULL, &plain), TMA_OK);
    /* The second run clears what the first one left. */
    for (int i = 0; i < 2; i++) {
        sums = (struct sums){0};
        ck_assert_int_eq(run(&scenario, &watch, &observed), TMA_OK);
    }
    ck_assert_msg(memcmp(&plain, &observed, sizeof plain) == 0, "%s: another result", path);
    check_series(path, &scenario.machine, series, &observed);
    check_causes(series, &observed, scenario.workload.cluster_ctas > 1);
    tma_series_free(series);
    tma_scenario_free(&scenario);
}

/* Of each kind: loads, stores, reductions, clusters, several CTAs of an SM, dynamic tiles. */
static const char *const scenarios[] = {"gemm_tile",
                                        "copy",
                                        "multicast_gemm",
                                        "reduce_add",
                                        "narrow_rows",
                                        "kernels/gemm",
                                        "kernels/cluster_of_4",
                                        "kernels/dynamic_tiles",
                                        "kernels/split_k",
                                        "kernels/store_pipeline"};

TEST_ROWS(figures_add_up, TABLE_ROWS(scenarios)) {
    char path[100];
    snprintf(path, sizeof path, "configs/scenarios/%s.yaml", scenarios[_i]);
    check_scenario(path);
}

/* Of each kind: iterations and CTAs of the short form, CTAs of a grid, tiles of a loop. */
static const struct {
    const char *path, *settings[5];
    size_t setting_count;
} sampled[] = {
    {"scenarios/l2_resident", {"workload.ctas=8", "workload.iterations=2048"}, 2},
    {"scenarios/l2_resident", {"workload.ctas=7920", "workload.iterations=2"}, 2},
    {"kernels/gemm", {"kernel.sms=4", "M=1024", "N=1024", "K=2048", "WARPS=8"}, 5},
    {"kernels/gemm", {"kernel.sms=4", "M=2048", "N=1024", "K=4096"}, 4},
    {"scenarios/kernels/dynamic_tiles", {"TILES=6000"}, 1},
};

/* A sampled run is the same with a series, which has what was simulated, and no more. */
TEST_ROWS(sampled_runs_have_their_part, TABLE_ROWS(sampled)) {
    char path[100];
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    snprintf(path, sizeof path, "configs/%s.yaml", sampled[_i].path);
    ck_assert_msg(
        tma_scenario_read(path, sampled[_i].settings, sampled[_i].setting_count, &scenario, &list),
        "%s", path);
    struct tma_series *series = tma_series_new(&scenario.machine);
    const struct tma_span_sink sink = {.span = add_span, .context = &sums};
    const struct tma_watch blind = {.sampling = TMA_SAMPLING_USUAL};
    const struct tma_watch watch = {
        .series = series, .spans = &sink, .sampling = TMA_SAMPLING_USUAL};
    sums = (struct sums){0};
    ck_assert_int_eq(run(&scenario, &blind, &plain), TMA_OK);
    ck_assert_int_eq(run(&scenario, &watch, &observed), TMA_OK);
    ck_assert_msg(memcmp(&plain, &observed, sizeof plain) == 0, "%s: another result", path);
    uint64_t skipped = observed.sampled.skipped_cycles;
    ck_assert_uint_gt(skipped, 0);
    ck_assert_uint_eq(series->cycles + skipped, observed.memory_cycles);
    ck_assert_uint_le(sums.last_cycle + skipped, observed.cycles);
    ck_assert_uint_ge(series->windows * series->window_cycles, series->cycles);
    ck_assert_uint_lt((series->windows - 1) * series->window_cycles, series->cycles);
    uint64_t operations = tma_series_total(series, TMA_SERIES_OPERATIONS), bars = 0;
    for (uint32_t i = 0; i < series->latencies.count; i++)
        bars += series->latencies.operations[i];
    ck_assert_uint_eq(operations, sums.operations);
    ck_assert_uint_eq(operations, bars);
    ck_assert_uint_lt(operations, observed.counters.operations);
    ck_assert_uint_eq(tma_series_total(series, TMA_SERIES_CTA_CYCLES), sums.cta_cycles);
    tma_series_free(series);
    tma_scenario_free(&scenario);
}

/* Where only long runs are sampled, a run that is not long is whole. Events have no gaps. */
TEST(short_runs_are_whole) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    struct tma_error error;
    const struct tma_event_sink events = {0};
    const struct tma_watch pages = {.sampling = TMA_SAMPLING_LONG};
    ck_assert(tma_scenario_read("configs/scenarios/gemm_tile.yaml", NULL, 0, &scenario, &list));
    ck_assert_int_eq(run(&scenario, NULL, &plain), TMA_OK);
    ck_assert_int_eq(run(&scenario, &pages, &observed), TMA_OK);
    ck_assert(observed.sampled.asked);
    ck_assert_int_eq(observed.sampled.whole, TMA_WHOLE_SHORT);
    observed.sampled = (struct tma_sampled){0};
    ck_assert_int_eq(memcmp(&plain, &observed, sizeof plain), 0);
    ck_assert_int_eq(
        tma_run_watched(&scenario.machine, &scenario.workload, &events, &pages, &observed, &error),
        TMA_ERROR_ARGUMENT);
    ck_assert_ptr_nonnull(strstr(error.text, "it has no events"));
    tma_scenario_free(&scenario);
}

TEST(bars_hold_every_latency) {
    struct tma_histogram *histogram = tma_histogram_new();
    ck_assert_uint_eq(tma_histogram_bars(histogram).count, 0);
    for (uint64_t value = 1000; value < 1480; value += 10)
        tma_histogram_add(histogram, value);
    struct tma_latency_bars bars = tma_histogram_bars(histogram);
    ck_assert_uint_eq(bars.first_cycle, 1000);
    ck_assert_uint_eq(bars.bar_cycles, 10);
    ck_assert_uint_eq(bars.count, 48);
    for (uint32_t i = 0; i < bars.count; i++)
        ck_assert_uint_eq(bars.operations[i], 1);
    tma_histogram_add(histogram, 1480);
    bars = tma_histogram_bars(histogram);
    ck_assert_uint_eq(bars.bar_cycles, 11);
    ck_assert_uint_eq(bars.count, 44);
    tma_histogram_free(histogram);
}

TEST_SUITE("series", .timeout = 120, .prepare = load_engine);
