#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "memory/machine_parameter.h"
#include "report/decimal.h"
#include "report/json_writer.h"
#include "validate/replay.h"

/* The parts without which the records are replayed. */
static const struct part {
    const char *name;
    enum tma_ablation ablation;
    bool removed; /* its times become 0; else a tenth, and rates ten times as large */
} parts[] = {{"memory", TMA_ABLATION_memory, false},
             {"compute", TMA_ABLATION_compute, false},
             {"issue", TMA_ABLATION_issue, true},
             {"launch", TMA_ABLATION_launch, true}};

enum { PARTS = sizeof parts / sizeof parts[0] };

static struct tma_machine relieve(const struct tma_machine *machine, const struct part *part) {
    struct tma_machine relieved = *machine;
    for (size_t i = 0; i < tma_machine_parameter_count; i++) {
        const struct tma_machine_parameter *parameter = &tma_machine_parameters[i];
        uint32_t *value = tma_machine_value(&relieved, parameter);
        if (parameter->ablation != part->ablation)
            continue;
        if (part->removed)
            *value = 0;
        else if (parameter->quantity == TMA_QUANTITY_TIME)
            *value = (*value + 9) / 10;
        else
            *value = *value > UINT32_MAX / 10 ? UINT32_MAX : *value * 10;
    }
    return relieved;
}

/* What a part does to a family. */
struct effect {
    double time;  /* part of the time that is saved, on average over the records */
    double error; /* mean error without the part */
};

static struct effect effect_of(const struct tma_validation *before,
                               const struct tma_validation *after, uint32_t family) {
    double saved = 0;
    size_t count = 0;
    for (size_t i = 0; i < before->row_count && i < after->row_count; i++) {
        if (before->rows[i].family != family || before->rows[i].predicted <= 0)
            continue;
        saved += 1 - after->rows[i].predicted / before->rows[i].predicted;
        count++;
    }
    return (struct effect){
        .time = count > 0 ? saved / (double)count : NAN,
        .error = family < after->family_count ? after->families[family].errors.mean : NAN};
}

static void write_json(const struct cli_replay *replay, const struct cli_replay_result *before,
                       const struct cli_replay_result *after, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_begin_array(&json, "ablation");
    for (size_t f = 0; f < replay->options->operands.count; f++) {
        const struct tma_validation *file = &before->validations[f];
        for (uint32_t i = 0; i < file->family_count; i++) {
            tma_json_begin_object(&json, NULL);
            tma_json_string(&json, "file", cli_file_name(replay->options->operands.items[f]));
            tma_json_string(&json, "family", file->families[i].name);
            tma_json_decimal(&json, "mape", file->families[i].errors.mean, TMA_DECIMAL_MAX_DIGITS);
            for (size_t p = 0; p < PARTS; p++) {
                struct effect effect = effect_of(file, &after[p].validations[f], i);
                tma_json_begin_object(&json, parts[p].name);
                tma_json_decimal(&json, "time_saved", effect.time, TMA_DECIMAL_MAX_DIGITS);
                tma_json_decimal(&json, "mape", effect.error, TMA_DECIMAL_MAX_DIGITS);
                tma_json_end_object(&json);
            }
            tma_json_end_object(&json);
        }
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static void write_percent(double fraction, FILE *out) {
    fprintf(out, " %6s %%", isnan(fraction) ? "-" : tma_decimal(100 * fraction, 1).text);
}

static void write_text(const struct cli_replay *replay, const struct cli_replay_result *before,
                       const struct cli_replay_result *after, FILE *out) {
    fprintf(out, "%-18s %8s", "family", "error");
    for (size_t p = 0; p < PARTS; p++)
        fprintf(out, "   no %-7s %8s", parts[p].name, "error");
    fputc('\n', out);
    for (size_t f = 0; f < replay->options->operands.count; f++) {
        const struct tma_validation *file = &before->validations[f];
        for (uint32_t i = 0; i < file->family_count; i++) {
            fprintf(out, "%-18s", file->families[i].name);
            write_percent(file->families[i].errors.mean, out);
            for (size_t p = 0; p < PARTS; p++) {
                struct effect effect = effect_of(file, &after[p].validations[f], i);
                fputs("    ", out);
                write_percent(-effect.time, out);
                write_percent(effect.error, out);
            }
            fputc('\n', out);
        }
    }
}

static void free_result(struct cli_replay_result *result, size_t count) {
    for (size_t i = 0; result->validations != NULL && i < count; i++)
        tma_validation_free(&result->validations[i]);
    TMA_RELEASE(result->validations, result->draws);
}

bool cli_ablate(const struct cli_replay *replay, const struct cli_replay_result *before, bool json,
                FILE *out) {
    struct cli_replay_result after[PARTS];
    size_t count = replay->options->operands.count;
    bool good = true;
    memset(after, 0, sizeof after);
    for (size_t p = 0; p < PARTS && good && !cli_interrupted(); p++) {
        struct tma_machine machine = relieve(replay->machine, &parts[p]);
        struct cli_replay relieved = *replay;
        relieved.machine = &machine;
        after[p].validations = tma_allocate(count, sizeof *after[p].validations);
        after[p].draws = tma_allocate(count, sizeof *after[p].draws);
        good = after[p].validations != NULL && after[p].draws != NULL;
        if (!good)
            cli_error("out of memory");
        good = good && cli_replay(&relieved, &after[p]) && !after[p].failed;
    }
    if (good && !cli_interrupted())
        (json ? write_json : write_text)(replay, before, after, out);
    for (size_t p = 0; p < PARTS; p++)
        free_result(&after[p], count);
    return good;
}
