/* A driver and a CUPTI of a machine without a GPU: what tmasim-capture uses of both, with memory of
 * the host. As the real one, it loads the library that CUDA_INJECTION64_PATH names when it is
 * initialised, and calls it back. Kernels that it knows run in the launch's call. Times are made
 * up: a kernel takes 2000 ns, 30000 after L2 was flushed, and an empty one 1000, at 1400 MHz;
 * around them the clock is 1500 MHz. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../capture/driver.h"

enum {
    CLOCK_MHZ = 1500,
    LAUNCH_MHZ = 1400,
    STAMP_NS = 1000,
    EMPTY_NS = 1000,
    WARM_NS = 2000,
    COLD_NS = 30000,
    MOST_ALLOCATIONS = 64
};
enum { OK = 0, INVALID = 1 };

/* ---- callbacks ---- */

static void (*subscribed)(void *, int, uint32_t, const void *);
static const char *const names[] = {"",
                                    "cuInit",
                                    "cuModuleLoadData",
                                    "cuModuleGetFunction",
                                    "cuModuleUnload",
                                    "cuLibraryLoadData",
                                    "cuLibraryGetKernel",
                                    "cuLaunchKernel",
                                    "cuLaunchKernelEx_ptsz"};
enum { NAMES = sizeof names / sizeof names[0] };
static int enabled[NAMES];

/* Calls back on the way in or out of a function. */
static void tell(int site, const char *function, const void *parameters, const char *symbol,
                 cu_result result) {
    struct cupti_callback callback = {.site = site,
                                      .function = function,
                                      .parameters = parameters,
                                      .symbol = symbol,
                                      .result = &result};
    for (uint32_t id = 1; id < NAMES; id++)
        if (enabled[id] && strcmp(names[id], function) == 0)
            subscribed(NULL, CUPTI_DRIVER_API, id, &callback);
}

int cuptiSubscribe(cu_handle *subscriber, void (*callback)(void *, int, uint32_t, const void *),
                   void *context);
int cuptiSubscribe(cu_handle *subscriber, void (*callback)(void *, int, uint32_t, const void *),
                   void *context) {
    *subscriber = context;
    subscribed = callback;
    return OK;
}

int cuptiEnableCallback(uint32_t enable, cu_handle subscriber, int domain, uint32_t id);
int cuptiEnableCallback(uint32_t enable, cu_handle subscriber, int domain, uint32_t id) {
    (void)subscriber;
    if (domain != CUPTI_DRIVER_API || id >= NAMES)
        return INVALID;
    enabled[id] = (int)enable;
    return OK;
}

int cuptiGetCallbackName(int domain, uint32_t id, const char **name);
int cuptiGetCallbackName(int domain, uint32_t id, const char **name) {
    if (domain != CUPTI_DRIVER_API || id == 0 || id >= NAMES)
        return INVALID;
    *name = names[id];
    return OK;
}

/* ---- times of kernels ---- */

static int activity;
static uint64_t now_ns = 1000000, recorded_start, recorded_ns;
static void (*request_buffer)(uint8_t **, size_t *, size_t *);
static void (*complete_buffer)(cu_handle, uint32_t, uint8_t *, size_t, size_t);

int cuptiActivityRegisterCallbacks(void (*request)(uint8_t **, size_t *, size_t *),
                                   void (*complete)(cu_handle, uint32_t, uint8_t *, size_t,
                                                    size_t));
int cuptiActivityRegisterCallbacks(void (*request)(uint8_t **, size_t *, size_t *),
                                   void (*complete)(cu_handle, uint32_t, uint8_t *, size_t,
                                                    size_t)) {
    request_buffer = request;
    complete_buffer = complete;
    return getenv("FAKE_NO_ACTIVITY") == NULL ? OK : INVALID;
}

int cuptiActivityEnable(int kind);
int cuptiActivityEnable(int kind) {
    activity = kind == CUPTI_CONCURRENT_KERNEL;
    return OK;
}

int cuptiActivityDisable(int kind);
int cuptiActivityDisable(int kind) {
    (void)kind;
    activity = 0;
    return OK;
}

int cuptiActivityFlushAll(uint32_t flag);
int cuptiActivityFlushAll(uint32_t flag) {
    struct cupti_kernel kernel = {.kind = CUPTI_CONCURRENT_KERNEL,
                                  .start_ns = recorded_start,
                                  .end_ns = recorded_start + recorded_ns};
    uint8_t *buffer;
    size_t size, most;
    (void)flag;
    if (!activity || recorded_ns == 0)
        return OK;
    request_buffer(&buffer, &size, &most);
    memcpy(buffer, &kernel, sizeof kernel);
    complete_buffer(NULL, 0, buffer, size, sizeof kernel);
    return OK;
}

int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record);
int cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid, void **record) {
    (void)valid;
    if (*record != NULL)
        return INVALID;
    *record = buffer;
    return OK;
}

/* ---- memory ---- */

static struct {
    char *bytes;
    size_t size;
} allocations[MOST_ALLOCATIONS];

cu_result cuMemAlloc_v2(cu_pointer *address, size_t bytes);
cu_result cuMemAlloc_v2(cu_pointer *address, size_t bytes) {
    for (int i = 0; i < MOST_ALLOCATIONS; i++)
        if (allocations[i].bytes == NULL) {
            allocations[i].bytes = calloc(1, bytes);
            allocations[i].size = bytes;
            *address = (uintptr_t)allocations[i].bytes;
            return OK;
        }
    return INVALID;
}

cu_result cuMemFree_v2(cu_pointer address);
cu_result cuMemFree_v2(cu_pointer address) {
    for (int i = 0; i < MOST_ALLOCATIONS; i++)
        if (allocations[i].bytes != NULL && (uintptr_t)allocations[i].bytes == address) {
            free(allocations[i].bytes);
            allocations[i].bytes = NULL;
            return OK;
        }
    return INVALID;
}

cu_result cuMemGetAddressRange_v2(cu_pointer *base, size_t *bytes, cu_pointer address);
cu_result cuMemGetAddressRange_v2(cu_pointer *base, size_t *bytes, cu_pointer address) {
    for (int i = 0; i < MOST_ALLOCATIONS; i++)
        if (allocations[i].bytes != NULL && address >= (uintptr_t)allocations[i].bytes &&
            address - (uintptr_t)allocations[i].bytes < allocations[i].size) {
            *base = (uintptr_t)allocations[i].bytes;
            *bytes = allocations[i].size;
            return OK;
        }
    return INVALID;
}

cu_result cuMemGetInfo_v2(size_t *available, size_t *total);
cu_result cuMemGetInfo_v2(size_t *available, size_t *total) {
    *available = *total = getenv("FAKE_FULL") == NULL ? (size_t)80 << 30 : 4096;
    return OK;
}

static void *host(cu_pointer address) {
    return (void *)(uintptr_t)address;
}

cu_result cuMemcpyDtoH_v2(void *to, cu_pointer from, size_t bytes);
cu_result cuMemcpyDtoH_v2(void *to, cu_pointer from, size_t bytes) {
    memcpy(to, host(from), bytes);
    return OK;
}

cu_result cuMemcpyDtoDAsync_v2(cu_pointer to, cu_pointer from, size_t bytes, cu_handle stream);
cu_result cuMemcpyDtoDAsync_v2(cu_pointer to, cu_pointer from, size_t bytes, cu_handle stream) {
    (void)stream;
    memcpy(host(to), host(from), bytes);
    return OK;
}

cu_result cuMemsetD8Async(cu_pointer to, unsigned char value, size_t bytes, cu_handle stream);
cu_result cuMemsetD8Async(cu_pointer to, unsigned char value, size_t bytes, cu_handle stream) {
    (void)stream;
    memset(host(to), value, bytes);
    return OK;
}

/* ---- streams, events, the device ---- */

cu_result cuStreamSynchronize(cu_handle stream);
cu_result cuStreamSynchronize(cu_handle stream) {
    (void)stream;
    return OK;
}

cu_result cuStreamIsCapturing(cu_handle stream, int *status);
cu_result cuStreamIsCapturing(cu_handle stream, int *status) {
    (void)stream;
    *status = getenv("FAKE_GRAPH") != NULL;
    return OK;
}

cu_result cuEventCreate(cu_handle *event, unsigned flags);
cu_result cuEventCreate(cu_handle *event, unsigned flags) {
    (void)flags;
    *event = calloc(1, sizeof now_ns);
    return OK;
}

cu_result cuEventRecord(cu_handle event, cu_handle stream);
cu_result cuEventRecord(cu_handle event, cu_handle stream) {
    (void)stream;
    memcpy(event, &now_ns, sizeof now_ns);
    return OK;
}

cu_result cuEventElapsedTime(float *milliseconds, cu_handle begin, cu_handle end);
cu_result cuEventElapsedTime(float *milliseconds, cu_handle begin, cu_handle end) {
    uint64_t from, to;
    memcpy(&from, begin, sizeof from);
    memcpy(&to, end, sizeof to);
    *milliseconds = (float)(to - from) / 1e6f;
    return OK;
}

cu_result cuEventDestroy_v2(cu_handle event);
cu_result cuEventDestroy_v2(cu_handle event) {
    free(event);
    return OK;
}

cu_result cuCtxGetDevice(int *device);
cu_result cuCtxGetDevice(int *device) {
    *device = 0;
    return OK;
}

cu_result cuDeviceGetName(char *name, int length, int device);
cu_result cuDeviceGetName(char *name, int length, int device) {
    (void)device;
    snprintf(name, (size_t)length, "NVIDIA H100 80GB HBM3");
    return OK;
}

cu_result cuDeviceGetAttribute(int *value, int attribute, int device);
cu_result cuDeviceGetAttribute(int *value, int attribute, int device) {
    (void)device;
    *value = attribute == CU_ATTRIBUTE_CAPABILITY_MAJOR ? 9
             : attribute == CU_ATTRIBUTE_L2_BYTES       ? 1 << 20
             : attribute == CU_ATTRIBUTE_SMS            ? 1
                                                        : 0;
    return OK;
}

/* ---- code ---- */

/* Kernels by name: the sizes of their parameters, 0 ends them. */
static const struct {
    const char *name;
    size_t sizes[8];
} known[] = {{"count_up", {8, 4}},    {"mapped", {128, 8, 40}}, {"tmasim_flush", {8, 8, 8}},
             {"tmasim_spin", {8, 8}}, {"tmasim_stamp", {8}},    {"tmasim_empty", {0}}};
enum { KNOWN = sizeof known / sizeof known[0] };

struct fake_function {
    int kernel;     /* of `known` */
    bool is_kernel; /* CUkernel, else CUfunction */
};

static void *new_handle(const char *name, bool is_kernel) {
    for (int i = 0; i < KNOWN; i++)
        if (strcmp(known[i].name, name) == 0) {
            struct fake_function *function = malloc(sizeof *function);
            *function = (struct fake_function){i, is_kernel};
            return function;
        }
    return NULL;
}

cu_result cuModuleLoadData(cu_handle *module, const void *image);
cu_result cuModuleLoadData(cu_handle *module, const void *image) {
    const struct {
        cu_handle *module;
        const void *image;
    } parameters = {module, image};
    tell(CUPTI_ENTER, "cuModuleLoadData", &parameters, NULL, OK);
    *module = malloc(1);
    tell(CUPTI_EXIT, "cuModuleLoadData", &parameters, NULL, OK);
    return OK;
}

cu_result cuModuleLoadDataEx(cu_handle *module, const void *image, unsigned option_count,
                             const int *options, void **values);
cu_result cuModuleLoadDataEx(cu_handle *module, const void *image, unsigned option_count,
                             const int *options, void **values) {
    (void)option_count, (void)options, (void)values;
    return cuModuleLoadData(module, image);
}

cu_result cuLibraryLoadData(cu_handle *library, const void *code);
cu_result cuLibraryLoadData(cu_handle *library, const void *code) {
    const struct {
        cu_handle *library;
        const void *code;
    } parameters = {library, code};
    *library = malloc(1);
    tell(CUPTI_EXIT, "cuLibraryLoadData", &parameters, NULL, OK);
    return OK;
}

cu_result cuModuleUnload(cu_handle module);
cu_result cuModuleUnload(cu_handle module) {
    tell(CUPTI_EXIT, "cuModuleUnload", &module, NULL, OK);
    free(module);
    return OK;
}

/* Both have the handle, its owner and the name. */
static cu_result get(const char *function, cu_handle *handle, cu_handle owner, const char *name,
                     bool is_kernel) {
    const struct {
        cu_handle *handle, owner;
        const char *name;
    } parameters = {handle, owner, name};
    *handle = new_handle(name, is_kernel);
    if (*handle == NULL)
        return INVALID;
    tell(CUPTI_EXIT, function, &parameters, NULL, OK);
    return OK;
}

cu_result cuModuleGetFunction(cu_handle *function, cu_handle module, const char *name);
cu_result cuModuleGetFunction(cu_handle *function, cu_handle module, const char *name) {
    return get("cuModuleGetFunction", function, module, name, false);
}

cu_result cuLibraryGetKernel(cu_handle *kernel, cu_handle library, const char *name);
cu_result cuLibraryGetKernel(cu_handle *kernel, cu_handle library, const char *name) {
    return get("cuLibraryGetKernel", kernel, library, name, true);
}

cu_result cuKernelGetFunction(cu_handle *function, cu_handle kernel);
cu_result cuKernelGetFunction(cu_handle *function, cu_handle kernel) {
    *function = new_handle(known[((struct fake_function *)kernel)->kernel].name, false);
    return OK;
}

cu_result cuFuncGetAttribute(int *value, int attribute, cu_handle function);
cu_result cuFuncGetAttribute(int *value, int attribute, cu_handle function) {
    (void)function;
    *value = attribute == CU_ATTRIBUTE_REGISTERS ? 24 : 0;
    return OK;
}

cu_result cuFuncGetParamInfo(cu_handle function, size_t index, size_t *offset, size_t *bytes);
cu_result cuFuncGetParamInfo(cu_handle function, size_t index, size_t *offset, size_t *bytes) {
    const struct fake_function *own = function;
    const size_t *sizes = known[own->kernel].sizes;
    if (own->is_kernel) /* as the driver, which takes functions alone here */
        return INVALID;
    *offset = 0;
    for (size_t i = 0; i < index && sizes[i] > 0; i++)
        *offset += (sizes[i] + 7) / 8 * 8;
    *bytes = index < 8 ? sizes[index] : 0;
    return *bytes > 0 ? OK : INVALID;
}

/* ---- launches ---- */

static int flushed;
static uint64_t sm_cycles;

static uint64_t word_of(const void *value) {
    uint64_t word;
    memcpy(&word, value, sizeof word);
    return word;
}

static void execute(const struct fake_function *function, void **values, void **extra) {
    const char *name = known[function->kernel].name;
    uint64_t ns = strcmp(name, "tmasim_empty") == 0 ? EMPTY_NS : flushed ? COLD_NS : WARM_NS;
    if (strcmp(name, "count_up") == 0) {
        uint32_t *counts = host(word_of(values != NULL ? values[0] : extra[1])), value;
        memcpy(&value, counts, sizeof value);
        value++;
        memcpy(counts, &value, sizeof value);
    }
    if (strcmp(name, "tmasim_spin") == 0) {
        const uint64_t ticks[] = {word_of(values[1]) * CLOCK_MHZ / 1000, word_of(values[1])};
        memcpy(host(word_of(values[0])), ticks, sizeof ticks);
        return;
    }
    if (strcmp(name, "tmasim_stamp") == 0) {
        now_ns += STAMP_NS;
        sm_cycles += STAMP_NS * CLOCK_MHZ / 1000;
        const uint64_t stamp[] = {sm_cycles, now_ns};
        memcpy(host(word_of(values[0])), stamp, sizeof stamp);
        return;
    }
    flushed = strcmp(name, "tmasim_flush") == 0;
    recorded_start = now_ns;
    recorded_ns = ns;
    now_ns += ns;
    sm_cycles += ns * LAUNCH_MHZ / 1000;
}

cu_result cuLaunchKernel(cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                         cu_handle stream, void **values, void **extra);
cu_result cuLaunchKernel(cu_handle function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                         unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                         cu_handle stream, void **values, void **extra) {
    const struct {
        cu_handle function;
        uint32_t grid[3], block[3], shared;
        cu_handle stream;
        void **values, **extra;
    } parameters = {
        function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream, values,
        extra};
    const char *name = known[((struct fake_function *)function)->kernel].name;
    cu_result result = grid_x > 0 ? OK : INVALID;
    tell(CUPTI_ENTER, "cuLaunchKernel", &parameters, name, OK);
    if (result == OK)
        execute(function, values, extra);
    tell(CUPTI_EXIT, "cuLaunchKernel", &parameters, name, result);
    return result;
}

cu_result cuLaunchKernelEx(const struct cu_launch_config *config, cu_handle function, void **values,
                           void **extra);
cu_result cuLaunchKernelEx(const struct cu_launch_config *config, cu_handle function, void **values,
                           void **extra) {
    const struct {
        const struct cu_launch_config *config;
        cu_handle function;
        void **values, **extra;
    } parameters = {config, function, values, extra};
    const char *name = known[((struct fake_function *)function)->kernel].name;
    tell(CUPTI_ENTER, "cuLaunchKernelEx_ptsz", &parameters, name, OK);
    execute(function, values, extra);
    tell(CUPTI_EXIT, "cuLaunchKernelEx_ptsz", &parameters, name, OK);
    return OK;
}

cu_result cuInit(unsigned flags);
cu_result cuInit(unsigned flags) {
    const char *path = getenv("CUDA_INJECTION64_PATH");
    void *library = path == NULL || flags != 0 ? NULL : dlopen(path, RTLD_NOW);
    void *symbol = library == NULL ? NULL : dlsym(library, "InitializeInjection");
    int (*initialize)(void);
    memcpy(&initialize, &symbol, sizeof initialize);
    if (symbol != NULL)
        initialize();
    return OK;
}
