#include "placement/traversal.h"

#include <assert.h>

#include "placement/map_geometry.h"
#include "tensormap/types.h"

static int64_t clamp(int64_t value, int64_t low, int64_t high) {
    return value < low ? low : value > high ? high : value;
}

static void set_axis(struct tma_traversal *traversal, const struct tma_tensor_map *map, uint32_t d,
                     struct tma_axis axis) {
    axis.dimension = d;
    axis.size = (int64_t)map->global_dim[d];
    axis.pitch_bytes = tma_dimension_pitch(map, d);
    traversal->coordinates[d] = axis.position;
    traversal->axes[traversal->axis_count++] = axis;
}

/* Dimension d has one position, the instruction's coordinate. */
static void set_fixed_axis(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                           uint32_t d, int64_t at) {
    set_axis(traversal, map, d,
             (struct tma_axis){.position = at, .first = at, .last = at, .stride = 1});
}

/* Tiled mode: ceil(box / element stride) elements from the coordinate on. */
static void set_box_axis(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                         uint32_t d, int64_t at) {
    uint32_t stride = map->element_strides[d];
    uint32_t count = (map->box_dim[d] + stride - 1) / stride;
    traversal->rows *= count;
    set_axis(traversal, map, d,
             (struct tma_axis){.position = at,
                               .first = at,
                               .last = at + (int64_t)(count - 1) * stride,
                               .stride = stride});
}

/* Sets the parts of a row of `elements` elements from `at` on in dimension 0. An element of an
 * interleaved layout is a pixel of 16 or 32 bytes. */
static void set_row(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                    enum tma_direction direction, int64_t at, int64_t elements) {
    int64_t end = (int64_t)map->global_dim[0];
    if (tma_writes_tensor(direction))
        end = tma_store_end(map);
    int64_t before = clamp(-at, 0, elements);
    int64_t data = clamp(end - at, before, elements) - before;
    struct tma_row_unit unit = tma_row_unit(map);
    traversal->row_bytes = (uint32_t)(elements * unit.shared_bits / 8);
    traversal->row_moved_bytes = (uint32_t)(elements * unit.global_bits / 8);
    traversal->before_bytes = (uint32_t)(before * unit.shared_bits / 8);
    traversal->data_bytes = (uint32_t)(data * unit.shared_bits / 8);
    traversal->after_bytes = traversal->row_bytes - traversal->before_bytes - traversal->data_bytes;
    traversal->before_global_bytes = before * unit.global_bits / 8;
    traversal->data_global_bytes = (uint32_t)(data * unit.global_bits / 8);
    traversal->coordinates[0] = at;
    traversal->global_address = map->global_address + (uint64_t)(at * unit.global_bits / 8);
}

/* Makes each pixel of an interleaved layout a row: dimension 0 is an axis of its own then. */
static void set_pixel_row(struct tma_traversal *traversal, const struct tma_tensor_map *map) {
    traversal->row_bytes = tma_pixel_bytes(map);
    traversal->row_moved_bytes = traversal->row_bytes;
    traversal->data_bytes = traversal->row_bytes;
    traversal->data_global_bytes = traversal->row_bytes;
    traversal->global_address = map->global_address;
}

static void traverse_tile(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                          const struct tma_operation *operation) {
    const int32_t *at = operation->coordinates;
    bool interleaved = map->interleave != TMA_INTERLEAVE_NONE;
    if (interleaved && map->element_strides[0] > 1) {
        set_pixel_row(traversal, map);
        set_box_axis(traversal, map, 0, at[0]);
    } else {
        set_row(traversal, map, operation->direction, at[0], map->box_dim[0]);
    }
    for (uint32_t d = 1; d < map->rank; d++) {
        if (interleaved && d == map->rank - 2) /* one channel slice per operation */
            set_fixed_axis(traversal, map, d, at[d]);
        else
            set_box_axis(traversal, map, d, at[d]);
    }
    if (map->rank == 1) /* the walk needs at least one axis */
        traversal->axes[traversal->axis_count++] =
            (struct tma_axis){.stride = 1, .size = 1, .dimension = 1};
}

static void traverse_gather4(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                             const struct tma_operation *operation) {
    set_row(traversal, map, operation->direction, operation->coordinates[0], map->box_dim[0]);
    set_fixed_axis(traversal, map, 1, operation->coordinates[1]);
    traversal->gather = true;
    traversal->rows = 4;
    for (int i = 0; i < 4; i++)
        traversal->gather_rows[i] = operation->coordinates[1 + i];
}

/* Dimension d of the im2col bounding box, moved by the operation's offset. */
static void set_im2col_axis(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                            uint32_t d, uint32_t corner, int64_t at, int64_t offset) {
    set_axis(traversal, map, d,
             (struct tma_axis){.position = at + offset,
                               .first = map->lower_corner[corner] + offset,
                               .last = (int64_t)map->global_dim[d] - 1 + map->upper_corner[corner] +
                                       offset,
                               .stride = map->element_strides[d]});
}

/* The images of the batch. Only the number of pixels ends this axis. */
static void set_image_axis(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                           int64_t at, uint32_t stride) {
    set_axis(
        traversal, map, map->rank - 1,
        (struct tma_axis){.position = at, .first = at, .last = INT64_MAX / 2, .stride = stride});
}

static void traverse_im2col(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                            const struct tma_operation *operation) {
    const int32_t *at = operation->coordinates;
    uint32_t spatial = tma_first_spatial(map);
    if (spatial == 0)
        set_pixel_row(traversal, map);
    else
        set_row(traversal, map, operation->direction, at[0], map->channels_per_pixel);
    for (uint32_t i = 0; i < map->rank - 2; i++)
        set_im2col_axis(traversal, map, spatial + i, i, at[spatial + i],
                        tma_im2col_offset(operation, i));
    if (spatial == 0)
        set_fixed_axis(traversal, map, map->rank - 2, at[map->rank - 2]);
    set_image_axis(traversal, map, at[map->rank - 1], map->element_strides[map->rank - 1]);
    traversal->rows = map->pixels_per_column;
}

/* H and D are fixed. The box is one row of W, and the walk continues at its start in the next image
 * of the batch. Only the traversal stride of W has an effect (PTX ISA 5.5.5.2). */
static void traverse_im2col_w(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                              const struct tma_operation *operation) {
    const int32_t *at = operation->coordinates;
    bool fixed_128 = operation->access == TMA_ACCESS_IM2COL_W128;
    set_row(traversal, map, operation->direction, at[0], map->channels_per_pixel);
    set_im2col_axis(traversal, map, 1, 0, at[1], operation->w_offset);
    for (uint32_t d = 2; d < map->rank - 1; d++)
        set_fixed_axis(traversal, map, d, at[d]);
    set_image_axis(traversal, map, at[map->rank - 1], 1);
    traversal->rows = fixed_128 ? 128 : map->pixels_per_column;
    traversal->halo_rows = operation->w_halo;
    if (operation->w_halo > 0)
        traversal->group_rows = fixed_128 ? 32 : map->pixels_per_column;
}

void tma_traverse(struct tma_traversal *traversal, const struct tma_tensor_map *map,
                  const struct tma_operation *operation) {
    *traversal = (struct tma_traversal){.rows = 1, .shared_address = operation->shared_address};
    switch (operation->access) {
    case TMA_ACCESS_TILE:
        traverse_tile(traversal, map, operation);
        break;
    case TMA_ACCESS_GATHER4:
        traverse_gather4(traversal, map, operation);
        break;
    case TMA_ACCESS_IM2COL:
        traverse_im2col(traversal, map, operation);
        break;
    case TMA_ACCESS_IM2COL_W:
    case TMA_ACCESS_IM2COL_W128:
        traverse_im2col_w(traversal, map, operation);
        break;
    }
    assert(traversal->axis_count > 0);
    traversal->pitch_bytes = tma_row_pitch(map, traversal->row_bytes);
    for (uint32_t k = 0; k < traversal->axis_count; k++)
        traversal->global_address +=
            (uint64_t)traversal->axes[k].position * traversal->axes[k].pitch_bytes;
}
