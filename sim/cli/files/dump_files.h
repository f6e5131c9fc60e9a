/* Writes descriptors of tensor maps: hex, a C array, or the 128 bytes. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
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

/* The dumps of tensor maps that decode and replace read. */

enum { CLI_MOST_DUMPS = 32, CLI_DUMP_NAME_BYTES = 64 };

/* One descriptor of an input. */
struct cli_dump {
    char name[CLI_DUMP_NAME_BYTES]; /* as encode writes it; "1", "2", ... without one */
    struct tma_descriptor descriptor;
    enum tma_dump_format format;
};

/* Whether the `size` bytes, behind which a zero stands, are a dump of tensor maps. */
bool cli_is_dump(const char *data, size_t size);

/* Reads the 128 bytes of one or several tensor maps, in any form of a dump. The operand is a file,
 * "-" for standard input, or hex digits where no file has that name. Several are what encode writes
 * of several: lines NAME: HEX, or C arrays. `wanted` is the name of one of them; NULL: all. Returns
 * how many there are. Where the input is not a tensor map, or has no such name, prints what it
 * looks like and returns 0. */
size_t cli_dumps_read(const char *operand, const char *wanted,
                      struct cli_dump dumps[CLI_MOST_DUMPS]);

/* The same for an input that must have one tensor map. */
bool cli_dump_read(const char *operand, struct tma_descriptor *descriptor,
                   enum tma_dump_format *format);
