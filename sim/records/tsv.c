#include "records/tsv.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/stream.h"

static enum tma_error_code read_file(const char *path, char **text, size_t *length,
                                     struct tma_error *error) {
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return tma_fail(error, TMA_ERROR_FILE, "%s: %s", path, strerror(errno));
    *text = tma_read_stream(file, TMA_LIMIT_RECORD_FILE_BYTES + 1, length);
    bool good = *text != NULL && !ferror(file);
    int reason = errno;
    fclose(file);
    if (good)
        return TMA_OK;
    tma_release(*text);
    *text = NULL;
    return tma_fail(error, TMA_ERROR_FILE, "%s: cannot be read: %s", path, strerror(reason));
}

static size_t count_char(const char *text, char wanted) {
    size_t count = 0;
    for (; *text != '\0'; text++)
        count += *text == wanted;
    return count;
}

static size_t line_length(const char *line) {
    return strcspn(line, "\n");
}

/* Splits a line into cells. Returns false if their number is not `columns`. */
static bool split_line(char *line, const char **cells, size_t columns) {
    size_t count = 0;
    for (char *cell = line; cell != NULL; count++) {
        char *tab = strchr(cell, '\t');
        if (tab != NULL)
            *tab = '\0';
        if (count < columns)
            cells[count] = cell;
        cell = tab == NULL ? NULL : tab + 1;
    }
    return count == columns;
}

static void drop_carriage_return(char *line) {
    size_t length = strlen(line);
    if (length > 0 && line[length - 1] == '\r')
        line[length - 1] = '\0';
}

static enum tma_error_code split_lines(const char *path, struct tma_tsv *tsv,
                                       struct tma_error *error) {
    size_t lines = 0;
    for (char *line = tsv->text, *next; line != NULL && *line != '\0'; line = next) {
        size_t length = line_length(line);
        next = line[length] == '\n' ? line + length + 1 : NULL;
        line[length] = '\0';
        drop_carriage_return(line);
        if (!split_line(line, tsv->cells + lines * tsv->columns, tsv->columns))
            return tma_fail(error, TMA_ERROR_SYNTAX,
                            "%s:%zu: wrong number of cells; expected %zu, as in the header", path,
                            lines + 1, tsv->columns);
        lines++;
    }
    tsv->rows = lines - 1;
    return TMA_OK;
}

static enum tma_error_code check_text(const char *path, const char *text, size_t length,
                                      struct tma_error *error) {
    if (length > TMA_LIMIT_RECORD_FILE_BYTES)
        return tma_fail(error, TMA_ERROR_SYNTAX, "%s: the file is too large; allowed: %d bytes",
                        path, TMA_LIMIT_RECORD_FILE_BYTES);
    if (length == 0)
        return tma_fail(error, TMA_ERROR_SYNTAX, "%s: the file is empty; expected a header line",
                        path);
    if (strlen(text) != length)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "%s: the file is binary; expected tab-separated text", path);
    if (memchr(text, '\t', line_length(text)) == NULL)
        return tma_fail(error, TMA_ERROR_SYNTAX,
                        "%s:1: no tab in the header line; expected tab-separated column names",
                        path);
    return TMA_OK;
}

enum tma_error_code tma_tsv_read(const char *path, struct tma_tsv *tsv, struct tma_error *error) {
    *tsv = (struct tma_tsv){0};
    size_t length = 0;
    enum tma_error_code code = read_file(path, &tsv->text, &length, error);
    if (code == TMA_OK)
        code = check_text(path, tsv->text, length, error);
    if (code == TMA_OK) {
        size_t lines = count_char(tsv->text, '\n') + 1;
        char *end = tsv->text + line_length(tsv->text);
        char after = *end;
        *end = '\0';
        tsv->columns = count_char(tsv->text, '\t') + 1;
        *end = after;
        tsv->cells = tma_allocate(lines * tsv->columns, sizeof *tsv->cells);
        code = tsv->cells == NULL ? tma_fail(error, TMA_ERROR_MEMORY,
                                             "%s: %zu lines do not fit in memory", path, lines)
                                  : split_lines(path, tsv, error);
    }
    if (code != TMA_OK)
        tma_tsv_free(tsv);
    return code;
}

void tma_tsv_free(struct tma_tsv *tsv) {
    TMA_RELEASE(tsv->text, tsv->cells);
    *tsv = (struct tma_tsv){0};
}

int tma_tsv_column(const struct tma_tsv *tsv, const char *name) {
    for (size_t i = 0; i < tsv->columns; i++)
        if (strcmp(tsv->cells[i], name) == 0)
            return (int)i;
    return -1;
}

const char *tma_tsv_cell(const struct tma_tsv *tsv, size_t row, const char *column) {
    int index = tma_tsv_column(tsv, column);
    return index < 0 ? "" : tsv->cells[(row + 1) * tsv->columns + (size_t)index];
}

size_t tma_tsv_find_name(const struct tma_tsv *tsv, const char *name) {
    size_t row = 0;
    while (row < tsv->rows && strcmp(tma_tsv_cell(tsv, row, "name"), name) != 0)
        row++;
    return row;
}

double tma_tsv_number(const struct tma_tsv *tsv, size_t row, const char *column) {
    return strtod(tma_tsv_cell(tsv, row, column), NULL);
}

bool tma_find_key_value(const char *words, const char *key, char *value, size_t size) {
    size_t length = strlen(key);
    for (const char *word = words; *word != '\0'; word += strspn(word, " ")) {
        size_t end = strcspn(word, " ");
        if (end > length && strncmp(word, key, length) == 0 && word[length] == '=') {
            snprintf(value, size, "%.*s", (int)(end - length - 1), word + length + 1);
            return true;
        }
        word += end;
    }
    return false;
}

size_t tma_parse_list(const char *text, int64_t *values, size_t limit) {
    size_t count = 0;
    while (count < limit && *text != '\0') {
        char *end;
        errno = 0;
        values[count] = strtoll(text, &end, 10);
        if (end == text || errno == ERANGE || (*end != ',' && *end != '\0'))
            break;
        count++;
        if (*end != ',')
            break;
        text = end + 1;
    }
    return count;
}
