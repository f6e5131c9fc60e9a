/* Writes a kernel as a scenario that runs the same. */
#pragma once

#include <stdio.h>

#include "engine/roles/kernel.h"

/* Writes YAML that tma_scenario_read reads as the same kernel. `map_names` has a name for each of
 * its tensor maps, `gpu` is the path of a machine file. Write errors stay with the stream. */
void tma_kernel_print(const struct tma_kernel *kernel, const char *const *map_names,
                      const char *gpu, FILE *out);
