#include "cli/options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "scenario/suggestion.h"

static const struct cli_option help_option = {
    "--help", "-h", NULL, CLI_FLAG, offsetof(struct cli_options, help), NULL, "say this"};

static const struct tma_name format_items[] = {{"text", CLI_FORMAT_TEXT},
                                               {"json", CLI_FORMAT_JSON}};
const struct tma_names cli_format_names = {"format", format_items, 2};

/* The arguments that are left. */
struct arguments {
    const struct cli_verb *verb;
    char *const *next;
    char *const *end;
};

static bool is_named(const struct cli_option *option, const char *name, size_t length) {
    if (strlen(option->name) == length && strncmp(option->name, name, length) == 0)
        return true;
    return option->short_name != NULL && length == 2 && strncmp(option->short_name, name, 2) == 0;
}

static const struct cli_option *find_option(const struct cli_verb *verb, const char *name,
                                            size_t length) {
    for (size_t i = 0; i < verb->option_count; i++)
        if (is_named(&verb->options[i], name, length))
            return &verb->options[i];
    return is_named(&help_option, name, length) ? &help_option : NULL;
}

static bool refuse_option(const struct cli_verb *verb, const char *argument, size_t length) {
    char name[TMA_MAX_SUGGESTION];
    snprintf(name, sizeof name, "%.*s", (int)length, argument);
    struct tma_suggestion suggestion = {.wanted = name};
    for (size_t i = 0; i < verb->option_count; i++)
        tma_suggest(&suggestion, verb->options[i].name);
    if (suggestion.best[0] != '\0')
        cli_complain("%s has no option %s; did you mean %s?", verb->name, name, suggestion.best);
    else
        cli_complain("%s has no option %s; see tmasim %s --help", verb->name, name, verb->name);
    return false;
}

static bool append(const char ***list, size_t *count, const char *text) {
    const char **grown = realloc(*list, (*count + 1) * sizeof *grown);
    if (grown == NULL) {
        cli_complain("out of memory");
        return false;
    }
    *list = grown;
    grown[(*count)++] = text;
    return true;
}

static bool read_choice(const struct cli_option *option, const char *text, int *value) {
    if (tma_value_of(option->names, text, value))
        return true;
    char *allowed = tma_names_list(option->names);
    cli_complain("%s is \"%s\"; allowed: %s", option->name, text, allowed == NULL ? "" : allowed);
    free(allowed);
    return false;
}

/* The command never calls setlocale, so strtod reads the C locale's numbers. */
static bool read_number(const struct cli_option *option, const char *text, double *value) {
    char *end;
    *value = strtod(text, &end);
    if (end != text && *end == '\0' && isfinite(*value) && *value >= 0)
        return true;
    cli_complain("%s is \"%s\"; expected a number of at least 0", option->name, text);
    return false;
}

static bool read_count(const struct cli_option *option, const char *text, struct cli_count *count) {
    uint64_t value = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && value <= UINT32_MAX; digit++)
        value = 10 * value + (uint64_t)(*digit - '0');
    if (digit == text || *digit != '\0' || value > UINT32_MAX) {
        cli_complain("%s is \"%s\"; expected a whole number, 0 to %lu", option->name, text,
                     (unsigned long)UINT32_MAX);
        return false;
    }
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
        return read_choice(option, text, at);
    case CLI_NUMBER:
        return read_number(option, text, at);
    case CLI_COUNT:
        return read_count(option, text, at);
    case CLI_LIST:
        return append(at, (size_t *)(void *)((const char ***)at + 1), text);
    }
    return false;
}

/* "--name value", "--name=value", or a flag. */
static bool parse_option(struct arguments *arguments, struct cli_options *options) {
    const char *argument = *arguments->next++;
    size_t length = strcspn(argument, "=");
    const struct cli_option *option = find_option(arguments->verb, argument, length);
    if (option == NULL)
        return refuse_option(arguments->verb, argument, length);
    const char *value = argument[length] == '=' ? argument + length + 1 : NULL;
    if (option->value == NULL && value != NULL) {
        cli_complain("%s takes no value", option->name);
        return false;
    }
    if (option->value != NULL && value == NULL) {
        if (arguments->next == arguments->end) {
            cli_complain("%s needs a value: %s", option->name, option->value);
            return false;
        }
        value = *arguments->next++;
    }
    return store(option, value, options);
}

static bool check_operands(const struct cli_verb *verb, const struct cli_options *options) {
    if (options->help || (options->operand_count >= verb->least_operands &&
                          options->operand_count <= verb->most_operands))
        return true;
    cli_complain("%s takes %s; %zu given", verb->name, verb->operands, options->operand_count);
    return false;
}

bool cli_options_parse(const struct cli_verb *verb, int count, char *const *arguments,
                       struct cli_options *options) {
    struct arguments left = {verb, arguments, arguments + count};
    bool options_end = false;
    *options = (struct cli_options){0};
    while (left.next < left.end) {
        const char *argument = *left.next;
        bool good = true;
        if (!options_end && strcmp(argument, "--") == 0) {
            options_end = true;
            left.next++;
        } else if (!options_end && argument[0] == '-' && argument[1] != '\0') {
            good = parse_option(&left, options);
        } else {
            good = append(&options->operands, &options->operand_count, argument);
            left.next++;
        }
        if (!good)
            return false;
    }
    return check_operands(verb, options);
}

void cli_options_free(struct cli_options *options) {
    free(options->settings);
    free(options->operands);
    *options = (struct cli_options){0};
}

enum { HELP_COLUMN = 24 };

/* Writes a text, its further lines indented like its first. */
static void print_meaning(const char *text) {
    for (; *text != '\0'; text++) {
        putchar(*text);
        if (*text == '\n')
            printf("%*s", HELP_COLUMN, "");
    }
}

static void print_option(const struct cli_option *option) {
    char left[64];
    snprintf(left, sizeof left, "  %s%s%s%s%s",
             option->short_name == NULL ? "" : option->short_name,
             option->short_name == NULL ? "" : ", ", option->name, option->value == NULL ? "" : " ",
             option->value == NULL ? "" : option->value);
    printf("%-*s", HELP_COLUMN, left);
    if (strlen(left) >= HELP_COLUMN)
        printf("\n%*s", HELP_COLUMN, "");
    print_meaning(option->meaning);
    if (option->names != NULL) {
        char *allowed = tma_names_list(option->names);
        printf(": %s", allowed == NULL ? "" : allowed);
        free(allowed);
    }
    putchar('\n');
}

int cli_verb_help(const struct cli_verb *verb) {
    printf("usage: tmasim %s %s [options]\n\n%s\n", verb->name, verb->operands, verb->summary);
    if (verb->details != NULL)
        printf("\n%s\n", verb->details);
    printf("\noptions:\n");
    for (size_t i = 0; i < verb->option_count; i++)
        print_option(&verb->options[i]);
    print_option(&help_option);
    return CLI_OK;
}
