#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/allocation.h"
#include "base/printable.h"
#include "trace/line.h"
#include "trace/pending_events.h"
#include "trace/reader.h"

/* The result of a comparison of two traces, and its report. */

enum tma_trace_difference {
    TMA_DIFFERENCE_NONE,
    TMA_DIFFERENCE_CHANGED, /* both traces have the event, with different numbers */
    TMA_DIFFERENCE_ONLY_FIRST,
    TMA_DIFFERENCE_ONLY_SECOND,
    TMA_DIFFERENCE_COUNT
};

/* An event and where its trace has it. */
struct tma_placed_event {
    struct tma_event event;
    uint64_t line; /* from 1; 0: the trace lacks the event */
};

/* Index 0 is the first trace, 1 the second. */
struct tma_trace_comparison {
    struct tma_trace_reader readers[2];
    struct tma_trace_tolerance tolerance;
    uint64_t counts[TMA_EVENT_KIND_COUNT][TMA_DIFFERENCE_COUNT];
    struct tma_placed_event divergence[2]; /* the earliest difference; both lines are 0 if none */
    bool overflowed; /* too many events were pending: some changed events were counted as two */
};

static const char *value_of(const struct tma_trace_reader *reader, const char *key) {
    for (size_t i = 0; i < reader->field_count; i++)
        if (strcmp(reader->fields[i].key, key) == 0)
            return reader->fields[i].value;
    return NULL;
}

static void print_texts(const char *first, const char *joint, const char *second, FILE *out) {
    tma_write_printable(first, out);
    fputs(joint, out);
    tma_write_printable(second, out);
}

static void print_field(const struct tma_trace_field *field, const char *joint, const char *other,
                        FILE *out) {
    fputs("header: ", out);
    print_texts(field->key, ": ", field->value, out);
    print_texts("", joint, other, out);
    fputc('\n', out);
}

/* Fields that say nothing that the events and the other fields do not: which version wrote the
 * trace, and the digests of the other fields. */
static bool is_provenance(const char *key) {
    return strcmp(key, "tmasim") == 0 || strncmp(key, "digest.", 7) == 0;
}

/* Writes a line for each header field that differs. Returns their number. */
static size_t print_fields(const struct tma_trace_reader readers[2], FILE *out) {
    size_t differences = 0;
    for (size_t i = 0; i < readers[0].field_count; i++) {
        const struct tma_trace_field *field = &readers[0].fields[i];
        const char *other = value_of(&readers[1], field->key);
        if (is_provenance(field->key) || (other != NULL && strcmp(field->value, other) == 0))
            continue;
        differences++;
        if (other == NULL)
            print_field(field, " only in ", readers[0].path, out);
        else
            print_field(field, " | ", other, out);
    }
    for (size_t i = 0; i < readers[1].field_count; i++) {
        const struct tma_trace_field *field = &readers[1].fields[i];
        if (is_provenance(field->key) || value_of(&readers[0], field->key) != NULL)
            continue;
        differences++;
        print_field(field, " only in ", readers[1].path, out);
    }
    return differences;
}

static void print_number(const struct tma_trace_comparison *comparison, const char *name,
                         uint64_t first, uint64_t second, FILE *out) {
    if (!tma_trace_is_close(first, second, &comparison->tolerance))
        fprintf(out, ", %s %" PRIu64 " | %" PRIu64, name, first, second);
}

/* Writes which numbers of a changed event differ beyond the tolerance. */
static void print_numbers(const struct tma_trace_comparison *comparison, FILE *out) {
    const struct tma_event *first = &comparison->divergence[0].event;
    const struct tma_event *second = &comparison->divergence[1].event;
    print_number(comparison, "cycle", first->cycle, second->cycle, out);
    if (first->sm != second->sm)
        fprintf(out, ", sm %" PRIu32 " | %" PRIu32, first->sm, second->sm);
    for (unsigned i = 0; i < TMA_EVENT_FIGURES; i++)
        print_number(comparison, tma_event_figure(first->kind, i), first->figures[i],
                     second->figures[i], out);
}

static uint64_t earlier_cycle(const struct tma_placed_event divergence[2]) {
    if (divergence[0].line == 0)
        return divergence[1].event.cycle;
    if (divergence[1].line == 0 || divergence[0].event.cycle < divergence[1].event.cycle)
        return divergence[0].event.cycle;
    return divergence[1].event.cycle;
}

static void print_divergence(const struct tma_trace_comparison *comparison, FILE *out) {
    const struct tma_placed_event *divergence = comparison->divergence;
    const struct tma_event *event = &divergence[divergence[0].line == 0].event;
    fprintf(
        out,
        "first divergence: cycle %" PRIu64 ", sm %" PRIu32 " cta %" PRIu32 " slot %" PRIu32 ", %s",
        earlier_cycle(divergence), event->sm, event->cta, event->slot, tma_event_word(event->kind));
    if (divergence[0].line != 0 && divergence[1].line != 0)
        print_numbers(comparison, out);
    fputc('\n', out);
    for (int side = 0; side < 2; side++) {
        fputs("  ", out);
        tma_write_printable(comparison->readers[side].path, out);
        if (divergence[side].line == 0) {
            fputs(": no such event\n", out);
            continue;
        }
        char line[TMA_TRACE_LINE_BYTES];
        size_t length = tma_trace_line_format(line, &divergence[side].event);
        fprintf(out, ":%" PRIu64 ": %.*s", divergence[side].line, (int)length, line);
    }
}

static void print_counts(const char *word, const uint64_t counts[TMA_DIFFERENCE_COUNT], FILE *out) {
    fprintf(out, "%-10s %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n", word,
            counts[TMA_DIFFERENCE_NONE], counts[TMA_DIFFERENCE_CHANGED],
            counts[TMA_DIFFERENCE_ONLY_FIRST], counts[TMA_DIFFERENCE_ONLY_SECOND]);
}

static void print_table(const struct tma_trace_comparison *comparison,
                        const uint64_t totals[TMA_DIFFERENCE_COUNT], FILE *out) {
    fprintf(out, "%-10s %12s %12s %12s %12s\n", "events", "same", "changed", "only first",
            "only second");
    for (int kind = 0; kind < TMA_EVENT_KIND_COUNT; kind++) {
        const uint64_t *counts = comparison->counts[kind];
        if (counts[TMA_DIFFERENCE_CHANGED] + counts[TMA_DIFFERENCE_ONLY_FIRST] +
                counts[TMA_DIFFERENCE_ONLY_SECOND] !=
            0)
            print_counts(tma_event_word((enum tma_event_kind)kind), counts, out);
    }
    print_counts("all", totals, out);
    if (comparison->overflowed)
        fputs(
            "The traces differ so much that some changed events may be counted twice: once as only "
            "first, once as only second.\n",
            out);
}

static void print_drops(const struct tma_trace_reader readers[2], FILE *out) {
    for (int side = 0; side < 2; side++)
        if (readers[side].dropped[0] != '\0') {
            tma_write_printable(readers[side].path, out);
            fprintf(out, ": not compared, as the trace was limited: %s\n", readers[side].dropped);
        }
}

/* Writes the report to `out`. Returns whether the traces differ. Check `out` for write errors with
 * ferror(). */
static enum tma_trace_verdict trace_comparison_print(const struct tma_trace_comparison *comparison,
                                                     FILE *out) {
    const struct tma_trace_reader *readers = comparison->readers;
    if (readers[0].version != readers[1].version) {
        fprintf(out,
                "header: format version: %" PRIu64 " | %" PRIu64
                " (events of different formats are not compared)\n",
                readers[0].version, readers[1].version);
        print_fields(readers, out);
        return TMA_TRACE_DIFFERENT;
    }
    size_t fields = print_fields(readers, out);
    print_drops(readers, out);
    uint64_t totals[TMA_DIFFERENCE_COUNT] = {0};
    for (int kind = 0; kind < TMA_EVENT_KIND_COUNT; kind++)
        for (int i = 0; i < TMA_DIFFERENCE_COUNT; i++)
            totals[i] += comparison->counts[kind][i];
    bool diverged = comparison->divergence[0].line != 0 || comparison->divergence[1].line != 0;
    if (!diverged) {
        fprintf(out, "same events: %" PRIu64 "\n", totals[TMA_DIFFERENCE_NONE]);
        return fields == 0 ? TMA_TRACE_SAME : TMA_TRACE_DIFFERENT;
    }
    print_divergence(comparison, out);
    print_table(comparison, totals, out);
    return TMA_TRACE_DIFFERENT;
}

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
    enum tma_trace_verdict printed = trace_comparison_print(&diff->comparison, out);
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
