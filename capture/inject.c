/* tmasim-capture: a library that CUDA's driver loads into a program (CUDA_INJECTION64_PATH). CUPTI
 * calls it at the driver's functions that load code and launch kernels. Launches of kernels whose
 * name matches are recorded as launch files. What it cannot do it writes to DIR/capture.log: the
 * program goes on as without it. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "driver.h"
#include "image.h"
#include "launch_record.h"
#include "launch_time.h"

enum { PATH_BYTES = 4096, MOST_CALLBACKS = 2000, HANDLE_BUCKETS = 4096 };

struct cu_driver driver;
struct cupti cupti;
struct capture_wishes wishes;

static regex_t wanted_kernels;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static _Thread_local bool inside; /* the driver is called from here */

void capture_log(const char *format, ...) {
    char path[PATH_BYTES], line[2048];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    if (length < 0 || wishes.folder == NULL)
        return;
    if ((size_t)length > sizeof line - 2)
        length = sizeof line - 2;
    line[length++] = '\n';
    snprintf(path, sizeof path, "%s/capture.log", wishes.folder);
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return;
    if (write(file, line, (size_t)length) < 0)
        length = 0; /* there is nowhere to say so */
    close(file);
}

/* ---- images, and what belongs to them ---- */

static struct image *images;
static size_t image_count, image_capacity;

static void add_image(struct image image) {
    if (image.size == 0)
        return;
    if (image_count == image_capacity) {
        size_t capacity = image_capacity == 0 ? 64 : 2 * image_capacity;
        struct image *grown = realloc(images, capacity * sizeof *grown);
        if (grown == NULL) {
            image_free(&image);
            return;
        }
        images = grown;
        image_capacity = capacity;
    }
    images[image_count++] = image;
}

static void remove_images(cu_handle owner) {
    size_t kept = 0;
    for (size_t i = 0; i < image_count; i++)
        if (owner != NULL && images[i].owner == owner)
            image_free(&images[i]);
        else
            images[kept++] = images[i];
    image_count = kept;
}

/* A function, a kernel of a library, or a module of one. */
struct handle {
    cu_handle handle, owner; /* owner: of its image, or a handle of this table */
    bool is_kernel;
    struct handle *next;
};

static struct handle *handles[HANDLE_BUCKETS];

static size_t bucket_of(cu_handle handle) {
    uint64_t bits = (uintptr_t)handle * UINT64_C(0x9e3779b97f4a7c15);
    return bits >> 52;
}

static struct handle *find_handle(cu_handle wanted) {
    struct handle *handle = handles[bucket_of(wanted)];
    while (handle != NULL && handle->handle != wanted)
        handle = handle->next;
    return handle;
}

static void add_handle(cu_handle added, cu_handle owner, bool is_kernel) {
    struct handle *handle = find_handle(added);
    if (handle == NULL) {
        handle = malloc(sizeof *handle);
        if (handle == NULL)
            return;
        struct handle **bucket = &handles[bucket_of(added)];
        handle->next = *bucket;
        *bucket = handle;
    }
    handle->handle = added;
    handle->owner = owner;
    handle->is_kernel = is_kernel;
}

/* The owner of a function's image: a module or a library. */
static cu_handle owner_of(cu_handle handle) {
    for (int steps = 0; steps < 4; steps++) {
        const struct handle *known = find_handle(handle);
        if (known == NULL)
            break;
        handle = known->owner;
    }
    return handle;
}

/* ---- kernels that are looked for ---- */

struct kernel {
    char *name;
    unsigned launches; /* so far */
    struct kernel *next;
};
static struct kernel *kernels;

/* A handle that was launched: asked once whether its name matches. */
struct decision {
    cu_handle handle;
    struct kernel *kernel; /* NULL: its name does not match */
    struct decision *next;
};
static struct decision *decisions[HANDLE_BUCKETS];

static struct kernel *kernel_named(const char *name) {
    struct kernel *kernel = kernels;
    while (kernel != NULL && strcmp(kernel->name, name) != 0)
        kernel = kernel->next;
    if (kernel == NULL && (kernel = calloc(1, sizeof *kernel)) != NULL) {
        kernel->name = strdup(name);
        kernel->next = kernels;
        if (kernel->name == NULL) {
            free(kernel);
            return NULL;
        }
        kernels = kernel;
    }
    return kernel;
}

static struct kernel *decide(cu_handle handle, const char *symbol) {
    struct decision **bucket = &decisions[bucket_of(handle)], *decision = *bucket;
    while (decision != NULL && decision->handle != handle)
        decision = decision->next;
    if (decision != NULL)
        return decision->kernel;
    if (symbol == NULL && driver.cuFuncGetName != NULL &&
        driver.cuFuncGetName(&symbol, handle) != 0)
        symbol = NULL;
    decision = calloc(1, sizeof *decision);
    if (decision == NULL || symbol == NULL) {
        free(decision);
        return NULL;
    }
    decision->handle = handle;
    decision->next = *bucket;
    *bucket = decision;
    if (regexec(&wanted_kernels, symbol, 0, NULL, 0) == 0)
        decision->kernel = kernel_named(symbol);
    return decision->kernel;
}

/* A handle may stand for another kernel once its module is gone. */
static void forget_decisions(void) {
    for (size_t i = 0; i < HANDLE_BUCKETS; i++)
        while (decisions[i] != NULL) {
            struct decision *next = decisions[i]->next;
            free(decisions[i]);
            decisions[i] = next;
        }
}

/* ---- a launch ---- */

struct arguments_kernel {
    cu_handle function;
    uint32_t grid[3], block[3], dynamic_shared;
    cu_handle stream;
    void **values, **extra; /* extra: not of cooperative launches */
};

struct arguments_kernel_ex {
    const struct cu_launch_config *config;
    cu_handle function;
    void **values, **extra;
};

enum launcher { LAUNCH_KERNEL, LAUNCH_COOPERATIVE, LAUNCH_EX };

/* A launch between the driver's entry and its exit. */
struct pending {
    enum launcher launcher;
    struct cu_launch_config config; /* its stream is one that any function takes */
    cu_handle handle;               /* as the program gave it */
    void **values, **extra;
    struct recorded_launch record;
    struct saved_memory saved;
    bool measured; /* it will be */
    char ptx[256], path[PATH_BYTES], missing[512];
};
static _Thread_local struct pending *pending;

static cu_result launch_it_again(const void *context) {
    const struct pending *launch = context;
    const struct cu_launch_config *config = &launch->config;
    const uint32_t *grid = config->grid, *block = config->block;
    switch (launch->launcher) {
    case LAUNCH_KERNEL:
        return driver.cuLaunchKernel(launch->handle, grid[0], grid[1], grid[2], block[0], block[1],
                                     block[2], config->dynamic_shared, config->stream,
                                     launch->values, launch->extra);
    case LAUNCH_COOPERATIVE:
        return driver.cuLaunchCooperativeKernel(launch->handle, grid[0], grid[1], grid[2], block[0],
                                                block[1], block[2], config->dynamic_shared,
                                                config->stream, launch->values);
    case LAUNCH_EX:
        return driver.cuLaunchKernelEx(config, launch->handle, launch->values, launch->extra);
    }
    return 1;
}

/* Fills what the driver's function got. `per_thread`: NULL is the stream of the thread. */
static void take_arguments(struct pending *launch, const void *parameters, bool per_thread) {
    struct cu_launch_config *config = &launch->config;
    if (launch->launcher == LAUNCH_EX) {
        const struct arguments_kernel_ex *arguments = parameters;
        *config = *arguments->config;
        launch->handle = arguments->function;
        launch->values = arguments->values;
        launch->extra = arguments->extra;
    } else {
        const struct arguments_kernel *arguments = parameters;
        memcpy(config->grid, arguments->grid, sizeof config->grid);
        memcpy(config->block, arguments->block, sizeof config->block);
        config->dynamic_shared = arguments->dynamic_shared;
        config->stream = arguments->stream;
        launch->handle = arguments->function;
        launch->values = arguments->values;
        launch->extra = launch->launcher == LAUNCH_KERNEL ? arguments->extra : NULL;
    }
    if (per_thread && config->stream == NULL)
        config->stream = CU_STREAM_OF_THREAD;
}

/* Fills what the driver knows of the kernel and the GPU. */
static void describe(struct pending *launch, const struct kernel *kernel) {
    struct recorded_launch *record = &launch->record;
    const struct handle *known = find_handle(launch->handle);
    int device = 0, value = 0;
    record->kernel = kernel->name;
    record->number = kernel->launches;
    record->function = launch->handle;
    if (known != NULL && known->is_kernel && driver.cuKernelGetFunction != NULL &&
        driver.cuKernelGetFunction(&record->function, launch->handle) != 0)
        record->function = launch->handle;
    memcpy(record->grid, launch->config.grid, sizeof record->grid);
    memcpy(record->block, launch->config.block, sizeof record->block);
    record->dynamic_shared = launch->config.dynamic_shared;
    record->stream = launch->config.stream;
    for (uint32_t i = 0; i < launch->config.attribute_count; i++)
        if (launch->config.attributes[i].id == CU_LAUNCH_CLUSTER)
            memcpy(record->cluster, launch->config.attributes[i].value.cluster,
                   sizeof record->cluster);
    if (driver.cuFuncGetAttribute(&value, CU_ATTRIBUTE_REGISTERS, record->function) == 0)
        record->registers = (uint32_t)value;
    if (driver.cuCtxGetDevice(&device) == 0) {
        int major = 0, minor = 0;
        driver.cuDeviceGetName(record->gpu, sizeof record->gpu - 1, device);
        driver.cuDeviceGetAttribute(&major, CU_ATTRIBUTE_CAPABILITY_MAJOR, device);
        driver.cuDeviceGetAttribute(&minor, CU_ATTRIBUTE_CAPABILITY_MINOR, device);
        record->capability = (unsigned)(10 * major + minor);
    }
}

/* Finds the PTX of the kernel and writes it; else says why there is none. */
static void find_ptx(struct pending *launch) {
    const char *kernel = launch->record.kernel;
    cu_handle owner = owner_of(launch->handle), module = NULL;
    const struct image *own = NULL;
    enum image_code code = IMAGE_UNKNOWN;
    char *ptx = NULL;
    if (owner == launch->handle && driver.cuFuncGetModule != NULL &&
        driver.cuFuncGetModule(&module, launch->record.function) == 0)
        owner = owner_of(module);
    for (size_t i = image_count; i > 0 && own == NULL; i--)
        if (images[i - 1].owner == owner)
            own = &images[i - 1];
    if (own != NULL)
        code = image_find_ptx(own, kernel, launch->record.capability, &ptx);
    if (ptx == NULL)
        ptx = image_find_ptx_file(own, kernel, wishes.ptx_folders);
    /* Input of a linker, or an image of which the driver's functions did not tell. */
    for (size_t i = image_count; i > 0 && ptx == NULL; i--)
        if (&images[i - 1] != own && (own == NULL || images[i - 1].owner == NULL)) {
            enum image_code other =
                image_find_ptx(&images[i - 1], kernel, launch->record.capability, &ptx);
            code = other == IMAGE_UNKNOWN ? code : other;
        }
    launch->missing[0] = '\0';
    if (ptx != NULL) {
        if (wishes.structure_only)
            remove_origins(ptx);
        if (!record_ptx(kernel, ptx, launch->ptx, sizeof launch->ptx))
            snprintf(launch->missing, sizeof launch->missing, "it cannot be written");
        free(ptx);
        return;
    }
    snprintf(launch->ptx, sizeof launch->ptx, "%.200s.ptx", kernel);
    snprintf(launch->missing, sizeof launch->missing, "%s",
             code == IMAGE_ZSTD ? "it is compressed, and libzstd.so.1 is not there"
             : code == IMAGE_SASS
                 ? "the program has machine code of it alone; compile with PTX, such as nvcc "
                   "-gencode arch=compute_90a,code=[compute_90a,sm_90a], or name the folder that "
                   "has it (--ptx)"
                 : "the code that the program loaded does not have it; name the folder that has "
                   "it (--ptx)");
}

static bool can_wait(cu_handle stream) {
    int status = 0;
    return driver.cuStreamIsCapturing == NULL ||
           (driver.cuStreamIsCapturing(stream, &status) == 0 && status == 0);
}

static bool write_record(struct pending *launch) {
    return record_write(&launch->record, launch->ptx, launch->missing, launch->path,
                        sizeof launch->path);
}

/* Before the launch: everything that it may change is recorded. */
static void begin_launch(struct pending *launch, struct kernel *kernel) {
    describe(launch, kernel);
    find_ptx(launch);
    if (!record_parameters(&launch->record, launch->values, launch->extra)) {
        capture_log("%s: the driver does not tell the sizes of its parameters: CUDA 12.4 is needed",
                    kernel->name);
        return;
    }
    bool waits = can_wait(launch->config.stream);
    if (!waits)
        capture_log("%s: launched while a graph is captured: neither contents nor time",
                    kernel->name);
    if (waits && (wishes.timed || wishes.contents_bytes > 0) &&
        driver.cuStreamSynchronize(launch->config.stream) == 0) {
        if (wishes.contents_bytes > 0)
            record_contents(&launch->record);
        launch->measured = wishes.timed && saved_memory_take(&launch->record, &launch->saved);
    }
    if (!write_record(launch))
        capture_log("%s: %s cannot be written", kernel->name, launch->path);
    else
        capture_log("%s: launch %" PRIu32 ": %s%s%s", kernel->name, launch->record.number,
                    launch->path, launch->missing[0] == '\0' ? "" : ": no PTX: ", launch->missing);
}

/* After it. */
static void end_launch(struct pending *launch, cu_result result) {
    if (result != 0) {
        capture_log("%s: launch %" PRIu32 ": the driver refused it, with error %d: no record",
                    launch->record.kernel, launch->record.number, result);
        unlink(launch->path);
    } else if (launch->measured && driver.cuStreamSynchronize(launch->config.stream) == 0) {
        measure_launch(&launch->record, &launch->saved, launch_it_again, launch);
        write_record(launch);
    }
    saved_memory_free(&launch->saved);
    record_free(&launch->record);
}

static void on_launch(enum launcher launcher, const struct cupti_callback *callback) {
    size_t length = strlen(callback->function);
    bool per_thread = length > 5 && strcmp(callback->function + length - 5, "_ptsz") == 0;
    if (callback->site == CUPTI_EXIT) {
        struct pending *launch = pending;
        pending = NULL;
        if (launch != NULL) {
            pthread_mutex_lock(&lock);
            end_launch(launch, *callback->result);
            pthread_mutex_unlock(&lock);
            free(launch);
        }
        return;
    }
    cu_handle handle = launcher == LAUNCH_EX
                           ? ((const struct arguments_kernel_ex *)callback->parameters)->function
                           : ((const struct arguments_kernel *)callback->parameters)->function;
    pthread_mutex_lock(&lock);
    struct kernel *kernel = decide(handle, callback->symbol);
    if (kernel != NULL && ++kernel->launches > wishes.skipped &&
        kernel->launches - wishes.skipped <= wishes.launches &&
        (pending = calloc(1, sizeof *pending)) != NULL) {
        pending->launcher = launcher;
        take_arguments(pending, callback->parameters, per_thread);
        begin_launch(pending, kernel);
    }
    pthread_mutex_unlock(&lock);
}

static void on_launch_kernel(const struct cupti_callback *callback) {
    on_launch(LAUNCH_KERNEL, callback);
}

static void on_launch_cooperative(const struct cupti_callback *callback) {
    on_launch(LAUNCH_COOPERATIVE, callback);
}

static void on_launch_ex(const struct cupti_callback *callback) {
    on_launch(LAUNCH_EX, callback);
}

/* ---- code that is loaded; at the exit of functions that succeeded ---- */

static void on_load_data(const struct cupti_callback *callback) {
    const struct {
        cu_handle *owner;
        const void *code;
    } *arguments = callback->parameters;
    add_image(image_of(*arguments->owner, arguments->code, 0));
}

static void on_load_file(const struct cupti_callback *callback) {
    const struct {
        cu_handle *owner;
        const char *path;
    } *arguments = callback->parameters;
    add_image(image_of_file(*arguments->owner, arguments->path));
}

static void on_link_data(const struct cupti_callback *callback) {
    const struct {
        cu_handle state;
        int type;
        const void *data;
        size_t bytes;
    } *arguments = callback->parameters;
    if (arguments->type == CU_INPUT_PTX || arguments->type == CU_INPUT_FATBINARY)
        add_image(image_of(NULL, arguments->data, arguments->bytes));
}

static void on_link_file(const struct cupti_callback *callback) {
    const struct {
        cu_handle state;
        int type;
        const char *path;
    } *arguments = callback->parameters;
    if (arguments->type == CU_INPUT_PTX || arguments->type == CU_INPUT_FATBINARY)
        add_image(image_of_file(NULL, arguments->path));
}

static void on_unload(const struct cupti_callback *callback) {
    const struct { cu_handle owner; } *arguments = callback->parameters;
    remove_images(arguments->owner);
    forget_decisions();
}

struct arguments_of_owner {
    cu_handle *handle, owner;
};

static void on_get_function(const struct cupti_callback *callback) {
    const struct arguments_of_owner *arguments = callback->parameters;
    add_handle(*arguments->handle, arguments->owner, false);
}

static void on_get_kernel(const struct cupti_callback *callback) {
    const struct arguments_of_owner *arguments = callback->parameters;
    add_handle(*arguments->handle, arguments->owner, true);
}

static void enumerate(const struct cupti_callback *callback, bool is_kernel) {
    const struct {
        cu_handle *items;
        unsigned count;
        cu_handle owner;
    } *arguments = callback->parameters;
    for (unsigned i = 0; i < arguments->count; i++)
        add_handle(arguments->items[i], arguments->owner, is_kernel);
}

static void on_enumerate_functions(const struct cupti_callback *callback) {
    enumerate(callback, false);
}

static void on_enumerate_kernels(const struct cupti_callback *callback) {
    enumerate(callback, true);
}

/* ---- the driver's functions ---- */

static const struct hook {
    const char *function;
    void (*call)(const struct cupti_callback *callback);
    bool is_launch;
} hooks[] = {
    {"cuLaunchKernel", on_launch_kernel, true},
    {"cuLaunchKernel_ptsz", on_launch_kernel, true},
    {"cuLaunchKernelEx", on_launch_ex, true},
    {"cuLaunchKernelEx_ptsz", on_launch_ex, true},
    {"cuLaunchCooperativeKernel", on_launch_cooperative, true},
    {"cuLaunchCooperativeKernel_ptsz", on_launch_cooperative, true},
    {"cuModuleLoad", on_load_file, false},
    {"cuModuleLoadData", on_load_data, false},
    {"cuModuleLoadDataEx", on_load_data, false},
    {"cuModuleLoadFatBinary", on_load_data, false},
    {"cuLibraryLoadData", on_load_data, false},
    {"cuLibraryLoadFromFile", on_load_file, false},
    {"cuLinkAddData_v2", on_link_data, false},
    {"cuLinkAddFile_v2", on_link_file, false},
    {"cuModuleUnload", on_unload, false},
    {"cuLibraryUnload", on_unload, false},
    {"cuModuleGetFunction", on_get_function, false},
    {"cuKernelGetFunction", on_get_function, false},
    {"cuLibraryGetModule", on_get_function, false},
    {"cuLibraryGetKernel", on_get_kernel, false},
    {"cuModuleEnumerateFunctions", on_enumerate_functions, false},
    {"cuLibraryEnumerateKernels", on_enumerate_kernels, false},
};
enum { HOOKS = sizeof hooks / sizeof hooks[0] };

/* The hook of each callback's number. */
static const struct hook *hook_of[MOST_CALLBACKS];

static void on_callback(void *context, int domain, uint32_t id, const void *data) {
    const struct cupti_callback *callback = data;
    const struct hook *hook =
        domain == CUPTI_DRIVER_API && id < MOST_CALLBACKS ? hook_of[id] : NULL;
    (void)context;
    if (hook == NULL || inside)
        return;
    inside = true;
    if (hook->is_launch) {
        hook->call(callback);
    } else if (callback->site == CUPTI_EXIT && *callback->result == 0) {
        pthread_mutex_lock(&lock);
        hook->call(callback);
        pthread_mutex_unlock(&lock);
    }
    inside = false;
}

/* ---- start ---- */

/* A pointer to a function has the size of one to an object in this interface (POSIX, dlsym). */
static void look_up(void *library, const char *name, void *pointer) {
    void *symbol = dlsym(library, name);
    memcpy(pointer, &symbol, sizeof symbol);
}

static void *open_matching(const char *pattern) {
    glob_t found;
    void *library = NULL;
    if (glob(pattern, 0, NULL, &found) != 0)
        return NULL;
    for (size_t i = 0; i < found.gl_pathc && library == NULL; i++)
        library = dlopen(found.gl_pathv[i], RTLD_NOW | RTLD_LOCAL);
    globfree(&found);
    return library;
}

static void *open_cupti(void) {
    static const char *const names[] = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"};
    static const char *const patterns[] = {
        "/usr/local/cuda/lib*/libcupti.so*", "/usr/local/cuda/extras/CUPTI/lib64/libcupti.so*",
        "/usr/local/cuda-1*/lib*/libcupti.so*", "/opt/cuda/extras/CUPTI/lib64/libcupti.so*",
        "/usr/lib/*/libcupti.so*"};
    const char *given = getenv("TMASIM_CAPTURE_CUPTI"),
               *packages = getenv("TMASIM_CAPTURE_PACKAGES");
    char pattern[PATH_BYTES];
    void *library = given == NULL ? NULL : dlopen(given, RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < 3 && library == NULL; i++) /* the program may have one already */
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (library == NULL && packages != NULL) {
        snprintf(pattern, sizeof pattern, "%s/nvidia/*/lib/libcupti.so*", packages);
        library = open_matching(pattern);
    }
    for (size_t i = 0; i < 3 && library == NULL; i++)
        library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    for (size_t i = 0; i < sizeof patterns / sizeof patterns[0] && library == NULL; i++)
        library = open_matching(patterns[i]);
    return library;
}

static unsigned number_of(const char *variable, unsigned fallback) {
    const char *text = getenv(variable);
    return text == NULL || *text == '\0' ? fallback : (unsigned)strtoul(text, NULL, 10);
}

static bool read_wishes(void) {
    const char *kernel = getenv("TMASIM_CAPTURE_KERNEL");
    wishes.folder = getenv("TMASIM_CAPTURE_DIR");
    wishes.launches = number_of("TMASIM_CAPTURE_LAUNCHES", 1);
    wishes.skipped = number_of("TMASIM_CAPTURE_SKIP", 0);
    wishes.contents_bytes = number_of("TMASIM_CAPTURE_CONTENTS", 0);
    wishes.timed = number_of("TMASIM_CAPTURE_TIME", 1) != 0;
    wishes.sources = number_of("TMASIM_CAPTURE_SOURCES", 0) != 0;
    wishes.structure_only = number_of("TMASIM_CAPTURE_STRUCTURE_ONLY", 0) != 0;
    wishes.ptx_folders = getenv("TMASIM_CAPTURE_PTX");
    if (wishes.folder == NULL)
        return false;
    if (regcomp(&wanted_kernels, kernel == NULL ? "" : kernel, REG_EXTENDED | REG_NOSUB) == 0)
        return true;
    capture_log("\"%s\" is no regular expression", kernel);
    return false;
}

/* Enables the callbacks of the functions in the table: numbers of callbacks are CUPTI's own. */
static bool subscribe(void) {
    cu_handle subscriber;
    bool launches = false;
    if (cupti.cuptiSubscribe(&subscriber, on_callback, NULL) != 0)
        return false;
    for (uint32_t id = 1; id < MOST_CALLBACKS; id++) {
        const char *name = NULL;
        if (cupti.cuptiGetCallbackName(CUPTI_DRIVER_API, id, &name) != 0 || name == NULL)
            continue;
        for (size_t i = 0; i < HOOKS; i++)
            if (strcmp(name, hooks[i].function) == 0 &&
                cupti.cuptiEnableCallback(1, subscriber, CUPTI_DRIVER_API, id) == 0) {
                hook_of[id] = &hooks[i];
                launches = launches || hooks[i].is_launch;
            }
    }
    return launches;
}

/* The driver calls this when the program initialises it. */
int InitializeInjection(void);

__attribute__((visibility("default"))) int InitializeInjection(void) {
    void *cuda = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!read_wishes())
        return 1;
    void *library = open_cupti();
    if (cuda == NULL || library == NULL) {
        capture_log("%s cannot be loaded; name its file by --cupti",
                    cuda == NULL ? "libcuda.so.1" : "libcupti");
        return 1;
    }
#define LOOK_UP(name, arguments) look_up(cuda, #name, &driver.name);
    CU_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
#define LOOK_UP(name, arguments) look_up(library, #name, &cupti.name);
    CUPTI_FUNCTIONS(LOOK_UP)
#undef LOOK_UP
    if (cupti.cuptiSubscribe == NULL || cupti.cuptiGetCallbackName == NULL ||
        cupti.cuptiEnableCallback == NULL || driver.cuMemGetAddressRange_v2 == NULL) {
        capture_log("libcupti or libcuda.so.1 lacks functions that are needed");
        return 1;
    }
    inside = true;
    if (!subscribe())
        capture_log("CUPTI does not call back: another tool may use it");
    inside = false;
    return 1;
}
