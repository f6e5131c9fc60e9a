#include "report/findings_formats.h"
#include "report/json_writer.h"
#include "report/kernel_figures.h"
#include "report/provenance.h"
#include "report/report_sections.h"
#include "report/sampled.h"
#include "report/series_json.h"
#include "report/waves.h"

struct kernel_json {
    struct tma_json json;
    const struct tma_kernel_report_input *input;
    const struct tma_kernel *kernel;
    const struct tma_result *result;
    const struct tma_kernel_figures *figures;
};

/* Digits after the point. */
enum { FRACTION_DIGITS = 6, RATE_DIGITS = 3 };

static void write_kernel(struct kernel_json *report) {
    const struct tma_kernel *kernel = report->kernel;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "kernel");
    tma_json_unsigned(json, "ctas", kernel->cta_count);
    tma_json_unsigned(json, "ctas_per_cluster", tma_kernel_cluster_ctas(kernel));
    tma_json_unsigned(json, "ctas_per_sm", report->result->ctas_per_sm);
    tma_json_unsigned(json, "sms", report->figures->sms);
    tma_json_unsigned(json, "threads", report->figures->threads);
    tma_json_unsigned(json, "registers", kernel->registers);
    tma_json_unsigned(json, "shared_bytes", kernel->shared_bytes);
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
    for (uint32_t i = 0; i < kernel->map_count; i++) {
        const struct tma_tensor_map *map = &kernel->maps[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "name", report->input->map_names[i]);
        tma_json_string(json, "data_type", tma_name_of(&tma_data_type_names, (int)map->data_type));
        tma_json_string(json, "swizzle", tma_name_of(&tma_swizzle_names, (int)map->swizzle));
        tma_json_string(json, "l2_promotion",
                        tma_name_of(&tma_l2_promotion_names, (int)map->l2_promotion));
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_rates(struct kernel_json *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_kernel_figures *figures = report->figures;
    struct tma_json *json = &report->json;
    tma_json_unsigned(json, "cycles", report->result->cycles);
    tma_launches_write_json(report->input->findings.draws, json);
    tma_json_unsigned(json, "memory_cycles", figures->memory.cycles);
    tma_json_decimal(json, "time_ns", figures->time_ns, RATE_DIGITS);
    tma_distribution_write_json("cta_cycles", &report->result->cta_cycles, json);
    tma_waves_write_json(report->result, report->result->ctas_per_sm, json);
    tma_json_begin_object(json, "bytes");
    tma_json_unsigned(json, "moved", figures->moved_bytes);
    tma_json_unsigned(json, "loaded", counters->bytes);
    tma_json_unsigned(json, "from_tensor", counters->tensor_bytes);
    tma_json_unsigned(json, "multicast_copies", counters->copied_bytes);
    tma_json_unsigned(json, "stored", counters->stored_bytes);
    tma_json_unsigned(json, "reduced", counters->reduced_bytes);
    tma_json_unsigned(json, "prefetched", counters->prefetched_bytes);
    tma_json_end_object(json);
    tma_json_begin_object(json, "rate");
    tma_json_decimal(json, "gigabytes_per_second", figures->gigabytes_per_second, RATE_DIGITS);
    tma_json_decimal(json, "bytes_per_cycle_per_sm", figures->bytes_per_cycle_per_sm, RATE_DIGITS);
    tma_json_decimal(json, "teraflops", figures->teraflops, RATE_DIGITS);
    tma_json_end_object(json);
    tma_limits_write_json(figures->limits, json);
    tma_distribution_write_json("latency_cycles", &report->result->latency_cycles, json);
}

static void write_memory(struct kernel_json *report) {
    const struct tma_counters *counters = &report->result->counters;
    struct tma_json *json = &report->json;
    tma_json_begin_object(json, "tma");
    tma_json_unsigned(json, "operations", counters->operations - counters->lane_operations);
    tma_json_unsigned(json, "rows", counters->rows);
    tma_json_unsigned(json, "rows_out_of_bounds", counters->rows_out_of_bounds);
    tma_map_fetches_write_json(counters, json);
    tma_json_end_object(json);
    tma_accesses_write_json(counters, json);
    tma_json_begin_object(json, "l2");
    tma_json_unsigned(json, "requests", counters->l2_requests);
    tma_l2_members_write_json(counters, &report->figures->memory, json);
    tma_json_end_object(json);
    tma_dram_write_json(counters, &report->figures->memory, json);
}

static void write_roles(struct kernel_json *report) {
    struct tma_json *json = &report->json;
    tma_json_begin_array(json, "roles");
    for (uint32_t r = 0; r < report->kernel->role_count; r++) {
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "name", report->kernel->roles[r].name);
        tma_json_unsigned(json, "warps", report->kernel->roles[r].warps);
        tma_json_unsigned(json, "cycles", report->figures->role_cycles[r]);
        tma_json_begin_array(json, "time");
        for (int c = 0; c < TMA_ROLE_CAUSE_COUNT; c++) {
            tma_cause_write_json(
                tma_role_share(report->result, report->figures, r, (enum tma_role_cause)c),
                "cycles", json);
        }
        tma_json_end_array(json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

void tma_kernel_report_json(const struct tma_kernel_report_input *input, FILE *out) {
    struct tma_kernel_figures figures = tma_kernel_figures_of(input);
    struct kernel_json report = {{.out = out}, input, input->kernel, input->result, &figures};
    struct tma_json *json = &report.json;
    tma_json_begin_object(json, NULL);
    tma_provenance_json(input->digests, json);
    if (input->partial)
        tma_json_bool(json, "partial", true);
    tma_sampled_write_json(input->result, json);
    tma_json_string(json, "scenario", input->scenario);
    tma_machine_write_json(input->machine, figures.sm_clock_mhz, json);
    tma_clock_write_json(&figures.clock, json);
    write_kernel(&report);
    write_rates(&report);
    write_memory(&report);
    write_roles(&report);
    tma_json_begin_object(json, "busy");
    for (int i = 0; i < TMA_KERNEL_RESOURCE_COUNT; i++)
        tma_json_decimal(json, tma_kernel_resource_key((enum tma_kernel_resource)i),
                         figures.busy[i], FRACTION_DIGITS);
    tma_json_end_object(json);
    tma_json_begin_object(json, "beside_products");
    tma_json_decimal(json, "fma", input->result->overlap_fma, FRACTION_DIGITS);
    tma_json_decimal(json, "alu", input->result->overlap_alu, FRACTION_DIGITS);
    tma_json_decimal(json, "sfu", input->result->overlap_sfu, FRACTION_DIGITS);
    tma_json_end_object(json);
    tma_findings_write_json(&input->findings, input->result->statements == 0, json);
    tma_series_json(input->series, json);
    tma_json_end_object(json);
}
