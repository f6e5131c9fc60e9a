#include "engine/result.h"

#include <assert.h>

static const struct {
    const char *key, *text;
} causes[TMA_CAUSE_COUNT] = {
#define TMA_CAUSE_ROW(name, key, text) [name] = {key, text},
    TMA_CAUSES(TMA_CAUSE_ROW)
#undef TMA_CAUSE_ROW
};

const char *tma_cause_key(enum tma_cause cause) {
    assert((unsigned)cause < TMA_CAUSE_COUNT);
    return causes[cause].key;
}

const char *tma_cause_text(enum tma_cause cause) {
    assert((unsigned)cause < TMA_CAUSE_COUNT);
    return causes[cause].text;
}

static const struct {
    const char *key, *text;
} role_causes[TMA_ROLE_CAUSE_COUNT] = {
#define TMA_ROLE_CAUSE_ROW(name, key, text) [name] = {key, text},
    TMA_ROLE_CAUSES(TMA_ROLE_CAUSE_ROW)
#undef TMA_ROLE_CAUSE_ROW
};

const char *tma_role_cause_key(enum tma_role_cause cause) {
    assert((unsigned)cause < TMA_ROLE_CAUSE_COUNT);
    return role_causes[cause].key;
}

const char *tma_role_cause_text(enum tma_role_cause cause) {
    assert((unsigned)cause < TMA_ROLE_CAUSE_COUNT);
    return role_causes[cause].text;
}

const char *tma_whole_reason_text(enum tma_whole_reason reason) {
    static const char *const texts[TMA_WHOLE_REASON_COUNT] = {
#define TMA_WHOLE_ROW(name, text) [name] = text,
        TMA_WHOLE_REASONS(TMA_WHOLE_ROW)
#undef TMA_WHOLE_ROW
    };
    assert((unsigned)reason < TMA_WHOLE_REASON_COUNT);
    return texts[reason];
}
