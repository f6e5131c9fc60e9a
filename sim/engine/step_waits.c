#include "engine/step_waits.h"

enum { MOST_WAITS = 20 /* they are at most one in so many cycles */ };

uint64_t tma_steps_cycles(const uint64_t spent[TMA_ROLE_CAUSE_COUNT]) {
    uint64_t sum = 0;
    for (int cause = 0; cause < TMA_ROLE_CAUSE_COUNT; cause++)
        sum += spent[cause];
    return sum;
}

bool tma_steps_wait(const uint64_t spent[TMA_ROLE_CAUSE_COUNT], struct tma_timed_loops loops) {
    uint64_t waits = spent[TMA_ROLE_FULL] + spent[TMA_ROLE_STORES], all = tma_steps_cycles(spent);
    uint64_t to_come = loops.all > loops.ended ? loops.all : loops.ended;
    return (unsigned __int128)waits * MOST_WAITS * loops.ended > (unsigned __int128)all * to_come;
}
