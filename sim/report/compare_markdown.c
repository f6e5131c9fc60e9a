#include <inttypes.h>

#include "report/compare_formats.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/labels.h"

static void write_modes(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fputs("| swizzle | cycles | ideal wavefronts | wavefronts | excess | ways | banks | "
          "bytes/cycle/SM |\n| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n",
          out);
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        const char *bold = mode == comparison->best ? "**" : "";
        if (mode->legal)
            fprintf(out,
                    "| %s%s%s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | %" PRIu32
                    " | %" PRIu32 " | %s |\n",
                    bold, tma_name_of(&tma_swizzle_names, (int)mode->swizzle), bold, mode->cycles,
                    mode->ideal_wavefronts, mode->wavefronts,
                    mode->wavefronts - mode->ideal_wavefronts, mode->ways,
                    tma_count_bits(mode->banks_used),
                    tma_decimal(mode->bytes_per_cycle_per_sm, 2).text);
    }
}

static void write_consumer(const struct tma_swizzle_comparison *comparison, uint32_t consumer,
                           FILE *out) {
    struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
    size_t count = tma_compared_layouts(comparison, consumer, layouts);
    fprintf(out,
            "\nConsumer %" PRIu32 ": %s\n\n"
            "| layout | ideal | wavefronts | excess | worst access | extra bytes per stage |\n"
            "| --- | ---: | ---: | ---: | --- | ---: |\n",
            consumer, tma_consumer_label(&comparison->workload->consumers[consumer]).text);
    for (size_t i = 0; i < count; i++) {
        const struct tma_consumer_report *pass = layouts[i].pass;
        fprintf(out, "| %s | %" PRIu64 " | %" PRIu64 " | %" PRIu64 " | ", layouts[i].name,
                pass->ideal_wavefronts, pass->wavefronts,
                pass->wavefronts - pass->ideal_wavefronts);
        if (pass->worst.ways > 1)
            fprintf(out, "%" PRIu32 "-way: instruction %" PRIu64 ", lanes %s, bank %" PRIu32,
                    pass->worst.ways, pass->worst_index, tma_bit_list(pass->worst.worst_lanes).text,
                    pass->worst.worst_bank);
        else
            fputs("no conflict", out);
        fprintf(out, " | %" PRIu32 " |\n", layouts[i].extra_bytes);
    }
}

static void write_illegal(const struct tma_swizzle_comparison *comparison, FILE *out) {
    bool heading = false;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (mode->legal)
            continue;
        fprintf(out, "%s| %s | ",
                heading ? "" : "\n| illegal mode | broken rule |\n| --- | --- |\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
        tma_write_markdown(mode->reason, out);
        fputs(" |\n", out);
        heading = true;
    }
}

void tma_compare_write_markdown(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fputs("**", out);
    tma_write_markdown(comparison->scenario, out);
    fputs("** on ", out);
    tma_write_markdown(comparison->machine, out);
    fprintf(out, "%s\n\n",
            tma_timing_note(comparison->timing_validated, comparison->timing_edited,
                            comparison->timing_public));
    write_modes(comparison, out);
    for (uint32_t i = 0; i < comparison->workload->consumer_count; i++)
        write_consumer(comparison, i, out);
    write_illegal(comparison, out);
    fputs("\nRecommendation: ", out);
    tma_write_markdown(comparison->recommendation, out);
    fputs(".\n", out);
}
