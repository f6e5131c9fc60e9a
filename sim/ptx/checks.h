/* Checks for races in shared memory, by happens-before: what one side does is ordered with what
 * another does if waits, arrivals, fences and groups order them, whatever the schedule. So a race
 * is found also where this execution came out well.
 *
 * The sides are warps, and the asynchronous work that they start. Each side has a clock; a side
 * knows of another what its vector clock has of it. The asynchronous sides are: the operations that
 * complete on an mbarrier (clock: its phases), and of each warp, bulk operations (clock: bulk
 * groups), matrix products (wgmma groups) and cp.async (its groups).
 *
 * The calls say what the executor does, in its order. Lanes of a warp are one side, but an arrival
 * of some lanes carries what all lanes did only up to the last instruction at which the warp
 * converged (.sync). Internal to this folder. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tma_checks;
struct tma_ptx_launch;

/* Who does something: a warp of a CTA of the cluster, at an instruction. */
struct tma_check_side {
    uint32_t cta, warp; /* rank in the cluster; number in the CTA */
    uint32_t lanes;     /* that take part; UINT32_MAX: all that have not exited */
    uint32_t instruction;
};

/* Hears of what is wrong. `other` is the instruction of the other side, or UINT32_MAX. */
typedef void tma_check_report(void *context, const char *kind, const struct tma_check_side *side,
                              uint32_t other, const char *text);

/* Begins a cluster of `ctas` CTAs with so many warps and bytes of shared memory each, whose names
 * are those of the launch. NULL when out of memory. */
struct tma_checks *tma_checks_begin(uint32_t ctas, uint32_t warps, uint32_t shared_bytes,
                                    bool strict, const struct tma_ptx_launch *launch,
                                    tma_check_report *report, void *context);

/* Ends it: reports what is left open, unless the launch failed. Frees it; NULL is allowed. False if
 * memory ran out, so that something was not checked. */
bool tma_checks_end(struct tma_checks *checks, bool completed);

/* What an access does besides reading or writing. */
enum tma_check_access {
    TMA_CHECK_READ,
    TMA_CHECK_WRITE,
    TMA_CHECK_ATOMIC /* also volatile, relaxed, acquire and release: orders, and races with none */
};

/* A warp accesses `bytes` bytes at an address in the shared memory of CTA `target`. */
void tma_checks_access(struct tma_checks *checks, const struct tma_check_side *side,
                       enum tma_check_access access, uint32_t target, uint32_t address,
                       uint32_t bytes);

/* How the bytes of a tile lie: the swizzle of the tensor map (enum tma_swizzle), or of a wgmma
 * descriptor; TMA_CHECK_NO_LAYOUT: bytes that any reader may take. */
enum { TMA_CHECK_NO_LAYOUT = 255 };

/* A bulk operation, st.async or red.async writes shared memory, or reduces what is there, and
 * completes on an mbarrier of CTA `barrier_cta`. */
void tma_checks_bulk_write(struct tma_checks *checks, const struct tma_check_side *side,
                           uint32_t target, uint32_t address, uint32_t bytes, uint8_t layout,
                           bool reduces, uint32_t barrier_cta, uint32_t barrier);

/* A bulk operation from one CTA to another reads shared memory until it completes on an mbarrier.
 */
void tma_checks_bulk_source(struct tma_checks *checks, const struct tma_check_side *side,
                            uint32_t address, uint32_t bytes, uint32_t barrier_cta,
                            uint32_t barrier);

/* A bulk operation reads shared memory; it belongs to the warp's next bulk group. */
void tma_checks_bulk_read(struct tma_checks *checks, const struct tma_check_side *side,
                          uint32_t address, uint32_t bytes, uint8_t layout);

/* cp.async writes shared memory; it belongs to the warp's next group. */
void tma_checks_copy_write(struct tma_checks *checks, const struct tma_check_side *side,
                           uint32_t target, uint32_t address, uint32_t bytes);

/* wgmma reads an operand; it belongs to the warp's next wgmma group. */
void tma_checks_product_read(struct tma_checks *checks, const struct tma_check_side *side,
                             uint32_t address, uint32_t bytes, uint8_t layout);

/* The groups of a warp. */
enum tma_check_group { TMA_CHECK_BULK, TMA_CHECK_PRODUCT, TMA_CHECK_COPY, TMA_CHECK_GROUPS };
void tma_checks_commit(struct tma_checks *checks, const struct tma_check_side *side,
                       enum tma_check_group group);
/* Waits until at most `left` groups are in flight. */
void tma_checks_wait_group(struct tma_checks *checks, const struct tma_check_side *side,
                           enum tma_check_group group, uint32_t left);

/* mbarriers. Initialisation stands for invalidation, too. An arrival that does not release carries
 * what the warp's last fence does (enum tma_check_fence). */
void tma_checks_barrier_init(struct tma_checks *checks, const struct tma_check_side *side,
                             uint32_t barrier);
void tma_checks_barrier_arrive(struct tma_checks *checks, const struct tma_check_side *side,
                               uint32_t barrier_cta, uint32_t barrier, bool release);
/* cp.async.mbarrier.arrive: carries what the warp's cp.async have written so far, and nothing else.
 */
void tma_checks_copy_arrive(struct tma_checks *checks, const struct tma_check_side *side,
                            uint32_t barrier_cta, uint32_t barrier);
/* A phase completes. A warp that has waited for the phase before it must be known to whoever
 * arrived: else both phases can be over when the warp looks, and it waits for one more. */
void tma_checks_phase_complete(struct tma_checks *checks, uint32_t barrier_cta, uint32_t barrier);
/* A wait that succeeded: the phase before the current one is over. */
void tma_checks_barrier_wait(struct tma_checks *checks, const struct tma_check_side *side,
                             uint32_t barrier_cta, uint32_t barrier, bool acquire);

/* Named barriers of a CTA (0 to 15), and the cluster's (TMA_CHECK_CLUSTER). */
enum { TMA_CHECK_CLUSTER = 16 };
void tma_checks_sync_arrive(struct tma_checks *checks, const struct tma_check_side *side,
                            uint32_t barrier, bool release);
void tma_checks_sync_complete(struct tma_checks *checks, uint32_t cta, uint32_t barrier);
void tma_checks_sync_wait(struct tma_checks *checks, const struct tma_check_side *side,
                          uint32_t barrier, bool acquire);

/* The warp converges at a .sync instruction. */
void tma_checks_converge(struct tma_checks *checks, const struct tma_check_side *side);

enum tma_check_fence {
    TMA_CHECK_FENCE_PROXY, /* fence.proxy.async: what the warp wrote or knows of is there for TMA
                            * and wgmma (PTX ISA, memory consistency model: a proxy fence along the
                            * path of causality) */
    TMA_CHECK_FENCE_INIT,  /* fence.mbarrier_init: relaxed arrivals that follow carry mbarrier.init
                            */
    TMA_CHECK_FENCE_MEMORY /* fence.sc, .acq_rel, .release, membar: they carry what is before it */
};
void tma_checks_fence(struct tma_checks *checks, const struct tma_check_side *side,
                      enum tma_check_fence fence);

/* The last lanes of the warp have exited. */
void tma_checks_exit(struct tma_checks *checks, const struct tma_check_side *side);
