/* Passes bytes between sockets of this machine and ranks of MPI. */
#ifndef TMA_MPI_RELAY_H
#define TMA_MPI_RELAY_H

#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

#include "workers/frames.h"

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

/* Passes bytes until both sides of all links have ended, or their ranks are lost. False when out of
 * memory. */
bool tma_relay_run(struct tma_relay *relay);

/* In rank 0, after that: tells the others whether all ranks are still there. */
bool tma_relay_tell_whole(const struct tma_relay *relay);

/* In another rank: hears it. False also where rank 0 is lost. */
bool tma_relay_hear_whole(const struct tma_relay *relay);

#endif
