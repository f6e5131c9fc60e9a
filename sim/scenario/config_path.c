#include "scenario/config_path.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/path.h"

/* Relative to the folder of the command or of the library: in the build tree (build/VARIANT), then
 * as installed (PREFIX/bin, PREFIX/lib, PREFIX/lib/MACHINE). */
static const char *const places[] = {"../../configs", "../share/tmasim/configs",
                                     "../../share/tmasim/configs"};

/* How many bytes at the start of two paths are folders that both have, with the last slash. */
static size_t common_folders(const char *a, const char *b) {
    size_t common = 0;
    for (size_t i = 0; a[i] == b[i] && a[i] != '\0'; i++)
        common = a[i] == '/' ? i + 1 : common;
    return common;
}

/* Writes a path as people do: without detours, and relative to the current folder if both are in
 * one folder other than the root. A path that is too long stays as it is. */
static void shorten(char path[TMA_PATH_TEXT_BYTES]) {
    char whole[PATH_MAX], here[PATH_MAX];
    if (realpath(path, whole) == NULL)
        return;
    size_t length = getcwd(here, sizeof here - 1) == NULL ? 0 : strlen(here);
    if (length > 0)
        strcpy(here + length, "/");
    size_t common = length > 0 ? common_folders(whole, here) : 0;
    const char *rest = common > 1 ? whole + common : whole;
    size_t up = 0;
    for (const char *c = here + common; common > 1 && *c != '\0'; c++)
        up += *c == '/';
    if (3 * up + strlen(rest) >= TMA_PATH_TEXT_BYTES)
        return;
    path[0] = '\0';
    for (size_t i = 0; i < up; i++)
        strcat(path, "../");
    strcat(path, rest);
}

static bool join(char path[TMA_PATH_TEXT_BYTES], const char *front, size_t length,
                 const char *folder, const char *name) {
    int bytes = snprintf(path, TMA_PATH_TEXT_BYTES, "%.*s%s/%s", (int)length, front, folder, name);
    bool found = bytes > 0 && bytes < TMA_PATH_TEXT_BYTES && access(path, R_OK) == 0;
    if (found)
        shorten(path);
    return found;
}

bool tma_config_find(const char *name, char path[TMA_PATH_TEXT_BYTES]) {
    char own[TMA_PATH_TEXT_BYTES];
    const char *given = getenv("TMASIM_PATH");
    while (given != NULL && *given != '\0') {
        size_t length = strcspn(given, ":");
        if (length > 0 && length < TMA_PATH_TEXT_BYTES && join(path, given, length, "", name))
            return true;
        given += length + (given[length] == ':');
    }
    tma_own_folder(own);
    for (size_t i = 0; own[0] != '\0' && i < sizeof places / sizeof places[0]; i++)
        if (join(path, own, strlen(own), places[i], name))
            return true;
    return false;
}

/* Words that stand for one of several machines: the one that is meant without a further word. */
static const char *first_name(const char *folder, const char *word) {
    static const struct {
        const char *word, *name;
    } machines[] = {{"h100", "h100_sxm"}, {"rtx5090", "rtx_5090"}, {"rtx5080", "rtx_5080"}};
    for (size_t i = 0; strcmp(folder, "gpus") == 0 && i < sizeof machines / sizeof *machines; i++)
        if (strcmp(machines[i].word, word) == 0)
            return machines[i].name;
    return word;
}

bool tma_config_find_word(const char *word, const char *const *folders,
                          char path[TMA_PATH_TEXT_BYTES]) {
    char name[300], small[TMA_MAX_SUGGESTION]; /* all names are in small letters */
    size_t length = 0;
    for (; word[length] != '\0' && length + 1 < sizeof small; length++)
        small[length] = (char)tolower((unsigned char)word[length]);
    small[length] = '\0';
    if (strpbrk(word, "/.") != NULL || word[length] != '\0')
        return false;
    for (; *folders != NULL; folders++) {
        int bytes =
            snprintf(name, sizeof name, "%s/%s.yaml", *folders, first_name(*folders, small));
        if (bytes > 0 && (size_t)bytes < sizeof name && tma_config_find(name, path))
            return true;
    }
    return false;
}

bool tma_config_word_of(const char *path, const char *const *folders,
                        char word[TMA_MAX_SUGGESTION]) {
    static const char extension[] = ".yaml";
    const char *name = tma_path_name(path);
    char found[TMA_PATH_TEXT_BYTES];
    size_t length = strlen(name), tail = sizeof extension - 1;
    if (length <= tail || length - tail >= TMA_MAX_SUGGESTION ||
        strcmp(name + length - tail, extension) != 0 || access(path, F_OK) == 0)
        return false;
    snprintf(word, TMA_MAX_SUGGESTION, "%.*s", (int)(length - tail), name);
    return tma_config_find_word(word, folders, found);
}

/* A folder lists its files in any order: of two names that are as close, the first by the alphabet
 * counts. */
static void suggest_file(struct tma_suggestion *suggestion, const char *file) {
    static const char extension[] = ".yaml";
    size_t length = strlen(file), tail = sizeof extension - 1;
    struct tma_suggestion one = {.wanted = suggestion->wanted};
    char name[TMA_MAX_SUGGESTION];
    if (length <= tail || length - tail >= sizeof name ||
        strcmp(file + length - tail, extension) != 0)
        return;
    memcpy(name, file, length - tail);
    name[length - tail] = '\0';
    tma_suggest(&one, name);
    bool closer = one.best[0] != '\0' &&
                  (suggestion->best[0] == '\0' || one.distance < suggestion->distance ||
                   (one.distance == suggestion->distance &&
                    (one.exact < suggestion->exact ||
                     (one.exact == suggestion->exact && strcmp(name, suggestion->best) < 0))));
    if (closer)
        *suggestion = one;
}

void tma_config_suggest(struct tma_suggestion *suggestion, const char *const *folders) {
    char path[TMA_PATH_TEXT_BYTES];
    if (strpbrk(suggestion->wanted, "/.") != NULL)
        return;
    for (; *folders != NULL; folders++) {
        DIR *directory = tma_config_find(*folders, path) ? opendir(path) : NULL;
        for (struct dirent *entry; directory != NULL && (entry = readdir(directory)) != NULL;)
            suggest_file(suggestion, entry->d_name);
        if (directory != NULL)
            closedir(directory);
    }
}
