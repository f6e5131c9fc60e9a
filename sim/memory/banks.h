/* Shared-memory banks: how many wavefronts a warp's instruction takes, and why.
 * 32 banks of 4 bytes; an instruction is worked in phases, and a phase takes as many wavefronts as
 * the busiest bank has distinct words to give. */
#ifndef TMA_MEMORY_BANKS_H
#define TMA_MEMORY_BANKS_H

#include <stdbool.h>
#include <stdint.h>

enum { TMA_WARP_LANES = 32, TMA_BANKS = 32, TMA_BANK_BYTES = 4 };

enum tma_shared_instruction {
    TMA_LD_SHARED_B8,
    TMA_LD_SHARED_B16,
    TMA_LD_SHARED_B32,
    TMA_LD_SHARED_B64,
    TMA_LD_SHARED_B128,
    TMA_ST_SHARED_B8,
    TMA_ST_SHARED_B16,
    TMA_ST_SHARED_B32,
    TMA_ST_SHARED_B64,
    TMA_ST_SHARED_B128,
    TMA_LDMATRIX_X1,
    TMA_LDMATRIX_X2,
    TMA_LDMATRIX_X4,
    TMA_STMATRIX_X1,
    TMA_STMATRIX_X2,
    TMA_STMATRIX_X4,
    TMA_RED_SHARED_B32,
};

/* One warp instruction. ldmatrix and stmatrix take the row addresses of lanes 0-7, 0-15 or 0-31. */
struct tma_warp_access {
    enum tma_shared_instruction instruction;
    uint32_t lane_mask;               /* bit i: lane i is active */
    uint32_t address[TMA_WARP_LANES]; /* byte addresses in shared memory */
};

struct tma_bank_report {
    uint32_t wavefronts;
    uint32_t ideal_wavefronts; /* of the same bytes without a conflict */
    uint32_t bank_conflicts;   /* the profiler's counter: wavefronts beyond one for each phase */
    uint32_t ways;             /* worst bank: distinct words in one phase; 1 is conflict-free */
    uint32_t worst_bank;       /* the first such bank */
    uint32_t worst_phase;
    uint32_t worst_lanes; /* the lanes that want words of that bank in that phase */
    uint32_t banks_used;  /* bit b: bank b was touched */
};

/* Never fails: addresses are taken modulo nothing, misalignment is the caller's to refuse. */
struct tma_bank_report tma_bank_conflicts(const struct tma_warp_access *access);

#endif
