#include "cli/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/escape.h"

int cli_error_status(enum tma_error_code code) {
    return code == TMA_ERROR_DEADLOCK || code == TMA_ERROR_FAULT ? CLI_MODEL : CLI_ERROR;
}

static void print_message(const char *severity, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : malloc((size_t)length + 1);
    if (text != NULL)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    fprintf(stderr, "tmasim: %s: ", severity);
    tma_write_printable(text == NULL ? "out of memory" : text, stderr);
    fputc('\n', stderr);
    free(text);
}

void cli_error(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message("error", format, arguments);
    va_end(arguments);
}

void cli_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message("note", format, arguments);
    va_end(arguments);
}

void cli_print_diagnostics(const struct tma_diagnostics *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct tma_diagnostic *item = &list->items[i];
        tma_write_printable(item->at.file, stderr);
        fputc(':', stderr);
        if (item->at.line > 0)
            fprintf(stderr, "%u:%u:", item->at.line, item->at.column);
        fputs(" error: ", stderr);
        tma_write_printable(item->text == NULL ? "out of memory" : item->text, stderr);
        fputc('\n', stderr);
    }
    if (list->dropped > 0 && tma_diagnostics_lack_memory(list))
        cli_error("out of memory");
    else if (list->dropped > 0)
        cli_error("and %zu more errors", list->dropped);
}
