/* Names of files. */
#pragma once

#include <string.h>

/* The name of the file in a path, which it borrows. */
static inline const char *tma_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

/* The folder of the executable or shared library that has this library's code: files that belong to
 * it are found from there. */

enum { TMA_PATH_TEXT_BYTES = 4096 };

/* Writes the folder, with a slash at its end; empty if unknown. */
void tma_own_folder(char folder[TMA_PATH_TEXT_BYTES]);
