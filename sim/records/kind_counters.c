/* Records of kind "counters": what the profiler counted in one launch with all caches flushed. A
 * record agrees if every counter does. A counter differs from launch to launch if slots or SMs race
 * for the lines of a block. Where the least and the most that several launches counted are known,
 * the model's figure must lie between them, and else it must be that of the record. Both hold
 * within 1 % and what a launch adds by itself. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/slots/run.h"
#include "records/record_kind.h"
#include "records/timing_record.h"

/* A column of the records, and the counter of the model that it is compared with. */
struct column {
    const char *name;        /* of the column */
    size_t offset;           /* of the model's counter in struct tma_counters */
    uint32_t launch;         /* what a launch adds to the measured counter */
    uint32_t launch_per_cta; /* what each CTA adds to it */
    bool bank_writes;        /* a count of bank writes: compared for loads only */
};

#define COUNTER(member) offsetof(struct tma_counters, member)

static const struct column columns[] = {
    {"l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld.sum", COUNTER(sm_read_sectors), 0, 0,
     false},
    {"l1tex__m_l1tex2xbar_write_sectors_pipe_tma.sum", COUNTER(sm_write_sectors), 0, 0, false},
    {"lts__t_requests_srcunit_tex.sum", COUNTER(l2_requests), 64, 8, false},
    {"lts__t_sectors_srcunit_tex.sum", COUNTER(l2_sectors), 64, 8, false},
    {"lts__t_sectors_srcunit_tex_lookup_miss.sum", COUNTER(l2_lookup_miss_sectors), 64, 8, false},
    {"lts__d_sectors_fill_device.sum", COUNTER(l2_fill_sectors), 700, 8, false},
    {"dram__sectors_read.sum", COUNTER(dram_read_sectors), 700, 8, false},
    {"l1tex__data_bank_writes.sum", COUNTER(bytes), 2000, 200, true},
};

static bool matches(const struct tma_tsv *records) {
    return tma_tsv_column(records, "scenario") >= 0 &&
           tma_tsv_column(records, "lts__t_requests_srcunit_tex.sum") >= 0;
}

/* Returns the model's value of a counter. Bank writes follow from the bytes that arrive: each
 * writes one bank of 4 bytes. */
static uint64_t predicted(const struct column *column, const struct tma_counters *counters) {
    uint64_t value = *(const uint64_t *)((const char *)counters + column->offset);
    return column->bank_writes ? value / TMA_BANK_BYTES : value;
}

/* What the hardware counted. */
struct range {
    uint64_t least, most;
};

static uint64_t count_cell(const struct tma_tsv *records, size_t row, const char *column,
                           const char *suffix) {
    char name[96];
    snprintf(name, sizeof name, "%s%s", column, suffix);
    return strtoull(tma_tsv_cell(records, row, name), NULL, 10);
}

/* The range of a counter over several launches, if it is known; else the record's own count. */
static struct range measured_range(const struct tma_tsv *records, size_t row, const char *column) {
    const struct tma_tsv *ranges = records->ranges;
    struct range range = {count_cell(records, row, column, ""), 0};
    range.most = range.least;
    if (ranges == NULL)
        return range;
    char least[96];
    snprintf(least, sizeof least, "%s.min", column);
    size_t found = tma_tsv_find_name(ranges, tma_tsv_cell(records, row, "name"));
    if (found < ranges->rows && tma_tsv_column(ranges, least) >= 0)
        range = (struct range){count_cell(ranges, found, column, ".min"),
                               count_cell(ranges, found, column, ".max")};
    return range;
}

/* A launch adds at most `launch` to what the model counts, so the model may be that much below the
 * least count. */
static bool agrees(const struct range *range, uint64_t model, uint64_t launch) {
    uint64_t above = range->most / 100, below = range->least / 100 + launch;
    return model + below >= range->least && model <= range->most + above;
}

static void describe(const struct range *range, const char *column, uint64_t model,
                     struct tma_record_outcome *outcome) {
    if (range->least == range->most)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "%s: measured %" PRIu64 ", model %" PRIu64, column, range->least, model);
    else
        snprintf(outcome->reason, sizeof outcome->reason,
                 "%s: measured %" PRIu64 " to %" PRIu64 ", model %" PRIu64, column, range->least,
                 range->most, model);
}

static void compare(const struct tma_tsv *records, size_t row, const struct tma_workload *workload,
                    const struct tma_counters *counters, struct tma_record_outcome *outcome) {
    bool load = workload->operations[0].operation.direction == TMA_LOAD;
    outcome->verdict = TMA_RECORD_AGREES;
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++) {
        const struct column *column = &columns[i];
        struct range range = measured_range(records, row, column->name);
        uint64_t model = predicted(column, counters);
        uint64_t launch = column->launch + (uint64_t)column->launch_per_cta * workload->cta_count;
        if ((column->bank_writes && !load) || agrees(&range, model, launch))
            continue;
        outcome->verdict = TMA_RECORD_DIFFERS;
        describe(&range, column->name, model, outcome);
        return;
    }
}

static enum tma_error_code replay(const struct tma_machine *machine, const struct tma_tsv *records,
                                  size_t row, struct tma_record_outcome *outcome,
                                  struct tma_error *error) {
    struct tma_workload workload;
    struct tma_result result;
    enum tma_error_code code = tma_timing_record_read(records, row, machine, &workload, error);
    workload.cold = workload.profiled = true;
    if (code == TMA_OK)
        code = tma_run(machine, &workload, NULL, &result, error);
    if (code != TMA_OK)
        return code;
    outcome->simulated_cycles = result.cycles;
    compare(records, row, &workload, &result.counters, outcome);
    return TMA_OK;
}

const struct tma_record_kind tma_kind_counters = {
    .name = "counters",
    .has_ranges = true,
    .matches = matches,
    .replay = replay,
    .cost = tma_timing_record_cost,
};
