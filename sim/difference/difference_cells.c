#include "difference/difference_cells.h"

#include <math.h>
#include <string.h>

#include "report/decimal.h"

struct tma_difference_cell tma_difference_value_cell(const struct tma_measure *measure) {
    struct tma_difference_cell cell;
    snprintf(cell.text, sizeof cell.text, "%.120s", measure == NULL ? "-" : measure->text);
    return cell;
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

struct tma_difference_cell tma_difference_change_cell(const struct tma_measure *base,
                                                      const struct tma_measure *value) {
    struct tma_difference_cell cell = tma_difference_value_cell(value);
    const char *unit = "";
    struct tma_decimal change = change_of(base, value, &unit);
    size_t used = strlen(cell.text);
    if (change.text[0] != '\0')
        snprintf(cell.text + used, sizeof cell.text - used, " (%s%s%s)",
                 change.text[0] == '-' ? "" : "+", change.text, unit);
    return cell;
}

struct tma_difference_sentence
tma_difference_sentence_of(const struct tma_difference_row *row,
                           const struct tma_difference_value *value) {
    struct tma_difference_sentence sentence;
    struct tma_difference_cell base = tma_difference_value_cell(row->base);
    struct tma_difference_cell now = tma_difference_change_cell(row->base, value->measure);
    snprintf(sentence.text, sizeof sentence.text, "%.120s %s -> %s%s%.120s", row->name, base.text,
             now.text, value->condition == NULL ? "" : ", fails if ",
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

void tma_difference_write_origin(const struct tma_variant *variant,
                                 void (*write)(const char *, FILE *), FILE *out) {
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
