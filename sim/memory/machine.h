/* The machine: every property of a GPU that the timing model uses, each with its unit in its name.
 * memory/machine_rows.h lists and explains them. Values come from configs/gpus/NAME.yaml, with
 * their origin beside them. */
#pragma once

#include "base/api.h"
#include "memory/policies.h"
#include "tensormap/rules.h"

TMA_API_BEGIN

enum {
    TMA_DRAM_MAX_GROUPS = 8, /* bank groups of a DRAM channel, in all ranks */
    TMA_MAX_SMS = 256,
    TMA_MAX_GPCS = 16,
    TMA_GROUP_SLICES = 8,      /* L2 slices that lie together */
    TMA_MAX_SLICE_GROUPS = 16, /* of a partition, of which distances are known */
    TMA_MAX_SLICE_DISTANCES = TMA_MAX_GPCS * TMA_MAX_SLICE_GROUPS,
    TMA_TPC_SMS = 2,  /* SMs 2k and 2k + 1 are a TPC */
    TMA_GPC_CPCS = 3, /* each has up to three TPCs of its GPC */
    TMA_MAX_CPCS = TMA_MAX_GPCS * TMA_GPC_CPCS,
    TMA_SCHEDULERS = 4, /* of an SM, to which its warps belong in turn */
    TMA_MAX_NAME = 64,
    TMA_MAX_COALESCED = 7,
    TMA_SECTOR_BYTES = 32,
    TMA_LINE_BYTES = 128,
    TMA_L2_MAX_WAYS = 16, /* of a set */
    TMA_MAX_CARVE_OUTS = 16,
    TMA_MAX_TLB_MISSES = 64, /* of a CPC */
    TMA_LEAST_SM_MHZ = 100   /* a clock of the SMs that a user can give */
};

/* What is known of the timing of a machine. */
struct tma_timing_trust {
    /* It was compared with records of a real GPU, and has the values that it had then. */
    bool validated;
    bool edited;      /* it was compared with records, but some value is another one now */
    bool public_data; /* it follows from public figures alone */
};

struct tma_machine {
    char name[TMA_MAX_NAME];
    enum tma_architecture architecture; /* its rules decide which tensor maps are legal */
    struct tma_timing_trust trust;

    /* The other fields are one for each row: sm_count, tma.issue_cycles, ... */
#define TMA_GPU(key, member, ...) uint32_t member;
#define TMA_SECTION(section)      struct {
#define TMA_SECTION_END(section)                                                                   \
    }                                                                                              \
    section;
#define TMA_TIME(section, key, member, ...)                    uint32_t member;
#define TMA_RATE(section, key, member, ...)                    uint32_t member;
#define TMA_COUNT(section, key, member, ...)                   uint32_t member;
#define TMA_POWER(section, key, member, ...)                   uint32_t member;
#define TMA_SIZE(section, key, member, ...)                    uint64_t member;
#define TMA_WORD(section, key, member, type, ...)              enum tma_##type member;
#define TMA_LIST(section, member, count, length, ...)          uint32_t member[length], count;
#define TMA_BOUND_LIST(section, member, length, most, meaning) uint32_t member[length];
#include "memory/machine_rows.h"
};

/* Cycles from an L2 miss to the first data, where DRAM opens a row and nothing else is in the way.
 */
uint64_t tma_machine_dram_cycles(const struct tma_machine *machine);

/* The least time from the cycle in which the memory system finds that an operation is at its end,
 * to its completion: what completes within this time is known. */
uint32_t tma_machine_completion_cycles(const struct tma_machine *machine);

/* The least time from a write that leaves an SM to the SM's knowing that L2 has it. */
uint32_t tma_machine_write_cycles(const struct tma_machine *machine);

/* CTAs that an SM runs at once, with so many threads, registers a thread (0: they do not limit it)
 * and bytes of shared memory each; 0: not even one fits. */
uint32_t tma_machine_ctas_per_sm(const struct tma_machine *machine, uint64_t threads,
                                 uint32_t registers, uint64_t shared_bytes);

/* What an SM sets apart for shared memory where its CTAs take so many bytes: the least carve-out
 * that has room, or the largest one. */
uint64_t tma_machine_carve_out(const struct tma_machine *machine, uint64_t shared_bytes);

/* Bytes that DRAM moves in 1000 SM cycles, at the pins. */
uint64_t tma_machine_dram_bytes_per_kcycle(const struct tma_machine *machine);

/* Groups of slices that lie together, of one partition. */
static inline uint32_t tma_machine_slice_groups(const struct tma_machine *machine) {
    uint32_t slices = machine->l2.slices / machine->l2.partitions;
    return (slices + TMA_GROUP_SLICES - 1) / TMA_GROUP_SLICES;
}

/* The machine with its SMs at another clock; less than TMA_LEAST_SM_MHZ: at its own. L2 and DRAM
 * keep their clocks: what has the clock L2 in memory/machine_rows.h is another number of cycles of
 * the SMs, and as long or as much in a second, as far as whole numbers of its unit say. DRAM has
 * its values in picoseconds. */
struct tma_machine tma_machine_at_clock(const struct tma_machine *machine, uint32_t sm_clock_mhz);

TMA_API_END
