/* Reads a whole text file. */
#pragma once

#include <stddef.h>

#include "base/error.h"

/* Reads the file into *text, which ends with a NUL after *length bytes; the caller frees it. Fails
 * with TMA_ERROR_FILE if the file cannot be read or is no regular one (a directory, a FIFO, a
 * device), with TMA_ERROR_SYNTAX if it is empty, binary or larger than 1 MiB, and with
 * TMA_ERROR_MEMORY. */
enum tma_error_code tma_text_read(const char *path, char **text, size_t *length,
                                  struct tma_error *error);

/* The same for a file of at most `limit_bytes` bytes. */
enum tma_error_code tma_text_read_up_to(const char *path, size_t limit_bytes, char **text,
                                        size_t *length, struct tma_error *error);
