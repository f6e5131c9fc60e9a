/* What several answers take from a request. Internal to sim/serve. */
#ifndef TMA_SERVE_ANSWER_INPUT_H
#define TMA_SERVE_ANSWER_INPUT_H

#include "serve/request.h"

/* Returns false with an error that is about the request as a whole. */
bool tma_answer_fail(struct tma_request_error *error, enum tma_error_code code, const char *text);

/* The architecture of a request. */
bool tma_answer_architecture(const struct tma_request *request, int *architecture,
                             struct tma_request_error *error);

/* Makes the map of a request, and checks it. */
bool tma_answer_legal_map(const struct tma_request *request, struct tma_tensor_map *map,
                          struct tma_request_error *error);

#endif
