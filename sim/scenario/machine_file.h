/* The machine's file: configs/gpus/NAME.yaml to struct tma_machine. */
#ifndef TMA_SCENARIO_MACHINE_FILE_H
#define TMA_SCENARIO_MACHINE_FILE_H

#include "memory/machine.h"
#include "scenario/schema.h"

/* A parameter of the machine is one line of this table. */
extern const struct tma_schema tma_machine_schema;

/* Reads the machine from a document. False, with the faults appended to the list, where it is not
 * complete and consistent. */
bool tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                      struct tma_diagnostics *list);

/* As tma_machine_from, from a file; `path` has to outlive the list. */
bool tma_machine_read(const char *path, struct tma_machine *machine, struct tma_diagnostics *list);

#endif
