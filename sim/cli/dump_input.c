#include "cli/dump_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/messages.h"

/* The longest form is the text of a debugger, which is much shorter. */
enum { MAX_DUMP_BYTES = 1 << 14 };

static bool is_hex(const char *text) {
    return strlen(text) > 2 && text[strspn(text, "0123456789abcdefABCDEFxX ,")] == '\0';
}

/* Reads a file or standard input. Prints an error and returns false where it cannot be read or is
 * longer than MAX_DUMP_BYTES. */
static bool read_file(const char *operand, char *data, size_t *size) {
    bool standard = strcmp(operand, "-") == 0;
    FILE *file = standard ? stdin : fopen(operand, "rb");
    if (file == NULL) {
        cli_error("%s: cannot be read: %s", operand, strerror(errno));
        return false;
    }
    errno = 0;
    *size = fread(data, 1, MAX_DUMP_BYTES + 1, file);
    bool good = !ferror(file);
    if (!good)
        cli_error("%s: cannot be read: %s", operand, strerror(errno));
    else if (*size > MAX_DUMP_BYTES)
        cli_error("%s: too long for a dump of 128 bytes", operand);
    if (!standard)
        fclose(file);
    return good && *size <= MAX_DUMP_BYTES;
}

static bool exists(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file != NULL)
        fclose(file);
    return file != NULL;
}

bool cli_dump_read(const char *operand, struct tma_descriptor *descriptor,
                   enum tma_dump_format *format) {
    char data[MAX_DUMP_BYTES + 1];
    size_t size = 0;
    struct tma_error error = {0};
    bool literal = strcmp(operand, "-") != 0 && is_hex(operand) && !exists(operand);
    if (!literal && !read_file(operand, data, &size))
        return false;
    enum tma_error_code code =
        literal ? tma_dump_read(operand, strlen(operand), descriptor, format, &error)
                : tma_dump_read(data, size, descriptor, format, &error);
    if (code == TMA_OK)
        code = tma_descriptor_recognise(descriptor, &error);
    if (code != TMA_OK)
        cli_error("%s: %s", literal ? "hex" : operand, error.text);
    return code == TMA_OK;
}
