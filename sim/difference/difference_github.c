/* Annotations of GitHub's workflows: an error for each figure that fails, a notice for each other
 * one that differs, and a notice with the totals. */
#include "difference/difference_cells.h"
#include "difference/difference_formats.h"
#include "report/escape.h"

static void begin(const char *level, const char *file, const char *title, FILE *out) {
    fprintf(out, "::%s ", level);
    if (file != NULL) {
        fputs("file=", out);
        tma_write_workflow(file, "%:,", out);
        fputc(',', out);
    }
    fputs("title=", out);
    tma_write_workflow(title, "%:,", out);
    fputs("::", out);
}

void tma_difference_write_github(const struct tma_difference *difference, FILE *out) {
    for (size_t i = 0; i < difference->row_count; i++) {
        const struct tma_difference_row *row = &difference->rows[i];
        for (size_t v = 0; v < difference->variant_count; v++) {
            const struct tma_difference_value *value = &row->values[v];
            if (!value->failed && !value->differs)
                continue;
            begin(value->failed ? "error" : "notice",
                  difference->cases_are_files ? row->case_name : difference->variants[v].name,
                  difference->title, out);
            if (row->case_name[0] != '\0' && !difference->cases_are_files) {
                tma_write_workflow(row->case_name, "%", out);
                fputs(": ", out);
            }
            tma_write_workflow(tma_difference_sentence_of(row, value).text, "%", out);
            fputc('\n', out);
        }
    }
    begin("notice", NULL, difference->title, out);
    tma_write_workflow(tma_difference_total(difference).text, "%", out);
    fputc('\n', out);
}
