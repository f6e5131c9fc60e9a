#define _GNU_SOURCE /* memfd_create */
#include "cli/files/piped_input.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/limits.h"
#include "cli/messages.h"

/* Copies at most TMA_LIMIT_PIPE_BYTES; sets errno to EFBIG where there is more. */
static bool copy(int from, int to) {
    char buffer[1 << 14];
    for (size_t total = 0; total <= TMA_LIMIT_PIPE_BYTES;) {
        ssize_t count = read(from, buffer, sizeof buffer), done = 0;
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
        total += (size_t)count;
    }
    errno = EFBIG;
    return false;
}

/* The copies of pipes. Their descriptors stay open until the process ends. */
static struct {
    const char *path; /* of the pipe */
    char copy[40];
} copies[CLI_MOST_NAMED_FILES];
static size_t copy_count;

/* Opens a pipe. To open a FIFO takes until a process opens it to write. */
static int open_pipe(const char *path) {
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISFIFO(status.st_mode))
        cli_note("%s is a FIFO: waiting for a process that writes to it", path);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static const char *copy_pipe(const char *path, const char *name, bool standard) {
    for (size_t i = 0; i < copy_count; i++)
        if (strcmp(copies[i].path, path) == 0)
            return copies[i].copy;
    if (copy_count == CLI_MOST_NAMED_FILES) {
        cli_error("cannot read %s: more than %d inputs are pipes", name, CLI_MOST_NAMED_FILES);
        return NULL;
    }
    int from = standard ? STDIN_FILENO : open_pipe(path);
    int file = from < 0 ? -1 : memfd_create("pipe", 0);
    bool good = file >= 0 && copy(from, file);
    if (!good)
        cli_error("cannot read %s: %s", name, strerror(errno));
    if (from > STDERR_FILENO)
        close(from);
    if (!good)
        return NULL;
    copies[copy_count].path = path;
    char *copied = copies[copy_count++].copy;
    snprintf(copied, sizeof copies[0].copy, "/proc/self/fd/%d", file);
    cli_name_file(copied, name);
    return copied;
}

const char *cli_text_input(const char *text, const char *name) {
    static char path[40];
    size_t length = strlen(text);
    int file = memfd_create("text", 0);
    if (file < 0 || write(file, text, length) != (ssize_t)length) {
        cli_error("%s: %s", name, strerror(errno));
        return NULL;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    cli_name_file(path, name);
    return path;
}

const char *cli_piped_input(const char *path) {
    struct stat status;
    if (strcmp(path, "-") == 0)
        return copy_pipe(path, "standard input", true);
    if (stat(path, &status) == 0 && S_ISFIFO(status.st_mode))
        return copy_pipe(path, path, false);
    return path;
}
