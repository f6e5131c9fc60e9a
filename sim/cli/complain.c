#include "cli/complain.h"

#include <stdarg.h>
#include <stdio.h>

int cli_status_of(enum tma_error_code code) {
    return code == TMA_ERROR_DEADLOCK || code == TMA_ERROR_FAULT ? CLI_MODEL : CLI_BAD_INPUT;
}

static void say(const char *severity, const char *format, va_list arguments) {
    fprintf(stderr, "tmasim: %s: ", severity);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

void cli_complain(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("error", format, arguments);
    va_end(arguments);
}

void cli_note(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    say("note", format, arguments);
    va_end(arguments);
}

void cli_complain_all(const struct tma_diagnostics *list) {
    for (size_t i = 0; i < list->count; i++) {
        const struct tma_diagnostic *item = &list->items[i];
        fprintf(stderr, "%s:", item->at.file);
        if (item->at.line > 0)
            fprintf(stderr, "%u:%u:", item->at.line, item->at.column);
        fprintf(stderr, " error: %s\n", item->text == NULL ? "out of memory" : item->text);
    }
}
