/* tmasim help: help for the command, for a verb, and for the keys of files. */
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cli/messages.h"
#include "cli/rules_reference.h"
#include "cli/verbs.h"
#include "scenario/reference.h"

static void print_overview(const struct cli_verb *const *verbs) {
    printf("tmasim %s: a simulator of the GPU memory subsystem around the Tensor Memory "
           "Accelerator\n\nusage: tmasim VERB ...\n\n",
           TMA_VERSION);
    for (; *verbs != NULL; verbs++)
        printf("  %-10s%s\n", (*verbs)->name, (*verbs)->summary);
    printf("\ntmasim VERB --help shows the options of a verb. tmasim help scenario, kernel and "
           "machine list every key\nof those files; tmasim help rules lists every rule of tensor "
           "maps.\n");
}

static int print_topic(const char *topic, const struct cli_verb *const *verbs) {
    for (; *verbs != NULL; verbs++)
        if (strcmp(topic, (*verbs)->name) == 0) {
            cli_verb_help(*verbs);
            return CLI_OK;
        }
    if (strcmp(topic, "scenario") == 0)
        tma_scenario_reference(stdout);
    else if (strcmp(topic, "machine") == 0)
        tma_machine_reference(stdout);
    else if (strcmp(topic, "kernel") == 0)
        tma_kernel_reference(stdout);
    else if (strcmp(topic, "rules") == 0)
        cli_rules_reference(stdout);
    else {
        cli_error("no help on \"%s\"; allowed: scenario, kernel, machine, rules or a verb", topic);
        return CLI_ERROR;
    }
    return CLI_OK;
}

static int run(const struct cli_options *options) {
    if (options->operands.count > 0)
        return print_topic(options->operands.items[0], options->verbs);
    print_overview(options->verbs);
    return CLI_OK;
}

const struct cli_verb cli_help = {
    .name = "help",
    .operands = "[TOPIC]",
    .summary = "Show how to use a verb, the keys of a file, or the rules of tensor maps.",
    .details = "The topic is a verb, scenario, kernel, machine or rules.",
    .statuses = "0 done, 2 error",
    .max_operands = 1,
    .run = run,
};
