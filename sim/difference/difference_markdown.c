/* Markdown for the comment on a pull request. */
#include "difference/difference_cells.h"
#include "difference/difference_formats.h"
#include "report/escape.h"

static void write_head(const struct tma_difference *difference, bool has_cases, FILE *out) {
    fputs(has_cases ? "| run | figure |" : "| figure |", out);
    for (size_t v = 0; v <= difference->variant_count; v++) {
        fputc(' ', out);
        tma_write_markdown(v == 0 ? difference->base->name : difference->variants[v - 1].name, out);
        fputs(" |", out);
    }
    fputs(has_cases ? "\n| --- | --- |" : "\n| --- |", out);
    for (size_t v = 0; v <= difference->variant_count; v++)
        fputs(" ---: |", out);
    fputc('\n', out);
}

/* A figure that fails is bold. */
static void write_cell(const char *text, bool bold, FILE *out) {
    fputs(bold ? " **" : " ", out);
    tma_write_markdown(text, out);
    fputs(bold ? "** |" : " |", out);
}

static void write_row(const struct tma_difference *difference, const struct tma_difference_row *row,
                      bool has_cases, FILE *out) {
    bool failed = false;
    for (size_t v = 0; v < difference->variant_count; v++)
        failed |= row->values[v].failed;
    fputc('|', out);
    if (has_cases)
        write_cell(row->case_name, false, out);
    write_cell(row->name, failed, out);
    write_cell(tma_difference_value_cell(row->base).text, false, out);
    for (size_t v = 0; v < difference->variant_count; v++)
        write_cell(tma_difference_change_cell(row->base, row->values[v].measure).text,
                   row->values[v].failed, out);
    fputc('\n', out);
}

void tma_difference_write_markdown(const struct tma_difference *difference, FILE *out) {
    bool has_cases = false;
    for (size_t i = 0; i < difference->row_count; i++)
        has_cases |= difference->rows[i].case_name[0] != '\0';
    fprintf(out, "**%s**\n\n", tma_difference_total(difference).text);
    if (difference->row_count > 0) {
        write_head(difference, has_cases, out);
        for (size_t i = 0; i < difference->row_count; i++)
            write_row(difference, &difference->rows[i], has_cases, out);
        fputc('\n', out);
    }
    for (size_t v = 0; v <= difference->variant_count; v++) {
        fputs(v == 0 ? "- base: " : "- variant: ", out);
        tma_difference_write_origin(v == 0 ? difference->base : &difference->variants[v - 1],
                                    tma_write_markdown, out);
        fputc('\n', out);
    }
}
