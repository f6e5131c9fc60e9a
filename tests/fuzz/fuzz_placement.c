/* Random maps and operations: loads of plain tiles against a plain loop over elements, stores of
 * loaded tiles, and every byte's place against what is moved. */
#include "fuzz.h"
#include "placement/execute.h"
#include "placement/locate.h"
#include "placement/operation_check.h"
#include "tensormap/descriptor.h"
#include "tensormap/legal.h"
#include "tensormap/rules.h"
#include "tensormap/types.h"

enum { TENSOR_BYTES = 1 << 16, WINDOW_BYTES = 1 << 15 };

static uint8_t tensor[TENSOR_BYTES], copy[TENSOR_BYTES];
static uint8_t window[WINDOW_BYTES], expected[WINDOW_BYTES];

static void choose(struct fuzz_input *input, struct tma_tensor_map *map,
                   struct tma_operation *operation) {
    static const enum tma_map_kind kinds[] = {TMA_MAP_TILED, TMA_MAP_TILED, TMA_MAP_IM2COL,
                                              TMA_MAP_IM2COL_W, TMA_MAP_IM2COL_W128};
    operation->access = (enum tma_access_mode)fuzz_between(input, 0, TMA_ACCESS_IM2COL_W128);
    map->kind = kinds[operation->access];
    map->data_type = (enum tma_data_type)fuzz_between(input, 0, TMA_16U6_ALIGN16B);
    map->rank = (uint32_t)fuzz_between(input, 1, 5);
    map->interleave = (enum tma_interleave)fuzz_between(input, 0, 2);
    map->swizzle = (enum tma_swizzle)fuzz_between(input, 0, TMA_SWIZZLE_96B);
    map->oob_fill = (enum tma_oob_fill)fuzz_between(input, 0, 1);
    uint64_t stride = 16 * (uint64_t)fuzz_between(input, 1, 16);
    for (uint32_t d = 0; d < TMA_MAX_RANK; d++) {
        map->global_dim[d] = (uint64_t)fuzz_between(input, 1, d == 0 ? 160 : 7);
        map->box_dim[d] = (uint32_t)fuzz_between(input, 1, d == 0 ? 128 : 6);
        map->element_strides[d] = (uint32_t)fuzz_between(input, 1, 3);
        operation->coordinates[d] = (int32_t)fuzz_between(input, -4, d == 0 ? 130 : 8);
        if (d < TMA_MAX_RANK - 1) {
            map->global_strides[d] = stride;
            stride = stride * (map->global_dim[d + 1 - (d == 0)] % 5 + 1) / 16 * 16 + 16;
        }
    }
    map->channels_per_pixel = map->box_dim[0];
    map->pixels_per_column = (uint32_t)fuzz_between(input, 1, 40);
    for (int i = 0; i < 3; i++) {
        map->lower_corner[i] = (int32_t)fuzz_between(input, -2, 2);
        map->upper_corner[i] = (int32_t)fuzz_between(input, -2, 2);
        operation->im2col_offsets[i] = (uint16_t)fuzz_between(input, 0, 3);
    }
    operation->w_halo = (uint16_t)fuzz_between(input, 0, 4);
    operation->w_offset = (int16_t)fuzz_between(input, -1, 3);
    operation->shared_address = 128 * (uint32_t)fuzz_between(input, 0, 7);
}

/* The swizzle of the programming guide: bits of the address above 7 change bits from 4 on. */
static uint32_t swizzled(enum tma_swizzle swizzle, uint32_t address) {
    uint32_t bits = swizzle == TMA_SWIZZLE_128B  ? 7
                    : swizzle == TMA_SWIZZLE_64B ? 3
                    : swizzle == TMA_SWIZZLE_32B ? 1
                                                 : 0;
    return address ^ (address >> 7 & bits) << 4;
}

/* Does the plain loop below know this map? */
static bool is_plain(const struct tma_tensor_map *map, const struct tma_operation *operation) {
    const struct tma_type_info *type = tma_type_info(map->data_type);
    uint32_t row = map->box_dim[0] * type->shared_bits / 8;
    uint32_t span = tma_swizzle_info(map->swizzle)->span_bytes;
    return operation->access == TMA_ACCESS_TILE && map->interleave == TMA_INTERLEAVE_NONE &&
           map->data_type <= TMA_BFLOAT16 && map->data_type != TMA_FLOAT32_FTZ &&
           map->swizzle <= TMA_SWIZZLE_128B && (span == 0 || row == span) &&
           map->oob_fill == TMA_OOB_ZEROS;
}

static uint64_t address_of(const struct tma_tensor_map *map, const int64_t at[TMA_MAX_RANK],
                           uint32_t size) {
    uint64_t address = map->global_address + (uint64_t)at[0] * size;
    for (uint32_t d = 1; d < map->rank; d++)
        address += (uint64_t)at[d] * map->global_strides[d - 1];
    return address;
}

/* One element after the other, dimension 0 fastest. */
static void load_plainly(const struct tma_tensor_map *map, const struct tma_operation *operation) {
    uint32_t size = tma_type_info(map->data_type)->shared_bits / 8, to = 0;
    uint32_t counts[TMA_MAX_RANK] = {1, 1, 1, 1, 1}, at[TMA_MAX_RANK] = {0};
    uint32_t steps[TMA_MAX_RANK] = {1, 1, 1, 1, 1};
    for (uint32_t d = 0; d < map->rank; d++) {
        steps[d] = d == 0 ? 1 : map->element_strides[d]; /* dimension 0 has no stride */
        counts[d] = (map->box_dim[d] + steps[d] - 1) / steps[d];
    }
    for (;;) {
        int64_t place[TMA_MAX_RANK];
        bool inside = true;
        for (uint32_t d = 0; d < map->rank; d++) {
            place[d] = (int64_t)operation->coordinates[d] + (int64_t)at[d] * steps[d];
            inside = inside && place[d] >= 0 && (uint64_t)place[d] < map->global_dim[d];
        }
        for (uint32_t i = 0; i < size; i++, to++)
            expected[swizzled(map->swizzle, operation->shared_address + to)] =
                inside ? tensor[address_of(map, place, size) + i] : 0;
        uint32_t d = 0;
        for (; d < map->rank && ++at[d] == counts[d]; d++)
            at[d] = 0;
        if (d == map->rank)
            return;
    }
}

/* Each byte that is an element's is the byte of the tensor that its place says. */
static void check_places(const struct tma_tensor_map *map, const struct tma_operation *operation,
                         const struct tma_operation_size *size) {
    struct tma_layout layout;
    const struct tma_type_info *type = tma_type_info(map->data_type);
    bool converts = type->shared_bits != type->global_bits || map->data_type == TMA_TFLOAT32 ||
                    map->data_type == TMA_TFLOAT32_FTZ || map->data_type == TMA_FLOAT32_FTZ;
    FUZZ_ASSERT(tma_layout_begin(&layout, map, operation, NULL) == TMA_OK);
    uint32_t end = operation->shared_address + size->shared_footprint_bytes;
    for (uint32_t at = operation->shared_address; at < end && at < WINDOW_BYTES; at++) {
        struct tma_byte_place place = tma_layout_byte(&layout, at);
        if (place.kind == TMA_BYTE_ELEMENT && !converts && place.element_bit % 8 == 0)
            FUZZ_ASSERT(place.global_address < TENSOR_BYTES &&
                        window[at] == tensor[place.global_address]);
        if (place.kind == TMA_BYTE_OUT_OF_BOUNDS && map->oob_fill == TMA_OOB_ZEROS)
            FUZZ_ASSERT(window[at] == 0);
        if (place.kind == TMA_BYTE_OUTSIDE)
            FUZZ_ASSERT(window[at] == 0xaa);
    }
}

/* A legal map survives encoding; what a repair makes of another one is legal. */
static void check_map(const struct tma_tensor_map *map) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    struct tma_tensor_map other = *map;
    size_t count = tma_tensor_map_check(map, TMA_SM_90, violations, TMA_MAX_VIOLATIONS);
    if (count > 0) {
        if (tma_tensor_map_repair(&other, TMA_SM_90) >= 0)
            FUZZ_ASSERT(tma_tensor_map_check(&other, TMA_SM_90, violations, 1) == 0);
        return;
    }
    struct tma_descriptor descriptor, again;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    tma_descriptor_encode(map, &descriptor);
    FUZZ_ASSERT(tma_descriptor_decode(&descriptor, &other, findings, TMA_MAX_FINDINGS) == 0);
    FUZZ_ASSERT(tma_tensor_map_check(&other, TMA_SM_90, violations, TMA_MAX_VIOLATIONS) == 0);
    tma_descriptor_encode(&other, &again);
    FUZZ_ASSERT(memcmp(&descriptor, &again, sizeof again) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct fuzz_input input = {data, size};
    struct tma_tensor_map map = {.kind = TMA_MAP_TILED};
    struct tma_operation operation = {.direction = TMA_LOAD};
    struct tma_operation_size moved;
    if (tensor[1] == 0)
        for (uint32_t i = 0, value = 1; i < TENSOR_BYTES;
             i++, value = value * 1664525U + 1013904223U)
            tensor[i] = (uint8_t)(value >> 24 | 1);
    choose(&input, &map, &operation);
    check_map(&map);
    struct tma_global_memory global = {.bytes = tensor, .size = TENSOR_BYTES};
    struct tma_shared_memory shared = {.bytes = window, .size = WINDOW_BYTES};
    memset(window, 0xaa, sizeof window);
    if (tma_execute(&map, &operation, &global, &shared, 1, &moved, NULL) != TMA_OK)
        return 0;
    check_places(&map, &operation, &moved);
    if (is_plain(&map, &operation)) {
        memset(expected, 0xaa, sizeof expected);
        load_plainly(&map, &operation);
        FUZZ_ASSERT(memcmp(window, expected, sizeof window) == 0);
    }
    memcpy(copy, tensor, sizeof copy);
    global.bytes = copy;
    operation.direction = TMA_STORE;
    const struct tma_type_info *type = tma_type_info(map.data_type);
    /* A store clips at 16 bytes, so it can write past the end of other rows. */
    bool same = map.global_dim[0] * type->global_bits % 128 == 0 &&
                type->shared_bits == type->global_bits && map.data_type <= TMA_BFLOAT16 &&
                operation.access == TMA_ACCESS_TILE;
    if (tma_execute(&map, &operation, &global, &shared, 1, NULL, NULL) == TMA_OK && same)
        FUZZ_ASSERT(memcmp(copy, tensor, sizeof copy) == 0);
    return 0;
}
