#include "memory/core/event_queue.h"

#include <assert.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"

/* Chunks grow by doubling from this. */
enum { FIRST_CHUNKS = 64 };

/* An empty bucket looks like one whose last chunk is full, so the first event gets a new chunk. */
static const struct tma_event_bucket empty = {TMA_NONE, TMA_EVENT_CHUNK};

void tma_event_queue_init(struct tma_event_queue *queue) {
    *queue =
        (struct tma_event_queue){.free_chunk = TMA_NONE, .near_cycles = TMA_EVENT_QUEUE_CYCLES};
    for (uint32_t i = 0; i < TMA_EVENT_QUEUE_CYCLES; i++)
        queue->buckets[i] = empty;
}

void tma_event_queue_free(struct tma_event_queue *queue) {
    TMA_RELEASE(queue->chunks, queue->far, queue->due);
    tma_event_queue_init(queue);
}

static bool grow_chunks(struct tma_event_queue *queue) {
    size_t old = queue->chunk_count, count = old == 0 ? FIRST_CHUNKS : 2 * old;
    struct tma_event_chunk *chunks =
        tma_resize_aligned(queue->chunks, old * sizeof *chunks, count * sizeof *chunks);
    if (chunks == NULL)
        return false;
    for (size_t i = count; i > old; i--) {
        chunks[i - 1].next = queue->free_chunk;
        queue->free_chunk = (uint32_t)(i - 1);
    }
    queue->chunks = chunks;
    queue->chunk_count = count;
    return true;
}

/* Adds an event to a new chunk of a bucket. */
static void extend(struct tma_event_queue *queue, struct tma_event_bucket *bucket, uint32_t event) {
    if (queue->free_chunk == TMA_NONE && !grow_chunks(queue)) {
        queue->out_of_memory = true;
        return;
    }
    uint32_t chunk = queue->free_chunk;
    queue->free_chunk = queue->chunks[chunk].next;
    queue->chunks[chunk].next = TMA_NONE;
    if (bucket->first == TMA_NONE)
        bucket->first = chunk;
    else
        queue->chunks[bucket->end / TMA_EVENT_END].next = chunk;
    bucket->end = chunk * TMA_EVENT_END;
    tma_event_bucket_append(queue, bucket, event);
}

static void put_far(struct tma_event_queue *queue, uint32_t event, uint64_t cycle) {
    if (!TMA_GROW(queue->far, queue->far_count, queue->far_capacity)) {
        queue->out_of_memory = true;
        return;
    }
    queue->far[queue->far_count++] = (struct tma_far_event){cycle, event};
}

void tma_event_queue_push_slowly(struct tma_event_queue *queue, uint32_t event, uint64_t cycle) {
    assert(cycle >= queue->now);
    if (cycle - queue->now < queue->near_cycles)
        extend(queue, &queue->buckets[cycle % TMA_EVENT_QUEUE_CYCLES], event);
    else
        put_far(queue, event, cycle);
}

enum { HALF_TURN = TMA_EVENT_QUEUE_CYCLES / 2 };

/* Moves far events that are near now into buckets. */
static void fetch_far(struct tma_event_queue *queue) {
    size_t kept = 0;
    uint64_t count = queue->count;
    for (size_t i = 0; i < queue->far_count; i++)
        if (queue->far[i].cycle - queue->now < queue->near_cycles)
            tma_event_queue_push(queue, queue->far[i].event, queue->far[i].cycle);
        else
            queue->far[kept++] = queue->far[i];
    queue->far_count = kept;
    queue->count = count;
}

static void move_to(struct tma_event_queue *queue, uint64_t cycle) {
    bool passed_half = cycle / HALF_TURN != queue->now / HALF_TURN;
    queue->now = cycle;
    queue->near_cycles = TMA_EVENT_QUEUE_CYCLES - cycle % HALF_TURN;
    if (passed_half && queue->far_count > 0)
        fetch_far(queue);
}

/* Copies the events of one chunk of a bucket and returns their number. `events` must have room for
 * a whole chunk: a copy of constant size is fastest. */
static uint32_t copy_chunk(const struct tma_event_queue *queue,
                           const struct tma_event_bucket *bucket, uint32_t chunk,
                           uint32_t *events) {
    memcpy(events, queue->chunks[chunk].events, sizeof queue->chunks[chunk].events);
    return chunk == bucket->end / TMA_EVENT_END ? bucket->end % TMA_EVENT_END : TMA_EVENT_CHUNK;
}

/* Appends the events of a chunk to queue->due. */
static bool take_chunk(struct tma_event_queue *queue, const struct tma_event_bucket *bucket,
                       uint32_t chunk, uint32_t *count) {
    if (!TMA_GROW(queue->due, *count + TMA_EVENT_CHUNK - 1, queue->due_capacity)) {
        queue->out_of_memory = true;
        return false;
    }
    *count += copy_chunk(queue, bucket, chunk, &queue->due[*count]);
    return true;
}

/* Appends the first events of the next cycle behind the `count` due ones. Returns the new total. */
static uint32_t look_ahead(struct tma_event_queue *queue, uint32_t count) {
    const struct tma_event_bucket *bucket = &queue->buckets[queue->now % TMA_EVENT_QUEUE_CYCLES];
    uint32_t known = count;
    for (uint32_t at = bucket->first; at != TMA_NONE && known < count + TMA_EVENTS_AHEAD;
         at = queue->chunks[at].next)
        if (!take_chunk(queue, bucket, at, &known))
            break;
    return known;
}

uint32_t tma_event_queue_pop(struct tma_event_queue *queue, const uint32_t **due, uint32_t *known) {
    struct tma_event_bucket *bucket = &queue->buckets[queue->now % TMA_EVENT_QUEUE_CYCLES];
    uint32_t count = 0, next;
    for (uint32_t at = bucket->first; at != TMA_NONE; at = next) {
        if (!take_chunk(queue, bucket, at, &count))
            return 0;
        next = queue->chunks[at].next;
        queue->chunks[at].next = queue->free_chunk;
        queue->free_chunk = at;
    }
    *bucket = empty;
    queue->count -= count;
    move_to(queue, queue->now + 1);
    *known = look_ahead(queue, count);
    *due = queue->due;
    return count;
}

void tma_event_queue_skip(struct tma_event_queue *queue, uint64_t cycle) {
    assert(queue->count == 0 && cycle >= queue->now);
    move_to(queue, cycle);
}
