/* Functional execution of one launch of a PTX kernel: exact bytes, hangs, faults and counts. No
 * time passes: an asynchronous operation is complete when the warp goes on.
 *
 * Integers, predicates, addresses, barriers and descriptors are exact. Data is known or opaque, by
 * byte: what is computed from an opaque value is opaque, and costs nothing. */
#pragma once

#include "base/error.h"
#include "ptx/decoded.h"

/* Memory that the launch owns in the GPU's global memory. */
struct tma_ptx_buffer {
    const char *name;  /* for messages; borrowed */
    uint64_t address;  /* a multiple of 256, not 0; buffers do not overlap */
    uint64_t size;     /* bytes */
    uint8_t *contents; /* borrowed: the bytes, which the launch changes; NULL: opaque, for good */
    uint8_t *opaque;   /* borrowed, with `contents`: one bit a byte, set where the byte is opaque (a
                          kernel may store opaque values); NULL: storing an opaque value there
                          makes the whole launch fail with an error that names this buffer */
};

enum { TMA_PTX_MAX_CLUSTER_CTAS = 16 };

struct tma_sass;

struct tma_ptx_launch {
    const struct tma_ptx_module *module;
    uint32_t function;                      /* an entry of the module */
    uint32_t grid[3], block[3], cluster[3]; /* cluster: 1, 1, 1 without clusters */
    uint32_t dynamic_shared;                /* bytes */
    uint32_t registers;                     /* of a thread; 0: not known */
    uint32_t ctas_per_sm;      /* that an SM runs at a time; 0: as many as it has room for */
    const uint8_t *parameters; /* parameter_bytes of the function; tensor maps in 128-byte form */
    struct tma_ptx_buffer *buffers;
    uint32_t buffer_count;
    const struct tma_sass *sass; /* what who times the launch takes slots and order from; or NULL */
    uint32_t
        resident_ctas; /* that the GPU runs at once: CTAs that wait for others wait among these */
};

/* CTAs of a grid or a cluster, or threads of a CTA. */
static inline uint64_t tma_ptx_count(const uint32_t dimensions[3]) {
    return (uint64_t)dimensions[0] * dimensions[1] * dimensions[2];
}

/* What the executions of one instruction did, in sum over warps. */
struct tma_ptx_line {
    uint64_t executions; /* by a warp or a part of a warp whose lanes had diverged */
    uint64_t lanes;      /* that were active and whose guard held */
    uint64_t wavefronts, ideal_wavefronts; /* of shared memory */
    uint64_t sectors, ideal_sectors; /* of 32 bytes of global memory; ideal: if the lanes' bytes
                                        were dense */
    uint64_t repeats; /* of atomics in global memory: lanes, less one, that have the most common
                         address of an access */
    uint64_t bytes;   /* of bulk operations, cp.async, global accesses */
};

/* Why execution ended early. */
enum tma_ptx_failure {
    TMA_PTX_COMPLETED,
    TMA_PTX_FAULT, /* the GPU would stop the kernel: memory out of bounds, misaligned, trap, ... */
    TMA_PTX_DEADLOCK, /* every warp waits */
    TMA_PTX_OPAQUE,   /* an opaque value reached a branch, an address, a coordinate or a parity */
    TMA_PTX_UNKNOWN_INSTRUCTION,
    TMA_PTX_RUNAWAY /* more warp instructions than `maximum_instructions` */
};

/* Something wrong that execution passed, or that ended it; each kind and pair of lines once, with
 * how often it was seen. */
struct tma_ptx_finding {
    const char *kind; /* "race", "fault", "deadlock", "barrier", "fence", "layout", ...: constant */
    char *text;       /* owned: who does what to which bytes */
    uint32_t instruction; /* index in module->instructions: where it was noticed */
    uint32_t other;       /* the other side; UINT32_MAX: none */
    uint32_t cta, warp;   /* who noticed, first time; other side in the text */
    uint64_t count;
};

struct tma_core_ablation;
struct tma_core_relief;
struct tma_core_timeline;

struct tma_ptx_options {
    uint32_t sanitize_ctas; /* the first so many CTAs are checked for races; 0: none */
    uint64_t sample_from;   /* who times the launch may leave out what repeats, where it has
                               about so many warp instructions; 0: never */
    const struct tma_core_ablation *ablation; /* borrowed: what who times the launch leaves out of
                                                 its model; NULL: nothing */
    struct tma_core_relief
        *relief; /* borrowed: of what who times the launch is relieved; or NULL */
    struct tma_core_timeline *timeline; /* borrowed: gets what who times the launch sees; or NULL */
    bool strict;                   /* generic reads before a TMA write need a proxy fence, too */
    uint64_t maximum_instructions; /* warp instructions; 0: no limit */
    /* NULL, or called now and then with the CTAs that have ended: returns false to stop
     * (TMA_ERROR_INTERRUPTED). */
    bool (*progress)(void *context, uint64_t ended, uint64_t ctas);
    void *context;
};

struct tma_ptx_result {
    enum tma_ptx_failure failure;
    uint64_t instructions;                /* executed warp instructions */
    uint64_t shared_loads, shared_stores; /* warp instructions that access shared memory */
    uint64_t shared_load_wavefronts, shared_store_wavefronts;
    uint64_t shared_load_conflicts,
        shared_store_conflicts; /* of these, beyond the fewest that do */
    uint64_t tma_loads, tma_stores, tma_reductions, tma_prefetches, tma_load_bytes, tma_store_bytes;
    uint64_t ended_ctas;
    struct tma_ptx_line *lines;       /* owned: one for each of the module's instructions */
    struct tma_ptx_finding *findings; /* owned: by CTA, then in the order found */
    uint32_t finding_count;
};

/* Executes a launch. What is wrong with the kernel goes into *result: its `failure` and findings.
 * Fails with TMA_ERROR_ARGUMENT if the launch does not fit the function (threads, parameters,
 * clusters, shared memory), TMA_ERROR_MEMORY or TMA_ERROR_INTERRUPTED. */
enum tma_error_code tma_ptx_execute(const struct tma_ptx_launch *launch,
                                    const struct tma_ptx_options *options,
                                    struct tma_ptx_result *result, struct tma_error *error);

/* Calls `note` for each instruction that the kernel, or what it calls, has and that would end the
 * launch if a lane came to it: `why` says what it is that is not simulated. Runs nothing; fails as
 * tma_ptx_execute does. */
enum tma_error_code tma_ptx_find_unexecuted(const struct tma_ptx_launch *launch,
                                            void (*note)(void *context, uint32_t instruction,
                                                         const char *why),
                                            void *context, struct tma_error *error);

/* Shared memory begins here (sm_90: 1 KiB is reserved). */
#define TMA_SHARED_BASE UINT32_C(0x400)

/* Writes the address of a byte of shared memory as the kernel has it, and its variable: "0x410
 * (tile
 * + 0x10)". `function` is the entry, `offset` counts from TMA_SHARED_BASE. */
enum { TMA_PTX_SHARED_NAME_BYTES = 128 };
void tma_ptx_shared_name(const struct tma_ptx_module *module, uint32_t function, uint32_t offset,
                         char text[static TMA_PTX_SHARED_NAME_BYTES]);

void tma_ptx_result_free(struct tma_ptx_result *result);
