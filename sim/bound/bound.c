#include "bound/bound.h"

#include "base/numbers.h"
#include "bound/cover.h"
#include "bound/program_work.h"
#include "engine/roles/kernel_costs.h"
#include "memory/core/port.h"
#include "tensormap/types.h"

/* The bytes of tensors that a kernel reads at least once. */

/* The elements inside the tensor. */
static uint64_t clip(const struct tma_cover *cover, uint64_t size) {
    int64_t end = cover->first + cover->span, limit = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    if (cover->first >= 0 && end <= limit)
        return (uint64_t)cover->covered;
    if (cover->covered < cover->span)
        return 0;
    int64_t first = cover->first < 0 ? 0 : cover->first;
    end = end < limit ? end : limit;
    return end > first ? (uint64_t)(end - first) : 0;
}

static uint64_t load_bytes(const struct tma_work_walk *walk, uint32_t role, uint32_t index) {
    const struct tma_statement *load = &walk->kernel->statements[index];
    const struct tma_tensor_map *map = &walk->kernel->maps[load->map];
    struct tma_loop_ranges ranges = {.count = 0};
    uint64_t used = 0, elements = 1;
    if (load->operation.access != TMA_ACCESS_TILE || load->lanes.rows != NULL ||
        load->lanes.active != 0 || map->kind != TMA_MAP_TILED ||
        map->interleave != TMA_INTERLEAVE_NONE || !tma_find_ranges(walk, role, index, &ranges))
        return 0;
    for (uint32_t d = 0; d < map->rank; d++) {
        struct tma_cover cover;
        if (map->element_strides[d] != 1 ||
            !tma_cover_dimension(walk, &ranges, &load->coordinates[d], map->box_dim[d], &used,
                                 &cover))
            return 0;
        uint64_t inside = clip(&cover, map->global_dim[d]);
        if (inside == 0 || elements > UINT64_MAX / inside / 16)
            return 0;
        elements *= inside;
    }
    return elements * tma_type_info(map->data_type)->global_bits / 8;
}

/* Past the last byte of a tensor; UINT64_MAX where rows or planes overlap, or several tensors are
 * meant. */
static uint64_t tensor_end(const struct tma_kernel *kernel, uint32_t index) {
    const struct tma_tensor_map *map = &kernel->maps[index];
    uint64_t extent = map->global_dim[0] * tma_type_info(map->data_type)->global_bits / 8;
    if (kernel->arrays[index].count > 1)
        return UINT64_MAX;
    for (uint32_t d = 1; d < map->rank; d++) {
        if (map->global_strides[d - 1] < extent)
            return UINT64_MAX;
        extent = map->global_strides[d - 1] * map->global_dim[d];
    }
    return map->global_address + extent;
}

static bool overlap(const struct tma_kernel *kernel, uint32_t a, uint32_t b) {
    return kernel->maps[a].global_address < tensor_end(kernel, b) &&
           kernel->maps[b].global_address < tensor_end(kernel, a);
}

/* Returns the bytes of global memory that all CTAs together load, each counted once, as far as the
 * loops show; less where they do not. Tensors that the kernel also writes do not count. */
static uint64_t footprint_bytes(const struct tma_work_walk *walk) {
    const struct tma_kernel *kernel = walk->kernel;
    uint64_t bytes[TMA_MAX_TENSOR_MAPS] = {0}, sum = 0;
    bool written[TMA_MAX_TENSOR_MAPS] = {false};
    for (uint32_t role = 0; role < kernel->role_count; role++)
        for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
            const struct tma_statement *statement = &kernel->statements[i];
            if (statement->kind != TMA_STATEMENT_OPERATION)
                continue;
            if (statement->operation.direction != TMA_LOAD) {
                written[statement->map] |= tma_writes_tensor(statement->operation.direction);
                continue;
            }
            uint64_t loaded = load_bytes(walk, role, i);
            if (loaded > bytes[statement->map])
                bytes[statement->map] = loaded;
        }
    for (uint32_t m = 0; m < kernel->map_count; m++) {
        bool counts = !written[m] && tensor_end(kernel, m) != UINT64_MAX;
        for (uint32_t other = 0; other < kernel->map_count && counts; other++)
            if (other < m ? bytes[other] > 0 || written[other] : other > m && written[other])
                counts = !overlap(kernel, m, other);
        if (counts)
            sum += bytes[m];
    }
    return sum;
}

static const char *const keys[TMA_BOUND_COUNT] = {
#define KEY(name, key) [name] = key,
    TMA_BOUNDS(KEY)
#undef KEY
};

const char *tma_bound_key(enum tma_bound_kind kind) {
    return keys[kind];
}

/* What is bounded. */
struct bounding {
    struct tma_machine machine; /* as the kernel finds it */
    const struct tma_kernel *kernel;
    uint32_t sms;    /* at most: that have a CTA */
    uint64_t places; /* at most: CTAs at a time */
    struct tma_kernel_bound *bound;
};

/* A bound in ticks. */
static void at_least(struct bounding *bounding, enum tma_bound_kind kind, uint64_t ticks) {
    uint64_t cycles = ticks / TMA_TICKS;
    if (cycles > bounding->bound->bounds[kind])
        bounding->bound->bounds[kind] = cycles;
}

/* The least time from a load's instruction until its data is in shared memory, without the time of
 * its rows. A load that the coalescer merges does not wait for a slice of its own. */
static uint64_t latency_ticks(const struct tma_machine *machine) {
    uint64_t cycles = (uint64_t)machine->tma.issue_cycles + machine->crossbar.request_cycles +
                      machine->crossbar.response_cycles + machine->tma.complete_cycles;
    if (machine->crossbar.coalesced_requests <= 1)
        cycles += machine->l2.lookup_cycles;
    return cycles * TMA_TICKS;
}

/* A ring whose stages a role waits for, as the statements show it. */
struct stage_use {
    uint32_t acquire; /* index of the only ACQUIRE; UINT32_MAX: there are several */
    uint32_t wait;    /* of the only WAIT in the role */
    uint32_t ahead;   /* of the AHEAD around the ACQUIRE, or UINT32_MAX */
    uint32_t ahead_iterations;
    bool own; /* one role fills and uses it */
};

static struct stage_use find_use(const struct tma_kernel *kernel, uint32_t role, uint32_t ring) {
    struct stage_use use = {UINT32_MAX, UINT32_MAX, UINT32_MAX, 0, false};
    uint32_t acquires = 0, waits = 0, filler = role;
    for (uint32_t r = 0; r < kernel->role_count; r++)
        for (uint32_t i = kernel->roles[r].first; i < kernel->roles[r].end; i++) {
            const struct tma_statement *statement = &kernel->statements[i];
            if (statement->ring != ring)
                continue;
            if (statement->kind == TMA_STATEMENT_ACQUIRE) {
                use.acquire = i;
                filler = r;
                acquires++;
            } else if (statement->kind == TMA_STATEMENT_WAIT && r == role) {
                use.wait = i;
                waits++;
            }
        }
    use.own = filler == role;
    if (acquires != 1 || waits != 1) {
        use.acquire = UINT32_MAX;
        return use;
    }
    for (uint32_t i = kernel->roles[filler].first; i < use.acquire; i++) {
        const struct tma_statement *around = &kernel->statements[i];
        if (around->kind == TMA_STATEMENT_AHEAD && around->end > use.acquire)
            use.ahead = i;
        if (around->ahead > 0 && around->end > use.acquire)
            use.ahead_iterations = around->ahead;
    }
    return use;
}

/* Whether two statements are in the same body. */
static bool are_siblings(const struct tma_kernel *kernel, uint32_t role, uint32_t a, uint32_t b) {
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
        const struct tma_statement *around = &kernel->statements[i];
        if (i != a && i != b && around->end > i + 1 &&
            (i < a && around->end > a) != (i < b && around->end > b))
            return false;
    }
    return true;
}

/* The end of the loads that fill the stage of an ACQUIRE: the end of the body that it is in, or the
 * next ACQUIRE. */
static uint32_t loads_end(const struct tma_kernel *kernel, uint32_t acquire) {
    uint32_t end = kernel->statement_count;
    for (uint32_t i = 0; i < acquire; i++)
        if (kernel->statements[i].end > acquire && kernel->statements[i].end < end)
            end = kernel->statements[i].end;
    for (uint32_t i = acquire + 1; i < end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_ACQUIRE)
            return i;
    return end;
}

static bool is_multicast(const struct tma_kernel *kernel, uint32_t ring) {
    const struct tma_value *mask = &kernel->rings[ring].release_mask;
    if (mask->expression != NULL || mask->constant != 0)
        return true;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_OPERATION && statement->ring == ring &&
            (statement->cta_mask.expression != NULL || statement->cta_mask.constant != 0))
            return true;
    }
    return false;
}

/* The time of a CTA in which a role waits `waits` times for a stage of a ring: each stage takes at
 * least the latency of its loads, and is filled again only when it has been used. With loads that
 * run ahead behind the wait, the load for a stage is issued as many iterations earlier. */
static uint64_t stage_ticks(const struct tma_work_walk *walk, uint32_t role, uint32_t ring,
                            uint64_t waits) {
    const struct tma_machine *machine = walk->machine;
    const struct tma_kernel *kernel = walk->kernel;
    struct stage_use use = find_use(kernel, role, ring);
    struct tma_program_work loads = {0}, between = {0};
    struct tma_work_walk plain = *walk;
    uint64_t stages = kernel->rings[ring].depth;
    if (use.acquire == UINT32_MAX || waits == 0 || is_multicast(kernel, ring))
        return 0;
    plain.fetches = false;
    tma_work_add(&plain, use.acquire + 1, loads_end(kernel, use.acquire), 1, &loads);
    if (loads.tma == 0)
        return 0;
    uint64_t row = tma_millicycles_to_ticks(machine->tma.row_millicycles);
    uint64_t load =
        latency_ticks(machine) + tma_later(loads.tma > row ? loads.tma - row : 0, loads.port);
    uint64_t cycles = (uint64_t)machine->warp.wake_cycles + machine->warp.expect_cycles;
    if (!use.own) {
        cycles += (uint64_t)machine->warp.wake_cycles +
                  (machine->warp.arrive_latency_cycles < machine->warp.remote_arrive_cycles
                       ? machine->warp.arrive_latency_cycles
                       : machine->warp.remote_arrive_cycles);
    } else if (use.ahead != UINT32_MAX && use.ahead_iterations > 0 &&
               are_siblings(kernel, role, use.wait, use.ahead)) {
        bool behind = use.wait < use.ahead;
        uint64_t ahead = behind ? use.ahead_iterations : (uint64_t)use.ahead_iterations + 1;
        stages = ahead < stages ? ahead : stages;
        if (behind)
            tma_work_add(&plain, use.wait + 1, use.ahead, 1, &between);
    }
    uint64_t round = load + cycles * TMA_TICKS + between.serial;
    return load + (waits - 1) / stages * round;
}

/* Whether the role waits for all products at the end: a WAIT_MMA behind the last MMA, in no other
 * body than those around it. */
static bool waits_for_products(const struct tma_kernel *kernel, uint32_t role) {
    uint32_t last = UINT32_MAX, wait = UINT32_MAX;
    for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        if (statement->kind == TMA_STATEMENT_COMPUTE && statement->work == TMA_WORK_MMA) {
            last = i;
            wait = statement->leaving == 0 ? i : UINT32_MAX;
        } else if (statement->kind == TMA_STATEMENT_WAIT_MMA && statement->leaving == 0) {
            wait = i;
        }
    }
    if (last == UINT32_MAX || wait == UINT32_MAX)
        return false;
    for (uint32_t i = kernel->roles[role].first; i < wait; i++)
        if (kernel->statements[i].end > wait && kernel->statements[i].end > i + 1 &&
            (i > last || kernel->statements[i].kind == TMA_STATEMENT_IF))
            return false;
    return true;
}

/* The work of all roles of a CTA: of units in sum, and the time of the longest role. */
struct cta_work {
    struct tma_program_work units;
    uint64_t role, stages; /* ticks */
};

/* The same where each role runs `times` times. */
static struct cta_work work_of(const struct tma_work_walk *begun, uint64_t times) {
    const struct tma_kernel *kernel = begun->kernel;
    struct cta_work cta = {.role = 0};
    for (uint32_t role = 0; role < kernel->role_count; role++) {
        struct tma_work_walk walk = *begun;
        struct tma_program_work work = {0};
        walk.warps = kernel->roles[role].warps;
        tma_work_add(&walk, kernel->roles[role].first, kernel->roles[role].end, times, &work);
        cta.role = tma_later(cta.role, work.serial);
        if (waits_for_products(kernel, role))
            cta.role = tma_later(cta.role, work.chain);
        for (uint32_t r = 0; r < kernel->ring_count; r++)
            cta.stages = tma_later(cta.stages, stage_ticks(&walk, role, r, work.waits[r]));
        cta.units.tensor += work.tensor;
        for (int p = 0; p < TMA_UNIT_COUNT; p++)
            cta.units.pipes[p] += work.pipes[p];
        cta.units.shared += work.shared;
        cta.units.tma += work.tma;
        cta.units.port += work.port;
    }
    return cta;
}

/* `times` CTAs with this work run on one SM, `waves` of them one after the other in one place. */
static void bound_ctas(struct bounding *bounding, const struct cta_work *cta, uint64_t times,
                       uint64_t waves) {
    const struct tma_machine *machine = &bounding->machine;
    uint64_t start = (uint64_t)machine->warp.start_cycles * TMA_TICKS;
    uint64_t launch = (uint64_t)machine->warp.launch_cycles * TMA_TICKS;
    uint64_t lead = start + latency_ticks(machine);
    at_least(bounding, TMA_BOUND_ROLE, waves * (start + cta->role + launch) - launch);
    at_least(bounding, TMA_BOUND_STAGES, waves * (start + cta->stages + launch) - launch);
    at_least(bounding, TMA_BOUND_TENSOR, times * cta->units.tensor);
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        at_least(bounding, (enum tma_bound_kind)(TMA_BOUND_FMA + p), times * cta->units.pipes[p]);
    at_least(bounding, TMA_BOUND_SHARED, times * cta->units.shared);
    if (cta->units.tma > 0)
        at_least(bounding, TMA_BOUND_TMA, lead + times * cta->units.tma - TMA_TICKS);
    if (cta->units.port > 0)
        at_least(bounding, TMA_BOUND_SM_PORT, lead + times * cta->units.port - TMA_TICKS);
}

static void bound_dram(struct bounding *bounding, const struct tma_work_walk *walk) {
    uint64_t bytes = footprint_bytes(walk);
    uint64_t kept = bounding->kernel->cold ? 0 : bounding->machine.l2.capacity_bytes;
    uint64_t rate = tma_machine_dram_bytes_per_kcycle(&bounding->machine);
    if (bytes > kept && rate > 0)
        at_least(bounding, TMA_BOUND_DRAM, (bytes - kept) * 1000 / rate * TMA_TICKS);
}

static bool has_dynamic_tiles(const struct tma_kernel *kernel) {
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_TILES &&
            kernel->statements[i].schedule == TMA_TILES_DYNAMIC)
            return true;
    return false;
}

void tma_kernel_bound(const struct tma_machine *machine, const struct tma_kernel *kernel,
                      struct tma_kernel_bound *bound) {
    struct bounding bounding = {
        .machine = tma_kernel_machine(machine, kernel), .kernel = kernel, .bound = bound};
    uint32_t per_sm = tma_kernel_ctas_per_sm(machine, kernel);
    uint32_t sms = kernel->sm_count > 0 ? kernel->sm_count : machine->sm_count;
    struct tma_work_walk walk;
    struct cta_work work;
    *bound = (struct tma_kernel_bound){.cycles = 0};
    if (per_sm == 0 || kernel->cta_count == 0)
        return;
    bounding.sms = bound->sms = sms < kernel->cta_count ? sms : kernel->cta_count;
    bounding.places = (uint64_t)sms * per_sm;
    tma_work_begin(&walk, &bounding.machine, kernel, TMA_WORK_OF_FIRST);
    walk.fetches = per_sm == 1;
    work = work_of(&walk, 1);
    bound_ctas(&bounding, &work, 1, 1);
    tma_work_begin(&walk, &bounding.machine, kernel, TMA_WORK_OF_ANY);
    work = work_of(&walk, 1);
    bound_ctas(&bounding, &work, tma_divide_up(kernel->cta_count, bounding.sms),
               tma_divide_up(kernel->cta_count, bounding.places));
    bound_dram(&bounding, &walk);
    if (has_dynamic_tiles(kernel)) {
        tma_work_begin(&walk, &bounding.machine, kernel, TMA_WORK_OF_MOST);
        work = work_of(&walk, 1);
        bound_ctas(&bounding, &work, 1, 1);
    }
    tma_work_begin(&walk, &bounding.machine, kernel, TMA_WORK_OF_ALL);
    work = work_of(&walk, kernel->cta_count);
    bound->tensor_cycles = work.units.tensor / TMA_TICKS;
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        bound->unit_cycles[p] = work.units.pipes[p] / TMA_TICKS;
    for (int i = 0; i < TMA_BOUND_COUNT; i++)
        if (bound->bounds[i] > bound->cycles) {
            bound->cycles = bound->bounds[i];
            bound->kind = (enum tma_bound_kind)i;
        }
}

/* How long the units of all SMs need for what they have not been given yet. */
static uint64_t cycles_left(uint64_t all, uint64_t given, uint32_t sms) {
    return all > given ? (all - given) / sms : 0;
}

uint64_t tma_kernel_bound_of_run(const struct tma_kernel_bound *bound,
                                 const struct tma_run_state *state) {
    if (bound->sms == 0)
        return bound->cycles;
    uint64_t left = cycles_left(bound->tensor_cycles, state->tensor_cycles, bound->sms);
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        left =
            tma_later(left, cycles_left(bound->unit_cycles[p], state->unit_cycles[p], bound->sms));
    return tma_later(bound->cycles, state->cycle + left);
}
