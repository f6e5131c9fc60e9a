/* tmasim-mpi: a sweep or a tuner whose tasks the ranks of an MPI job do.
 *
 *     mpirun -n 4 tmasim-mpi sweep gemm_tile --try workload.pipeline.depth=2:8
 *
 * Each rank runs the command `tmasim` as a child, which it joins with that of rank 0 (cli/ranks.h).
 * So the processes that simulate know nothing of MPI, and those that know MPI never simulate: a
 * simulation that dies takes no rank with it. Ranks start their commands when that of rank 0 has
 * something to do for them. */
#define _GNU_SOURCE /* memfd_create */
#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/allocation.h"
#include "mpi/rank_command.h"
#include "mpi/relay.h"

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

/* A file with what the standard input of rank 0 has, for the commands of all ranks; -1 on failure.
 * All ranks call it. */
static int shared_input(int rank) {
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

enum { DEFAULT_LOST_S = 30 };

struct rank {
    int number, count; /* of ranks */
    char **arguments;
    int input;     /* for the command's standard input; -1: that of the rank */
    pid_t process; /* of the command; 0: not started */
};

static void fail(const char *what) {
    fprintf(stderr, "tmasim-mpi: error: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, EXIT_FAILURE);
}

/* Only descriptors that a command gets outlive its start. */
static void join(int ends[2]) {
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        fail("cannot create a socket");
}

static pid_t start_command(struct rank *rank, const char *variable, const int *channels,
                           int count) {
    rank->process = tma_rank_command_start(rank->arguments, variable, channels, count, rank->input);
    if (rank->process < 0)
        fail("cannot start tmasim");
    for (int i = 0; i < count; i++)
        close(channels[i]);
    return rank->process;
}

/* A rank that says nothing for that long has gone. */
static uint64_t lost_ms(void) {
    const char *seconds = getenv("TMASIM_RANK_TIMEOUT");
    unsigned long given = seconds == NULL ? 0 : strtoul(seconds, NULL, 10);
    return 1000 * (uint64_t)(given == 0 || given > 86400 ? DEFAULT_LOST_S : given);
}

/* In a rank that is not rank 0: starts the command when rank 0 sends something. */
static int start_server(void *context) {
    int ends[2];
    join(ends);
    start_command(context, "TMASIM_POOL", &ends[1], 1);
    return ends[0];
}

/* Returns whether all ranks are still there. */
static bool serve(struct rank *rank) {
    struct tma_link link = {.channel = TMA_NOT_STARTED, .rank = 0};
    struct tma_relay relay = {
        .links = &link, .count = 1, .lost_ms = lost_ms(), .start = start_server, .context = rank};
    if (!tma_relay_run(&relay))
        fail("out of memory");
    if (rank->process > 0)
        tma_rank_command_wait(rank->process);
    return tma_relay_hear_whole(&relay);
}

/* In rank 0. Returns whether all ranks are still there, and the exit status of the command. */
static bool lead(struct rank *rank, int *status) {
    int others = rank->count - 1;
    struct tma_link *links = tma_allocate((size_t)rank->count, sizeof *links);
    int *channels = tma_allocate((size_t)rank->count, sizeof *channels);
    if (links == NULL || channels == NULL)
        fail("out of memory");
    for (int i = 0; i < others; i++) {
        int ends[2];
        join(ends);
        links[i] = (struct tma_link){.channel = ends[0], .rank = i + 1};
        channels[i] = ends[1];
    }
    start_command(rank, "TMASIM_SERVERS", channels, others);
    struct tma_relay relay = {.links = links, .count = others, .lost_ms = lost_ms()};
    if (!tma_relay_run(&relay))
        fail("out of memory");
    *status = tma_rank_command_wait(rank->process);
    bool whole = tma_relay_tell_whole(&relay);
    tma_release(links);
    tma_release(channels);
    return whole;
}

/* A rank without standard input has an empty one. */
static int find_input(const struct rank *rank, int count) {
    for (int i = 1; i < count; i++)
        if (strcmp(rank->arguments[i], "-") == 0) {
            int input = shared_input(rank->number);
            if (input < 0)
                fail("cannot pass standard input on");
            return input;
        }
    return rank->number == 0 ? -1 : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

/* The command decides what an interrupt does: the rank lives as long as it has something to pass.
 */
static void stay(int number) {
    (void)number;
}

int main(int count, char **arguments) {
    struct rank rank = {.arguments = arguments};
    struct sigaction action = {.sa_handler = stay, .sa_flags = SA_RESTART};
    int status = EXIT_SUCCESS;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank.count);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    rank.input = find_input(&rank, count);
    bool whole = rank.number == 0 ? lead(&rank, &status) : serve(&rank);
    if (!whole)
        _exit(status); /* MPI_Finalize would wait for the rank that has gone */
    MPI_Finalize();
    return status;
}
