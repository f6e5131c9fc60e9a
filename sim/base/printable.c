#include "base/printable.h"

#include <stdbool.h>
#include <stdint.h>

#include "base/utf8.h"

/* Control characters, those that end a line, and those that change the direction of text: with the
 * last ones, a name could make a line show something else than it says. */
static bool is_control(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x200e || code == 0x200f ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
           code == 0xfeff || code == 0xfffe || code == 0xffff;
}

size_t tma_printable_length(const char *text) {
    size_t length = tma_utf8_length(text);
    return length == 0 || is_control(tma_utf8_code_point(text, length)) ? 0 : length;
}

size_t tma_write_printable_character(const char *text, FILE *out) {
    size_t length = tma_printable_length(text);
    if (length == 0) {
        fprintf(out, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    return fwrite(text, 1, length, out) == 0 ? 1 : length;
}

void tma_write_printable(const char *text, FILE *out) {
    while (*text != '\0')
        text += tma_write_printable_character(text, out);
}
