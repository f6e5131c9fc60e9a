/* The machine that comes with the command. */
#ifndef TMA_CLI_MACHINE_PATH_H
#define TMA_CLI_MACHINE_PATH_H

#include <stdbool.h>

#include "memory/machine.h"

/* Reads the machine at `path`, or where that is NULL the H200 that comes with the command. False,
 * with the reasons on standard error. */
bool cli_machine_read(const char *path, struct tma_machine *machine);

#endif
