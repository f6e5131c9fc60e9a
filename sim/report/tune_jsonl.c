/* JSON lines: an object for each combination, without those that an interrupt left out. */
#include "report/clock_figures.h"
#include "report/json_writer.h"
#include "report/tune_cells.h"
#include "report/tune_formats.h"

static void write_figures(struct tma_json *json, const struct tma_tune_row *row) {
    tma_json_unsigned(json, "cycles", row->cycles);
    tma_json_decimal(json, "time_ns", row->time_ns, 6);
    tma_json_decimal(json, "ratio", row->ratio, 6);
    for (int i = 0; row->clock_ns[0] > 0 && i < TMA_SM_CLOCK_COUNT; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", tma_sm_clock_keys[i]);
        tma_json_decimal(json, key, row->clock_ns[i], 6);
    }
    tma_json_unsigned(json, "bound_cycles", row->bound_cycles);
    if (row->most_ns > 0) {
        tma_json_decimal(json, "least_ns", row->least_ns, 6);
        tma_json_decimal(json, "most_ns", row->most_ns, 6);
    }
    tma_json_bool(json, "same_as_best", row->same);
    if (row->found != TMA_TUNE_SIMULATED)
        return;
    if (row->sampled)
        tma_json_decimal(json, "error_percent", row->error_percent, 6);
    tma_json_string(json, "busiest", row->limiter.busiest);
    tma_json_decimal(json, "busy", row->limiter.busy, 6);
    tma_json_string(json, "longest_wait", row->limiter.wait);
    if (row->limiter.ring[0] != '\0')
        tma_json_string(json, "ring", row->limiter.ring);
    tma_json_decimal(json, "waited", row->limiter.waited, 6);
    tma_json_bool(json, "timing_validated", row->timing_validated);
    tma_json_bool(json, "timing_edited", row->timing_edited);
    if (row->timing_public)
        tma_json_bool(json, "timing_public", true);
}

static void write_row(const struct tma_tune *tune, size_t rank, FILE *out) {
    struct tma_json json = {.out = out};
    const struct tma_tune_row *row = &tune->rows[rank];
    tma_json_begin_line(&json, NULL);
    if (row->found != TMA_TUNE_ILLEGAL)
        tma_json_unsigned(&json, "rank", rank + 1);
    tma_json_string(&json, "kernel", row->kernel);
    tma_json_begin_line(&json, "set");
    for (size_t i = 0; i < tune->column_count; i++)
        if (row->values[i] != NULL)
            tma_json_string(&json, tune->columns[i], row->values[i]);
    tma_json_end_object(&json);
    tma_json_string(&json, "found", tma_tune_found_text(row));
    if (row->found == TMA_TUNE_ILLEGAL)
        tma_json_string(&json, "error", row->failure);
    else
        write_figures(&json, row);
    tma_json_end_object(&json);
}

void tma_tune_write_jsonl(const struct tma_tune *tune, FILE *out) {
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found != TMA_TUNE_MISSING)
            write_row(tune, i, out);
    if (tune->partial)
        fputs("{\"partial\": true}\n", out);
}
