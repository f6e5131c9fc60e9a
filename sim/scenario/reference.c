#include "scenario/reference.h"

#include <stdlib.h>

#include "scenario/machine_file.h"
#include "scenario/scenario_reader.h"

static const char *default_text(const struct tma_key *key) {
    if (key->fallback == TMA_REQUIRED)
        return "required";
    return key->fallback[0] == '\0' ? "" : key->fallback;
}

static void print_schema(const struct tma_schema *schema, const char *heading, FILE *out) {
    fprintf(out, "\n**%s**\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n",
            heading);
    for (size_t i = 0; i < schema->count; i++) {
        const struct tma_key *key = &schema->keys[i];
        char *takes = tma_key_expected(key);
        fprintf(out, "| `%s` | %s | %s | %s |\n", key->path, takes == NULL ? "" : takes,
                default_text(key), key->meaning);
        free(takes);
    }
}

void tma_scenario_reference(FILE *out) {
    print_schema(&tma_scenario_schema, "the scenario", out);
    print_schema(&tma_map_schema, "tensor_maps.NAME", out);
    print_schema(&tma_workload_schema, "workload", out);
    print_schema(&tma_operation_schema, "workload.operations, each", out);
    print_schema(&tma_consumer_schema, "workload.consumers, each", out);
}

void tma_machine_reference(FILE *out) {
    print_schema(&tma_machine_schema, "the machine", out);
}
