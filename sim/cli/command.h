/* The command without its process: tests run it many times in one. */
#pragma once

/* Runs the verb that arguments[1] names, with the arguments after it. Returns the exit status. What
 * the verb wrote to standard output has left the stream's buffer. */
int cli_run_command(int count, char **arguments);
