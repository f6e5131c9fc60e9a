/* Output formats as X-macro tables: each kind of report lists its formats once, by name. The order
 * is that of the help text, and the first format is the default. Internal to sim/report and
 * sim/difference.
 *
 * To add a format NAME to a report: write the function PREFIX_NAME, and add the line X(NAME) to the
 * report's table. */
#pragma once

#include "tensormap/types.h"

/* Defines the struct tma_names of a table of formats, and the index FORMAT_NAME of each. */
#define TMA_FORMAT_NAMES(table, formats)                                                           \
    enum { formats(TMA_FORMAT_INDEX) FORMAT_COUNT };                                               \
    static const struct tma_name format_names[] = {formats(TMA_FORMAT_NAME)};                      \
    const struct tma_names table = {"format", format_names, FORMAT_COUNT}
#define TMA_FORMAT_INDEX(name) FORMAT_##name,
#define TMA_FORMAT_NAME(name)  {#name, FORMAT_##name},
