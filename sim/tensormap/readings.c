#include "tensormap/readings.h"

#define API "CUDA driver API, "

const struct tma_document_reading tma_document_readings[] = {
    {"order of corners",
     "\"pixelBoxLowerCorner array specifies the coordinate offsets {D, H, W}\" (" API
     "cuTensorMapEncodeIm2col)",
     "W first, then H, then D, like the dimensions of the tensor",
     "decided: load_im2col.tsv of an H200"},
    {"element stride of N in im2col",
     "\"The number of elements traversed along the D, H and W dimensions is strided by the "
     "traversal stride for that dimension\" (PTX ISA 5.5.4.2)",
     "N is strided, too: the walk goes from image to image by element_strides[rank - 1]",
     "decided: load_im2col.tsv of an H200"},
    {"element stride of dimension 0",
     "\"the first element of this array is ignored\" without interleave (" API
     "cuTensorMapEncodeTiled)",
     "it has no effect on loads and stores, but the encoder checks its range",
     "decided: encode.tsv and load_tile.tsv of an H200"},
    {"small strides",
     "\"globalStrides[i] = globalStrides[i - 1] * (globalDim[i] + padding[i]); "
     "assert(globalStrides[i] >= globalDim[i])\" (" API "globalStrides)",
     "any multiple of 16 bytes is legal, 0 included; check notes overlapping rows and broadcasts, "
     "because stores to them race",
     "decided: encode.tsv of an H200, which accepts 987 maps with overlapping elements and 31 with "
     "a "
     "stride of 0"},
    {"interleave 32b with other swizzles",
     "\"When interleave is CU_TENSOR_MAP_INTERLEAVE_32B, swizzle must be "
     "CU_TENSOR_MAP_SWIZZLE_32B\" (" API "swizzle; older pages: \"it's expected\")",
     "legal; check notes it", "decided on sm_90: encode.tsv of an H200; open on sm_100"},
    {"interleave in im2col::w",
     "\"The interleave layout is not supported for .im2col::w and .im2col::w::128 modes\" (PTX ISA "
     "5.5.6), but cuTensorMapEncodeIm2colWide has alignment rules for interleave 32b (" API
     "globalAddress)",
     "refused from sm_100 on",
     "the encoder of an sm_100 driver; the encoder of an H200's driver accepts 16b"},
    {"bitwise reductions of INT64",
     "\".and, .or, .xor: .b32, .b64\" (PTX ISA, cp.reduce.async.bulk.tensor)",
     "UINT64 has them, INT64 faults", "decided: reduce.tsv of an H200"},
    {"coordinates of gather4",
     "\"four tensor coordinates across the dimension 0\" and \"one tensor coordinate across the "
     "dimension 1\" (PTX ISA 5.5.3.4), but {colidx, rowidx0, ...} (cp.async.bulk.tensor) and rows "
     "of a column in figure 10",
     "one column in dimension 0, four rows in dimension 1", "a gather4 load on sm_100"},
    {"place of the halo",
     "\"The halo pixels are always loaded in the shared memory next to the main row pixels as "
     "shown in Figure 18\" (PTX ISA 5.5.5.3)",
     "behind the last pixel of their group in shared memory: all pixels, or each 32 of "
     "im2col::w::128",
     "an im2col::w load with wHalo > 0 on sm_100"},
    {"halo past the bounding box",
     "\"wHalo ... specifies how many filter halo elements must be loaded at the end of the image\" "
     "(PTX ISA 5.5.5.3)",
     "the halo continues along W past the end of the bounding box: the tensor's elements while "
     "inside the tensor, then fill; the walk resumes where the group ended",
     "an im2col::w load whose group ends at the box's last pixel on sm_100"},
    {"first pixel left of the box",
     "\"The first element can lie outside of the Bounding Box in the W-dimension only and only on "
     "the left side\" (PTX ISA 5.5.5.1)",
     "the walk goes from that pixel to the box's end; further images start at the lower corner",
     "an im2col::w load that starts left of the box on sm_100"},
    {"wOffset and the bounding box",
     "\"Bounding Box Lower Corner W += wOffset, Bounding Box Upper Corner W += wOffset, W += "
     "wOffset\" (PTX ISA 5.5.5.4)",
     "the base is checked against the box before both move", "an im2col::w load with wOffset > 0"},
    {"strides of im2col::w",
     "\"the number of elements traversed along only the W dimension is strided\" (PTX ISA 5.5.5.2)",
     "element strides of H, D and N have no effect", "an im2col::w load over two images on sm_100"},
    {"padding of sub-byte types",
     "\"The padded region that gets added is un-initialized\" (PTX ISA 5.5.1.1.1)",
     "loads leave these bytes as they were, and the mbarrier counts the packed bytes alone: 8 of "
     "each 16 of .b4x16_p64, 12 of .b6x16_p32",
     "the bytes that CUTLASS, DeepGEMM and TileLang expect on sm_100 and sm_120; no record"},
    {"sub-byte loads on sm_120",
     "\"cp.async.bulk.tensor with the direction .shared::cluster.global doesn't support the "
     "sub-byte types [and] the qualifier .swizzle_atomicity\" (PTX ISA, Restriction on Tensor Copy "
     "instructions)",
     "loads into the own CTA (.shared::cta) have them, multicast loads (.shared::cluster) do not",
     "kernels of CUTLASS for sm_120, which load 16U4_ALIGN16B maps; no record"},
    {"128b_atom_64b for 6-bit loads",
     "\"CU_TENSOR_MAP_SWIZZLE_128B_ATOM_64B (Store only)\" (" API "swizzle), but \"128B (With all "
     "potential swizzle atomicity values except: 32B with 8B flip)\" (PTX ISA)",
     "refused for loads of 16u6_align16b", "a .b6x16_p32 load on sm_100"},
    {"128b_atom_64b for 4-bit types",
     "not listed for 16U4_ALIGN16B (" API "swizzle), but allowed for .b4x16_p64 by PTX ISA",
     "refused", "the encoder of an sm_100 driver"},
    {"64b for 6-bit types of im2col::w",
     "\"CU_TENSOR_MAP_SWIZZLE_64B (Store only)\" (" API
     "cuTensorMapEncodeIm2colWide), although im2col::w has no stores",
     "refused except on sm_103, where .b6p2x16 stores have 64b", "the encoder of an sm_100 driver"},
    {"rows of swizzle 96b",
     "a table of 16-byte cells whose neighbours change places in every other line (PTX ISA 5.5.7, "
     "96 byte swizzle mode)",
     "rows lie 96 bytes apart, and the pattern acts on lines of 128 bytes", "a load on sm_103"},
};

const size_t tma_document_reading_count =
    sizeof tma_document_readings / sizeof tma_document_readings[0];
