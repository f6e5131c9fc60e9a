#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "trace/comparison.h"
#include "trace/waiting.h"

/* An event that finds no counterpart with the same numbers takes one with other numbers, but only
 * after this many more events: until then, that one may find a better match itself. */
enum { PATIENCE = 4096 };

struct diff {
    struct tma_comparison comparison;
    struct tma_waiting_room rooms[2];
    uint64_t arrived; /* events of both traces so far */
};

static const enum tma_trace_difference ONLY[2] = {TMA_DIFFERENCE_ONLY_FIRST,
                                                  TMA_DIFFERENCE_ONLY_SECOND};

/* The earlier cycle comes first, then the earlier line, of the traces that have the event. */
static bool comes_before(const struct tma_placed_event a[2], const struct tma_placed_event b[2]) {
    const struct tma_placed_event *pairs[2] = {a, b};
    uint64_t cycle[2] = {UINT64_MAX, UINT64_MAX}, line[2] = {UINT64_MAX, UINT64_MAX};
    for (int pair = 0; pair < 2; pair++)
        for (int side = 0; side < 2; side++) {
            const struct tma_placed_event *placed = &pairs[pair][side];
            if (placed->line == 0)
                continue;
            if (placed->event.cycle < cycle[pair])
                cycle[pair] = placed->event.cycle;
            if (placed->line < line[pair])
                line[pair] = placed->line;
        }
    return cycle[0] != cycle[1] ? cycle[0] < cycle[1] : line[0] < line[1];
}

/* NULL for the trace that does not have the event. */
static void differ(struct diff *diff, enum tma_trace_difference difference,
                   const struct tma_waiting *first, const struct tma_waiting *second) {
    struct tma_placed_event divergence[2] = {0};
    assert(first != NULL || second != NULL);
    if (first != NULL)
        divergence[0] = (struct tma_placed_event){first->event, first->line};
    if (second != NULL)
        divergence[1] = (struct tma_placed_event){second->event, second->line};
    enum tma_event_kind kind = first != NULL ? first->event.kind : second->event.kind;
    diff->comparison.counts[kind][difference]++;
    if (comes_before(divergence, diff->comparison.divergence))
        memcpy(diff->comparison.divergence, divergence, sizeof divergence);
}

/* The event that waits longest has no counterpart. */
static void give_up_oldest(struct diff *diff, int side) {
    struct tma_waiting *oldest = tma_waiting_oldest(&diff->rooms[side]);
    differ(diff, ONLY[side], side == 0 ? oldest : NULL, side == 1 ? oldest : NULL);
    tma_waiting_leave(&diff->rooms[side], oldest);
}

static void arrive(struct diff *diff, int side, const struct tma_event *event) {
    struct tma_waiting_room *others = &diff->rooms[!side];
    struct tma_waiting *same = tma_waiting_same(others, event, &diff->comparison.tolerance);
    diff->arrived++;
    if (same != NULL) {
        diff->comparison.counts[event->kind][TMA_DIFFERENCE_NONE]++;
        tma_waiting_leave(others, same);
        return;
    }
    if (tma_waiting_is_full(&diff->rooms[side])) {
        diff->comparison.overflowed = true;
        give_up_oldest(diff, side);
    }
    tma_waiting_enter(&diff->rooms[side], event, diff->comparison.readers[side].line_number,
                      diff->arrived);
}

/* Pairs an event with the counterpart that has waited longest, of those that have waited longer
 * than it. */
static void settle_one(struct diff *diff, int side, struct tma_waiting *waiting) {
    struct tma_waiting *other =
        tma_waiting_older(&diff->rooms[!side], &waiting->event, waiting->arrived);
    if (other == NULL) {
        tma_waiting_settled(&diff->rooms[side]);
        return;
    }
    differ(diff, TMA_DIFFERENCE_CHANGED, side == 0 ? waiting : other, side == 0 ? other : waiting);
    tma_waiting_leave(&diff->rooms[!side], other);
    tma_waiting_leave(&diff->rooms[side], waiting);
}

static void settle(struct diff *diff, uint64_t patience) {
    for (int side = 0; side < 2; side++)
        for (;;) {
            struct tma_waiting *waiting = tma_waiting_unsettled(&diff->rooms[side]);
            if (waiting == NULL || diff->arrived - waiting->arrived < patience)
                break;
            settle_one(diff, side, waiting);
        }
}

static bool is_same_text(const struct tma_trace_line lines[2]) {
    return lines[0].length == lines[1].length &&
           memcmp(lines[0].text, lines[1].text, lines[0].length) == 0;
}

/* Takes the next line of each trace; a line's text is NULL where its trace is at its end. */
static enum tma_error_code compare_lines(struct diff *diff, const struct tma_trace_line lines[2],
                                         struct tma_error *error) {
    struct tma_comparison *comparison = &diff->comparison;
    struct tma_event events[2];
    bool both = lines[0].text != NULL && lines[1].text != NULL;
    bool same = both && is_same_text(lines);
    for (int side = 0; side < 2; side++) {
        if (lines[side].text == NULL || (side == 1 && same))
            continue;
        enum tma_error_code code =
            tma_trace_reader_parse(&comparison->readers[side], lines[side], &events[side], error);
        if (code != TMA_OK)
            return code;
    }
    if (same || (both && tma_event_is_counterpart(&events[0], &events[1]) &&
                 tma_event_is_same(&events[0], &events[1], &comparison->tolerance))) {
        comparison->counts[events[0].kind][TMA_DIFFERENCE_NONE]++;
        diff->arrived += 2;
        return TMA_OK;
    }
    for (int side = 0; side < 2; side++)
        if (lines[side].text != NULL)
            arrive(diff, side, &events[side]);
    return TMA_OK;
}

static enum tma_error_code compare_events(struct diff *diff, struct tma_error *error) {
    struct tma_trace_line lines[2];
    bool ended[2] = {false, false};
    for (;;) {
        for (int side = 0; side < 2; side++) {
            lines[side].text = NULL;
            if (ended[side])
                continue;
            enum tma_error_code code =
                tma_trace_reader_next(&diff->comparison.readers[side], &lines[side], error);
            if (code != TMA_OK)
                return code;
            ended[side] = lines[side].text == NULL;
        }
        if (ended[0] && ended[1])
            break;
        enum tma_error_code code = compare_lines(diff, lines, error);
        if (code != TMA_OK)
            return code;
        settle(diff, PATIENCE);
    }
    settle(diff, 0);
    for (int side = 0; side < 2; side++)
        while (tma_waiting_oldest(&diff->rooms[side]) != NULL)
            give_up_oldest(diff, side);
    return TMA_OK;
}

static enum tma_error_code compare(struct diff *diff, const char *const paths[2],
                                   struct tma_error *error) {
    struct tma_trace_reader *readers = diff->comparison.readers;
    for (int side = 0; side < 2; side++) {
        enum tma_error_code code = tma_trace_reader_open(&readers[side], paths[side], error);
        if (code != TMA_OK)
            return code;
    }
    if (readers[0].version != readers[1].version)
        return TMA_OK; /* nothing below the header can be compared */
    if (readers[0].version != TMA_TRACE_VERSION)
        return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                        "%s: format version %llu; this program reads version %d", paths[0],
                        (unsigned long long)readers[0].version, TMA_TRACE_VERSION);
    for (int side = 0; side < 2; side++)
        if (!tma_waiting_open(&diff->rooms[side]))
            return tma_fail(error, TMA_ERROR_MEMORY, "no memory to compare traces");
    return compare_events(diff, error);
}

static enum tma_error_code tell(const struct diff *diff, FILE *out, enum tma_trace_verdict *verdict,
                                struct tma_error *error) {
    enum tma_trace_verdict told = tma_comparison_tell(&diff->comparison, out);
    if (fflush(out) != 0 || ferror(out) != 0)
        return tma_fail(error, TMA_ERROR_FILE, "the comparison cannot be written: %s",
                        strerror(errno));
    *verdict = told;
    return TMA_OK;
}

enum tma_error_code tma_trace_diff(const char *path_a, const char *path_b,
                                   const struct tma_trace_tolerance *tolerance, FILE *out,
                                   enum tma_trace_verdict *verdict, struct tma_error *error) {
    struct diff *diff = calloc(1, sizeof *diff);
    if (diff == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory to compare traces");
    diff->comparison.tolerance = *tolerance;
    const char *const paths[2] = {path_a, path_b};
    enum tma_error_code code = compare(diff, paths, error);
    if (code == TMA_OK)
        code = tell(diff, out, verdict, error);
    for (int side = 0; side < 2; side++) {
        tma_trace_reader_close(&diff->comparison.readers[side]);
        tma_waiting_close(&diff->rooms[side]);
    }
    free(diff);
    return code;
}
