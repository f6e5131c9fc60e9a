/* Characters of UTF-8. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Length in bytes of the UTF-8 sequence at the start of `text`; 0 where there is none (RFC 3629,
 * section 4). */
size_t tma_utf8_length(const char *text);

/* Returns the code point of a sequence of `length` bytes, as tma_utf8_length gives it, which is not
 * 0.
 */
uint32_t tma_utf8_code_point(const char *text, size_t length);

/* Returns how many bytes of `text` to show, at most `bytes`, so that no character is cut: the
 * precision of a "%.*s". A byte that is not UTF-8 counts as a character. */
int tma_text_cut(const char *text, int bytes);

/* Removes the part of a character at the end of a text that was cut. */
void tma_text_trim(char *text);
