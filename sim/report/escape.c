#include "report/escape.h"

#include <stdbool.h>
#include <string.h>

size_t tma_utf8_length(const char *text) {
    static const struct {
        unsigned char first, last, second_low, second_high, length;
    } forms[] = {
        {0x00, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
        if (bytes[0] < forms[i].first || bytes[0] > forms[i].last)
            continue;
        if (forms[i].length > 1 &&
            (bytes[1] < forms[i].second_low || bytes[1] > forms[i].second_high))
            return 0;
        for (size_t at = 2; at < forms[i].length; at++)
            if ((bytes[at] & 0xc0) != 0x80)
                return 0;
        return forms[i].length;
    }
    return 0;
}

size_t tma_printable_length(const char *text) {
    const unsigned char *bytes = (const unsigned char *)text;
    if (bytes[0] < 0x20 || bytes[0] == 0x7f || (bytes[0] == 0xc2 && bytes[1] < 0xa0))
        return 0;
    return tma_utf8_length(text);
}

/* Writes a character, or \xNN for a byte that is not printable; returns the bytes consumed. */
static size_t write_character(const char *text, FILE *out) {
    size_t length = tma_printable_length(text);
    if (length == 0) {
        fprintf(out, "\\x%02x", (unsigned char)*text);
        return 1;
    }
    return fwrite(text, 1, length, out) == 0 ? 1 : length;
}

void tma_write_printable(const char *text, FILE *out) {
    while (*text != '\0')
        text += write_character(text, out);
}

void tma_write_xml(const char *text, FILE *out) {
    while (*text != '\0') {
        const char *entity = *text == '<' ? "&lt;" : *text == '>' ? "&gt;" : "&amp;";
        if (strchr("<>&", *text) == NULL) {
            text += write_character(text, out);
        } else {
            fputs(entity, out);
            text++;
        }
    }
}

void tma_write_markdown(const char *text, FILE *out) {
    while (*text != '\0') {
        bool ends_link_text = text[0] == ']' && (text[1] == '(' || text[1] == '[');
        if (ends_link_text || strchr("\\`*<>&|", *text) != NULL)
            fputc('\\', out);
        text += write_character(text, out);
    }
}
