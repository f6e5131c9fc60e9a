/* Words for error messages about names: which ones are allowed, and which one was probably meant.
 */
#ifndef TMA_SCENARIO_SUGGESTION_H
#define TMA_SCENARIO_SUGGESTION_H

#include <stddef.h>
#include <stdio.h>

#include "tensormap/types.h"

enum { TMA_MAX_SUGGESTION = 64 };

/* Returns the edit distance of two texts: how many characters have to be added, removed, replaced
 * or swapped with their neighbour to turn one into the other. */
size_t tma_text_distance(const char *a, const char *b);

/* The closest of several candidates, for "did you mean". */
struct tma_suggestion {
    const char *wanted;            /* what the input has */
    char best[TMA_MAX_SUGGESTION]; /* the closest candidate; "": none is close */
    size_t distance;               /* from `wanted` to `best` */
};

/* Keeps the candidate, or each of the names, if it is closer than the best one so far. */
void tma_suggest(struct tma_suggestion *suggestion, const char *candidate);
void tma_suggest_names(struct tma_suggestion *suggestion, const struct tma_names *names);

/* Returns "a, b or c", which the caller frees; NULL when out of memory. */
char *tma_names_list(const struct tma_names *names);

/* Writes "a, b or c". */
void tma_names_write(const struct tma_names *names, FILE *out);

#endif
