#include "cli/messages.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "report/colour.h"
#include "report/escape.h"

int cli_error_status(enum tma_error_code code) {
    bool model = code == TMA_ERROR_DEADLOCK || code == TMA_ERROR_FAULT || code == TMA_ERROR_RACE ||
                 code == TMA_ERROR_MODEL;
    return model ? CLI_MODEL : CLI_ERROR;
}

/* Files that messages give another name. */
static struct { const char *path, *name; } named_files[CLI_MOST_NAMED_FILES];
static size_t named_file_count;

void cli_name_file(const char *path, const char *name) {
    assert(named_file_count < CLI_MOST_NAMED_FILES);
    named_files[named_file_count].path = path;
    named_files[named_file_count++].name = name;
}

const char *cli_file_name(const char *path) {
    for (size_t i = 0; i < named_file_count; i++)
        if (strcmp(path, named_files[i].path) == 0)
            return named_files[i].name;
    return path;
}

/* Prints a message, which begins with the path of a file, maybe. */
static void print_named(const char *text) {
    for (size_t i = 0; i < named_file_count; i++) {
        size_t length = strlen(named_files[i].path);
        if (strncmp(text, named_files[i].path, length) != 0 || text[length] != ':')
            continue;
        tma_write_printable(named_files[i].name, stderr);
        text += length;
        break;
    }
    tma_write_printable(text, stderr);
}

static void print_message(const char *severity, enum tma_colour colour, const char *format,
                          va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : tma_allocate((size_t)length + 1, 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    fputs("tmasim: ", stderr);
    tma_write_coloured(severity, colour, stderr);
    fputc(' ', stderr);
    if (text != NULL)
        print_named(text);
    else
        fputs("out of memory", stderr);
    fputc('\n', stderr);
    tma_release(text);
}

bool cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message("error:", TMA_COLOUR_BAD, format, arguments);
    va_end(arguments);
    return false;
}

void cli_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message("note:", TMA_COLOUR_CAUTION, format, arguments);
    va_end(arguments);
}

static void print_diagnostic(struct tma_location at, const char *text) {
    fputs(tma_colour(stderr, TMA_COLOUR_BOLD), stderr);
    tma_write_printable(cli_file_name(at.file), stderr);
    fputc(':', stderr);
    if (at.line > 0)
        fprintf(stderr, "%u:%u:", at.line, at.column);
    fprintf(stderr, "%s ", tma_colour(stderr, TMA_COLOUR_PLAIN));
    tma_write_coloured("error:", TMA_COLOUR_BAD, stderr);
    fputc(' ', stderr);
    tma_write_printable(text, stderr);
    fputc('\n', stderr);
}

void cli_print_diagnostics(const struct tma_diagnostics *list) {
    const struct tma_diagnostic_reserve *reserve = &list->reserve;
    size_t more = list->dropped;
    for (size_t i = 0; i < list->count; i++)
        print_diagnostic(list->items[i].at, list->items[i].text);
    if (reserve->code != TMA_OK) {
        print_diagnostic(reserve->at, reserve->text);
        more--;
    }
    if (reserve->code != TMA_OK && reserve->code != TMA_ERROR_MEMORY)
        cli_error("out of memory");
    if (more > 0)
        cli_error("and %zu more errors", more);
}

void cli_first_error(const struct tma_diagnostics *list, char *text, size_t size) {
    const struct tma_diagnostic *first = list->count > 0 ? &list->items[0] : NULL;
    struct tma_location at = first != NULL ? first->at : list->reserve.at;
    const char *said = first != NULL ? first->text : list->reserve.text;
    size_t total = tma_diagnostics_total(list);
    char more[40] = "";
    if (total > 1)
        snprintf(more, sizeof more, " (and %zu more)", total - 1);
    if (at.line > 0)
        snprintf(text, size, "%s:%u:%u: %s%s", cli_file_name(at.file), at.line, at.column, said,
                 more);
    else
        snprintf(text, size, "%s: %s%s", cli_file_name(at.file), said, more);
}
