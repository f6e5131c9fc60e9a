#include "cli/options.h"

#include <assert.h>
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/help/situations.h"
#include "cli/messages.h"
#include "scenario/suggestion.h"

static const struct cli_option help_option = {.name = "--help",
                                              .short_name = "-h",
                                              .kind = CLI_FLAG,
                                              .offset = offsetof(struct cli_options, help),
                                              .help = "show this help"};

const struct tma_names cli_format_names =
    TMA_NAMES("format", {"text", CLI_FORMAT_TEXT}, {"json", CLI_FORMAT_JSON});

/* The arguments that are not parsed yet. */
struct arguments {
    const struct cli_verb *const *verbs; /* all; NULL behind the last */
    const struct cli_verb *verb;
    char *const *next;
    char *const *end;
};

static bool is_named(const struct cli_option *option, const char *name, size_t length) {
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
        return true;
    return option->short_name != NULL && length == 2 && strncmp(option->short_name, name, 2) == 0;
}

const struct cli_option *cli_verb_option(const struct cli_verb *verb, size_t index) {
    if (index < verb->option_count)
        return &verb->options[index];
    return index == verb->option_count ? &help_option : NULL;
}

const struct cli_option *cli_find_option(const struct cli_verb *verb, const char *name,
                                         size_t length) {
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_verb_option(verb, i)) != NULL; i++)
        if (is_named(option, name, length))
            return option;
    return NULL;
}

/* What other programs call an option of a verb that has one; NULL: no other name is known. */
static const char *other_name(const struct cli_verb *verb, const char *name) {
    static const struct {
        const char *name, *option, *instead;
    } others[] = {
        {"--json", "--format", "--format json"},  {"--csv", "--format", "--format csv"},
        {"--svg", "--format", "--format svg"},    {"--markdown", "--format", "--format markdown"},
        {"--html", "--output", "--output"},       {"--file", "--output", "--output"},
        {"--verbose", "--details", "--details"},  {"--all", "--details", "--details"},
        {"--machine", "--gpu", "--gpu"},          {"--device", "--gpu", "--gpu"},
        {"--threads", "--jobs", "--jobs"},        {"--params", "--set", "--set NAME=VALUE"},
        {"--param", "--set", "--set NAME=VALUE"},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(name, others[i].name) == 0 &&
            cli_find_option(verb, others[i].option, strlen(others[i].option)) != NULL)
            return others[i].instead;
    /* Parameters of kernels have capital letters. */
    return name[0] == '-' && name[1] == '-' && name[2] >= 'A' && name[2] <= 'Z' &&
                   cli_find_option(verb, "--set", strlen("--set")) != NULL
               ? "--set NAME=VALUE"
               : NULL;
}

/* Writes the verbs that have the option: "sweep, tune"; "" where none has. */
static void verbs_with(const struct cli_verb *const *verbs, const char *name, char *text,
                       size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; verbs[i] != NULL && used < size; i++)
        if (cli_find_option(verbs[i], name, strlen(name)) != NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ",
                                     verbs[i]->name);
}

static bool unknown_option(const struct arguments *arguments, const char *argument, size_t length) {
    const struct cli_verb *verb = arguments->verb;
    char name[TMA_MAX_SUGGESTION];
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    struct tma_suggestion suggestion = {.wanted = name};
    for (size_t i = 0; i < verb->option_count; i++)
        tma_suggest(&suggestion, verb->options[i].name);
    const char *instead = other_name(verb, name), *word = name + strspn(name, "-");
    char others[200];
    verbs_with(arguments->verbs, name, others, sizeof others);
    if (instead == NULL && others[0] == '\0' && suggestion.best[0] != '\0')
        instead = suggestion.best;
    if (instead != NULL)
        cli_error("%s: unknown option %s; did you mean %s?", verb->name, name, instead);
    else if (others[0] != '\0')
        cli_error("%s: unknown option %s, an option of %s; see tmasim %s --help", verb->name, name,
                  others, verb->name);
    else if (cli_situation_has(word))
        cli_error("%s: unknown option %s; tmasim help %s says what to do, and tmasim %s --help has "
                  "the options",
                  verb->name, name, word, verb->name);
    else
        cli_error("%s: unknown option %s; see tmasim %s --help", verb->name, name, verb->name);
    return false;
}

static bool append(struct cli_list *list, const char *text) {
    const char **grown = tma_resize(list->items, list->count + 1, sizeof *grown);
    if (grown == NULL)
        return cli_error("out of memory");
    list->items = grown;
    grown[list->count++] = text;
    return true;
}

/* --arch of the verbs that run a scenario sets the machine's architecture. */
static bool add_architecture(struct cli_options *options) {
    static const struct {
        enum tma_architecture architecture;
        const char *setting;
    } settings[] = {{TMA_SM_90, "gpu.architecture=sm_90"},
                    {TMA_SM_100, "gpu.architecture=sm_100"},
                    {TMA_SM_103, "gpu.architecture=sm_103"},
                    {TMA_SM_120, "gpu.architecture=sm_120"}};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++)
        if (options->machine_architecture == (int)settings[i].architecture)
            return append(&options->settings, settings[i].setting);
    return true;
}

static bool read_choice(const struct cli_option *option, const char *text, int *value) {
    if (tma_value_of(option->names, text, value))
        return true;
    char *allowed = tma_names_list(option->names);
    cli_error("%s is \"%s\"; allowed: %s", option->name, text, allowed == NULL ? "" : allowed);
    tma_release(allowed);
    return false;
}

/* strtod reads numbers of the C locale, because the command never calls setlocale. */
static bool read_number(const struct cli_option *option, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value >= 0)
        return true;
    return cli_error("%s is \"%s\"; expected a number, 0 or more", option->name, text);
}

static bool read_count(const struct cli_option *option, const char *text, struct cli_count *count) {
    uint64_t value = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && value <= UINT32_MAX; digit++)
        value = 10 * value + (uint64_t)(*digit - '0');
    if (digit == text || *digit != '\0' || value > UINT32_MAX)
        return cli_error("%s is \"%s\"; expected a whole number, 0 to %lu", option->name, text,
                         (unsigned long)UINT32_MAX);
    *count = (struct cli_count){true, (uint32_t)value};
    return true;
}

static bool store(const struct cli_option *option, const char *text, struct cli_options *options) {
    void *at = (char *)options + option->offset;
    switch (option->kind) {
    case CLI_FLAG:
        *(bool *)at = true;
        return true;
    case CLI_TEXT:
        *(const char **)at = text;
        return true;
    case CLI_CHOICE:
        return read_choice(option, text == NULL ? option->names->items[0].name : text, at);
    case CLI_NUMBER:
        return read_number(option, text, at);
    case CLI_COUNT:
        return read_count(option, text, at);
    case CLI_LIST:
        return append(at, text);
    }
    return false;
}

static size_t options_bytes(const struct cli_verb *verb) {
    return verb->options_bytes == 0 ? sizeof(struct cli_options) : verb->options_bytes;
}

/* Whether an argument has the form PATH=VALUE of a setting. */
static bool is_setting(const char *argument) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                                  "_.[]";
    size_t length = strspn(argument, allowed);
    return length > 0 && argument[length] == '=';
}

/* Whether an argument sets a parameter as the library names them, or a path of several words. */
static bool is_parameter(const char *argument) {
    size_t length = strcspn(argument, "=");
    return is_setting(argument) && argument[length + 1] != '=' &&
           (isupper((unsigned char)argument[0]) || memchr(argument, '.', length) != NULL);
}

/* False, with an error, if a word of an option that takes several PATH=VALUE has no value, or has a
 * second setting behind a comma. */
static bool is_one_setting(const struct arguments *arguments, const struct cli_option *option,
                           const char *word) {
    const char *next = arguments->next == arguments->end ? NULL : *arguments->next;
    bool apart = next != NULL && next[0] != '-' && !is_setting(next);
    if (strchr(word, '=') == NULL && apart)
        return cli_error("%s %s %s: a path and its value have = between them: %s %s=%s",
                         option->name, word, next, option->name, word, next);
    if (strchr(word, '=') == NULL)
        return cli_error("%s %s has no value; expected %s", option->name, word, option->value);
    for (const char *comma = strchr(word, ','); comma != NULL; comma = strchr(comma + 1, ','))
        if (is_parameter(comma + 1))
            return cli_error("%s %s: several settings have spaces between them: %s %.*s %s",
                             option->name, word, option->name, (int)(comma - word), word,
                             comma + 1);
    return true;
}

/* Takes the settings behind the first one of an option. */
static bool parse_more(struct arguments *arguments, const struct cli_option *option,
                       struct cli_options *options) {
    while (arguments->next < arguments->end && is_setting(*arguments->next)) {
        const char *word = *arguments->next++;
        if (!is_one_setting(arguments, option, word) || !store(option, word, options))
            return false;
    }
    return true;
}

/* Parses "--name value", "--name=value", a flag, or a name whose value is optional. */
static bool parse_option(struct arguments *arguments, struct cli_options *options) {
    const char *argument = *arguments->next++;
    size_t length = strcspn(argument, "=");
    const struct cli_option *option = cli_find_option(arguments->verb, argument, length);
    if (option == NULL)
        return unknown_option(arguments, argument, length);
    assert(option->offset < options_bytes(arguments->verb));
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (option->value == NULL && value != NULL)
        return cli_error("%s takes no value", option->name);
    if (option->value != NULL && !option->optional && value == NULL) {
        if (arguments->next == arguments->end)
            return cli_error("%s needs a value: %s", option->name, option->value);
        value = *arguments->next++;
    }
    return (!option->several || is_one_setting(arguments, option, value)) &&
           store(option, value, options) &&
           (!option->several || parse_more(arguments, option, options));
}

static bool check_operands(const struct cli_verb *verb, const struct cli_options *options) {
    size_t count = options->operands.count;
    if (options->help || (count >= verb->min_operands && count <= verb->max_operands))
        return true;
    const char *several = count > verb->max_operands ? verb->several : NULL;
    bool example = several == NULL && verb->example != NULL;
    return cli_error("%s: expected %s, got %zu operand%s%s%s%s%s%s%s", verb->name,
                     verb->operands[0] == '\0' ? "no operand" : verb->operands, count,
                     count == 1 ? "" : "s", several == NULL ? "" : "; ",
                     several == NULL ? "" : several, example ? "; for example: tmasim " : "",
                     example ? verb->name : "", example ? " " : "", example ? verb->example : "");
}

static bool add_gpu(struct cli_options *options) {
    static const char key[] = "gpu=";
    if (options->gpu == NULL)
        return true;
    size_t bytes = sizeof key + strlen(options->gpu);
    options->gpu_setting = tma_allocate(bytes, 1);
    if (options->gpu_setting == NULL)
        return cli_error("out of memory");
    snprintf(options->gpu_setting, bytes, "%s%s", key, options->gpu);
    return append(&options->settings, options->gpu_setting);
}

static bool parse_arguments(struct arguments *arguments, struct cli_options *options) {
    bool only_operands = false; /* set by "--" */
    while (arguments->next < arguments->end) {
        const char *argument = *arguments->next;
        bool good = true;
        if (!only_operands && strcmp(argument, "--") == 0) {
            only_operands = true;
            arguments->next++;
        } else if (!only_operands && argument[0] == '-' && argument[1] != '\0') {
            good = parse_option(arguments, options);
        } else {
            good = append(&options->operands, argument);
            arguments->next++;
        }
        if (!good)
            return false;
    }
    return add_architecture(options) && add_gpu(options) &&
           check_operands(arguments->verb, options);
}

static bool keep_words(struct cli_options *options) {
    size_t count = options->operands.count;
    options->words = tma_allocate(count, sizeof *options->words);
    options->found = tma_allocate(count, sizeof *options->found);
    if (options->words == NULL || options->found == NULL)
        return cli_error("out of memory");
    for (size_t i = 0; i < count; i++)
        options->words[i] = options->operands.items[i];
    return true;
}

struct cli_options *cli_options_parse(const struct cli_verb *const *verbs,
                                      const struct cli_verb *verb, int count,
                                      char *const *arguments) {
    struct cli_options *options = tma_allocate(1, options_bytes(verb));
    if (options == NULL) {
        cli_error("out of memory");
        return NULL;
    }
    struct arguments left = {verbs, verb, arguments, arguments + count};
    if (!parse_arguments(&left, options) || !keep_words(options)) {
        cli_options_free(verb, options);
        return NULL;
    }
    return options;
}

void cli_options_free(const struct cli_verb *verb, struct cli_options *options) {
    for (size_t i = 0; i < verb->option_count; i++) {
        struct cli_list *list = (void *)((char *)options + verb->options[i].offset);
        if (verb->options[i].kind == CLI_LIST) {
            tma_release(list->items);
            *list = (struct cli_list){0};
        }
    }
    tma_release(options->settings.items); /* which --arch adds to, too */
    for (size_t i = 0; options->found != NULL && i < options->operands.count; i++)
        tma_release(options->found[i]);
    TMA_RELEASE(options->found, options->gpu_setting, options->words, options->operands.items,
                options);
}

enum { HELP_COLUMN = 24 };

/* Prints a text and indents its second and later lines to the column of the first one. */
static void print_indented(const char *text) {
    for (; *text != '\0'; text++) {
        putchar(*text);
        if (*text == '\n')
            printf("%*s", HELP_COLUMN, "");
    }
}

static void print_option(const struct cli_option *option) {
    char left[64];
    const char *before = option->value == NULL ? "" : option->optional ? "[=" : " ";
    snprintf(left, sizeof left, "  %s%s%s%s%s%s",
             option->short_name == NULL ? "" : option->short_name,
             option->short_name == NULL ? "" : ", ", option->name, before,
             option->value == NULL ? "" : option->value, option->optional ? "]" : "");
    printf("%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    print_indented(option->help);
    if (option->names != NULL) {
        printf(": ");
        tma_names_write(option->names, stdout);
    }
    putchar('\n');
}

void cli_verb_help(const struct cli_verb *verb) {
    printf("usage: tmasim %s %s [options]\n\n%s\n", verb->name, verb->operands, verb->summary);
    if (verb->details != NULL)
        printf("\n%s\n", verb->details);
    if (verb->example != NULL)
        printf("\nexample:\n  tmasim %s %s\n", verb->name, verb->example);
    if (verb->statuses != NULL)
        printf("\nexit status: %s\n", verb->statuses);
    printf("\noptions:\n");
    const struct cli_option *option;
    for (size_t i = 0; (option = cli_verb_option(verb, i)) != NULL; i++)
        print_option(option);
}
