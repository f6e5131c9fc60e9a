/* Questions of compilers and other programs, as lines of JSON: may this tensor map be encoded, what
 * are its 128 bytes, where does an element lie, which swizzle has the fewest bank conflicts, how
 * long does this scenario take. docs/serve.md describes the requests.
 *
 *     struct tma_service *service = tma_service_create();
 *     size_t length;
 *     const char *reply = tma_service_answer(service, line, strlen(line), &length);
 *     tma_service_free(service);
 *
 * A request allocates nothing, except for `run`. Whatever a line has, it gets one reply. Servers
 * are independent of each other, and may be used by one thread each; of all of them in a process,
 * one may answer `run` at a time (engine/slots/run.h). */
#pragma once

#include <stddef.h>

#include "base/api.h"

TMA_API_BEGIN

struct tma_service;

/* Returns NULL when out of memory. */
struct tma_service *tma_service_create(void);
void tma_service_free(struct tma_service *service);

/* Lets requests to run read scenarios and machines that lie in a folder or below it; the path is
 * borrowed. Without it they read no files but those of the project. */
void tma_service_allow_folder(struct tma_service *service, const char *folder);

/* Answers a request: `length` bytes without a newline. The reply is a line of JSON without its
 * newline, ends with a NUL, and is valid until the next call. Its "ok" says whether there is an
 * answer; else "error" has the field, its position in the line, and a text. */
const char *tma_service_answer(struct tma_service *service, const char *line, size_t length,
                               size_t *reply_length);

TMA_API_END
