#include "cli/ablation.h"

#include <math.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/messages.h"
#include "cli/temporary.h"
#include "report/decimal.h"
#include "report/json_writer.h"

enum change {
    RATE, /* a rate becomes ten times as large */
    TIME, /* a time becomes a tenth, but not 0 */
    NONE  /* a time becomes 0 */
};

struct changed {
    size_t offset; /* of a uint32_t in struct tma_machine */
    enum change change;
};

#define CHANGED(member, change)                                                                    \
    { offsetof(struct tma_machine, member), change }

static const struct changed memory[] = {
    CHANGED(tma.row_millicycles, TIME),
    CHANGED(crossbar.request_cycles, TIME),
    CHANGED(crossbar.response_cycles, TIME),
    CHANGED(crossbar.spread_cycles, TIME),
    CHANGED(crossbar.partition_cycles, TIME),
    CHANGED(crossbar.partition_spread_cycles, TIME),
    CHANGED(crossbar.sm_port_bytes_per_kcycle, RATE),
    CHANGED(crossbar.gpc_port_bytes_per_kcycle, RATE),
    CHANGED(crossbar.link_bytes_per_kcycle, RATE),
    CHANGED(l2.lookup_cycles, TIME),
    CHANGED(l2.request_millicycles, TIME),
    CHANGED(l2.line_conflict_millicycles, TIME),
    CHANGED(l2.sector_millicycles, TIME),
    CHANGED(l2.fill_sector_millicycles, TIME),
    CHANGED(l2.fill_flit_millicycles, TIME),
    CHANGED(l2.replay_millicycles, TIME),
    CHANGED(l2.fill_millicycles, TIME),
    CHANGED(l2.write_flit_millicycles, TIME),
    CHANGED(l2.write_request_millicycles, TIME),
    CHANGED(l2.write_sector_millicycles, TIME),
    CHANGED(l2.reduce_sector_millicycles, TIME),
    CHANGED(dram.clock_mhz, RATE),
    CHANGED(dram.trrd_ps, TIME),
    CHANGED(dram.tccd_long_ps, TIME),
    CHANGED(dram.trtw_ps, TIME),
    CHANGED(dram.twtr_ps, TIME),
    CHANGED(dram.access_ps, TIME),
    CHANGED(dram.trcd_ps, TIME),
};
static const struct changed compute[] = {
    CHANGED(sm.mma_half, RATE), CHANGED(sm.mma_tf32, RATE),    CHANGED(sm.mma_byte, RATE),
    CHANGED(sm.mma_fp64, RATE), CHANGED(sm.mma_a_bytes, RATE), CHANGED(sm.mma_b_bytes, RATE),
    CHANGED(sm.alu, RATE),      CHANGED(sm.sfu, RATE),
};
static const struct changed issue[] = {
    CHANGED(warp.wait_cycles, NONE),       CHANGED(warp.wake_cycles, NONE),
    CHANGED(warp.arrive_cycles, NONE),     CHANGED(warp.expect_cycles, NONE),
    CHANGED(warp.issue_cycles, NONE),      CHANGED(warp.commit_cycles, NONE),
    CHANGED(warp.wait_group_cycles, NONE), CHANGED(warp.store_wake_cycles, NONE),
    CHANGED(warp.barrier_cycles, NONE),    CHANGED(warp.spin_cycles, NONE),
    CHANGED(warp.mma_issue_cycles, NONE),  CHANGED(warp.mma_wait_cycles, NONE),
    CHANGED(sm.mma_queue, NONE),
};
static const struct changed launch[] = {
    CHANGED(topology.launch_cycles, NONE),
    CHANGED(warp.start_cycles, NONE),
    CHANGED(warp.fetch_cycles, NONE),
    CHANGED(warp.launch_cycles, NONE),
};

#define PART(name)                                                                                 \
    { #name, name, sizeof(name) / sizeof(name)[0] }
static const struct part {
    const char *name;
    const struct changed *changed;
    size_t count;
} parts[] = {PART(memory), PART(compute), PART(issue), PART(launch)};

enum { PARTS = sizeof parts / sizeof parts[0] };

static struct tma_machine relieve(const struct tma_machine *machine, const struct part *part) {
    struct tma_machine relieved = *machine;
    for (size_t i = 0; i < part->count; i++) {
        uint32_t *value = (uint32_t *)(void *)((char *)&relieved + part->changed[i].offset);
        if (part->changed[i].change == RATE)
            *value = *value > UINT32_MAX / 10 ? UINT32_MAX : *value * 10;
        else if (part->changed[i].change == NONE)
            *value = 0;
        else
            *value = (*value + 9) / 10;
    }
    return relieved;
}

/* What a part does to a family. */
struct effect {
    double time;  /* part of the time that is saved, on average over the records */
    double error; /* mean error without the part */
};

static struct effect effect_of(const struct tma_validation *before,
                               const struct tma_validation *after, uint32_t family) {
    double saved = 0;
    size_t count = 0;
    for (size_t i = 0; i < before->row_count && i < after->row_count; i++) {
        if (before->rows[i].family != family || before->rows[i].predicted <= 0)
            continue;
        saved += 1 - after->rows[i].predicted / before->rows[i].predicted;
        count++;
    }
    return (struct effect){.time = count > 0 ? saved / (double)count : NAN,
                           .error =
                               family < after->family_count ? after->families[family].mape : NAN};
}

static void write_figure(struct tma_json *json, const char *key, double value) {
    if (isnan(value))
        tma_json_null(json, key);
    else
        tma_json_decimal(json, key, value, TMA_DECIMAL_MAX_DIGITS);
}

static void write_json(const struct cli_replay *replay, const struct cli_replay_result *before,
                       const struct cli_replay_result *after, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_begin_array(&json, "ablation");
    for (size_t f = 0; f < replay->options->operands.count; f++) {
        const struct tma_validation *file = &before->validations[f];
        for (uint32_t i = 0; i < file->family_count; i++) {
            tma_json_begin_object(&json, NULL);
            tma_json_string(&json, "file", cli_file_name(replay->options->operands.items[f]));
            tma_json_string(&json, "family", file->families[i].name);
            write_figure(&json, "mape", file->families[i].mape);
            for (size_t p = 0; p < PARTS; p++) {
                struct effect effect = effect_of(file, &after[p].validations[f], i);
                tma_json_begin_object(&json, parts[p].name);
                write_figure(&json, "time_saved", effect.time);
                write_figure(&json, "mape", effect.error);
                tma_json_end_object(&json);
            }
            tma_json_end_object(&json);
        }
    }
    tma_json_end_array(&json);
    tma_json_end_object(&json);
}

static void write_percent(double fraction, FILE *out) {
    fprintf(out, " %6s %%", isnan(fraction) ? "-" : tma_decimal(100 * fraction, 1).text);
}

static void write_text(const struct cli_replay *replay, const struct cli_replay_result *before,
                       const struct cli_replay_result *after, FILE *out) {
    fprintf(out, "%-18s %8s", "family", "error");
    for (size_t p = 0; p < PARTS; p++)
        fprintf(out, "   no %-7s %8s", parts[p].name, "error");
    fputc('\n', out);
    for (size_t f = 0; f < replay->options->operands.count; f++) {
        const struct tma_validation *file = &before->validations[f];
        for (uint32_t i = 0; i < file->family_count; i++) {
            fprintf(out, "%-18s", file->families[i].name);
            write_percent(file->families[i].mape, out);
            for (size_t p = 0; p < PARTS; p++) {
                struct effect effect = effect_of(file, &after[p].validations[f], i);
                fputs("    ", out);
                write_percent(-effect.time, out);
                write_percent(effect.error, out);
            }
            fputc('\n', out);
        }
    }
}

static void free_result(struct cli_replay_result *result, size_t count) {
    for (size_t i = 0; result->validations != NULL && i < count; i++)
        tma_validation_free(&result->validations[i]);
    tma_release(result->validations);
    tma_release(result->draws);
}

bool cli_ablate(const struct cli_replay *replay, const struct cli_replay_result *before, bool json,
                FILE *out) {
    struct cli_replay_result after[PARTS];
    size_t count = replay->options->operands.count;
    bool good = true;
    memset(after, 0, sizeof after);
    for (size_t p = 0; p < PARTS && good && !cli_interrupted(); p++) {
        struct tma_machine machine = relieve(replay->machine, &parts[p]);
        struct cli_replay relieved = *replay;
        relieved.machine = &machine;
        after[p].validations = tma_allocate(count, sizeof *after[p].validations);
        after[p].draws = tma_allocate(count, sizeof *after[p].draws);
        good = after[p].validations != NULL && after[p].draws != NULL;
        if (!good)
            cli_error("out of memory");
        good = good && cli_replay(&relieved, &after[p]) && !after[p].failed;
    }
    if (good && !cli_interrupted())
        (json ? write_json : write_text)(replay, before, after, out);
    for (size_t p = 0; p < PARTS; p++)
        free_result(&after[p], count);
    return good;
}
