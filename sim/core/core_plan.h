/* What the core has to know of each instruction of a PTX function before it runs. */
#pragma once

#include "base/error.h"
#include "core/core_run.h"
#include "core/lowering.h"
#include "memory/core/warp_access.h"
#include "memory/machine.h"
#include "ptx/stepping.h"

/* What an instruction does to its warp, beyond what it computes. */
enum tma_core_kind {
    TMA_CORE_PLAIN,
    TMA_CORE_ACCESS,  /* ld, st, atom, red, ldmatrix, stmatrix: of which memory, a step says */
    TMA_CORE_PRODUCT, /* wgmma.mma_async */
    TMA_CORE_PRODUCT_COMMIT,
    TMA_CORE_PRODUCT_WAIT, /* wait_group: at most `count` groups are left */
    TMA_CORE_MMA,          /* mma.sync */
    TMA_CORE_BULK,         /* cp.async.bulk and its relatives */
    TMA_CORE_BULK_COMMIT,
    TMA_CORE_BULK_WAIT, /* wait_group */
    TMA_CORE_BULK_WAIT_READ,
    TMA_CORE_COPY, /* cp.async */
    TMA_CORE_COPY_COMMIT,
    TMA_CORE_COPY_WAIT,
    TMA_CORE_COPY_WAIT_ALL,
    TMA_CORE_COPY_ARRIVE,   /* cp.async.mbarrier.arrive */
    TMA_CORE_MBARRIER,      /* arrive, expect_tx, init */
    TMA_CORE_MBARRIER_WAIT, /* try_wait, test_wait */
    TMA_CORE_BARRIER,
    TMA_CORE_CLUSTER, /* barrier.cluster.wait */
    TMA_CORE_FENCE,
    TMA_CORE_SHARED_FENCE, /* of the asynchronous proxy, for shared memory alone */
    TMA_CORE_BRANCH,
    TMA_CORE_SLEEP,
    TMA_CORE_EXIT
};

enum { TMA_CORE_USES = 4 };

struct tma_core_instruction {
    uint8_t kind;     /* enum tma_core_kind */
    uint8_t count;    /* of a wait */
    uint8_t issues;   /* issue slots; 0: it is part of other instructions */
    uint8_t readers;  /* of them, that read registers for the pipes of arithmetic */
    uint8_t access;   /* enum tma_access_kind */
    uint8_t caching;  /* enum tma_caching */
    bool serialised;  /* a product or a wait that goes on when the product before has ended */
    bool scoreboard;  /* its result comes from shared memory, a shuffle or the SFU */
    bool is_free;     /* it takes no time, and waits for nothing but barriers */
    bool polls;       /* it loads what its loop waits for: a flag in global memory */
    bool meets;       /* a barrier of the CTA at which its warp waits */
    bool renews;      /* a fence: caches of tensor maps lose the one at its address */
    uint8_t turn;     /* cycles until its warp can issue the next instruction; fewer than issues: as
                         many */
    uint16_t fence;   /* cycles of the fence beyond the CTA that it is, or has before it; 0: none */
    uint16_t latency; /* from its issue until its result can be used; of memory: see the core */
    struct {
        uint8_t pipe; /* enum tma_pipe */
        uint8_t busy; /* cycles for which the pipe takes no other instruction of the scheduler */
    } uses[TMA_CORE_USES]; /* busy 0: no further one */
    uint16_t read_count, write_count;
    uint32_t first; /* in plan->numbers: the registers that it reads, then those that it writes */
};

enum {
    TMA_CORE_GROUP_REGISTERS = 8, /* whose results lie in one line of the host's caches */
    TMA_CORE_SOON_GROUPS = 8,
    TMA_CORE_NO_GROUP = UINT16_MAX
};

/* The registers that an instruction and those behind it use, in the order of their use: numbers
 * divided by TMA_CORE_GROUP_REGISTERS, then TMA_CORE_NO_GROUP. */
struct tma_core_registers {
    uint16_t groups[TMA_CORE_SOON_GROUPS];
};

struct tma_core_plan {
    struct tma_core_instruction *instructions; /* owned: by index in module->instructions */
    uint32_t *numbers;                         /* owned */
    size_t number_count, number_capacity;
    struct tma_core_registers *soon; /* owned, by instruction */
};

/* Fills *plan, and the notes of *result. `ablation` may be NULL. Fails with TMA_ERROR_MEMORY. Call
 * tma_core_plan_free in either case. */
enum tma_error_code tma_core_plan_create(const struct tma_machine *machine,
                                         const struct tma_ptx_launch *launch,
                                         const struct tma_stepper *stepper,
                                         const struct tma_core_ablation *ablation,
                                         struct tma_core_plan *plan, struct tma_core_result *result,
                                         struct tma_error *error);
void tma_core_plan_free(struct tma_core_plan *plan);
