/* The machine that a verb reads. */
#ifndef TMA_CLI_MACHINE_INPUT_H
#define TMA_CLI_MACHINE_INPUT_H

#include <stdbool.h>

#include "memory/machine.h"

/* Reads the machine file at `path`, or the h200.yaml that belongs to the command where `path` is
 * NULL. On failure, prints every error and returns false. */
bool cli_machine_read(const char *path, struct tma_machine *machine);

/* The same, with values of it set: each is "KEY=VALUE". */
bool cli_machine_read_set(const char *path, char *const *settings, size_t count,
                          struct tma_machine *machine);

#endif
