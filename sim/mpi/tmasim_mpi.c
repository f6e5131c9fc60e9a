/* tmasim-mpi: a sweep or a tuner whose tasks the ranks of an MPI job do.
 *
 *     mpirun -n 4 tmasim-mpi sweep gemm_tile --try workload.pipeline.depth=2:8
 *
 * Each rank runs the command `tmasim` as a child, which it joins with that of rank 0 (cli/tasks.h).
 * So the processes that simulate know nothing of MPI, and those that know MPI never simulate: a
 * simulation that dies takes no rank with it. Ranks start their commands when that of rank 0 has
 * something to do for them. */
#define _GNU_SOURCE /* memfd_create */

#include <errno.h>
#include <fcntl.h>
#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/path.h"
#include "workers/frames.h"

/* Passes bytes between sockets of this machine and ranks of MPI. */

enum { TMA_NOT_STARTED = -1 };

/* A socket and the rank that it is joined with. Both have a relay with a link to the other. */
struct tma_link {
    int channel; /* owned; TMA_NOT_STARTED: there is none yet, or no more */
    int rank;
    struct tma_channel_buffer to_channel;
    struct tma_channel_buffer to_rank; /* while `sends`, MPI reads these bytes */
    MPI_Request request;
    bool sends;
    bool channel_ended; /* nothing more comes from the channel */
    bool told;          /* that to the rank */
    bool rank_ended;    /* nothing more comes from the rank */
    bool lost;          /* the rank does not answer any more */
    uint64_t heard_ms, told_ms;
};

struct tma_relay {
    struct tma_link *links;
    int count;
    uint64_t lost_ms; /* a rank that says nothing for that long has gone */
    /* Called when the first bytes come for a link whose channel has not started: returns the
     * channel; TMA_NOT_STARTED if there can be none. */
    int (*start)(void *context);
    void *context;
};

enum tma_relay_tag { TAG_BYTES, TAG_ALIVE, TAG_WHOLE };

/* Each rank says every ALIVE_MS that it is there. */
enum { POLL_MS = 1, ALIVE_MS = 500 };

static uint64_t now_ms(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static void close_channel(struct tma_link *link) {
    if (link->channel != TMA_NOT_STARTED)
        close(link->channel);
    link->channel = TMA_NOT_STARTED;
    link->channel_ended = true;
    link->to_channel.size = link->to_channel.done = 0;
}

/* Starts to send what there is; a message of no bytes says that nothing more comes. */
static void send_to_rank(struct tma_link *link) {
    if (link->sends || link->told || (link->to_rank.size == 0 && !link->channel_ended))
        return;
    link->told = link->to_rank.size == 0;
    MPI_Isend(link->to_rank.bytes, (int)link->to_rank.size, MPI_BYTE, link->rank, TAG_BYTES,
              MPI_COMM_WORLD, &link->request);
    link->sends = true;
}

static void finish_sending(struct tma_link *link) {
    int complete = 0;
    if (!link->sends)
        return;
    MPI_Test(&link->request, &complete, MPI_STATUS_IGNORE);
    if (complete) {
        link->sends = false;
        link->to_rank.size = 0;
    }
}

/* Takes a message that has come. False when out of memory. */
static bool take_message(struct tma_relay *relay, struct tma_link *link, int tag, int bytes) {
    if (!tma_channel_buffer_reserve(&link->to_channel, (size_t)bytes))
        return false;
    MPI_Recv(link->to_channel.bytes + link->to_channel.size, bytes, MPI_BYTE, link->rank, tag,
             MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    link->heard_ms = now_ms();
    if (tag != TAG_BYTES)
        return true; /* a sign of life */
    link->rank_ended = bytes == 0;
    if (link->channel == TMA_NOT_STARTED && !link->channel_ended && bytes > 0) {
        link->channel = relay->start(relay->context);
        link->channel_ended = link->channel == TMA_NOT_STARTED;
    }
    if (link->channel != TMA_NOT_STARTED)
        link->to_channel.size += (size_t)bytes;
    return true;
}

/* Takes the messages with a tag that have come. */
static bool take_messages(struct tma_relay *relay, struct tma_link *link, int tag) {
    for (;;) {
        MPI_Status status;
        int there = 0, bytes = 0;
        MPI_Iprobe(link->rank, tag, MPI_COMM_WORLD, &there, &status);
        if (!there)
            return true;
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        if (!take_message(relay, link, tag, bytes))
            return false;
    }
}

static void show_life(struct tma_link *link, uint64_t now) {
    if (now - link->told_ms < ALIVE_MS)
        return;
    MPI_Request request;
    link->told_ms = now;
    MPI_Isend(NULL, 0, MPI_BYTE, link->rank, TAG_ALIVE, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
}

static bool is_over(const struct tma_link *link) {
    return link->lost || (link->told && !link->sends && link->rank_ended);
}

/* Does for a link what can be done without waiting. */
static bool step(struct tma_relay *relay, struct tma_link *link) {
    uint64_t now = now_ms();
    bool good = take_messages(relay, link, TAG_BYTES) && take_messages(relay, link, TAG_ALIVE);
    if (link->channel != TMA_NOT_STARTED)
        tma_channel_buffer_send(&link->to_channel, link->channel);
    if (link->rank_ended && link->to_channel.size == 0)
        close_channel(link);
    finish_sending(link);
    send_to_rank(link);
    show_life(link, now);
    if (now > link->heard_ms + relay->lost_ms) {
        close_channel(link);
        link->lost = true;
    }
    return good;
}

/* Reads what the channel has. */
static bool receive(struct tma_link *link) {
    switch (tma_channel_buffer_receive(&link->to_rank, link->channel)) {
    case TMA_RECEIVED_END:
        close_channel(link);
        return true;
    case TMA_RECEIVED_NO_MEMORY:
        return false;
    case TMA_RECEIVED_SOME:
        break;
    }
    return true;
}

/* Waits a little for channels. MPI has nothing that one could wait for together with them. */
static bool wait_for_channels(struct tma_relay *relay, struct pollfd *polls) {
    for (int i = 0; i < relay->count; i++) {
        const struct tma_link *link = &relay->links[i];
        int events = (link->sends ? 0 : POLLIN) | (link->to_channel.size > 0 ? POLLOUT : 0);
        bool waits = events != 0 && link->channel != TMA_NOT_STARTED;
        polls[i] = (struct pollfd){.fd = waits ? link->channel : -1, .events = (short)events};
    }
    if (poll(polls, (nfds_t)relay->count, POLL_MS) <= 0)
        return true;
    for (int i = 0; i < relay->count; i++)
        if ((polls[i].revents & ~POLLOUT) != 0 && !relay->links[i].sends &&
            !receive(&relay->links[i]))
            return false;
    return true;
}

/* Passes bytes until both sides of all links have ended, or their ranks are lost. False when out of
 * memory. */
static bool relay_run(struct tma_relay *relay) {
    struct pollfd *polls = tma_allocate((size_t)relay->count + 1, sizeof *polls);
    bool good = polls != NULL, over = false;
    for (int i = 0; i < relay->count; i++)
        relay->links[i].heard_ms = now_ms();
    while (good && !over) {
        over = true;
        for (int i = 0; good && i < relay->count; i++) {
            struct tma_link *link = &relay->links[i];
            good = is_over(link) || step(relay, link);
            over = over && is_over(link);
        }
        good = good && wait_for_channels(relay, polls);
    }
    for (int i = 0; i < relay->count; i++) {
        close_channel(&relay->links[i]);
        tma_channel_buffer_free(&relay->links[i].to_channel);
        if (!relay->links[i].sends)
            tma_channel_buffer_free(&relay->links[i].to_rank);
    }
    tma_release(polls);
    return good;
}

/* In rank 0, after that: tells the others whether all ranks are still there. */
static bool relay_tell_whole(const struct tma_relay *relay) {
    int whole = 1;
    for (int i = 0; i < relay->count; i++)
        whole = whole && !relay->links[i].lost;
    for (int i = 0; i < relay->count; i++)
        if (!relay->links[i].lost)
            MPI_Send(&whole, 1, MPI_INT, relay->links[i].rank, TAG_WHOLE, MPI_COMM_WORLD);
    return whole;
}

/* In another rank: hears it. False also where rank 0 is lost. */
static bool relay_hear_whole(const struct tma_relay *relay) {
    int whole = 0;
    if (!relay->links[0].lost)
        MPI_Recv(&whole, 1, MPI_INT, relay->links[0].rank, TAG_WHOLE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return whole;
}

/* The command `tmasim` as a child of a rank. */

enum { NUMBER_BYTES = 12, MOST_CHANNELS = 4096 };

static void list_channels(const int *channels, int count, char *text) {
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        text += snprintf(text, NUMBER_BYTES, "%s%d", i == 0 ? "" : ",", channels[i]);
}

static _Noreturn void become(char **arguments, const char *variable, const int *channels, int count,
                             int input, pid_t parent) {
    static char path[TMA_PATH_TEXT_BYTES + 8], list[MOST_CHANNELS * NUMBER_BYTES];
    /* The command never outlives its rank, which may have died before this call. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    for (int i = 0; i < count; i++)
        fcntl(channels[i], F_SETFD, 0);
    if (input >= 0)
        dup2(input, STDIN_FILENO);
    list_channels(channels, count, list);
    setenv(variable, list, 1);
    tma_own_folder(path);
    strcat(path, "tmasim");
    execv(path, arguments);
    execvp("tmasim", arguments);
    fprintf(stderr, "tmasim-mpi: error: cannot start %s: %s\n", path, strerror(errno));
    _exit(127);
}

/* Starts the tmasim that lies beside this program, else the one in PATH, with `arguments`, the
 * first of which is replaced. `variable` is put into its environment, with the descriptors
 * `channels`. `input` becomes its standard input, unless it is -1. Returns the process, or -1. */
static pid_t rank_command_start(char **arguments, const char *variable, const int *channels,
                                int count, int input) {
    pid_t parent = getpid(), process = count > MOST_CHANNELS ? -1 : fork();
    arguments[0] = (char *)"tmasim";
    if (process == 0)
        become(arguments, variable, channels, count, input, parent);
    return process;
}

/* Waits for its end. Returns the exit status, or 128 and the signal, as shells do. */
static int rank_command_wait(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0)
        if (errno != EINTR)
            return EXIT_FAILURE;
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

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
    rank->process = rank_command_start(rank->arguments, variable, channels, count, rank->input);
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
    if (!relay_run(&relay))
        fail("out of memory");
    if (rank->process > 0)
        rank_command_wait(rank->process);
    return relay_hear_whole(&relay);
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
    if (!relay_run(&relay))
        fail("out of memory");
    *status = rank_command_wait(rank->process);
    bool whole = relay_tell_whole(&relay);
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
