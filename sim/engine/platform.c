/* memfd_create is Linux's. */
#define _GNU_SOURCE

#include "engine/platform.h"

#include <simgrid/engine.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* SimGrid 3.32 reads a platform from a file alone. Everything that the model needs of it is a place
 * for actors. */
static const char platform_xml[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\"><zone id=\"gpu\" routing=\"Full\">"
    "<host id=\"gpu\" speed=\"1f\"/></zone></platform>\n";

static enum tma_error_code load_platform(struct tma_error *error) {
    int file = memfd_create("tmasim-platform", MFD_CLOEXEC);
    size_t size = sizeof platform_xml - 1;
    if (file < 0 || write(file, platform_xml, size) != (ssize_t)size) {
        if (file >= 0)
            close(file);
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory file for SimGrid's platform");
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    simgrid_load_platform(path);
    close(file);
    return TMA_OK;
}

/* SimGrid keeps its arguments, and takes all that could change results from them. */
static void initialise(void) {
    static char arguments[][40] = {
        "tmasim",
        "--cfg=surf/precision:1e-9",
        "--cfg=cpu/optim:Lazy",
        "--cfg=contexts/factory:raw",
        "--cfg=contexts/stack-size:256",
        "--cfg=contexts/guard-size:0",
        "--log=root.thresh:error",
        "--log=no_loc",
    };
    enum { COUNT = sizeof arguments / sizeof arguments[0] };
    static char *vector[COUNT + 1];
    int count = COUNT;
    for (int i = 0; i < COUNT; i++)
        vector[i] = arguments[i];
    simgrid_init(&count, vector);
}

enum tma_error_code tma_platform_start(sg_host_t *host, struct tma_error *error) {
    static sg_host_t only_host;
    if (only_host == NULL) {
        initialise();
        enum tma_error_code code = load_platform(error);
        if (code != TMA_OK)
            return code;
        only_host = sg_host_by_name("gpu");
    }
    *host = only_host;
    return TMA_OK;
}

uint64_t tma_platform_cycle(void) {
    return (uint64_t)(simgrid_get_clock() + 0.5);
}
