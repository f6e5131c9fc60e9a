#include "trace/promises.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"

enum { FIRST_CAPACITY = 64 };

static const uint64_t NO_OPERATION = UINT64_MAX;

__attribute__((format(printf, 2, 3))) static const char *broken(struct tma_trace_promises *promises,
                                                                const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(promises->broken, sizeof promises->broken, format, arguments);
    va_end(arguments);
    return promises->broken;
}

void tma_trace_promises_begin(struct tma_trace_promises *promises,
                              const struct tma_trace_field *fields, size_t count) {
    static const char multicast[] = ".multicast";
    *promises = (struct tma_trace_promises){.has_copies = false};
    for (size_t i = 0; i < count; i++) {
        size_t length = strlen(fields[i].key);
        promises->has_copies |=
            length >= sizeof multicast &&
            strcmp(fields[i].key + length - (sizeof multicast - 1), multicast) == 0;
    }
}

/* ---- The table ---- */

static size_t home_of(const struct tma_trace_promises *promises, uint32_t cta, uint32_t slot,
                      uint64_t operation) {
    uint64_t hash = ((uint64_t)cta << 32 | slot) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ operation ^ hash >> 29) * 0xd6e8feb86659fd93u;
    return (size_t)(hash >> 32) & (promises->capacity - 1);
}

static struct tma_promised_part *find(const struct tma_trace_promises *promises, uint32_t cta,
                                      uint32_t slot, uint64_t operation) {
    if (promises->capacity == 0)
        return NULL;
    for (size_t at = home_of(promises, cta, slot, operation); promises->parts[at].is_used;
         at = (at + 1) & (promises->capacity - 1)) {
        struct tma_promised_part *part = &promises->parts[at];
        if (part->cta == cta && part->slot == slot && part->operation == operation)
            return part;
    }
    return NULL;
}

static struct tma_promised_part *find_cta(const struct tma_trace_promises *promises, uint32_t cta) {
    return find(promises, cta, 0, NO_OPERATION);
}

static void put(struct tma_trace_promises *promises, const struct tma_promised_part *part) {
    size_t at = home_of(promises, part->cta, part->slot, part->operation);
    while (promises->parts[at].is_used)
        at = (at + 1) & (promises->capacity - 1);
    promises->parts[at] = *part;
}

/* Half of the table stays free. */
static bool make_room(struct tma_trace_promises *promises) {
    struct tma_promised_part *old = promises->parts;
    size_t capacity = promises->capacity;
    if (2 * promises->count < capacity)
        return true;
    promises->parts = tma_allocate(capacity > 0 ? 2 * capacity : FIRST_CAPACITY, sizeof *old);
    if (promises->parts == NULL) {
        promises->parts = old;
        return false;
    }
    promises->capacity = capacity > 0 ? 2 * capacity : FIRST_CAPACITY;
    for (size_t i = 0; i < capacity; i++)
        if (old[i].is_used)
            put(promises, &old[i]);
    tma_release(old);
    return true;
}

static void add(struct tma_trace_promises *promises, const struct tma_event *event,
                uint64_t operation) {
    if (!make_room(promises)) {
        promises->lacks_memory = true;
        return;
    }
    put(promises, &(struct tma_promised_part){.cta = event->cta,
                                              .slot = operation == NO_OPERATION ? 0 : event->slot,
                                              .operation = operation,
                                              .begin_cycle = event->cycle,
                                              .is_used = true});
    promises->count++;
}

/* Removes a part. Those behind it that it kept from their home move up. */
static void forget(struct tma_trace_promises *promises, struct tma_promised_part *part) {
    size_t mask = promises->capacity - 1, hole = (size_t)(part - promises->parts), at = hole;
    tma_release(part->barriers);
    for (;;) {
        at = (at + 1) & mask;
        const struct tma_promised_part *next = &promises->parts[at];
        if (!next->is_used)
            break;
        size_t home = home_of(promises, next->cta, next->slot, next->operation);
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        promises->parts[hole] = *next;
        hole = at;
    }
    promises->parts[hole] = (struct tma_promised_part){0};
    promises->count--;
}

/* ---- Events ---- */

static bool comes_before(const struct tma_event *a, const struct tma_event *b) {
    const uint64_t left[] = {a->cycle, a->sm, a->cta, a->slot, a->kind};
    const uint64_t right[] = {b->cycle, b->sm, b->cta, b->slot, b->kind};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i];
    return false;
}

/* CTAs whose end stood in a cycle that is over. Other events of that cycle may stand behind it. */
static const char *forget_ended(struct tma_trace_promises *promises) {
    for (size_t i = 0; i < promises->ended_count; i++) {
        struct tma_promised_part *cta = find_cta(promises, promises->ended[i]);
        if (cta->phase_bytes > cta->arrived_bytes)
            return broken(promises,
                          "the phases of mbarriers of CTA %" PRIu32 " have %" PRIu64
                          " bytes, and %" PRIu64 " arrived",
                          cta->cta, cta->phase_bytes, cta->arrived_bytes);
        forget(promises, cta);
    }
    promises->ended_count = 0;
    return NULL;
}

static const char *end_cta(struct tma_trace_promises *promises, struct tma_promised_part *cta,
                           const struct tma_event *event) {
    if (cta->has_ended)
        return broken(promises, "CTA %" PRIu32 " ends twice", event->cta);
    if (event->figures[0] > event->cycle - cta->begin_cycle)
        return broken(promises, "CTA %" PRIu32 " takes more cycles than it ran for", event->cta);
    cta->has_ended = true;
    if (TMA_GROW(promises->ended, promises->ended_count, promises->ended_capacity))
        promises->ended[promises->ended_count++] = event->cta;
    else
        promises->lacks_memory = true;
    return NULL;
}

static const char *take_phase(struct tma_trace_promises *promises, struct tma_promised_part *cta,
                              const struct tma_event *event) {
    size_t at = 0;
    while (at < cta->barrier_count && cta->barriers[at].slot != event->slot)
        at++;
    if (at == cta->barrier_count) {
        if (!TMA_GROW(cta->barriers, cta->barrier_count, cta->barrier_capacity)) {
            promises->lacks_memory = true;
            return NULL;
        }
        cta->barriers[cta->barrier_count++] = (struct tma_promised_barrier){event->slot, 0};
    }
    if (event->figures[0] != cta->barriers[at].phases)
        return broken(promises,
                      "phase %" PRIu64 " of an mbarrier follows behind %" PRIu64 " of its phases",
                      event->figures[0], cta->barriers[at].phases);
    cta->barriers[at].phases++;
    cta->phase_bytes += event->figures[1];
    return NULL;
}

/* An arrival of the CTA's own operation, or of a copy. */
static const char *take_arrival(struct tma_trace_promises *promises, struct tma_promised_part *cta,
                                struct tma_promised_part *own, const struct tma_event *event) {
    if (cta != NULL)
        cta->arrived_bytes += event->figures[1];
    if (own != NULL && !own->has_arrived && event->figures[2] == event->cycle - own->begin_cycle)
        own->has_arrived = true;
    else if (!promises->has_copies)
        return own == NULL        ? broken(promises, "the operation that arrives is not in flight")
               : own->has_arrived ? broken(promises, "the operation arrives twice")
                                  : broken(promises,
                                           "the operation was issued in cycle %" PRIu64
                                           ", which is not its latency ago",
                                           own->begin_cycle);
    return NULL;
}

static const char *take_operation(struct tma_trace_promises *promises,
                                  struct tma_promised_part *cta, const struct tma_event *event) {
    struct tma_promised_part *own = find(promises, event->cta, event->slot, event->figures[0]);
    const char *wrong = NULL;
    if (event->kind == TMA_EVENT_ARRIVAL)
        wrong = take_arrival(promises, cta, own, event);
    else if (own == NULL || own->has_rows)
        return broken(promises, "the operation is not in flight, or had its rows before");
    if (own != NULL && event->kind == TMA_EVENT_ROWS)
        own->has_rows = true;
    if (wrong == NULL && own != NULL && own->has_rows && own->has_arrived)
        forget(promises, own);
    return wrong;
}

static const char *take(struct tma_trace_promises *promises, const struct tma_event *event) {
    struct tma_promised_part *cta = find_cta(promises, event->cta);
    bool in_cta = event->kind == TMA_EVENT_ISSUE || event->kind == TMA_EVENT_CONSUME ||
                  event->kind == TMA_EVENT_CTA_END ||
                  (event->kind == TMA_EVENT_MBARRIER && !promises->has_copies);
    if (in_cta && cta == NULL)
        return broken(promises, "CTA %" PRIu32 " does not run", event->cta);
    switch (event->kind) {
    case TMA_EVENT_CTA_START:
        if (cta != NULL)
            return broken(promises, "CTA %" PRIu32 " runs already", event->cta);
        add(promises, event, NO_OPERATION);
        return NULL;
    case TMA_EVENT_ISSUE:
        if (event->figures[0] == NO_OPERATION ||
            find(promises, event->cta, event->slot, event->figures[0]) != NULL)
            return broken(promises, "the operation is in flight already");
        add(promises, event, event->figures[0]);
        return NULL;
    case TMA_EVENT_TENSORMAP:
    case TMA_EVENT_ROWS:
    case TMA_EVENT_ARRIVAL:
        return take_operation(promises, cta, event);
    case TMA_EVENT_MBARRIER:
        /* Copies of other CTAs' loads may come behind the end. */
        return cta == NULL ? NULL : take_phase(promises, cta, event);
    case TMA_EVENT_CTA_END:
        return end_cta(promises, cta, event);
    case TMA_EVENT_L2_FILL: /* may come long after the operation */
    case TMA_EVENT_CONSUME:
    case TMA_EVENT_KIND_COUNT:
        return NULL;
    }
    return NULL;
}

const char *tma_trace_promises_take(struct tma_trace_promises *promises,
                                    const struct tma_event *event) {
    if (promises->lacks_memory)
        return NULL;
    if (comes_before(event, &promises->last))
        return broken(promises, "the event belongs before the one above it");
    const char *wrong = event->cycle > promises->last.cycle ? forget_ended(promises) : NULL;
    promises->last = *event;
    return wrong != NULL ? wrong : take(promises, event);
}

const char *tma_trace_promises_end(struct tma_trace_promises *promises) {
    const char *wrong = promises->lacks_memory ? NULL : forget_ended(promises);
    if (wrong != NULL || promises->lacks_memory || promises->count == 0)
        return wrong;
    const struct tma_promised_part *part = promises->parts;
    while (!part->is_used)
        part++;
    if (part->operation == NO_OPERATION)
        return broken(promises, "CTA %" PRIu32 " has no end", part->cta);
    return broken(promises, "operation %" PRIu64 " of CTA %" PRIu32 ", slot %" PRIu32 " has no %s",
                  part->operation, part->cta, part->slot, part->has_rows ? "arrival" : "rows");
}

void tma_trace_promises_free(struct tma_trace_promises *promises) {
    for (size_t i = 0; i < promises->capacity; i++)
        tma_release(promises->parts[i].barriers);
    TMA_RELEASE(promises->parts, promises->ended);
}
