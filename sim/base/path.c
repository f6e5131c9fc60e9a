#define _GNU_SOURCE /* dladdr1 */
#include "base/path.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Writes the path of the executable or shared library that has this code; false if unknown. The
 * name of the executable itself is what its caller made of argv[0], so /proc is asked for that. */
static bool find_own_path(char path[TMA_PATH_TEXT_BYTES]) {
    static const char here = 0;
    Dl_info info;
    struct link_map *map;
    if (dladdr1(&here, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return false;
    if (map->l_name[0] != '\0')
        return snprintf(path, TMA_PATH_TEXT_BYTES, "%s", map->l_name) < TMA_PATH_TEXT_BYTES;
    ssize_t length = readlink("/proc/self/exe", path, TMA_PATH_TEXT_BYTES - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    return true;
}

void tma_own_folder(char folder[TMA_PATH_TEXT_BYTES]) {
    char *slash = find_own_path(folder) ? strrchr(folder, '/') : NULL;
    if (slash != NULL)
        slash[1] = '\0';
    else
        folder[0] = '\0';
}
