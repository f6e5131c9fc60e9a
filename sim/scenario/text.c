#include "scenario/text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { MAX_FILE_BYTES = 1 << 20 };

static enum tma_error_code check_text(const char *text, size_t length, struct tma_error *error) {
    if (length == 0)
        return tma_fail(error, TMA_ERROR_SYNTAX, "the file is empty");
    if (length > MAX_FILE_BYTES)
        return tma_fail(error, TMA_ERROR_SYNTAX, "the file is larger than 1 MiB");
    if (memchr(text, '\0', length) != NULL)
        return tma_fail(error, TMA_ERROR_SYNTAX, "a binary file, not text");
    return TMA_OK;
}

static enum tma_error_code read_stream(FILE *file, char **text, size_t *length,
                                       struct tma_error *error) {
    *text = malloc(MAX_FILE_BYTES + 2);
    if (*text == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory to read it");
    *length = fread(*text, 1, MAX_FILE_BYTES + 1, file);
    (*text)[*length] = '\0';
    enum tma_error_code code = TMA_OK;
    if (ferror(file))
        code = tma_fail(error, TMA_ERROR_FILE, "cannot be read: %s", strerror(errno));
    else
        code = check_text(*text, *length, error);
    if (code != TMA_OK) {
        free(*text);
        *text = NULL;
    }
    return code;
}

enum tma_error_code tma_text_read(const char *path, char **text, size_t *length,
                                  struct tma_error *error) {
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return tma_fail(error, TMA_ERROR_FILE, "cannot be read: it is a directory");
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return tma_fail(error, TMA_ERROR_FILE, "cannot be read: %s", strerror(errno));
    enum tma_error_code code = read_stream(file, text, length, error);
    fclose(file);
    return code;
}

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

/* The optimal string alignment distance, three rows of its table at a time. */
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
            row[j + 1] = least(above[j] + (a[i] != b[j]), 1 + least(above[j + 1], row[j]));
            if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
                row[j + 1] = least(row[j + 1], second[j - 1] + 1);
        }
    }
    return rows[i % 3][width];
}

void tma_suggest(struct tma_suggestion *suggestion, const char *candidate) {
    size_t distance = tma_text_distance(suggestion->wanted, candidate);
    /* A third of a name may be wrong: further off it is more likely another name. */
    size_t length = strlen(candidate), tolerance = 1 + length / 3;
    if (distance > tolerance || distance >= length || length >= TMA_MAX_SUGGESTION)
        return;
    if (suggestion->best[0] == '\0' || distance < suggestion->distance) {
        memcpy(suggestion->best, candidate, length + 1);
        suggestion->distance = distance;
    }
}

void tma_suggest_names(struct tma_suggestion *suggestion, const struct tma_names *names) {
    for (size_t i = 0; i < names->count; i++)
        tma_suggest(suggestion, names->items[i].name);
    const struct tma_names *cuda = tma_cuda_names(names);
    for (size_t i = 0; cuda != NULL && i < cuda->count; i++)
        tma_suggest(suggestion, cuda->items[i].name);
}

char *tma_names_list(const struct tma_names *names) {
    size_t bytes = 1;
    for (size_t i = 0; i < names->count; i++)
        bytes += strlen(names->items[i].name) + strlen(" or ");
    char *list = malloc(bytes);
    if (list == NULL)
        return NULL;
    list[0] = '\0';
    for (size_t i = 0; i < names->count; i++) {
        if (i > 0)
            strcat(list, i + 1 == names->count ? " or " : ", ");
        strcat(list, names->items[i].name);
    }
    return list;
}
