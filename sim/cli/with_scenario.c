#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/complain.h"
#include "cli/verbs.h"

enum { SETTING_BYTES = 64 };

/* Appends "gpu.architecture=sm_100" for --arch to a copy of the settings, which the caller frees.
 * False when out of memory. */
static bool add_architecture(struct cli_options *options, char text[SETTING_BYTES]) {
    const char **settings = calloc(options->setting_count + 1, sizeof *settings);
    if (settings == NULL) {
        cli_complain("out of memory");
        return false;
    }
    if (options->setting_count > 0)
        memcpy(settings, options->settings, options->setting_count * sizeof *settings);
    snprintf(text, SETTING_BYTES, "gpu.architecture=%s",
             tma_name_of(&tma_architecture_names, options->architecture));
    settings[options->setting_count++] = text;
    options->settings = settings;
    return true;
}

static int read_and_work(const struct cli_options *options, cli_scenario_work *work) {
    struct tma_scenario scenario;
    struct tma_diagnostics list = {0};
    int status = CLI_BAD_INPUT;
    bool good = tma_scenario_read(options->operands[0], options->settings, options->setting_count,
                                  &scenario, &list);
    cli_complain_all(&list);
    tma_diagnostics_free(&list);
    if (good)
        status = work(options, &scenario);
    tma_scenario_free(&scenario);
    return status;
}

int cli_with_scenario(const struct cli_options *options, cli_scenario_work *work) {
    if (options->architecture == 0)
        return read_and_work(options, work);
    struct cli_options with_architecture = *options;
    char text[SETTING_BYTES];
    if (!add_architecture(&with_architecture, text))
        return CLI_BAD_INPUT;
    int status = read_and_work(&with_architecture, work);
    free(with_architecture.settings);
    return status;
}
