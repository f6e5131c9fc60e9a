/* Annotations of GitHub's workflows: an error for each figure that fails, a notice for each other
 * one that differs, and a notice with the totals. */
#include <string.h>

#include "base/printable.h"
#include "difference/difference_cells.h"
#include "difference/difference_formats.h"

/* The characters that a workflow command gives a meaning to become %XX. */
static void write_escaped(const char *text, const char *special, FILE *out) {
    while (*text != '\0')
        if (strchr(special, *text) != NULL)
            fprintf(out, "%%%02X", (unsigned)(unsigned char)*text++);
        else
            text += tma_write_printable_character(text, out);
}

static void begin(const char *level, const char *file, const char *title, FILE *out) {
    fprintf(out, "::%s ", level);
    if (file != NULL) {
        fputs("file=", out);
        write_escaped(file, "%:,", out);
        fputc(',', out);
    }
    fputs("title=", out);
    write_escaped(title, "%:,", out);
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
                write_escaped(row->case_name, "%", out);
                fputs(": ", out);
            }
            write_escaped(tma_difference_sentence_of(row, value).text, "%", out);
            fputc('\n', out);
        }
    }
    begin("notice", NULL, difference->title, out);
    write_escaped(tma_difference_total(difference).text, "%", out);
    fputc('\n', out);
}
