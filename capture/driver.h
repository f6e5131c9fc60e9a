/* What the library uses of the CUDA driver's interface and of CUPTI. The types are declared here so
 * that it builds where there is no CUDA. Both libraries are looked up when it is loaded. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- cuda.h ---- */

typedef int cu_result; /* 0: success */
typedef void
    *cu_handle; /* CUfunction, CUkernel, CUmodule, CUlibrary, CUstream, CUevent, CUcontext */
typedef uint64_t cu_pointer;

enum {
    CU_ATTRIBUTE_REGISTERS = 4, /* of functions */
    CU_ATTRIBUTE_SMS = 16,      /* of devices */
    CU_ATTRIBUTE_L2_BYTES = 38,
    CU_ATTRIBUTE_CAPABILITY_MAJOR = 75,
    CU_ATTRIBUTE_CAPABILITY_MINOR = 76,
    CU_OPTION_CACHE_MODE = 14, /* of the compiler; 0: its cache on disk is not used */
    CU_LAUNCH_CLUSTER = 4,     /* an attribute of launches */
    CU_INPUT_PTX = 1,          /* of the linker */
    CU_INPUT_FATBINARY = 2
};

#define CU_STREAM_OF_THREAD ((cu_handle)2)
#define CU_EXTRA_END        ((void *)0)
#define CU_EXTRA_BUFFER     ((void *)1)
#define CU_EXTRA_SIZE       ((void *)2)

struct cu_launch_attribute {
    uint32_t id;
    char pad[4];
    union {
        char bytes[64];
        uint32_t cluster[3];
    } value;
};

struct cu_launch_config {
    uint32_t grid[3], block[3];
    uint32_t dynamic_shared;
    cu_handle stream;
    struct cu_launch_attribute *attributes;
    uint32_t attribute_count;
};

/* Functions of the driver: result, name, arguments. */
#define CU_FUNCTIONS(X)                                                                            \
    X(cuStreamSynchronize, (cu_handle stream))                                                     \
    X(cuStreamIsCapturing, (cu_handle stream, int *status))                                        \
    X(cuMemGetAddressRange_v2, (cu_pointer * base, size_t * bytes, cu_pointer address))            \
    X(cuMemAlloc_v2, (cu_pointer * address, size_t bytes))                                         \
    X(cuMemFree_v2, (cu_pointer address))                                                          \
    X(cuMemGetInfo_v2, (size_t * available, size_t * total))                                       \
    X(cuMemcpyDtoH_v2, (void *to, cu_pointer from, size_t bytes))                                  \
    X(cuMemcpyDtoDAsync_v2, (cu_pointer to, cu_pointer from, size_t bytes, cu_handle stream))      \
    X(cuMemsetD8Async, (cu_pointer to, unsigned char value, size_t bytes, cu_handle stream))       \
    X(cuEventCreate, (cu_handle * event, unsigned flags))                                          \
    X(cuEventRecord, (cu_handle event, cu_handle stream))                                          \
    X(cuEventElapsedTime, (float *milliseconds, cu_handle begin, cu_handle end))                   \
    X(cuEventDestroy_v2, (cu_handle event))                                                        \
    X(cuModuleLoadDataEx, (cu_handle * module, const void *image, unsigned option_count,           \
                           const int *options, void **values))                                     \
    X(cuModuleUnload, (cu_handle module))                                                          \
    X(cuModuleGetFunction, (cu_handle * function, cu_handle module, const char *name))             \
    X(cuLaunchKernel, (cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,      \
                       unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,      \
                       cu_handle stream, void **parameters, void **extra))                         \
    X(cuLaunchKernelEx, (const struct cu_launch_config *config, cu_handle function,                \
                         void **parameters, void **extra))                                         \
    X(cuLaunchCooperativeKernel,                                                                   \
      (cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,    \
       unsigned block_y, unsigned block_z, unsigned shared, cu_handle stream, void **parameters))  \
    X(cuFuncGetAttribute, (int *value, int attribute, cu_handle function))                         \
    X(cuFuncGetParamInfo, (cu_handle function, size_t index, size_t * offset, size_t * bytes))     \
    X(cuFuncGetName, (const char **name, cu_handle function))                                      \
    X(cuFuncGetModule, (cu_handle * module, cu_handle function))                                   \
    X(cuKernelGetFunction, (cu_handle * function, cu_handle kernel))                               \
    X(cuCtxGetDevice, (int *device))                                                               \
    X(cuDeviceGetName, (char *name, int length, int device))                                       \
    X(cuDeviceGetAttribute, (int *value, int attribute, int device))

#define CU_POINTER(name, arguments) cu_result(*name) arguments;
struct cu_driver {
    CU_FUNCTIONS(CU_POINTER)
};
#undef CU_POINTER

/* Each is there, or NULL: older drivers lack some. */
extern struct cu_driver driver;

/* ---- cupti.h ---- */

enum { CUPTI_DRIVER_API = 1, CUPTI_ENTER = 0, CUPTI_EXIT = 1, CUPTI_CONCURRENT_KERNEL = 10 };

struct cupti_callback {
    int site; /* CUPTI_ENTER or CUPTI_EXIT */
    const char *function;
    const void *parameters;
    const cu_result *result; /* at the exit */
    const char *symbol;      /* the kernel that is launched */
    cu_handle context;
    uint32_t context_id;
    uint64_t *correlation;
    uint32_t correlation_id;
};

/* The first members of CUpti_ActivityKernel: the same in all versions from CUDA 9 on. */
struct cupti_kernel {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start_ns, end_ns;
};

#define CUPTI_FUNCTIONS(X)                                                                         \
    X(cuptiSubscribe, (cu_handle * subscriber,                                                     \
                       void (*callback)(void *, int, uint32_t, const void *), void *context))      \
    X(cuptiEnableCallback, (uint32_t enable, cu_handle subscriber, int domain, uint32_t id))       \
    X(cuptiGetCallbackName, (int domain, uint32_t id, const char **name))                          \
    X(cuptiActivityRegisterCallbacks,                                                              \
      (void (*request)(uint8_t **, size_t *, size_t *),                                            \
       void (*complete)(cu_handle, uint32_t, uint8_t *, size_t, size_t)))                          \
    X(cuptiActivityEnable, (int kind))                                                             \
    X(cuptiActivityDisable, (int kind))                                                            \
    X(cuptiActivityFlushAll, (uint32_t flag))                                                      \
    X(cuptiActivityGetNextRecord, (uint8_t * buffer, size_t valid, void **record))

#define CUPTI_POINTER(name, arguments) int(*name) arguments;
struct cupti {
    CUPTI_FUNCTIONS(CUPTI_POINTER)
};
#undef CUPTI_POINTER

extern struct cupti cupti;

/* Writes a line to DIR/capture.log. */
void capture_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What tmasim-capture was asked for, from the environment. */
struct capture_wishes {
    const char *folder;
    unsigned launches, skipped; /* of each kernel */
    uint64_t contents_bytes;    /* buffers up to this size are recorded with their bytes; 0: none */
    bool timed;                 /* launch again to measure */
    const char *ptx_folders;    /* where PTX is looked for, separated by colons; or NULL */
    bool sources;               /* copy the sources that the PTX names */
    bool structure_only; /* of contents the range of small integers, of PTX no folders of sources */
};
extern struct capture_wishes wishes;
