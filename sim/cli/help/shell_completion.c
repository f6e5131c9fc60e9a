#include "cli/help/shell_completion.h"

#include <string.h>

#include "cli/files/config_files.h"
#include "cli/files/config_names.h"
#include "cli/help/help_topics.h"
#include "cli/messages.h"
#include "scenario/describe.h"
#include "scenario/sections.h"

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

bool cli_complete(const struct cli_verb *const *verbs, const struct cli_command_line *line,
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
