#include "cli/launch_experiments.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/path.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/tasks.h"
#include "core/core_timeline.h"
#include "experiment/improvement.h"
#include "report/clock_figures.h"
#include "report/decimal.h"

#define COUNTER(member) offsetof(struct tma_memory_counters, member)

/* Parts of the machine that a compiled kernel may wait for, and what counts their use: those that a
 * launch does not use need no run. */
static const struct part {
    enum tma_relief_part part; /* none: `flag` of struct tma_core_relief is set */
    const char *key, *name;
    size_t used; /* COUNTER(), ALWAYS or CONFLICTS */
    size_t flag;
    const char *change; /* of a flag */
} parts[] = {
#define ALWAYS       SIZE_MAX
#define CONFLICTS    (SIZE_MAX - 1)
#define FLAG(member) offsetof(struct tma_core_relief, member)
    {TMA_RELIEF_OF_tensor_cores, "tensor_cores", "tensor cores", ALWAYS, 0, NULL},
    {TMA_RELIEF_OF_shared_memory, "shared_memory", "shared memory", ALWAYS, 0, NULL},
    {TMA_RELIEF_OF_tma, "tma", "TMA unit", COUNTER(tma_busy), 0, NULL},
    {TMA_RELIEF_OF_lsu, "lsu", "load/store unit", COUNTER(accesses), 0, NULL},
    {TMA_RELIEF_OF_l1, "l1", "L1", COUNTER(l1_hit_sectors), 0, NULL},
    {TMA_RELIEF_OF_l1_misses, "l1_misses", "L1 misses", COUNTER(accesses), 0, NULL},
    {TMA_RELIEF_OF_dsmem, "dsmem", "links between SMs", COUNTER(dsmem_flits), 0, NULL},
    {TMA_RELIEF_OF_sm_port, "sm_port", "SM port", COUNTER(sm_port_busy), 0, NULL},
    {TMA_RELIEF_OF_gpc_ports, "gpc_ports", "GPC ports", COUNTER(gpc_port_busy), 0, NULL},
    {TMA_RELIEF_OF_l2, "l2", "L2", COUNTER(requests), 0, NULL},
    {TMA_RELIEF_OF_atomics, "atomics", "reductions and atomics", COUNTER(atomic_busy), 0, NULL},
    {TMA_RELIEF_OF_none, "atomic_rounds", "atomics of one address", COUNTER(access_repeats),
     FLAG(combines), "one request for all lanes of a warp with one address"},
    {TMA_RELIEF_OF_none, "bank_conflicts", "bank conflicts", CONFLICTS, FLAG(no_conflicts),
     "accesses of shared memory without any"},
    {TMA_RELIEF_OF_dram, "dram", "DRAM", COUNTER(bus_busy), 0, NULL},
    {TMA_RELIEF_OF_latency, "latency", "latency", ALWAYS, 0, NULL},
};

static uint64_t conflicts_of(const struct tma_ptx_result *result) {
    return result->shared_load_conflicts + result->shared_store_conflicts;
}

static bool is_used(const struct part *part, const struct tma_launch_report *report) {
    uint64_t count = 1;
    if (part->used == CONFLICTS)
        count = conflicts_of(report->result);
    else if (part->used != ALWAYS)
        memcpy(&count, (const char *)&report->timing->memory + part->used, sizeof count);
    return count > 0;
}

static void set_flag(const struct part *part, struct tma_core_relief *relief) {
    const bool on = true;
    if (part->part == TMA_RELIEF_OF_none)
        memcpy((char *)relief + part->flag, &on, sizeof on);
}

enum { PARTS = sizeof parts / sizeof parts[0] };
_Static_assert((int)PARTS <= (int)TMA_LAUNCH_LIMITS, "a report has room for all parts");

/* One run of the launch. */
struct launch_trial {
    enum tma_relief_part part; /* of the machine; none: no part */
    struct tma_improvement_factors factors;
    struct tma_core_relief relief; /* its `free` is owned */
    char text[TMA_LAUNCH_RELIEF_BYTES];
};

struct experiments {
    const struct tma_launch *launch;
    const struct tma_machine *machine;
    const struct launch_trial *trials;
    size_t count;
    uint64_t sample_from; /* as the run before */
    uint64_t *cycles;     /* by trial; 0: not known */
};

/* A tenth, as a part of the machine becomes better without a number. */
static const struct tma_improvement_factors tenth = {.more_percent = 110, .less_of_10000 = 9000};

enum tma_error_code cli_launch_time(const struct tma_machine *machine,
                                    struct tma_ptx_options *options, struct tma_prepared *prepared,
                                    struct tma_ptx_result *executed, struct tma_core_result *timing,
                                    struct tma_error *error) {
    enum tma_error_code code =
        tma_core_run(machine, &prepared->execution, options, executed, timing, error);
    bool rough = code == TMA_OK && tma_core_is_rough(timing);
    if (code != TMA_OK || options->sample_from == 0 ||
        (executed->failure == TMA_PTX_COMPLETED && !rough))
        return code;
    const struct tma_launch *launch = prepared->launch;
    struct tma_diagnostics list = tma_diagnostics_empty();
    uint64_t error_cycles = rough ? timing->error_cycles : 0, cycles = rough ? timing->cycles : 0;
    tma_core_result_free(timing);
    tma_ptx_result_free(executed);
    tma_prepared_free(prepared);
    *executed = (struct tma_ptx_result){0};
    *prepared = (struct tma_prepared){0};
    if (options->timeline != NULL)
        options->timeline->count = 0;
    options->sample_from = 0;
    /* It has been prepared before: what fails now is memory. */
    code = tma_launch_prepare(launch, machine, true, prepared, &list)
               ? tma_core_run(machine, &prepared->execution, options, executed, timing, error)
               : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (code == TMA_OK) {
        timing->refused_error_cycles = error_cycles;
        timing->refused_cycles = cycles;
    }
    tma_diagnostics_free(&list);
    return code;
}

/* Cycles of the launch with fresh memory; 0: it does not come to its end. */
static uint64_t run_again(const struct tma_launch *launch, const struct tma_machine *machine,
                          const struct tma_ptx_options *options) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_prepared prepared = {0};
    struct tma_ptx_result executed = {0};
    struct tma_core_result timing = {0};
    struct tma_error error;
    uint64_t cycles = 0;
    if (tma_launch_prepare(launch, machine, true, &prepared, &list) &&
        tma_core_run(machine, &prepared.execution, options, &executed, &timing, &error) == TMA_OK &&
        executed.failure == TMA_PTX_COMPLETED)
        cycles = timing.cycles;
    tma_core_result_free(&timing);
    tma_ptx_result_free(&executed);
    tma_prepared_free(&prepared);
    tma_diagnostics_free(&list);
    return cycles;
}

/* In a worker: the launch from its beginning, with fresh memory. Which mbarriers a line waits for
 * is known after a run: then it runs again, with these from the beginning. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    enum { MOST_RUNS = 3 };
    const struct experiments *experiments = context;
    struct tma_machine machine = *experiments->machine;
    const struct launch_trial *trial = &experiments->trials[number];
    struct tma_core_relief relief = trial->relief;
    uint64_t cycles = 0;
    (void)bytes, (void)size;
    if (trial->part != TMA_RELIEF_OF_none)
        tma_improve_part_by(&machine, trial->part, &trial->factors);
    for (int i = 0; i < MOST_RUNS; i++) {
        uint32_t known = relief.barrier_count;
        const struct tma_ptx_options options = {.relief = &relief,
                                                .sample_from = experiments->sample_from};
        cycles = run_again(experiments->launch, &machine, &options);
        if (relief.barrier_count == known)
            break;
    }
    tma_reply_append(reply, &cycles, sizeof cycles);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct experiments *experiments = context;
    if (outcome->failure == NULL && outcome->size == sizeof experiments->cycles[number])
        memcpy(&experiments->cycles[number], outcome->bytes, outcome->size);
    return true;
}

/* Runs all trials. False: an error was printed. */
static bool run_trials(struct experiments *experiments, unsigned jobs, bool quiet) {
    struct cli_tasks tasks = {.count = experiments->count,
                              .unit = "launches",
                              .context = experiments,
                              .work = work,
                              .take = take};
    return cli_tasks_run(&tasks, jobs, quiet);
}

/* How likely a part is to limit a launch: it is busy, or no time says. */
static double likelihood(const struct tma_launch_report *report, const struct part *part) {
    const double unknown = 50;
    if (part->used == CONFLICTS)
        return tma_percentage((double)conflicts_of(report->result),
                              (double)report->timing->cycles * report->timing->sms);
    for (int i = 0; i < TMA_LAUNCH_BUSY_COUNT; i++)
        if (strcmp(tma_launch_busy_keys[i], part->key) == 0)
            return tma_launch_busy_percent(report->machine, report->timing,
                                           (enum tma_launch_busy)i);
    return unknown;
}

/* Chooses `most` parts of those that the launch used, the likeliest ones. */
static void choose_parts(const struct tma_launch_report *report, uint64_t most,
                         bool chosen[PARTS]) {
    for (uint64_t n = 0; n < most && n < PARTS; n++) {
        uint32_t best = PARTS;
        for (uint32_t i = 0; i < PARTS; i++)
            if (!chosen[i] && is_used(&parts[i], report) &&
                (best == PARTS || likelihood(report, &parts[i]) > likelihood(report, &parts[best])))
                best = i;
        if (best == PARTS)
            break;
        chosen[best] = true;
    }
}

void cli_launch_experiments(const struct tma_launch *launch, const struct tma_machine *machine,
                            uint64_t sample_from, uint64_t most, unsigned jobs, bool quiet,
                            struct tma_launch_report *report) {
    struct launch_trial trials[PARTS];
    uint64_t improved[PARTS] = {0}, cycles = report->timing->cycles;
    bool chosen[PARTS] = {false};
    struct experiments experiments = {.launch = launch,
                                      .machine = machine,
                                      .trials = trials,
                                      .sample_from = sample_from,
                                      .cycles = improved};
    choose_parts(report, most, chosen);
    for (uint32_t i = 0; i < PARTS; i++)
        if (chosen[i]) {
            trials[experiments.count] =
                (struct launch_trial){.part = parts[i].part, .factors = tenth};
            set_flag(&parts[i], &trials[experiments.count++].relief);
        } else if (is_used(&parts[i], report))
            report->untried[report->untried_count++] = parts[i].name;
    report->tried = true;
    if (!run_trials(&experiments, jobs, quiet))
        return;
    for (uint32_t i = 0, trial = 0; i < PARTS; i++) {
        if (!chosen[i])
            continue;
        uint64_t now = improved[trial++];
        if (now == 0 || now >= cycles || (cycles - now) * 100 < cycles)
            continue;
        struct tma_launch_limit limit = {
            parts[i].key, parts[i].name,
            parts[i].change != NULL ? parts[i].change : tma_improvement_words(parts[i].part),
            cycles - now};
        uint32_t at = report->limit_count++;
        for (; at > 0 && report->limits[at - 1].saved_cycles < limit.saved_cycles; at--)
            report->limits[at] = report->limits[at - 1];
        report->limits[at] = limit;
    }
}

void cli_launch_find_memory_share(const struct tma_launch *launch,
                                  const struct tma_machine *machine,
                                  const struct tma_ptx_options *options,
                                  struct tma_core_result *timing) {
    struct tma_activity activity = tma_launch_activity(timing, launch->data);
    uint32_t mhz =
        launch->sm_clock_mhz >= TMA_LEAST_SM_MHZ
            ? 0
            : tma_second_clock_mhz(machine, &activity, (enum tma_sm_clock)launch->sm_clock_mhz);
    struct tma_machine slower = tma_machine_at_clock(machine, mhz);
    uint64_t cycles = mhz == 0 ? 0 : run_again(launch, &slower, options);
    if (cycles > 0)
        timing->memory_share = tma_memory_share_of(machine, activity.cycles, mhz, (double)cycles);
}

/* ---- what a user relieves ---- */

struct cli_launch_reliefs {
    struct launch_trial *trials; /* owned */
    size_t count;
};

void cli_launch_reliefs_free(struct cli_launch_reliefs *reliefs) {
    for (size_t i = 0; reliefs != NULL && i < reliefs->count; i++)
        tma_release((bool *)reliefs->trials[i].relief.free);
    if (reliefs != NULL)
        tma_release(reliefs->trials);
    tma_release(reliefs);
}

/* Reads "20%" or "2" behind "=", or takes a tenth. */
static bool read_factors(const char *text, struct tma_improvement_factors *factors,
                         char words[static 32]) {
    char *end;
    *factors = tenth;
    snprintf(words, 32, "10 %% better");
    if (*text == '\0')
        return true;
    unsigned long number = strtoul(text + 1, &end, 10);
    if (text[1] < '0' || text[1] > '9')
        return false;
    if (strcmp(end, "%") == 0 && number >= 1 && number <= 99) {
        *factors =
            (struct tma_improvement_factors){.more_percent = 100 + (uint32_t)number,
                                             .less_of_10000 = (100 - (uint32_t)number) * 100};
        snprintf(words, 32, "%lu %% better", number);
        return true;
    }
    if (*end != '\0' || number < 2 || number > 100)
        return false;
    *factors = (struct tma_improvement_factors){.more_percent = (uint32_t)number * 100,
                                                .less_of_10000 = 10000 / (uint32_t)number};
    snprintf(words, 32, "%lu times as good", number);
    return true;
}

static bool read_part(const char *text, struct launch_trial *trial) {
    size_t length = strcspn(text, "=");
    char words[32], key[TMA_CORE_PART_BYTES];
    const char *name = NULL;
    const struct part *flag = NULL;
    for (size_t i = 0; i < PARTS && name == NULL; i++)
        if (strlen(parts[i].key) == length && strncmp(parts[i].key, text, length) == 0) {
            trial->part = parts[i].part;
            name = parts[i].name;
            flag = parts[i].change == NULL ? NULL : &parts[i];
        }
    for (int i = 0; i < TMA_PIPE_COUNT && name == NULL; i++) {
        tma_core_pipe_part((enum tma_pipe)i, key);
        if (strlen(key) == length && strncmp(key, text, length) == 0) {
            trial->relief.pipe = (enum tma_pipe)i;
            name = key;
        }
    }
    if (name == NULL) {
        char known[400];
        size_t end = 0;
        for (size_t i = 0; i < PARTS; i++)
            end += (size_t)snprintf(known + end, sizeof known - end, " %s,", parts[i].key);
        for (int i = 0; i < TMA_PIPE_COUNT; i++) {
            tma_core_pipe_part((enum tma_pipe)i, key);
            end += (size_t)snprintf(known + end, sizeof known - end, " %s%s", key,
                                    i + 1 < TMA_PIPE_COUNT ? "," : "");
        }
        return cli_error("run: --relieve %s: expected FILE:LINE, mbarrier:ADDRESS, or one of%s",
                         text, known);
    }
    if (flag != NULL) {
        if (text[length] != '\0')
            cli_error("run: --relieve %s: expected %s alone: it has no degrees", text, flag->key);
        set_flag(flag, &trial->relief);
        snprintf(trial->text, sizeof trial->text, "%s: %s", name, flag->change);
        return text[length] == '\0';
    }
    if (!read_factors(text + length, &trial->factors, words))
        return cli_error(
            "run: --relieve %s: expected %.*s, or %.*s=N%% from 1 to 99, or %.*s=N from 2 to "
            "100, N times as good",
            text, (int)length, text, (int)length, text, (int)length, text);
    if (trial->part == TMA_RELIEF_OF_none)
        trial->relief.pipe_percent = trial->factors.more_percent;
    snprintf(trial->text, sizeof trial->text, "%s, %s", name, words);
    return true;
}

static bool read_barrier(const char *text, const char *address, struct launch_trial *trial) {
    char *end;
    unsigned long number = strtoul(address, &end, 0);
    if (address[0] < '0' || address[0] > '9' || *end != '\0' || number < TMA_SHARED_BASE ||
        number > UINT32_MAX)
        return cli_error("run: --relieve %s: expected mbarrier:ADDRESS, as reports have it, such "
                         "as mbarrier:0x400",
                         text);
    trial->relief.barriers[0] = (uint32_t)number - TMA_SHARED_BASE;
    trial->relief.barrier_count = 1;
    snprintf(trial->text, sizeof trial->text, "mbarrier 0x%lx, on which bytes complete at once",
             number);
    return true;
}

static bool is_file(const char *path, const char *name, size_t length) {
    if (path == NULL)
        return false;
    const char *last = tma_path_name(path);
    return (strlen(path) == length && strncmp(path, name, length) == 0) ||
           (strlen(last) == length && strncmp(last, name, length) == 0);
}

/* Whether an instruction comes from the line of a source file, also by inlining. */
static bool is_from(const struct tma_ptx_module *module, uint32_t place, const char *name,
                    size_t length, unsigned long line) {
    for (; place != 0; place = module->places[place].inlined_at) {
        const struct tma_ptx_place *at = &module->places[place];
        if (at->line == line && at->file < module->file_count &&
            is_file(module->files[at->file], name, length))
            return true;
    }
    return false;
}

static bool read_line(const char *text, const char *colon, const struct tma_prepared *prepared,
                      struct launch_trial *trial) {
    const struct tma_ptx_module *module = prepared->module;
    size_t length = (size_t)(colon - text), found = 0, waits = 0;
    char *end;
    unsigned long line = strtoul(colon + 1, &end, 10), next = 0;
    if (colon[1] < '0' || colon[1] > '9' || *end != '\0')
        return cli_error(
            "run: --relieve %s: expected FILE:LINE, a line of the PTX or of its source", text);
    bool known = is_file(prepared->ptx_path, text, length), ptx = known;
    for (size_t i = 0; i < module->file_count; i++)
        known |= is_file(module->files[i], text, length);
    bool *chosen = tma_allocate(module->instruction_count + 1, sizeof *chosen);
    trial->relief.free = chosen;
    if (chosen == NULL)
        return cli_error("out of memory");
    for (size_t i = 0; i < module->instruction_count; i++) {
        const struct tma_ptx_instruction *instruction = &module->instructions[i];
        chosen[i] = (ptx && instruction->line == line) ||
                    is_from(module, instruction->source, text, length, line);
        found += chosen[i];
        waits += chosen[i] && (instruction->opcode == TMA_PTX_OP_MBARRIER_TRY_WAIT ||
                               instruction->opcode == TMA_PTX_OP_MBARRIER_TEST_WAIT);
        if (ptx && instruction->line > line && (next == 0 || instruction->line < next))
            next = instruction->line;
    }
    if (!known)
        cli_error("run: --relieve %s: the kernel has no such file; expected %s, or a source that "
                  "its .file lines name",
                  text, cli_file_name(prepared->ptx_path));
    else if (found == 0 && next != 0)
        cli_error("run: --relieve %s: no instruction is at this line; the next one is at line %lu",
                  text, next);
    else if (found == 0)
        cli_error("run: --relieve %s: no instruction is at this line, or behind it", text);
    snprintf(trial->text, sizeof trial->text, "%s, which takes no time%s", text,
             waits > 0 ? ", and for which bytes complete at once" : "");
    return found > 0;
}

struct cli_launch_reliefs *cli_launch_reliefs_read(const struct cli_list *wanted,
                                                   const struct tma_prepared *prepared) {
    static const char barrier[] = "mbarrier:";
    struct cli_launch_reliefs *reliefs = tma_allocate(1, sizeof *reliefs);
    bool good = reliefs != NULL;
    if (good)
        reliefs->trials = tma_allocate(wanted->count, sizeof *reliefs->trials);
    good = good && reliefs->trials != NULL;
    if (!good)
        cli_error("out of memory");
    for (size_t i = 0; good && i < wanted->count; i++) {
        const char *text = wanted->items[i], *colon = strrchr(text, ':');
        struct launch_trial *trial = &reliefs->trials[reliefs->count++];
        good = strncmp(text, barrier, sizeof barrier - 1) == 0
                   ? read_barrier(text, text + sizeof barrier - 1, trial)
               : colon != NULL ? read_line(text, colon, prepared, trial)
                               : read_part(text, trial);
    }
    if (good)
        return reliefs;
    cli_launch_reliefs_free(reliefs);
    return NULL;
}

bool cli_launch_relieve(const struct cli_launch_reliefs *reliefs, const struct tma_launch *launch,
                        const struct tma_machine *machine, unsigned jobs, bool quiet,
                        struct tma_launch_relieved *relieved) {
    uint64_t *cycles = tma_allocate(reliefs->count, sizeof *cycles);
    struct experiments experiments = {.launch = launch,
                                      .machine = machine,
                                      .trials = reliefs->trials,
                                      .count = reliefs->count,
                                      .cycles = cycles};
    if (cycles == NULL)
        cli_error("out of memory");
    bool good = cycles != NULL && run_trials(&experiments, jobs, quiet);
    for (size_t i = 0; good && i < reliefs->count; i++)
        relieved[i] = (struct tma_launch_relieved){reliefs->trials[i].text, cycles[i]};
    tma_release(cycles);
    return good;
}
