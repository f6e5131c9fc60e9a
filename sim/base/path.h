/* Names of files. */
#ifndef TMA_BASE_PATH_H
#define TMA_BASE_PATH_H

#include <string.h>

/* The name of the file in a path, which it borrows. */
static inline const char *tma_path_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash == NULL ? path : slash + 1;
}

#endif
