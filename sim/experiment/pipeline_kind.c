#include <string.h>

#include "base/allocation.h"
#include "engine/slots/run.h"
#include "experiment/experiment.h"
#include "experiment/pipeline_reliefs.h"

static enum tma_error_code run(const struct tma_machine *machine, const void *workload,
                               struct tma_result *result, struct tma_error *error) {
    return tma_run(machine, workload, NULL, result, error);
}

static void *copy(const void *workload) {
    struct tma_workload *copied = tma_allocate(1, sizeof *copied);
    if (copied != NULL)
        memcpy(copied, workload, sizeof *copied);
    return copied;
}

#define RELIEF(name) &tma_relief_##name,
static const struct tma_relief *const reliefs[] = {TMA_PIPELINE_RELIEFS(RELIEF)};
#undef RELIEF

const struct tma_workload_kind tma_pipeline_kind = {
    .run = run,
    .copy = copy,
    .release = tma_release,
    .reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]},
};
