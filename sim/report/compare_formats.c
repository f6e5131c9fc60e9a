#include "report/compare_formats.h"

#include <inttypes.h>

enum { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN, FORMAT_SVG, FORMAT_COUNT };

static void (*const writers[FORMAT_COUNT])(const struct tma_comparison *, FILE *) = {
    [FORMAT_TEXT] = tma_compare_write_text, [FORMAT_JSON] = tma_compare_write_json,
    [FORMAT_CSV] = tma_compare_write_csv,   [FORMAT_MARKDOWN] = tma_compare_write_markdown,
    [FORMAT_SVG] = tma_compare_write_svg,
};

static const struct tma_name names[FORMAT_COUNT] = {{"text", FORMAT_TEXT},
                                                    {"json", FORMAT_JSON},
                                                    {"csv", FORMAT_CSV},
                                                    {"markdown", FORMAT_MARKDOWN},
                                                    {"svg", FORMAT_SVG}};

const struct tma_names tma_comparison_format_names = {"format", names, FORMAT_COUNT};

void tma_comparison_write(const struct tma_comparison *comparison, int format, FILE *out) {
    writers[format](comparison, out);
}

uint32_t tma_count_bits(uint32_t bits) {
    uint32_t count = 0;
    for (; bits != 0; bits &= bits - 1)
        count++;
    return count;
}

const char *tma_compared_caveat(const struct tma_comparison *comparison) {
    return comparison->timing_validated
               ? ""
               : " (timing not validated: no record of a real one was compared)";
}

struct tma_bit_list tma_bit_list(uint32_t bits) {
    struct tma_bit_list list = {.text = "none"};
    size_t length = 0;
    for (uint32_t bit = 0; bit < 32; bit++) {
        uint32_t first = bit;
        while (bit < 32 && (bits >> bit & 1) != 0)
            bit++;
        if (bit == first)
            continue;
        length += (size_t)snprintf(list.text + length, sizeof list.text - length,
                                   bit - first > 1 ? "%s%" PRIu32 "-%" PRIu32 : "%s%" PRIu32,
                                   length == 0 ? "" : ", ", first, bit - 1);
    }
    return list;
}

size_t tma_compared_layouts(const struct tma_comparison *comparison, uint32_t consumer,
                            struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1]) {
    size_t count = 0;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal)
            continue;
        layouts[count] = (struct tma_compared_layout){
            .mode = mode, .tile = &mode->tiles[consumer], .pass = &mode->passes[consumer]};
        snprintf(layouts[count++].name, sizeof layouts->name, "%s",
                 tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
    }
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++) {
        const struct tma_compared_padding *padding = &comparison->padding[i];
        if (!padding->possible ||
            padding->operation != comparison->workload->consumers[consumer].operation)
            continue;
        layouts[count] = (struct tma_compared_layout){.tile = &padding->tile,
                                                      .pass = &padding->passes[consumer],
                                                      .extra_bytes = padding->extra_bytes};
        snprintf(layouts[count++].name, sizeof layouts->name, "none+%" PRIu32,
                 padding->tile.pitch_bytes - padding->tile.row_bytes);
    }
    return count;
}

struct tma_consumer_label tma_consumer_label(const struct tma_consumer *consumer) {
    struct tma_consumer_label label;
    snprintf(label.text, sizeof label.text, "%s%s, lanes %s, tile of operation %" PRIu32,
             tma_shared_instruction_info(consumer->instruction)->name,
             consumer->transposed ? ".trans" : "",
             tma_name_of(&tma_lane_map_names, (int)consumer->lanes), consumer->operation);
    return label;
}
