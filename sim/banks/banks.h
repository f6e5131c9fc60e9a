/* Shared-memory banks: how many wavefronts a warp's instruction takes, and why.
 *
 * 32 banks of 4 bytes. An instruction is worked in phases of 128 bytes at most: 32 lanes of up to 4
 * bytes, 16 lanes of 8, 8 lanes of 16 (each 8x8 matrix of ldmatrix and stmatrix). A phase takes as
 * many wavefronts as its busiest bank has distinct words to give. Two exceptions: an 8-byte load of
 * one address by all lanes is one phase, and a reduction serves every lane of a bank on its own,
 * lanes of the same word too. */
#ifndef TMA_BANKS_BANKS_H
#define TMA_BANKS_BANKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "tensormap/types.h"

TMA_API_BEGIN

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
    TMA_WGMMA_SHARED, /* four 8 x 16-byte core matrices of a wgmma operand, read as by ldmatrix.x4
                       */
};

enum tma_instruction_family { TMA_FAMILY_VECTOR, TMA_FAMILY_MATRIX, TMA_FAMILY_WGMMA };

struct tma_shared_instruction_info {
    const char *name; /* "ld.shared.b32", "ldmatrix.x4", ... */
    enum tma_instruction_family family;
    uint32_t lane_bytes; /* at the address that a lane gives, and its alignment */
    uint32_t lanes;      /* that give an address: the first 8, 16 or 32 */
    bool reduction;
};

extern const struct tma_names tma_shared_instruction_names;

/* Never NULL for an enumerator. */
const struct tma_shared_instruction_info *
tma_shared_instruction_info(enum tma_shared_instruction instruction);

/* One warp instruction. ldmatrix and stmatrix take the row addresses of lanes 0-7, 0-15 or 0-31. */
struct tma_warp_access {
    enum tma_shared_instruction instruction;
    uint32_t lane_mask;               /* bit i: lane i is active */
    uint32_t address[TMA_WARP_LANES]; /* byte addresses in shared memory */
};

struct tma_bank_report {
    uint32_t wavefronts;
    uint32_t ideal_wavefronts; /* one for each phase with an active lane */
    uint32_t bank_conflicts;   /* the profiler's counter: wavefronts beyond the ideal */
    uint32_t ways;             /* worst bank: wavefronts in one phase; 1 is conflict-free */
    uint32_t worst_bank;       /* the first such bank */
    uint32_t worst_phase;
    uint32_t worst_lanes; /* the lanes that want words of that bank in that phase */
    uint32_t banks_used;  /* bit b: bank b was touched */
};

/* Never fails: an address is rounded down to its instruction's alignment (misalignment is the
 * caller's to refuse: hardware faults). No active lane: all zero. */
struct tma_bank_report tma_bank_conflicts(const struct tma_warp_access *access);

/* The active lanes that are served in phase `phase` of the instruction; 0 past its last phase. */
uint32_t tma_bank_phase_lanes(const struct tma_warp_access *access, uint32_t phase);

/* Gives each active lane the wavefront that serves it, counted from 0 over the instruction, and
 * returns their number. Which of the words that collide goes first is not known of the hardware:
 * here it is the one of the lowest lane. Entries of inactive lanes are not written. */
uint32_t tma_bank_schedule(const struct tma_warp_access *access, uint8_t wavefront[TMA_WARP_LANES]);

TMA_API_END

#endif
