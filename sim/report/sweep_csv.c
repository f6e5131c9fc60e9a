/* CSV (RFC 4180): a line for each row, without the rows that an interrupt left out. */
#include <inttypes.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/sweep_formats.h"

static void write_figures(const struct tma_sweep_figures *figures, bool sampled, FILE *out) {
#define NUMBER(member, digits)                                                                     \
    fprintf(out, ",%s", tma_decimal((double)figures->member, digits).text);
    TMA_SWEEP_NUMBERS(NUMBER)
    fprintf(out, ",%s,%s", figures->busiest, figures->timing_validated ? "true" : "false");
    if (sampled) {
        TMA_SWEEP_SAMPLED_NUMBERS(NUMBER)
    }
#undef NUMBER
    fputc(',', out);
}

static void write_row(const struct tma_sweep *sweep, size_t row, FILE *out) {
    const struct tma_sweep_row *item = &sweep->rows[row];
    fprintf(out, "%zu", row + 1);
    for (size_t i = 0; i < sweep->column_count; i++) {
        fputc(',', out);
        if (item->values[i] != NULL)
            tma_write_csv(item->values[i], out);
    }
    if (item->failure == NULL) {
        write_figures(&item->figures, sweep->sampled, out);
    } else {
#define EMPTY(member, digits) fputc(',', out);
        TMA_SWEEP_NUMBERS(EMPTY)
        fputs(",,", out);
        if (sweep->sampled) {
            TMA_SWEEP_SAMPLED_NUMBERS(EMPTY)
        }
#undef EMPTY
        fputc(',', out);
        tma_write_csv(item->failure, out);
    }
    fputc('\n', out);
}

void tma_sweep_write_csv(const struct tma_sweep *sweep, FILE *out) {
    fputs("row", out);
    for (size_t i = 0; i < sweep->column_count; i++) {
        fputc(',', out);
        tma_write_csv(sweep->columns[i], out);
    }
#define HEADER(member, digits) fputs("," #member, out);
    TMA_SWEEP_NUMBERS(HEADER)
    fputs(",busiest,timing_validated", out);
    if (sweep->sampled) {
        TMA_SWEEP_SAMPLED_NUMBERS(HEADER)
    }
#undef HEADER
    fputs(",error\n", out);
    for (size_t i = 0; i < sweep->row_count; i++)
        if (sweep->rows[i].done)
            write_row(sweep, i, out);
}
