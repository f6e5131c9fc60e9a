/* How long a launch takes: it runs again, with its memory as it was before. */
#pragma once

#include "launch_record.h"

/* A copy of the memory that a launch may write. */
struct saved_memory {
    size_t count;
    cu_pointer copies[MOST_BUFFERS];
};

/* Copies the launch's buffers on the GPU. False, with the reason in the log, if there is no room.
 */
bool saved_memory_take(const struct recorded_launch *launch, struct saved_memory *saved);
void saved_memory_free(struct saved_memory *saved);

/* Calls the driver's function again that launched the kernel, with the same arguments. */
typedef cu_result launch_again(const void *context);

/* Launches again, a few times with nothing of the buffers in L2, as often with what restoring them
 * leaves there, and as often between two looks at the SMs' clocks, and puts medians into
 * launch->times. Memory is as after one launch then. */
void measure_launch(struct recorded_launch *launch, const struct saved_memory *saved,
                    launch_again *again, const void *context);
