#include <string.h>

#include "base/printable.h"
#include "difference/difference_cells.h"
#include "difference/difference_formats.h"

enum { MOST_WIDTH = 60, LONGEST_HEADING = 30, MOST_VARIANTS_WIDE = 64 };

static int wider(int width, const char *text) {
    size_t length = strlen(text);
    if (length > MOST_WIDTH)
        length = MOST_WIDTH;
    return (int)length > width ? (int)length : width;
}

static void write_padded(const char *text, int width, FILE *out) {
    size_t length = strlen(text);
    fputs("  ", out);
    fprintf(out, "%*s", length < (size_t)width ? width - (int)length : 0, "");
    tma_write_printable(text, out);
}

struct difference_widths {
    int name, base, variants[MOST_VARIANTS_WIDE];
    bool numbered; /* long names stand above the table, and numbers in its head */
};

/* What heads a column: the name of a variant, or its number, from 1. */
static struct tma_difference_cell heading_of(const struct tma_variant *variant, size_t number,
                                             bool numbered) {
    struct tma_difference_cell heading;
    if (numbered && number == 0)
        snprintf(heading.text, sizeof heading.text, "base");
    else if (numbered)
        snprintf(heading.text, sizeof heading.text, "%zu", number);
    else
        snprintf(heading.text, sizeof heading.text, "%.120s", variant->name);
    return heading;
}

static bool needs_numbers(const struct tma_difference *difference) {
    bool numbered = strlen(difference->base->name) > LONGEST_HEADING;
    for (size_t v = 0; v < difference->variant_count; v++)
        numbered |= strlen(difference->variants[v].name) > LONGEST_HEADING;
    return numbered;
}

static int *width_of(struct difference_widths *widths, size_t variant) {
    return &widths->variants[variant < MOST_VARIANTS_WIDE ? variant : MOST_VARIANTS_WIDE - 1];
}

static struct tma_difference_cell cell_of(const struct tma_difference_row *row, size_t variant) {
    return tma_difference_change_cell(row->base, row->values[variant].measure);
}

static struct difference_widths widths_of(const struct tma_difference *difference) {
    struct difference_widths widths = {.name = (int)strlen("figure"),
                                       .numbered = needs_numbers(difference)};
    widths.base = wider(0, heading_of(difference->base, 0, widths.numbered).text);
    for (size_t v = 0; v < difference->variant_count; v++)
        *width_of(&widths, v) =
            wider(*width_of(&widths, v),
                  heading_of(&difference->variants[v], v + 1, widths.numbered).text);
    for (size_t i = 0; i < difference->row_count; i++) {
        const struct tma_difference_row *row = &difference->rows[i];
        widths.name = wider(widths.name, row->name);
        widths.base = wider(widths.base, tma_difference_value_cell(row->base).text);
        for (size_t v = 0; v < difference->variant_count; v++)
            *width_of(&widths, v) = wider(*width_of(&widths, v), cell_of(row, v).text);
    }
    return widths;
}

static void write_head(const struct tma_difference *difference, struct difference_widths *widths,
                       FILE *out) {
    fprintf(out, "%-*s", widths->name, "figure");
    write_padded(heading_of(difference->base, 0, widths->numbered).text, widths->base, out);
    for (size_t v = 0; v < difference->variant_count; v++)
        write_padded(heading_of(&difference->variants[v], v + 1, widths->numbered).text,
                     *width_of(widths, v), out);
    fputc('\n', out);
}

static void write_row(const struct tma_difference *difference, const struct tma_difference_row *row,
                      struct difference_widths *widths, FILE *out) {
    size_t length = strlen(row->name);
    bool failed = false;
    tma_write_printable(row->name, out);
    fprintf(out, "%*s", length < (size_t)widths->name ? widths->name - (int)length : 0, "");
    write_padded(tma_difference_value_cell(row->base).text, widths->base, out);
    for (size_t v = 0; v < difference->variant_count; v++) {
        write_padded(cell_of(row, v).text, *width_of(widths, v), out);
        if (!row->values[v].failed || row->values[v].condition == NULL)
            continue;
        fputs(failed ? ", " : "  <- ", out);
        tma_write_printable(row->values[v].condition->text, out);
        failed = true;
    }
    fputc('\n', out);
}

void tma_difference_write_text(const struct tma_difference *difference, FILE *out) {
    struct difference_widths widths = widths_of(difference);
    const char *case_name = "";
    fputs(widths.numbered ? "base       " : "base     ", out);
    tma_difference_write_origin(difference->base, tma_write_printable, out);
    for (size_t v = 0; v < difference->variant_count; v++) {
        if (widths.numbered)
            fprintf(out, "\nvariant %-2zu ", v + 1);
        else
            fputs("\nvariant  ", out);
        tma_difference_write_origin(&difference->variants[v], tma_write_printable, out);
    }
    fputs("\n\n", out);
    if (difference->row_count > 0)
        write_head(difference, &widths, out);
    for (size_t i = 0; i < difference->row_count; i++) {
        const struct tma_difference_row *row = &difference->rows[i];
        if (strcmp(row->case_name, case_name) != 0) {
            case_name = row->case_name;
            fputc('\n', out);
            tma_write_printable(case_name, out);
            fputs(":\n", out);
        }
        write_row(difference, row, &widths, out);
    }
    fprintf(out, "%s%s\n", difference->row_count > 0 ? "\n" : "",
            tma_difference_total(difference).text);
}
