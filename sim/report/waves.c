#include "report/waves.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/text_line.h"

enum { FRACTION_DIGITS = 6 };

struct tma_wave_figures tma_wave_figures_of(const struct tma_result *result) {
    const struct tma_waves *waves = &result->waves;
    double all = (double)result->cycles * waves->ctas;
    return (struct tma_wave_figures){tma_ratio((double)waves->last_cycles, (double)result->cycles),
                                     tma_ratio((double)waves->last_idle_place_cycles, all),
                                     tma_ratio((double)waves->idle_place_cycles, all)};
}

/* A last wave that costs less than this is not worth a word. */
#define NOTABLE_COST 0.05

void tma_waves_write_text(const struct tma_result *result, uint32_t ctas_per_sm, FILE *out) {
    const struct tma_waves *waves = &result->waves;
    struct tma_wave_figures figures = tma_wave_figures_of(result);
    uint32_t idle = waves->ctas - waves->last_ctas;
    if (waves->count <= 1)
        return;
    if (waves->last_ctas == 0)
        tma_text_line(out, "  waves", "%" PRIu32 " of %" PRIu32 " CTAs each", waves->count,
                      waves->ctas);
    else if (figures.last_cost <= NOTABLE_COST)
        tma_text_line(out, "  waves", "%" PRIu32 " of %" PRIu32 " CTAs, the last of %" PRIu32,
                      waves->count, waves->ctas, waves->last_ctas);
    else if (ctas_per_sm == 1)
        tma_text_line(out, "  waves",
                      "%" PRIu32 " of %" PRIu32 " CTAs, the last of %" PRIu32
                      ": it takes %s %% of the run, and leaves %" PRIu32
                      " of the SMs idle, which is %s %% of the SMs' time",
                      waves->count, waves->ctas, waves->last_ctas,
                      tma_percent(figures.last_fraction).text, idle,
                      tma_percent(figures.last_cost).text);
    else
        tma_text_line(out, "  waves",
                      "%" PRIu32 " of %" PRIu32 " CTAs, the last of %" PRIu32
                      ": it takes %s %% of the run, and leaves room for %" PRIu32
                      " CTAs unused, which is %s %% of that of all SMs in the run",
                      waves->count, waves->ctas, waves->last_ctas,
                      tma_percent(figures.last_fraction).text, idle,
                      tma_percent(figures.last_cost).text);
}

/* Where SMs have room for several CTAs, what is idle is such room, and not an SM. */
void tma_waves_write_json(const struct tma_result *result, uint32_t ctas_per_sm,
                          struct tma_json *json) {
    const struct tma_waves *waves = &result->waves;
    struct tma_wave_figures figures = tma_wave_figures_of(result);
    bool whole = waves->last_ctas == 0, single = ctas_per_sm == 1;
    tma_json_begin_object(json, "waves");
    TMA_JSON_COUNTS(json, waves, count, ctas);
    tma_json_unsigned(json, "last_ctas", whole ? waves->ctas : waves->last_ctas);
    tma_json_unsigned(json, single ? "last_idle_sms" : "last_idle_places",
                      whole ? 0 : waves->ctas - waves->last_ctas);
    tma_json_decimal(json, "last_fraction", figures.last_fraction, FRACTION_DIGITS);
    tma_json_decimal(json, "last_cost_fraction", figures.last_cost, FRACTION_DIGITS);
    tma_json_decimal(json, single ? "sm_idle_fraction" : "place_idle_fraction",
                     figures.idle_fraction, FRACTION_DIGITS);
    tma_json_end_object(json);
}
