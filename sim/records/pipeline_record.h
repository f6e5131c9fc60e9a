/* A record of a kernel with roles, as the kernel that it measured. */
#pragma once

#include <stdio.h>

#include "records/tsv.h"
#include "scenario/scenario.h"

/* Writes the kernel of a row as a scenario called `name`, for the machine file `gpu`, which is
 * *machine: warps spin in steps of its warp.spin_step. Fails with TMA_ERROR_SYNTAX if the scenario
 * column has a value out of range. Check `out` for write errors. */
enum tma_error_code tma_pipeline_record_write(const struct tma_tsv *records, size_t row,
                                              const struct tma_machine *machine, const char *name,
                                              const char *gpu, FILE *out, struct tma_error *error);

/* Reads what the above writes. Fails as it does, with TMA_ERROR_SYNTAX if that is no scenario, or
 * with TMA_ERROR_MEMORY. The caller frees *scenario, also after a failure. */
enum tma_error_code tma_pipeline_record_read(const struct tma_tsv *records, size_t row,
                                             const struct tma_machine *machine,
                                             struct tma_scenario *scenario,
                                             struct tma_error *error);
