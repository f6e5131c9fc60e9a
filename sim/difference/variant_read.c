/* Reads reports and sweeps. JSON is read by the parser of YAML, of which it is a part: it has
 * limits and gives the place of each error. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "difference/variant.h"
#include "scenario/document.h"
#include "scenario/text_file.h"

/* Reads the rows of a sweep as CSV (RFC 4180). */

enum { MOST_CELLS = 64, VARIANT_CSV_NAME_BYTES = 4096 };

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

static void name_row(const struct csv_table *table, char name[VARIANT_CSV_NAME_BYTES]) {
    size_t used = 0;
    name[0] = '\0';
    for (size_t i = 1; i < table->figures && used < VARIANT_CSV_NAME_BYTES; i++) {
        if (table->row.cells[i][0] == '\0')
            continue; /* the row does not set it */
        int length = snprintf(name + used, VARIANT_CSV_NAME_BYTES - used, "%s%s=%s",
                              used == 0 ? "" : ", ", table->head.cells[i], table->row.cells[i]);
        used += length < 0 ? 0 : (size_t)length;
    }
}

static bool add_row(const struct csv_table *table, struct tma_variant *variant) {
    char name[VARIANT_CSV_NAME_BYTES];
    name_row(table, name);
    bool good = tma_variant_add_case(variant, name);
    for (size_t i = table->figures; good && i < table->row.count; i++)
        if (table->row.cells[i][0] != '\0')
            good = tma_variant_add_measure(variant, table->head.cells[i], table->row.cells[i],
                                           table->row.quoted[i]);
    return good;
}

static bool variant_csv_fail(struct tma_diagnostics *list, const char *file, unsigned line,
                             const char *why) {
    enum tma_error_code code = line == 0 ? TMA_ERROR_MEMORY : TMA_ERROR_SYNTAX;
    return tma_diagnose(list, code, (struct tma_location){file, line, line > 0 ? 1 : 0}, "%s", why);
}

static bool read_rows(struct csv_table *table, struct tma_variant *variant, const char *text,
                      const char *file, struct tma_diagnostics *list) {
    const char *why;
    const char *next = read_line(&table->head, text, &why);
    if (next == NULL)
        return variant_csv_fail(list, file, 1, why);
    if (!find_figures(table))
        return variant_csv_fail(list, file, 1, "expected the columns of `sweep --format csv`");
    for (unsigned number = 2; *next != '\0'; number++) {
        next = read_line(&table->row, next, &why);
        if (next == NULL)
            return variant_csv_fail(list, file, number, why);
        if (table->row.count != table->head.count)
            return variant_csv_fail(list, file, number,
                                    "the row has not as many cells as there are columns");
        if (!add_row(table, variant))
            return variant_csv_fail(list, file, 0, "out of memory");
    }
    return true;
}

/* Adds a case for each row. `text` ends with a NUL; its first line names the columns. Returns
 * false, with the error in the list, if it is not such a table. */
static bool variant_read_csv(struct tma_variant *variant, const char *text, const char *file,
                             struct tma_diagnostics *list) {
    size_t bytes = strlen(text) + MOST_CELLS + 1;
    struct csv_table *table = tma_allocate(1, sizeof *table);
    bool good = table != NULL;
    if (good) {
        table->head.bytes = tma_allocate(bytes, 1);
        table->row.bytes = tma_allocate(bytes, 1);
        good = table->head.bytes != NULL && table->row.bytes != NULL;
    }
    good = good ? read_rows(table, variant, text, file, list)
                : variant_csv_fail(list, file, 0, "out of memory");
    if (table != NULL) {
        TMA_RELEASE(table->head.bytes, table->row.bytes);
    }
    tma_release(table);
    return good;
}

enum { NAME_BYTES = 512 };

struct reading {
    struct tma_variant *variant;
    struct tma_diagnostics *list;
    const char *file;
    bool out_of_memory;
};

static bool is_scalar_list(const struct tma_yaml_node *list) {
    for (const struct tma_yaml_node *item = list->first; item != NULL; item = item->next)
        if (item->kind != TMA_YAML_SCALAR)
            return false;
    return true;
}

static void add(struct reading *reading, const char *name, const struct tma_yaml_node *scalar) {
    /* The text of a quoted value begins one column behind the value. */
    bool is_quoted = scalar->text_column != scalar->at.column;
    reading->out_of_memory |=
        !tma_variant_add_measure(reading->variant, name, scalar->text, is_quoted);
}

/* A list of numbers or words is one figure: "[1, 2]". */
static void add_list(struct reading *reading, const char *name, const struct tma_yaml_node *list) {
    char *text = NULL;
    size_t length;
    FILE *out = tma_open_text(&text, &length);
    if (out == NULL) {
        reading->out_of_memory = true;
        return;
    }
    for (const struct tma_yaml_node *item = list->first; item != NULL; item = item->next)
        fprintf(out, "%s%s", item == list->first ? "[" : ", ", item->text);
    fputs(list->first == NULL ? "[]" : "]", out);
    reading->out_of_memory |=
        !tma_close_text(out, &text) || !tma_variant_add_measure(reading->variant, name, text, true);
    tma_release(text);
}

/* What names an item of a list in a report: its name, or its place. */
static const char *label_of(const struct tma_yaml_node *item, char place[16], unsigned index) {
    static const char *const keys[] = {"name", "cause", "key"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const struct tma_yaml_node *found = tma_yaml_find(item, keys[i]);
        if (item->kind == TMA_YAML_MAPPING && found != NULL && found->text != NULL)
            return found->text;
    }
    snprintf(place, 16, "%u", index);
    return place;
}

static void flatten(struct reading *reading, const struct tma_yaml_node *node, const char *name) {
    char below[NAME_BYTES], place[16];
    unsigned index = 0;
    if (node->kind == TMA_YAML_SCALAR) {
        add(reading, name, node);
        return;
    }
    if (node->kind == TMA_YAML_LIST && is_scalar_list(node)) {
        add_list(reading, name, node);
        return;
    }
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next) {
        const char *step = child->key != NULL ? child->key : label_of(child, place, index++);
        snprintf(below, sizeof below, "%s%s%s", name, name[0] == '\0' ? "" : ".", step);
        flatten(reading, child, below);
    }
}

static const char *text_at(const struct tma_yaml_node *node, const char *path) {
    const struct tma_yaml_node *found = tma_yaml_find(node, path);
    return found == NULL || found->text == NULL ? "" : found->text;
}

static void keep(char *to, size_t size, const char *text) {
    if (text[0] != '\0')
        snprintf(to, size, "%s", text);
}

/* Elements that say what the figures are of. */
static bool is_provenance(const char *key) {
    static const char *const keys[] = {"tmasim", "digest", "partial", "row", "set"};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (strcmp(key, keys[i]) == 0)
            return true;
    return false;
}

static void take_case(struct reading *reading, const char *name, const struct tma_yaml_node *root) {
    struct tma_variant *variant = reading->variant;
    keep(variant->version, sizeof variant->version, text_at(root, "tmasim"));
    keep(variant->machine, sizeof variant->machine, text_at(root, "digest.machine"));
    keep(variant->scenario, sizeof variant->scenario, text_at(root, "digest.scenario"));
    variant->partial |= strcmp(text_at(root, "partial"), "true") == 0;
    if (!tma_variant_add_case(variant, name)) {
        reading->out_of_memory = true;
        return;
    }
    for (const struct tma_yaml_node *child = root->first; child != NULL; child = child->next)
        if (!is_provenance(child->key))
            flatten(reading, child, child->key);
}

/* "workload.pipeline.depth=2, M=4096" */
static char *settings_name(const struct tma_yaml_node *set) {
    char *text = NULL;
    size_t length;
    FILE *out = tma_open_text(&text, &length);
    if (out == NULL)
        return NULL;
    for (const struct tma_yaml_node *item = set->first; item != NULL; item = item->next)
        fprintf(out, "%s%s=%s", item == set->first ? "" : ", ", item->key,
                item->text == NULL ? "" : item->text);
    return tma_close_text(out, &text) ? text : NULL;
}

static bool fail(struct reading *reading, unsigned line, const char *why) {
    return tma_diagnose(reading->list, TMA_ERROR_SYNTAX,
                        (struct tma_location){reading->file, line, line > 0 ? 1 : 0}, "%s", why);
}

static bool has_memory(struct reading *reading) {
    if (reading->out_of_memory)
        tma_diagnose(reading->list, TMA_ERROR_MEMORY, (struct tma_location){reading->file, 0, 0},
                     "out of memory");
    return !reading->out_of_memory;
}

static bool take_report(struct reading *reading, const char *name, const char *text,
                        size_t length) {
    size_t errors = tma_diagnostics_total(reading->list);
    struct tma_yaml_node *root = tma_yaml_parse_mapping(text, length, reading->file, reading->list);
    if (root != NULL)
        take_case(reading, name, root);
    tma_yaml_free(root);
    return has_memory(reading) && tma_diagnostics_total(reading->list) == errors;
}

bool tma_variant_add_report(struct tma_variant *variant, const char *name, const char *text,
                            size_t length, const char *file, struct tma_diagnostics *list) {
    struct reading reading = {variant, list, file, false};
    return take_report(&reading, name, text, length);
}

/* A line is a row of a sweep, a report, the head of a journal, or says that a sweep is partial. */
static bool take_line(struct reading *reading, const char *text, size_t length, unsigned number) {
    struct tma_diagnostics list = {0};
    struct tma_yaml_node *root = tma_yaml_parse_mapping(text, length, reading->file, &list);
    bool good = root != NULL && tma_diagnostics_total(&list) == 0;
    reading->out_of_memory |= tma_diagnostics_lack_memory(&list);
    if (!good && !reading->out_of_memory)
        fail(reading, number,
             "not a line of JSON: expected an object, as `sweep --format jsonl` "
             "and `run --format json` write it");
    tma_diagnostics_free(&list);
    const struct tma_yaml_node *set = good ? tma_yaml_find(root, "set") : NULL;
    if (good && set != NULL) {
        char *name = settings_name(set);
        reading->out_of_memory |= name == NULL;
        if (name != NULL)
            take_case(reading, name, root);
        tma_release(name);
    } else if (good && tma_yaml_find(root, "cycles") != NULL) {
        take_case(reading, text_at(root, "scenario"), root);
    } else if (good) {
        keep(reading->variant->version, sizeof reading->variant->version, text_at(root, "tmasim"));
        reading->variant->partial |= strcmp(text_at(root, "partial"), "true") == 0;
    }
    tma_yaml_free(root);
    return has_memory(reading) && good;
}

static bool take_lines(struct reading *reading, const char *text, size_t length) {
    const char *end = text + length;
    unsigned number = 0;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t bytes = newline == NULL ? (size_t)(end - text) : (size_t)(newline - text);
        number++;
        if (bytes > 0 && !take_line(reading, text, bytes, number))
            return false;
        text += bytes + (newline != NULL);
    }
    return true;
}

/* A report takes many lines, and its first one is the bracket alone. */
static bool is_json_lines(const char *text) {
    size_t line = strcspn(text, "\n");
    while (line > 0 && strchr(" \t\r", text[line - 1]) != NULL)
        line--;
    return line > 1 && text[line - 1] == '}';
}

static bool take_text(struct reading *reading, const char *text, size_t length) {
    if (text[0] == '{')
        return is_json_lines(text) ? take_lines(reading, text, length)
                                   : take_report(reading, "", text, length);
    if (strncmp(text, "row,", 4) == 0)
        return variant_read_csv(reading->variant, text, reading->file, reading->list);
    return fail(reading, 1,
                "expected a report (run --format json), a sweep (--format csv or jsonl) or a "
                "trace (run --trace)");
}

bool tma_variant_read(const char *path, struct tma_variant *variant, struct tma_diagnostics *list) {
    struct reading reading = {variant, list, path, false};
    struct tma_error error = {0};
    char *text = NULL;
    size_t length;
    *variant = (struct tma_variant){.name = tma_copy_text(path)};
    reading.out_of_memory = variant->name == NULL;
    if (!has_memory(&reading))
        return false;
    enum tma_error_code code =
        tma_text_read_up_to(path, TMA_LIMIT_RESULT_BYTES, &text, &length, &error);
    if (code != TMA_OK)
        return tma_diagnose(list, code, (struct tma_location){path, 0, 0}, "%s", error.text);
    bool good = take_text(&reading, text, length);
    tma_release(text);
    if (good && variant->count == 0)
        return fail(&reading, 0, "the file has no run");
    return good;
}
