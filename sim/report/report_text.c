#include <inttypes.h>
#include <stdarg.h>

#include "report/decimal.h"
#include "report/figures.h"
#include "report/limiter.h"
#include "report/report_formats.h"

struct page {
    FILE *out;
    const struct tma_report_input *input;
    const struct tma_result *result;
    const struct tma_figures *figures;
};

/* A label (NULL: the one above goes on) and what there is to say. */
__attribute__((format(printf, 3, 4))) static void line(const struct page *page, const char *label,
                                                       const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fprintf(page->out, "%-20s", label == NULL ? "" : label);
    vfprintf(page->out, format, arguments);
    fputc('\n', page->out);
    va_end(arguments);
}

static struct tma_decimal percent(double fraction) {
    return tma_decimal(100 * fraction, 1);
}

static void write_map(const struct page *page, uint32_t index) {
    const struct tma_tensor_map *map = &page->input->workload->maps[index];
    const struct tma_map_array *array = &page->input->workload->arrays[index];
    char count[32] = "";
    if (tma_array_maps(array) > 1)
        snprintf(count, sizeof count, "%" PRIu32 " maps, ", array->count);
    line(page, index == 0 ? "tensor maps" : NULL, "%s: %s%s, swizzle %s, L2 promotion %s%s",
         page->input->map_names[index], count,
         tma_name_of(&tma_data_type_names, (int)map->data_type),
         tma_name_of(&tma_swizzle_names, (int)map->swizzle),
         tma_name_of(&tma_l2_promotion_names, (int)map->l2_promotion),
         array->global ? ", in global memory" : "");
}

static void write_scenario(const struct page *page) {
    const struct tma_machine *machine = page->input->machine;
    const struct tma_workload *workload = page->input->workload;
    line(page, "scenario", "%s", page->input->scenario);
    line(page, "machine", "%s, %" PRIu32 " SMs at %" PRIu32 " MHz%s", machine->name,
         machine->sm_count, machine->sm_clock_mhz,
         machine->validated ? "" : " (timing not validated: no record of a real one was compared)");
    uint32_t ctas = tma_cluster_ctas(workload);
    char clusters[48] = "";
    if (ctas > 1)
        snprintf(clusters, sizeof clusters, " in clusters of %" PRIu32, ctas);
    line(page, "workload",
         "%" PRIu32 " CTAs%s on %" PRIu32 " SMs, %" PRIu32 " stages each, depth %" PRIu32
         ", %" PRIu32 " bytes a stage, L2 %s",
         workload->cta_count, clusters, page->figures->sms, workload->iterations, workload->depth,
         workload->stage_bytes, workload->cold ? "cold" : "warm");
    for (uint32_t i = 0; i < workload->map_count; i++)
        write_map(page, i);
}

static void write_distribution(const struct page *page, const char *label,
                               const struct tma_distribution *distribution, const char *what) {
    line(page, label,
         "min %" PRIu64 ", median %" PRIu64 ", p95 %" PRIu64 ", max %" PRIu64 " cycles, of %" PRIu64
         " %s",
         distribution->min, distribution->median, distribution->p95, distribution->max,
         distribution->count, what);
}

static void write_rates(const struct page *page) {
    const struct tma_figures *figures = page->figures;
    line(page, "cycles", "%" PRIu64 ", %s ns", page->result->cycles,
         tma_decimal(figures->time_ns, 1).text);
    write_distribution(page, "  each CTA", &page->result->cta_cycles, "CTAs");
    line(page, "bytes moved",
         "%" PRIu64 ", of them %" PRIu64 " from the tensor and %" PRIu64 " of out-of-bounds fill",
         page->result->counters.bytes, page->result->counters.tensor_bytes, figures->fill_bytes);
    if (page->result->counters.copied_bytes > 0)
        line(page, NULL, "%" PRIu64 " of them copies that multicast brought without asking L2",
             page->result->counters.copied_bytes);
    line(page, "rate", "%s GB/s, %s bytes/cycle/SM",
         tma_decimal(figures->gigabytes_per_second, 1).text,
         tma_decimal(figures->bytes_per_cycle_per_sm, 2).text);
    for (int i = 0; i < TMA_LIMIT_COUNT; i++) {
        const struct tma_limit_figure *limit = &figures->limits[i];
        if (limit->bytes_per_cycle_per_sm > 0)
            line(page, NULL, "%s %% of the %s limit of %s bytes/cycle/SM",
                 percent(limit->used).text, limit->text,
                 tma_decimal(limit->bytes_per_cycle_per_sm, 2).text);
    }
    write_distribution(page, "operation latency", &page->result->latency_cycles, "operations");
}

static void write_memory(const struct page *page) {
    const struct tma_counters *counters = &page->result->counters;
    const struct tma_figures *figures = page->figures;
    line(page, "TMA",
         "%" PRIu64 " operations, %" PRIu64 " rows (%" PRIu64 " out of bounds), %" PRIu64
         " L2 requests",
         counters->operations, counters->rows, counters->rows_out_of_bounds, counters->l2_requests);
    line(page, NULL,
         "%" PRIu64 " fetches of tensor maps into SMs: %" PRIu64 " from the GPC's cache, %" PRIu64
         " from L2, %" PRIu64 " from DRAM; %" PRIu64 " cycles of waiting",
         counters->descriptor_fetches,
         counters->descriptor_fetches - counters->descriptor_l2_fetches,
         counters->descriptor_l2_fetches - counters->descriptor_dram_fetches,
         counters->descriptor_dram_fetches, counters->descriptor_cycles);
    line(page, "L2",
         "%" PRIu64 " sectors of 32 bytes: %" PRIu64 " hits (%s %%), %" PRIu64 " misses",
         counters->l2_sectors, counters->l2_sector_hits, percent(figures->l2_hit_fraction).text,
         counters->l2_sector_misses);
    line(page, NULL,
         "%" PRIu64 " fills of %" PRIu64 " sectors, %" PRIu64
         " of them never used (over-fetch %s %%), %" PRIu64 " evictions",
         counters->l2_fills, counters->l2_fill_sectors, counters->l2_fill_unused_sectors,
         percent(figures->l2_over_fetch_fraction).text, counters->l2_evictions);
    line(page, "DRAM", "%" PRIu64 " sectors read, %" PRIu64 " written, %s GB/s",
         counters->dram_read_sectors, counters->dram_write_sectors,
         tma_decimal(figures->dram_gigabytes_per_second, 1).text);
}

/* Lanes of a mask as ranges: "0-3, 8". */
static void write_lanes(FILE *out, uint32_t mask) {
    const char *separator = "";
    for (unsigned first = 0; first < TMA_WARP_LANES; first++) {
        if ((mask >> first & 1) == 0)
            continue;
        unsigned last = first;
        while (last + 1 < TMA_WARP_LANES && (mask >> (last + 1) & 1) != 0)
            last++;
        fprintf(out, last == first ? "%s%u" : "%s%u-%u", separator, first, last);
        separator = ", ";
        first = last;
    }
}

static void write_worst_access(const struct page *page) {
    int consumer = page->figures->worst_consumer;
    if (consumer < 0) {
        line(page, NULL, "no access has a conflict");
        return;
    }
    const struct tma_consumer_report *tile = &page->result->consumers[consumer].tile;
    fprintf(page->out,
            "%-20sworst access: %s of consumer %d, %" PRIu32 "-way on bank %" PRIu32 ", lanes ", "",
            tma_name_of(&tma_shared_instruction_names, (int)tile->worst_access.instruction),
            consumer, tile->worst.ways, tile->worst.worst_bank);
    write_lanes(page->out, tile->worst.worst_lanes);
    fputc('\n', page->out);
}

static void write_shared_memory(const struct page *page) {
    const struct tma_figures *figures = page->figures;
    line(page, "shared memory", "%" PRIu64 " wavefronts write what arrives",
         page->result->counters.shared_write_wavefronts);
    if (page->input->workload->consumer_count == 0) {
        line(page, NULL, "no consumer reads it");
        return;
    }
    line(page, NULL,
         "consumers: wavefronts ideal %" PRIu64 ", actual %" PRIu64 ", excess %" PRIu64 " (%s %%)",
         figures->ideal_wavefronts, figures->wavefronts, figures->excess_wavefronts,
         percent(figures->excess_fraction).text);
    write_worst_access(page);
}

static void write_causes(const struct page *page) {
    fprintf(page->out, "where the time went (%% of %" PRIu64 " slot-cycles)\n",
            page->result->slot_cycles);
    for (int i = 0; i < TMA_CAUSE_COUNT; i++) {
        uint32_t tenths = page->figures->cause_tenths[i];
        fprintf(page->out, "  %-15s %3" PRIu32 ".%" PRIu32 "  %s\n",
                tma_cause_key((enum tma_cause)i), tenths / 10, tenths % 10,
                tma_cause_text((enum tma_cause)i));
    }
}

static void write_busy(const struct page *page) {
    fprintf(page->out, "%-20s", "busy");
    for (int i = 0; i < TMA_RESOURCE_COUNT; i++)
        fprintf(page->out, "%s%s %s %%", i == 0 ? "" : ", ", tma_resource_key((enum tma_resource)i),
                percent(page->figures->busy[i]).text);
    fputc('\n', page->out);
}

enum tma_error_code tma_report_write_text(FILE *out, const struct tma_report_input *input,
                                          struct tma_error *error) {
    struct tma_figures figures = tma_figures_of(input);
    struct tma_limiter limiter = tma_limiter_of(input, &figures);
    struct page page = {out, input, input->result, &figures};
    write_scenario(&page);
    write_rates(&page);
    write_memory(&page);
    write_shared_memory(&page);
    write_causes(&page);
    write_busy(&page);
    line(&page, "limited by", "%s", limiter.text);
    return tma_report_finish(out, error);
}
