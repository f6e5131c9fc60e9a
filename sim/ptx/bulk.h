/* Asynchronous copies. Each is complete when the warp goes on. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* Tensors: op->a shared memory, op->b the tensor map, op->c the mbarrier (absent: a bulk group),
 * op->d the mask of CTAs (absent: none); places[list] the coordinates, places[list2] the im2col
 * offsets; op->mode enum tma_direction, op->mode2 enum tma_access_mode, op->immediate enum
 * tma_reduction. */
tma_handler tma_run_bulk_tensor;

/* Bytes: op->a to, op->b from, op->c the mbarrier, op->d the mask of CTAs; places[list] the size,
 * places[list2] the byte mask. op->mode: 0 a copy, 1 a reduction (op->immediate: its word), 2 a
 * prefetch. op->space, op->space2: of `to` and `from`. */
tma_handler tma_run_bulk;

/* cp.async: op->element_bytes; places[list] the size of the source, or a predicate to ignore it. */
tma_handler tma_run_cp_async;
/* st.async, red.async: places[list] values, op->a address, op->c the mbarrier. */
tma_handler tma_run_store_async;

/* tensormap.replace: op->mode the field; op->immediate the ordinal; op->b the value. */
tma_handler tma_run_map_replace, tma_run_map_copy;
