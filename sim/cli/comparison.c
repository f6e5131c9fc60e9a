#include "cli/comparison.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/json_writer.h"

static uint64_t excess(const struct cli_mode *mode) {
    return mode->wavefronts - mode->ideal_wavefronts;
}

static void write_row(const struct cli_mode *mode, FILE *out) {
    fprintf(out,
            "%-22s %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5" PRIu32 " %5" PRIu32
            " %11s\n",
            mode->swizzle, mode->cycles, mode->ideal_wavefronts, mode->wavefronts, excess(mode),
            mode->ways, mode->banks, tma_decimal(mode->bytes_per_cycle, 2).text);
}

static void write_best(const struct cli_comparison *comparison, FILE *out) {
    if (comparison->best == NULL)
        fprintf(out, "\nbest: none, no mode is legal\n");
    else if (comparison->best->ways == 0)
        fprintf(out, "\nbest: %s, %" PRIu64 " cycles (no consumer reads the tiles)\n",
                comparison->best->swizzle, comparison->best->cycles);
    else
        fprintf(out, "\nbest: %s, %" PRIu64 " cycles, %" PRIu64 " excess wavefronts\n",
                comparison->best->swizzle, comparison->best->cycles, excess(comparison->best));
}

static void write_text(const struct cli_comparison *comparison, FILE *out) {
    bool heading = false;
    fprintf(out, "scenario  %s\nmachine   %s\n\n", comparison->scenario, comparison->machine);
    fprintf(out, "%-22s %10s %12s %12s %12s %5s %5s %11s\n", "swizzle", "cycles", "ideal",
            "wavefronts", "excess", "ways", "banks", "bytes/cycle");
    for (size_t i = 0; i < comparison->count; i++)
        if (comparison->modes[i].legal)
            write_row(&comparison->modes[i], out);
    for (size_t i = 0; i < comparison->count; i++) {
        if (comparison->modes[i].legal)
            continue;
        fprintf(out, "%s  %-22s %s\n", heading ? "" : "\nnot legal here:\n",
                comparison->modes[i].swizzle, comparison->modes[i].reason);
        heading = true;
    }
    write_best(comparison, out);
}

static void write_mode(struct tma_json *json, const struct cli_mode *mode) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "swizzle", mode->swizzle);
    tma_json_bool(json, "legal", mode->legal);
    if (mode->legal) {
        tma_json_unsigned(json, "cycles", mode->cycles);
        tma_json_unsigned(json, "ideal_wavefronts", mode->ideal_wavefronts);
        tma_json_unsigned(json, "wavefronts", mode->wavefronts);
        tma_json_unsigned(json, "excess_wavefronts", excess(mode));
        tma_json_unsigned(json, "worst_ways", mode->ways);
        tma_json_unsigned(json, "banks_used", mode->banks);
        tma_json_decimal(json, "bytes_per_cycle", mode->bytes_per_cycle, 3);
    } else {
        tma_json_string(json, "reason", mode->reason);
    }
    tma_json_end_object(json);
}

static void write_json(const struct cli_comparison *comparison, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "scenario", comparison->scenario);
    tma_json_string(&json, "machine", comparison->machine);
    tma_json_begin_array(&json, "modes");
    for (size_t i = 0; i < comparison->count; i++)
        write_mode(&json, &comparison->modes[i]);
    tma_json_end_array(&json);
    if (comparison->best != NULL)
        tma_json_string(&json, "best", comparison->best->swizzle);
    else
        tma_json_null(&json, "best");
    tma_json_end_object(&json);
}

void cli_comparison_write(const struct cli_comparison *comparison, enum cli_format format,
                          FILE *out) {
    (format == CLI_FORMAT_JSON ? write_json : write_text)(comparison, out);
}
