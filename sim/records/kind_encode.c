/* Records of kind "encode": whether the driver accepts a tensor map, and the 128 bytes that it
 * writes. */
#include <stdio.h>
#include <string.h>

#include "records/map_record.h"
#include "records/record_kind.h"
#include "tensormap/rules.h"

static bool matches(const struct tma_tsv *records) {
    return tma_records_have_maps(records) && strcmp(tma_tsv_cell(records, 0, "op"), "encode") == 0;
}

static void compare_acceptance(const struct tma_tensor_map *map, bool accepted,
                               struct tma_record_outcome *outcome) {
    struct tma_violation violation;
    bool legal = tma_tensor_map_check(map, TMA_SM_90, &violation, 1) == 0;
    if (legal == accepted)
        outcome->verdict = TMA_RECORD_AGREES;
    else if (accepted)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the driver accepts the map, but it breaks rule %s", violation.rule->id);
    else
        snprintf(outcome->reason, sizeof outcome->reason,
                 "the driver rejects the map, but it breaks no rule");
}

static void compare_bytes(const struct tma_tensor_map *map, const struct tma_descriptor *written,
                          struct tma_record_outcome *outcome) {
    struct tma_descriptor encoded;
    tma_descriptor_encode(map, &encoded);
    for (unsigned i = 0; i < TMA_DESCRIPTOR_WORDS; i++) {
        if (encoded.words[i] == written->words[i])
            continue;
        outcome->verdict = TMA_RECORD_DIFFERS;
        snprintf(outcome->reason, sizeof outcome->reason, "word %u: driver %08x, model %08x", i,
                 (unsigned)written->words[i], (unsigned)encoded.words[i]);
        return;
    }
}

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    (void)machine;
    struct tma_tensor_map map;
    struct tma_descriptor written;
    bool accepted = tma_record_is_accepted(records, row);
    outcome->verdict = TMA_RECORD_DIFFERS;
    enum tma_error_code code = tma_map_record_read(records, row, &map, error);
    if (code == TMA_OK && accepted)
        code = tma_descriptor_record_read(records, row, &written, error);
    if (code != TMA_OK)
        return code;
    compare_acceptance(&map, accepted, outcome);
    if (outcome->verdict == TMA_RECORD_AGREES && accepted)
        compare_bytes(&map, &written, outcome);
    return TMA_OK;
}

const struct tma_record_kind tma_kind_encode = {
    .name = "encode", .matches = matches, .replay = replay};
