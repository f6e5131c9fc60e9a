/* The enumerations of a tensor map: names and properties of their values. */
#pragma once

#include <stddef.h>

#include "base/api.h"
#include "tensormap/tensormap.h"

TMA_API_BEGIN

enum tma_type_class { TMA_CLASS_UNSIGNED, TMA_CLASS_SIGNED, TMA_CLASS_FLOAT, TMA_CLASS_SUB_BYTE };

struct tma_type_info {
    const char *name; /* as in YAML and in output: "float16" */
    const char *cuda; /* "CU_TENSOR_MAP_DATA_TYPE_FLOAT16" */
    const char *ptx;  /* ".f16" */
    enum tma_type_class type_class;
    uint32_t global_bits; /* bits of one element in global memory */
    uint32_t shared_bits; /* bits of one element in shared memory, padding included */
};

/* NULL for a value that is not a data type. */
const struct tma_type_info *tma_type_info(enum tma_data_type type);

/* Bytes of `elements` elements in global and in shared memory. For sub-byte types, `elements` must
 * be a multiple of 16. */
uint64_t tma_global_bytes(enum tma_data_type type, uint64_t elements);
uint64_t tma_shared_bytes(enum tma_data_type type, uint64_t elements);

struct tma_swizzle_info {
    const char *name;    /* "none", "32b", "64b", "128b", "128b_atom_32b", ... */
    const char *cuda;    /* "CU_TENSOR_MAP_SWIZZLE_128B" */
    uint32_t span_bytes; /* pitch of rows and limit of the inner box; 0: no swizzle */
    uint32_t atom_bytes; /* unit that is permuted as a whole: 16, 32 or 64; 0: no swizzle */
    uint32_t lines;      /* 128-byte lines after which the pattern repeats: 1, 2, 4 or 8 */
    bool flips_8b;       /* exchanges the 8-byte halves of each chunk in every other line */
};

/* NULL for a value that is not a swizzle. */
const struct tma_swizzle_info *tma_swizzle_info(enum tma_swizzle swizzle);

/* A value of an enumeration and its name. Tables of them serve parsing, printing and error texts.
 */
struct tma_name {
    const char *name;
    int value;
};

struct tma_names {
    const char *what; /* "swizzle" */
    const struct tma_name *items;
    size_t count;
};

/* The initialiser of a constant struct tma_names, from its items: {"none", 0}, ... */
#define TMA_NAMES(what, ...)                                                                       \
    {                                                                                              \
        what, (const struct tma_name[]){__VA_ARGS__},                                              \
            sizeof((const struct tma_name[]){__VA_ARGS__}) / sizeof(struct tma_name)               \
    }

extern const struct tma_names tma_data_type_names;
extern const struct tma_names tma_swizzle_names;

/* The same, and "fit", which stands for the mode that a reader of maps chooses for the box. */
enum { TMA_SWIZZLE_FIT = TMA_SWIZZLE_96B + 1 };
extern const struct tma_names tma_swizzle_or_fit_names;
extern const struct tma_names tma_interleave_names;   /* none, 16b, 32b */
extern const struct tma_names tma_l2_promotion_names; /* none, 64b, 128b, 256b */
extern const struct tma_names tma_oob_fill_names;     /* zeros, nan */
extern const struct tma_names tma_map_kind_names;     /* tiled, im2col, im2col_w, im2col_w128 */

/* The CUDA constants of an enumeration (CU_TENSOR_MAP_SWIZZLE_128B), or NULL if it has none. A
 * value without a constant is not in the table. */
const struct tma_names *tma_cuda_names(const struct tma_names *names);

/* The name that an enumeration has for what others call `word`: "bfloat16" for "bf16" or ".bf16".
 * NULL if it knows no such word. It is no name of the value, but what a message can suggest. */
const char *tma_usual_name(const struct tma_names *names, const char *word);

/* Which names are written: those of this project, or CUDA's constants where they exist. */
enum tma_name_style { TMA_NAMES_SHORT, TMA_NAMES_CUDA };

extern const struct tma_names tma_name_style_names; /* short, cuda */

/* The name of a value; "?" if it has no name. */
const char *tma_name_of(const struct tma_names *names, int value);

/* The same in a style; the short name if the value has no CUDA constant. */
const char *tma_name_in(const struct tma_names *names, enum tma_name_style style, int value);

/* Finds the value of a name or of a CUDA constant; false if no value has this name. */
bool tma_value_of(const struct tma_names *names, const char *name, int *value);

TMA_API_END
