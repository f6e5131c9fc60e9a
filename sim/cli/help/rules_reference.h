/* The reference of the rules of tensor maps. */
#ifndef TMA_CLI_RULES_REFERENCE_H
#define TMA_CLI_RULES_REFERENCE_H

#include <stdio.h>

/* Writes every rule and every piece of advice as Markdown. */
void cli_rules_reference(FILE *out);

#endif
