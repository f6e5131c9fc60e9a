/* tmasim help: help for the command, for a verb, and for the keys of files. */
#include <stdio.h>
#include <string.h>

#include "base/text_distance.h"
#include "base/version.h"
#include "cli/files/config_files.h"
#include "cli/help/help_topics.h"
#include "cli/help/manual.h"
#include "cli/help/situations.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"

struct help_options {
    struct cli_options common;
    bool man;
};

static void print_overview(const struct cli_verb *const *verbs) {
    printf("tmasim %s: a simulator of the GPU memory subsystem around the Tensor Memory "
           "Accelerator\n\nusage: tmasim VERB ...\n\n",
           TMA_VERSION);
    for (; *verbs != NULL; verbs++)
        printf("  %-12s%s\n", (*verbs)->name, (*verbs)->summary);
    printf(
        "\ntmasim VERB --help shows the options of a verb. tmasim help scenario, kernel and "
        "machine list every key\nof those files; tmasim help rules lists every rule of tensor "
        "maps, tmasim help faults\nwhat can be the cause of what CUDA says; scenario-schema and "
        "machine-schema are the JSON Schemas of files.\n\ntmasim help WORD has the commands for a "
        "situation: ");
    cli_situation_list(stdout);
    puts(".");
}

static const struct cli_verb *find_verb(const char *name, const struct cli_verb *const *verbs) {
    while (*verbs != NULL && strcmp(name, (*verbs)->name) != 0)
        verbs++;
    return *verbs;
}

static int print_topic(const char *name, const struct cli_verb *const *verbs, bool man) {
    const struct cli_verb *verb = find_verb(name, verbs);
    if (verb != NULL) {
        if (man) {
            cli_manual_verb(verb, stdout);
            return CLI_OK;
        }
        if (cli_situation_has(name)) {
            cli_situation_write(name, stdout);
            putchar('\n');
        }
        cli_verb_help(verb);
        return CLI_OK;
    }
    const struct cli_help_topic *topic = cli_help_topics;
    while (topic->name != NULL && strcmp(name, topic->name) != 0)
        topic++;
    if (topic->name != NULL && (!man || topic->write_manual != NULL)) {
        (man ? topic->write_manual : topic->write)(stdout);
        return CLI_OK;
    }
    if (!man && cli_situation_has(name)) {
        cli_situation_write(name, stdout);
        return CLI_OK;
    }
    char allowed[200];
    size_t used = 0;
    struct tma_suggestion suggestion = {.wanted = name};
    for (topic = cli_help_topics; topic->name != NULL && used < sizeof allowed; topic++)
        if (!man || topic->write_manual != NULL) {
            used += (size_t)snprintf(allowed + used, sizeof allowed - used, "%s%s",
                                     used == 0 ? "" : ", ", topic->name);
            tma_suggest(&suggestion, topic->name);
        }
    for (; *verbs != NULL; verbs++)
        tma_suggest(&suggestion, (*verbs)->name);
    struct cli_config_path path;
    if (!man && cli_scenario_find(name, &path))
        return cli_fail("no help on \"%s\", which is %s; tmasim kernels %s describes a kernel of "
                        "the library",
                        name, path.text, name);
    if (!man)
        cli_situation_suggest(&suggestion);
    return cli_fail("no %s on \"%s\"; %sallowed: %s%s", man ? "man page" : "help", name,
                    tma_hint_of(&suggestion).text, allowed,
                    man ? " or a verb" : ", a verb, or a word that tmasim help lists at its end");
}

/* Of several words, as in "illegal instruction", the first one that says something counts. A topic
 * that is one word is left to print_topic. */
static bool write_word_of(const char *topic, bool several) {
    static const char parting[] = " ?,.";
    char word[TMA_MAX_SUGGESTION];
    for (const char *at = topic; *at != '\0';) {
        size_t length = strcspn(at, parting);
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if ((several || at[length] != '\0' || at != topic) && cli_situation_has(word)) {
            cli_situation_write(word, stdout);
            return true;
        }
        at += length;
        at += strspn(at, parting);
    }
    return false;
}

static int run(const struct cli_options *options) {
    bool man = ((const struct help_options *)options)->man;
    const struct cli_list *words = &options->operands;
    for (size_t i = 0; i < words->count && !man; i++)
        if (write_word_of(words->items[i], words->count > 1))
            return CLI_OK;
    if (words->count > 0)
        return print_topic(words->items[0], options->verbs, man);
    if (man)
        cli_manual_command(options->verbs, stdout);
    else
        print_overview(options->verbs);
    return CLI_OK;
}

static const struct cli_option options[] = {
    CLI_FLAG_OPTION(
        "--man", offsetof(struct help_options, man),
        "write the man page: of the command, of a verb, or of scenario, kernel or machine"),
};

const struct cli_verb cli_help = {
    .name = "help",
    .operands = "[TOPIC...]",
    .takes_topic = true,
    .example = "scenario",
    .summary = "Show how to use a verb, the keys of a file, or the rules of tensor maps.",
    .details = "The topic is a verb, scenario, kernel, machine, rules, scenario-schema, "
               "machine-schema, or a word for\nwhat you want to know: hang, race, slow, tile, "
               "layout, descriptor, cuda, triton, accuracy, ...",
    .statuses = "0 done, 2 error",
    .max_operands = SIZE_MAX,
    CLI_RUNS_WITH(help_options),
};
