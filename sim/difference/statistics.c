#include "difference/statistics.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "base/printable.h"
#include "difference/figure_rule.h"
#include "report/decimal.h"

/* The unit and the meaning of each figure of a report. */

struct figure_meaning {
    const char *pattern; /* of names of figures (figure_rule.h) */
    const char *unit;    /* "cycles"; "word" of texts */
    const char *text;
};

/* The first pattern that matches counts. */
static const struct figure_meaning meanings[] = {
    {"scenario", "word", "name of the scenario"},
    {"machine.name", "word", "name of the machine"},
    {"machine.timing_validated", "flag", "the timing was compared with that of a real machine"},
    {"machine.timing_edited", "flag", "it was, with other values"},
    {"machine.timing", "word", "public data: it follows from public figures alone"},
    {"machine.sm_count", "SMs", "SMs of the machine"},
    {"machine.sm_clock_mhz", "MHz", "clock of the SMs"},
    {"clock.chosen", "word", "the clock with which cycles become time"},
    {"clock.mhz", "MHz", "that clock"},
    {"clock.*.mhz", "MHz",
     "clock of the SMs: of a single launch, at boost, of launches without a pause"},
    {"clock.*.time_ns", "ns", "time of the run at that clock"},
    {"clock.*.watts", "W", "power of the GPU then"},
    {"clock.*.capped", "flag", "the power cap decides that clock"},
    {"workload.tensor_maps.*.count", "maps", "such tensor maps"},
    {"workload.tensor_maps.*", "word", "field of the tensor map"},
    {"kernel.tensor_maps.*", "word", "field of the tensor map"},
    {"*.ctas", "CTAs", "CTAs of the grid, or of a wave"},
    {"*.ctas_per_cluster", "CTAs", "CTAs of a cluster"},
    {"*.ctas_per_sm", "CTAs", "CTAs that fit an SM"},
    {"*.sms", "SMs", "SMs that had a CTA"},
    {"*.stages_per_cta", "stages", "iterations of a CTA"},
    {"*.depth", "slots", "pipeline slots of a CTA"},
    {"*.stages", "stages", "stages of the ring"},
    {"*.stage_bytes", "bytes", "shared memory of a stage"},
    {"*.shared_bytes", "bytes", "shared memory of a CTA"},
    {"*.registers", "registers", "registers of a thread"},
    {"*.threads", "threads", "threads of a CTA"},
    {"*.l2_state", "word", "what L2 holds at the start"},
    {"cycles", "cycles", "from the first CTA's start to the end of the last one"},
    {"memory_cycles", "cycles", "until L2 and DRAM are done"},
    {"time_ns", "ns", "the cycles of the run at the SM clock"},
    {"draws.launches", "launches", "launches with other seeds"},
    {"draws.*", "cycles", "cycles of these launches"},
    {"draws", "word", "launches with other seeds: none"},
    {"cta_cycles.count", "CTAs", "CTAs that ran"},
    {"cta_cycles.*", "cycles", "of a CTA, from its first issue to its end"},
    {"latency_cycles.count", "operations", "operations that completed"},
    {"latency_cycles.*", "cycles", "of an operation, from issue to completion"},
    {"waves.count", "waves", "waves of CTAs"},
    {"waves.last_ctas", "CTAs", "CTAs of the last wave"},
    {"waves.last_idle_sms", "SMs", "SMs without a CTA in the last wave"},
    {"waves.last_idle_places", "places", "places for a CTA without one in the last wave"},
    {"waves.last_fraction", "fraction", "of the run, in which a last wave ran that is not whole"},
    {"waves.last_cost_fraction", "fraction", "of the SMs' time that such a wave leaves idle"},
    {"waves.sm_idle_fraction", "fraction", "of the SMs' time without a CTA"},
    {"waves.place_idle_fraction", "fraction", "of the time of places for a CTA without one"},
    {"bytes.moved", "bytes", "loaded, stored and reduced"},
    {"bytes.loaded", "bytes", "loaded into shared memory, fill included"},
    {"bytes.from_tensor", "bytes", "loaded from tensors"},
    {"bytes.out_of_bounds_fill", "bytes", "loaded as fill of elements out of bounds"},
    {"bytes.multicast_copies", "bytes", "that multicast loads delivered to further CTAs"},
    {"bytes.stored", "bytes", "stored"},
    {"bytes.reduced", "bytes", "reduced"},
    {"bytes.prefetched", "bytes", "prefetched into L2"},
    {"rate.gigabytes_per_second", "GB/s", "bytes moved, over the time of the run"},
    {"rate.bytes_per_cycle", "bytes/cycle", "bytes moved, over the cycles"},
    {"rate.bytes_per_cycle_per_sm", "bytes/cycle/SM", "the same, for each SM with a CTA"},
    {"rate.teraflops", "TFLOP/s", "matrix products, over the time of the run"},
    {"limits.*.bytes_per_cycle_per_sm", "bytes/cycle/SM", "peak rate of the resource"},
    {"limits.*.used_bytes_per_cycle_per_sm", "bytes/cycle/SM", "rate that the run reached"},
    {"limits.*.used", "fraction", "of the peak, or of the time"},
    {"limits.*", "cycles", "of the resource: busy, and those of the run"},
    {"tma.operations", "operations", "TMA operations"},
    {"tma.rows", "rows", "rows of their tiles"},
    {"tma.rows_out_of_bounds", "rows", "rows that lie out of bounds"},
    {"tma.mean_row_bytes", "bytes", "mean length of a row"},
    {"tma.l2_requests", "requests", "requests of TMA units to L2"},
    {"tma.descriptor_wait_cycles", "cycles", "by which waits for tensor maps delayed operations"},
    {"tma.descriptor_*", "fetches", "fetches of tensor maps: by SMs, from L2, from DRAM"},
    {"l2.requests", "requests", "requests of TMA units to L2"},
    {"l2.sectors", "sectors", "32-byte sectors that L2 was asked for"},
    {"l2.sector_hits", "sectors", "of them, those that L2 had"},
    {"l2.sector_misses", "sectors", "of them, those that L2 lacked"},
    {"l2.hit_fraction", "fraction", "of the sectors that L2 had"},
    {"l2.fills", "fills", "fills from DRAM"},
    {"l2.fill_sectors", "sectors", "that fills brought"},
    {"l2.fill_bytes", "bytes", "that fills brought"},
    {"l2.unused_fill_sectors", "sectors", "that fills brought for nobody"},
    {"l2.unused_fill_bytes", "bytes", "that fills brought for nobody"},
    {"l2.over_fetch_fraction", "fraction", "of the filled sectors that were not used"},
    {"l2.evictions", "lines", "lines that made room for others"},
    {"dram.read_sectors", "sectors", "read from DRAM"},
    {"dram.write_sectors", "sectors", "written to DRAM"},
    {"dram.*_bytes", "bytes", "read from DRAM, and written to it"},
    {"dram.gigabytes_per_second", "GB/s", "both, while L2 and DRAM work"},
    {"shared_memory.write_wavefronts", "wavefronts", "of the TMA units' writes"},
    {"shared_memory.consumers.*.banks_used", "banks", "that the consumer uses"},
    {"shared_memory.consumers.*.instructions", "instructions", "of the consumer"},
    {"shared_memory.*wavefronts", "wavefronts",
     "of consumers; ideal: without bank conflicts; excess: what these add"},
    {"shared_memory.excess_fraction", "fraction", "of the wavefronts that conflicts add"},
    {"shared_memory.*", "word", "of a consumer, or of its worst bank conflict"},
    {"slot_cycles", "cycles", "of all slots together"},
    {"time.*.slot_cycles", "cycles", "that slots spent for this cause"},
    {"roles.*.time.*.cycles", "cycles", "that the role spent for this cause"},
    {"roles.*.cycles", "cycles", "of the role, in all CTAs"},
    {"roles.*.warps", "warps", "of the role"},
    {"*.percent", "%", "share of the time"},
    {"busy.*", "fraction", "of the run, in which the resource was busy"},
    {"beside_products.*", "fraction", "of the run, in which the tensor cores were busy, too"},
    {"limited_by.*", "word", "what limits the run"},
    {"advice", "words", "changes that would help"},
    {"experiments.*.saved_fraction", "fraction", "of the time that the change would save"},
    {"experiments.*.launches", "launches", "of the experiment"},
    {"experiments.*cycles*", "cycles", "of the experiment, and before it"},
    {"experiments.*.advice", "flag", "the change is one of the kernel, not of the machine"},
    {"experiments.*.helps", "flag", "the saving is more than launches differ"},
    {"experiments*", "word", "what was tried"},
    {"kernel.rings.*", "word", "of the ring"},
    {"roles.*", "word", "of the role"},
    {"time.*", "word", "the cause"},
    {"error", "word", "why there are no figures"},
};

/* Returns the meaning of the figure of that name, or NULL if the table has none. */
static const struct figure_meaning *figure_meaning(const char *name) {
    for (size_t i = 0; i < sizeof meanings / sizeof meanings[0]; i++)
        if (tma_figure_matches(meanings[i].pattern, name))
            return &meanings[i];
    return NULL;
}

enum { NAME_WIDTH = 52, VALUE_WIDTH = 20, TICKS_PER_CYCLE = 1024, TICK_DIGITS = 3 };

static void write_blanks(size_t length, size_t width, FILE *out) {
    fprintf(out, "%*s", length < width ? (int)(width - length) : 0, "");
}

/* Names and values may come from files: names of scenarios, for example. */
static void write_line(const char *name, const char *value, const char *unit, const char *text,
                       FILE *out) {
    tma_write_printable(name, out);
    write_blanks(strlen(name), NAME_WIDTH, out);
    fputc(' ', out);
    write_blanks(strlen(value), VALUE_WIDTH, out);
    tma_write_printable(value, out);
    fprintf(out, "  # %s (%s)\n", text, unit);
}

static void write_count(const char *name, uint64_t count, const char *unit, const char *text,
                        FILE *out) {
    char value[24];
    snprintf(value, sizeof value, "%" PRIu64, count);
    write_line(name, value, unit, text, out);
}

static void write_measure(const struct tma_measure *measure, FILE *out) {
    const struct figure_meaning *meaning = figure_meaning(measure->name);
    write_line(measure->name, measure->text, meaning == NULL ? "?" : meaning->unit,
               meaning == NULL ? "?" : meaning->text, out);
}

static void write_servers(const struct tma_series *series, FILE *out) {
    char name[80];
    for (int i = 0; i < TMA_SERVER_COUNT; i++) {
        enum tma_server kind = (enum tma_server)i;
        for (uint32_t number = 0; number < series->servers[kind]; number++) {
            double cycles =
                (double)tma_series_total_busy_ticks(series, kind, number) / TICKS_PER_CYCLE;
            snprintf(name, sizeof name, "servers.%s.%" PRIu32 ".busy_cycles", tma_server_key(kind),
                     number);
            write_line(name, tma_decimal(cycles, TICK_DIGITS).text, "cycles", tma_server_text(kind),
                       out);
        }
    }
}

static void write_latencies(const struct tma_latency_bars *bars, FILE *out) {
    char name[80];
    for (uint32_t i = 0; i < bars->count; i++) {
        uint64_t first = bars->first_cycle + i * bars->bar_cycles;
        snprintf(name, sizeof name, "latency_histogram.%" PRIu64 "-%" PRIu64, first,
                 first + bars->bar_cycles - 1);
        write_count(name, bars->operations[i], "operations", "operations of such a latency", out);
    }
}

static void write_windows(const struct tma_series *series, FILE *out) {
    char name[80];
    write_count("series.window_cycles", series->window_cycles, "cycles", "length of a window", out);
    for (int i = 0; i < TMA_SERIES_FIGURE_COUNT; i++) {
        enum tma_series_figure figure = (enum tma_series_figure)i;
        for (uint32_t window = 0; window < series->windows; window++) {
            snprintf(name, sizeof name, "series.%s.%" PRIu64, tma_series_key(figure),
                     window * series->window_cycles);
            write_count(name, tma_series_figure(series, window, figure), "count",
                        tma_series_text(figure), out);
        }
    }
}

void tma_statistics_write(const struct tma_variant *report, const struct tma_series *series,
                          FILE *out) {
    const struct tma_measured_case *only = &report->cases[0];
    write_line("tmasim", report->version, "version", "what wrote this", out);
    write_line("digest.machine", report->machine, "hex", "digest of the machine", out);
    write_line("digest.scenario", report->scenario, "hex", "digest of the scenario", out);
    for (size_t i = 0; i < only->count; i++)
        write_measure(&only->measures[i], out);
    write_servers(series, out);
    write_latencies(&series->latencies, out);
    write_windows(series, out);
}
