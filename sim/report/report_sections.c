#include "report/report_sections.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/labels.h"
#include "report/text_line.h"

/* Digits after the point. */
enum { FRACTION_DIGITS = 6, RATE_DIGITS = 3 };

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
            tma_timing_note(&machine->trust));
}

void tma_machine_write_json(const struct tma_machine *machine, uint32_t sm_clock_mhz,
                            struct tma_json *json) {
    tma_json_begin_object(json, "machine");
    tma_json_string(json, "name", machine->name);
    tma_json_bool(json, "timing_validated", machine->trust.validated);
    tma_json_bool(json, "timing_edited", machine->trust.edited);
    if (machine->trust.public_data)
        tma_json_string(json, "timing", "public data");
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

void tma_cta_times_write_text(const struct tma_result *result,
                              const struct tma_memory_figures *memory, FILE *out) {
    if (memory->cycles > result->cycles)
        tma_text_line(out, "L2 and DRAM",
                      "done after %" PRIu64 " cycles, with what the CTAs do not wait for",
                      memory->cycles);
    tma_distribution_write_text("each CTA", &result->cta_cycles, "CTAs", out);
}

void tma_distribution_write_json(const char *key, const struct tma_distribution *distribution,
                                 struct tma_json *json) {
    tma_json_begin_object(json, key);
    TMA_JSON_COUNTS(json, distribution, count, min, median, p95);
    tma_json_unsigned(json, "max", distribution->max);
    tma_json_end_object(json);
}

void tma_limits_write_text(const struct tma_limit_figure limits[TMA_LIMIT_COUNT], FILE *out) {
    const char *label = "limits";
    for (int i = 0; i < TMA_LIMIT_COUNT; i++) {
        const struct tma_limit_figure *limit = &limits[i];
        if (limit->is_unused)
            continue;
        if (limit->servers > 0)
            tma_text_line(out, label, "%s: %s of %" PRIu32 " requests on their way, %s (%s %%)",
                          limit->text, tma_decimal(limit->used * limit->servers, 1).text,
                          limit->servers, limit->mean, tma_percent(limit->used).text);
        else if (limit->bytes_per_cycle_per_sm > 0)
            tma_text_line(out, label, "%s: %s of %s bytes/cycle/SM (%s %%)", limit->text,
                          tma_decimal(limit->used_bytes_per_cycle_per_sm, 2).text,
                          tma_decimal(limit->bytes_per_cycle_per_sm, 2).text,
                          tma_percent(limit->used).text);
        else if (limit->is_time)
            tma_text_line(out, label, "%s: busy for %s of %s cycles, %s (%s %%)", limit->text,
                          tma_decimal(limit->busy_cycles, 0).text,
                          tma_decimal(limit->cycles, 0).text, limit->mean,
                          tma_percent(limit->used).text);
        else
            continue;
        label = NULL;
    }
}

/* Null where the figure is not known. */
static void optional(struct tma_json *json, const char *key, double value, unsigned digits,
                     bool is_known) {
    if (is_known)
        tma_json_decimal(json, key, value, digits);
    else
        tma_json_null(json, key);
}

void tma_limits_write_json(const struct tma_limit_figure limits[TMA_LIMIT_COUNT],
                           struct tma_json *json) {
    tma_json_begin_object(json, "limits");
    for (int i = 0; i < TMA_LIMIT_COUNT; i++) {
        const struct tma_limit_figure *limit = &limits[i];
        bool is_rate = limit->bytes_per_cycle_per_sm > 0, is_time = limit->is_time;
        if (limit->is_unused)
            continue;
        tma_json_begin_object(json, limit->key);
        optional(json, "bytes_per_cycle_per_sm", limit->bytes_per_cycle_per_sm, RATE_DIGITS,
                 is_rate);
        optional(json, "used_bytes_per_cycle_per_sm", limit->used_bytes_per_cycle_per_sm,
                 RATE_DIGITS, is_rate);
        optional(json, "busy_cycles", limit->busy_cycles, RATE_DIGITS, is_time);
        optional(json, "of_cycles", limit->cycles, RATE_DIGITS, is_time);
        optional(json, "used", limit->used, FRACTION_DIGITS, is_rate || is_time);
        tma_json_end_object(json);
    }
    tma_json_end_object(json);
}

void tma_operations_write_text(const struct tma_counters *counters, FILE *out) {
    tma_text_line(out, "TMA",
                  "%" PRIu64 " operations, %" PRIu64 " rows (%" PRIu64 " out of bounds)",
                  counters->operations - counters->lane_operations, counters->rows,
                  counters->rows_out_of_bounds);
    tma_text_line(out, NULL,
                  "%" PRIu64 " tensor-map fetches by SMs: %" PRIu64
                  " from the cache of the GPC, %" PRIu64 " from L2, %" PRIu64 " from DRAM; %" PRIu64
                  " cycles of waiting",
                  counters->descriptor_fetches,
                  counters->descriptor_fetches - counters->descriptor_l2_fetches,
                  counters->descriptor_l2_fetches - counters->descriptor_dram_fetches,
                  counters->descriptor_dram_fetches, counters->descriptor_cycles);
}

/* A part of a whole; 0 of nothing. */
static double part_of(uint64_t part, uint64_t whole) {
    return whole == 0 ? 0 : (double)part / (double)whole;
}

void tma_accesses_write_text(const struct tma_counters *counters, FILE *out) {
    uint64_t touched = counters->access_sectors * TMA_SECTOR_BYTES;
    uint64_t unused = touched > counters->access_bytes ? touched - counters->access_bytes : 0;
    if (counters->dsmem_bytes > 0)
        tma_text_line(out, "DSMEM",
                      "%" PRIu64 " accesses of warps to shared memory of other CTAs; with copies "
                      "%" PRIu64 " bytes, %" PRIu64 " flits between SMs",
                      counters->dsmem_accesses, counters->dsmem_bytes, counters->dsmem_flits);
    if (counters->accesses == 0)
        return;
    tma_text_line(out, "L1",
                  "%" PRIu64 " accesses of warps to %" PRIu64
                  " sectors: %s an access, %s %% of the bytes "
                  "not used (over-fetch)",
                  counters->accesses, counters->access_sectors,
                  tma_decimal(part_of(counters->access_sectors, counters->accesses), 1).text,
                  tma_percent(part_of(unused, touched)).text);
    tma_text_line(out, NULL, "%" PRIu64 " sectors loaded: %" PRIu64 " hits in L1 (%s %%)",
                  counters->l1_sectors, counters->l1_hit_sectors,
                  tma_percent(part_of(counters->l1_hit_sectors, counters->l1_sectors)).text);
    if (counters->access_repeats > 0)
        tma_text_line(out, NULL,
                      "%" PRIu64 " further rounds of atomics, for lanes with the same address",
                      counters->access_repeats);
}

void tma_accesses_write_json(const struct tma_counters *counters, struct tma_json *json) {
    if (counters->dsmem_bytes > 0) {
        tma_json_begin_object(json, "dsmem");
        tma_json_unsigned(json, "accesses", counters->dsmem_accesses);
        tma_json_unsigned(json, "bytes", counters->dsmem_bytes);
        tma_json_unsigned(json, "flits", counters->dsmem_flits);
        tma_json_end_object(json);
    }
    if (counters->accesses == 0)
        return;
    tma_json_begin_object(json, "l1");
    TMA_JSON_COUNTS(json, counters, accesses, access_sectors, access_bytes);
    tma_json_unsigned(json, "load_sectors", counters->l1_sectors);
    tma_json_unsigned(json, "hit_sectors", counters->l1_hit_sectors);
    tma_json_unsigned(json, "atomic_repeats", counters->access_repeats);
    tma_json_end_object(json);
}

void tma_map_fetches_write_json(const struct tma_counters *counters, struct tma_json *json) {
    TMA_JSON_COUNTS(json, counters, descriptor_fetches, descriptor_l2_fetches,
                    descriptor_dram_fetches);
    tma_json_unsigned(json, "descriptor_wait_cycles", counters->descriptor_cycles);
}

static void write_fills(const struct tma_counters *counters,
                        const struct tma_memory_figures *figures, FILE *out) {
    tma_text_line(out, NULL,
                  "%" PRIu64 " fills from DRAM, of %" PRIu64 " sectors: %" PRIu64
                  " (%s %%) never used (over-fetch)",
                  counters->l2_fills, counters->l2_fill_sectors, counters->l2_fill_unused_sectors,
                  tma_percent(figures->l2_over_fetch_fraction).text);
    tma_text_line(
        out, NULL, "%" PRIu64 " evictions%s", counters->l2_evictions,
        counters->l2_evictions == 0
            ? ""
            : " of lines: filled, written, or copied from the other partition, also by the "
              "launch before");
}

void tma_traffic_write_text(const struct tma_counters *counters,
                            const struct tma_memory_figures *figures, FILE *out) {
    write_fills(counters, figures, out);
    tma_text_line(out, "DRAM", "%" PRIu64 " sectors read, %" PRIu64 " written, %s GB/s",
                  counters->dram_read_sectors, counters->dram_write_sectors,
                  tma_decimal(figures->dram_gigabytes_per_second, 1).text);
}

void tma_l2_members_write_json(const struct tma_counters *counters,
                               const struct tma_memory_figures *figures, struct tma_json *json) {
    tma_json_unsigned(json, "sectors", counters->l2_sectors);
    tma_json_unsigned(json, "sector_hits", counters->l2_sector_hits);
    tma_json_unsigned(json, "sector_misses", counters->l2_sector_misses);
    tma_json_decimal(json, "hit_fraction", figures->l2_hit_fraction, FRACTION_DIGITS);
    tma_json_unsigned(json, "fills", counters->l2_fills);
    tma_json_unsigned(json, "fill_sectors", counters->l2_fill_sectors);
    tma_json_unsigned(json, "fill_bytes", figures->l2_fill_bytes);
    tma_json_unsigned(json, "unused_fill_sectors", counters->l2_fill_unused_sectors);
    tma_json_unsigned(json, "unused_fill_bytes", figures->l2_fill_unused_bytes);
    tma_json_decimal(json, "over_fetch_fraction", figures->l2_over_fetch_fraction, FRACTION_DIGITS);
    tma_json_unsigned(json, "evictions", counters->l2_evictions);
}

void tma_dram_write_json(const struct tma_counters *counters,
                         const struct tma_memory_figures *figures, struct tma_json *json) {
    tma_json_begin_object(json, "dram");
    tma_json_unsigned(json, "read_sectors", counters->dram_read_sectors);
    tma_json_unsigned(json, "write_sectors", counters->dram_write_sectors);
    tma_json_unsigned(json, "read_bytes", figures->dram_read_bytes);
    tma_json_unsigned(json, "write_bytes", figures->dram_write_bytes);
    tma_json_decimal(json, "gigabytes_per_second", figures->dram_gigabytes_per_second, RATE_DIGITS);
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
