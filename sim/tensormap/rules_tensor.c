/* Rules on the tensor in global memory: rank, address, sizes, strides, element strides. */
#include "tensormap/rule_context.h"

void tma_rule_rank(struct tma_rule_context *context) {
    tma_report_range(context, TMA_FIELD_RANK, context->map->kind == TMA_MAP_TILED ? 1 : 3,
                     TMA_MAX_RANK);
}

void tma_rule_rank_interleave(struct tma_rule_context *context) {
    bool interleaved = context->map->interleave == TMA_INTERLEAVE_16B ||
                       context->map->interleave == TMA_INTERLEAVE_32B;
    if (interleaved && context->map->rank < 3)
        tma_report(context, TMA_FIELD_RANK, 0, TMA_AT_LEAST, 3, 3);
}

int64_t tma_alignment_bytes(const struct tma_tensor_map *map, enum tma_architecture architecture) {
    bool padded =
        tma_is_padded_type(map->data_type) && !tma_has_half_rows(map->data_type, architecture);
    return map->interleave == TMA_INTERLEAVE_32B || padded ? 32 : 16;
}

void tma_rule_address_alignment(struct tma_rule_context *context) {
    int64_t multiple = tma_alignment_bytes(context->map, context->architecture);
    uint64_t past = context->map->global_address % (uint64_t)multiple;
    if (past != 0)
        tma_report(context, TMA_FIELD_GLOBAL_ADDRESS, 0, TMA_MULTIPLE_OF, multiple,
                   (int64_t)(context->map->global_address - past));
}

void tma_rule_dim_range(struct tma_rule_context *context) {
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_GLOBAL_DIM); i++) {
        uint64_t value = context->map->global_dim[i];
        if (value == 0)
            tma_report(context, TMA_FIELD_GLOBAL_DIM, i, TMA_AT_LEAST, 1,
                       tma_nearest_dim(context, i, 0));
        else if (value > (uint64_t)TMA_MAX_GLOBAL_DIM)
            tma_report(context, TMA_FIELD_GLOBAL_DIM, i, TMA_AT_MOST, TMA_MAX_GLOBAL_DIM,
                       tma_nearest_dim(context, i, TMA_MAX_GLOBAL_DIM));
    }
}

void tma_rule_dim_packed(struct tma_rule_context *context) {
    int64_t multiple = tma_dim_multiple(context, 0);
    uint64_t value = context->map->global_dim[0];
    if (value % (uint64_t)multiple != 0 && value <= (uint64_t)TMA_MAX_GLOBAL_DIM)
        tma_report(context, TMA_FIELD_GLOBAL_DIM, 0, TMA_MULTIPLE_OF, multiple,
                   tma_nearest_dim(context, 0, (int64_t)value));
}

/* The nearest legal stride. */
static int64_t nearest_stride(const struct tma_rule_context *context, uint64_t value) {
    int64_t multiple = tma_alignment_bytes(context->map, context->architecture);
    int64_t most = TMA_GLOBAL_STRIDE_END - multiple;
    return value > (uint64_t)most ? most : tma_nearest_multiple((int64_t)value, multiple, 0, most);
}

void tma_rule_stride_alignment(struct tma_rule_context *context) {
    int64_t multiple = tma_alignment_bytes(context->map, context->architecture);
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_GLOBAL_STRIDES); i++)
        if (context->map->global_strides[i] % (uint64_t)multiple != 0)
            tma_report(context, TMA_FIELD_GLOBAL_STRIDES, i, TMA_MULTIPLE_OF, multiple,
                       nearest_stride(context, context->map->global_strides[i]));
}

void tma_rule_stride_range(struct tma_rule_context *context) {
    for (size_t i = 0; i < tma_field_count(context->map, TMA_FIELD_GLOBAL_STRIDES); i++)
        if (context->map->global_strides[i] >= (uint64_t)TMA_GLOBAL_STRIDE_END)
            tma_report(context, TMA_FIELD_GLOBAL_STRIDES, i, TMA_AT_MOST, TMA_GLOBAL_STRIDE_END - 1,
                       nearest_stride(context, context->map->global_strides[i]));
}

void tma_rule_element_stride_range(struct tma_rule_context *context) {
    tma_report_range(context, TMA_FIELD_ELEMENT_STRIDES, 1, TMA_MAX_ELEMENT_STRIDE);
}
