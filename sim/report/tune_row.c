#include "report/tune_row.h"

const char *tma_tune_found_text(enum tma_tune_found found) {
    static const char *const texts[TMA_TUNE_FOUND_COUNT] = {
#define TEXT(name, text) [name] = text,
        TMA_TUNE_FOUND(TEXT)
#undef TEXT
    };
    return texts[found];
}

bool tma_tune_has_time(const struct tma_tune_row *row) {
    return row->found == TMA_TUNE_SIMULATED || row->found == TMA_TUNE_ESTIMATED;
}
