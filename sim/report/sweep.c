#include "report/sweep.h"

#include <inttypes.h>
#include <stdlib.h>

#include "report/decimal.h"
#include "report/figures.h"
#include "report/labels.h"
#include "report/sampled.h"

/* strtod reads numbers of the C locale where the program never calls setlocale. */
static double rounded(double value) {
    return strtod(tma_decimal(value, TMA_DECIMAL_MAX_DIGITS).text, NULL);
}

struct tma_sweep_figures tma_sweep_figures_of(const struct tma_report_input *input) {
    struct tma_figures figures = tma_figures_of(input);
    struct tma_busy busiest = tma_busiest_of(input->result);
    struct tma_sweep_figures row = {
        .cycles = input->result->cycles,
        .latency_cycles = input->result->latency_cycles.median,
        .dram_bytes = figures.memory.dram_read_bytes + figures.memory.dram_write_bytes,
        .excess_wavefronts = figures.excess_wavefronts,
        .time_ns = rounded(figures.time_ns),
        .gigabytes_per_second = rounded(figures.gigabytes_per_second),
        .bytes_per_cycle_per_sm = rounded(figures.bytes_per_cycle_per_sm),
        .l2_hit_fraction = rounded(figures.memory.l2_hit_fraction),
        .busy = rounded(busiest.fraction),
        .trust = input->machine->trust,
        .simulated_percent = rounded(tma_sampled_percent(input->result)),
        .error_percent = rounded(tma_sampled_error_percent(input->result)),
    };
    snprintf(row.busiest, sizeof row.busiest, "%s", busiest.key);
    return row;
}

/* The cells behind the number of the row and its settings. Two are about sampled runs. */
enum { CYCLES, RATE, RATE_PER_SM, LATENCY, HITS, EXCESS, SIMULATED, ERROR, BUSIEST, CELLS };

static const char *const headings[CELLS] = {
    "cycles",      "GB/s",    "bytes/cycle/SM", "latency", "L2 hit %", "excess wavefronts",
    "simulated %", "error %", "busiest",
};

/* Which of the cells a column behind the settings has. */
static int cell_at(const struct tma_sweep *sweep, size_t column) {
    int cell = (int)(column - 1 - sweep->column_count);
    return cell >= SIMULATED && !sweep->sampled ? BUSIEST : cell;
}

static struct tma_table_column column_of(const void *of, size_t column) {
    const struct tma_sweep *sweep = of;
    if (column == 0)
        return (struct tma_table_column){tma_cell("row"), false, 5};
    if (column <= sweep->column_count)
        return (struct tma_table_column){
            tma_outside_cell(tma_setting_label(sweep->columns, sweep->column_count, column - 1)),
            true, 3};
    int cell = cell_at(sweep, column);
    return (struct tma_table_column){tma_cell("%s", headings[cell]), cell == BUSIEST, 0};
}

static struct tma_cell cell_of(const void *of, size_t row, size_t column) {
    const struct tma_sweep *sweep = of;
    const struct tma_sweep_figures *figures = &sweep->rows[row].figures;
    if (column == 0)
        return tma_cell("%zu", row + 1);
    if (column <= sweep->column_count)
        return tma_outside_cell(sweep->rows[row].values[column - 1]);
    switch (cell_at(sweep, column)) {
    case CYCLES:
        return tma_cell("%" PRIu64, figures->cycles);
    case RATE:
        return tma_cell("%s", tma_decimal(figures->gigabytes_per_second, 1).text);
    case RATE_PER_SM:
        return tma_cell("%s", tma_decimal(figures->bytes_per_cycle_per_sm, 2).text);
    case LATENCY:
        return tma_cell("%" PRIu64, figures->latency_cycles);
    case HITS:
        return tma_cell("%s", tma_decimal(100 * figures->l2_hit_fraction, 1).text);
    case EXCESS:
        return tma_cell("%" PRIu64, figures->excess_wavefronts);
    case SIMULATED:
        return tma_cell("%s", tma_decimal(figures->simulated_percent, 1).text);
    case ERROR:
        return tma_cell("%s", tma_decimal(figures->error_percent, 1).text);
    default: /* BUSIEST */
        return tma_cell("%s %s %%", figures->busiest, tma_decimal(100 * figures->busy, 0).text);
    }
}

static void say_figures(const void *of, size_t row, struct tma_record *record) {
    const struct tma_sweep *sweep = of;
    const struct tma_sweep_row *item = &sweep->rows[row];
    const struct tma_sweep_figures *figures = &item->figures;
    tma_record_unsigned(record, "row", row + 1);
    tma_record_open(record, "set");
    for (size_t i = 0; i < sweep->column_count; i++)
        tma_record_setting(record, sweep->columns[i], item->values[i]);
    tma_record_close(record);
    tma_record_absent(record, item->failure != NULL);
    tma_record_unsigned(record, "cycles", figures->cycles);
    tma_record_decimal(record, "time_ns", figures->time_ns, 1, 6);
    tma_record_decimal(record, "gigabytes_per_second", figures->gigabytes_per_second, 1, 6);
    tma_record_decimal(record, "bytes_per_cycle_per_sm", figures->bytes_per_cycle_per_sm, 2, 6);
    tma_record_unsigned(record, "latency_cycles", figures->latency_cycles);
    tma_record_decimal(record, "l2_hit_fraction", figures->l2_hit_fraction, 3, 6);
    tma_record_unsigned(record, "dram_bytes", figures->dram_bytes);
    tma_record_unsigned(record, "excess_wavefronts", figures->excess_wavefronts);
    tma_record_decimal(record, "busy", figures->busy, 3, 6);
    tma_record_word(record, "busiest", figures->busiest);
    tma_record_bool(record, "timing_validated", figures->trust.validated);
    struct tma_json *json = tma_record_json(record);
    if (json != NULL)
        tma_json_bool(json, "timing_edited", figures->trust.edited);
    if (json != NULL && figures->trust.public_data)
        tma_json_bool(json, "timing_public", true);
    if (sweep->sampled) {
        tma_record_open(record, "sampled");
        tma_record_decimal(record, "simulated_percent", figures->simulated_percent, 1, 1);
        tma_record_decimal(record, "error_percent", figures->error_percent, 1, 1);
        tma_record_close(record);
    }
    tma_record_absent(record, false);
    tma_record_text(record, "error", item->failure);
}

/* The row with the fewest cycles, the first of several; NULL if no row has figures, or if the rows
 * are of several scenarios, which need not be about the same. */
static const struct tma_sweep_row *best_of(const struct tma_sweep *sweep) {
    const struct tma_sweep_row *best = NULL;
    for (size_t i = 0; i < sweep->row_count && sweep->scenario != NULL; i++) {
        const struct tma_sweep_row *row = &sweep->rows[i];
        if (row->done && row->failure == NULL &&
            (best == NULL || row->figures.cycles < best->figures.cycles))
            best = row;
    }
    return best;
}

static void write_best(const struct tma_sweep *sweep, void (*write)(const char *, FILE *),
                       FILE *out) {
    const struct tma_sweep_row *best = best_of(sweep);
    if (best == NULL)
        return;
    fprintf(out, "fewest cycles: row %zu", (size_t)(best - sweep->rows) + 1);
    for (size_t i = 0; i < sweep->column_count; i++)
        if (best->values[i] != NULL) {
            fputs(", ", out);
            write(sweep->columns[i], out);
            fputc('=', out);
            write(best->values[i], out);
        }
    fputc('\n', out);
}

/* The note of a row speaks for all: rows differ in it only if they set values of the machine. */
static void write_note(const struct tma_sweep *sweep, FILE *out) {
    for (size_t i = 0; i < sweep->row_count; i++) {
        const struct tma_sweep_row *row = &sweep->rows[i];
        if (!row->done || row->failure != NULL || row->figures.trust.validated)
            continue;
        fprintf(out, "row %zu%s\n", i + 1, tma_timing_note(&row->figures.trust));
        return;
    }
}

/* The best row, the notes on the timing, and how much an interrupt left out. */
static void write_end(const void *of, void (*write)(const char *, FILE *), FILE *out) {
    const struct tma_sweep *sweep = of;
    size_t done = 0, failed = 0;
    for (size_t i = 0; i < sweep->row_count; i++) {
        done += sweep->rows[i].done;
        failed += sweep->rows[i].done && sweep->rows[i].failure != NULL;
    }
    write_best(sweep, write, out);
    if (sweep->sampled && done > failed)
        fputs("sampled: the figures of a row are estimates from its simulated part; its cycles are "
              "within its error\n",
              out);
    write_note(sweep, out);
    if (failed > 0)
        fprintf(out, "%zu of %zu rows failed\n", failed, done);
    if (sweep->partial)
        fprintf(out, "partial: interrupted after %zu of %zu rows\n", done, sweep->row_count);
}

static struct tma_table_row row_of(const void *of, size_t row) {
    const struct tma_sweep *sweep = of;
    const struct tma_sweep_row *item = &sweep->rows[row];
    return (struct tma_table_row){.left_out = !item->done, .failure = item->failure};
}

static struct tma_table table_of(const struct tma_sweep *sweep) {
    const struct tma_sweep_row *best = best_of(sweep);
    return (struct tma_table){
        .of = sweep,
        .row_count = sweep->row_count,
        .column_count = 1 + sweep->column_count + CELLS - (sweep->sampled ? 0 : 2),
        .column = column_of,
        .cell = cell_of,
        .row = row_of,
        .failure_column = 1 + sweep->column_count,
        .best_row = best == NULL ? SIZE_MAX : (size_t)(best - sweep->rows),
        .title_label = "scenario  ",
        .title = sweep->scenario,
        .partial = sweep->partial,
        .figures = say_figures,
        .end = write_end,
    };
}

void tma_sweep_write(const struct tma_sweep *sweep, int format, FILE *out) {
    const struct tma_table table = table_of(sweep);
    tma_table_write(&table, format, out);
}

void tma_sweep_write_line(const struct tma_sweep *sweep, size_t row, FILE *out) {
    const struct tma_table table = table_of(sweep);
    tma_table_write_line(&table, row, out);
}
