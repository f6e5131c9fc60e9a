#include "report/text_line.h"

#include <stdarg.h>

void tma_text_label(const char *label, FILE *out) {
    fprintf(out, "%-20s", label);
}

void tma_text_line(FILE *out, const char *label, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    tma_text_label(label == NULL ? "" : label, out);
    vfprintf(out, format, arguments);
    fputc('\n', out);
    va_end(arguments);
}
