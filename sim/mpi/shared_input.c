#define _GNU_SOURCE /* memfd_create */
#include "mpi/shared_input.h"

#include <errno.h>
#include <mpi.h>
#include <stdbool.h>
#include <sys/mman.h>
#include <unistd.h>

enum { BLOCK_BYTES = 1 << 16 };

/* Reads until the block is full, or the input ends. */
static int read_block(char block[BLOCK_BYTES]) {
    int size = 0;
    while (size < BLOCK_BYTES) {
        ssize_t got = read(STDIN_FILENO, block + size, (size_t)(BLOCK_BYTES - size));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        size += (int)got;
    }
    return size;
}

int tma_shared_input(int rank) {
    static char block[BLOCK_BYTES];
    int file = memfd_create("standard input", MFD_CLOEXEC), size;
    bool good = file >= 0;
    do {
        size = rank == 0 ? read_block(block) : 0;
        MPI_Bcast(&size, 1, MPI_INT, 0, MPI_COMM_WORLD);
        MPI_Bcast(block, size, MPI_BYTE, 0, MPI_COMM_WORLD);
        good = good && write(file, block, (size_t)size) == size;
    } while (size == BLOCK_BYTES);
    return good && lseek(file, 0, SEEK_SET) == 0 ? file : -1;
}
