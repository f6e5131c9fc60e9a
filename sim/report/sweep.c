#include "report/sweep.h"

#include <stdlib.h>

#include "report/decimal.h"
#include "report/figures.h"
#include "report/format_table.h"
#include "report/kernel_figures.h"
#include "report/sampled.h"
#include "report/sweep_formats.h"

TMA_FORMAT_NAMES(tma_sweep_format_names, TMA_SWEEP_FORMATS);

/* strtod reads numbers of the C locale where the program never calls setlocale. */
static double rounded(double value) {
    return strtod(tma_decimal(value, TMA_DECIMAL_MAX_DIGITS).text, NULL);
}

struct tma_sweep_figures tma_sweep_figures_of(const struct tma_report_input *input) {
    struct tma_figures figures = tma_figures_of(input);
    struct tma_busiest busiest = tma_busiest_of(input->result);
    struct tma_sweep_figures row = {
        .cycles = input->result->cycles,
        .latency_cycles = input->result->latency_cycles.median,
        .dram_bytes = figures.memory.dram_read_bytes + figures.memory.dram_write_bytes,
        .excess_wavefronts = figures.excess_wavefronts,
        .time_ns = rounded(figures.time_ns),
        .gigabytes_per_second = rounded(figures.gigabytes_per_second),
        .bytes_per_cycle_per_sm = rounded(figures.bytes_per_cycle_per_sm),
        .l2_hit_fraction = rounded(figures.memory.l2_hit_fraction),
        .busy = rounded(busiest.busy),
        .timing_validated = input->machine->validated,
        .timing_edited = input->machine->edited,
        .timing_public = input->machine->public_data,
        .simulated_percent = rounded(tma_sampled_percent(input->result)),
        .error_percent = rounded(tma_sampled_error_percent(input->result)),
    };
    snprintf(row.busiest, sizeof row.busiest, "%s", busiest.key);
    return row;
}

void tma_sweep_write(const struct tma_sweep *sweep, int format, FILE *out) {
#define WRITER(name) tma_sweep_write_##name,
    static void (*const writers[])(const struct tma_sweep *, FILE *) = {TMA_SWEEP_FORMATS(WRITER)};
#undef WRITER
    writers[format](sweep, out);
}
