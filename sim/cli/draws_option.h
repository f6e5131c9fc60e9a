/* --draws of the verbs that simulate a scenario. */
#ifndef TMA_CLI_DRAWS_OPTION_H
#define TMA_CLI_DRAWS_OPTION_H

#include "cli/options.h"

/* Prints an error and returns false if the number is outside its range. */
bool cli_draws_allowed(struct cli_count draws);

/* The same, where no draws are allowed, too. */
bool cli_draws_most(struct cli_count draws);

#endif
