#include "memory/wheel.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* Chunks grow by doubling from this. */
enum { FIRST_CHUNKS = 64 };

/* What tells the number of a chunk from that of an entry in it. */
enum { END_CHUNK = TMA_WHEEL_CHUNK + 1 };

/* As if its last chunk were full: the first entry needs a new one. */
static const struct tma_wheel_bucket empty = {TMA_NONE, TMA_WHEEL_CHUNK};

void tma_wheel_init(struct tma_wheel *wheel) {
    *wheel = (struct tma_wheel){.free_chunk = TMA_NONE};
    for (uint32_t i = 0; i < TMA_WHEEL_CYCLES; i++)
        wheel->buckets[i] = empty;
}

void tma_wheel_free(struct tma_wheel *wheel) {
    free(wheel->chunks);
    free(wheel->far);
    free(wheel->due);
    tma_wheel_init(wheel);
}

static bool grow_chunks(struct tma_wheel *wheel) {
    size_t old = wheel->chunk_count, count = old == 0 ? FIRST_CHUNKS : 2 * old;
    struct tma_wheel_chunk *chunks =
        tma_resize_aligned(wheel->chunks, old * sizeof *chunks, count * sizeof *chunks);
    if (chunks == NULL)
        return false;
    for (size_t i = count; i > old; i--) {
        chunks[i - 1].next = wheel->free_chunk;
        wheel->free_chunk = (uint32_t)(i - 1);
    }
    wheel->chunks = chunks;
    wheel->chunk_count = count;
    return true;
}

/* Puts an entry into the last chunk of a bucket, in which there is room. */
static void append(struct tma_wheel *wheel, struct tma_wheel_bucket *bucket, uint32_t entry) {
    wheel->chunks[bucket->end / END_CHUNK].entries[bucket->end % END_CHUNK] = entry;
    bucket->end++;
}

/* Kept out of tma_wheel_put, which then needs no stack: a third fewer instructions. */
#define RARELY __attribute__((noinline)) static

/* Puts an entry into a new chunk of a bucket. */
RARELY void extend(struct tma_wheel *wheel, struct tma_wheel_bucket *bucket, uint32_t entry) {
    if (wheel->free_chunk == TMA_NONE && !grow_chunks(wheel)) {
        wheel->out_of_memory = true;
        return;
    }
    uint32_t chunk = wheel->free_chunk;
    wheel->free_chunk = wheel->chunks[chunk].next;
    wheel->chunks[chunk].next = TMA_NONE;
    if (bucket->first == TMA_NONE)
        bucket->first = chunk;
    else
        wheel->chunks[bucket->end / END_CHUNK].next = chunk;
    bucket->end = chunk * END_CHUNK;
    append(wheel, bucket, entry);
}

/* Puts an entry into the bucket of a cycle that the ring reaches. */
static void put_near(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle) {
    struct tma_wheel_bucket *bucket = &wheel->buckets[cycle % TMA_WHEEL_CYCLES];
    if (bucket->end % END_CHUNK == TMA_WHEEL_CHUNK)
        extend(wheel, bucket, entry);
    else
        append(wheel, bucket, entry);
}

RARELY void put_far(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle) {
    struct tma_wheel_far *far =
        tma_array_grow(wheel->far, wheel->far_count, &wheel->far_capacity, sizeof *far);
    if (far == NULL) {
        wheel->out_of_memory = true;
        return;
    }
    wheel->far = far;
    wheel->far[wheel->far_count++] = (struct tma_wheel_far){cycle, entry};
}

enum { HALF_TURN = TMA_WHEEL_CYCLES / 2 };

/* Entries before this cycle go into buckets. It moves on by half a turn at a time, when those that
 * waited for it are fetched: who was put far ahead stays ahead of who is put near. */
static uint64_t reach(const struct tma_wheel *wheel) {
    return wheel->now / HALF_TURN * HALF_TURN + TMA_WHEEL_CYCLES;
}

void tma_wheel_put(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle) {
    assert(cycle >= wheel->now);
    wheel->count++;
    if (cycle < reach(wheel))
        put_near(wheel, entry, cycle);
    else
        put_far(wheel, entry, cycle);
}

/* Brings in what the ring reaches by now. */
static void fetch_far(struct tma_wheel *wheel) {
    size_t kept = 0;
    for (size_t i = 0; i < wheel->far_count; i++)
        if (wheel->far[i].cycle < reach(wheel))
            put_near(wheel, wheel->far[i].entry, wheel->far[i].cycle);
        else
            wheel->far[kept++] = wheel->far[i];
    wheel->far_count = kept;
}

static void move_to(struct tma_wheel *wheel, uint64_t cycle) {
    bool passed_half = cycle / HALF_TURN != wheel->now / HALF_TURN;
    wheel->now = cycle;
    if (passed_half && wheel->far_count > 0)
        fetch_far(wheel);
}

/* Copies what a bucket has in one of its chunks and gives how many entries that are. There has to
 * be room for all of a chunk: copying as much at any time takes the host the least. */
static uint32_t copy_chunk(const struct tma_wheel *wheel, const struct tma_wheel_bucket *bucket,
                           uint32_t chunk, uint32_t *entries) {
    memcpy(entries, wheel->chunks[chunk].entries, sizeof wheel->chunks[chunk].entries);
    return chunk == bucket->end / END_CHUNK ? bucket->end % END_CHUNK : TMA_WHEEL_CHUNK;
}

/* Adds a chunk of a bucket to what was taken. */
static bool take_chunk(struct tma_wheel *wheel, const struct tma_wheel_bucket *bucket,
                       uint32_t chunk, uint32_t *count) {
    uint32_t *entries = tma_array_grow(wheel->due, *count + TMA_WHEEL_CHUNK - 1,
                                       &wheel->due_capacity, sizeof *entries);
    if (entries == NULL) {
        wheel->out_of_memory = true;
        return false;
    }
    wheel->due = entries;
    *count += copy_chunk(wheel, bucket, chunk, &entries[*count]);
    return true;
}

/* Adds the first entries of the next cycle to the `count` that were taken; gives how many there are
 * then. */
static uint32_t look_ahead(struct tma_wheel *wheel, uint32_t count) {
    const struct tma_wheel_bucket *bucket = &wheel->buckets[wheel->now % TMA_WHEEL_CYCLES];
    uint32_t known = count;
    for (uint32_t at = bucket->first; at != TMA_NONE && known < count + TMA_WHEEL_AHEAD;
         at = wheel->chunks[at].next)
        if (!take_chunk(wheel, bucket, at, &known))
            break;
    return known;
}

uint32_t tma_wheel_take(struct tma_wheel *wheel, const uint32_t **due, uint32_t *known) {
    struct tma_wheel_bucket *bucket = &wheel->buckets[wheel->now % TMA_WHEEL_CYCLES];
    uint32_t count = 0, next;
    for (uint32_t at = bucket->first; at != TMA_NONE; at = next) {
        if (!take_chunk(wheel, bucket, at, &count))
            return 0;
        next = wheel->chunks[at].next;
        wheel->chunks[at].next = wheel->free_chunk;
        wheel->free_chunk = at;
    }
    *bucket = empty;
    wheel->count -= count;
    move_to(wheel, wheel->now + 1);
    *known = look_ahead(wheel, count);
    *due = wheel->due;
    return count;
}

void tma_wheel_skip(struct tma_wheel *wheel, uint64_t cycle) {
    assert(wheel->count == 0 && cycle >= wheel->now);
    move_to(wheel, cycle);
}
