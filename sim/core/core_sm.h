/* One SM while it runs the warps of compiled kernels: four schedulers that issue an instruction a
 * cycle each, in the order of each warp; pipes; tensor cores with their queue; the completions that
 * come back from the memory system. It executes each instruction (ptx/stepping.h) in the cycle of
 * its issue. Internal to this folder. */
#pragma once

#include "base/allocation.h"
#include "core/core_plan.h"
#include "core/core_run.h"
#include "core/core_timeline.h"
#include "memory/core/port.h"
#include "memory/system.h"

#define TMA_NEVER UINT64_MAX

enum { TMA_CORE_GROUPS = 64, TMA_CORE_GROUP_WARPS = 4 /* of a warpgroup */ };

/* Instructions of a block that a warp has issued before the loads that they need are there. */
enum { TMA_CORE_LATE = 64, TMA_CORE_LATE_OPERANDS = 64 };

enum tma_core_state {
    TMA_CORE_RUNS,
    TMA_CORE_PARKED,  /* at a barrier or an mbarrier, until it is signalled */
    TMA_CORE_BLOCKED, /* until an access, a store or a copy of its own has completed */
    TMA_CORE_ENDED
};

struct tma_core_cluster;

/* Asynchronous operations of a warp in groups: what is known of the last TMA_CORE_GROUPS. */
struct tma_core_groups {
    uint64_t committed;                /* groups */
    uint32_t open;                     /* operations that are in no group yet */
    uint32_t pending[TMA_CORE_GROUPS]; /* operations of a group that have not completed */
    uint64_t cycle[TMA_CORE_GROUPS];   /* the last of those that have */
    uint32_t cause[TMA_CORE_GROUPS];   /* the instruction that began it */
};

/* An instruction that needs a load which is on its way. */
struct tma_core_late {
    const struct tma_core_instruction *planned;
    uint64_t awaited;     /* operands that have not come, a bit each */
    uint64_t cycle;       /* it has the others */
    uint64_t first_cycle; /* it had those that were there */
    uint32_t instruction, cause;
};

/* What a scheduler looks at comes first: a line of the host's caches. */
struct tma_core_warp {
    struct tma_warp *warp;
    uint64_t *registers;   /* tma_core_result_at of each */
    uint64_t ready;        /* the instruction before lets it issue */
    uint64_t earliest;     /* it may issue, as far as its own operands and waits say; TMA_NEVER */
    uint64_t issued_cycle; /* the instruction before */
    uint64_t behind_cycle; /* it waited at a barrier: from here on it could work on registers */
    uint32_t next;         /* instruction; UINT32_MAX: not known */
    uint32_t cause, ready_cause; /* instructions that `earliest` and `ready` wait for;
                                    TMA_CORE_NO_CAUSE */
    uint32_t unknown;            /* of the registers, that are TMA_NEVER */
    uint8_t state;               /* enum tma_core_state */
    uint8_t reason;              /* enum tma_core_stall: what `earliest` waits for */
    uint8_t ready_reason;        /* the same of `ready` */
    uint8_t block_reason;        /* and of `block_cycle` */
    bool known;                  /* `earliest` and `reason` are */
    bool fenced;                 /* the fence before the instruction is done */
    bool resumed;                /* the instruction has been issued, and waited */
    struct tma_core_cluster *cluster;
    uint64_t results_cycle; /* no register that is known has its result later */
    uint64_t block_cycle;   /* all instructions of the block so far have their operands */
    uint32_t block_cause;
    uint32_t rank;              /* of its CTA */
    uint32_t index;             /* in the CTA */
    uint32_t generation;        /* of the CTA's place */
    uint32_t ready_millicycles; /* beside products: part of a cycle after `ready` */
    uint32_t late_count;
    uint64_t written_cycle;                   /* the last store or reduction that L2 has */
    uint64_t stored_cycle;                    /* shared memory has all stores by then */
    uint32_t writes;                          /* those to global memory that it does not have yet */
    uint64_t products;                        /* that it has issued */
    uint64_t product_groups;                  /* that are committed */
    uint64_t group_products[TMA_CORE_GROUPS]; /* products up to the end of a group, by group */
    struct tma_core_late late[TMA_CORE_LATE]; /* in their order */
    struct tma_core_groups stores, reads, copies;
    struct {
        struct tma_ptx_deferred to;
        uint64_t group; /* of copies, which it waits for with those before */
    } arrivals[TMA_CORE_GROUPS];
    uint64_t arrival_first, arrival_count; /* cp.async.mbarrier.arrive: those that still wait */
};

/* When a register can be read, which instruction writes it, and why whoever reads it before waits
 * (enum tma_core_stall), in one number: the later of two is the greater. TMA_NEVER: not known yet.
 */
enum { TMA_CORE_REASON_BITS = 4, TMA_CORE_CAUSE_BITS = 20 };
_Static_assert((int)TMA_STALL_COUNT <= 1 << TMA_CORE_REASON_BITS, "a reason has room");

static inline uint64_t tma_core_result_at(uint64_t cycle, enum tma_core_stall reason,
                                          uint32_t instruction) {
    const uint32_t most = (1u << TMA_CORE_CAUSE_BITS) - 1; /* as good as none */
    return cycle == TMA_NEVER
               ? TMA_NEVER
               : (cycle << TMA_CORE_CAUSE_BITS | (instruction < most ? instruction : most))
                         << TMA_CORE_REASON_BITS |
                     (uint64_t)reason;
}

static inline uint64_t tma_core_result_cycle(uint64_t result) {
    return result == TMA_NEVER ? TMA_NEVER : result >> (TMA_CORE_CAUSE_BITS + TMA_CORE_REASON_BITS);
}

static inline uint32_t tma_core_result_cause(uint64_t result) {
    return (uint32_t)(result >> TMA_CORE_REASON_BITS) & ((1u << TMA_CORE_CAUSE_BITS) - 1);
}

static inline enum tma_core_stall tma_core_result_reason(uint64_t result) {
    return result == TMA_NEVER ? TMA_STALL_GLOBAL
                               : (enum tma_core_stall)(result & ((1 << TMA_CORE_REASON_BITS) - 1));
}

enum { TMA_CORE_PRODUCTS = 256 };

/* A warpgroup: its warps issue matrix products together. */
struct tma_core_warpgroup {
    uint64_t products;                 /* that all of them have issued */
    uint64_t ends[TMA_CORE_PRODUCTS];  /* of the last ones, by number */
    uint64_t asked[TMA_CORE_PRODUCTS]; /* when the last warp so far issued it, by number */
    uint8_t warps[TMA_CORE_PRODUCTS];  /* that have issued it */
    uint32_t instructions[TMA_CORE_PRODUCTS];
};

/* A place for a cluster, and the one that runs there. */
struct tma_core_cluster {
    struct tma_ptx_cluster *cluster; /* NULL: none */
    uint64_t number;                 /* of it, in the grid */
    uint32_t generation;
    uint64_t free_cycle;
    uint64_t barrier_cycle; /* its warps are behind its barrier from then on */
    uint32_t running;       /* warps */
    struct tma_core_sm *sms[TMA_PTX_MAX_CLUSTER_CTAS]; /* by rank */
    uint32_t bases[TMA_PTX_MAX_CLUSTER_CTAS]; /* of their shared memory, in that of the SM */
    struct tma_core_warp *warps;              /* by rank, then warp */
    struct tma_core_warpgroup *groups;        /* owned: by rank, then warpgroup */
};

struct tma_core_scheduler {
    struct tma_core_warp **warps; /* owned: room for all places */
    uint32_t count, last;
    uint64_t free;
    uint32_t free_millicycles; /* beside products: part of a cycle after `free` */
    uint64_t pipes[TMA_PIPE_COUNT];
    uint64_t relieved_ticks;    /* as `pipes`, of the pipe that is relieved, in ticks */
    struct tma_core_warp *best; /* the one that issues next; NULL: none, or not known */
};

enum tma_core_event_kind {
    TMA_EVENT_BYTES,   /* complete on an mbarrier */
    TMA_EVENT_STORE,   /* a store has been read from shared memory, */
    TMA_EVENT_WRITTEN, /* and is in L2 */
    TMA_EVENT_ACCESS,  /* a load has its data */
    TMA_EVENT_COPY,    /* cp.async */
    TMA_EVENT_ARRIVAL  /* that waited for copies */
};

struct tma_core_event {
    uint64_t cycle, number; /* order */
    enum tma_core_event_kind kind;
    struct tma_core_warp *warp; /* of which generation: */
    uint32_t generation;
    struct tma_core_cluster *cluster;
    uint32_t cluster_generation;
    uint32_t rank, barrier, bytes; /* BYTES, ARRIVAL */
    uint32_t instruction;          /* ACCESS, BYTES, STORE, WRITTEN: that began it, */
    uint64_t begin_cycle;          /* of BYTES, STORE and WRITTEN at this cycle */
    uint64_t group;                /* STORE, WRITTEN, COPY */
};

struct tma_core_sm {
    struct tma_core_run *run;
    uint32_t number; /* of the machine */
    struct tma_core_scheduler schedulers[TMA_SCHEDULERS];
    uint64_t best_cycles[TMA_SCHEDULERS]; /* when schedulers issue next; 0: they have to look */
    struct tma_port tensor;
    struct tma_port barriers, shared_fences, fences; /* arrivals at barriers; fences of shared
                                                        memory, and of more than the CTA */
    struct tma_core_event *events;                   /* owned: a heap, the first one first */
    size_t event_count, event_capacity;
    uint64_t next_cycle;   /* nothing happens before; TMA_NEVER */
    uint64_t access_cycle; /* of the last access to global memory */
    uint64_t issue_slots;
    uint32_t ctas;
};

/* An operation in the memory system; its index is the tag. */
struct tma_core_pending {
    struct tma_core_event event; /* its completion, but for the cycle */
    uint32_t cta_mask;           /* ranks of the CTAs that get the data of a load */
    uint32_t next_free, left;    /* completions that are to come */
};

/* An operation on its way to the TMA unit. */
struct tma_core_issue {
    uint64_t cycle;
    struct tma_core_warp *warp;
    struct tma_core_cluster *cluster;
    uint32_t sm, tag;
    uint32_t policy; /* of L2; 0: none */
    struct tma_ptx_transfer transfer;
};

struct tma_core_sampling;

struct tma_core_run {
    const struct tma_machine *machine;
    const struct tma_ptx_launch *launch;
    struct tma_stepper *stepper;
    struct tma_core_plan plan;
    struct tma_memory *memory;
    struct tma_core_result *result;
    struct tma_ptx_result *executed;
    struct tma_core_timeline *timeline; /* borrowed, or NULL */
    struct tma_core_relief *relief;     /* borrowed, or NULL */
    bool in_order; /* no instruction goes before one that waits for its operands */
    struct tma_core_sampling *sampling; /* owned; NULL: the launch is simulated whole */
    struct tma_ptx_step step;
    struct tma_core_sm *sms; /* owned: that have a CTA */
    uint32_t sm_count;
    struct tma_core_cluster *clusters; /* owned: places */
    uint32_t cluster_count, cluster_ctas, cta_warps, registers;
    struct tma_arena arena; /* of the warps and their registers */
    uint64_t next_cluster, grid_clusters, ended_clusters;
    uint64_t launch_ticks;            /* from which the GPU can start another cluster */
    struct tma_core_pending *pending; /* owned */
    uint32_t pending_count, free_pending;
    size_t pending_capacity;
    struct tma_core_issue *issues; /* owned: in order of time */
    size_t issue_count, issue_capacity;
    uint64_t numbers;        /* that order what happens in one cycle */
    uint64_t *map_addresses; /* owned: of tensor maps, in the order of their use */
    size_t map_count, map_capacity;
    uint64_t last_cycle;     /* a warp ended */
    uint64_t memory_cycle;   /* memory answered last: data came, or a write is in L2 */
    uint64_t progress_cycle; /* something happened other than polls */
    bool out_of_memory, failed;
};

/* Warpgroups of a CTA. */
static inline uint32_t tma_core_warpgroups(const struct tma_core_run *run) {
    return (run->cta_warps + TMA_CORE_GROUP_WARPS - 1) / TMA_CORE_GROUP_WARPS;
}

/* A warp issues an operation of the TMA unit. */
void tma_core_issue_transfer(struct tma_core_run *run, struct tma_core_sm *sm,
                             struct tma_core_warp *warp, const struct tma_ptx_transfer *transfer,
                             uint64_t cycle);

/* The bytes of an operation complete at once. */
void tma_core_complete_transfer(struct tma_core_run *run, struct tma_core_warp *warp,
                                const struct tma_ptx_transfer *transfer, uint64_t cycle);

/* From now on, bytes complete at once on the mbarrier for which the instruction waits. */
void tma_core_relieve_barrier(struct tma_core_run *run, const struct tma_core_warp *warp,
                              uint32_t instruction);

/* A warp asks global memory for the lines of the current step. */
void tma_core_access(struct tma_core_run *run, struct tma_core_sm *sm, struct tma_core_warp *warp,
                     enum tma_core_event_kind kind, uint64_t cycle);

/* The map at the address of a fence has changed: caches of tensor maps do not have it any more. */
void tma_core_renew_map(struct tma_core_run *run, const struct tma_core_warp *warp,
                        uint32_t instruction);

/* Lets the memory system's time pass until `cycle`, and hands over what reaches it by then. */
void tma_core_advance(struct tma_core_run *run, uint64_t cycle);

/* Lets the memory system finish what the warps asked of it: a launch is over when its last write is
 * in L2. False when out of memory. */
bool tma_core_drain(struct tma_core_run *run);

/* Fetches what a step of the SM to `until` needs into the caches of the host: an SM has so much
 * that it is not there any more when its turn comes. What leads to what takes several calls, of
 * which the one with `ahead` 1 is the last. */
enum { TMA_CORE_PREFETCHES = 3 };
void tma_core_sm_prefetch(const struct tma_core_sm *sm, uint32_t ahead, uint64_t until);

/* Steps the SM to `until`. */
void tma_core_sm_step(struct tma_core_sm *sm, uint64_t until);

/* A CTA begins or ends: its warps are in warps[0] to warps[count - 1]. */
void tma_core_sm_add(struct tma_core_sm *sm, struct tma_core_warp *warps, uint32_t count,
                     uint64_t cycle);
void tma_core_sm_remove(struct tma_core_sm *sm, struct tma_core_warp *warps, uint32_t count);

/* Adds an event; sets run->out_of_memory where there is no room. */
void tma_core_add_event(struct tma_core_sm *sm, const struct tma_core_event *event);

/* Removes the first event; there must be one. */
struct tma_core_event tma_core_pop_event(struct tma_core_sm *sm);

/* Lets warps of a CTA that wait look whether their wait is over, at `cycle`, for what the
 * instruction `cause` did. */
void tma_core_signal(struct tma_core_run *run, struct tma_core_cluster *cluster, uint32_t rank,
                     uint64_t cycle, uint32_t cause);

/* The mbarrier for which an instruction of a warp waits: its byte in the CTA's shared memory.
 * False: its address is not known. */
bool tma_core_barrier_of(struct tma_core_run *run, const struct tma_core_warp *warp,
                         uint32_t instruction, uint32_t *offset);

void tma_core_sm_free(struct tma_core_sm *sm);
