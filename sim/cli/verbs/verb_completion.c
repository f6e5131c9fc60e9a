/* tmasim completion: the programs that complete its command lines in a shell. */
#include <string.h>

#include "cli/help/shell_completion.h"
#include "cli/help/shell_scripts.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"

enum completion_word { WORD_BASH, WORD_ZSH, WORD_FISH, WORD_QUERY };

static const struct tma_name word_items[] = {
    {"bash", WORD_BASH}, {"zsh", WORD_ZSH}, {"fish", WORD_FISH}, {"query", WORD_QUERY}};
static const struct tma_names words = {"shell", word_items, 4};

static int run(const struct cli_options *options) {
    static const char *const scripts[] = {[WORD_BASH] = cli_bash_completion,
                                          [WORD_ZSH] = cli_zsh_completion,
                                          [WORD_FISH] = cli_fish_completion};
    const struct cli_list *operands = &options->operands;
    struct cli_command_line line = {operands->items + 1, operands->count - 1};
    int word;
    if (!tma_value_of(&words, operands->items[0], &word)) {
        cli_error("completion: \"%s\" is no shell; allowed: bash, zsh, fish, or query with the "
                  "words of a command line",
                  operands->items[0]);
        return CLI_ERROR;
    }
    if (word == WORD_QUERY)
        return cli_complete(options->verbs, &line, stdout) ? CLI_OK : CLI_ERROR;
    if (operands->count > 1) {
        cli_error("completion: expected one shell, got %zu operands", operands->count);
        return CLI_ERROR;
    }
    fputs(scripts[word], stdout);
    return CLI_OK;
}

const struct cli_verb cli_completion = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .operand_words = &words,
    .example = "bash >~/.local/share/bash-completion/completions/tmasim",
    .summary = "Write the program with which a shell completes command lines of tmasim.",
    .details = "bash: source it, or write it to "
               "~/.local/share/bash-completion/completions/tmasim.\nzsh: write it to a folder of "
               "$fpath, as _tmasim. fish: write it to\n~/.config/fish/completions/tmasim.fish. "
               "`make install` installs all three.\n\nThese programs ask `tmasim completion query "
               "-- WORD...` what may stand in place of the last word: verbs,\noptions, their "
               "values, names of the library, and for --set each key of the scenario with its "
               "value.",
    .statuses = "0 done, 2 error",
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .run = run,
};
