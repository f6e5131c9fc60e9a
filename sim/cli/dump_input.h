/* The dumps of tensor maps that decode is given. */
#ifndef TMA_CLI_DUMP_INPUT_H
#define TMA_CLI_DUMP_INPUT_H

#include <stdbool.h>

#include "tensormap/dump.h"

/* Reads 128 bytes from a file in any form of a dump, from standard input ("-"), or from the operand
 * itself where it is hex and no file's name. False, with what it looks like on standard error,
 * where that is no tensor map. */
bool cli_dump_read(const char *operand, struct tma_descriptor *descriptor,
                   enum tma_dump_format *format);

#endif
