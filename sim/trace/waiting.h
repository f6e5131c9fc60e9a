/* Events of one trace that wait for their counterpart in the other. Internal to sim/trace. */
#ifndef TMA_TRACE_WAITING_H
#define TMA_TRACE_WAITING_H

#include <stdbool.h>

#include "engine/event.h"
#include "trace/trace.h"

enum { TMA_WAITING_CAPACITY = 1 << 17, TMA_WAITING_BUCKETS = 1 << 15 };

struct tma_waiting {
    struct tma_event event;
    uint64_t line;    /* of its file */
    uint64_t arrived; /* counts the events of both traces */
    /* Indices into the room; 0 is none. */
    uint32_t older, newer;   /* by arrival */
    uint32_t before, behind; /* in its bucket, the newest first */
};

/* A room is a few lists in one array; pages of the array that were never needed cost nothing. */
struct tma_waiting_room {
    struct tma_waiting *slots; /* [0] is unused */
    uint32_t *buckets;
    uint32_t oldest, newest;
    uint32_t unsettled; /* the oldest one that waits for its first settlement */
    uint32_t free;      /* slots given back, through `newer` */
    uint32_t touched;   /* slots ever used */
};

/* Do both stand for the same thing that happened: same CTA, slot, kind, and number of the
 * operation, phase or consumer? */
bool tma_event_is_counterpart(const struct tma_event *a, const struct tma_event *b);

/* Are two counterparts the same, within the tolerance? */
bool tma_event_is_same(const struct tma_event *a, const struct tma_event *b,
                       const struct tma_trace_tolerance *tolerance);

/* Is the difference of two numbers within the tolerance? */
bool tma_trace_is_close(uint64_t a, uint64_t b, const struct tma_trace_tolerance *tolerance);

bool tma_waiting_open(struct tma_waiting_room *room); /* false: no memory */
void tma_waiting_close(struct tma_waiting_room *room);

/* The room must not be full. */
bool tma_waiting_is_full(const struct tma_waiting_room *room);
void tma_waiting_enter(struct tma_waiting_room *room, const struct tma_event *event, uint64_t line,
                       uint64_t arrived);
void tma_waiting_leave(struct tma_waiting_room *room, struct tma_waiting *waiting);

/* The longest waiting counterpart that is the same, and the longest waiting counterpart that
 * arrived before `arrived`; NULL where there is none. */
struct tma_waiting *tma_waiting_same(const struct tma_waiting_room *room,
                                     const struct tma_event *event,
                                     const struct tma_trace_tolerance *tolerance);
struct tma_waiting *tma_waiting_older(const struct tma_waiting_room *room,
                                      const struct tma_event *event, uint64_t arrived);

/* NULL where nobody waits. */
struct tma_waiting *tma_waiting_oldest(const struct tma_waiting_room *room);

/* The next one to settle, NULL where all are; and past it. */
struct tma_waiting *tma_waiting_unsettled(const struct tma_waiting_room *room);
void tma_waiting_settled(struct tma_waiting_room *room);

#endif
