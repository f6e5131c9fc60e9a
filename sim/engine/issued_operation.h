/* TMA operations from the instruction to their last completion. Actors issue ahead of time and in
 * any order; the queue sorts what they have issued, and the memory actor hands it over in order of
 * time. */
#pragma once

#include "engine/cta.h"
#include "engine/lanes.h"
#include "engine/observe/span.h"
#include "memory/system.h"
#include "placement/operation.h"

/* A program's own struct of an operation begins with this one. The program fills in the first part.
 */
struct tma_issued {
    struct tma_operation operation; /* with its coordinates and its place in shared memory */
    uint32_t map, map_index;        /* among the program's maps */
    uint32_t number;                /* of the operation in its CTA, or in its role */
    uint32_t slot;                  /* or role: of its events */
    uint32_t warp;                  /* that issued it, in its SM */
    uint32_t order; /* tells it from others of its actor, where warps see both ends in one cycle */
    bool cta_stays; /* its CTA does not end before it */
    bool one_row;   /* it moves one row of the box */
    struct tma_lanes lanes;      /* who carries it out */
    int64_t entry;               /* of the table that names the rows of lanes: the first one */
    struct tma_span_place place; /* of the statement; only where somebody wants spans */
    bool distant;         /* to or from `bytes` of shared memory at operation.shared_address of */
    uint32_t peer, bytes; /* the SM `peer`, and not of a tensor */

    /* The runtime's. */
    uint32_t actor, record; /* who issued it, and its place in the pool */
    uint32_t cta;           /* number of the CTA in the grid */
    uint32_t left;          /* completions to come: its own, and copies */
    uint32_t next_free;
    uint64_t window; /* of the trace */
    /* Of lanes: accesses that are not done, and what there is so far of the completion. */
    uint32_t accesses;
    struct tma_completion sum;
};

/* The operations in flight of one actor: their numbers do not depend on others. */
struct tma_operation_pool {
    char *items; /* owned */
    size_t count, capacity;
    uint32_t free; /* first free one, or UINT32_MAX */
};

struct tma_queued_issue {
    uint64_t cycle;  /* of the instruction */
    uint32_t sm;     /* number of the SM */
    uint32_t actor;  /* that issued it */
    uint32_t number; /* of the operation, as in struct tma_issued */
    uint32_t record; /* in the pool of its actor */
};

/* All zero: an empty queue. A heap: roles issue many operations far ahead of others, which would
 * all move in a sorted list. The order is that of cycle, SM, actor and number. */
struct tma_issue_queue {
    struct tma_queued_issue *heap; /* owned: the first one at index 0 */
    size_t count, capacity;
};

/* The cycle of the first operation; UINT64_MAX if the queue is empty. */
static inline uint64_t tma_issue_queue_first(const struct tma_issue_queue *queue) {
    return queue->count == 0 ? UINT64_MAX : queue->heap[0].cycle;
}

void tma_issue_queue_free(struct tma_issue_queue *queue);

/* False when out of memory. */
bool tma_issue_queue_push(struct tma_issue_queue *queue, const struct tma_queued_issue *issue);

/* Removes the first operation. The queue must not be empty. */
struct tma_queued_issue tma_issue_queue_pop(struct tma_issue_queue *queue);

/* A new operation of an actor, all zero but for the runtime's part and the order, valid until the
 * next one. NULL when out of memory, which stops the run. */
void *tma_operation_new(struct tma_cta *cta, uint32_t actor);

/* The operation is issued at `cycle`, which may lie ahead. */
void tma_operation_issue(struct tma_cta *cta, const struct tma_issued *operation, uint64_t cycle);

/* Hands the first operation of the queue to the memory system. Stops the run where it faults. */
void tma_operation_hand_over(struct tma_simulation *simulation);

/* An operation has completed, as warps see at `cycle`: tells the program. */
void tma_operation_complete(struct tma_simulation *simulation,
                            const struct tma_completion *completion, uint64_t cycle);

/* The operation of a completion. */
struct tma_issued *tma_operation_of(const struct tma_simulation *simulation,
                                    const struct tma_completion *completion);
