/* Reads streams whole. */
#pragma once

#include <stddef.h>
#include <stdio.h>

/* Reads up to `most` bytes of a stream into a text that grows with what the stream has, and ends it
 * with a NUL that *length does not count. The caller releases it. NULL: out of memory. Whether the
 * stream failed, ferror() says, and errno why. */
char *tma_read_stream(FILE *file, size_t most, size_t *length);
