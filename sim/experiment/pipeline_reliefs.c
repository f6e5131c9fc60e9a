/* The reliefs of pipelines: of workloads of the kind struct tma_workload. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/slots/run.h"
#include "experiment/experiment.h"
#include "experiment/improvement.h"
#include "placement/operation_architecture.h"
#include "placement/rows.h"
#include "tensormap/legal.h"
#include "tensormap/rules.h"
#include "tensormap/types.h"

/* The workload of a relief. */
static struct tma_workload *pipeline_of(struct tma_relieved *relieved) {
    return relieved->workload;
}

enum { SHARED_ALIGNMENT_BYTES = 128 };

/* Checks an operation at the first tile of its walk, and that its tile fits the stage. */
static bool operation_is_legal(const struct tma_machine *machine,
                               const struct tma_workload *workload, uint32_t index) {
    const struct tma_stage_operation *stage = &workload->operations[index];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    struct tma_operation operation = stage->operation;
    struct tma_row_stream rows;
    struct tma_operation_size size;
    memcpy(operation.coordinates, stage->walk.start, sizeof operation.coordinates);
    if (tma_tensor_map_require_legal(map, NULL) != TMA_OK ||
        tma_rows_begin(&rows, map, &operation, &size, NULL) != TMA_OK ||
        tma_operation_architecture_check(map, &operation, machine->architecture, NULL) != TMA_OK)
        return false;
    return operation.direction == TMA_PREFETCH ||
           (uint64_t)operation.shared_address + size.shared_footprint_bytes <=
               workload->stage_bytes;
}

/* Whether the rules, which the reader of a scenario checks, accept the workload: tensor maps,
 * operations, alignment and size of shared memory. What the run checks itself is left out. */
static bool is_legal(const struct tma_machine *machine, const struct tma_workload *workload) {
    uint64_t bytes =
        workload->shared_base_bytes + (uint64_t)workload->depth * workload->stage_bytes;
    bool legal = bytes <= machine->shared_memory_cta_bytes &&
                 (workload->depth == 1 || workload->stage_bytes % SHARED_ALIGNMENT_BYTES == 0);
    for (uint32_t i = 0; i < workload->operation_count; i++)
        legal = legal && operation_is_legal(machine, workload, i);
    return legal;
}

/* The name of a tensor map: "A", or "map 0" where names are not known. */
struct map_name {
    char text[TMA_MAX_NAME];
};

static struct map_name map_name_of(const struct tma_relieved *relieved, uint32_t map) {
    struct map_name name;
    if (relieved->map_names == NULL)
        snprintf(name.text, sizeof name.text, "map %u", map);
    else
        snprintf(name.text, sizeof name.text, "%s", relieved->map_names[map]);
    return name;
}

/* More pipeline stages hide more of the latency. */

static bool deepen(struct tma_relieved *relieved, uint32_t depth) {
    struct tma_workload *workload = pipeline_of(relieved);
    uint32_t before = workload->depth;
    if (depth > workload->iterations)
        depth = workload->iterations;
    if (depth <= before)
        return false;
    workload->depth = depth;
    snprintf(relieved->change, sizeof relieved->change, "%s (%u instead of %u)",
             depth == before + 1 ? "one more pipeline stage" : "more pipeline stages", depth,
             before);
    return is_legal(&relieved->machine, workload);
}

static bool one_more(struct tma_relieved *relieved) {
    return deepen(relieved, pipeline_of(relieved)->depth + 1);
}

/* Twice the stages, or as many as shared memory holds, where these are at least two more. */
static bool twice(struct tma_relieved *relieved) {
    const struct tma_workload *workload = pipeline_of(relieved);
    uint32_t depth = 2 * workload->depth;
    uint32_t free_bytes =
        relieved->machine.shared_memory_cta_bytes > workload->shared_base_bytes
            ? relieved->machine.shared_memory_cta_bytes - workload->shared_base_bytes
            : 0;
    if (workload->stage_bytes > 0 && free_bytes / workload->stage_bytes < depth)
        depth = free_bytes / workload->stage_bytes;
    return depth >= workload->depth + 2 && workload->iterations >= workload->depth + 2 &&
           deepen(relieved, depth);
}

static const struct tma_relief stages = {.key = "stages", .name = "latency", .apply = one_more};
/* The consumers occupy shared memory for less time. */

static bool a_tenth_fewer(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    if (workload->consumer_count == 0)
        return false;
    workload->wavefronts = TMA_WAVEFRONTS_TENTH_FASTER;
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% more wavefronts of the consumers per cycle");
    return true;
}

static bool without_conflicts(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    uint64_t excess = 0;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer_total *total = &relieved->before->consumers[i];
        if (total->wavefronts > total->ideal_wavefronts)
            excess += total->wavefronts - total->ideal_wavefronts;
    }
    workload->wavefronts = TMA_WAVEFRONTS_IDEAL;
    snprintf(relieved->change, sizeof relieved->change, "consumers without any");
    return excess > 0;
}

/* A last wave with fewer CTAs than there are SMs leaves the other SMs idle. */

/* The grid without its last wave shows the rate of whole waves. */
static bool whole_waves(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    uint32_t sms[TMA_MAX_SMS], ctas = workload->cta_count;
    uint32_t wave = tma_workload_place(&relieved->machine, workload, sms);
    if (wave == 0 || ctas <= wave || ctas % wave == 0)
        return false;
    workload->cta_count = ctas - ctas % wave;
    relieved->work = workload->cta_count;
    relieved->whole_work = ctas;
    snprintf(relieved->change, sizeof relieved->change,
             "the same work in whole waves of %u CTAs, without a last wave of %u,", wave,
             ctas % wave);
    return true;
}

/* Another swizzle mode of the tiles that consumers read changes their bank conflicts. */

/* Gives the mode of the tensor maps of consumed tiles, or -1 where they differ. */
static int consumed_mode(const struct tma_workload *workload) {
    int mode = -2;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        uint32_t operation = workload->consumers[i].operation;
        int own = (int)workload->maps[workload->operations[operation].map].swizzle;
        mode = mode == -2 || mode == own ? own : -1;
    }
    return mode == -2 ? -1 : mode;
}

static bool another_mode(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    enum tma_swizzle mode = (enum tma_swizzle)relieved->variant;
    int before = consumed_mode(workload);
    uint64_t excess = 0;
    for (uint32_t i = 0; i < workload->consumer_count; i++) {
        const struct tma_consumer_total *total = &relieved->before->consumers[i];
        struct tma_tensor_map *map =
            &workload->maps[workload->operations[workload->consumers[i].operation].map];
        excess += total->wavefronts - total->ideal_wavefronts;
        map->swizzle = mode;
        if (workload->consumers[i].lanes == TMA_LANES_DESCRIPTOR)
            return false; /* its matrix descriptor describes the layout, and would change too */
    }
    if (before >= 0)
        snprintf(relieved->change, sizeof relieved->change, "%s instead of %s for what they read",
                 tma_name_of(&tma_swizzle_names, (int)mode),
                 tma_name_of(&tma_swizzle_names, before));
    else
        snprintf(relieved->change, sizeof relieved->change, "%s for all that they read",
                 tma_name_of(&tma_swizzle_names, (int)mode));
    return excess > 0 && before != (int)mode && is_legal(&relieved->machine, workload);
}

/* Another L2 promotion fetches fewer sectors that are never used, or fetches earlier what is. */

static bool another_promotion(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    return tma_relieve_promotion(relieved, workload->maps, workload->map_count) &&
           is_legal(&relieved->machine, workload);
}

/* A tile that several CTAs need can be one multicast load of a cluster, or one load of each. */

enum { SMALLEST_CLUSTER = 2 };

/* Every CTA loads the same tiles with such an operation, so that any CTAs can share them. */
static bool can_be_shared(const struct tma_stage_operation *stage) {
    return stage->operation.direction == TMA_LOAD && stage->operation.cta_mask == 0 &&
           stage->walk.order == TMA_WALK_SAME;
}

static bool share(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    uint32_t ctas = (uint32_t)SMALLEST_CLUSTER << relieved->variant, first = 0;
    while (first < workload->operation_count && !can_be_shared(&workload->operations[first]))
        first++;
    if (tma_cluster_ctas(workload) > 1 || first == workload->operation_count ||
        workload->cta_count % ctas != 0)
        return false;
    workload->cluster_ctas = ctas;
    for (uint32_t i = first; i < workload->operation_count; i++)
        if (can_be_shared(&workload->operations[i]))
            workload->operations[i].operation.cta_mask = (uint16_t)((1u << ctas) - 1);
    snprintf(relieved->change, sizeof relieved->change,
             "of %s, which all CTAs load, to clusters of %u CTAs",
             map_name_of(relieved, workload->operations[first].map).text, ctas);
    return true;
}

/* Each CTA walks as its cluster did. */
static bool load_alone(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    uint32_t ctas = tma_cluster_ctas(workload);
    bool shares = false;
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        struct tma_stage_operation *stage = &workload->operations[i];
        if (stage->operation.cta_mask == 0)
            continue;
        if (stage->operation.cta_mask != (1u << ctas) - 1)
            return false; /* CTAs do different work */
        shares = true;
        stage->walk.ctas_per_walker = ctas;
        stage->operation.cta_mask = 0;
    }
    workload->cluster_ctas = 1;
    snprintf(relieved->change, sizeof relieved->change,
             "loads of each CTA's own instead of multicast to %u CTAs", ctas);
    return shares;
}

/* Larger boxes need fewer operations for the same bytes. */

/* The tiles of the walk lie side by side in dimension d, and their number is even, as is that of
 * the stages: so half as many tiles of twice the size are the same bytes. */
static bool can_double(const struct tma_workload *workload, uint32_t d) {
    const struct tma_stage_operation *stage = &workload->operations[0];
    const struct tma_tensor_map *map = &workload->maps[stage->map];
    return workload->operation_count == 1 && map->kind == TMA_MAP_TILED && d < map->rank &&
           stage->operation.access == TMA_ACCESS_TILE && stage->walk.order != TMA_WALK_FIXED &&
           stage->walk.tiles[d] % 2 == 0 && stage->walk.step[d] > 0 &&
           (uint32_t)stage->walk.step[d] == map->box_dim[d] * map->element_strides[d] &&
           map->element_strides[d] == 1 && workload->iterations % 2 == 0;
}

/* Halves the pipeline's depth where shared memory has no room for as many larger stages. */
static bool double_box(struct tma_relieved *relieved) {
    struct tma_workload *workload = pipeline_of(relieved);
    struct tma_stage_operation *stage = &workload->operations[0];
    struct tma_tensor_map *map = &workload->maps[stage->map];
    uint32_t d = relieved->variant, before = workload->depth;
    if (!can_double(workload, d))
        return false;
    map->box_dim[d] *= 2;
    stage->walk.step[d] *= 2;
    stage->walk.tiles[d] /= 2;
    workload->iterations /= 2;
    workload->stage_bytes *= 2;
    workload->expect_bytes *= 2;
    if (workload->depth > workload->iterations)
        workload->depth = workload->iterations;
    if (!is_legal(&relieved->machine, workload) && before > 1) {
        workload->depth = before / 2;
        snprintf(relieved->change, sizeof relieved->change,
                 "%u elements instead of %u in dimension %u, and depth %u instead of %u,",
                 map->box_dim[d], map->box_dim[d] / 2, d, workload->depth, before);
    } else {
        snprintf(relieved->change, sizeof relieved->change,
                 "%u elements instead of %u in dimension %u, in half as many stages,",
                 map->box_dim[d], map->box_dim[d] / 2, d);
    }
    return is_legal(&relieved->machine, workload);
}

static enum tma_error_code run(const struct tma_machine *machine, const void *workload,
                               struct tma_result *result, struct tma_error *error) {
    return tma_run(machine, workload, NULL, result, error);
}

static void *copy(const void *workload) {
    struct tma_workload *copied = tma_allocate(1, sizeof *copied);
    if (copied != NULL)
        memcpy(copied, workload, sizeof *copied);
    return copied;
}

static const struct tma_relief *const reliefs[] = {
    &stages,
    TMA_RELIEF("shared_memory", "shared memory", TMA_BUSY(shared), .apply = a_tenth_fewer),
    TMA_RELIEF("bank_conflicts", "bank conflicts", .apply = without_conflicts),
    TMA_RELIEF("waves", "waves", .apply = whole_waves),
    TMA_RELIEF("stages_doubled", "pipeline depth", TMA_ADVICE(1), .smaller = &stages,
               .apply = twice),
    TMA_RELIEF("swizzle", "swizzle of the consumers' tiles",
               TMA_ADVICE(TMA_SWIZZLE_128B_ATOM_64B + 1), .apply = another_mode),
    TMA_RELIEF("promotion", "L2 promotion", TMA_ADVICE(TMA_PROMOTION_VARIANTS),
               .apply = another_promotion),
    TMA_RELIEF("multicast", "multicast", TMA_ADVICE(2), .apply = share),
    TMA_RELIEF("unicast", "no multicast", TMA_ADVICE(1), .apply = load_alone),
    TMA_RELIEF("box", "box", TMA_ADVICE(2), .apply = double_box),
};

const struct tma_workload_kind tma_pipeline_kind = {
    .run = run,
    .copy = copy,
    .release = tma_release,
    .reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]},
};
