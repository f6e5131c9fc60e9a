#include "report/sampled.h"

#include <inttypes.h>

#include "report/colour.h"
#include "report/decimal.h"
#include "report/text_line.h"

enum { PERCENT_DIGITS = 1 };

static double simulated_percent(uint64_t skipped, uint64_t cycles) {
    return cycles == 0 ? 100 : 100 * (double)(cycles - skipped) / (double)cycles;
}

double tma_sampled_percent(const struct tma_result *result) {
    return simulated_percent(result->sampled.skipped_cycles, result->cycles);
}

double tma_sampled_error_percent(const struct tma_result *result) {
    return tma_error_percent(result->sampled.error_cycles, result->cycles);
}

void tma_estimate_write_text(uint64_t skipped, uint64_t error, uint64_t cycles, FILE *out) {
    tma_text_line(out, "sampled",
                  "%s %% simulated, cycles within %s %%; all figures are estimates from that part",
                  tma_decimal(simulated_percent(skipped, cycles), PERCENT_DIGITS).text,
                  tma_decimal(tma_error_percent(error, cycles), PERCENT_DIGITS).text);
}

void tma_estimate_write_json(uint64_t skipped, uint64_t error, uint64_t cycles,
                             struct tma_json *json) {
    tma_json_decimal(json, "simulated_percent", simulated_percent(skipped, cycles), PERCENT_DIGITS);
    tma_json_decimal(json, "error_percent", tma_error_percent(error, cycles), PERCENT_DIGITS);
}

void tma_refused_write_text(uint64_t error_cycles, uint64_t cycles, FILE *out) {
    tma_text_line(out, "sampled",
                  "%snot trusted: with parts left out, cycles may be %s %% off, which is more than "
                  "20 %%%s; all of it was simulated, and all figures are exact",
                  tma_colour(out, TMA_COLOUR_BAD),
                  tma_decimal(tma_error_percent(error_cycles, cycles), PERCENT_DIGITS).text,
                  tma_colour(out, TMA_COLOUR_PLAIN));
}

void tma_refused_write_json(uint64_t error_cycles, uint64_t cycles, struct tma_json *json) {
    tma_json_bool(json, "trusted", false);
    tma_json_decimal(json, "refused_error_percent", tma_error_percent(error_cycles, cycles),
                     PERCENT_DIGITS);
}

void tma_sampled_write_text(const struct tma_result *result, FILE *out) {
    const struct tma_sampled *sampled = &result->sampled;
    if (!sampled->asked)
        return;
    if (sampled->whole == TMA_WHOLE_ROUGH) {
        tma_refused_write_text(sampled->refused_error_cycles, sampled->refused_cycles, out);
        return;
    }
    if (sampled->skipped_cycles == 0) {
        tma_text_line(out, "sampled", "all of it simulated: %s",
                      tma_whole_reason_text(sampled->whole));
        return;
    }
    tma_estimate_write_text(sampled->skipped_cycles, sampled->error_cycles, result->cycles, out);
    if (sampled->rereads)
        tma_text_line(out, NULL,
                      "tiles are read again, so that the run may drift slowly: --sample=careful "
                      "looks for that");
}

void tma_sampled_write_json(const struct tma_result *result, struct tma_json *json) {
    const struct tma_sampled *sampled = &result->sampled;
    if (!sampled->asked)
        return;
    tma_json_begin_object(json, "sampled");
    tma_estimate_write_json(sampled->skipped_cycles, sampled->error_cycles, result->cycles, json);
    tma_json_bool(json, "drift_possible", sampled->rereads);
    if (sampled->skipped_cycles == 0)
        tma_json_string(json, "whole", tma_whole_reason_text(sampled->whole));
    if (sampled->whole == TMA_WHOLE_ROUGH)
        tma_refused_write_json(sampled->refused_error_cycles, sampled->refused_cycles, json);
    tma_json_end_object(json);
}
