/* Requests of the server: lines of JSON. Requests to run are left out: they read files, and
 * simulate. Each line gets a reply that is one line, and the same line gets the same reply. */
#define _GNU_SOURCE /* memmem */
#include "fuzz.h"
#include "serve/service.h"

static void answer(struct tma_service *service, const char *line, size_t length) {
    char *first;
    size_t size, again;
    const char *reply = tma_service_answer(service, line, length, &size);
    FUZZ_ASSERT(size >= 2 && reply[0] == '{' && reply[size - 1] == '}' && reply[size] == '\0');
    FUZZ_ASSERT(memchr(reply, '\n', size) == NULL && strlen(reply) == size);
    first = malloc(size);
    memcpy(first, reply, size);
    reply = tma_service_answer(service, line, length, &again);
    FUZZ_ASSERT(again == size && memcmp(first, reply, size) == 0);
    free(first);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct tma_service *service;
    const char *next = (const char *)data, *end = next + size;
    if (service == NULL)
        service = tma_service_create();
    if (service == NULL || memmem(data, size, "run", 3) != NULL ||
        memmem(data, size, "\\u00", 4) != NULL)
        return 0;
    while (next < end) {
        const char *newline = memchr(next, '\n', (size_t)(end - next));
        size_t length = (size_t)((newline == NULL ? end : newline) - next);
        answer(service, next, length);
        next += length + (newline != NULL);
    }
    return 0;
}
