#include "report/text_columns.h"

#include <string.h>

#include "report/escape.h"

enum { MOST_WIDTH = 60 };

static const char *last_step(const char *path) {
    const char *point = strrchr(path, '.');
    return point == NULL ? path : point + 1;
}

const char *tma_column_label(const char *const *columns, size_t count, size_t column) {
    const char *label = last_step(columns[column]);
    for (size_t i = 0; i < count; i++)
        if (i != column && strcmp(last_step(columns[i]), label) == 0)
            return columns[column];
    return label;
}

int tma_column_width(int width, const char *text) {
    size_t length = text == NULL ? 1 : strlen(text);
    if (length > MOST_WIDTH)
        length = MOST_WIDTH;
    return (int)length > width ? (int)length : width;
}

void tma_write_column(const char *text, int width, FILE *out) {
    if (text == NULL)
        text = "-";
    size_t length = strlen(text);
    fputs("  ", out);
    tma_write_printable(text, out);
    fprintf(out, "%*s", length < (size_t)width ? width - (int)length : 0, "");
}
