/* Writes keys with paths ("workload.operations.0.load") and their values as YAML in block style. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

enum { TMA_BLOCK_PATH_BYTES = 256 };

struct tma_block_yaml {
    FILE *out;
    char path[TMA_BLOCK_PATH_BYTES]; /* of the last value */
};

/* A list of values in brackets, or one value. */
enum tma_block_value { TMA_BLOCK_SCALAR, TMA_BLOCK_FLOW };

/* Writes a value below the mappings and list entries that its path names; those that the value
 * before it was in are continued. A step of digits is an entry of a list, and entries come in
 * order. A scalar is quoted where YAML would take it for something else; an empty one is written
 * as no value. The comment may be NULL. Paths of TMA_BLOCK_PATH_BYTES and more are cut. */
void tma_block_yaml_write(struct tma_block_yaml *yaml, const char *path, enum tma_block_value kind,
                          const char *value, const char *comment);
