/* Execution of a launch one warp instruction at a time, for who times it (core/). What an
 * instruction computes happens at once; what it leaves to others is reported: operations of the TMA
 * unit, arrivals that wait for copies. The caller says when these end (tma_stepper_complete,
 * tma_stepper_arrive), which is when other warps see it. */
#pragma once

#include "placement/operation.h"
#include "ptx/execution.h"
#include "ptx/matrix.h"

struct tma_stepper;
struct tma_ptx_cluster;
struct tma_warp;

enum { TMA_STEP_LINES = 32 };

/* A bulk operation that one lane issues. */
struct tma_ptx_transfer {
    enum tma_direction direction;
    bool has_map;
    struct tma_tensor_map map;
    struct tma_operation operation;
    uint64_t map_address;     /* of the tensor map */
    uint64_t global_address;  /* without a map; 0: from the shared memory of one CTA to another */
    uint32_t bytes;           /* without a map */
    uint32_t cta_mask;        /* ranks of the CTAs that get the data */
    uint32_t barrier;         /* offset of the mbarrier in the shared memory of each of these CTAs;
                                 UINT32_MAX: none */
    uint32_t barrier_rank;    /* without multicast: of the CTA that has it */
    uint32_t completed_bytes; /* on each mbarrier */
};

/* An arrival on an mbarrier that waits for the warp's cp.async. */
struct tma_ptx_deferred {
    uint32_t rank, offset;
};

/* What one step did. */
struct tma_ptx_step {
    uint32_t instruction; /* index in module->instructions */
    uint32_t lanes;       /* that executed it */
    bool waits;           /* it has not ended: it runs again when its wait is over */
    bool polls;           /* it found a phase or a flag that was not there yet, or sleeps */
    bool ended, failed;   /* the warp; the launch */
    uint32_t sleep_ns;    /* nanosleep */
    uint32_t shared_wavefronts;
    uint32_t shared_conflicts; /* those of them that conflicts of banks add */
    uint32_t shared_offset;    /* of the access in the CTA's shared memory, of its first lane */
    bool distant;        /* they, and `lines`, are those of the shared memory of another CTA, */
    uint32_t peer;       /* of this rank */
    uint32_t line_count; /* else of global memory */
    struct {
        uint64_t line;    /* byte address / 128 */
        uint64_t used[2]; /* mask of the bytes that the lanes access */
        uint16_t bytes;   /* of all lanes: of lanes with one address several times */
        uint8_t sectors;
        uint8_t units;  /* mask of the units of 16 bytes that the lanes touch */
        uint8_t rounds; /* atom, red: the most lanes that have one address */
    } lines[TMA_STEP_LINES];
    const struct tma_ptx_product *product; /* mma, wgmma; else NULL */
    uint32_t signalled;                    /* ranks of CTAs one of whose barriers changed */
    struct tma_ptx_transfer *transfers;    /* owned */
    uint32_t transfer_count, transfer_capacity;
    struct tma_ptx_deferred deferred[32];
    uint32_t deferred_count;
};

/* As tma_ptx_execute, for the arguments and the errors. The result lives as long as the stepper. */
enum tma_error_code tma_stepper_create(const struct tma_ptx_launch *launch,
                                       const struct tma_ptx_options *options,
                                       struct tma_ptx_result *result, struct tma_stepper **stepper,
                                       struct tma_error *error);

/* Ends the launch. Returns `code`, or TMA_ERROR_MEMORY; other than with TMA_OK, the result is freed
 * too. */
enum tma_error_code tma_stepper_free(struct tma_stepper *stepper, enum tma_error_code code);

uint32_t tma_stepper_cluster_ctas(const struct tma_stepper *stepper);
uint32_t tma_stepper_cta_warps(const struct tma_stepper *stepper);
uint32_t tma_stepper_shared_bytes(const struct tma_stepper *stepper); /* of a CTA */
uint32_t tma_stepper_registers(const struct tma_stepper *stepper);    /* see tma_stepper_number */

/* Does the kernel, or what it calls, call the function, or is it the kernel? */
bool tma_stepper_reaches(const struct tma_stepper *stepper, uint32_t function);

/* The number of a register (index in module->registers) among those of a warp. */
uint32_t tma_stepper_number(const struct tma_stepper *stepper, uint32_t module_register);

/* Begins cluster `index` of the grid; NULL when out of memory. */
struct tma_ptx_cluster *tma_stepper_start(struct tma_stepper *stepper, uint64_t index);
void tma_stepper_end(struct tma_stepper *stepper, struct tma_ptx_cluster *cluster);

struct tma_warp *tma_stepper_warp(struct tma_ptx_cluster *cluster, uint32_t rank, uint32_t warp);

/* Fetches what a step of the warp needs into the caches of the host, and the registers behind one
 * that lie in the same lines. */
void tma_stepper_prefetch(const struct tma_warp *warp);
void tma_stepper_prefetch_registers(const struct tma_warp *warp, uint32_t number);

/* The instruction that the warp executes next; UINT32_MAX: it waits, or has ended. */
uint32_t tma_stepper_next(struct tma_warp *warp);

/* Executes it, at a cycle that clocks show. */
void tma_stepper_step(struct tma_stepper *stepper, struct tma_warp *warp, uint64_t cycle,
                      struct tma_ptx_step *step);

/* The lanes of a register (index in module->registers) of up to 64 bits, and which are opaque. */
void tma_stepper_read(const struct tma_stepper *stepper, const struct tma_warp *warp,
                      uint32_t module_register, uint64_t lanes[32], uint32_t *opaque);

/* The offset in the shared memory of its CTA that an address of shared memory has. */
uint32_t tma_stepper_shared_offset(uint64_t address);

/* Adds to each lane of a register of 32 or 64 bits. */
void tma_stepper_add(const struct tma_stepper *stepper, struct tma_warp *warp,
                     uint32_t module_register, const uint64_t steps[32]);

/* Bytes of an operation are complete on an mbarrier of a CTA. */
void tma_stepper_complete(struct tma_ptx_cluster *cluster, uint32_t rank, uint32_t barrier,
                          uint32_t bytes);
void tma_stepper_arrive(struct tma_ptx_cluster *cluster, const struct tma_ptx_deferred *arrival);

/* Ends the waits of a warp's try_wait without success, as hardware does after a time. */
void tma_stepper_give_up(struct tma_warp *warp);

/* Every warp waits for ever: the result gets what each of them waits for. */
void tma_stepper_deadlock(struct tma_stepper *stepper, struct tma_ptx_cluster *const *clusters,
                          uint32_t count);
