/* The text that CUTLASS prints of a tensor map, as when the driver refuses it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Is the text such a print? It has lines that begin with format, dim, globalDim and boxDim. */
bool tma_is_printed_map(const char *text);

/* Returns the same map as YAML, of which each line says what the same line of the print says, so
 * that messages have the right line. The caller frees it. NULL when out of memory. */
char *tma_printed_map_to_yaml(const char *text);
