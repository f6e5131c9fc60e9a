#include <inttypes.h>

#include "report/compare_formats.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/labels.h"

static void write_modes(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fprintf(out, "%-22s %10s %12s %12s %12s %5s %5s %14s\n", "swizzle", "cycles", "ideal",
            "wavefronts", "excess", "ways", "banks", "bytes/cycle/SM");
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal)
            continue;
        fprintf(out,
                "%-22s %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5" PRIu32
                " %5" PRIu32 " %14s\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle), mode->cycles,
                mode->ideal_wavefronts, mode->wavefronts, mode->wavefronts - mode->ideal_wavefronts,
                mode->ways, tma_count_bits(mode->banks_used),
                tma_decimal(mode->bytes_per_cycle_per_sm, 2).text);
    }
}

static void write_draws(const struct tma_swizzle_comparison *comparison, FILE *out) {
    bool heading = false;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal || mode->draws.count == 0)
            continue;
        if (!heading)
            fprintf(out, "\ncycles of %" PRIu32 " launches %9s %12s %12s\n", mode->draws.count,
                    "least", "median", "most");
        heading = true;
        fprintf(out, "  %-21s %9" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle), mode->draws.least,
                mode->draws.median, mode->draws.most);
    }
}

static void write_layout(const struct tma_compared_layout *layout, FILE *out) {
    const struct tma_consumer_report *pass = layout->pass;
    fprintf(out, "  %-21s %22" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5" PRIu32 " %5" PRIu32,
            layout->name, pass->ideal_wavefronts, pass->wavefronts,
            pass->wavefronts - pass->ideal_wavefronts, pass->worst.ways,
            tma_count_bits(pass->banks_used));
    if (pass->worst.ways > 1)
        fprintf(out, " instruction %" PRIu64 ", lanes %s, bank %" PRIu32, pass->worst_index,
                tma_bit_list(pass->worst.worst_lanes).text, pass->worst.worst_bank);
    fputc('\n', out);
}

static void write_consumer(const struct tma_swizzle_comparison *comparison, uint32_t consumer,
                           FILE *out) {
    struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
    size_t count = tma_compared_layouts(comparison, consumer, layouts);
    if (count == 0)
        return;
    const struct tma_tile *tile = layouts[0].tile;
    fprintf(out,
            "\nconsumer %" PRIu32 ": %s (%" PRIu32 " rows of %" PRIu32
            " bytes); one pass of %" PRIu64 " instructions and its worst conflict\n",
            consumer, tma_consumer_label(&comparison->workload->consumers[consumer]).text,
            tile->rows, tile->row_bytes, layouts[0].pass->instructions);
    for (size_t i = 0; i < count; i++)
        write_layout(&layouts[i], out);
}

static void write_padding(const struct tma_swizzle_comparison *comparison, FILE *out) {
    uint32_t depth = comparison->workload->depth;
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++) {
        const struct tma_compared_padding *padding = &comparison->padding[i];
        fprintf(out, "%s  operation %" PRIu32 ": ", i == 0 ? "\npadding:\n" : "",
                padding->operation);
        if (!padding->possible) {
            fputs("not possible: ", out);
            tma_write_printable(padding->reason, out);
            fputc('\n', out);
            continue;
        }
        uint32_t gap = padding->tile.pitch_bytes - padding->tile.row_bytes;
        fprintf(out,
                "%" PRIu32 " bytes after every row cost %" PRIu32 " bytes of shared memory per "
                "stage, %" PRIu32 " for depth %" PRIu32 "\n               (%s)\n",
                gap, padding->extra_bytes, padding->extra_bytes * depth, depth,
                gap % 16 == 0
                    ? "a tensor map can do this: split dimension 0 into parts as long as a row; "
                      "out-of-bounds fill pads a wider box"
                    : "no tensor map can do this: the rows of a box are multiples of 16 bytes");
    }
}

static void write_illegal(const struct tma_swizzle_comparison *comparison, FILE *out) {
    bool heading = false;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (mode->legal)
            continue;
        fprintf(out, "%s  %-21s ", heading ? "" : "\nillegal modes:\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
        tma_write_printable(mode->reason, out);
        fputc('\n', out);
        heading = true;
    }
}

void tma_compare_write_text(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fputs("scenario  ", out);
    tma_write_printable(comparison->scenario, out);
    fputs("\nmachine   ", out);
    tma_write_printable(comparison->machine, out);
    fprintf(out, "%s\n\n",
            tma_timing_note(comparison->timing_validated, comparison->timing_edited,
                            comparison->timing_public));
    write_modes(comparison, out);
    write_draws(comparison, out);
    for (uint32_t i = 0; i < comparison->workload->consumer_count; i++)
        write_consumer(comparison, i, out);
    write_padding(comparison, out);
    write_illegal(comparison, out);
    fprintf(out, "\nrecommendation: %s\n", comparison->recommendation);
}
