#include "search/variants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "report/sweep.h"
#include "scenario/text_file.h"

/* A growing list of borrowed texts. */
struct text_list {
    const char **items; /* owned */
    size_t count;
};

/* Values of one column, or the lines of the list: what the cross product multiplies. */
struct axis {
    struct text_list values; /* borrowed texts */
    size_t column;
};

/* A line of the list: a value, or NULL, for each column. */
struct line {
    const char *values[TMA_MAX_SWEEP_COLUMNS];
};

struct maker {
    struct tma_variants *variants;
    struct tma_error *error;
    struct axis axes[TMA_MAX_SWEEP_COLUMNS];
    size_t axis_count;
    struct line *lines; /* owned */
    size_t line_count, line_capacity;
};

static bool lack_memory(const struct maker *maker) {
    tma_fail(maker->error, TMA_ERROR_MEMORY, "out of memory");
    return false;
}

/* Copies a text, which stays as long as the variants. NULL, with the error, when out of memory.
 */
static const char *keep(struct maker *maker, const char *text, size_t length) {
    struct tma_variants *variants = maker->variants;
    char *copy = NULL;
    if (TMA_GROW(variants->texts, variants->text_count, variants->text_capacity))
        copy = tma_copy_bytes(text, length);
    if (copy == NULL) {
        lack_memory(maker);
        return NULL;
    }
    variants->texts[variants->text_count++] = copy;
    return copy;
}

static bool append_text(const struct maker *maker, struct text_list *list, const char *text) {
    const char **grown = tma_resize(list->items, list->count + 1, sizeof *grown);
    if (grown == NULL)
        return lack_memory(maker);
    list->items = grown;
    grown[list->count++] = text;
    return true;
}

/* Length of the text up to a character of `ends` that is not in brackets or quotes. */
static size_t span(const char *text, const char *ends) {
    size_t depth = 0, i = 0;
    char quote = '\0';
    for (; text[i] != '\0'; i++) {
        if (quote != '\0')
            quote = text[i] == quote ? '\0' : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
        else if (strchr("[{(", text[i]) != NULL)
            depth++;
        else if (strchr("]})", text[i]) != NULL && depth > 0)
            depth--;
        else if (depth == 0 && strchr(ends, text[i]) != NULL)
            break;
    }
    return i;
}

/* Finds the column of a path, or adds it. */
static bool find_column(struct maker *maker, const char *path, size_t *column) {
    struct tma_variants *variants = maker->variants;
    for (*column = 0; *column < variants->column_count; ++*column)
        if (strcmp(variants->columns[*column], path) == 0)
            return true;
    if (variants->column_count == TMA_MAX_SWEEP_COLUMNS) {
        tma_fail(maker->error, TMA_ERROR_SYNTAX, "a sweep has at most %d different settings",
                 TMA_MAX_SWEEP_COLUMNS);
        return false;
    }
    variants->columns[variants->column_count++] = path;
    return true;
}

/* Cuts "PATH=VALUE" at its "=". */
static bool cut_setting(struct maker *maker, const char *what, const char *text, size_t length,
                        const char **path, const char **value) {
    const char *equals = memchr(text, '=', length);
    if (equals == NULL || equals == text || equals + 1 == text + length) {
        tma_fail(maker->error, TMA_ERROR_SYNTAX, "%s: \"%.*s\" is not %s", what, (int)length, text,
                 strcmp(what, "--try") == 0 ? "PATH=VALUES; expected, for example, "
                                              "workload.pipeline.depth=2:6"
                                            : "PATH=VALUE");
        return false;
    }
    *path = keep(maker, text, (size_t)(equals - text));
    *value = keep(maker, equals + 1, (size_t)(text + length - equals - 1));
    return *path != NULL && *value != NULL;
}

/* A range "FIRST:LAST", "FIRST:LAST:STEP" or "FIRST:LAST:*FACTOR". */
struct integer_range {
    int64_t first, last, step;
    bool multiplies;
};

static bool read_integer(const char **text, int64_t *value) {
    char *end;
    if (strspn(*text, "-0123456789") == 0)
        return false;
    long long number = strtoll(*text, &end, 10);
    bool good = end != *text && number > -INT64_C(1000000000000) && number < INT64_C(1000000000000);
    *text = end;
    *value = number;
    return good;
}

/* Whether a value has the form of a range. */
static bool read_range(const char *text, struct integer_range *range) {
    *range = (struct integer_range){.step = 1};
    if (!read_integer(&text, &range->first) || *text++ != ':' || !read_integer(&text, &range->last))
        return false;
    if (*text == ':') {
        text++;
        range->multiplies = *text == '*';
        text += range->multiplies;
        if (!read_integer(&text, &range->step))
            return false;
    }
    return *text == '\0';
}

static bool check_range(const struct maker *maker, const char *path, const char *text,
                        const struct integer_range *range) {
    const char *wrong = NULL;
    if (range->last < range->first)
        wrong = "the last value is less than the first";
    else if (range->multiplies && (range->step < 2 || range->first < 1))
        wrong = "a factor is at least 2, and the first value is at least 1";
    else if (range->step < 1 || range->step > 1000000)
        wrong = "a step is 1 to 1000000";
    else if (!range->multiplies && (range->last - range->first) / range->step >= TMA_MOST_VARIANTS)
        wrong = "too many values";
    if (wrong != NULL)
        tma_fail(maker->error, TMA_ERROR_SYNTAX, "--try %s: the range %s: %s", path, text, wrong);
    return wrong == NULL;
}

/* A range as other tools write it, "64..256" or "64-256": fails, with how it is written here. */
static bool is_other_range(const struct maker *maker, const char *path, const char *text) {
    int64_t first, last;
    const char *at = text;
    if (!read_integer(&at, &first) || first < 0)
        return false;
    size_t joint = strspn(at, ".-~");
    at += joint;
    if (joint == 0 || !read_integer(&at, &last) || *at != '\0' || last <= first)
        return false;
    tma_fail(maker->error, TMA_ERROR_SYNTAX,
             "--try %s: \"%s\" is no value; a range is %s=%" PRId64 ":%" PRId64 ", with a step "
             "%s=%" PRId64 ":%" PRId64 ":STEP, by powers of 2 %s=%" PRId64 ":%" PRId64 ":*2",
             path, text, path, first, last, path, first, last, path, first, last);
    return true;
}

static bool add_range(struct maker *maker, const struct integer_range *range, struct axis *axis) {
    for (int64_t value = range->first; value <= range->last;
         value = range->multiplies ? value * range->step : value + range->step) {
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, value);
        const char *kept = keep(maker, text, strlen(text));
        if (kept == NULL || !append_text(maker, &axis->values, kept))
            return false;
    }
    return true;
}

static bool add_values(struct maker *maker, const char *path, const char *values,
                       struct axis *axis) {
    for (const char *next = values;; next++) {
        size_t length = span(next, ",");
        struct integer_range range;
        const char *value = keep(maker, next, length);
        if (value == NULL)
            return false;
        if (length == 0) {
            tma_fail(maker->error, TMA_ERROR_SYNTAX, "--try %s: \"%s\" has an empty value", path,
                     values);
            return false;
        }
        bool is_range = read_range(value, &range);
        if (!is_range && is_other_range(maker, path, value))
            return false;
        if (is_range ? !check_range(maker, path, value, &range) || !add_range(maker, &range, axis)
                     : !append_text(maker, &axis->values, value))
            return false;
        next += length;
        if (*next == '\0')
            return true;
    }
}

static bool add_axis(struct maker *maker, const char *text) {
    struct tma_variants *variants = maker->variants;
    const char *path, *values;
    size_t columns = variants->column_count, column;
    if (!cut_setting(maker, "--try", text, strlen(text), &path, &values) ||
        !find_column(maker, path, &column))
        return false;
    if (column < columns) {
        tma_fail(maker->error, TMA_ERROR_SYNTAX, "--try %s is given twice", path);
        return false;
    }
    struct axis *axis = &maker->axes[maker->axis_count++];
    axis->column = column;
    return add_values(maker, path, values, axis);
}

/* Reads the settings of one line, if it has any. */
static bool read_line(struct maker *maker, const char *file, unsigned number, const char *text,
                      size_t length) {
    struct line line = {{NULL}};
    bool any = false;
    char what[300];
    snprintf(what, sizeof what, "%.250s:%u", file, number);
    for (size_t at = 0; at < length;) {
        size_t blank = strspn(text + at, " \t\r");
        at += blank;
        if (at >= length || text[at] == '#')
            break;
        size_t part = span(text + at, " \t\r\n"), column;
        const char *path, *value;
        part = part > length - at ? length - at : part;
        if (!cut_setting(maker, what, text + at, part, &path, &value) ||
            !find_column(maker, path, &column))
            return false;
        if (line.values[column] != NULL) {
            tma_fail(maker->error, TMA_ERROR_SYNTAX, "%s: %s is set twice", what, path);
            return false;
        }
        line.values[column] = value;
        any = true;
        at += part;
    }
    if (!any)
        return true;
    if (!TMA_GROW(maker->lines, maker->line_count, maker->line_capacity))
        return lack_memory(maker);
    maker->lines[maker->line_count++] = line;
    return true;
}

static bool read_list(struct maker *maker, const char *path, const char *file) {
    char *text;
    size_t length;
    struct tma_error error;
    if (tma_text_read(path, &text, &length, &error) != TMA_OK) {
        tma_fail(maker->error, error.code, "%s: %s", file, error.text);
        return false;
    }
    bool good = true;
    unsigned number = 1;
    for (const char *next = text; good && *next != '\0'; number++) {
        size_t line = strcspn(next, "\n");
        good = read_line(maker, file, number, next, line);
        next += line + (next[line] == '\n');
    }
    tma_release(text);
    if (good && maker->line_count == 0) {
        tma_fail(maker->error, TMA_ERROR_SYNTAX, "%s: no line has a setting", file);
        return false;
    }
    return good;
}

static bool count_rows(struct maker *maker) {
    size_t rows = maker->line_count > 0 ? maker->line_count : 1;
    for (size_t i = 0; i < maker->axis_count; i++) {
        if (maker->axes[i].values.count > TMA_MOST_VARIANTS / rows) {
            tma_fail(maker->error, TMA_ERROR_SYNTAX, "the sweep has more than %d rows",
                     TMA_MOST_VARIANTS);
            return false;
        }
        rows *= maker->axes[i].values.count;
    }
    maker->variants->row_count = rows;
    return true;
}

/* The number of a row has a digit for each axis; the last axis has the lowest one. */
static bool multiply(struct maker *maker) {
    struct tma_variants *variants = maker->variants;
    size_t columns = variants->column_count;
    variants->values = tma_allocate(variants->row_count * columns, sizeof *variants->values);
    if (variants->values == NULL)
        return lack_memory(maker);
    for (size_t row = 0; row < variants->row_count; row++) {
        const char **values = &variants->values[row * columns];
        size_t rest = row;
        for (size_t i = maker->axis_count; i > 0; i--) {
            const struct axis *axis = &maker->axes[i - 1];
            values[axis->column] = axis->values.items[rest % axis->values.count];
            rest /= axis->values.count;
        }
        for (size_t c = 0; c < columns && maker->line_count > 0; c++)
            if (maker->lines[rest].values[c] != NULL)
                values[c] = maker->lines[rest].values[c];
    }
    return true;
}

/* The columns of the list come first, as it varies slowest. */
static bool make(struct maker *maker, const struct tma_tries *tries) {
    if (tries->list != NULL && !read_list(maker, tries->list, tries->list_name))
        return false;
    for (size_t i = 0; i < tries->count; i++)
        if (!add_axis(maker, tries->items[i]))
            return false;
    return count_rows(maker) && multiply(maker);
}

enum tma_error_code tma_variants_make(const struct tma_tries *tries, struct tma_variants *variants,
                                      struct tma_error *error) {
    struct tma_error own = {.text = ""};
    struct maker maker = {.variants = variants, .error = error == NULL ? &own : error};
    *variants = (struct tma_variants){
        .columns = tma_allocate(TMA_MAX_SWEEP_COLUMNS, sizeof *variants->columns)};
    bool good = variants->columns != NULL ? make(&maker, tries) : lack_memory(&maker);
    for (size_t i = 0; i < maker.axis_count; i++)
        tma_release(maker.axes[i].values.items);
    tma_release(maker.lines);
    return good ? TMA_OK : maker.error->code;
}

void tma_variants_free(struct tma_variants *variants) {
    for (size_t i = 0; i < variants->text_count; i++)
        tma_release(variants->texts[i]);
    TMA_RELEASE(variants->texts, variants->columns, variants->values);
    *variants = (struct tma_variants){0};
}

static bool has_row(const struct tma_variants *variants, const char *const *values) {
    for (size_t row = 0; row < variants->row_count; row++) {
        size_t column = 0;
        /* Equal values are the same text only where they are of the same --try: compare them. */
        for (; column < variants->column_count; column++) {
            const char *value = variants->values[row * variants->column_count + column];
            if ((value == NULL) != (values[column] == NULL) ||
                (value != NULL && strcmp(value, values[column]) != 0))
                break;
        }
        if (column == variants->column_count)
            return true;
    }
    return false;
}

bool tma_variants_without(const struct tma_variants *all, const bool *lacks,
                          struct tma_variants *own) {
    bool lacks_any = false;
    *own = (struct tma_variants){.columns = all->columns, .column_count = all->column_count};
    own->values = tma_allocate(all->row_count * all->column_count + 1, sizeof *own->values);
    if (own->values == NULL)
        return false;
    for (size_t column = 0; column < all->column_count; column++)
        lacks_any = lacks_any || lacks[column];
    for (size_t row = 0; row < all->row_count; row++) {
        const char **values = &own->values[own->row_count * all->column_count];
        for (size_t column = 0; column < all->column_count; column++)
            values[column] = lacks[column] ? NULL : all->values[row * all->column_count + column];
        own->row_count += !lacks_any || !has_row(own, values);
    }
    return true;
}

static char *join_setting(const char *path, const char *value) {
    size_t bytes = strlen(path) + strlen(value) + 2;
    char *text = tma_allocate(bytes, 1);
    if (text != NULL)
        snprintf(text, bytes, "%s=%s", path, value);
    return text;
}

bool tma_row_settings_make(const struct tma_settings *user, const struct tma_variants *variants,
                           size_t row, struct tma_row_settings *settings) {
    *settings = (struct tma_row_settings){
        .items = tma_allocate(user->count + variants->column_count, sizeof *settings->items),
        .user_count = user->count};
    if (settings->items == NULL)
        return false;
    for (; settings->count < user->count; settings->count++)
        settings->items[settings->count] = user->items[settings->count];
    for (size_t i = 0; i < variants->column_count; i++) {
        const char *value = variants->values[row * variants->column_count + i];
        if (value == NULL)
            continue;
        char *text = join_setting(variants->columns[i], value);
        if (text == NULL)
            return false;
        settings->items[settings->count++] = text;
    }
    return true;
}

void tma_row_settings_free(struct tma_row_settings *settings) {
    for (size_t i = settings->user_count; i < settings->count; i++)
        tma_release((char *)settings->items[i]);
    tma_release(settings->items);
}

/* Writes the first error. One in a setting of the row is named by the setting. */
static void describe_error(const struct tma_diagnostics *list, const char *path, const char *name,
                           const struct tma_row_settings *settings, char reason[TMA_REASON_BYTES]) {
    const struct tma_diagnostic *first = &list->items[0];
    const char *file = strcmp(first->at.file, path) == 0 ? name : first->at.file;
    const char *said = first->text == NULL ? "out of memory" : first->text;
    size_t number = 0, total = tma_diagnostics_total(list);
    char more[40] = "";
    if (total > 1)
        snprintf(more, sizeof more, " (and %zu more)", total - 1);
    if (sscanf(first->at.file, "--set %9zu", &number) == 1 && number > settings->user_count &&
        number <= settings->count)
        snprintf(reason, TMA_REASON_BYTES, "%s: %s%s", settings->items[number - 1], said, more);
    else if (first->at.line > 0)
        snprintf(reason, TMA_REASON_BYTES, "%s:%u:%u: %s%s", file, first->at.line, first->at.column,
                 said, more);
    else
        snprintf(reason, TMA_REASON_BYTES, "%s: %s%s", file, said, more);
}

bool tma_variant_scenario_read(const char *path, const char *name, const struct tma_settings *user,
                               const struct tma_variants *variants, size_t row,
                               struct tma_variant_scenario *variant,
                               char reason[TMA_REASON_BYTES]) {
    struct tma_diagnostics list = {0};
    *variant = (struct tma_variant_scenario){0};
    snprintf(reason, TMA_REASON_BYTES, "out of memory");
    if (!tma_row_settings_make(user, variants, row, &variant->settings))
        return false;
    bool good = tma_scenario_read(path, variant->settings.items, variant->settings.count,
                                  &variant->scenario, &list);
    if (!good)
        describe_error(&list, path, name, &variant->settings, reason);
    tma_diagnostics_free(&list);
    return good;
}

void tma_variant_scenario_free(struct tma_variant_scenario *variant) {
    tma_row_settings_free(&variant->settings);
    tma_scenario_free(&variant->scenario);
}
