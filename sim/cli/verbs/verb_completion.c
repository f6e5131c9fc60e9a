/* tmasim completion: the programs that complete its command lines in a shell. */
#include <stdio.h>
#include <string.h>

#include "cli/files/config_files.h"
#include "cli/help/help_topics.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/verbs/verbs.h"
#include "scenario/describe.h"
#include "scenario/sections.h"

/* What may stand at a place of the command line, for the shells' completion. */

/* The words of a command line after "tmasim". The last one is being typed, and may be empty. */
struct cli_command_line {
    const char *const *words;
    size_t count;
};

struct completion {
    const struct cli_verb *const *verbs;
    FILE *out;
    const char *scenario; /* the first operand, or NULL */
    const char *front;    /* what of the word stays, such as "--set=" */
    size_t front_length;
    const char *typed; /* the rest of the word, which the texts begin with */
    char last[256];    /* the last text that was offered */
    bool out_of_memory;
};

/* Offers a text if it begins with what is typed. */
static void offer(struct completion *completion, const char *text, const char *meaning) {
    if (strncmp(text, completion->typed, strlen(completion->typed)) != 0 ||
        strcmp(text, completion->last) == 0)
        return;
    snprintf(completion->last, sizeof completion->last, "%s", text);
    fprintf(completion->out, "%.*s%s", (int)completion->front_length, completion->front, text);
    /* Of help with more than one line, the first says enough. */
    if (meaning[0] != '\0')
        fprintf(completion->out, "\t%.*s", (int)strcspn(meaning, "\n"), meaning);
    fputc('\n', completion->out);
}

static void offer_files(const struct completion *completion) {
    fputs("\tfiles\n", completion->out);
}

static void offer_names(struct completion *completion, const struct tma_names *names) {
    for (size_t i = 0; i < names->count; i++)
        offer(completion, names->items[i].name, "");
}

static void offer_verbs(struct completion *completion) {
    for (const struct cli_verb *const *verb = completion->verbs; *verb != NULL; verb++)
        offer(completion, (*verb)->name, (*verb)->summary);
}

/* Offers a key up to the next point behind what is typed, as a shell offers a folder. */
static void offer_key(struct completion *completion, const char *key, const char *meaning) {
    char text[256];
    size_t typed = strlen(completion->typed);
    if (strlen(key) < typed || strlen(key) + 2 > sizeof text)
        return;
    const char *point = strchr(key + typed, '.');
    if (point == NULL)
        snprintf(text, sizeof text, "%s=", key);
    else
        snprintf(text, sizeof text, "%.*s", (int)(point - key) + 1, key);
    offer(completion, text, point == NULL ? meaning : "");
}

/* A parameter needs no "parameters." before it. */
static void offer_setting(void *context, const char *key, const char *value) {
    struct completion *completion = context;
    static const char front[] = "parameters.";
    bool parameter = strncmp(key, front, strlen(front)) == 0;
    completion->out_of_memory |= value == NULL;
    offer_key(completion, parameter ? key + strlen(front) : key, value == NULL ? "" : value);
}

static void offer_machine_keys(void *context, const struct tma_section *section) {
    char path[160];
    for (size_t i = 0; i < section->schema.count; i++) {
        snprintf(path, sizeof path, "gpu.%s", section->schema.keys[i].path);
        offer_key(context, path, section->schema.keys[i].meaning);
    }
}

/* Offers what --set may change: each key of the scenario with its value, or without a scenario the
 * keys of machines. */
static void offer_settings(struct completion *completion) {
    static const char *const folders[] = {"kernels", "scenarios", NULL};
    struct cli_config_path path = {0};
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    if (strchr(completion->typed, '=') != NULL)
        return; /* the value of a key */
    if (completion->scenario == NULL || !cli_config_resolve(completion->scenario, folders, &path)) {
        tma_machine_sections(offer_machine_keys, completion);
        return;
    }
    if (tma_scenario_read(path.text, NULL, 0, &scenario, &list))
        tma_scenario_describe(&scenario, offer_setting, completion);
    completion->out_of_memory |= tma_diagnostics_lack_memory(&list);
    tma_scenario_free(&scenario);
    tma_diagnostics_free(&list);
}

static void offer_value(struct completion *completion, const struct cli_option *option) {
    if (option->names != NULL)
        offer_names(completion, option->names);
    else if (strncmp(option->value, "PATH=", 5) == 0)
        offer_settings(completion);
    else if (strcmp(option->value, "FILE") == 0)
        offer_files(completion);
}

static void offer_options(struct completion *completion, const struct cli_verb *verb) {
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_verb_option(verb, i)) != NULL; i++)
        offer(completion, option->name, option->help);
}

/* Offers the names in a folder below configs/, without those of a folder that comes first. */
static bool offer_names_in(struct completion *completion, const char *name, const char *first) {
    struct cli_config_path folder = {0}, other = {0};
    struct cli_config_names names = {0};
    bool good = !cli_config_find(name, &folder) || cli_config_names_read(folder.text, &names);
    for (size_t i = 0; i < names.count; i++) {
        char same[256];
        snprintf(same, sizeof same, "%s/%s.yaml", first, names.items[i]);
        if (!cli_config_find(same, &other))
            offer(completion, names.items[i], "");
    }
    cli_config_names_free(&names);
    return good;
}

static bool offer_library(struct completion *completion) {
    return offer_names_in(completion, "kernels", "") &&
           offer_names_in(completion, "scenarios", "kernels");
}

static bool offer_operands(struct completion *completion, const struct cli_verb *verb,
                           size_t before) {
    if (before >= verb->max_operands)
        return true;
    if (verb->operand_words != NULL) {
        offer_names(completion, verb->operand_words);
        return true;
    }
    if (verb->takes_topic) {
        offer_verbs(completion);
        for (const struct cli_help_topic *topic = cli_help_topics; topic->name != NULL; topic++)
            offer(completion, topic->name, topic->summary);
        return true;
    }
    offer_files(completion);
    return !verb->takes_scenario || offer_library(completion);
}

static bool complete_arguments(struct completion *completion, const struct cli_verb *verb,
                               const struct cli_command_line *line) {
    const struct cli_option *waiting = NULL; /* for its value */
    bool only_operands = false;
    size_t operands = 0;
    for (size_t i = 1; i + 1 < line->count; i++) {
        const char *word = line->words[i];
        size_t length = strcspn(word, "=");
        if (waiting != NULL) {
            waiting = NULL;
        } else if (!only_operands && strcmp(word, "--") == 0) {
            only_operands = true;
        } else if (!only_operands && word[0] == '-' && word[1] != '\0') {
            waiting = cli_find_option(verb, word, length);
            if (waiting != NULL &&
                (waiting->value == NULL || waiting->optional || word[length] == '='))
                waiting = NULL;
        } else if (operands++ == 0) {
            completion->scenario = word;
        }
    }
    size_t length = strcspn(completion->typed, "=");
    if (waiting != NULL) {
        offer_value(completion, waiting);
    } else if (!only_operands && completion->typed[0] == '-' && completion->typed[length] == '=') {
        const struct cli_option *option = cli_find_option(verb, completion->typed, length);
        completion->front = completion->typed;
        completion->front_length = length + 1;
        completion->typed += length + 1;
        if (option != NULL && option->value != NULL)
            offer_value(completion, option);
    } else if (!only_operands && completion->typed[0] == '-') {
        offer_options(completion, verb);
    } else {
        return offer_operands(completion, verb, operands);
    }
    if (completion->out_of_memory)
        cli_error("out of memory");
    return !completion->out_of_memory;
}

/* Writes a line for each text that may stand in place of the last word: the text, and behind a tab
 * what it means, if there is something to say. A text that ends with "=" or "." goes on. The line
 * "\tfiles" says that names of files may stand there, too; behind the "=" of an option's value.
 * Returns false if memory has run out, with the error printed. */
static bool complete_line(const struct cli_verb *const *verbs, const struct cli_command_line *line,
                          FILE *out) {
    if (line->count == 0)
        return true;
    struct completion completion = {
        .verbs = verbs, .out = out, .front = "", .typed = line->words[line->count - 1]};
    if (line->count == 1) {
        offer_verbs(&completion);
        offer(&completion, "--help", "show the verbs");
        offer(&completion, "--version", "show the version");
        return true;
    }
    while (*verbs != NULL && strcmp((*verbs)->name, line->words[0]) != 0)
        verbs++;
    return *verbs == NULL || complete_arguments(&completion, *verbs, line);
}

/* The programs that shells run to complete a command line: they ask the command. */

/* bash splits words at "=", too (COMP_WORDBREAKS): they are joined again, and what is offered loses
 * what stands before the last "=". */
static const char bash_completion[] =
    "# bash completion of tmasim: source this, or put it where bash-completion finds it.\n"
    "_tmasim() {\n"
    "    local IFS=$'\\n' words=() word joined=no line text current file\n"
    "    for word in \"${COMP_WORDS[@]:1:COMP_CWORD}\"; do\n"
    "        if [[ $word == = || $joined == yes ]] && ((${#words[@]} > 0)); then\n"
    "            words[${#words[@]}-1]+=$word\n"
    "        else\n"
    "            words+=(\"$word\")\n"
    "        fi\n"
    "        [[ $word == = ]] && joined=yes || joined=no\n"
    "    done\n"
    "    current=${COMP_WORDS[COMP_CWORD]}\n"
    "    [[ $current == = ]] && current=\n"
    "    COMPREPLY=()\n"
    "    while read -r line; do\n"
    "        if [[ $line == $'\\tfiles' ]]; then\n"
    "            compopt -o filenames 2>/dev/null\n"
    "            while read -r file; do COMPREPLY+=(\"$file\"); done < <(compgen -f -- "
    "\"$current\")\n"
    "            continue\n"
    "        fi\n"
    "        text=${line%%$'\\t'*}\n"
    "        [[ $text == *[=.] ]] && compopt -o nospace 2>/dev/null\n"
    "        case ${COMP_WORDBREAKS-} in\n"
    "        *=*)\n"
    "            word=${words[${#words[@]}-1]}\n"
    "            [[ $word == *=* ]] && text=${text#\"${word%=*}=\"}\n"
    "            ;;\n"
    "        esac\n"
    "        COMPREPLY+=(\"$text\")\n"
    "    done < <(\"${COMP_WORDS[0]}\" completion query -- \"${words[@]}\" 2>/dev/null)\n"
    "}\n"
    "complete -F _tmasim tmasim\n"
    "# tmasim-capture: its options as its help has them, and behind -- a command and files.\n"
    "_tmasim_capture() {\n"
    "    local line current=${COMP_WORDS[COMP_CWORD]}\n"
    "    local before=\" ${COMP_WORDS[*]:0:COMP_CWORD} \"\n"
    "    COMPREPLY=()\n"
    "    if [[ $before == *' -- ' ]]; then\n"
    "        while read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -c -- \"$current\" "
    "| sort -u)\n"
    "    elif [[ $before != *' -- '* && $current == -* ]]; then\n"
    "        while read -r line; do COMPREPLY+=(\"$line\"); done < <(compgen -W \"$(\n"
    "            \"${COMP_WORDS[0]}\" --help 2>/dev/null | grep -o -- '--[a-z][a-z-]*')\" -- "
    "\"$current\" | sort -u)\n"
    "    fi\n"
    "}\n"
    "complete -o default -F _tmasim_capture tmasim-capture\n";

static const char zsh_completion[] =
    "#compdef tmasim tmasim-capture\n"
    "# zsh completion of tmasim: put this as _tmasim into a folder of $fpath.\n"
    "_tmasim() {\n"
    "    local line text files=no\n"
    "    local -a whole open\n"
    "    if [[ $service == tmasim-capture ]]; then\n"
    "        _arguments '(-)*::: :_normal' --\n"
    "        return\n"
    "    fi\n"
    "    for line in \"${(@f)$(\"${words[1]}\" completion query -- \"${(@Q)words[2,CURRENT]}\" "
    "2>/dev/null)}\"; do\n"
    "        [[ -z $line ]] && continue\n"
    "        if [[ $line == $'\\tfiles' ]]; then\n"
    "            files=yes\n"
    "            continue\n"
    "        fi\n"
    "        text=${line%%$'\\t'*}\n"
    "        text=${text//:/\\\\:}\n"
    "        [[ $line == *$'\\t'* ]] && text+=:${line#*$'\\t'}\n"
    "        if [[ ${line%%$'\\t'*} == *[=.] ]]; then open+=(\"$text\"); else whole+=(\"$text\"); "
    "fi\n"
    "    done\n"
    "    (($#whole)) && _describe tmasim whole\n"
    "    (($#open)) && _describe tmasim open -S ''\n"
    "    if [[ $files == yes ]]; then\n"
    "        compset -P '--*='\n"
    "        _files\n"
    "    fi\n"
    "}\n"
    "if [[ $funcstack[1] == _tmasim ]]; then _tmasim \"$@\"; else compdef _tmasim tmasim "
    "tmasim-capture; fi\n";

static const char fish_completion[] =
    "# fish completion of tmasim: put this as tmasim.fish into a folder of $fish_complete_path.\n"
    "function __tmasim_complete\n"
    "    set -l words (commandline -opc)\n"
    "    set -l current (commandline -ct)\n"
    "    for line in ($words[1] completion query -- $words[2..-1] $current 2>/dev/null)\n"
    "        if string match -q -- \\t'files' $line\n"
    "            set -l front (string match -r -- '^--[^=]*=' $current)\n"
    "            printf \"$front%s\\n\" (__fish_complete_path (string replace -r -- "
    "'^--[^=]*=' '' $current))\n"
    "        else\n"
    "            printf '%s\\n' $line\n"
    "        end\n"
    "    end\n"
    "end\n"
    "complete -c tmasim -f -a '(__tmasim_complete)'\n"
    "# tmasim-capture: its options as its help has them.\n"
    "complete -c tmasim-capture -a '(tmasim-capture --help 2>/dev/null | "
    "string match -r -a -g -- \"(--[a-z][a-z-]*)\")'\n";

enum completion_word { WORD_BASH, WORD_ZSH, WORD_FISH, WORD_QUERY };

static const struct tma_names words = TMA_NAMES("shell", {"bash", WORD_BASH}, {"zsh", WORD_ZSH},
                                                {"fish", WORD_FISH}, {"query", WORD_QUERY});

static int run(const struct cli_options *options) {
    static const char *const scripts[] = {
        [WORD_BASH] = bash_completion, [WORD_ZSH] = zsh_completion, [WORD_FISH] = fish_completion};
    const struct cli_list *operands = &options->operands;
    struct cli_command_line line = {operands->items + 1, operands->count - 1};
    int word;
    if (!tma_value_of(&words, operands->items[0], &word))
        return cli_fail(
            "completion: \"%s\" is no shell; allowed: bash, zsh, fish, or query with the "
            "words of a command line",
            operands->items[0]);
    if (word == WORD_QUERY)
        return complete_line(options->verbs, &line, stdout) ? CLI_OK : CLI_ERROR;
    if (operands->count > 1)
        return cli_fail("completion: expected one shell, got %zu operands", operands->count);
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
