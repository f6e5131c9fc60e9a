/* JSON lines: an object for each row, without the rows that an interrupt left out. */
#include "report/json_writer.h"
#include "report/sweep_formats.h"

static void write_figures(struct tma_json *json, const struct tma_sweep_figures *figures,
                          bool sampled) {
    tma_json_unsigned(json, "cycles", figures->cycles);
    tma_json_decimal(json, "time_ns", figures->time_ns, 6);
    tma_json_decimal(json, "gigabytes_per_second", figures->gigabytes_per_second, 6);
    tma_json_decimal(json, "bytes_per_cycle_per_sm", figures->bytes_per_cycle_per_sm, 6);
    tma_json_unsigned(json, "latency_cycles", figures->latency_cycles);
    tma_json_decimal(json, "l2_hit_fraction", figures->l2_hit_fraction, 6);
    tma_json_unsigned(json, "dram_bytes", figures->dram_bytes);
    tma_json_unsigned(json, "excess_wavefronts", figures->excess_wavefronts);
    tma_json_decimal(json, "busy", figures->busy, 6);
    tma_json_string(json, "busiest", figures->busiest);
    tma_json_bool(json, "timing_validated", figures->timing_validated);
    tma_json_bool(json, "timing_edited", figures->timing_edited);
    if (figures->timing_public)
        tma_json_bool(json, "timing_public", true);
    if (sampled) {
        tma_json_begin_line(json, "sampled");
        tma_json_decimal(json, "simulated_percent", figures->simulated_percent, 1);
        tma_json_decimal(json, "error_percent", figures->error_percent, 1);
        tma_json_end_object(json);
    }
}

void tma_sweep_write_line(const struct tma_sweep *sweep, size_t row, FILE *out) {
    struct tma_json json = {.out = out};
    const struct tma_sweep_row *item = &sweep->rows[row];
    tma_json_begin_line(&json, NULL);
    tma_json_unsigned(&json, "row", row + 1);
    tma_json_begin_line(&json, "set");
    for (size_t i = 0; i < sweep->column_count; i++)
        if (item->values[i] != NULL)
            tma_json_string(&json, sweep->columns[i], item->values[i]);
    tma_json_end_object(&json);
    if (item->failure != NULL)
        tma_json_string(&json, "error", item->failure);
    else
        write_figures(&json, &item->figures, sweep->sampled);
    tma_json_end_object(&json);
}

void tma_sweep_write_jsonl(const struct tma_sweep *sweep, FILE *out) {
    for (size_t i = 0; i < sweep->row_count; i++)
        if (sweep->rows[i].done)
            tma_sweep_write_line(sweep, i, out);
    if (sweep->partial)
        fputs("{\"partial\": true}\n", out);
}
