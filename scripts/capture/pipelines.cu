/* Takes records of kernels with roles on a GPU, in the form of tests/hardware/h200/pipelines.tsv:
 *
 *   capture-pipelines SCENARIOS.tsv [--repeats N] [--once] > RECORDS.tsv
 *
 * SCENARIOS.tsv has the columns `name` and `scenario`. Other columns are ignored, so that a file of
 * records can be measured again. sim/records/pipeline_record.c says what the words of a scenario
 * mean for the kernel.
 *
 * --repeats  launches of each row; the record is of the launch with the median time (default: 5)
 * --once     one launch of each row, with cold caches, for a profiler that counts its traffic
 */
#include <algorithm>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "ptx.cuh"
#include "read_all.cuh"
#include "scenario.h"
#include "wgmma.cuh"

enum { MOST_STAGES = 16, MOST_WARPS = 8, ELEMENT_BYTES = 2, STORE_COLUMNS = 64, MMA_ROWS = 64 };
enum { SETTLE_CYCLES = 4000, TIMED_CTAS = 4096 };
static const size_t tensor_bytes = size_t(3) << 30, flush_bytes = size_t(512) << 20;

/* What the kernel needs to know of a scenario. */
struct work {
    int loads, store, depth, steps, tiles, tiles_m, tiles_n, order, compute, epilogue;
    int bm, bn, bk, cluster, warps;
    uint32_t stage_bytes, a_bytes, b_bytes, b_offset, output_offset;
};

/* The times of one CTA. */
struct cta_times {
    uint64_t cycles; /* first wait to the end of the last consumer */
    uint64_t start_ns, end_ns;
};

static void check(cudaError_t code, const std::string &where) {
    if (code != cudaSuccess)
        die(where + ": " + cudaGetErrorString(code));
}

/* The place of output tile `tile`: m fastest, n fastest, or in groups along m. */
static __device__ void place(const work &work, int tile, int &m, int &n) {
    if (work.order == 0) {
        m = tile % work.tiles_m;
        n = tile / work.tiles_m;
    } else {
        int group = work.order * work.tiles_n, first = tile / group * work.order;
        int rows = min(work.tiles_m - first, work.order), rest = tile % group;
        m = first + rest % rows;
        n = rest / rows;
    }
}

/* A stage of the ring, which goes round. What a step needs of it is in registers, so that a step
 * has as few instructions as it can: its time is that of the kernel wherever nothing else limits
 * it. */
struct stage {
    const uint32_t first, bytes, count;
    uint32_t index, parity, address;
    __device__ stage(uint32_t base, const work &work)
        : first(base), bytes(work.stage_bytes), count(uint32_t(work.depth)), index(0), parity(0),
          address(base) {}
    __device__ void next() {
        index++;
        address += bytes;
        if (index == count) {
            index = 0;
            parity ^= 1;
            address = first;
        }
    }
};

/* One thread fills the ring. In a cluster with multicast, each CTA loads its part of B for all. */
template <bool SHARED>
static __device__ void produce(const CUtensorMap &a, const CUtensorMap &b, const work &work,
                               uint32_t base, uint32_t full, uint32_t empty, uint32_t rank) {
    const int part_rows = SHARED ? work.bn / work.cluster : 0;
    const int steps = work.steps, columns = work.bk, tiles = work.tiles, jump = gridDim.x;
    const uint32_t b_offset = work.b_offset + (SHARED ? rank * (work.b_bytes / work.cluster) : 0);
    const uint32_t bytes = work.a_bytes + work.b_bytes;
    const uint16_t mask = uint16_t((1 << work.cluster) - 1);
    const bool two = work.loads > 1;
    stage at(base, work);
    for (int tile = blockIdx.x; tile < tiles; tile += jump) {
        int m, n;
        place(work, tile, m, n);
        int a_row = m * work.bm, b_row = n * work.bn + int(rank) * part_rows, column = 0;
#pragma unroll 1
        for (int k = 0; k < steps; k++, column += columns) {
            uint32_t barrier = full + 8 * at.index;
            wait(empty + 8 * at.index, at.parity ^ 1);
            expect(barrier, bytes);
            load(&a, column, a_row, at.address, barrier);
            if (two && SHARED)
                load_for_all(&b, column, b_row, at.address + b_offset, barrier, mask);
            else if (two)
                load(&b, column, b_row, at.address + b_offset, barrier);
            at.next();
        }
    }
}

/* The consumer warps: each lane that is named arrives, in its own CTA or in that of its number. */
template <bool SHARED>
static __device__ void release(uint32_t barrier, uint32_t lane, int cluster) {
    if (SHARED && lane < uint32_t(cluster))
        arrive_at(barrier, lane);
    else if (!SHARED && lane == 0)
        arrive(barrier);
}

/* The end of an output tile: cycles, then the store of the tile by one thread. */
template <int STORES>
static __device__ void end_tile(const CUtensorMap &c, const work &work, uint32_t base, int m,
                                int n) {
    if (work.epilogue > 0) {
        spin(work.epilogue);
        __syncwarp();
    }
    if (STORES != 1)
        return;
    asm volatile("bar.sync 1, %0;" ::"r"(work.warps * 32) : "memory");
    if (threadIdx.x == 0) {
        wait_until_read();
        for (int j = 0; j < work.bn / STORE_COLUMNS; j++)
            store(&c, n * work.bn + j * STORE_COLUMNS, m * work.bm,
                  base + work.output_offset + j * work.bm * STORE_COLUMNS * ELEMENT_BYTES);
        commit_group();
    }
    __syncwarp();
}

/* With N columns, warp groups multiply, leave one group in flight, and release the stage before. */
template <int N, int STORES, bool SHARED>
static __device__ float multiply(const CUtensorMap &c, const work &work, uint32_t base,
                                 uint32_t full, uint32_t empty, uint32_t warp, uint32_t lane) {
    float sums[N / 2];
    const uint32_t rows = warp / 4 * MMA_ROWS * work.bk * ELEMENT_BYTES, b_offset = work.b_offset;
    const int steps = work.steps, tiles = work.tiles, jump = gridDim.x, cluster = work.cluster;
    uint32_t before = 0;
    stage at(base, work);
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        sums[i] = 0;
    for (int tile = blockIdx.x; tile < tiles; tile += jump) {
        int m, n;
        place(work, tile, m, n);
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
            wait(full + 8 * at.index, at.parity);
            uint64_t a = desc(at.address + rows), b = desc(at.address + b_offset);
            asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
            for (int part = 0; part < 4; part++)
                wgmma<N>(sums, a + 2 * part, b + 2 * part);
            asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
            asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
            if (k > 0)
                release<SHARED>(empty + 8 * before, lane, cluster);
            before = at.index;
            at.next();
        }
        asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
        release<SHARED>(empty + 8 * before, lane, cluster);
        end_tile<STORES>(c, work, base, m, n);
    }
    float sum = 0;
#pragma unroll
    for (int i = 0; i < N / 2; i++)
        sum += sums[i];
    return sum;
}

/* Without products, each warp spins. A copy stores each stage from the stage itself. */
template <int STORES, bool SHARED>
static __device__ void spend(const CUtensorMap &c, const work &work, uint32_t base, uint32_t full,
                             uint32_t empty, uint32_t lane) {
    const int steps = work.steps, tiles = work.tiles, jump = gridDim.x, cluster = work.cluster;
    const int compute = work.compute, columns = work.bk;
    stage at(base, work);
    for (int tile = blockIdx.x; tile < tiles; tile += jump) {
        int m, n;
        place(work, tile, m, n);
#pragma unroll 1
        for (int k = 0; k < steps; k++) {
            wait(full + 8 * at.index, at.parity);
            if (compute > 0)
                spin(uint32_t(compute));
            if (STORES == 2 && lane == 0) {
                store(&c, k * columns, m * work.bm, at.address);
                commit_group();
                wait_until_read();
            }
            release<SHARED>(empty + 8 * at.index, lane, cluster);
            __syncwarp();
            at.next();
        }
        end_tile<STORES>(c, work, base, m, n);
    }
}

static __device__ void synchronise_cluster() {
    asm volatile("barrier.cluster.arrive; barrier.cluster.wait;" ::: "memory");
}

template <int N, int STORES, bool SHARED>
static __global__ void __launch_bounds__((MOST_WARPS + 1) * 32)
    pipeline(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
             const __grid_constant__ CUtensorMap c, const __grid_constant__ work work,
             cta_times *times, float *sink) {
    extern __shared__ uint8_t raw[];
    __shared__ __align__(8) uint64_t full[MOST_STAGES], empty[MOST_STAGES];
    __shared__ unsigned long long begin, end;
    __shared__ int done;
    uint32_t base = (shared_address(raw) + 1023u) & ~1023u, rank = 0;
    uint64_t start_ns = global_ns();
    if (work.cluster > 1)
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    if (threadIdx.x == 0) {
        for (int i = 0; i < work.depth; i++) {
            init(shared_address(&full[i]), 1);
            init(shared_address(&empty[i]), work.warps * (SHARED ? work.cluster : 1));
        }
        fence_init();
        end = 0;
        done = 0;
        for (const CUtensorMap *map : {&a, &b, &c})
            asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
        spin(SETTLE_CYCLES); /* the maps are there, and all CTAs have started */
    }
    __syncthreads();
    if (work.cluster > 1)
        synchronise_cluster();
    if (threadIdx.x == 0)
        begin = clock64();
    __syncthreads();
    uint32_t warp = __shfl_sync(0xffffffff, threadIdx.x / 32, 0), lane = threadIdx.x % 32;
    if (warp == uint32_t(work.warps)) {
        if (lane == 0)
            produce<SHARED>(a, b, work, base, shared_address(full), shared_address(empty), rank);
    } else {
        if constexpr (N > 0) {
            float sum = multiply<N, STORES, SHARED>(c, work, base, shared_address(full),
                                                    shared_address(empty), warp, lane);
            if (work.steps < 0) /* never; but the products are needed, whatever they are of */
                *sink = sum;
        } else {
            spend<STORES, SHARED>(c, work, base, shared_address(full), shared_address(empty), lane);
        }
        if (STORES > 0)
            wait_until_written();
        if (lane == 0) {
            atomicMax(&end, (unsigned long long)clock64());
            __threadfence_block();
            if (atomicAdd(&done, 1) == work.warps - 1)
                times[blockIdx.x] = {*(volatile unsigned long long *)&end - begin, start_ns,
                                     global_ns()};
        }
    }
    /* Lanes of the producer's warp that waited here for the first one would slow it down. */
    if (work.cluster > 1) {
        __syncwarp();
        synchronise_cluster();
    }
}

typedef void (*kernel)(const CUtensorMap, const CUtensorMap, const CUtensorMap, const work,
                       cta_times *, float *);

template <int N> static kernel choose(int stores, bool shared) {
    if (stores == 2)
        return pipeline<0, 2, false>;
    if (stores == 1)
        return shared ? pipeline<N, 1, true> : pipeline<N, 1, false>;
    return shared ? pipeline<N, 0, true> : pipeline<N, 0, false>;
}

static kernel choose_kernel(const scenario &scenario, bool shared) {
    auto stores = int(scenario.number("store"));
    switch (scenario.number("mma")) {
    case 0:
        return choose<0>(stores, shared);
    case 64:
        return choose<64>(stores, shared);
    case 128:
        return choose<128>(stores, shared);
    case 256:
        return choose<256>(stores, shared);
    default:
        die(scenario.name + ": mma is not 0, 64, 128 or 256");
        return nullptr;
    }
}

static uint32_t align(uint32_t bytes) {
    return (bytes + 1023) / 1024 * 1024;
}

static work read_work(const scenario &scenario) {
    auto number = [&](const char *key, int fallback) {
        return int(scenario.number(key, fallback));
    };
    work work = {};
    work.loads = number("loads", 2);
    work.store = number("store", 0);
    work.depth = number("depth", 4);
    work.steps = number("ktiles", 16);
    work.tiles_m = number("tm", 8);
    work.tiles_n = number("tn", 8);
    work.tiles = work.tiles_m * work.tiles_n;
    work.order = number("order", 0);
    work.compute = number("compute", 0);
    work.epilogue = number("epi", 0);
    work.bm = number("bm", 128);
    work.bn = number("bn", 128);
    work.bk = number("bk", 64);
    work.cluster = number("cluster", 1);
    work.warps = number("mma", 0) > 0 ? work.bm / MMA_ROWS * 4 : number("warps", 4);
    work.a_bytes = work.bm * work.bk * ELEMENT_BYTES;
    work.b_bytes = work.loads > 1 ? work.bn * work.bk * ELEMENT_BYTES : 0;
    work.b_offset = align(work.a_bytes);
    work.stage_bytes = work.b_offset + align(work.b_bytes);
    work.output_offset = work.depth * work.stage_bytes;
    if (work.depth < 1 || work.depth > MOST_STAGES || work.warps < 1 || work.warps > MOST_WARPS)
        die(scenario.name + ": depth is not 1 to 16, or there are not 1 to 8 consumer warps");
    return work;
}

static CUtensorMap encode(const scenario &scenario, uint8_t *tensor, uint64_t columns,
                          uint64_t rows, uint32_t box_columns, uint32_t box_rows) {
    CUtensorMap map;
    cuuint64_t dim[2] = {columns, rows}, stride[1] = {columns * ELEMENT_BYTES};
    cuuint32_t box[2] = {box_columns, box_rows}, element_stride[2] = {1, 1};
    CUtensorMapSwizzle swizzle = box_columns == 64   ? CU_TENSOR_MAP_SWIZZLE_128B
                                 : box_columns == 32 ? CU_TENSOR_MAP_SWIZZLE_64B
                                                     : CU_TENSOR_MAP_SWIZZLE_32B;
    if (columns * rows * ELEMENT_BYTES > tensor_bytes ||
        cuTensorMapEncodeTiled(&map, CU_TENSOR_MAP_DATA_TYPE_FLOAT16, 2, tensor, dim, stride, box,
                               element_stride, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                               CUtensorMapL2promotion(scenario.number("l2", 3)),
                               CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS)
        die(scenario.name + ": a tensor map is not legal, or its tensor too large");
    return map;
}

/* Shared memory so that an SM has room for `per_sm` CTAs, and no more. */
static size_t shared_bytes(const scenario &scenario, const work &work) {
    size_t per_sm = size_t(scenario.number("per_sm", 1));
    size_t needed = size_t(work.output_offset) + 1024 +
                    (work.store == 1 ? size_t(work.bm) * work.bn * ELEMENT_BYTES : 0);
    size_t share = per_sm == 1 ? 130 * 1024 : (227 * 1024 / per_sm - 2048) / 128 * 128;
    return std::max(needed, share);
}

struct device {
    uint8_t *tensors, *flush;
    cta_times *times;
    float *sink;
};

static device prepare() {
    device device;
    check(cudaMalloc(&device.tensors, 3 * tensor_bytes), "tensors");
    check(cudaMalloc(&device.flush, flush_bytes), "flush");
    check(cudaMalloc(&device.times, TIMED_CTAS * sizeof(cta_times)), "times");
    check(cudaMalloc(&device.sink, sizeof(float)), "sink");
    check(cudaMemset(device.tensors, 0, 3 * tensor_bytes), "tensors");
    check(cudaMemset(device.flush, 1, flush_bytes), "flush");
    return device;
}

/* One launch: cycles of the CTAs, sorted. */
struct launch {
    std::vector<uint64_t> cycles;
    uint64_t span_ns;
    uint64_t median() const {
        return cycles[cycles.size() / 2];
    }
};

static launch launch_once(const scenario &scenario, const device &device, const work &work,
                          kernel kernel, const CUtensorMap maps[3], size_t shared, bool cold) {
    auto grid = unsigned(scenario.number("grid", 132));
    if (cold)
        read_all<<<1056, 512>>>((const uint4 *)device.flush, flush_bytes / sizeof(uint4),
                                (uint32_t *)device.sink);
    cudaLaunchAttribute cluster = {};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = unsigned(work.cluster);
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = unsigned(work.warps + 1) * 32;
    config.dynamicSmemBytes = shared;
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaLaunchKernelEx(&config, kernel, maps[0], maps[1], maps[2], work, device.times,
                             device.sink),
          scenario.name);
    check(cudaDeviceSynchronize(), scenario.name);
    std::vector<cta_times> times(grid);
    check(cudaMemcpy(times.data(), device.times, grid * sizeof(cta_times), cudaMemcpyDeviceToHost),
          scenario.name);
    launch launch;
    uint64_t first = UINT64_MAX, last = 0;
    for (const cta_times &cta : times) {
        launch.cycles.push_back(cta.cycles);
        first = std::min(first, cta.start_ns);
        last = std::max(last, cta.end_ns);
    }
    std::sort(launch.cycles.begin(), launch.cycles.end());
    launch.span_ns = last - first;
    return launch;
}

static void print_record(const scenario &scenario, std::vector<launch> launches) {
    std::sort(launches.begin(), launches.end(),
              [](const launch &a, const launch &b) { return a.median() < b.median(); });
    const launch &chosen = launches[launches.size() / 2];
    double spread =
        double(launches.back().median() - launches.front().median()) / double(chosen.median());
    printf("%s\t%llu\t%llu\t%llu\t%llu\t%.3f\t0\t0\t0\t0\t%s\n", scenario.name.c_str(),
           (unsigned long long)chosen.cycles.front(), (unsigned long long)chosen.median(),
           (unsigned long long)chosen.cycles.back(), (unsigned long long)chosen.span_ns, spread,
           scenario.text.c_str());
    fflush(stdout);
}

static void take(const scenario &scenario, const device &device, int repeats, bool once) {
    work work = read_work(scenario);
    bool shared_loads = scenario.number("mc") != 0;
    auto k = uint64_t(work.steps) * work.bk, m = uint64_t(work.tiles_m) * work.bm,
         n = uint64_t(work.tiles_n) * work.bn;
    uint32_t b_rows = uint32_t(shared_loads ? work.bn / work.cluster : work.bn);
    uint8_t *c = device.tensors + 2 * tensor_bytes;
    CUtensorMap maps[3] = {
        encode(scenario, device.tensors, k, m, uint32_t(work.bk), uint32_t(work.bm)),
        encode(scenario, device.tensors + tensor_bytes, k, n, uint32_t(work.bk), b_rows),
        work.store == 1 ? encode(scenario, c, n, m, STORE_COLUMNS, uint32_t(work.bm))
                        : encode(scenario, c, k, m, uint32_t(work.bk), uint32_t(work.bm))};
    kernel kernel = choose_kernel(scenario, shared_loads);
    size_t shared = shared_bytes(scenario, work);
    int ctas = 0, per_sm = int(scenario.number("per_sm", 1));
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
          scenario.name);
    check(
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&ctas, kernel, (work.warps + 1) * 32, shared),
        scenario.name);
    if (ctas != per_sm)
        die(scenario.name + ": " + std::to_string(ctas) + " CTAs fit on an SM, not per_sm");
    if (scenario.number("grid", 132) > TIMED_CTAS)
        die(scenario.name + ": grid is larger than 4096");
    bool cold = once || scenario.number("cold") != 0;
    std::vector<launch> launches;
    if (!once)
        launch_once(scenario, device, work, kernel, maps, shared, cold);
    for (int i = 0; i < (once ? 1 : repeats); i++)
        launches.push_back(launch_once(scenario, device, work, kernel, maps, shared, cold));
    print_record(scenario, launches);
}

int main(int count, char **arguments) {
    const char *path = nullptr;
    int repeats = 5;
    bool once = false;
    for (int i = 1; i < count; i++)
        if (!strcmp(arguments[i], "--repeats") && i + 1 < count)
            repeats = atoi(arguments[++i]);
        else if (!strcmp(arguments[i], "--once"))
            once = true;
        else
            path = arguments[i];
    if (!path || repeats < 1)
        die("usage: capture-pipelines SCENARIOS.tsv [--repeats N] [--once]");
    std::vector<scenario> scenarios = read_scenarios(path);
    device device = prepare();
    printf("name\tcycles_min\tcycles_med\tcycles_max\tspan_ns\trepeat_spread\tdram_read_cold\t"
           "dram_write_cold\tl2_requests_cold\tl2_sectors_cold\tscenario\n");
    for (const scenario &scenario : scenarios)
        take(scenario, device, repeats, once);
}
