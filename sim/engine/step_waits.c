#include "engine/step_waits.h"

enum { MOST_WAITS = 20 /* they are at most one in so many cycles */ };

bool tma_steps_wait(const uint64_t spent[TMA_ROLE_CAUSE_COUNT], struct tma_timed_loops loops) {
    uint64_t waits = spent[TMA_ROLE_FULL] + spent[TMA_ROLE_STORES], all = 0;
    for (int cause = 0; cause < TMA_ROLE_CAUSE_COUNT; cause++)
        all += spent[cause];
    uint64_t to_come = loops.all > loops.ended ? loops.all : loops.ended;
    return (unsigned __int128)waits * MOST_WAITS * loops.ended > (unsigned __int128)all * to_come;
}
