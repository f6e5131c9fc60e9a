/* tmasim kernels: lists the kernels of the library with their parameters. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/files/config_files.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/json_writer.h"
#include "scenario/describe.h"

/* Where the list goes. */
struct listing {
    struct tma_json json;
    FILE *out;
    bool as_json;
    const struct tma_scenario *scenario;
    bool derived; /* which of its parameters: those that come from others */
    size_t listed;
    bool explains; /* with the comments of the file */
};

static void write_parameter(void *context, const char *key, const char *value) {
    struct listing *listing = context;
    size_t length = strlen("parameters.");
    if (tma_scenario_parameter_is_derived(listing->scenario, key) != listing->derived)
        return;
    listing->listed++;
    if (!listing->as_json) {
        if (listing->derived && listing->listed == 1)
            fprintf(listing->out, "%16s derived:", "");
        fprintf(listing->out, " %s=%s", key + length, value);
        return;
    }
    tma_json_begin_object(&listing->json, NULL);
    tma_json_string(&listing->json, "name", key + length);
    tma_json_decimal(&listing->json, "default", (double)strtoll(value, NULL, 10), 0);
    tma_json_end_object(&listing->json);
}

static void write_kernel(struct listing *listing, const char *name,
                         const struct tma_scenario *scenario) {
    listing->scenario = scenario;
    listing->derived = false;
    if (listing->as_json) {
        tma_json_begin_object(&listing->json, NULL);
        tma_json_string(&listing->json, "name", name);
        tma_json_string(&listing->json, "description", scenario->description);
        tma_json_begin_array(&listing->json, "parameters");
        tma_scenario_describe_parameters(scenario, write_parameter, listing);
        tma_json_end_array(&listing->json);
        listing->derived = true;
        tma_json_begin_array(&listing->json, "derived");
        tma_scenario_describe_parameters(scenario, write_parameter, listing);
        tma_json_end_array(&listing->json);
        tma_json_end_object(&listing->json);
        return;
    }
    fprintf(listing->out, "%-16s %s\n%16s", name, scenario->description, "");
    tma_scenario_describe_parameters(scenario, write_parameter, listing);
    fputc('\n', listing->out);
    listing->derived = true;
    listing->listed = 0;
    tma_scenario_describe_parameters(scenario, write_parameter, listing);
    if (listing->listed > 0)
        fputc('\n', listing->out);
}

/* Prints what the comments of a kernel's file say: above its keys, and behind its parameters. */
static void write_comments(const char *path, FILE *out) {
    static const char for_editors[] = "# yaml-language-server";
    FILE *file = fopen(path, "r");
    char line[400], key[64];
    bool at_head = true, in_parameters = false;
    while (file != NULL && fgets(line, sizeof line, file) != NULL) {
        const char *comment = strstr(line, "# ");
        at_head = at_head && line[0] == '#';
        if (line[0] != ' ' && line[0] != '#' && line[0] != '\n')
            in_parameters = strncmp(line, "parameters:", strlen("parameters:")) == 0;
        if (at_head && strncmp(line, for_editors, strlen(for_editors)) != 0)
            fprintf(out, "%s%s", comment == NULL ? "" : "  ",
                    comment == NULL ? "\n" : comment + strlen("# "));
        else if (in_parameters && comment != NULL && sscanf(line, " %63[A-Z0-9_]:", key) == 1)
            fprintf(out, "  %-15s%s", key, comment + strlen("# "));
    }
    if (file != NULL)
        fclose(file);
}

static bool list_kernel(struct listing *listing, const char *folder, const char *name) {
    struct tma_diagnostics list = {0};
    struct tma_scenario scenario;
    struct cli_config_path path;
    snprintf(path.text, sizeof path.text, "%.3000s/%.200s.yaml", folder, name);
    bool good = tma_scenario_read(path.text, NULL, 0, &scenario, &list);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    if (good)
        write_kernel(listing, name, &scenario);
    if (good && listing->explains) {
        write_comments(path.text, listing->out);
        fprintf(listing->out, "  file: %s\n", path.text);
    }
    tma_scenario_free(&scenario);
    return good;
}

/* Whether an operand names the kernel; without operands all are wanted. */
static bool is_wanted(const struct cli_options *options, const char *name) {
    bool wanted = options->operands.count == 0;
    for (size_t i = 0; i < options->operands.count; i++)
        wanted = wanted || strcasecmp(options->operands.items[i], name) == 0;
    return wanted;
}

static bool list_kernels(const struct cli_options *options, const char *folder,
                         const struct cli_config_names *names, FILE *out) {
    struct listing listing = {.json = {.out = out},
                              .out = out,
                              .as_json = options->format == CLI_FORMAT_JSON,
                              .explains = options->format != CLI_FORMAT_JSON &&
                                          options->operands.count > 0};
    bool good = true;
    if (listing.as_json) {
        tma_json_begin_object(&listing.json, NULL);
        tma_json_begin_array(&listing.json, "kernels");
    }
    for (size_t i = 0; i < names->count; i++)
        if (is_wanted(options, names->items[i]))
            good = list_kernel(&listing, folder, names->items[i]) && good;
    if (listing.as_json) {
        tma_json_end_array(&listing.json);
        tma_json_end_object(&listing.json);
    }
    return good;
}

static int run(const struct cli_options *options) {
    static const char *const folders[] = {"kernels", NULL};
    struct cli_config_path path;
    for (size_t i = 0; i < options->operands.count; i++) {
        const char *name = options->operands.items[i];
        bool is_path = strpbrk(name, "/.") != NULL;
        if (!is_path && cli_config_resolve(name, folders, &path))
            continue;
        if (is_path || cli_config_may_exist(name, folders, "kernel"))
            cli_error("kernels: %s is no kernel of the library", name);
        return CLI_ERROR;
    }
    return cli_config_list(options, "kernels", list_kernels);
}

static const struct cli_option options[] = {
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_kernels = {
    .name = "kernels",
    .operands = "[NAME...]",
    .max_operands = SIZE_MAX,
    .example = "gemm",
    .summary = "List the kernels of the library, with their parameters and defaults.",
    .details =
        "`tmasim run NAME --set PARAMETER=VALUE` runs one of them. Derived values come from the\n"
        "parameters before them; they can be set, too.",
    .statuses = "0 done, 2 error",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
