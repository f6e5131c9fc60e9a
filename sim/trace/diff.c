#include <assert.h>
#include <errno.h>
#include <string.h>

#include "base/allocation.h"
#include "trace/diff_report.h"
#include "trace/pending_events.h"

/* An event without an equal counterpart is paired with an unequal one, but only after this many
 * further events of both traces: until then, either may still find an equal counterpart. */
enum { PAIRING_DELAY = 4096 };

struct diff {
    struct tma_trace_comparison comparison;
    struct tma_pending_events pending[2]; /* by trace */
    uint64_t arrived;                     /* events of both traces read so far */
};

static const enum tma_trace_difference ONLY[2] = {TMA_DIFFERENCE_ONLY_FIRST,
                                                  TMA_DIFFERENCE_ONLY_SECOND};

/* Orders two differences by cycle, then by line. If both traces have the event, the smaller cycle
 * and the smaller line count. */
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

/* Counts a difference, and keeps the earliest one. `first` and `second` are the event in each
 * trace; NULL where a trace lacks it. */
static void count_difference(struct diff *diff, enum tma_trace_difference difference,
                             const struct tma_pending_event *first,
                             const struct tma_pending_event *second) {
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

/* Counts the oldest pending event of a trace as one that the other trace lacks. */
static void drop_oldest(struct diff *diff, int side) {
    struct tma_pending_event *oldest = tma_pending_oldest(&diff->pending[side]);
    count_difference(diff, ONLY[side], side == 0 ? oldest : NULL, side == 1 ? oldest : NULL);
    tma_pending_remove(&diff->pending[side], oldest);
}

/* Matches an event with an equal pending one of the other trace, or makes it pending. */
static void match_event(struct diff *diff, int side, const struct tma_event *event) {
    struct tma_pending_events *others = &diff->pending[!side];
    struct tma_pending_event *same =
        tma_pending_find_same(others, event, &diff->comparison.tolerance);
    diff->arrived++;
    if (same != NULL) {
        diff->comparison.counts[event->kind][TMA_DIFFERENCE_NONE]++;
        tma_pending_remove(others, same);
        return;
    }
    if (tma_pending_is_full(&diff->pending[side])) {
        diff->comparison.overflowed = true;
        drop_oldest(diff, side);
    }
    tma_pending_add(&diff->pending[side], event, diff->comparison.readers[side].line_number,
                    diff->arrived);
}

/* Pairs a pending event with its oldest unequal counterpart that arrived before it. */
static void pair_one(struct diff *diff, int side, struct tma_pending_event *event) {
    struct tma_pending_event *other =
        tma_pending_find_earlier(&diff->pending[!side], &event->event, event->arrival);
    if (other == NULL) {
        tma_pending_skip_unpaired(&diff->pending[side]);
        return;
    }
    count_difference(diff, TMA_DIFFERENCE_CHANGED, side == 0 ? event : other,
                     side == 0 ? other : event);
    tma_pending_remove(&diff->pending[!side], other);
    tma_pending_remove(&diff->pending[side], event);
}

/* Pairs the events that have been pending for at least `delay` events. */
static void pair_unequal(struct diff *diff, uint64_t delay) {
    for (int side = 0; side < 2; side++)
        for (;;) {
            struct tma_pending_event *event = tma_pending_next_unpaired(&diff->pending[side]);
            if (event == NULL || diff->arrived - event->arrival < delay)
                break;
            pair_one(diff, side, event);
        }
}

static bool is_same_text(const struct tma_trace_line lines[2]) {
    return lines[0].length == lines[1].length &&
           memcmp(lines[0].text, lines[1].text, lines[0].length) == 0;
}

/* Compares the next line of each trace. A line's text is NULL if its trace has ended. */
static enum tma_error_code compare_lines(struct diff *diff, const struct tma_trace_line lines[2],
                                         struct tma_error *error) {
    struct tma_trace_comparison *comparison = &diff->comparison;
    struct tma_event events[2];
    bool both = lines[0].text != NULL && lines[1].text != NULL;
    bool same = both && is_same_text(lines);
    for (int side = 0; side < 2; side++) {
        struct tma_trace_reader *reader = &comparison->readers[side];
        enum tma_error_code code = TMA_OK;
        if (lines[side].text == NULL)
            continue;
        if (side == 1 && same)
            events[1] = events[0];
        else
            code = tma_trace_reader_parse(reader, lines[side], &events[side], error);
        if (code == TMA_OK)
            code = tma_trace_reader_take(reader, &events[side], error);
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
            match_event(diff, side, &events[side]);
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
        pair_unequal(diff, PAIRING_DELAY);
    }
    pair_unequal(diff, 0);
    for (int side = 0; side < 2; side++)
        while (tma_pending_oldest(&diff->pending[side]) != NULL)
            drop_oldest(diff, side);
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
        return TMA_OK; /* the report says so; events of different formats are not comparable */
    if (readers[0].version != TMA_TRACE_VERSION)
        return tma_fail(error, TMA_ERROR_UNSUPPORTED,
                        "%s: format version %llu; this program reads version %d", paths[0],
                        (unsigned long long)readers[0].version, TMA_TRACE_VERSION);
    for (int side = 0; side < 2; side++)
        if (!tma_pending_open(&diff->pending[side]))
            return tma_fail(error, TMA_ERROR_MEMORY, "out of memory while comparing traces");
    return compare_events(diff, error);
}

static enum tma_error_code print_result(const struct diff *diff, FILE *out,
                                        enum tma_trace_verdict *verdict, struct tma_error *error) {
    enum tma_trace_verdict printed = tma_trace_comparison_print(&diff->comparison, out);
    if (fflush(out) != 0 || ferror(out) != 0)
        return tma_fail(error, TMA_ERROR_FILE, "cannot write the comparison: %s", strerror(errno));
    *verdict = printed;
    return TMA_OK;
}

enum tma_error_code tma_trace_diff(const char *path_a, const char *path_b,
                                   const struct tma_trace_tolerance *tolerance, FILE *out,
                                   enum tma_trace_verdict *verdict, struct tma_error *error) {
    struct diff *diff = tma_allocate(1, sizeof *diff);
    if (diff == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory while comparing traces");
    diff->comparison.tolerance = *tolerance;
    const char *const paths[2] = {path_a, path_b};
    enum tma_error_code code = compare(diff, paths, error);
    if (code == TMA_OK)
        code = print_result(diff, out, verdict, error);
    for (int side = 0; side < 2; side++) {
        tma_trace_reader_close(&diff->comparison.readers[side]);
        tma_pending_close(&diff->pending[side]);
    }
    tma_release(diff);
    return code;
}
