#include "trace/line.h"

#include <assert.h>
#include <string.h>

/* Column widths in characters. Wider numbers shift the columns behind them. */
enum { CYCLE_WIDTH = 10, SM_WIDTH = 3, CTA_WIDTH = 5, SLOT_WIDTH = 2, WORD_WIDTH = 9 };

static char *put_number(char *at, uint64_t number, unsigned width) {
    char digits[20];
    unsigned count = 0;
    do {
        digits[sizeof digits - ++count] = (char)('0' + number % 10);
        number /= 10;
    } while (number != 0);
    for (; width > count; width--)
        *at++ = ' ';
    memcpy(at, digits + sizeof digits - count, count);
    return at + count;
}

static char *put_text(char *at, const char *text) {
    while (*text != '\0')
        *at++ = *text++;
    return at;
}

static char *put_figures(char *at, const struct tma_event *event) {
    for (unsigned i = 0; i < TMA_EVENT_FIGURES; i++) {
        const char *name = tma_event_figure(event->kind, i);
        if (*name == '\0')
            break;
        *at++ = ' ';
        at = put_text(at, name);
        *at++ = '=';
        at = put_number(at, event->figures[i], 0);
    }
    return at;
}

size_t tma_trace_line_format(char line[TMA_TRACE_LINE_BYTES], const struct tma_event *event) {
    return tma_trace_line_annotate(line, event, NULL);
}

size_t tma_trace_line_annotate(char line[TMA_TRACE_LINE_BYTES], const struct tma_event *event,
                               const char *note) {
    char *at = put_number(line, event->cycle, CYCLE_WIDTH);
    at = put_number(put_text(at, " sm "), event->sm, SM_WIDTH);
    at = put_number(put_text(at, " cta "), event->cta, CTA_WIDTH);
    at = put_number(put_text(at, " slot "), event->slot, SLOT_WIDTH);
    at = put_text(at, "  ");
    char *word = at;
    at = put_text(at, tma_event_word(event->kind));
    if (*tma_event_figure(event->kind, 0) != '\0') {
        while (at < word + WORD_WIDTH)
            *at++ = ' ';
        at = put_figures(at, event);
    }
    if (note != NULL) {
        at = put_text(at, " (");
        for (unsigned i = 0; i < TMA_TRACE_NOTE_BYTES && note[i] != '\0'; i++)
            *at++ = note[i];
        *at++ = ')';
    }
    *at++ = '\n';
    assert(at <= line + TMA_TRACE_LINE_BYTES);
    return (size_t)(at - line);
}

struct cursor {
    const char *at, *end;
};

static void skip_spaces(struct cursor *cursor) {
    while (cursor->at < cursor->end && *cursor->at == ' ')
        cursor->at++;
}

static bool take_text(struct cursor *cursor, const char *text) {
    const char *at = cursor->at;
    for (; *text != '\0'; text++, at++)
        if (at == cursor->end || *at != *text)
            return false;
    cursor->at = at;
    return true;
}

static bool take_number(struct cursor *cursor, uint64_t limit, uint64_t *number) {
    const char *first = cursor->at;
    uint64_t value = 0;
    for (; cursor->at < cursor->end; cursor->at++) {
        unsigned digit = (unsigned)*cursor->at - '0';
        if (digit > 9)
            break;
        if (value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *number = value;
    return cursor->at > first;
}

/* Parses " NAME  NUMBER", as in " cta    12". */
static bool take_unit(struct cursor *cursor, const char *name, uint32_t *unit) {
    uint64_t number;
    skip_spaces(cursor);
    if (!take_text(cursor, name))
        return false;
    skip_spaces(cursor);
    if (!take_number(cursor, UINT32_MAX, &number))
        return false;
    *unit = (uint32_t)number;
    return true;
}

static bool take_kind(struct cursor *cursor, enum tma_event_kind *kind) {
    skip_spaces(cursor);
    for (unsigned i = 0; i < TMA_EVENT_KIND_COUNT; i++) {
        struct cursor word = *cursor;
        if (take_text(&word, tma_event_word((enum tma_event_kind)i)) &&
            (word.at == word.end || *word.at == ' ')) {
            *cursor = word;
            *kind = (enum tma_event_kind)i;
            return true;
        }
    }
    return false;
}

static bool take_figures(struct cursor *cursor, struct tma_event *event) {
    for (unsigned i = 0; i < TMA_EVENT_FIGURES; i++) {
        const char *name = tma_event_figure(event->kind, i);
        event->figures[i] = 0;
        if (*name == '\0')
            continue;
        skip_spaces(cursor);
        if (!take_text(cursor, name) || !take_text(cursor, "=") ||
            !take_number(cursor, UINT64_MAX, &event->figures[i]))
            return false;
    }
    return true;
}

const char *tma_trace_line_parse(const char *line, size_t length, struct tma_event *event) {
    struct cursor cursor = {line, line + length};
    skip_spaces(&cursor);
    if (!take_number(&cursor, UINT64_MAX, &event->cycle))
        return "expected a cycle number at the start of the line";
    if (!take_unit(&cursor, "sm", &event->sm) || !take_unit(&cursor, "cta", &event->cta) ||
        !take_unit(&cursor, "slot", &event->slot))
        return "expected sm, cta and slot after the cycle, each with a number";
    if (!take_kind(&cursor, &event->kind))
        return "expected a known kind of event after the slot";
    if (!take_figures(&cursor, event))
        return "the figures do not match this kind of event";
    if (take_text(&cursor, " (") && cursor.end[-1] == ')')
        return NULL;
    return cursor.at == cursor.end ? NULL : "unexpected text after the event's last figure";
}
