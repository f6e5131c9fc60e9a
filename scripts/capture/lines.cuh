/* Tensor maps of lines of 128 bytes. */
#pragma once

#include <cstdint>
#include <cuda.h>

/* A map whose rows are the lines of a buffer. A load takes `bytes` of one, at a coordinate in words
 * of 4 bytes. Returns the driver's answer. */
static CUresult encode_lines(CUtensorMap *map, void *buffer, uint64_t lines, uint32_t bytes,
                             CUtensorMapL2promotion promotion) {
    cuuint64_t dim[] = {32, lines}, stride[] = {128};
    cuuint32_t box[] = {bytes / 4, 1}, element_stride[] = {1, 1};
    return cuTensorMapEncodeTiled(map, CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, buffer, dim, stride, box,
                                  element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE,
                                  CU_TENSOR_MAP_SWIZZLE_NONE, promotion,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
}
