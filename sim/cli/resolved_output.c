#include "cli/resolved_output.h"

#include "base/printable.h"
#include "scenario/describe.h"
#include "scenario/origin.h"

struct resolved {
    struct tma_origins origins;
    FILE *out;
    bool out_of_memory;
};

static void write_pair(void *context, const char *key, const char *value) {
    struct resolved *resolved = context;
    if (value == NULL) {
        resolved->out_of_memory = true;
        return;
    }
    tma_write_printable(key, resolved->out);
    fputs(": ", resolved->out);
    tma_write_printable(value, resolved->out);
    fputs("  # ", resolved->out);
    tma_write_printable(tma_origin_of(&resolved->origins, key).text, resolved->out);
    fputc('\n', resolved->out);
}

bool cli_resolved_write(const struct tma_scenario *scenario, FILE *out) {
    struct resolved resolved = {.out = out};
    resolved.out_of_memory = !tma_origins_create(&resolved.origins, scenario);
    if (!resolved.out_of_memory)
        tma_scenario_describe(scenario, write_pair, &resolved);
    tma_origins_free(&resolved.origins);
    return !resolved.out_of_memory;
}
