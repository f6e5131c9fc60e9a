/* The operation and the consumer of a request. Internal to sim/serve. */
#pragma once

#include "banks/consumer.h"
#include "placement/rows.h"
#include "serve/request.h"

bool tma_answer_operation(const struct tma_request *request, const struct tma_tensor_map *map,
                          struct tma_operation *operation, struct tma_request_error *error);

/* The legal map and the operation of a request, and the operation's size. Fails if the operation
 * faults, or is none of the architecture's. */
bool tma_answer_placement(const struct tma_request *request, struct tma_tensor_map *map,
                          struct tma_operation *operation, struct tma_operation_size *size,
                          struct tma_request_error *error);

bool tma_answer_consumer(const struct tma_request *request, struct tma_consumer *consumer,
                         struct tma_request_error *error);

/* The tile that the operation leaves in shared memory. Fails if there is none, or if the consumer
 * cannot access it. */
enum tma_error_code tma_answer_consumed_tile(const struct tma_tensor_map *map,
                                             const struct tma_operation *operation,
                                             const struct tma_consumer *consumer,
                                             struct tma_tile *tile, struct tma_error *error);
