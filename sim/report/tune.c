#include "report/tune.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "report/clock_figures.h"
#include "report/decimal.h"
#include "report/figures.h"
#include "report/labels.h"

/* Whether a role works for this time, and does not wait. */
static bool is_work(int cause) {
    return cause == TMA_ROLE_COMPUTE || cause == TMA_ROLE_PRODUCTS || cause == TMA_ROLE_SHARED;
}

/* The role that computes longest, the first one by name of several: the one whose waits cost time.
 */
static uint32_t computing_role(const struct tma_kernel *kernel, const struct tma_result *result) {
    uint32_t order[TMA_MAX_ROLES], best;
    uint64_t most = 0;
    tma_kernel_role_order(kernel, order);
    best = order[0];
    for (uint32_t n = 0; n < kernel->role_count; n++) {
        uint32_t r = order[n];
        uint64_t work = 0;
        for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++)
            work += is_work(i) ? result->role_cycles[r][i] : 0;
        best = work > most ? r : best;
        most = work > most ? work : most;
    }
    return best;
}

struct tma_tune_limiter tma_tune_limiter_of(const struct tma_report_input *input) {
    struct tma_tune_limiter limiter = {.ring = ""};
    uint32_t ring = 0;
    struct tma_busy busiest = tma_busiest_of(input->result);
    int wait = TMA_ROLE_FULL;
    uint32_t role = computing_role(input->kernel, input->result);
    const uint64_t *cycles = input->result->role_cycles[role],
                   *rings = input->result->ring_cycles[role];
    uint64_t total = 0;
    for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++) {
        total += cycles[i];
        if (!is_work(i) && cycles[i] > cycles[wait])
            wait = i;
    }
    snprintf(limiter.busiest, sizeof limiter.busiest, "%s", busiest.key);
    snprintf(limiter.wait, sizeof limiter.wait, "%s",
             tma_role_cause_key((enum tma_role_cause)wait));
    for (uint32_t i = 1; i < input->kernel->ring_count; i++)
        if (rings[i] > rings[ring] ||
            (rings[i] == rings[ring] &&
             strcmp(input->kernel->rings[i].name, input->kernel->rings[ring].name) < 0))
            ring = i;
    if ((wait == TMA_ROLE_FULL || wait == TMA_ROLE_EMPTY) && input->kernel->ring_count > 0)
        snprintf(limiter.ring, sizeof limiter.ring, "%s", input->kernel->rings[ring].name);
    limiter.busy = busiest.fraction;
    limiter.waited = tma_ratio((double)cycles[wait], (double)total);
    return limiter;
}

/* Times, estimates and bounds are one group. */
static int group(const struct tma_tune_row *row) {
    bool timed = row->found == TMA_TUNE_ESTIMATED || row->found == TMA_TUNE_BOUND;
    return timed ? TMA_TUNE_SIMULATED : (int)row->found;
}

static int compare(const void *first, const void *second) {
    const struct tma_tune_row *a = first, *b = second;
    if (group(a) != group(b))
        return group(a) < group(b) ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->found != b->found)
        return a->found < b->found ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static void find_best_at(struct tma_tune *tune) {
    for (int clock = 0; clock < TMA_SM_CLOCK_COUNT; clock++) {
        const struct tma_tune_row *best = &tune->rows[0];
        for (size_t i = 1; i < tune->row_count; i++) {
            const struct tma_tune_row *row = &tune->rows[i];
            if (group(row) == TMA_TUNE_SIMULATED && row->clock_ns[clock] > 0 &&
                row->clock_ns[clock] < best->clock_ns[clock])
                best = row;
        }
        tune->best_at[clock] = best == &tune->rows[0] ? NULL : best;
    }
}

void tma_tune_rank(struct tma_tune *tune) {
    if (tune->row_count == 0)
        return;
    qsort(tune->rows, tune->row_count, sizeof *tune->rows, compare);
    const struct tma_tune_row *best = &tune->rows[0];
    bool is_timed = best->found == TMA_TUNE_SIMULATED || best->found == TMA_TUNE_ESTIMATED;
    if (!is_timed || !(best->time_ns > 0))
        return;
    find_best_at(tune);
    for (size_t i = 0; i < tune->row_count; i++) {
        struct tma_tune_row *row = &tune->rows[i];
        row->ratio = row->time_ns / best->time_ns;
        row->same = i == 0 || (row->found == TMA_TUNE_SIMULATED && row->most_ns > 0 &&
                               row->least_ns <= best->most_ns);
    }
}

/* The ranked table of a tuner. */

/* "simulated", ... */
static const char *found_text(const struct tma_tune_row *row) {
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

/* The cells behind the rank, the kernel where there are several, and the settings. */
enum { CYCLES, TIME, RATIO, FOUND, BUSIEST, WAIT, CELLS };

static const char *const headings[CELLS] = {"cycles", "us",      "ratio",
                                            "found",  "busiest", "longest wait"};

static size_t first_setting(const struct tma_tune *tune) {
    return tune->several_kernels ? 2 : 1;
}

static struct tma_table_column column_of(const void *of, size_t column) {
    const struct tma_tune *tune = of;
    size_t first = first_setting(tune), setting = column - first;
    if (column == 0)
        return (struct tma_table_column){tma_cell("rank"), false, 5};
    if (column < first)
        return (struct tma_table_column){tma_cell("kernel"), true, 0};
    if (setting < tune->column_count)
        return (struct tma_table_column){
            tma_outside_cell(tma_setting_label(tune->columns, tune->column_count, setting)), true,
            3};
    size_t cell = setting - tune->column_count;
    return (struct tma_table_column){tma_cell("%s", headings[cell]), cell >= FOUND, 0};
}

static struct tma_cell cell_of(const void *of, size_t rank, size_t column) {
    const struct tma_tune *tune = of;
    const struct tma_tune_row *row = &tune->rows[rank];
    const struct tma_tune_limiter *limiter = &row->limiter;
    size_t first = first_setting(tune), setting = column - first;
    if (column == 0)
        return row->found == TMA_TUNE_ILLEGAL ? tma_cell("-") : tma_cell("%zu", rank + 1);
    if (column < first)
        return tma_outside_cell(row->kernel);
    if (setting < tune->column_count)
        return tma_outside_cell(row->values[setting]);
    switch (setting - tune->column_count) {
    case CYCLES:
        return tma_cell("%s%" PRIu64, sign(row), row->cycles);
    case TIME:
        return tma_cell("%s%s", sign(row), tma_decimal(row->time_ns / 1000, 1).text);
    case RATIO:
        return tma_cell("%s%s", sign(row), tma_decimal(row->ratio, 3).text);
    case FOUND:
        return tma_cell("%s%s", found_text(row), row->same ? " =" : "");
    case BUSIEST:
        return row->found != TMA_TUNE_SIMULATED
                   ? tma_cell("%s", "")
                   : tma_cell("%s %s %%", limiter->busiest,
                              tma_decimal(100 * limiter->busy, 0).text);
    default: /* WAIT */
        return row->found != TMA_TUNE_SIMULATED
                   ? tma_cell("%s", "")
                   : tma_cell("%s%s%s %s %%", limiter->wait, limiter->ring[0] == '\0' ? "" : " ",
                              limiter->ring, tma_decimal(100 * limiter->waited, 0).text);
    }
}

static struct tma_table_row row_of(const void *of, size_t rank) {
    const struct tma_tune_row *row = &((const struct tma_tune *)of)->rows[rank];
    return (struct tma_table_row){.left_out = row->found == TMA_TUNE_MISSING,
                                  .failure = row->found == TMA_TUNE_ILLEGAL ? row->failure : NULL};
}

static void say_clocks(const struct tma_tune_row *row, struct tma_json *json) {
    for (int i = 0; json != NULL && row->clock_ns[0] > 0 && i < TMA_SM_CLOCK_COUNT; i++) {
        char key[32];
        snprintf(key, sizeof key, "%s_ns", tma_sm_clock_keys[i]);
        tma_json_decimal(json, key, row->clock_ns[i], 6);
    }
}

/* What only a run shows. */
static void say_run(const struct tma_tune_row *row, struct tma_record *record) {
    const struct tma_tune_limiter *limiter = &row->limiter;
    struct tma_json *json = tma_record_json(record);
    if (json != NULL && row->sampled)
        tma_json_decimal(json, "error_percent", row->error_percent, 6);
    tma_record_word(record, "busiest", limiter->busiest);
    tma_record_decimal(record, "busy", limiter->busy, 3, 6);
    tma_record_word(record, "longest_wait", limiter->wait);
    if (json != NULL && limiter->ring[0] != '\0')
        tma_json_string(json, "ring", limiter->ring);
    tma_record_decimal(record, "waited", limiter->waited, 3, 6);
    if (json != NULL)
        tma_timing_write_json(&row->trust, json);
}

static void say_figures(const void *of, size_t rank, struct tma_record *record) {
    const struct tma_tune *tune = of;
    const struct tma_tune_row *row = &tune->rows[rank];
    bool illegal = row->found == TMA_TUNE_ILLEGAL;
    tma_record_absent(record, illegal);
    tma_record_unsigned(record, "rank", rank + 1);
    tma_record_absent(record, false);
    tma_record_text(record, "kernel", row->kernel);
    tma_record_open(record, "set");
    for (size_t i = 0; i < tune->column_count; i++)
        tma_record_setting(record, tune->columns[i], row->values[i]);
    tma_record_close(record);
    tma_record_word(record, "found", found_text(row));
    tma_record_absent(record, illegal);
    tma_record_unsigned(record, "cycles", row->cycles);
    tma_record_decimal(record, "time_ns", row->time_ns, 1, 6);
    tma_record_decimal(record, "ratio", row->ratio, 4, 6);
    say_clocks(row, tma_record_json(record));
    tma_record_unsigned(record, "bound_cycles", row->bound_cycles);
    tma_record_absent(record, illegal || !(row->most_ns > 0));
    tma_record_decimal(record, "least_ns", row->least_ns, 1, 6);
    tma_record_decimal(record, "most_ns", row->most_ns, 1, 6);
    tma_record_absent(record, illegal);
    tma_record_bool(record, "same_as_best", row->same);
    tma_record_absent(record, row->found != TMA_TUNE_SIMULATED);
    say_run(row, record);
    tma_record_absent(record, false);
    tma_record_text(record, "error", illegal ? row->failure : NULL);
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
    if (tune->rows[0].found != TMA_TUNE_SIMULATED || !tune->rows[0].trust.validated)
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

/* How the times were found, which are the same as the best, and the notes on the timing. */
static void write_end(const void *of, void (*write)(const char *, FILE *), FILE *out) {
    const struct tma_tune *tune = of;
    (void)write;
    write_counts(tune, out);
    write_sampled(tune, out);
    write_same(tune, out);
    write_close(tune, out);
    write_clocks(tune, out);
    if (tune->rows[0].found == TMA_TUNE_SIMULATED && !tune->rows[0].trust.validated)
        fprintf(out, "rank 1%s\n", tma_timing_note(&tune->rows[0].trust));
    if (tune->partial)
        fputs("partial: interrupted\n", out);
}

void tma_tune_write(const struct tma_tune *tune, int format, FILE *out) {
    const struct tma_table table = {
        .of = tune,
        .row_count = tune->row_count,
        .column_count = first_setting(tune) + tune->column_count + CELLS,
        .column = column_of,
        .cell = cell_of,
        .row = row_of,
        .failure_column = first_setting(tune) + tune->column_count,
        .best_row = tune->rows[0].found == TMA_TUNE_SIMULATED ? 0 : SIZE_MAX,
        .title_label = "kernel  ",
        .title = tune->several_kernels ? NULL : tune->rows[0].kernel,
        .partial = tune->partial,
        .figures = say_figures,
        .end = write_end,
    };
    tma_table_write(&table, format, out);
}
