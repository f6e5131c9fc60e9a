#include "report/report.h"

#include <inttypes.h>

#include "report/decimal.h"
#include "report/figures.h"
#include "report/first_screen.h"
#include "report/format_table.h"
#include "report/labels.h"
#include "report/report_sections.h"
#include "report/text_line.h"
#include "report/waves.h"

TMA_FORMAT_NAMES(tma_report_format_names, TMA_REPORT_FORMATS);

void tma_report_write(const struct tma_report_input *input, int format, FILE *out) {
#define WRITER(name) tma_report_write_##name,
    static void (*const writers[])(const struct tma_report_input *,
                                   FILE *) = {TMA_REPORT_FORMATS(WRITER)};
#undef WRITER
    writers[format](input, out);
}

struct text_report {
    FILE *out;
    const struct tma_report_input *input;
    const struct tma_result *result;
    const struct tma_figures *figures;
};

/* `array` is NULL for a map alone. */
static void write_map(const struct text_report *report, uint32_t index,
                      const struct tma_tensor_map *map, const struct tma_map_array *array) {
    char count[32] = "";
    if (array != NULL && tma_array_maps(array) > 1)
        snprintf(count, sizeof count, "%" PRIu32 " maps, ", array->count);
    tma_text_line(report->out, index == 0 ? "tensor maps" : NULL,
                  "%s: %s%s, swizzle %s, L2 promotion %s%s", report->input->map_names[index], count,
                  tma_name_of(&tma_data_type_names, (int)map->data_type),
                  tma_name_of(&tma_swizzle_names, (int)map->swizzle),
                  tma_name_of(&tma_l2_promotion_names, (int)map->l2_promotion),
                  array != NULL && array->global ? ", in global memory" : "");
}

static const char *clusters_text(uint32_t ctas, char text[48]) {
    text[0] = '\0';
    if (ctas > 1)
        snprintf(text, 48, " in clusters of %" PRIu32, ctas);
    return text;
}

static void write_workload(const struct text_report *report) {
    const struct tma_workload *workload = report->input->workload;
    char clusters[48];
    tma_text_line(report->out, "workload",
                  "%" PRIu32 " CTA%s%s on %" PRIu32 " SM%s, %" PRIu32
                  " stage%s each, depth %" PRIu32 ", %" PRIu32 " bytes per stage, L2 %s",
                  workload->cta_count, workload->cta_count == 1 ? "" : "s",
                  clusters_text(tma_cluster_ctas(workload), clusters), report->figures->sms,
                  report->figures->sms == 1 ? "" : "s", workload->iterations,
                  workload->iterations == 1 ? "" : "s", workload->depth, workload->stage_bytes,
                  workload->cold ? "cold" : "warm");
}

static void write_kernel(const struct text_report *report) {
    const struct tma_kernel *kernel = report->input->kernel;
    char clusters[48];
    tma_text_line(report->out, "kernel",
                  "%s CTA%s%s on %" PRIu32 " SM%s, up to %" PRIu32 " on each; L2 %s",
                  tma_grouped(kernel->cta_count).text, kernel->cta_count == 1 ? "" : "s",
                  clusters_text(kernel->cluster_ctas, clusters), report->figures->sms,
                  report->figures->sms == 1 ? "" : "s", report->result->ctas_per_sm,
                  kernel->cold ? "cold" : "warm");
}

/* What the CTAs of a kernel have, and its maps. */
static void write_program(const struct text_report *report) {
    const struct tma_kernel *kernel = report->input->kernel;
    char registers[48] = "";
    if (kernel->registers > 0)
        snprintf(registers, sizeof registers, " with %" PRIu32 " registers", kernel->registers);
    tma_text_line(report->out, "CTA", "%" PRIu32 " threads%s, %" PRIu32 " bytes of shared memory",
                  report->figures->threads, registers, kernel->shared_bytes);
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        tma_text_line(report->out, i == 0 ? "rings" : NULL,
                      "%s: %" PRIu32 " stage%s of %" PRIu32 " bytes", kernel->rings[i].name,
                      kernel->rings[i].depth, kernel->rings[i].depth == 1 ? "" : "s",
                      kernel->rings[i].stage_bytes);
    for (uint32_t i = 0; i < kernel->map_count; i++)
        write_map(report, i, &kernel->maps[i], NULL);
}

static void write_copies(const struct text_report *report) {
    if (report->result->counters.copied_bytes > 0)
        tma_text_line(report->out, NULL,
                      "%" PRIu64 " of them multicast copies, which need no L2 request",
                      report->result->counters.copied_bytes);
}

static void write_kernel_bytes(const struct text_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    tma_text_line(report->out, "bytes moved",
                  "%" PRIu64 ": %" PRIu64 " loaded, %" PRIu64 " stored, %" PRIu64 " reduced",
                  report->figures->moved_bytes, counters->bytes, counters->stored_bytes,
                  counters->reduced_bytes);
    write_copies(report);
    if (counters->prefetched_bytes > 0)
        tma_text_line(report->out, NULL, "%" PRIu64 " more prefetched into L2",
                      counters->prefetched_bytes);
}

/* Writes only the kinds of operations that the workload has. */
static void write_workload_bytes(const struct text_report *report) {
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
    write_copies(report);
    if (has[TMA_STORE])
        tma_text_line(report->out, "  stored", "%" PRIu64, counters->stored_bytes);
    if (has[TMA_REDUCE])
        tma_text_line(report->out, "  reduced", "%" PRIu64, counters->reduced_bytes);
    if (has[TMA_PREFETCH])
        tma_text_line(report->out, "prefetched",
                      "%" PRIu64 " bytes into L2, which are not moved bytes",
                      counters->prefetched_bytes);
}

static void write_memory(const struct text_report *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_figures *figures = report->figures;
    struct tma_decimal hits = tma_percent(figures->memory.l2_hit_fraction);
    tma_operations_write_text(counters, report->out);
    tma_accesses_write_text(counters, report->out);
    if (report->input->kernel != NULL) {
        tma_text_line(report->out, "L2",
                      "%" PRIu64 " requests for %" PRIu64 " sectors of 32 bytes: %" PRIu64
                      " hits (%s %%), %" PRIu64 " misses",
                      counters->l2_requests, counters->l2_sectors, counters->l2_sector_hits,
                      hits.text, counters->l2_sector_misses);
    } else {
        tma_text_line(report->out, "L2",
                      "%" PRIu64
                      " requests: one for each 128-byte line of a row, less those merged, plus "
                      "promotions",
                      counters->l2_requests);
        tma_text_line(
            report->out, NULL,
            "%" PRIu64 " sectors of 32 bytes: %" PRIu64 " hits (%s %%), %" PRIu64 " misses",
            counters->l2_sectors, counters->l2_sector_hits, hits.text, counters->l2_sector_misses);
    }
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

/* The causes that have a share of the time of slots or of a role add up to all of it. */
static void write_slots(const struct text_report *report) {
    struct tma_cause_share shares[TMA_CAUSE_COUNT];
    for (int i = 0; i < TMA_CAUSE_COUNT; i++)
        shares[i] = tma_slot_share(report->result, report->figures, (enum tma_cause)i);
    tma_shares_write_text("time of pipeline slots (%)", shares, TMA_CAUSE_COUNT, report->out);
}

static void write_role(const struct text_report *report, uint32_t number) {
    const struct tma_role *role = &report->input->kernel->roles[number];
    struct tma_cause_share shares[TMA_ROLE_CAUSE_COUNT];
    char title[128];
    for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++)
        shares[i] = tma_role_share(report->result, report->figures, number, (enum tma_role_cause)i);
    snprintf(title, sizeof title, "time of %s, %" PRIu32 " %s (%%)", role->name, role->warps,
             role->warps == 1 ? "warp" : "warps");
    tma_shares_write_text(title, shares, TMA_ROLE_CAUSE_COUNT, report->out);
}

/* A unit that is busy for less is not worth a word. */
#define NOTABLE_BUSY 0.01

/* What of the work of one unit runs while the tensor cores work, too. */
static void write_overlap(const struct text_report *report) {
    const struct tma_result *result = report->result;
    const struct {
        const char *text;
        double busy, both;
    } units[] = {{"FMA pipes", result->busy_fma, result->overlap_fma},
                 {"ALUs", result->busy_alu, result->overlap_alu},
                 {"special functions", result->busy_sfu, result->overlap_sfu}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (result->busy_tensor > 0 && units[i].busy >= NOTABLE_BUSY)
            fprintf(report->out, "  %s %% of the time of the %s lies beside matrix products\n",
                    tma_percent(units[i].both / units[i].busy).text, units[i].text);
}

/* All counters. */
static void write_details(const struct text_report *report) {
    const struct tma_workload *workload = report->input->workload;
    bool has_roles = report->input->kernel != NULL;
    fputs("\ndetails\n", report->out);
    if (has_roles)
        write_program(report);
    for (uint32_t i = 0; !has_roles && i < workload->map_count; i++)
        write_map(report, i, &workload->maps[i], &workload->arrays[i]);
    tma_cta_times_write_text(report->result, &report->figures->memory, report->out);
    (has_roles ? write_kernel_bytes : write_workload_bytes)(report);
    tma_limits_write_text(report->figures->limits, report->out);
    tma_distribution_write_text("operation latency", &report->result->latency_cycles, "operations",
                                report->out);
    write_memory(report);
    if (!has_roles)
        write_shared_memory(report);
}

void tma_report_write_text(const struct tma_report_input *input, FILE *out) {
    const struct tma_result *result = input->result;
    const struct tma_figures figures = tma_figures_of(input);
    const struct text_report report = {out, input, result, &figures};
    struct tma_cause_share busy[TMA_RESOURCE_COUNT];
    bool has_roles = input->kernel != NULL;
    tma_busy_shares(&figures, busy);
    if (input->partial)
        tma_partial_write_text(result, out);
    tma_heading_write_text(input->scenario, input->machine, figures.sm_clock_mhz, out);
    (has_roles ? write_kernel : write_workload)(&report);
    tma_waves_write_text(result, has_roles ? result->ctas_per_sm : 1, out);
    tma_time_write_text(result, figures.time_ns, &input->findings, out);
    if (has_roles)
        tma_clock_write_text(&figures.clock, out);
    tma_rates_write_text(&figures, out);
    if (!has_roles)
        write_conflicts(&report);
    tma_limited_write_text(&input->findings, figures.idle, busy, figures.busy_count, out);
    tma_shares_write_text("busy (% of the time)", busy, figures.busy_count, out);
    write_overlap(&report);
    if (!has_roles)
        write_slots(&report);
    for (uint32_t i = 0; has_roles && i < input->kernel->role_count; i++)
        write_role(&report, i);
    if (input->details)
        write_details(&report);
}
