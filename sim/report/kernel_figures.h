/* The figures that the report of a kernel derives from the result of its run. The formats only
 * print them. Internal to sim/report. */
#ifndef TMA_REPORT_KERNEL_FIGURES_H
#define TMA_REPORT_KERNEL_FIGURES_H

#include "engine/roles/kernel.h"
#include "report/clock_figures.h"
#include "report/kernel_report.h"
#include "report/limit_figures.h"
#include "report/report_sections.h"

/* The resources: enumerator, key, text in a report, and the field of the result that holds the
 * busy fraction. */
#define TMA_KERNEL_RESOURCES(X)                                                                    \
    X(TMA_KERNEL_TENSOR, "tensor_cores", "tensor cores", busy_tensor)                              \
    X(TMA_KERNEL_FMA, "fma", "FMA pipes: multiplications, additions", busy_fma)                    \
    X(TMA_KERNEL_ALU, "alu", "ALUs: maxima, conversions, integers", busy_alu)                      \
    X(TMA_KERNEL_SFU, "sfu", "special functions: exponentials, reciprocals", busy_sfu)             \
    X(TMA_KERNEL_ISSUE, "issue", "issue slots of compute statements", busy_issue)                  \
    X(TMA_KERNEL_TMA, "tma", "TMA units", busy_tma)                                                \
    X(TMA_KERNEL_SHARED, "shared_memory",                                                          \
      "shared memory: wavefronts of warps, products and TMA units", busy_shared)                   \
    X(TMA_KERNEL_SM_PORT, "sm_port", "data from L2 into the SMs", busy_sm_port)                    \
    X(TMA_KERNEL_CROSSBAR, "crossbar", "ports between L2 and the GPCs", busy_crossbar)             \
    X(TMA_KERNEL_L2, "l2", "L2 slices", busy_l2)                                                   \
    X(TMA_KERNEL_DRAM, "dram", "DRAM bus", busy_dram)

enum tma_kernel_resource {
#define TMA_KERNEL_RESOURCE_ENUM(name, key, text, figure) name,
    TMA_KERNEL_RESOURCES(TMA_KERNEL_RESOURCE_ENUM)
#undef TMA_KERNEL_RESOURCE_ENUM
        TMA_KERNEL_RESOURCE_COUNT
};

const char *tma_kernel_resource_key(enum tma_kernel_resource resource);
const char *tma_kernel_resource_text(enum tma_kernel_resource resource);

/* The resource that is busy for the largest part of a run, of a kernel with roles or of the short
 * form, which has no work for tensor cores, ALUs and SFUs. */
struct tma_busiest {
    const char *key;
    double busy; /* fraction of the run */
};

struct tma_busiest tma_busiest_of(const struct tma_result *result);

struct tma_kernel_figures {
    uint32_t sms;     /* that had a CTA */
    uint32_t threads; /* of a CTA */
    struct tma_clock_figures clock;
    uint32_t sm_clock_mhz;
    double time_ns;
    uint64_t moved_bytes; /* loaded, stored and reduced */
    double gigabytes_per_second, bytes_per_cycle_per_sm;
    double teraflops;     /* of matrix products: two operations for each multiply-add */
    double tensor_of_all; /* busy tensor cores, as a fraction of all SMs of the machine */
    struct tma_limit_figure limits[TMA_LIMIT_COUNT];
    struct tma_memory_figures memory;
    double busy[TMA_KERNEL_RESOURCE_COUNT];
    uint64_t role_cycles[TMA_MAX_ROLES];                        /* sum over the causes */
    uint32_t cause_tenths[TMA_MAX_ROLES][TMA_ROLE_CAUSE_COUNT]; /* in 0.1 % of the role's time */
};

/* A fraction or a rate is 0 where its divisor is 0. */
struct tma_kernel_figures tma_kernel_figures_of(const struct tma_kernel_report_input *input);

/* Write the formats of tma_kernel_report_write. */
void tma_kernel_report_text(const struct tma_kernel_report_input *input, FILE *out);
void tma_kernel_report_json(const struct tma_kernel_report_input *input, FILE *out);

/* The share of one cause of a role's time, all CTAs together. */
struct tma_cause_share tma_role_share(const struct tma_result *result,
                                      const struct tma_kernel_figures *figures, uint32_t role,
                                      enum tma_role_cause cause);

#endif
