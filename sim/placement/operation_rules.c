#include "placement/operation_rules.h"

#define ANY        TMA_ALL_ARCHITECTURES
#define FROM_100   (ANY & ~TMA_SM_90)
#define COPY       "PTX ISA, cp.async.bulk.tensor"
#define REDUCE     "PTX ISA, cp.reduce.async.bulk.tensor"
#define RESTRICTED "PTX ISA, Restriction on Tensor Copy instructions"
#define CONFIRMED  TMA_BASIS_RECORDS
#define DOCUMENTS  TMA_BASIS_DOCUMENTS

const struct tma_operation_rule tma_operation_rules[] = {
    {"architecture", "all", "the architecture has the operation (see Architectures)", ANY,
     COPY ", Target ISA Notes", DOCUMENTS, TMA_ERROR_UNSUPPORTED},
    {"mode_kind", "all",
     "tile, gather4 and scatter4 use tiled maps, im2col uses im2col maps, im2col::w and "
     "im2col::w::128 use maps of their kind",
     ANY, "PTX ISA 5.5.2", CONFIRMED, TMA_ERROR_ARGUMENT},
    {"gather_rank", "gather4, scatter4", "the tensor has rank 2", FROM_100, "PTX ISA 5.5.3.4",
     DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"gather_box", "gather4, scatter4", "box_dim[1] is 1", FROM_100, "PTX ISA 5.5.3.4.1", DOCUMENTS,
     TMA_ERROR_ARGUMENT},
    {"gather_interleave", "gather4, scatter4", "interleave is none", FROM_100, "PTX ISA 5.5.3.4",
     DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"wide_interleave", "im2col::w, im2col::w::128", "interleave is none", FROM_100,
     "PTX ISA 5.5.6", DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"wide_swizzle", "im2col::w, im2col::w::128",
     "swizzle is neither none nor 128b_atom_32b_flip_8b", FROM_100, "PTX ISA 5.5.5; " RESTRICTED,
     DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"wide_direction", "im2col::w, im2col::w::128", "the operation is a load or a prefetch",
     FROM_100, COPY ", .load_mode", DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"reduction_mode", "reductions", "the mode is tile or im2col_no_offs", ANY,
     REDUCE ", .load_mode", DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"reduction_type", "reductions",
     "add: UINT32, INT32, UINT64, FLOAT32, FLOAT16, BFLOAT16; min, max: these without FLOAT32, and "
     "INT64; inc, dec: UINT32; and, or, xor: UINT32, INT32, UINT64",
     ANY, REDUCE "; records of an H200 (reduce.tsv): and, or and xor of INT64 fault", CONFIRMED,
     TMA_ERROR_FAULT},
    {"multicast_direction", "stores, reductions, prefetches", "there is no multicast mask", ANY,
     COPY ", .multicast", DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"flip_direction", "stores, reductions", "swizzle is not 128b_atom_32b_flip_8b", ANY,
     "PTX ISA 5.5.7; " RESTRICTED, DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"four_bit_direction", "stores, reductions", "the type is not 16u4_align16b (.b4x16_p64)",
     FROM_100, RESTRICTED, DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"six_bit_swizzle", "loads, prefetches of 16u6_align16b",
     "swizzle is neither 64b nor 128b_atom_64b", FROM_100,
     "CUDA driver API, cuTensorMapEncodeTiled, swizzle: 128b_atom_64b is \"Store only\" (PTX ISA "
     "allows it)",
     TMA_BASIS_READING, TMA_ERROR_ARGUMENT},
    {"six_bit_rows", "loads, prefetches of 16u6_align16b",
     "rows are 128 elements of a multiple of 128, the address and strides multiples of 32 bytes",
     FROM_100, RESTRICTED, DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"halo_range", "im2col::w, im2col::w::128",
     "wHalo is 0 to 511 for im2col::w, 0 to 31 for im2col::w::128", FROM_100, COPY ", im2colInfo",
     DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"w_offset_range", "im2col::w, im2col::w::128", "wOffset is 0 to 31", FROM_100,
     COPY ", im2colInfo", DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"shared_alignment", "all but prefetches",
     "the shared-memory address is a multiple of 128 bytes", ANY, COPY "; PTX ISA 5.5.7", DOCUMENTS,
     TMA_ERROR_ARGUMENT},
    {"offset_range", "im2col", "offsets are 0 to 65535 (rank 3), 255 (4) or 31 (5)", ANY,
     "PTX ISA 5.5.4.1", DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"padded_column", "16u4_align16b, 16u6_align16b",
     "coordinate 0 is a multiple of 128 (stores of 16u6_align16b on sm_103: 64)", FROM_100,
     RESTRICTED, DOCUMENTS, TMA_ERROR_ARGUMENT},
    {"column_alignment", "all without interleave",
     "coordinate 0 times the size of an element is a multiple of 16 bytes", ANY,
     "PTX ISA 5.5.3.1; records of an H200 (load_tile.tsv)", CONFIRMED, TMA_ERROR_FAULT},
    {"base_in_box", "im2col, im2col::w, im2col::w::128",
     "the base coordinates lie in [lower, size - 1 + upper]; im2col::w may start left of it", ANY,
     "PTX ISA 5.5.4.1, 5.5.5.1; records of an H200 (load_im2col.tsv)", CONFIRMED, TMA_ERROR_FAULT},
    {"store_coordinates", "stores, reductions", "no coordinate is negative", ANY,
     RESTRICTED "; records of an H200 (store.tsv)", CONFIRMED, TMA_ERROR_FAULT},
    {"store_corners", "im2col stores, reductions",
     "no lower corner is negative, no upper corner positive", ANY,
     RESTRICTED "; records of an H200 (store.tsv)", CONFIRMED, TMA_ERROR_FAULT},
};

const size_t tma_operation_rule_count = sizeof tma_operation_rules / sizeof tma_operation_rules[0];
