#include "report/page_data.h"

/* Windows of the heat maps over time, at most. */
enum { HEAT_WINDOWS = 128 };

void tma_page_write_series(const struct tma_page_input *input, struct tma_json *json) {
    const struct tma_series *series = input->series;
    tma_json_begin_object(json, "series");
    TMA_JSON_COUNTS(json, series, window_cycles, cycles);
    for (enum tma_series_figure figure = 0; figure < TMA_SERIES_FIGURE_COUNT; figure++) {
        if (tma_series_total(series, figure) == 0)
            continue;
        tma_json_begin_list(json, tma_series_key(figure));
        for (uint32_t window = 0; window < series->windows; window++)
            tma_json_unsigned(json, NULL, tma_series_figure(series, window, figure));
        tma_json_end_array(json);
    }
    tma_json_begin_array(json, "causes");
    for (uint32_t cause = 0; cause < series->cause_count; cause++) {
        tma_json_begin_list(json, NULL);
        for (uint32_t window = 0; window < series->windows; window++)
            tma_json_unsigned(json, NULL, tma_series_cause_cycles(series, window, cause));
        tma_json_end_array(json);
    }
    tma_json_end_array(json);
    tma_json_end_object(json);
}

void tma_page_write_latencies(const struct tma_page_input *input, struct tma_json *json) {
    const struct tma_latency_bars *bars = &input->series->latencies;
    const struct tma_distribution *latency = &input->result->latency_cycles;
    tma_json_begin_object(json, "latencies");
    TMA_JSON_COUNTS(json, bars, first_cycle, bar_cycles);
    TMA_JSON_COUNTS(json, latency, min, median, p95, max);
    tma_json_begin_list(json, "operations");
    for (uint32_t i = 0; i < bars->count; i++)
        tma_json_unsigned(json, NULL, bars->operations[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

/* Windows of the series that make one of a heat map. */
static uint32_t group_of(const struct tma_series *series) {
    return (series->windows + HEAT_WINDOWS - 1) / HEAT_WINDOWS;
}

/* Writes how busy a server is in each group of windows: a character for each, of 62 levels. */
static void write_row(const struct tma_series *series, enum tma_server kind, uint32_t server,
                      struct tma_json *json) {
    static const char levels[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    const uint64_t most = sizeof levels - 2;
    char row[HEAT_WINDOWS + 1];
    uint32_t group = group_of(series), length = 0;
    for (uint32_t first = 0; first < series->windows; first += group) {
        uint64_t busy = 0, end = (uint64_t)(first + group) * series->window_cycles;
        end = end < series->cycles ? end : series->cycles;
        uint64_t ticks = (end - first * series->window_cycles) * TMA_SERIES_TICKS;
        for (uint32_t window = first; window < first + group && window < series->windows; window++)
            busy += tma_series_busy_ticks(series, window, kind, server);
        uint64_t level = ticks == 0 ? 0 : (busy * most + ticks / 2) / ticks;
        row[length++] = levels[level < most ? level : most];
    }
    row[length] = '\0';
    tma_json_string(json, NULL, row);
}

static void write_kind(const struct tma_series *series, enum tma_server kind,
                       struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "key", tma_server_key(kind));
    tma_json_string(json, "text", tma_server_text(kind));
    tma_json_begin_list(json, "busy_cycles");
    for (uint32_t i = 0; i < series->servers[kind]; i++)
        tma_json_unsigned(json, NULL,
                          tma_series_total_busy_ticks(series, kind, i) / TMA_SERIES_TICKS);
    tma_json_end_array(json);
    tma_json_begin_list(json, "rows");
    for (uint32_t i = 0; i < series->servers[kind]; i++)
        write_row(series, kind, i, json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

void tma_page_write_servers(const struct tma_page_input *input, struct tma_json *json) {
    const struct tma_series *series = input->series;
    tma_json_begin_object(json, "servers");
    tma_json_unsigned(json, "window_cycles", group_of(series) * series->window_cycles);
    tma_json_begin_array(json, "kinds");
    write_kind(series, TMA_SERVER_L2_SLICE, json);
    write_kind(series, TMA_SERVER_DRAM_CHANNEL, json);
    write_kind(series, TMA_SERVER_GPC_PORT, json);
    write_kind(series, TMA_SERVER_SM_PORT, json);
    write_kind(series, TMA_SERVER_TMA_UNIT, json);
    write_kind(series, TMA_SERVER_SHARED_MEMORY, json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}
