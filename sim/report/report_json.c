#include "report/figures.h"
#include "report/findings_formats.h"
#include "report/json_writer.h"
#include "report/provenance.h"
#include "report/report_formats.h"
#include "report/report_sections.h"
#include "report/sampled.h"
#include "report/series_json.h"
#include "report/waves.h"

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

static void write_map(struct json_report *report, uint32_t index) {
    const struct tma_tensor_map *map = &report->input->workload->maps[index];
    const struct tma_map_array *array = &report->input->workload->arrays[index];
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", report->input->map_names[index]);
    tma_json_string(json, "data_type", tma_name_of(&tma_data_type_names, (int)map->data_type));
    tma_json_string(json, "interleave", tma_name_of(&tma_interleave_names, (int)map->interleave));
    tma_json_string(json, "swizzle", tma_name_of(&tma_swizzle_names, (int)map->swizzle));
    tma_json_string(json, "l2_promotion",
                    tma_name_of(&tma_l2_promotion_names, (int)map->l2_promotion));
    tma_json_string(json, "oob_fill", tma_name_of(&tma_oob_fill_names, (int)map->oob_fill));
    tma_json_unsigned(json, "count", tma_array_maps(array));
    tma_json_string(json, "descriptor", array->global ? "global" : "parameter");
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
    tma_json_unsigned(json, "depth", workload->depth);
    tma_json_unsigned(json, "stage_bytes", workload->stage_bytes);
    tma_json_string(json, "l2_state", workload->cold ? "cold" : "warm");
    tma_json_begin_array(json, "tensor_maps");
    for (uint32_t i = 0; i < workload->map_count; i++)
        write_map(report, i);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_rates(struct json_report *report) {
    const struct tma_figures *figures = report->figures;
    struct tma_json *json = &report->json;
    tma_json_unsigned(json, "cycles", report->result->cycles);
    tma_launches_write_json(report->input->findings.draws, json);
    tma_json_unsigned(json, "memory_cycles", figures->memory.cycles);
    rate(report, "time_ns", figures->time_ns);
    tma_distribution_write_json("cta_cycles", &report->result->cta_cycles, json);
    tma_waves_write_json(report->result, 1, &report->json);
    tma_json_begin_object(json, "bytes");
    tma_json_unsigned(json, "moved", figures->moved_bytes);
    tma_json_unsigned(json, "loaded", report->result->counters.bytes);
    tma_json_unsigned(json, "from_tensor", report->result->counters.tensor_bytes);
    tma_json_unsigned(json, "out_of_bounds_fill", figures->fill_bytes);
    tma_json_unsigned(json, "multicast_copies", report->result->counters.copied_bytes);
    tma_json_unsigned(json, "stored", report->result->counters.stored_bytes);
    tma_json_unsigned(json, "reduced", report->result->counters.reduced_bytes);
    tma_json_unsigned(json, "prefetched", report->result->counters.prefetched_bytes);
    tma_json_end_object(json);
    tma_json_begin_object(json, "rate");
    rate(report, "gigabytes_per_second", figures->gigabytes_per_second);
    rate(report, "bytes_per_cycle", figures->bytes_per_cycle);
    rate(report, "bytes_per_cycle_per_sm", figures->bytes_per_cycle_per_sm);
    tma_json_end_object(json);
    tma_limits_write_json(figures->limits, json);
    tma_distribution_write_json("latency_cycles", &report->result->latency_cycles, json);
}

static void write_tma(struct json_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "tma");
    tma_json_unsigned(json, "operations", counters->operations);
    tma_json_unsigned(json, "rows", counters->rows);
    tma_json_unsigned(json, "rows_out_of_bounds", counters->rows_out_of_bounds);
    rate(report, "mean_row_bytes", report->figures->row_bytes);
    tma_json_unsigned(json, "l2_requests", counters->l2_requests);
    tma_map_fetches_write_json(counters, json);
    tma_json_end_object(json);
}

static void write_l2_and_dram(struct json_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_memory_figures *figures = &report->figures->memory;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "l2");
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
    tma_json_unsigned(json, "wavefronts", tile->worst.wavefronts);
    tma_json_unsigned(json, "ideal_wavefronts", tile->worst.ideal_wavefronts);
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
    tma_json_unsigned(json, "instructions", total->instructions);
    tma_json_unsigned(json, "wavefronts", total->wavefronts);
    tma_json_unsigned(json, "ideal_wavefronts", total->ideal_wavefronts);
    tma_json_bits(json, "banks_used", total->tile.banks_used);
    write_worst_access(json, &total->tile);
    tma_json_end_object(json);
}

static void write_shared_memory(struct json_report *report) {
    const struct tma_figures *figures = report->figures;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "shared_memory");
    tma_json_unsigned(json, "write_wavefronts", report->result->counters.shared_write_wavefronts);
    tma_json_unsigned(json, "ideal_wavefronts", figures->ideal_wavefronts);
    tma_json_unsigned(json, "wavefronts", figures->wavefronts);
    tma_json_unsigned(json, "excess_wavefronts", figures->excess_wavefronts);
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

static void write_causes(struct json_report *report) {
    struct tma_json *json = &report->json;
    tma_json_unsigned(json, "slot_cycles", report->result->slot_cycles);
    tma_json_begin_array(json, "time");
    for (int i = 0; i < TMA_CAUSE_COUNT; i++) {
        tma_cause_write_json(tma_slot_share(report->result, report->figures, (enum tma_cause)i),
                             "slot_cycles", json);
    }
    tma_json_end_array(json);
}

static void write_busy(struct json_report *report) {
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "busy");
    for (int i = 0; i < TMA_RESOURCE_COUNT; i++)
        fraction(report, tma_resource_key((enum tma_resource)i), report->figures->busy[i]);
    tma_json_end_object(json);
}

void tma_report_write_json(const struct tma_report_input *input, FILE *out) {
    struct tma_figures figures = tma_figures_of(input);
    struct json_report report = {{.out = out}, input, input->result, &figures};
    tma_json_begin_object(&report.json, NULL);
    if (input->partial)
        tma_json_bool(&report.json, "partial", true);
    tma_sampled_write_json(input->result, &report.json);
    tma_provenance_json(input->digests, &report.json);
    tma_json_string(&report.json, "scenario", input->scenario);
    tma_machine_write_json(input->machine, input->machine->sm_clock_mhz, &report.json);
    write_workload(&report);
    write_rates(&report);
    write_tma(&report);
    write_l2_and_dram(&report);
    write_shared_memory(&report);
    write_causes(&report);
    write_busy(&report);
    tma_findings_write_json(&input->findings, input->result->counters.operations == 0,
                            &report.json);
    tma_series_json(input->series, &report.json);
    tma_json_end_object(&report.json);
}
