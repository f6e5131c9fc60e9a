/* Input that can be read only once, from a pipe, as a file that can be read more than once. */
#pragma once

/* Gives a path under which this process and its workers can read the file as often as they want.
 * For "-", standard input, and for pipes and FIFOs, such as <(...) of a shell, this is a copy in
 * memory; messages call it "standard input" or by the pipe's own name. For any other file it is
 * `path`. Returns NULL, with an error printed, on failure. */
const char *cli_piped_input(const char *path);

/* Gives a path under which this process and its workers can read a text, which messages call
 * `name`. Returns NULL, with an error printed, on failure. */
const char *cli_text_input(const char *text, const char *name);
