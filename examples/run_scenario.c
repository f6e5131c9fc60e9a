/* Runs a scenario that it holds as a string, once for each pipeline depth, and prints what limits
 * it. Its argument is the file of the machine to simulate.
 *
 *     cc run_scenario.c $(pkg-config --cflags --libs tmasim) -o run_scenario
 *     ./run_scenario $(pkg-config --variable=configs tmasim)/gpus/h200.yaml
 */
#include <inttypes.h>
#include <stdio.h>
#include <tmasim.h>

/* docs/scenario.md lists the keys. The gpu comes from a setting, below. */
static const char scenario_text[] =
    "name: stream\n"
    "tensor_maps:\n"
    "  X: {data_type: float16, global_dim: [4096, 4096], box_dim: [64, 64], swizzle: 128b}\n"
    "workload:\n"
    "  ctas: 132\n"
    "  iterations: 16\n"
    "  pipeline: {depth: 1}\n"
    "  operations:\n"
    "    - {load: X, walk: {order: grid_strided}}\n"
    "  consumers:\n"
    "    - {operation: 0, instruction: ldmatrix.x4, lanes: matrix}\n";

static void print_diagnostics(const struct tma_diagnostics *list) {
    for (size_t i = 0; i < list->count; i++)
        fprintf(stderr, "%s:%u:%u: %s\n", list->items[i].at.file, list->items[i].at.line,
                list->items[i].at.column, list->items[i].text);
}

static void print_result(unsigned depth, const struct tma_result *result) {
    unsigned longest = 0;
    for (unsigned i = 0; i < TMA_CAUSE_COUNT; i++)
        if (result->cause_cycles[i] > result->cause_cycles[longest])
            longest = i;
    printf("depth %u: %" PRIu64 " cycles, %.1f bytes a cycle, median latency %" PRIu64
           " cycles; most time goes to %s\n",
           depth, result->cycles, (double)result->counters.bytes / (double)result->cycles,
           result->latency_cycles.median, tma_cause_key((enum tma_cause)longest));
}

/* Simulates the scenario on the machine with so many pipeline slots in each CTA. */
static bool simulate(const char *machine_path, unsigned depth) {
    char gpu[4096], pipeline_depth[64];
    snprintf(gpu, sizeof gpu, "gpu=%s", machine_path);
    snprintf(pipeline_depth, sizeof pipeline_depth, "workload.pipeline.depth=%u", depth);
    const char *const settings[] = {gpu, pipeline_depth};

    struct tma_scenario scenario;
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_result result;
    struct tma_error error;
    bool good = tma_scenario_read_text(scenario_text, "stream", settings, 2, &scenario, &list);
    if (!good) {
        print_diagnostics(&list);
    } else if (tma_scenario_run(&scenario, NULL, NULL, &result, NULL, &error) != TMA_OK) {
        fprintf(stderr, "run_scenario: %s\n", error.text);
        good = false;
    } else {
        print_result(depth, &result);
    }
    tma_diagnostics_free(&list);
    tma_scenario_free(&scenario);
    return good;
}

int main(int argc, char **argv) {
    if (argc != 2) {
        fprintf(stderr, "usage: run_scenario MACHINE.yaml\n");
        return 2;
    }
    for (unsigned depth = 1; depth <= 8; depth *= 2)
        if (!simulate(argv[1], depth))
            return 1;
    return 0;
}
