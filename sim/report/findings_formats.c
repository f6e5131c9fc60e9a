#include "report/findings_formats.h"

#include <inttypes.h>

#include "report/text_line.h"
#include "report/verdict.h"

enum { MOST_SENTENCES = 3, FRACTION_DIGITS = 6 };

void tma_launches_write_text(const struct tma_launches *launches, FILE *out) {
    if (launches != NULL)
        tma_text_line(out, NULL,
                      "%" PRIu32 " launches, with draws from 1 on: median %" PRIu64
                      ", least %" PRIu64 ", most %" PRIu64,
                      launches->count, launches->median, launches->least, launches->most);
}

void tma_launches_write_json(const struct tma_launches *launches, struct tma_json *json) {
    if (launches == NULL || launches->count == 0) {
        tma_json_null(json, "draws");
        return;
    }
    tma_json_begin_object(json, "draws");
    tma_json_unsigned(json, "launches", launches->count);
    tma_json_unsigned(json, "median_cycles", launches->median);
    tma_json_unsigned(json, "least_cycles", launches->least);
    tma_json_unsigned(json, "most_cycles", launches->most);
    tma_json_end_object(json);
}

/* Writes the first experiments of a ranking, without the first `skipped`. */
static void write_sentences(const struct tma_experiments *experiments, const char *label,
                            const size_t *ranking, size_t count, size_t skipped, FILE *out) {
    for (size_t i = skipped; i < count && i < MOST_SENTENCES; i++) {
        tma_text_line(out, label, "%s",
                      tma_experiment_sentence(&experiments->items[ranking[i]]).text);
        label = NULL;
    }
}

void tma_findings_write_text(const struct tma_findings *findings, bool idle, FILE *out) {
    const struct tma_experiments *experiments = findings->experiments;
    tma_text_line(out, "limited by", "%s", tma_verdict_of(findings, idle).text);
    if (experiments == NULL)
        return;
    write_sentences(experiments, NULL, experiments->limits, experiments->limit_count, 1, out);
    write_sentences(experiments, "advice", experiments->advice, experiments->advice_count, 0, out);
    for (size_t i = 0; i < experiments->untried_count; i++)
        fprintf(out, "%s%s", i == 0 ? "not tried           " : ", ", experiments->untried[i]->name);
    if (experiments->untried_count > 0)
        fputs(": --why tries all\n", out);
}

void tma_untried_write_json(const struct tma_experiments *experiments, struct tma_json *json) {
    if (experiments == NULL || experiments->untried_count == 0)
        return;
    tma_json_begin_array(json, "not_tried");
    for (size_t i = 0; i < experiments->untried_count; i++)
        tma_json_string(json, NULL, experiments->untried[i]->name);
    tma_json_end_array(json);
}

static void write_experiment(const struct tma_experiment *experiment, struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", experiment->relief->key);
    tma_json_string(json, "text", experiment->relief->name);
    tma_json_string(json, "change", experiment->change);
    tma_json_bool(json, "advice", experiment->relief->advice);
    tma_json_unsigned(json, "launches", experiment->cycles.count);
    tma_json_unsigned(json, "cycles_before", experiment->before.mean);
    tma_json_unsigned(json, "cycles", experiment->cycles.mean);
    tma_json_unsigned(json, "least_cycles", experiment->cycles.least);
    tma_json_unsigned(json, "most_cycles", experiment->cycles.most);
    tma_json_decimal(json, "saved_fraction", experiment->saved, FRACTION_DIGITS);
    tma_json_bool(json, "helps", experiment->helps);
    tma_json_end_object(json);
}

void tma_findings_write_json(const struct tma_findings *findings, bool idle,
                             struct tma_json *json) {
    const struct tma_experiments *experiments = findings->experiments;
    struct tma_verdict verdict = tma_verdict_of(findings, idle);
    tma_json_begin_object(json, "limited_by");
    tma_json_string(json, "key", verdict.key);
    tma_json_string(json, "text", verdict.text);
    tma_json_end_object(json);
    tma_json_begin_array(json, "advice");
    for (size_t i = 0; experiments != NULL && i < experiments->advice_count; i++)
        tma_json_string(json, NULL,
                        tma_experiment_sentence(&experiments->items[experiments->advice[i]]).text);
    tma_json_end_array(json);
    tma_json_begin_array(json, "experiments");
    for (size_t i = 0; experiments != NULL && i < experiments->count; i++)
        write_experiment(&experiments->items[i], json);
    tma_json_end_array(json);
    tma_untried_write_json(experiments, json);
}
