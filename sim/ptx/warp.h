/* Runs the warps of a cluster. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

enum tma_turn {
    TMA_TURN_PARKED,  /* every path waits */
    TMA_TURN_POLLED,  /* a poll found nothing, or the warp sleeps */
    TMA_TURN_QUANTUM, /* more to do */
    TMA_TURN_ENDED,
    TMA_TURN_FAILED
};

/* Runs a warp until it waits, ends, or has executed `quantum` instructions. */
enum tma_turn tma_run_warp(struct tma_warp *warp, uint32_t quantum);

/* Chooses the path that runs next. False: all of them wait. */
bool tma_choose_path_slowly(struct tma_warp *warp);
static inline bool tma_choose_path(struct tma_warp *warp) {
    /* Mostly there is one, which goes on. */
    if (warp->path_count != 1 || warp->paths[0].parked || warp->paths[0].passed)
        return tma_choose_path_slowly(warp);
    warp->current = 0;
    return true;
}

/* Ends the waits of try_wait without success, as hardware does after a time. */
void tma_give_up(struct tma_warp *warp);
