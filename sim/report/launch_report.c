#include "report/launch_report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/printable.h"
#include "report/decimal.h"
#include "report/first_screen.h"
#include "report/sampled.h"
#include "report/text_line.h"

const struct tma_names tma_launch_failure_names =
    TMA_NAMES("end of a launch", {"completed", TMA_PTX_COMPLETED}, {"fault", TMA_PTX_FAULT},
              {"deadlock", TMA_PTX_DEADLOCK}, {"opaque value", TMA_PTX_OPAQUE},
              {"unknown instruction", TMA_PTX_UNKNOWN_INSTRUCTION},
              {"too many instructions", TMA_PTX_RUNAWAY});

enum { MOST_TEXT_LINES = 10, LABEL_WIDTH = 20 /* of tma_text_label */ };

uint32_t tma_launch_report_errors(const struct tma_ptx_result *result) {
    uint32_t errors = 0;
    for (uint32_t i = 0; i < result->finding_count; i++)
        errors += strcmp(result->findings[i].kind, "note") != 0;
    return errors;
}

const char *tma_launch_report_name(const struct tma_launch_report *report) {
    const struct tma_prepared *prepared = report->prepared;
    const char *name = prepared->launch->name;
    return name != NULL ? name : prepared->module->functions[prepared->execution.function].name;
}

/* The source line of an instruction; line 0: unknown. */
static struct tma_ptx_place source_of(const struct tma_ptx_module *module, uint32_t instruction) {
    return instruction < module->instruction_count
               ? module->places[module->instructions[instruction].source]
               : (struct tma_ptx_place){0};
}

static const char *file_of(const struct tma_ptx_module *module, const struct tma_ptx_place *place) {
    const char *name = place->file < module->file_count ? module->files[place->file] : NULL;
    return name == NULL ? "" : name;
}

static void write_place(const struct tma_launch_report *report, uint32_t instruction, FILE *out) {
    const struct tma_ptx_module *module = report->prepared->module;
    const struct tma_ptx_place place = source_of(module, instruction);
    tma_write_printable(report->ptx_name, out);
    fprintf(out, ":%" PRIu32 ":%" PRIu32, module->instructions[instruction].line,
            module->instructions[instruction].column);
    if (place.line == 0)
        return;
    fputs(" (", out);
    tma_write_printable(file_of(module, &place), out);
    fprintf(out, ":%" PRIu32 ")", place.line);
}

/* "3 loads of 13.0 GB". */
static void write_count(const char *joint, uint64_t count, const char *what, uint64_t bytes,
                        FILE *out) {
    fprintf(out, "%s%s %s%s of %s", joint, tma_grouped(count).text, what, count == 1 ? "" : "s",
            tma_bytes_text((double)bytes).text);
}

static void write_tma(const struct tma_ptx_result *result, FILE *out) {
    tma_text_label("TMA", out);
    write_count("", result->tma_loads, "load", result->tma_load_bytes, out);
    write_count(", ", result->tma_stores, "store", result->tma_store_bytes, out);
    fprintf(out, ", %s reductions, %s prefetches\n", tma_grouped(result->tma_reductions).text,
            tma_grouped(result->tma_prefetches).text);
}

static void write_shared(const struct tma_ptx_result *result, FILE *out) {
    tma_text_line(
        out, "shared memory", "%s loads in %s wavefronts, %s stores in %s",
        tma_grouped(result->shared_loads).text, tma_grouped(result->shared_load_wavefronts).text,
        tma_grouped(result->shared_stores).text, tma_grouped(result->shared_store_wavefronts).text);
}

/* Figures of instructions, from the largest one down, without sorting them. */
struct descent {
    uint64_t (*figure)(const struct tma_launch_report *report, uint32_t instruction);
    uint64_t value; /* of `instruction`, the last one */
    uint32_t instruction;
};

/* Moves on to the instruction with the next smaller figure; of equal ones, to the next one. False:
 * there is none with more than 0. */
static bool descend(const struct tma_launch_report *report, struct descent *descent) {
    uint64_t most = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < report->prepared->module->instruction_count; i++) {
        uint64_t value = descent->figure(report, i);
        bool left = value < descent->value || (value == descent->value && i > descent->instruction);
        if (left && value > most) {
            most = value;
            best = i;
        }
    }
    descent->value = most;
    descent->instruction = best;
    return most > 0;
}

static uint64_t excess_of(const struct tma_launch_report *report, uint32_t instruction) {
    const struct tma_ptx_line *line = &report->result->lines[instruction];
    return line->wavefronts - line->ideal_wavefronts;
}

/* The instructions with the most bank conflicts. */
static void write_conflicts(const struct tma_launch_report *report, FILE *out) {
    struct descent descent = {.figure = excess_of, .value = UINT64_MAX};
    uint32_t written = 0;
    for (; written < MOST_TEXT_LINES && descend(report, &descent); written++) {
        tma_text_label(written == 0 ? "bank conflicts" : "", out);
        const struct tma_ptx_line *line = &report->result->lines[descent.instruction];
        fprintf(out, "%s of %s wavefronts, %s ways on average: ", tma_grouped(descent.value).text,
                tma_grouped(line->wavefronts).text,
                tma_decimal(tma_ratio((double)line->wavefronts, (double)line->ideal_wavefronts), 1)
                    .text);
        write_place(report, descent.instruction, out);
        fputc('\n', out);
    }
    if (written > 0)
        return;
    tma_text_line(out, "bank conflicts", "none");
}

struct tma_access_figures tma_launch_accesses_of(const struct tma_launch_report *report,
                                                 uint32_t instruction) {
    const struct tma_ptx_line *line = &report->result->lines[instruction];
    return (struct tma_access_figures){.accesses = line->executions,
                                       .sectors = line->sectors,
                                       .ideal = line->ideal_sectors,
                                       .repeats = line->repeats};
}

static uint64_t excess_sectors_of(const struct tma_launch_report *report, uint32_t instruction) {
    const struct tma_ptx_line *line = &report->result->lines[instruction];
    return line->sectors - line->ideal_sectors;
}

static uint64_t repeats_of(const struct tma_launch_report *report, uint32_t instruction) {
    return report->result->lines[instruction].repeats;
}

/* The instructions whose accesses to global memory cost more than they have to, the worst first. */
static void write_access_findings(const struct tma_launch_report *report, FILE *out) {
    char text[TMA_ACCESS_FINDING_BYTES];
    for (int i = 0; i < TMA_ACCESS_FINDINGS; i++) {
        enum tma_access_finding finding = (enum tma_access_finding)i;
        struct descent descent = {.figure = finding == TMA_ACCESS_UNCOALESCED ? excess_sectors_of
                                                                              : repeats_of,
                                  .value = UINT64_MAX};
        for (uint32_t written = 0; written < MOST_TEXT_LINES && descend(report, &descent);) {
            struct tma_access_figures figures = tma_launch_accesses_of(report, descent.instruction);
            if (!tma_access_finding_text(finding, &figures, text))
                continue;
            tma_text_label(written++ == 0 ? tma_access_finding_name(finding) : "", out);
            write_place(report, descent.instruction, out);
            fprintf(out, ": %s\n", text);
        }
    }
}

/* ---- time ---- */

static uint64_t cycles_of(const struct tma_launch_report *report, uint32_t instruction) {
    return tma_core_stall_sum(report->timing->line_stalls[instruction]);
}

#define NAME(name) #name,
const char *const tma_launch_busy_keys[TMA_LAUNCH_BUSY_COUNT] = {TMA_LAUNCH_BUSY(NAME)};
#undef NAME

double tma_launch_busy_percent(const struct tma_machine *machine,
                               const struct tma_core_result *timing, enum tma_launch_busy part) {
    const struct tma_memory_counters *memory = &timing->memory;
    double cycles = (double)timing->cycles, sms = cycles * timing->sms;
    const struct {
        uint64_t busy;
        double whole;
    } parts[TMA_LAUNCH_BUSY_COUNT] = {
        [TMA_BUSY_issue_slots] = {timing->issue_slots, sms * TMA_SCHEDULERS},
        [TMA_BUSY_tensor_cores] = {timing->tensor_cycles, sms},
        [TMA_BUSY_shared_memory] = {memory->shared_busy, sms},
        [TMA_BUSY_lsu] = {memory->lsu_busy, sms},
        [TMA_BUSY_l1_misses] = {memory->l1_miss_cycles, sms * machine->l1.misses},
        [TMA_BUSY_dsmem] = {memory->dsmem_busy, sms},
        [TMA_BUSY_l2] = {memory->slice_busy, cycles * machine->l2.slices},
        [TMA_BUSY_atomics] = {memory->atomic_busy, cycles},
        [TMA_BUSY_dram] = {memory->bus_busy, cycles * machine->dram.channels}};
    return tma_percentage((double)parts[part].busy, parts[part].whole);
}

static struct tma_decimal busy(const struct tma_launch_report *report, enum tma_launch_busy part) {
    return tma_decimal(tma_launch_busy_percent(report->machine, report->timing, part), 1);
}

static struct tma_clock_figures clock_of(const struct tma_launch_report *report) {
    struct tma_activity activity =
        tma_launch_activity(report->timing, report->prepared->launch->data);
    return tma_clock_figures_of(report->machine, &activity, report->sm_clock_mhz);
}

struct tma_launch_comparison tma_launch_compare(const struct tma_launch_report *report) {
    const struct tma_launch_measured *measured = report->measured;
    const struct tma_core_result *timing = report->timing;
    double cycles = (double)(timing->cycles + timing->launch_cycles), ns = (double)measured->ns;
    if (measured->cycles > 0) {
        double mhz = (double)measured->cycles * 1000 / ns;
        return (struct tma_launch_comparison){
            .measured_ns = ns,
            .predicted_ns = cycles * 1000 / mhz,
            .measured_mhz = mhz,
            .predicted_mhz = mhz,
            .error_percent =
                tma_percentage(cycles - (double)measured->cycles, (double)measured->cycles)};
    }
    struct tma_clock_figures clock = clock_of(report);
    double launch = (double)timing->launch_cycles * 1000 / report->machine->sm_clock_mhz,
           predicted = clock.ns + launch;
    return (struct tma_launch_comparison){.measured_ns = ns,
                                          .predicted_ns = predicted,
                                          .measured_mhz = (double)measured->launch_mhz,
                                          .predicted_mhz = clock.mhz,
                                          .error_percent = tma_percentage(predicted - ns, ns)};
}

/* Of what all tensor cores of the machine would compute in the time of the launch, at the clock
 * that was simulated. */
static double percent_of_peak(const struct tma_launch_report *report,
                              const struct tma_clock_figures *clock) {
    double all = (double)report->timing->cycles * report->machine->sm_count;
    return tma_percentage((double)report->timing->tensor_cycles, all * clock->slowdown);
}

void tma_launch_sampled_json(const struct tma_core_result *timing, struct tma_json *json) {
    tma_json_begin_line(json, "sampled");
    tma_estimate_write_json(timing->sampled_cycles, timing->error_cycles, timing->cycles, json);
    if (timing->refused_cycles > 0)
        tma_refused_write_json(timing->refused_error_cycles, timing->refused_cycles, json);
    tma_json_end_object(json);
}

struct tma_tune_limiter tma_launch_limiter_of(const struct tma_machine *machine,
                                              const struct tma_core_result *timing) {
    double percents[TMA_LAUNCH_BUSY_COUNT];
    size_t most = 0, wait = TMA_STALL_NONE + 1;
    for (size_t i = 0; i < TMA_LAUNCH_BUSY_COUNT; i++) {
        percents[i] = tma_launch_busy_percent(machine, timing, (enum tma_launch_busy)i);
        most = percents[i] > percents[most] ? i : most;
    }
    for (size_t i = wait; i < TMA_STALL_COUNT; i++)
        wait = timing->stalls[i] > timing->stalls[wait] ? i : wait;
    struct tma_tune_limiter limiter = {
        .busy = percents[most] / 100,
        .waited = tma_percentage((double)timing->stalls[wait],
                                 (double)tma_core_stall_sum(timing->stalls)) /
                  100};
    snprintf(limiter.busiest, sizeof limiter.busiest, "%s", tma_launch_busy_keys[most]);
    snprintf(limiter.wait, sizeof limiter.wait, "%s",
             tma_core_stall_key((enum tma_core_stall)wait));
    return limiter;
}

/* What a relief saves, in percent of the time: less than 0 where it costs time. */
static double saved_percent(const struct tma_launch_report *report, size_t relief) {
    double cycles = (double)report->timing->cycles;
    return tma_percentage(cycles - (double)report->relieved[relief].cycles, cycles);
}

/* The stalls of a line or of all, the longest first. */
static void write_stalls(const uint64_t *stalls, double whole, double least, FILE *out) {
    bool written[TMA_STALL_COUNT] = {false}, any = false;
    for (int n = 0; n < TMA_STALL_COUNT; n++) {
        int best = -1;
        for (int i = 0; i < TMA_STALL_COUNT; i++)
            if (!written[i] && stalls[i] > 0 && (best < 0 || stalls[i] > stalls[best]))
                best = i;
        if (best < 0 || tma_percentage((double)stalls[best], whole) < least)
            break;
        written[best] = true;
        fprintf(out, "%s%s %s %%", any ? ", " : "", tma_core_stall_text((enum tma_core_stall)best),
                tma_decimal(tma_percentage((double)stalls[best], whole), 1).text);
        any = true;
    }
    fputs(any ? "\n" : "none\n", out);
}

static const char *opcode_of(const struct tma_launch_report *report, uint32_t instruction) {
    return tma_ptx_opcode_name(
        (enum tma_ptx_opcode)report->prepared->module->instructions[instruction].opcode);
}

/* The mbarrier that is waited for, or the first and the last one. */
static void write_barriers(const struct tma_launch_report *report, const struct tma_core_wait *wait,
                           FILE *out) {
    enum { MBARRIER_BYTES = 8 };
    const struct tma_ptx_launch *launch = &report->prepared->execution;
    uint32_t last = wait->barrier_end - MBARRIER_BYTES;
    char name[TMA_PTX_SHARED_NAME_BYTES];
    tma_ptx_shared_name(launch->module, launch->function, wait->first_barrier, name);
    fprintf(out, ", mbarrier%s %s", last > wait->first_barrier ? "s" : "", name);
    if (last == wait->first_barrier)
        return;
    tma_ptx_shared_name(launch->module, launch->function, last, name);
    fprintf(out, " to %s", name);
}

/* What warps wait for at an instruction: instructions, mbarriers, pipes; the most first. */
static void write_causes(const struct tma_launch_report *report, uint32_t instruction, double whole,
                         FILE *out) {
    const double least = 1; /* percent */
    const struct tma_core_wait *wait = &report->timing->waits[instruction];
    bool written[TMA_CORE_CAUSES] = {false}, any = false;
    for (int n = 0; n < TMA_CORE_CAUSES; n++) {
        int best = -1;
        for (int i = 0; i < TMA_CORE_CAUSES; i++)
            if (!written[i] && (best < 0 || wait->causes[i].cycles > wait->causes[best].cycles))
                best = i;
        double percent = tma_percentage((double)wait->causes[best].cycles, whole);
        if (percent < least)
            break;
        written[best] = true;
        fprintf(out, "%*s%s %s %% for %s at ", any ? 0 : LABEL_WIDTH + 4, "", any ? "," : "",
                tma_decimal(percent, 1).text, opcode_of(report, wait->causes[best].instruction));
        write_place(report, wait->causes[best].instruction, out);
        any = true;
    }
    if (any && wait->barrier_end > 0)
        write_barriers(report, wait, out);
    for (int i = 0; i < TMA_PIPE_COUNT; i++) {
        double percent = tma_percentage((double)wait->pipes[i], whole);
        if (percent < least)
            continue;
        fprintf(out, "%*s%s %s %% for the %s pipe", any ? 0 : LABEL_WIDTH + 4, "", any ? "," : "",
                tma_decimal(percent, 1).text, tma_pipe_name((enum tma_pipe)i));
        any = true;
    }
    if (any)
        fputc('\n', out);
}

/* The instructions at which warps spend most of their time. */
static void write_lines(const struct tma_launch_report *report, FILE *out) {
    const struct tma_core_result *timing = report->timing;
    double whole = (double)tma_core_stall_sum(timing->stalls);
    struct descent descent = {.figure = cycles_of, .value = UINT64_MAX};
    for (uint32_t written = 0; written < MOST_TEXT_LINES && descend(report, &descent); written++) {
        double percent = tma_percentage((double)descent.value, whole);
        if (percent < 1)
            break;
        tma_text_label(written == 0 ? "time by line" : "", out);
        fprintf(out, "%s %% ", tma_decimal(percent, 1).text);
        write_place(report, descent.instruction, out);
        fputs(": ", out);
        write_stalls(timing->line_stalls[descent.instruction], whole, 0.5, out);
        write_causes(report, descent.instruction, whole, out);
    }
}

/* What ptxas does to the kernel, and because of which line. */
static void write_notes(const struct tma_launch_report *report, FILE *out) {
    for (uint32_t i = 0; i < report->timing->note_count; i++) {
        const struct tma_core_note *note = &report->timing->notes[i];
        tma_text_label(note->spills ? "spills" : "serialised", out);
        if (note->spills)
            fprintf(out, "%" PRIu32 " bytes of a thread go through local memory, from ",
                    note->count);
        else
            fprintf(out,
                    "%" PRIu32 " matrix product%s do%s not overlap (ptxas: C7514, C7515), from ",
                    note->count, note->count == 1 ? "" : "s", note->count == 1 ? "es" : "");
        write_place(report, note->instruction, out);
        if (note->reason < report->prepared->module->instruction_count) {
            fputs(note->spills ? "; most registers are live at "
                               : "; an accumulator is written in between at ",
                  out);
            write_place(report, note->reason, out);
        }
        fputc('\n', out);
    }
}

static void write_measured(const struct tma_launch_report *report, FILE *out) {
    const struct tma_core_result *timing = report->timing;
    struct tma_launch_comparison compared = tma_launch_compare(report);
    tma_text_label("measured", out);
    if (report->measured->cycles > 0) {
        fprintf(out, "%s cycles with the launch; predicted with it %s",
                tma_grouped(report->measured->cycles).text,
                tma_grouped(timing->cycles + timing->launch_cycles).text);
    } else {
        fprintf(out, "%s us with the launch", tma_decimal(compared.measured_ns / 1000, 2).text);
        if (compared.measured_mhz > 0)
            fprintf(out, " at %s MHz", tma_decimal(compared.measured_mhz, 0).text);
        fprintf(out, "; predicted with it %s us at %s MHz",
                tma_decimal(compared.predicted_ns / 1000, 2).text,
                tma_decimal(compared.predicted_mhz, 0).text);
    }
    fprintf(out, ", %s%s %%\n", compared.error_percent < 0 ? "" : "+",
            tma_decimal(compared.error_percent, 1).text);
}

/* What most likely limits a launch of which nothing was tried. */
static bool likely_text(const struct tma_launch_report *report,
                        char text[TMA_LAUNCH_SENTENCE_BYTES]) {
    static const char *const names[TMA_LAUNCH_BUSY_COUNT] = {
        [TMA_BUSY_issue_slots] = "issue slots",
        [TMA_BUSY_tensor_cores] = "tensor cores",
        [TMA_BUSY_shared_memory] = "shared memory",
        [TMA_BUSY_lsu] = "load/store units",
        [TMA_BUSY_l1_misses] = "L1's misses",
        [TMA_BUSY_dsmem] = "links between SMs",
        [TMA_BUSY_l2] = "L2 slices",
        [TMA_BUSY_atomics] = "atomics in L2",
        [TMA_BUSY_dram] = "DRAM"};
    struct tma_cause_share shares[TMA_LAUNCH_BUSY_COUNT];
    for (int i = 0; i < TMA_LAUNCH_BUSY_COUNT; i++)
        shares[i] = (struct tma_cause_share){
            .text = names[i],
            .tenths = (uint32_t)(10 * tma_launch_busy_percent(report->machine, report->timing,
                                                              (enum tma_launch_busy)i) +
                                 0.5)};
    tma_likely_text(shares, TMA_LAUNCH_BUSY_COUNT, text);
    return text[0] != '\0';
}

bool tma_launch_limit_text(const struct tma_launch_report *report, uint32_t number,
                           char text[TMA_LAUNCH_SENTENCE_BYTES]) {
    const char *why = "--why runs it again with one part of the machine better at a time";
    uint32_t sentences = report->tried && report->limit_count > 0 ? report->limit_count : 1;
    size_t end = 0;
    if (number == sentences && !report->tried)
        return likely_text(report, text);
    if (number == sentences && report->untried_count > 0) {
        for (uint32_t i = 0; i < report->untried_count; i++)
            end += (size_t)snprintf(text + end, TMA_LAUNCH_SENTENCE_BYTES - end, "%s%s",
                                    i == 0 ? "not tried: " : ", ", report->untried[i]);
        snprintf(text + end, TMA_LAUNCH_SENTENCE_BYTES - end, "; --why tries all");
        return true;
    }
    if (number >= sentences)
        return false;
    if (!report->tried) {
        snprintf(text, TMA_LAUNCH_SENTENCE_BYTES, "not tried%s; %s",
                 report->too_long ? ", because this launch is long" : "", why);
    } else if (report->limit_count == 0) {
        snprintf(
            text, TMA_LAUNCH_SENTENCE_BYTES, "%s",
            report->untried_count == 0
                ? "no one part: none, 10 % better, saves 1 % of the time"
                : "none of the parts that were tried: none, 10 % better, saves 1 % of the time");
    } else {
        const struct tma_launch_limit *limit = &report->limits[number];
        snprintf(text, TMA_LAUNCH_SENTENCE_BYTES, "%s: %s would save %s %% of the time",
                 limit->name, limit->change,
                 tma_decimal(
                     tma_percentage((double)limit->saved_cycles, (double)report->timing->cycles), 1)
                     .text);
    }
    return true;
}

/* What warps did in global memory, and in shared memory of other CTAs: how busy its units were,
 * each with what its percentage divides. */
static void write_accesses(const struct tma_launch_report *report, FILE *out) {
    const struct tma_memory_counters *memory = &report->timing->memory;
    double touched = (double)(memory->access_sectors * TMA_SECTOR_BYTES);
    if (memory->accesses > 0) {
        tma_text_line(
            out, "accesses",
            "%s of warps to %s sectors, %s each, %s %% of whose bytes are not "
            "used (over-fetch); load/store units busy for %s %% of the time of SMs with CTAs",
            tma_grouped(memory->accesses).text, tma_grouped(memory->access_sectors).text,
            tma_decimal(tma_ratio((double)memory->access_sectors, (double)memory->accesses), 1)
                .text,
            tma_decimal(100 - tma_percentage((double)memory->access_bytes, touched), 1).text,
            busy(report, TMA_BUSY_lsu).text);
    }
    if (memory->l1_sectors > 0) {
        tma_text_line(
            out, "L1",
            "%s of %s loaded sectors were there (%s %%); %s of %" PRIu32
            " requests on their way, on average",
            tma_grouped(memory->l1_hit_sectors).text, tma_grouped(memory->l1_sectors).text,
            tma_decimal(tma_percentage((double)memory->l1_hit_sectors, (double)memory->l1_sectors),
                        1)
                .text,
            tma_decimal(
                tma_launch_busy_percent(report->machine, report->timing, TMA_BUSY_l1_misses) *
                    report->machine->l1.misses / 100,
                1)
                .text,
            report->machine->l1.misses);
    }
    if (memory->dsmem_flits > 0) {
        tma_text_line(out, "DSMEM",
                      "%s accesses of warps, with copies %s; links between SMs busy for %s %% of "
                      "the time, in their busier direction",
                      tma_grouped(memory->dsmem_accesses).text,
                      tma_bytes_text((double)memory->dsmem_bytes).text,
                      busy(report, TMA_BUSY_dsmem).text);
    }
    if (memory->atomic_busy > 0) {
        tma_text_line(
            out, "atomics",
            "reductions and atomics keep the L2 slice with most of them busy for %s %% of the "
            "time; %" PRIu64 " further rounds for lanes with one address",
            busy(report, TMA_BUSY_atomics).text, memory->access_repeats);
    }
}

struct tma_launch_rates tma_launch_rates_of(const struct tma_launch_report *report) {
    const struct tma_machine *machine = report->machine;
    const struct tma_core_result *timing = report->timing;
    const struct tma_memory_counters *memory = &timing->memory;
    struct tma_clock_figures clock = clock_of(report);
    double cycles = (double)timing->cycles;
    double port = machine->crossbar.sm_port_bytes_per_kcycle / 1000.0 * timing->sms * cycles;
    double bus = (double)tma_machine_dram_bytes_per_kcycle(machine) / 1000.0 * cycles;
    double loaded = (double)memory->response_sectors * TMA_SECTOR_BYTES;
    double dram =
        (double)(memory->dram_read_sectors + memory->dram_write_sectors) * TMA_SECTOR_BYTES;
    return (struct tma_launch_rates){
        .ns = clock.ns,
        .clock = tma_clock_name_of(&clock),
        .teraflops = clock.teraflops,
        .tensor_percent = clock.teraflops > 0 ? percent_of_peak(report, &clock) : 0,
        .moved_bytes = loaded + (double)memory->write_sectors * TMA_SECTOR_BYTES,
        .port_percent = tma_percentage(loaded, port),
        .dram_bytes = dram,
        .bus_percent = tma_percentage(dram, bus)};
}

/* What the launch reached, and how much of it the machine can: as of kernels with roles. */
static void write_rates(const struct tma_launch_report *report, FILE *out) {
    struct tma_launch_rates rates = tma_launch_rates_of(report);
    const char *label = "rate";
    if (rates.teraflops > 0) {
        tma_text_line(out, label,
                      "%s TFLOP/s: %s %% of what the tensor cores can at %" PRIu32 " MHz",
                      tma_decimal(rates.teraflops, 1).text,
                      tma_decimal(rates.tensor_percent, 1).text, report->machine->sm_clock_mhz);
        label = NULL;
    }
    if (rates.moved_bytes > 0 && rates.ns > 0) {
        tma_text_line(
            out, label, "%s between L2 and SMs (%s): %s %% of what the ports of the SMs can",
            tma_rate_text(rates.moved_bytes / rates.ns).text,
            tma_bytes_text(rates.moved_bytes).text, tma_decimal(rates.port_percent, 1).text);
        label = NULL;
    }
    if (rates.dram_bytes > 0 && rates.ns > 0)
        tma_text_line(out, label, "%s of DRAM (%s): %s %% of what the bus can",
                      tma_rate_text(rates.dram_bytes / rates.ns).text,
                      tma_bytes_text(rates.dram_bytes).text,
                      tma_decimal(rates.bus_percent, 1).text);
}

static void write_timing(const struct tma_launch_report *report, FILE *out) {
    const struct tma_core_result *timing = report->timing;
    const struct tma_machine *machine = report->machine;
    struct tma_clock_figures clock = clock_of(report);
    tma_text_label("time", out);
    fprintf(out, "%s: %s cycles at %s MHz on ", tma_time_text(clock.ns).text,
            tma_grouped(timing->cycles).text, tma_decimal(clock.mhz, 0).text);
    tma_write_printable(machine->name, out);
    fputc('\n', out);
    tma_clock_write_text(&clock, out);
    if (report->measured != NULL)
        write_measured(report, out);
    if (timing->refused_cycles > 0) {
        tma_refused_write_text(timing->refused_error_cycles, timing->refused_cycles, out);
    } else if (report->sampled && timing->sampled_cycles == 0) {
        tma_text_line(out, "sampled",
                      "all of it simulated: too short, or nothing in it repeats steadily");
    } else if (report->sampled) {
        tma_estimate_write_text(timing->sampled_cycles, timing->error_cycles, timing->cycles, out);
    }
    write_rates(report, out);
    tma_text_line(
        out, "SMs",
        "%" PRIu32 " of %" PRIu32 ", up to %" PRIu32 " CTA%s each at a time, %" PRIu32 " wave%s",
        timing->sms, machine->sm_count, timing->ctas_per_sm, timing->ctas_per_sm == 1 ? "" : "s",
        timing->waves, timing->waves == 1 ? "" : "s");
    tma_text_line(out, "busy",
                  "issue slots %s %%, tensor cores %s %%, shared memory %s %%, L2 slices %s %%, "
                  "DRAM %s %% of the time",
                  busy(report, TMA_BUSY_issue_slots).text, busy(report, TMA_BUSY_tensor_cores).text,
                  busy(report, TMA_BUSY_shared_memory).text, busy(report, TMA_BUSY_l2).text,
                  busy(report, TMA_BUSY_dram).text);
    write_accesses(report, out);
    char sentence[TMA_LAUNCH_SENTENCE_BYTES];
    for (uint32_t i = 0; tma_launch_limit_text(report, i, sentence); i++) {
        tma_text_line(out, i == 0 ? "limited by" : "", "%s", sentence);
    }
    for (size_t i = 0; i < report->relieved_count; i++) {
        tma_text_label(i == 0 ? "relieved" : "", out);
        tma_write_printable(report->relieved[i].text, out);
        if (report->relieved[i].cycles == 0)
            fputs(": not known, as the kernel then does not come to its end\n", out);
        else
            fprintf(out, ": %s cycles, saves %s %% of the time\n",
                    tma_grouped(report->relieved[i].cycles).text,
                    tma_decimal(saved_percent(report, i), 1).text);
    }
    tma_text_label("warps", out);
    write_stalls(timing->stalls, (double)tma_core_stall_sum(timing->stalls), 0.05, out);
    write_lines(report, out);
    write_notes(report, out);
}

static void stalls_json(const char *key, const uint64_t *stalls, struct tma_json *json) {
    if (tma_core_stall_sum(stalls) == 0)
        return;
    tma_json_begin_line(json, key);
    for (int i = 0; i < TMA_STALL_COUNT; i++)
        if (stalls[i] > 0)
            tma_json_unsigned(json, tma_core_stall_key((enum tma_core_stall)i), stalls[i]);
    tma_json_end_object(json);
}

static void place_json(const struct tma_launch_report *report, const char *key,
                       uint32_t instruction, struct tma_json *json) {
    const struct tma_ptx_module *module = report->prepared->module;
    if (instruction >= module->instruction_count)
        return;
    struct tma_ptx_place place = source_of(module, instruction);
    tma_json_begin_line(json, key);
    TMA_JSON_COUNTS(json, &module->instructions[instruction], line, column);
    if (place.line > 0) {
        tma_json_string(json, "source", file_of(module, &place));
        tma_json_unsigned(json, "source_line", place.line);
        tma_json_unsigned(json, "source_column", place.column);
    }
    tma_json_end_object(json);
}

static void notes_json(const struct tma_launch_report *report, struct tma_json *json) {
    if (report->timing->note_count == 0)
        return;
    tma_json_begin_array(json, "ptxas");
    for (uint32_t i = 0; i < report->timing->note_count; i++) {
        const struct tma_core_note *note = &report->timing->notes[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "note", note->spills ? "spills" : "serialised");
        tma_json_unsigned(json, note->spills ? "bytes" : "products", note->count);
        place_json(report, "at", note->instruction, json);
        place_json(report, "because_of", note->reason, json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

static void comparison_json(const struct tma_launch_report *report, struct tma_json *json) {
    struct tma_launch_comparison compared = tma_launch_compare(report);
    if (report->measured->cycles > 0) {
        tma_json_unsigned(json, "measured_cycles", report->measured->cycles);
        return;
    }
    tma_json_unsigned(json, "measured_ns", report->measured->ns);
    if (compared.measured_mhz > 0)
        tma_json_decimal(json, "measured_mhz", compared.measured_mhz, 1);
    tma_json_decimal(json, "predicted_ns", compared.predicted_ns, 1);
}

static void accesses_json(const struct tma_memory_counters *memory, struct tma_json *json) {
    tma_json_begin_line(json, "accesses");
    tma_json_unsigned(json, "warps", memory->accesses);
    tma_json_unsigned(json, "sectors", memory->access_sectors);
    tma_json_unsigned(json, "bytes", memory->access_bytes);
    TMA_JSON_COUNTS(json, memory, l1_sectors, l1_hit_sectors);
    tma_json_unsigned(json, "atomic_repeats", memory->access_repeats);
    tma_json_unsigned(json, "dsmem", memory->dsmem_accesses);
    tma_json_unsigned(json, "dsmem_bytes", memory->dsmem_bytes);
    tma_json_end_object(json);
}

static void timing_json(const struct tma_launch_report *report, struct tma_json *json) {
    const struct tma_core_result *timing = report->timing;
    const struct tma_machine *machine = report->machine;
    struct tma_clock_figures clock = clock_of(report);
    tma_json_begin_object(json, "timing");
    tma_json_string(json, "machine", machine->name);
    TMA_JSON_COUNTS(json, timing, cycles, launch_cycles);
    tma_json_unsigned(json, "sm_clock_mhz", machine->sm_clock_mhz);
    tma_json_decimal(json, "time_ns", clock.ns, 1);
    tma_clock_write_json(&clock, json);
    if (report->measured != NULL) {
        comparison_json(report, json);
        tma_json_string(json, "measured_on", report->measured->gpu);
    }
    TMA_JSON_COUNTS(json, timing, sms, ctas_per_sm, waves, issue_slots);
    TMA_JSON_COUNTS(json, timing, shared_load_waits, shared_store_waits, shared_store_conflicts);
    tma_json_begin_line(json, "busy_percent");
    for (int i = 0; i < TMA_LAUNCH_BUSY_COUNT; i++)
        tma_json_decimal(json, tma_launch_busy_keys[i],
                         tma_launch_busy_percent(machine, timing, (enum tma_launch_busy)i), 1);
    tma_json_end_object(json);
    tma_json_decimal(json, "teraflops", clock.teraflops, 1);
    if (clock.teraflops > 0)
        tma_json_decimal(json, "percent_of_peak", percent_of_peak(report, &clock), 1);
    if (report->sampled)
        tma_launch_sampled_json(timing, json);
    if (report->tried) {
        tma_json_begin_array(json, "limited_by");
        for (uint32_t i = 0; i < report->limit_count; i++) {
            tma_json_begin_line(json, NULL);
            tma_json_string(json, "part", report->limits[i].key);
            tma_json_decimal(
                json, "saves_percent",
                tma_percentage((double)report->limits[i].saved_cycles, (double)timing->cycles), 1);
            tma_json_end_object(json);
        }
        tma_json_end_array(json);
    }
    if (report->untried_count > 0) {
        tma_json_begin_array(json, "not_tried");
        for (uint32_t i = 0; i < report->untried_count; i++)
            tma_json_string(json, NULL, report->untried[i]);
        tma_json_end_array(json);
    }
    if (report->relieved_count > 0) {
        tma_json_begin_array(json, "relieved");
        for (size_t i = 0; i < report->relieved_count; i++) {
            tma_json_begin_line(json, NULL);
            tma_json_string(json, "what", report->relieved[i].text);
            if (report->relieved[i].cycles > 0) {
                tma_json_unsigned(json, "cycles", report->relieved[i].cycles);
                tma_json_decimal(json, "saves_percent", saved_percent(report, i), 1);
            }
            tma_json_end_object(json);
        }
        tma_json_end_array(json);
    }
    accesses_json(&timing->memory, json);
    tma_json_unsigned(json, "l2_requests", timing->memory.requests);
    tma_json_unsigned(json, "l2_sectors", timing->memory.sectors);
    TMA_JSON_COUNTS(json, &timing->memory, dram_read_sectors, dram_write_sectors);
    stalls_json("warp_cycles", timing->stalls, json);
    notes_json(report, json);
    tma_json_end_object(json);
}

/* ---- what happened ---- */

static void write_outputs(const struct tma_output_difference *outputs, FILE *out) {
    if (outputs == NULL || outputs->buffers == 0)
        return;
    tma_text_label("outputs", out);
    if (outputs->different == 0) {
        fprintf(out, "%" PRIu32 " of %" PRIu32 " buffers agree\n", outputs->buffers,
                outputs->buffers);
        return;
    }
    fprintf(out, "%" PRIu32 " of %" PRIu32 " buffers differ, in %" PRIu64 " elements; the first: ",
            outputs->different, outputs->buffers, outputs->elements);
    tma_write_printable(outputs->first, out);
    fputc('\n', out);
}

static void write_findings(const struct tma_launch_report *report, FILE *out) {
    const struct tma_ptx_result *result = report->result;
    const struct tma_ptx_module *module = report->prepared->module;
    for (uint32_t i = 0; i < result->finding_count; i++) {
        const struct tma_ptx_finding *finding = &result->findings[i];
        tma_text_label(finding->kind, out);
        if (finding->instruction < module->instruction_count) {
            write_place(report, finding->instruction, out);
            fputs(": ", out);
        }
        tma_write_printable(finding->text, out);
        if (finding->count > 1)
            fprintf(out, " (%" PRIu64 " times)", finding->count);
        if (finding->other < module->instruction_count) {
            fprintf(out, "\n%*s", LABEL_WIDTH, "");
            write_place(report, finding->other, out);
            fputs(": the other side", out);
        }
        fputc('\n', out);
    }
    if (result->finding_count == 0) {
        tma_text_line(out, "findings", "none; %" PRIu32 " CTAs checked for races",
                      report->checked_ctas);
    }
}

void tma_launch_report_text(const struct tma_launch_report *report, FILE *out) {
    const struct tma_ptx_result *result = report->result;
    const struct tma_ptx_launch *launch = &report->prepared->execution;
    const struct tma_ptx_function *function =
        &report->prepared->module->functions[launch->function];
    uint64_t ctas = tma_ptx_count(launch->grid);
    tma_text_label("launch", out);
    tma_write_printable(tma_launch_report_name(report), out);
    fputc('\n', out);
    tma_text_label("kernel", out);
    tma_write_printable(function->name, out);
    fprintf(out, " of ");
    tma_write_printable(report->ptx_name, out);
    fprintf(out, ", %" PRIu64 " CTA%s of %" PRIu64 " threads", ctas, ctas == 1 ? "" : "s",
            tma_ptx_count(launch->block));
    if (tma_ptx_count(launch->cluster) > 1)
        fprintf(out, " in clusters of %" PRIu64, tma_ptx_count(launch->cluster));
    fputc('\n', out);
    tma_text_line(out, "end", "%s; %" PRIu64 " of %" PRIu64 " CTAs ended",
                  tma_name_of(&tma_launch_failure_names, (int)result->failure), result->ended_ctas,
                  ctas);
    tma_text_line(out, "instructions", "%s of warps", tma_grouped(result->instructions).text);
    if (report->timing != NULL)
        write_timing(report, out);
    write_tma(result, out);
    write_shared(result, out);
    write_conflicts(report, out);
    write_access_findings(report, out);
    write_outputs(report->outputs, out);
    write_findings(report, out);
}

static void wait_json(const struct tma_launch_report *report, const struct tma_core_wait *wait,
                      struct tma_json *json) {
    bool any = false;
    for (int i = 0; i < TMA_CORE_CAUSES; i++)
        any |= wait->causes[i].cycles > 0;
    if (any) {
        tma_json_begin_array(json, "waits_for");
        for (int i = 0; i < TMA_CORE_CAUSES; i++) {
            if (wait->causes[i].cycles == 0)
                continue;
            tma_json_begin_object(json, NULL);
            place_json(report, "at", wait->causes[i].instruction, json);
            tma_json_string(json, "opcode", opcode_of(report, wait->causes[i].instruction));
            tma_json_unsigned(json, "warp_cycles", wait->causes[i].cycles);
            tma_json_end_object(json);
        }
        tma_json_end_array(json);
    }
    if (wait->barrier_end > 0) {
        tma_json_begin_line(json, "mbarriers");
        tma_json_unsigned(json, "first", TMA_SHARED_BASE + wait->first_barrier);
        tma_json_unsigned(json, "end", TMA_SHARED_BASE + wait->barrier_end);
        tma_json_end_object(json);
    }
    any = false;
    for (int i = 0; i < TMA_PIPE_COUNT; i++)
        any |= wait->pipes[i] > 0;
    if (!any)
        return;
    tma_json_begin_line(json, "pipe_warp_cycles");
    for (int i = 0; i < TMA_PIPE_COUNT; i++)
        if (wait->pipes[i] > 0)
            tma_json_unsigned(json, tma_pipe_name((enum tma_pipe)i), wait->pipes[i]);
    tma_json_end_object(json);
}

static void lines_json(const struct tma_launch_report *report, struct tma_json *json) {
    const struct tma_ptx_module *module = report->prepared->module;
    tma_json_begin_array(json, "lines");
    for (uint32_t i = 0; i < module->instruction_count; i++) {
        const struct tma_ptx_line *line = &report->result->lines[i];
        if (line->executions == 0)
            continue;
        tma_json_begin_object(json, NULL);
        place_json(report, "at", i, json);
        tma_json_string(json, "opcode",
                        tma_ptx_opcode_name((enum tma_ptx_opcode)module->instructions[i].opcode));
        TMA_JSON_COUNTS(json, line, executions, lanes);
        if (line->ideal_wavefronts > 0) {
            TMA_JSON_COUNTS(json, line, wavefronts, ideal_wavefronts);
        }
        if (line->sectors > 0) {
            TMA_JSON_COUNTS(json, line, sectors, ideal_sectors);
        }
        if (line->repeats > 0)
            tma_json_unsigned(json, "atomic_repeats", line->repeats);
        if (line->bytes > 0)
            tma_json_unsigned(json, "bytes", line->bytes);
        if (report->timing != NULL)
            stalls_json("warp_cycles", report->timing->line_stalls[i], json);
        if (report->timing != NULL)
            wait_json(report, &report->timing->waits[i], json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

static void access_findings_json(const struct tma_launch_report *report, struct tma_json *json) {
    char text[TMA_ACCESS_FINDING_BYTES];
    tma_json_begin_array(json, "access_findings");
    for (uint32_t i = 0; i < report->prepared->module->instruction_count; i++) {
        struct tma_access_figures figures = tma_launch_accesses_of(report, i);
        for (int f = 0; f < TMA_ACCESS_FINDINGS; f++) {
            if (!tma_access_finding_text((enum tma_access_finding)f, &figures, text))
                continue;
            tma_json_begin_object(json, NULL);
            tma_json_string(json, "kind", tma_access_finding_name((enum tma_access_finding)f));
            tma_json_string(json, "text", text);
            place_json(report, "at", i, json);
            tma_json_end_object(json);
        }
    }
    tma_json_end_array(json);
}

static void findings_json(const struct tma_launch_report *report, struct tma_json *json) {
    tma_json_begin_array(json, "findings");
    for (uint32_t i = 0; i < report->result->finding_count; i++) {
        const struct tma_ptx_finding *finding = &report->result->findings[i];
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "kind", finding->kind);
        tma_json_string(json, "text", finding->text);
        TMA_JSON_COUNTS(json, finding, count, cta, warp);
        place_json(report, "at", finding->instruction, json);
        place_json(report, "other", finding->other, json);
        tma_json_end_object(json);
    }
    tma_json_end_array(json);
}

void tma_launch_report_json(const struct tma_launch_report *report, struct tma_json *json) {
    const struct tma_ptx_result *result = report->result;
    const struct tma_ptx_launch *launch = &report->prepared->execution;
    const struct tma_ptx_function *function =
        &report->prepared->module->functions[launch->function];
    tma_json_string(json, "launch", tma_launch_report_name(report));
    tma_json_string(json, "kernel", function->name);
    tma_json_string(json, "ptx", report->ptx_name);
    tma_json_string(json, "end", tma_name_of(&tma_launch_failure_names, (int)result->failure));
    tma_json_unsigned(json, "ctas", tma_ptx_count(launch->grid));
    tma_json_unsigned(json, "ended_ctas", result->ended_ctas);
    tma_json_unsigned(json, "checked_ctas", report->checked_ctas);
    TMA_JSON_COUNTS(json, result, instructions, shared_loads, shared_stores,
                    shared_load_wavefronts);
    TMA_JSON_COUNTS(json, result, shared_store_wavefronts, tma_loads, tma_load_bytes, tma_stores);
    TMA_JSON_COUNTS(json, result, tma_store_bytes, tma_reductions, tma_prefetches);
    if (report->outputs != NULL && report->outputs->buffers > 0) {
        tma_json_begin_object(json, "outputs");
        TMA_JSON_COUNTS(json, report->outputs, buffers, different, elements);
        if (report->outputs->different > 0)
            tma_json_string(json, "first", report->outputs->first);
        tma_json_end_object(json);
    }
    if (report->timing != NULL)
        timing_json(report, json);
    access_findings_json(report, json);
    findings_json(report, json);
    lines_json(report, json);
}
