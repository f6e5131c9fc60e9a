#define _GNU_SOURCE /* MAP_ANONYMOUS */
#include "engine/module.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/path.h"

static const char file_name[] = "libtmasim-engine.so";

/* Where the module lies, from the folder of the object that has this code. */
static const char *const folders[] = {"", "../lib/", "../lib/tmasim/", "../tmasim/"};

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
    char folder[TMA_PATH_TEXT_BYTES],
        path[TMA_PATH_TEXT_BYTES + sizeof "../lib/tmasim/" + sizeof file_name];
    const char *given = getenv("TMASIM_ENGINE");
    if (given != NULL && given[0] != '\0')
        return open_path(given, "the engine that TMASIM_ENGINE names", handle, error);
    tma_own_folder(folder);
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

/* The constructors of SimGrid and of what it is linked with end the process where they get no
 * memory, before anything can catch that. This asks for as much as they take. */
static enum tma_error_code require_memory(struct tma_error *error) {
    enum { ENGINE_BYTES = 48 << 20 };
    void *room = mmap(NULL, ENGINE_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for the engine: it takes %d MiB",
                        ENGINE_BYTES >> 20);
    munmap(room, ENGINE_BYTES);
    return TMA_OK;
}

enum tma_error_code tma_module_load(const struct tma_engine_module **module,
                                    struct tma_error *error) {
    static const struct tma_engine_module *loaded; /* stays: SimGrid cannot be unloaded */
    void *handle;
    if (loaded == NULL) {
        enum tma_error_code code = require_memory(error);
        if (code == TMA_OK)
            code = open_module(&handle, error);
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
