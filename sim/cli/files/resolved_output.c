#include "cli/files/resolved_output.h"

#include <string.h>

#include "scenario/block_yaml.h"
#include "scenario/describe.h"
#include "scenario/origin.h"
#include "scenario/tree.h"

struct resolved {
    struct tma_origins origins;
    struct tma_block_yaml yaml;
    bool out_of_memory;
};

static void write_pair(void *context, const char *key, const char *value) {
    static const char kernel[] = "kernel.";
    struct resolved *resolved = context;
    if (value == NULL) {
        resolved->out_of_memory = true;
        return;
    }
    /* The values of a kernel are those of its document, one by one; others have lists. */
    bool is_list = value[0] == '[' && strncmp(key, kernel, sizeof kernel - 1) != 0;
    tma_block_yaml_write(&resolved->yaml, key, is_list ? TMA_BLOCK_FLOW : TMA_BLOCK_SCALAR, value,
                         tma_origin_of(&resolved->origins, key).text);
}

/* Whether the timing was validated follows from these two, as the machine's file has them. */
static void write_machine_pair(void *context, const char *key, const char *value) {
    static const char validated[] = "gpu.validated", digest[] = "validated_digest";
    struct resolved *resolved = context;
    const struct tma_yaml_node *machine = resolved->origins.scenario->gpu_document;
    const struct tma_yaml_node *stated = tma_yaml_find(machine, digest);
    bool is_validated = strcmp(key, validated) == 0;
    write_pair(context, key, is_validated ? tma_yaml_find(machine, "validated")->text : value);
    if (is_validated && stated != NULL)
        write_pair(context, "gpu.validated_digest", stated->text);
}

bool cli_resolved_write(const struct tma_scenario *scenario, FILE *out) {
    struct resolved resolved = {.yaml = {.out = out}};
    resolved.out_of_memory = !tma_origins_create(&resolved.origins, scenario);
    if (!resolved.out_of_memory) {
        write_pair(&resolved, "name", scenario->name);
        if (scenario->description[0] != '\0')
            write_pair(&resolved, "description", scenario->description);
        tma_scenario_describe(scenario, write_machine_pair, &resolved);
    }
    tma_origins_free(&resolved.origins);
    return !resolved.out_of_memory;
}
