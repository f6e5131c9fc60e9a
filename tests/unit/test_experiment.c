/* Experiments, with a kind of workload whose cycles follow from the machine by a formula: what is
 * tried, what counts as a saving, and what is told. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "experiment/experiment.h"
#include "machine.h"
#include "memory/core/random.h"
#include "suite.h"

/* A workload that takes so many cycles at the SM port (at the machine's rate), at DRAM, and
 * besides. A launch takes up to `spread` cycles more or less. */
struct toy {
    uint64_t port_cycles, dram_cycles, other_cycles, spread;
    uint32_t fails_at_rate; /* the run fails on a machine with this rate of the SM port */
    enum tma_error_code failure;
    uint32_t dies_at_rate; /* the process ends there */
    uint64_t waits;        /* of 1000 cycles of its role for data */
    bool slower;           /* set by the toy's relief: a tenth more of other_cycles */
    uint64_t bytes;
};

static struct tma_machine machine;
static unsigned runs, told; /* launches, and those that the observer was told of */
static uint64_t told_cycles;
static unsigned jobs;      /* of the subject */
static uint64_t most_work; /* of the subject */

static uint64_t at_rate(uint64_t cycles, uint32_t before, uint32_t now) {
    return cycles * before / now;
}

static enum tma_error_code run_toy(const struct tma_machine *on, const void *workload,
                                   struct tma_result *result, struct tma_error *error) {
    const struct toy *toy = workload;
    uint64_t launch = on->topology.seed * UINT64_C(1000003) + on->crossbar.sm_port_bytes_per_kcycle;
    uint64_t noise = tma_mix64(launch) % (2 * toy->spread + 1);
    runs++;
    if (toy->failure != TMA_OK && on->crossbar.sm_port_bytes_per_kcycle == toy->fails_at_rate)
        return tma_fail(error, toy->failure, "no");
    if (on->crossbar.sm_port_bytes_per_kcycle == toy->dies_at_rate)
        raise(SIGKILL);
    *result = (struct tma_result){0};
    result->cycles = at_rate(toy->port_cycles, machine.crossbar.sm_port_bytes_per_kcycle,
                             on->crossbar.sm_port_bytes_per_kcycle) +
                     at_rate(toy->dram_cycles, machine.dram.clock_mhz, on->dram.clock_mhz) +
                     toy->other_cycles + (toy->slower ? toy->other_cycles / 10 : 0) + noise -
                     toy->spread;
    result->counters = (struct tma_counters){.operations = 1,
                                             .tensor_bytes = toy->bytes,
                                             .sm_read_sectors = 1,
                                             .dram_read_sectors = toy->dram_cycles > 0};
    result->busy_sm_port = (double)toy->port_cycles / (double)result->cycles;
    result->busy_dram = (double)toy->dram_cycles / (double)result->cycles;
    result->role_cycles[0][TMA_ROLE_FULL] = toy->waits;
    result->role_cycles[0][TMA_ROLE_COMPUTE] = toy->waits == 0 ? 0 : 1000 - toy->waits;
    return TMA_OK;
}

static void *copy_toy(const void *workload) {
    struct toy *copy = tma_allocate(1, sizeof *copy);
    if (copy != NULL)
        *copy = *(const struct toy *)workload;
    return copy;
}

static bool slow_down(struct tma_relieved *relieved) {
    ((struct toy *)relieved->workload)->slower = true;
    strcpy(relieved->change, "a slower one");
    return true;
}

static bool lose_bytes(struct tma_relieved *relieved) {
    ((struct toy *)relieved->workload)->bytes--;
    ((struct toy *)relieved->workload)->other_cycles = 0;
    strcpy(relieved->change, "less work");
    return true;
}

static bool halve_work(struct tma_relieved *relieved) {
    struct toy *toy = relieved->workload;
    toy->bytes /= 2;
    toy->other_cycles /= 4;
    relieved->work = 1;
    relieved->whole_work = 2;
    strcpy(relieved->change, "half the work in a quarter of the time");
    return toy->other_cycles > 0;
}

static const struct tma_relief slower = {
    .key = "slower", .name = "slower", .advice = true, .apply = slow_down};
static const struct tma_relief loses = {
    .key = "loses", .name = "loses", .advice = true, .apply = lose_bytes};
static const struct tma_relief halves = {
    .key = "halves", .name = "halves", .advice = true, .apply = halve_work};
static const struct tma_relief *const toy_reliefs[] = {&slower, &loses, &halves};

static const struct tma_workload_kind toy_kind = {run_toy, copy_toy, tma_release, {toy_reliefs, 3}};

static void set_up(void) {
    machine = small_machine();
    machine.crossbar.sm_port_bytes_per_kcycle = 110000;
    machine.dram.clock_mhz = 1000;
    machine.topology.seed = 0;
    runs = 0;
    told = 0;
    told_cycles = 0;
    jobs = 0;
    most_work = 0;
}

static void progressed(void *context, uint64_t cycles, size_t done, size_t total) {
    ck_assert_ptr_eq(context, &told);
    ck_assert_uint_le(done, total);
    told = (unsigned)done;
    told_cycles += cycles;
}

static const struct tma_experiment_observer observer = {progressed, &told};

static enum tma_error_code experiment_on(const struct toy *toy, uint32_t draws,
                                         struct tma_experiments *experiments) {
    const struct tma_experiment_subject subject = {.machine = &machine,
                                                   .kind = &toy_kind,
                                                   .workload = toy,
                                                   .observer = &observer,
                                                   .jobs = jobs,
                                                   .most_work = most_work};
    struct tma_result result;
    struct tma_error error;
    ck_assert_int_eq(run_toy(&machine, toy, &result, &error), TMA_OK);
    return tma_experiments_run(&subject, &result, draws, experiments, &error);
}

static const struct tma_experiment *find(const struct tma_experiments *experiments,
                                         const char *key) {
    for (size_t i = 0; i < experiments->count; i++)
        if (strcmp(experiments->items[i].relief->key, key) == 0)
            return &experiments->items[i];
    return NULL;
}

/* A tenth more of a rate saves 1/11 of the time at it. */
static const struct {
    struct toy toy;
    const char *limits[3]; /* in order */
    double saved;          /* by the first */
} limits[] = {
    {{.port_cycles = 110000}, {"sm_port"}, 1.0 / 11},
    {{.dram_cycles = 110000}, {"dram"}, 1.0 / 11},
    {{.port_cycles = 66000, .dram_cycles = 44000}, {"sm_port", "dram"}, 0.6 / 11},
    {{.port_cycles = 22000, .dram_cycles = 88000}, {"dram"}, 0.8 / 11},
    {{.port_cycles = 11000, .other_cycles = 99000}, {NULL}, 0},
};

TEST_ROWS(test_limits, TABLE_ROWS(limits)) {
    struct tma_experiments experiments;
    ck_assert_int_eq(experiment_on(&limits[_i].toy, 0, &experiments), TMA_OK);
    size_t count = 0;
    for (; limits[_i].limits[count] != NULL; count++) {
        ck_assert_uint_lt(count, experiments.limit_count);
        const struct tma_experiment *item = &experiments.items[experiments.limits[count]];
        ck_assert_str_eq(item->relief->key, limits[_i].limits[count]);
        ck_assert(item->helps);
    }
    ck_assert_uint_eq(experiments.limit_count, count);
    if (count > 0)
        ck_assert_double_eq_tol(experiments.items[experiments.limits[0]].saved, limits[_i].saved,
                                1e-4);
}

/* One launch of everything where nothing is random. */
TEST(test_number_of_launches) {
    struct tma_experiments experiments;
    struct toy toy = {.port_cycles = 110000};
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
    /* The run itself, and each experiment; that with other bytes is none. */
    ck_assert_uint_eq(runs, 1 + experiments.count + 1);
    ck_assert_uint_eq(told, runs - 1); /* not of the run itself */
    machine.topology.seed = 1;
    runs = 0;
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
    ck_assert_uint_eq(find(&experiments, "sm_port")->cycles.count, 6);
    ck_assert_uint_eq(find(&experiments, "latency")->cycles.count, 1);
    ck_assert_int_eq(experiment_on(&toy, 5, &experiments), TMA_OK);
    ck_assert_uint_eq(find(&experiments, "sm_port")->cycles.count, 5);
    ck_assert_uint_eq(find(&experiments, "latency")->cycles.count, 5);
}

/* Worker processes find the same, and say how far they are. */
TEST_ROWS(test_jobs, 3) {
    static struct tma_experiments alone, together;
    struct toy toy = {.port_cycles = 66000, .dram_cycles = 44000, .spread = 900};
    uint64_t cycles;
    unsigned launches;
    machine.topology.seed = 1;
    ck_assert_int_eq(experiment_on(&toy, (uint32_t)_i, &alone), TMA_OK);
    cycles = told_cycles;
    launches = told;
    ck_assert_uint_ge(alone.limit_count, 1);
    jobs = 2;
    told = 0;
    told_cycles = 0;
    ck_assert_int_eq(experiment_on(&toy, (uint32_t)_i, &together), TMA_OK);
    ck_assert_int_eq(memcmp(&alone, &together, sizeof alone), 0);
    ck_assert_uint_le(told, launches);
    ck_assert_uint_le(told_cycles, cycles);
    ck_assert_uint_gt(told_cycles, 0);
}

/* With work for so many launches alone, the part that is busiest is tried first, and what was not
 * tried is named. The launch that was given counts for nothing. */
TEST_ROWS(test_most_work, 2) {
    enum { WORK_OF_LAUNCH = 16 };
    struct tma_experiments experiments;
    struct toy toy = {
        .port_cycles = 22000, .dram_cycles = 88000, .other_cycles = 10, .spread = 100};
    machine.topology.seed = 1;
    most_work = (uint64_t)WORK_OF_LAUNCH * (unsigned)(_i + 1);
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
    ck_assert_uint_eq(runs, 1 + (unsigned)_i + 1);
    ck_assert_ptr_nonnull(find(&experiments, "dram"));
    ck_assert_uint_eq(find(&experiments, "dram")->cycles.count, 1);
    ck_assert(find(&experiments, "sm_port") == NULL);
    bool named = false;
    for (size_t i = 0; i < experiments.untried_count; i++)
        named |= strcmp(experiments.untried[i]->key, "sm_port") == 0;
    ck_assert(named);
}

/* Less latency comes before the part that is busiest where a role does little but wait for data,
 * and behind it where it waits for none. */
TEST_ROWS(test_waits_first, 2) {
    enum { WORK_OF_LAUNCH = 16 };
    struct tma_experiments experiments;
    struct toy toy = {.dram_cycles = 60000, .other_cycles = 40000, .waits = _i == 0 ? 900 : 1};
    most_work = WORK_OF_LAUNCH;
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
    ck_assert((find(&experiments, "latency") != NULL) == (_i == 0));
    ck_assert((find(&experiments, "dram") != NULL) == (_i == 1));
}

/* A worker that dies is an error, which says how. */
TEST(test_worker_dies) {
    struct tma_experiments experiments;
    struct toy toy = {.port_cycles = 110000, .other_cycles = 100, .dies_at_rate = 121000};
    const struct tma_experiment_subject subject = {
        .machine = &machine, .kind = &toy_kind, .workload = &toy, .jobs = 2};
    struct tma_result result;
    struct tma_error error;
    ck_assert_int_eq(run_toy(&machine, &toy, &result, &error), TMA_OK);
    ck_assert_int_eq(tma_experiments_run(&subject, &result, 0, &experiments, &error),
                     TMA_ERROR_MEMORY);
    ck_assert_ptr_nonnull(strstr(error.text, "signal"));
}

/* Launches of one machine differ, and differ from those of another. A saving of 3 % is one where
 * they differ by 1 %. With --draws, it is none where the ranges overlap. */
static const struct {
    uint64_t spread;
    uint32_t draws;
    bool helps;
} chances[] = {{1100, 0, true}, {200, 20, true}, {6000, 20, false}};

TEST_ROWS(test_chance, TABLE_ROWS(chances)) {
    struct tma_experiments experiments;
    struct toy toy = {.port_cycles = 36300, .other_cycles = 73700, .spread = chances[_i].spread};
    machine.topology.seed = 7;
    ck_assert_int_eq(experiment_on(&toy, chances[_i].draws, &experiments), TMA_OK);
    const struct tma_experiment *port = find(&experiments, "sm_port");
    ck_assert_double_eq_tol(port->saved, 0.03, 0.03);
    ck_assert_int_eq(port->helps, chances[_i].helps);
}

/* A relief without effect seems to help in few of 200 runs, though launches differ by 10 %. */
TEST(test_no_effect) {
    struct toy toy = {.other_cycles = 110000, .spread = 5500};
    unsigned mistaken = 0;
    for (uint32_t seed = 1; seed <= 2000; seed += 10) {
        struct tma_experiments experiments;
        machine.topology.seed = seed;
        ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
        mistaken += find(&experiments, "sm_port")->helps;
    }
    ck_assert_uint_le(mistaken, 20);
}

TEST(test_advice) {
    struct tma_experiments experiments;
    struct toy toy = {.other_cycles = 100000, .bytes = 64};
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
    const struct tma_experiment *slow = find(&experiments, "slower");
    ck_assert(slow != NULL && !slow->helps);
    ck_assert_double_eq_tol(slow->saved, -0.1, 1e-9);
    ck_assert_str_eq(slow->change, "a slower one");
    /* Other work is no experiment, unless the relief says how much is left. */
    ck_assert_ptr_null(find(&experiments, "loses"));
    const struct tma_experiment *half = find(&experiments, "halves");
    ck_assert(half != NULL && half->helps);
    ck_assert_uint_eq(half->cycles.mean, 50000);
    ck_assert_uint_eq(experiments.advice_count, 1);
}

/* Saves so many percent, by variant. */
static bool save(struct tma_relieved *relieved, const uint64_t percent[2]) {
    struct toy *toy = relieved->workload;
    toy->other_cycles -= toy->other_cycles * percent[relieved->variant] / 100;
    return true;
}

static bool step(struct tma_relieved *relieved) {
    return save(relieved, (const uint64_t[]){10, 3});
}

static bool two_steps(struct tma_relieved *relieved) {
    return save(relieved, (const uint64_t[]){10, 6});
}

static const struct tma_relief one_step = {
    .key = "step", .name = "step", .variants = 2, .apply = step};
static const struct tma_relief larger = {.key = "larger",
                                         .name = "larger",
                                         .advice = true,
                                         .smaller = &one_step,
                                         .variants = 2,
                                         .apply = two_steps};
static const struct tma_relief *const steps[] = {&one_step, &larger};
static const struct tma_workload_kind kind_with_steps = {
    run_toy, copy_toy, tma_release, {steps, 2}};

/* A smaller step is the advice where it saves as much: here of variant 0. */
TEST(test_smaller_step) {
    static const struct {
        const char *key;
        uint32_t variant;
    } advice[] = {{"step", 0}, {"larger", 1}};
    struct tma_experiments experiments;
    const struct toy toy = {.other_cycles = 100000};
    const struct tma_experiment_subject subject = {
        .machine = &machine, .kind = &kind_with_steps, .workload = &toy};
    struct tma_result result;
    ck_assert_int_eq(run_toy(&machine, &toy, &result, NULL), TMA_OK);
    ck_assert_int_eq(tma_experiments_run(&subject, &result, 0, &experiments, NULL), TMA_OK);
    ck_assert_uint_eq(experiments.advice_count, TABLE_ROWS(advice));
    for (size_t i = 0; i < TABLE_ROWS(advice); i++) {
        const struct tma_experiment *item = &experiments.items[experiments.advice[i]];
        ck_assert_str_eq(item->relief->key, advice[i].key);
        ck_assert_uint_eq(item->variant, advice[i].variant);
    }
}

/* A relief with which the workload cannot run is left out; a lack of memory ends everything. */
TEST(test_failures) {
    struct tma_experiments experiments;
    struct toy toy = {
        .port_cycles = 110000, .fails_at_rate = 121000, .failure = TMA_ERROR_DEADLOCK};
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_OK);
    ck_assert_ptr_null(find(&experiments, "sm_port"));
    ck_assert_ptr_nonnull(find(&experiments, "latency"));
    toy.failure = TMA_ERROR_MEMORY;
    ck_assert_int_eq(experiment_on(&toy, 0, &experiments), TMA_ERROR_MEMORY);
}

static uint64_t allocations_left;

static bool fails_at_end(void) {
    return allocations_left > 0 && --allocations_left == 0;
}

/* Each allocation that fails is reported. */
TEST_ROWS(test_out_of_memory, 2) {
    static struct tma_experiments experiments;
    struct toy toy = {.port_cycles = 110000, .other_cycles = 100};
    enum tma_error_code code = TMA_ERROR_MEMORY;
    uint64_t n = 0;
    machine.topology.seed = 1;
    tma_allocation_fails = fails_at_end;
    while (code != TMA_OK) {
        allocations_left = ++n;
        code = experiment_on(&toy, (uint32_t)_i, &experiments);
        ck_assert(code == TMA_OK || code == TMA_ERROR_MEMORY);
        ck_assert_uint_lt(n, 10000);
    }
    tma_allocation_fails = NULL;
    ck_assert_uint_gt(n, 20);
}

TEST(test_launches) {
    const uint64_t cycles[] = {40, 10, 30, 20};
    struct tma_launches a, b;
    ck_assert_int_eq(tma_launches_of(cycles, 4, &a), TMA_OK);
    ck_assert_uint_eq(a.count, 4);
    ck_assert_uint_eq(a.mean, 25);
    ck_assert_uint_eq(a.median, 20);
    ck_assert_uint_eq(a.least, 10);
    ck_assert_uint_eq(a.most, 40);
    b = (struct tma_launches){.count = 1, .least = 40, .most = 50};
    ck_assert(tma_launches_overlap(&a, &b) && tma_launches_overlap(&b, &a));
    b.least = 41;
    ck_assert(!tma_launches_overlap(&a, &b) && !tma_launches_overlap(&b, &a));
}

TEST_SUITE("experiment", .set_up = set_up);
