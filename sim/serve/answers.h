/* What a service can do. Internal to sim/serve. */
#pragma once

#include "banks/consumer.h"
#include "placement/rows.h"
#include "serve/reply.h"
#include "serve/request.h"

/* The playground has no engine: it is built with this macro. */
#ifdef TMA_SERVE_WITHOUT_RUN
#define TMA_ANSWER_RUN(X)
#else
#define TMA_ANSWER_RUN(X) X(run, "the figures of a simulated scenario")
#endif

/* Name, what it answers. To add an operation NAME, write tma_answer_NAME and add a line here. */
#define TMA_ANSWERS(X)                                                                             \
    X(check, "is the tensor map legal, and if not, why")                                           \
    X(encode, "the 128 bytes of the tensor map")                                                   \
    X(decode, "the tensor map of 128 bytes")                                                       \
    X(place, "the size of an operation, and where an element or a byte lies")                      \
    X(layout, "the tile in shared memory, by chunks of 16 bytes")                                  \
    X(explain, "one instruction that accesses the tile: its lanes and their banks")                \
    X(compare, "the bank conflicts of a tile under each swizzle mode")                             \
    X(wgmma, "the matrix descriptors with which wgmma reads the tile, and its CuTe layout")        \
    X(cute, "the box of a tensor map that leaves a CuTe layout")                                   \
    TMA_ANSWER_RUN(X)

/* Adds the elements of an answer to the reply. Returns false with the error; what it added is
 * dropped. */
typedef bool (*tma_answer)(const struct tma_request *request, struct tma_reply_line *reply,
                           struct tma_request_error *error);

#define TMA_ANSWER_DECLARATION(name, meaning)                                                      \
    bool tma_answer_##name(const struct tma_request *request, struct tma_reply_line *reply,        \
                           struct tma_request_error *error);
TMA_ANSWERS(TMA_ANSWER_DECLARATION)
#undef TMA_ANSWER_DECLARATION

/* The operation and the consumer of a request. */

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
