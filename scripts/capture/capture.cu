/* Takes timing records on a GPU, in the form of tests/hardware/h200/timing.tsv:
 *
 *   capture SCENARIOS.tsv [--repeats N] [--clocks FILE] > RECORDS.tsv
 *
 * SCENARIOS.tsv has the columns `name` and `scenario`. Other columns are ignored, so that a file of
 * records can be measured again. tests/hardware/README.md describes the words of a scenario, and
 * the kernel.
 *
 * --repeats  launches of each row; the record has the median (default: 5)
 * --clocks   file for the SM clocks at which each operation was issued and its completion was seen.
 *            Logging them slows the kernel down. (With one slot, CTA 0 always logs its own.)
 */
#include <algorithm>
#include <cstring>
#include <cuda_runtime.h>

#include "operations.cuh"
#include "scenario.h"

static const size_t flush_bytes = size_t(512) << 20;

static void check(cudaError_t code, const std::string &where) {
    if (code != cudaSuccess)
        die(where + ": " + cudaGetErrorString(code));
}

static void check_words(const scenario &scenario) {
    if (scenario.number("grid") < 1 || scenario.number("iters") < 1 ||
        scenario.number("depth") < 1 || scenario.number("depth") > MAX_DEPTH ||
        scenario.number("rank") < 1 || scenario.number("rank") > MAX_RANK)
        die(scenario.name + ": grid, iters, depth (1 to 32) or rank (1 to 5) is missing or wrong");
}

static uint64_t tensor_bytes(const scenario &scenario) {
    uint64_t dim[MAX_RANK], stride[MAX_RANK];
    int rank = int(scenario.number("rank"));
    scenario.list("dim", dim, rank, 1);
    scenario.list("stride", stride, MAX_RANK, 0);
    return (rank == 1 ? dim[0] * 8 : dim[rank - 1] * stride[rank - 2]) + 65536;
}

static CUtensorMap encode(const scenario &scenario, void *tensor) {
    CUtensorMap map;
    cuuint64_t dim[MAX_RANK], stride[MAX_RANK];
    cuuint32_t box[MAX_RANK], element_stride[MAX_RANK];
    int lower[3], upper[3];
    auto rank = cuuint32_t(scenario.number("rank"));
    auto type = CUtensorMapDataType(scenario.number("dtype"));
    auto interleave = CUtensorMapInterleave(scenario.number("interleave"));
    auto swizzle = CUtensorMapSwizzle(scenario.number("swizzle"));
    auto promotion = CUtensorMapL2promotion(scenario.number("l2"));
    scenario.list("dim", dim, MAX_RANK, 1);
    scenario.list("stride", stride, MAX_RANK, 0);
    scenario.list("box", box, MAX_RANK, 1);
    scenario.list("estride", element_stride, MAX_RANK, 1);
    scenario.list("lower", lower, 3, 0);
    scenario.list("upper", upper, 3, 0);
    CUresult code = scenario.number("mode") == 0
                        ? cuTensorMapEncodeTiled(&map, type, rank, tensor, dim, stride, box,
                                                 element_stride, interleave, swizzle, promotion,
                                                 CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE)
                        : cuTensorMapEncodeIm2col(&map, type, rank, tensor, dim, stride, lower,
                                                  upper, cuuint32_t(scenario.number("cpp")),
                                                  cuuint32_t(scenario.number("ppc")),
                                                  element_stride, interleave, swizzle, promotion,
                                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    if (code != CUDA_SUCCESS)
        die(scenario.name + ": the driver rejects the tensor map");
    return map;
}

typedef void (*kernel)(const CUtensorMap, const walk);

template <int OPERATION> static kernel tile_kernel(int rank) {
    static const kernel kernels[] = {
        operations<1, OPERATION, false>, operations<2, OPERATION, false>,
        operations<3, OPERATION, false>, operations<4, OPERATION, false>,
        operations<5, OPERATION, false>};
    return kernels[rank - 1];
}

static kernel choose_kernel(const scenario &scenario) {
    static const kernel im2col[] = {operations<3, LOAD, true>, operations<4, LOAD, true>,
                                    operations<5, LOAD, true>};
    int rank = int(scenario.number("rank"));
    int64_t operation = scenario.number("op");
    if (scenario.number("mode") != 0) {
        if (operation != LOAD || rank < 3)
            die(scenario.name + ": im2col supports loads of rank 3 to 5 only");
        return im2col[rank - 3];
    }
    return operation == LOAD     ? tile_kernel<LOAD>(rank)
           : operation == STORE  ? tile_kernel<STORE>(rank)
           : operation == REDUCE ? tile_kernel<REDUCE>(rank)
                                 : tile_kernel<PREFETCH>(rank);
}

struct device {
    char *tensor, *other;
    cta_times *times;
    clocks *log;
    bool all_logged;
    uint32_t *sink;
    cudaEvent_t begin, end;
};

template <typename T> static T *allocate(size_t count) {
    T *memory;
    check(cudaMalloc(&memory, count * sizeof(T)), "cudaMalloc");
    check(cudaMemset(memory, 0, count * sizeof(T)), "cudaMemset");
    return memory;
}

static device prepare(const std::vector<scenario> &scenarios, bool clocks_wanted) {
    device device{};
    uint64_t tensor = 0, grid = 0, operation_count = 0, iterations = 0;
    for (const scenario &scenario : scenarios) {
        tensor = std::max(tensor, tensor_bytes(scenario));
        grid = std::max(grid, uint64_t(scenario.number("grid")));
        iterations = std::max(iterations, uint64_t(scenario.number("iters")));
        operation_count =
            std::max(operation_count, uint64_t(scenario.number("grid") * scenario.number("iters")));
    }
    device.tensor = allocate<char>(tensor);
    device.other = allocate<char>(flush_bytes);
    device.times = allocate<cta_times>(grid);
    device.sink = allocate<uint32_t>(1);
    device.all_logged = clocks_wanted;
    device.log = allocate<clocks>(clocks_wanted ? operation_count : iterations);
    check(cudaEventCreate(&device.begin), "cudaEventCreate");
    check(cudaEventCreate(&device.end), "cudaEventCreate");
    return device;
}

struct launch {
    std::vector<uint64_t> cycles; /* of each CTA, sorted */
    std::vector<cta_times> times; /* of each CTA, by CTA */
    std::vector<clocks> log;
    uint64_t span_ns;
    float event_us;

    uint64_t median() const {
        return cycles[cycles.size() / 2];
    }
};

template <typename T> static std::vector<T> copy_back(const T *from, size_t count) {
    std::vector<T> to(count);
    check(cudaMemcpy(to.data(), from, count * sizeof(T), cudaMemcpyDeviceToHost), "cudaMemcpy");
    return to;
}

static walk make_walk(const scenario &scenario, const device &device) {
    walk walk{};
    walk.iterations = uint32_t(scenario.number("iters"));
    walk.depth = uint32_t(scenario.number("depth"));
    walk.order = uint32_t(scenario.number("order"));
    walk.tx = uint32_t(scenario.number("tx"));
    walk.stage = uint32_t(scenario.number("stage"));
    scenario.list("start", walk.start, MAX_RANK, 0);
    scenario.list("step", walk.step, MAX_RANK, 0);
    scenario.list("nt", walk.tiles, MAX_RANK, 1);
    scenario.list("off", walk.offset, 3, 0);
    walk.times = device.times;
    walk.all_logged = device.all_logged;
    walk.log = walk.all_logged || walk.depth == 1 ? device.log : nullptr;
    return walk;
}

/* Bytes of the stages of all slots, and of the coordinates of all operations. */
static size_t shared_bytes(const scenario &scenario) {
    return size_t(scenario.number("depth") * scenario.number("stage")) +
           size_t(scenario.number("iters") * scenario.number("rank")) * sizeof(int32_t);
}

static launch launch_once(const scenario &scenario, const device &device, kernel kernel,
                          const CUtensorMap &map) {
    walk walk = make_walk(scenario, device);
    auto grid = unsigned(scenario.number("grid"));
    size_t shared = shared_bytes(scenario);
    if (scenario.number("cold"))
        read_all<<<1056, 256>>>((const uint4 *)device.other, flush_bytes / 16, device.sink);
    check(cudaDeviceSynchronize(), scenario.name + " (before it)");
    check(cudaEventRecord(device.begin), "cudaEventRecord");
    kernel<<<grid, 32 * walk.depth, shared>>>(map, walk);
    check(cudaEventRecord(device.end), "cudaEventRecord");
    check(cudaDeviceSynchronize(), scenario.name);

    launch launch{};
    launch.times = copy_back(device.times, grid);
    uint64_t start = UINT64_MAX, end = 0;
    for (const cta_times &cta : launch.times) {
        launch.cycles.push_back(cta.cycles);
        start = std::min(start, cta.start_ns);
        end = std::max(end, cta.end_ns);
    }
    std::sort(launch.cycles.begin(), launch.cycles.end());
    launch.span_ns = end - start;
    check(cudaEventElapsedTime(&launch.event_us, device.begin, device.end), "cudaEventElapsedTime");
    launch.event_us *= 1000;
    if (walk.log)
        launch.log = copy_back(walk.log, size_t(walk.iterations) * (walk.all_logged ? grid : 1));
    return launch;
}

/* Latencies of CTA 0's operations from issue to completion: of the first one, the median, and the
 * smallest of the first 64. */
struct latencies {
    uint64_t first, median, least;
};

static latencies find_latencies(const scenario &scenario, const launch &launch) {
    if (scenario.number("depth") != 1)
        return {};
    std::vector<uint64_t> all;
    for (size_t i = 0; i < size_t(scenario.number("iters")); i++)
        all.push_back(launch.log[i].completion - launch.log[i].issue);
    uint64_t first = all[0];
    uint64_t least =
        *std::min_element(all.begin(), all.begin() + long(std::min<size_t>(64, all.size())));
    std::sort(all.begin(), all.end());
    return {first, all[all.size() / 2], least};
}

static void print_record(const scenario &scenario, std::vector<launch> launches) {
    std::sort(launches.begin(), launches.end(),
              [](const launch &a, const launch &b) { return a.median() < b.median(); });
    const launch &chosen = launches[launches.size() / 2];
    double median = double(chosen.median());
    double spread = double(launches.back().median() - launches.front().median()) / median;
    double bytes_per_cta = double(scenario.number("tx")) * double(scenario.number("iters"));
    double bytes = bytes_per_cta * double(scenario.number("grid"));
    latencies latency = find_latencies(scenario, chosen);
    printf(
        "%s\t%llu\t%llu\t%llu\t%llu\t%.1f\t%llu\t%llu\t%llu\t%.0f\t%.1f\t%.2f\t%.3f\tcapture\t%s\n",
        scenario.name.c_str(), (unsigned long long)chosen.cycles.front(),
        (unsigned long long)chosen.median(), (unsigned long long)chosen.cycles.back(),
        (unsigned long long)chosen.span_ns, chosen.event_us, (unsigned long long)latency.first,
        (unsigned long long)latency.median, (unsigned long long)latency.least, bytes,
        bytes / double(chosen.span_ns), bytes_per_cta / median, spread, scenario.text.c_str());
}

static void print_clocks(FILE *file, const scenario &scenario, size_t number,
                         const launch &launch) {
    size_t iterations = size_t(scenario.number("iters"));
    for (size_t i = 0; i < launch.log.size(); i++)
        fprintf(file, "%s\t%zu\t%zu\t%zu\t%llu\t%llu\t%llu\n", scenario.name.c_str(), number,
                i / iterations, i % iterations, (unsigned long long)launch.times[i / iterations].sm,
                (unsigned long long)launch.log[i].issue,
                (unsigned long long)launch.log[i].completion);
}

static void take(const scenario &scenario, const device &device, int repeats, FILE *clock_file) {
    CUtensorMap map = encode(scenario, device.tensor);
    kernel kernel = choose_kernel(scenario);
    size_t shared = shared_bytes(scenario);
    if (shared > MAX_SHARED - ALIGNMENT)
        die(scenario.name + ": stages and coordinates take more shared memory than an SM has");
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)),
          scenario.name);
    std::vector<launch> launches;
    launch_once(scenario, device, kernel, map);
    for (int i = 0; i < repeats; i++)
        launches.push_back(launch_once(scenario, device, kernel, map));
    print_record(scenario, launches);
    for (size_t i = 0; clock_file && i < launches.size(); i++)
        print_clocks(clock_file, scenario, i, launches[i]);
}

int main(int count, char **arguments) {
    const char *path = nullptr, *clock_path = nullptr;
    int repeats = 5;
    for (int i = 1; i < count; i++)
        if (!strcmp(arguments[i], "--repeats") && i + 1 < count)
            repeats = atoi(arguments[++i]);
        else if (!strcmp(arguments[i], "--clocks") && i + 1 < count)
            clock_path = arguments[++i];
        else
            path = arguments[i];
    if (!path || repeats < 1)
        die("usage: capture SCENARIOS.tsv [--repeats N] [--clocks FILE]");
    std::vector<scenario> scenarios = read_scenarios(path);
    for (const scenario &scenario : scenarios)
        check_words(scenario);
    FILE *clock_file = clock_path ? fopen(clock_path, "w") : nullptr;
    if (clock_path && !clock_file)
        die(std::string(clock_path) + ": cannot be written");
    device device = prepare(scenarios, clock_file != nullptr);
    if (clock_file)
        fprintf(clock_file, "name\tlaunch\tcta\toperation\tsm\tissue\tcompletion\n");
    printf("name\tcycles_min\tcycles_med\tcycles_max\tspan_ns\tevent_us\tlat_first\tlat_med\t"
           "lat_min\tbytes\tGBps\tbytes_per_clk_per_cta\trepeat_spread\tprogram\tscenario\n");
    for (const scenario &scenario : scenarios)
        take(scenario, device, repeats, clock_file);
    return clock_file && fclose(clock_file) != 0;
}
