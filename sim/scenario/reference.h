/* The references of scenario files and machine files, made from the schemas that read them. */
#ifndef TMA_SCENARIO_REFERENCE_H
#define TMA_SCENARIO_REFERENCE_H

#include <stdio.h>

/* All write Markdown tables to `out`, one row per key: what it takes, its default, its meaning. */
void tma_scenario_reference(FILE *out);
void tma_machine_reference(FILE *out);
void tma_kernel_reference(FILE *out);

#endif
