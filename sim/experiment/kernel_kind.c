#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel_run.h"
#include "experiment/experiment.h"
#include "experiment/kernel_reliefs.h"

/* A kernel with statements of its own, which a relief may change. The expressions are shared. */
struct kernel_copy {
    struct tma_kernel kernel;
    struct tma_statement statements[];
};

static enum tma_error_code run(const struct tma_machine *machine, const void *workload,
                               struct tma_result *result, struct tma_error *error) {
    return tma_kernel_run(machine, workload, NULL, result, NULL, error);
}

static void *copy(const void *workload) {
    const struct tma_kernel *kernel = workload;
    size_t bytes = kernel->statement_count * sizeof *kernel->statements;
    struct kernel_copy *copied = tma_allocate(1, sizeof *copied + bytes);
    if (copied == NULL)
        return NULL;
    copied->kernel = *kernel;
    memcpy(copied->statements, kernel->statements, bytes);
    copied->kernel.statements = copied->statements;
    return &copied->kernel;
}

#define RELIEF(name) &tma_relief_##name,
static const struct tma_relief *const reliefs[] = {TMA_KERNEL_RELIEFS(RELIEF)};
#undef RELIEF

const struct tma_workload_kind tma_kernel_kind = {
    .run = run,
    .copy = copy,
    .release = tma_release,
    .reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]},
};
