/* The unit and the meaning of each figure of a report. */
#ifndef TMA_DIFFERENCE_FIGURE_MEANINGS_H
#define TMA_DIFFERENCE_FIGURE_MEANINGS_H

struct tma_figure_meaning {
    const char *pattern; /* of names of figures (figure_rule.h) */
    const char *unit;    /* "cycles"; "word" of texts */
    const char *text;
};

/* Returns the meaning of the figure of that name, or NULL if the table has none. */
const struct tma_figure_meaning *tma_figure_meaning(const char *name);

#endif
