/* The man pages, from the tables of verbs, options, keys and statements. */
#pragma once

#include <stdio.h>

#include "cli/options.h"

/* tmasim(1): what the command is, and its verbs. */
void cli_manual_command(const struct cli_verb *const *verbs, FILE *out);

/* tmasim-VERB(1). */
void cli_manual_verb(const struct cli_verb *verb, FILE *out);

/* tmasim-scenario(5), tmasim-kernel(5) and tmasim-machine(5): every key of these files. */
void cli_manual_scenario(FILE *out);
void cli_manual_kernel(FILE *out);
void cli_manual_machine(FILE *out);
