#define _GNU_SOURCE /* memfd_create */

#include "engine/simgrid/platform.h"

#include <signal.h>
#include <simgrid/engine.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* SimGrid 3.32 reads platforms only from files. The model needs nothing of the platform but one
 * host that its actors live on. */
static const char platform_xml[] =
    "<?xml version='1.0'?>\n"
    "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
    "<platform version=\"4.1\"><zone id=\"gpu\" routing=\"Full\">"
    "<host id=\"gpu\" speed=\"1f\"/></zone></platform>\n";

static sg_host_t only_host; /* NULL before the start */

static enum tma_error_code load_platform(const char **text) {
    int file = memfd_create("tmasim-platform", MFD_CLOEXEC);
    size_t size = sizeof platform_xml - 1;
    if (file < 0 || write(file, platform_xml, size) != (ssize_t)size) {
        if (file >= 0)
            close(file);
        *text = "no memory file for SimGrid's platform";
        return TMA_ERROR_MEMORY;
    }
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    /* SimGrid aborts if it cannot open the file. */
    enum tma_error_code code = access(path, R_OK) == 0 ? TMA_OK : TMA_ERROR_FILE;
    if (code == TMA_OK)
        simgrid_load_platform(path);
    else
        *text = "cannot read /proc/self/fd, from where SimGrid reads its platform";
    close(file);
    return code;
}

/* SimGrid installs handlers of its own for these signals: one of SIGINT that ends the process, and
 * one of bad addresses that prints. Signals belong to the program that uses the library, so its own
 * handlers are put back. */
static const int signals[] = {SIGINT, SIGSEGV, SIGBUS};
enum { SIGNALS = sizeof signals / sizeof signals[0] };

static void initialise_quietly(int *count, char **vector) {
    struct sigaction before[SIGNALS];
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], NULL, &before[i]);
    simgrid_init(count, vector);
    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &before[i], NULL);
}

/* Gives SimGrid arguments of its own, which it keeps, and pins every option that can change
 * results. */
static void initialise(void) {
    static char arguments[][40] = {
        "tmasim",
        "--cfg=surf/precision:1e-9",
        "--cfg=cpu/optim:Lazy",
        "--cfg=contexts/factory:raw",
        "--cfg=contexts/stack-size:256",
        "--cfg=contexts/guard-size:1", /* pages below each stack that nothing may touch */
        "--log=root.thresh:error",
        "--log=no_loc",
    };
    enum { COUNT = sizeof arguments / sizeof arguments[0] };
    static char *vector[COUNT + 1];
    int count = COUNT;
    for (int i = 0; i < COUNT; i++)
        vector[i] = arguments[i];
    initialise_quietly(&count, vector);
}

enum tma_error_code tma_platform_start(const char **text) {
    static bool initialised;
    if (only_host != NULL)
        return TMA_OK;
    if (!initialised)
        initialise();
    initialised = true;
    enum tma_error_code code = load_platform(text);
    if (code == TMA_OK)
        only_host = sg_host_by_name("gpu");
    return code;
}

sg_host_t tma_platform_host(void) {
    return only_host;
}
