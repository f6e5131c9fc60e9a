#include "scenario/config_path.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Relative to the folder of the command or of the library: in the build tree (build/VARIANT), then
 * as installed (PREFIX/bin, PREFIX/lib, PREFIX/lib/MACHINE). */
static const char *const places[] = {"../../configs", "../share/tmasim/configs",
                                     "../../share/tmasim/configs"};

static bool join(char path[TMA_PATH_TEXT_BYTES], const char *front, size_t length,
                 const char *folder, const char *name) {
    int bytes = snprintf(path, TMA_PATH_TEXT_BYTES, "%.*s%s/%s", (int)length, front, folder, name);
    return bytes > 0 && bytes < TMA_PATH_TEXT_BYTES && access(path, R_OK) == 0;
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

bool tma_config_find_word(const char *word, const char *const *folders,
                          char path[TMA_PATH_TEXT_BYTES]) {
    char name[300];
    if (strpbrk(word, "/.") != NULL)
        return false;
    for (; *folders != NULL; folders++) {
        int length = snprintf(name, sizeof name, "%s/%s.yaml", *folders, word);
        if (length > 0 && (size_t)length < sizeof name && tma_config_find(name, path))
            return true;
    }
    return false;
}
