#include "mpi/relay.h"

#include <poll.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/allocation.h"

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

bool tma_relay_run(struct tma_relay *relay) {
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

bool tma_relay_tell_whole(const struct tma_relay *relay) {
    int whole = 1;
    for (int i = 0; i < relay->count; i++)
        whole = whole && !relay->links[i].lost;
    for (int i = 0; i < relay->count; i++)
        if (!relay->links[i].lost)
            MPI_Send(&whole, 1, MPI_INT, relay->links[i].rank, TAG_WHOLE, MPI_COMM_WORLD);
    return whole;
}

bool tma_relay_hear_whole(const struct tma_relay *relay) {
    int whole = 0;
    if (!relay->links[0].lost)
        MPI_Recv(&whole, 1, MPI_INT, relay->links[0].rank, TAG_WHOLE, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return whole;
}
