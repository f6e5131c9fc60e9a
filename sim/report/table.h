/* Tables of rows: for people as text and Markdown, which have the same cells, and for programs as
 * CSV and JSON lines, which have the same figures. */
#pragma once

#include "report/json_writer.h"
#include "tensormap/types.h"

enum { TMA_CELL_BYTES = 160 };

/* A cell of a table, or the heading of a column. */
struct tma_cell {
    const char *outside; /* borrowed; text from outside, of any length; NULL: the own text */
    char own[TMA_CELL_BYTES];
    bool bold; /* in Markdown */
};

struct tma_cell tma_cell(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* `text` is borrowed; NULL stands for "-". */
struct tma_cell tma_outside_cell(const char *text);

struct tma_table_column {
    struct tma_cell heading;
    bool is_word; /* begins in line; numbers end in line */
    int least_width;
};

struct tma_table_row {
    bool left_out;
    const char *group;   /* stands above the first of the rows that have it, as text; or NULL */
    const char *failure; /* from outside; stands in place of the last cells; NULL: they are there */
};

struct tma_record;

struct tma_table {
    const void *of; /* for the functions below */
    size_t row_count, column_count;
    struct tma_table_column (*column)(const void *of, size_t column);
    struct tma_cell (*cell)(const void *of, size_t row, size_t column);
    struct tma_table_row (*row)(const void *of, size_t row);
    size_t failure_column; /* the first that a failure stands for */
    size_t best_row;       /* in Markdown, its first cell is bold; SIZE_MAX: none is */
    /* Writes what follows a row, as text; or NULL. */
    void (*note)(const void *of, size_t row, FILE *out);

    /* For tma_table_write alone, which needs a row. */
    const char *title_label, *title; /* from outside; NULL: there is none */
    bool partial;                    /* an interrupt ended the table */
    /* Says the figures of a row, whose keys are the same in each. */
    void (*figures)(const void *of, size_t row, struct tma_record *record);
    /* Writes what follows the table. `write` writes text from outside. */
    void (*end)(const void *of, void (*write)(const char *, FILE *), FILE *out);
};

/* Write the head and the rows alone. */
void tma_table_write_text(const struct tma_table *table, FILE *out);
void tma_table_write_markdown(const struct tma_table *table, FILE *out);

/* Formats of tma_table_write; the first is the default. */
extern const struct tma_names tma_table_format_names;

/* Writes the whole table in a format: a value of tma_table_format_names. Write errors stay with the
 * stream. The output does not depend on the locale. */
void tma_table_write(const struct tma_table *table, int format, FILE *out);
/* Writes one row as a line of JSON. */
void tma_table_write_line(const struct tma_table *table, size_t row, FILE *out);

/* The figures of a row, one after the other: each is a cell of CSV (RFC 4180) and a member of an
 * object of JSON. */
void tma_record_unsigned(struct tma_record *record, const char *key, uint64_t value);
void tma_record_decimal(struct tma_record *record, const char *key, double value,
                        unsigned csv_digits, unsigned json_digits);
void tma_record_bool(struct tma_record *record, const char *key, bool value);
/* A word of ours; text from outside, which may be NULL; and such a text whose key is from outside,
 * too. */
void tma_record_word(struct tma_record *record, const char *key, const char *value);
void tma_record_text(struct tma_record *record, const char *key, const char *value);
void tma_record_setting(struct tma_record *record, const char *key, const char *value);
/* The figures that follow are absent, or there again: CSV has empty cells, JSON has nothing. */
void tma_record_absent(struct tma_record *record, bool absent);
/* The figures between these are in an object of JSON. */
void tma_record_open(struct tma_record *record, const char *key);
void tma_record_close(struct tma_record *record);
/* Returns what writes JSON, for figures that CSV does not have; NULL where CSV is written, and of
 * absent figures. */
struct tma_json *tma_record_json(struct tma_record *record);

/* Settings as columns: the last step of the path if no other path ends like it; else the path. */
const char *tma_setting_label(const char *const *paths, size_t count, size_t setting);

/* The width of a column that has `width` so far and gets this text. NULL stands for "-". Long texts
 * do not make it wider. */
int tma_column_width(int width, const char *text);
/* Writes two spaces, text from outside, and blanks up to the width. NULL stands for "-". */
void tma_write_column(const char *text, int width, FILE *out);
