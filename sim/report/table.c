#include "report/table.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/format_table.h"

enum { MOST_WIDTH = 60, MOST_WIDTHS = 80 /* further columns have the width of the last */ };

struct tma_cell tma_cell(const char *format, ...) {
    struct tma_cell cell = {0};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(cell.own, sizeof cell.own, format, arguments);
    va_end(arguments);
    return cell;
}

struct tma_cell tma_outside_cell(const char *text) {
    return (struct tma_cell){.outside = text == NULL ? "-" : text};
}

static const char *text_of(const struct tma_cell *cell) {
    return cell->outside != NULL ? cell->outside : cell->own;
}

static const char *last_step(const char *path) {
    const char *point = strrchr(path, '.');
    return point == NULL ? path : point + 1;
}

const char *tma_setting_label(const char *const *paths, size_t count, size_t setting) {
    const char *label = last_step(paths[setting]);
    for (size_t i = 0; i < count; i++)
        if (i != setting && strcmp(last_step(paths[i]), label) == 0)
            return paths[setting];
    return label;
}

int tma_column_width(int width, const char *text) {
    size_t length = text == NULL ? 1 : strlen(text);
    if (length > MOST_WIDTH)
        length = MOST_WIDTH;
    return (int)length > width ? (int)length : width;
}

/* Writes the text and blanks up to the width; with `before` the blanks first. */
static void write_padded(const char *text, int width, bool before, FILE *out) {
    size_t length = strlen(text);
    int blanks = length < (size_t)width ? width - (int)length : 0;
    fprintf(out, "%*s", before ? blanks : 0, "");
    tma_write_printable(text, out);
    fprintf(out, "%*s", before ? 0 : blanks, "");
}

void tma_write_column(const char *text, int width, FILE *out) {
    fputs("  ", out);
    write_padded(text == NULL ? "-" : text, width, false, out);
}

#define HEAD SIZE_MAX /* in place of a row */

static struct tma_table_row row_of(const struct tma_table *table, size_t row) {
    const struct tma_table_row head = {0};
    return row == HEAD ? head : table->row(table->of, row);
}

static struct tma_cell cell_of(const struct tma_table *table, size_t row, size_t column) {
    return row == HEAD ? table->column(table->of, column).heading
                       : table->cell(table->of, row, column);
}

/* How many cells a row has before its failure, or in all. */
static size_t cells_of(const struct tma_table *table, const struct tma_table_row *row) {
    return row->failure == NULL ? table->column_count : table->failure_column;
}

static int width_of(const struct tma_table *table, size_t column) {
    struct tma_table_column own = table->column(table->of, column);
    int width = tma_column_width(own.least_width, text_of(&own.heading));
    for (size_t i = 0; i < table->row_count; i++) {
        struct tma_table_row row = row_of(table, i);
        if (row.left_out || column >= cells_of(table, &row))
            continue;
        struct tma_cell cell = cell_of(table, i, column);
        width = tma_column_width(width, text_of(&cell));
    }
    return width;
}

/* Nothing follows the last cell that has a text. */
static void write_text_row(const struct tma_table *table, size_t row, const int *widths,
                           FILE *out) {
    struct tma_table_row own = row_of(table, row);
    size_t count = cells_of(table, &own);
    struct tma_cell cell;
    for (; count > 1 && own.failure == NULL; count--) {
        cell = cell_of(table, row, count - 1);
        if (text_of(&cell)[0] != '\0')
            break;
    }
    for (size_t c = 0; c < count; c++) {
        int width = widths[c < MOST_WIDTHS ? c : MOST_WIDTHS - 1];
        bool is_word = table->column(table->of, c).is_word;
        bool ends_line = own.failure == NULL && c + 1 == count;
        cell = cell_of(table, row, c);
        fputs(c > 0 ? "  " : "", out);
        write_padded(text_of(&cell), is_word && ends_line ? 0 : width, !is_word, out);
    }
    if (own.failure != NULL) {
        fputs("  error: ", out);
        tma_write_printable(own.failure, out);
    }
    if (row != HEAD && table->note != NULL)
        table->note(table->of, row, out);
    fputc('\n', out);
}

void tma_table_write_text(const struct tma_table *table, FILE *out) {
    const char *group = "";
    int widths[MOST_WIDTHS] = {0};
    for (size_t c = 0; c < table->column_count; c++) {
        int width = width_of(table, c), *most = &widths[c < MOST_WIDTHS ? c : MOST_WIDTHS - 1];
        *most = width > *most ? width : *most;
    }
    write_text_row(table, HEAD, widths, out);
    for (size_t i = 0; i < table->row_count; i++) {
        struct tma_table_row row = row_of(table, i);
        if (row.left_out)
            continue;
        if (row.group != NULL && strcmp(row.group, group) != 0) {
            group = row.group;
            fputc('\n', out);
            tma_write_printable(group, out);
            fputs(":\n", out);
        }
        write_text_row(table, i, widths, out);
    }
}

static void write_markdown_row(const struct tma_table *table, size_t row, FILE *out) {
    struct tma_table_row own = row_of(table, row);
    size_t count = cells_of(table, &own);
    fputc('|', out);
    for (size_t c = 0; c < count; c++) {
        struct tma_cell cell = cell_of(table, row, c);
        bool bold = cell.bold || (c == 0 && row != HEAD && row == table->best_row);
        fputs(bold ? " **" : " ", out);
        tma_write_markdown(text_of(&cell), out);
        fputs(bold ? "** |" : " |", out);
    }
    if (own.failure != NULL) {
        fputs(" error: ", out);
        tma_write_markdown(own.failure, out);
    }
    for (size_t c = count; c < table->column_count; c++)
        fputs(" |", out);
    fputc('\n', out);
}

void tma_table_write_markdown(const struct tma_table *table, FILE *out) {
    write_markdown_row(table, HEAD, out);
    fputc('|', out);
    for (size_t c = 0; c < table->column_count; c++)
        fputs(table->column(table->of, c).is_word ? " --- |" : " ---: |", out);
    fputc('\n', out);
    for (size_t i = 0; i < table->row_count; i++)
        if (!row_of(table, i).left_out)
            write_markdown_row(table, i, out);
}

/* The head of CSV, or a row of it, or an object of JSON. */
struct tma_record {
    FILE *out;
    struct tma_json json;
    bool is_json, is_head, absent, filled;
};

/* Begins a cell of CSV. Returns whether its value follows, as it does in JSON. */
static bool begin_figure(struct tma_record *record, const char *key) {
    if (record->is_json)
        return !record->absent;
    fputs(record->filled ? "," : "", record->out);
    record->filled = true;
    if (record->is_head && key != NULL)
        fputs(key, record->out);
    return !record->is_head && !record->absent;
}

void tma_record_unsigned(struct tma_record *record, const char *key, uint64_t value) {
    if (!begin_figure(record, key))
        return;
    if (record->is_json)
        tma_json_unsigned(&record->json, key, value);
    else
        fprintf(record->out, "%" PRIu64, value);
}

void tma_record_decimal(struct tma_record *record, const char *key, double value,
                        unsigned csv_digits, unsigned json_digits) {
    if (!begin_figure(record, key))
        return;
    if (record->is_json)
        tma_json_decimal(&record->json, key, value, json_digits);
    else
        fputs(tma_decimal(value, csv_digits).text, record->out);
}

void tma_record_bool(struct tma_record *record, const char *key, bool value) {
    if (!begin_figure(record, key))
        return;
    if (record->is_json)
        tma_json_bool(&record->json, key, value);
    else
        fputs(value ? "true" : "false", record->out);
}

void tma_record_word(struct tma_record *record, const char *key, const char *value) {
    if (!begin_figure(record, key))
        return;
    if (record->is_json)
        tma_json_string(&record->json, key, value);
    else
        fputs(value, record->out);
}

/* A value whose cell has begun. */
static void write_outside(struct tma_record *record, const char *key, const char *value) {
    if (value != NULL && record->is_json)
        tma_json_string(&record->json, key, value);
    else if (value != NULL)
        tma_write_csv(value, record->out);
}

void tma_record_text(struct tma_record *record, const char *key, const char *value) {
    if (begin_figure(record, key))
        write_outside(record, key, value);
}

void tma_record_setting(struct tma_record *record, const char *key, const char *value) {
    if (begin_figure(record, NULL))
        write_outside(record, key, value);
    else if (record->is_head)
        tma_write_csv(key, record->out);
}

void tma_record_absent(struct tma_record *record, bool absent) {
    record->absent = absent;
}

struct tma_json *tma_record_json(struct tma_record *record) {
    return record->is_json && !record->absent ? &record->json : NULL;
}

void tma_record_open(struct tma_record *record, const char *key) {
    if (tma_record_json(record) != NULL)
        tma_json_begin_line(&record->json, key);
}

void tma_record_close(struct tma_record *record) {
    if (tma_record_json(record) != NULL)
        tma_json_end_object(&record->json);
}

void tma_table_write_line(const struct tma_table *table, size_t row, FILE *out) {
    struct tma_record record = {.json = {.out = out}, .is_json = true};
    tma_json_begin_line(&record.json, NULL);
    table->figures(table->of, row, &record);
    tma_json_end_object(&record.json);
}

static void write_csv_row(const struct tma_table *table, size_t row, bool head, FILE *out) {
    struct tma_record record = {.out = out, .is_head = head};
    table->figures(table->of, row, &record);
    fputc('\n', out);
}

static void write_for_programs(const struct tma_table *table, bool as_json, FILE *out) {
    if (!as_json)
        write_csv_row(table, 0, true, out);
    for (size_t i = 0; i < table->row_count; i++)
        if (row_of(table, i).left_out)
            continue;
        else if (as_json)
            tma_table_write_line(table, i, out);
        else
            write_csv_row(table, i, false, out);
    if (as_json && table->partial)
        fputs("{\"partial\": true}\n", out);
}

static void write_for_people(const struct tma_table *table, bool as_text, FILE *out) {
    void (*const write)(const char *, FILE *) = as_text ? tma_write_printable : tma_write_markdown;
    if (table->title != NULL) {
        fputs(as_text ? table->title_label : "**", out);
        write(table->title, out);
        fputs(as_text ? "\n\n" : "**\n\n", out);
    }
    (as_text ? tma_table_write_text : tma_table_write_markdown)(table, out);
    fputc('\n', out);
    table->end(table->of, write, out);
}

#define TABLE_FORMATS(X) X(text) X(csv) X(jsonl) X(markdown)
TMA_FORMAT_NAMES(tma_table_format_names, TABLE_FORMATS);

void tma_table_write(const struct tma_table *table, int format, FILE *out) {
    if (format == FORMAT_csv || format == FORMAT_jsonl)
        write_for_programs(table, format == FORMAT_jsonl, out);
    else
        write_for_people(table, format == FORMAT_text, out);
}
