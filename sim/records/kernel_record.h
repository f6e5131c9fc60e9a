/* A record of a kernel that a compiler or a library generates, as a kernel of this library and the
 * settings of its parameters. */
#pragma once

#include "records/tsv.h"

enum { TMA_KERNEL_RECORD_SETTINGS = 24, TMA_KERNEL_RECORD_TEXT = 64 };

struct tma_kernel_record {
    char kernel[TMA_KERNEL_RECORD_TEXT]; /* name of the kernel's file, without its extension */
    char texts[TMA_KERNEL_RECORD_SETTINGS][TMA_KERNEL_RECORD_TEXT]; /* "BM=128" */
    const char *settings[TMA_KERNEL_RECORD_SETTINGS];
    size_t setting_count;
};

/* Makes the settings of a row: each argument K=V is a parameter of that name; S, W and ctas are
 * STAGES, WARPS and CTAS. A column `regs` limits the CTAs of an SM. The clock of the SMs is cycles
 * by ns. The kernel of cuBLAS is gemm_ws; its column `kernel` has tile, stages and cluster in its
 * name. Fails with TMA_ERROR_SYNTAX. */
enum tma_error_code tma_kernel_record_read(const struct tma_tsv *records, size_t row,
                                           struct tma_kernel_record *record,
                                           struct tma_error *error);
