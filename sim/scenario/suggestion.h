/* Words for error messages about names: which ones are allowed, and which one was probably meant.
 */
#pragma once

#include <stddef.h>
#include <stdio.h>

#include "base/text_distance.h"
#include "tensormap/types.h"

/* Keeps each of the names if it is closer than the best candidate so far. */
void tma_suggest_names(struct tma_suggestion *suggestion, const struct tma_names *names);

/* Returns "a, b or c", which the caller frees; NULL when out of memory. */
char *tma_names_list(const struct tma_names *names);

/* Writes "a, b or c". */
void tma_names_write(const struct tma_names *names, FILE *out);
