#include "engine/sampling/sampler.h"

#include "base/allocation.h"

enum {
    WINDOWS = 3,    /* in a row that agree */
    TIME_MILLE = 5, /* by so much their times a unit may differ, in thousandths */
    TRAFFIC_MILLE = 10,
    PATIENCE_ROWS = 8000000, /* after so many rows they may differ by as much again */
    SLACK = 16,              /* what these shares are multiplied with, in sixteenths, before that */
    SECTOR_BYTES = 32,
    RATE_ONE = 1 << 30
};

bool tma_sampler_create(struct tma_sampler *sampler, const struct tma_sample_plan *plan) {
    *sampler = (struct tma_sampler){.plan = *plan,
                                    .marks = tma_allocate(TMA_SAMPLE_MARKS, sizeof *sampler->marks),
                                    .window = plan->window,
                                    .next = plan->window};
    return sampler->marks != NULL;
}

void tma_sampler_free(struct tma_sampler *sampler) {
    tma_release(sampler->marks);
    sampler->marks = NULL;
}

static uint64_t difference(uint64_t a, uint64_t b) {
    return a > b ? a - b : b - a;
}

/* What a window has of something for each unit, in 1 / RATE_ONE. */
static uint64_t rate_of(uint64_t from, uint64_t to, uint64_t units) {
    uint64_t amount = to > from ? to - from : 0;
    return (uint64_t)((unsigned __int128)amount * RATE_ONE / units);
}

static uint64_t cycles_of(uint64_t rate, uint64_t units) {
    return (uint64_t)((unsigned __int128)rate * units / RATE_ONE);
}

struct window_rates {
    uint64_t cycles, sectors, misses, dram;
};

static struct window_rates rates_of(const struct tma_sample_mark *from,
                                    const struct tma_sample_mark *to) {
    const struct tma_memory_counters *a = &from->tally.memory, *b = &to->tally.memory;
    uint64_t units = to->parts > from->parts ? to->parts - from->parts : 1;
    return (struct window_rates){.cycles = rate_of(from->cycle, to->cycle, units),
                                 .sectors = rate_of(a->sectors, b->sectors, units),
                                 .misses = rate_of(a->miss_sectors, b->miss_sectors, units),
                                 .dram =
                                     rate_of(a->dram_read_sectors + a->dram_write_sectors,
                                             b->dram_read_sectors + b->dram_write_sectors, units)};
}

/* Traffic of less than a tenth of what L2 is asked for counts as a tenth. */
static bool traffic_agrees(uint64_t a, uint64_t b, uint64_t sectors, uint64_t slack) {
    uint64_t most = a > b ? a : b;
    if (most < sectors / 10)
        most = sectors / 10;
    return difference(a, b) <= most / 1000 * TRAFFIC_MILLE * slack / SLACK;
}

static bool agree(const struct window_rates *a, const struct window_rates *b, uint64_t slack) {
    uint64_t most = a->cycles > b->cycles ? a->cycles : b->cycles;
    return difference(a->cycles, b->cycles) <= most / 1000 * TIME_MILLE * slack / SLACK &&
           traffic_agrees(a->misses, b->misses, a->sectors, slack) &&
           traffic_agrees(a->dram, b->dram, a->sectors, slack);
}

/* Whether the last windows, of `length` marks each, agree. They may differ more, the longer it
 * takes until they do. *error becomes how wrong their time a unit may be: twice the difference that
 * is allowed, because windows are taken as soon as they happen to differ by less. */
static bool are_steady(const struct tma_sampler *sampler, uint32_t length, uint64_t *error) {
    const struct tma_sample_mark *last = &sampler->marks[sampler->mark_count - 1];
    struct window_rates rates[WINDOWS];
    uint64_t least = UINT64_MAX, most = 0;
    for (uint32_t w = 0; w < WINDOWS; w++) {
        const struct tma_sample_mark *to = last - (size_t)w * length, *from = to - length;
        if (to->cycle < from->cycle + sampler->plan.window_cycles)
            return false;
        rates[w] = rates_of(from, to);
        least = rates[w].cycles < least ? rates[w].cycles : least;
        most = rates[w].cycles > most ? rates[w].cycles : most;
    }
    uint64_t slack = SLACK + last->tally.counters.rows / (PATIENCE_ROWS / SLACK);
    uint64_t allowed = most / 1000 * TIME_MILLE * slack / SLACK;
    *error = 2 * (allowed > most - least ? allowed : most - least);
    return agree(&rates[0], &rates[1], slack) && agree(&rates[1], &rates[2], slack) &&
           agree(&rates[0], &rates[2], slack);
}

/* Keeps every second mark: windows are twice as long from now on. */
static void halve_marks(struct tma_sampler *sampler) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < sampler->mark_count; i += 2)
        sampler->marks[kept++] = sampler->marks[i];
    sampler->mark_count = kept;
    sampler->window *= 2;
}

/* What counts for the guard so far: what L2 was asked for, or what came to lie in it. */
static uint64_t guard_bytes(const struct tma_sampler *sampler, const struct tma_tally *tally) {
    const struct tma_memory_counters *memory = &tally->memory;
    return SECTOR_BYTES * (sampler->plan.outgrows_l2 ? memory->miss_sectors + memory->write_sectors
                                                     : memory->sectors);
}

static void add_mark(struct tma_sampler *sampler, uint64_t progress,
                     const struct tma_sample_mark *mark) {
    uint64_t bytes = guard_bytes(sampler, &mark->tally);
    if (!sampler->guarded && bytes - sampler->guard_start >= sampler->plan.guard_bytes &&
        progress - sampler->guard_begin >= sampler->plan.guard) {
        sampler->guarded = true;
        sampler->mark_count = 0;
    }
    if (sampler->guarded) {
        if (sampler->mark_count == TMA_SAMPLE_MARKS)
            halve_marks(sampler);
        sampler->marks[sampler->mark_count++] = *mark;
    }
    sampler->next = (progress / sampler->window + 1) * sampler->window;
}

/* Finds the shortest windows that agree, and notes where they begin and end. */
static bool find_steady(struct tma_sampler *sampler) {
    for (uint32_t length = 1; WINDOWS * length < sampler->mark_count; length++) {
        sampler->compared = true;
        const struct tma_sample_mark *last = &sampler->marks[sampler->mark_count - 1];
        if (!are_steady(sampler, length, &sampler->steady_error))
            continue;
        sampler->steady[0] = *(last - (size_t)WINDOWS * length);
        sampler->steady[1] = *last;
        return true;
    }
    return false;
}

uint64_t tma_sampler_look(struct tma_sampler *sampler, uint64_t progress,
                          const struct tma_sample_mark *mark) {
    const struct tma_sample_plan *plan = &sampler->plan;
    add_mark(sampler, progress, mark);
    if (!find_steady(sampler))
        return 0;
    uint64_t window =
        (sampler->steady[1].parts - sampler->steady[0].parts) / TMA_UNIT_PARTS / WINDOWS;
    uint64_t tail = plan->tail > window ? plan->tail : window;
    uint64_t done = progress + sampler->skipped;
    if (done + tail >= plan->total)
        return 0;
    uint64_t left = plan->total - done - tail, most = done * plan->factor;
    return (left < most ? left : most) / plan->step * plan->step;
}

void tma_sampler_skip(struct tma_sampler *sampler, uint64_t units) {
    const struct tma_sample_mark *from = &sampler->steady[0], *to = &sampler->steady[1];
    uint64_t parts = units * TMA_UNIT_PARTS, span = to->parts - from->parts;
    tma_tally_extend(&sampler->tally, &from->tally, &to->tally, parts, span);
    sampler->skipped += units;
    sampler->skipped_cycles += cycles_of(rate_of(from->cycle, to->cycle, span), parts);
    sampler->error_cycles += cycles_of(sampler->steady_error, parts);
    sampler->guarded = false;
    sampler->guard_start = guard_bytes(sampler, &to->tally);
    sampler->guard_begin = to->parts / TMA_UNIT_PARTS;
    sampler->mark_count = 0;
    sampler->window = sampler->plan.window;
    sampler->next = (to->parts / TMA_UNIT_PARTS / sampler->window + 1) * sampler->window;
}

void tma_sampler_skip_shared(struct tma_sampler *sampler, uint64_t units,
                             const struct tma_sample_shares *shares) {
    uint64_t before = sampler->skipped_cycles;
    tma_sampler_skip(sampler, units);
    unsigned __int128 cycles = sampler->skipped_cycles - before;
    sampler->error_cycles += (uint64_t)(cycles * (uint64_t)shares->uncertain / TMA_SHARES_ONE);
}
