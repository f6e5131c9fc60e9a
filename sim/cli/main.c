/* tmasim: the command. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/version.h"
#include "cli/complain.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "scenario/suggestion.h"

const struct cli_verb *const cli_verbs[] = {
    &cli_run,   &cli_compare, &cli_layout, &cli_explain, &cli_pattern, &cli_diff, &cli_validate,
    &cli_check, &cli_encode,  &cli_decode, &cli_replace, &cli_help,    NULL,
};

static const struct cli_verb *find_verb(const char *name) {
    struct tma_suggestion suggestion = {.wanted = name};
    for (const struct cli_verb *const *verb = cli_verbs; *verb != NULL; verb++) {
        if (strcmp((*verb)->name, name) == 0)
            return *verb;
        tma_suggest(&suggestion, (*verb)->name);
    }
    if (suggestion.best[0] != '\0')
        cli_complain("there is no verb \"%s\"; did you mean \"%s\"?", name, suggestion.best);
    else
        cli_complain("there is no verb \"%s\"; see tmasim --help", name);
    return NULL;
}

static int run_verb(const struct cli_verb *verb, int count, char **arguments) {
    struct cli_options options;
    int status = CLI_BAD_INPUT;
    if (!cli_options_parse(verb, count, arguments, &options))
        status = CLI_BAD_INPUT;
    else if (options.help)
        status = cli_verb_help(verb);
    else
        status = verb->run(&options);
    cli_options_free(&options);
    return status;
}

static int run(int count, char **arguments) {
    if (count < 2) {
        cli_help.run(&(struct cli_options){0});
        return CLI_BAD_INPUT; /* a script whose variable is empty is to notice */
    }
    const char *name = arguments[1];
    if (strcmp(name, "--version") == 0) {
        printf("tmasim %s\n", TMA_VERSION);
        return CLI_OK;
    }
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = cli_help.name;
    const struct cli_verb *verb = find_verb(name);
    return verb == NULL ? CLI_BAD_INPUT : run_verb(verb, count - 2, arguments + 2);
}

int main(int count, char **arguments) {
    cli_output_prepare();
    int status = run(count, arguments);
    errno = 0;
    if (fflush(stdout) != 0 && status == CLI_OK) {
        cli_complain("cannot write standard output: %s", strerror(errno));
        status = CLI_BAD_INPUT;
    }
    return status;
}
