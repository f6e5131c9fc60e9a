/* Text from outside (file names, names in scenarios) on its way into markup. As on its way to a
 * terminal (base/printable.h), control characters and bytes that are not UTF-8 become \xNN. */
#pragma once

#include <stdio.h>

#include "base/printable.h"

/* Text content and attributes of XML: also escapes the characters <, >, " and &. */
void tma_write_xml(const char *text, FILE *out);

/* Text in Markdown, also in a cell of a table: also escapes the characters that are markup. */
void tma_write_markdown(const char *text, FILE *out);

/* A cell of CSV (RFC 4180), in quotes. A text that a spreadsheet would take for a formula begins
 * with an apostrophe there, which makes it data; a number stays one. */
void tma_write_csv(const char *text, FILE *out);
