/* CSV (RFC 4180): a line for each combination, without those that an interrupt left out. */
#include <inttypes.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/tune_cells.h"
#include "report/tune_formats.h"

static void write_figures(const struct tma_tune_row *row, FILE *out) {
    fprintf(out, ",%" PRIu64, row->cycles);
    fprintf(out, ",%s", tma_decimal(row->time_ns, 1).text);
    fprintf(out, ",%s", tma_decimal(row->ratio, 4).text);
    fprintf(out, ",%" PRIu64, row->bound_cycles);
}

static void write_draws(const struct tma_tune_row *row, FILE *out) {
    if (row->most_ns > 0) {
        fprintf(out, ",%s", tma_decimal(row->least_ns, 1).text);
        fprintf(out, ",%s", tma_decimal(row->most_ns, 1).text);
    } else {
        fputs(",,", out);
    }
    fprintf(out, ",%s", row->same ? "true" : "false");
}

static void write_limiter(const struct tma_tune_row *row, FILE *out) {
    const struct tma_tune_limiter *limiter = &row->limiter;
    fprintf(out, ",%s", limiter->busiest);
    fprintf(out, ",%s", tma_decimal(limiter->busy, 3).text);
    fprintf(out, ",%s", limiter->wait);
    fprintf(out, ",%s", tma_decimal(limiter->waited, 3).text);
}

static void write_row(const struct tma_tune *tune, size_t rank, FILE *out) {
    const struct tma_tune_row *row = &tune->rows[rank];
    bool illegal = row->found == TMA_TUNE_ILLEGAL;
    if (!illegal)
        fprintf(out, "%zu", rank + 1);
    fputc(',', out);
    tma_write_csv(row->kernel, out);
    for (size_t i = 0; i < tune->column_count; i++) {
        fputc(',', out);
        if (row->values[i] != NULL)
            tma_write_csv(row->values[i], out);
    }
    fprintf(out, ",%s", tma_tune_found_text(row));
    if (illegal) {
        fputs(",,,,,,,,,,,,", out);
        tma_write_csv(row->failure, out);
    } else {
        write_figures(row, out);
        write_draws(row, out);
        if (row->found == TMA_TUNE_SIMULATED)
            write_limiter(row, out);
        else
            fputs(",,,,", out);
        fputc(',', out);
    }
    fputc('\n', out);
}

void tma_tune_write_csv(const struct tma_tune *tune, FILE *out) {
    fputs("rank,kernel", out);
    for (size_t i = 0; i < tune->column_count; i++) {
        fputc(',', out);
        tma_write_csv(tune->columns[i], out);
    }
    fputs(",found,cycles,time_ns,ratio,bound_cycles,least_ns,most_ns,same_as_best,busiest,busy,"
          "longest_wait,waited,error\n",
          out);
    for (size_t i = 0; i < tune->row_count; i++)
        if (tune->rows[i].found != TMA_TUNE_MISSING)
            write_row(tune, i, out);
}
