/* How much two texts differ, for messages that say "did you mean". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { TMA_MAX_SUGGESTION = 64 };

/* Returns the edit distance of two texts: how many characters have to be added, removed, replaced
 * or swapped with their neighbour to turn one into the other. */
size_t tma_text_distance(const char *a, const char *b);

/* Whether `word` is one of the words of `list`, or several in a row, with spaces between them, in
 * any case of their letters. */
bool tma_has_word(const char *list, const char *word);

/* The closest of several candidates, for "did you mean". */
struct tma_suggestion {
    const char *wanted;            /* what the input has */
    char best[TMA_MAX_SUGGESTION]; /* the closest candidate; "": none is close */
    size_t distance;               /* from `wanted` to `best`, whatever the capitals */
    size_t exact;                  /* with them: of equally near ones, the least is best */
};

/* Keeps the candidate if it is closer than the best one so far. */
void tma_suggest(struct tma_suggestion *suggestion, const char *candidate);

/* "did you mean "X"? ", or "" where no candidate is close: what stands before what is expected. */
struct tma_hint {
    char text[TMA_MAX_SUGGESTION + 24];
};
struct tma_hint tma_hint_of(const struct tma_suggestion *suggestion);
