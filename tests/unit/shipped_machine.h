/* The machines of configs/gpus, for tests. */
#pragma once

#include "scenario/machine_file.h"
#include "suite.h"

/* The machine of configs/gpus/NAME.yaml. */
static inline struct tma_machine shipped_machine(const char *name) {
    struct tma_machine machine;
    struct tma_diagnostics list = {0};
    char path[64];
    snprintf(path, sizeof path, "configs/gpus/%s.yaml", name);
    ck_assert(tma_machine_read(path, &machine, &list));
    tma_diagnostics_free(&list);
    return machine;
}
