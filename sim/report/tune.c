#include "report/tune.h"

#include <stdlib.h>
#include <string.h>

#include "report/figures.h"
#include "report/ratio.h"

/* Whether a role works for this time, and does not wait. */
static bool is_work(int cause) {
    return cause == TMA_ROLE_COMPUTE || cause == TMA_ROLE_PRODUCTS || cause == TMA_ROLE_SHARED;
}

/* The role that computes longest, the first one by name of several: the one whose waits cost time.
 */
static uint32_t computing_role(const struct tma_kernel *kernel, const struct tma_result *result) {
    uint32_t order[TMA_MAX_ROLES], best;
    uint64_t most = 0;
    tma_kernel_role_order(kernel, order);
    best = order[0];
    for (uint32_t n = 0; n < kernel->role_count; n++) {
        uint32_t r = order[n];
        uint64_t work = 0;
        for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++)
            work += is_work(i) ? result->role_cycles[r][i] : 0;
        best = work > most ? r : best;
        most = work > most ? work : most;
    }
    return best;
}

struct tma_tune_limiter tma_tune_limiter_of(const struct tma_report_input *input) {
    struct tma_tune_limiter limiter = {.ring = ""};
    uint32_t ring = 0;
    struct tma_busy busiest = tma_busiest_of(input->result);
    int wait = TMA_ROLE_FULL;
    uint32_t role = computing_role(input->kernel, input->result);
    const uint64_t *cycles = input->result->role_cycles[role],
                   *rings = input->result->ring_cycles[role];
    uint64_t total = 0;
    for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++) {
        total += cycles[i];
        if (!is_work(i) && cycles[i] > cycles[wait])
            wait = i;
    }
    snprintf(limiter.busiest, sizeof limiter.busiest, "%s", busiest.key);
    snprintf(limiter.wait, sizeof limiter.wait, "%s",
             tma_role_cause_key((enum tma_role_cause)wait));
    for (uint32_t i = 1; i < input->kernel->ring_count; i++)
        if (rings[i] > rings[ring] ||
            (rings[i] == rings[ring] &&
             strcmp(input->kernel->rings[i].name, input->kernel->rings[ring].name) < 0))
            ring = i;
    if ((wait == TMA_ROLE_FULL || wait == TMA_ROLE_EMPTY) && input->kernel->ring_count > 0)
        snprintf(limiter.ring, sizeof limiter.ring, "%s", input->kernel->rings[ring].name);
    limiter.busy = busiest.fraction;
    limiter.waited = tma_ratio((double)cycles[wait], (double)total);
    return limiter;
}

/* Times, estimates and bounds are one group. */
static int group(const struct tma_tune_row *row) {
    bool timed = row->found == TMA_TUNE_ESTIMATED || row->found == TMA_TUNE_BOUND;
    return timed ? TMA_TUNE_SIMULATED : (int)row->found;
}

static int compare(const void *first, const void *second) {
    const struct tma_tune_row *a = first, *b = second;
    if (group(a) != group(b))
        return group(a) < group(b) ? -1 : 1;
    if (a->time_ns != b->time_ns)
        return a->time_ns < b->time_ns ? -1 : 1;
    if (a->found != b->found)
        return a->found < b->found ? -1 : 1;
    return a->number < b->number ? -1 : 1;
}

static void find_best_at(struct tma_tune *tune) {
    for (int clock = 0; clock < TMA_SM_CLOCK_COUNT; clock++) {
        const struct tma_tune_row *best = &tune->rows[0];
        for (size_t i = 1; i < tune->row_count; i++) {
            const struct tma_tune_row *row = &tune->rows[i];
            if (group(row) == TMA_TUNE_SIMULATED && row->clock_ns[clock] > 0 &&
                row->clock_ns[clock] < best->clock_ns[clock])
                best = row;
        }
        tune->best_at[clock] = best == &tune->rows[0] ? NULL : best;
    }
}

void tma_tune_rank(struct tma_tune *tune) {
    if (tune->row_count == 0)
        return;
    qsort(tune->rows, tune->row_count, sizeof *tune->rows, compare);
    const struct tma_tune_row *best = &tune->rows[0];
    bool is_timed = best->found == TMA_TUNE_SIMULATED || best->found == TMA_TUNE_ESTIMATED;
    if (!is_timed || !(best->time_ns > 0))
        return;
    find_best_at(tune);
    for (size_t i = 0; i < tune->row_count; i++) {
        struct tma_tune_row *row = &tune->rows[i];
        row->ratio = row->time_ns / best->time_ns;
        row->same = i == 0 || (row->found == TMA_TUNE_SIMULATED && row->most_ns > 0 &&
                               row->least_ns <= best->most_ns);
    }
}
