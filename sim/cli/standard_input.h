/* Standard input as a file that can be read more than once. */
#ifndef TMA_CLI_STANDARD_INPUT_H
#define TMA_CLI_STANDARD_INPUT_H

/* Copies standard input into memory, and returns a path under which this process and its workers
 * can read it as often as they want. Messages call it "standard input". Returns NULL, with an error
 * printed, on failure. */
const char *cli_standard_input(void);

#endif
