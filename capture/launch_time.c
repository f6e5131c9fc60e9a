#define _GNU_SOURCE
#include "launch_time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    TIMES = 5,
    SPIN_NS = 100000,
    ACTIVITY_BYTES = 1 << 16,
    LEAST_FLUSHED_BYTES = 128 << 20,
    RESERVE_BYTES = 512 << 20,
    VECTOR_BYTES = 16,
    FLUSH_CTAS = 1024,
    FLUSH_THREADS = 256,
    MOST_SMS = 512,
    LEAST_CLOCKED_NS =
        10000 /* of shorter launches, most of what the SMs' clocks say is around them */
};

/* Four kernels: flush reads memory so that L2 has it and nothing else; spin runs for so many
 * nanoseconds and stores them and the cycles that passed; stamp stores each SM's cycles and the
 * time at which the time changes; empty does nothing. */
static const char helper_ptx[] =
    ".version 6.4\n.target sm_70\n.address_size 64\n"
    ".visible .entry tmasim_flush(.param .u64 p, .param .u64 n, .param .u64 out) {\n"
    ".reg .b64 %a, %n, %i, %s, %o;\n.reg .b32 %t, %c, %d, %x, %y, %z, %w, %q;\n.reg .pred %p;\n"
    "ld.param.u64 %a, [p];\nld.param.u64 %n, [n];\nld.param.u64 %o, [out];\n"
    "mov.u32 %t, %tid.x;\nmov.u32 %c, %ctaid.x;\nmov.u32 %d, %ntid.x;\n"
    "mad.lo.u32 %t, %c, %d, %t;\ncvt.u64.u32 %i, %t;\nmov.u32 %c, %nctaid.x;\n"
    "mul.lo.u32 %c, %c, %d;\ncvt.u64.u32 %s, %c;\nmov.u32 %q, 0;\n"
    "LOOP:\nsetp.ge.u64 %p, %i, %n;\n@%p bra DONE;\n"
    "{ .reg .b64 %m; shl.b64 %m, %i, 4; add.u64 %m, %m, %a;\n"
    "ld.global.v4.u32 {%x, %y, %z, %w}, [%m]; }\n"
    "xor.b32 %q, %q, %x;\nxor.b32 %q, %q, %w;\nadd.u64 %i, %i, %s;\nbra LOOP;\n"
    "DONE:\nsetp.ne.u32 %p, %q, 0x5bd1e995;\n@%p bra END;\nst.global.u32 [%o], %q;\nEND:\nret;\n}\n"
    ".visible .entry tmasim_spin(.param .u64 out, .param .u64 ns) {\n"
    ".reg .b64 %o, %n, %t, %u, %c, %d;\n.reg .pred %p;\n"
    "ld.param.u64 %o, [out];\nld.param.u64 %n, [ns];\nmov.u64 %u, %globaltimer;\n"
    "EDGE:\nmov.u64 %t, %globaltimer;\nsetp.eq.u64 %p, %t, %u;\n@%p bra EDGE;\n"
    "mov.u64 %c, %clock64;\nadd.u64 %n, %n, %t;\n"
    "WAIT:\nmov.u64 %u, %globaltimer;\nsetp.lt.u64 %p, %u, %n;\n@%p bra WAIT;\n"
    "mov.u64 %d, %clock64;\nsub.u64 %d, %d, %c;\nsub.u64 %u, %u, %t;\n"
    "st.global.u64 [%o], %d;\nst.global.u64 [%o+8], %u;\nret;\n}\n"
    ".visible .entry tmasim_stamp(.param .u64 out) {\n"
    ".reg .b64 %o, %a, %t, %u, %c;\n.reg .b32 %s;\n.reg .pred %p;\n"
    "ld.param.u64 %o, [out];\nmov.u32 %s, %smid;\n"
    "setp.ge.u32 %p, %s, 512;\n@%p bra END;\nmul.wide.u32 %a, %s, 16;\nadd.u64 %a, %a, %o;\n"
    "mov.u64 %u, %globaltimer;\n"
    "EDGE:\nmov.u64 %t, %globaltimer;\nsetp.eq.u64 %p, %t, %u;\n@%p bra EDGE;\n"
    "mov.u64 %c, %clock64;\nst.global.v2.u64 [%a], {%c, %t};\nEND:\nret;\n}\n"
    ".visible .entry tmasim_empty() {\nret;\n}\n";

/* What stamp stores of an SM. */
struct stamp {
    uint64_t cycles, ns;
};

/* What a series of measurements needs. */
struct bench {
    cu_handle module, flush, spin, stamp, empty, begin, end, stream;
    cu_pointer memory, ticks, stamps; /* read to empty L2; what spin and stamp store */
    size_t bytes;
    int sms;
    bool cupti;
    double clock_mhz;
};

/* ---- saved memory ---- */

bool saved_memory_take(const struct recorded_launch *launch, struct saved_memory *saved) {
    size_t available = 0, total = 0, needed = RESERVE_BYTES;
    *saved = (struct saved_memory){0};
    for (size_t i = 0; i < launch->buffer_count; i++)
        needed += launch->buffers[i].bytes;
    if (driver.cuMemGetInfo_v2(&available, &total) != 0 || needed > available) {
        capture_log("%s: not measured: no room for a copy of its %zu MiB", launch->kernel,
                    needed >> 20);
        return false;
    }
    for (size_t i = 0; i < launch->buffer_count; i++) {
        if (driver.cuMemAlloc_v2(&saved->copies[i], launch->buffers[i].bytes) != 0) {
            saved_memory_free(saved);
            capture_log("%s: not measured: the driver gives no memory for a copy of its buffers",
                        launch->kernel);
            return false;
        }
        saved->count++;
        driver.cuMemcpyDtoDAsync_v2(saved->copies[i], launch->buffers[i].base,
                                    launch->buffers[i].bytes, launch->stream);
    }
    return true;
}

void saved_memory_free(struct saved_memory *saved) {
    for (size_t i = 0; i < saved->count; i++)
        driver.cuMemFree_v2(saved->copies[i]);
    saved->count = 0;
}

static void restore(const struct recorded_launch *launch, const struct saved_memory *saved) {
    for (size_t i = 0; i < saved->count; i++)
        driver.cuMemcpyDtoDAsync_v2(launch->buffers[i].base, saved->copies[i],
                                    launch->buffers[i].bytes, launch->stream);
}

/* ---- CUPTI's times of kernels ---- */

/* The last kernel of a series that ended: the one that is measured. */
static uint64_t last_start_ns, last_ns;

static void request_buffer(uint8_t **buffer, size_t *size, size_t *most) {
    *buffer = aligned_alloc(8, ACTIVITY_BYTES);
    *size = *buffer == NULL ? 0 : ACTIVITY_BYTES;
    *most = 0;
}

static void take_buffer(cu_handle context, uint32_t stream, uint8_t *buffer, size_t size,
                        size_t valid) {
    void *record = NULL;
    (void)context, (void)stream, (void)size;
    while (valid > 0 && cupti.cuptiActivityGetNextRecord(buffer, valid, &record) == 0) {
        struct cupti_kernel kernel;
        memcpy(&kernel, record, sizeof kernel);
        if (kernel.kind != CUPTI_CONCURRENT_KERNEL || kernel.start_ns < last_start_ns ||
            kernel.end_ns <= kernel.start_ns)
            continue;
        last_start_ns = kernel.start_ns;
        last_ns = kernel.end_ns - kernel.start_ns;
    }
    free(buffer);
}

/* ---- measurements ---- */

static bool open_bench(struct bench *bench, cu_handle stream) {
    static bool registered;
    const int options[] = {CU_OPTION_CACHE_MODE};
    void *values[] = {NULL};
    int device = 0, l2 = 0;
    *bench = (struct bench){.stream = stream};
    if (driver.cuCtxGetDevice(&device) != 0 ||
        driver.cuDeviceGetAttribute(&l2, CU_ATTRIBUTE_L2_BYTES, device) != 0 ||
        driver.cuDeviceGetAttribute(&bench->sms, CU_ATTRIBUTE_SMS, device) != 0 ||
        driver.cuModuleLoadDataEx(&bench->module, helper_ptx, 1, options, values) != 0 ||
        driver.cuModuleGetFunction(&bench->flush, bench->module, "tmasim_flush") != 0 ||
        driver.cuModuleGetFunction(&bench->spin, bench->module, "tmasim_spin") != 0 ||
        driver.cuModuleGetFunction(&bench->stamp, bench->module, "tmasim_stamp") != 0 ||
        driver.cuModuleGetFunction(&bench->empty, bench->module, "tmasim_empty") != 0 ||
        driver.cuEventCreate(&bench->begin, 0) != 0 || driver.cuEventCreate(&bench->end, 0) != 0)
        return false;
    bench->bytes = 3 * (size_t)l2;
    if (bench->bytes < LEAST_FLUSHED_BYTES)
        bench->bytes = LEAST_FLUSHED_BYTES;
    if (driver.cuMemAlloc_v2(&bench->memory, bench->bytes) != 0 ||
        driver.cuMemAlloc_v2(&bench->ticks, 64) != 0 ||
        driver.cuMemAlloc_v2(&bench->stamps, 2 * MOST_SMS * sizeof(struct stamp)) != 0)
        return false;
    driver.cuMemsetD8Async(bench->memory, 0, bench->bytes, stream);
    if (cupti.cuptiActivityRegisterCallbacks != NULL && !registered)
        registered = cupti.cuptiActivityRegisterCallbacks(request_buffer, take_buffer) == 0;
    bench->cupti = registered && cupti.cuptiActivityEnable(CUPTI_CONCURRENT_KERNEL) == 0;
    return true;
}

static void close_bench(struct bench *bench) {
    if (bench->cupti)
        cupti.cuptiActivityDisable(CUPTI_CONCURRENT_KERNEL);
    if (bench->memory != 0)
        driver.cuMemFree_v2(bench->memory);
    if (bench->ticks != 0)
        driver.cuMemFree_v2(bench->ticks);
    if (bench->stamps != 0)
        driver.cuMemFree_v2(bench->stamps);
    if (bench->begin != NULL)
        driver.cuEventDestroy_v2(bench->begin);
    if (bench->end != NULL)
        driver.cuEventDestroy_v2(bench->end);
    if (bench->module != NULL)
        driver.cuModuleUnload(bench->module);
}

static void flush(const struct bench *bench) {
    uint64_t address = bench->memory, vectors = bench->bytes / VECTOR_BYTES, out = bench->ticks;
    void *values[] = {&address, &vectors, &out};
    driver.cuLaunchKernel(bench->flush, FLUSH_CTAS, 1, 1, FLUSH_THREADS, 1, 1, 0, bench->stream,
                          values, NULL);
}

/* Keeps the GPU busy while the launch is queued, and reads the clock. */
static void spin(const struct bench *bench) {
    uint64_t out = bench->ticks + 16, ns = SPIN_NS;
    void *values[] = {&out, &ns};
    driver.cuLaunchKernel(bench->spin, 1, 1, 1, 1, 1, 1, 0, bench->stream, values, NULL);
}

/* Looks at the clock of each SM: before the launch, or behind it. */
static void stamp(const struct bench *bench, bool behind) {
    uint64_t out = bench->stamps + behind * MOST_SMS * sizeof(struct stamp);
    void *values[] = {&out};
    driver.cuLaunchKernel(bench->stamp, (unsigned)bench->sms, 1, 1, 1, 1, 1, 0, bench->stream,
                          values, NULL);
}

static cu_result launch_empty(const void *context) {
    const struct bench *bench = context;
    return driver.cuLaunchKernel(bench->empty, 1, 1, 1, 32, 1, 1, 0, bench->stream, NULL, NULL);
}

/* The cycles and the nanoseconds that spin took. */
static bool read_ticks(struct bench *bench, uint64_t ticks[2]) {
    if (driver.cuMemcpyDtoH_v2(ticks, bench->ticks + 16, 2 * sizeof *ticks) != 0)
        return false;
    if (ticks[1] > 0)
        bench->clock_mhz = (double)ticks[0] * 1000 / (double)ticks[1];
    return true;
}

/* Measures one launch, in nanoseconds: what CUPTI says, or what passes between two events. Memory
 * is as it should be. 0: something failed. */
static double measure_once(struct bench *bench, bool cold, launch_again *again,
                           const void *context) {
    uint64_t ticks[2] = {0};
    float milliseconds = 0;
    if (cold)
        flush(bench);
    spin(bench);
    last_ns = last_start_ns = 0;
    driver.cuEventRecord(bench->begin, bench->stream);
    bool good = again(context) == 0;
    driver.cuEventRecord(bench->end, bench->stream);
    good = driver.cuStreamSynchronize(bench->stream) == 0 && good &&
           driver.cuEventElapsedTime(&milliseconds, bench->begin, bench->end) == 0 &&
           read_ticks(bench, ticks);
    if (bench->cupti)
        cupti.cuptiActivityFlushAll(1);
    if (!good)
        return 0;
    if (bench->cupti && last_ns == 0)
        bench->cupti = false; /* its records are none that we know */
    return bench->cupti ? (double)last_ns : 1e6 * (double)milliseconds;
}

/* The mean clock of the SMs during a launch of so many nanoseconds, in MHz. Around it they have the
 * clock of spin. 0: something failed. */
static double measure_clock(struct bench *bench, double ns, launch_again *again,
                            const void *context) {
    struct stamp stamps[2][MOST_SMS];
    uint64_t ticks[2] = {0};
    double sum = 0;
    size_t count = 0;
    driver.cuMemsetD8Async(bench->stamps, 0, sizeof stamps, bench->stream);
    flush(bench);
    spin(bench);
    stamp(bench, false);
    bool good = again(context) == 0;
    stamp(bench, true);
    if (driver.cuStreamSynchronize(bench->stream) != 0 || !good ||
        driver.cuMemcpyDtoH_v2(stamps, bench->stamps, sizeof stamps) != 0 ||
        !read_ticks(bench, ticks))
        return 0;
    for (size_t i = 0; i < MOST_SMS; i++) {
        if (stamps[0][i].ns == 0 || stamps[1][i].ns <= stamps[0][i].ns)
            continue;
        double around = (double)(stamps[1][i].ns - stamps[0][i].ns) - ns;
        sum +=
            1000 * (double)(stamps[1][i].cycles - stamps[0][i].cycles) - around * bench->clock_mhz;
        count++;
    }
    return count > 0 ? sum / ((double)count * ns) : 0;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values) {
    qsort(values, TIMES, sizeof *values, by_size);
    return values[0] <= 0 ? 0 : values[TIMES / 2];
}

void measure_launch(struct recorded_launch *launch, const struct saved_memory *saved,
                    launch_again *again, const void *context) {
    struct bench bench;
    double cold[TIMES], warm[TIMES], empty[TIMES], mhz[TIMES] = {0};
    if (open_bench(&bench, launch->stream)) {
        launch_empty(&bench);
        measure_once(&bench, false, launch_empty, &bench); /* finds out whether CUPTI tells times */
        for (int i = 0; i < TIMES; i++)
            empty[i] = measure_once(&bench, false, launch_empty, &bench);
        for (int i = 0; i < TIMES; i++) {
            restore(launch, saved);
            warm[i] = measure_once(&bench, false, again, context);
        }
        for (int i = 0; i < TIMES; i++) {
            restore(launch, saved);
            cold[i] = measure_once(&bench, true, again, context);
        }
        double ns = median(cold);
        for (int i = 0; i < TIMES && ns >= LEAST_CLOCKED_NS; i++) {
            restore(launch, saved);
            mhz[i] = measure_clock(&bench, ns, again, context);
        }
        launch->times = (struct recorded_times){.cold_ns = ns,
                                                .warm_ns = median(warm),
                                                .empty_ns = median(empty),
                                                .clock_mhz = bench.clock_mhz,
                                                .launch_mhz = median(mhz),
                                                .by_events = !bench.cupti};
    }
    close_bench(&bench);
    if (launch->times.cold_ns <= 0)
        capture_log("%s: not measured: the driver or the kernel failed when it ran again",
                    launch->kernel);
}
