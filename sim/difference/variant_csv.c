#include "difference/variant_csv.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"

enum { MOST_CELLS = 64, NAME_BYTES = 4096 };

/* The cells of a line. Their texts lie in `bytes`, one behind the other. */
struct csv_line {
    char *bytes; /* owned */
    size_t used;
    const char *cells[MOST_CELLS];
    bool quoted[MOST_CELLS];
    size_t count;
};

/* Reads a cell up to the comma or the end of the line. Returns what follows the cell, or NULL if a
 * quote is not closed. */
static const char *read_cell(struct csv_line *line, const char *text) {
    char *cell = line->bytes + line->used;
    bool quoted = *text == '"';
    line->cells[line->count] = cell;
    line->quoted[line->count] = quoted;
    line->count++;
    text += quoted;
    while (*text != '\0' && (quoted || strchr(",\r\n", *text) == NULL)) {
        if (quoted && *text == '"' && text[1] != '"') {
            quoted = false;
            text++;
            break;
        }
        text += quoted && *text == '"';
        line->bytes[line->used++] = *text++;
    }
    line->bytes[line->used++] = '\0';
    return quoted ? NULL : text;
}

/* Reads a line. Returns what follows it, or NULL, with the reason in *why. */
static const char *read_line(struct csv_line *line, const char *text, const char **why) {
    line->count = line->used = 0;
    for (;;) {
        if (line->count == MOST_CELLS) {
            *why = "too many columns";
            return NULL;
        }
        text = read_cell(line, text);
        *why = "a quote is not closed";
        if (text == NULL)
            return NULL;
        if (*text != ',')
            break;
        text++;
    }
    text += *text == '\r';
    *why = "expected a comma or the end of the line behind a closing quote";
    return *text == '\0' ? text : *text == '\n' ? text + 1 : NULL;
}

struct csv_table {
    struct csv_line head, row;
    size_t figures; /* the first column that is a figure; settings come before it */
};

/* Finds the column "cycles", where the figures begin. */
static bool find_figures(struct csv_table *table) {
    for (table->figures = 1; table->figures < table->head.count; table->figures++)
        if (!table->head.quoted[table->figures])
            return true;
    return false;
}

static void name_row(const struct csv_table *table, char name[NAME_BYTES]) {
    size_t used = 0;
    name[0] = '\0';
    for (size_t i = 1; i < table->figures && used < NAME_BYTES; i++) {
        if (table->row.cells[i][0] == '\0')
            continue; /* the row does not set it */
        int length = snprintf(name + used, NAME_BYTES - used, "%s%s=%s", used == 0 ? "" : ", ",
                              table->head.cells[i], table->row.cells[i]);
        used += length < 0 ? 0 : (size_t)length;
    }
}

static bool add_row(const struct csv_table *table, struct tma_variant *variant) {
    char name[NAME_BYTES];
    name_row(table, name);
    bool good = tma_variant_add_case(variant, name);
    for (size_t i = table->figures; good && i < table->row.count; i++)
        if (table->row.cells[i][0] != '\0')
            good = tma_variant_add_measure(variant, table->head.cells[i], table->row.cells[i],
                                           table->row.quoted[i]);
    return good;
}

static bool fail(struct tma_diagnostics *list, const char *file, unsigned line, const char *why) {
    enum tma_error_code code = line == 0 ? TMA_ERROR_MEMORY : TMA_ERROR_SYNTAX;
    tma_diagnose(list, code, (struct tma_location){file, line, line > 0 ? 1 : 0}, "%s", why);
    return false;
}

static bool read_rows(struct csv_table *table, struct tma_variant *variant, const char *text,
                      const char *file, struct tma_diagnostics *list) {
    const char *why;
    const char *next = read_line(&table->head, text, &why);
    if (next == NULL)
        return fail(list, file, 1, why);
    if (!find_figures(table))
        return fail(list, file, 1, "expected the columns of `sweep --format csv`");
    for (unsigned number = 2; *next != '\0'; number++) {
        next = read_line(&table->row, next, &why);
        if (next == NULL)
            return fail(list, file, number, why);
        if (table->row.count != table->head.count)
            return fail(list, file, number, "the row has not as many cells as there are columns");
        if (!add_row(table, variant))
            return fail(list, file, 0, "out of memory");
    }
    return true;
}

bool tma_variant_read_csv(struct tma_variant *variant, const char *text, const char *file,
                          struct tma_diagnostics *list) {
    size_t bytes = strlen(text) + MOST_CELLS + 1;
    struct csv_table *table = tma_allocate(1, sizeof *table);
    bool good = table != NULL;
    if (good) {
        table->head.bytes = tma_allocate(bytes, 1);
        table->row.bytes = tma_allocate(bytes, 1);
        good = table->head.bytes != NULL && table->row.bytes != NULL;
    }
    good =
        good ? read_rows(table, variant, text, file, list) : fail(list, file, 0, "out of memory");
    if (table != NULL) {
        tma_release(table->head.bytes);
        tma_release(table->row.bytes);
    }
    tma_release(table);
    return good;
}
