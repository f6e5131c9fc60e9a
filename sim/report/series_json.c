#include "report/series_json.h"

enum { TICKS_PER_CYCLE = 1024, TICK_DIGITS = 3 };

static void write_servers(const struct tma_series *series, struct tma_json *json) {
    tma_json_begin_object(json, "servers");
    for (int i = 0; i < TMA_SERVER_COUNT; i++) {
        enum tma_server kind = (enum tma_server)i;
        tma_json_begin_object(json, tma_server_key(kind));
        tma_json_string(json, "text", tma_server_text(kind));
        tma_json_begin_list(json, "busy_cycles");
        for (uint32_t number = 0; number < series->servers[kind]; number++)
            tma_json_decimal(json, NULL,
                             (double)tma_series_total_busy_ticks(series, kind, number) /
                                 TICKS_PER_CYCLE,
                             TICK_DIGITS);
        tma_json_end_array(json);
        tma_json_end_object(json);
    }
    tma_json_end_object(json);
}

static void write_latencies(const struct tma_latency_bars *bars, struct tma_json *json) {
    tma_json_begin_object(json, "latency_histogram");
    tma_json_unsigned(json, "first_cycle", bars->first_cycle);
    tma_json_unsigned(json, "bar_cycles", bars->bar_cycles);
    tma_json_begin_list(json, "operations");
    for (uint32_t i = 0; i < bars->count; i++)
        tma_json_unsigned(json, NULL, bars->operations[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_windows(const struct tma_series *series, struct tma_json *json) {
    tma_json_begin_object(json, "series");
    tma_json_unsigned(json, "window_cycles", series->window_cycles);
    tma_json_unsigned(json, "windows", series->windows);
    for (int i = 0; i < TMA_SERIES_FIGURE_COUNT; i++) {
        enum tma_series_figure figure = (enum tma_series_figure)i;
        tma_json_begin_list(json, tma_series_key(figure));
        for (uint32_t window = 0; window < series->windows; window++)
            tma_json_unsigned(json, NULL, tma_series_figure(series, window, figure));
        tma_json_end_array(json);
    }
    tma_json_end_object(json);
}

void tma_series_json(const struct tma_series *series, struct tma_json *json) {
    if (series == NULL)
        return;
    write_servers(series, json);
    write_latencies(&series->latencies, json);
    write_windows(series, json);
}
