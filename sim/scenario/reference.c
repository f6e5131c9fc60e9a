#include "scenario/reference.h"

#include <string.h>

#include "scenario/machine_file.h"
#include "scenario/scenario_reader.h"

static void print_heading(const char *heading, FILE *out) {
    fprintf(out, "\n## %s\n\n| key | takes | default | meaning |\n| --- | --- | --- | --- |\n",
            heading);
}

void tma_reference_key(const struct tma_key *key, FILE *out) {
    fprintf(out, "| `%s` | ", key->path);
    tma_key_write_expected(key, out);
    fprintf(out, " | %s | %s |\n", key->fallback == TMA_REQUIRED ? "required" : key->fallback,
            key->meaning);
}

static void print_schema(const struct tma_schema *schema, const char *heading, FILE *out) {
    print_heading(heading, out);
    for (size_t i = 0; i < schema->count; i++)
        tma_reference_key(&schema->keys[i], out);
}

void tma_scenario_reference(FILE *out) {
    print_schema(&tma_scenario_schema, "The scenario", out);
    print_schema(&tma_map_schema, "`tensor_maps.NAME`: a tensor map", out);
    print_schema(&tma_workload_schema, "`workload`: the kernel", out);
    print_schema(&tma_operation_schema, "`workload.operations`: each operation", out);
    print_schema(&tma_consumer_schema, "`workload.consumers`: each consumer", out);
}

void tma_machine_reference(FILE *out) {
    static const struct {
        const char *prefix; /* of the group's keys; "" are the keys outside all groups */
        const char *heading;
    } groups[] = {
        {"", "The machine"},
        {"topology.", "`topology`: where SMs are, and which CTAs they run"},
        {"tma.", "`tma`: the TMA unit of an SM, and the warps that use it"},
        {"crossbar.", "`crossbar`: between SMs, GPCs and L2"},
        {"l2.", "`l2`: the L2 cache"},
        {"dram.", "`dram`: device memory"},
        {"shared.", "`shared`: shared memory of an SM"},
    };
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++) {
        print_heading(groups[i].heading, out);
        for (size_t k = 0; k < tma_machine_schema.count; k++) {
            const struct tma_key *key = &tma_machine_schema.keys[k];
            bool in_group = groups[i].prefix[0] == '\0' ? strchr(key->path, '.') == NULL
                                                        : strncmp(key->path, groups[i].prefix,
                                                                  strlen(groups[i].prefix)) == 0;
            if (in_group)
                tma_reference_key(key, out);
        }
    }
}
