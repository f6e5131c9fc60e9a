/* The pipes of an SM to which its four schedulers issue the instructions of warps: FMA, ALU,
 * special functions; and the schedulers' issue slots, which all instructions take. Roles share
 * them, an instruction at a time. Where they ask for more of a pipe than it has, a part goes to the
 * instructions that have begun first, since a scheduler prefers the warp that it issued last; of
 * the rest, each role has the same part of what it asks for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/roles/kernel.h"
#include "engine/watch.h"
#include "memory/machine.h"

enum { TMA_PIPE_SPEED = 1 << 14 /* of instructions that run alone, in a cycle */ };

/* The instructions of one compute statement. */
struct tma_instructions {
    uint64_t amount[TMA_AMOUNTS]; /* operations, 32 for each warp that executes one; chain: a number
                                     of instructions of a warp */
    uint32_t warps;               /* that execute them */
    uint32_t faster;              /* 1 << unit: it is a tenth faster than the machine's */
};

/* Instructions under way. */
struct tma_pipe_job {
    uint32_t number; /* of the role */
    uint64_t order;  /* of those that have begun in one cycle */
    uint64_t since;  /* cycle from which the role has computed without a wait */
    uint64_t left;   /* time that it would take alone, 1/16384 cycles */
    uint64_t now;    /* of this, in a cycle, beside the others */
    uint32_t speed;  /* of this, in a cycle, while the tensor cores multiply beside it */
    uint32_t part[TMA_UNIT_COUNT]; /* of a pipe that it takes when alone, in 1/1024 */
    uint32_t beside_part;          /* of the issue slots, beside products */
};

struct tma_pipes {
    struct tma_pipe_job *jobs;  /* those that began first come first; not owned; room for one of
                                   each role of the SM */
    struct tma_pipe_job *ahead; /* the same: to look ahead */
    uint32_t count;
    uint32_t first;                      /* part of a pipe for those that come first, in 1/1024 */
    uint64_t cycle;                      /* up to which the jobs have run */
    uint64_t busy_ticks[TMA_UNIT_COUNT]; /* of all jobs so far */
    /* Of what they did while the tensor cores multiplied, in ticks / TMA_PIPE_SPEED. */
    uint64_t beside_parts[TMA_UNIT_COUNT];
};

/* When the tensor cores multiply: from `begin` to before `end`, cycles; begin is what the latest
 * product found free. */
struct tma_products {
    uint64_t begin, end;
};

/* How long instructions take, in ticks. */
struct tma_instruction_ticks {
    uint64_t pipes[TMA_UNIT_COUNT]; /* each pipe */
    uint64_t alone;                 /* all of it, where no others run */
};

struct tma_instruction_ticks tma_instruction_ticks(const struct tma_machine *machine,
                                                   const struct tma_instructions *instructions);

/* The jobs run up to `cycle`. */
void tma_pipes_advance(struct tma_pipes *pipes, struct tma_products products, uint64_t cycle);

/* A role begins instructions at pipes->cycle, which take `ticks`: `job` has its number, order and
 * since. */
void tma_pipes_begin(struct tma_pipes *pipes, const struct tma_machine *machine,
                     const struct tma_instructions *instructions,
                     const struct tma_instruction_ticks *ticks, struct tma_pipe_job job);

/* The cycle at which the role's instructions end, if no others begin; the cycle up to which the
 * pipes are advanced where they have ended. */
uint64_t tma_pipes_end(const struct tma_pipes *pipes, struct tma_products products,
                       uint32_t number);
