/* Shared-memory bank conflicts: how many wavefronts a warp instruction takes, and why.
 *
 * Shared memory has 32 banks of 4 bytes (CUDA Programming Guide, "Shared Memory"). The SM processes
 * an instruction in phases of at most 128 bytes: 32 lanes of up to 4 bytes, 16 lanes of 8 bytes or
 * 8 lanes of 16 bytes. Each 8x8 matrix of ldmatrix and stmatrix is one phase. A phase takes as many
 * wavefronts as its busiest bank has distinct words to transfer. An H200 showed two exceptions
 * (tests/hardware/h200/banks.tsv, banks_merged.tsv):
 * - A load of 8 or 16 bytes takes half as many phases, each of twice as many lanes, if lane XOR 1
 * of every active lane is inactive or has the same address, or if that holds for lane XOR 2.
 * - A reduction serializes all lanes of a bank, also lanes that update the same word. */
#pragma once

#include <stdint.h>

#include "banks/shared_instruction.h"
#include "base/api.h"

TMA_API_BEGIN

enum { TMA_WARP_LANES = 32, TMA_BANKS = 32, TMA_BANK_BYTES = 4 };

/* One warp instruction with its addresses. */
struct tma_warp_access {
    enum tma_shared_instruction instruction;
    uint32_t lane_mask;               /* bit i: lane i is active */
    uint32_t address[TMA_WARP_LANES]; /* byte addresses in shared memory; ldmatrix and stmatrix use
                                         the first 8, 16 or 32, one for each matrix row */
};

struct tma_bank_report {
    uint32_t wavefronts;
    uint32_t ideal_wavefronts; /* phases that have an active lane */
    uint32_t bank_conflicts;   /* the profiler's counter: wavefronts - ideal_wavefronts */
    uint32_t ways;             /* most wavefronts of one phase; 1 is conflict-free */
    uint32_t worst_bank;       /* the first bank that causes that many wavefronts */
    uint32_t worst_phase;      /* the first phase that takes that many wavefronts */
    uint32_t worst_lanes;      /* bit i: lane i accesses worst_bank in worst_phase */
    uint32_t banks_used;       /* bit b: the instruction accesses bank b */
};

/* Counts the wavefronts and the bank conflicts of one instruction. Never fails. Rounds each address
 * down to the instruction's alignment; the caller has to refuse misaligned addresses, as hardware
 * faults on them. Without an active lane the report is all zero. */
struct tma_bank_report tma_bank_conflicts(const struct tma_warp_access *access);

/* Returns the active lanes that phase `phase` of the instruction serves, as a mask; 0 past the last
 * phase. */
uint32_t tma_bank_phase_lanes(const struct tma_warp_access *access, uint32_t phase);

/* Assigns each active lane the wavefront that serves it, counted from 0 over the instruction, and
 * returns the number of wavefronts. Does not write the entries of inactive lanes. Among conflicting
 * words, the word of the lowest lane goes first; the order on hardware is not known. */
uint32_t tma_bank_schedule(const struct tma_warp_access *access, uint8_t wavefront[TMA_WARP_LANES]);

TMA_API_END
