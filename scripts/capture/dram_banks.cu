/* Finds how DRAM behind a slice of L2 is organised:
 *
 *   capture-dram-banks pairs [COUNT] > dram_banks.tsv
 *   capture-dram-banks rows > dram_rows.tsv
 *   capture-dram-banks waits > dram_refresh.tsv
 *
 * One SM loads lines of 128 bytes that no one has loaded before. `pairs`: two lines of one slice at
 * the same time, and by how many cycles each comes later than a single line does. `rows`: eight
 * lines of a row, and eight lines each of two rows, by what their places differ in. `waits`: single
 * lines that waited for a refresh, and when the wait ended.
 *
 * Banks of lines are those that earlier records gave: `place_of` has to follow another GPU. */
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "random.cuh"
#include "slice_lines.cuh"

static const uint32_t no_line = 0xffffffff;
static const uint32_t warps = 4, warp_lines = 8, lines = warps * warp_lines, line_lanes = 4;
static const int most_trials = 200000;

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-dram-banks: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

/* A warp loads eight lines. Before that, it loads other lines of the same pages. */
struct trial {
    uint32_t line[lines], other[lines];
    uint32_t gap; /* cycles between these loads */
    uint32_t home, slice;
};

struct result {
    uint64_t start;
    uint32_t cycles[warps];
};

__global__ static void probe(const char *buffer, const trial *trials, int count, result *results,
                             uint32_t *sink) {
    __shared__ volatile uint32_t keep[warps * 32];
    uint32_t lane = threadIdx.x, sum = 0;
    for (int i = 0; i < count; i++) {
        uint32_t line = trials[i].line[lane / line_lanes];
        uint32_t other = lane < lines ? trials[i].other[lane] : no_line, gap = trials[i].gap;
        if (other != no_line)
            sum += load_word(buffer + uint64_t(other) * 128);
        keep[lane] = sum + line + gap; /* all is there before the clock starts */
        __syncthreads();
        spin(gap);
        const char *address = buffer + uint64_t(line) * 128 + lane % line_lanes * 32;
        asm volatile("" ::"l"(address) : "memory");
        __syncthreads();
        int64_t start = clock64();
        if (line != no_line)
            sum += load_word(address);
        keep[lane] = sum; /* waits for the data */
        int64_t end = clock64();
        if (lane % 32 == 0) {
            results[i].cycles[lane / 32] = line == no_line ? 0 : uint32_t(end - start);
            if (lane == 0)
                results[i].start = uint64_t(start);
        }
        __syncthreads();
    }
    sink[lane] = sum;
}

/* Bit 0: channel, bits 1 to 4: bank, in the order in which banks refresh. */
static uint32_t place_of(uint32_t unit, uint32_t line) {
    uint64_t physical = line + first_line;
    uint64_t block = uint64_t(unit) << 2 | (physical >> 9 & 1) << 1 | (physical >> 2 & 1);
    return parity(block & 0xfffff) | parity(block & 0x99198) << 1 | parity(block & 0x6af1a) << 2 |
           parity(block & 0xb5a94) << 3 | parity(block & 0x51d10) << 4;
}

/* Of the allocation: all but 4 GiB of the GPU's memory. */
static uint64_t buffer_bytes() {
    static uint64_t bytes;
    if (bytes == 0) {
        size_t available = 0, all = 0;
        check(cudaMemGetInfo(&available, &all), "size of memory");
        bytes = (available >> 30) - 4 << 30;
    }
    return bytes;
}

static uint32_t random_unit() {
    uint32_t all = uint32_t(buffer_bytes() / 128 / block_lines * 64 / slices) - 256;
    return first_unit() + random_below(all);
}

static trial empty_trial() {
    trial trial;
    memset(&trial, 0xff, sizeof trial);
    trial.gap = 1500 + random_below(3900);
    trial.home = random_below(2);
    trial.slice = random_below(slices);
    return trial;
}

static void set(trial *trial, uint32_t number, uint32_t line) {
    trial->line[number] = line;
    trial->other[number] = (line & ~0x3fffu) | random_below(0x4000); /* of the same 2 MiB */
}

/* The eight lines of a row: two of each of four units. */
static void set_row(trial *trial, uint32_t first, uint32_t step, uint32_t row, uint32_t place) {
    for (uint32_t column = 0, n = 0; column < 4; column++)
        for (uint32_t low = 0; low < 8; low++)
            for (uint32_t k = 0; k < unit_lines; k++) {
                uint32_t unit = row << 5 | column << 3 | low;
                uint32_t line = line_of(trial->home, trial->slice, unit, k);
                if (place_of(unit, line) == place)
                    set(trial, first + n++ * step, line);
            }
}

static std::vector<result> run(const std::vector<trial> &trials) {
    static char *buffer;
    static trial *on_device;
    static result *results;
    static uint32_t *sink;
    if (buffer == nullptr) {
        check(cudaMalloc(&buffer, buffer_bytes()), "memory");
        check(cudaMemset(buffer, 0, buffer_bytes()), "memset");
        check(cudaMalloc(&on_device, most_trials * sizeof *on_device), "trials");
        check(cudaMalloc(&results, most_trials * sizeof *results), "results");
        check(cudaMalloc(&sink, warps * 32 * sizeof *sink), "sink");
    }
    std::vector<result> all(trials.size());
    for (size_t first = 0; first < trials.size(); first += most_trials) {
        int count = int(std::min(size_t(most_trials), trials.size() - first));
        check(cudaMemcpy(on_device, &trials[first], count * sizeof(trial), cudaMemcpyDefault),
              "copy");
        probe<<<1, warps * 32>>>(buffer, on_device, count, results, sink);
        check(cudaDeviceSynchronize(), "probe");
        check(cudaMemcpy(&all[first], results, count * sizeof(result), cudaMemcpyDefault), "copy");
    }
    return all;
}

static double percentile(std::vector<double> values, double part) {
    std::sort(values.begin(), values.end());
    return values[size_t(part * double(values.size() - 1))];
}

/* Cycles of single lines, of each slice: most of them do not wait for a refresh. */
struct singles {
    std::vector<trial> trials;
    std::vector<result> results;
    double base[2][most_slices];

    singles() {
        std::vector<double> cycles[2][most_slices];
        for (int i = 0; i < most_trials; i++) {
            trial trial = empty_trial();
            uint32_t unit = random_unit();
            set(&trial, 0, line_of(trial.home, trial.slice, unit, random_below(unit_lines)));
            trials.push_back(trial);
        }
        results = run(trials);
        for (int i = 0; i < most_trials; i++)
            cycles[trials[i].home][trials[i].slice].push_back(results[i].cycles[0]);
        for (uint32_t home = 0; home < 2; home++)
            for (uint32_t slice = 0; slice < slices; slice++)
                base[home][slice] = percentile(cycles[home][slice], 0.3);
    }
    double late(const trial &trial, uint32_t cycles) const {
        return cycles - base[trial.home][trial.slice];
    }
};

static void take_pairs(const singles &singles, int count) {
    std::vector<trial> trials;
    for (int i = 0; i < count; i++) {
        trial trial = empty_trial();
        uint32_t unit = random_unit();
        uint32_t next = i % 2 == 0 ? random_unit() : unit + 1 + random_below(128);
        set(&trial, 0, line_of(trial.home, trial.slice, unit, random_below(unit_lines)));
        set(&trial, warp_lines, line_of(trial.home, trial.slice, next, random_below(unit_lines)));
        trials.push_back(trial);
    }
    std::vector<result> results = run(trials);
    printf("line_a\tline_b\tlate_a\tlate_b\n");
    for (int i = 0; i < count; i++)
        printf("%u\t%u\t%.0f\t%.0f\n", trials[i].line[0], trials[i].line[warp_lines],
               singles.late(trials[i], results[i].cycles[0]),
               singles.late(trials[i], results[i].cycles[1]));
}

static void take_rows(const singles &singles) {
    const uint32_t places = 32, count = 600;
    std::vector<trial> trials;
    for (uint32_t other = 0; other < places; other++)
        for (uint32_t i = 0; i < count; i++) {
            trial trial = empty_trial();
            uint32_t row = random_unit() >> 5, place = random_below(places);
            set_row(&trial, 0, 2, row, place);
            if (other != 0)
                set_row(&trial, 1, 2, row, place ^ other);
            trials.push_back(trial);
        }
    std::vector<result> results = run(trials);
    printf("channel\trank\tgroup\tbank\trows\tcycles\n");
    for (uint32_t other = 0; other < places; other++) {
        std::vector<double> late;
        for (uint32_t i = other * count; i < (other + 1) * count; i++)
            late.push_back(
                singles.late(trials[i], std::max(results[i].cycles[0], results[i].cycles[1])));
        printf("%u\t%u\t%u\t%u\t%d\t%.0f\n", other & 1, other >> 4, other >> 2 & 3, other >> 1 & 1,
               other == 0 ? 1 : 2, percentile(late, 0.1));
    }
}

static void take_waits(const singles &singles) {
    const int most = 4000;
    const double least = 60, longest = 530;
    printf("line\tend_cycle\n");
    for (int i = 0, n = 0; i < most_trials && n < most; i++) {
        double late = singles.late(singles.trials[i], singles.results[i].cycles[0]);
        if (late > least && late < longest && n++ < most)
            printf("%u\t%.0f\n", singles.trials[i].line[0],
                   double(singles.results[i].start - singles.results[0].start) + late);
    }
}

int main(int count, char **arguments) {
    const char *what = count == 2 || count == 3 ? arguments[1] : "";
    if (strcmp(what, "pairs") != 0 && strcmp(what, "rows") != 0 && strcmp(what, "waits") != 0) {
        fprintf(stderr, "usage: capture-dram-banks pairs [COUNT]|rows|waits\n");
        return 2;
    }
    singles singles;
    if (strcmp(what, "pairs") == 0)
        take_pairs(singles, count == 3 ? atoi(arguments[2]) : 6000);
    else if (strcmp(what, "rows") == 0)
        take_rows(singles);
    else
        take_waits(singles);
}
