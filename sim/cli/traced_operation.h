/* One operation on a tensor map: whether it faults, and where its bytes go. */
#ifndef TMA_CLI_TRACED_OPERATION_H
#define TMA_CLI_TRACED_OPERATION_H

#include "placement/operation.h"
#include "report/json_writer.h"
#include "tensormap/architectures.h"

/* The options that name an operation: texts, NULL where they are not given. */
struct cli_operation_options {
    const char *load, *store, *reduce, *prefetch; /* coordinates: "4,0" */
    const char *gather4, *scatter4;               /* a column and four rows: "0,3,1,4,1" */
    const char *reduction;                        /* of a reduce: "add" */
    const char *offsets;                          /* of im2col, in pixels */
    const char *shared;                           /* address of the tile in shared memory */
};

/* An operation and what is known of it. */
struct cli_traced_operation {
    struct tma_operation operation;
    const struct tma_tensor_map *map;
    enum tma_error_code code; /* TMA_OK: it does not fault */
    struct tma_error error;
};

/* Returns true if one of the options is given. */
bool cli_operation_given(const struct cli_operation_options *options);

/* Reads the operation and judges it. The map is legal. Prints an error and returns false if the
 * options are wrong. */
bool cli_operation_trace(const struct cli_operation_options *options,
                         const struct tma_tensor_map *map, enum tma_architecture architecture,
                         struct cli_traced_operation *traced);

void cli_operation_text(const struct cli_traced_operation *traced, FILE *out);
void cli_operation_json(const struct cli_traced_operation *traced, const char *key,
                        struct tma_json *json);

#endif
