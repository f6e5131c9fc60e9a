#include <inttypes.h>

#include "report/decimal.h"
#include "report/findings_formats.h"
#include "report/kernel_figures.h"
#include "report/labels.h"
#include "report/report_sections.h"
#include "report/sampled.h"
#include "report/text_line.h"
#include "report/waves.h"

struct kernel_text {
    FILE *out;
    const struct tma_kernel_report_input *input;
    const struct tma_kernel *kernel;
    const struct tma_result *result;
    const struct tma_kernel_figures *figures;
};

static void write_kernel(const struct kernel_text *report) {
    const struct tma_kernel *kernel = report->kernel;
    char clusters[48] = "", registers[48] = "";
    tma_heading_write_text(report->input->scenario, report->input->machine,
                           report->figures->sm_clock_mhz, report->out);
    if (kernel->cluster_ctas > 1)
        snprintf(clusters, sizeof clusters, " in clusters of %" PRIu32, kernel->cluster_ctas);
    if (kernel->registers > 0)
        snprintf(registers, sizeof registers, " with %" PRIu32 " registers", kernel->registers);
    tma_text_line(report->out, "kernel",
                  "%" PRIu32 " CTAs%s on %" PRIu32 " SMs, up to %" PRIu32 " on each; L2 %s",
                  kernel->cta_count, clusters, report->figures->sms, report->result->ctas_per_sm,
                  kernel->cold ? "cold" : "warm");
    tma_text_line(report->out, NULL,
                  "%" PRIu32 " threads%s and %" PRIu32 " bytes of shared memory in a CTA",
                  report->figures->threads, registers, kernel->shared_bytes);
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        tma_text_line(report->out, i == 0 ? "rings" : NULL,
                      "%s: %" PRIu32 " stages of %" PRIu32 " bytes", kernel->rings[i].name,
                      kernel->rings[i].depth, kernel->rings[i].stage_bytes);
    for (uint32_t i = 0; i < kernel->map_count; i++)
        tma_text_line(report->out, i == 0 ? "tensor maps" : NULL,
                      "%s: %s, swizzle %s, L2 promotion %s", report->input->map_names[i],
                      tma_name_of(&tma_data_type_names, (int)kernel->maps[i].data_type),
                      tma_name_of(&tma_swizzle_names, (int)kernel->maps[i].swizzle),
                      tma_name_of(&tma_l2_promotion_names, (int)kernel->maps[i].l2_promotion));
}

static void write_rates(const struct kernel_text *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_kernel_figures *figures = report->figures;
    tma_text_line(report->out, "cycles", "%" PRIu64 ", %s ns", report->result->cycles,
                  tma_decimal(figures->time_ns, 1).text);
    tma_sampled_write_text(report->result, report->out);
    tma_launches_write_text(report->input->findings.draws, report->out);
    if (figures->memory.cycles > report->result->cycles)
        tma_text_line(report->out, NULL,
                      "%" PRIu64 " until L2 and DRAM are done, with what the CTAs do not wait for",
                      figures->memory.cycles);
    tma_distribution_write_text("  each CTA", &report->result->cta_cycles, "CTAs", report->out);
    tma_waves_write_text(report->result, report->result->ctas_per_sm, report->out);
    tma_text_line(report->out, "bytes moved",
                  "%" PRIu64 ": %" PRIu64 " loaded, %" PRIu64 " stored, %" PRIu64 " reduced",
                  figures->moved_bytes, counters->bytes, counters->stored_bytes,
                  counters->reduced_bytes);
    if (counters->copied_bytes > 0)
        tma_text_line(report->out, NULL,
                      "%" PRIu64 " of them multicast copies, which need no L2 request",
                      counters->copied_bytes);
    if (counters->prefetched_bytes > 0)
        tma_text_line(report->out, NULL, "%" PRIu64 " more prefetched into L2",
                      counters->prefetched_bytes);
    tma_text_line(report->out, "rate", "%s GB/s, %s bytes/cycle/SM",
                  tma_decimal(figures->gigabytes_per_second, 1).text,
                  tma_decimal(figures->bytes_per_cycle_per_sm, 2).text);
    tma_limits_write_text(figures->limits, report->out);
    tma_distribution_write_text("operation latency", &report->result->latency_cycles, "operations",
                                report->out);
}

static void write_memory(const struct kernel_text *report) {
    const struct tma_counters *counters = &report->result->counters;
    tma_operations_write_text(counters, report->out);
    tma_text_line(report->out, "L2",
                  "%" PRIu64 " requests for %" PRIu64 " sectors of 32 bytes: %" PRIu64
                  " hits (%s %%), %" PRIu64 " misses",
                  counters->l2_requests, counters->l2_sectors, counters->l2_sector_hits,
                  tma_percent(report->figures->memory.l2_hit_fraction).text,
                  counters->l2_sector_misses);
    tma_traffic_write_text(counters, &report->figures->memory, report->out);
}

/* Writes the causes that have a share of the role's time. */
static void write_role(const struct kernel_text *report, uint32_t role) {
    fprintf(report->out,
            "time of %s (%" PRIu32 " %s; %% of %" PRIu64 " cycles, all CTAs together)\n",
            report->kernel->roles[role].name, report->kernel->roles[role].warps,
            report->kernel->roles[role].warps == 1 ? "warp" : "warps",
            report->figures->role_cycles[role]);
    for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++) {
        struct tma_cause_share share =
            tma_role_share(report->result, report->figures, role, (enum tma_role_cause)i);
        if (share.cycles > 0)
            tma_cause_write_text(share, report->out);
    }
}

void tma_kernel_report_text(const struct tma_kernel_report_input *input, FILE *out) {
    struct tma_kernel_figures figures = tma_kernel_figures_of(input);
    struct kernel_text report = {out, input, input->kernel, input->result, &figures};
    if (input->partial)
        tma_partial_write_text(input->result, out);
    write_kernel(&report);
    write_rates(&report);
    write_memory(&report);
    for (uint32_t i = 0; i < input->kernel->role_count; i++)
        write_role(&report, i);
    fprintf(out, "%-20s", "busy");
    for (int i = 0; i < TMA_KERNEL_RESOURCE_COUNT; i++)
        fprintf(out, "%s%s %s %%", i == 0 ? "" : ", ",
                tma_kernel_resource_key((enum tma_kernel_resource)i),
                tma_percent(figures.busy[i]).text);
    fputc('\n', out);
    tma_findings_write_text(&input->findings, input->result->statements == 0, out);
}
