/* What a run of a kernel consists of: CTAs on SMs, their roles, rings and barriers. All of it is
 * reused: when a CTA has ended, the next one of the grid runs in its place. */
#ifndef TMA_ENGINE_KERNEL_STATE_H
#define TMA_ENGINE_KERNEL_STATE_H

#include "engine/completion_queue.h"
#include "engine/program_cursor.h"
#include "engine/simulation.h"

enum {
    TMA_MAX_GROUPS = 64,      /* of stores, or of matrix products, that a role has in flight */
    TMA_STAGE_PHASES = 2      /* completed phases of a barrier whose cycles are kept */
};

/* The mbarriers of a stage. The one that roles wait on to use it is full when all that fill it have
 * arrived and all bytes are there; the other one is empty when all that use it have arrived. */
struct tma_stage {
    uint64_t full_phases;    /* that have completed */
    uint64_t full_cycle;     /* of the last one */
    uint32_t full_missing;   /* arrivals that the current phase lacks */
    int64_t full_bytes;      /* that it lacks: those expected less those that came */
    uint64_t phase_bytes;    /* that came in it */
    uint64_t phase_cycle;    /* of its latest event so far */
    uint64_t empty_phases;
    uint64_t empty_cycle;
    uint32_t empty_missing;
    uint64_t empty_last_cycle;
};

struct tma_ring_state {
    struct tma_stage *stages;   /* as many as the ring is deep */
    uint32_t producers;         /* roles that arrive on the full mbarrier of a stage */
    uint32_t arrivals;          /* on the empty mbarrier; 0: the ring has none */
    uint32_t release_mask;      /* ranks that a release arrives at */
    uint32_t first_stage;       /* number of its first stage among those of the CTA */
};

/* Operations of a role that were committed together. */
struct tma_store_group {
    uint32_t pending; /* operations that have not completed */
    uint64_t cycle;   /* latest completion so far */
};

enum tma_role_phase {
    TMA_ROLE_IDLE,        /* no CTA, or the program has ended */
    TMA_ROLE_RUNNING,     /* executes statements, at `cycle` */
    TMA_ROLE_WAITS_FULL,  /* for a stage, which its CTA's rings wake it for */
    TMA_ROLE_WAITS_EMPTY,
    TMA_ROLE_WAITS_STORES,
    TMA_ROLE_WAITS_BARRIER,
    TMA_ROLE_WAITS_TILE,
    TMA_ROLE_REQUESTS     /* a unit that other roles may want in the same cycle */
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
    uint64_t cycle;       /* up to which the role has executed; may lie ahead */
    uint64_t since_cycle; /* begin of the wait */
    struct tma_ring_use rings[TMA_MAX_RINGS];
    const struct tma_statement *waiting; /* the statement that waits */
    uint64_t wait_phase;
    uint32_t wait_stage;
    struct tma_store_group groups[TMA_MAX_GROUPS]; /* ring, by number */
    uint64_t groups_committed;
    uint64_t groups_complete; /* of the first ones */
    uint64_t mma_ends[TMA_MAX_GROUPS]; /* ring, by number */
    uint64_t mma_committed;
    uint32_t operations_in_flight;
    bool group_open; /* stores were issued since the last commit */
    bool served;     /* the unit that it requested has served it */
    uint64_t served_cycle;
};

struct tma_barrier_state {
    uint32_t expected, arrived;
    uint64_t last_cycle;
};

/* CTAs of a cluster in one place each; without clusters, one CTA. */
struct tma_kernel_cluster {
    struct tma_kernel_cta *ctas; /* by rank */
    uint32_t running_ctas;
    uint64_t free_cycle; /* from which its next CTAs may start */
    /* Tiles that a dynamic loop has taken: of the cluster's first CTA. */
    struct tma_taken_tile {
        uint64_t tile, cycle;
    } *tiles; /* owned */
    size_t tile_count, tile_capacity;
    bool requests_tile;
    uint64_t tile_request_cycle;
};

struct tma_kernel_sm {
    uint32_t number;
    struct tma_port tensor, alu, sfu, shared_memory;
    struct tma_role_state *requests[TMA_MAX_ROLES * 32]; /* of the current cycle */
    uint32_t request_count;
};

struct tma_kernel_cta {
    struct tma_kernel_engine *engine;
    struct tma_kernel_cluster *cluster;
    struct tma_kernel_sm *sm;
    uint32_t place;  /* of the CTA among those of the engine */
    uint32_t number; /* in the grid */
    uint32_t rank;
    uint32_t running_roles;
    uint32_t operations; /* issued so far */
    uint64_t start_cycle, end_cycle;
    struct tma_ring_state rings[TMA_MAX_RINGS];
    struct tma_barrier_state barriers[TMA_MAX_NAMED_BARRIERS];
    struct tma_role_state *roles;
    struct tma_stage *stages; /* of all rings */
};

/* An operation from its issue to its last completion. */
struct tma_kernel_operation {
    struct tma_role_state *role;
    const struct tma_statement *statement;
    struct tma_operation operation; /* with its coordinates */
    uint32_t map_index;
    uint32_t stage;          /* of the ring, for loads */
    uint32_t number;         /* in its CTA */
    uint32_t cta;            /* number of the CTA */
    uint32_t left;           /* completions to come: own, and copies */
    uint64_t group;          /* number of the store group */
    uint64_t window;
    uint32_t next_free;
};

struct tma_kernel_engine {
    struct tma_simulation simulation; /* its workload is NULL */
    struct tma_machine machine;       /* at the kernel's clock */
    const struct tma_kernel *kernel;
    struct tma_kernel_sm *sms;
    uint32_t sm_count;
    struct tma_kernel_cluster *clusters;
    uint32_t cluster_count, cluster_ctas;
    struct tma_kernel_cta *ctas;
    uint32_t cta_places, ctas_per_sm;
    struct tma_role_state *roles; /* by CTA place and role; a role's number is its place here */
    struct tma_stage *stages;
    uint32_t stage_count; /* of a CTA */
    struct tma_kernel_operation *operations;
    uint32_t operation_count, free_operation;
    size_t operation_capacity;
    struct tma_completion_queue completions;
    uint64_t completed_cycle;
    uint32_t next_cta;
    uint64_t next_tile; /* of the dynamic loop */
    bool tiles_requested;
    bool scheduler_waits;
    uint64_t issued_operations, steps;
    bool shares_tensor; /* several roles of an SM may want it at once */
    uint32_t scheduler_actor, memory_actor;
    struct tma_result *result;
    uint64_t role_cycles[TMA_MAX_ROLES][8];
};

#endif
