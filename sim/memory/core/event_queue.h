/* The event queue: a timing wheel of buckets, one for each cycle. A bucket is a FIFO list: events
 * of one cycle come out in order of insertion. An event is a number; its meaning is the user's. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    TMA_EVENT_QUEUE_CYCLES = 1 << 12,
    TMA_EVENT_CHUNK = 15,
    TMA_EVENTS_AHEAD = 32,
    TMA_NONE = UINT32_MAX /* no packet, no transfer, no chunk */
};

/* Part of a bucket: one cache line of the host. */
struct tma_event_chunk {
    uint32_t events[TMA_EVENT_CHUNK];
    uint32_t next;
};

/* `end` says where the next event goes without a look at the chunks: 16 times the number of the
 * last chunk, plus the number of its events. */
struct tma_event_bucket {
    uint32_t first; /* chunk, or TMA_NONE */
    uint32_t end;
};

/* An event beyond the last bucket. */
struct tma_far_event {
    uint64_t cycle;
    uint32_t event;
};

struct tma_event_queue {
    uint64_t now;   /* the cycle of the first bucket */
    uint64_t count; /* events in the queue */
    /* Events of so many cycles from now on are in buckets, later ones in the list of far events.
     * The limit moves by half a turn at a time, and then far events move into buckets: an event
     * that was pushed earlier stays ahead of a later one of the same cycle. */
    uint64_t near_cycles;
    bool out_of_memory;
    struct tma_event_bucket buckets[TMA_EVENT_QUEUE_CYCLES];
    struct tma_event_chunk *chunks; /* owned */
    size_t chunk_count;
    uint32_t free_chunk;
    struct tma_far_event *far; /* owned: in order of insertion */
    size_t far_count, far_capacity;
    uint32_t *due; /* owned: the result of tma_event_queue_pop */
    size_t due_capacity;
};

void tma_event_queue_init(struct tma_event_queue *queue);
void tma_event_queue_free(struct tma_event_queue *queue);

/* Base of the encoding in tma_event_bucket.end: the place of an event among the words of all
 * chunks.
 */
enum { TMA_EVENT_END = TMA_EVENT_CHUNK + 1 };
_Static_assert(sizeof(struct tma_event_chunk) == TMA_EVENT_END * sizeof(uint32_t),
               "a chunk is its events and the next chunk");

/* Adds an event to the last chunk of a bucket, which has room. */
static inline void tma_event_bucket_append(struct tma_event_queue *queue,
                                           struct tma_event_bucket *bucket, uint32_t event) {
    uint32_t *words = (uint32_t *)queue->chunks;
    words[bucket->end++] = event;
}

/* The part of tma_event_queue_push that is rarely needed. */
void tma_event_queue_push_slowly(struct tma_event_queue *queue, uint32_t event, uint64_t cycle);

/* Adds an event at a cycle that is not before `now`. Sets out_of_memory on failure. */
static inline void tma_event_queue_push(struct tma_event_queue *queue, uint32_t event,
                                        uint64_t cycle) {
    struct tma_event_bucket *bucket = &queue->buckets[cycle % TMA_EVENT_QUEUE_CYCLES];
    queue->count++;
    if (cycle - queue->now < queue->near_cycles && bucket->end % TMA_EVENT_END != TMA_EVENT_CHUNK)
        tma_event_bucket_append(queue, bucket, event);
    else
        tma_event_queue_push_slowly(queue, event, cycle);
}

/* Removes the events of cycle `now` and moves on to the next cycle. Returns their number; *due
 * lists them in order of insertion and is valid until the next call. Behind them *due also lists
 * the first events of the next cycle that are known already: *known events in all. */
uint32_t tma_event_queue_pop(struct tma_event_queue *queue, const uint32_t **due, uint32_t *known);

/* Moves on to `cycle` at once. The queue must hold no event before it. */
void tma_event_queue_skip(struct tma_event_queue *queue, uint64_t cycle);
