#include "trace/line.h"

#include <assert.h>
#include <string.h>

/* Columns keep their place as long as the numbers fit these widths. */
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
    *at++ = '\n';
    assert(at <= line + TMA_TRACE_LINE_BYTES);
    return (size_t)(at - line);
}
