/* usage: program CODE...
 * A program that launches kernels through the driver's interface, once with the code of each file:
 * one that changes its memory, by values and by a packed buffer, and one of a library with a
 * cluster, a tensor map and a struct. Prints what its memory has afterwards. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../capture/driver.h"
#include "tensormap/descriptor.h"

cu_result cuInit(unsigned flags);
cu_result cuModuleLoadData(cu_handle *module, const void *image);
cu_result cuLibraryLoadData(cu_handle *library, const void *code);
cu_result cuLibraryGetKernel(cu_handle *kernel, cu_handle library, const char *name);
cu_result cuModuleGetFunction(cu_handle *function, cu_handle module, const char *name);
cu_result cuModuleUnload(cu_handle module);
cu_result cuMemAlloc_v2(cu_pointer *address, size_t bytes);
cu_result cuMemcpyDtoH_v2(void *to, cu_pointer from, size_t bytes);
cu_result cuLaunchKernel(cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                         cu_handle stream, void **values, void **extra);
cu_result cuLaunchKernelEx(const struct cu_launch_config *config, cu_handle function, void **values,
                           void **extra);

static void *read_all(const char *path) {
    static char bytes[1 << 20];
    FILE *file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(2);
    }
    bytes[fread(bytes, 1, sizeof bytes - 1, file)] = '\0';
    fclose(file);
    return bytes;
}

static void count(const char *path, cu_pointer memory) {
    cu_handle module, function;
    uint32_t times = 7, number = 0;
    cu_pointer address = memory + 256;
    void *values[] = {&address, &times};
    struct {
        cu_pointer address;
        uint32_t times, unused;
    } packed = {address, times, 0};
    size_t size = sizeof packed;
    void *extra[] = {CU_EXTRA_BUFFER, &packed, CU_EXTRA_SIZE, &size, CU_EXTRA_END};
    cuModuleLoadData(&module, read_all(path));
    cuModuleGetFunction(&function, module, "count_up");
    cuLaunchKernel(function, 4, 2, 1, 128, 1, 1, 1024, NULL, values, NULL);
    cuLaunchKernel(function, 4, 1, 1, 128, 1, 1, 0, NULL, NULL, extra);
    cuLaunchKernel(function, 0, 1, 1, 128, 1, 1, 0, NULL, values, NULL); /* an error */
    cuMemcpyDtoH_v2(&number, address, sizeof number);
    printf("%s: %u\n", strrchr(path, '/') == NULL ? path : strrchr(path, '/') + 1, number);
    cuModuleUnload(module);
}

static void map(const char *path, cu_pointer memory) {
    cu_handle library, kernel;
    struct tma_tensor_map map = {.data_type = TMA_FLOAT16,
                                 .rank = 2,
                                 .global_address = memory + 4096,
                                 .global_dim = {256, 128},
                                 .global_strides = {512},
                                 .box_dim = {64, 64},
                                 .element_strides = {1, 1},
                                 .swizzle = TMA_SWIZZLE_128B,
                                 .l2_promotion = TMA_L2_128B};
    struct tma_descriptor descriptor;
    uint8_t bytes[TMA_DESCRIPTOR_BYTES];
    struct {
        cu_pointer pointer;
        float scale;
        uint32_t zero;
        cu_pointer other;
        uint32_t rows, columns;
        uint64_t none;
    } group = {memory, 2, 0, memory + 4096, 128, 256, 0};
    uint64_t big = 1;
    void *values[] = {bytes, &big, &group};
    struct cu_launch_attribute cluster = {.id = CU_LAUNCH_CLUSTER, .value.cluster = {2, 1, 1}};
    struct cu_launch_config config = {.grid = {8, 1, 1},
                                      .block = {256, 1, 1},
                                      .dynamic_shared = 49152,
                                      .attributes = &cluster,
                                      .attribute_count = 1};
    tma_descriptor_encode(&map, &descriptor);
    tma_descriptor_to_bytes(&descriptor, bytes);
    cuLibraryLoadData(&library, read_all(path));
    cuLibraryGetKernel(&kernel, library, "mapped");
    cuLaunchKernelEx(&config, kernel, values, NULL);
}

int main(int argument_count, char **arguments) {
    cu_pointer memory;
    cuInit(0);
    cuMemAlloc_v2(&memory, 1 << 17);
    for (int i = 1; i < argument_count; i++) {
        count(arguments[i], memory);
        map(arguments[i], memory);
    }
    return argument_count > 1 ? 3 : 0; /* a status that the command must hand on */
}
