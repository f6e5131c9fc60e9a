/* What a comparison accepts of a figure: tolerances, and conditions under which it fails. Both name
 * figures by a pattern in which * stands for any text: "cycles", "time.*.slot_cycles". */
#pragma once

#include "base/error.h"
#include "difference/variant.h"

enum { TMA_MAX_FIGURE_PATTERN = 128 };

/* Returns true if the pattern matches the whole name. */
bool tma_figure_matches(const char *pattern, const char *name);

/* "cycles=2%", "dram.read_bytes=4096": by how much a figure may differ from the base. */
struct tma_figure_tolerance {
    char pattern[TMA_MAX_FIGURE_PATTERN];
    bool is_relative;
    double amount; /* a fraction of the base, or in the figure's own unit */
};

enum tma_error_code tma_figure_tolerance_parse(const char *text,
                                               struct tma_figure_tolerance *tolerance,
                                               struct tma_error *error);

/* What a condition compares: the change from the base, as a fraction of the base or in the figure's
 * unit; or the value itself. */
enum tma_condition_kind { TMA_CONDITION_FRACTION, TMA_CONDITION_CHANGE, TMA_CONDITION_VALUE };

enum tma_condition_relation {
    TMA_CONDITION_ABOVE,
    TMA_CONDITION_BELOW,
    TMA_CONDITION_AT_LEAST,
    TMA_CONDITION_AT_MOST,
    TMA_CONDITION_CHANGED /* the figure is not that of the base; the kind has no meaning */
};

/* "cycles > +2%", "latency_cycles.max > +100", "l2.hit_fraction < 0.5", "limited_by.key changed".
 */
struct tma_figure_condition {
    const char *text; /* borrowed; as the user wrote it */
    char pattern[TMA_MAX_FIGURE_PATTERN];
    enum tma_condition_relation relation;
    enum tma_condition_kind kind;
    double bound;
};

enum tma_error_code tma_figure_condition_parse(const char *text,
                                               struct tma_figure_condition *condition,
                                               struct tma_error *error);

/* Returns true if the condition holds. Either may be NULL, not both: a figure that one of the two
 * lacks fulfils every condition, because a run that failed must not pass for a good one. */
bool tma_figure_condition_holds(const struct tma_figure_condition *condition,
                                const struct tma_measure *base, const struct tma_measure *value);
