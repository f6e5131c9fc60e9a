/* A slot of the capture program reads the coordinates of its next operation from shared memory, and
 * moves each into a register of the TMA instruction, so each dimension takes time. All figures are
 * those of kernels of one SM that an H200 ran (loops.tsv): cycles from an operation to the slot's
 * next one, less those of the program behind timing.tsv with the same operation. */
#include "records/capture_program.h"

/* With one slot, CTA 0 writes the clocks of each operation to its log. */
enum { LOG_CYCLES = 7 };

enum loop { LOAD, LOAD_IM2COL, STORE, REDUCE, LOOPS };

/* By the rank of the tensor map, with one slot, and with several: the program then waits for stores
 * with another instruction. */
static const int32_t more_cycles[LOOPS][2][TMA_MAX_RANK] = {
    [LOAD] = {{-8, 0, 8, 15, 22}, {-8, 0, 8, 15, 22}},
    [LOAD_IM2COL] = {{0, 0, 11, 16, 51}, {0, 0, 11, 16, 51}},
    [STORE] = {{-47, -34, -20, -5, 9}, {-42, -27, -11, 6, 22}},
    [REDUCE] = {{-41, -36, -30, -23, -16}, {-35, -28, -20, -9, -3}},
};

static enum loop loop_of(const struct tma_operation *operation) {
    if (operation->direction == TMA_STORE)
        return STORE;
    if (operation->direction == TMA_REDUCE)
        return REDUCE;
    return operation->access == TMA_ACCESS_IM2COL ? LOAD_IM2COL : LOAD;
}

struct tma_loop_code tma_capture_loop_code(const struct tma_workload *workload) {
    const struct tma_operation *operation = &workload->operations[0].operation;
    uint32_t rank = workload->maps[0].rank;
    if (operation->direction == TMA_PREFETCH || rank == 0)
        return (struct tma_loop_code){0};
    bool several = workload->depth > 1;
    return (struct tma_loop_code){
        .more_cycles = more_cycles[loop_of(operation)][several][rank - 1],
        .cta0_cycles = several ? 0 : LOG_CYCLES,
    };
}
