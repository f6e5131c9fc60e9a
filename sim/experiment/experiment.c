#include "experiment/experiment.h"

#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/allocation.h"

/* An operation takes about as long to simulate as this many L2 requests. */
enum { REQUESTS_OF_OPERATION = 16 };

/* Launches of an experiment. One launch is enough for a relief that does not matter (its saving is
 * within SAME of nothing), or that costs HARM or more. Of the others there are `first` launches,
 * and `all` where these save PROMISING or more. The cycles of short runs differ more from launch to
 * launch. */
static const struct {
    uint64_t most_work;
    uint32_t first, all;
} launch_counts[] = {{64000, 3, 6}, {UINT64_MAX, 2, 4}};
#define SAME      0.002
#define HARM      0.05
#define PROMISING 0.01

uint64_t tma_run_work(const struct tma_result *result) {
    return result->counters.l2_requests + REQUESTS_OF_OPERATION * result->counters.operations;
}

/* What all experiments of a run share. */
struct series {
    const struct tma_experiment_subject *subject;
    const struct tma_result *before; /* the run's own result */
    bool draws;                      /* the user chose the launches */
    uint32_t first_seed;
    uint32_t first, all;       /* launches */
    uint64_t *plain;           /* owned: cycles without a relief, by launch */
    uint32_t plain_count;      /* of them, those that are known */
    uint64_t *cycles;          /* owned: cycles of the current experiment, by launch */
    struct tma_result *result; /* owned: of the last run */
    struct tma_experiments *experiments;
    size_t tried, total; /* variants of reliefs */
};

static enum tma_error_code out_of_memory(struct tma_error *error) {
    return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
}

/* The subject without a relief. */
static bool copy_subject(const struct series *series, struct tma_relieved *relieved) {
    const struct tma_experiment_subject *subject = series->subject;
    *relieved = (struct tma_relieved){.machine = *subject->machine,
                                      .workload = subject->kind->copy(subject->workload),
                                      .before = series->before,
                                      .map_names = subject->map_names,
                                      .work = 1,
                                      .whole_work = 1};
    return relieved->workload != NULL;
}

static uint64_t tensor_bytes(const struct tma_result *result) {
    const struct tma_counters *counters = &result->counters;
    return counters->tensor_bytes + counters->stored_bytes + counters->reduced_bytes +
           counters->prefetched_bytes;
}

/* Whether the relieved workload moves the bytes of its part of the work. Edges of a tensor make
 * CTAs differ a little. */
static bool moves_its_part(const struct tma_relieved *relieved, const struct tma_result *result) {
    double part = (double)relieved->work / relieved->whole_work;
    double wanted = part * (double)tensor_bytes(relieved->before);
    if (relieved->work == relieved->whole_work)
        return tensor_bytes(result) == tensor_bytes(relieved->before);
    return fabs((double)tensor_bytes(result) - wanted) <= 0.01 * wanted;
}

/* Writes the cycles that the whole work would take in a launch. Fails with TMA_ERROR_UNSUPPORTED
 * where the relieved workload moves other bytes. */
static enum tma_error_code launch(const struct series *series, struct tma_relieved *relieved,
                                  uint32_t number, uint64_t *cycles, struct tma_error *error) {
    relieved->machine.topology.seed = series->first_seed + number;
    enum tma_error_code code =
        series->subject->kind->run(&relieved->machine, relieved->workload, series->result, error);
    if (code != TMA_OK)
        return code;
    const struct tma_experiment_observer *observer = series->subject->observer;
    if (observer != NULL)
        observer->launched(observer->context, series->result->cycles, series->tried, series->total);
    *cycles = (series->result->cycles * relieved->whole_work + relieved->work - 1) / relieved->work;
    return moves_its_part(relieved, series->result) ? TMA_OK : TMA_ERROR_UNSUPPORTED;
}

/* Makes the cycles without a relief known for the first `count` launches. The run's own launch is
 * known, but not by its number where the user chose the launches. */
static enum tma_error_code launch_plain(struct series *series, uint32_t count,
                                        struct tma_error *error) {
    struct tma_relieved plain;
    enum tma_error_code code = TMA_OK;
    if (series->plain_count >= count)
        return TMA_OK;
    if (!copy_subject(series, &plain))
        return out_of_memory(error);
    while (series->plain_count < count && code == TMA_OK) {
        uint32_t number = series->plain_count;
        code = launch(series, &plain, number, &series->plain[number], error);
        series->plain_count += code == TMA_OK;
    }
    series->subject->kind->release(plain.workload);
    return code;
}

/* Runs the launches of an experiment up to number `until`, from `from` on. */
static enum tma_error_code launch_relieved(struct series *series, struct tma_relieved *relieved,
                                           uint32_t from, uint32_t until,
                                           struct tma_experiment *experiment,
                                           struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    for (uint32_t i = from; i < until && code == TMA_OK; i++)
        code = launch(series, relieved, i, &series->cycles[i], error);
    if (code != TMA_OK)
        return code;
    code = launch_plain(series, until, error);
    if (code != TMA_OK)
        return code;
    if (tma_launches_of(series->plain, until, &experiment->before) != TMA_OK ||
        tma_launches_of(series->cycles, until, &experiment->cycles) != TMA_OK)
        return out_of_memory(error);
    double before = (double)experiment->before.mean, after = (double)experiment->cycles.mean;
    experiment->saved = before > 0 ? 1 - after / before : 0;
    return TMA_OK;
}

/* Whether the mean of what the launches save is twice its standard error: with savings d of n
 * launches and their sum s, s^2 (n - 1) >= 4 (n sum d^2 - s^2). One launch alone has no error: then
 * a relief has the same effect in each. */
static bool saves_surely(const struct series *series, uint32_t count) {
    double sum = 0, squares = 0;
    for (uint32_t i = 0; i < count; i++) {
        double saved = (double)series->plain[i] - (double)series->cycles[i];
        sum += saved;
        squares += saved * saved;
    }
    return sum > 0 && (count == 1 || sum * sum * (count - 1) >= 4 * (count * squares - sum * sum));
}

static enum tma_error_code measure(struct series *series, struct tma_relieved *relieved,
                                   struct tma_experiment *experiment, struct tma_error *error) {
    uint32_t one = series->draws ? series->first : 1;
    enum tma_error_code code = launch_relieved(series, relieved, 0, one, experiment, error);
    bool matters = experiment->saved > -HARM && fabs(experiment->saved) > SAME;
    if (code == TMA_OK && matters && series->first > one)
        code = launch_relieved(series, relieved, one, series->first, experiment, error);
    if (code == TMA_OK && matters && experiment->saved >= PROMISING && series->all > series->first)
        code = launch_relieved(series, relieved, series->first, series->all, experiment, error);
    if (code != TMA_OK || experiment->saved < TMA_LEAST_SAVING)
        return code;
    experiment->helps = series->draws
                            ? !tma_launches_overlap(&experiment->before, &experiment->cycles)
                            : saves_surely(series, experiment->cycles.count);
    return TMA_OK;
}

/* Tries one variant of a relief. What the relief makes impossible is no experiment. */
static enum tma_error_code try_relief(struct series *series, const struct tma_relief *relief,
                                      uint32_t variant, struct tma_error *error) {
    struct tma_experiments *experiments = series->experiments;
    struct tma_experiment experiment = {.relief = relief};
    struct tma_relieved relieved;
    enum tma_error_code code = TMA_OK;
    if (!copy_subject(series, &relieved))
        return out_of_memory(error);
    relieved.variant = variant;
    if (relief->apply(&relieved)) {
        code = measure(series, &relieved, &experiment, error);
        memcpy(experiment.change, relieved.change, sizeof experiment.change);
        assert(experiments->count < TMA_MAX_EXPERIMENTS);
        if (code == TMA_OK)
            experiments->items[experiments->count++] = experiment;
    }
    series->subject->kind->release(relieved.workload);
    return code == TMA_ERROR_MEMORY || code == TMA_ERROR_FILE ? code : TMA_OK;
}

static enum tma_error_code try_all(struct series *series, const struct tma_reliefs *reliefs,
                                   struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    for (size_t i = 0; i < reliefs->count && code == TMA_OK; i++)
        for (uint32_t v = 0; v < reliefs->items[i]->variants && code == TMA_OK; v++) {
            code = try_relief(series, reliefs->items[i], v, error);
            series->tried++;
        }
    return code;
}

static size_t count_variants(const struct tma_reliefs *reliefs) {
    size_t count = 0;
    for (size_t i = 0; i < reliefs->count; i++)
        count += reliefs->items[i]->variants;
    return count;
}

/* Inserts item `index` by its saving; the earlier one stays first where two save the same. */
static void rank(const struct tma_experiments *experiments, size_t index, size_t *order,
                 size_t *count) {
    size_t at = (*count)++;
    for (; at > 0 && experiments->items[order[at - 1]].saved < experiments->items[index].saved;
         at--)
        order[at] = order[at - 1];
    order[at] = index;
}

/* The smallest step that saves as much as experiment `index` does. */
static size_t smallest_step(const struct tma_experiments *experiments, size_t index) {
    const struct tma_experiment *items = experiments->items;
    for (size_t i = 0; i < experiments->count; i++)
        if (items[i].relief == items[index].relief->smaller && items[i].helps &&
            items[i].saved >= items[index].saved)
            return i;
    return index;
}

static void rank_all(struct tma_experiments *experiments) {
    for (size_t i = 0; i < experiments->count; i++)
        if (!experiments->items[i].helps)
            continue;
        else if (experiments->items[i].relief->advice)
            rank(experiments, smallest_step(experiments, i), experiments->advice,
                 &experiments->advice_count);
        else
            rank(experiments, i, experiments->limits, &experiments->limit_count);
}

static bool begin(struct series *series) {
    series->plain = tma_allocate(series->all, sizeof *series->plain);
    series->cycles = tma_allocate(series->all, sizeof *series->cycles);
    series->result = tma_allocate(1, sizeof *series->result);
    return series->plain != NULL && series->cycles != NULL && series->result != NULL;
}

static void end(struct series *series) {
    tma_release(series->plain);
    tma_release(series->cycles);
    tma_release(series->result);
}

enum tma_error_code tma_launch(const struct tma_experiment_subject *subject, uint32_t count,
                               struct tma_launches *launches, struct tma_error *error) {
    struct series series = {.subject = subject, .first_seed = 1, .first = count, .all = count};
    bool good = begin(&series);
    series.before = series.result;
    enum tma_error_code code = good ? launch_plain(&series, count, error) : out_of_memory(error);
    if (code == TMA_OK && tma_launches_of(series.plain, count, launches) != TMA_OK)
        code = out_of_memory(error);
    end(&series);
    return code;
}

/* Without randomness one launch is enough. */
static void choose_launches(struct series *series, uint32_t draws) {
    uint32_t seed = series->subject->machine->topology.seed;
    size_t size = 0;
    while (tma_run_work(series->before) > launch_counts[size].most_work)
        size++;
    series->draws = draws > 0;
    series->first_seed = draws > 0 ? 1 : seed;
    series->first = draws > 0 ? draws : seed == 0 ? 1 : launch_counts[size].first;
    series->all = draws > 0 ? draws : seed == 0 ? 1 : launch_counts[size].all;
}

enum tma_error_code tma_experiments_run(const struct tma_experiment_subject *subject,
                                        const struct tma_result *result, uint32_t draws,
                                        struct tma_experiments *experiments,
                                        struct tma_error *error) {
    *experiments = (struct tma_experiments){0};
    struct series series = {.subject = subject,
                            .before = result,
                            .experiments = experiments,
                            .total = count_variants(&tma_machine_reliefs) +
                                     count_variants(&subject->kind->reliefs)};
    choose_launches(&series, draws);
    enum tma_error_code code = begin(&series) ? TMA_OK : out_of_memory(error);
    if (code == TMA_OK && draws == 0) {
        series.plain[0] = result->cycles;
        series.plain_count = 1;
    }
    if (code == TMA_OK)
        code = launch_plain(&series, series.first, error);
    if (code == TMA_OK)
        code = try_all(&series, &tma_machine_reliefs, error);
    if (code == TMA_OK)
        code = try_all(&series, &subject->kind->reliefs, error);
    if (code == TMA_OK &&
        tma_launches_of(series.plain, series.first, &experiments->before) != TMA_OK)
        code = out_of_memory(error);
    if (code == TMA_OK)
        rank_all(experiments);
    end(&series);
    return code;
}
