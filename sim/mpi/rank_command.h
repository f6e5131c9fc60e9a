/* The command `tmasim` as a child of a rank. */
#ifndef TMA_MPI_RANK_COMMAND_H
#define TMA_MPI_RANK_COMMAND_H

#include <sys/types.h>

/* Starts the tmasim that lies beside this program, else the one in PATH, with `arguments`, the
 * first of which is replaced. `variable` is put into its environment, with the descriptors
 * `channels`. `input` becomes its standard input, unless it is -1. Returns the process, or -1. */
pid_t tma_rank_command_start(char **arguments, const char *variable, const int *channels, int count,
                             int input);

/* Waits for its end. Returns the exit status, or 128 and the signal, as shells do. */
int tma_rank_command_wait(pid_t process);

#endif
