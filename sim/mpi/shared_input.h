/* Standard input, which only rank 0 has, for the commands of all ranks. */
#ifndef TMA_MPI_SHARED_INPUT_H
#define TMA_MPI_SHARED_INPUT_H

/* Returns a descriptor of a file with what the standard input of rank 0 has; -1 on failure. All
 * ranks call it. */
int tma_shared_input(int rank);

#endif
