#include "trace/pending_events.h"

#include <assert.h>
#include <math.h>

#include "base/allocation.h"

/* The first figure tells the events of one kind, CTA and slot apart. The end of a CTA occurs once,
 * and its first figure is a result. */
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

static_assert(TMA_PENDING_BUCKETS == 1 << (64 - 49), "a bucket's number is the hash's top bits");

bool tma_pending_open(struct tma_pending_events *pending) {
    *pending = (struct tma_pending_events){
        .entries = tma_allocate(TMA_PENDING_CAPACITY + 1, sizeof *pending->entries),
        .buckets = tma_allocate(TMA_PENDING_BUCKETS, sizeof *pending->buckets),
    };
    return pending->entries != NULL && pending->buckets != NULL;
}

void tma_pending_close(struct tma_pending_events *pending) {
    TMA_RELEASE(pending->entries, pending->buckets);
}

bool tma_pending_is_full(const struct tma_pending_events *pending) {
    return pending->free_list == 0 && pending->used == TMA_PENDING_CAPACITY;
}

static uint32_t allocate_entry(struct tma_pending_events *pending) {
    assert(!tma_pending_is_full(pending));
    uint32_t index = pending->free_list;
    if (index == 0)
        return ++pending->used;
    pending->free_list = pending->entries[index].newer;
    return index;
}

void tma_pending_add(struct tma_pending_events *pending, const struct tma_event *event,
                     uint64_t line, uint64_t arrival) {
    uint32_t index = allocate_entry(pending);
    uint32_t *bucket = &pending->buckets[bucket_of(event)];
    pending->entries[index] = (struct tma_pending_event){.event = *event,
                                                         .line = line,
                                                         .arrival = arrival,
                                                         .older = pending->newest,
                                                         .bucket_next = *bucket};
    pending->entries[*bucket].bucket_previous = index;
    *bucket = index;
    pending->entries[pending->newest].newer = index;
    pending->newest = index;
    if (pending->oldest == 0)
        pending->oldest = index;
    if (pending->unpaired == 0)
        pending->unpaired = index;
}

void tma_pending_remove(struct tma_pending_events *pending, struct tma_pending_event *entry) {
    uint32_t index = (uint32_t)(entry - pending->entries);
    if (pending->unpaired == index)
        pending->unpaired = entry->newer;
    if (pending->oldest == index)
        pending->oldest = entry->newer;
    if (pending->newest == index)
        pending->newest = entry->older;
    uint32_t *bucket = &pending->buckets[bucket_of(&entry->event)];
    if (*bucket == index)
        *bucket = entry->bucket_next;
    /* Entry 0 takes the writes at the ends of the lists; nothing reads its links. */
    pending->entries[entry->older].newer = entry->newer;
    pending->entries[entry->newer].older = entry->older;
    pending->entries[entry->bucket_previous].bucket_next = entry->bucket_next;
    pending->entries[entry->bucket_next].bucket_previous = entry->bucket_previous;
    entry->newer = pending->free_list;
    pending->free_list = index;
}

struct tma_pending_event *tma_pending_find_same(const struct tma_pending_events *pending,
                                                const struct tma_event *event,
                                                const struct tma_trace_tolerance *tolerance) {
    struct tma_pending_event *found = NULL;
    for (uint32_t at = pending->buckets[bucket_of(event)]; at != 0;
         at = pending->entries[at].bucket_next) {
        const struct tma_event *other = &pending->entries[at].event;
        if (tma_event_is_counterpart(other, event) && tma_event_is_same(other, event, tolerance))
            found = &pending->entries[at];
    }
    return found;
}

struct tma_pending_event *tma_pending_find_earlier(const struct tma_pending_events *pending,
                                                   const struct tma_event *event,
                                                   uint64_t arrival) {
    struct tma_pending_event *found = NULL;
    for (uint32_t at = pending->buckets[bucket_of(event)]; at != 0;
         at = pending->entries[at].bucket_next)
        if (pending->entries[at].arrival < arrival &&
            tma_event_is_counterpart(&pending->entries[at].event, event))
            found = &pending->entries[at];
    return found;
}

struct tma_pending_event *tma_pending_oldest(const struct tma_pending_events *pending) {
    return pending->oldest == 0 ? NULL : &pending->entries[pending->oldest];
}

struct tma_pending_event *tma_pending_next_unpaired(const struct tma_pending_events *pending) {
    return pending->unpaired == 0 ? NULL : &pending->entries[pending->unpaired];
}

void tma_pending_skip_unpaired(struct tma_pending_events *pending) {
    pending->unpaired = pending->entries[pending->unpaired].newer;
}
