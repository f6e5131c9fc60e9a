/* Operations that the lanes of warps carry out, and not the TMA unit: loads, stores, reductions and
 * atomics of registers, and cp.async. The tile is that of a tensor map's box; its bytes go to the
 * lanes in pieces of the same size, 32 of which are one instruction of a warp. Each instruction is
 * an access to the load/store unit of the SM (memory/core/warp_access.h), as those of compiled
 * kernels are. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "expression/expression.h"
#include "memory/core/warp_access.h"

/* Who moves the bytes of an operation. */
enum tma_mover {
    TMA_BY_TMA,      /* cp.async.bulk.tensor: the TMA unit, with a tensor map */
    TMA_BY_BULK,     /* cp.async.bulk: the TMA unit, without one */
    TMA_BY_CP_ASYNC, /* cp.async: lanes, from global to shared memory */
    TMA_BY_WARPS     /* ld, st, red, atom: lanes, from or to registers */
};

/* Which piece a lane has. */
enum tma_piece_order {
    TMA_PIECES_CONTIGUOUS, /* lanes go along the rows of the tile, row after row */
    TMA_PIECES_STRIDED,    /* lanes go from row to row, and then along the rows */
    TMA_PIECES_SAME        /* every lane has the first piece of the tile */
};

struct tma_lanes {
    enum tma_mover by;
    enum tma_piece_order order;
    enum tma_caching caching; /* of loads */
    uint16_t policy;          /* of L2, whoever moves the bytes (tensormap/l2_policy.h); 0: none */
    uint32_t lane_bytes;      /* 1, 2, 4, 8 or 16; 0 with TMA_BY_TMA and TMA_BY_BULK */
    uint32_t active;          /* lanes that have a piece, over all warps; 0: as many as there are */
    bool returns;             /* of a reduction: atom, whose result comes back; else red */
    bool combines; /* of a reduction: lanes with one address make one request; else one each */
    /* Row i of the tile is row `entry + i` of the table, in the place of coordinate 1; NULL: the
     * rows of the box. */
    const struct tma_expression_table *rows;
};

/* The rows of a tile that lanes carry. */
struct tma_lane_rows {
    struct tma_lane_row {
        uint64_t address;
        uint32_t before, bytes; /* the row has its data from byte `before` on */
    } * rows;                   /* owned */
    size_t capacity;
};

static inline bool tma_lanes_carry(enum tma_mover by) {
    return by == TMA_BY_CP_ASYNC || by == TMA_BY_WARPS;
}
