/* tmasim golden: a folder of scenarios, whose figures are recorded and checked. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/version.h"
#include "cli/difference_options.h"
#include "cli/files/output.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/scenario_run.h"
#include "cli/tasks.h"
#include "cli/verbs/verbs.h"
#include "engine/slots/run.h"
#include "experiment/scenario_subject.h"
#include "report/report.h"
#include "scenario/scenario.h"
#include "workers/pool.h"

static const char scenario_suffix[] = ".yaml", report_suffix[] = ".report.json";

struct golden_options {
    struct cli_options common;
    struct cli_difference_options difference;
};

/* A scenario of the set. */
struct golden_scenario {
    char *path;   /* owned; of the scenario */
    char *report; /* owned; the path of the recorded report */
};

struct golden_set {
    const struct golden_options *own;
    bool record;                   /* else check */
    struct golden_scenario *items; /* owned; by name */
    size_t count;
    struct tma_variant recorded, now;
    struct tma_diagnostics list;
    size_t failed; /* scenarios that did not run */
    bool broken;   /* a report cannot be read or written */
};

static int compare_scenarios(const void *a, const void *b) {
    return strcmp(((const struct golden_scenario *)a)->path,
                  ((const struct golden_scenario *)b)->path);
}

static char *join(const char *folder, const char *name, size_t length, const char *suffix) {
    size_t bytes = strlen(folder) + length + strlen(suffix) + 2;
    char *text = tma_allocate(bytes, 1);
    if (text != NULL)
        snprintf(text, bytes, "%s/%.*s%s", folder, (int)length, name, suffix);
    return text;
}

static bool add_scenario(struct golden_set *set, const char *folder, const char *name) {
    size_t length = strlen(name), suffix = sizeof scenario_suffix - 1;
    if (name[0] == '.' || length <= suffix || strcmp(name + length - suffix, scenario_suffix) != 0)
        return true;
    struct golden_scenario *grown = tma_resize(set->items, set->count + 1, sizeof *grown);
    if (grown == NULL)
        return false;
    set->items = grown;
    struct golden_scenario *item = &grown[set->count++];
    item->path = join(folder, name, length, "");
    item->report = join(folder, name, length - suffix, report_suffix);
    return item->path != NULL && item->report != NULL;
}

/* Lists the scenarios of the folder, by name. Folders in it are left alone. */
static bool list_scenarios(struct golden_set *set) {
    const char *folder = set->own->common.operands.items[1];
    DIR *entries = opendir(folder);
    bool good = true;
    if (entries == NULL)
        return cli_error("%s: cannot be read: %s", folder, strerror(errno));
    for (const struct dirent *entry; good && (entry = readdir(entries)) != NULL;)
        good = add_scenario(set, folder, entry->d_name);
    closedir(entries);
    if (!good)
        cli_error("out of memory");
    else if (set->count == 0)
        cli_error("%s has no scenario: no file NAME%s", folder, scenario_suffix);
    if (good && set->count > 0)
        qsort(set->items, set->count, sizeof set->items[0], compare_scenarios);
    return good && set->count > 0;
}

/* What a worker says before the report, or before the reason why there is none. */
struct golden_outcome {
    bool failed;
};

/* Simulates a scenario once, without a trace and without experiments, and writes its report as
 * JSON. */
static enum tma_error_code report_once(const struct tma_scenario *scenario, uint64_t *cycles,
                                       FILE *out, struct tma_error *error) {
    struct tma_digests digests;
    int json = 0;
    struct tma_result *result = tma_allocate(1, sizeof *result);
    if (result == NULL || !tma_scenario_digest(scenario, &digests) ||
        !tma_value_of(&tma_report_format_names, "json", &json)) {
        tma_release(result);
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    enum tma_error_code code = tma_scenario_run(scenario, NULL, NULL, result, NULL, error);
    struct tma_report_input report = cli_report_of(scenario, result);
    report.digests = &digests;
    if (code == TMA_OK)
        tma_report_write(&report, json, out);
    *cycles = result->cycles;
    tma_release(result);
    return code;
}

static void reply_report(const struct tma_scenario *scenario, struct tma_reply *reply) {
    struct golden_outcome outcome = {.failed = true};
    struct tma_error error = {.text = "out of memory"};
    uint64_t cycles;
    char *text = NULL;
    size_t length = 0;
    FILE *out = tma_open_text(&text, &length);
    if (out != NULL) {
        outcome.failed = report_once(scenario, &cycles, out, &error) != TMA_OK;
        outcome.failed |= !tma_close_text(out, &text);
    }
    tma_reply_append(reply, &outcome, sizeof outcome);
    if (outcome.failed) {
        tma_reply_append(reply, error.text, strlen(error.text) + 1);
    } else {
        tma_reply_note(reply, &cycles, sizeof cycles);
        tma_reply_append(reply, text, length + 1);
    }
    tma_release(text);
}

/* In a worker: runs a scenario. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct golden_set *set = context;
    const struct cli_list *settings = &set->own->common.settings;
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    (void)bytes;
    (void)size;
    if (tma_scenario_read(set->items[number].path, settings->items, settings->count, &scenario,
                          &list)) {
        reply_report(&scenario, reply);
    } else {
        struct golden_outcome outcome = {.failed = true};
        char text[TMA_ERROR_TEXT_BYTES];
        cli_first_error(&list, text, sizeof text);
        tma_reply_append(reply, &outcome, sizeof outcome);
        tma_reply_append(reply, text, strlen(text) + 1);
    }
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
}

/* A scenario that does not run has a figure "error" alone. */
static bool take_failure(struct golden_set *set, const char *path, const char *why) {
    set->failed++;
    if (set->record) {
        cli_error("%s: not recorded: %s", path, why);
        return true;
    }
    return tma_variant_add_case(&set->now, path) &&
           tma_variant_add_measure(&set->now, "error", why, true);
}

static bool write_report(const char *path, const char *text) {
    struct cli_output output;
    if (!cli_output_open(&output, path))
        return false;
    fputs(text, output.file);
    return cli_output_close(&output, true);
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct golden_set *set = context;
    const struct golden_scenario *item = &set->items[number];
    const struct golden_outcome *got = outcome->bytes;
    const char *text = outcome->failure != NULL ? outcome->failure : (const char *)(got + 1);
    bool good;
    if (outcome->failure != NULL || got->failed)
        good = take_failure(set, item->path, text);
    else if (set->record)
        good = write_report(item->report, text);
    else
        good = tma_variant_add_report(&set->now, item->path, text, strlen(text), item->path,
                                      &set->list);
    set->broken |= !good;
    return good;
}

static bool run_scenarios(struct golden_set *set) {
    const struct cli_options *options = &set->own->common;
    struct cli_tasks tasks = {
        .count = set->count, .unit = "scenarios", .context = set, .work = work, .take = take};
    return cli_tasks_run(&tasks, cli_jobs(options), options->quiet) && !set->broken;
}

/* Reads the recorded reports. Each scenario needs one. */
static bool read_recorded(struct golden_set *set) {
    bool good = true, lacks_memory = false;
    for (size_t i = 0; i < set->count; i++) {
        struct tma_variant one = {0};
        good = tma_variant_read(set->items[i].report, &one, &set->list) && good;
        if (good)
            lacks_memory |= !tma_variant_move_case(&set->recorded, set->items[i].path, &one, 0);
        tma_variant_free(&one);
    }
    if (lacks_memory)
        cli_error("out of memory");
    else if (!good)
        cli_note("record the figures of scenarios that are new: tmasim golden record %s",
                 set->own->common.operands.items[1]);
    return good && !lacks_memory;
}

static int check(struct golden_set *set) {
    struct cli_difference_rules rules;
    int status = CLI_ERROR;
    bool good = cli_difference_rules_make(&set->own->difference, &rules) && read_recorded(set) &&
                run_scenarios(set);
    if (good) {
        set->recorded.name = tma_copy_text("recorded");
        set->now.name = tma_copy_text("now");
        snprintf(set->now.version, sizeof set->now.version, "%s", TMA_VERSION);
        /* Digests are those of one scenario. */
        set->now.machine[0] = set->now.scenario[0] = '\0';
        struct tma_difference difference = {
            .base = &set->recorded,
            .variants = &set->now,
            .variant_count = 1,
            .title = "tmasim golden check",
            .cases_are_files = true,
        };
        if (set->recorded.name == NULL || set->now.name == NULL)
            cli_error("out of memory");
        else if (cli_interrupted())
            status = CLI_INTERRUPTED;
        else
            status = cli_difference_write(&difference, &rules.rules, set->own->common.format,
                                          set->own->common.output);
    }
    cli_print_diagnostics(&set->list);
    cli_difference_rules_free(&rules);
    return status;
}

static int record(struct golden_set *set) {
    if (!run_scenarios(set))
        return CLI_ERROR;
    if (cli_interrupted())
        return CLI_INTERRUPTED;
    printf("recorded %zu of %zu scenarios\n", set->count - set->failed, set->count);
    return set->failed > 0 ? CLI_FAILED_ROWS : CLI_OK;
}

static int run(const struct cli_options *options) {
    struct golden_set set = {.own = (const struct golden_options *)options};
    const char *word = options->operands.items[0];
    int status = CLI_ERROR;
    set.record = strcmp(word, "record") == 0;
    cli_interrupts_hold(true);
    if (!set.record && strcmp(word, "check") != 0)
        cli_error("golden: \"%s\" is neither record nor check", word);
    else if (list_scenarios(&set))
        status = set.record ? record(&set) : check(&set);
    for (size_t i = 0; i < set.count; i++) {
        TMA_RELEASE(set.items[i].path, set.items[i].report);
    }
    tma_release(set.items);
    tma_variant_free(&set.recorded);
    tma_variant_free(&set.now);
    tma_diagnostics_free(&set.list);
    return status;
}

static const struct cli_option options[] = {
    CLI_DIFFERENCE_OPTIONS(struct golden_options),
    CLI_OPTION_SET,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_OPTION_JOBS,
    CLI_OPTION_QUIET,
    CLI_OPTION_FORMAT(&tma_difference_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_golden = {
    .name = "golden",
    .operands = "record|check FOLDER",
    .summary = "Record the figures of a folder of scenarios, and check later that they still hold.",
    .details =
        "record runs each FOLDER/NAME.yaml and writes its report to FOLDER/NAME.report.json. check "
        "runs them again and\ncompares the figures, as diff does. Other folders in FOLDER are left "
        "alone: machines may lie there.",
    .example = "check perf --fail-if 'cycles > +2%' --format junit -o golden.xml",
    .statuses = "0 nothing fails, 1 a figure fails or a scenario does not run, 2 error, 130 "
                "interrupted",
    .min_operands = 2,
    .max_operands = 2,
    CLI_RUNS_WITH(golden_options),
};
