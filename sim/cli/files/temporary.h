/* The temporary files of this process: those that outputs are written to before they take their
 * place. They are removed when a signal ends the command. */
#pragma once

#include <stdbool.h>

/* From now on, SIGINT, SIGTERM, SIGHUP, SIGXFSZ and SIGABRT remove the temporary files and then end
 * the command as they do by default, so that a shell sees status 128 + n. Signals that the caller
 * ignores stay ignored. Call once, before any other thread starts. */
void cli_temporary_watch_signals(void);

/* With `hold`, the first SIGINT does not end the command from now on: it makes cli_interrupted()
 * true, and the verb ends with what it has. Another one, two seconds later, ends the command. */
void cli_interrupts_hold(bool hold);

/* With `hold`, SIGTERM is an interrupt, too: mpirun and Slurm end the processes of a job by it. */
void cli_terminations_hold(bool hold);
bool cli_interrupted(void);

/* Creates a file as mkstemp does, which writes its name over `template`. The name must stay valid
 * until the file is kept or removed. Returns its descriptor, or -1 with errno set. */
int cli_temporary_create(char *template);

/* Renames the file to `target`. Returns false, with errno set and the file removed, on failure. */
bool cli_temporary_keep(const char *name, const char *target);

/* Removes the file. */
void cli_temporary_remove(const char *name);
