#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/allocation.h"
#include "base/record_word.h"
#include "launch/launch_reader.h"

/* Element number `choice` of those that the fill function chooses from. */
static void put_choice(const struct tma_launch_buffer *buffer, uint64_t choice, uint8_t *bytes) {
    int64_t value = (int64_t)choice + buffer->fill.low;
    /* The product is a number of single precision. */
    if (tma_element_is_float(buffer->type))
        tma_element_from_number(buffer->type, (float)value * (float)buffer->fill.scale, bytes);
    else
        tma_element_from_integer(buffer->type, value, bytes);
}

static void fill(const struct tma_launch_buffer *buffer, uint8_t *bytes) {
    enum { KEPT = 256, WIDEST = 8 };
    uint8_t kept[KEPT][WIDEST];
    uint32_t size = tma_element_bytes(buffer->type);
    uint32_t base = (uint32_t)buffer->fill.seed * 0x1000003u;
    uint32_t count = (uint32_t)buffer->fill.count;
    for (uint32_t i = 0; i < KEPT && i < count; i++)
        put_choice(buffer, i, kept[i]);
    for (uint64_t i = 0; i < buffer->bytes / size; i++) {
        uint32_t choice = (tma_record_word((uint32_t)i + base) >> 8) % count;
        if (choice < KEPT)
            memcpy(bytes + i * size, kept[choice], size);
        else
            put_choice(buffer, choice, bytes + i * size);
    }
}

static void set_values(const struct tma_launch_buffer *buffer, uint8_t *bytes,
                       struct tma_diagnostics *list) {
    uint32_t size = tma_element_bytes(buffer->type);
    uint64_t index = 0, bits;
    for (const struct tma_yaml_node *node = buffer->values->first; node != NULL;
         node = node->next, index++) {
        if ((index + 1) * size > buffer->bytes ||
            !tma_launch_parse_number(buffer->type, node, &bits)) {
            tma_diagnose(list, TMA_ERROR_SYNTAX, node->at,
                         "buffer %s has no such value; expected at most %" PRIu64 " numbers of its "
                         "type",
                         buffer->name, buffer->bytes / size);
            return;
        }
        tma_element_put_bits(buffer->type, bits, bytes + index * size);
    }
}

static bool read_bytes(FILE *file, uint8_t *bytes, uint64_t size, bool exact, const char *path,
                       struct tma_location at, struct tma_diagnostics *list) {
    uint64_t length = fread(bytes, 1, size, file);
    bool more = length == size && fgetc(file) != EOF;
    if (ferror(file))
        tma_diagnose(list, TMA_ERROR_FILE, at, "%s cannot be read: %s", path, strerror(errno));
    else if (more || (exact && length != size))
        tma_diagnose(list, TMA_ERROR_BUFFER, at,
                     "%s has %s than the %" PRIu64 " bytes of the buffer", path,
                     more ? "more" : "fewer", size);
    else
        return true;
    return false;
}

uint8_t *tma_launch_bytes(const struct tma_launch *launch, const char *name, const char *subfolder,
                          uint64_t bytes, bool exact, struct tma_location at,
                          struct tma_diagnostics *list) {
    char *path = tma_launch_find(launch, name, subfolder);
    uint8_t *contents = path == NULL ? NULL : tma_allocate(bytes, 1);
    struct stat status;
    FILE *file = NULL;
    bool good = false;
    if (contents == NULL)
        tma_diagnose(list, TMA_ERROR_MEMORY, at, "out of memory");
    else if (stat(path, &status) == 0 && !S_ISREG(status.st_mode))
        tma_diagnose(list, TMA_ERROR_FILE, at, "%s cannot be read: it is no regular file", path);
    else if ((file = fopen(path, "rb")) == NULL)
        tma_diagnose(list, TMA_ERROR_FILE, at, "%s cannot be read: %s", path, strerror(errno));
    else
        good = read_bytes(file, contents, bytes, exact, path, at, list);
    if (file != NULL)
        fclose(file);
    tma_release(path);
    if (good)
        return contents;
    tma_release(contents);
    return NULL;
}

static bool fill_buffer(const struct tma_launch *launch, const struct tma_launch_buffer *buffer,
                        uint8_t **contents, struct tma_diagnostics *list) {
    if (buffer->contents == TMA_CONTENTS_FILE)
        *contents =
            tma_launch_bytes(launch, buffer->file, "data", buffer->bytes, false, buffer->at, list);
    else if ((*contents = tma_allocate(buffer->bytes, 1)) == NULL)
        tma_diagnose(list, TMA_ERROR_MEMORY, buffer->at,
                     "no memory for the %" PRIu64 " bytes of buffer %s; `contents: opaque` takes "
                     "none",
                     buffer->bytes, buffer->name);
    if (*contents != NULL && buffer->contents == TMA_CONTENTS_FILL)
        fill(buffer, *contents);
    if (*contents != NULL && buffer->contents == TMA_CONTENTS_VALUES)
        set_values(buffer, *contents, list);
    return *contents != NULL;
}

bool tma_fill_buffers(const struct tma_launch *launch, struct tma_ptx_buffer *buffers,
                      struct tma_diagnostics *list) {
    size_t before = tma_diagnostics_total(list);
    bool opaque = false;
    for (size_t i = 0; i < launch->buffer_count; i++)
        opaque = opaque || launch->buffers[i].contents == TMA_CONTENTS_OPAQUE;
    for (size_t i = 0; i < launch->buffer_count; i++) {
        const struct tma_launch_buffer *buffer = &launch->buffers[i];
        if (buffer->contents == TMA_CONTENTS_OPAQUE)
            continue;
        if (!fill_buffer(launch, buffer, &buffers[i].contents, list))
            return false;
        if (opaque && (buffers[i].opaque = tma_allocate((buffer->bytes + 7) / 8, 1)) == NULL)
            return tma_diagnose(list, TMA_ERROR_MEMORY, buffer->at, "out of memory");
    }
    return tma_diagnostics_total(list) == before;
}
