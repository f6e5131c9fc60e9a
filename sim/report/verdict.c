#include "report/verdict.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "report/decimal.h"

__attribute__((format(printf, 2, 3))) static struct tma_verdict verdict(const char *key,
                                                                        const char *format, ...) {
    struct tma_verdict verdict = {.key = key};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(verdict.text, sizeof verdict.text, format, arguments);
    va_end(arguments);
    return verdict;
}

struct tma_verdict tma_experiment_sentence(const struct tma_experiment *experiment) {
    return verdict(experiment->relief->key, "%s: %s would save %s %% of the time",
                   experiment->relief->name, experiment->change,
                   tma_decimal(100 * experiment->saved, 1).text);
}

/* No relief of those that show limits helps. */
static struct tma_verdict nothing_by_itself(const struct tma_experiments *experiments) {
    const struct tma_experiment *best = NULL;
    unsigned tried = 0;
    for (size_t i = 0; i < experiments->count; i++) {
        const struct tma_experiment *experiment = &experiments->items[i];
        if (experiment->relief->advice)
            continue;
        tried++;
        if (best == NULL || experiment->saved > best->saved)
            best = experiment;
    }
    if (best == NULL || best->saved <= 0)
        return verdict("nothing", "nothing by itself: none of %u single changes saves time", tried);
    size_t length = strlen(best->change);
    length -= length > 0 && best->change[length - 1] == ','; /* before "would save" */
    return verdict("nothing",
                   "nothing by itself: of %u single changes the best saves %s %%%s (%s: %.*s)",
                   tried, tma_decimal(100 * best->saved, 1).text,
                   best->saved >= TMA_LEAST_SAVING ? ", no more than launches differ" : "",
                   best->relief->name, (int)length, best->change);
}

struct tma_verdict tma_verdict_of(const struct tma_findings *findings, bool idle) {
    const struct tma_experiments *experiments = findings->experiments;
    if (idle)
        return verdict("nothing", "nothing: no operation was issued");
    if (experiments == NULL && findings->too_long)
        return verdict("not_tried", "not tried, because this run is long; --why runs it again with "
                                    "one thing relieved at a time");
    if (experiments == NULL)
        return verdict("not_tried", "not tried; --why runs it again with one thing relieved at a "
                                    "time");
    if (experiments->limit_count == 0)
        return nothing_by_itself(experiments);
    return tma_experiment_sentence(&experiments->items[experiments->limits[0]]);
}
