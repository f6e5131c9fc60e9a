/* A kernel as people write it: roles, each a small program of loops and statements, and the rings
 * of shared-memory stages and the barriers through which the roles work together. The program
 * reader makes it from YAML, the record reader from a row of measurements.
 *
 * Each CTA of the grid has every role. A role is one or more warps that run one program together;
 * an elected thread issues its TMA operations. What a CTA does depends on its number and on its
 * rank in its cluster, which expressions can use. */
#pragma once

#include "banks/consumer.h"
#include "engine/lanes.h"
#include "engine/result.h"
#include "engine/roles/kernel_run.h"
#include "expression/expression.h"
#include "memory/power.h"

enum {
    TMA_MAX_RING_DEPTH = 64,
    TMA_MAX_BUFFERS = 16,
    TMA_MAX_NAMED_BARRIERS = 16, /* of a CTA: the hardware has 16 */
    TMA_MAX_FLAGS = 8,           /* names; each may be an array */
    TMA_MAX_FLAG_COUNT = 1 << 20,
    TMA_MAX_VARIABLES = 64,
    TMA_MAX_LOOP_DEPTH = 16, /* statements with a body inside each other */
    TMA_KERNEL_NAME = 40,
    TMA_NO_RING = 255
};

/* Where the reader leaves it to tma_kernel_lay_out to place a ring or a buffer. */
#define TMA_SHARED_AUTO UINT32_MAX

/* Variables that every expression of a kernel can use. The loops' own follow. */
enum tma_kernel_variable {
    TMA_VARIABLE_CTA,     /* number of the CTA in the grid */
    TMA_VARIABLE_RANK,    /* of the CTA in its cluster */
    TMA_VARIABLE_CTAS,    /* CTAs of the grid */
    TMA_VARIABLE_CLUSTER, /* CTAs of a cluster */
    TMA_FIRST_LOOP_VARIABLE
};

/* A number: a constant, or an expression of the kernel's variables. */
struct tma_value {
    const struct tma_expression *expression; /* not owned; NULL: the constant */
    int64_t constant;
};

enum tma_statement_kind {
    /* Loops and branches: the body is the statements from the next one to `end`. */
    TMA_STATEMENT_FOR,   /* variable from `from`, below `to`, by `step` (default 1) */
    TMA_STATEMENT_TILES, /* variables tile, m and n over the output tiles that the CTA takes */
    TMA_STATEMENT_IF,    /* body where `condition` is not 0; else from `otherwise` to `end` */
    /* The part of an innermost body that runs ahead of the rest: see tma_statement.ahead. */
    TMA_STATEMENT_AHEAD,

    /* Filling a stage. */
    TMA_STATEMENT_ACQUIRE,   /* waits until the next stage of `ring` is empty; the role's loads fill
                                it from now on, and its mbarrier expects their bytes */
    TMA_STATEMENT_OPERATION, /* load, store, reduction or prefetch */
    TMA_STATEMENT_SIGNAL, /* the role itself has filled its acquired stage of `ring`: arrives on the
                             stage's full mbarrier. A ring with such a statement is full when its
                             producers have signalled and the bytes of their loads are there. */

    /* Using a stage. */
    TMA_STATEMENT_WAIT,    /* waits until the next stage of `ring` is full: it is the current one */
    TMA_STATEMENT_RELEASE, /* arrives on the empty mbarrier of the stage of `ring` that was current
                              `lag` waits ago: 0 the current one */

    /* Compute: see enum tma_work. */
    TMA_STATEMENT_COMPUTE,
    TMA_STATEMENT_WAIT_MMA, /* wgmma.wait_group `leaving`: until at most so many groups are left */

    /* Stores. */
    TMA_STATEMENT_COMMIT,      /* cp.async.bulk.commit_group */
    TMA_STATEMENT_WAIT_STORES, /* cp.async.bulk.wait_group(.read) `leaving` */

    /* Loads and atomics of warps. */
    TMA_STATEMENT_WAIT_LOADS, /* until at most `leaving` of the role's loads into registers, and of
                                 its atomics that return something, are left */

    /* Shared memory of another CTA of the cluster: lanes of the role's warps access it, or the TMA
     * unit copies into it. */
    TMA_STATEMENT_EXCHANGE,

    /* Between roles. */
    TMA_STATEMENT_BARRIER, /* bar.sync on `barrier`; with `arrive_only` bar.arrive */
    /* Between CTAs: counters in global memory, which are 0 at the start. */
    TMA_STATEMENT_ADD_FLAG,  /* adds amount[1] to number amount[0] of `flag` */
    TMA_STATEMENT_WAIT_FLAG, /* until that is amount[1] or more */
    TMA_STATEMENT_EXIT,      /* the role ends here */
    TMA_STATEMENT_KIND_COUNT
};

/* Which output tiles a CTA takes. */
enum tma_tile_schedule {
    TMA_TILES_ONE,        /* tile number: that of the CTA, where there is one */
    TMA_TILES_PERSISTENT, /* cta, cta + grid, ... */
    TMA_TILES_DYNAMIC     /* the next one of a counter in global memory. All roles of a CTA take the
                             same; a cluster takes as many neighbouring ones as it has CTAs. */
};

/* What a compute statement does. */
enum tma_work {
    TMA_WORK_CYCLES, /* the role is busy for amount[0] cycles */
    TMA_WORK_MMA,    /* wgmma of an amount[0] x amount[1] x amount[2] product (m, n, k) by all warps
                        of the role together, one group; then waits until at most `leaving` groups
                        are left */
    TMA_WORK_INSTRUCTIONS, /* amount[TMA_FMA] and so on: operations of all threads together */
    TMA_WORK_SHARED,       /* amount[0] wavefronts of shared memory */
    TMA_WORK_CONSUMER      /* accesses of `consumer` to the tile of operation statement
                              consumer.operation: a load into the current stage, or a store from a
                              buffer */
};

/* The amounts of INSTRUCTIONS. */
enum tma_instruction_kind {
    TMA_FMA,   /* multiplications, additions and both, of single precision or integers */
    TMA_ALU,   /* maxima, comparisons, conversions, logic, additions of integers */
    TMA_SFU,   /* exp2, rsqrt, ... */
    TMA_OTHER, /* instructions that take an issue slot and none of these pipes */
    TMA_CHAIN, /* instructions of a warp that wait for one another, in a row */
    TMA_AMOUNTS
};

/* Where a compute statement reads or writes shared memory. */
enum tma_shared_place_kind {
    TMA_PLACE_UNNAMED, /* the statement does not say */
    TMA_PLACE_RING,    /* an operand in the current stage of ring `index` */
    TMA_PLACE_BUFFER   /* buffer `index` */
};

struct tma_shared_place {
    enum tma_shared_place_kind kind;
    uint8_t index;
    uint32_t offset_bytes, bytes; /* of the operand in its stage; of a buffer, all of it */
};

/* A matrix in shared memory that a product reads. Its tile is made of the boxes that loads put into
 * the place, or of anything that a role writes there. */
struct tma_mma_operand {
    struct tma_shared_place place;
    bool mn_major;          /* the contiguous dimension is that of M or N, not of K */
    struct tma_value at[2]; /* of the tile's element with which the product begins: along the
                               contiguous dimension, and along the other one */
};

enum { TMA_MMA_A, TMA_MMA_B, TMA_MMA_OPERANDS };

/* The kinds that a switch takes as one which looks for loops, branches and bytes alone. */
#define TMA_PLAIN_STATEMENTS                                                                       \
    case TMA_STATEMENT_SIGNAL:                                                                     \
    case TMA_STATEMENT_WAIT:                                                                       \
    case TMA_STATEMENT_RELEASE:                                                                    \
    case TMA_STATEMENT_COMPUTE:                                                                    \
    case TMA_STATEMENT_WAIT_MMA:                                                                   \
    case TMA_STATEMENT_COMMIT:                                                                     \
    case TMA_STATEMENT_WAIT_STORES:                                                                \
    case TMA_STATEMENT_WAIT_LOADS:                                                                 \
    case TMA_STATEMENT_BARRIER:                                                                    \
    case TMA_STATEMENT_ADD_FLAG:                                                                   \
    case TMA_STATEMENT_WAIT_FLAG

struct tma_statement {
    enum tma_statement_kind kind;
    uint32_t end;          /* index of the first statement behind this one and its body */
    uint32_t otherwise;    /* IF: index of the first statement of the other branch; `end`: none */
    uint32_t line, column; /* in the scenario, from 1; 0: none */

    uint8_t ring;    /* index; or TMA_NO_RING */
    uint8_t buffer;  /* OPERATION without a ring: index of the buffer */
    uint8_t barrier; /* BARRIER: index */
    uint8_t flag;    /* ADD_FLAG, WAIT_FLAG: index */
    bool arrive_only;
    bool read_only;   /* WAIT_STORES: with .read */
    uint32_t lag;     /* RELEASE */
    uint32_t leaving; /* WAIT_STORES, WAIT_LOADS, WAIT_MMA, MMA */

    /* FOR, TILES: variable numbers. TILES sets all three. */
    uint32_t variable; /* FOR: the loop variable; TILES: number of the tile */
    uint32_t variable_m, variable_n;
    struct tma_value from, to, step; /* FOR */
    bool once; /* FOR: once, whatever the variable's value is: a name for a number */
    /* FOR, TILES: how many times the AHEAD part inside runs before the first iteration. The loop
     * that has it may be an outer one of the part: then the part runs ahead over the ends of the
     * inner loops. In the loop, when the AHEAD statement is reached, its body runs for the
     * iteration that is so many ahead, where there is one. 0: it runs for the same iteration. */
    uint32_t ahead;
    bool has_ahead;                  /* FOR, TILES: the loop says how far, be it 0 */
    enum tma_tile_schedule schedule; /* TILES */
    struct tma_value tiles_m, tiles_n;
    struct tma_value group;     /* TILES: 0: m fastest; 1: n fastest; g > 1: groups of g along m */
    struct tma_value condition; /* IF */
    /* ACQUIRE: with `expects`, the bytes that the full mbarrier expects; else those of the loads
     * behind it. */
    bool expects;
    struct tma_value expect;

    /* OPERATION */
    uint32_t map;                   /* index of the tensor map (array) */
    struct tma_value map_index;     /* in the array */
    struct tma_operation operation; /* direction, access, reduction; the values below fill the rest;
                                       shared_address is the offset in the stage or the buffer */
    struct tma_value coordinates[TMA_MAX_RANK];
    struct tma_value im2col_offsets[3];
    struct tma_value cta_mask;      /* multicast: bit mask of ranks; 0: none */
    struct tma_value shared_offset; /* added to operation.shared_address, in bytes */
    struct tma_lanes lanes;         /* who carries it out */
    struct tma_value entry;         /* of the table of lanes.rows: that of the tile's first row */

    /* EXCHANGE: `touched` is the place in the other CTA, with shared_offset and touched_bytes;
     * lanes say who accesses it and how; the direction of `operation` is that of the instruction:
     * TMA_LOAD reads. What writes into a ring completes on the full mbarrier of the stage there,
     * whose number is that of the one that the role acquired last. */
    struct tma_value peer;          /* rank of the other CTA */
    struct tma_shared_place source; /* TMA_BY_BULK: what is copied */
    struct tma_value source_offset;

    /* COMPUTE */
    enum tma_work work;
    struct tma_value amount[TMA_AMOUNTS];
    enum tma_mma_type type;
    bool a_in_registers; /* MMA: A comes from registers, not from shared memory */
    struct tma_mma_operand operands[TMA_MMA_OPERANDS]; /* MMA */
    struct tma_consumer consumer;
    /* SHARED, CONSUMER: what they read, or with `writes` write: from shared_offset on, so many
     * bytes as touched_bytes says. An operation of a consumer has a tile: all of it. */
    struct tma_shared_place touched;
    struct tma_value touched_bytes; /* SHARED; 0: the rest of the place */
    bool writes;
};

/* Whether WAIT_LOADS waits for an operation: it loads into registers of the role. */
static inline bool tma_statement_reads(const struct tma_statement *operation) {
    return operation->lanes.by == TMA_BY_WARPS &&
           (operation->operation.direction == TMA_LOAD || operation->lanes.returns);
}

/* Whether an EXCHANGE fills a stage of a ring. */
static inline bool tma_statement_sends(const struct tma_statement *statement) {
    return statement->kind == TMA_STATEMENT_EXCHANGE && statement->ring != TMA_NO_RING &&
           statement->operation.direction != TMA_LOAD;
}

/* Whether a statement fills the stage of its ring that the role acquired last, or a part of it. */
static inline bool tma_statement_fills(const struct tma_statement *statement) {
    return statement->kind == TMA_STATEMENT_SIGNAL || tma_statement_sends(statement) ||
           (statement->kind == TMA_STATEMENT_OPERATION &&
            statement->operation.direction == TMA_LOAD);
}

/* Stages of shared memory that go round between the roles that fill them and those that use them.
 * A stage is full when each role that acquires it has arrived and all bytes are there. It is empty
 * when each role that releases it has done so, in all CTAs that release to this one. A role that
 * fills and uses the ring alone needs no empty mbarrier: it knows what it has released. */
struct tma_ring {
    char name[TMA_KERNEL_NAME];
    uint32_t depth; /* stages */
    uint32_t stage_bytes;
    uint32_t shared_offset; /* of the first stage in the CTA's shared memory, or TMA_SHARED_AUTO */
    struct tma_value release_mask; /* ranks to whose stage a release arrives; 0: the CTA's own */
    bool
        release_cluster; /* mbarrier.arrive.release.cluster, which is dear; else .shared::cluster */
    uint32_t line, column;
};

/* Shared memory outside the rings, such as the tile that an epilogue stores from. */
struct tma_buffer {
    char name[TMA_KERNEL_NAME];
    uint32_t bytes;
    uint32_t shared_offset; /* or TMA_SHARED_AUTO */
    uint32_t over;          /* 1 + the ring in whose memory it lies; 0: it has memory of its own */
};

/* A named barrier (bar.sync) of a CTA. */
struct tma_named_barrier {
    char name[TMA_KERNEL_NAME];
    uint32_t arrivals; /* of roles that complete it; 0: as many as roles have a statement for it */
};

/* Counters in global memory, which all CTAs share. */
struct tma_flag {
    char name[TMA_KERNEL_NAME];
    uint32_t count;
};

struct tma_role {
    char name[TMA_KERNEL_NAME];
    uint32_t warps;
    uint32_t first, end; /* its statements */
    uint32_t line, column;
};

/* What the instructions for a statement take in this kernel's code, where a compiler has made other
 * code than that from which the machine's numbers come. Each cost stands in the place of the
 * machine's parameter warp.NAME; 0: as the machine says. The number beside each is what it takes in
 * the code of Triton, which was compared with records; 0: no other code was. */
#define TMA_KERNEL_COSTS(X)                                                                        \
    X(wait, 30, "time of a wait on an mbarrier whose phase is complete")                           \
    X(wake, 20,                                                                                    \
      "time from the end of an mbarrier's phase to the next instruction of a warp that "           \
      "waits for it")                                                                              \
    X(arrive, 0, "time of an arrival on an mbarrier of the own CTA")                               \
    X(expect, 5, "time of an arrival with expect_tx")                                              \
    X(issue, 15, "time of a TMA instruction in the warp that issues it")                           \
    X(commit, 5, "time to commit a group of stores")                                               \
    X(wait_group, 10, "time of a wait for groups of stores that are done")                         \
    X(barrier, 26,                                                                                 \
      "time from the last arrival at a named barrier to the next instruction of its warps")        \
    X(mma_issue, 0, "time to issue a group of matrix products and to commit it")                   \
    X(mma_wait, 0,                                                                                 \
      "time from the end of a group of matrix products to the next instruction of the "            \
      "warps that wait for it")

#define TMA_KERNEL_COST(name, compared, meaning) uint32_t name##_cycles;
struct tma_kernel_costs {
    TMA_KERNEL_COSTS(TMA_KERNEL_COST)
};
#undef TMA_KERNEL_COST

/* Fills in the costs that are 0 with those of Triton's code, where it was compared. */
void tma_kernel_costs_of_triton(struct tma_kernel_costs *costs);

/* What an experiment makes of a kernel's work; all 0: nothing. */
struct tma_kernel_relieved {
    enum tma_wavefronts wavefronts; /* of TMA_WORK_SHARED and TMA_WORK_CONSUMER */
    bool shorter_work;              /* 9 of each 10 cycles of TMA_WORK_CYCLES */
    uint32_t faster_units;          /* of TMA_WORK_INSTRUCTIONS: 1 << enum tma_compute_unit */
};

enum { TMA_MAX_TABLES = 16, TMA_MAX_TABLE_ENTRIES = 1 << 20 };

/* Numbers that expressions and gathers look up, such as the rows of a gather. */
struct tma_kernel_table {
    char name[TMA_KERNEL_NAME];
    struct tma_expression_table numbers; /* not owned */
};

struct tma_kernel {
    char name[TMA_KERNEL_NAME];
    struct tma_tensor_map maps[TMA_MAX_TENSOR_MAPS];
    struct tma_map_array arrays[TMA_MAX_TENSOR_MAPS]; /* by map */
    uint8_t map_places[TMA_MAX_TENSOR_MAPS];          /* as in struct tma_workload */
    uint32_t map_count;

    uint32_t cta_count; /* CTAs of the grid */
    /* CTAs of a cluster. A launch without the cluster attribute (0) and one with clusters of one
     * CTA (1) differ in the SMs on which CTAs are placed (memory/topology.h). */
    uint32_t cluster_ctas;
    uint32_t ctas_per_sm;  /* 0: as many as threads, registers and shared memory allow */
    uint32_t registers;    /* of a thread; 0: they do not limit the CTAs of an SM */
    uint32_t shared_bytes; /* of a CTA; 0: what rings and buffers take */
    uint32_t sm_count;     /* SMs that CTAs may use; 0: all */
    /* MHz, at least TMA_LEAST_SM_MHZ, or an enum tma_sm_clock. DRAM and L2 keep their own clocks.
     */
    uint32_t sm_clock_mhz;
    enum tma_operand_data data; /* of its matrix products */
    struct tma_kernel_costs costs;
    struct tma_kernel_relieved relieved;
    bool cold;        /* another kernel has just emptied L2; else the same kernel ran just before */
    bool allow_races; /* a race does not end the run, which counts it */
    bool profiled;    /* if cold: a profiler has emptied all caches, and DRAM was idle */
    bool unbounded;   /* more than TMA_MAX_KERNEL_OPERATIONS operations are allowed */

    struct tma_ring rings[TMA_MAX_RINGS];
    uint32_t ring_count;
    struct tma_buffer buffers[TMA_MAX_BUFFERS];
    uint32_t buffer_count;
    struct tma_named_barrier barriers[TMA_MAX_NAMED_BARRIERS];
    uint32_t barrier_count;
    struct tma_flag flags[TMA_MAX_FLAGS];
    uint32_t flag_count;
    struct tma_kernel_table tables[TMA_MAX_TABLES];
    uint32_t table_count;
    struct tma_role roles[TMA_MAX_ROLES];
    uint32_t role_count;

    struct tma_statement *statements; /* not owned by the engine: of all roles, in preorder */
    uint32_t statement_count;
    char variables[TMA_MAX_VARIABLES][TMA_KERNEL_NAME]; /* names, for messages */
    uint32_t variable_count;                            /* those of tma_kernel_variable included */
};

/* Places the rings and buffers whose offset is TMA_SHARED_AUTO behind each other, each in the order
 * of their names, at multiples of 1024, and sets shared_bytes if it is 0. */
void tma_kernel_lay_out(struct tma_kernel *kernel);

/* Gives the tile of an operation of the kernel, which is laid out, as it lies in a stage of its
 * ring, or in its buffer. Fails as tma_rows_begin does. */
enum tma_error_code tma_statement_tile(const struct tma_kernel *kernel,
                                       const struct tma_statement *statement, uint32_t stage,
                                       struct tma_tile *tile, struct tma_error *error);

/* Checks the operands of a matrix product, as far as its constant parts show: that they have the
 * product's shape and type, and a layout that wgmma can read. Fails with TMA_ERROR_ARGUMENT. */
enum tma_error_code tma_mma_check_operands(const struct tma_kernel *kernel,
                                           const struct tma_statement *statement,
                                           struct tma_error *error);

/* Finds what is wrong with a kernel before it runs: numbers outside their range, threads, registers
 * or shared memory that do not fit, stages that no role fills or no role releases, barriers that
 * too few roles reach, loops that never end, too many operations. *place, which may be NULL, is
 * where. The kernel is laid out. Fails with TMA_ERROR_ARGUMENT, or as expressions do. */
enum tma_error_code tma_kernel_check(const struct tma_machine *machine,
                                     const struct tma_kernel *kernel,
                                     struct tma_kernel_place *place, struct tma_error *error);

/* CTAs that an SM runs at once: as given, or as many as fit; 0: not even one fits. */
uint32_t tma_kernel_ctas_per_sm(const struct tma_machine *machine, const struct tma_kernel *kernel);

/* CTAs of a cluster; without clusters, 1. */
static inline uint32_t tma_kernel_cluster_ctas(const struct tma_kernel *kernel) {
    return kernel->cluster_ctas > 0 ? kernel->cluster_ctas : 1;
}

/* Sets the variables that a CTA has outside its loops; leaves the others. */
static inline void tma_kernel_cta_variables(const struct tma_kernel *kernel, uint32_t cta,
                                            int64_t variables[TMA_MAX_VARIABLES]) {
    uint32_t cluster = tma_kernel_cluster_ctas(kernel);
    variables[TMA_VARIABLE_CTA] = cta;
    variables[TMA_VARIABLE_RANK] = cta % cluster;
    variables[TMA_VARIABLE_CTAS] = kernel->cta_count;
    variables[TMA_VARIABLE_CLUSTER] = cluster;
}

/* Gives the roles in the order of their names, as indices. Where two roles want the same in the
 * same cycle, this decides, and not the order in which a scenario lists them. */
void tma_kernel_role_order(const struct tma_kernel *kernel, uint32_t order[TMA_MAX_ROLES]);

/* Threads of a CTA. */
uint32_t tma_kernel_threads(const struct tma_kernel *kernel);

#define TMA_MAX_KERNEL_OPERATIONS UINT64_C(1000000000)
