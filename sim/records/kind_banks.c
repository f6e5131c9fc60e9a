/* Records of kind "banks": the wavefronts and bank conflicts that the profiler counted for one warp
 * instruction on shared memory. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "banks/banks.h"
#include "records/record_kind.h"

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "lane_address") >= 0 &&
           tma_tsv_column(records, "wavefronts") >= 0;
}

/* Parses an instruction of a record, which has "ld.b32" for ld.shared.b32. Ignores .trans at the
 * end: it does not change which bytes are accessed. */
static bool parse_instruction(const char *text, enum tma_shared_instruction *instruction) {
    char name[40];
    int value;
    bool matrix = strstr(text, "matrix") != NULL;
    size_t head = strcspn(text, "."), whole = strlen(text);
    const char *trans = strstr(text, ".trans");
    if (trans != NULL)
        whole = (size_t)(trans - text);
    snprintf(name, sizeof name, "%.*s%s%.*s", (int)head, text, matrix ? "" : ".shared",
             (int)(whole - head), text + head);
    if (!tma_value_of(&tma_shared_instruction_names, name, &value))
        return false;
    *instruction = (enum tma_shared_instruction)value;
    return true;
}

static bool parse_access(const struct tma_tsv *records, size_t row,
                         struct tma_warp_access *access) {
    int64_t addresses[TMA_WARP_LANES];
    if (!parse_instruction(tma_tsv_cell(records, row, "instruction"), &access->instruction) ||
        tma_parse_list(tma_tsv_cell(records, row, "lane_address"), addresses, TMA_WARP_LANES) !=
            TMA_WARP_LANES)
        return false;
    for (size_t lane = 0; lane < TMA_WARP_LANES; lane++)
        access->address[lane] = (uint32_t)addresses[lane];
    access->lane_mask = (uint32_t)strtoul(tma_tsv_cell(records, row, "lane_mask"), NULL, 16);
    return true;
}

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    (void)machine, (void)error;
    struct tma_warp_access access;
    if (!parse_access(records, row, &access)) {
        snprintf(outcome->reason, sizeof outcome->reason,
                 "unknown instruction, or malformed addresses");
        return TMA_OK; /* skipped */
    }
    struct tma_bank_report report = tma_bank_conflicts(&access);
    unsigned long wavefronts = strtoul(tma_tsv_cell(records, row, "wavefronts"), NULL, 10);
    unsigned long conflicts = report.bank_conflicts; /* for records of wavefronts alone */
    if (tma_tsv_column(records, "bank_conflicts") >= 0)
        conflicts = strtoul(tma_tsv_cell(records, row, "bank_conflicts"), NULL, 10);
    bool agrees = report.wavefronts == wavefronts && report.bank_conflicts == conflicts;
    outcome->verdict = agrees ? TMA_RECORD_AGREES : TMA_RECORD_DIFFERS;
    if (!agrees)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "measured %lu wavefronts and %lu conflicts, model %u and %u", wavefronts,
                 conflicts, report.wavefronts, report.bank_conflicts);
    return TMA_OK;
}

const struct tma_record_kind tma_kind_banks = {
    .name = "banks", .matches = matches, .replay = replay};
