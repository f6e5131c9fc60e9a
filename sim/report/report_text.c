#include <inttypes.h>

#include "report/decimal.h"
#include "report/figures.h"
#include "report/first_screen.h"
#include "report/labels.h"
#include "report/report_formats.h"
#include "report/report_sections.h"
#include "report/text_line.h"
#include "report/waves.h"

struct text_report {
    FILE *out;
    const struct tma_report_input *input;
    const struct tma_result *result;
    const struct tma_figures *figures;
};

static void write_map(const struct text_report *report, uint32_t index) {
    const struct tma_tensor_map *map = &report->input->workload->maps[index];
    const struct tma_map_array *array = &report->input->workload->arrays[index];
    char count[32] = "";
    if (tma_array_maps(array) > 1)
        snprintf(count, sizeof count, "%" PRIu32 " maps, ", array->count);
    tma_text_line(report->out, index == 0 ? "tensor maps" : NULL,
                  "%s: %s%s, swizzle %s, L2 promotion %s%s", report->input->map_names[index], count,
                  tma_name_of(&tma_data_type_names, (int)map->data_type),
                  tma_name_of(&tma_swizzle_names, (int)map->swizzle),
                  tma_name_of(&tma_l2_promotion_names, (int)map->l2_promotion),
                  array->global ? ", in global memory" : "");
}

static void write_scenario(const struct text_report *report) {
    const struct tma_workload *workload = report->input->workload;
    tma_heading_write_text(report->input->scenario, report->input->machine,
                           report->input->machine->sm_clock_mhz, report->out);
    uint32_t ctas = tma_cluster_ctas(workload);
    char clusters[48] = "";
    if (ctas > 1)
        snprintf(clusters, sizeof clusters, " in clusters of %" PRIu32, ctas);
    tma_text_line(report->out, "workload",
                  "%" PRIu32 " CTA%s%s on %" PRIu32 " SM%s, %" PRIu32
                  " stage%s each, depth %" PRIu32 ", %" PRIu32 " bytes per stage, L2 %s",
                  workload->cta_count, workload->cta_count == 1 ? "" : "s", clusters,
                  report->figures->sms, report->figures->sms == 1 ? "" : "s", workload->iterations,
                  workload->iterations == 1 ? "" : "s", workload->depth, workload->stage_bytes,
                  workload->cold ? "cold" : "warm");
    tma_waves_write_text(report->result, 1, report->out);
}

/* Writes only the kinds of operations that the workload has. */
static void write_bytes(const struct text_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_workload *workload = report->input->workload;
    bool has[TMA_PREFETCH + 1] = {false};
    for (uint32_t i = 0; i < workload->operation_count; i++)
        has[workload->operations[i].operation.direction] = true;
    tma_text_line(report->out, "bytes moved", "%" PRIu64, report->figures->moved_bytes);
    if (has[TMA_LOAD])
        tma_text_line(report->out, "  loaded",
                      "%" PRIu64 ": %" PRIu64 " from the tensor, %" PRIu64 " of out-of-bounds fill",
                      counters->bytes, counters->tensor_bytes, report->figures->fill_bytes);
    if (counters->copied_bytes > 0)
        tma_text_line(report->out, NULL,
                      "%" PRIu64 " of them multicast copies, which need no L2 request",
                      counters->copied_bytes);
    if (has[TMA_STORE])
        tma_text_line(report->out, "  stored", "%" PRIu64, counters->stored_bytes);
    if (has[TMA_REDUCE])
        tma_text_line(report->out, "  reduced", "%" PRIu64, counters->reduced_bytes);
    if (has[TMA_PREFETCH])
        tma_text_line(report->out, "prefetched",
                      "%" PRIu64 " bytes into L2, which are not moved bytes",
                      counters->prefetched_bytes);
}

static void write_times(const struct text_report *report) {
    const struct tma_figures *figures = report->figures;
    for (uint32_t i = 0; i < report->input->workload->map_count; i++)
        write_map(report, i);
    tma_cta_times_write_text(report->result, &figures->memory, report->out);
    write_bytes(report);
    tma_limits_write_text(figures->limits, report->out);
    tma_distribution_write_text("operation latency", &report->result->latency_cycles, "operations",
                                report->out);
}

static void write_memory(const struct text_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_figures *figures = report->figures;
    tma_operations_write_text(counters, report->out);
    tma_text_line(report->out, "L2",
                  "%" PRIu64
                  " requests: one for each 128-byte line of a row, less those merged, plus "
                  "promotions",
                  counters->l2_requests);
    tma_text_line(report->out, NULL,
                  "%" PRIu64 " sectors of 32 bytes: %" PRIu64 " hits (%s %%), %" PRIu64 " misses",
                  counters->l2_sectors, counters->l2_sector_hits,
                  tma_percent(figures->memory.l2_hit_fraction).text, counters->l2_sector_misses);
    tma_traffic_write_text(counters, &figures->memory, report->out);
}

static void write_worst_access(const struct text_report *report) {
    int consumer = report->figures->worst_consumer;
    if (consumer < 0) {
        tma_text_line(report->out, NULL, "no bank conflict");
        return;
    }
    const struct tma_consumer_report *tile = &report->result->consumers[consumer].tile;
    fprintf(report->out,
            "%-20sworst access: %s of consumer %d, %" PRIu32 "-way on bank %" PRIu32 ", lanes %s\n",
            "", tma_name_of(&tma_shared_instruction_names, (int)tile->worst_access.instruction),
            consumer, tile->worst.ways, tile->worst.worst_bank,
            tma_bit_list(tile->worst.worst_lanes).text);
}

/* What conflicts cost the consumers: on the first screen, where there are any. */
static void write_conflicts(const struct text_report *report) {
    const struct tma_figures *figures = report->figures;
    int consumer = figures->worst_consumer;
    if (figures->excess_wavefronts == 0 || consumer < 0)
        return;
    tma_text_line(report->out, "bank conflicts",
                  "%s %% of the wavefronts of consumers; the worst access is %" PRIu32 "-way",
                  tma_percent(figures->excess_fraction).text,
                  report->result->consumers[consumer].tile.worst.ways);
}

static void write_shared_memory(const struct text_report *report) {
    const struct tma_figures *figures = report->figures;
    tma_text_line(report->out, "shared memory", "%" PRIu64 " wavefronts write the arriving data",
                  report->result->counters.shared_write_wavefronts);
    if (report->input->workload->consumer_count == 0) {
        tma_text_line(report->out, NULL, "no consumer reads the tiles");
        return;
    }
    tma_text_line(report->out, NULL,
                  "consumers: wavefronts ideal %" PRIu64 ", actual %" PRIu64 ", excess %" PRIu64
                  " (%s %% of actual)",
                  figures->ideal_wavefronts, figures->wavefronts, figures->excess_wavefronts,
                  tma_percent(figures->excess_fraction).text);
    write_worst_access(report);
}

static void write_causes(const struct text_report *report) {
    struct tma_cause_share shares[TMA_CAUSE_COUNT];
    for (int i = 0; i < TMA_CAUSE_COUNT; i++)
        shares[i] = tma_slot_share(report->result, report->figures, (enum tma_cause)i);
    tma_shares_write_text("time of pipeline slots (%)", shares, TMA_CAUSE_COUNT, report->out);
}

void tma_report_write_text(const struct tma_report_input *input, FILE *out) {
    struct tma_figures figures = tma_figures_of(input);
    struct text_report report = {out, input, input->result, &figures};
    struct tma_cause_share busy[TMA_RESOURCE_COUNT];
    for (int i = 0; i < TMA_RESOURCE_COUNT; i++)
        busy[i] = tma_busy_share(tma_resource_key((enum tma_resource)i),
                                 tma_resource_text((enum tma_resource)i), figures.busy[i]);
    if (input->partial)
        tma_partial_write_text(input->result, out);
    write_scenario(&report);
    tma_time_write_text(input->result, figures.time_ns, &input->findings, out);
    tma_rates_write_text(&(struct tma_rates){0, 0, figures.gigabytes_per_second,
                                             figures.moved_bytes, figures.limits, &figures.memory},
                         out);
    write_conflicts(&report);
    tma_limited_write_text(&input->findings, input->result->counters.operations == 0, busy,
                           TMA_RESOURCE_COUNT, out);
    tma_shares_write_text("busy (% of the time)", busy, TMA_RESOURCE_COUNT, out);
    write_causes(&report);
    if (!input->details)
        return;
    fputs("\ndetails\n", out);
    write_times(&report);
    write_memory(&report);
    write_shared_memory(&report);
}
