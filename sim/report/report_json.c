#include "base/digest.h"
#include "base/version.h"
#include "engine/observe/series.h"
#include "report/figures.h"
#include "report/findings_formats.h"
#include "report/json_writer.h"
#include "report/report_sections.h"
#include "report/sampled.h"
#include "report/waves.h"

/* The servers, the latencies and the time series of a run as elements of a report. */

enum { TICKS_PER_CYCLE = 1024, TICK_DIGITS = 3 };

static void write_servers(const struct tma_series *series, struct tma_json *json) {
    tma_json_begin_object(json, "servers");
    for (int i = 0; i < TMA_SERVER_COUNT; i++) {
        enum tma_server kind = (enum tma_server)i;
        tma_json_begin_object(json, tma_server_key(kind));
        tma_json_string(json, "text", tma_server_text(kind));
        tma_json_begin_list(json, "busy_cycles");
        for (uint32_t number = 0; number < series->servers[kind]; number++)
            tma_json_decimal(json, NULL,
                             (double)tma_series_total_busy_ticks(series, kind, number) /
                                 TICKS_PER_CYCLE,
                             TICK_DIGITS);
        tma_json_end_array(json);
        tma_json_end_object(json);
    }
    tma_json_end_object(json);
}

static void write_latencies(const struct tma_latency_bars *bars, struct tma_json *json) {
    tma_json_begin_object(json, "latency_histogram");
    TMA_JSON_COUNTS(json, bars, first_cycle, bar_cycles);
    tma_json_begin_list(json, "operations");
    for (uint32_t i = 0; i < bars->count; i++)
        tma_json_unsigned(json, NULL, bars->operations[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_windows(const struct tma_series *series, struct tma_json *json) {
    tma_json_begin_object(json, "series");
    TMA_JSON_COUNTS(json, series, window_cycles, windows);
    for (int i = 0; i < TMA_SERIES_FIGURE_COUNT; i++) {
        enum tma_series_figure figure = (enum tma_series_figure)i;
        tma_json_begin_list(json, tma_series_key(figure));
        for (uint32_t window = 0; window < series->windows; window++)
            tma_json_unsigned(json, NULL, tma_series_figure(series, window, figure));
        tma_json_end_array(json);
    }
    tma_json_end_object(json);
}

/* Writes the elements "servers", "latency_histogram" and "series"; nothing if `series` is NULL. */
static void series_json(const struct tma_series *series, struct tma_json *json) {
    if (series == NULL)
        return;
    write_servers(series, json);
    write_latencies(&series->latencies, json);
    write_windows(series, json);
}

/* What wrote a report, and what it is of. */

/* Writes the elements "tmasim", the version, and "digest", unless `digests` is NULL. */
static void provenance_json(const struct tma_digests *digests, struct tma_json *json) {
    char text[TMA_DIGEST_TEXT_BYTES];
    tma_json_string(json, "tmasim", TMA_VERSION);
    if (digests == NULL)
        return;
    tma_json_begin_line(json, "digest");
    tma_digest_text(digests->machine, text);
    tma_json_string(json, "machine", text);
    tma_digest_text(digests->scenario, text);
    tma_json_string(json, "scenario", text);
    tma_json_end_object(json);
}

struct json_report {
    struct tma_json json;
    const struct tma_report_input *input;
    const struct tma_result *result;
    const struct tma_figures *figures;
};

/* Digits after the point. */
enum { FRACTION_DIGITS = 6, RATE_DIGITS = 3 };

static void fraction(struct json_report *report, const char *key, double value) {
    tma_json_decimal(&report->json, key, value, FRACTION_DIGITS);
}

static void rate(struct json_report *report, const char *key, double value) {
    tma_json_decimal(&report->json, key, value, RATE_DIGITS);
}

/* `array` is NULL of a kernel with roles, which says less of its maps. */
static void write_map(struct tma_json *json, const char *name, const struct tma_tensor_map *map,
                      const struct tma_map_array *array) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", name);
    tma_json_string(json, "data_type", tma_name_of(&tma_data_type_names, (int)map->data_type));
    if (array != NULL)
        tma_json_string(json, "interleave",
                        tma_name_of(&tma_interleave_names, (int)map->interleave));
    tma_json_string(json, "swizzle", tma_name_of(&tma_swizzle_names, (int)map->swizzle));
    tma_json_string(json, "l2_promotion",
                    tma_name_of(&tma_l2_promotion_names, (int)map->l2_promotion));
    if (array != NULL) {
        tma_json_string(json, "oob_fill", tma_name_of(&tma_oob_fill_names, (int)map->oob_fill));
        tma_json_unsigned(json, "count", tma_array_maps(array));
        tma_json_string(json, "descriptor", array->global ? "global" : "parameter");
    }
    tma_json_end_object(json);
}

static void write_workload(struct json_report *report) {
    const struct tma_workload *workload = report->input->workload;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "workload");
    tma_json_unsigned(json, "ctas", workload->cta_count);
    tma_json_unsigned(json, "ctas_per_cluster", tma_cluster_ctas(workload));
    tma_json_unsigned(json, "sms", report->figures->sms);
    tma_json_unsigned(json, "stages_per_cta", workload->iterations);
    TMA_JSON_COUNTS(json, workload, depth, stage_bytes);
    tma_json_string(json, "l2_state", workload->cold ? "cold" : "warm");
    tma_json_begin_array(json, "tensor_maps");
    for (uint32_t i = 0; i < workload->map_count; i++)
        write_map(json, report->input->map_names[i], &workload->maps[i], &workload->arrays[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_kernel(struct json_report *report) {
    const struct tma_kernel *kernel = report->input->kernel;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "kernel");
    tma_json_unsigned(json, "ctas", kernel->cta_count);
    tma_json_unsigned(json, "ctas_per_cluster", tma_kernel_cluster_ctas(kernel));
    tma_json_unsigned(json, "ctas_per_sm", report->result->ctas_per_sm);
    TMA_JSON_COUNTS(json, report->figures, sms, threads);
    TMA_JSON_COUNTS(json, kernel, registers, shared_bytes);
    tma_json_string(json, "l2_state", kernel->cold ? "cold" : "warm");
    tma_json_begin_array(json, "rings");
    for (uint32_t i = 0; i < kernel->ring_count; i++) {
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "name", kernel->rings[i].name);
        tma_json_unsigned(json, "stages", kernel->rings[i].depth);
        tma_json_unsigned(json, "stage_bytes", kernel->rings[i].stage_bytes);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    tma_json_begin_array(json, "tensor_maps");
    for (uint32_t i = 0; i < kernel->map_count; i++)
        write_map(json, report->input->map_names[i], &kernel->maps[i], NULL);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_rates(struct json_report *report) {
    const struct tma_figures *figures = report->figures;
    const struct tma_result *result = report->result;
    const struct tma_counters *counters = &result->counters;
    bool has_roles = report->input->kernel != NULL;
    struct tma_json *json = &report->json;
    tma_json_unsigned(json, "cycles", result->cycles);
    tma_launches_write_json(report->input->findings.draws, json);
    tma_json_unsigned(json, "memory_cycles", figures->memory.cycles);
    rate(report, "time_ns", figures->time_ns);
    tma_distribution_write_json("cta_cycles", &result->cta_cycles, json);
    tma_waves_write_json(result, has_roles ? result->ctas_per_sm : 1, json);
    tma_json_begin_object(json, "bytes");
    tma_json_unsigned(json, "moved", figures->moved_bytes);
    tma_json_unsigned(json, "loaded", counters->bytes);
    tma_json_unsigned(json, "from_tensor", counters->tensor_bytes);
    if (!has_roles)
        tma_json_unsigned(json, "out_of_bounds_fill", figures->fill_bytes);
    tma_json_unsigned(json, "multicast_copies", counters->copied_bytes);
    tma_json_unsigned(json, "stored", counters->stored_bytes);
    tma_json_unsigned(json, "reduced", counters->reduced_bytes);
    tma_json_unsigned(json, "prefetched", counters->prefetched_bytes);
    tma_json_end_object(json);
    tma_json_begin_object(json, "rate");
    rate(report, "gigabytes_per_second", figures->gigabytes_per_second);
    if (!has_roles)
        rate(report, "bytes_per_cycle", figures->bytes_per_cycle);
    rate(report, "bytes_per_cycle_per_sm", figures->bytes_per_cycle_per_sm);
    if (has_roles)
        rate(report, "teraflops", figures->teraflops);
    tma_json_end_object(json);
    tma_limits_write_json(figures->limits, json);
    tma_distribution_write_json("latency_cycles", &result->latency_cycles, json);
}

static void write_memory(struct json_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_memory_figures *figures = &report->figures->memory;
    bool has_roles = report->input->kernel != NULL;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "tma");
    tma_json_unsigned(json, "operations", counters->operations - counters->lane_operations);
    TMA_JSON_COUNTS(json, counters, rows, rows_out_of_bounds);
    if (!has_roles) {
        rate(report, "mean_row_bytes", report->figures->row_bytes);
        tma_json_unsigned(json, "l2_requests", counters->l2_requests);
    }
    tma_map_fetches_write_json(counters, json);
    tma_json_end_object(json);
    tma_accesses_write_json(counters, json);
    tma_json_begin_object(json, "l2");
    if (has_roles)
        tma_json_unsigned(json, "requests", counters->l2_requests);
    tma_l2_members_write_json(counters, figures, json);
    tma_json_end_object(json);
    tma_dram_write_json(counters, figures, json);
}

/* One address for each lane; null for an inactive lane. */
static void write_addresses(struct tma_json *json, const struct tma_warp_access *access) {
    tma_json_begin_list(json, "addresses");
    for (unsigned lane = 0; lane < TMA_WARP_LANES; lane++)
        if ((access->lane_mask >> lane & 1) != 0)
            tma_json_unsigned(json, NULL, access->address[lane]);
        else
            tma_json_null(json, NULL);
    tma_json_end_array(json);
}

static void write_worst_access(struct tma_json *json, const struct tma_consumer_report *tile) {
    if (tile->worst.ways <= 1) {
        tma_json_null(json, "worst_access");
        return;
    }
    tma_json_begin_object(json, "worst_access");
    tma_json_string(
        json, "instruction",
        tma_name_of(&tma_shared_instruction_names, (int)tile->worst_access.instruction));
    tma_json_unsigned(json, "ways", tile->worst.ways);
    tma_json_unsigned(json, "bank", tile->worst.worst_bank);
    tma_json_unsigned(json, "phase", tile->worst.worst_phase);
    tma_json_bits(json, "lanes", tile->worst.worst_lanes);
    write_addresses(json, &tile->worst_access);
    TMA_JSON_COUNTS(json, &tile->worst, wavefronts, ideal_wavefronts);
    tma_json_end_object(json);
}

static void write_consumer(struct json_report *report, uint32_t index) {
    const struct tma_consumer *consumer = &report->input->workload->consumers[index];
    const struct tma_consumer_total *total = &report->result->consumers[index];
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "instruction",
                    tma_name_of(&tma_shared_instruction_names, (int)consumer->instruction));
    tma_json_string(json, "lanes", tma_name_of(&tma_lane_map_names, (int)consumer->lanes));
    tma_json_unsigned(json, "operation", consumer->operation);
    TMA_JSON_COUNTS(json, total, instructions, wavefronts, ideal_wavefronts);
    tma_json_bits(json, "banks_used", total->tile.banks_used);
    write_worst_access(json, &total->tile);
    tma_json_end_object(json);
}

static void write_shared_memory(struct json_report *report) {
    const struct tma_figures *figures = report->figures;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "shared_memory");
    tma_json_unsigned(json, "write_wavefronts", report->result->counters.shared_write_wavefronts);
    TMA_JSON_COUNTS(json, figures, ideal_wavefronts, wavefronts, excess_wavefronts);
    fraction(report, "excess_fraction", figures->excess_fraction);
    if (figures->worst_consumer < 0)
        tma_json_null(json, "worst_consumer");
    else
        tma_json_unsigned(json, "worst_consumer", (uint64_t)figures->worst_consumer);
    tma_json_begin_array(json, "consumers");
    for (uint32_t i = 0; i < report->input->workload->consumer_count; i++)
        write_consumer(report, i);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_slots(struct json_report *report) {
    struct tma_json *json = &report->json;
    tma_json_unsigned(json, "slot_cycles", report->result->slot_cycles);
    tma_json_begin_array(json, "time");
    for (int i = 0; i < TMA_CAUSE_COUNT; i++)
        tma_cause_write_json(tma_slot_share(report->result, report->figures, (enum tma_cause)i),
                             "slot_cycles", json);
    tma_json_end_array(json);
}

static void write_roles(struct json_report *report) {
    const struct tma_kernel *kernel = report->input->kernel;
    struct tma_json *json = &report->json;
    tma_json_begin_array(json, "roles");
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "name", kernel->roles[r].name);
        tma_json_unsigned(json, "warps", kernel->roles[r].warps);
        tma_json_unsigned(json, "cycles", report->figures->role_cycles[r]);
        tma_json_begin_array(json, "time");
        for (int c = 0; c < TMA_ROLE_CAUSE_COUNT; c++)
            tma_cause_write_json(
                tma_role_share(report->result, report->figures, r, (enum tma_role_cause)c),
                "cycles", json);
        tma_json_end_array(json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

static void write_busy(struct json_report *report) {
    const struct tma_result *result = report->result;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "busy");
    for (size_t i = 0; i < report->figures->busy_count; i++)
        fraction(report, report->figures->busy[i].key, report->figures->busy[i].fraction);
    tma_json_end_object(json);
    if (report->input->kernel == NULL)
        return;
    tma_json_begin_object(json, "beside_products");
    fraction(report, "fma", result->overlap_fma);
    fraction(report, "alu", result->overlap_alu);
    fraction(report, "sfu", result->overlap_sfu);
    tma_json_end_object(json);
}

void tma_report_write_json(const struct tma_report_input *input, FILE *out) {
    const struct tma_figures figures = tma_figures_of(input);
    struct json_report report = {{.out = out}, input, input->result, &figures};
    struct tma_json *json = &report.json;
    bool has_roles = input->kernel != NULL;
    tma_json_begin_object(json, NULL);
    provenance_json(input->digests, json);
    if (input->partial)
        tma_json_bool(json, "partial", true);
    tma_sampled_write_json(input->result, json);
    tma_json_string(json, "scenario", input->scenario);
    tma_machine_write_json(input->machine, figures.sm_clock_mhz, json);
    if (has_roles)
        tma_clock_write_json(&figures.clock, json);
    (has_roles ? write_kernel : write_workload)(&report);
    write_rates(&report);
    write_memory(&report);
    if (!has_roles)
        write_shared_memory(&report);
    (has_roles ? write_roles : write_slots)(&report);
    write_busy(&report);
    tma_findings_write_json(&input->findings, figures.idle, json);
    series_json(input->series, json);
    tma_json_end_object(json);
}
