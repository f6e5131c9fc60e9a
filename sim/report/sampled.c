#include "report/sampled.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/ratio.h"
#include "report/text_line.h"

enum { PERCENT_DIGITS = 1 };

double tma_sampled_percent(const struct tma_result *result) {
    uint64_t skipped = result->sampled.skipped_cycles;
    return result->cycles == 0 ? 100
                               : 100 * (double)(result->cycles - skipped) / (double)result->cycles;
}

double tma_sampled_error_percent(const struct tma_result *result) {
    return tma_error_percent(result->sampled.error_cycles, result->cycles);
}

void tma_sampled_write_text(const struct tma_result *result, FILE *out) {
    const struct tma_sampled *sampled = &result->sampled;
    if (!sampled->asked)
        return;
    if (sampled->skipped_cycles == 0) {
        tma_text_line(out, "sampled", "all of it simulated: %s",
                      tma_whole_reason_text(sampled->whole));
        return;
    }
    tma_text_line(out, "sampled",
                  "%s %% simulated, cycles within %s %%; all figures are estimates from that part",
                  tma_decimal(tma_sampled_percent(result), PERCENT_DIGITS).text,
                  tma_decimal(tma_sampled_error_percent(result), PERCENT_DIGITS).text);
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
    tma_json_decimal(json, "simulated_percent", tma_sampled_percent(result), PERCENT_DIGITS);
    tma_json_decimal(json, "error_percent", tma_sampled_error_percent(result), PERCENT_DIGITS);
    tma_json_bool(json, "drift_possible", sampled->rereads);
    if (sampled->skipped_cycles == 0)
        tma_json_string(json, "whole", tma_whole_reason_text(sampled->whole));
    tma_json_end_object(json);
}
