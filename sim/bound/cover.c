#include "bound/cover.h"

#include <ctype.h>
#include <string.h>

/* Whether an expression is a polynomial of its variables: then a few values show that it is linear.
 */
static bool is_polynomial(const struct tma_expression *expression) {
    const char *text = tma_expression_text(expression), *at = text;
    while ((at = strchr(at, '(')) != NULL) { /* pow2 and tables: behind a name, and maybe blanks */
        const char *before = at++;
        while (before > text && isspace((unsigned char)before[-1]))
            before--;
        if (before > text && (isalnum((unsigned char)before[-1]) || before[-1] == '_'))
            return false;
    }
    return strpbrk(text, "/%<>=!&|?,") == NULL;
}

static void add_range(struct tma_loop_ranges *ranges, uint32_t variable, int64_t count) {
    if (ranges->count < sizeof ranges->items / sizeof ranges->items[0])
        ranges->items[ranges->count++] = (struct tma_loop_range){variable, count};
}

static bool is_variable(const struct tma_value *value, const char *name) {
    return value->expression != NULL && strcmp(tma_expression_text(value->expression), name) == 0;
}

/* The values of a loop's variables over all CTAs; false where they are not known. `for: {v: [cta,
 * TO, ctas]}` gives all values below TO to the CTAs, as the loop over tiles does. */
static bool add_loop(const struct tma_work_walk *walk, const struct tma_statement *loop,
                     struct tma_loop_ranges *ranges) {
    int64_t from, to, step, m, n;
    if (loop->kind == TMA_STATEMENT_TILES) {
        if (!tma_work_value(walk, &loop->tiles_m, &m) ||
            !tma_work_value(walk, &loop->tiles_n, &n) || m <= 0 || n <= 0 ||
            (loop->schedule == TMA_TILES_ONE && (int64_t)walk->kernel->cta_count / m < n))
            return false;
        add_range(ranges, loop->variable_m, m);
        add_range(ranges, loop->variable_n, n);
        return true;
    }
    if (!tma_work_value(walk, &loop->to, &to) || to <= 0)
        return false;
    bool shared = is_variable(&loop->from, "cta") && is_variable(&loop->step, "ctas");
    if (!shared && (!tma_work_value(walk, &loop->from, &from) || from != 0 ||
                    !tma_work_value(walk, &loop->step, &step) || step != 1))
        return false;
    add_range(ranges, loop->variable, to);
    return true;
}

bool tma_find_ranges(const struct tma_work_walk *walk, uint32_t role, uint32_t index,
                     struct tma_loop_ranges *ranges) {
    const struct tma_kernel *kernel = walk->kernel;
    for (uint32_t i = kernel->roles[role].first; i < index; i++) {
        const struct tma_statement *around = &kernel->statements[i];
        if (around->kind == TMA_STATEMENT_EXIT)
            return false;
        if (around->end <= index || around->kind == TMA_STATEMENT_AHEAD)
            continue;
        if (around->kind == TMA_STATEMENT_IF || !add_loop(walk, around, ranges))
            return false;
    }
    return true;
}

/* How much a coordinate grows with a variable: with the others at 0 it is linear in it. */
static bool find_slope(const struct tma_value *coordinate, int64_t *variables, uint32_t variable,
                       int64_t count, int64_t *slope) {
    int64_t at[4];
    const int64_t points[4] = {0, 1, count / 2, count - 1};
    for (int i = 0; i < 4; i++) {
        variables[variable] = points[i];
        if (tma_expression_evaluate(coordinate->expression, variables, &at[i], NULL) != TMA_OK)
            return false;
    }
    variables[variable] = 0;
    *slope = at[1] - at[0];
    return *slope >= 0 && *slope < INT32_MAX && count < INT32_MAX &&
           at[2] - at[0] == *slope * points[2] && at[3] - at[0] == *slope * points[3];
}

/* Repeats what is covered at `count` places that are `slope` apart. Where the places overlap and
 * have gaps, it stays as it is. */
static void repeat(struct tma_cover *cover, int64_t slope, int64_t count) {
    if (cover->span > INT32_MAX || cover->covered > INT32_MAX)
        return;
    if (slope >= cover->span) {
        cover->covered *= count;
        cover->span += slope * (count - 1);
    } else if (cover->covered == cover->span) {
        cover->span += slope * (count - 1);
        cover->covered = cover->span;
    }
}

/* Smallest slopes first. */
bool tma_cover_dimension(const struct tma_work_walk *walk, const struct tma_loop_ranges *ranges,
                         const struct tma_value *coordinate, int64_t box, uint64_t *used,
                         struct tma_cover *cover) {
    int64_t variables[TMA_MAX_VARIABLES], slopes[2 * TMA_MAX_LOOP_DEPTH] = {0};
    *cover = (struct tma_cover){coordinate->constant, box, box};
    if (coordinate->expression == NULL)
        return true;
    uint64_t mask = tma_expression_variables(coordinate->expression) & ~walk->known, found = 0;
    if ((mask & *used) != 0 || !is_polynomial(coordinate->expression))
        return false;
    *used |= mask;
    memcpy(variables, walk->variables, sizeof variables);
    for (uint32_t i = 0; i < ranges->count; i++)
        variables[ranges->items[i].variable] = 0;
    for (uint32_t i = 0; i < ranges->count; i++) {
        const struct tma_loop_range *range = &ranges->items[i];
        if ((mask >> range->variable & 1) == 0)
            continue;
        found |= UINT64_C(1) << range->variable;
        if (!find_slope(coordinate, variables, range->variable, range->count, &slopes[i]))
            return false;
    }
    if (found != mask ||
        tma_expression_evaluate(coordinate->expression, variables, &cover->first, NULL) != TMA_OK)
        return false;
    /* In the order of the slopes; where the sum of slopes is not the whole expression, a product of
     * two variables is in it. */
    int64_t last = cover->first, at_last;
    for (uint32_t i = 0; i < ranges->count; i++)
        if ((mask >> ranges->items[i].variable & 1) != 0) {
            variables[ranges->items[i].variable] = ranges->items[i].count - 1;
            last += slopes[i] * (ranges->items[i].count - 1);
        }
    if (tma_expression_evaluate(coordinate->expression, variables, &at_last, NULL) != TMA_OK ||
        at_last != last)
        return false;
    for (int64_t done = 0;;) {
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < ranges->count; i++)
            if (slopes[i] > done && slopes[i] < next)
                next = slopes[i];
        if (next == INT64_MAX)
            return true;
        for (uint32_t i = 0; i < ranges->count; i++)
            if (slopes[i] == next)
                repeat(cover, next, ranges->items[i].count);
        done = next;
    }
}
