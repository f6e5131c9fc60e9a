/* Reliefs: single changes to a machine or to a workload that may make it faster. To find out what
 * limits a run, an experiment runs it again with one relief. */
#pragma once

#include <stddef.h>

#include "base/api.h"
#include "engine/result.h"

TMA_API_BEGIN

enum { TMA_CHANGE_BYTES = 120 };

/* What a relief changes: copies of the machine and of the workload. */
struct tma_relieved {
    struct tma_machine machine;
    void *workload;                  /* of the kind that the relief is for */
    const struct tma_result *before; /* the result without the relief */
    const char *const *map_names;    /* by tensor map of the workload; NULL: no names */
    uint32_t variant;                /* which of the relief's variants: 0, 1, ... */

    /* What the relief writes: the change in words, so that "NAME: CHANGE would save" is a sentence.
     */
    char change[TMA_CHANGE_BYTES];
    /* The work that is left, as a fraction; 1 / 1 for the same work. The time counts as if the rest
     * took as long. */
    uint32_t work, whole_work;
};

struct tma_relief {
    const char *key;  /* in JSON */
    const char *name; /* what is relieved, in a sentence */
    bool advice;      /* the relief is what a user can do; else it shows what limits the run */
    /* A smaller step of the same, variant by variant, or NULL: it is the advice where it saves as
     * much. */
    const struct tma_relief *smaller;
    /* Offset in struct tma_result of the fraction of the time for which the part was busy, which
     * says how likely it limits the run; 0: there is none. */
    size_t busy;
    /* Causes of roles' time (1 << enum tma_role_cause) that the relief can end; 0: not known. */
    uint32_t waits;
    /* Offset there of a figure in 64 bits that is 0 where there is nothing to relieve; or 0. */
    size_t used;
    int part;          /* enum tma_relief_part: it becomes a tenth better; 0: none */
    uint32_t variants; /* 0: one */
    /* Applies a variant, or what there is besides the part. False where it does not apply: there is
     * nothing to relieve, or the result would be illegal. NULL: the part is all. */
    bool (*apply)(struct tma_relieved *relieved);
};

/* Reliefs of the machine, for workloads of any kind. */
struct tma_reliefs {
    const struct tma_relief *const *items;
    size_t count;
};
extern const struct tma_reliefs tma_machine_reliefs;

TMA_API_END
