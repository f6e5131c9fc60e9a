#include "scenario/text_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

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
    struct stat status;
    if (stat(path, &status) == 0 && S_ISDIR(status.st_mode))
        return tma_fail(error, TMA_ERROR_FILE, "cannot be read: it is a directory");
    FILE *file = fopen(path, "rb");
    if (file == NULL)
        return fail_to_read(errno, error);
    enum tma_error_code code = read_stream(file, limit_bytes, text, length, error);
    fclose(file);
    return code;
}

enum tma_error_code tma_text_read(const char *path, char **text, size_t *length,
                                  struct tma_error *error) {
    return tma_text_read_up_to(path, TMA_LIMIT_TEXT_BYTES, text, length, error);
}
