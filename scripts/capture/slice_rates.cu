/* Measures one slice of L2 in each partition:
 *
 *   capture-slice-rates rates > slice_rates.tsv
 *   capture-slice-rates misses > slice_misses.tsv
 *   capture-slice-rates conflicts > slice_conflicts.tsv
 *
 * `rates`: how long a slice takes for an operation, while all SMs load, store or reduce rows of
 * `row_bytes` from byte `offset` of lines of one slice, whose home is one partition. Each warp has
 * a line of its own, which L2 holds, and makes one operation after the other; or `sharing` warps
 * use the same line at the same time: `of` one SM (sm), one each of the SMs of a TPC (tpc), of SMs
 * of several TPCs of a GPC (tpcs), or of all SMs of these (gpc). `promotion` is that of the tensor
 * map, in bytes. `sms` make `operations` in 30000 cycles, in both partitions; the median of three
 * launches.
 *
 * `misses`: how long loads of lines that L2 holds take while `loads` lines of the same slice, which
 * L2 lacks, are on their way at any time, half of them to each partition. The median of all loads
 * of 12 SMs in six launches, and the first and last tenth.
 *
 * `conflicts`: how long a slice takes for loads of 32 bytes, `share` in 256 of which are of one of
 * `hot` lines, and the others of one of 2048 lines, at random, as is the sector. All warps of all
 * SMs make `operations` in 30000 cycles, in both partitions; the median of three launches. */
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <cuda.h>
#include <cuda_runtime.h>

#include "lines.cuh"
#include "ptx.cuh"
#include "random.cuh"
#include "read_all.cuh"
#include "slice_lines.cuh"

static const uint64_t buffer_bytes = uint64_t(4) << 30, flush_bytes = 512 << 20;
static const uint32_t line_bytes = 128, slice = 5, home = 0, warps = 16, element_bytes = 4;
static const uint32_t cold_lines = 65536, cool_lines = 2048, most_hot = 64, readers = 12,
                      whole_sm = 200 << 10, stage_bytes = line_bytes;
static const uint32_t warm_up = 10000, window = 30000, launches = 6, most_results = 1 << 14;
static const uint32_t pages = 400; /* of 2 MiB, with all lines */

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-slice-rates: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

enum operation { LOAD, STORE, REDUCE };

struct device {
    char *buffer;
    uint32_t *lines;   /* of the slice */
    uint32_t *arrived; /* CTAs that have begun */
    uint32_t *results, *sink;
    unsigned sms;
};

/* All CTAs go on at about the same time. */
static __device__ void wait_for_all(uint32_t *arrived) {
    atomicAdd(arrived, 1);
    while (load_word((const char *)arrived) < gridDim.x)
        spin(200);
}

/* The SM finds the translations of all addresses in its caches, or in those of its GPC. */
static __device__ void touch_pages(const char *buffer, uint32_t *sink) {
    uint32_t sum = 0;
    for (uint32_t page = threadIdx.x; page < pages; page += blockDim.x)
        sum += load_word(buffer + (uint64_t(page) << 21));
    if (sum != 0)
        *sink = sum;
}

/* Who share a line: warps of one SM, the two SMs of a TPC, one SM each of several TPCs of a GPC, or
 * all SMs of these. */
enum sharers { OF_SM, OF_TPC, OF_TPCS, OF_GPC };

/* One row of a line, and how many warps share it. */
struct access {
    operation operation;
    uint32_t row_bytes, offset, promotion, sharing;
    sharers of;
};

/* CTAs of a cluster, which follow each other; those of two SMs of a TPC, too. */
static __device__ __host__ uint32_t cluster_size(const access &access) {
    return access.of == OF_SM ? 1 : access.of == OF_TPCS ? 2 * access.sharing : access.sharing;
}

/* The line of a warp, or of all that share it. */
static __device__ uint32_t line_number(const access &access, uint32_t warp) {
    uint32_t cluster = blockIdx.x / cluster_size(access);
    if (access.of == OF_SM)
        return (blockIdx.x * warps + warp) / access.sharing;
    if (access.of == OF_TPCS)
        return (2 * cluster + blockIdx.x % 2) * warps + warp;
    return cluster * warps + warp;
}

/* Makes the barriers of a CTA's warps. All CTAs go on at about the same time, cycle *begin. */
static __device__ void begin_together(const device &device, uint64_t *barriers, uint32_t *begin) {
    touch_pages(device.buffer, device.sink);
    if (threadIdx.x == 0) {
        for (uint32_t i = 0; i < warps; i++)
            init(shared_address(&barriers[i]), 1);
        fence_init();
        fence_async();
        wait_for_all(device.arrived);
        *begin = clock_now();
    }
    __syncthreads();
}

/* results[CTA]: operations that ended within the window. */
__global__ static void take_rate(const __grid_constant__ CUtensorMap map, access access,
                                 device device) {
    __shared__ alignas(128) char stages[warps][stage_bytes];
    __shared__ alignas(8) uint64_t barriers[warps];
    __shared__ uint32_t begin;
    uint32_t warp = threadIdx.x / 32, parity = 0, ended = 0;
    uint32_t to = shared_address(stages[warp]), barrier = shared_address(&barriers[warp]);
    begin_together(device, barriers, &begin);
    if (threadIdx.x % 32 != 0)
        return;
    int x = int(access.offset / element_bytes), y = int(device.lines[line_number(access, warp)]);
    while (clock_now() - begin < warm_up + window) {
        if (access.operation == LOAD) {
            expect(barrier, access.row_bytes);
            load(&map, x, y, to, barrier);
            wait(barrier, parity);
            parity ^= 1;
        } else {
            access.operation == STORE ? store(&map, x, y, to) : reduce(&map, x, y, to);
            commit_group();
            wait_until_read();
        }
        uint32_t now = clock_now() - begin;
        ended += now >= warm_up && now < warm_up + window;
    }
    wait_until_written();
    atomicAdd(&device.results[blockIdx.x], ended);
}

/* results[CTA]: loads that ended within the window. */
__global__ static void load_at_random(const __grid_constant__ CUtensorMap map, uint32_t hot,
                                      uint32_t share, device device) {
    __shared__ alignas(128) char stages[warps][stage_bytes];
    __shared__ alignas(8) uint64_t barriers[warps];
    __shared__ uint32_t begin;
    const uint32_t bytes = 32, warp = threadIdx.x / 32;
    uint32_t parity = 0, ended = 0, state = (blockIdx.x * warps + warp) * 2654435761u + 1;
    uint32_t to = shared_address(stages[warp]), barrier = shared_address(&barriers[warp]);
    begin_together(device, barriers, &begin);
    if (threadIdx.x % 32 != 0)
        return;
    while (clock_now() - begin < warm_up + window) {
        bool is_hot = random_below(&state, 256) < share;
        uint32_t line = is_hot ? random_below(&state, hot) : hot + random_below(&state, cool_lines);
        uint32_t sector = random_below(&state, line_bytes / bytes);
        expect(barrier, bytes);
        load(&map, int(sector * bytes / element_bytes), int(device.lines[line]), to, barrier);
        wait(barrier, parity);
        parity ^= 1;
        uint32_t now = clock_now() - begin;
        ended += now >= warm_up && now < warm_up + window;
    }
    atomicAdd(&device.results[blockIdx.x], ended);
}

/* CTAs from `readers` on load lines that L2 lacks, each warp below `loaders` one after the other.
 * A warp of each of the first CTAs loads a line that L2 holds, from time to time, and adds the
 * cycles of each load to `results`, a list whose length is results[0]. */
__global__ static void take_misses(const __grid_constant__ CUtensorMap map, uint32_t loaders,
                                   device device) {
    __shared__ alignas(128) char stages[warps][stage_bytes];
    __shared__ alignas(8) uint64_t barriers[warps];
    __shared__ uint32_t begin;
    const uint32_t bytes = 32, warp = threadIdx.x / 32;
    uint32_t to = shared_address(stages[warp]), barrier = shared_address(&barriers[warp]);
    begin_together(device, barriers, &begin);
    bool reads = blockIdx.x < readers;
    if (threadIdx.x % 32 != 0 || warp >= (reads ? 1 : loaders))
        return;
    uint32_t turn = (gridDim.x - readers) * loaders, parity = 0;
    uint32_t next = reads ? cold_lines + blockIdx.x : (blockIdx.x - readers) * loaders + warp;
    while (clock_now() - begin < warm_up + window && next < cold_lines + readers) {
        uint32_t start = clock_now();
        expect(barrier, bytes);
        load(&map, 0, int(device.lines[next]), to, barrier);
        wait(barrier, parity);
        parity ^= 1;
        uint32_t cycles = clock_now() - start;
        next += reads ? 0 : turn;
        if (!reads)
            continue;
        if (start - begin >= warm_up)
            device.results[1 + atomicAdd(device.results, 1)] = cycles;
        spin(300 + start % 256);
    }
}

/* L2 holds nothing of the slice's lines. */
static void flush(const device &device) {
    const char *end = device.buffer + buffer_bytes - flush_bytes;
    read_all<<<8 * device.sms, 256>>>((const uint4 *)end, flush_bytes / sizeof(uint4), device.sink);
}

static CUtensorMap rows_of(const device &device, uint32_t row_bytes, uint32_t promotion) {
    CUtensorMap map;
    CUresult code = encode_lines(&map, device.buffer, buffer_bytes / line_bytes, row_bytes,
                                 promotion == 256   ? CU_TENSOR_MAP_L2_PROMOTION_L2_256B
                                 : promotion == 128 ? CU_TENSOR_MAP_L2_PROMOTION_L2_128B
                                                    : CU_TENSOR_MAP_L2_PROMOTION_NONE);
    check(code == CUDA_SUCCESS ? cudaSuccess : cudaErrorInvalidValue, "tensor map");
    return map;
}

/* Lines of the slice. `even`: only those that begin a block of 256 bytes. */
static void choose_lines(const device &device, bool even, uint32_t count) {
    std::vector<uint32_t> chosen;
    for (uint32_t unit = first_unit(); chosen.size() < count; unit++)
        for (uint32_t k = 0; k < unit_lines; k++) {
            uint32_t line = line_of(home, slice, unit, k);
            if (!even || line % 2 == 0)
                chosen.push_back(line);
        }
    check(cudaMemcpy(device.lines, chosen.data(), count * sizeof(uint32_t), cudaMemcpyDefault),
          "lines");
}

static void begin(const device &device) {
    check(cudaMemset(device.arrived, 0, sizeof(uint32_t)), "arrived");
    check(cudaMemset(device.results, 0, most_results * sizeof(uint32_t)), "results");
}

static std::vector<uint32_t> results_of(const device &device, const char *what) {
    std::vector<uint32_t> results(most_results);
    check(cudaDeviceSynchronize(), what);
    check(cudaMemcpy(results.data(), device.results, most_results * sizeof(uint32_t),
                     cudaMemcpyDefault),
          what);
    return results;
}

/* CTAs that run at the same time. */
static unsigned launch(const device &device, const access &access) {
    CUtensorMap map = rows_of(device, access.row_bytes, access.promotion);
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim = {cluster_size(access), 1, 1};
    cudaLaunchConfig_t config{};
    config.gridDim = device.sms / cluster.val.clusterDim.x * cluster.val.clusterDim.x;
    config.blockDim = 32 * warps;
    config.dynamicSmemBytes = whole_sm;
    config.attrs = &cluster;
    config.numAttrs = 1;
    check(cudaFuncSetAttribute(take_rate, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
          "shared memory");
    int clusters;
    check(cudaOccupancyMaxActiveClusters(&clusters, take_rate, &config), "clusters");
    config.gridDim = std::min(device.sms, unsigned(clusters) * cluster.val.clusterDim.x);
    check(cudaLaunchKernelEx(&config, take_rate, map, access, device), "launch");
    return config.gridDim.x;
}

/* The operations of all CTAs of a launch, the median of three. */
template <typename LAUNCH>
static uint32_t median_operations(const device &device, const char *what, LAUNCH launch) {
    uint32_t operations[3];
    for (uint32_t &each : operations) {
        begin(device);
        launch();
        each = 0;
        for (uint32_t ended : results_of(device, what))
            each += ended;
    }
    std::sort(operations, operations + 3);
    return operations[1];
}

static void print_rate(const device &device, const access &access) {
    static const char *const names[] = {"load", "store", "reduce"};
    static const char *const sharers[] = {"sm", "tpc", "tpcs", "gpc"};
    unsigned sms = 0;
    uint32_t operations = median_operations(device, "rate", [&] { sms = launch(device, access); });
    printf("%s\t%u\t%u\t%u\t%u\t%s\t%u\t%u\n", names[access.operation], access.row_bytes,
           access.offset, access.promotion, access.sharing, sharers[access.of], sms, operations);
    fflush(stdout);
}

static void take_rates(const device &device) {
    choose_lines(device, true, device.sms * warps);
    printf("operation\trow_bytes\toffset\tpromotion\tsharing\tof\tsms\toperations\n");
    for (operation operation : {LOAD, STORE, REDUCE})
        for (uint32_t row_bytes = 16; row_bytes <= line_bytes; row_bytes += 16)
            for (uint32_t offset = 0; offset <= 16 && offset + row_bytes <= line_bytes;
                 offset += 16)
                print_rate(device, {operation, row_bytes, offset, 0, 1, OF_SM});
    for (uint32_t row_bytes : {32, 64, 96, 128}) {
        for (uint32_t promotion : {128, 256})
            print_rate(device, {LOAD, row_bytes, 0, promotion, 1, OF_SM});
        for (uint32_t promotion : {128, 256}) {
            print_rate(device, {LOAD, row_bytes, 0, promotion, 2, OF_SM});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 4, OF_SM});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 2, OF_TPC});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 2, OF_TPCS});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 3, OF_TPCS});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 4, OF_TPCS});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 4, OF_GPC});
            print_rate(device, {LOAD, row_bytes, 0, promotion, 8, OF_GPC});
        }
    }
}

static void take_misses(const device &device) {
    choose_lines(device, false, cold_lines + readers);
    CUtensorMap map = rows_of(device, 32, 0);
    printf("loads\tcycles\tp10\tp90\n");
    for (uint32_t loaders = 0; loaders <= warps; loaders++) {
        std::vector<uint32_t> cycles;
        for (uint32_t i = 0; i < launches; i++) {
            flush(device);
            begin(device);
            take_misses<<<device.sms, 32 * warps>>>(map, loaders, device);
            std::vector<uint32_t> results = results_of(device, "misses");
            cycles.insert(cycles.end(), results.begin() + 1, results.begin() + 1 + results[0]);
        }
        std::sort(cycles.begin(), cycles.end());
        printf("%u\t%u\t%u\t%u\n", (device.sms - readers) * loaders, cycles[cycles.size() / 2],
               cycles[cycles.size() / 10], cycles[cycles.size() * 9 / 10]);
        fflush(stdout);
    }
}

static void print_conflicts(const device &device, const CUtensorMap &map, uint32_t hot,
                            uint32_t share) {
    uint32_t operations = median_operations(device, "conflicts", [&] {
        load_at_random<<<device.sms, 32 * warps, whole_sm>>>(map, hot, share, device);
    });
    printf("%u\t%u\t%u\n", hot, share, operations);
    fflush(stdout);
}

static void take_conflicts(const device &device) {
    choose_lines(device, false, cool_lines + most_hot);
    CUtensorMap map = rows_of(device, 32, 0);
    check(
        cudaFuncSetAttribute(load_at_random, cudaFuncAttributeMaxDynamicSharedMemorySize, whole_sm),
        "shared memory");
    printf("hot\tshare\toperations\n");
    for (uint32_t share : {0, 16, 32, 64, 96, 128, 160, 192, 224, 240})
        print_conflicts(device, map, 1, share);
    for (uint32_t hot : {1, 2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32, 48, 64})
        print_conflicts(device, map, hot, 256);
}

static const struct {
    const char *name;
    void (*take)(const device &);
} captures[] = {{"rates", take_rates}, {"misses", take_misses}, {"conflicts", take_conflicts}};

int main(int count, char **arguments) {
    void (*take)(const struct device &) = nullptr;
    for (const auto &capture : captures)
        if (count == 2 && strcmp(arguments[1], capture.name) == 0)
            take = capture.take;
    if (!take) {
        fprintf(stderr, "usage: capture-slice-rates rates|misses|conflicts\n");
        return 2;
    }
    device device{};
    int sms;
    check(cudaMalloc(&device.buffer, buffer_bytes), "buffer");
    check(cudaMalloc(&device.lines, (cold_lines + readers) * sizeof(uint32_t)), "lines");
    check(cudaMalloc(&device.arrived, sizeof(uint32_t)), "arrived");
    check(cudaMalloc(&device.results, most_results * sizeof(uint32_t)), "results");
    check(cudaMalloc(&device.sink, sizeof(uint32_t)), "sink");
    check(cudaMemset(device.buffer, 0, buffer_bytes), "memset");
    check(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0), "SMs");
    device.sms = unsigned(sms);
    take(device);
    return 0;
}
