#include "memory/wheel.h"

#include <assert.h>
#include <stdlib.h>

#include "base/room.h"

void tma_wheel_init(struct tma_wheel *wheel) {
    *wheel = (struct tma_wheel){.free_chunk = TMA_NONE};
    for (uint32_t i = 0; i < TMA_WHEEL_CYCLES; i++)
        wheel->heads[i] = TMA_NONE;
}

void tma_wheel_free(struct tma_wheel *wheel) {
    free(wheel->chunks);
    free(wheel->far);
    free(wheel->due);
    tma_wheel_init(wheel);
}

static uint32_t new_chunk(struct tma_wheel *wheel) {
    if (wheel->free_chunk == TMA_NONE) {
        size_t old = wheel->chunk_count;
        struct tma_wheel_chunk *chunks =
            tma_make_room(wheel->chunks, old, &wheel->chunk_count, sizeof *chunks);
        if (chunks == NULL) {
            wheel->out_of_memory = true;
            return TMA_NONE;
        }
        wheel->chunks = chunks;
        for (size_t i = wheel->chunk_count; i > old; i--) {
            chunks[i - 1].next = wheel->free_chunk;
            wheel->free_chunk = (uint32_t)(i - 1);
        }
    }
    uint32_t chunk = wheel->free_chunk;
    wheel->free_chunk = wheel->chunks[chunk].next;
    wheel->chunks[chunk].count = 0;
    wheel->chunks[chunk].next = TMA_NONE;
    return chunk;
}

/* Puts an entry into the bucket of a cycle that the ring reaches. */
static void put_near(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle) {
    uint32_t bucket = (uint32_t)cycle % TMA_WHEEL_CYCLES;
    uint32_t tail = wheel->heads[bucket] == TMA_NONE ? TMA_NONE : wheel->tails[bucket];
    if (tail == TMA_NONE || wheel->chunks[tail].count == TMA_WHEEL_CHUNK) {
        uint32_t chunk = new_chunk(wheel);
        if (chunk == TMA_NONE)
            return;
        if (tail == TMA_NONE)
            wheel->heads[bucket] = chunk;
        else
            wheel->chunks[tail].next = chunk;
        wheel->tails[bucket] = tail = chunk;
    }
    struct tma_wheel_chunk *chunk = &wheel->chunks[tail];
    chunk->entries[chunk->count++] = entry;
}

static void put_far(struct tma_wheel *wheel, uint32_t entry, uint64_t cycle) {
    struct tma_wheel_far *far =
        tma_make_room(wheel->far, wheel->far_count, &wheel->far_capacity, sizeof *far);
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

uint32_t tma_wheel_take(struct tma_wheel *wheel, const uint32_t **due) {
    uint32_t bucket = (uint32_t)wheel->now % TMA_WHEEL_CYCLES;
    uint32_t count = 0;
    for (uint32_t at = wheel->heads[bucket]; at != TMA_NONE;) {
        struct tma_wheel_chunk *chunk = &wheel->chunks[at];
        uint32_t next = chunk->next;
        uint32_t *entries = tma_make_room(wheel->due, count + TMA_WHEEL_CHUNK - 1,
                                          &wheel->due_capacity, sizeof *entries);
        if (entries == NULL) {
            wheel->out_of_memory = true;
            return 0;
        }
        wheel->due = entries;
        for (uint32_t i = 0; i < chunk->count; i++)
            wheel->due[count++] = chunk->entries[i];
        chunk->next = wheel->free_chunk;
        wheel->free_chunk = at;
        at = next;
    }
    wheel->heads[bucket] = TMA_NONE;
    wheel->count -= count;
    *due = wheel->due;
    move_to(wheel, wheel->now + 1);
    return count;
}

uint32_t tma_wheel_peek(const struct tma_wheel *wheel, uint32_t ahead, uint32_t *entries,
                        uint32_t limit) {
    uint32_t bucket = (uint32_t)(wheel->now + ahead) % TMA_WHEEL_CYCLES;
    uint32_t count = 0;
    for (uint32_t at = wheel->heads[bucket]; at != TMA_NONE; at = wheel->chunks[at].next) {
        const struct tma_wheel_chunk *chunk = &wheel->chunks[at];
        for (uint32_t i = 0; i < chunk->count && count < limit; i++)
            entries[count++] = chunk->entries[i];
    }
    return count;
}

void tma_wheel_skip(struct tma_wheel *wheel, uint64_t cycle) {
    assert(wheel->count == 0 && cycle >= wheel->now);
    move_to(wheel, cycle);
}
