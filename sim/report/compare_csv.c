/* CSV (RFC 4180): one line for each consumer and layout, then one for each illegal mode. Without
 * consumers, one line for each mode. */
#include <inttypes.h>

#include "report/compare_formats.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/labels.h"

/* The last column: whether the machine's timing is validated. */
static void end_line(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fputs(comparison->timing_validated ? ",true\n" : ",false\n", out);
}

static void write_cycles(const struct tma_compared_mode *mode, FILE *out) {
    if (mode == NULL)
        fputs(",,,", out);
    else
        fprintf(out, "%" PRIu64 ",%s,%s,", mode->cycles, tma_decimal(mode->bytes_per_cycle, 3).text,
                tma_decimal(mode->bytes_per_cycle_per_sm, 3).text);
}

static void write_pass(const struct tma_swizzle_comparison *comparison, uint32_t index,
                       const struct tma_compared_layout *layout, FILE *out) {
    const struct tma_consumer *consumer = &comparison->workload->consumers[index];
    const struct tma_consumer_report *pass = layout->pass;
    fprintf(out, "%s,", layout->name);
    write_cycles(layout->mode, out);
    fprintf(out,
            "%" PRIu32 ",%s,%s,%" PRIu32 ",%" PRIu32 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
            ",%" PRIu32 ",%" PRIu64 ",%08" PRIx32 ",%" PRIu32 ",%" PRIu32 ",",
            index, tma_shared_instruction_info(consumer->instruction)->name,
            tma_name_of(&tma_lane_map_names, (int)consumer->lanes), consumer->operation,
            layout->extra_bytes, pass->instructions, pass->ideal_wavefronts, pass->wavefronts,
            pass->wavefronts - pass->ideal_wavefronts, pass->worst.ways, pass->worst_index,
            pass->worst.worst_lanes, pass->worst.worst_bank, tma_count_bits(pass->banks_used));
    end_line(comparison, out);
}

static void write_mode(const struct tma_swizzle_comparison *comparison,
                       const struct tma_compared_mode *mode, FILE *out) {
    fprintf(out, "%s,", tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
    write_cycles(mode->legal ? mode : NULL, out);
    fputs(",,,,,,,,,,,,,,", out);
    if (!mode->legal)
        tma_write_csv(mode->reason, out);
    end_line(comparison, out);
}

void tma_compare_write_csv(const struct tma_swizzle_comparison *comparison, FILE *out) {
    uint32_t consumers = comparison->workload->consumer_count;
    fputs(
        "layout,cycles,bytes_per_cycle,bytes_per_cycle_per_sm,consumer,instruction,lanes,operation,"
        "extra_bytes,instructions,ideal_wavefronts,wavefronts,excess_wavefronts,ways,worst_"
        "instruction,"
        "worst_lanes,worst_bank,banks_used,not_legal,timing_validated\n",
        out);
    for (uint32_t i = 0; i < consumers; i++) {
        struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
        size_t count = tma_compared_layouts(comparison, i, layouts);
        for (size_t layout = 0; layout < count; layout++)
            write_pass(comparison, i, &layouts[layout], out);
    }
    for (size_t i = 0; i < comparison->mode_count; i++)
        if (consumers == 0 || !comparison->modes[i].legal)
            write_mode(comparison, &comparison->modes[i], out);
}
