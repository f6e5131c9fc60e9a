#define _GNU_SOURCE /* memfd_create */
#include "cli/standard_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "cli/messages.h"

/* The descriptor stays open until the process ends. */
static bool copy(int to) {
    char buffer[1 << 14];
    for (;;) {
        ssize_t count = read(STDIN_FILENO, buffer, sizeof buffer), done = 0;
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return count == 0;
        while (done < count) {
            ssize_t written = write(to, buffer + done, (size_t)(count - done));
            if (written < 0 && errno != EINTR)
                return false;
            done += written < 0 ? 0 : written;
        }
    }
}

const char *cli_standard_input(void) {
    static char path[40];
    if (path[0] != '\0')
        return path;
    int file = memfd_create("standard input", 0);
    if (file < 0 || !copy(file)) {
        cli_error("cannot read standard input: %s", strerror(errno));
        return NULL;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    cli_name_file(path, "standard input");
    return path;
}
