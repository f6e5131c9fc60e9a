#include "banks/lane_map.h"

#include <stddef.h>

enum { MATRIX_ROWS = 8 };

static uint32_t divide_up(uint32_t value, uint32_t by) {
    return (value + by - 1) / by;
}

/* --- Vectors of the tile in one sequence. --- */

static uint32_t tile_vectors(const struct lane_plan *plan) {
    return plan->tile->rows * plan->row_vectors;
}

static enum tma_error_code plan_vectors(struct lane_plan *plan, struct tma_error *error) {
    (void)error;
    plan->instructions = divide_up(tile_vectors(plan), TMA_WARP_LANES);
    return TMA_OK;
}

static bool place_row(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                      struct lane_place *place) {
    uint32_t number = index * TMA_WARP_LANES + lane;
    place->row = number / plan->row_vectors;
    place->vector = number % plan->row_vectors;
    return number < tile_vectors(plan);
}

static bool place_column(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                         struct lane_place *place) {
    uint32_t number = index * TMA_WARP_LANES + lane;
    place->row = number % plan->tile->rows;
    place->vector = number / plan->tile->rows;
    return number < tile_vectors(plan);
}

static enum tma_error_code plan_strided(struct lane_plan *plan, struct tma_error *error) {
    uint32_t stride = plan->consumer->stride;
    if (stride == 0 || tile_vectors(plan) % stride != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a lane stride of %u vectors leaves the tile: allowed are divisors of its "
                        "%u rows * %u vectors of %u bytes = %u",
                        stride, plan->tile->rows, plan->row_vectors, plan->instruction->lane_bytes,
                        tile_vectors(plan));
    return plan_vectors(plan, error);
}

static bool place_strided(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                          struct lane_place *place) {
    uint32_t stride = plan->consumer->stride, round = tile_vectors(plan) / stride;
    uint32_t number = index * TMA_WARP_LANES + lane;
    uint32_t vector = number % round * stride + number / round;
    place->row = vector / plan->row_vectors;
    place->vector = vector % plan->row_vectors;
    return number < tile_vectors(plan);
}

/* --- Blocks of 8 rows by some vectors, and matrices. --- */

/* Rows may end with padding, which nothing reads, where no swizzle makes padding needless. */
static enum tma_error_code plan_blocks(struct lane_plan *plan, uint32_t rows, uint32_t columns,
                                       struct tma_error *error) {
    const struct tma_tile *tile = plan->tile;
    plan->block_rows = rows;
    plan->block_columns = columns;
    bool padded = tile->swizzle == TMA_SWIZZLE_NONE && plan->row_vectors > columns;
    if (tile->rows % (rows * MATRIX_ROWS) != 0 || (plan->row_vectors % columns != 0 && !padded))
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s takes blocks of %u rows by %u bytes, which leave the tile of %u rows "
                        "by %u bytes",
                        plan->instruction->name, rows * MATRIX_ROWS,
                        columns * plan->instruction->lane_bytes, tile->rows, tile->row_bytes);
    plan->instructions = tile->rows / (rows * MATRIX_ROWS) * (plan->row_vectors / columns);
    return TMA_OK;
}

static enum tma_error_code plan_transposed(struct lane_plan *plan, struct tma_error *error) {
    return plan_blocks(plan, 1, TMA_WARP_LANES / MATRIX_ROWS, error);
}

static enum tma_error_code check_matrix_elements(const struct lane_plan *plan,
                                                 struct tma_error *error) {
    if (plan->consumer->transposed && plan->tile->element_bytes != 2)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s.trans transposes elements of 2 bytes; the tile's have %u",
                        plan->instruction->name, plan->tile->element_bytes);
    return TMA_OK;
}

static enum tma_error_code plan_matrix(struct lane_plan *plan, struct tma_error *error) {
    uint32_t matrices = plan->instruction->lanes / MATRIX_ROWS;
    enum tma_error_code code = check_matrix_elements(plan, error);
    if (code != TMA_OK)
        return code;
    plan->down_first = plan->consumer->transposed;
    return plan->down_first ? plan_blocks(plan, matrices, 1, error)
                            : plan_blocks(plan, 1, matrices, error);
}

/* The registers of an A fragment count along M before K: down the rows of an M x K tile. Those of a
 * B fragment count along K before N: along the rows of an N x K tile. A tile that is stored
 * transposed and read with .trans exchanges the two directions. */
static enum tma_error_code plan_fragment(struct lane_plan *plan, struct tma_error *error) {
    bool is_a = plan->consumer->lanes == TMA_LANES_FRAGMENT_A;
    enum tma_error_code code = check_matrix_elements(plan, error);
    if (code != TMA_OK)
        return code;
    plan->down_first = is_a != plan->consumer->transposed;
    switch (plan->instruction->lanes / MATRIX_ROWS) {
    case 4:
        return plan_blocks(plan, 2, 2, error);
    case 2:
        return plan->down_first ? plan_blocks(plan, 2, 1, error) : plan_blocks(plan, 1, 2, error);
    default:
        return plan_blocks(plan, 1, 1, error);
    }
}

static bool place_block(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                        struct lane_place *place) {
    uint32_t matrix = lane / MATRIX_ROWS, row_blocks = plan->row_vectors / plan->block_columns;
    uint32_t matrix_row =
        plan->down_first ? matrix % plan->block_rows : matrix / plan->block_columns;
    uint32_t matrix_column =
        plan->down_first ? matrix / plan->block_rows : matrix % plan->block_columns;
    place->row =
        (index / row_blocks * plan->block_rows + matrix_row) * MATRIX_ROWS + lane % MATRIX_ROWS;
    place->vector = index % row_blocks * plan->block_columns + matrix_column;
    return lane < plan->instruction->lanes;
}

/* --- Tile distributions. --- */

/* Replaces the pattern's zeros by their defaults. */
static void complete_pattern(const struct lane_plan *plan, struct tma_tile_pattern *pattern) {
    const struct tma_tile *tile = plan->tile;
    uint32_t vector = plan->instruction->lane_bytes / tile->element_bytes;
    if (pattern->y_per_tile == 0)
        pattern->y_per_tile = tile->rows;
    if (pattern->x_per_tile == 0)
        pattern->x_per_tile = tile->row_bytes / tile->element_bytes;
    if (pattern->vec_size == 0)
        pattern->vec_size = vector == 0 ? 1 : vector;
    if (pattern->warp_size == 0)
        pattern->warp_size = TMA_WARP_LANES;
    if (pattern->wave_groups == 0)
        pattern->wave_groups = 1;
}

/* Windows of the distribution that lie side by side in a row of the tile. */
static uint32_t windows_of_a_row(const struct lane_plan *plan) {
    return plan->tile->row_bytes / plan->tile->element_bytes /
           plan->distribution.pattern.x_per_tile;
}

static enum tma_error_code check_windows(const struct lane_plan *plan, struct tma_error *error) {
    const struct tma_tile *tile = plan->tile;
    const struct tma_tile_distribution *distribution = &plan->distribution;
    const struct tma_tile_pattern *pattern = &distribution->pattern;
    uint32_t row_elements = tile->row_bytes / tile->element_bytes;
    if (tile->rows % pattern->y_per_tile != 0 || row_elements % pattern->x_per_tile != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a distribution over YPerTile %u * XPerTile %u elements does not divide "
                        "the tile of %u rows * %u elements",
                        pattern->y_per_tile, pattern->x_per_tile, tile->rows, row_elements);
    uint32_t thread_bytes = distribution->x[0] * tile->element_bytes;
    if (thread_bytes % plan->instruction->lane_bytes != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s moves %u bytes a lane, but a thread takes X0 * element = %u * %u = %u "
                        "bytes at once",
                        plan->instruction->name, plan->instruction->lane_bytes, distribution->x[0],
                        tile->element_bytes, thread_bytes);
    return TMA_OK;
}

/* Instructions that a thread needs to move the X0 elements of one iteration. */
static uint32_t vector_instructions(const struct lane_plan *plan) {
    return plan->distribution.x[0] * plan->tile->element_bytes / plan->instruction->lane_bytes;
}

/* Instructions of 32 lanes that one wave group needs to move a vector for each thread. A warp of 64
 * threads needs two. */
static uint32_t group_warps(const struct lane_plan *plan) {
    return plan->distribution.warps * plan->distribution.pattern.warp_size / TMA_WARP_LANES;
}

static enum tma_error_code plan_distribution(struct lane_plan *plan, struct tma_error *error) {
    struct tma_tile_pattern pattern = plan->consumer->distribution;
    if (plan->tile->element_bytes == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a distribution assigns elements of whole bytes; the tile's are smaller");
    if (pattern.block_size == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a distribution needs its block_size: the threads that share the tile");
    complete_pattern(plan, &pattern);
    enum tma_error_code code = tma_tile_distribute(&pattern, &plan->distribution, error);
    if (code == TMA_OK)
        code = check_windows(plan, error);
    if (code != TMA_OK)
        return code;
    uint32_t windows = plan->tile->rows / pattern.y_per_tile * windows_of_a_row(plan);
    plan->instructions =
        windows * plan->distribution.iterations * vector_instructions(plan) * group_warps(plan);
    return TMA_OK;
}

/* One wave group makes the pass over the tile. The index counts warps first, then vector
 * instructions, iterations and windows of the tile. */
static bool place_distribution(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                               struct lane_place *place) {
    const struct tma_tile_distribution *distribution = &plan->distribution;
    uint32_t warps = group_warps(plan), parts = vector_instructions(plan);
    uint32_t bytes = plan->instruction->lane_bytes, element_bytes = plan->tile->element_bytes;
    uint32_t thread = index % warps * TMA_WARP_LANES + lane;
    uint32_t part = index / warps % parts;
    uint32_t iteration = index / warps / parts % distribution->iterations;
    uint32_t window = index / warps / parts / distribution->iterations;
    struct tma_tile_element at =
        tma_distribution_element(distribution, thread, iteration * distribution->x[0]);
    uint32_t row_windows = windows_of_a_row(plan);
    uint32_t x = window % row_windows * distribution->pattern.x_per_tile + at.x;
    place->row = window / row_windows * distribution->pattern.y_per_tile + at.y;
    place->vector = x * element_bytes / bytes + part;
    return true;
}

/* --- wgmma descriptors. --- */

static enum tma_error_code plan_descriptor(struct lane_plan *plan, struct tma_error *error) {
    enum tma_error_code code =
        tma_wgmma_check(&plan->consumer->wgmma, plan->tile, &plan->wgmma, error);
    plan->instructions = code == TMA_OK ? plan->wgmma.accesses : 0;
    return code;
}

static bool place_descriptor(const struct lane_plan *plan, uint32_t index, uint32_t lane,
                             struct lane_place *place) {
    uint32_t byte;
    if (!tma_wgmma_place(&plan->wgmma, plan->tile, index, lane, &place->row, &byte))
        return false;
    place->vector = byte / plan->instruction->lane_bytes;
    return true;
}

/* enumerator, name, family, plan function, place function */
#define LANE_MAPS(X)                                                                               \
    X(TMA_LANES_ROW, "row", VECTOR, plan_vectors, place_row)                                       \
    X(TMA_LANES_COLUMN, "column", VECTOR, plan_vectors, place_column)                              \
    X(TMA_LANES_TRANSPOSED, "transposed", VECTOR, plan_transposed, place_block)                    \
    X(TMA_LANES_STRIDED, "strided", VECTOR, plan_strided, place_strided)                           \
    X(TMA_LANES_MATRIX, "matrix", MATRIX, plan_matrix, place_block)                                \
    X(TMA_LANES_FRAGMENT_A, "fragment_a", MATRIX, plan_fragment, place_block)                      \
    X(TMA_LANES_FRAGMENT_B, "fragment_b", MATRIX, plan_fragment, place_block)                      \
    X(TMA_LANES_DISTRIBUTION, "distribution", VECTOR, plan_distribution, place_distribution)       \
    X(TMA_LANES_DESCRIPTOR, "descriptor", WGMMA, plan_descriptor, place_descriptor)

static const struct lane_map maps[] = {
#define LANE_MAP(constant, name, family, plan, place)                                              \
    [constant] = {TMA_FAMILY_##family, plan, place},
    LANE_MAPS(LANE_MAP)};

static const struct tma_name lane_map_items[] = {
#define LANE_MAP_NAME(constant, name, family, plan, place) {name, constant},
    LANE_MAPS(LANE_MAP_NAME)};

enum { MAP_COUNT = sizeof maps / sizeof maps[0] };

const struct tma_names tma_lane_map_names = {"lane map", lane_map_items, MAP_COUNT};

const struct lane_map *tma_find_lane_map(enum tma_lane_map lanes) {
    return (unsigned)lanes < MAP_COUNT ? &maps[lanes] : NULL;
}
