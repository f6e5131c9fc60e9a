/* Text from outside (file names, names in scenarios) on its way to a terminal or into markup.
 *
 * All three writers replace control characters and bytes that are not UTF-8 by \xNN, so that no
 * escape sequence reaches a terminal. Write errors stay with the stream. */
#ifndef TMA_REPORT_ESCAPE_H
#define TMA_REPORT_ESCAPE_H

#include <stddef.h>
#include <stdio.h>

/* Length in bytes of the UTF-8 sequence at the start of `text`; 0 where there is none (RFC 3629,
 * section 4). */
size_t tma_utf8_length(const char *text);

/* Length in bytes of the printable character at the start of `text`; 0 for a control character
 * (C0, DEL or C1) and for bytes that are not UTF-8. */
size_t tma_printable_length(const char *text);

/* Plain text. */
void tma_write_printable(const char *text, FILE *out);

/* Text content of XML: also escapes the characters <, > and &. */
void tma_write_xml(const char *text, FILE *out);

/* Text in Markdown, also in a cell of a table: also escapes the characters that are markup. */
void tma_write_markdown(const char *text, FILE *out);

#endif
