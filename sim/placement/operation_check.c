#include "placement/operation_check.h"

#include <inttypes.h>

#include "placement/map_geometry.h"
#include "placement/reduction.h"
#include "tensormap/types.h"

enum { SHARED_ALIGNMENT_BYTES = 128, ROW_ALIGNMENT_BITS = 128 };
enum { PADDED_ELEMENTS = 128, HALF_ROW_ELEMENTS = 64, PADDED_ALIGNMENT_BYTES = 32 };
enum { MAX_BOX = 256, MAX_STRIDE = 8, MAX_PIXELS = 1024 };

static bool is_im2col_w(enum tma_access_mode access) {
    return access == TMA_ACCESS_IM2COL_W || access == TMA_ACCESS_IM2COL_W128;
}

/* For each access mode: its name in PTX, the kind of map that it walks, and its ranks. */
static const struct {
    const char *name;
    enum tma_map_kind kind;
    uint32_t min_rank, max_rank;
} modes[] = {
    [TMA_ACCESS_TILE] = {"tile", TMA_MAP_TILED, 1, 5},
    [TMA_ACCESS_GATHER4] = {"tile::gather4/scatter4", TMA_MAP_TILED, 2, 2},
    [TMA_ACCESS_IM2COL] = {"im2col", TMA_MAP_IM2COL, 3, 5},
    [TMA_ACCESS_IM2COL_W] = {"im2col::w", TMA_MAP_IM2COL_W, 3, 5},
    [TMA_ACCESS_IM2COL_W128] = {"im2col::w::128", TMA_MAP_IM2COL_W128, 3, 5},
};

static enum tma_error_code check_mode(const struct tma_tensor_map *map,
                                      const struct tma_operation *operation,
                                      struct tma_error *error) {
    if ((size_t)operation->access >= sizeof modes / sizeof modes[0])
        return tma_fail(error, TMA_ERROR_ARGUMENT, "access mode is %d; allowed: 0 to 4",
                        (int)operation->access);
    if ((unsigned)operation->direction > TMA_PREFETCH)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "direction is %d; allowed: 0 to 3",
                        (int)operation->direction);
    const char *mode = modes[operation->access].name;
    if (map->kind != modes[operation->access].kind)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s walks a tensor map of kind %s; this one is %s", mode,
                        tma_name_of(&tma_map_kind_names, (int)modes[operation->access].kind),
                        tma_name_of(&tma_map_kind_names, (int)map->kind));
    if (map->rank < modes[operation->access].min_rank ||
        map->rank > modes[operation->access].max_rank)
        return tma_fail(
            error, TMA_ERROR_ARGUMENT, "%s has rank %u to %u; the tensor map's rank is %u", mode,
            modes[operation->access].min_rank, modes[operation->access].max_rank, map->rank);
    return TMA_OK;
}

static enum tma_error_code check_range(const char *field, uint32_t value, uint32_t limit,
                                       struct tma_error *error) {
    if (value >= 1 && value <= limit)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_TENSOR_MAP, "%s is %u; allowed: 1 to %u", field, value, limit);
}

/* Checks the rules of tensor maps on which the walk relies, so that it cannot overflow. */
static enum tma_error_code check_map(const struct tma_tensor_map *map, struct tma_error *error) {
    if (tma_type_info(map->data_type) == NULL)
        return tma_fail(error, TMA_ERROR_TENSOR_MAP, "data_type is %d, which is not a data type",
                        (int)map->data_type);
    if (tma_swizzle_info(map->swizzle) == NULL)
        return tma_fail(error, TMA_ERROR_TENSOR_MAP, "swizzle is %d, which is not a swizzle",
                        (int)map->swizzle);
    enum tma_error_code code = TMA_OK;
    bool tiled = map->kind == TMA_MAP_TILED;
    uint32_t span = tma_swizzle_info(map->swizzle)->span_bytes;
    uint32_t inner = tiled ? map->box_dim[0] : map->channels_per_pixel;
    uint64_t row = tma_shared_bytes(map->data_type, inner);
    if (map->interleave == TMA_INTERLEAVE_NONE && span > 0 && row > span)
        return tma_fail(error, TMA_ERROR_TENSOR_MAP,
                        "rows are %" PRIu64 " bytes; swizzle %s allows %u at most", row,
                        tma_name_of(&tma_swizzle_names, (int)map->swizzle), span);
    for (uint32_t d = 0; d < map->rank && code == TMA_OK; d++) {
        code = check_range("an element of element_strides", map->element_strides[d], MAX_STRIDE,
                           error);
        if (code == TMA_OK && tiled)
            code = check_range("an element of box_dim", map->box_dim[d], MAX_BOX, error);
    }
    if (code == TMA_OK && !tiled)
        code = check_range("channels_per_pixel", map->channels_per_pixel, MAX_BOX, error);
    if (code == TMA_OK && !tiled && map->kind != TMA_MAP_IM2COL_W128) /* which ignores it */
        code = check_range("pixels_per_column", map->pixels_per_column, MAX_PIXELS, error);
    return code;
}

/* The restrictions that gather4 and im2col::w add to tile and im2col (PTX ISA 5.5.3.4, 5.5.5,
 * 5.5.6). */
static enum tma_error_code check_restrictions(const struct tma_tensor_map *map,
                                              const struct tma_operation *operation,
                                              struct tma_error *error) {
    bool gather = operation->access == TMA_ACCESS_GATHER4;
    bool wide = is_im2col_w(operation->access);
    const char *mode = modes[operation->access].name;
    if (gather && map->box_dim[1] != 1)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s: box_dim[1] is %u; must be 1", mode,
                        map->box_dim[1]);
    if ((gather || wide) && map->interleave != TMA_INTERLEAVE_NONE)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s: interleave is %s; must be none", mode,
                        tma_name_of(&tma_interleave_names, (int)map->interleave));
    bool flips = tma_swizzle_info(map->swizzle)->flips_8b;
    if (wide && (map->swizzle == TMA_SWIZZLE_NONE || flips))
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s: swizzle is %s; must not be none nor flip 8 bytes", mode,
                        tma_name_of(&tma_swizzle_names, (int)map->swizzle));
    if (wide && tma_writes_tensor(operation->direction))
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s has loads and prefetches, no stores", mode);
    if (gather && operation->direction == TMA_REDUCE)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "tile::scatter4 has no reductions: they have tile and im2col_no_offs only");
    return TMA_OK;
}

/* Features of one direction only: the 8-byte flip, padded 4-bit types, multicast. */
static enum tma_error_code check_direction(const struct tma_tensor_map *map,
                                           const struct tma_operation *operation,
                                           struct tma_error *error) {
    if (operation->cta_mask != 0 && operation->direction != TMA_LOAD)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "cta_mask is 0x%x; must be 0: only loads are multicast",
                        (unsigned)operation->cta_mask);
    if (!tma_writes_tensor(operation->direction))
        return TMA_OK;
    if (tma_swizzle_info(map->swizzle)->flips_8b)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "swizzle is %s; it is legal for loads into shared memory only",
                        tma_name_of(&tma_swizzle_names, (int)map->swizzle));
    if (map->data_type == TMA_16U4_ALIGN16B)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "data type is 16u4_align16b; .b4x16_p64 is for loads only");
    return TMA_OK;
}

static enum tma_error_code check_shared_address(const struct tma_operation *operation,
                                                struct tma_error *error) {
    if (operation->direction != TMA_PREFETCH &&
        operation->shared_address % SHARED_ALIGNMENT_BYTES != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "shared address is 0x%x; must be a multiple of %d bytes",
                        operation->shared_address, SHARED_ALIGNMENT_BYTES);
    return TMA_OK;
}

/* 6-bit loads (.b6x16_p32) need whole rows of 128 elements. Maps with half rows, which sm_103 has
 * for stores (.b6p2x16), and the swizzles that the driver's page lists for stores have no loads. */
static enum tma_error_code check_six_bit_load(const struct tma_tensor_map *map,
                                              const struct tma_operation *operation,
                                              struct tma_error *error) {
    if (map->data_type != TMA_16U6_ALIGN16B || tma_writes_tensor(operation->direction))
        return TMA_OK;
    bool stores_only = map->swizzle == TMA_SWIZZLE_64B || map->swizzle == TMA_SWIZZLE_128B_ATOM_64B;
    uint32_t inner = map->kind == TMA_MAP_TILED ? map->box_dim[0] : map->channels_per_pixel;
    if (stores_only)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "swizzle is %s; for 16u6_align16b the driver's page lists it for stores "
                        "only (PTX ISA allows 128b_atom_64b for loads, too)",
                        tma_name_of(&tma_swizzle_names, (int)map->swizzle));
    if (inner != PADDED_ELEMENTS || map->global_dim[0] % PADDED_ELEMENTS != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "rows of 16u6_align16b have %u of %" PRIu64
                        " elements; loads need 128 of a multiple of 128",
                        inner, map->global_dim[0]);
    uint64_t places = map->global_address;
    for (uint32_t d = 1; d < map->rank; d++)
        places |= map->global_strides[d - 1];
    if (places % PADDED_ALIGNMENT_BYTES != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "the address or a stride of 16u6_align16b is not a multiple of 32 bytes; "
                        "loads need that");
    return TMA_OK;
}

/* PTX ISA, cp.async.bulk.tensor: the ranges of wHalo and wOffset. */
static enum tma_error_code check_halo(const struct tma_operation *operation,
                                      struct tma_error *error) {
    enum { MAX_OFFSET = 31 };
    if (!is_im2col_w(operation->access))
        return TMA_OK;
    unsigned most = operation->access == TMA_ACCESS_IM2COL_W ? 511 : 31;
    if (operation->w_halo > most)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s: wHalo is %u; allowed: 0 to %u",
                        modes[operation->access].name, operation->w_halo, most);
    if (operation->w_offset < 0 || operation->w_offset > MAX_OFFSET)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s: wOffset is %d; allowed: 0 to %d",
                        modes[operation->access].name, operation->w_offset, MAX_OFFSET);
    return TMA_OK;
}

/* im2col offsets have 16, 8 or 5 bits for 3, 4 or 5 dimensions (PTX ISA 5.5.4.1). */
static enum tma_error_code check_offsets(const struct tma_tensor_map *map,
                                         const struct tma_operation *operation,
                                         struct tma_error *error) {
    static const uint32_t limits[] = {[3] = 65535, [4] = 255, [5] = 31};
    if (operation->access != TMA_ACCESS_IM2COL)
        return TMA_OK;
    for (uint32_t i = 0; i < map->rank - 2; i++)
        if (operation->im2col_offsets[i] > limits[map->rank])
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "im2col offset %u is %u; allowed: 0 to %u for rank %u", i,
                            operation->im2col_offsets[i], limits[map->rank], map->rank);
    return TMA_OK;
}

/* PTX ISA, Restriction on Tensor Copy instructions. tma_operation_architecture_check refuses stores
 * at odd multiples of 64 where the architecture does not have them. */
static enum tma_error_code check_padded_column(const struct tma_tensor_map *map,
                                               const struct tma_operation *operation,
                                               struct tma_error *error) {
    bool store = tma_writes_tensor(operation->direction);
    int32_t multiple =
        store && map->data_type == TMA_16U6_ALIGN16B ? HALF_ROW_ELEMENTS : PADDED_ELEMENTS;
    if (operation->coordinates[0] % multiple == 0)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "coordinate 0 is %" PRId32 "; for %s it must be a multiple of %" PRId32
                    " (PTX ISA, Restriction on Tensor Copy instructions)",
                    operation->coordinates[0], tma_type_info(map->data_type)->name, multiple);
}

static enum tma_error_code fault_unaligned(const struct tma_tensor_map *map,
                                           const struct tma_operation *operation,
                                           struct tma_error *error) {
    if (map->interleave != TMA_INTERLEAVE_NONE)
        return TMA_OK;
    const struct tma_type_info *type = tma_type_info(map->data_type);
    if (type->shared_bits != type->global_bits)
        return check_padded_column(map, operation, error);
    int64_t bits = (int64_t)operation->coordinates[0] * type->global_bits;
    if (bits % ROW_ALIGNMENT_BITS != 0)
        return tma_fail(error, TMA_ERROR_FAULT,
                        "coordinate 0 is %" PRId32
                        ": times %u bits of %s it must be a multiple of 16 bytes",
                        operation->coordinates[0], type->global_bits, type->name);
    return TMA_OK;
}

/* The base of an im2col load lies inside the bounding box; that of im2col::w may lie left of it. */
static enum tma_error_code fault_outside_box(const struct tma_tensor_map *map,
                                             const struct tma_operation *operation,
                                             struct tma_error *error) {
    if (map->kind == TMA_MAP_TILED)
        return TMA_OK;
    bool wide = is_im2col_w(operation->access);
    uint32_t spatial = wide ? 1 : map->rank - 2;
    for (uint32_t i = 0; i < spatial; i++) {
        uint32_t d = tma_first_spatial(map) + i;
        int64_t at = operation->coordinates[d];
        int64_t low = map->lower_corner[i];
        int64_t high = (int64_t)map->global_dim[d] - 1 + map->upper_corner[i];
        if (low > high)
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "corners %u are %" PRId32 " and %" PRId32
                            ": the im2col bounding box is empty",
                            i, map->lower_corner[i], map->upper_corner[i]);
        if ((at < low && !wide) || at > high)
            return tma_fail(error, TMA_ERROR_FAULT,
                            "coordinate %u is %" PRId64
                            ": the im2col bounding box reaches from %" PRId64 " to %" PRId64,
                            d, at, low, high);
    }
    return TMA_OK;
}

static enum tma_error_code fault_negative_store(const struct tma_tensor_map *map,
                                                const struct tma_operation *operation,
                                                struct tma_error *error) {
    if (!tma_writes_tensor(operation->direction))
        return TMA_OK;
    uint32_t coordinates = operation->access == TMA_ACCESS_GATHER4 ? 5 : map->rank;
    for (uint32_t d = 0; d < coordinates; d++)
        if (operation->coordinates[d] < 0)
            return tma_fail(error, TMA_ERROR_FAULT,
                            "coordinate %u is %" PRId32 "; a store's must not be negative", d,
                            operation->coordinates[d]);
    for (uint32_t i = 0; operation->access == TMA_ACCESS_IM2COL && i < map->rank - 2; i++)
        if (map->lower_corner[i] < 0 || map->upper_corner[i] > 0)
            return tma_fail(error, TMA_ERROR_FAULT,
                            "corners %u are %" PRId32 " and %" PRId32
                            "; a store's lower must not be negative, its upper not positive",
                            i, map->lower_corner[i], map->upper_corner[i]);
    return TMA_OK;
}

static enum tma_error_code fault_reduction(const struct tma_tensor_map *map,
                                           const struct tma_operation *operation,
                                           struct tma_error *error) {
    if (operation->direction == TMA_REDUCE &&
        !tma_reduction_exists(operation->reduction, map->data_type))
        return tma_fail(error, TMA_ERROR_FAULT, "reduction %s does not exist for %s",
                        tma_name_of(&tma_reduction_names, (int)operation->reduction),
                        tma_type_info(map->data_type)->name);
    return TMA_OK;
}

enum tma_error_code tma_operation_check(const struct tma_tensor_map *map,
                                        const struct tma_operation *operation,
                                        struct tma_error *error) {
    enum tma_error_code code = check_mode(map, operation, error);
    if (code == TMA_OK)
        code = check_map(map, error);
    if (code == TMA_OK)
        code = check_restrictions(map, operation, error);
    if (code == TMA_OK)
        code = check_direction(map, operation, error);
    if (code == TMA_OK)
        code = check_six_bit_load(map, operation, error);
    if (code == TMA_OK)
        code = check_halo(operation, error);
    if (code == TMA_OK)
        code = check_shared_address(operation, error);
    if (code == TMA_OK)
        code = check_offsets(map, operation, error);
    if (code == TMA_OK)
        code = fault_unaligned(map, operation, error);
    if (code == TMA_OK)
        code = fault_outside_box(map, operation, error);
    if (code == TMA_OK)
        code = fault_negative_store(map, operation, error);
    if (code == TMA_OK)
        code = fault_reduction(map, operation, error);
    return code;
}
