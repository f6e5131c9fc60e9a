#include <inttypes.h>

#include "report/decimal.h"
#include "report/first_screen.h"
#include "report/kernel_figures.h"
#include "report/labels.h"
#include "report/report_sections.h"
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
    char clusters[48] = "";
    uint32_t fit = report->result->ctas_per_sm;
    tma_heading_write_text(report->input->scenario, report->input->machine,
                           report->figures->sm_clock_mhz, report->out);
    if (kernel->cluster_ctas > 1)
        snprintf(clusters, sizeof clusters, " in clusters of %" PRIu32, kernel->cluster_ctas);
    tma_text_line(report->out, "kernel",
                  "%s CTA%s%s on %" PRIu32 " SM%s, up to %" PRIu32 " on each; L2 %s",
                  tma_grouped(kernel->cta_count).text, kernel->cta_count == 1 ? "" : "s", clusters,
                  report->figures->sms, report->figures->sms == 1 ? "" : "s", fit,
                  kernel->cold ? "cold" : "warm");
    tma_waves_write_text(report->result, report->result->ctas_per_sm, report->out);
}

/* What the run was asked for, and how long its parts took. */
static void write_program(const struct kernel_text *report) {
    const struct tma_kernel *kernel = report->kernel;
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
        tma_text_line(report->out, i == 0 ? "tensor maps" : NULL,
                      "%s: %s, swizzle %s, L2 promotion %s", report->input->map_names[i],
                      tma_name_of(&tma_data_type_names, (int)kernel->maps[i].data_type),
                      tma_name_of(&tma_swizzle_names, (int)kernel->maps[i].swizzle),
                      tma_name_of(&tma_l2_promotion_names, (int)kernel->maps[i].l2_promotion));
    tma_cta_times_write_text(report->result, &report->figures->memory, report->out);
}

static void write_bytes(const struct kernel_text *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_kernel_figures *figures = report->figures;
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
    tma_limits_write_text(figures->limits, report->out);
    tma_distribution_write_text("operation latency", &report->result->latency_cycles, "operations",
                                report->out);
}

static void write_memory(const struct kernel_text *report) {
    const struct tma_counters *counters = &report->result->counters;
    tma_operations_write_text(counters, report->out);
    tma_accesses_write_text(counters, report->out);
    tma_text_line(report->out, "L2",
                  "%" PRIu64 " requests for %" PRIu64 " sectors of 32 bytes: %" PRIu64
                  " hits (%s %%), %" PRIu64 " misses",
                  counters->l2_requests, counters->l2_sectors, counters->l2_sector_hits,
                  tma_percent(report->figures->memory.l2_hit_fraction).text,
                  counters->l2_sector_misses);
    tma_traffic_write_text(counters, &report->figures->memory, report->out);
}

/* Writes the causes that have a share of the role's time; they add up to all of it. */
static void write_role(const struct kernel_text *report, uint32_t role) {
    struct tma_cause_share shares[TMA_ROLE_CAUSE_COUNT];
    char title[128];
    for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++)
        shares[i] = tma_role_share(report->result, report->figures, role, (enum tma_role_cause)i);
    snprintf(title, sizeof title, "time of %s, %" PRIu32 " %s (%%)",
             report->kernel->roles[role].name, report->kernel->roles[role].warps,
             report->kernel->roles[role].warps == 1 ? "warp" : "warps");
    tma_shares_write_text(title, shares, TMA_ROLE_CAUSE_COUNT, report->out);
}

/* A unit that is busy for less is not worth a word. */
#define NOTABLE_BUSY 0.01

/* What of the work of one unit runs while the tensor cores work, too. */
static void write_overlap(const struct kernel_text *report) {
    const struct tma_result *result = report->result;
    const double *busy = report->figures->busy;
    const struct {
        const char *text;
        double busy, both;
    } units[] = {{"FMA pipes", busy[TMA_KERNEL_FMA], result->overlap_fma},
                 {"ALUs", busy[TMA_KERNEL_ALU], result->overlap_alu},
                 {"special functions", busy[TMA_KERNEL_SFU], result->overlap_sfu}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (busy[TMA_KERNEL_TENSOR] > 0 && units[i].busy >= NOTABLE_BUSY)
            fprintf(report->out, "  %s %% of the time of the %s lies beside matrix products\n",
                    tma_percent(units[i].both / units[i].busy).text, units[i].text);
}

void tma_kernel_report_text(const struct tma_kernel_report_input *input, FILE *out) {
    struct tma_kernel_figures figures = tma_kernel_figures_of(input);
    struct kernel_text report = {out, input, input->kernel, input->result, &figures};
    struct tma_cause_share busy[TMA_KERNEL_RESOURCE_COUNT];
    for (int i = 0; i < TMA_KERNEL_RESOURCE_COUNT; i++)
        busy[i] =
            tma_busy_share(tma_kernel_resource_key((enum tma_kernel_resource)i),
                           tma_kernel_resource_text((enum tma_kernel_resource)i), figures.busy[i]);
    if (input->partial)
        tma_partial_write_text(input->result, out);
    write_kernel(&report);
    tma_time_write_text(input->result, figures.time_ns, &input->findings, out);
    tma_clock_write_text(&figures.clock, out);
    tma_rates_write_text(&(struct tma_rates){figures.teraflops, figures.tensor_of_all,
                                             figures.gigabytes_per_second, figures.moved_bytes,
                                             figures.limits, &figures.memory},
                         out);
    tma_limited_write_text(&input->findings, input->result->statements == 0, busy,
                           TMA_KERNEL_RESOURCE_COUNT, out);
    tma_shares_write_text("busy (% of the time)", busy, TMA_KERNEL_RESOURCE_COUNT, out);
    write_overlap(&report);
    for (uint32_t i = 0; i < input->kernel->role_count; i++)
        write_role(&report, i);
    if (!input->details)
        return;
    fputs("\ndetails\n", out);
    write_program(&report);
    write_bytes(&report);
    write_memory(&report);
}
