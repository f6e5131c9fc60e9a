/* The dump of a tensor map that decode reads. */
#ifndef TMA_CLI_DUMP_INPUT_H
#define TMA_CLI_DUMP_INPUT_H

#include <stdbool.h>

#include "tensormap/dump.h"

/* Reads the 128 bytes of a tensor map, in any form of a dump. The operand is a file, "-" for
 * standard input, or hex digits where no file has that name. Where the input is not a tensor map,
 * prints what it looks like and returns false. */
bool cli_dump_read(const char *operand, struct tma_descriptor *descriptor,
                   enum tma_dump_format *format);

#endif
