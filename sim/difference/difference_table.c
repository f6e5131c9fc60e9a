/* Comparisons for people, as text and as Markdown for the comment on a pull request. */
#include <math.h>
#include <string.h>

#include "base/printable.h"
#include "difference/difference_formats.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/table.h"

/* "-" where there is no value. */
static struct tma_cell value_cell(const struct tma_measure *measure) {
    return tma_cell("%.120s", measure == NULL ? "-" : measure->text);
}

/* "+3.9 %"; "" where a value is no number, or does not change. Of 0 there is no percentage: then
 * the change itself. */
static struct tma_decimal change_of(const struct tma_measure *base, const struct tma_measure *value,
                                    const char **unit) {
    struct tma_decimal none = {""};
    if (base == NULL || value == NULL || !base->is_number || !value->is_number ||
        value->number == base->number)
        return none;
    double change = value->number - base->number;
    *unit = base->number == 0 ? "" : " %";
    if (base->number != 0)
        return tma_decimal(100 * change / fabs(base->number),
                           fabs(change) < 0.0095 * fabs(base->number) ? 2 : 1);
    return tma_decimal(change, fabs(change) < 1 ? 6 : 0);
}

/* A value and how it changed: "6700 (+3.9 %)". */
static struct tma_cell change_cell(const struct tma_measure *base,
                                   const struct tma_measure *value) {
    struct tma_cell cell = value_cell(value);
    const char *unit = "";
    struct tma_decimal change = change_of(base, value, &unit);
    if (change.text[0] == '\0')
        return cell;
    return tma_cell("%s (%s%s%s)", cell.own, change.text[0] == '-' ? "" : "+", change.text, unit);
}

struct tma_difference_sentence
tma_difference_sentence_of(const struct tma_difference_row *row,
                           const struct tma_difference_value *value) {
    struct tma_difference_sentence sentence;
    struct tma_cell base = value_cell(row->base), now = change_cell(row->base, value->measure);
    snprintf(sentence.text, sizeof sentence.text, "%.120s %s -> %s%s%.120s", row->name, base.own,
             now.own, value->condition == NULL ? "" : ", fails if ",
             value->condition == NULL ? "" : value->condition->text);
    return sentence;
}

struct tma_difference_sentence tma_difference_total(const struct tma_difference *difference) {
    struct tma_difference_sentence sentence;
    if (difference->different == 0 && difference->failed == 0)
        snprintf(sentence.text, sizeof sentence.text, "same: %zu figure%s", difference->compared,
                 difference->compared == 1 ? "" : "s");
    else
        snprintf(sentence.text, sizeof sentence.text, "%zu of %zu figures differ, %zu fail%s",
                 difference->different, difference->compared, difference->failed,
                 difference->failed == 1 ? "s" : "");
    return sentence;
}

/* What a variant is: "b.json (tmasim 0.1.0, machine 4082df1b0b68cc0d, scenario 2119b0d027093d52)".
 */
static void write_origin(const struct tma_variant *variant, void (*write)(const char *, FILE *),
                         FILE *out) {
    const char *const labels[] = {"tmasim ", "machine ", "scenario "};
    const char *const values[] = {variant->version, variant->machine, variant->scenario};
    bool opened = false;
    write(variant->name, out);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        if (values[i][0] == '\0')
            continue;
        fputs(opened ? ", " : " (", out);
        fputs(labels[i], out);
        write(values[i], out);
        opened = true;
    }
    if (variant->partial)
        fputs(opened ? ", partial" : " (partial", out);
    if (opened || variant->partial)
        fputc(')', out);
}

/* The columns are the figure, the base and the variants; in Markdown the run comes first, where
 * there is more than one. In text the runs stand between the rows, and long names above the table,
 * with numbers in its head. */
struct difference_table {
    const struct tma_difference *difference;
    bool has_runs, numbered;
};

static struct tma_table_column column_of(const void *of, size_t column) {
    const struct difference_table *table = of;
    size_t place = column + !table->has_runs; /* 2: the base; then the variants */
    if (place < 2)
        return (struct tma_table_column){tma_cell(place == 0 ? "run" : "figure"), true, 0};
    const struct tma_difference *difference = table->difference;
    if (table->numbered)
        return (struct tma_table_column){place == 2 ? tma_cell("base") : tma_cell("%zu", place - 2),
                                         false, 0};
    return (struct tma_table_column){tma_outside_cell(place == 2
                                                          ? difference->base->name
                                                          : difference->variants[place - 3].name),
                                     false, 0};
}

static struct tma_cell cell_of(const void *of, size_t index, size_t column) {
    const struct difference_table *table = of;
    const struct tma_difference_row *row = &table->difference->rows[index];
    size_t place = column + !table->has_runs;
    struct tma_cell cell = {0};
    switch (place) {
    case 0:
        return tma_outside_cell(row->case_name);
    case 1:
        cell = tma_outside_cell(row->name);
        for (size_t v = 0; v < table->difference->variant_count; v++)
            cell.bold |= row->values[v].failed;
        return cell;
    case 2:
        return value_cell(row->base);
    default:
        cell = change_cell(row->base, row->values[place - 3].measure);
        cell.bold = row->values[place - 3].failed;
        return cell;
    }
}

static struct tma_table_row row_of(const void *of, size_t index) {
    const struct difference_table *table = of;
    return (struct tma_table_row){.group = table->difference->rows[index].case_name};
}

/* The conditions under which values of the row fail. */
static void write_conditions(const void *of, size_t index, FILE *out) {
    const struct difference_table *table = of;
    const struct tma_difference_row *row = &table->difference->rows[index];
    const char *before = "  <- ";
    for (size_t v = 0; v < table->difference->variant_count; v++) {
        if (!row->values[v].failed || row->values[v].condition == NULL)
            continue;
        fputs(before, out);
        tma_write_printable(row->values[v].condition->text, out);
        before = ", ";
    }
}

static struct tma_table table_of(const struct difference_table *table) {
    return (struct tma_table){.of = table,
                              .row_count = table->difference->row_count,
                              .column_count =
                                  2 + table->has_runs + table->difference->variant_count,
                              .column = column_of,
                              .cell = cell_of,
                              .row = row_of,
                              .best_row = SIZE_MAX,
                              .note = write_conditions};
}

/* The base and the variants, from 0. */
static const struct tma_variant *origin(const struct tma_difference *difference, size_t v) {
    return v == 0 ? difference->base : &difference->variants[v - 1];
}

enum { LONGEST_HEADING = 30 };

void tma_difference_write_text(const struct tma_difference *difference, FILE *out) {
    struct difference_table own = {difference, false, false};
    for (size_t v = 0; v <= difference->variant_count; v++)
        own.numbered |= strlen(origin(difference, v)->name) > LONGEST_HEADING;
    for (size_t v = 0; v <= difference->variant_count; v++) {
        if (v == 0)
            fputs(own.numbered ? "base       " : "base     ", out);
        else if (own.numbered)
            fprintf(out, "variant %-2zu ", v);
        else
            fputs("variant  ", out);
        write_origin(origin(difference, v), tma_write_printable, out);
        fputc('\n', out);
    }
    fputc('\n', out);
    if (difference->row_count > 0) {
        const struct tma_table table = table_of(&own);
        tma_table_write_text(&table, out);
        fputc('\n', out);
    }
    fprintf(out, "%s\n", tma_difference_total(difference).text);
}

void tma_difference_write_markdown(const struct tma_difference *difference, FILE *out) {
    struct difference_table own = {difference, false, false};
    for (size_t i = 0; i < difference->row_count; i++)
        own.has_runs |= difference->rows[i].case_name[0] != '\0';
    fprintf(out, "**%s**\n\n", tma_difference_total(difference).text);
    if (difference->row_count > 0) {
        const struct tma_table table = table_of(&own);
        tma_table_write_markdown(&table, out);
        fputc('\n', out);
    }
    for (size_t v = 0; v <= difference->variant_count; v++) {
        fputs(v == 0 ? "- base: " : "- variant: ", out);
        write_origin(origin(difference, v), tma_write_markdown, out);
        fputc('\n', out);
    }
}
