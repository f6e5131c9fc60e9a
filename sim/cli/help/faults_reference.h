/* tmasim help faults: from what CUDA says to its causes. */
#ifndef TMA_CLI_FAULTS_REFERENCE_H
#define TMA_CLI_FAULTS_REFERENCE_H

#include <stdio.h>

/* Writes docs/faults.md. */
void cli_faults_reference(FILE *out);

#endif
