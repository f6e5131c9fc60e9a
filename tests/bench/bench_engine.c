/* Measures the speed and the memory of simulations: a single SM, a full chip whose lines L2 has,
 * and a full chip that streams from DRAM. Also measures the time for each operation as kernels get
 * longer.
 *
 * Usage: bench_engine [OPERATIONS]: the longest of the growing runs, 1000000 by default. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench.h"
#include "engine/module.h"
#include "engine/slots/run.h"
#include "scenario/machine_file.h"

static const char machine_path[] = "configs/gpus/h200.yaml";

enum { SMS = 132 };

struct kernel {
    const char *name;
    uint32_t ctas, iterations, tile_rows; /* of the matrix, in tiles */
    bool cold;
    int repeats; /* of which the fastest counts */
};

/* What a run took. Its process does nothing else. */
struct sample {
    double seconds;       /* of the fastest run */
    double first_seconds; /* of the first run, which starts SimGrid */
    double cycles, operations, lines, requests;
    double peak_mib;
};

static void run_once(const struct kernel *kernel, struct sample *sample) {
    struct tma_machine machine;
    struct tma_diagnostics list = {0};
    struct tma_workload workload =
        matrix_loads(kernel->ctas, kernel->iterations, kernel->tile_rows, kernel->cold);
    struct tma_result result;
    double start = wall_seconds();
    if (!tma_machine_read(machine_path, &machine, &list) ||
        tma_run(&machine, &workload, NULL, &result, NULL) != TMA_OK)
        abort();
    double taken = wall_seconds() - start;
    if (sample->first_seconds == 0)
        sample->first_seconds = sample->seconds = taken;
    if (taken < sample->seconds)
        sample->seconds = taken;
    sample->cycles = (double)result.cycles;
    sample->operations = (double)result.counters.operations;
    sample->lines = (double)result.counters.tensor_bytes / TMA_LINE_BYTES;
    sample->requests = (double)result.counters.l2_requests;
    tma_diagnostics_free(&list);
}

/* Runs a kernel in a process of its own. */
static struct sample measure(const struct kernel *kernel) {
    struct sample sample = {0};
    int ends[2], status;
    if (pipe(ends) != 0)
        abort();
    pid_t child = fork();
    if (child == 0) {
        for (int i = 0; i < kernel->repeats; i++)
            run_once(kernel, &sample);
        struct rusage usage;
        getrusage(RUSAGE_SELF, &usage);
        sample.peak_mib = (double)usage.ru_maxrss / 1024;
        _exit(write(ends[1], &sample, sizeof sample) == sizeof sample ? 0 : 1);
    }
    close(ends[1]);
    if (child < 0 || read(ends[0], &sample, sizeof sample) != sizeof sample ||
        waitpid(child, &status, 0) != child || status != 0)
        abort();
    close(ends[0]);
    return sample;
}

enum sense { AT_LEAST, AT_MOST, FREE };

static void print_figure(const char *kernel, const char *name, double figure, const char *unit,
                         enum sense sense, double bound) {
    printf("%-22s %-22s %12.4g %-12s", kernel, name, figure, unit);
    if (sense != FREE) {
        bool good = sense == AT_LEAST ? figure >= bound : figure <= bound;
        printf(" %s %-9.4g %s", sense == AT_LEAST ? ">=" : "<=", bound, good ? "ok" : "short");
    }
    putchar('\n');
    fflush(stdout);
}

static void bench_one_sm(void) {
    static const struct kernel kernel = {"one_sm", 1, 64, 24, false, 5};
    struct sample sample = measure(&kernel);
    print_figure(kernel.name, "run with start-up", sample.first_seconds, "s", AT_MOST, 0.2);
    print_figure(kernel.name, "run", sample.seconds, "s", FREE, 0);
    print_figure(kernel.name, "start-up", sample.first_seconds - sample.seconds, "s", FREE, 0);
}

/* The kernel of the record of this name in tests/hardware/h200/timing.tsv. */
static void bench_l2(void) {
    static const struct kernel kernel = {"full_l2_d4_64x128", SMS, 32, 24, false, 9};
    struct sample sample = measure(&kernel);
    print_figure(kernel.name, "cycles", sample.cycles / sample.seconds, "cycles/s", AT_LEAST,
                 250e3);
    print_figure(kernel.name, "operations", sample.operations / sample.seconds, "op/s", AT_LEAST,
                 20e3);
    print_figure(kernel.name, "lines", sample.lines / sample.seconds, "lines/s", AT_LEAST, 2.5e6);
    print_figure(kernel.name, "L2 requests", sample.requests / sample.seconds, "requests/s",
                 AT_LEAST, 8e6);
}

static void bench_dram(void) {
    static const struct kernel kernel = {"dram_stream", SMS, 128, 264, true, 3};
    struct sample sample = measure(&kernel);
    print_figure(kernel.name, "cycles", sample.cycles / sample.seconds, "cycles/s", AT_LEAST, 50e3);
    print_figure(kernel.name, "lines", sample.lines / sample.seconds, "lines/s", FREE, 0);
    print_figure(kernel.name, "peak memory", sample.peak_mib, "MiB", AT_MOST, 150);
}

/* The same kernel with ever more iterations: the time for each operation must not grow, and neither
 * must the memory. */
static void bench_growth(double longest) {
    double first_cost = 0;
    for (double operations = 1e4; operations <= longest; operations *= 10) {
        char name[32];
        uint32_t iterations = (uint32_t)(operations / SMS) + 1;
        snprintf(name, sizeof name, "%.0e operations", operations);
        struct kernel kernel = {name, SMS, iterations, 24, false, operations < 1e5 ? 3 : 1};
        struct sample sample = measure(&kernel);
        double cost = sample.seconds / sample.operations;
        first_cost = first_cost == 0 ? cost : first_cost;
        print_figure(name, "time", cost * 1e6, "us/op", FREE, 0);
        print_figure(name, "time, of the shortest's", cost / first_cost, "x", AT_MOST, 1.2);
        print_figure(name, "peak memory", sample.peak_mib, "MiB", AT_MOST, 150);
    }
}

/* Loads SimGrid once for the processes of all kernels. */
int main(int argc, char **argv) {
    const struct tma_engine_module *module;
    if (tma_module_load(&module, NULL) != TMA_OK)
        abort();
    bench_one_sm();
    bench_l2();
    bench_dram();
    bench_growth(argc > 1 ? strtod(argv[1], NULL) : 1e6);
    return EXIT_SUCCESS;
}
