#include "cli/command.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/allocation.h"
#include "base/version.h"
#include "cli/files/config_files.h"
#include "cli/files/output.h"
#include "cli/files/piped_input.h"
#include "cli/help/situations.h"
#include "cli/launch_run.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "scenario/suggestion.h"

#define VERB_ADDRESS(name) &cli_##name,
static const struct cli_verb *const verbs[] = {CLI_VERBS(VERB_ADDRESS) NULL};
#undef VERB_ADDRESS

static const struct cli_verb *find_verb(const char *name) {
    struct tma_suggestion suggestion = {.wanted = name};
    for (const struct cli_verb *const *verb = verbs; *verb != NULL; verb++) {
        if (strcmp((*verb)->name, name) == 0)
            return *verb;
        tma_suggest(&suggestion, (*verb)->name);
    }
    tma_suggest(&suggestion, "--version");
    tma_suggest(&suggestion, "--help");
    struct cli_config_path path;
    if (suggestion.best[0] == '\0' && cli_scenario_find(name, &path)) {
        cli_error("unknown verb \"%s\"; did you mean \"tmasim run %s\"?", name, name);
        return NULL;
    }
    if (suggestion.best[0] != '\0')
        cli_error("unknown verb \"%s\"; did you mean \"%s\"?", name, suggestion.best);
    else if (name[0] == '-')
        cli_error("options stand behind the verb: tmasim VERB ... %s; see tmasim --help", name);
    else if (cli_situation_has(name))
        cli_error("unknown verb \"%s\"; tmasim help %s says what to do then", name, name);
    else
        cli_error("unknown verb \"%s\"; see tmasim --help", name);
    return NULL;
}

/* Operands are files to read, or words that no file is named by. */
static bool spares_operands(const struct cli_options *options) {
    for (size_t i = 0; i < options->operands.count; i++)
        if (!cli_output_spares(options->output, options->operands.items[i]))
            return false;
    return true;
}

/* False, with an error that says what to do, if an operand is CUDA source, PTX or the like, a
 * folder or a setting. */
static bool are_readable_kinds(const struct cli_verb *verb, const struct cli_options *options) {
    bool looks = verb->takes_scenario || verb->takes_files;
    for (size_t i = 0; i < options->operands.count && looks; i++) {
        const char *operand = options->operands.items[i];
        char what[CLI_SITUATION_BYTES];
        bool is_setting =
            verb->takes_scenario && strchr(operand, '=') != NULL && access(operand, F_OK) != 0;
        bool is_other = !is_setting && cli_situation_of_file(operand, verb->name, what);
        if (is_other)
            cli_error("%s is %s", operand, what);
        else if (is_setting)
            cli_error("%s: %s is no file; parameters and settings go behind --set", verb->name,
                      operand);
        if (is_other || is_setting)
            return false;
    }
    return true;
}

/* Says that a verb takes no launch file, and which verbs do. */
static bool refuse_launch(const struct cli_verb *verb, const char *operand) {
    char others[100];
    size_t used = 0;
    for (const struct cli_verb *const *other = verbs; *other != NULL; other++)
        if ((*other)->takes_launch)
            used += (size_t)snprintf(others + used, sizeof others - used, "%s%s",
                                     used == 0 ? "" : ", ", (*other)->name);
    return cli_error("%s: %s is a launch file, of a compiled kernel; %s take those%s", verb->name,
                     cli_file_name(operand), others,
                     verb == &cli_tune ? ", and sweep has --try, too" : "");
}

/* False, with an error, if an operand is a launch file and the verb takes none. */
static bool takes_launches(const struct cli_verb *verb, const struct cli_options *options) {
    bool looks = !verb->takes_launch && (verb->takes_scenario || verb == &cli_tune);
    for (size_t i = 0; looks && i < options->operands.count; i++)
        if (cli_is_launch(options->operands.items[i], NULL))
            return refuse_launch(verb, options->operands.items[i]);
    return true;
}

/* Puts a copy of what standard input or a pipe has in the place of "-" or of the pipe. */
static bool find_input(const struct cli_verb *verb, struct cli_options *options) {
    for (size_t i = 0; i < options->operands.count; i++) {
        if (!verb->takes_input && !verb->takes_scenario)
            continue;
        options->operands.items[i] = cli_piped_input(options->operands.items[i]);
        if (options->operands.items[i] == NULL)
            return false;
        options->words[i] = cli_file_name(options->operands.items[i]);
    }
    return true;
}

/* A word may name a kernel and a scenario: takes the one that the verb can do something with. */
static void prefer_suitable(const struct cli_verb *verb, const char *word,
                            struct cli_config_path *path) {
    struct cli_config_path other;
    if (!cli_scenario_find_other(word, path, &other) || verb->suits(path->text) ||
        !verb->suits(other.text))
        return;
    cli_note("%s is %s here; %s reads no tile in a way that %s could show", word, other.text,
             path->text, verb->name);
    *path = other;
}

/* Puts the files that words name in the place of the words. Other operands stay: the verb says what
 * is wrong with them. */
static bool find_scenarios(const struct cli_verb *verb, struct cli_options *options) {
    struct cli_config_path path;
    size_t count = options->operands.count; /* of several, a table says what is wrong with each */
    for (size_t i = 0; verb->takes_scenario && i < count; i++) {
        bool found = cli_scenario_find(options->operands.items[i], &path);
        if (!found && count == 1 && !cli_scenario_may_exist(options->operands.items[i]))
            return false;
        if (!found)
            continue;
        if (verb->suits != NULL)
            prefer_suitable(verb, options->operands.items[i], &path);
        options->found[i] = tma_copy_text(path.text);
        if (options->found[i] == NULL)
            return cli_error("out of memory");
        options->operands.items[i] = options->found[i];
    }
    return true;
}

static int run_verb(const struct cli_verb *verb, int count, char **arguments) {
    struct cli_options *options = cli_options_parse(verbs, verb, count, arguments);
    if (options == NULL)
        return CLI_ERROR;
    int status = CLI_OK;
    options->verbs = verbs;
    if (options->help)
        cli_verb_help(verb);
    else if (!are_readable_kinds(verb, options) || !find_input(verb, options) ||
             !takes_launches(verb, options) || !find_scenarios(verb, options))
        status = CLI_ERROR;
    else
        status = spares_operands(options) ? verb->run(options) : CLI_ERROR;
    cli_options_free(verb, options);
    return status;
}

static int run(int count, char **arguments) {
    if (count < 2) {
        run_verb(&cli_help, 0, NULL);
        return CLI_ERROR; /* so that a script with an empty variable stops */
    }
    const char *name = arguments[1];
    if (strcmp(name, "--version") == 0) {
        printf("tmasim %s\n", TMA_VERSION);
        return CLI_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = cli_help.name;
    const struct cli_verb *verb = find_verb(name);
    return verb == NULL ? CLI_ERROR : run_verb(verb, count - 2, arguments + 2);
}

int cli_run_command(int count, char **arguments) {
    int status = run(count, arguments);
    errno = 0;
    bool good = !ferror(stdout);
    if (!good)
        errno = cli_write_error(stdout);
    if ((fflush(stdout) != 0 || !good) && status == CLI_OK) {
        cli_error("cannot write standard output: %s", strerror(errno));
        status = CLI_ERROR;
    }
    return status;
}
