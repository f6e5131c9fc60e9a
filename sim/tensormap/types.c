#include "tensormap/types.h"

#include <string.h>

/* constant, name, end of the CUDA name, PTX name, class, bits in global memory, bits in shared
 * memory */
#define DATA_TYPES(X)                                                                              \
    X(TMA_UINT8, "uint8", "UINT8", ".u8", TMA_CLASS_UNSIGNED, 8, 8)                                \
    X(TMA_UINT16, "uint16", "UINT16", ".u16", TMA_CLASS_UNSIGNED, 16, 16)                          \
    X(TMA_UINT32, "uint32", "UINT32", ".u32", TMA_CLASS_UNSIGNED, 32, 32)                          \
    X(TMA_INT32, "int32", "INT32", ".s32", TMA_CLASS_SIGNED, 32, 32)                               \
    X(TMA_UINT64, "uint64", "UINT64", ".u64", TMA_CLASS_UNSIGNED, 64, 64)                          \
    X(TMA_INT64, "int64", "INT64", ".s64", TMA_CLASS_SIGNED, 64, 64)                               \
    X(TMA_FLOAT16, "float16", "FLOAT16", ".f16", TMA_CLASS_FLOAT, 16, 16)                          \
    X(TMA_FLOAT32, "float32", "FLOAT32", ".f32", TMA_CLASS_FLOAT, 32, 32)                          \
    X(TMA_FLOAT64, "float64", "FLOAT64", ".f64", TMA_CLASS_FLOAT, 64, 64)                          \
    X(TMA_BFLOAT16, "bfloat16", "BFLOAT16", ".bf16", TMA_CLASS_FLOAT, 16, 16)                      \
    X(TMA_FLOAT32_FTZ, "float32_ftz", "FLOAT32_FTZ", ".f32", TMA_CLASS_FLOAT, 32, 32)              \
    X(TMA_TFLOAT32, "tfloat32", "TFLOAT32", ".tf32", TMA_CLASS_FLOAT, 32, 32)                      \
    X(TMA_TFLOAT32_FTZ, "tfloat32_ftz", "TFLOAT32_FTZ", ".tf32", TMA_CLASS_FLOAT, 32, 32)          \
    X(TMA_16U4_ALIGN8B, "16u4_align8b", "16U4_ALIGN8B", ".b4x16", TMA_CLASS_SUB_BYTE, 4, 4)        \
    X(TMA_16U4_ALIGN16B, "16u4_align16b", "16U4_ALIGN16B", ".b4x16_p64", TMA_CLASS_SUB_BYTE, 4, 8) \
    X(TMA_16U6_ALIGN16B, "16u6_align16b", "16U6_ALIGN16B", ".b6x16_p32", TMA_CLASS_SUB_BYTE, 6, 8)

/* constant, name, end of the CUDA name, span and atom in bytes, lines of the pattern, 8-byte flip
 */
#define SWIZZLES(X)                                                                                \
    X(TMA_SWIZZLE_NONE, "none", "NONE", 0, 0, 1, false)                                            \
    X(TMA_SWIZZLE_32B, "32b", "32B", 32, 16, 2, false)                                             \
    X(TMA_SWIZZLE_64B, "64b", "64B", 64, 16, 4, false)                                             \
    X(TMA_SWIZZLE_128B, "128b", "128B", 128, 16, 8, false)                                         \
    X(TMA_SWIZZLE_128B_ATOM_32B, "128b_atom_32b", "128B_ATOM_32B", 128, 32, 4, false)              \
    X(TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B, "128b_atom_32b_flip_8b", "128B_ATOM_32B_FLIP_8B", 128,    \
      32, 4, true)                                                                                 \
    X(TMA_SWIZZLE_128B_ATOM_64B, "128b_atom_64b", "128B_ATOM_64B", 128, 64, 2, false)              \
    X(TMA_SWIZZLE_96B, "96b", "96B", 96, 16, 2, false)

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

static const struct tma_type_info types[] = {
#define TYPE_INFO(constant, name, upper, ptx, class, global, shared)                               \
    [constant] = {name, "CU_TENSOR_MAP_DATA_TYPE_" upper, ptx, class, global, shared},
    DATA_TYPES(TYPE_INFO)};

static const struct tma_name type_items[] = {
#define TYPE_NAME(constant, name, upper, ptx, class, global, shared) {name, constant},
    DATA_TYPES(TYPE_NAME)};

static const struct tma_swizzle_info swizzles[] = {
#define SWIZZLE_INFO(constant, name, upper, span, atom, lines, flips)                              \
    [constant] = {name, "CU_TENSOR_MAP_SWIZZLE_" upper, span, atom, lines, flips},
    SWIZZLES(SWIZZLE_INFO)};

static const struct tma_name swizzle_items[] = {
#define SWIZZLE_NAME(constant, name, upper, span, atom, lines, flips) {name, constant},
    SWIZZLES(SWIZZLE_NAME)};

static const struct tma_name cuda_type_items[] = {
#define CUDA_TYPE_NAME(constant, name, upper, ptx, class, global, shared)                          \
    {"CU_TENSOR_MAP_DATA_TYPE_" upper, constant},
    DATA_TYPES(CUDA_TYPE_NAME)};

static const struct tma_name cuda_swizzle_items[] = {
#define CUDA_SWIZZLE_NAME(constant, name, upper, span, atom, lines, flips)                         \
    {"CU_TENSOR_MAP_SWIZZLE_" upper, constant},
    SWIZZLES(CUDA_SWIZZLE_NAME)};

static const struct tma_name cuda_interleave_items[] = {
    {"CU_TENSOR_MAP_INTERLEAVE_NONE", TMA_INTERLEAVE_NONE},
    {"CU_TENSOR_MAP_INTERLEAVE_16B", TMA_INTERLEAVE_16B},
    {"CU_TENSOR_MAP_INTERLEAVE_32B", TMA_INTERLEAVE_32B}};

static const struct tma_name cuda_promotion_items[] = {
    {"CU_TENSOR_MAP_L2_PROMOTION_NONE", TMA_L2_NONE},
    {"CU_TENSOR_MAP_L2_PROMOTION_L2_64B", TMA_L2_64B},
    {"CU_TENSOR_MAP_L2_PROMOTION_L2_128B", TMA_L2_128B},
    {"CU_TENSOR_MAP_L2_PROMOTION_L2_256B", TMA_L2_256B}};

static const struct tma_name cuda_fill_items[] = {
    {"CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE", TMA_OOB_ZEROS},
    {"CU_TENSOR_MAP_FLOAT_OOB_FILL_NAN_REQUEST_ZERO_FMA", TMA_OOB_NAN}};

/* Tiled and im2col maps have encoders of their own instead of a constant. */
static const struct tma_name cuda_kind_items[] = {
    {"CU_TENSOR_MAP_IM2COL_WIDE_MODE_W", TMA_MAP_IM2COL_W},
    {"CU_TENSOR_MAP_IM2COL_WIDE_MODE_W128", TMA_MAP_IM2COL_W128}};

const struct tma_names tma_name_style_names =
    TMA_NAMES("names", {"short", TMA_NAMES_SHORT}, {"cuda", TMA_NAMES_CUDA});

const struct tma_names tma_data_type_names = {"data type", type_items, COUNT(type_items)};
const struct tma_names tma_swizzle_names = {"swizzle", swizzle_items, COUNT(swizzle_items)};
const struct tma_names tma_swizzle_or_fit_names =
    TMA_NAMES("swizzle", SWIZZLES(SWIZZLE_NAME){"fit", TMA_SWIZZLE_FIT});
const struct tma_names tma_interleave_names =
    TMA_NAMES("interleave", {"none", TMA_INTERLEAVE_NONE}, {"16b", TMA_INTERLEAVE_16B},
              {"32b", TMA_INTERLEAVE_32B});
const struct tma_names tma_l2_promotion_names =
    TMA_NAMES("L2 promotion", {"none", TMA_L2_NONE}, {"64b", TMA_L2_64B}, {"128b", TMA_L2_128B},
              {"256b", TMA_L2_256B});
const struct tma_names tma_oob_fill_names =
    TMA_NAMES("out-of-bounds fill", {"zeros", TMA_OOB_ZEROS}, {"nan", TMA_OOB_NAN});
const struct tma_names tma_map_kind_names =
    TMA_NAMES("tensor map kind", {"tiled", TMA_MAP_TILED}, {"im2col", TMA_MAP_IM2COL},
              {"im2col_w", TMA_MAP_IM2COL_W}, {"im2col_w128", TMA_MAP_IM2COL_W128});

static const struct {
    const struct tma_names *names;
    struct tma_names cuda;
} cuda_tables[] = {
    {&tma_data_type_names, {"data type", cuda_type_items, COUNT(cuda_type_items)}},
    {&tma_swizzle_names, {"swizzle", cuda_swizzle_items, COUNT(cuda_swizzle_items)}},
    {&tma_swizzle_or_fit_names, {"swizzle", cuda_swizzle_items, COUNT(cuda_swizzle_items)}},
    {&tma_interleave_names, {"interleave", cuda_interleave_items, COUNT(cuda_interleave_items)}},
    {&tma_l2_promotion_names, {"L2 promotion", cuda_promotion_items, COUNT(cuda_promotion_items)}},
    {&tma_oob_fill_names, {"out-of-bounds fill", cuda_fill_items, COUNT(cuda_fill_items)}},
    {&tma_map_kind_names, {"tensor map kind", cuda_kind_items, COUNT(cuda_kind_items)}},
};

const struct tma_names *tma_cuda_names(const struct tma_names *names) {
    for (size_t i = 0; i < COUNT(cuda_tables); i++)
        if (cuda_tables[i].names == names)
            return &cuda_tables[i].cuda;
    return NULL;
}

/* What PTX, C, PyTorch and CUTLASS call the data types. */
static const struct {
    const char *word;
    enum tma_data_type type;
} usual_types[] = {{"bf16", TMA_BFLOAT16},
                   {"f16", TMA_FLOAT16},
                   {"fp16", TMA_FLOAT16},
                   {"half", TMA_FLOAT16},
                   {"half_t", TMA_FLOAT16},
                   {"f32", TMA_FLOAT32},
                   {"fp32", TMA_FLOAT32},
                   {"float", TMA_FLOAT32},
                   {"f64", TMA_FLOAT64},
                   {"fp64", TMA_FLOAT64},
                   {"double", TMA_FLOAT64},
                   {"tf32", TMA_TFLOAT32},
                   {"u8", TMA_UINT8},
                   {"s8", TMA_UINT8},
                   {"int8", TMA_UINT8},
                   {"fp8", TMA_UINT8},
                   {"e4m3", TMA_UINT8},
                   {"e5m2", TMA_UINT8},
                   {"float8_e4m3fn", TMA_UINT8},
                   {"float8_e5m2", TMA_UINT8},
                   {"u16", TMA_UINT16},
                   {"int16", TMA_UINT16},
                   {"s32", TMA_INT32},
                   {"i32", TMA_INT32},
                   {"int", TMA_INT32},
                   {"u32", TMA_UINT32},
                   {"s64", TMA_INT64},
                   {"i64", TMA_INT64},
                   {"u64", TMA_UINT64},
                   {"fp4", TMA_16U4_ALIGN8B},
                   {"e2m1", TMA_16U4_ALIGN8B},
                   {"int4", TMA_16U4_ALIGN8B},
                   {"b4x16", TMA_16U4_ALIGN8B},
                   {"b4x16_p64", TMA_16U4_ALIGN16B},
                   {"fp6", TMA_16U6_ALIGN16B},
                   {"e3m2", TMA_16U6_ALIGN16B},
                   {"e2m3", TMA_16U6_ALIGN16B},
                   {"b6x16_p32", TMA_16U6_ALIGN16B},
                   {"b6p2x16", TMA_16U6_ALIGN16B}};

const char *tma_usual_name(const struct tma_names *names, const char *word) {
    word += word[0] == '.'; /* as PTX writes them */
    for (size_t i = 0; names == &tma_data_type_names && i < COUNT(usual_types); i++)
        if (strcmp(usual_types[i].word, word) == 0)
            return types[usual_types[i].type].name;
    return NULL;
}

const struct tma_type_info *tma_type_info(enum tma_data_type type) {
    return (size_t)type < COUNT(types) ? &types[type] : NULL;
}

const struct tma_swizzle_info *tma_swizzle_info(enum tma_swizzle swizzle) {
    return (size_t)swizzle < COUNT(swizzles) ? &swizzles[swizzle] : NULL;
}

uint64_t tma_global_bytes(enum tma_data_type type, uint64_t elements) {
    return elements * types[type].global_bits / 8;
}

uint64_t tma_shared_bytes(enum tma_data_type type, uint64_t elements) {
    return elements * types[type].shared_bits / 8;
}

const char *tma_name_of(const struct tma_names *names, int value) {
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].value == value)
            return names->items[i].name;
    return "?";
}

const char *tma_name_in(const struct tma_names *names, enum tma_name_style style, int value) {
    const struct tma_names *cuda = style == TMA_NAMES_CUDA ? tma_cuda_names(names) : NULL;
    const char *name = cuda == NULL ? "?" : tma_name_of(cuda, value);
    return strcmp(name, "?") == 0 ? tma_name_of(names, value) : name;
}

bool tma_value_of(const struct tma_names *names, const char *name, int *value) {
    for (size_t i = 0; i < names->count; i++)
        if (names->items[i].name[0] == name[0] && strcmp(names->items[i].name, name) == 0) {
            *value = names->items[i].value;
            return true;
        }
    const struct tma_names *cuda = tma_cuda_names(names);
    return cuda != NULL && tma_value_of(cuda, name, value);
}
