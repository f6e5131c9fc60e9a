/* The units of an SM that compute, and its shared memory, are a tenth faster. */
#include <stdio.h>

#include "experiment/improvement.h"
#include "experiment/kernel_reliefs.h"

static bool faster_tensor_cores(struct tma_relieved *relieved) {
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_tensor_cores);
    snprintf(relieved->change, sizeof relieved->change, "10 %% more products per cycle");
    return tma_kernel_does(tma_kernel_of(relieved), TMA_WORK_MMA);
}

static bool faster_alu(struct tma_relieved *relieved) {
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_alu);
    snprintf(relieved->change, sizeof relieved->change, "10 %% more operations per cycle");
    return tma_kernel_does(tma_kernel_of(relieved), TMA_WORK_ALU);
}

/* An SM does so few in a cycle that a tenth more is no whole number of them, and may be none. */
static bool faster_sfu(struct tma_relieved *relieved) {
    uint32_t before = relieved->machine.sm.sfu;
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_sfu);
    snprintf(relieved->change, sizeof relieved->change,
             "%u special functions per cycle instead of %u", relieved->machine.sm.sfu, before);
    return relieved->machine.sm.sfu > before &&
           tma_kernel_does(tma_kernel_of(relieved), TMA_WORK_SFU);
}

static bool reads_shared_memory(const struct tma_kernel *kernel) {
    return tma_kernel_does(kernel, TMA_WORK_MMA) || tma_kernel_does(kernel, TMA_WORK_SHARED) ||
           tma_kernel_does(kernel, TMA_WORK_CONSUMER);
}

/* Wavefronts of warps, and operands of products. */
static bool faster_shared_memory(struct tma_relieved *relieved) {
    tma_improve_part(&relieved->machine, TMA_RELIEF_OF_shared_memory);
    tma_kernel_of(relieved)->relieved.wavefronts = TMA_WAVEFRONTS_TENTH_FASTER;
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% more wavefronts and operands per cycle");
    return reads_shared_memory(tma_kernel_of(relieved));
}

static bool without_conflicts(struct tma_relieved *relieved) {
    tma_kernel_of(relieved)->relieved.wavefronts = TMA_WAVEFRONTS_IDEAL;
    snprintf(relieved->change, sizeof relieved->change, "accesses without any");
    return tma_kernel_does(tma_kernel_of(relieved), TMA_WORK_CONSUMER);
}

/* The time that compute statements give in cycles. */
static bool shorter_computing(struct tma_relieved *relieved) {
    tma_kernel_of(relieved)->relieved.shorter_work = true;
    snprintf(relieved->change, sizeof relieved->change,
             "10 %% fewer of the cycles that the kernel's statements give");
    return tma_kernel_does(tma_kernel_of(relieved), TMA_WORK_CYCLES);
}

const struct tma_relief tma_relief_tensor_cores = {
    .key = "tensor_cores", .name = "tensor cores", .variants = 1, .apply = faster_tensor_cores};
const struct tma_relief tma_relief_alu = {
    .key = "alu", .name = "ALUs", .variants = 1, .apply = faster_alu};
const struct tma_relief tma_relief_sfu = {
    .key = "sfu", .name = "SFUs", .variants = 1, .apply = faster_sfu};
const struct tma_relief tma_relief_shared_memory = {
    .key = "shared_memory", .name = "shared memory", .variants = 1, .apply = faster_shared_memory};
const struct tma_relief tma_relief_free_of_conflicts = {
    .key = "bank_conflicts", .name = "bank conflicts", .variants = 1, .apply = without_conflicts};
const struct tma_relief tma_relief_computing = {
    .key = "computing", .name = "computing", .variants = 1, .apply = shorter_computing};
