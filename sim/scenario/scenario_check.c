/* What the schemas cannot see: whether tiles, stages and consumers fit together, and whether the
 * hardware would stop the kernel. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "banks/consumer.h"
#include "memory/system.h"
#include "placement/operation_architecture.h"
#include "scenario/reading.h"

/* What TMA needs of a shared-memory address (PTX ISA 5.5.7). */
enum { SHARED_ALIGNMENT_BYTES = 128 };

void tma_refuse_at(struct tma_reading *reading, const char *path, const char *format, ...) {
    char text[TMA_ERROR_TEXT_BYTES + 128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tma_diagnose(reading->list, TMA_ERROR_ARGUMENT, tma_yaml_locate(reading->root, path), "%s",
                 text);
}

/* How many tile numbers the walk reaches: 0 to this minus 1. */
static uint64_t tiles_reached(const struct tma_stage_operation *stage,
                              const struct tma_workload *workload) {
    uint32_t sharing = stage->operation.cta_mask != 0 ? tma_cluster_ctas(workload) : 1;
    uint64_t walkers = (workload->cta_count + sharing - 1) / sharing;
    switch (stage->walk.order) {
    case TMA_WALK_SAME:
        return workload->iterations;
    case TMA_WALK_FIXED:
        return walkers;
    default:
        return workload->iterations * walkers;
    }
}

/* The largest step that the walk takes in dimension `d`. Every one below it is taken too: tile
 * numbers start at 0, and the first dimensions vary fastest. */
static uint64_t last_step(const struct tma_walk *walk, uint64_t tiles, unsigned d) {
    uint64_t highest = tiles - 1;
    for (unsigned faster = 0; faster < d; faster++)
        highest /= walk->tiles[faster];
    return highest < walk->tiles[d] ? highest : walk->tiles[d] - 1;
}

/* Tries the operation at step `k` of dimension `d`, all others at their start. What faults does so
 * for one coordinate alone, so this sees every fault. */
static bool try_step(struct tma_reading *reading, uint32_t index, unsigned d, uint64_t k) {
    const struct tma_workload *workload = &reading->scenario->workload;
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_walk *walk = &stage->walk;
    struct tma_operation operation = stage->operation;
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "workload.operations.%u.walk.%s.%u", index,
             k == 0 ? "start" : "step", d);
    int64_t coordinate = walk->start[d] + (int64_t)k * walk->step[d];
    if (coordinate < INT32_MIN || coordinate > INT32_MAX) {
        tma_refuse_at(reading, path,
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
    enum tma_architecture architecture = reading->scenario->machine.architecture;
    enum tma_error_code code =
        tma_rows_begin(&stream, map, &operation, &reading->sizes[index], &error);
    if (code == TMA_OK && reading->machine_good)
        code = tma_operation_architecture_check(map, &operation, architecture, &error);
    if (code == TMA_OK)
        return true;
    if (code == TMA_ERROR_UNSUPPORTED) {
        snprintf(path, sizeof path, "workload.operations.%u.access", index);
        tma_refuse_at(reading, path, "workload.operations.%u: %s", index, error.text);
        return false;
    }
    tma_refuse_at(reading, path, "workload.operations.%u, tile %llu of dimension %u: %s", index,
                  (unsigned long long)k, d, error.text);
    return false;
}

static bool check_walk(struct tma_reading *reading, uint32_t index) {
    const struct tma_workload *workload = &reading->scenario->workload;
    const struct tma_walk *walk = &workload->operations[index].walk;
    uint64_t tiles = tiles_reached(&workload->operations[index], workload);
    if (!try_step(reading, index, 0, 0))
        return false;
    bool good = true;
    for (unsigned d = 0; d < TMA_MAX_RANK; d++) {
        uint64_t last = last_step(walk, tiles, d);
        if (last > 0)
            good = try_step(reading, index, d, 1) && good;
        if (last > 1 && good)
            good = try_step(reading, index, d, last);
    }
    return good;
}

void tma_check_operations(struct tma_reading *reading) {
    for (uint32_t i = 0; i < reading->scenario->workload.operation_count; i++)
        if (reading->operation_good[i] && reading->workload_good)
            reading->sized[i] = check_walk(reading, i);
}

static void check_fits_stage(struct tma_reading *reading, uint32_t index) {
    const struct tma_workload *workload = &reading->scenario->workload;
    const struct tma_stage_operation *stage = &workload->operations[index];
    uint32_t offset = stage->operation.shared_address;
    uint64_t end = (uint64_t)offset + reading->sizes[index].shared_footprint_bytes;
    if (stage->operation.direction == TMA_PREFETCH || end <= workload->stage_bytes)
        return;
    tma_refuse_at(reading, "workload.pipeline.stage_bytes",
                  "workload.pipeline.stage_bytes is %u B, too small for the box of operation %u "
                  "(%s): %u B at offset %u B; allowed: %llu B or more",
                  workload->stage_bytes, index, reading->scenario->map_names[stage->map],
                  reading->sizes[index].shared_footprint_bytes, offset, (unsigned long long)end);
}

static void check_aligned(struct tma_reading *reading, const char *path, uint32_t address) {
    if (address % SHARED_ALIGNMENT_BYTES != 0)
        tma_refuse_at(reading, path, "%s is %u B; shared-memory addresses are multiples of %d B",
                      path, address, SHARED_ALIGNMENT_BYTES);
}

static void check_shared_memory(struct tma_reading *reading) {
    const struct tma_workload *workload = &reading->scenario->workload;
    uint32_t limit = reading->scenario->machine.shared_memory_cta_bytes;
    uint64_t bytes =
        workload->shared_base_bytes + (uint64_t)workload->depth * workload->stage_bytes;
    if (bytes > limit)
        tma_refuse_at(
            reading, "workload.pipeline.depth",
            "%u stages of %u B from address %u B on need %llu B of shared memory; a CTA of "
            "%s has %u B",
            workload->depth, workload->stage_bytes, workload->shared_base_bytes,
            (unsigned long long)bytes, reading->scenario->machine.name, limit);
}

/* The sizes of clusters that fit somewhere on `sms` SMs: "1, 2, 4". */
static void list_sizes(const struct tma_machine *machine, uint32_t sms, char *text, size_t size) {
    uint32_t placed[TMA_MAX_SMS];
    int used = snprintf(text, size, "1");
    for (uint32_t ctas = 2; ctas <= TMA_MAX_CLUSTER && ctas <= sms; ctas *= 2)
        if (tma_machine_place_clusters(machine, ctas, 1, placed) > 0)
            used += snprintf(text + used, size - (size_t)used, ", %u", ctas);
}

static void check_cluster(struct tma_reading *reading) {
    const struct tma_workload *workload = &reading->scenario->workload;
    const struct tma_machine *machine = &reading->scenario->machine;
    uint32_t ctas = tma_cluster_ctas(workload), sms[TMA_MAX_SMS];
    char sizes[32];
    if (workload->cta_count % ctas != 0)
        tma_refuse_at(reading, "workload.ctas",
                      "workload.ctas is %u; expected a multiple of workload.cluster, which is %u",
                      workload->cta_count, ctas);
    if (!reading->machine_good || ctas == 1 || workload->sm_count > machine->sm_count)
        return;
    if (ctas <= workload->sm_count && tma_machine_place_clusters(machine, ctas, 1, sms) > 0)
        return;
    list_sizes(machine, workload->sm_count, sizes, sizeof sizes);
    tma_refuse_at(reading, "workload.cluster",
                  "workload.cluster is %u; its CTAs run at the same time on SMs of one GPC; %u SMs "
                  "of %s have room for clusters of %s",
                  ctas, workload->sm_count, machine->name, sizes);
}

void tma_check_stage(struct tma_reading *reading) {
    const struct tma_workload *workload = &reading->scenario->workload;
    if (!reading->workload_good)
        return;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        char path[TMA_PATH_BYTES];
        if (!reading->sized[i])
            continue;
        snprintf(path, sizeof path, "workload.operations.%u.shared_offset", i);
        check_aligned(reading, path, workload->operations[i].operation.shared_address);
        check_fits_stage(reading, i);
    }
    check_aligned(reading, "workload.pipeline.shared_base", workload->shared_base_bytes);
    if (workload->depth > 1)
        check_aligned(reading, "workload.pipeline.stage_bytes", workload->stage_bytes);
    check_cluster(reading);
    if (!reading->machine_good)
        return;
    check_shared_memory(reading);
    if (workload->sm_count > reading->scenario->machine.sm_count)
        tma_refuse_at(reading, "workload.sms", "workload.sms is %u; %s has %u", workload->sm_count,
                      reading->scenario->machine.name, reading->scenario->machine.sm_count);
}

static void check_consumer(struct tma_reading *reading, uint32_t index) {
    const struct tma_workload *workload = &reading->scenario->workload;
    const struct tma_consumer *consumer = &workload->consumers[index];
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "workload.consumers.%u.operation", index);
    if (consumer->operation >= workload->operation_count) {
        tma_refuse_at(reading, path, "%s is %u; operations are 0 to %u", path, consumer->operation,
                      workload->operation_count - 1);
        return;
    }
    if (!reading->sized[consumer->operation])
        return;
    if (workload->operations[consumer->operation].operation.direction == TMA_PREFETCH) {
        tma_refuse_at(reading, path, "%s is %u, a prefetch: it brings no tile", path,
                      consumer->operation);
        return;
    }
    struct tma_tile tile;
    struct tma_error error;
    snprintf(path, sizeof path, "workload.consumers.%u", index);
    /* A tile at an address that is refused has been refused already. */
    if (tma_workload_tile(workload, 0, consumer->operation, &tile, &error) == TMA_OK &&
        tma_consumer_check(consumer, &tile, &error) != TMA_OK)
        tma_refuse_at(reading, path, "%s: %s", path, error.text);
}

void tma_check_consumers(struct tma_reading *reading) {
    const struct tma_workload *workload = &reading->scenario->workload;
    for (uint32_t i = 0; i < workload->consumer_count; i++)
        if (reading->consumer_good[i] && workload->operation_count > 0)
            check_consumer(reading, i);
}
