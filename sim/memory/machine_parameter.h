/* What each number of a machine is: the rows of memory/machine_rows.h that are times, rates and
 * counts, as a table that clocks, reliefs, ablations and references go through. */
#pragma once

#include "memory/machine.h"

enum tma_quantity { TMA_QUANTITY_TIME, TMA_QUANTITY_RATE, TMA_QUANTITY_COUNT };

/* What a parameter keeps its pace with. */
enum tma_clock { TMA_CLOCK_NONE, TMA_CLOCK_SM, TMA_CLOCK_L2, TMA_CLOCK_DRAM, TMA_CLOCK_COUNT };

/* What becomes of a parameter where its part of the machine gets better. */
enum tma_improvement {
    TMA_KEPT,
    TMA_MORE,    /* a rate becomes a tenth larger */
    TMA_FASTER,  /* a service time becomes as short as with a rate that is a tenth larger */
    TMA_SHORTER, /* a latency becomes a tenth shorter */
    TMA_GONE     /* a latency becomes 0 */
};

/* The parts of a machine that get better one at a time. */
#define TMA_RELIEF_PARTS(X)                                                                        \
    X(none)                                                                                        \
    X(tma)                                                                                         \
    X(sm_port)                                                                                     \
    X(gpc_ports)                                                                                   \
    X(l2)      /* with what reductions and atomics take there, */                                  \
    X(atomics) /* which also get better alone */                                                   \
    X(lsu)                                                                                         \
    X(l1) /* more storage, which is no row: tma_improve_part_by */                                 \
    X(l1_misses)                                                                                   \
    X(dsmem)                                                                                       \
    X(dram)                                                                                        \
    X(latency)                                                                                     \
    X(cluster)                                                                                     \
    X(instructions)                                                                                \
    X(launch)                                                                                      \
    X(tile_counter)                                                                                \
    X(tensor_cores)                                                                                \
    X(shared_memory)

#define TMA_RELIEF_PART(name) TMA_RELIEF_OF_##name,
enum tma_relief_part { TMA_RELIEF_PARTS(TMA_RELIEF_PART) TMA_RELIEF_PART_COUNT };
#undef TMA_RELIEF_PART

/* The parts without which `validate --ablate` replays. */
enum tma_ablation {
    TMA_ABLATION_none,
    TMA_ABLATION_memory,
    TMA_ABLATION_compute,
    TMA_ABLATION_issue,
    TMA_ABLATION_launch,
    TMA_ABLATION_COUNT
};

/* A parameter's value without its mechanism. */
struct tma_off {
    enum tma_off_kind {
        TMA_OFF_KEPT,  /* it says what the GPU consists of */
        TMA_OFF_LEAST, /* the least value that is allowed */
        TMA_OFF_MOST,  /* the largest one */
        TMA_OFF_AT,    /* `value` */
        TMA_OFF_FAST   /* a thousand times the value */
    } kind;
    uint32_t value;
};

struct tma_machine_parameter {
    const char *path; /* in machine files: "tma.issue" */
    size_t offset;    /* of the uint32_t in struct tma_machine */
    enum tma_quantity quantity;
    bool sm_cycles; /* the unit is cycles of the SMs, or something in a cycle */
    enum tma_clock clock;
    enum tma_improvement improvement; /* of `relief` */
    enum tma_relief_part relief;
    enum tma_ablation ablation;
    struct tma_off off;
};

extern const struct tma_machine_parameter tma_machine_parameters[];
extern const size_t tma_machine_parameter_count;

/* "SM", "L2", "DRAM"; "" for what has no clock. */
extern const char *const tma_clock_names[TMA_CLOCK_COUNT];

/* Returns the parameter with the path, or NULL. */
const struct tma_machine_parameter *tma_machine_parameter_find(const char *path);

static inline uint32_t *tma_machine_value(struct tma_machine *machine,
                                          const struct tma_machine_parameter *parameter) {
    return (uint32_t *)(void *)((char *)machine + parameter->offset);
}
