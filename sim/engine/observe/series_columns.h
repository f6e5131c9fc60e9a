/* The table behind a series: a row for each window; columns for figures, servers and causes. */
#pragma once

#include "engine/observe/series.h"

enum { MOST_CAUSES = TMA_MAX_ROLES * TMA_ROLE_CAUSE_COUNT };
_Static_assert((int)MOST_CAUSES >= (int)TMA_CAUSE_COUNT, "causes of slots have columns, too");

/* The first column of a kind of servers. */
static inline uint32_t tma_server_column(const struct tma_series *series, enum tma_server kind) {
    uint32_t column = TMA_SERIES_FIGURE_COUNT;
    for (uint32_t before = 0; before < kind; before++)
        column += series->servers[before];
    return column;
}

static inline uint32_t tma_first_cause_column(const struct tma_series *series) {
    return tma_server_column(series, TMA_SERVER_COUNT);
}

/* Empties a series for a run whose slots or roles have so many causes. */
void tma_series_clear(struct tma_series *series, uint32_t cause_count);

/* The row of the window that has a cycle. Rows that were given before are invalid afterwards. */
uint64_t *tma_series_row(struct tma_series *series, uint64_t cycle);

/* Adds `weight` for each unit of the time from start to end, of which a cycle has cycle_parts. */
void tma_series_add(struct tma_series *series, uint32_t column, uint64_t start, uint64_t end,
                    uint64_t weight, uint64_t cycle_parts);
