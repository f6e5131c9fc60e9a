/* The reliefs of kernels with roles: of workloads of the kind struct tma_kernel. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel.h"
#include "engine/roles/kernel_run.h"
#include "engine/watch.h"
#include "experiment/experiment.h"
#include "experiment/improvement.h"
#include "experiment/relief.h"
#include "tensormap/legal.h"
#include "tensormap/types.h"

/* The kernel of a relief. */
static struct tma_kernel *kernel_of(struct tma_relieved *relieved) {
    return relieved->workload;
}

/* Whether a compute statement does such work. */
static bool does_work(const struct tma_kernel *kernel, enum tma_work work) {
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
            kernel->statements[i].work == work)
            return true;
    return false;
}

/* The units of an SM that compute, and its shared memory, are a tenth faster. */

static bool multiplies(struct tma_relieved *relieved) {
    return does_work(kernel_of(relieved), TMA_WORK_MMA);
}

static bool faster_unit(struct tma_relieved *relieved, enum tma_compute_unit unit) {
    kernel_of(relieved)->relieved.faster_units = 1u << unit;
    snprintf(relieved->change, sizeof relieved->change, "10 %% more operations per cycle");
    return does_work(kernel_of(relieved), TMA_WORK_INSTRUCTIONS);
}

#define FASTER_UNIT(name, unit)                                                                    \
    static bool faster_##name(struct tma_relieved *relieved) {                                     \
        return faster_unit(relieved, unit);                                                        \
    }
FASTER_UNIT(fma, TMA_UNIT_FMA)
FASTER_UNIT(alu, TMA_UNIT_ALU)
FASTER_UNIT(sfu, TMA_UNIT_SFU)
FASTER_UNIT(issue, TMA_UNIT_ISSUE)
#undef FASTER_UNIT

/* Wavefronts of warps, and operands of products. */
static bool faster_wavefronts(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = kernel_of(relieved);
    kernel_of(relieved)->relieved.wavefronts = TMA_WAVEFRONTS_TENTH_FASTER;
    return does_work(kernel, TMA_WORK_MMA) || does_work(kernel, TMA_WORK_SHARED) ||
           does_work(kernel, TMA_WORK_CONSUMER);
}

static bool without_conflicts(struct tma_relieved *relieved) {
    kernel_of(relieved)->relieved.wavefronts = TMA_WAVEFRONTS_IDEAL;
    snprintf(relieved->change, sizeof relieved->change, "accesses without any");
    return does_work(kernel_of(relieved), TMA_WORK_CONSUMER);
}

/* Reductions and atomics whose lanes have one address. */
static bool without_rounds(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = kernel_of(relieved);
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        kernel->statements[i].lanes.combines = true;
    snprintf(relieved->change, sizeof relieved->change,
             "one request for all lanes of a warp with one address");
    return true;
}

/* The time that compute statements give in cycles. */
static bool shorter_computing(struct tma_relieved *relieved) {
    kernel_of(relieved)->relieved.shorter_work = true;
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% fewer of the cycles that the kernel's statements give");
    return does_work(kernel_of(relieved), TMA_WORK_CYCLES);
}

/* The instructions of the roles themselves take less time: those that issue, wait and arrive, those
 * that start a CTA, and those that work with other CTAs. */

/* The kernel's own costs stand in the place of the machine's. */
static bool shorter_costs(struct tma_relieved *relieved) {
    struct tma_kernel_costs *own = &kernel_of(relieved)->costs;
#define SHORTER(name, compared, meaning)                                                           \
    own->name##_cycles = tma_improve(own->name##_cycles, TMA_SHORTER);
    TMA_KERNEL_COSTS(SHORTER)
#undef SHORTER
    return true;
}

/* Arrivals in other CTAs are as fast as in the own one. */
static bool immediate_release(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = kernel_of(relieved);
    bool releases = false;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        releases |= kernel->rings[i].release_mask.expression != NULL ||
                    kernel->rings[i].release_mask.constant != 0;
    relieved->machine.warp.remote_arrive_cycles = relieved->machine.warp.arrive_latency_cycles;
    relieved->machine.tma.cluster_release_cycles = 0;
    snprintf(relieved->change, sizeof relieved->change,
             "releases to other CTAs as fast as to the own one");
    return kernel->cluster_ctas > 1 && releases;
}

static bool has_dynamic_tiles(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = kernel_of(relieved);
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_TILES &&
            kernel->statements[i].schedule == TMA_TILES_DYNAMIC)
            return true;
    return false;
}

/* More stages in the rings hide more of the latency. */

enum { SHARED_ALIGNMENT_BYTES = 1024 };

/* Whether the statements from `first` to `end` acquire a ring of the mask. */
static bool acquires(const struct tma_kernel *kernel, uint32_t first, uint32_t end, uint32_t mask) {
    for (uint32_t i = first; i < end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_ACQUIRE &&
            (mask >> kernel->statements[i].ring & 1) != 0)
            return true;
    return false;
}

/* Loads that run ahead in a loop run so many more iterations ahead. False where the loop also loads
 * into rings that stay as they are: these have no stages for it. */
static bool run_further_ahead(struct tma_kernel *kernel, uint32_t rings, uint32_t more) {
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        struct tma_statement *loop = &kernel->statements[i];
        if (!loop->has_ahead)
            continue;
        for (uint32_t part = i + 1; part < loop->end; part++) {
            const struct tma_statement *statement = &kernel->statements[part];
            if (statement->kind != TMA_STATEMENT_AHEAD ||
                !acquires(kernel, part + 1, statement->end, rings))
                continue;
            if (acquires(kernel, part + 1, statement->end, ~rings))
                return false;
            loop->ahead += more;
            break;
        }
    }
    return true;
}

/* What lies behind a ring in shared memory moves, to make room. */
static void make_room(struct tma_kernel *kernel, uint32_t ring, uint32_t more) {
    uint32_t end = kernel->rings[ring].shared_offset +
                   kernel->rings[ring].depth * kernel->rings[ring].stage_bytes;
    uint32_t bytes = (more * kernel->rings[ring].stage_bytes + SHARED_ALIGNMENT_BYTES - 1) /
                     SHARED_ALIGNMENT_BYTES * SHARED_ALIGNMENT_BYTES;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        if (kernel->rings[i].shared_offset >= end)
            kernel->rings[i].shared_offset += bytes;
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (kernel->buffers[i].shared_offset >= end)
            kernel->buffers[i].shared_offset += bytes;
    kernel->shared_bytes += bytes;
    kernel->rings[ring].depth += more;
}

/* Gives the rings of a mask `more` stages each. An SM has to hold as many CTAs as before. */
static bool deepen(struct tma_relieved *relieved, uint32_t rings, uint32_t more) {
    struct tma_kernel *kernel = kernel_of(relieved);
    uint32_t ctas = tma_kernel_ctas_per_sm(&relieved->machine, kernel);
    if (!run_further_ahead(kernel, rings, more))
        return false;
    for (uint32_t i = 0; i < kernel->ring_count; i++) {
        if ((rings >> i & 1) == 0)
            continue;
        if (kernel->rings[i].depth + more > TMA_MAX_RING_DEPTH)
            return false;
        make_room(kernel, i, more);
    }
    return tma_kernel_ctas_per_sm(&relieved->machine, kernel) == ctas;
}

/* Variant 0 is all rings, which differ from a single one where there are several; variant 1 + r is
 * ring r. Stages that a role fills without loads have no latency of memory. */
static uint32_t rings_of_variant(const struct tma_relieved *relieved,
                                 const struct tma_kernel *kernel) {
    uint32_t loaded = 0;
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_OPERATION &&
            kernel->statements[i].operation.direction == TMA_LOAD &&
            kernel->statements[i].ring != TMA_NO_RING)
            loaded |= 1u << kernel->statements[i].ring;
    if (relieved->variant > 0)
        return loaded & 1u << (relieved->variant - 1);
    return (loaded & (loaded - 1)) != 0 ? loaded : 0;
}

static bool one_more(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = kernel_of(relieved);
    uint32_t rings = rings_of_variant(relieved, kernel);
    if (rings == 0)
        return false;
    if (relieved->variant == 0)
        snprintf(relieved->change, sizeof relieved->change, "one more stage in every ring");
    else
        snprintf(relieved->change, sizeof relieved->change,
                 "one more stage in ring %s (%u instead of %u)",
                 kernel->rings[relieved->variant - 1].name,
                 kernel->rings[relieved->variant - 1].depth + 1,
                 kernel->rings[relieved->variant - 1].depth);
    return deepen(relieved, rings, 1);
}

/* The most stages for which the CTA's shared memory has room, up to twice as many; at least two
 * more. */
static bool twice(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = kernel_of(relieved);
    uint32_t rings = rings_of_variant(relieved, kernel);
    if (relieved->variant == 0 || rings == 0)
        return false;
    const struct tma_ring *ring = &kernel->rings[relieved->variant - 1];
    uint32_t before = ring->depth, more = before;
    uint32_t limit = relieved->machine.shared_memory_cta_bytes;
    uint32_t room = limit > kernel->shared_bytes ? limit - kernel->shared_bytes : 0;
    if (ring->stage_bytes > 0 && room / ring->stage_bytes < more)
        more = room / ring->stage_bytes;
    snprintf(relieved->change, sizeof relieved->change, "more stages in ring %s (%u instead of %u)",
             ring->name, before + more, before);
    return more >= 2 && deepen(relieved, rings, more);
}

static const struct tma_relief ring_stage = {.key = "stages",
                                             .name = "latency",
                                             TMA_WAITS_FOR_DATA,
                                             .variants = 1 + TMA_MAX_RINGS,
                                             .apply = one_more};

/* How many CTAs run at once, and what the last of them leave idle. */

/* SMs as large as it takes for one more CTA on each. A grid whose CTAs all run at once has no use
 * for it. */
static bool one_more_cta(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = kernel_of(relieved);
    struct tma_machine *machine = &relieved->machine;
    uint32_t before = relieved->before->ctas_per_sm, ctas = before + 1;
    uint32_t threads = ctas * tma_kernel_threads(kernel);
    if (relieved->before->waves.count <= 1)
        return false;
    kernel->ctas_per_sm = kernel->ctas_per_sm > 0 ? ctas : 0;
    bool fits = tma_kernel_ctas_per_sm(machine, kernel) >= ctas;
    machine->sm.ctas = machine->sm.ctas > ctas ? machine->sm.ctas : ctas;
    machine->sm.threads = machine->sm.threads > threads ? machine->sm.threads : threads;
    kernel->ctas_per_sm = ctas;
    /* A tenth more at a time, until one more fits. */
    for (int i = 0; i < 100 && tma_kernel_ctas_per_sm(machine, kernel) < ctas; i++) {
        machine->sm.registers += machine->sm.registers / 10;
        machine->shared_memory_bytes += machine->shared_memory_bytes / 10;
    }
    snprintf(relieved->change, sizeof relieved->change, "%u CTAs on an SM instead of %u%s", ctas,
             before, fits ? "" : ", for which it has no room,");
    return tma_kernel_ctas_per_sm(machine, kernel) == ctas;
}

static bool uses(const struct tma_value *value, uint32_t variable) {
    return value->expression != NULL &&
           (tma_expression_variables(value->expression) >> variable & 1) != 0;
}

/* Whether what a CTA does depends on how many there are. */
static bool depends_on_grid(const struct tma_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        bool does = statement->kind == TMA_STATEMENT_TILES && statement->schedule != TMA_TILES_ONE;
        const struct tma_value *values[] = {
            &statement->from,      &statement->to,        &statement->step,
            &statement->tiles_m,   &statement->tiles_n,   &statement->group,
            &statement->condition, &statement->map_index, &statement->amount[0],
            &statement->amount[1], &statement->amount[2], &statement->amount[3],
            &statement->amount[4]};
        for (size_t v = 0; v < sizeof values / sizeof values[0]; v++)
            does |= uses(values[v], TMA_VARIABLE_CTAS);
        for (int d = 0; d < TMA_MAX_RANK; d++)
            does |= uses(&statement->coordinates[d], TMA_VARIABLE_CTAS);
        if (does)
            return true;
    }
    return false;
}

/* The grid without its last wave shows the rate of whole waves. */
static bool without_last_wave(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = kernel_of(relieved);
    const struct tma_waves *waves = &relieved->before->waves;
    if (waves->last_ctas == 0 || waves->last_ctas >= kernel->cta_count || depends_on_grid(kernel))
        return false;
    relieved->whole_work = kernel->cta_count;
    kernel->cta_count -= waves->last_ctas;
    relieved->work = kernel->cta_count;
    snprintf(relieved->change, sizeof relieved->change,
             "the same work in whole waves of %u CTAs, without a last wave of %u,", waves->ctas,
             waves->last_ctas);
    return true;
}

/* Other choices of what L2 fetches, and in which order tiles ask for it. */

static bool another_promotion(struct tma_relieved *relieved) {
    struct tma_kernel *kernel = kernel_of(relieved);
    bool legal = tma_relieve_promotion(relieved, kernel->maps, kernel->map_count);
    for (uint32_t i = 0; i < kernel->map_count; i++)
        legal = legal && tma_tensor_map_require_legal(&kernel->maps[i], NULL) == TMA_OK;
    return legal;
}

/* Every loop over output tiles goes through them in groups of so many along m. CTAs of a cluster
 * share tiles of one order. */
static bool another_order(struct tma_relieved *relieved) {
    static const int64_t groups[] = {1, 4, 8, 16};
    struct tma_kernel *kernel = kernel_of(relieved);
    bool changes = false;
    if (kernel->cluster_ctas > 1)
        return false;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        struct tma_statement *tiles = &kernel->statements[i];
        if (tiles->kind != TMA_STATEMENT_TILES)
            continue;
        if (tiles->group.expression != NULL &&
            !tma_expression_constant(tiles->group.expression, &tiles->group.constant))
            return false;
        changes |= tiles->group.constant != groups[relieved->variant];
        tiles->group = (struct tma_value){.constant = groups[relieved->variant]};
    }
    snprintf(relieved->change, sizeof relieved->change, "group_m %u for every loop over them",
             (unsigned)groups[relieved->variant]);
    return changes && relieved->before->counters.l2_requests > 0;
}

/* A kernel with statements of its own, which a relief may change. The expressions are shared. */
struct kernel_copy {
    struct tma_kernel kernel;
    struct tma_statement statements[];
};

static enum tma_error_code run(const struct tma_machine *machine, const void *workload,
                               struct tma_result *result, struct tma_error *error) {
    return tma_kernel_run(machine, workload, NULL, result, NULL, error);
}

static void *copy(const void *workload) {
    const struct tma_kernel *kernel = workload;
    size_t bytes = kernel->statement_count * sizeof *kernel->statements;
    struct kernel_copy *copied = tma_allocate(1, sizeof *copied + bytes);
    if (copied == NULL)
        return NULL;
    copied->kernel = *kernel;
    memcpy(copied->statements, kernel->statements, bytes);
    copied->kernel.statements = copied->statements;
    return &copied->kernel;
}

static const struct tma_relief *const reliefs[] = {
    TMA_RELIEF("tensor_cores", "tensor cores", TMA_BUSY(tensor), TMA_PART(tensor_cores),
               .apply = multiplies),
    TMA_RELIEF("fma", "FMA pipes", TMA_BUSY(fma), .apply = faster_fma),
    TMA_RELIEF("alu", "ALUs", TMA_BUSY(alu), .apply = faster_alu),
    TMA_RELIEF("sfu", "SFUs", TMA_BUSY(sfu), .apply = faster_sfu),
    TMA_RELIEF("issue", "issue slots", TMA_BUSY(issue), .apply = faster_issue),
    TMA_RELIEF("shared_memory", "shared memory", TMA_BUSY(shared), TMA_PART(shared_memory),
               .apply = faster_wavefronts),
    TMA_RELIEF("bank_conflicts", "bank conflicts", .apply = without_conflicts),
    TMA_RELIEF("atomic_rounds", "atomics of one address", TMA_USED(access_repeats),
               .apply = without_rounds),
    TMA_RELIEF("computing", "computing", .apply = shorter_computing),
    TMA_RELIEF("instructions", "instructions of the roles", TMA_PART(instructions),
               .apply = shorter_costs),
    &ring_stage,
    TMA_RELIEF("occupancy", "occupancy", TMA_WAITS_FOR_DATA, .apply = one_more_cta),
    TMA_RELIEF("waves", "waves", .apply = without_last_wave),
    TMA_RELIEF("launch", "launch of CTAs", TMA_PART(launch)),
    TMA_RELIEF("cluster", "clusters", .apply = immediate_release),
    TMA_RELIEF("tile_counter", "counter of tiles", TMA_PART(tile_counter),
               .apply = has_dynamic_tiles),
    TMA_RELIEF("stages_doubled", "depth of rings", TMA_WAITS_FOR_DATA,
               TMA_ADVICE(1 + TMA_MAX_RINGS), .smaller = &ring_stage, .apply = twice),
    TMA_RELIEF("promotion", "L2 promotion", TMA_ADVICE(TMA_PROMOTION_VARIANTS),
               .apply = another_promotion),
    TMA_RELIEF("tile_order", "order of output tiles", TMA_ADVICE(4), .apply = another_order)};

const struct tma_workload_kind tma_kernel_kind = {
    .run = run,
    .copy = copy,
    .release = tma_release,
    .reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]},
};
