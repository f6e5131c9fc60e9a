#include "placement/operation_architecture.h"

#include <inttypes.h>

/* The features of an access mode, for each direction. Combinations that no architecture has fail in
 * tma_operation_check. */
static enum tma_feature access_feature(const struct tma_operation *operation) {
    bool prefetch = operation->direction == TMA_PREFETCH, multicast = operation->cta_mask != 0;
    switch (operation->access) {
    case TMA_ACCESS_TILE:
        break;
    case TMA_ACCESS_IM2COL:
        return TMA_FEATURE_IM2COL;
    case TMA_ACCESS_GATHER4:
        return tma_writes_tensor(operation->direction) ? TMA_FEATURE_SCATTER4_STORE
               : prefetch                              ? TMA_FEATURE_GATHER4_PREFETCH
               : multicast                             ? TMA_FEATURE_GATHER4_MULTICAST
                                                       : TMA_FEATURE_GATHER4_LOAD;
    case TMA_ACCESS_IM2COL_W:
        return prefetch    ? TMA_FEATURE_IM2COL_W_PREFETCH
               : multicast ? TMA_FEATURE_IM2COL_W_MULTICAST
                           : TMA_FEATURE_IM2COL_W_LOAD;
    case TMA_ACCESS_IM2COL_W128:
        return TMA_FEATURE_IM2COL_W128;
    }
    return TMA_FEATURE_TILE;
}

/* sm_120 has these types and swizzles in the own CTA's shared memory only. A multicast load names
 * that of the cluster. */
static enum tma_error_code check_load(const struct tma_tensor_map *map, bool multicast,
                                      enum tma_architecture architecture, struct tma_error *error) {
    enum tma_error_code code = TMA_OK;
    if (tma_type_info(map->data_type)->type_class == TMA_CLASS_SUB_BYTE)
        code = tma_require_feature(
            architecture, multicast ? TMA_FEATURE_SUB_BYTE_MULTICAST : TMA_FEATURE_SUB_BYTE_LOAD,
            error);
    if (code == TMA_OK && tma_swizzle_info(map->swizzle)->atom_bytes > 16)
        code = tma_require_feature(
            architecture,
            multicast ? TMA_FEATURE_SWIZZLE_ATOM_MULTICAST : TMA_FEATURE_SWIZZLE_ATOM_LOAD, error);
    return code;
}

/* Stores of .b6p2x16 start at multiples of 64 elements on sm_103, of 128 on all others. */
static enum tma_error_code check_six_bit_store(const struct tma_tensor_map *map,
                                               const struct tma_operation *operation,
                                               enum tma_architecture architecture,
                                               struct tma_error *error) {
    enum { MULTIPLE = 128 };
    if (map->data_type != TMA_16U6_ALIGN16B || operation->coordinates[0] % MULTIPLE == 0 ||
        tma_has_feature(architecture, TMA_FEATURE_SIX_BIT_HALF_ROWS))
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_ARGUMENT,
                    "coordinate 0 is %" PRId32 "; for 16u6_align16b on %s it must be a multiple of "
                    "%d (PTX ISA, Restriction on Tensor Copy instructions)",
                    operation->coordinates[0],
                    tma_name_of(&tma_architecture_names, (int)architecture), MULTIPLE);
}

enum tma_error_code tma_operation_architecture_check(const struct tma_tensor_map *map,
                                                     const struct tma_operation *operation,
                                                     enum tma_architecture architecture,
                                                     struct tma_error *error) {
    enum tma_error_code code = tma_require_feature(architecture, access_feature(operation), error);
    if (code == TMA_OK && operation->direction == TMA_LOAD)
        code = check_load(map, operation->cta_mask != 0, architecture, error);
    if (code == TMA_OK && tma_writes_tensor(operation->direction))
        code = check_six_bit_store(map, operation, architecture, error);
    return code;
}
