#include "difference/difference_formats.h"
#include "report/json_writer.h"

enum { FRACTION_DIGITS = 6 };

static void write_origin(struct tma_json *json, const char *key,
                         const struct tma_variant *variant) {
    const char *const keys[] = {"tmasim", "machine", "scenario"};
    const char *const values[] = {variant->version, variant->machine, variant->scenario};
    tma_json_begin_line(json, key);
    tma_json_string(json, "file", variant->name);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++)
        if (values[i][0] != '\0')
            tma_json_string(json, keys[i], values[i]);
    if (variant->partial)
        tma_json_bool(json, "partial", true);
    tma_json_end_object(json);
}

static void write_measure(struct tma_json *json, const char *key,
                          const struct tma_measure *measure) {
    if (measure == NULL)
        tma_json_null(json, key);
    else if (measure->is_number)
        tma_json_number(json, key, measure->text);
    else
        tma_json_string(json, key, measure->text);
}

static void write_value(struct tma_json *json, const struct tma_difference_row *row,
                        const struct tma_difference_value *value) {
    const struct tma_measure *base = row->base, *own = value->measure;
    tma_json_begin_line(json, NULL);
    write_measure(json, "value", own);
    if (base != NULL && own != NULL && base->is_number && own->is_number && base->number != 0)
        tma_json_decimal(json, "change",
                         (own->number - base->number) /
                             (base->number < 0 ? -base->number : base->number),
                         FRACTION_DIGITS);
    tma_json_bool(json, "differs", value->differs);
    tma_json_bool(json, "failed", value->failed);
    if (value->condition != NULL)
        tma_json_string(json, "condition", value->condition->text);
    tma_json_end_object(json);
}

void tma_difference_write_json(const struct tma_difference *difference, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    write_origin(&json, "base", difference->base);
    tma_json_begin_array(&json, "variants");
    for (size_t v = 0; v < difference->variant_count; v++)
        write_origin(&json, NULL, &difference->variants[v]);
    tma_json_end_array(&json);
    TMA_JSON_COUNTS(&json, difference, compared, different, failed);
    tma_json_begin_array(&json, "figures");
    for (size_t i = 0; i < difference->row_count; i++) {
        const struct tma_difference_row *row = &difference->rows[i];
        tma_json_begin_object(&json, NULL);
        if (row->case_name[0] != '\0')
            tma_json_string(&json, "run", row->case_name);
        tma_json_string(&json, "figure", row->name);
        write_measure(&json, "base", row->base);
        tma_json_begin_array(&json, "variants");
        for (size_t v = 0; v < difference->variant_count; v++)
            write_value(&json, row, &row->values[v]);
        tma_json_end_array(&json);
        tma_json_end_object(&json);
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}
