#include "report/compare_formats.h"
#include "report/findings_formats.h"
#include "report/json_writer.h"
#include "report/labels.h"

static void write_pass(struct tma_json *json, const struct tma_compared_layout *layout) {
    const struct tma_consumer_report *pass = layout->pass;
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "layout", layout->name);
    tma_json_unsigned(json, "pitch_bytes", layout->tile->pitch_bytes);
    tma_json_unsigned(json, "extra_bytes", layout->extra_bytes);
    tma_json_unsigned(json, "instructions", pass->instructions);
    tma_json_unsigned(json, "ideal_wavefronts", pass->ideal_wavefronts);
    tma_json_unsigned(json, "wavefronts", pass->wavefronts);
    tma_json_unsigned(json, "excess_wavefronts", pass->wavefronts - pass->ideal_wavefronts);
    tma_json_unsigned(json, "banks_used", tma_count_bits(pass->banks_used));
    tma_json_begin_object(json, "worst");
    tma_json_unsigned(json, "ways", pass->worst.ways);
    tma_json_unsigned(json, "instruction", pass->worst_index);
    tma_json_unsigned(json, "bank", pass->worst.worst_bank);
    tma_json_bits(json, "lanes", pass->worst.worst_lanes);
    tma_json_end_object(json);
    tma_json_end_object(json);
}

static void write_consumer(struct tma_json *json, const struct tma_swizzle_comparison *comparison,
                           uint32_t index) {
    const struct tma_consumer *consumer = &comparison->workload->consumers[index];
    struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
    size_t count = tma_compared_layouts(comparison, index, layouts);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "instruction", tma_shared_instruction_info(consumer->instruction)->name);
    tma_json_string(json, "lanes", tma_name_of(&tma_lane_map_names, (int)consumer->lanes));
    tma_json_bool(json, "transposed", consumer->transposed);
    tma_json_unsigned(json, "operation", consumer->operation);
    tma_json_begin_array(json, "layouts");
    for (size_t i = 0; i < count; i++)
        write_pass(json, &layouts[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_mode(struct tma_json *json, const struct tma_compared_mode *mode) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "swizzle", tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
    tma_json_bool(json, "legal", mode->legal);
    if (mode->legal) {
        tma_json_unsigned(json, "cycles", mode->cycles);
        tma_launches_write_json(&mode->draws, json);
        tma_json_unsigned(json, "ideal_wavefronts", mode->ideal_wavefronts);
        tma_json_unsigned(json, "wavefronts", mode->wavefronts);
        tma_json_unsigned(json, "excess_wavefronts", mode->wavefronts - mode->ideal_wavefronts);
        tma_json_unsigned(json, "worst_ways", mode->ways);
        tma_json_unsigned(json, "banks_used", tma_count_bits(mode->banks_used));
        tma_json_decimal(json, "bytes_per_cycle", mode->bytes_per_cycle, 3);
        tma_json_decimal(json, "bytes_per_cycle_per_sm", mode->bytes_per_cycle_per_sm, 3);
    } else {
        tma_json_string(json, "reason", mode->reason);
    }
    tma_json_end_object(json);
}

static void write_padding(struct tma_json *json, const struct tma_compared_padding *padding) {
    tma_json_begin_object(json, NULL);
    tma_json_unsigned(json, "operation", padding->operation);
    tma_json_bool(json, "possible", padding->possible);
    if (padding->possible) {
        tma_json_unsigned(json, "gap_bytes", padding->tile.pitch_bytes - padding->tile.row_bytes);
        tma_json_unsigned(json, "extra_bytes", padding->extra_bytes);
    } else {
        tma_json_string(json, "reason", padding->reason);
    }
    tma_json_end_object(json);
}

void tma_compare_write_json(const struct tma_swizzle_comparison *comparison, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "scenario", comparison->scenario);
    tma_json_string(&json, "machine", comparison->machine);
    tma_json_bool(&json, "timing_validated", comparison->timing_validated);
    tma_json_bool(&json, "timing_edited", comparison->timing_edited);
    if (comparison->timing_public)
        tma_json_bool(&json, "timing_public", true);
    tma_json_begin_array(&json, "modes");
    for (size_t i = 0; i < comparison->mode_count; i++)
        write_mode(&json, &comparison->modes[i]);
    tma_json_end_array(&json);
    tma_json_begin_array(&json, "consumers");
    for (uint32_t i = 0; i < comparison->workload->consumer_count; i++)
        write_consumer(&json, comparison, i);
    tma_json_end_array(&json);
    tma_json_begin_array(&json, "padding");
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++)
        write_padding(&json, &comparison->padding[i]);
    tma_json_end_array(&json);
    if (comparison->best != NULL)
        tma_json_string(&json, "best",
                        tma_name_of(&tma_swizzle_names, (int)comparison->best->swizzle));
    else
        tma_json_null(&json, "best");
    tma_json_string(&json, "recommendation", comparison->recommendation);
    tma_json_end_object(&json);
}
