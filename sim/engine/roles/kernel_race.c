#include "engine/roles/kernel_race.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "engine/roles/program_cursor.h"
#include "engine/roles/statement_label.h"

enum { REGION_LIMIT = 2 * (TMA_MAX_RINGS * TMA_MAX_RING_DEPTH + 64) };

#define NEVER UINT64_MAX

/* What touches shared memory. */
enum access_kind {
    ACCESS_HOLD,  /* a role has waited for the stage, and not released it: it may read all of it */
    ACCESS_LOAD,  /* writes until a role has waited for the stage's phase */
    ACCESS_STORE, /* reads until the role has waited for the group */
    ACCESS_PRODUCT, /* likewise */
    ACCESS_READ,    /* by the warps of a role */
    ACCESS_WRITE,
    ACCESS_COMBINE, /* a reduction by the warps of a role: others may combine, too */
    ACCESS_SEND     /* reads until a role of another CTA has waited for what it copies there */
};

struct access {
    uint32_t from, to; /* bytes of the CTA's shared memory */
    enum access_kind kind;
    uint32_t component; /* of the role: of its CTA, and its place there */
    uint64_t epoch;     /* READ, WRITE: of the role's clock; HOLD: at its release, or NEVER */
    uint64_t group;     /* PRODUCT, STORE: number; LOAD, SEND: phase of its stage */
    uint32_t stage;     /* LOAD, SEND: number among those of the CTA */
    uint32_t rank;      /* SEND: of that CTA */
    /* For messages. */
    uint32_t cta;
    uint64_t cycle;
    const struct tma_statement *statement;
    struct tma_loop_values loops;
};

/* Bytes of the CTAs' shared memory that no stage or buffer begins or ends within. */
struct region {
    struct access *items; /* owned: the last accesses that later ones may race with */
    size_t count, capacity;
};

/* Groups of products, or of stores, for which a role has waited, and when. */
struct known_groups {
    uint64_t count;
    uint64_t epochs[TMA_MAX_GROUPS]; /* ring, by number */
};

struct race_role {
    uint64_t *clock; /* by component */
    uint64_t synced; /* its own clock at its last barrier: what all of its warps know */
    struct known_groups products, stores;
};

/* A phase for which a role has waited: their number so far, and its clock then. */
struct waited {
    uint64_t phases, epoch;
};

struct race_stage {
    uint64_t *full, *ended_full, *empty, *ended_empty; /* clocks: of arrivals, of the last phase */
    struct waited *waited;                             /* by role */
};

struct tma_races {
    uint32_t components; /* roles of a cluster */
    struct race_role *roles;
    struct race_stage *stages;
    uint64_t **barriers; /* clocks, by CTA place and barrier */
    uint64_t *clocks;    /* owned: of all the above */
    size_t clock_count;
    struct waited *waited;
    uint32_t bounds[REGION_LIMIT]; /* of the regions, ascending */
    uint32_t region_count;
    struct region *regions; /* by CTA place and number */
};

static struct tma_races *races_of(const struct tma_role_state *role) {
    return role->cta->engine->races;
}

static struct race_role *race_role_of(const struct tma_role_state *role) {
    return &races_of(role)->roles[role->number];
}

static uint32_t component_of(const struct tma_kernel_cta *cta, uint32_t role) {
    return cta->base.rank * cta->engine->kernel->role_count + role;
}

/* The place of a role among those of its CTA, which are in the order of their names. */
static uint32_t place_of(const struct tma_role_state *role) {
    return (uint32_t)(role - role->cta->roles);
}

static uint64_t *own_clock(const struct tma_role_state *role) {
    return &race_role_of(role)->clock[component_of(role->cta, place_of(role))];
}

static struct race_stage *race_stage_of(const struct tma_kernel_cta *cta, uint32_t ring,
                                        uint32_t stage) {
    const struct tma_kernel_engine *engine = cta->engine;
    return &engine->races->stages[(size_t)cta->base.place * engine->stage_count +
                                  cta->rings[ring].first_stage + stage];
}

static void join(const struct tma_races *races, uint64_t *into, const uint64_t *from) {
    for (uint32_t i = 0; i < races->components; i++)
        if (from[i] > into[i])
            into[i] = from[i];
}

/* The role hands on what it knows. What it does from now on is not part of it. */
static void publish(const struct tma_role_state *role, uint64_t *into) {
    join(races_of(role), into, race_role_of(role)->clock);
}

static void tick(const struct tma_role_state *role) {
    ++*own_clock(role);
}

static void add_bound(struct tma_races *races, uint64_t bound) {
    uint32_t at = races->region_count;
    for (uint32_t i = 0; i < races->region_count; i++)
        if (races->bounds[i] == bound)
            return;
    if (bound > UINT32_MAX || races->region_count == REGION_LIMIT)
        return;
    for (; at > 0 && races->bounds[at - 1] > bound; at--)
        races->bounds[at] = races->bounds[at - 1];
    races->bounds[at] = (uint32_t)bound;
    races->region_count++;
}

/* Regions begin where stages and buffers begin and end. */
static void find_regions(struct tma_races *races, const struct tma_kernel *kernel) {
    add_bound(races, 0);
    for (uint32_t r = 0; r < kernel->ring_count; r++)
        for (uint32_t s = 0; s <= kernel->rings[r].depth; s++)
            add_bound(races,
                      kernel->rings[r].shared_offset + (uint64_t)s * kernel->rings[r].stage_bytes);
    for (uint32_t b = 0; b < kernel->buffer_count; b++) {
        add_bound(races, kernel->buffers[b].shared_offset);
        add_bound(races, (uint64_t)kernel->buffers[b].shared_offset + kernel->buffers[b].bytes);
    }
}

/* The region that has an address. */
static uint32_t region_at(const struct tma_races *races, uint64_t address) {
    uint32_t low = 0, high = races->region_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (races->bounds[middle] <= address)
            low = middle;
        else
            high = middle;
    }
    return low;
}

bool tma_races_create(struct tma_kernel_engine *engine) {
    const struct tma_kernel *kernel = engine->kernel;
    struct tma_races *races = engine->races = tma_allocate(1, sizeof *races);
    if (races == NULL)
        return false;
    size_t roles = (size_t)engine->simulation.place_count * kernel->role_count;
    size_t stages = (size_t)engine->simulation.place_count * engine->stage_count;
    size_t barriers = (size_t)engine->simulation.place_count * kernel->barrier_count;
    races->components = engine->simulation.cluster_ctas * kernel->role_count;
    races->clock_count = (roles + 4 * stages + barriers) * races->components;
    find_regions(races, kernel);
    races->roles = tma_allocate(roles, sizeof *races->roles);
    races->stages = tma_allocate(stages, sizeof *races->stages);
    races->barriers = tma_allocate(barriers, sizeof *races->barriers);
    races->clocks = tma_allocate(races->clock_count, sizeof *races->clocks);
    races->waited = tma_allocate(stages * kernel->role_count, sizeof *races->waited);
    races->regions = tma_allocate((size_t)engine->simulation.place_count * races->region_count,
                                  sizeof *races->regions);
    if (races->roles == NULL || races->clocks == NULL || races->regions == NULL ||
        (stages > 0 && (races->stages == NULL || races->waited == NULL)) ||
        (barriers > 0 && races->barriers == NULL))
        return false;
    uint64_t *clock = races->clocks;
    for (size_t i = 0; i < roles; i++, clock += races->components)
        races->roles[i].clock = clock;
    for (size_t i = 0; i < barriers; i++, clock += races->components)
        races->barriers[i] = clock;
    for (size_t i = 0; i < stages; i++) {
        struct race_stage *stage = &races->stages[i];
        uint64_t **clocks[] = {&stage->full, &stage->ended_full, &stage->empty,
                               &stage->ended_empty};
        for (size_t c = 0; c < 4; c++, clock += races->components)
            *clocks[c] = clock;
        stage->waited = &races->waited[i * kernel->role_count];
    }
    return true;
}

void tma_races_free(struct tma_kernel_engine *engine) {
    struct tma_races *races = engine->races;
    if (races == NULL)
        return;
    for (size_t i = 0;
         races->regions != NULL && i < engine->simulation.place_count * races->region_count; i++)
        tma_release(races->regions[i].items);
    TMA_RELEASE(races->roles, races->stages, races->barriers, races->clocks, races->waited,
                races->regions, races);
}

static void start_cta(struct tma_races *races, const struct tma_kernel_cta *cta) {
    const struct tma_kernel_engine *engine = cta->engine;
    const struct tma_kernel *kernel = engine->kernel;
    size_t clock_bytes = races->components * sizeof *races->clocks;
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        struct race_role *role = &races->roles[cta->roles[r].number];
        memset(role->clock, 0, clock_bytes);
        role->clock[component_of(cta, r)] = 1;
        role->synced = role->products.count = role->stores.count = 0;
    }
    for (uint32_t b = 0; b < kernel->barrier_count; b++)
        memset(races->barriers[cta->base.place * kernel->barrier_count + b], 0, clock_bytes);
    for (uint32_t s = 0; s < engine->stage_count; s++) {
        struct race_stage *stage =
            &races->stages[(size_t)cta->base.place * engine->stage_count + s];
        memset(stage->full, 0, 4 * clock_bytes); /* they lie behind each other */
        memset(stage->waited, 0, kernel->role_count * sizeof *stage->waited);
    }
    for (uint32_t i = 0; i < races->region_count; i++)
        races->regions[(size_t)cta->base.place * races->region_count + i].count = 0;
}

void tma_races_start(struct tma_kernel_cluster *cluster) {
    struct tma_kernel_engine *engine = cluster->ctas[0].engine;
    for (uint32_t i = 0; i < engine->simulation.cluster_ctas; i++)
        start_cta(engine->races, &cluster->ctas[i]);
}

static bool writes(enum access_kind kind) {
    return kind == ACCESS_LOAD || kind == ACCESS_WRITE || kind == ACCESS_COMBINE;
}

/* Whether one thread of the role issues it, not all of its warps. */
static bool is_elected(enum access_kind kind) {
    return kind == ACCESS_LOAD || kind == ACCESS_STORE || kind == ACCESS_SEND;
}

static uint64_t epoch_of_group(const struct known_groups *known, uint64_t group) {
    if (group >= known->count)
        return NEVER;
    /* The oldest one that is kept stands for those before it. */
    if (known->count - group > TMA_MAX_GROUPS)
        group = known->count - TMA_MAX_GROUPS;
    return known->epochs[group % TMA_MAX_GROUPS];
}

/* Whether some role has waited for a load into the CTA, as another role knows. */
static bool knows_load(const struct tma_kernel_cta *cta, const struct tma_role_state *role,
                       const struct access *load) {
    const struct tma_kernel_engine *engine = cta->engine;
    const struct waited *waited =
        engine->races->stages[(size_t)cta->base.place * engine->stage_count + load->stage].waited;
    const uint64_t *clock = race_role_of(role)->clock;
    for (uint32_t r = 0; r < engine->kernel->role_count; r++)
        if (waited[r].phases > load->group &&
            (&cta->roles[r] == role || waited[r].epoch <= clock[component_of(cta, r)]))
            return true;
    return false;
}

/* When an access ended, by the clock of its role; NEVER: nothing says that it has. */
static uint64_t end_of(const struct tma_kernel_cta *cta, const struct access *access) {
    uint32_t roles = cta->engine->kernel->role_count;
    const struct tma_kernel_cta *owner = &cta->cluster->ctas[access->component / roles];
    const struct race_role *role =
        &cta->engine->races->roles[owner->roles[access->component % roles].number];
    switch (access->kind) {
    case ACCESS_PRODUCT:
        return epoch_of_group(&role->products, access->group);
    case ACCESS_STORE:
        return epoch_of_group(&role->stores, access->group);
    case ACCESS_HOLD:
    case ACCESS_READ:
    case ACCESS_WRITE:
    case ACCESS_COMBINE:
        return access->epoch;
    case ACCESS_LOAD:
    case ACCESS_SEND:
        break;
    }
    return NEVER;
}

/* Whether an access to the shared memory of `cta` has ended before the role does something of a
 * kind, in any schedule. */
static bool is_before(const struct tma_kernel_cta *cta, const struct access *access,
                      const struct tma_role_state *role, enum access_kind kind) {
    const struct race_role *own = race_role_of(role);
    if (access->kind == ACCESS_LOAD)
        return knows_load(cta, role, access);
    if (access->kind == ACCESS_SEND)
        return knows_load(&cta->cluster->ctas[access->rank], role, access);
    uint64_t end = end_of(cta, access);
    if (end == NEVER)
        return false;
    if (access->component != component_of(role->cta, place_of(role)))
        return end <= own->clock[access->component];
    return access->kind == ACCESS_HOLD || is_elected(access->kind) == is_elected(kind) ||
           cta->engine->kernel->roles[role->index].warps == 1 || end <= own->synced;
}

static bool overlaps(const struct access *a, const struct access *b) {
    return a->from < b->to && b->from < a->to;
}

/* Whether two accesses to the same bytes need an order. The loads of a phase are one. */
static bool conflict(const struct access *a, const struct access *b) {
    if (!overlaps(a, b) || (!writes(a->kind) && !writes(b->kind)))
        return false;
    if (a->kind == ACCESS_COMBINE && b->kind == ACCESS_COMBINE)
        return false;
    if (a->kind == ACCESS_HOLD || b->kind == ACCESS_HOLD)
        return a->kind == ACCESS_LOAD || b->kind == ACCESS_LOAD;
    return a->kind != ACCESS_LOAD || b->kind != ACCESS_LOAD || a->stage != b->stage ||
           a->group != b->group;
}

static const char *word_of(const struct access *access) {
    return access->kind == ACCESS_HOLD ? "wait" : tma_statement_word(access->statement);
}

/* The name of the stage or buffer at an address. */
static void describe_place(const struct tma_kernel *kernel, const struct access *access, char *text,
                           size_t size) {
    for (uint32_t r = 0; r < kernel->ring_count; r++) {
        const struct tma_ring *ring = &kernel->rings[r];
        if (access->from >= ring->shared_offset && ring->stage_bytes > 0 &&
            access->from < ring->shared_offset + (uint64_t)ring->depth * ring->stage_bytes) {
            snprintf(text, size, "stage %u of ring %s",
                     (access->from - ring->shared_offset) / ring->stage_bytes, ring->name);
            return;
        }
    }
    text[0] = '\0';
    for (uint32_t b = 0; b < kernel->buffer_count; b++)
        if (access->from >= kernel->buffers[b].shared_offset &&
            access->from - kernel->buffers[b].shared_offset < kernel->buffers[b].bytes)
            snprintf(text, size, "buffer %s", kernel->buffers[b].name);
}

/* "mma of CTA 1, role consumer (k = 3), cycle 4100, line 31" */
static void describe(const struct tma_kernel_cta *cta, const struct access *access, char *text,
                     size_t size) {
    const struct tma_kernel *kernel = cta->engine->kernel;
    char variables[120] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < access->loops.count && used < sizeof variables; i++)
        used += (size_t)snprintf(
            variables + used, sizeof variables - used, "%s%s = %" PRId64, i == 0 ? " (" : ", ",
            kernel->variables[access->loops.variables[i]], access->loops.values[i]);
    snprintf(text, size, "%s of CTA %u, role %s%s%s, cycle %" PRIu64, word_of(access), access->cta,
             kernel->roles[cta->roles[access->component % kernel->role_count].index].name,
             variables, access->loops.count > 0 ? ")" : "", access->cycle);
    used = strlen(text);
    if (access->statement->line > 0)
        snprintf(text + used, size - used, ", line %u", access->statement->line);
}

/* What is missing between the two. */
static const char *reason_of(const struct access *before, const struct access *now) {
    if (before->kind == ACCESS_LOAD)
        return "no wait for the stage says that the load is done";
    if (before->kind == ACCESS_HOLD)
        return "no release of the stage by its role reaches the role that loads (release_to)";
    if (before->kind == ACCESS_SEND)
        return "no wait for what it copies, in the other CTA, says that it has been read";
    if (before->kind == ACCESS_PRODUCT)
        return "its role has not waited for this product (wait_mma) before something that orders "
               "the two";
    if (before->component == now->component && before->kind != ACCESS_STORE)
        return "one thread issues operations, and nothing says how far the other warps of the role "
               "are (sync)";
    if (before->kind == ACCESS_STORE)
        return "its role has not waited until this store has read (wait_stores) before something "
               "that orders the two (a sync, where other warps of the role write)";
    return "no release, arrival or barrier orders them";
}

/* A race of the role, found at a statement. */
static void report(struct tma_role_state *role, const struct tma_statement *statement,
                   const char *text) {
    struct tma_kernel_engine *engine = role->cta->engine;
    struct tma_result *result = engine->result;
    if (result->races++ == 0)
        snprintf(result->first_race, sizeof result->first_race, "%.*s", TMA_ERROR_TEXT_BYTES - 1,
                 text);
    if (engine->kernel->allow_races)
        return;
    if (engine->simulation.code == TMA_OK)
        engine->failed = statement;
    tma_simulation_fail(&engine->simulation, TMA_ERROR_RACE, text);
}

static void report_pair(struct tma_role_state *role, const struct tma_kernel_cta *cta,
                        const struct access *before, const struct access *now) {
    const struct tma_kernel_engine *engine = role->cta->engine;
    char first[200], second[200], place[80], text[2 * TMA_ERROR_TEXT_BYTES];
    describe_place(engine->kernel, now->from > before->from ? now : before, place, sizeof place);
    describe(cta, before, first, sizeof first);
    describe(cta, now, second, sizeof second);
    snprintf(text, sizeof text, "race on %s of CTA %u: %s, %s what %s, %s: %s", place,
             cta->base.number, second, writes(now->kind) ? "writes" : "reads", first,
             before->kind == ACCESS_HOLD ? "uses"
             : writes(before->kind)      ? "writes"
                                         : "reads",
             reason_of(before, now));
    report(role, now->statement, text);
}

/* Whether the same statement, or one like it, has touched the same bytes before. */
static bool is_successor(const struct access *a, const struct access *b) {
    return a->component == b->component && a->kind == b->kind && a->from == b->from &&
           a->to == b->to;
}

/* Of several accesses that one races with, that which says most: a role that uses a stage, then a
 * product or a store that still reads it. That a load is not done follows from these. */
static int rank_of(const struct access *access) {
    static const int ranks[] = {
        [ACCESS_LOAD] = 1,    [ACCESS_READ] = 2,  [ACCESS_WRITE] = 2,   [ACCESS_HOLD] = 4,
        [ACCESS_PRODUCT] = 3, [ACCESS_STORE] = 3, [ACCESS_COMBINE] = 2, [ACCESS_SEND] = 3};
    return ranks[access->kind];
}

/* The access touches a region: finds what it races with, and keeps it for those that follow, in
 * place of the one before by the same role. What came before a write, and lies within it, need not
 * be kept. */
static bool touch_region(struct tma_role_state *role, const struct tma_kernel_cta *cta,
                         struct region *region, const struct access *access) {
    struct access raced = {0};
    int rank = 0;
    size_t at = SIZE_MAX;
    for (size_t i = 0; i < region->count;) {
        struct access *before = &region->items[i];
        bool conflicts = conflict(before, access);
        if (conflicts && rank_of(before) > rank && !is_before(cta, before, role, access->kind)) {
            raced = *before;
            rank = rank_of(before);
        }
        if (is_successor(before, access)) {
            at = i++;
        } else if (conflicts && writes(access->kind) && before->from >= access->from &&
                   before->to <= access->to) {
            region->count--;
            if (i < region->count)
                *before = region->items[region->count];
        } else {
            i++;
        }
    }
    if (rank > 0)
        report_pair(role, cta, &raced, access);
    if (at != SIZE_MAX) {
        region->items[at] = *access;
        return true;
    }
    if (!TMA_GROW(region->items, region->count, region->capacity))
        return false;
    region->items[region->count++] = *access;
    return true;
}

/* The access touches the shared memory of a CTA. */
static void touch(struct tma_role_state *role, const struct tma_kernel_cta *cta,
                  const struct access *access) {
    struct tma_races *races = races_of(role);
    struct region *regions = &races->regions[(size_t)cta->base.place * races->region_count];
    for (uint32_t i = region_at(races, access->from);
         i < races->region_count && races->bounds[i] < access->to; i++)
        if (!touch_region(role, cta, &regions[i], access))
            tma_simulation_out_of_memory(&role->cta->engine->simulation);
}

/* An access of the role at its place in the program. */
static struct access access_of(struct tma_role_state *role, enum access_kind kind,
                               const struct tma_statement *statement, uint64_t cycle, uint64_t from,
                               uint64_t bytes) {
    return (struct access){.from = (uint32_t)from,
                           .to = (uint32_t)(from + bytes),
                           .kind = kind,
                           .component = component_of(role->cta, place_of(role)),
                           .epoch = *own_clock(role),
                           .cta = role->cta->base.number,
                           .cycle = cycle,
                           .statement = statement,
                           .loops = tma_cursor_loops(&role->cursor)};
}

static uint64_t stage_address(const struct tma_kernel *kernel, uint32_t ring, uint32_t stage) {
    return kernel->rings[ring].shared_offset + (uint64_t)stage * kernel->rings[ring].stage_bytes;
}

void tma_race_arrive_full(struct tma_role_state *role, uint32_t ring, uint32_t stage) {
    publish(role, race_stage_of(role->cta, ring, stage)->full);
    tick(role);
}

/* The arrivals of a phase become what its end says; a new phase begins. */
static void end_phase(const struct tma_races *races, uint64_t *arrivals, uint64_t *ended) {
    memcpy(ended, arrivals, races->components * sizeof *ended);
    memset(arrivals, 0, races->components * sizeof *arrivals);
}

void tma_race_end_full(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage) {
    struct race_stage *raced = race_stage_of(cta, ring, stage);
    end_phase(cta->engine->races, raced->full, raced->ended_full);
}

void tma_race_end_empty(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage) {
    struct race_stage *raced = race_stage_of(cta, ring, stage);
    end_phase(cta->engine->races, raced->empty, raced->ended_empty);
}

void tma_race_wait_empty(struct tma_role_state *role, uint32_t ring, uint32_t stage) {
    join(races_of(role), race_role_of(role)->clock,
         race_stage_of(role->cta, ring, stage)->ended_empty);
}

void tma_race_wait_full(struct tma_role_state *role, const struct tma_statement *statement,
                        uint32_t stage, uint64_t phase) {
    const struct tma_kernel *kernel = role->cta->engine->kernel;
    struct race_stage *raced = race_stage_of(role->cta, statement->ring, stage);
    join(races_of(role), race_role_of(role)->clock, raced->ended_full);
    raced->waited[place_of(role)] = (struct waited){phase + 1, *own_clock(role)};
    struct access hold = access_of(role, ACCESS_HOLD, statement, role->cycle,
                                   stage_address(kernel, statement->ring, stage),
                                   kernel->rings[statement->ring].stage_bytes);
    hold.epoch = NEVER;
    touch(role, role->cta, &hold);
}

void tma_race_release(struct tma_role_state *role, uint32_t ring, uint32_t stage, uint32_t mask) {
    struct tma_kernel_cta *cta = role->cta;
    struct tma_races *races = races_of(role);
    uint64_t from = stage_address(cta->engine->kernel, ring, stage);
    uint32_t component = component_of(cta, place_of(role));
    struct region *regions = &races->regions[(size_t)cta->base.place * races->region_count];
    uint64_t to = from + cta->engine->kernel->rings[ring].stage_bytes;
    for (uint32_t r = region_at(races, from); r < races->region_count && races->bounds[r] < to; r++)
        for (size_t i = 0; i < regions[r].count; i++)
            if (regions[r].items[i].kind == ACCESS_HOLD &&
                regions[r].items[i].component == component)
                regions[r].items[i].epoch = *own_clock(role);
    for (; mask != 0; mask &= mask - 1)
        publish(role, race_stage_of(&cta->cluster->ctas[__builtin_ctz(mask)], ring, stage)->empty);
    tick(role);
}

void tma_race_signal(struct tma_role_state *role, const struct tma_statement *statement,
                     uint32_t stage) {
    const struct tma_kernel *kernel = role->cta->engine->kernel;
    const struct access write = access_of(role, ACCESS_WRITE, statement, role->cycle,
                                          stage_address(kernel, statement->ring, stage),
                                          kernel->rings[statement->ring].stage_bytes);
    touch(role, role->cta, &write);
    tma_race_arrive_full(role, statement->ring, stage);
}

static uint64_t *barrier_clock(const struct tma_kernel_cta *cta, uint32_t barrier) {
    return cta->engine->races
        ->barriers[cta->base.place * cta->engine->kernel->barrier_count + barrier];
}

void tma_race_arrive_barrier(struct tma_role_state *role, uint32_t barrier) {
    publish(role, barrier_clock(role->cta, barrier));
    tick(role);
}

void tma_race_leave_barrier(struct tma_role_state *role, uint32_t barrier) {
    struct race_role *raced = race_role_of(role);
    join(races_of(role), raced->clock, barrier_clock(role->cta, barrier));
    raced->synced = *own_clock(role) - 1; /* its arrival was the last event */
}

void tma_race_end_barrier(struct tma_kernel_cta *cta, uint32_t barrier) {
    memset(barrier_clock(cta, barrier), 0,
           cta->engine->races->components * sizeof *barrier_clock(cta, barrier));
}

void tma_race_issue(struct tma_role_state *role, const struct tma_kernel_operation *operation,
                    uint32_t bytes) {
    struct tma_kernel_cta *cta = role->cta;
    const struct tma_statement *statement = operation->statement;
    bool loads = statement->operation.direction == TMA_LOAD;
    struct access access = access_of(role, loads ? ACCESS_LOAD : ACCESS_STORE, statement,
                                     role->cycle, operation->base.operation.shared_address, bytes);
    access.group = loads ? operation->phase : operation->group;
    if (!loads) {
        touch(role, cta, &access);
        return;
    }
    access.stage = cta->rings[statement->ring].first_stage + operation->stage;
    uint32_t mask = operation->base.operation.cta_mask;
    for (mask = mask == 0 ? 1u << cta->base.rank : mask; mask != 0; mask &= mask - 1)
        touch(role, &cta->cluster->ctas[__builtin_ctz(mask)], &access);
}

void tma_race_exchange(struct tma_role_state *role, const struct tma_kernel_operation *operation,
                       const struct tma_kernel_cta *peer, uint32_t source) {
    const struct tma_statement *statement = operation->statement;
    bool sends = tma_statement_sends(statement);
    enum access_kind kind = sends                                         ? ACCESS_LOAD
                            : statement->operation.direction == TMA_LOAD  ? ACCESS_READ
                            : statement->operation.direction == TMA_STORE ? ACCESS_WRITE
                                                                          : ACCESS_COMBINE;
    struct access access =
        access_of(role, kind, statement, role->cycle, operation->base.operation.shared_address,
                  operation->base.bytes);
    if (sends) {
        access.group = operation->phase;
        access.stage = peer->rings[statement->ring].first_stage + operation->stage;
    }
    touch(role, peer, &access);
    if (statement->lanes.by != TMA_BY_BULK)
        return;
    struct access read =
        access_of(role, ACCESS_SEND, statement, role->cycle, source, operation->base.bytes);
    read.group = access.group;
    read.stage = access.stage;
    read.rank = peer->base.rank;
    touch(role, role->cta, &read);
}

/* The place of shared memory that a compute statement names, in the current stage of a ring. False
 * where the role has none. */
static bool find_address(const struct tma_role_state *role, const struct tma_shared_place *place,
                         uint64_t *address) {
    const struct tma_kernel *kernel = role->cta->engine->kernel;
    if (place->kind == TMA_PLACE_UNNAMED)
        return false;
    if (place->kind == TMA_PLACE_BUFFER) {
        *address = kernel->buffers[place->index].shared_offset;
        return true;
    }
    const struct tma_ring_use *use = &role->rings[place->index];
    uint64_t number = use->waited > 0 ? use->waited : use->acquired;
    if (number == 0)
        return false;
    *address = stage_address(kernel, place->index,
                             (uint32_t)((number - 1) % kernel->rings[place->index].depth)) +
               place->offset_bytes;
    return true;
}

/* The part of a place that wavefronts touch. What reaches beyond it is left out. */
static bool find_part(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t *offset, uint64_t *bytes) {
    const int64_t *variables = tma_cursor_place(&role->cursor)->variables;
    struct tma_error error;
    int64_t first, count;
    if (!tma_value_at(&statement->shared_offset, variables, &first, &error) ||
        !tma_value_at(&statement->touched_bytes, variables, &count, &error))
        return false;
    uint64_t all = statement->touched.bytes;
    if (first < 0 || count < 0 || (uint64_t)first >= all)
        return false;
    uint64_t rest = all - (uint64_t)first;
    *offset = (uint64_t)first;
    *bytes = count == 0 || (uint64_t)count > rest ? rest : (uint64_t)count;
    return true;
}

static void compute_touches(struct tma_role_state *role, const struct tma_statement *statement,
                            uint64_t cycle) {
    uint64_t address, offset, bytes;
    if (!find_address(role, &statement->touched, &address) ||
        !find_part(role, statement, &offset, &bytes))
        return;
    const struct access access = access_of(role, statement->writes ? ACCESS_WRITE : ACCESS_READ,
                                           statement, cycle, address + offset, bytes);
    touch(role, role->cta, &access);
}

void tma_race_compute(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t cycle) {
    if (statement->work != TMA_WORK_MMA) {
        compute_touches(role, statement, cycle);
        return;
    }
    for (int o = 0; o < TMA_MMA_OPERANDS; o++) {
        const struct tma_shared_place *place = &statement->operands[o].place;
        uint64_t address;
        if (!find_address(role, place, &address))
            continue;
        struct access access =
            access_of(role, ACCESS_PRODUCT, statement, cycle, address, place->bytes);
        access.group = role->mma_committed - 1;
        touch(role, role->cta, &access);
    }
    if (role->mma_committed > statement->leaving)
        tma_race_know_products(role, role->mma_committed - statement->leaving);
}

static void know(struct known_groups *known, uint64_t count, uint64_t epoch) {
    for (; known->count < count; known->count++)
        known->epochs[known->count % TMA_MAX_GROUPS] = epoch;
}

void tma_race_know_products(struct tma_role_state *role, uint64_t count) {
    know(&race_role_of(role)->products, count, *own_clock(role));
}

void tma_race_know_stores(struct tma_role_state *role, uint64_t count) {
    know(&race_role_of(role)->stores, count, *own_clock(role));
}

void tma_race_end_role(struct tma_role_state *role) {
    const struct tma_kernel_cta *cta = role->cta;
    const struct tma_races *races = cta->engine->races;
    const struct region *regions = &races->regions[(size_t)cta->base.place * races->region_count];
    const struct access *left = NULL;
    for (uint32_t r = 0; r < races->region_count; r++)
        for (size_t i = 0; i < regions[r].count; i++) {
            const struct access *access = &regions[r].items[i];
            if ((access->kind == ACCESS_STORE || access->kind == ACCESS_PRODUCT) &&
                access->component == component_of(cta, place_of(role)) &&
                end_of(cta, access) == NEVER && (left == NULL || access->cycle < left->cycle))
                left = access;
        }
    if (left == NULL)
        return;
    char first[200], place[80] = "accumulators", text[2 * TMA_ERROR_TEXT_BYTES];
    bool stores = left->kind == ACCESS_STORE;
    if (stores)
        describe_place(cta->engine->kernel, left, place, sizeof place);
    describe(cta, left, first, sizeof first);
    snprintf(text, sizeof text,
             "race on %s of CTA %u: its role ends, cycle %" PRIu64 ", before %s, is known to have "
             "%s (%s)",
             place, cta->base.number, role->cycle, first,
             stores ? "read: the next CTA may write there" : "written: its result is lost",
             stores ? "wait_stores" : "wait_mma");
    report(role, left->statement, text);
}
