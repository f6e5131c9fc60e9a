/* Text from outside (file names, names in scenarios, traces and records) on its way to a terminal.
 *
 * Control characters and bytes that are not UTF-8 become \xNN, so that no escape sequence reaches a
 * terminal. Write errors stay with the stream. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Length in bytes of the printable character at the start of `text`; 0 for a control character
 * (C0, DEL, C1, ends of lines, changes of direction) and for bytes that are not UTF-8. */
size_t tma_printable_length(const char *text);

/* Writes the character at the start of `text`, or \xNN for a byte that is not printable. Returns
 * how many bytes of `text` that was. */
size_t tma_write_printable_character(const char *text, FILE *out);

/* Writes a whole text. */
void tma_write_printable(const char *text, FILE *out);
