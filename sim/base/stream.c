#include "base/stream.h"

#include "base/allocation.h"

/* Of a text, at first: most files have less. */
enum { FIRST_BYTES = 32 << 10 };

char *tma_read_stream(FILE *file, size_t most, size_t *length) {
    size_t capacity = FIRST_BYTES < most ? FIRST_BYTES : most;
    char *text = tma_allocate(capacity + 1, 1);
    *length = 0;
    while (text != NULL) {
        *length += fread(text + *length, 1, capacity - *length, file);
        if (*length < capacity || capacity == most)
            break;
        capacity = capacity < most / 2 ? 2 * capacity : most;
        char *larger = tma_resize(text, capacity + 1, 1);
        if (larger == NULL)
            tma_release(text);
        text = larger;
    }
    if (text != NULL)
        text[*length] = '\0';
    return text;
}
