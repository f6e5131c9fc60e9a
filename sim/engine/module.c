#define _GNU_SOURCE /* dladdr1 */
#include "engine/module.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PATH_BYTES = 4096 };

static const char file_name[] = "libtmasim-engine.so";

/* Where the module lies, from the folder of the object that has this code. */
static const char *const folders[] = {"", "../lib/", "../lib/tmasim/", "../tmasim/"};

/* Writes the path of the executable or shared library that has this code; false if unknown. The
 * name of the executable itself is what its caller made of argv[0], so /proc is asked for that. */
static bool find_own_path(char path[PATH_BYTES]) {
    Dl_info info;
    struct link_map *map;
    if (dladdr1(folders, &info, (void **)&map, RTLD_DL_LINKMAP) == 0)
        return false;
    if (map->l_name[0] != '\0')
        return snprintf(path, PATH_BYTES, "%s", map->l_name) < PATH_BYTES;
    ssize_t length = readlink("/proc/self/exe", path, PATH_BYTES - 1);
    if (length <= 0)
        return false;
    path[length] = '\0';
    return true;
}

/* Writes the folder that has this code, with a slash at its end; empty if unknown. */
static void find_own_folder(char folder[PATH_BYTES]) {
    char *slash = find_own_path(folder) ? strrchr(folder, '/') : NULL;
    if (slash != NULL)
        slash[1] = '\0';
    else
        folder[0] = '\0';
}

/* Loads a file; if its path has no slash, the dynamic linker searches it. `what` is for the error's
 * text. */
static enum tma_error_code open_path(const char *path, const char *what, void **handle,
                                     struct tma_error *error) {
    *handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
    if (*handle != NULL)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_FILE, "cannot load %s: %.400s", what, dlerror());
}

static enum tma_error_code open_module(void **handle, struct tma_error *error) {
    char folder[PATH_BYTES], path[PATH_BYTES + sizeof "../lib/tmasim/" + sizeof file_name];
    const char *given = getenv("TMASIM_ENGINE");
    if (given != NULL && given[0] != '\0')
        return open_path(given, "the engine that TMASIM_ENGINE names", handle, error);
    find_own_folder(folder);
    for (size_t i = 0; folder[0] != '\0' && i < sizeof folders / sizeof *folders; i++) {
        snprintf(path, sizeof path, "%s%s%s", folder, folders[i], file_name);
        if (access(path, R_OK) == 0)
            return open_path(path, "the engine", handle, error);
    }
    if (open_path(file_name, "the engine", handle, NULL) == TMA_OK)
        return TMA_OK;
    return tma_fail(
        error, TMA_ERROR_FILE,
        "cannot load the engine: no %s in %.250s, in ../lib, ../lib/tmasim or ../tmasim beside "
        "it, "
        "or where the dynamic linker searches; TMASIM_ENGINE can give its path",
        file_name, folder[0] != '\0' ? folder : "the program's folder");
}

enum tma_error_code tma_module_load(const struct tma_engine_module **module,
                                    struct tma_error *error) {
    static const struct tma_engine_module *loaded; /* stays: SimGrid cannot be unloaded */
    void *handle;
    if (loaded == NULL) {
        enum tma_error_code code = open_module(&handle, error);
        if (code != TMA_OK)
            return code;
        const struct tma_engine_module *found = dlsym(handle, TMA_ENGINE_MODULE_SYMBOL);
        if (found == NULL || strcmp(found->version, TMA_VERSION) != 0)
            return tma_fail(error, TMA_ERROR_FILE, "%s is of version %.40s; needed: " TMA_VERSION,
                            file_name, found == NULL ? "unknown" : found->version);
        loaded = found;
    }
    *module = loaded;
    return TMA_OK;
}
