/* The enumerations of a tensor map: their names and what each value means, from one table each. */
#ifndef TMA_TENSORMAP_TYPES_H
#define TMA_TENSORMAP_TYPES_H

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
    uint32_t global_bits; /* of one element in global memory */
    uint32_t shared_bits; /* of one element in shared memory, padding included */
};

/* Never NULL for a valid type; NULL for any other value. */
const struct tma_type_info *tma_type_info(enum tma_data_type type);

/* Bytes of `elements` elements in global / in shared memory. Sub-byte types: `elements` is a
 * multiple of 16. */
uint64_t tma_global_bytes(enum tma_data_type type, uint64_t elements);
uint64_t tma_shared_bytes(enum tma_data_type type, uint64_t elements);

struct tma_swizzle_info {
    const char *name;    /* "none", "32b", "64b", "128b", "128b_atom_32b", ... */
    const char *cuda;    /* "CU_TENSOR_MAP_SWIZZLE_128B" */
    uint32_t span_bytes; /* pitch of rows and bound of the inner box; 0 for none */
    uint32_t atom_bytes; /* what is kept intact: 16, 32 or 64; 0 for none */
    uint32_t lines;      /* 128-byte lines after which the pattern repeats: 1, 2, 4 or 8 */
    bool flips_8b;       /* the 8-byte halves of each 16 bytes change places in every other line */
};

const struct tma_swizzle_info *tma_swizzle_info(enum tma_swizzle swizzle);

/* A name and a value: tables for parsing, for printing and for "allowed: ..." texts. */
struct tma_name {
    const char *name;
    int value;
};

struct tma_names {
    const char *what; /* "swizzle" */
    const struct tma_name *items;
    size_t count;
};

extern const struct tma_names tma_data_type_names;
extern const struct tma_names tma_swizzle_names;
extern const struct tma_names tma_interleave_names;   /* none, 16b, 32b */
extern const struct tma_names tma_l2_promotion_names; /* none, 64b, 128b, 256b */
extern const struct tma_names tma_oob_fill_names;     /* zeros, nan */
extern const struct tma_names tma_map_kind_names;     /* tiled, im2col, im2col_w, im2col_w128 */

/* The name of a value ("?" where it has none), and the value of a name (false where there is none).
 */
const char *tma_name_of(const struct tma_names *names, int value);
bool tma_value_of(const struct tma_names *names, const char *name, int *value);

TMA_API_END

#endif
