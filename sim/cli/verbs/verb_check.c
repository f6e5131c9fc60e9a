/* tmasim check: the rules that tensor maps break, and advice on legal maps. */
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "cli/files/launch_input.h"
#include "cli/files/output.h"
#include "cli/launch_run.h"
#include "cli/map_check.h"
#include "cli/messages.h"
#include "cli/options.h"
#include "cli/verbs/verbs.h"
#include "report/colour.h"
#include "report/escape.h"
#include "report/table.h"

/* tmasim check with several files: a table with a row for each tensor map. */

enum { FINDING_BYTES = 1400 };

enum { FILE_COLUMN, MAP_COLUMN, RESULT_COLUMN, FINDING_COLUMN, COLUMNS };

static const char *const headings[COLUMNS] = {"file", "tensor map", "result", "finding"};

enum result { LEGAL, ILLEGAL, UNUSABLE, UNSUPPORTED, UNREADABLE };

static const char *const result_words[] = {"legal", "illegal", "unusable", "unsupported", "error"};

struct row {
    enum result result;
    char *cells[COLUMNS]; /* owned; NULL: nothing */
};

struct map_table {
    const struct cli_options *options;
    struct row *rows; /* owned */
    size_t count, capacity;
    int status;
};

/* The first violation and how many more there are, the operation that the architecture lacks, or
 * the names of the advice. */
static void write_finding(const struct cli_map_check *check, char finding[FINDING_BYTES]) {
    enum { ROOM_FOR_MORE = 32 };
    finding[0] = '\0';
    if (check->violation_count > 0) {
        tma_violation_text_in(&check->violations[0], check->names, finding,
                              FINDING_BYTES - ROOM_FOR_MORE);
        size_t used = strlen(finding);
        if (check->violation_count > 1)
            snprintf(finding + used, FINDING_BYTES - used, " (and %zu more)",
                     check->violation_count - 1);
    } else if (check->has_unsupported) {
        snprintf(finding, FINDING_BYTES, "%s", check->unsupported.text);
    } else {
        for (size_t i = 0; i < check->advice_count; i++) {
            size_t used = strlen(finding);
            snprintf(finding + used, FINDING_BYTES - used, "%s%s", i == 0 ? "advice: " : ", ",
                     check->advice[i].rule->id);
        }
        if (check->phase != NULL) {
            size_t used = strlen(finding);
            snprintf(finding + used, FINDING_BYTES - used, "%sswizzle_phase",
                     used == 0 ? "advice: " : ", ");
        }
    }
}

static enum result result_of(const struct cli_map_check *check) {
    if (check->violation_count > 0)
        return ILLEGAL;
    if (!check->usable)
        return UNUSABLE;
    return check->has_unsupported ? UNSUPPORTED : LEGAL;
}

static bool add_row(struct map_table *table, const char *file, const char *map, enum result result,
                    const char *finding) {
    const char *const cells[COLUMNS] = {file, map, result_words[result], finding};
    if (!TMA_GROW(table->rows, table->count, table->capacity))
        return false;
    struct row *row = &table->rows[table->count++];
    *row = (struct row){.result = result};
    for (int i = 0; i < COLUMNS; i++) {
        if (cells[i] == NULL || cells[i][0] == '\0')
            continue;
        row->cells[i] = tma_copy_text(cells[i]);
        if (row->cells[i] == NULL)
            return false;
    }
    return true;
}

static bool add_maps(struct map_table *table, const char *name, const struct cli_map_input *input) {
    struct cli_map_check check;
    char finding[FINDING_BYTES];
    for (uint32_t i = 0; i < cli_map_count(input); i++) {
        if (!cli_map_checks_one(table->options, input, i, &check) && table->status == CLI_OK)
            table->status = CLI_ILLEGAL;
        write_finding(&check, finding);
        if (!add_row(table, name, cli_map_name(input, i), result_of(&check), finding))
            return false;
    }
    return true;
}

/* Checks file number `index`: adds its rows, or writes its object where `json` is not NULL. Prints
 * an error and returns false if memory runs out, or the output would replace an input. */
static bool check_file(struct map_table *table, size_t index, struct tma_json *json) {
    const struct cli_options *options = table->options;
    const char *name = options->words[index];
    struct tma_diagnostics list = {0};
    struct cli_map_input input;
    char reason[FINDING_BYTES] = "";
    bool read = cli_map_input_load(options, options->operands.items[index], &input, &list);
    bool enough = !tma_diagnostics_lack_memory(&list);
    bool spared = !read || cli_output_spares(options->output, input.file.scenario->gpu_path);
    if (read)
        enough = cli_map_input_find_uses(options, &input);
    if (!read) {
        cli_first_error(&list, reason, sizeof reason);
        table->status = CLI_ERROR;
    }
    if (json != NULL) {
        tma_json_begin_object(json, NULL);
        tma_json_string(json, "file", name);
        if (!read)
            tma_json_string(json, "error", reason);
        else if (!cli_map_checks_json(options, &input, json) && table->status == CLI_OK)
            table->status = CLI_ILLEGAL;
        tma_json_end_object(json);
    } else if (enough) {
        enough =
            read ? add_maps(table, name, &input) : add_row(table, name, NULL, UNREADABLE, reason);
    }
    if (!enough)
        cli_error("out of memory");
    tma_diagnostics_free(&list);
    cli_map_input_free(&input);
    return enough && spared;
}

static void write_rows(const struct map_table *table, FILE *out) {
    int widths[FINDING_COLUMN];
    for (int c = 0; c < FINDING_COLUMN; c++) {
        widths[c] = tma_column_width(0, headings[c]);
        for (size_t i = 0; i < table->count; i++)
            widths[c] = tma_column_width(widths[c], table->rows[i].cells[c]);
    }
    for (int c = 0; c < FINDING_COLUMN; c++)
        tma_write_column(headings[c], widths[c], out);
    fprintf(out, "  %s\n", headings[FINDING_COLUMN]);
    for (size_t i = 0; i < table->count; i++) {
        const struct row *row = &table->rows[i];
        for (int c = 0; c < RESULT_COLUMN; c++)
            tma_write_column(row->cells[c], widths[c], out);
        fputs(tma_colour(out, row->result == LEGAL ? TMA_COLOUR_GOOD : TMA_COLOUR_BAD), out);
        tma_write_column(row->cells[RESULT_COLUMN], widths[RESULT_COLUMN], out);
        fputs(tma_colour(out, TMA_COLOUR_PLAIN), out);
        tma_write_column(row->cells[FINDING_COLUMN], 0, out);
        fputc('\n', out);
    }
}

static bool write_table(struct map_table *table, bool as_json, FILE *out) {
    size_t count = table->options->operands.count;
    struct tma_json json = {.out = out};
    bool good = true;
    if (as_json) {
        tma_json_begin_object(&json, NULL);
        tma_json_begin_array(&json, "files");
    }
    for (size_t i = 0; good && i < count; i++)
        good = check_file(table, i, as_json ? &json : NULL);
    if (as_json) {
        tma_json_end_array(&json);
        tma_json_end_object(&json);
    } else if (good) {
        write_rows(table, out);
    }
    return good;
}

static void free_rows(struct map_table *table) {
    for (size_t i = 0; i < table->count; i++)
        for (int c = 0; c < COLUMNS; c++)
            tma_release(table->rows[i].cells[c]);
    tma_release(table->rows);
}

/* Checks the maps of all files, and writes the table, or JSON. A file that cannot be read is a row
 * with its reason. Returns the exit status. */
static int check_files(const struct cli_options *options, bool as_json) {
    struct map_table table = {.options = options, .status = CLI_OK};
    struct cli_output output;
    if (!cli_output_open(&output, options->output))
        return CLI_ERROR;
    bool good = write_table(&table, as_json, output.file);
    if (!cli_output_close(&output, good) || !good)
        table.status = CLI_ERROR;
    free_rows(&table);
    return table.status;
}

enum { MOST_FILES = 10000 };

struct check_options {
    struct cli_options common;
    const char *launch; /* label of a record; NULL: not given */
    struct cli_count sanitize;
    bool strict;
};

static bool write_checks(const struct cli_options *options, const struct cli_map_input *input,
                         bool as_json, FILE *out) {
    struct tma_json json = {.out = out};
    if (!as_json)
        return cli_map_checks_text(options, input, out);
    tma_json_begin_object(&json, NULL);
    bool legal = cli_map_checks_json(options, input, &json);
    tma_json_end_object(&json);
    return legal;
}

static int run(const struct cli_options *options) {
    struct cli_map_input input;
    struct cli_output output;
    int status = CLI_ERROR;
    bool as_json = options->json || options->format == CLI_FORMAT_JSON;
    const struct check_options *own = (const struct check_options *)options;
    struct tma_error unreadable = {0};
    bool is_launch =
        options->operands.count == 1 && cli_is_launch(options->operands.items[0], &unreadable);
    bool executes = own->sanitize.given || options->format > CLI_FORMAT_JSON;
    const struct cli_launch_options launch = {
        .common = options,
        .format = as_json ? TMA_LAUNCH_JSON : (enum tma_launch_format)options->format,
        .label = own->launch,
        .sanitize = own->sanitize,
        .strict = own->strict,
        .functional = true};
    if (is_launch)
        return executes ? cli_launch_run(&launch) : cli_launch_check(&launch);
    if (executes)
        return cli_fail("%s",
                        unreadable.text[0] != '\0'
                            ? unreadable.text
                            : "check: --sanitize and the formats github and junit are for a launch "
                              "of a compiled kernel");
    if (options->operands.count > 1)
        return check_files(options, as_json);
    if (cli_map_input_read(options, !as_json, &input) && cli_map_input_find_uses(options, &input) &&
        cli_output_open(&output, options->output)) {
        bool legal = write_checks(options, &input, as_json, output.file);
        if (cli_output_close(&output, true) && !input.file.mended)
            status = legal ? CLI_OK : CLI_ILLEGAL;
    }
    cli_map_input_free(&input);
    return status;
}

static const struct cli_option options[] = {
    CLI_OPTION_ARCHITECTURE,
    CLI_OPTION_NAMES,
    CLI_OPTION_SET,
    CLI_OPTION_GPU,
    CLI_OPTION_FORMAT(&tma_launch_format_names),
    CLI_OPTION_JSON,
    CLI_OPTION_OUTPUT,
    CLI_OPTION_LAUNCH(offsetof(struct check_options, launch)),
    CLI_OPTION_SANITIZE(offsetof(struct check_options, sanitize)),
    CLI_OPTION_STRICT(offsetof(struct check_options, strict)),
    CLI_OPTION_QUIET,
};

const struct cli_verb cli_check = {
    .name = "check",
    .takes_scenario = true,
    .takes_launch = true,
    .operands = "[SCENARIO.yaml | MAP.json | LAUNCH.yaml]...",
    .example = "map.json --arch sm_100",
    .summary = "Check tensor maps against the rules of the driver and report costly settings.",
    .details =
        "The file is a scenario, which the library may have, or one tensor map with the same keys, "
        "in YAML\nor JSON, or the text that CUTLASS prints of a map. Without a file, or with -, "
        "check reads standard\ninput. Of the workload it judges only whether the architecture and "
        "the map have its operations; run\nfinds its other errors. Several files give a table: a "
        "row for each tensor map, with the first that\nis to say about it; of a file that cannot "
        "be read, the reason. With --sanitize, a launch is executed without time, and what is "
        "wrong with the\nkernel is reported.",
    .statuses = "0 all maps are legal, 1 a map breaks a rule or an operation on it is "
                "not\nsupported, or a launch has other outputs, 2 error, 3 a launch hangs, faults "
                "or races",
    .max_operands = MOST_FILES,
    CLI_RUNS_WITH(check_options),
};
