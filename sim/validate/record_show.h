/* Shows the kernel of a record as a scenario. */
#ifndef TMA_VALIDATE_RECORD_SHOW_H
#define TMA_VALIDATE_RECORD_SHOW_H

#include <stdio.h>

#include "cli/options.h"

/* Finds the record of that name in the files that are the operands, and writes its kernel as a
 * scenario for the machine file `gpu` (NULL: the h200.yaml of this project). Prints an error and
 * returns false if no file has such a record of a kernel. */
bool cli_record_show(const struct cli_options *options, const char *name, const char *gpu,
                     FILE *out);

#endif
