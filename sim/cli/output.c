#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/messages.h"

void cli_output_prepare(void) {
    for (int descriptor = 0; descriptor <= 2; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF)
            /* Read-only, so that writes to a standard output that the caller closed still fail. */
            open("/dev/null", O_RDONLY);
}

static bool fail(const struct cli_output *output, int error) {
    cli_error("cannot write %s: %s", output->path, strerror(error));
    return false;
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
    output->temporary = malloc(bytes);
    if (output->temporary == NULL)
        return fail(output, ENOMEM);
    snprintf(output->temporary, bytes, "%s.XXXXXX", output->target);
    int descriptor = mkstemp(output->temporary);
    if (descriptor < 0)
        return fail(output, errno);
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
    /* Follow a symbolic link: replace the file that it points to, not the link. */
    output->target = exists ? realpath(path, NULL) : strdup(path);
    bool good = output->target == NULL ? fail(output, errno) : open_temporary(output);
    if (!good)
        cli_output_close(output, false);
    return good;
}

/* Flushes and closes the file. Returns the error number, or 0. */
static int finish(struct cli_output *output) {
    int error = ferror(output->file) ? EIO : 0;
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
        if (keep && good && rename(output->temporary, output->target) != 0)
            good = fail(output, errno);
        if (!keep || !good)
            unlink(output->temporary);
    }
    free(output->target);
    free(output->temporary);
    *output = (struct cli_output){0};
    return good;
}
