#include "scenario/describe.h"

#include <stdio.h>
#include <string.h>

#include "scenario/kernel_program.h"
#include "scenario/machine_file.h"
#include "scenario/parameters.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/tree.h"

/* Visits the values below a node, as they are in the document: the expressions of a kernel. */
static void describe_node(const struct tma_yaml_node *node, const char *path,
                          tma_pair_visitor visit, void *context) {
    char below[256];
    unsigned index = 0;
    if (node->kind == TMA_YAML_SCALAR)
        visit(context, path, node->text);
    for (const struct tma_yaml_node *child = node->first; child != NULL; child = child->next) {
        if (child->key != NULL)
            snprintf(below, sizeof below, "%.200s.%.50s", path, child->key);
        else
            snprintf(below, sizeof below, "%.200s.%u", path, index++);
        describe_node(child, below, visit, context);
    }
}

void tma_scenario_describe_parameters(const struct tma_scenario *scenario, tma_pair_visitor visit,
                                      void *context) {
    tma_parameters_visit(scenario->parameters, visit, context);
}

bool tma_scenario_has_parameter(const struct tma_scenario *scenario, const char *name) {
    const struct tma_parameters *parameters = scenario->parameters;
    return tma_parameter_named(parameters, parameters->count, name, strlen(name)) != NULL;
}

bool tma_scenario_parameter_is_derived(const struct tma_scenario *scenario, const char *key) {
    const struct tma_yaml_node *node = tma_yaml_find(scenario->document, key);
    const struct tma_parameters *parameters = scenario->parameters;
    const char *text = node == NULL || node->text == NULL ? "" : node->text;
    while (*text != '\0') {
        size_t length = tma_parameter_word_length(text);
        if (tma_parameter_named(parameters, parameters->count, text, length) != NULL)
            return true;
        text += length > 0 ? length : 1;
    }
    return false;
}

void tma_scenario_describe(const struct tma_scenario *scenario, tma_pair_visitor visit,
                           void *context) {
    const struct tma_workload *workload = &scenario->workload;
    char prefix[128];
    struct tma_describer describer = {visit, context, "gpu"};
    tma_scenario_describe_parameters(scenario, visit, context);
    tma_machine_describe(&scenario->machine, &describer);
    describer.prefix = prefix;
    for (uint32_t i = 0; i < workload->map_count; i++) {
        snprintf(prefix, sizeof prefix, "tensor_maps.%s", scenario->map_names[i]);
        tma_map_describe(&workload->maps[i], &workload->arrays[i], &describer);
    }
    if (scenario->program != NULL) {
        describe_node(tma_yaml_find(scenario->document, "kernel"), "kernel", visit, context);
        return;
    }
    snprintf(prefix, sizeof prefix, "workload");
    tma_workload_describe(workload, &describer);
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        snprintf(prefix, sizeof prefix, "workload.operations.%u", i);
        tma_operation_describe(scenario, i, &describer);
    }
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        snprintf(prefix, sizeof prefix, "workload.consumers.%u", i);
        tma_consumer_describe(&workload->consumers[i], &describer);
    }
}

bool tma_cycles_depend_on(const char *key) {
    return strncmp(key, "gpu.power.", strlen("gpu.power.")) != 0 &&
           strcmp(key, "gpu.public_data") != 0;
}

struct pair_digesting {
    struct tma_digests digests;
    bool out_of_memory;
};

static void digest_pair(void *context, const char *key, const char *value) {
    struct pair_digesting *digesting = context;
    if (!tma_cycles_depend_on(key))
        return;
    uint64_t *digest =
        strncmp(key, "gpu.", 4) == 0 ? &digesting->digests.machine : &digesting->digests.scenario;
    digesting->out_of_memory |= value == NULL;
    *digest = tma_digest_add_text(*digest, key);
    *digest = tma_digest_add_text(*digest, value == NULL ? "" : value);
}

bool tma_scenario_digest(const struct tma_scenario *scenario, struct tma_digests *digests) {
    struct pair_digesting digesting = {{TMA_DIGEST_EMPTY, TMA_DIGEST_EMPTY}, false};
    tma_scenario_describe(scenario, digest_pair, &digesting);
    *digests = digesting.digests;
    return !digesting.out_of_memory;
}
