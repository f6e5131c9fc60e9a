#include "report/tune_cells.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/labels.h"

const char *const tma_tune_headings[TMA_TUNE_CELLS] = {
    "cycles", "us", "ratio", "found", "busiest", "longest wait",
};

const char *tma_tune_found_text(const struct tma_tune_row *row) {
    static const char *const texts[TMA_TUNE_FOUND_COUNT] = {
#define TEXT(name, text) [name] = text,
        TMA_TUNE_FOUND(TEXT)
#undef TEXT
    };
    return row->sampled ? "sampled" : texts[row->found];
}

/* "~" stands before an estimate, ">=" before a bound. */
static const char *sign(const struct tma_tune_row *row) {
    return row->found == TMA_TUNE_ESTIMATED ? "~" : row->found == TMA_TUNE_BOUND ? ">=" : "";
}

struct tma_tune_cells tma_tune_cells_of(const struct tma_tune_row *row) {
    struct tma_tune_cells cells = {.text = {{0}}};
    snprintf(cells.text[0], TMA_TUNE_CELL_BYTES, "%s%" PRIu64, sign(row), row->cycles);
    snprintf(cells.text[1], TMA_TUNE_CELL_BYTES, "%s%s", sign(row),
             tma_decimal(row->time_ns / 1000, 1).text);
    snprintf(cells.text[2], TMA_TUNE_CELL_BYTES, "%s%s", sign(row),
             tma_decimal(row->ratio, 3).text);
    snprintf(cells.text[3], TMA_TUNE_CELL_BYTES, "%s%s", tma_tune_found_text(row),
             row->same ? " =" : "");
    if (row->found == TMA_TUNE_SIMULATED) {
        snprintf(cells.text[4], TMA_TUNE_CELL_BYTES, "%s %s %%", row->limiter.busiest,
                 tma_decimal(100 * row->limiter.busy, 0).text);
        snprintf(cells.text[5], TMA_TUNE_CELL_BYTES, "%s%s%s %s %%", row->limiter.wait,
                 row->limiter.ring[0] == '\0' ? "" : " ", row->limiter.ring,
                 tma_decimal(100 * row->limiter.waited, 0).text);
    }
    return cells;
}

static void write_counts(const struct tma_tune *tune, FILE *out) {
    size_t counts[TMA_TUNE_FOUND_COUNT] = {0};
    const char *between = ": ";
    for (size_t i = 0; i < tune->row_count; i++)
        counts[tune->rows[i].found]++;
    fprintf(out, "%zu combination%s", tune->row_count, tune->row_count == 1 ? "" : "s");
    static const char *const texts[TMA_TUNE_FOUND_COUNT] = {
        [TMA_TUNE_SIMULATED] = "simulated",
        [TMA_TUNE_ESTIMATED] = "estimated",
        [TMA_TUNE_BOUND] = "ruled out by a lower bound",
        [TMA_TUNE_ILLEGAL] = "illegal",
        [TMA_TUNE_MISSING] = "missing",
    };
    for (int i = 0; i < TMA_TUNE_FOUND_COUNT; i++)
        if (counts[i] > 0) {
            fprintf(out, "%s%zu %s", between, counts[i], texts[i]);
            between = ", ";
        }
    fputc('\n', out);
    if (counts[TMA_TUNE_ESTIMATED] > 0)
        fputs("~: an estimate from the first part of the run, in which it was too slow to win; "
              "--exact simulates it whole\n",
              out);
    if (counts[TMA_TUNE_BOUND] > 0)
        fputs(">=: a lower bound of the time, which is above the best time; not simulated to its "
              "end\n",
              out);
}

/* Sampled rows say so themselves; the largest of their errors is in the last line. */
static void write_sampled(const struct tma_tune *tune, FILE *out) {
    double most = 0;
    size_t sampled = 0;
    for (size_t i = 0; i < tune->row_count; i++) {
        const struct tma_tune_row *row = &tune->rows[i];
        sampled += row->sampled;
        most = row->error_percent > most ? row->error_percent : most;
    }
    if (sampled > 0)
        fprintf(out, "sampled: simulated in part; these times may be off by up to %s %%\n",
                tma_decimal(most, 1).text);
}

static void write_same(const struct tma_tune *tune, FILE *out) {
    size_t same = 0;
    if (tune->draws == 0 || tune->rows[0].found != TMA_TUNE_SIMULATED)
        return;
    for (size_t i = 1; i < tune->row_count; i++)
        same += tune->rows[i].same;
    fprintf(out,
            "=: within %" PRIu32 " further draw%s of what differs between launches the same "
            "as the best: %zu other%s\n",
            tune->draws, tune->draws == 1 ? "" : "s", same, same == 1 ? "" : "s");
}

/* What differs by less than the model's mean error over kernels of the library
 * (docs/fidelity-library.md) may be the other way round on a GPU. */
#define MODEL_ERROR 0.04

static void write_close(const struct tma_tune *tune, FILE *out) {
    size_t close = 0;
    if (tune->rows[0].found != TMA_TUNE_SIMULATED || !tune->rows[0].timing_validated)
        return;
    for (size_t i = 1; i < tune->row_count; i++)
        if (tune->rows[i].found == TMA_TUNE_SIMULATED && tune->rows[i].ratio < 1 + MODEL_ERROR)
            close = i;
    if (close > 0)
        fprintf(out,
                "ranks 1 to %zu lie within 4 %%, the model's mean error: measure them, as their "
                "order is not sure\n",
                close + 1);
}

/* Where another combination is the fastest at another clock. */
static void write_clocks(const struct tma_tune *tune, FILE *out) {
    static const char *const phrases[TMA_SM_CLOCK_COUNT] = {[TMA_SM_SINGLE] = "as a single launch",
                                                            [TMA_SM_BOOST] = "at boost",
                                                            [TMA_SM_SUSTAINED] =
                                                                "in launches without a pause"};
    for (int i = 0; i < TMA_SM_CLOCK_COUNT; i++) {
        const struct tma_tune_row *row = tune->best_at[i];
        if (row != NULL)
            fprintf(out, "%s rank %zu is the fastest: %s us, where rank 1 takes %s us\n",
                    phrases[i], (size_t)(row - tune->rows) + 1,
                    tma_decimal(row->clock_ns[i] / 1000, 2).text,
                    tma_decimal(tune->rows[0].clock_ns[i] / 1000, 2).text);
    }
}

void tma_tune_write_end(const struct tma_tune *tune, FILE *out) {
    write_counts(tune, out);
    write_sampled(tune, out);
    write_same(tune, out);
    write_close(tune, out);
    write_clocks(tune, out);
    if (tune->rows[0].found == TMA_TUNE_SIMULATED && !tune->rows[0].timing_validated)
        fprintf(out, "the times%s\n",
                tma_timing_note(false, tune->rows[0].timing_edited, tune->rows[0].timing_public));
    if (tune->partial)
        fputs("partial: interrupted\n", out);
}
