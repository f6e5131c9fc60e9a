#include "base/text_distance.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "base/numbers.h"

enum { LEAST_BEGINNING = 3 };

/* Computes the optimal string alignment distance with three rows of its table. */
size_t tma_text_distance(const char *a, const char *b) {
    size_t rows[3][TMA_MAX_SUGGESTION];
    size_t width = strlen(b);
    if (width >= TMA_MAX_SUGGESTION)
        return SIZE_MAX;
    for (size_t j = 0; j <= width; j++)
        rows[0][j] = j;
    size_t i = 0;
    for (; a[i] != '\0'; i++) {
        const size_t *above = rows[i % 3], *second = rows[(i + 2) % 3];
        size_t *row = rows[(i + 1) % 3];
        row[0] = i + 1;
        for (size_t j = 0; j < width; j++) {
            row[j + 1] =
                tma_smaller(above[j] + (a[i] != b[j]), 1 + tma_smaller(above[j + 1], row[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = tma_smaller(row[j + 1], second[j - 1] + 1);
        }
    }
    return rows[i % 3][width];
}

bool tma_has_word(const char *list, const char *word) {
    size_t length = strlen(word);
    for (const char *at = list; length > 0 && *at != '\0'; at++)
        if ((at == list || at[-1] == ' ') && strncasecmp(at, word, length) == 0 &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static bool is_parting(char c) {
    return c == '_' || c == '-' || c == '.';
}

/* Does a text have the word `word` of `length` characters between partings? */
static bool has_word(const char *text, const char *word, size_t length) {
    for (const char *at = text; *at != '\0'; at++)
        if ((at == text || is_parting(at[-1])) && strncmp(at, word, length) == 0 &&
            (at[length] == '\0' || is_parting(at[length])))
            return true;
    return false;
}

/* Have two texts of one length the same words in another order, as wait_mma and mma_wait have? */
static bool has_same_words(const char *a, const char *b) {
    if (strlen(a) != strlen(b))
        return false;
    for (const char *at = a; *at != '\0';) {
        size_t length = 0;
        while (at[length] != '\0' && !is_parting(at[length]))
            length++;
        if (length == 0 || !has_word(b, at, length))
            return false;
        at += length + (at[length] != '\0');
    }
    return true;
}

/* Does one text of at least three characters begin the other? */
static bool begins(const char *a, const char *b) {
    size_t length = strlen(a) < strlen(b) ? strlen(a) : strlen(b);
    return length >= LEAST_BEGINNING && strncmp(a, b, length) == 0;
}

/* How far what is wanted is from the first words of `candidate`, as h100 or h101 from h100_sxm;
 * SIZE_MAX: by more than one character. */
static size_t distance_of_short_form(const char *wanted, const char *candidate) {
    char first[TMA_MAX_SUGGESTION];
    size_t least = SIZE_MAX;
    for (size_t i = LEAST_BEGINNING; i < strlen(candidate); i++) {
        if (!is_parting(candidate[i]))
            continue;
        memcpy(first, candidate, i);
        first[i] = '\0';
        least = tma_smaller(least, tma_text_distance(wanted, first));
    }
    return least <= 1 ? least : SIZE_MAX;
}

/* Copies a text in small letters, as far as there is room. */
static void copy_small(char to[static TMA_MAX_SUGGESTION], const char *text) {
    size_t i = 0;
    for (; i + 1 < TMA_MAX_SUGGESTION && text[i] != '\0'; i++)
        to[i] = (char)(text[i] >= 'A' && text[i] <= 'Z' ? text[i] - 'A' + 'a' : text[i]);
    to[i] = '\0';
}

void tma_suggest(struct tma_suggestion *suggestion, const char *named) {
    char wanted[TMA_MAX_SUGGESTION], candidate[TMA_MAX_SUGGESTION];
    copy_small(wanted, suggestion->wanted);
    copy_small(candidate, named);
    size_t distance = tma_text_distance(wanted, candidate);
    /* A candidate with more than a third of its characters wrong, or with two of three, is more
     * likely another name, if not its words are the same. */
    size_t length = strlen(named), tolerance = length == 3 ? 1 : 1 + length / 3;
    if (length >= TMA_MAX_SUGGESTION)
        return;
    if (has_same_words(wanted, candidate))
        distance = 0;
    else if (distance > tolerance && begins(wanted, candidate))
        distance = tolerance;
    distance = tma_smaller(distance, distance_of_short_form(wanted, candidate));
    if (distance > tolerance || distance >= length || distance > strlen(wanted))
        return;
    /* Of two that are equally far, one that goes on behind what is wanted is more likely meant. */
    size_t exact = tma_text_distance(suggestion->wanted, named);
    if (exact > 0 && strncmp(candidate, wanted, strlen(wanted)) != 0)
        exact += TMA_MAX_SUGGESTION;
    if (suggestion->best[0] == '\0' || distance < suggestion->distance ||
        (distance == suggestion->distance && exact < suggestion->exact)) {
        memcpy(suggestion->best, named, length + 1);
        suggestion->distance = distance;
        suggestion->exact = exact;
    }
}

struct tma_hint tma_hint_of(const struct tma_suggestion *suggestion) {
    struct tma_hint hint = {.text = ""};
    if (suggestion->best[0] != '\0')
        snprintf(hint.text, sizeof hint.text, "did you mean \"%s\"? ", suggestion->best);
    return hint;
}
