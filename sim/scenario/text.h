/* Text of an input: a file read whole, and names that are nearly right. */
#ifndef TMA_SCENARIO_TEXT_H
#define TMA_SCENARIO_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "tensormap/types.h"

enum { TMA_MAX_SUGGESTION = 64 };

/* Reads a text file whole; the caller frees *text, which ends with a NUL past *length bytes. Fails
 * with TMA_ERROR_FILE where the file can't be read (a directory, say), and with TMA_ERROR_SYNTAX
 * where it is empty, binary or larger than any input of the simulator. */
enum tma_error_code tma_text_read(const char *path, char **text, size_t *length,
                                  struct tma_error *error);

/* How many characters have to be added, removed, replaced or swapped with their neighbour to make
 * one text of the other. */
size_t tma_text_distance(const char *a, const char *b);

/* Keeps the best of several candidates for "did you mean". */
struct tma_suggestion {
    const char *wanted;
    char best[TMA_MAX_SUGGESTION]; /* "": none is close */
    size_t distance;
};

void tma_suggest(struct tma_suggestion *suggestion, const char *candidate);
void tma_suggest_names(struct tma_suggestion *suggestion, const struct tma_names *names);

/* "a, b or c", in a text that the caller frees; NULL when out of memory. */
char *tma_names_list(const struct tma_names *names);

#endif
