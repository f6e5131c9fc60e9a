/* Writes the text of man pages: the macros of man(7). */
#ifndef TMA_CLI_ROFF_H
#define TMA_CLI_ROFF_H

#include <stdio.h>

/* What a page begins with: "tmasim-run", "1", and one sentence. */
void cli_roff_begin(const char *name, const char *section, const char *summary, FILE *out);

/* Begins a section (".SH") or a part of one (".SS"). The heading may have backquotes. */
void cli_roff_section(const char *macro, const char *heading, FILE *out);

/* Writes a text as it stands, with what is special to roff escaped. */
void cli_roff_literal(const char *text, FILE *out);

/* Writes prose: what stands between backquotes is bold, an empty line ends a paragraph, and lines
 * that begin with two blanks keep their form. */
void cli_roff_prose(const char *text, FILE *out);

#endif
