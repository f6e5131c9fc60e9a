#include "cli/files/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/allocation.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"

void cli_output_prepare(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            /* Read-only, so that writes to a standard output that the caller closed still fail. */
            open("/dev/null", O_RDONLY);
    /* Without this buffer, standard output would allocate its own, and lose text if it cannot. */
    static char buffer[1 << 15];
    setvbuf(stdout, buffer, isatty(STDOUT_FILENO) ? _IOLBF : _IOFBF, sizeof buffer);
}

static bool fail(const struct cli_output *output, int error) {
    return cli_error("cannot write %s: %s", output->path, strerror(error));
}

enum { MOST_LINKS = 40 }; /* as Linux allows on the way to a file */

/* Returns where the link at `path` points to, and frees `path`. NULL with errno set on failure. */
static char *follow(char *path) {
    char to[PATH_MAX], *followed = NULL;
    ssize_t length = readlink(path, to, sizeof to - 1);
    if (length >= 0) {
        const char *slash = strrchr(path, '/');
        size_t folder = to[0] == '/' || slash == NULL ? 0 : (size_t)(slash - path) + 1;
        to[length] = '\0';
        followed = tma_allocate(folder + (size_t)length + 1, 1);
        if (followed != NULL) {
            memcpy(followed, path, folder);
            memcpy(followed + folder, to, (size_t)length + 1);
        }
    }
    tma_release(path);
    return followed;
}

/* Returns the path of the file to write, which may not exist yet: the one that symbolic links lead
 * to, so that it is replaced and not the link. The caller frees it. NULL with errno set on failure.
 */
static char *resolve(const char *path) {
    char *resolved = tma_copy_text(path);
    struct stat status;
    for (int i = 0; resolved != NULL && lstat(resolved, &status) == 0 && S_ISLNK(status.st_mode);
         i++) {
        if (i == MOST_LINKS) {
            tma_release(resolved);
            errno = ELOOP;
            return NULL;
        }
        resolved = follow(resolved);
    }
    return resolved;
}

static bool is_same(const struct stat *a, const struct stat *b) {
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Do two resolved paths name one file that does not exist: one name in one folder? */
static bool is_same_name(const char *a, const char *b) {
    struct stat folders[2];
    const char *paths[] = {a, b}, *names[2];
    for (int i = 0; i < 2; i++) {
        const char *slash = strrchr(paths[i], '/');
        char folder[PATH_MAX] = ".";
        names[i] = slash == NULL ? paths[i] : slash + 1;
        if (slash != NULL)
            snprintf(folder, sizeof folder, "%.*s", (int)(slash - paths[i]) + 1, paths[i]);
        if (stat(folder, &folders[i]) != 0)
            return false;
    }
    return is_same(&folders[0], &folders[1]) && strcmp(names[0], names[1]) == 0;
}

bool cli_output_is_file(const char *path, const char *other) {
    struct stat a, b;
    if (path == NULL || other == NULL)
        return false;
    bool exists = stat(path, &a) == 0, other_exists = stat(other, &b) == 0;
    if (exists || other_exists)
        /* Devices and pipes are not replaced: reading and writing one of them loses nothing. */
        return exists && other_exists && S_ISREG(a.st_mode) && is_same(&a, &b);
    char *resolved = resolve(path), *other_resolved = resolve(other);
    bool same =
        resolved != NULL && other_resolved != NULL && is_same_name(resolved, other_resolved);
    TMA_RELEASE(resolved, other_resolved);
    return same;
}

bool cli_output_spares(const char *path, const char *input) {
    if (!cli_output_is_file(path, input))
        return true;
    return cli_error("the output %s is the file %s that the command reads; write to another file",
                     path, input);
}

/* The permissions of the file to replace, or those of a new file. */
static mode_t mode_of(const char *path) {
    struct stat status;
    if (stat(path, &status) == 0)
        return status.st_mode & 0777;
    mode_t mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

static bool open_temporary(struct cli_output *output) {
    size_t bytes = strlen(output->target) + sizeof ".XXXXXX";
    output->temporary = tma_allocate(bytes, 1);
    if (output->temporary == NULL)
        return fail(output, ENOMEM);
    snprintf(output->temporary, bytes, "%s.XXXXXX", output->target);
    int descriptor = cli_temporary_create(output->temporary);
    if (descriptor < 0) {
        int error = errno;
        tma_release(output->temporary);
        output->temporary = NULL;
        return fail(output, error);
    }
    fchmod(descriptor, mode_of(output->target));
    output->file = fdopen(descriptor, "w");
    return output->file != NULL ? true : fail(output, errno);
}

/* Opens a device or a pipe, which cannot be replaced by renaming a file. */
static bool open_directly(struct cli_output *output) {
    output->file = fopen(output->path, "w");
    return output->file != NULL ? true : fail(output, errno);
}

bool cli_output_open(struct cli_output *output, const char *path) {
    struct stat status;
    *output = (struct cli_output){.path = path == NULL ? "standard output" : path};
    if (path == NULL) {
        output->file = stdout;
        return true;
    }
    bool exists = stat(path, &status) == 0;
    if (exists && !S_ISREG(status.st_mode))
        return S_ISDIR(status.st_mode) ? fail(output, EISDIR) : open_directly(output);
    if (exists && access(path, W_OK) != 0)
        return fail(output, errno);
    output->target = resolve(path);
    bool good = output->target == NULL ? fail(output, errno) : open_temporary(output);
    if (!good)
        cli_output_close(output, false);
    return good;
}

/* Why a write has failed, whose error number is not known any more. */
int cli_write_error(FILE *file) {
    struct statvfs status;
    bool full = fstatvfs(fileno(file), &status) == 0 && status.f_bavail == 0;
    return full ? ENOSPC : EIO;
}

/* Flushes and closes the file. Returns the error number, or 0. */
static int finish(struct cli_output *output) {
    int error = ferror(output->file) ? cli_write_error(output->file) : 0;
    errno = 0;
    if (fflush(output->file) != 0)
        error = errno;
    if (output->file != stdout && fclose(output->file) != 0 && error == 0)
        error = errno;
    return error;
}

bool cli_output_close(struct cli_output *output, bool keep) {
    int error = output->file == NULL ? 0 : finish(output);
    bool good = !keep || error == 0 ? true : fail(output, error);
    if (output->temporary != NULL) {
        if (!keep || !good)
            cli_temporary_remove(output->temporary);
        else if (!cli_temporary_keep(output->temporary, output->target))
            good = fail(output, errno);
    }
    TMA_RELEASE(output->target, output->temporary);
    *output = (struct cli_output){0};
    return good;
}
