/* Times a launch of a compiled kernel: cycles, what they went to, by line. The kernel executes as
 * ptx/execution.h has it; its warps issue on SMs (core/core_sm.h), their operations go through the
 * memory system (memory/system.h). */
#pragma once

#include "core/lowering.h"
#include "memory/core/counters.h"
#include "memory/power.h"
#include "ptx/execution.h"

/* Why a warp does not issue: name, key in a report, text in a report. */
#define TMA_CORE_STALLS(X)                                                                         \
    X(TMA_STALL_NONE, "issue", "issuing")                                                          \
    X(TMA_STALL_ORDER, "dependency", "waiting for a result of its own of fixed latency")           \
    X(TMA_STALL_SHARED, "shared", "waiting for shared memory, shuffles or special functions")      \
    X(TMA_STALL_GLOBAL, "global", "waiting for global memory")                                     \
    X(TMA_STALL_FLAG, "flags", "waiting for a flag in memory, which it loads in a loop")           \
    X(TMA_STALL_MBARRIER, "mbarrier", "waiting for the phase of an mbarrier")                      \
    X(TMA_STALL_BARRIER, "barrier", "waiting at a barrier of the CTA or the cluster")              \
    X(TMA_STALL_PRODUCT, "product", "waiting for matrix products")                                 \
    X(TMA_STALL_STORES, "stores", "waiting for bulk stores")                                       \
    X(TMA_STALL_COPIES, "copies", "waiting for cp.async")                                          \
    X(TMA_STALL_SCHEDULER, "not_selected", "ready, while the scheduler issued other warps")        \
    X(TMA_STALL_PIPE, "pipe", "ready, while its pipe was busy")                                    \
    X(TMA_STALL_FETCH, "fetch", "fetching instructions, branching")                                \
    X(TMA_STALL_SLEEP, "sleep", "sleeping or polling")

/* A launch of fewer warp instructions takes some ten seconds, and is not worth sampling. */
#define TMA_CORE_SAMPLED_INSTRUCTIONS UINT64_C(32000000)

enum tma_core_stall {
#define TMA_CORE_STALL_ENUM(name, key, text) name,
    TMA_CORE_STALLS(TMA_CORE_STALL_ENUM)
#undef TMA_CORE_STALL_ENUM
        TMA_STALL_COUNT
};

enum { TMA_CORE_NO_CAUSE = UINT32_MAX, TMA_CORE_CAUSES = 3, TMA_CORE_NOTES = 8 };

/* What warps wait for at an instruction. */
struct tma_core_wait {
    struct {
        uint32_t instruction;  /* that wrote a register, or ended a phase or a barrier */
        uint64_t cycles;       /* of warps; 0: none */
    } causes[TMA_CORE_CAUSES]; /* the ones that cost most */
    uint32_t first_barrier,
        barrier_end;                /* bytes of shared memory with its mbarriers; equal: none */
    uint64_t pipes[TMA_PIPE_COUNT]; /* cycles of warps, of TMA_STALL_PIPE */
};

/* What ptxas does to a kernel, and costs time. */
struct tma_core_note {
    bool spills;          /* registers go through local memory; else products are serialised */
    uint32_t count;       /* bytes of a thread, or instructions */
    uint32_t instruction; /* the first one that it costs */
    uint32_t reason;      /* the one because of which */
};

struct tma_core_result {
    uint64_t cycles;         /* from the first CTA to the last */
    uint64_t launch_cycles;  /* what a profiler counts besides: launch and drain */
    uint64_t sampled_cycles; /* of `cycles`, those that were not simulated but added for what was
                                left out; all figures are then estimates */
    uint64_t error_cycles;   /* by so much `cycles` may then be off */
    /* Of a sampled run before this one, which was not trusted; 0: there was none. */
    uint64_t refused_error_cycles, refused_cycles;
    uint32_t sms, ctas_per_sm, waves;
    uint64_t issue_slots;   /* that warps took */
    uint64_t tensor_cycles; /* that tensor cores were busy, over all SMs */
    uint64_t
        macs[TMA_MMA_TYPE_COUNT]; /* multiply-adds of wgmma by type, of a sparse A the kept half */
    uint64_t (*line_stalls)[TMA_STALL_COUNT]; /* owned: cycles of warps, by instruction */
    uint64_t stalls[TMA_STALL_COUNT];         /* their sums */
    struct tma_core_wait *waits;              /* owned, by instruction */
    struct tma_core_note notes[TMA_CORE_NOTES];
    uint32_t note_count;
    /* Cycles that wavefronts of loads and of stores waited for operands of products: a profiler
     * counts them as further wavefronts. */
    uint64_t shared_load_waits, shared_store_waits;
    /* Cycles in which stores to shared memory find TMA writing there: a profiler counts them as
     * conflicts, and as wavefronts. */
    uint64_t shared_store_conflicts;
    struct tma_memory_counters memory;
    double memory_share; /* of tma_activity; 0 until a second run has found it */
};

/* Parts of the model that a run can do without, to see what they are good for. */
struct tma_core_ablation {
    struct tma_lowering_options rules;
    bool pipes[TMA_PIPE_COUNT]; /* they take an instruction each cycle */
    bool order;                 /* instructions issue in the order of the PTX */
};

/* Leaves out one part more: a rule of lowering by its key, pipe.NAME, or order. False: there is no
 * such part. */
bool tma_core_ablate(struct tma_core_ablation *ablation, const char *part);

/* Part `number` from 0: its name in `name`, and what it is; NULL: there are no more. */
enum { TMA_CORE_PART_BYTES = 32 };
const char *tma_core_part(uint32_t number, char name[TMA_CORE_PART_BYTES]);

/* The name of a pipe as a part: pipe.NAME. */
void tma_core_pipe_part(enum tma_pipe pipe, char name[TMA_CORE_PART_BYTES]);

/* Of what a run is relieved, to see what it costs. */
enum { TMA_CORE_RELIEVED_BARRIERS = 64 };

struct tma_core_relief {
    /* By index in module->instructions: these take no time, and do not wait for what they read, or
     * for what they are to wait for; but a barrier opens no earlier, and a branch waits for what
     * its block asked for. NULL: none. */
    const bool *free;
    /* A pipe of the schedulers that takes its instructions in 100 / `pipe_percent` of the cycles;
     * 0: none. */
    enum tma_pipe pipe;
    uint32_t pipe_percent;
    bool combines;     /* lanes with one address make one request of a reduction or atomic */
    bool no_conflicts; /* of banks of shared memory */
    /* Offsets of mbarriers in the shared memory of each CTA: bytes complete on them as soon as the
     * operation is issued. A run adds those that `free` instructions wait for. */
    uint32_t barriers[TMA_CORE_RELIEVED_BARRIERS], barrier_count;
    uint64_t barrier_bytes; /* that have completed so; a run adds to it */
};

/* Fails as tma_ptx_execute does; what is wrong with the kernel is in *executed. With
 * options->sample_from, a long launch is simulated in part (docs/sampling.md): then its buffers do
 * not have what the launch leaves there, and what is wrong may be the sampling's fault. Call
 * tma_core_result_free after success. */
enum tma_error_code tma_core_run(const struct tma_machine *machine,
                                 const struct tma_ptx_launch *launch,
                                 const struct tma_ptx_options *options,
                                 struct tma_ptx_result *executed, struct tma_core_result *result,
                                 struct tma_error *error);

void tma_core_result_free(struct tma_core_result *result);

/* Whether a launch was sampled, and its cycles may be off by more than 20 %: then it has to run
 * whole, with fresh buffers. */
bool tma_core_is_rough(const struct tma_core_result *result);

/* Cycles of warps of all kinds: of the launch, or of one line. */
uint64_t tma_core_stall_sum(const uint64_t stalls[TMA_STALL_COUNT]);

const char *tma_core_stall_key(enum tma_core_stall stall);
const char *tma_core_stall_text(enum tma_core_stall stall);
