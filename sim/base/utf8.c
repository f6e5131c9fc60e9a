#include "base/utf8.h"

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

uint32_t tma_utf8_code_point(const char *text, size_t length) {
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    uint32_t code = (unsigned char)text[0] & first_bits[length];
    for (size_t i = 1; i < length; i++)
        code = code << 6 | ((unsigned char)text[i] & 0x3f);
    return code;
}

int tma_text_cut(const char *text, int bytes) {
    int end = 0;
    while (end < bytes && text[end] != '\0') {
        int length = (int)tma_utf8_length(text + end);
        if (end + length > bytes)
            break;
        end += length == 0 ? 1 : length;
    }
    return end;
}

void tma_text_trim(char *text) {
    size_t end = strlen(text), start = end;
    while (start > 0 && end - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    bool begins = start > 0 && (unsigned char)text[start - 1] >= 0xc0;
    if (begins && tma_utf8_length(text + start - 1) != end - start + 1)
        text[start - 1] = '\0';
}
