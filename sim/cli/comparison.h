/* A scenario under every swizzle mode. */
#ifndef TMA_CLI_COMPARISON_H
#define TMA_CLI_COMPARISON_H

#include <stdio.h>

#include "base/error.h"
#include "cli/options.h"
#include "tensormap/types.h"

enum { CLI_MAX_MODES = 16 };

struct cli_mode {
    const char *swizzle;
    bool legal;
    char reason[TMA_ERROR_TEXT_BYTES]; /* which rule it breaks; "" where it is legal */
    uint64_t cycles;
    uint64_t wavefronts, ideal_wavefronts; /* of all consumers */
    uint32_t ways;                         /* the worst conflict; 1: none, 0: no consumer */
    uint32_t banks;                        /* used by any consumer */
    double bytes_per_cycle;
};

struct cli_comparison {
    const char *scenario;
    const char *machine;
    struct cli_mode modes[CLI_MAX_MODES];
    size_t count;
    const struct cli_mode *best; /* NULL: none is legal */
};

/* Write errors stay with the stream. */
void cli_comparison_write(const struct cli_comparison *comparison, enum cli_format format,
                          FILE *out);

#endif
