#include "report/escape.h"

#include <stdbool.h>
#include <string.h>

void tma_write_xml(const char *text, FILE *out) {
    while (*text != '\0') {
        const char *entity = *text == '<'   ? "&lt;"
                             : *text == '>' ? "&gt;"
                             : *text == '"' ? "&quot;"
                                            : "&amp;";
        if (strchr("<>&\"", *text) == NULL) {
            text += tma_write_printable_character(text, out);
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
        text += tma_write_printable_character(text, out);
    }
}

void tma_write_csv(const char *text, FILE *out) {
    bool is_number = (*text == '-' || *text == '+') && text[1] != '\0' &&
                     strspn(text + 1, "0123456789.") == strlen(text + 1);
    fputc('"', out);
    if (*text != '\0' && strchr("=+-@\t\r", *text) != NULL && !is_number)
        fputc('\'', out);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', out);
        fputc(*text, out);
    }
    fputc('"', out);
}
