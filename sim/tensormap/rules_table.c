/* The rules: one entry each, in the order in which they are checked and reported. */
#include "tensormap/rule_context.h"

#define TILED     (1u << TMA_MAP_TILED)
#define IM2COL    (1u << TMA_MAP_IM2COL)
#define W         (1u << TMA_MAP_IM2COL_W)
#define WIDE      (W | 1u << TMA_MAP_IM2COL_W128)
#define PIXELS    (IM2COL | WIDE)
#define ALL       (TILED | PIXELS)
#define ANY       TMA_ALL_ARCHITECTURES
#define FROM_100  (ANY & ~TMA_SM_90)
#define API       "CUDA driver API, Tensor Map Object Management: "
#define COPY      "PTX ISA, Restriction on Tensor Copy instructions"
#define RECORDS   "records of an H200 (encode.tsv)"
#define CONFIRMED TMA_BASIS_RECORDS
#define DOCUMENTS TMA_BASIS_DOCUMENTS
#define MEASURED  TMA_BASIS_MEASURED
#define READING   TMA_BASIS_READING

const struct tma_rule tma_rules[] = {
    {"kind", ~0u, ANY, "a map is tiled, im2col, im2col_w or im2col_w128",
     "the driver has one encoder for tiled maps, one for im2col maps, and one with two modes for "
     "im2col along W only",
     API "functions", DOCUMENTS, "name one of the four kinds", tma_rule_kind},
    {"data_type", ALL, ANY, "the data type is one of the driver's enumeration",
     "the descriptor holds the type as a number of 4 bits", API "tensorDataType", CONFIRMED,
     "use a type of the same size, or uint8", tma_rule_data_type},
    {"data_type_architecture", ALL, TMA_SM_90, "sub-byte types need sm_100 or later",
     "the TMA unit of sm_90 moves whole bytes: it can neither unpack 4-bit and 6-bit elements nor "
     "address half a byte",
     API "tensorDataType; " RECORDS, CONFIRMED,
     "move the packed bytes as uint8, and unpack them in the kernel",
     tma_rule_data_type_architecture},
    {"interleave", ALL, ANY, "the interleave is none, 16b or 32b",
     "channels are interleaved in slices of 16 or 32 bytes, or not at all", API "interleave",
     CONFIRMED, "use none for NHWC tensors", tma_rule_interleave},
    {"interleave_packed", ALL, FROM_100, "16u6_align16b is not interleaved",
     "16 elements are 12 bytes, which do not fill a slice of 16 or 32", API "interleave", DOCUMENTS,
     "use interleave none", tma_rule_interleave_packed},
    {"interleave_wide", WIDE, FROM_100, "im2col_w and im2col_w128 maps are not interleaved",
     "the documents disagree: PTX ISA excludes interleave in these modes, while the driver's page "
     "has alignment rules for interleave 32b in cuTensorMapEncodeIm2colWide; an H200's driver "
     "accepts 16b",
     "PTX ISA 5.5.6, Interleave layout (against " API "cuTensorMapEncodeIm2colWide, globalAddress, "
     "interleave)",
     READING, "use interleave none", tma_rule_interleave_wide},
    {"swizzle", ALL, ANY, "the swizzle is one that the documents define",
     "the descriptor has no code for others", API "swizzle; PTX ISA 5.5.7", CONFIRMED, "use 128b",
     tma_rule_swizzle},
    {"swizzle_architecture", ALL, TMA_SM_90,
     "swizzle 96b and swizzle atoms of 32 and 64 bytes need sm_100 or later",
     "sm_90 permutes chunks of 16 bytes within 32, 64 or 128 bytes", API "swizzle; " RECORDS,
     CONFIRMED, "use 128b", tma_rule_swizzle_architecture},
    {"swizzle_96b", ALL, FROM_100,
     "swizzle 96b needs an im2col_w map; on sm_103 tiled and im2col maps have it too, without "
     "interleave",
     "cuTensorMapEncodeIm2colWide takes it in mode W; no other encoder does, and tensormap.replace "
     "(.swizzle_mode 4) writes it on sm_103a only",
     API "cuTensorMapEncodeIm2colWide, swizzle; PTX ISA, tensormap.replace; " COPY, DOCUMENTS,
     "use 128b", tma_rule_swizzle_96b},
    {"swizzle_packed", ALL, FROM_100,
     "types padded to 16 bytes take swizzle none, 128b or 128b_atom_32b (16u6_align16b stores: "
     "128b_atom_64b too, and on sm_103 64b)",
     "a row of 128 elements is exactly 128 bytes of shared memory: shorter spans would cut it",
     API "swizzle; " COPY " (which allows 128b_atom_64b for 16u4_align16b, too)", DOCUMENTS,
     "use 128b, or none", tma_rule_swizzle_packed},
    {"swizzle_wide", WIDE, FROM_100,
     "im2col_w and im2col_w128 take swizzle 64b, 128b or 128b_atom_32b; im2col_w 96b too",
     "PTX ISA requires a swizzle in these modes, and the driver's page lists these; an H200's "
     "driver accepts any",
     API "cuTensorMapEncodeIm2colWide, swizzle; PTX ISA 5.5.5", DOCUMENTS, "use 128b",
     tma_rule_swizzle_wide},
    {"l2_promotion", ALL, ANY, "the L2 promotion is none, 64b, 128b or 256b",
     "L2 fills from DRAM by two sectors, a line or two lines", API "l2Promotion", CONFIRMED,
     "use 128b: the size of a line", tma_rule_l2_promotion},
    {"oob_fill", ALL, ANY, "the fill is zeros or nan",
     "elements outside the tensor become one of two constants", API "oobFill", CONFIRMED,
     "use zeros", tma_rule_oob_fill},
    {"oob_fill_type", ALL, ANY, "only floating-point types are filled with nan",
     "the fill is a NaN, which other types do not have", API "oobFill; " COPY, CONFIRMED,
     "use zeros", tma_rule_oob_fill_type},
    {"rank", ALL, ANY, "the rank is 1 to 5; of an im2col map 3 to 5",
     "im2col needs channels, at least one spatial dimension, and images", API "tensorRank",
     CONFIRMED, "add dimensions of size 1", tma_rule_rank},
    {"rank_interleave", TILED, ANY, "an interleaved tensor has at least 3 dimensions",
     "pixels, slices of channels and images are a dimension each",
     API "tensorRank; PTX ISA 5.5.6, Interleave layout", CONFIRMED,
     "add dimensions of size 1, or use interleave none", tma_rule_rank_interleave},
    {"address_alignment", ALL, ANY,
     "the address is a multiple of 16 bytes; of 32 with interleave 32b and types padded to 16 "
     "bytes",
     "the TMA unit moves chunks of that size; on sm_103, 16 bytes suffice for 16u6_align16b",
     API "globalAddress; " COPY, CONFIRMED,
     "start the tensor at an aligned address, and move the coordinates instead",
     tma_rule_address_alignment},
    {"dim_range", ALL, ANY, "a dimension has 1 to 2^32 elements",
     "the descriptor holds the size less one in 32 bits", API "globalDim", CONFIRMED,
     "split the tensor, or fold a dimension into the next", tma_rule_dim_range},
    {"dim_packed", ALL, FROM_100,
     "dimension 0 is a multiple of 128 elements (types padded to 16 bytes; 16u6_align16b on "
     "sm_103: 64) or 2 (16u4_align8b)",
     "rows are whole groups of 128 elements, or at least whole bytes", API "globalDim; " COPY,
     DOCUMENTS, "pad the rows", tma_rule_dim_packed},
    {"stride_alignment", ALL, ANY,
     "strides are a multiple of 16 bytes; of 32 with interleave 32b and types padded to 16 bytes",
     "the descriptor holds strides in units of 16 bytes; on sm_103, that suffices for "
     "16u6_align16b",
     API "globalStrides; " COPY, CONFIRMED, "pad the rows of the tensor to the next multiple",
     tma_rule_stride_alignment},
    {"stride_range", ALL, ANY, "strides are below 2^40 bytes",
     "the descriptor holds 36 bits of units of 16 bytes", API "globalStrides", CONFIRMED,
     "split the tensor, or reorder its dimensions", tma_rule_stride_range},
    {"element_stride_range", ALL, ANY, "element strides are 1 to 8, in every dimension",
     "the descriptor holds the stride less one in 3 bits, for dimension 0 too, although only "
     "interleaved layouts use that one",
     API "elementStrides; " RECORDS ": dimension 0 without interleave is checked, not ignored",
     CONFIRMED, "use 1 where every element is wanted", tma_rule_element_stride_range},
    {"box_range", TILED, ANY, "a box has 1 to 256 elements along each dimension",
     "the descriptor holds the size less one in 8 bits", API "boxDim", CONFIRMED,
     "load in several operations, or make several elements one of a wider type",
     tma_rule_box_range},
    {"channels_range", PIXELS, ANY, "there are 1 to 256 channels per pixel",
     "the descriptor holds the number less one in 8 bits", API "channelsPerPixel", CONFIRMED,
     "load the channels in several operations", tma_rule_channels_range},
    {"pixels_range", IM2COL | W, ANY, "there are 1 to 1024 pixels per column",
     "the descriptor holds the number less one in 10 bits; im2col_w128 ignores it",
     API "pixelsPerColumn", CONFIRMED, "load the column in several operations",
     tma_rule_pixels_range},
    {"inner_multiple", ALL, ANY, "the inner box is a multiple of 16 bytes",
     "shared memory is written in chunks of 16 bytes, with interleave too",
     API "boxDim; " RECORDS ": with interleave, and for channels_per_pixel, too", CONFIRMED,
     "take more elements, and let those past the tensor's end be filled", tma_rule_inner_multiple},
    {"inner_packed", ALL, FROM_100,
     "the inner box of types padded to 16 bytes is 128 elements (16u6_align16b on sm_103: 64 or "
     "128)",
     "padded, 128 elements are one row of 128 bytes of shared memory",
     API "boxDim, channelsPerPixel; " COPY, DOCUMENTS, "use 128", tma_rule_inner_packed},
    {"inner_span", ALL, ANY, "without interleave, the inner box fits the swizzle's span",
     "a row longer than the span (32, 64, 96 or 128 bytes) would overlap itself",
     API "interleave; " COPY, CONFIRMED, "split the box along dimension 0, or use a wider swizzle",
     tma_rule_inner_span},
    {"box_bytes", TILED, ANY,
     "a box is at most 227 KiB, counting box_dim / element_strides elements, rounded down",
     "a CTA cannot have more shared memory", RECORDS ": 225792 bytes are taken, 262144 are not",
     MEASURED, "load in several operations", tma_rule_box_bytes},
    {"column_bytes", PIXELS, ANY,
     "channels_per_pixel * pixels_per_column is at most 227 KiB (im2col_w128 from sm_100 on: "
     "channels_per_pixel * 128)",
     "a CTA cannot have more shared memory", RECORDS ": 220672 bytes are taken, 245520 are not",
     MEASURED, "load the column in several operations", tma_rule_column_bytes},
    {"corner_range", PIXELS, ANY,
     "corners lie in [-32768, 32767] (rank 3 and the wide modes), [-128, 127] (4) or [-16, 15] (5)",
     "one word of the descriptor holds all corners, so more dimensions leave fewer bits for each",
     API "pixelBoxLowerCorner, pixelBoxUpperCorner", CONFIRMED,
     "pad the tensor by a smaller filter's reach", tma_rule_corner_range},
    {"corner_area", PIXELS, ANY, "the bounding box is not empty: lower <= size - 1 + upper",
     "there would be no position for the filter", API "pixelBoxUpperCorner", CONFIRMED,
     "check the signs: an upper corner of -1 takes one pixel off the far end",
     tma_rule_corner_area},
    {"corner_overflow", PIXELS, ANY,
     "size + upper does not wrap, as a signed 32-bit number, to the lower corner or below it",
     "the driver computes the end of the bounding box in 32 signed bits", RECORDS, MEASURED,
     "split the tensor along this dimension", tma_rule_corner_overflow},
};

const size_t tma_rule_count = sizeof tma_rules / sizeof tma_rules[0];
