/* The warp instructions that access shared memory, and how each addresses it. (PTX ISA, data
 * movement instructions: ld and st; parallel synchronization: red; warp level matrix instructions:
 * ldmatrix and stmatrix; asynchronous warpgroup level matrix instructions: wgmma.) */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/api.h"
#include "tensormap/types.h"

TMA_API_BEGIN

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
    TMA_WGMMA_SHARED, /* reads four core matrices of a wgmma operand, as ldmatrix.x4 does */
};

/* Decides which lane maps an instruction can use. */
enum tma_instruction_family {
    TMA_FAMILY_VECTOR, /* ld, st and red: each lane moves a vector at an address of its own */
    TMA_FAMILY_MATRIX, /* ldmatrix and stmatrix: each lane gives the address of a matrix row */
    TMA_FAMILY_WGMMA,  /* wgmma: a matrix descriptor gives the addresses */
};

struct tma_shared_instruction_info {
    const char *name; /* "ld.shared.b32", "ldmatrix.x4", ... */
    enum tma_instruction_family family;
    uint32_t lane_bytes; /* bytes accessed at a lane's address; also the address's alignment */
    uint32_t lanes;      /* lanes that give an address: the first 8, 16 or 32 of the warp */
    bool reduction;      /* the instruction updates memory; lanes of one word are serialized */
};

/* All names, in the order of the enumeration. */
extern const struct tma_names tma_shared_instruction_names;

/* Returns the properties of an instruction; never NULL. Asserts that the value is an enumerator. */
const struct tma_shared_instruction_info *
tma_shared_instruction_info(enum tma_shared_instruction instruction);

/* Whether the instruction writes shared memory. */
bool tma_shared_instruction_writes(enum tma_shared_instruction instruction);

TMA_API_END
