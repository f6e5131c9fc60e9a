#include "search/variant_scenario.h"

#include <stdio.h>
#include <string.h>

#include "base/allocation.h"

static char *join_setting(const char *path, const char *value) {
    size_t bytes = strlen(path) + strlen(value) + 2;
    char *text = tma_allocate(bytes, 1);
    if (text != NULL)
        snprintf(text, bytes, "%s=%s", path, value);
    return text;
}

static bool make_settings(const struct cli_list *user, const struct cli_variants *variants,
                          size_t row, struct cli_variant_scenario *variant) {
    variant->setting_count = variant->user_count = user->count;
    variant->settings =
        tma_allocate(user->count + variants->column_count, sizeof *variant->settings);
    variant->texts = tma_allocate(variants->column_count, sizeof *variant->texts);
    if (variant->settings == NULL || variant->texts == NULL)
        return false;
    for (size_t i = 0; i < user->count; i++)
        variant->settings[i] = user->items[i];
    for (size_t i = 0; i < variants->column_count; i++) {
        const char *value = variants->values[row * variants->column_count + i];
        if (value == NULL)
            continue;
        char *text = join_setting(variants->columns[i], value);
        if (text == NULL)
            return false;
        variant->texts[variant->setting_count - user->count] = text;
        variant->settings[variant->setting_count++] = text;
    }
    return true;
}

/* Writes the first error. One in a setting of the row is named by the setting. */
static void describe_error(const struct tma_diagnostics *list, const char *path, const char *name,
                           const struct cli_variant_scenario *variant,
                           char reason[CLI_REASON_BYTES]) {
    const struct tma_diagnostic *first = &list->items[0];
    const char *file = strcmp(first->at.file, path) == 0 ? name : first->at.file;
    const char *said = first->text == NULL ? "out of memory" : first->text;
    size_t number = 0, total = tma_diagnostics_total(list);
    char more[40] = "";
    if (total > 1)
        snprintf(more, sizeof more, " (and %zu more)", total - 1);
    if (sscanf(first->at.file, "--set %9zu", &number) == 1 && number > variant->user_count &&
        number <= variant->setting_count)
        snprintf(reason, CLI_REASON_BYTES, "%s: %s%s", variant->settings[number - 1], said, more);
    else if (first->at.line > 0)
        snprintf(reason, CLI_REASON_BYTES, "%s:%u:%u: %s%s", file, first->at.line, first->at.column,
                 said, more);
    else
        snprintf(reason, CLI_REASON_BYTES, "%s: %s%s", file, said, more);
}

bool cli_variant_read(const char *path, const char *name, const struct cli_list *user,
                      const struct cli_variants *variants, size_t row,
                      struct cli_variant_scenario *variant, char reason[CLI_REASON_BYTES]) {
    struct tma_diagnostics list = {0};
    *variant = (struct cli_variant_scenario){.settings = NULL};
    snprintf(reason, CLI_REASON_BYTES, "out of memory");
    if (!make_settings(user, variants, row, variant))
        return false;
    bool good = tma_scenario_read(path, variant->settings, variant->setting_count,
                                  &variant->scenario, &list);
    if (!good)
        describe_error(&list, path, name, variant, reason);
    tma_diagnostics_free(&list);
    return good;
}

void cli_variant_free(struct cli_variant_scenario *variant) {
    for (size_t i = 0; variant->texts != NULL && i < variant->setting_count - variant->user_count;
         i++)
        tma_release(variant->texts[i]);
    tma_release(variant->texts);
    tma_release(variant->settings);
    tma_scenario_free(&variant->scenario);
}
