/* Records of kind "convert": how loads convert 32-bit floating-point values, by data type. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "placement/execute.h"
#include "records/record_kind.h"

static const struct {
    const char *column;
    enum tma_data_type type;
} types[] = {{"FLOAT32", TMA_FLOAT32},
             {"FLOAT32_FTZ", TMA_FLOAT32_FTZ},
             {"TFLOAT32", TMA_TFLOAT32},
             {"TFLOAT32_FTZ", TMA_TFLOAT32_FTZ}};

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "in") >= 0 && tma_tsv_column(records, "TFLOAT32") >= 0;
}

/* Loads a tensor of four words that begins with `word`. Returns the first word of the tile. */
static uint32_t load_word(enum tma_data_type type, uint32_t word) {
    uint8_t tensor[16] = {0}, tile[16] = {0};
    const struct tma_tensor_map map = {.kind = TMA_MAP_TILED,
                                       .data_type = type,
                                       .rank = 1,
                                       .global_dim = {4},
                                       .box_dim = {4},
                                       .element_strides = {1}};
    const struct tma_operation load = {.direction = TMA_LOAD};
    const struct tma_global_memory global = {.bytes = tensor, .size = sizeof tensor};
    const struct tma_shared_memory shared = {.bytes = tile, .size = sizeof tile};
    memcpy(tensor, &word, sizeof word);
    tma_execute(&map, &load, &global, &shared, 1, NULL, NULL);
    memcpy(&word, tile, sizeof word);
    return word;
}

static uint32_t hex_cell(const struct tma_tsv *records, size_t row, const char *column) {
    return (uint32_t)strtoul(tma_tsv_cell(records, row, column), NULL, 16);
}

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    (void)machine, (void)error;
    uint32_t in = hex_cell(records, row, "in");
    outcome->verdict = TMA_RECORD_AGREES;
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        uint32_t measured = hex_cell(records, row, types[i].column);
        uint32_t model = load_word(types[i].type, in);
        if (measured == model)
            continue;
        outcome->verdict = TMA_RECORD_DIFFERS;
        snprintf(outcome->reason, sizeof outcome->reason, "%s: measured %08x, model %08x",
                 types[i].column, measured, model);
        break;
    }
    return TMA_OK;
}

const struct tma_record_kind tma_kind_convert = {
    .name = "convert", .matches = matches, .replay = replay};
