/* The events of one trace that have no counterpart in the other trace yet. Internal to sim/trace.
 *
 * Two events are counterparts if they stand for the same happening: same kind, CTA and slot, and
 * the same number of the operation, phase or consumer. */
#pragma once

#include <stdbool.h>

#include "engine/observe/event.h"
#include "trace/trace.h"

/* Capacity in events, and size of the hash table. */
enum { TMA_PENDING_CAPACITY = 1 << 17, TMA_PENDING_BUCKETS = 1 << 15 };

/* Links are indices into the array of entries; 0 is none. */
struct tma_pending_event {
    struct tma_event event;
    uint64_t line;            /* line number in the event's file */
    uint64_t arrival;         /* when it was added, counted in events of both traces */
    uint32_t older;           /* next older event */
    uint32_t newer;           /* next newer event; in the free list, the next free entry */
    uint32_t bucket_previous; /* next newer event in the same hash bucket */
    uint32_t bucket_next;     /* next older event in the same hash bucket */
};

/* An array of entries, linked by arrival, by hash bucket, and into a free list. Untouched pages of
 * the array take no memory. */
struct tma_pending_events {
    struct tma_pending_event *entries; /* entry 0 is a dummy that ends the lists */
    uint32_t *buckets;                 /* the newest event of each bucket */
    uint32_t oldest;                   /* first in the list by arrival */
    uint32_t newest;                   /* last in the list by arrival */
    uint32_t unpaired;                 /* the cursor of tma_pending_next_unpaired */
    uint32_t free_list;                /* the removed entry that is used next */
    uint32_t used;                     /* entries that were ever in use */
};

bool tma_event_is_counterpart(const struct tma_event *a, const struct tma_event *b);

/* True if two counterparts have the same SM, and all their numbers agree within the tolerance. */
bool tma_event_is_same(const struct tma_event *a, const struct tma_event *b,
                       const struct tma_trace_tolerance *tolerance);

/* True if the difference of two numbers is within the tolerance. */
bool tma_trace_is_close(uint64_t a, uint64_t b, const struct tma_trace_tolerance *tolerance);

/* Returns false when out of memory. tma_pending_close frees in either case. */
bool tma_pending_open(struct tma_pending_events *pending);
void tma_pending_close(struct tma_pending_events *pending);

bool tma_pending_is_full(const struct tma_pending_events *pending);

/* Adds an event as the newest. The list must not be full. */
void tma_pending_add(struct tma_pending_events *pending, const struct tma_event *event,
                     uint64_t line, uint64_t arrival);
void tma_pending_remove(struct tma_pending_events *pending, struct tma_pending_event *entry);

/* Returns the oldest counterpart of `event` that is the same within the tolerance, or NULL. */
struct tma_pending_event *tma_pending_find_same(const struct tma_pending_events *pending,
                                                const struct tma_event *event,
                                                const struct tma_trace_tolerance *tolerance);

/* Returns the oldest counterpart of `event` that was added before `arrival`, or NULL. */
struct tma_pending_event *tma_pending_find_earlier(const struct tma_pending_events *pending,
                                                   const struct tma_event *event, uint64_t arrival);

/* Returns the oldest event, or NULL if there is none. */
struct tma_pending_event *tma_pending_oldest(const struct tma_pending_events *pending);

/* A cursor over the events by arrival: returns the event at the cursor, or NULL past the newest. */
struct tma_pending_event *tma_pending_next_unpaired(const struct tma_pending_events *pending);

/* Moves the cursor past its event, which stays pending. */
void tma_pending_skip_unpaired(struct tma_pending_events *pending);
