/* run: the figures of a scenario, as a row of a sweep has them. */
#include <stdio.h>

#include "serve/answers.h"
#include "serve/scenario_figures.h"

static void write_figures(struct tma_reply_line *reply, const struct tma_sweep_figures *figures,
                          bool sampled) {
    tma_reply_unsigned(reply, "cycles", figures->cycles);
    tma_reply_decimal(reply, "time_ns", figures->time_ns, 3);
    tma_reply_decimal(reply, "gigabytes_per_second", figures->gigabytes_per_second, 3);
    tma_reply_decimal(reply, "bytes_per_cycle_per_sm", figures->bytes_per_cycle_per_sm, 3);
    tma_reply_unsigned(reply, "latency_cycles", figures->latency_cycles);
    tma_reply_decimal(reply, "l2_hit_fraction", figures->l2_hit_fraction, 6);
    tma_reply_unsigned(reply, "dram_bytes", figures->dram_bytes);
    tma_reply_unsigned(reply, "excess_wavefronts", figures->excess_wavefronts);
    tma_reply_decimal(reply, "busy", figures->busy, 6);
    tma_reply_text(reply, "busiest", figures->busiest);
    tma_reply_bool(reply, "timing_validated", figures->trust.validated);
    if (!sampled)
        return;
    tma_reply_open(reply, "sampled", '{');
    tma_reply_decimal(reply, "simulated_percent", figures->simulated_percent, 1);
    tma_reply_decimal(reply, "error_percent", figures->error_percent, 1);
    tma_reply_close(reply, '}');
}

static bool run_scenario(const struct tma_scenario *scenario, enum tma_sampling sampling,
                         struct tma_reply_line *reply, struct tma_request_error *error) {
    struct tma_error why = {0};
    struct tma_sweep_figures figures;
    if (tma_scenario_figures(scenario, sampling, &figures, &why) != TMA_OK)
        return tma_request_fail_whole(error, why.code, why.text);
    write_figures(reply, &figures, sampling != TMA_SAMPLING_NONE);
    return true;
}

/* The first error of a scenario: a setting's stands at the setting. */
static bool fail_scenario(const struct tma_request *request, const struct tma_diagnostics *list,
                          struct tma_request_error *error) {
    const struct tma_diagnostic *first = list->count > 0 ? &list->items[0] : NULL;
    unsigned key = tma_request_has(request, TMA_REQUEST_FILE) ? TMA_REQUEST_FILE : TMA_REQUEST_TEXT;
    unsigned setting;
    if (first == NULL)
        return tma_request_fail_whole(error, list->reserve.code, list->reserve.text);
    if (sscanf(first->at.file, "--set %9u", &setting) == 1)
        tma_request_fail(error, request, TMA_REQUEST_SET, "%.60s: %.400s",
                         setting <= request->values[TMA_REQUEST_SET].count && setting > 0
                             ? request->settings[setting - 1]
                             : "set",
                         first->text);
    else if (first->at.line > 0)
        tma_request_fail(error, request, key, "%.80s:%u:%u: %.400s", first->at.file, first->at.line,
                         first->at.column, first->text);
    else
        tma_request_fail(error, request, key, "%.80s: %.400s", first->at.file, first->text);
    error->code = first->code;
    return false;
}

bool tma_answer_run(const struct tma_request *request, struct tma_reply_line *reply,
                    struct tma_request_error *error) {
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    bool has_file = tma_request_has(request, TMA_REQUEST_FILE), good;
    uint32_t settings = request->values[TMA_REQUEST_SET].count;
    int sampling = TMA_SAMPLING_NONE;
    if (!tma_request_choice(request, TMA_REQUEST_SAMPLE, &tma_sampling_names, &sampling, error))
        return false;
    if (has_file == tma_request_has(request, TMA_REQUEST_TEXT))
        return tma_request_fail(error, request, TMA_REQUEST_FILE,
                                "expected either file or scenario");
    const struct tma_scenario_source source = {
        .path = has_file ? request->words[TMA_REQUEST_FILE].text : "scenario",
        .text = has_file ? NULL : request->words[TMA_REQUEST_TEXT].text,
        .folder = request->folder == NULL ? "" : request->folder};
    good = tma_scenario_read_from(&source, request->settings, settings, &scenario, &list);
    good = good ? run_scenario(&scenario, (enum tma_sampling)sampling, reply, error)
                : fail_scenario(request, &list, error);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good;
}
