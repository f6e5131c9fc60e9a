/* All figures of a run as flat text, a line each: name, value, unit, meaning. */
#pragma once

#include <stdio.h>

#include "difference/variant.h"
#include "engine/observe/series.h"

/* Writes the figures of a report, which is the only case of the variant, then those of the servers,
 * the latencies and the windows of the series. Write errors stay with the stream. */
void tma_statistics_write(const struct tma_variant *report, const struct tma_series *series,
                          FILE *out);
