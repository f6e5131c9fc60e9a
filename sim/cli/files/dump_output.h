/* Writes descriptors of tensor maps: hex, a C array, or the 128 bytes. */
#ifndef TMA_CLI_DUMP_OUTPUT_H
#define TMA_CLI_DUMP_OUTPUT_H

#include <stdio.h>

#include "tensormap/dump.h"

extern const struct tma_names cli_dump_format_names; /* hex, c, binary */

/* Writes the descriptor of the map `name`. `alone`: the output has no other, so that hex needs no
 * name in front. */
void cli_dump_write(const char *name, const struct tma_descriptor *descriptor,
                    enum tma_dump_format format, bool alone, FILE *out);

/* Checks the address of a descriptor in memory, as an option gives it (NULL: not given). False,
 * with the reason on standard error, if it is no address or not a multiple of 64. */
bool cli_check_descriptor_address(const char *text);

#endif
