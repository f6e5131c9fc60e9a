#include "bound/estimate.h"

#include "bound/program_work.h"
#include "engine/kernel_costs.h"
#include "engine/kernel_run.h"
#include "memory/core/port.h"

/* Kernels with fewer operations are simulated whole: that takes some tenths of a second. */
enum { SHORT_OPERATIONS = 6000 };

/* The part of the run that is looked at, in hundredths of a round. A round is one output tile in
 * each place for a CTA. From the middle of the first tile to that of the second one there is a
 * whole tile, with its epilogue, when CTAs are no longer in step. */
enum { FIRST = 40, LAST = 140 };

/* How a kernel's operations are shared out over time. */
struct estimate_rounds {
    double count;        /* of the places with the most tiles; the last wave counts by SM */
    uint64_t operations; /* of a round */
    uint64_t total;      /* operations of the kernel */
};

static uint64_t divide_up(uint64_t value, uint64_t unit) {
    return value / unit + (value % unit != 0);
}

static double smaller(double a, double b) {
    return a < b ? a : b;
}

/* The role that multiplies, or else the last one; and its last WAIT. UINT32_MAX: there is none. */
static uint32_t find_wait(const struct tma_kernel *kernel, uint32_t *role) {
    uint32_t found = UINT32_MAX;
    for (uint32_t r = 0; r < kernel->role_count; r++)
        for (uint32_t i = kernel->roles[r].first; i < kernel->roles[r].end; i++)
            if (kernel->statements[i].kind == TMA_STATEMENT_WAIT) {
                found = i;
                *role = r;
            }
    return found;
}

/* The loop around a statement that is nested so deep: 0 the outermost. UINT32_MAX: there is none.
 */
static uint32_t loop_around(const struct tma_kernel *kernel, uint32_t role, uint32_t index,
                            bool innermost) {
    uint32_t found = UINT32_MAX;
    for (uint32_t i = kernel->roles[role].first; i < index; i++) {
        enum tma_statement_kind kind = kernel->statements[i].kind;
        bool loop = kind == TMA_STATEMENT_FOR || kind == TMA_STATEMENT_TILES;
        if (loop && kernel->statements[i].end > index && (innermost || found == UINT32_MAX))
            found = i;
    }
    return found;
}

static struct estimate_rounds find_rounds(const struct tma_machine *machine,
                                          const struct tma_kernel *kernel) {
    struct tma_machine own = tma_kernel_machine(machine, kernel);
    struct tma_work_walk walk;
    struct estimate_rounds rounds = {.count = 1};
    uint64_t per_sm = tma_kernel_ctas_per_sm(machine, kernel), ctas = kernel->cta_count;
    uint64_t sms = kernel->sm_count > 0 ? kernel->sm_count : machine->sm_count, tiles = 1;
    uint64_t places = sms * per_sm < ctas ? sms * per_sm : ctas;
    uint32_t role = 0, wait = find_wait(kernel, &role);
    tma_work_begin(&walk, &own, kernel, TMA_WORK_OF_FIRST);
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        struct tma_program_work work = {0};
        walk.warps = kernel->roles[r].warps;
        tma_work_add(&walk, kernel->roles[r].first, kernel->roles[r].end, 1, &work);
        rounds.total += work.operations;
    }
    uint64_t cta_operations = rounds.total;
    rounds.total *= ctas;
    if (wait == UINT32_MAX || per_sm == 0)
        return rounds;
    walk.warps = kernel->roles[role].warps;
    uint32_t outer = loop_around(kernel, role, wait, false);
    if (outer != UINT32_MAX && outer != loop_around(kernel, role, wait, true))
        tiles = tma_work_times(&walk, &kernel->statements[outer]);
    tiles = tiles > 0 ? tiles : 1;
    rounds.operations = cta_operations / tiles * places;
    uint64_t left = ctas % places;
    rounds.count = (double)(ctas / places * tiles);
    if (left > 0)
        rounds.count += (double)(divide_up(left, sms) * tiles) / (double)per_sm;
    return rounds;
}

/* When a run had done some of its operations. */
struct estimate_marks {
    uint64_t operations[2]; /* wanted */
    double cycles[2];       /* interpolated between two looks; 0: not yet */
    struct tma_run_state before;
};

static bool look(void *context, const struct tma_run_state *state) {
    struct estimate_marks *marks = context;
    const struct tma_run_state *before = &marks->before;
    for (int i = 0; i < 2; i++)
        if (marks->cycles[i] <= 0 && state->operations >= marks->operations[i] &&
            state->operations > before->operations)
            marks->cycles[i] =
                (double)before->cycle + (double)(state->cycle - before->cycle) *
                                            (double)(marks->operations[i] - before->operations) /
                                            (double)(state->operations - before->operations);
    marks->before = *state;
    return marks->cycles[1] <= 0;
}

enum tma_error_code tma_kernel_estimate(const struct tma_machine *machine,
                                        const struct tma_kernel *kernel, struct tma_result *result,
                                        struct tma_kernel_estimate *estimate,
                                        struct tma_error *error) {
    struct estimate_rounds rounds = find_rounds(machine, kernel);
    struct estimate_marks marks = {
        .operations = {rounds.operations * FIRST / 100, rounds.operations * LAST / 100}};
    struct tma_watch watch = {.look = look, .context = &marks};
    bool whole = rounds.total < SHORT_OPERATIONS || marks.operations[0] == 0 ||
                 marks.operations[1] > rounds.total / 2;
    enum tma_error_code code =
        tma_kernel_run_watched(machine, kernel, NULL, whole ? NULL : &watch, result, NULL, error);
    *estimate = (struct tma_kernel_estimate){.cycles = result->cycles, .whole = true};
    if (code != TMA_ERROR_INTERRUPTED)
        return code;
    double round = marks.cycles[1] - marks.cycles[0];
    double start = marks.cycles[0] - round * FIRST / 100;
    estimate->cycles = (uint64_t)(smaller(start > 0 ? start : 0, round) + rounds.count * round);
    estimate->whole = false;
    return TMA_OK;
}
