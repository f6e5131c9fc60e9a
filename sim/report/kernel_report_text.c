#include <inttypes.h>
#include <stdarg.h>

#include "report/decimal.h"
#include "report/escape.h"
#include "report/findings_formats.h"
#include "report/kernel_figures.h"
#include "report/labels.h"
#include "report/sampled.h"
#include "report/waves.h"

struct kernel_text {
    FILE *out;
    const struct tma_kernel_report_input *input;
    const struct tma_kernel *kernel;
    const struct tma_result *result;
    const struct tma_kernel_figures *figures;
};

/* Writes a line: a label (NULL: the line belongs to the label above) and a text. */
__attribute__((format(printf, 3, 4))) static void line(const struct kernel_text *report,
                                                       const char *label, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(report->out, "%-20s", label == NULL ? "" : label);
    vfprintf(report->out, format, arguments);
    fputc('\n', report->out);
    va_end(arguments);
}

static struct tma_decimal percent(double fraction) {
    return tma_decimal(100 * fraction, 1);
}

static void write_kernel(const struct kernel_text *report) {
    const struct tma_machine *machine = report->input->machine;
    const struct tma_kernel *kernel = report->kernel;
    char clusters[48] = "", registers[48] = "";
    fprintf(report->out, "%-20s", "scenario");
    tma_write_printable(report->input->scenario, report->out);
    fprintf(report->out, "\n%-20s", "machine");
    tma_write_printable(machine->name, report->out);
    fprintf(report->out, ", %" PRIu32 " SMs at %" PRIu32 " MHz%s\n", machine->sm_count,
            report->figures->sm_clock_mhz, tma_timing_note(machine->validated, machine->edited));
    if (kernel->cluster_ctas > 1)
        snprintf(clusters, sizeof clusters, " in clusters of %" PRIu32, kernel->cluster_ctas);
    if (kernel->registers > 0)
        snprintf(registers, sizeof registers, " with %" PRIu32 " registers", kernel->registers);
    line(report, "kernel",
         "%" PRIu32 " CTAs%s on %" PRIu32 " SMs, up to %" PRIu32 " on each; L2 %s",
         kernel->cta_count, clusters, report->figures->sms, report->result->ctas_per_sm,
         kernel->cold ? "cold" : "warm");
    line(report, NULL, "%" PRIu32 " threads%s and %" PRIu32 " bytes of shared memory in a CTA",
         report->figures->threads, registers, kernel->shared_bytes);
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        line(report, i == 0 ? "rings" : NULL, "%s: %" PRIu32 " stages of %" PRIu32 " bytes",
             kernel->rings[i].name, kernel->rings[i].depth, kernel->rings[i].stage_bytes);
    for (uint32_t i = 0; i < kernel->map_count; i++)
        line(report, i == 0 ? "tensor maps" : NULL, "%s: %s, swizzle %s, L2 promotion %s",
             report->input->map_names[i],
             tma_name_of(&tma_data_type_names, (int)kernel->maps[i].data_type),
             tma_name_of(&tma_swizzle_names, (int)kernel->maps[i].swizzle),
             tma_name_of(&tma_l2_promotion_names, (int)kernel->maps[i].l2_promotion));
}

static void write_distribution(const struct kernel_text *report, const char *label,
                               const struct tma_distribution *distribution, const char *what) {
    line(report, label,
         "min %" PRIu64 ", median %" PRIu64 ", p95 %" PRIu64 ", max %" PRIu64
         " cycles, over %" PRIu64 " %s",
         distribution->min, distribution->median, distribution->p95, distribution->max,
         distribution->count, what);
}

static void write_rates(const struct kernel_text *report) {
    const struct tma_counters *counters = &report->result->counters;
    const struct tma_kernel_figures *figures = report->figures;
    line(report, "cycles", "%" PRIu64 ", %s ns", report->result->cycles,
         tma_decimal(figures->time_ns, 1).text);
    tma_sampled_write_text(report->result, report->out);
    tma_draws_write_text(&report->input->findings, report->out);
    if (report->result->memory_cycles > report->result->cycles)
        line(report, NULL,
             "%" PRIu64 " until L2 and DRAM are done, with what the CTAs do not wait for",
             report->result->memory_cycles);
    write_distribution(report, "  each CTA", &report->result->cta_cycles, "CTAs");
    tma_waves_write_text(report->result, report->result->ctas_per_sm, report->out);
    line(report, "bytes moved",
         "%" PRIu64 ": %" PRIu64 " loaded, %" PRIu64 " stored, %" PRIu64 " reduced",
         figures->moved_bytes, counters->bytes, counters->stored_bytes, counters->reduced_bytes);
    if (counters->copied_bytes > 0)
        line(report, NULL, "%" PRIu64 " of them multicast copies, which need no L2 request",
             counters->copied_bytes);
    if (counters->prefetched_bytes > 0)
        line(report, NULL, "%" PRIu64 " more prefetched into L2", counters->prefetched_bytes);
    line(report, "rate", "%s GB/s, %s bytes/cycle/SM",
         tma_decimal(figures->gigabytes_per_second, 1).text,
         tma_decimal(figures->bytes_per_cycle_per_sm, 2).text);
    write_distribution(report, "operation latency", &report->result->latency_cycles, "operations");
}

static void write_memory(const struct kernel_text *report) {
    const struct tma_counters *counters = &report->result->counters;
    line(report, "TMA", "%" PRIu64 " operations, %" PRIu64 " rows (%" PRIu64 " out of bounds)",
         counters->operations, counters->rows, counters->rows_out_of_bounds);
    line(report, "L2",
         "%" PRIu64 " requests for %" PRIu64 " sectors of 32 bytes: %" PRIu64
         " hits (%s %%), %" PRIu64 " misses",
         counters->l2_requests, counters->l2_sectors, counters->l2_sector_hits,
         percent(report->figures->l2_hit_fraction).text, counters->l2_sector_misses);
    line(report, "DRAM", "%" PRIu64 " sectors read, %" PRIu64 " written, %s GB/s",
         counters->dram_read_sectors, counters->dram_write_sectors,
         tma_decimal(report->figures->dram_gigabytes_per_second, 1).text);
}

/* Writes the causes that have a share of the role's time. */
static void write_role(const struct kernel_text *report, uint32_t role) {
    fprintf(report->out,
            "time of %s (%" PRIu32 " %s; %% of %" PRIu64 " cycles, all CTAs together)\n",
            report->kernel->roles[role].name, report->kernel->roles[role].warps,
            report->kernel->roles[role].warps == 1 ? "warp" : "warps",
            report->figures->role_cycles[role]);
    for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++) {
        uint32_t tenths = report->figures->cause_tenths[role][i];
        if (report->result->role_cycles[role][i] > 0)
            fprintf(report->out, "  %-15s %3" PRIu32 ".%" PRIu32 "  %s\n",
                    tma_role_cause_key((enum tma_role_cause)i), tenths / 10, tenths % 10,
                    tma_role_cause_text((enum tma_role_cause)i));
    }
}

void tma_kernel_report_text(const struct tma_kernel_report_input *input, FILE *out) {
    struct tma_kernel_figures figures = tma_kernel_figures_of(input);
    struct kernel_text report = {out, input, input->kernel, input->result, &figures};
    if (input->partial)
        line(&report, "partial",
             "interrupted at cycle %" PRIu64 ": the figures are of the time until then",
             input->result->cycles);
    write_kernel(&report);
    write_rates(&report);
    write_memory(&report);
    for (uint32_t i = 0; i < input->kernel->role_count; i++)
        write_role(&report, i);
    fprintf(out, "%-20s", "busy");
    for (int i = 0; i < TMA_KERNEL_RESOURCE_COUNT; i++)
        fprintf(out, "%s%s %s %%", i == 0 ? "" : ", ",
                tma_kernel_resource_key((enum tma_kernel_resource)i),
                percent(figures.busy[i]).text);
    fputc('\n', out);
    tma_findings_write_text(&input->findings, input->result->statements == 0, out);
}
