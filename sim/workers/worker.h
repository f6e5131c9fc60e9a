/* The life of a worker, after the fork. Internal to sim/workers. */
#pragma once

#include <sys/types.h>

#include "workers/pool.h"

enum { TMA_MESSAGE_BYTES = 16384 }; /* of what a task printed, that an outcome keeps */

/* Does the tasks that come through `channel`, and ends the process when no more can come. What
 * tasks print goes to the file `messages`. `parent` is the process of the pool. */
_Noreturn void tma_worker_live(const struct tma_worker_code *code, int channel, int messages,
                               pid_t parent);

/* Reads the last TMA_MESSAGE_BYTES - 1 bytes of a file. Returns how many there were; a zero follows
 * them. */
size_t tma_read_messages(int messages, char text[TMA_MESSAGE_BYTES]);
