/* The functional half of tmasim for a web page: requests and replies are lines of JSON
 * (serve/service.h). */
#include <emscripten.h>
#include <stddef.h>

#include "serve/service.h"

enum { REQUEST_BYTES = 1 << 16 };

static char request[REQUEST_BYTES];

char *playground_request(void);
size_t playground_request_bytes(void);
const char *playground_answer(size_t length);

/* Where the page writes a request, and how many bytes there are. */
EMSCRIPTEN_KEEPALIVE char *playground_request(void) {
    return request;
}

EMSCRIPTEN_KEEPALIVE size_t playground_request_bytes(void) {
    return sizeof request;
}

/* Answers the request of `length` bytes. The reply ends with a NUL, and is valid until the next
 * call. NULL when out of memory. */
EMSCRIPTEN_KEEPALIVE const char *playground_answer(size_t length) {
    static struct tma_service *service;
    if (service == NULL)
        service = tma_service_create();
    return service == NULL ? NULL : tma_service_answer(service, request, length, &length);
}
