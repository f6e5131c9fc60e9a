#include "cli/help/roff.h"

#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "base/version.h"

static void write_character(char c, FILE *out) {
    static const struct {
        char c;
        const char *escaped;
    } special[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'^', "\\(ha"}, {'~', "\\(ti"}, {'"', "\\(dq"}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (special[i].c == c) {
            fputs(special[i].escaped, out);
            return;
        }
    fputc(c, out);
}

void cli_roff_literal(const char *text, FILE *out) {
    if (text[0] == '.')
        fputs("\\&", out); /* else the line would be a macro */
    for (; *text != '\0'; text++)
        write_character(*text, out);
}

/* Writes the part of a line with its bold words. */
static void write_words(const char *text, size_t length, FILE *out) {
    bool bold = false;
    if (length > 0 && text[0] == '.')
        fputs("\\&", out);
    for (size_t i = 0; i < length; i++) {
        bool in_word = i > 0 && i + 1 < length && isalnum((unsigned char)text[i - 1]) &&
                       isalnum((unsigned char)text[i + 1]);
        if (text[i] == '`') {
            bold = !bold;
            fputs(bold ? "\\fB" : "\\fR", out);
        } else if (text[i] == '-' && in_word && !bold) {
            fputc('-', out); /* a hyphen, where a line may be broken */
        } else {
            write_character(text[i], out);
        }
    }
    fputs(bold ? "\\fR\n" : "\n", out);
}

static size_t line_length(const char *text) {
    return strcspn(text, "\n");
}

void cli_roff_prose(const char *text, FILE *out) {
    bool kept = false; /* in lines that keep their form */
    while (*text != '\0') {
        size_t length = line_length(text);
        bool keep = strncmp(text, "  ", 2) == 0;
        if (keep != kept)
            fputs(keep ? ".PP\n.nf\n" : ".fi\n", out);
        if (length == 0)
            fputs(".PP\n", out);
        else
            write_words(text, length, out);
        kept = keep;
        text += length;
        text += *text == '\n';
    }
    if (kept)
        fputs(".fi\n", out);
}

static void write_upper(const char *text, FILE *out) {
    for (; *text != '\0'; text++)
        write_character((char)toupper((unsigned char)*text), out);
}

void cli_roff_begin(const char *name, const char *section, const char *summary, FILE *out) {
    size_t length = strlen(summary);
    fputs(".\\\" `tmasim help --man` writes this page.\n.TH ", out);
    write_upper(name, out);
    fprintf(out, " %s %s \"tmasim %s\" \"tmasim manual\"\n.nh\n.ad l\n.SH NAME\n", section,
            TMA_VERSION_DATE, TMA_VERSION);
    cli_roff_literal(name, out);
    fputs(" \\- ", out);
    /* By custom, the line begins with a small letter and has no full stop. */
    bool acronym = isupper((unsigned char)summary[0]) && isupper((unsigned char)summary[1]);
    for (size_t i = 0; i < length - (summary[length - 1] == '.'); i++)
        write_character(i == 0 && !acronym ? (char)tolower((unsigned char)summary[i]) : summary[i],
                        out);
    fputc('\n', out);
}

void cli_roff_section(const char *macro, const char *heading, FILE *out) {
    fprintf(out, "%s ", macro);
    for (; *heading != '\0'; heading++) {
        if (*heading == '`')
            continue;
        if (strcmp(macro, ".SH") == 0)
            write_character((char)toupper((unsigned char)*heading), out);
        else
            write_character(*heading, out);
    }
    fputc('\n', out);
}
