#include "base/text_distance.h"

#include <stdint.h>
#include <string.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

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
            row[j + 1] = smaller(above[j] + (a[i] != b[j]), 1 + smaller(above[j + 1], row[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = smaller(row[j + 1], second[j - 1] + 1);
        }
    }
    return rows[i % 3][width];
}

void tma_suggest(struct tma_suggestion *suggestion, const char *candidate) {
    size_t distance = tma_text_distance(suggestion->wanted, candidate);
    /* A candidate with more than a third of its characters wrong is more likely another name. */
    size_t length = strlen(candidate), tolerance = 1 + length / 3;
    if (distance > tolerance || distance >= length || length >= TMA_MAX_SUGGESTION)
        return;
    if (suggestion->best[0] == '\0' || distance < suggestion->distance) {
        memcpy(suggestion->best, candidate, length + 1);
        suggestion->distance = distance;
    }
}
