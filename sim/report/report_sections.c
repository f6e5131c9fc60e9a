#include "report/report_sections.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/labels.h"
#include "report/text_line.h"

void tma_partial_write_text(const struct tma_result *result, FILE *out) {
    tma_text_line(out, "partial",
                  "interrupted at cycle %" PRIu64 ": the figures are of the time until then",
                  result->cycles);
}

void tma_heading_write_text(const char *scenario, const struct tma_machine *machine,
                            uint32_t sm_clock_mhz, FILE *out) {
    fprintf(out, "%-20s", "scenario");
    tma_write_printable(scenario, out);
    fprintf(out, "\n%-20s", "machine");
    tma_write_printable(machine->name, out);
    fprintf(out, ", %" PRIu32 " SMs at %" PRIu32 " MHz%s\n", machine->sm_count, sm_clock_mhz,
            tma_timing_note(machine->validated, machine->edited));
}

void tma_machine_write_json(const struct tma_machine *machine, uint32_t sm_clock_mhz,
                            struct tma_json *json) {
    tma_json_begin_object(json, "machine");
    tma_json_string(json, "name", machine->name);
    tma_json_bool(json, "timing_validated", machine->validated);
    tma_json_bool(json, "timing_edited", machine->edited);
    tma_json_unsigned(json, "sm_count", machine->sm_count);
    tma_json_unsigned(json, "sm_clock_mhz", sm_clock_mhz);
    tma_json_end_object(json);
}

void tma_distribution_write_text(const char *label, const struct tma_distribution *distribution,
                                 const char *what, FILE *out) {
    tma_text_line(out, label,
                  "min %" PRIu64 ", median %" PRIu64 ", p95 %" PRIu64 ", max %" PRIu64
                  " cycles, over %" PRIu64 " %s",
                  distribution->min, distribution->median, distribution->p95, distribution->max,
                  distribution->count, what);
}

void tma_distribution_write_json(const char *key, const struct tma_distribution *distribution,
                                 struct tma_json *json) {
    tma_json_begin_object(json, key);
    tma_json_unsigned(json, "count", distribution->count);
    tma_json_unsigned(json, "min", distribution->min);
    tma_json_unsigned(json, "median", distribution->median);
    tma_json_unsigned(json, "p95", distribution->p95);
    tma_json_unsigned(json, "max", distribution->max);
    tma_json_end_object(json);
}

void tma_cause_write_text(struct tma_cause_share share, FILE *out) {
    fprintf(out, "  %-15s %3" PRIu32 ".%" PRIu32 "  %s\n", share.key, share.tenths / 10,
            share.tenths % 10, share.text);
}

void tma_cause_write_json(struct tma_cause_share share, const char *cycles_key,
                          struct tma_json *json) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "cause", share.key);
    tma_json_string(json, "text", share.text);
    tma_json_unsigned(json, cycles_key, share.cycles);
    tma_json_decimal(json, "percent", share.tenths / 10.0, 1);
    tma_json_end_object(json);
}
