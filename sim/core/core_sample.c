#include "core/core_sample.h"

#include <math.h>

#include "base/allocation.h"
#include "core/lowering_facts.h"
#include "engine/sampling/sample_plan.h"

enum {
    LANES = 32,
    MOST_LOOPS = 16,
    MOST_PERIOD = 11,             /* iterations after which a ring is where it was */
    PROBES = 2 * MOST_PERIOD + 2, /* iterations that are looked at to find a period */
    FIRST_ITERATION = 2,          /* the loop has begun */
    LEAST_STRIDE = 4,             /* iterations that are timed before a jump, and behind it */
    MARGIN = 2                    /* strides before a comparison turns */
};

/* A register with what its lanes had, or by how much they grew. */
struct track {
    uint32_t number; /* in module->registers */
    bool predicate;
};

struct comparison {
    uint32_t a, b; /* tracks; UINT32_MAX: the constant */
    int64_t constant;
    uint8_t type;
};

struct sampled_loop {
    uint32_t first, end;  /* instructions of the module */
    struct track *tracks; /* owned: what is live when an iteration begins, and what is compared */
    struct comparison *comparisons; /* owned */
    uint32_t track_count, comparison_count;
    uint32_t period; /* 0: not known yet */
    bool unfit;      /* its registers do not go on by steps */
    struct sampled_warp *probe;
    uint64_t *probes; /* owned: of PROBES iterations: the masks, then the lanes of each track */
    uint64_t skipped; /* iterations, in all warps */
};

/* Where a warp is in a loop. */
struct sampled_warp {
    uint32_t loop;      /* the innermost one that it goes round in; MOST_LOOPS: none */
    uint32_t iteration; /* that it begins */
    uint32_t taken_at;  /* iteration of the values; 0: none taken */
    uint64_t taken_cycle;
    uint64_t *values; /* owned: as in sampled_loop.probes; steps once the warp is ready */
    size_t capacity;
    uint64_t stride_cycles;   /* of a stride before the jump */
    bool ready, jumped, left; /* `left`: it went round in a loop, and is behind it */
    uint32_t behind_at;       /* iteration behind the jump; 0: no jump is being timed */
    uint64_t behind_cycle;
};

struct sampled_place {
    uint32_t jump_at, jump_by; /* iterations; 0: no jump is to come */
    uint32_t jumps;            /* warps that are to jump */
    uint32_t left_out;         /* iterations of the jump whose time is not known yet */
    uint32_t stride;
    uint64_t begin_cycle, skipped_cycles;
};

struct tma_core_sampling {
    uint64_t from; /* warp instructions of a launch that is sampled */
    struct sampled_loop loops[MOST_LOOPS];
    uint32_t loop_count;
    struct sampled_warp *warps;   /* owned: by place, then by warp of the cluster */
    struct sampled_place *places; /* owned */
    uint32_t warp_count;          /* of a cluster */
    double before, behind; /* cycles of what was left out, by the strides before and behind */
    uint64_t last_cycle;   /* at which a cluster ended, with what was left out */
    /* whole CTAs */
    struct tma_sampler sampler;
    bool of_ctas;
    uint64_t *ended;      /* owned: cycles of the clusters that ended last, as many as places */
    uint64_t ended_count; /* of clusters */
    uint64_t ended_sum;   /* of those kept */
    unsigned __int128 squares;
    uint64_t all_cycles;
};

/* ---- loops ---- */

static uint32_t track_of(struct sampled_loop *loop, const struct tma_ptx_module *module,
                         uint32_t number) {
    for (uint32_t t = 0; t < loop->track_count; ++t)
        if (loop->tracks[t].number == number)
            return t;
    loop->tracks[loop->track_count] =
        (struct track){number, module->registers[number].width == TMA_PTX_PREDICATE};
    return loop->track_count++;
}

static bool is_compared(const struct tma_ptx_instruction *instruction) {
    return instruction->opcode == TMA_PTX_OP_SETP && instruction->type_count > 0 &&
           tma_ptx_types[instruction->types[0]].kind != TMA_PTX_FLOAT;
}

/* One side of a comparison; false: what it compares cannot be followed. */
static bool take_side(struct sampled_loop *loop, const struct tma_lowering_facts *facts, uint32_t i,
                      uint32_t k, uint32_t *track, int64_t *constant) {
    const struct tma_ptx_operand *operand = tma_lowering_operand(facts, i, k);
    *track = UINT32_MAX;
    if (operand->kind == TMA_PTX_REGISTER)
        *track = track_of(loop, facts->module, facts->function->first_register + operand->number);
    else if (operand->kind == TMA_PTX_IMMEDIATE)
        *constant = (int64_t)operand->bits;
    else
        return false;
    return true;
}

static void take_comparisons(struct sampled_loop *loop, const struct tma_lowering_facts *facts) {
    uint32_t base = facts->function->first_instruction;
    for (uint32_t i = loop->first - base; i < loop->end - base; ++i) {
        if (!is_compared(&facts->code[i]))
            continue;
        uint32_t results = facts->code[i].target_count;
        struct comparison *added = &loop->comparisons[loop->comparison_count++];
        added->type = facts->code[i].types[0];
        if (!take_side(loop, facts, i, results, &added->a, &added->constant) ||
            !take_side(loop, facts, i, results + 1, &added->b, &added->constant) ||
            (added->a == UINT32_MAX && added->b == UINT32_MAX))
            --loop->comparison_count;
    }
}

static bool is_mbarrier(const struct tma_ptx_instruction *instruction) {
    switch (instruction->opcode) {
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_MBARRIER_EXPECT_TX:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
        return true;
    default:
        return false;
    }
}

/* Which mbarriers a loop waits for, and for which phase, tells where its rings are, though nothing
 * but a counter may be live from one iteration to the next. */
static void take_mbarriers(struct sampled_loop *loop, const struct tma_lowering_facts *facts) {
    uint32_t base = facts->function->first_instruction;
    for (uint32_t i = loop->first - base; i < loop->end - base; ++i)
        for (uint32_t r = facts->first_register[i];
             is_mbarrier(&facts->code[i]) && r < facts->first_register[i + 1]; ++r)
            track_of(loop, facts->module, facts->function->first_register + facts->registers[r]);
}

static bool add_loop(struct tma_core_sampling *own, const struct tma_lowering_facts *facts,
                     uint32_t number, struct tma_error *error) {
    const struct tma_lowering_loop *found = &facts->loops[number];
    struct sampled_loop *loop = &own->loops[own->loop_count++];
    uint32_t base = facts->function->first_instruction;
    loop->first = base + found->first;
    loop->end = base + found->end;
    loop->tracks = tma_allocate(facts->value_count + 1, sizeof *loop->tracks);
    loop->comparisons = tma_allocate(found->end - found->first + 1, sizeof *loop->comparisons);
    bool *live = tma_allocate(facts->value_count + 1, sizeof *live);
    bool good = loop->tracks != NULL && loop->comparisons != NULL && live != NULL &&
                tma_lowering_live(facts, found->first, live, error) == TMA_OK;
    for (uint32_t r = 0; good && r < facts->value_count; ++r)
        if (live[r])
            track_of(loop, facts->module, facts->function->first_register + r);
    if (good) {
        take_comparisons(loop, facts);
        take_mbarriers(loop, facts);
    }
    for (uint32_t t = 0; good && t < loop->track_count; ++t)
        if (facts->module->registers[loop->tracks[t].number].width == TMA_PTX_QUAD)
            loop->unfit = true;
    for (uint32_t i = found->first; good && i < found->end; ++i)
        if (facts->code[i].opcode == TMA_PTX_OP_CALL)
            loop->unfit = true;
    /* A loop that compares nothing waits for something. */
    if (loop->comparison_count == 0)
        loop->unfit = true;
    tma_release(live);
    return good;
}

static enum tma_error_code find_loops(struct tma_core_run *run, struct tma_error *error) {
    struct tma_core_sampling *own = run->sampling;
    struct tma_lowering_options raw = {0};
    struct tma_lowering_facts facts;
    for (int rule = 0; rule < TMA_LOWERING_RULE_COUNT; ++rule)
        raw.off[rule] = true;
    enum tma_error_code code =
        tma_lowering_facts_create(run->launch->module, run->launch->function, &raw, &facts, error);
    for (uint32_t l = 0; code == TMA_OK && l < facts.loop_count && own->loop_count < MOST_LOOPS;
         ++l)
        if (!add_loop(own, &facts, l, error))
            code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    tma_lowering_facts_free(&facts);
    return code;
}

/* ---- values ---- */

static size_t values_of(const struct sampled_loop *loop) {
    return (size_t)loop->track_count * (LANES + 1);
}

/* The masks of opaque lanes, then the lanes of each track; those of opaque lanes are 0. */
static void take_values(struct tma_core_run *run, const struct sampled_loop *loop,
                        const struct tma_core_warp *warp, uint64_t *values) {
    for (uint32_t t = 0; t < loop->track_count; ++t) {
        uint32_t opaque = 0;
        uint64_t *lanes = values + loop->track_count + (size_t)t * LANES;
        tma_stepper_read(run->stepper, warp->warp, loop->tracks[t].number, lanes, &opaque);
        values[t] = opaque;
        for (uint32_t i = 0; i < LANES; ++i)
            if (opaque >> i & 1)
                lanes[i] = 0;
    }
}

/* From a through b to c the registers make the same step twice, or from a to b any (c NULL). */
static bool goes_on(const struct sampled_loop *loop, const uint64_t *a, const uint64_t *b,
                    const uint64_t *c) {
    for (uint32_t t = 0; t < loop->track_count; ++t) {
        if (a[t] != b[t] || (c != NULL && b[t] != c[t]))
            return false;
        size_t at = loop->track_count + (size_t)t * LANES;
        for (uint32_t i = 0; i < LANES; ++i) {
            uint64_t step = b[at + i] - a[at + i];
            if (c != NULL && (uint32_t)(c[at + i] - b[at + i]) != (uint32_t)step)
                return false;
            if (loop->tracks[t].predicate && step != 0)
                return false;
        }
    }
    return true;
}

/* The shortest period that all probes have. */
static void find_period(struct sampled_loop *loop) {
    size_t size = values_of(loop);
    for (uint32_t period = 1; period <= MOST_PERIOD && loop->period == 0; ++period) {
        bool fits = true;
        for (uint32_t i = 0; i + 2 * period < PROBES && fits; ++i)
            fits = goes_on(loop, loop->probes + i * size, loop->probes + (i + period) * size,
                           loop->probes + (i + 2 * period) * size);
        loop->period = fits ? period : 0;
    }
    loop->unfit = loop->period == 0;
    tma_release(loop->probes);
    loop->probes = NULL;
}

static uint32_t stride_of(const struct sampled_loop *loop) {
    return (LEAST_STRIDE + loop->period - 1) / loop->period * loop->period;
}

/* One warp at a time keeps the values of its iterations, until a period shows. */
static void probe(struct tma_core_run *run, uint32_t number, struct sampled_warp *own,
                  const struct tma_core_warp *warp) {
    struct sampled_loop *loop = &run->sampling->loops[number];
    if (loop->probe != own) {
        bool goes_round = loop->probe != NULL && loop->probe->loop == number;
        if (goes_round || own->iteration != FIRST_ITERATION)
            return;
        loop->probe = own;
    }
    if (own->iteration < FIRST_ITERATION)
        return;
    if (loop->probes == NULL)
        loop->probes = tma_allocate(values_of(loop) * PROBES + 1, sizeof *loop->probes);
    if (loop->probes == NULL) {
        run->out_of_memory = true;
        return;
    }
    uint32_t at = own->iteration - FIRST_ITERATION;
    take_values(run, loop, warp, loop->probes + at * values_of(loop));
    if (at + 1 == PROBES)
        find_period(loop);
}

/* ---- jumps ---- */

/* How many strides a comparison of one lane keeps its outcome for, from a difference on. */
static uint64_t strides_until_turn(int64_t difference, int64_t step) {
    if (step == 0 || (difference > 0) == (step > 0))
        return difference == 0 && step != 0 ? 0 : UINT32_MAX;
    uint64_t far = (uint64_t)(difference > 0 ? difference : -difference),
             by = (uint64_t)(step > 0 ? step : -step);
    return far == 0 ? 0 : (far - 1) / by;
}

static int64_t extended(uint64_t value, uint8_t type) {
    uint32_t bits = tma_ptx_types[type].bits;
    if (bits >= 64)
        return (int64_t)value;
    uint64_t low = value & ((UINT64_C(1) << bits) - 1);
    bool negative = tma_ptx_types[type].kind != TMA_PTX_UNSIGNED && (low >> (bits - 1) & 1) != 0;
    return negative ? (int64_t)low - (int64_t)(UINT64_C(1) << (bits - 1)) * 2 : (int64_t)low;
}

/* The strides that the warp can jump. */
static uint64_t most_strides(struct tma_core_run *run, const struct sampled_loop *loop,
                             const struct sampled_warp *own, const struct tma_core_warp *warp) {
    uint64_t most = UINT32_MAX;
    for (uint32_t n = 0; n < loop->comparison_count; ++n) {
        const struct comparison *compared = &loop->comparisons[n];
        uint64_t a[LANES], b[LANES];
        uint32_t opaque_a = 0, opaque_b = 0;
        if (compared->a != UINT32_MAX)
            tma_stepper_read(run->stepper, warp->warp, loop->tracks[compared->a].number, a,
                             &opaque_a);
        if (compared->b != UINT32_MAX)
            tma_stepper_read(run->stepper, warp->warp, loop->tracks[compared->b].number, b,
                             &opaque_b);
        for (uint32_t i = 0; i < LANES; ++i) {
            if ((opaque_a | opaque_b) >> i & 1)
                continue;
            int64_t side[2] = {compared->constant, compared->constant}, step[2] = {0, 0};
            const uint32_t tracks[2] = {compared->a, compared->b};
            const uint64_t *lanes[2] = {a, b};
            for (uint32_t s = 0; s < 2; ++s)
                if (tracks[s] != UINT32_MAX) {
                    side[s] = extended(lanes[s][i], compared->type);
                    step[s] =
                        (int32_t)own->values[loop->track_count + (size_t)tracks[s] * LANES + i];
                } else {
                    side[s] = extended((uint64_t)compared->constant, compared->type);
                }
            uint64_t strides = strides_until_turn(side[0] - side[1], step[0] - step[1]);
            most = strides < most ? strides : most;
        }
    }
    return most;
}

static struct sampled_warp *sampled_of(struct tma_core_run *run, const struct tma_core_warp *warp) {
    struct tma_core_sampling *own = run->sampling;
    size_t place = (size_t)(warp->cluster - run->clusters);
    return &own->warps[place * own->warp_count + (size_t)(warp - warp->cluster->warps)];
}

/* Plans a jump of a cluster whose warps are all in loops whose steps are known, or wait at a
 * barrier, or have ended. */
static void plan_jump(struct tma_core_run *run, struct tma_core_cluster *cluster) {
    struct tma_core_sampling *own = run->sampling;
    struct sampled_place *place = &own->places[cluster - run->clusters];
    uint32_t stride = 0, at = 0, jumps = 0;
    uint64_t strides = UINT32_MAX, instructions = 0;
    for (uint32_t w = 0; w < own->warp_count; ++w) {
        const struct tma_core_warp *warp = &cluster->warps[w];
        const struct sampled_warp *sampled = sampled_of(run, warp);
        if (!sampled->ready) {
            if (warp->state == TMA_CORE_ENDED ||
                (warp->state == TMA_CORE_PARKED && warp->reason == TMA_STALL_BARRIER &&
                 sampled->loop == MOST_LOOPS && !sampled->left))
                continue;
            return;
        }
        const struct sampled_loop *loop = &own->loops[sampled->loop];
        if (sampled->jumped || (stride != 0 && stride != stride_of(loop)))
            return;
        stride = stride_of(loop);
        at = sampled->iteration > at ? sampled->iteration : at;
        uint64_t most = most_strides(run, loop, sampled, warp);
        strides = most < strides ? most : strides;
        instructions += loop->end - loop->first;
        ++jumps;
    }
    if (stride == 0 || strides <= MARGIN || strides == UINT32_MAX)
        return;
    if (run->executed->instructions < own->from / 2 &&
        instructions * strides * stride * run->grid_clusters < own->from)
        return;
    *place = (struct sampled_place){.jump_at = at + 1,
                                    .jump_by = (uint32_t)(strides - MARGIN) * stride,
                                    .jumps = jumps,
                                    .stride = stride,
                                    .begin_cycle = place->begin_cycle,
                                    .skipped_cycles = place->skipped_cycles};
}

static void jump(struct tma_core_run *run, struct sampled_loop *loop, struct sampled_warp *own,
                 const struct tma_core_warp *warp, uint32_t strides) {
    for (uint32_t t = 0; t < loop->track_count; ++t) {
        uint64_t *lanes = own->values + loop->track_count + (size_t)t * LANES;
        if (loop->tracks[t].predicate)
            continue;
        for (uint32_t i = 0; i < LANES; ++i)
            lanes[i] *= strides;
        tma_stepper_add(run->stepper, warp->warp, loop->tracks[t].number, lanes);
    }
    loop->skipped += (uint64_t)strides * stride_of(loop);
    own->jumped = true;
    own->ready = false;
}

/* The time of what a cluster has left out is now known. */
static void add_time(struct tma_core_sampling *own, struct sampled_place *place,
                     const struct sampled_warp *warp, uint64_t behind_cycles) {
    double strides = (double)place->left_out / place->stride;
    own->before += strides * (double)warp->stride_cycles;
    own->behind += strides * (double)behind_cycles;
    place->skipped_cycles +=
        (uint64_t)place->left_out * (warp->stride_cycles + behind_cycles) / (2 * place->stride);
    place->left_out = 0;
}

/* The first warp of a cluster that jumps times the jump. */
static void time_jump(struct tma_core_run *run, struct sampled_place *place,
                      struct sampled_warp *own, uint64_t cycle) {
    if (own->behind_at != 0 && own->iteration == own->behind_at + place->stride) {
        add_time(run->sampling, place, own, cycle - own->behind_cycle);
        own->behind_at = 0;
    }
}

static void leave_loop(struct tma_core_run *run, struct tma_core_warp *warp,
                       struct sampled_warp *own) {
    struct sampled_place *place = &run->sampling->places[warp->cluster - run->clusters];
    if (own->behind_at != 0 && place->left_out != 0)
        add_time(run->sampling, place, own, own->stride_cycles);
    own->behind_at = 0;
    own->loop = MOST_LOOPS;
    own->left = true;
    own->ready = own->jumped = false;
    own->taken_at = own->iteration = 0;
}

static void begin_iteration(struct tma_core_run *run, uint32_t number, struct tma_core_warp *warp,
                            struct sampled_warp *own, uint64_t cycle) {
    struct tma_core_sampling *sampling = run->sampling;
    struct sampled_loop *loop = &sampling->loops[number];
    struct sampled_place *place = &sampling->places[warp->cluster - run->clusters];
    if (own->loop != number) {
        if (own->loop != MOST_LOOPS)
            leave_loop(run, warp, own);
        own->loop = number;
        own->left = false;
        own->iteration = 0;
    }
    ++own->iteration;
    time_jump(run, place, own, cycle);
    if (loop->period == 0) {
        probe(run, number, own, warp);
        return;
    }
    if (own->jumped || own->iteration < FIRST_ITERATION)
        return;
    if (own->ready && place->jump_by != 0) {
        if (own->iteration != place->jump_at)
            return;
        jump(run, loop, own, warp, place->jump_by / place->stride);
        if (place->left_out == 0) {
            place->left_out = place->jump_by;
            own->behind_at = own->iteration;
            own->behind_cycle = cycle;
        }
        if (--place->jumps == 0)
            place->jump_by = 0;
        return;
    }
    if (own->taken_at == 0) {
        size_t size = values_of(loop);
        if (size > own->capacity) {
            tma_release(own->values);
            own->values = tma_allocate(size, sizeof *own->values);
            own->capacity = own->values == NULL ? 0 : size;
            if (own->values == NULL) {
                run->out_of_memory = true;
                return;
            }
        }
        take_values(run, loop, warp, own->values);
        own->taken_at = own->iteration;
        own->taken_cycle = cycle;
    } else if (own->iteration == own->taken_at + stride_of(loop)) {
        size_t size = values_of(loop);
        uint64_t *now = tma_allocate(size + 1, sizeof *now);
        if (now == NULL) {
            run->out_of_memory = true;
            return;
        }
        take_values(run, loop, warp, now);
        own->ready = goes_on(loop, own->values, now, NULL);
        own->stride_cycles = cycle - own->taken_cycle;
        if (own->ready)
            for (size_t i = loop->track_count; i < size; ++i)
                own->values[i] = now[i] - own->values[i];
        else
            own->taken_at = 0;
        tma_release(now);
        if (own->ready && place->jump_by == 0)
            plan_jump(run, warp->cluster);
    }
}

void tma_core_sample_branch(struct tma_core_run *run, struct tma_core_warp *warp,
                            uint32_t instruction, uint32_t next, uint64_t cycle) {
    struct tma_core_sampling *own = run->sampling;
    struct sampled_warp *sampled = sampled_of(run, warp);
    if (next <= instruction) {
        for (uint32_t l = 0; l < own->loop_count; ++l) {
            const struct sampled_loop *loop = &own->loops[l];
            if (loop->first != next || instruction >= loop->end)
                continue;
            if (!loop->unfit)
                begin_iteration(run, l, warp, sampled, cycle);
            return;
        }
    } else if (sampled->loop != MOST_LOOPS && instruction + 1 == own->loops[sampled->loop].end) {
        leave_loop(run, warp, sampled);
    }
}

/* ---- whole CTAs ---- */

static uint64_t units_of(const struct tma_core_run *run) {
    return run->next_cluster - run->sampling->sampler.skipped;
}

void tma_core_sample_begin(struct tma_core_run *run, struct tma_core_cluster *place) {
    struct tma_core_sampling *own = run->sampling;
    size_t number = (size_t)(place - run->clusters);
    own->places[number].begin_cycle = place->free_cycle;
    own->places[number].jump_by = own->places[number].left_out = 0;
    for (uint32_t w = 0; w < own->warp_count; ++w) {
        struct sampled_warp *warp = &own->warps[number * own->warp_count + w];
        *warp = (struct sampled_warp){
            .loop = MOST_LOOPS, .values = warp->values, .capacity = warp->capacity};
    }
}

void tma_core_sample_end(struct tma_core_run *run, struct tma_core_cluster *place) {
    struct tma_core_sampling *own = run->sampling;
    size_t number = (size_t)(place - run->clusters);
    struct sampled_place *sampled = &own->places[number];
    for (uint32_t w = 0; w < own->warp_count; ++w) {
        struct sampled_warp *warp = &own->warps[number * own->warp_count + w];
        if (warp->loop != MOST_LOOPS)
            leave_loop(run, &place->warps[w], warp);
    }
    uint64_t end = place->free_cycle + sampled->skipped_cycles,
             cycles = place->free_cycle - sampled->begin_cycle;
    own->last_cycle = end > own->last_cycle ? end : own->last_cycle;
    uint64_t *kept = &own->ended[own->ended_count % run->cluster_count];
    own->ended_sum += cycles - *kept;
    *kept = cycles;
    own->squares += (unsigned __int128)cycles * cycles;
    own->all_cycles += cycles;
    ++own->ended_count;
}

/* Clusters that have ended, and of each that runs the part of the usual time that it has run for.
 */
static uint64_t progress_of(const struct tma_core_run *run, uint64_t cycle) {
    const struct tma_core_sampling *own = run->sampling;
    uint64_t kept = own->ended_count < run->cluster_count ? own->ended_count : run->cluster_count;
    uint64_t usual = kept == 0 ? 0 : own->ended_sum / kept,
             parts = own->ended_count * TMA_UNIT_PARTS;
    for (uint32_t i = 0; i < run->cluster_count && usual > 0; ++i) {
        uint64_t begin = own->places[i].begin_cycle, done = cycle > begin ? cycle - begin : 0;
        if (run->clusters[i].cluster != NULL)
            parts += (done < usual ? done : usual) * TMA_UNIT_PARTS / usual;
    }
    return parts;
}

/* What the launch has in all, by what its clusters took so far. */
static bool is_long(const struct tma_core_run *run) {
    uint64_t ended = run->sampling->ended_count + 1;
    return (unsigned __int128)run->executed->instructions * run->grid_clusters / ended >=
           run->sampling->from;
}

void tma_core_sample_look(struct tma_core_run *run, uint64_t cycle) {
    struct tma_core_sampling *own = run->sampling;
    if (!own->of_ctas || !tma_sampler_is_due(&own->sampler, units_of(run)))
        return;
    struct tma_sample_mark mark = {.parts = progress_of(run, cycle),
                                   .cycle = cycle,
                                   .tally.memory = tma_memory_count(run->memory)};
    uint64_t units = tma_sampler_look(&own->sampler, units_of(run), &mark);
    if (units == 0 || !is_long(run))
        return;
    tma_sampler_skip(&own->sampler, units);
    run->next_cluster += units;
    run->ended_clusters += units;
}

/* ---- figures ---- */

/* The whole of something of which a part was simulated. */
static uint64_t grow(uint64_t value, uint64_t whole, uint64_t part) {
    return part == 0 ? value : (uint64_t)((unsigned __int128)value * whole / part);
}

/* How much more often an instruction executes in the whole launch: whole / part. */
static void share_of(const struct tma_core_run *run, size_t instruction, uint64_t *whole,
                     uint64_t *part) {
    const struct tma_core_sampling *own = run->sampling;
    *whole = run->grid_clusters;
    *part = run->grid_clusters - own->sampler.skipped;
    for (uint32_t l = 0; l < own->loop_count; ++l) {
        const struct sampled_loop *loop = &own->loops[l];
        if (instruction < loop->first || instruction >= loop->end || loop->skipped == 0)
            continue;
        *part = run->executed->lines[loop->end - 1].executions;
        *whole = *part + loop->skipped;
    }
}

/* How wrong the cycles may be. */
static double error_of(const struct tma_core_run *run) {
    const struct tma_core_sampling *own = run->sampling;
    double count = (double)own->ended_count, mean = (double)own->all_cycles / count,
           variance = (double)own->squares / count - mean * mean,
           deviation = variance > 0 ? sqrt(variance) : 0;
    if (own->sampler.skipped > 0)
        return (double)own->sampler.error_cycles + 2 * deviation;
    double drift =
               own->before > own->behind ? own->before - own->behind : own->behind - own->before,
           sum = own->before + own->behind, skipped = (double)(own->last_cycle - run->last_cycle);
    return sum == 0 ? 0
                    : skipped * 2 * drift / sum +
                          2 * deviation * sqrt(skipped / (double)own->last_cycle);
}

/* The sums of a result, by what they sum up. */
struct figure_sums {
    uint64_t executions, shared, bulk, memory, products, slots;
};

static void add_line(const struct tma_core_run *run, const struct tma_ptx_line *line, size_t i,
                     uint64_t whole, uint64_t part, struct figure_sums *sums) {
    const struct tma_core_instruction *planned = &run->plan.instructions[i];
    sums->executions += grow(line->executions, whole, part);
    sums->shared += grow(line->wavefronts, whole, part);
    if (planned->kind == TMA_CORE_BULK)
        sums->bulk += grow(line->bytes, whole, part);
    sums->memory += grow(line->bytes, whole, part);
    if (planned->kind == TMA_CORE_PRODUCT || planned->kind == TMA_CORE_MMA)
        sums->products += grow(line->executions, whole, part);
    sums->slots += grow(line->executions * planned->issues, whole, part);
}

static void grow_line(struct tma_ptx_line *line, uint64_t stalls[TMA_STALL_COUNT], uint64_t whole,
                      uint64_t part) {
    uint64_t *const values[] = {
        &line->executions, &line->lanes,         &line->wavefronts, &line->ideal_wavefronts,
        &line->sectors,    &line->ideal_sectors, &line->bytes};
    for (size_t v = 0; v < sizeof values / sizeof values[0]; ++v)
        *values[v] = grow(*values[v], whole, part);
    for (int s = 0; s < TMA_STALL_COUNT; ++s)
        stalls[s] = grow(stalls[s], whole, part);
}

static void grow_result(struct tma_ptx_result *executed, struct tma_core_result *result,
                        const struct figure_sums *whole, const struct figure_sums *part) {
    executed->instructions = grow(executed->instructions, whole->executions, part->executions);
    uint64_t *const shared[] = {
        &executed->shared_loads,           &executed->shared_stores,
        &executed->shared_load_wavefronts, &executed->shared_store_wavefronts,
        &executed->shared_load_conflicts,  &executed->shared_store_conflicts};
    for (size_t v = 0; v < sizeof shared / sizeof shared[0]; ++v)
        *shared[v] = grow(*shared[v], whole->shared, part->shared);
    uint64_t *const bulk[] = {&executed->tma_loads,      &executed->tma_stores,
                              &executed->tma_reductions, &executed->tma_prefetches,
                              &executed->tma_load_bytes, &executed->tma_store_bytes};
    for (size_t v = 0; v < sizeof bulk / sizeof bulk[0]; ++v)
        *bulk[v] = grow(*bulk[v], whole->bulk, part->bulk);
    result->issue_slots = grow(result->issue_slots, whole->slots, part->slots);
    for (int i = 0; i < TMA_MMA_TYPE_COUNT; ++i)
        result->macs[i] = grow(result->macs[i], whole->products, part->products);
    result->tensor_cycles = grow(result->tensor_cycles, whole->products, part->products);
    result->shared_load_waits = grow(result->shared_load_waits, whole->shared, part->shared);
    result->shared_store_waits = grow(result->shared_store_waits, whole->shared, part->shared);
    result->shared_store_conflicts =
        grow(result->shared_store_conflicts, whole->shared, part->shared);
    uint64_t last_cycle = result->memory.last_cycle;
    uint64_t *counters = (uint64_t *)&result->memory;
    for (size_t v = 0; v < sizeof result->memory / sizeof *counters; ++v)
        counters[v] = grow(counters[v], whole->memory, part->memory);
    result->memory.last_cycle = last_cycle;
}

void tma_core_sample_finish(struct tma_core_run *run, struct tma_ptx_result *executed) {
    struct tma_core_sampling *own = run->sampling;
    struct tma_core_result *result = run->result;
    struct figure_sums whole = {0}, part = {0};
    uint64_t simulated = run->last_cycle;
    if (own->sampler.skipped > 0)
        result->cycles = run->last_cycle + own->sampler.skipped_cycles;
    else if (own->last_cycle > run->last_cycle)
        result->cycles = own->last_cycle;
    else
        return;
    result->sampled_cycles = result->cycles - simulated;
    result->error_cycles = (uint64_t)error_of(run);
    for (size_t i = 0; i < run->launch->module->instruction_count; ++i) {
        uint64_t all, done;
        share_of(run, i, &all, &done);
        add_line(run, &executed->lines[i], i, all, done, &whole);
        add_line(run, &executed->lines[i], i, 1, 1, &part);
    }
    /* Shares come from the last instruction of a loop, which is to stay as it is until then. */
    for (size_t i = 0; i < run->launch->module->instruction_count; ++i) {
        uint64_t all, done;
        share_of(run, i, &all, &done);
        grow_line(&executed->lines[i], result->line_stalls[i], all, done);
    }
    executed->ended_ctas += own->sampler.skipped * run->cluster_ctas;
    grow_result(executed, result, &whole, &part);
}

enum tma_error_code tma_core_sample_create(struct tma_core_run *run, uint64_t from,
                                           struct tma_error *error) {
    struct tma_core_sampling *own = tma_allocate(1, sizeof *own);
    run->sampling = own;
    if (own == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    own->from = from;
    own->warp_count = run->cluster_ctas * run->cta_warps;
    own->warps = tma_allocate((size_t)run->cluster_count * own->warp_count + 1, sizeof *own->warps);
    own->places = tma_allocate(run->cluster_count + 1, sizeof *own->places);
    own->ended = tma_allocate(run->cluster_count + 1, sizeof *own->ended);
    if (own->warps == NULL || own->places == NULL || own->ended == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (run->grid_clusters / run->cluster_count < TMA_SAMPLED_WAVES)
        return find_loops(run, error);
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < run->launch->buffer_count; ++i)
        bytes += run->launch->buffers[i].size;
    struct tma_sample_plan plan = tma_sample_plan_of(run->machine, TMA_SAMPLING_USUAL, bytes);
    plan.total = run->grid_clusters;
    plan.window = plan.step = plan.tail = run->cluster_count;
    own->of_ctas = true;
    return tma_sampler_create(&own->sampler, &plan)
               ? TMA_OK
               : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

void tma_core_sample_free(struct tma_core_run *run) {
    struct tma_core_sampling *own = run->sampling;
    if (own == NULL)
        return;
    for (uint32_t l = 0; l < own->loop_count; ++l) {
        TMA_RELEASE(own->loops[l].tracks, own->loops[l].comparisons, own->loops[l].probes);
    }
    for (size_t w = 0; own->warps != NULL && w < (size_t)run->cluster_count * own->warp_count; ++w)
        tma_release(own->warps[w].values);
    TMA_RELEASE(own->warps, own->places, own->ended);
    tma_sampler_free(&own->sampler);
    tma_release(own);
}
