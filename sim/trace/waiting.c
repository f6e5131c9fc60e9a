#include "trace/waiting.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* What the first figure counts says which event of its kind this is; the end of a CTA, which comes
 * once, has none such. */
static bool first_figure_identifies(enum tma_event_kind kind) {
    return kind != TMA_EVENT_CTA_END;
}

bool tma_event_is_counterpart(const struct tma_event *a, const struct tma_event *b) {
    return a->kind == b->kind && a->cta == b->cta && a->slot == b->slot &&
           (!first_figure_identifies(a->kind) || a->figures[0] == b->figures[0]);
}

bool tma_trace_is_close(uint64_t a, uint64_t b, const struct tma_trace_tolerance *tolerance) {
    if (a == b)
        return true;
    uint64_t larger = a > b ? a : b;
    uint64_t difference = larger - (a > b ? b : a);
    return (double)difference <= fmax(tolerance->absolute, tolerance->relative * (double)larger);
}

bool tma_event_is_same(const struct tma_event *a, const struct tma_event *b,
                       const struct tma_trace_tolerance *tolerance) {
    if (a->sm != b->sm || !tma_trace_is_close(a->cycle, b->cycle, tolerance))
        return false;
    for (unsigned i = 0; i < TMA_EVENT_FIGURES; i++)
        if (!tma_trace_is_close(a->figures[i], b->figures[i], tolerance))
            return false;
    return true;
}

static uint32_t bucket_of(const struct tma_event *event) {
    uint64_t hash = ((uint64_t)event->cta << 32 | event->slot) * 0x9e3779b97f4a7c15u;
    hash ^= (unsigned)event->kind;
    if (first_figure_identifies(event->kind))
        hash ^= event->figures[0] << 4;
    hash *= 0xd6e8feb86659fd93u;
    return (uint32_t)(hash >> 49);
}

static_assert(TMA_WAITING_BUCKETS == 1 << (64 - 49), "a bucket's number is the hash's top bits");

bool tma_waiting_open(struct tma_waiting_room *room) {
    *room = (struct tma_waiting_room){
        .slots = calloc(TMA_WAITING_CAPACITY + 1, sizeof *room->slots),
        .buckets = calloc(TMA_WAITING_BUCKETS, sizeof *room->buckets),
    };
    return room->slots != NULL && room->buckets != NULL;
}

void tma_waiting_close(struct tma_waiting_room *room) {
    free(room->slots);
    free(room->buckets);
}

bool tma_waiting_is_full(const struct tma_waiting_room *room) {
    return room->free == 0 && room->touched == TMA_WAITING_CAPACITY;
}

static uint32_t take_slot(struct tma_waiting_room *room) {
    assert(!tma_waiting_is_full(room));
    uint32_t slot = room->free;
    if (slot == 0)
        return ++room->touched;
    room->free = room->slots[slot].newer;
    return slot;
}

void tma_waiting_enter(struct tma_waiting_room *room, const struct tma_event *event, uint64_t line,
                       uint64_t arrived) {
    uint32_t slot = take_slot(room);
    uint32_t *bucket = &room->buckets[bucket_of(event)];
    room->slots[slot] = (struct tma_waiting){.event = *event,
                                             .line = line,
                                             .arrived = arrived,
                                             .older = room->newest,
                                             .behind = *bucket};
    room->slots[*bucket].before = slot;
    *bucket = slot;
    room->slots[room->newest].newer = slot;
    room->newest = slot;
    if (room->oldest == 0)
        room->oldest = slot;
    if (room->unsettled == 0)
        room->unsettled = slot;
}

void tma_waiting_leave(struct tma_waiting_room *room, struct tma_waiting *waiting) {
    uint32_t slot = (uint32_t)(waiting - room->slots);
    if (room->unsettled == slot)
        room->unsettled = waiting->newer;
    if (room->oldest == slot)
        room->oldest = waiting->newer;
    if (room->newest == slot)
        room->newest = waiting->older;
    uint32_t *bucket = &room->buckets[bucket_of(&waiting->event)];
    if (*bucket == slot)
        *bucket = waiting->behind;
    /* Slot 0 takes the links of list ends, which nobody reads. */
    room->slots[waiting->older].newer = waiting->newer;
    room->slots[waiting->newer].older = waiting->older;
    room->slots[waiting->before].behind = waiting->behind;
    room->slots[waiting->behind].before = waiting->before;
    waiting->newer = room->free;
    room->free = slot;
}

struct tma_waiting *tma_waiting_same(const struct tma_waiting_room *room,
                                     const struct tma_event *event,
                                     const struct tma_trace_tolerance *tolerance) {
    struct tma_waiting *found = NULL;
    for (uint32_t at = room->buckets[bucket_of(event)]; at != 0; at = room->slots[at].behind) {
        const struct tma_event *other = &room->slots[at].event;
        if (tma_event_is_counterpart(other, event) && tma_event_is_same(other, event, tolerance))
            found = &room->slots[at];
    }
    return found;
}

struct tma_waiting *tma_waiting_older(const struct tma_waiting_room *room,
                                      const struct tma_event *event, uint64_t arrived) {
    struct tma_waiting *found = NULL;
    for (uint32_t at = room->buckets[bucket_of(event)]; at != 0; at = room->slots[at].behind)
        if (room->slots[at].arrived < arrived &&
            tma_event_is_counterpart(&room->slots[at].event, event))
            found = &room->slots[at];
    return found;
}

struct tma_waiting *tma_waiting_oldest(const struct tma_waiting_room *room) {
    return room->oldest == 0 ? NULL : &room->slots[room->oldest];
}

struct tma_waiting *tma_waiting_unsettled(const struct tma_waiting_room *room) {
    return room->unsettled == 0 ? NULL : &room->slots[room->unsettled];
}

void tma_waiting_settled(struct tma_waiting_room *room) {
    room->unsettled = room->slots[room->unsettled].newer;
}
