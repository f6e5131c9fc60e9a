#include "scenario/text_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/stream.h"

static enum tma_error_code check_text(const char *text, size_t length, size_t limit_bytes,
                                      struct tma_error *error) {
    if (length == 0)
        return tma_fail(error, TMA_ERROR_SYNTAX, "the file is empty");
    if (length > limit_bytes)
        return tma_fail(error, TMA_ERROR_SYNTAX, "the file is larger than %zu MiB",
                        limit_bytes >> 20);
    if (memchr(text, '\0', length) != NULL)
        return tma_fail(error, TMA_ERROR_SYNTAX, "the file is binary; expected text");
    return TMA_OK;
}

static enum tma_error_code fail_to_read(int number, struct tma_error *error) {
    enum tma_error_code code = number == ENOMEM ? TMA_ERROR_MEMORY : TMA_ERROR_FILE;
    return tma_fail(error, code, "cannot be read: %s", strerror(number));
}

static enum tma_error_code read_stream(FILE *file, size_t limit_bytes, char **text, size_t *length,
                                       struct tma_error *error) {
    *text = tma_read_stream(file, limit_bytes + 1, length);
    if (*text == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code = TMA_OK;
    if (ferror(file))
        code = fail_to_read(errno, error);
    else
        code = check_text(*text, *length, limit_bytes, error);
    if (code != TMA_OK) {
        tma_release(*text);
        *text = NULL;
    }
    return code;
}

enum tma_error_code tma_text_read_up_to(const char *path, size_t limit_bytes, char **text,
                                        size_t *length, struct tma_error *error) {
    /* O_NONBLOCK: to open a FIFO would take until a process opens it to write. */
    struct stat status;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool opened = descriptor >= 0 && fstat(descriptor, &status) == 0;
    FILE *file = opened && S_ISREG(status.st_mode) ? fdopen(descriptor, "rb") : NULL;
    if (file == NULL) {
        int number = errno;
        if (descriptor >= 0)
            close(descriptor);
        if (!opened || S_ISREG(status.st_mode))
            return fail_to_read(number, error);
        return tma_fail(error, TMA_ERROR_FILE, "cannot be read: it is %s",
                        S_ISDIR(status.st_mode) ? "a directory" : "no regular file");
    }
    enum tma_error_code code = read_stream(file, limit_bytes, text, length, error);
    fclose(file);
    return code;
}

enum tma_error_code tma_text_read(const char *path, char **text, size_t *length,
                                  struct tma_error *error) {
    return tma_text_read_up_to(path, TMA_LIMIT_TEXT_BYTES, text, length, error);
}
