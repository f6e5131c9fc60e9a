#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

const char *tma_error_meaning(enum tma_error_code code) {
    switch (code) {
#define TMA_ERROR_CASE(name, number, text)                                                         \
    case name:                                                                                     \
        return text;
        TMA_ERRORS(TMA_ERROR_CASE)
#undef TMA_ERROR_CASE
    }
    return "unknown error";
}

enum tma_error_code tma_fail(struct tma_error *error, enum tma_error_code code, const char *format,
                             ...) {
    if (error != NULL) {
        va_list arguments;
        va_start(arguments, format);
        error->code = code;
        int length = vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        if (length >= TMA_ERROR_TEXT_BYTES)
            tma_text_trim(error->text);
    }
    return code;
}
