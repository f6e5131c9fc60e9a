/* What a run of a kernel consists of: CTAs on SMs, their roles, rings and barriers. All of it is
 * reused: when a CTA has ended, the next one of the grid runs in its place. */
#pragma once

#include "engine/program.h"
#include "engine/roles/kernel_pipes.h"
#include "engine/roles/program_cursor.h"
#include "memory/core/port.h"

enum {
    TMA_MAX_GROUPS = 256 /* of stores, or of matrix products, that a role has in flight */
};

/* The mbarriers of a stage. The one that roles wait on to use it is full when all that fill it have
 * arrived and all bytes are there; the other one is empty when all that use it have arrived. */
struct tma_stage {
    uint64_t full_phases;  /* that have completed */
    uint64_t full_cycle;   /* of the last one */
    uint32_t full_missing; /* arrivals that the current phase lacks */
    int64_t full_bytes;    /* that it lacks: those expected less those that came */
    uint64_t phase_bytes;  /* that came in it */
    uint32_t loads[2];     /* under way, of even and of odd phases */
    uint64_t phase_cycle;  /* of its latest event so far */
    uint64_t empty_phases;
    uint64_t empty_cycle;
    uint32_t empty_missing;
    uint64_t empty_last_cycle;
};

struct tma_ring_state {
    struct tma_stage *stages; /* as many as the ring is deep */
    uint32_t producers;       /* roles that arrive on the full mbarrier of a stage */
    uint32_t arrivals;        /* on the empty mbarrier; 0: the ring has none */
    uint32_t release_mask;    /* ranks that a release arrives at */
    bool own;                 /* one role fills and uses it: no empty mbarrier */
    bool never_released;      /* no role has a RELEASE for it */
    bool signalled;           /* its producers arrive by SIGNAL, not with expect_tx */
    uint32_t first_stage;     /* number of its first stage among those of the CTA */
};

/* Operations of a role that were committed together. */
struct tma_store_group {
    uint32_t pending; /* operations that have not completed */
    uint64_t cycle;   /* latest completion so far */
};

enum tma_role_phase {
    TMA_ROLE_IDLE,       /* no CTA, or the program has ended */
    TMA_ROLE_RUNNING,    /* executes statements, at `cycle` */
    TMA_ROLE_WAITS_FULL, /* for a stage, which its CTA's rings wake it for */
    TMA_ROLE_WAITS_EMPTY,
    TMA_ROLE_WAITS_STORES,
    TMA_ROLE_WAITS_LOADS,
    TMA_ROLE_WAITS_BARRIER,
    TMA_ROLE_WAITS_FLAG,
    TMA_ROLE_WAITS_TILE,
    TMA_ROLE_WAITS_FETCH, /* for its cycle: then it sees what other CTAs of the SM have fetched */
    TMA_ROLE_REQUESTS     /* what other roles may want in the same cycle: a unit, or a barrier */
};

struct tma_ring_use {
    uint64_t acquired, waited, released; /* stages so far */
};

struct tma_kernel_cta;

struct tma_role_state {
    struct tma_kernel_cta *cta;
    uint32_t index;  /* in the kernel */
    uint32_t number; /* of its actor */
    enum tma_role_phase phase;
    struct tma_program_cursor cursor;
    uint32_t operations; /* issued so far */
    uint64_t cycle;      /* up to which the role has executed; may lie ahead */
    struct tma_ring_use rings[TMA_MAX_RINGS];
    const struct tma_statement *waiting; /* the statement that waits */
    uint64_t wait_phase;
    uint32_t wait_stage;
    struct tma_store_group groups[TMA_MAX_GROUPS]; /* ring, by number */
    uint64_t groups_committed;
    uint64_t groups_complete;                     /* of the first ones */
    struct tma_store_group reads[TMA_MAX_GROUPS]; /* loads of its warps: a ring, by number */
    uint64_t reads_issued, reads_complete;        /* complete: of the first ones */
    uint64_t mma_ends[TMA_MAX_GROUPS];            /* ring, by number */
    uint64_t mma_queued; /* cycles behind other roles, of products that nothing has waited for */
    uint64_t mma_committed;
    uint64_t issued_cycle; /* at which all instructions of the products so far have been issued */
    bool group_open;       /* stores were issued since the last commit */
    /* For which it wants a unit of the SM, or arrives at a named barrier, at its cycle. */
    const struct tma_statement *request;
    bool computes;   /* its instructions are under way */
    bool served;     /* by that unit; at a barrier: its arrival has been counted */
    uint64_t queued; /* cycles of `served_cycle` in the queue of the unit, behind other roles; of
                        instructions: more than they take alone */
    uint64_t
        served_cycle; /* the unit has done; at a barrier: the role goes on; UINT64_MAX: it waits */
    /* It has issued instructions and products without a wait from the first cycle to the second. */
    uint64_t computes_since, computed_cycle;
    uint64_t alone_cycles; /* that its last instructions take alone */
};

struct tma_barrier_state {
    uint32_t expected, arrived;
    uint64_t last_cycle;
    /* Each role that arrives waits there, and all of them complete it: so no role can arrive at the
     * next phase before this one is complete, and arrivals may be counted ahead of time. */
    bool gathers;
};

struct tma_kernel_cluster {
    struct tma_kernel_cta *ctas; /* by rank */
    /* Tiles that a dynamic loop has taken: of the cluster's first CTA. */
    struct tma_taken_tile {
        uint64_t tile, cycle;
    } * tiles; /* owned */
    size_t tile_count, tile_capacity;
    bool requests_tile;
};

struct tma_kernel_sm {
    uint32_t number;
    struct tma_port tensor;
    uint64_t tensor_begin; /* the cycle of the product that found them free last */
    struct tma_pipes pipes;
    uint64_t poll_cycles; /* what the other warps of the SM add to each mbarrier instruction */
    uint32_t cta_places;
    uint64_t *fetched; /* by statement: from when its instructions are in the SM's cache, or 0 */
    struct tma_role_state **requests; /* of this cycle and later ones */
    uint32_t request_count;
};

struct tma_kernel_cta {
    struct tma_cta base;
    struct tma_kernel_engine *engine;
    struct tma_kernel_cluster *cluster;
    struct tma_kernel_sm *sm;
    struct tma_ring_state rings[TMA_MAX_RINGS];
    struct tma_barrier_state barriers[TMA_MAX_NAMED_BARRIERS];
    struct tma_role_state *roles; /* in the order of their names */
    struct tma_stage *stages;     /* of all rings */
};

struct tma_kernel_operation {
    struct tma_issued base;
    const struct tma_statement *statement;
    uint32_t stage; /* of the ring, for loads */
    uint64_t group; /* of stores; of loads into registers: their number */
    uint64_t phase; /* of loads: of the stage's full mbarrier */
};

/* What is known of a statement before the run. */
struct tma_statement_facts {
    uint32_t bytes;           /* OPERATION: complete_tx of a load */
    uint32_t footprint_bytes; /* OPERATION: of shared memory that it touches */
    uint64_t instructions;    /* OPERATION of lanes: of all warps together */
    uint32_t pieces;          /* OPERATION: copies that the TMA unit gets: 1, or one for each row */
    int64_t acquired_bytes;   /* ACQUIRE: expect_tx; -1: differs, so it is found anew */
    struct tma_consumer_report *reports; /* COMPUTE of a consumer: by stage; owned */
    uint32_t consumer;                   /* of these: its number among them */
};

/* A run of a kernel with roles. */
struct tma_kernel_engine {
    struct tma_simulation simulation;
    struct tma_machine machine; /* at the kernel's clock */
    const struct tma_kernel *kernel;
    struct tma_statement_facts *facts;  /* owned: by statement, as the arrays below */
    const struct tma_statement *failed; /* the statement that stopped the run, or NULL */
    struct tma_kernel_sm *sms;
    struct tma_kernel_cluster *clusters;
    struct tma_kernel_cta *ctas; /* the simulation's */
    uint32_t ctas_per_sm;
    struct tma_role_state *roles; /* by CTA place and name; a role's number is its place here */
    struct tma_role_state **requests;
    struct tma_pipe_job *jobs; /* two of each role */
    uint64_t *fetched;         /* by SM and statement */
    struct tma_stage *stages;
    uint32_t stage_count;          /* of a CTA */
    int64_t *flags[TMA_MAX_FLAGS]; /* owned: the counters of each name */
    uint32_t waiting_for_flags;    /* roles */
    uint64_t next_tile;            /* of dynamic loops */
    bool tiles_requested;
    uint64_t issued_operations;
    bool shares_units;       /* several roles of an SM may want the same unit in the same cycle */
    struct tma_loop_cut cut; /* of a sampled run */
    struct tma_races *races; /* owned: see kernel_race.h */
    struct tma_result *result;
};

static inline struct tma_kernel_engine *
tma_kernel_engine_of(const struct tma_simulation *simulation) {
    return simulation->state;
}

/* The state machine of a role: executes the statements of its program in time. */

/* Its CTA starts: the role's program begins at `cycle`. */
void tma_role_start(struct tma_role_state *role, uint64_t cycle);

/* Takes the transitions that are due at cycle `now`. A role may execute ahead of time: what it does
 * then takes effect at its own cycle. It waits for that cycle before it asks for what others may
 * want at the same time. */
struct tma_wait tma_role_step(struct tma_role_state *role, uint64_t now);

/* What a kernel with roles has left in L2. */

/* program->warm_up. */
void tma_kernel_warm_up(struct tma_simulation *simulation);

/* What sampling needs to know of a kernel with roles (sampling.h): what is skipped inside of CTAs
 * are iterations of the loops of their roles. */

/* The cut in the loops of roles; NULL where the run is simulated whole. */
static inline struct tma_loop_cut *tma_kernel_cut(struct tma_kernel_engine *engine) {
    return engine->simulation.sampling.sampler.marks != NULL ? &engine->cut : NULL;
}

extern const struct tma_sampled_program tma_sampled_kernel;

/* Errors in the program of a role, with the cycle, the CTA, the role and its loop variables. */

/* Stops the run with an error in a statement of the role. Returns false. */
bool tma_role_fail(struct tma_role_state *role, const struct tma_statement *statement,
                   enum tma_error_code code, const char *text);

/* program->describe_wait and explain_deadlock. */
bool tma_role_describe_wait(struct tma_simulation *simulation, uint32_t actor, char *text,
                            size_t size);
const char *tma_roles_explain_deadlock(const struct tma_simulation *simulation);

/* Counters in global memory with which CTAs tell each other how far they are. */

/* What a statement wants of its flag. */
struct tma_flag_request {
    int64_t *counter;
    int64_t number; /* to add, or to wait for */
};

/* Finds the counter and the number of a statement. False, with the error, where an expression fails
 * or the index is none of the flag's. */
bool tma_flag_request(const struct tma_role_state *role, const struct tma_statement *statement,
                      struct tma_flag_request *request, struct tma_error *error);

/* The cycle at which a role goes on that has looked at a flag from `first` on, each time that its
 * load has come back, and whose counter is high enough from `cycle` on. */
uint64_t tma_flag_seen(const struct tma_machine *machine, uint64_t first, uint64_t cycle);

/* "for flag done[3] to be 2, which is 1" */
void tma_flag_describe(const struct tma_role_state *role, char *text, size_t size);

/* Rings of stages in a CTA that runs: arrivals on their mbarriers, and the roles that they wake. */

/* A CTA starts: all of its stages are empty. */
void tma_rings_start(struct tma_kernel_cta *cta);

/* A role that fills a stage expects bytes in it; with `arrives` it also arrives, at `cycle`. */
void tma_stage_expect(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, int64_t bytes,
                      bool arrives, uint64_t cycle);

/* A load that completes on phase `phase` of the stage's full mbarrier has been issued. */
void tma_stage_load(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, uint64_t phase);

/* Bytes of such a load are in the stage at `cycle`. Where the phase expects fewer than its loads
 * have, the run ends with TMA_ERROR_DEADLOCK. */
void tma_stage_complete(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, uint64_t phase,
                        uint64_t bytes, uint64_t cycle);

/* A role that has used a stage arrives on its empty mbarrier, at `cycle`. */
void tma_stage_release(struct tma_kernel_cta *cta, uint32_t ring, uint32_t stage, uint64_t cycle);

static inline struct tma_stage *tma_stage_of(const struct tma_kernel_cta *cta, uint32_t ring,
                                             uint32_t stage) {
    return &cta->rings[ring].stages[stage];
}

/* Where a role is in its program, for spans of it. */

/* The place of the role's current statement, for which it spends time with this cause. Without
 * somebody who wants spans it has no statement. */
struct tma_span_place tma_role_span_place(const struct tma_role_state *role,
                                          enum tma_role_cause cause);

/* Whose events and spans they are. */
static inline struct tma_event_source tma_role_source(const struct tma_role_state *role) {
    return (struct tma_event_source){role->cta->sm->number, role->cta->base.number, role->index};
}

/* What the roles of an SM share: tensor cores and shared memory, which serve one role after the
 * other; the pipes of instructions, which serve all at once (kernel_pipes.h); and what all CTAs
 * share: the counter of dynamic tiles. Requests of one cycle are served in the order of CTAs and
 * roles, at the end of the cycle. */

/* A role computes: *end is the cycle at which it goes on. False where it waits first, for *wait. */
bool tma_role_compute(struct tma_role_state *role, const struct tma_statement *statement,
                      uint64_t now, struct tma_wait *wait, uint64_t *end);

/* The cycle at which the role goes on when at most `leaving` groups of matrix products are left. */
uint64_t tma_role_mma_end(const struct tma_role_state *role, uint32_t leaving);

/* When the tensor cores of an SM multiply, as far as they have been asked to. */
struct tma_products tma_kernel_products(const struct tma_kernel_sm *sm);

/* The role wants the next tile of its cluster, in cycle `now`. */
void tma_request_tile(struct tma_role_state *role, uint64_t now);

/* At the end of cycle `now`: the clusters that want a tile get one each. */
void tma_serve_tiles(struct tma_kernel_engine *engine, uint64_t now);
