/* The references of scenario files and machine files, made from the schemas that read them. */
#ifndef TMA_SCENARIO_REFERENCE_H
#define TMA_SCENARIO_REFERENCE_H

#include <stdio.h>

#include "scenario/sections.h"

/* All write Markdown tables to `out`, one row per key: what it takes, its default, its meaning. */
void tma_scenario_reference(FILE *out);
void tma_machine_reference(FILE *out);
void tma_kernel_reference(FILE *out);

/* The table of one section, for files that other folders read. `context` is the FILE. */
void tma_section_reference(void *context, const struct tma_section *section);

#endif
