#include "difference/statistics.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "difference/figure_meanings.h"
#include "report/decimal.h"

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
    const struct tma_figure_meaning *meaning = tma_figure_meaning(measure->name);
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
