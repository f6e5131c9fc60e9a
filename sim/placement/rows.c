#include "placement/rows.h"

#include <assert.h>

#include "base/numbers.h"
#include "placement/map_geometry.h"
#include "placement/operation_check.h"
#include "tensormap/types.h"

enum { AHEAD, INSIDE, PAST };

/* Rounds up. Most strides are 1, and a division is slow. */
static int64_t divide_up(int64_t a, int64_t b) {
    return b == 1 ? a : (a + b - 1) / b;
}

static bool is_outside(const struct tma_axis *axis) {
    return axis->position < 0 || axis->position >= axis->size;
}

/* Splits `rows` rows along the axis, from `position` on, at the tensor's begin and end. */
static struct tma_axis_pass split(const struct tma_axis *axis, int64_t position, int64_t rows) {
    int64_t ahead = position >= 0 ? 0 : divide_up(-position, axis->stride);
    ahead = ahead < rows ? ahead : rows;
    int64_t left = axis->size - position;
    int64_t until_past = left <= 0 ? 0 : divide_up(left, axis->stride);
    until_past = until_past < rows ? until_past : rows;
    return (struct tma_axis_pass){
        {(uint32_t)ahead, (uint32_t)(until_past - ahead), (uint32_t)(rows - until_past)}};
}

/* The pass from `position` to the axis's last element, or to the operation's last row. */
static struct tma_axis_pass pass_from(const struct tma_traversal *traversal, int64_t position) {
    const struct tma_axis *axis = &traversal->axes[0];
    int64_t rows = position > axis->last ? 0 : divide_up(axis->last - position + 1, axis->stride);
    return split(axis, position, rows < traversal->rows ? rows : traversal->rows);
}

static void start_rows(struct tma_row_stream *stream) {
    struct tma_traversal *traversal = &stream->traversal;
    stream->run = (struct tma_row_run){
        .shared_step_bytes = traversal->pitch_bytes,
        .global_step_bytes = (uint64_t)traversal->axes[0].stride * traversal->axes[0].pitch_bytes,
        .dimension = traversal->axes[0].dimension,
        .coordinate_step = traversal->axes[0].stride,
    };
    for (int d = 0; d < TMA_MAX_RANK; d++)
        stream->run.first.coordinates[d] = traversal->coordinates[d];
    stream->taken = 0;
    stream->global_address = traversal->global_address;
    stream->shared_address = traversal->shared_address;
    stream->rows_left = traversal->rows;
    stream->group_rows_left = traversal->group_rows;
    stream->halo_rows_left = 0;
    stream->pass = stream->full_pass = pass_from(traversal, traversal->axes[0].first);
    if (traversal->axes[0].position != traversal->axes[0].first)
        stream->pass = pass_from(traversal, traversal->axes[0].position);
    stream->outside = 0;
    for (uint32_t k = 1; k < traversal->axis_count; k++)
        stream->outside |= (uint32_t)is_outside(&traversal->axes[k]) << k;
}

static void measure(const struct tma_tensor_map *map, const struct tma_operation *operation,
                    const struct tma_traversal *traversal, struct tma_operation_size *size) {
    uint32_t groups = traversal->group_rows == 0 ? 0 : traversal->rows / traversal->group_rows;
    uint32_t rows = traversal->rows + groups * traversal->halo_rows;
    uint32_t span = tma_swizzle_info(map->swizzle)->span_bytes;
    uint32_t footprint = rows * traversal->pitch_bytes;
    *size = (struct tma_operation_size){
        .rows = rows,
        .row_bytes = traversal->row_bytes,
        .row_pitch_bytes = traversal->pitch_bytes,
        .moved_bytes = rows * traversal->row_moved_bytes,
        .row_moved_bytes = traversal->row_moved_bytes,
        .transaction_bytes =
            operation->direction == TMA_LOAD ? rows * traversal->row_moved_bytes : 0,
        .shared_footprint_bytes = span == 0 ? footprint : (footprint + span - 1) / span * span,
    };
}

struct tma_tensor_map tma_map_of_bytes(uint64_t address, uint32_t bytes) {
    enum { UNIT_BYTES = 16, ROW_UNITS = 128, ELEMENT_BYTES = 8 };
    uint32_t units = bytes / UNIT_BYTES, row = units < ROW_UNITS ? units : ROW_UNITS;
    while (units % row != 0)
        --row;
    uint32_t elements = row * UNIT_BYTES / ELEMENT_BYTES, rows = units / row;
    return (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                   .data_type = TMA_UINT64,
                                   .rank = 2,
                                   .global_address = address,
                                   .global_dim = {elements, rows},
                                   .global_strides = {(uint64_t)row * UNIT_BYTES},
                                   .box_dim = {elements, rows},
                                   .element_strides = {1, 1}};
}

enum tma_error_code tma_rows_begin(struct tma_row_stream *stream, const struct tma_tensor_map *map,
                                   const struct tma_operation *operation,
                                   struct tma_operation_size *size, struct tma_error *error) {
    enum tma_error_code code = tma_operation_check(map, operation, error);
    if (code != TMA_OK)
        return code;
    tma_traverse(&stream->traversal, map, operation);
    start_rows(stream);
    if (size != NULL)
        measure(map, operation, &stream->traversal, size);
    return TMA_OK;
}

/* Has the map what a walk needs, so that its steps end? */
static bool is_walkable(const struct tma_tensor_map *map) {
    uint32_t least = map->kind == TMA_MAP_TILED ? 1 : 3;
    bool good = map->rank >= least && map->rank <= TMA_MAX_RANK &&
                tma_type_info(map->data_type) != NULL && tma_swizzle_info(map->swizzle) != NULL;
    for (uint32_t d = 0; good && d < map->rank; d++)
        good = map->element_strides[d] > 0;
    return good;
}

void tma_go_inside_box(const struct tma_tensor_map *map, struct tma_operation *operation) {
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++)
        operation->coordinates[d] =
            operation->access == TMA_ACCESS_IM2COL && d > 0 && d + 1 < map->rank
                ? map->lower_corner[map->rank - 2 - d]
                : 0;
}

uint32_t tma_moved_bytes(const struct tma_tensor_map *map, const struct tma_operation *operation) {
    struct tma_traversal traversal;
    struct tma_operation_size size;
    if (!is_walkable(map))
        return 0;
    tma_traverse(&traversal, map, operation);
    measure(map, operation, &traversal, &size);
    return size.moved_bytes;
}

uint32_t tma_row_overwritten_bytes(const struct tma_tensor_map *map,
                                   const struct tma_operation *operation,
                                   const struct tma_row *row) {
    if (!tma_writes_tensor(operation->direction) || row->data_bytes == 0)
        return 0;
    uint64_t bits = (uint64_t)tma_row_unit(map).global_bits; /* a store begins at no negative one */
    uint64_t begin = (uint64_t)row->coordinates[0] * bits / 8, end = map->global_dim[0] * bits / 8;
    uint64_t written = begin + row->data_global_bytes;
    return written <= end ? 0 : (uint32_t)(written - (begin < end ? end : begin));
}

/* Moves axis k to `position`, and updates the address and the out-of-bounds mask. */
static void move_axis(struct tma_row_stream *stream, uint32_t k, int64_t position) {
    struct tma_axis *axis = &stream->traversal.axes[k];
    stream->global_address += (uint64_t)(position - axis->position) * axis->pitch_bytes;
    axis->position = position;
    stream->run.first.coordinates[axis->dimension] = position;
    if (k > 0) {
        uint32_t bit = 1u << k;
        stream->outside = is_outside(axis) ? stream->outside | bit : stream->outside & ~bit;
    }
}

/* Starts the next pass: axis 0 returns to its start, and the fastest other axis that is not at its
 * end moves one stride. */
static void next_pass(struct tma_row_stream *stream) {
    struct tma_traversal *traversal = &stream->traversal;
    if (traversal->gather) {
        move_axis(stream, 0, traversal->gather_rows[4 - stream->rows_left]);
        stream->pass = split(&traversal->axes[0], traversal->axes[0].position, 1);
        return;
    }
    move_axis(stream, 0, traversal->axes[0].first);
    stream->pass = stream->full_pass;
    for (uint32_t k = 1; k < traversal->axis_count; k++) {
        struct tma_axis *axis = &traversal->axes[k];
        if (axis->position + axis->stride <= axis->last) {
            move_axis(stream, k, axis->position + axis->stride);
            return;
        }
        move_axis(stream, k, axis->first);
    }
}

/* Makes the next `rows` rows the current run, and moves the stream past them. */
static void give_run(struct tma_row_stream *stream, uint32_t rows, bool inside) {
    const struct tma_traversal *traversal = &stream->traversal;
    struct tma_row_run *run = &stream->run;
    struct tma_row *row = &run->first;
    run->rows = rows;
    stream->taken = 0;
    row->coordinates[run->dimension] = traversal->axes[0].position;
    row->shared_address = stream->shared_address;
    row->global_address = stream->global_address;
    if (inside && traversal->data_bytes > 0) {
        row->global_address += (uint64_t)traversal->before_global_bytes;
        row->before_bytes = traversal->before_bytes;
        row->data_bytes = traversal->data_bytes;
        row->after_bytes = traversal->after_bytes;
        row->data_global_bytes = traversal->data_global_bytes;
    } else {
        row->before_bytes = row->data_bytes = row->data_global_bytes = 0;
        row->after_bytes = traversal->row_bytes;
    }
    stream->global_address += rows * run->global_step_bytes;
    stream->shared_address += rows * run->shared_step_bytes;
    stream->traversal.axes[0].position += (int64_t)rows * run->coordinate_step;
}

/* Makes the next rows of a halo the current run. The halo continues along W behind its group's last
 * pixel, past the bounding box if necessary. Afterwards the walk resumes where the group ended. */
static void give_halo(struct tma_row_stream *stream) {
    struct tma_axis *axis = &stream->traversal.axes[0];
    struct tma_axis_pass line = split(axis, axis->position, stream->halo_rows_left);
    int part = line.rows[AHEAD] > 0 ? AHEAD : line.rows[INSIDE] > 0 ? INSIDE : PAST;
    stream->halo_rows_left -= line.rows[part];
    give_run(stream, line.rows[part], part == INSIDE && stream->outside == 0);
    if (stream->halo_rows_left > 0)
        return;
    uint32_t halo_rows = stream->traversal.halo_rows;
    axis->position -= halo_rows * axis->stride;
    stream->global_address -= halo_rows * stream->run.global_step_bytes;
    stream->group_rows_left = stream->traversal.group_rows;
}

/* Makes the next run the current one; false after the last row. */
static bool advance(struct tma_row_stream *stream) {
    if (stream->halo_rows_left > 0) {
        give_halo(stream);
        return true;
    }
    if (stream->rows_left == 0)
        return false;
    uint32_t *left = stream->pass.rows;
    if ((left[AHEAD] | left[INSIDE] | left[PAST]) == 0)
        next_pass(stream);
    int part = left[AHEAD] > 0 ? AHEAD : left[INSIDE] > 0 ? INSIDE : PAST;
    uint32_t rows = tma_least(left[part], stream->rows_left);
    if (stream->traversal.group_rows > 0) {
        rows = tma_least(rows, stream->group_rows_left);
        stream->group_rows_left -= rows;
        if (stream->group_rows_left == 0)
            stream->halo_rows_left = stream->traversal.halo_rows;
    }
    left[part] -= rows;
    stream->rows_left -= rows;
    give_run(stream, rows, part == INSIDE && stream->outside == 0);
    return true;
}

/* Moves `row` forward by `rows` rows of its run. */
static void skip_rows(const struct tma_row_run *run, struct tma_row *row, uint32_t rows) {
    row->global_address += rows * run->global_step_bytes;
    row->shared_address += rows * run->shared_step_bytes;
    row->coordinates[run->dimension] += rows * run->coordinate_step;
}

bool tma_rows_next(struct tma_row_stream *stream, struct tma_row *row) {
    if (stream->taken == stream->run.rows && !advance(stream))
        return false;
    /* Does not update the run itself: the next call would read it as a whole right after it was
     * written in parts, and the processor's store forwarding would stall. */
    *row = stream->run.first;
    skip_rows(&stream->run, row, stream->taken++);
    return true;
}

const struct tma_row_run *tma_rows_next_run(struct tma_row_stream *stream) {
    struct tma_row_run *run = &stream->run;
    if (stream->taken == run->rows && !advance(stream))
        return NULL;
    skip_rows(run, &run->first, stream->taken);
    run->rows -= stream->taken;
    stream->taken = run->rows;
    return run;
}
