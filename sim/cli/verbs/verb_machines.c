/* tmasim machines: lists the machines, and how well each is known. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "cli/files/config_files.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "report/json_writer.h"
#include "scenario/machine_file.h"
#include "scenario/text_file.h"

/* Origins of a value, as the comment beside it in a machine file says. */
static const char *const origins[] = {"measured", "fitted", "public", "derived", "assumed"};
enum { ORIGINS = sizeof origins / sizeof origins[0] };

struct listed_machine {
    const char *name; /* its word */
    struct tma_machine machine;
    uint32_t values[ORIGINS];
};

static const char *known(const struct tma_machine *machine) {
    return machine->trust.validated     ? "validated"
           : machine->trust.public_data ? "public data"
                                        : "not validated";
}

/* A value's line is "key: value  # origin", with or without what follows from a colon on. */
static void count_origins(const char *text, uint32_t values[ORIGINS]) {
    for (const char *line = text; line != NULL; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *end = line + strcspn(line, "\n"), *mark = strstr(line, " # "),
                   *colon = strchr(line, ':');
        if (mark == NULL || mark > end || colon == NULL || colon > mark)
            continue;
        for (size_t i = 0; i < ORIGINS; i++) {
            size_t length = strlen(origins[i]);
            values[i] += strncmp(mark + 3, origins[i], length) == 0;
        }
    }
}

static bool read_machine(const char *folder, struct listed_machine *listed) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct cli_config_path path;
    struct tma_error error = {0};
    char *text = NULL;
    size_t length;
    snprintf(path.text, sizeof path.text, "%.3000s/%.200s.yaml", folder, listed->name);
    bool good = tma_machine_read(path.text, &listed->machine, &list);
    cli_print_diagnostics(&list);
    tma_diagnostics_free(&list);
    if (good && tma_text_read(path.text, &text, &length, &error) != TMA_OK)
        good = cli_error("%s", error.text);
    if (good)
        count_origins(text, listed->values);
    tma_release(text);
    return good;
}

static double dram_gigabytes(const struct tma_machine *machine) {
    return (double)machine->dram.bus_bits / 8 * 2 * machine->dram.clock_mhz / 1000;
}

static void write_text(const struct listed_machine *listed, FILE *out) {
    const struct tma_machine *machine = &listed->machine;
    fprintf(out, "%-10s %-25s %4" PRIu32 " %5" PRIu32 " %6.1f %6.0f  %-13s", listed->name,
            machine->name, machine->sm_count, machine->sm_clock_mhz,
            (double)machine->l2.capacity_bytes / (1024 * 1024), dram_gigabytes(machine),
            known(machine));
    for (size_t i = 0; i < ORIGINS; i++)
        fprintf(out, " %8" PRIu32, listed->values[i]);
    fputc('\n', out);
}

static void write_json(const struct listed_machine *listed, struct tma_json *json) {
    const struct tma_machine *machine = &listed->machine;
    tma_json_begin_line(json, NULL);
    tma_json_string(json, "word", listed->name);
    tma_json_string(json, "name", machine->name);
    TMA_JSON_COUNTS(json, machine, sm_count, sm_clock_mhz);
    tma_json_unsigned(json, "l2_bytes", machine->l2.capacity_bytes);
    tma_json_decimal(json, "dram_gigabytes_per_second", dram_gigabytes(machine), 1);
    tma_json_string(json, "timing", known(machine));
    for (size_t i = 0; i < ORIGINS; i++)
        tma_json_unsigned(json, origins[i], listed->values[i]);
    tma_json_end_object(json);
}

static bool list_machines(const struct cli_options *options, const char *folder,
                          const struct cli_config_names *names, FILE *out) {
    struct tma_json json = {.out = out};
    bool as_json = options->format == CLI_FORMAT_JSON, good = true;
    if (as_json) {
        tma_json_begin_object(&json, NULL);
        tma_json_begin_array(&json, "machines");
    } else {
        fprintf(out, "%-10s %-25s %4s %5s %6s %6s  %-13s", "machine", "", "SMs", "MHz", "L2 MiB",
                "GB/s", "timing");
        for (size_t i = 0; i < ORIGINS; i++)
            fprintf(out, " %8s", origins[i]);
        fputc('\n', out);
    }
    for (size_t i = 0; i < names->count; i++) {
        struct listed_machine listed = {.name = names->items[i]};
        if (!read_machine(folder, &listed))
            good = false;
        else if (as_json)
            write_json(&listed, &json);
        else
            write_text(&listed, out);
    }
    if (as_json) {
        tma_json_end_array(&json);
        tma_json_end_object(&json);
    }
    return good;
}

static int run(const struct cli_options *options) {
    return cli_config_list(options, "gpus", list_machines);
}

static const struct cli_option options[] = {
    CLI_OPTION_FORMAT(&cli_format_names),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_machines = {
    .name = "machines",
    .operands = "",
    .example = "--format json",
    .summary = "List the machines, and how well each is known.",
    .details =
        "The word of a machine is what `--set gpu=` and `--gpu` take; h100 is h100_sxm. Its "
        "timing\n"
        "is validated (records of such a GPU were compared, and no value has changed since), not\n"
        "validated, or follows from public data alone. The last columns count the values of its\n"
        "file by their origin.",
    .statuses = "0 done, 2 error",
    .options = options,
    .option_count = sizeof options / sizeof options[0],
    .run = run,
};
