#include "placement/locate.h"

#include "placement/map_geometry.h"

enum { CHUNK_BYTES = 16, GROUP_ELEMENTS = 16 };

const struct tma_names tma_byte_kind_names = TMA_NAMES(
    "byte", {"element", TMA_BYTE_ELEMENT}, {"out_of_bounds", TMA_BYTE_OUT_OF_BOUNDS},
    {"undefined", TMA_BYTE_UNDEFINED}, {"gap", TMA_BYTE_GAP}, {"outside", TMA_BYTE_OUTSIDE});

/* Sets the sizes of elements. Packed elements lie end to end, inside a padded group too; elements
 * that .b6p2x16 stores take one byte each. */
static void set_bits(struct tma_layout *layout, const struct tma_tensor_map *map,
                     enum tma_direction direction) {
    const struct tma_type_info *type = tma_type_info(map->data_type);
    bool store = tma_writes_tensor(direction);
    layout->global_bits = layout->slot_bits = type->global_bits;
    if (map->interleave != TMA_INTERLEAVE_NONE)
        layout->global_bits = layout->slot_bits = 8 * tma_pixel_bytes(map);
    else if (type->shared_bits != type->global_bits && store)
        layout->slot_bits = type->shared_bits;
    else if (type->shared_bits != type->global_bits)
        layout->group_bytes = GROUP_ELEMENTS * type->global_bits / 8;
}

enum tma_error_code tma_layout_begin(struct tma_layout *layout, const struct tma_tensor_map *map,
                                     const struct tma_operation *operation,
                                     struct tma_error *error) {
    struct tma_row_stream rows;
    struct tma_operation_size size;
    enum tma_error_code code = tma_rows_begin(&rows, map, operation, &size, error);
    if (code != TMA_OK)
        return code;
    *layout = (struct tma_layout){
        .traversal = rows.traversal, .swizzle = map->swizzle, .rank = map->rank, .rows = size.rows};
    set_bits(layout, map, operation->direction);
    for (uint32_t k = 0; k < rows.traversal.axis_count; k++) {
        const struct tma_axis *axis = &rows.traversal.axes[k];
        layout->first_counts[k] =
            axis->position > axis->last
                ? 0
                : (uint64_t)(axis->last - axis->position) / (uint64_t)axis->stride + 1;
        layout->counts[k] = (uint64_t)(axis->last - axis->first) / (uint64_t)axis->stride + 1;
    }
    return TMA_OK;
}

/* Computes the position of each axis at row `row`, not counting halo rows. An axis starts its first
 * pass at its position, and each later pass at its first element. A pass of one axis is a step of
 * the next. */
static void place_axes(const struct tma_layout *layout, uint64_t row, int64_t *positions) {
    const struct tma_traversal *traversal = &layout->traversal;
    if (traversal->gather) {
        positions[0] = traversal->gather_rows[row];
        return;
    }
    uint64_t step = row;
    for (uint32_t k = 0; k < traversal->axis_count; k++) {
        const struct tma_axis *axis = &traversal->axes[k];
        if (step < layout->first_counts[k]) {
            positions[k] = axis->position + (int64_t)step * axis->stride;
            step = 0;
        } else {
            step -= layout->first_counts[k];
            positions[k] = axis->first + (int64_t)(step % layout->counts[k]) * axis->stride;
            step = 1 + step / layout->counts[k];
        }
    }
}

/* place_axes for a row index that counts halo rows. A halo continues behind its group's last row.
 */
static void place_row(const struct tma_layout *layout, uint32_t row, int64_t *positions) {
    const struct tma_traversal *traversal = &layout->traversal;
    if (traversal->group_rows == 0) {
        place_axes(layout, row, positions);
        return;
    }
    uint32_t period = traversal->group_rows + traversal->halo_rows;
    uint32_t group = row / period, place = row % period;
    uint32_t main_place = place < traversal->group_rows ? place : traversal->group_rows - 1;
    place_axes(layout, group * traversal->group_rows + main_place, positions);
    positions[0] += (int64_t)(place - main_place) * traversal->axes[0].stride;
}

/* Finds the row, not counting halo rows, at which the axes have these positions. */
static bool find_row(const struct tma_layout *layout, const int64_t *positions, uint64_t *row) {
    const struct tma_traversal *traversal = &layout->traversal;
    uint64_t pass = 0;
    for (uint32_t k = traversal->axis_count; k-- > 0;) {
        const struct tma_axis *axis = &traversal->axes[k];
        int64_t from = pass == 0 ? axis->position : axis->first;
        int64_t distance = positions[k] - from;
        if (distance < 0 || positions[k] > axis->last || distance % axis->stride != 0)
            return false;
        uint64_t step = (uint64_t)(distance / axis->stride);
        pass = pass == 0 ? step : layout->first_counts[k] + (pass - 1) * layout->counts[k] + step;
        if (pass >= traversal->rows) /* faster axes only increase it */
            return false;
    }
    *row = pass;
    return true;
}

/* The bit of a row at which its element `element` starts. */
static uint64_t bit_of_element(const struct tma_layout *layout, uint64_t element) {
    if (layout->group_bytes == 0)
        return element * layout->slot_bits;
    return element / GROUP_ELEMENTS * CHUNK_BYTES * 8 +
           element % GROUP_ELEMENTS * layout->slot_bits;
}

/* The bit at which byte `byte` of a row starts, not counting padding. */
static uint32_t packed_bit(const struct tma_layout *layout, uint32_t byte) {
    if (layout->group_bytes == 0)
        return 8 * byte;
    return 8 * (byte / CHUNK_BYTES * layout->group_bytes + byte % CHUNK_BYTES);
}

static bool is_inside(const struct tma_layout *layout, const int64_t *positions, uint32_t byte) {
    const struct tma_traversal *traversal = &layout->traversal;
    for (uint32_t k = 0; k < traversal->axis_count; k++)
        if (positions[k] < 0 || positions[k] >= traversal->axes[k].size)
            return false;
    return byte >= traversal->before_bytes &&
           byte < traversal->before_bytes + traversal->data_bytes;
}

static void describe(const struct tma_layout *layout, uint32_t byte, const int64_t *positions,
                     struct tma_byte_place *place) {
    const struct tma_traversal *traversal = &layout->traversal;
    uint32_t bit = packed_bit(layout, byte);
    int64_t element = bit / layout->slot_bits;
    place->element_bit = bit % layout->slot_bits;
    place->global_address = traversal->global_address;
    for (int d = 0; d < TMA_MAX_RANK; d++)
        place->coordinates[d] = traversal->coordinates[d];
    place->coordinates[0] += element;
    for (uint32_t k = 0; k < traversal->axis_count; k++) {
        const struct tma_axis *axis = &traversal->axes[k];
        place->coordinates[axis->dimension] = positions[k];
        place->global_address += (uint64_t)(positions[k] - axis->position) * axis->pitch_bytes;
    }
    place->global_address += ((uint64_t)element * layout->global_bits + place->element_bit) / 8;
    place->kind = is_inside(layout, positions, byte) ? TMA_BYTE_ELEMENT : TMA_BYTE_OUT_OF_BOUNDS;
}

struct tma_byte_place tma_layout_byte(const struct tma_layout *layout, uint32_t address) {
    const struct tma_traversal *traversal = &layout->traversal;
    struct tma_byte_place place = {.kind = TMA_BYTE_OUTSIDE};
    uint32_t offset = tma_swizzle_address(layout->swizzle, address) - traversal->shared_address;
    uint32_t byte = offset % traversal->pitch_bytes;
    place.row = offset / traversal->pitch_bytes;
    if (place.row >= layout->rows)
        return (struct tma_byte_place){.kind = TMA_BYTE_OUTSIDE};
    if (byte >= traversal->row_bytes) {
        place.kind = TMA_BYTE_GAP;
        return place;
    }
    if (layout->group_bytes != 0 && byte % CHUNK_BYTES >= layout->group_bytes) {
        place.kind = TMA_BYTE_UNDEFINED;
        return place;
    }
    int64_t positions[TMA_MAX_RANK] = {0};
    place_row(layout, place.row, positions);
    describe(layout, byte, positions, &place);
    return place;
}

/* A search for the places of one element. It lies at the same bit in each of its rows. */
struct element_search {
    const struct tma_layout *layout;
    struct tma_element_place *places;
    unsigned count;
    uint32_t row_bit;
};

static void add_place(struct element_search *search, uint32_t row) {
    const struct tma_traversal *traversal = &search->layout->traversal;
    uint32_t address =
        traversal->shared_address + row * traversal->pitch_bytes + search->row_bit / 8;
    search->places[search->count++] = (struct tma_element_place){
        .shared_address = tma_swizzle_address(search->layout->swizzle, address),
        .bit = search->row_bit % 8,
        .row = row,
    };
}

/* Adds the place of the element in the halo of this group, if it is there: a halo pixel is a few
 * strides behind the group's last pixel. */
static void search_halo(struct element_search *search, const int64_t *positions, uint32_t group) {
    const struct tma_traversal *traversal = &search->layout->traversal;
    int64_t last[TMA_MAX_RANK] = {0};
    uint32_t period = traversal->group_rows + traversal->halo_rows;
    place_axes(search->layout, (uint64_t)(group + 1) * traversal->group_rows - 1, last);
    for (uint32_t k = 1; k < traversal->axis_count; k++)
        if (positions[k] != last[k])
            return;
    int64_t distance = positions[0] - last[0], stride = traversal->axes[0].stride;
    if (distance > 0 && distance % stride == 0 && distance / stride <= traversal->halo_rows)
        add_place(search,
                  group * period + traversal->group_rows + (uint32_t)(distance / stride) - 1);
}

static void search_groups(struct element_search *search, const int64_t *positions) {
    const struct tma_traversal *traversal = &search->layout->traversal;
    uint64_t main_row = UINT64_MAX;
    uint32_t period = traversal->group_rows + traversal->halo_rows;
    bool found = find_row(search->layout, positions, &main_row);
    for (uint32_t group = 0; group < traversal->rows / traversal->group_rows; group++) {
        if (found && main_row / traversal->group_rows == group)
            add_place(search, group * period + (uint32_t)(main_row % traversal->group_rows));
        search_halo(search, positions, group);
    }
}

/* No tensor has an element beyond this limit, and sums of coordinates do not overflow within it. */
static bool are_in_limits(const int64_t *coordinates) {
    const int64_t limit = INT64_C(1) << 40;
    for (int d = 0; d < TMA_MAX_RANK; d++)
        if (coordinates[d] < -limit || coordinates[d] > limit)
            return false;
    return true;
}

/* Does a row hold the element's coordinate in dimension 0? Sets the search's bit. */
static bool search_row(struct element_search *search, const int64_t *coordinates) {
    const struct tma_layout *layout = search->layout;
    int64_t element = coordinates[0] - layout->traversal.coordinates[0];
    if (layout->traversal.axes[0].dimension == 0)
        return true; /* each row is one pixel */
    if (element < 0)
        return false;
    uint64_t bit = bit_of_element(layout, (uint64_t)element);
    search->row_bit = (uint32_t)bit;
    return bit < 8 * (uint64_t)layout->traversal.row_bytes;
}

unsigned tma_layout_element(const struct tma_layout *layout,
                            const int64_t coordinates[TMA_MAX_RANK],
                            struct tma_element_place places[TMA_MAX_PLACES]) {
    const struct tma_traversal *traversal = &layout->traversal;
    struct element_search search = {.layout = layout, .places = places};
    int64_t positions[TMA_MAX_RANK];
    uint64_t row;
    if (!are_in_limits(coordinates) || !search_row(&search, coordinates))
        return 0;
    for (uint32_t k = 0; k < traversal->axis_count; k++)
        positions[k] = layout->rank == 1 ? 0 : coordinates[traversal->axes[k].dimension];
    if (traversal->gather) {
        for (uint32_t i = 0; i < 4; i++)
            if (traversal->gather_rows[i] == positions[0])
                add_place(&search, i);
    } else if (traversal->group_rows > 0) {
        search_groups(&search, positions);
    } else if (find_row(layout, positions, &row)) {
        add_place(&search, (uint32_t)row);
    }
    return search.count;
}
