/* The functional half of tmasim for a web page: requests and replies are lines of JSON
 * (serve/service.h). */
#include <emscripten.h>
#include <string.h>

#include "serve/service.h"

/* Returns the reply to a request; valid until the next call. NULL when out of memory. */
EMSCRIPTEN_KEEPALIVE const char *playground_answer(const char *request) {
    static struct tma_service *service;
    size_t length;
    if (service == NULL)
        service = tma_service_create();
    return service == NULL ? NULL
                           : tma_service_answer(service, request, strlen(request), &length);
}
