#include "engine/observe/event.h"

#include <assert.h>

static const struct {
    const char *word;
    const char *figures[TMA_EVENT_FIGURES];
} kinds[TMA_EVENT_KIND_COUNT] = {
#define TMA_EVENT_ROW(name, word, a, b, c, d) [name] = {word, {a, b, c, d}},
    TMA_EVENTS(TMA_EVENT_ROW)
#undef TMA_EVENT_ROW
};

const char *tma_event_word(enum tma_event_kind kind) {
    assert((unsigned)kind < TMA_EVENT_KIND_COUNT);
    return kinds[kind].word;
}

const char *tma_event_figure(enum tma_event_kind kind, unsigned index) {
    assert((unsigned)kind < TMA_EVENT_KIND_COUNT);
    return index < TMA_EVENT_FIGURES ? kinds[kind].figures[index] : "";
}
