#include "bound/map_use.h"

#include "bound/cover.h"
#include "engine/roles/kernel_costs.h"
#include "tensormap/types.h"

/* What loads cover of dimension 0: a piece without gaps, in elements. Empty: first = end. */
struct row_piece {
    int64_t first, end;
};

/* Loads that cover pieces with a gap between them, or pieces that are not known, leave the use
 * unknown. */
struct row_reading {
    struct tma_map_use use;
    struct row_piece piece;
    bool known;
};

static void add_load(struct row_reading *reading, bool known, struct row_piece piece) {
    struct row_piece *sum = &reading->piece;
    bool first = !reading->use.loads;
    reading->use.loads = true;
    if (first)
        *sum = piece;
    reading->known =
        (first || reading->known) && known && piece.first <= sum->end && sum->first <= piece.end;
    if (piece.first < sum->first)
        sum->first = piece.first;
    if (piece.end > sum->end)
        sum->end = piece.end;
}

static int64_t inner_size(const struct tma_tensor_map *map) {
    return map->kind == TMA_MAP_TILED ? map->box_dim[0] : map->channels_per_pixel;
}

static bool reads(enum tma_direction direction) {
    return direction == TMA_LOAD || direction == TMA_PREFETCH;
}

/* Notes the direction and the mode of an operation on the map. */
static void add_operation(struct row_reading *reading, const struct tma_operation *operation) {
    bool gathers = operation->access == TMA_ACCESS_GATHER4;
    bool first = !reading->use.loads && !reading->use.stores;
    reading->use.gathers = gathers && (first || reading->use.gathers);
    reading->use.stores |= tma_writes_tensor(operation->direction);
}

/* Dimension 0 of an interleaved layout is not one of bytes that lie together. */
static struct tma_map_use finish(const struct row_reading *reading,
                                 const struct tma_tensor_map *map) {
    struct tma_map_use use = reading->use;
    struct row_piece piece = reading->piece;
    int64_t size = map->global_dim[0] > INT64_MAX ? INT64_MAX : (int64_t)map->global_dim[0];
    if (piece.first < 0)
        piece.first = 0;
    if (piece.end > size)
        piece.end = size;
    if (reading->known && piece.first < piece.end && map->interleave == TMA_INTERLEAVE_NONE)
        use.row_bytes = tma_global_bytes(map->data_type, (uint64_t)(piece.end - piece.first));
    return use;
}

/* The first tiles of a walk have the values of dimension 0 in turn. */
static void add_walk(struct row_reading *reading, const struct tma_stage_operation *stage,
                     const struct tma_workload *workload, const struct tma_tensor_map *map) {
    uint64_t tiles = tma_walk_length(stage, workload), all = stage->walk.tiles[0];
    int64_t step = stage->walk.step[0], box = inner_size(map);
    int64_t way = (int64_t)((tiles < all ? tiles : all) - 1) * step;
    int64_t first = stage->walk.start[0] + (way < 0 ? way : 0);
    int64_t end = stage->walk.start[0] + (way < 0 ? 0 : way) + box;
    add_load(reading, (step < 0 ? -step : step) <= box || way == 0, (struct row_piece){first, end});
}

struct tma_map_use tma_workload_map_use(const struct tma_workload *workload, uint32_t map) {
    struct row_reading reading = {.known = true};
    for (uint32_t i = 0; i < workload->operation_count; i++) {
        const struct tma_stage_operation *stage = &workload->operations[i];
        if (stage->map != map)
            continue;
        add_operation(&reading, &stage->operation);
        if (reads(stage->operation.direction))
            add_walk(&reading, stage, workload, &workload->maps[map]);
    }
    return finish(&reading, &workload->maps[map]);
}

/* The other coordinates must not depend on the loops of dimension 0: then each row is read as
 * others are. */
static bool cover_rows(const struct tma_work_walk *walk, uint32_t role, uint32_t index,
                       struct row_piece *piece) {
    const struct tma_statement *load = &walk->kernel->statements[index];
    const struct tma_tensor_map *map = &walk->kernel->maps[load->map];
    struct tma_loop_ranges ranges = {.count = 0};
    struct tma_cover cover;
    uint64_t used = 0;
    if (!tma_find_ranges(walk, role, index, &ranges) ||
        !tma_cover_dimension(walk, &ranges, &load->coordinates[0], inner_size(map), &used,
                             &cover) ||
        cover.covered != cover.span)
        return false;
    for (uint32_t d = 1; d < map->rank; d++)
        if (load->coordinates[d].expression != NULL &&
            (tma_expression_variables(load->coordinates[d].expression) & used) != 0)
            return false;
    *piece = (struct row_piece){cover.first, cover.first + cover.span};
    return true;
}

struct tma_map_use tma_kernel_map_use(const struct tma_machine *machine,
                                      const struct tma_kernel *kernel, uint32_t map) {
    const struct tma_machine own = tma_kernel_machine(machine, kernel);
    struct row_reading reading = {.known = true};
    struct tma_work_walk walk;
    tma_work_begin(&walk, &own, kernel, TMA_WORK_OF_ANY);
    for (uint32_t role = 0; role < kernel->role_count; role++)
        for (uint32_t i = kernel->roles[role].first; i < kernel->roles[role].end; i++) {
            const struct tma_statement *statement = &kernel->statements[i];
            struct row_piece piece = {0, 0};
            if (statement->kind != TMA_STATEMENT_OPERATION || statement->map != map)
                continue;
            add_operation(&reading, &statement->operation);
            if (!reads(statement->operation.direction))
                continue;
            bool known = cover_rows(&walk, role, i, &piece);
            add_load(&reading, known, piece);
        }
    return finish(&reading, &kernel->maps[map]);
}
