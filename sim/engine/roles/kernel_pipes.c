#include "engine/roles/kernel_pipes.h"

#include <string.h>

#include "banks/banks.h"
#include "memory/core/port.h"

enum {
    SPEED = TMA_PIPE_SPEED,
    WHOLE = 1024,                                   /* a pipe */
    ROUND_THREADS = TMA_SCHEDULERS * TMA_WARP_LANES /* of the warps that issue in one cycle */
};

/* Above all that a run can take. */
#define MOST_TICKS (UINT64_C(1) << 56)

/* So many operations, of which each scheduler begins 32 in an interval, in ticks. */
static uint64_t ticks_of(uint64_t operations, uint64_t interval_cycles) {
    uint64_t ticks;
    if (__builtin_mul_overflow(operations, interval_cycles * TMA_TICKS, &ticks) ||
        ticks > MOST_TICKS)
        return MOST_TICKS;
    return (ticks + ROUND_THREADS - 1) / ROUND_THREADS;
}

/* So many times as many millicycles, in ticks. */
static uint64_t times_ticks(uint64_t times, uint64_t millicycles) {
    uint64_t all;
    if (__builtin_mul_overflow(times, millicycles, &all) || all > MOST_TICKS)
        return MOST_TICKS;
    return all / 1000 * TMA_TICKS + all % 1000 * TMA_TICKS / 1000;
}

/* Instructions that read registers of threads. */
static uint64_t readers_of(const struct tma_instructions *instructions) {
    return instructions->amount[TMA_FMA] + instructions->amount[TMA_ALU] +
           instructions->amount[TMA_SFU];
}

/* A time that `unit` decides. */
static uint64_t tenth_faster(const struct tma_instructions *instructions, int unit,
                             uint64_t ticks) {
    return instructions->faster >> unit & 1 ? (ticks * 10 + 10) / 11 : ticks;
}

struct tma_instruction_ticks tma_instruction_ticks(const struct tma_machine *machine,
                                                   const struct tma_instructions *instructions) {
    const uint64_t *amount = instructions->amount;
    struct tma_instruction_ticks ticks = {
        .pipes = {[TMA_UNIT_FMA] = ticks_of(amount[TMA_FMA], machine->core.fma_cycles),
                  [TMA_UNIT_ALU] = ticks_of(amount[TMA_ALU], machine->core.alu_cycles),
                  [TMA_UNIT_SFU] = ticks_of(amount[TMA_SFU], machine->core.special_cycles),
                  [TMA_UNIT_ISSUE] = ticks_of(readers_of(instructions) + amount[TMA_OTHER], 1)},
        .alone = ticks_of(amount[TMA_CHAIN] * ROUND_THREADS, machine->core.chain_cycles)};
    uint32_t warps = instructions->warps;
    for (int p = 0; p < TMA_UNIT_COUNT; p++) {
        uint64_t all = ticks.pipes[p] = tenth_faster(instructions, p, ticks.pipes[p]);
        /* Fewer warps than schedulers leave the pipes of the others alone. */
        uint64_t own = warps < TMA_SCHEDULERS ? all * TMA_SCHEDULERS / warps : all;
        ticks.alone = tma_later(ticks.alone, own);
    }
    ticks.alone = tma_earlier(ticks.alone, MOST_TICKS);
    return ticks;
}

/* part / whole in units of `unit`, rounded up. */
static uint32_t part_of(uint64_t part, uint64_t whole, uint32_t unit) {
    for (; whole > UINT32_MAX; whole >>= 1)
        part >>= 1;
    return whole == 0 ? 0 : (uint32_t)((part * unit + whole - 1) / whole);
}

static bool comes_first(const struct tma_pipe_job *a, const struct tma_pipe_job *b) {
    return a->since != b->since ? a->since < b->since : a->order < b->order;
}

void tma_pipes_begin(struct tma_pipes *pipes, const struct tma_machine *machine,
                     const struct tma_instructions *instructions,
                     const struct tma_instruction_ticks *ticks, struct tma_pipe_job job) {
    uint64_t alone = ticks->alone;
    if (alone == 0)
        return;
    for (int p = 0; p < TMA_UNIT_COUNT; p++) {
        pipes->busy_ticks[p] += ticks->pipes[p];
        job.part[p] = part_of(ticks->pipes[p], alone, WHOLE);
    }
    /* Beside products, instructions that read the registers of threads wait for them. */
    uint64_t readers = readers_of(instructions);
    uint64_t each = readers / ((uint64_t)TMA_WARP_LANES * instructions->warps);
    uint64_t apart = times_ticks(each, machine->core.mma_warp_issue_millicycles);
    uint64_t beside = tma_later(alone, tenth_faster(instructions, TMA_UNIT_ISSUE, apart));
    uint64_t slots = times_ticks(readers / ROUND_THREADS, machine->core.mma_issue_millicycles) +
                     ticks_of(instructions->amount[TMA_OTHER], 1);
    uint64_t issue = tenth_faster(instructions, TMA_UNIT_ISSUE, slots);
    job.left = alone * (SPEED / TMA_TICKS);
    job.speed = (uint32_t)((uint64_t)SPEED * WHOLE / part_of(beside, alone, WHOLE));
    job.beside_part = part_of(issue, beside, WHOLE);
    uint32_t at = pipes->count++;
    for (; at > 0 && comes_first(&job, &pipes->jobs[at - 1]); at--)
        pipes->jobs[at] = pipes->jobs[at - 1];
    pipes->jobs[at] = job;
}

static bool are_beside(struct tma_products products, uint64_t cycle) {
    return cycle >= products.begin && cycle < products.end;
}

/* What a job takes of a pipe in a cycle, in 1/1024, at `speed`. */
static uint64_t use_of(const struct tma_pipe_job *job, int pipe, bool beside, uint64_t speed) {
    bool slots = beside && pipe == TMA_UNIT_ISSUE;
    uint64_t part = slots ? job->beside_part : job->part[pipe], full = slots ? job->speed : SPEED;
    return (part * speed + full - 1) / full;
}

/* What jobs ask for of each pipe, and what those before one of them have left, in 1/1024. */
struct shares {
    uint64_t asked[TMA_UNIT_COUNT], left[TMA_UNIT_COUNT];
};

static struct shares shares_of(const struct tma_pipe_job *jobs, uint32_t count, bool beside) {
    struct shares shares = {.left = {WHOLE, WHOLE, WHOLE, WHOLE}};
    for (uint32_t i = 0; i < count; i++)
        for (int p = 0; p < TMA_UNIT_COUNT; p++)
            shares.asked[p] += use_of(&jobs[i], p, beside, beside ? jobs[i].speed : SPEED);
    return shares;
}

/* What a job does in a cycle: `first` of each pipe, in 1/1024, goes to those that come first, the
 * others have what these leave; of the rest, each has the same part of what it asks for. */
static uint64_t take_turn(const struct tma_pipe_job *job, bool beside, uint32_t first,
                          struct shares *shares) {
    uint64_t most = beside ? job->speed : SPEED, rest = most, even = most;
    for (int p = 0; p < TMA_UNIT_COUNT; p++) {
        uint64_t use = use_of(job, p, beside, most);
        if (use > shares->left[p])
            rest = tma_earlier(rest, most * shares->left[p] / use);
        if (use > 0 && shares->asked[p] > WHOLE)
            even = tma_earlier(even, most * WHOLE / shares->asked[p]);
    }
    for (int p = 0; p < TMA_UNIT_COUNT; p++)
        shares->left[p] -= tma_earlier(shares->left[p], use_of(job, p, beside, rest));
    return (first * rest + (WHOLE - first) * even) / WHOLE;
}

/* The jobs run from `cycle` until one of them ends, the tensor cores begin or end, or `until`.
 * Returns that cycle. Those that have ended go. Adds what they do beside products. */
static uint64_t run(struct tma_pipe_job *jobs, uint32_t *count, uint32_t first,
                    struct tma_products products, uint64_t cycle, uint64_t until,
                    uint64_t beside_parts[TMA_UNIT_COUNT]) {
    bool beside = are_beside(products, cycle);
    struct shares shares = shares_of(jobs, *count, beside);
    uint64_t stop = until;
    if (cycle < products.begin && products.begin < stop)
        stop = products.begin;
    if (beside && products.end < stop)
        stop = products.end;
    for (uint32_t i = 0; i < *count; i++) {
        jobs[i].now = take_turn(&jobs[i], beside, first, &shares);
        if (jobs[i].now > 0)
            stop = tma_earlier(stop, cycle + (jobs[i].left + jobs[i].now - 1) / jobs[i].now);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        uint64_t done = tma_earlier(jobs[i].now * (stop - cycle), jobs[i].left);
        for (int p = 0; beside && p < TMA_UNIT_COUNT; p++)
            beside_parts[p] += done * jobs[i].part[p];
        if (jobs[i].left > done) {
            jobs[kept] = jobs[i];
            jobs[kept++].left -= done;
        }
    }
    *count = kept;
    return stop;
}

void tma_pipes_advance(struct tma_pipes *pipes, struct tma_products products, uint64_t cycle) {
    while (pipes->count > 0 && pipes->cycle < cycle)
        pipes->cycle = run(pipes->jobs, &pipes->count, pipes->first, products, pipes->cycle, cycle,
                           pipes->beside_parts);
    pipes->cycle = tma_later(pipes->cycle, cycle);
}

static bool has(const struct tma_pipe_job *jobs, uint32_t count, uint32_t number) {
    for (uint32_t i = 0; i < count; i++)
        if (jobs[i].number == number)
            return true;
    return false;
}

uint64_t tma_pipes_end(const struct tma_pipes *pipes, struct tma_products products,
                       uint32_t number) {
    uint32_t count = pipes->count;
    uint64_t cycle = pipes->cycle, beside_parts[TMA_UNIT_COUNT] = {0};
    memcpy(pipes->ahead, pipes->jobs, count * sizeof *pipes->jobs);
    while (has(pipes->ahead, count, number))
        cycle = run(pipes->ahead, &count, pipes->first, products, cycle, UINT64_MAX, beside_parts);
    return cycle;
}
