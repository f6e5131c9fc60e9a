// Measures the clock of the SMs and the power of a GPU under loads of the tensor cores, of shared
// memory, of L2, of DRAM and of ordinary instructions. Two warp groups of each CTA multiply, a
// third one makes the other load. A kernel goes on for a time that it is given, and counts rounds.
//
// `single`: one launch after a pause. The columns f_T are the clock in MHz from T microseconds
// after the start to the next such time, as the clocks and the time of CTA 0 say (median of 3
// launches). `sustained`: launches without a pause for 1.2 s, then 0.8 s that are measured. NVML
// gives watts (from the energy counter), clocks, temperature and the reasons of a lower clock.
// Without arguments the loads are those that the section `power` of a machine is fitted to
// (scripts/fit-power). With a seed they are drawn: such records judge the fit.
// usage: clocks [SEED COUNT] > clocks_loads.tsv
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <string>
#include <thread>
#include <vector>

#include "ptx.cuh"
#include "wgmma.cuh"

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t error_ = (call);                                                               \
        if (error_ != cudaSuccess) {                                                               \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error_));                        \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// ---- tensor instructions ----

enum Type { F16, BF16, TF32, E4M3, S8, NO_TENSOR };
static const char *const type_names[] = {"f16", "bf16", "tf32", "e4m3", "s8", "none"};

#define O4(c, d, i)  c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define O16(c, d, i) O4(c, d, i), O4(c, d, i + 4), O4(c, d, i + 8), O4(c, d, i + 12)
#define O32(c, d, i) O16(c, d, i), O16(c, d, i + 16)
#define O64(c, d)    O32(c, d, 0), O32(c, d, 32)
#define O128(c, d)   O64(c, d), O32(c, d, 64), O32(c, d, 96)
#define L32                                                                                        \
    "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,%16,%17,%18,%19,%20,%21,%22,%23,%24,"  \
    "%25,%26,%27,%28,%29,%30,%31"
#define L64                                                                                        \
    L32 ",%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,%48,%49,%50,%51,%52,%"   \
        "53,"                                                                                      \
        "%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define L128                                                                                       \
    L64 ",%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79,%80,%81,%82,%83,%84,%"   \
        "85,"                                                                                      \
        "%86,%87,%88,%89,%90,%91,%92,%93,%94,%95,%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,"   \
        "%106,%107,%108,%109,%110,%111,%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,"    \
        "%123,%124,%125,%126,%127"
template <int TYPE> struct Sum { typedef float T; };
template <> struct Sum<S8> { typedef int T; };

template <int TYPE, int N>
__device__ __forceinline__ void product(typename Sum<TYPE>::T *d, uint64_t a, uint64_t b, int add) {
#define ASM(name, list, outs, ra, rb, rp, more)                                                    \
    asm volatile("{.reg .pred p; setp.ne.b32 p, " rp ", 0;\n"                                      \
                 "wgmma.mma_async.sync.aligned." name " " list "}, " ra ", " rb ", p" more ";}\n"  \
                 : outs                                                                            \
                 : "l"(a), "l"(b), "r"(add))
    if constexpr (TYPE == F16 && N == 64)
        ASM("m64n64k16.f32.f16.f16", L32, O32("+f", d, 0), "%32", "%33", "%34", ", 1, 1, 0, 0");
    if constexpr (TYPE == F16 && N == 128)
        ASM("m64n128k16.f32.f16.f16", L64, O64("+f", d), "%64", "%65", "%66", ", 1, 1, 0, 0");
    if constexpr (TYPE == F16 && N == 256)
        ASM("m64n256k16.f32.f16.f16", L128, O128("+f", d), "%128", "%129", "%130", ", 1, 1, 0, 0");
    if constexpr (TYPE == BF16)
        ASM("m64n256k16.f32.bf16.bf16", L128, O128("+f", d), "%128", "%129", "%130",
            ", 1, 1, 0, 0");
    if constexpr (TYPE == TF32)
        ASM("m64n256k8.f32.tf32.tf32", L128, O128("+f", d), "%128", "%129", "%130", ", 1, 1");
    if constexpr (TYPE == E4M3)
        ASM("m64n256k32.f32.e4m3.e4m3", L128, O128("+f", d), "%128", "%129", "%130", ", 1, 1");
    if constexpr (TYPE == S8)
        ASM("m64n256k32.s32.s8.s8", L128, O128("+r", d), "%128", "%129", "%130", "");
}

// ---- the kernel ----

enum Other { NOTHING, FMA, ALU, SHARED, L2, DRAM, COPY, WRITE };
static const char *const other_names[] = {"none", "fma",  "alu",  "shared",
                                          "l2",   "dram", "copy", "write"};

enum {
    GROUP = 128,
    THREADS = 3 * GROUP,
    STAGES = 4,
    A_BYTES = 128 * 128,                        // 128 rows of 128 bytes
    STAGE_BYTES = A_BYTES + 256 * 128,          // and 256 of B
    SHARED_BYTES = STAGES * STAGE_BYTES + 2048, // 1024 of them for the alignment
    ROUND_PRODUCTS = STAGES * 4,
    EDGES = 16,
    OTHER_LOADS = 8,          // of 16 bytes a thread, in a step
    OTHER_STEPS = 8,          // of a round
    OTHER_INSTRUCTIONS = 1024 // of a round of FMA or ALU
};
static const int edges_us[EDGES] = {0,   2,    5,    10,   20,    50,    100,   200,
                                    500, 1000, 2000, 5000, 10000, 15000, 20000, 30000};
__constant__ int device_edges_us[EDGES];

struct Stats {
    unsigned long long product_rounds, other_rounds, cycles, ns, ctas;
    unsigned long long least_mhz_1000, most_mhz_1000;
    unsigned long long edge_clock[EDGES], edge_ns[EDGES]; // of CTA 0
};

struct Load {
    int type, columns, data, sms, pause, other, other_groups, other_pause;
};

__device__ inline void pause_for(long long cycles) {
    long long start = clock64();
    while (clock64() - start < cycles)
        __nanosleep(100);
}

__device__ uint32_t other_round(int other, uint8_t *shared, uint4 *memory, size_t units,
                                size_t round) {
    uint32_t sum = 0;
    int t = threadIdx.x % GROUP;
    if (other == FMA) {
        float v[8];
        for (int i = 0; i < 8; i++)
            v[i] = t + i;
#pragma unroll 32
        for (int i = 0; i < OTHER_INSTRUCTIONS / 8; i++)
            for (int j = 0; j < 8; j++)
                asm volatile("fma.rn.f32 %0,%0,%1,%2;" : "+f"(v[j]) : "f"(1.0001f), "f"(0.37f));
        for (int i = 0; i < 8; i++)
            sum += __float_as_uint(v[i]);
    } else if (other == ALU) {
        uint32_t v[8];
        for (int i = 0; i < 8; i++)
            v[i] = t * 0x9e3779b9u + i;
#pragma unroll 32
        for (int i = 0; i < OTHER_INSTRUCTIONS / 8; i++)
            for (int j = 0; j < 8; j++)
                asm volatile("shf.l.wrap.b32 %0, %0, %0, 7;" : "+r"(v[j]));
        for (int i = 0; i < 8; i++)
            sum += v[i];
    } else if (other == SHARED) {
        uint32_t base = shared_address(shared) + t * 16;
        for (int i = 0; i < OTHER_STEPS; i++)
#pragma unroll
            for (int j = 0; j < OTHER_LOADS; j++) {
                uint32_t a, b, c, d;
                asm volatile("ld.shared.v4.b32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
                             : "r"(base + (i * OTHER_LOADS + j) * GROUP * 16));
                sum += a ^ b ^ c ^ d;
            }
    } else if (other >= L2) {
        for (int i = 0; i < OTHER_STEPS; i++) {
            uint4 v[OTHER_LOADS];
            size_t step =
                ((round * OTHER_STEPS + i) * gridDim.x + blockIdx.x) * OTHER_LOADS * GROUP;
            uint4 *at = memory + step % units + t;
            if (other != WRITE) {
#pragma unroll
                for (int j = 0; j < OTHER_LOADS; j++)
                    asm volatile("ld.global.L1::no_allocate.v4.b32 {%0,%1,%2,%3}, [%4];"
                                 : "=r"(v[j].x), "=r"(v[j].y), "=r"(v[j].z), "=r"(v[j].w)
                                 : "l"(at + j * GROUP));
#pragma unroll
                for (int j = 0; j < OTHER_LOADS; j++)
                    sum += v[j].x ^ v[j].y ^ v[j].z ^ v[j].w;
            }
            if (other == WRITE || other == COPY) {
                uint4 *to = other == COPY ? at + units : at;
#pragma unroll
                for (int j = 0; j < OTHER_LOADS; j++) {
                    uint32_t x = other == COPY ? v[j].x : (uint32_t)(step + j) * 2654435761u + t;
                    uint4 w = other == COPY ? v[j] : make_uint4(x, x ^ 0x5bd1e995, ~x, x * 7);
                    asm volatile("st.global.v4.b32 [%0], {%1,%2,%3,%4};" ::"l"(to + j * GROUP),
                                 "r"(w.x), "r"(w.y), "r"(w.z), "r"(w.w)
                                 : "memory");
                }
            }
        }
    }
    return sum;
}

template <int TYPE, int N>
__global__ void __launch_bounds__(THREADS, 1)
    load_kernel(Load load, const uint8_t *operands, uint4 *memory, size_t units, long long ns,
                Stats *stats, uint32_t *sink) {
    extern __shared__ uint8_t raw[];
    __shared__ volatile int over[3];
    __shared__ unsigned long long first_ns;
    uint8_t *shared = (uint8_t *)(((uintptr_t)raw + 1023) / 1024 * 1024);
    int group = threadIdx.x / GROUP;
    for (int i = threadIdx.x; i < STAGES * STAGE_BYTES / 16; i += THREADS)
        ((uint4 *)shared)[i] = ((const uint4 *)operands)[i];
    if (threadIdx.x < 3)
        over[threadIdx.x] = 0;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    long long start_clock = clock64();
    unsigned long long start_ns = global_ns(), rounds = 0;
    if (threadIdx.x == 0)
        first_ns = start_ns;
    __syncthreads();
    unsigned long long end = first_ns + ns;
    uint32_t sum = 0;
    bool multiplies = TYPE != NO_TENSOR && group < 3 - load.other_groups && group < 2;
    if (multiplies) {
        if constexpr (TYPE != NO_TENSOR) {
            typename Sum<TYPE>::T d[N / 2];
            for (int i = 0; i < N / 2; i++)
                d[i] = 0;
            uint32_t base = shared_address(shared);
            for (;; rounds++) {
                asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
                for (int q = 0; q < ROUND_PRODUCTS; q++) {
                    uint32_t stage = base + q / 4 * STAGE_BYTES;
                    product<TYPE, N>(d, desc(stage + group * 8192 + q % 4 * 32),
                                     desc(stage + A_BYTES + q % 4 * 32), (rounds % 16) + q);
                }
                asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
                asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
                if (threadIdx.x % GROUP == 0 && global_ns() >= end)
                    over[group] = 1;
                if (load.pause > 0)
                    pause_for(load.pause);
                asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
                if (over[group])
                    break;
            }
            for (int i = 0; i < N / 2; i++)
                sum += (uint32_t)d[i];
            if (threadIdx.x % GROUP == 0)
                atomicAdd(&stats->product_rounds, rounds + 1);
        }
    } else {
        int edge = 0;
        bool works = load.other != NOTHING && group >= 3 - load.other_groups;
        for (;; rounds++) {
            if (blockIdx.x == 0 && threadIdx.x == 2 * GROUP && edge < EDGES) {
                unsigned long long t = global_ns();
                long long c = clock64();
                if (t - first_ns >= (unsigned long long)device_edges_us[edge] * 1000) {
                    stats->edge_clock[edge] = c;
                    stats->edge_ns[edge] = t;
                    edge++;
                }
            }
            if (works)
                sum += other_round(load.other, shared, memory, units,
                                   rounds * load.other_groups + (group - 3 + load.other_groups));
            else
                __nanosleep(300);
            if (load.other_pause > 0)
                pause_for(load.other_pause);
            if (threadIdx.x % GROUP == 0 && global_ns() >= end)
                over[group] = 1;
            asm volatile("bar.sync %0, 128;" ::"r"(group + 1) : "memory");
            if (over[group])
                break;
        }
        if (works && threadIdx.x % GROUP == 0)
            atomicAdd(&stats->other_rounds, rounds + 1);
    }
    if (sum == 0x12345678)
        *sink = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned long long cycles = clock64() - start_clock, time = global_ns() - start_ns;
        atomicAdd(&stats->cycles, cycles);
        atomicAdd(&stats->ns, time);
        atomicAdd(&stats->ctas, 1ull);
        atomicMin(&stats->least_mhz_1000, cycles * 1000000 / time);
        atomicMax(&stats->most_mhz_1000, cycles * 1000000 / time);
    }
}

typedef void (*Kernel)(Load, const uint8_t *, uint4 *, size_t, long long, Stats *, uint32_t *);
static Kernel kernel_of(int type, int columns) {
    switch (type) {
    case F16:
        return columns == 64    ? load_kernel<F16, 64>
               : columns == 128 ? load_kernel<F16, 128>
                                : load_kernel<F16, 256>;
    case BF16:
        return load_kernel<BF16, 256>;
    case TF32:
        return load_kernel<TF32, 256>;
    case E4M3:
        return load_kernel<E4M3, 256>;
    case S8:
        return load_kernel<S8, 256>;
    default:
        return load_kernel<NO_TENSOR, 256>;
    }
}

// ---- data ----

enum Data { ZEROS, SMALL, RANDOM };
static const char *const data_names[] = {"zeros", "small", "random"};

static uint32_t state = 1;
static uint32_t bits() {
    state = state * 1664525u + 1013904223u;
    uint32_t w = state;
    w ^= w >> 16;
    w *= 2246822519u;
    w ^= w >> 13;
    return w;
}
static float normal() {
    double u = (bits() + 0.5) / 4294967296.0, v = bits() / 4294967296.0;
    return (float)(sqrt(-2 * log(u)) * cos(6.283185307179586 * v));
}
static float value(int data) {
    return data == ZEROS ? 0 : data == SMALL ? (float)(int)(bits() % 7) - 3 : normal();
}
static void fill(uint8_t *to, size_t bytes, int type, int data) {
    for (size_t i = 0; i < bytes; i += type == TF32 || type == NO_TENSOR ? 4 : type >= E4M3 ? 1 : 2)
        switch (type) {
        case F16:
            *(__half *)(to + i) = __float2half(value(data));
            break;
        case BF16:
            *(__nv_bfloat16 *)(to + i) = __float2bfloat16(value(data));
            break;
        case TF32:
            *(float *)(to + i) = value(data);
            break;
        case E4M3:
            *(__nv_fp8_e4m3 *)(to + i) = __nv_fp8_e4m3(value(data));
            break;
        case S8:
            *(int8_t *)(to + i) = data == RANDOM ? (int8_t)bits() : (int8_t)value(data);
            break;
        default:
            *(uint32_t *)(to + i) = data == ZEROS ? 0 : bits();
            break;
        }
}
__global__ void fill_memory(uint32_t *memory, size_t words, int random) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    for (; i < words; i += (size_t)gridDim.x * blockDim.x) {
        uint32_t w = (uint32_t)i * 2654435761u;
        w ^= w >> 15;
        w *= 2246822519u;
        w ^= w >> 13;
        memory[i] = random ? w : 0;
    }
}

// ---- NVML ----

static double seconds() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

struct Nvml {
    void *device = nullptr;
    int (*energy)(void *, unsigned long long *) = nullptr;
    int (*limit)(void *, unsigned *) = nullptr;
    int (*clock)(void *, int, unsigned *) = nullptr;
    int (*reasons)(void *, unsigned long long *) = nullptr;
    int (*temperature)(void *, int, unsigned *) = nullptr;
    int (*fields)(void *, int, void *) = nullptr;
    bool open() {
        void *library = dlopen("libnvidia-ml.so.1", RTLD_NOW);
        if (library == nullptr)
            return false;
        auto init = (int (*)())dlsym(library, "nvmlInit_v2");
        auto find =
            (int (*)(const char *, void **))dlsym(library, "nvmlDeviceGetHandleByPciBusId_v2");
        char bus[32];
        int current;
        CHECK(cudaGetDevice(&current));
        CHECK(cudaDeviceGetPCIBusId(bus, sizeof bus, current));
        auto first = (int (*)(unsigned, void **))dlsym(library, "nvmlDeviceGetHandleByIndex_v2");
        if (init == nullptr || init() != 0)
            return false;
        if ((find == nullptr || find(bus, &device) != 0) &&
            (first == nullptr || first(0, &device) != 0))
            return false;
        energy = (decltype(energy))dlsym(library, "nvmlDeviceGetTotalEnergyConsumption");
        limit = (decltype(limit))dlsym(library, "nvmlDeviceGetEnforcedPowerLimit");
        clock = (decltype(clock))dlsym(library, "nvmlDeviceGetClockInfo");
        reasons = (decltype(reasons))dlsym(library, "nvmlDeviceGetCurrentClocksThrottleReasons");
        if (reasons == nullptr)
            reasons = (decltype(reasons))dlsym(library, "nvmlDeviceGetCurrentClocksEventReasons");
        temperature = (decltype(temperature))dlsym(library, "nvmlDeviceGetTemperature");
        fields = (decltype(fields))dlsym(library, "nvmlDeviceGetFieldValues");
        return energy && limit && clock && reasons && temperature;
    }
    // The energy counter, at a moment at which it changes: it does so every 20 to 100 ms.
    unsigned long long millijoules(double *at) {
        unsigned long long first = 0, v = 0;
        energy(device, &first);
        double start = seconds();
        do {
            std::this_thread::sleep_for(std::chrono::microseconds(500));
            energy(device, &v);
            *at = seconds();
        } while (v == first && *at - start < 0.15);
        return v;
    }
    // Watts at this moment; 0: unknown.
    double watts() {
        struct {
            unsigned id, scope;
            long long timestamp, latency;
            int type, result;
            union {
                unsigned u;
                unsigned long long all;
            } value;
        } field = {};
        field.id = 186; // NVML_FI_DEV_POWER_INSTANT
        if (fields == nullptr || fields(device, 1, &field) != 0 || field.result != 0)
            return 0;
        return field.value.u / 1000.0;
    }
    unsigned mhz(int which) { // 1: SM, 2: memory
        unsigned v = 0;
        clock(device, which, &v);
        return v;
    }
};

// ---- one record ----

static Stats *stats_device;
static uint8_t *operands;
static uint4 *memory;
static uint32_t *sink;
static const size_t dram_bytes = 2ull << 30, l2_bytes = 16ull << 20;
static int memory_random = -1;

static void prepare(const Load &load) {
    std::vector<uint8_t> host(STAGES * STAGE_BYTES);
    state = 1;
    fill(host.data(), host.size(), load.type, load.data);
    CHECK(cudaMemcpy(operands, host.data(), host.size(), cudaMemcpyHostToDevice));
    if (memory_random != (load.data != ZEROS)) {
        memory_random = load.data != ZEROS;
        fill_memory<<<1024, 256>>>((uint32_t *)memory, 2 * dram_bytes / 4, memory_random);
    }
    CHECK(cudaFuncSetAttribute(kernel_of(load.type, load.columns),
                               cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    CHECK(cudaDeviceSynchronize());
}

static void clear() {
    Stats zero = {};
    zero.least_mhz_1000 = ~0ull;
    CHECK(cudaMemcpy(stats_device, &zero, sizeof zero, cudaMemcpyHostToDevice));
}

static void launch(const Load &load, double ms) {
    size_t units = (load.other == L2 ? l2_bytes : dram_bytes) / 16;
    kernel_of(load.type, load.columns)<<<load.sms, THREADS, SHARED_BYTES>>>(
        load, operands, memory, units, (long long)(ms * 1e6), stats_device, sink);
}

static void print_load(const char *how, const Load &load) {
    printf("%s\t%s\t%d\t%s\t%d\t%d\t%s\t%d\t%d", how, type_names[load.type],
           load.type == NO_TENSOR ? 0 : load.columns, data_names[load.data], load.sms, load.pause,
           other_names[load.other], load.other_groups, load.other_pause);
}

// What one round of the other load moves, or how many instructions it has, of a warp group.
static double other_work(int other) {
    double bytes = (double)OTHER_STEPS * OTHER_LOADS * GROUP * 16;
    return other == NOTHING               ? 0
           : other == FMA || other == ALU ? OTHER_INSTRUCTIONS * 4.0
           : other == COPY                ? 2 * bytes
                                          : bytes;
}

static void print_rates(const Stats &s, const Load &load, double wall_ns) {
    double mhz = s.ns > 0 ? (double)s.cycles / (double)s.ns * 1000 : 0;
    printf("\t%.1f\t%.1f\t%.1f\t%.4f\t%.2f", mhz, s.ctas > 0 ? s.least_mhz_1000 / 1000.0 : 0,
           s.most_mhz_1000 / 1000.0, (double)s.product_rounds * ROUND_PRODUCTS / wall_ns,
           (double)s.other_rounds * other_work(load.other) / wall_ns);
}

static void sustained(Nvml &nvml, const Load &load, bool idle) {
    enum { QUEUED = 10 };
    const double ms = 20, warm = 1.0, measure = 0.7;
    prepare(load);
    Stats s = {};
    unsigned low = ~0u, high = 0, memory_mhz = 0, temperature = 0, samples = 0;
    unsigned long long reasons = 0, before = 0, after = 0;
    double start = seconds(), from = 0, until = 0, instant = 0;
    cudaEvent_t events[QUEUED];
    for (auto &event : events)
        CHECK(cudaEventCreateWithFlags(&event, cudaEventDisableTiming));
    for (int i = 0; until == 0; i++) {
        if (idle) {
            std::this_thread::sleep_for(std::chrono::milliseconds((int)ms));
        } else {
            if (i >= QUEUED)
                CHECK(cudaEventSynchronize(events[i % QUEUED]));
            launch(load, ms);
            CHECK(cudaEventRecord(events[i % QUEUED]));
        }
        double t = seconds();
        if (from == 0 && t - start >= warm) {
            if (!idle) {
                clear(); // waits for the launches before it
                for (int n = 0; n < QUEUED; n++) {
                    launch(load, ms);
                    CHECK(cudaEventRecord(events[n]));
                }
            }
            before = nvml.millijoules(&from);
        } else if (from > 0) {
            unsigned mhz = nvml.mhz(1);
            unsigned long long why = 0;
            low = std::min(low, mhz);
            high = std::max(high, mhz);
            memory_mhz = nvml.mhz(2);
            nvml.reasons(nvml.device, &why);
            reasons |= why;
            instant += nvml.watts();
            samples++;
            if (t - from >= measure)
                after = nvml.millijoules(&until);
        }
    }
    nvml.temperature(nvml.device, 0, &temperature);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(&s, stats_device, sizeof s, cudaMemcpyDeviceToHost));
    if (idle)
        s = {};
    double wall_ns = s.ctas > 0 ? (double)s.ns / load.sms : 1;
    print_load(idle ? "idle" : "sustained", load);
    print_rates(s, load, wall_ns);
    printf("\t%.1f\t%.1f\t%u-%u\t%u\t%u\t0x%llx", (double)(after - before) / 1000 / (until - from),
           samples > 0 ? instant / samples : 0, low, high, memory_mhz, temperature, reasons);
    for (int i = 0; i + 1 < EDGES; i++)
        printf("\t-");
    printf("\n");
    fflush(stdout);
    for (auto &event : events)
        CHECK(cudaEventDestroy(event));
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

static void single(const Load &load, double ms) {
    enum { TIMES = 3 };
    prepare(load);
    Stats all[TIMES];
    std::vector<double> mhz[EDGES];
    for (auto &s : all) {
        clear();
        std::this_thread::sleep_for(std::chrono::milliseconds(60));
        launch(load, ms);
        CHECK(cudaDeviceSynchronize());
        CHECK(cudaMemcpy(&s, stats_device, sizeof s, cudaMemcpyDeviceToHost));
        for (int i = 0; i + 1 < EDGES; i++)
            if (s.edge_ns[i + 1] > s.edge_ns[i] && s.edge_ns[i] > 0)
                mhz[i].push_back((double)(s.edge_clock[i + 1] - s.edge_clock[i]) /
                                 (double)(s.edge_ns[i + 1] - s.edge_ns[i]) * 1000);
    }
    const Stats &s = all[1];
    print_load("single", load);
    double wall_ns = (double)s.ns / (double)s.ctas;
    print_rates(s, load, wall_ns);
    printf("\t-\t-\t-\t-\t-\t-");
    for (int i = 0; i + 1 < EDGES; i++) {
        std::sort(mhz[i].begin(), mhz[i].end());
        if (mhz[i].empty())
            printf("\t-");
        else
            printf("\t%.0f", mhz[i][mhz[i].size() / 2]);
    }
    printf("\n");
    fflush(stdout);
}

static int drawn(int below) {
    return (int)(bits() % (uint32_t)below);
}

// Half of the loads are products alone, on all SMs in most; others have a load of memory or of
// instructions beside them, or no products.
static Load draw(int sms) {
    const int pauses[] = {0, 0, 0, 1500, 4500}, columns[] = {256, 128, 64},
              types[] = {F16, F16, F16, BF16, TF32, E4M3, S8},
              others[] = {FMA, ALU, SHARED, L2, DRAM, COPY, WRITE};
    Load load = {types[drawn(7)],
                 256,
                 drawn(3) == 0   ? SMALL
                 : drawn(3) == 0 ? ZEROS
                                 : RANDOM,
                 sms,
                 pauses[drawn(5)],
                 NOTHING,
                 1,
                 0};
    if (load.type == F16)
        load.columns = columns[drawn(3)];
    if (drawn(3) == 0)
        load.sms = 4 + drawn(sms - 4);
    int kind = drawn(4);
    if (kind >= 2)
        load.other = others[drawn(7)];
    if (kind == 3) {
        load.type = NO_TENSOR;
        load.columns = 256;
        load.pause = 0;
        load.other_groups = 3;
    }
    if (load.other != NOTHING && drawn(2) == 0)
        load.other_pause = drawn(8000);
    return load;
}

int main(int argc, char **argv) {
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    int sms = properties.multiProcessorCount;
    CHECK(cudaMalloc(&stats_device, sizeof(Stats)));
    CHECK(cudaMalloc(&operands, STAGES * STAGE_BYTES));
    CHECK(cudaMalloc(&memory, 2 * dram_bytes));
    CHECK(cudaMalloc(&sink, 4));
    CHECK(cudaMemcpyToSymbol(device_edges_us, edges_us, sizeof edges_us));
    Nvml nvml;
    if (!nvml.open()) {
        fprintf(stderr, "clocks: no NVML\n");
        return 1;
    }
    unsigned limit = 0;
    nvml.limit(nvml.device, &limit);
    fprintf(stderr, "# %s, cap %.0f W\n", properties.name, limit / 1000.0);
    printf(
        "how\ttype\tcolumns\tdata\tsms\tpause\tother\tother_groups\tother_pause\tmhz\tleast_mhz\t"
        "most_mhz\tproducts_per_ns\tother_per_ns\twatts\twatts_instant\tnvml_mhz\tmemory_"
        "mhz\tcelsius\treasons");
    for (int i = 0; i + 1 < EDGES; i++)
        printf("\tf_%d", edges_us[i]);
    printf("\n");

    std::vector<Load> loads;
    if (argc == 3) {
        state = (uint32_t)strtoul(argv[1], nullptr, 10);
        for (int i = atoi(argv[2]); i > 0; i--)
            loads.push_back(draw(sms));
        for (const Load &load : loads)
            single(load, 31);
        for (const Load &load : loads)
            sustained(nvml, load, false);
        return 0;
    }
    const Load none = {NO_TENSOR, 256, RANDOM, sms, 0, NOTHING, 1, 0};
    const int pauses[] = {1500, 4500, 14000}; // about 75, 50 and 25 % of the time for two groups
    for (int data : {RANDOM, SMALL, ZEROS}) {
        loads.push_back({F16, 256, data, sms, 0, NOTHING, 1, 0});
        for (int pause : pauses)
            loads.push_back({F16, 256, data, sms, pause, NOTHING, 1, 0});
        for (int type : {BF16, TF32, E4M3, S8})
            loads.push_back({type, 256, data, sms, 0, NOTHING, 1, 0});
    }
    for (int data : {RANDOM, ZEROS}) {
        for (int columns : {128, 64})
            loads.push_back({F16, columns, data, sms, 0, NOTHING, 1, 0});
        for (int count : {sms / 2, sms / 8})
            loads.push_back({F16, 256, data, count, 0, NOTHING, 1, 0});
        for (int other : {SHARED, L2, DRAM, COPY})
            loads.push_back({NO_TENSOR, 256, data, sms, 0, other, 3, 0});
        for (int other : {L2, DRAM})
            loads.push_back({F16, 256, data, sms, 0, other, 1, 0});
    }
    for (int other : {FMA, ALU, WRITE})
        loads.push_back({NO_TENSOR, 256, RANDOM, sms, 0, other, 3, 0});
    for (int type : {TF32, E4M3, S8})
        loads.push_back({type, 256, RANDOM, sms, 4500, NOTHING, 1, 0});
    for (int other : {SHARED, FMA})
        loads.push_back({F16, 256, RANDOM, sms, 0, other, 1, 0});
    loads.push_back({F16, 256, RANDOM, sms, 4500, DRAM, 1, 0});
    loads.push_back({NO_TENSOR, 256, RANDOM, sms, 0, L2, 3, 6000});
    loads.push_back({NO_TENSOR, 256, RANDOM, sms, 0, DRAM, 3, 30000});

    sustained(nvml, none, true);
    // One launch, before anything is hot.
    for (const Load &load : loads)
        single(load, 31);
    for (int data : {RANDOM, ZEROS})
        for (int count : {1, 2, 4, 8, 10, 12, 14, 16, 18, 20, 24, 32, 48, 96})
            single({F16, 256, data, count, 0, NOTHING, 1, 0}, 1.1);
    for (int pause : {30000, 60000, 120000})
        for (int data : {RANDOM, ZEROS})
            single({F16, 256, data, sms, pause, NOTHING, 1, 0}, 31);
    sustained(nvml, none, false);
    for (const Load &load : loads)
        sustained(nvml, load, false);
    sustained(nvml, none, true);
}
