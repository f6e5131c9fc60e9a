/* What the instructions of scripts/capture/operations.cuh take in the loop of a slot. */
#ifndef TMA_RECORDS_CAPTURE_PROGRAM_H
#define TMA_RECORDS_CAPTURE_PROGRAM_H

#include "engine/workload.h"

/* The loop code of a workload of one operation, as the program `capture` executes it. */
struct tma_loop_code tma_capture_loop_code(const struct tma_workload *workload);

#endif
