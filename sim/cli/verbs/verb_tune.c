/* tmasim tune: the fastest of many combinations of a kernel's parameters. */
#include <string.h>

#include "base/allocation.h"
#include "cli/files/config_files.h"
#include "cli/files/input_digest.h"
#include "cli/files/output.h"
#include "cli/files/scenario_input.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/run_options.h"
#include "cli/tasks.h"
#include "cli/verbs/verbs.h"
#include "report/sweep.h"
#include "scenario/describe.h"
#include "search/tuning.h"

enum { MOST_KERNELS = 16, DEFAULT_DRAWS = 2 };

struct tune_options {
    struct cli_options common;
    struct cli_list tries;
    const char *list; /* NULL: no list */
    struct cli_count draws;
    bool exact, all;
};

/* The files of the kernels that the operands name. */
struct kernels {
    struct cli_config_path found[MOST_KERNELS];
    const char *paths[MOST_KERNELS];
    const char *names[MOST_KERNELS];
    const char *files[MOST_KERNELS]; /* the paths, as errors call them */
    struct tma_variants variants[MOST_KERNELS];
};

/* Which columns name parameters of a kernel. One that cannot be read has all of them: its rows say
 * what is wrong. */
static void find_parameters(const char *path, const struct tma_variants *all, bool *has) {
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    bool good = tma_scenario_read(path, NULL, 0, &scenario, &list);
    for (size_t i = 0; i < all->column_count; i++)
        has[i] = !good || strchr(all->columns[i], '.') != NULL ||
                 tma_scenario_has_parameter(&scenario, all->columns[i]);
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
}

/* The variants of each kernel: without the parameters that others have and it has not. */
static bool separate(const struct tune_options *own, struct kernels *kernels,
                     const struct tma_variants *all) {
    size_t count = own->common.operands.count;
    bool has[MOST_KERNELS][TMA_MAX_SWEEP_COLUMNS], lacks[TMA_MAX_SWEEP_COLUMNS];
    for (size_t k = 0; k < count; k++)
        find_parameters(kernels->paths[k], all, has[k]);
    for (size_t k = 0; k < count; k++) {
        for (size_t i = 0; i < all->column_count; i++) {
            bool any = false;
            for (size_t other = 0; other < count; other++)
                any = any || has[other][i];
            lacks[i] = any && !has[k][i];
        }
        if (!tma_variants_without(all, lacks, &kernels->variants[k]))
            return cli_error("out of memory");
    }
    return true;
}

static bool find_kernels(const struct cli_options *options, struct kernels *kernels) {
    for (size_t i = 0; i < options->operands.count; i++) {
        const char *name = options->operands.items[i];
        if (!cli_scenario_find(name, &kernels->found[i]))
            return cli_scenario_may_exist(name) &&
                   cli_error("tune: there is no file %s; `tmasim kernels` lists the kernels of the "
                             "library",
                             name);
        kernels->paths[i] = kernels->found[i].text;
        kernels->names[i] = cli_file_name(name);
        kernels->files[i] = cli_file_name(kernels->paths[i]);
    }
    return true;
}

static bool spares_inputs(const struct tune_options *own, const struct kernels *kernels) {
    for (size_t i = 0; i < own->common.operands.count; i++)
        if (!cli_output_spares(own->common.output, kernels->paths[i]))
            return false;
    return cli_output_spares(own->common.output, own->list);
}

static int status_of(const struct tma_tune *tune) {
    if (tune->partial)
        return CLI_INTERRUPTED;
    return tune->rows[0].found == TMA_TUNE_SIMULATED ? CLI_OK : CLI_FAILED_ROWS;
}

static int tune_kernels(const struct tune_options *own, const struct kernels *kernels,
                        const struct tma_variants *variants) {
    struct cli_output output;
    struct cli_host host;
    struct tma_error error;
    struct tma_tune tune = {.rows = NULL};
    char key[TMA_DIGEST_TEXT_BYTES] = ""; /* only ranks need it */
    int status;
    const struct tma_tuning tuning = {
        .host = &host.host,
        .settings = {own->common.settings.items, own->common.settings.count},
        .names = kernels->names,
        .paths = kernels->paths,
        .files = kernels->files,
        .kernel_count = own->common.operands.count,
        .variants = kernels->variants,
        .draws = own->draws.given ? own->draws.value : DEFAULT_DRAWS,
        .exact = own->exact || own->all,
        .all = own->all,
    };
    const struct tma_worker_code code = tma_tuning_code(&tuning);
    if (cli_is_rank() && !cli_digest_inputs(&own->common, kernels->paths, variants, key))
        return CLI_ERROR;
    if (cli_rank_serves(&own->common, &code, key, &status))
        return status;
    cli_note_machines(&own->common.settings, kernels->paths, own->common.operands.count);
    if (!cli_output_open(&output, own->common.output))
        return CLI_ERROR;
    cli_host_begin(&host, &own->common, "runs", key);
    bool good = tma_tuning_run(&tuning, &tune, &error) == TMA_OK;
    cli_host_end(&host);
    if (!good)
        cli_error("%s", error.text);
    if (good)
        tma_tune_write(&tune, own->common.format, output.file);
    status = cli_output_close(&output, good) && good ? status_of(&tune) : CLI_ERROR;
    tma_tuning_free(&tune);
    return status;
}

static int run(const struct cli_options *options) {
    const struct tune_options *own = (const struct tune_options *)options;
    struct tma_variants variants = {0};
    struct kernels *kernels = tma_allocate(1, sizeof *kernels);
    int status = CLI_ERROR;
    cli_interrupts_hold(true);
    if (kernels == NULL)
        cli_error("out of memory");
    else if (own->tries.count == 0 && own->list == NULL && options->operands.count == 1)
        cli_error("tune: nothing to try; expected --try PARAMETER=VALUES, as in --try "
                  "BM=64,128 STAGES=2:4, or --list FILE; tmasim kernels NAME lists parameters");
    else if (cli_draws_most(own->draws) && find_kernels(options, kernels) &&
             spares_inputs(own, kernels) && cli_variants_make(&own->tries, own->list, &variants) &&
             separate(own, kernels, &variants))
        status = tune_kernels(own, kernels, &variants);
    for (size_t i = 0; kernels != NULL && i < MOST_KERNELS; i++)
        tma_release(kernels->variants[i].values);
    tma_variants_free(&variants);
    tma_release(kernels);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_TRY(struct tune_options, tries),
    CLI_OPTION_LIST(struct tune_options, list),
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_MACHINE_ARCHITECTURE,
    CLI_VALUE_OPTION("--draws", "N", COUNT, offsetof(struct tune_options, draws),
                     "run those within 2 % of the best also with the seeds (topology.draw) 1 to N\n"
                     "(default: 2): where the draws overlap, they are the same"),
    CLI_FLAG_OPTION(
        "--exact", offsetof(struct tune_options, exact),
        "simulate every combination until it ends, or until a lower bound of its time is above\n"
        "the best time; without it, a long kernel ends as soon as it is too slow to win\n"
        "against what the best took for the same part"),
    CLI_FLAG_OPTION(
        "--all", offsetof(struct tune_options, all),
        "simulate all combinations, also those that cannot win because a lower bound of\n"
        "their time is above the best time"),
    CLI_OPTION_JOBS,
    CLI_OPTION_QUIET,
    CLI_OPTION_FORMAT(&tma_table_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_tune = {
    .name = "tune",
    .operands = "KERNEL...",
    .takes_input = true,
    .summary = "Find the fastest combination of a kernel's parameters, or of several kernels'.",
    .details =
        "A KERNEL is a file, or a name that `tmasim kernels` lists. The "
        "table has the fastest combination first, and the\nillegal ones last, with what is wrong. "
        "Of several kernels, each tries the parameters that it has.\n"
        "Ctrl-C ends it with what is known by then.",
    .example = "gemm gemm_persistent --set M=1024 N=1024 K=1024 --try BM=64,128 STAGES=2:4",
    .statuses = "0 done, 1 no combination has a time, 2 error, 130 interrupted",
    .min_operands = 1,
    .max_operands = MOST_KERNELS,
    CLI_RUNS_WITH(tune_options),
};
