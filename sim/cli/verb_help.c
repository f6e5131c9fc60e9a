/* tmasim help: of the command, of a verb, of the files' keys. */
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cli/complain.h"
#include "cli/rules_reference.h"
#include "cli/verbs.h"
#include "scenario/reference.h"

static void print_command(void) {
    printf("tmasim %s: a simulator of the GPU memory subsystem around the Tensor Memory "
           "Accelerator\n\nusage: tmasim VERB ...\n\n",
           TMA_VERSION);
    for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
        printf("  %-10s%s\n", (*verb)->name, (*verb)->summary);
    printf(
        "\ntmasim VERB --help says more. tmasim help scenario and tmasim help machine list every "
        "key of\nthose files, tmasim help rules every rule of tensor maps.\n");
}

static int print_topic(const char *topic) {
    for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++)
        if (strcmp(topic, (*verb)->name) == 0)
            return cli_verb_help(*verb);
    if (strcmp(topic, "scenario") == 0)
        tma_scenario_reference(stdout);
    else if (strcmp(topic, "machine") == 0)
        tma_machine_reference(stdout);
    else if (strcmp(topic, "rules") == 0)
        cli_rules_reference(stdout);
    else {
        cli_complain("there is no help on \"%s\"; allowed: scenario, machine, rules and the verbs",
                     topic);
        return CLI_BAD_INPUT;
    }
    return CLI_OK;
}

static int run(const struct cli_options *options) {
    if (options->operand_count > 0)
        return print_topic(options->operands[0]);
    print_command();
    return CLI_OK;
}

const struct cli_verb cli_help = {
    .name = "help",
    .operands = "[TOPIC]",
    .summary =
        "Says how to use a verb, or which keys a file has (scenario, machine), or the rules.",
    .most_operands = 1,
    .run = run,
};
