/* Checks a scenario as a whole: whether tiles, stage, shared memory, cluster and consumers fit
 * together, and whether any operation would fault on hardware. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "banks/consumer.h"
#include "memory/topology.h"
#include "placement/operation_architecture.h"
#include "scenario/parameters.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"

/* Alignment that TMA requires of a shared-memory address (PTX ISA 5.5.7). */
enum { SHARED_ALIGNMENT_BYTES = 128 };

void tma_scenario_diagnose(struct tma_scenario_reader *reader, const char *path, const char *format,
                           ...) {
    char text[TMA_ERROR_TEXT_BYTES + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, tma_yaml_locate(reader->root, path), "%s", text);
}

/* Returns how many tile numbers the walk reaches, counted from 0. */
static uint64_t tiles_reached(const struct tma_stage_operation *stage,
                              const struct tma_workload *workload) {
    uint32_t sharing = stage->operation.cta_mask != 0 ? tma_cluster_ctas(workload) : 1;
    uint64_t walkers = (workload->cta_count + sharing - 1) / sharing;
    switch (stage->walk.order) {
    case TMA_WALK_SAME:
        return workload->iterations;
    case TMA_WALK_FIXED:
        return walkers;
    case TMA_WALK_GRID_STRIDED:
    case TMA_WALK_BLOCKED:
        break;
    }
    return workload->iterations * walkers;
}

/* Returns the highest tile index that the walk reaches in dimension `d`. It reaches every lower
 * index too, because tile numbers start at 0 and the first dimensions vary fastest. */
static uint64_t last_step(const struct tma_walk *walk, uint64_t tiles, unsigned d) {
    uint64_t highest = tiles - 1;
    for (unsigned faster = 0; faster < d; faster++)
        highest /= walk->tiles[faster];
    return highest < walk->tiles[d] ? highest : walk->tiles[d] - 1;
}

/* Checks the operation at tile `k` of dimension `d`, with all other coordinates at their start.
 * Every fault depends on a single coordinate, so checking one dimension at a time finds all of
 * them. */
static bool check_step(struct tma_scenario_reader *reader, uint32_t index, unsigned d, uint64_t k) {
    const struct tma_workload *workload = &reader->scenario->workload;
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_walk *walk = &stage->walk;
    struct tma_operation operation = stage->operation;
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "workload.operations.%u.walk.%s.%u", index,
             k == 0 ? "start" : "step", d);
    int64_t coordinate = walk->start[d] + (int64_t)k * walk->step[d];
    if (coordinate < INT32_MIN || coordinate > INT32_MAX) {
        tma_scenario_diagnose(
            reader, path,
            "workload.operations.%u: tile %llu of dimension %u has coordinate %lld; "
            "allowed: -2147483648 to 2147483647",
            index, (unsigned long long)k, d, (long long)coordinate);
        return false;
    }
    memcpy(operation.coordinates, walk->start, sizeof operation.coordinates);
    operation.coordinates[d] = (int32_t)coordinate;
    operation.shared_address = 0;
    struct tma_row_stream stream;
    struct tma_error error;
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    enum tma_architecture architecture = reader->scenario->machine.architecture;
    enum tma_error_code code =
        tma_rows_begin(&stream, map, &operation, &reader->sizes[index], &error);
    if (code == TMA_OK && reader->machine_valid)
        code = tma_operation_architecture_check(map, &operation, architecture, &error);
    if (code == TMA_OK)
        return true;
    if (code == TMA_ERROR_UNSUPPORTED) {
        snprintf(path, sizeof path, "workload.operations.%u.access", index);
        tma_scenario_diagnose(reader, path, "workload.operations.%u: %s", index, error.text);
        return false;
    }
    tma_scenario_diagnose(reader, path, "workload.operations.%u, tile %llu of dimension %u: %s",
                          index, (unsigned long long)k, d, error.text);
    return false;
}

static bool check_walk(struct tma_scenario_reader *reader, uint32_t index) {
    const struct tma_workload *workload = &reader->scenario->workload;
    const struct tma_walk *walk = &workload->operations[index].walk;
    uint64_t tiles = tiles_reached(&workload->operations[index], workload);
    if (!check_step(reader, index, 0, 0))
        return false;
    bool good = true;
    for (unsigned d = 0; d < TMA_MAX_RANK; d++) {
        uint64_t last = last_step(walk, tiles, d);
        if (last > 0)
            good = check_step(reader, index, d, 1) && good;
        if (last > 1 && good)
            good = check_step(reader, index, d, last);
    }
    return good;
}

void tma_check_operations(struct tma_scenario_reader *reader) {
    for (uint32_t i = 0; i < reader->scenario->workload.operation_count; i++)
        if (reader->operation_valid[i] && reader->workload_valid)
            reader->size_known[i] = check_walk(reader, i);
}

static void check_fits_stage(struct tma_scenario_reader *reader, uint32_t index) {
    const struct tma_workload *workload = &reader->scenario->workload;
    const struct tma_stage_operation *stage = &workload->operations[index];
    uint32_t offset = stage->operation.shared_address;
    uint64_t end = (uint64_t)offset + reader->sizes[index].shared_footprint_bytes;
    if (stage->operation.direction == TMA_PREFETCH || end <= workload->stage_bytes)
        return;
    tma_scenario_diagnose(
        reader, "workload.pipeline.stage_bytes",
        "workload.pipeline.stage_bytes is %u B, too small for the tile of operation %u "
        "(%s), which takes %u B at offset %u B; expected %llu B or more",
        workload->stage_bytes, index, reader->scenario->map_names[stage->map],
        reader->sizes[index].shared_footprint_bytes, offset, (unsigned long long)end);
}

static void check_aligned(struct tma_scenario_reader *reader, const char *path, uint32_t address) {
    if (address % SHARED_ALIGNMENT_BYTES != 0)
        tma_scenario_diagnose(
            reader, path,
            "%s is %u B; expected a multiple of %d B, as TMA requires of shared-memory "
            "addresses",
            path, address, SHARED_ALIGNMENT_BYTES);
}

static void check_shared_memory(struct tma_scenario_reader *reader) {
    const struct tma_workload *workload = &reader->scenario->workload;
    uint32_t limit = reader->scenario->machine.shared_memory_cta_bytes;
    uint64_t bytes =
        workload->shared_base_bytes + (uint64_t)workload->depth * workload->stage_bytes;
    if (bytes > limit)
        tma_scenario_diagnose(
            reader, "workload.pipeline.depth",
            "%u stages of %u B from address %u B need %llu B of shared memory; a CTA of %s "
            "has %u B",
            workload->depth, workload->stage_bytes, workload->shared_base_bytes,
            (unsigned long long)bytes, reader->scenario->machine.name, limit);
}

/* Writes the cluster sizes that fit on `sms` SMs of the machine: "1, 2, 4". */
static void list_sizes(const struct tma_machine *machine, uint32_t sms, char *text, size_t size) {
    uint32_t placed[TMA_MAX_SMS];
    int used = snprintf(text, size, "1");
    for (uint32_t ctas = 2; ctas <= TMA_MAX_CLUSTER && ctas <= sms; ctas *= 2)
        if (tma_machine_place_clusters(machine, ctas, 1, placed) > 0)
            used += snprintf(text + used, size - (size_t)used, ", %u", ctas);
}

static void check_cluster(struct tma_scenario_reader *reader) {
    const struct tma_workload *workload = &reader->scenario->workload;
    const struct tma_machine *machine = &reader->scenario->machine;
    uint32_t ctas = tma_cluster_ctas(workload), sms[TMA_MAX_SMS];
    char sizes[32];
    if (workload->cta_count % ctas != 0)
        tma_scenario_diagnose(
            reader, "workload.ctas",
            "workload.ctas is %u; expected a multiple of workload.cluster, which is %u",
            workload->cta_count, ctas);
    if (!reader->machine_valid || ctas == 1 || workload->sm_count > machine->sm_count)
        return;
    if (ctas <= workload->sm_count && tma_machine_place_clusters(machine, ctas, 1, sms) > 0)
        return;
    list_sizes(machine, workload->sm_count, sizes, sizeof sizes);
    tma_scenario_diagnose(
        reader, "workload.cluster",
        "workload.cluster is %u, but its CTAs must run at the same time on SMs of one GPC; "
        "sizes that fit on %u SMs of %s: %s",
        ctas, workload->sm_count, machine->name, sizes);
}

void tma_check_stage(struct tma_scenario_reader *reader) {
    const struct tma_workload *workload = &reader->scenario->workload;
    if (!reader->workload_valid)
        return;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        char path[TMA_PATH_BYTES];
        if (!reader->size_known[i])
            continue;
        snprintf(path, sizeof path, "workload.operations.%u.shared_offset", i);
        check_aligned(reader, path, workload->operations[i].operation.shared_address);
        check_fits_stage(reader, i);
    }
    check_aligned(reader, "workload.pipeline.shared_base", workload->shared_base_bytes);
    if (workload->depth > 1)
        check_aligned(reader, "workload.pipeline.stage_bytes", workload->stage_bytes);
    check_cluster(reader);
    if (!reader->machine_valid)
        return;
    check_shared_memory(reader);
    if (workload->sm_count > reader->scenario->machine.sm_count)
        tma_scenario_diagnose(reader, "workload.sms", "workload.sms is %u; %s has %u SMs",
                              workload->sm_count, reader->scenario->machine.name,
                              reader->scenario->machine.sm_count);
}

static void check_consumer(struct tma_scenario_reader *reader, uint32_t index) {
    const struct tma_workload *workload = &reader->scenario->workload;
    const struct tma_consumer *consumer = &workload->consumers[index];
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "workload.consumers.%u.operation", index);
    if (consumer->operation >= workload->operation_count) {
        tma_scenario_diagnose(reader, path, "%s is %u; allowed: operations 0 to %u", path,
                              consumer->operation, workload->operation_count - 1);
        return;
    }
    if (!reader->size_known[consumer->operation])
        return;
    if (workload->operations[consumer->operation].operation.direction == TMA_PREFETCH) {
        tma_scenario_diagnose(reader, path,
                              "%s is %u, a prefetch, which brings no tile to shared memory", path,
                              consumer->operation);
        return;
    }
    struct tma_tile tile;
    struct tma_error error;
    snprintf(path, sizeof path, "workload.consumers.%u", index);
    /* If the tile cannot be computed, an earlier check has reported why. */
    if (tma_workload_tile(workload, 0, consumer->operation, &tile, &error) == TMA_OK &&
        tma_consumer_check(consumer, &tile, &error) != TMA_OK)
        tma_scenario_diagnose(reader, path, "%s: %s", path, error.text);
}

/* Consumers that may fail are left out, all of them, if one does. */
void tma_check_consumers(struct tma_scenario_reader *reader) {
    struct tma_workload *workload = &reader->scenario->workload;
    struct tma_diagnostics *list = reader->list;
    if (reader->consumer_list != NULL)
        reader->list = reader->consumer_list;
    for (uint32_t i = 0; i < workload->consumer_count; i++)
        if (reader->consumer_valid[i] && workload->operation_count > 0)
            check_consumer(reader, i);
    reader->list = list;
    if (reader->consumer_list != NULL && tma_diagnostics_total(reader->consumer_list) > 0)
        workload->consumer_count = 0;
}

enum { MAX_REASON = 159 };

struct requirement {
    const struct tma_yaml_node *that;
    char why[MAX_REASON + 1];
};

static const struct tma_key keys[] = {
    TMA_PLAIN_KEY("that", EXPRESSION, TMA_REQUIRED, offsetof(struct requirement, that),
                  "a condition of the parameters, such as `BM % 64 == 0`"),
    TMA_TEXT_KEY("why", CHARS, MAX_REASON, TMA_REQUIRED, offsetof(struct requirement, why),
                 "the reason, for the error where the condition does not hold"),
};

const struct tma_schema tma_requirement_schema = TMA_SCHEMA(keys);

static void check_requirement(const struct tma_yaml_node *node, unsigned index,
                              struct tma_diagnostics *errors) {
    char context[TMA_PATH_BYTES];
    struct requirement requirement = {0};
    int64_t holds;
    snprintf(context, sizeof context, "requires.%u", index);
    if (!tma_schema_read(&tma_requirement_schema, node, context, &requirement, errors))
        return;
    snprintf(context, sizeof context, "requires.%u.that", index);
    if (tma_expression_number(requirement.that, &tma_unit_none, context, &holds, errors) &&
        holds == 0)
        tma_diagnose(errors, TMA_ERROR_ARGUMENT, requirement.that->at, "%.160s does not hold: %s",
                     requirement.that->text, requirement.why);
}

void tma_check_requirements(const struct tma_yaml_node *list, struct tma_diagnostics *errors) {
    unsigned index = 0;
    for (const struct tma_yaml_node *node = list->first; node != NULL; node = node->next)
        check_requirement(node, index++, errors);
}
