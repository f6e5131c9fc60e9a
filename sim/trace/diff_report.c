#include "trace/diff_report.h"

#include <inttypes.h>
#include <string.h>

#include "base/printable.h"
#include "trace/line.h"
#include "trace/pending_events.h"

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

enum tma_trace_verdict tma_trace_comparison_print(const struct tma_trace_comparison *comparison,
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
