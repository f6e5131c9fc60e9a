#include "search/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/digest.h"
#include "base/version.h"
#include "report/json_writer.h"
#include "scenario/document.h"

const char *tma_journal_text(const struct tma_yaml_node *line, const char *key) {
    const struct tma_yaml_node *found = tma_yaml_find(line, key);
    return found == NULL || found->text == NULL ? "" : found->text;
}

static const struct tma_yaml_node *find_key(const struct tma_yaml_node *mapping, const char *key) {
    const struct tma_yaml_node *node = mapping == NULL ? NULL : mapping->first;
    while (node != NULL && (node->key == NULL || strcmp(node->key, key) != 0))
        node = node->next;
    return node;
}

bool tma_journal_has_settings(const struct tma_yaml_node *line, const char *const *columns,
                              size_t column_count, const char *const *values) {
    const struct tma_yaml_node *set = tma_yaml_find(line, "set");
    size_t count = 0;
    for (size_t i = 0; i < column_count; i++) {
        const struct tma_yaml_node *node = find_key(set, columns[i]);
        const char *text = node == NULL ? NULL : node->text;
        if ((text == NULL) != (values[i] == NULL) || (text != NULL && strcmp(text, values[i]) != 0))
            return false;
        count += text != NULL;
    }
    return set != NULL && tma_yaml_count(set) == count;
}

uint64_t tma_journal_whole(const struct tma_yaml_node *line, const char *key) {
    return strtoull(tma_journal_text(line, key), NULL, 10);
}

double tma_journal_fraction(const struct tma_yaml_node *line, const char *key) {
    return strtod(tma_journal_text(line, key), NULL);
}

struct tma_timing_trust tma_journal_trust(const struct tma_yaml_node *line) {
    return (struct tma_timing_trust){
        .validated = strcmp(tma_journal_text(line, "timing_validated"), "true") == 0,
        .edited = strcmp(tma_journal_text(line, "timing_edited"), "true") == 0,
        .public_data = strcmp(tma_journal_text(line, "timing_public"), "true") == 0};
}

static struct tma_sweep_figures read_figures(const struct tma_yaml_node *line) {
    struct tma_sweep_figures figures = {
        .cycles = tma_journal_whole(line, "cycles"),
        .latency_cycles = tma_journal_whole(line, "latency_cycles"),
        .dram_bytes = tma_journal_whole(line, "dram_bytes"),
        .excess_wavefronts = tma_journal_whole(line, "excess_wavefronts"),
        .time_ns = tma_journal_fraction(line, "time_ns"),
        .gigabytes_per_second = tma_journal_fraction(line, "gigabytes_per_second"),
        .bytes_per_cycle_per_sm = tma_journal_fraction(line, "bytes_per_cycle_per_sm"),
        .l2_hit_fraction = tma_journal_fraction(line, "l2_hit_fraction"),
        .busy = tma_journal_fraction(line, "busy"),
        .trust = tma_journal_trust(line),
        .simulated_percent = tma_journal_fraction(line, "sampled.simulated_percent"),
        .error_percent = tma_journal_fraction(line, "sampled.error_percent"),
    };
    snprintf(figures.busiest, sizeof figures.busiest, "%s", tma_journal_text(line, "busiest"));
    return figures;
}

/* What stands before the digest of a row, which is that of the line without it. */
static const char digest_key[] = ", \"digest\": \"";

/* Writes the row as a line that shows whether it was changed. */
static bool write_row(const struct tma_journal *journal, size_t row) {
    char *text = NULL, digest[TMA_DIGEST_TEXT_BYTES];
    size_t length = 0;
    FILE *memory = tma_open_text(&text, &length);
    if (memory == NULL)
        return false;
    journal->rows.write(journal->rows.context, row, memory);
    if (!tma_close_text(memory, &text))
        return false;
    length = strlen(text) - 2; /* without "}\n" */
    tma_digest_text(tma_digest_add(TMA_DIGEST_EMPTY, text, length), digest);
    bool good = fprintf(journal->file, "%.*s%s%s\"}\n", (int)length, text, digest_key, digest) > 0;
    tma_release(text);
    return good;
}

/* Whether the line is as it was written. */
static bool is_whole(const char *text, size_t length) {
    enum { TAIL_BYTES = sizeof digest_key - 1 + TMA_DIGEST_TEXT_BYTES - 1 + 2 };
    char tail[TAIL_BYTES + 1], digest[TMA_DIGEST_TEXT_BYTES];
    if (length < TAIL_BYTES)
        return false;
    tma_digest_text(tma_digest_add(TMA_DIGEST_EMPTY, text, length - TAIL_BYTES), digest);
    snprintf(tail, sizeof tail, "%s%s\"}", digest_key, digest);
    return memcmp(text + length - TAIL_BYTES, tail, TAIL_BYTES) == 0;
}

static void take_row(void *context, const struct tma_yaml_node *line) {
    struct tma_sweep *sweep = context;
    uint64_t number = tma_journal_whole(line, "row");
    if (number < 1 || number > sweep->row_count || tma_yaml_find(line, "error") != NULL ||
        tma_yaml_find(line, "cycles") == NULL)
        return;
    struct tma_sweep_row *row = &sweep->rows[number - 1];
    if (!tma_journal_has_settings(line, sweep->columns, sweep->column_count, row->values))
        return;
    row->done = true;
    row->figures = read_figures(line);
}

static void write_sweep_row(const void *context, size_t row, FILE *out) {
    tma_sweep_write_line(context, row, out);
}

struct tma_journal_rows tma_journal_of_sweep(struct tma_sweep *sweep) {
    return (struct tma_journal_rows){.name = sweep->scenario,
                                     .parts = "the scenario, its machine",
                                     .context = sweep,
                                     .write = write_sweep_row,
                                     .take = take_row};
}

static void note_damage(const struct tma_journal *journal, unsigned number) {
    char text[TMA_ERROR_TEXT_BYTES];
    snprintf(text, sizeof text, "%s:%u: the row is damaged: it is simulated again", journal->path,
             number);
    journal->host->note(journal->host->context, text);
}

/* Reads a line, without its newline. False if the journal is not ours. */
static bool take_line(const struct tma_journal *journal, unsigned number, const char *text,
                      size_t length, const char *digest, struct tma_error *error) {
    const char *path = journal->path;
    struct tma_diagnostics list = {0};
    struct tma_yaml_node *line = tma_yaml_parse(text, length, path, &list);
    bool good = line != NULL && line->kind == TMA_YAML_MAPPING;
    if (!good)
        tma_fail(error, TMA_ERROR_FILE, "%s:%u: not a line of a sweep's journal", path, number);
    else if (number > 1 && !is_whole(text, length))
        note_damage(journal, number);
    else if (number > 1)
        journal->rows.take(journal->rows.context, line);
    else if (strcmp(tma_journal_text(line, "digest"), digest) != 0) {
        tma_fail(error, TMA_ERROR_FILE,
                 "%s is the journal of another sweep: %s, --set, --sample or the version of tmasim "
                 "differ; name another file, or delete it",
                 path, journal->rows.parts);
        good = false;
    }
    tma_yaml_free(line);
    tma_diagnostics_free(&list);
    return good;
}

/* Reads all whole lines. Gives the bytes that they have together. */
static bool read_lines(const struct tma_journal *journal, const char *digest, off_t *good_bytes,
                       struct tma_error *error) {
    size_t size = 0, capacity = 1 << 12;
    char *line = tma_allocate(capacity, 1);
    bool good = line != NULL;
    unsigned number = 0;
    *good_bytes = 0;
    for (int c; good && (c = getc(journal->file)) != EOF;) {
        if (c == '\n') {
            good = take_line(journal, ++number, line, size, digest, error);
            *good_bytes += (off_t)size + 1;
            size = 0;
            continue;
        }
        if (size == capacity) {
            char *grown = tma_resize(line, 2 * capacity, 1);
            if (grown == NULL) {
                good = false;
                break;
            }
            line = grown;
            capacity *= 2;
        }
        line[size++] = (char)c;
    }
    if (line == NULL || (!good && size == capacity))
        tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    tma_release(line);
    return good;
}

static bool begin(struct tma_journal *journal, const char *digest) {
    struct tma_json json = {.out = journal->file};
    tma_json_begin_line(&json, NULL);
    tma_json_string(&json, "sweep", journal->rows.name);
    tma_json_string(&json, "digest", digest);
    tma_json_string(&json, "tmasim", TMA_VERSION);
    tma_json_end_object(&json);
    return fflush(journal->file) == 0;
}

static enum tma_error_code fail(const struct tma_journal *journal, struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_FILE, "cannot write %s: %s", journal->path, strerror(errno));
}

enum tma_error_code tma_journal_open(struct tma_journal *journal, const char *path,
                                     const char *digest, const struct tma_host *host,
                                     const struct tma_journal_rows *rows, struct tma_error *error) {
    off_t bytes;
    *journal = (struct tma_journal){.path = path, .host = host, .rows = *rows};
    struct tma_error own = {.text = ""};
    error = error == NULL ? &own : error;
    if (path == NULL)
        return TMA_OK;
    journal->file = fopen(path, "a+");
    if (journal->file == NULL)
        return fail(journal, error);
    struct stat status;
    if (fstat(fileno(journal->file), &status) != 0 || !S_ISREG(status.st_mode)) {
        return tma_fail(error, TMA_ERROR_FILE, "cannot use %s as a journal: it is no regular file",
                        path);
    }
    rewind(journal->file);
    if (!read_lines(journal, digest, &bytes, error))
        return error->code;
    if (fflush(journal->file) != 0 || ftruncate(fileno(journal->file), bytes) != 0 ||
        fseek(journal->file, 0, SEEK_END) != 0 || (bytes == 0 && !begin(journal, digest)))
        return fail(journal, error);
    return TMA_OK;
}

enum tma_error_code tma_journal_add(const struct tma_journal *journal, size_t row,
                                    struct tma_error *error) {
    if (journal->file == NULL || (write_row(journal, row) && fflush(journal->file) == 0))
        return TMA_OK;
    return fail(journal, error);
}

void tma_journal_close(struct tma_journal *journal) {
    if (journal->file != NULL)
        fclose(journal->file);
    journal->file = NULL;
}
