#include "bound/footprint.h"

#include <string.h>

#include "memory/core/sectors.h"
#include "tensormap/types.h"

/* A variable of the loops around a load, and the values 0, 1, ..., count - 1 that it has in all
 * CTAs together, in every combination with the others. */
struct loop_range {
    uint32_t variable;
    int64_t count;
};

struct ranges {
    struct loop_range items[2 * TMA_MAX_LOOP_DEPTH];
    uint32_t count;
};

/* Whether an expression is a polynomial of its variables: then a few values show that it is linear.
 */
static bool is_polynomial(const struct tma_expression *expression) {
    const char *text = tma_expression_text(expression);
    return strpbrk(text, "/%<>=!&|?,") == NULL && strstr(text, "pow2") == NULL;
}

static void add_range(struct ranges *ranges, uint32_t variable, int64_t count) {
    if (ranges->count < sizeof ranges->items / sizeof ranges->items[0])
        ranges->items[ranges->count++] = (struct loop_range){variable, count};
}

static bool is_variable(const struct tma_value *value, const char *name) {
    return value->expression != NULL && strcmp(tma_expression_text(value->expression), name) == 0;
}

/* The values of a loop's variables over all CTAs; false where they are not known. `for: {v: [cta,
 * TO, ctas]}` gives all values below TO to the CTAs, as the loop over tiles does. */
static bool add_loop(const struct tma_work_walk *walk, const struct tma_statement *loop,
                     struct ranges *ranges) {
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

/* The loops around a statement; false where it is in a branch or in a loop that is not known. The
 * same variable twice, in loops inside each other, means the inner one: no kernel has that. */
static bool find_ranges(const struct tma_work_walk *walk, uint32_t role, uint32_t index,
                        struct ranges *ranges) {
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

/* What a coordinate covers of its dimension. */
struct cover {
    int64_t first, span; /* from the first to past the last element */
    int64_t covered;     /* of them */
};

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
static void repeat(struct cover *cover, int64_t slope, int64_t count) {
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

/* Covers a dimension by a box of `box` elements at all values of the coordinate, smallest slopes
 * first. Each variable may be in one coordinate only: `used` has those of earlier ones. */
static bool cover_dimension(const struct tma_work_walk *walk, const struct ranges *ranges,
                            const struct tma_value *coordinate, int64_t box, uint64_t *used,
                            struct cover *cover) {
    int64_t variables[TMA_MAX_VARIABLES], slopes[2 * TMA_MAX_LOOP_DEPTH] = {0};
    *cover = (struct cover){coordinate->constant, box, box};
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
        const struct loop_range *range = &ranges->items[i];
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

/* The elements inside the tensor. */
static uint64_t clip(const struct cover *cover, uint64_t size) {
    int64_t end = cover->first + cover->span, limit = size > INT64_MAX ? INT64_MAX : (int64_t)size;
    if (cover->first >= 0 && end <= limit)
        return (uint64_t)cover->covered;
    if (cover->covered < cover->span)
        return 0;
    int64_t first = cover->first < 0 ? 0 : cover->first;
    end = end < limit ? end : limit;
    return end > first ? (uint64_t)(end - first) : 0;
}

static uint64_t load_bytes(const struct tma_work_walk *walk, uint32_t role, uint32_t index) {
    const struct tma_statement *load = &walk->kernel->statements[index];
    const struct tma_tensor_map *map = &walk->kernel->maps[load->map];
    struct ranges ranges = {.count = 0};
    uint64_t used = 0, elements = 1;
    if (load->operation.access != TMA_ACCESS_TILE || map->kind != TMA_MAP_TILED ||
        map->interleave != TMA_INTERLEAVE_NONE || !find_ranges(walk, role, index, &ranges))
        return 0;
    for (uint32_t d = 0; d < map->rank; d++) {
        struct cover cover;
        if (map->element_strides[d] != 1 ||
            !cover_dimension(walk, &ranges, &load->coordinates[d], map->box_dim[d], &used, &cover))
            return 0;
        uint64_t inside = clip(&cover, map->global_dim[d]);
        if (inside == 0 || elements > UINT64_MAX / inside / 16)
            return 0;
        elements *= inside;
    }
    return elements * tma_type_info(map->data_type)->global_bits / 8;
}

/* Past the last byte of a tensor; UINT64_MAX where rows or planes overlap, or several tensors are
 * meant. */
static uint64_t tensor_end(const struct tma_kernel *kernel, uint32_t index) {
    const struct tma_tensor_map *map = &kernel->maps[index];
    uint64_t extent = map->global_dim[0] * tma_type_info(map->data_type)->global_bits / 8;
    if (kernel->arrays[index].count > 1)
        return UINT64_MAX;
    for (uint32_t d = 1; d < map->rank; d++) {
        if (map->global_strides[d - 1] < extent)
            return UINT64_MAX;
        extent = map->global_strides[d - 1] * map->global_dim[d];
    }
    return map->global_address + extent;
}

static bool overlap(const struct tma_kernel *kernel, uint32_t a, uint32_t b) {
    return kernel->maps[a].global_address < tensor_end(kernel, b) &&
           kernel->maps[b].global_address < tensor_end(kernel, a);
}

uint64_t tma_footprint_bytes(const struct tma_work_walk *walk) {
    const struct tma_kernel *kernel = walk->kernel;
    uint64_t bytes[TMA_MAX_TENSOR_MAPS] = {0}, sum = 0;
    bool written[TMA_MAX_TENSOR_MAPS] = {false};
    for (uint32_t role = 0; role < kernel->role_count; role++)
        for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
            const struct tma_statement *statement = &kernel->statements[i];
            if (statement->kind != TMA_STATEMENT_OPERATION)
                continue;
            if (statement->operation.direction != TMA_LOAD) {
                written[statement->map] |= tma_writes_tensor(statement->operation.direction);
                continue;
            }
            uint64_t loaded = load_bytes(walk, role, i);
            if (loaded > bytes[statement->map])
                bytes[statement->map] = loaded;
        }
    for (uint32_t m = 0; m < kernel->map_count; m++) {
        bool counts = !written[m] && tensor_end(kernel, m) != UINT64_MAX;
        for (uint32_t other = 0; other < kernel->map_count && counts; other++)
            if (other < m ? bytes[other] > 0 || written[other] : other > m && written[other])
                counts = !overlap(kernel, m, other);
        if (counts)
            sum += bytes[m];
    }
    return sum;
}
