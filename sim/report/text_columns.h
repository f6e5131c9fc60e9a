/* Columns of a table as text. */
#ifndef TMA_REPORT_TEXT_COLUMNS_H
#define TMA_REPORT_TEXT_COLUMNS_H

#include <stdio.h>

/* Returns the last step of the path of a column if no other column ends like it; else the path. */
const char *tma_column_label(const char *const *columns, size_t count, size_t column);

/* The width of a column that has `width` so far and gets this text. NULL stands for "-". Long texts
 * do not make it wider. */
int tma_column_width(int width, const char *text);

/* Writes two spaces, and text from outside as one cell, which fills the column. NULL stands for
 * "-". */
void tma_write_column(const char *text, int width, FILE *out);

#endif
