/* What a report says of waves: the CTAs that run at once, and those of the last wave, which leave
 * room for others unused. */
#pragma once

#include <stdio.h>

#include "engine/result.h"
#include "report/json_writer.h"

struct tma_wave_figures {
    double last_fraction; /* of the run, for which a last wave that is not whole ran */
    double last_cost;     /* of the time of all places: without a CTA in that time */
    double idle_fraction; /* the same, in the whole run */
};

/* A fraction is 0 where its divisor is 0. */
struct tma_wave_figures tma_wave_figures_of(const struct tma_result *result);

/* Nothing for one wave. `ctas_per_sm` is how many places an SM has. */
void tma_waves_write_text(const struct tma_result *result, uint32_t ctas_per_sm, FILE *out);
void tma_waves_write_json(const struct tma_result *result, uint32_t ctas_per_sm,
                          struct tma_json *json);
