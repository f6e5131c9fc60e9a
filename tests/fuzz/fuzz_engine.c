/* The timing engine against the same engine advanced cycle by cycle (stepped_engine.h), and what
 * must hold of every run: a random workload or a random kernel with roles, on a random small
 * machine. Both runs have to fail with the same words, or to give the same trace and the same
 * report. */
#include "../unit/conservation.h"
#include "../unit/machine.h"
#include "../unit/random_workload.h"
#include "engine/kernel_run.h"
#include "engine/run.h"
#include "fuzz.h"
#include "random_kernel.h"
#include "report/kernel_report.h"
#include "report/report.h"
#include "scenario/scenario.h"
#include "stepped_engine.h"
#include "trace/trace.h"

enum { LONGEST_CYCLES = 30000 };

static const char *const map_names[] = {"A", "B", "C"};

/* What is run: a workload, or a kernel. */
struct subject {
    struct tma_machine machine;
    struct tma_workload workload;
    struct tma_scenario scenario; /* of the kernel */
    bool is_kernel;
};

/* What a run gives: the trace and the report, or what was wrong. */
struct outcome {
    enum tma_error_code code;
    char *text; /* owned */
    size_t length;
    struct tma_result result;
};

/* A small machine, of which most of what decides about order and look-ahead varies. Fetches of
 * instructions take no time: which CTA of an SM executes a statement first, and so pays for them,
 * is no matter of cycles. */
static struct tma_machine draw_machine(struct fuzz_input *input) {
    struct tma_machine machine = small_machine();
    machine.topology.seed = (uint32_t)fuzz_between(input, 0, 100);
    machine.topology.launch_interval_cycles = (uint32_t)fuzz_between(input, 0, 9);
    machine.tma.issue_cycles = (uint32_t)fuzz_between(input, 0, 20);
    machine.tma.complete_cycles = (uint32_t)fuzz_between(input, 1, 6);
    machine.tma.descriptors = (uint32_t)fuzz_between(input, 1, 4);
    machine.tma.gpc_descriptors = (uint32_t)fuzz_between(input, 1, 4);
    machine.tma.wake_interval_cycles = (uint32_t)fuzz_between(input, 0, 24);
    machine.tma.turnaround_cycles = (uint32_t)fuzz_between(input, 0, 12);
    machine.tma.poll_millicycles = (uint32_t)fuzz_between(input, 0, 3000);
    machine.tma.first_pass_cycles = (uint32_t)fuzz_between(input, 0, 30);
    machine.tma.store_operations = (uint32_t)fuzz_between(input, 1, 4);
    machine.tma.write_flits = (uint32_t)fuzz_between(input, 8, 64);
    machine.crossbar.spread_cycles = (uint32_t)fuzz_between(input, 0, 15);
    machine.crossbar.coalesced_requests = (uint32_t)fuzz_between(input, 1, 4);
    machine.l2.replacement =
        (enum tma_replacement)fuzz_between(input, 0, TMA_REPLACEMENT_COUNT - 1);
    machine.l2.dirty_ways = (uint32_t)fuzz_between(input, 1, 4);
    machine.dram.scheduler =
        (enum tma_dram_scheduler)fuzz_between(input, 0, TMA_DRAM_SCHEDULER_COUNT - 1);
    machine.dram.refresh_policy =
        (enum tma_refresh_kind)fuzz_between(input, 0, TMA_REFRESH_COUNT - 1);
    machine.warp.arrive_latency_cycles = (uint32_t)fuzz_between(input, 0, 9);
    return machine;
}

static bool draw(struct fuzz_input *input, struct subject *subject) {
    static struct yaml yaml;
    struct tma_diagnostics list = {0};
    struct expected expected;
    subject->machine = draw_machine(input);
    subject->is_kernel = fuzz_bits(input, 1) % 2 == 1;
    if (!subject->is_kernel) {
        uint64_t state = fuzz_bits(input, 8) | 1; /* a generator of random numbers needs a bit */
        while (!draw_workload(&state, &subject->workload, &expected))
            ;
        return true;
    }
    draw_kernel(input, &yaml);
    bool good = tma_scenario_read_text(yaml.text, "input", NULL, 0, &subject->scenario, &list);
    tma_diagnostics_free(&list);
    return good;
}

static bool look(void *context, const struct tma_run_state *state) {
    (void)context;
    return state->cycle < LONGEST_CYCLES;
}

static void report(const struct subject *subject, const struct tma_result *result, FILE *out) {
    const int json = 1;
    if (subject->is_kernel) {
        struct tma_kernel_report_input input = {.scenario = "random",
                                                .machine = &subject->machine,
                                                .kernel = &subject->scenario.program->kernel,
                                                .result = result,
                                                .map_names = map_names};
        tma_kernel_report_write(&input, json, out);
    } else {
        struct tma_report_input input = {.scenario = "random",
                                         .machine = &subject->machine,
                                         .workload = &subject->workload,
                                         .result = result,
                                         .map_names = map_names,
                                         .limits = tma_report_limits_of(&subject->machine, result)};
        tma_report_write(&input, json, out);
    }
}

static void run(const struct subject *subject, struct outcome *outcome) {
    const struct tma_watch watch = {.look = look};
    const struct tma_trace_header header = {.scenario = "random"};
    struct tma_error error = {0};
    FILE *out = open_memstream(&outcome->text, &outcome->length);
    FUZZ_ASSERT(out != NULL);
    struct tma_trace_writer *writer = tma_trace_writer_open(out, &header, &error);
    FUZZ_ASSERT(writer != NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    outcome->code =
        subject->is_kernel
            ? tma_kernel_run_watched(&subject->machine, &subject->scenario.program->kernel, &sink,
                                     &watch, &outcome->result, NULL, &error)
            : tma_run_watched(&subject->machine, &subject->workload, &sink, &watch,
                              &outcome->result, &error);
    FUZZ_ASSERT(outcome->code != TMA_ERROR_MODEL);
    tma_trace_writer_close(writer, NULL);
    if (outcome->code == TMA_OK)
        report(subject, &outcome->result, out);
    fclose(out);
    if (outcome->code == TMA_OK)
        return;
    free(outcome->text);
    outcome->text = strdup(error.text);
    FUZZ_ASSERT(outcome->text != NULL);
    outcome->length = strlen(outcome->text);
}

/* Prints where two texts begin to differ. Which one of several faults comes first is left open:
 * roles execute ahead of time. */
static void compare(const struct outcome *events, const struct outcome *cycles) {
    size_t line = 0;
    if (events->code == TMA_ERROR_FAULT && cycles->code == TMA_ERROR_FAULT)
        return;
    if (events->length == cycles->length && memcmp(events->text, cycles->text, events->length) == 0)
        return;
    for (size_t i = 0; events->text[i] != '\0' && events->text[i] == cycles->text[i]; i++)
        if (events->text[i] == '\n')
            line = i + 1;
    fprintf(stderr, "events: %.300s\ncycles: %.300s\n", events->text + line, cycles->text + line);
    FUZZ_FAIL("the engine and the engine advanced cycle by cycle differ");
}

static void check_conservation(const struct subject *subject, const struct tma_result *result) {
    const struct tma_kernel *kernel =
        subject->is_kernel ? &subject->scenario.program->kernel : NULL;
    const struct tma_tensor_map *maps = kernel != NULL ? kernel->maps : subject->workload.maps;
    uint32_t count = kernel != NULL ? kernel->map_count : subject->workload.map_count;
    const char *lost = what_counters_lose(result, maps, count);
    if (lost == NULL)
        lost = kernel != NULL ? what_roles_lose(result, kernel) : what_causes_lose(result);
    if (lost != NULL)
        FUZZ_FAIL(lost);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct subject subject;
    static struct outcome events, cycles;
    struct fuzz_input input = {data, size};
    if (draw(&input, &subject)) {
        is_stepped = false;
        run(&subject, &events);
        if (events.code == TMA_OK)
            check_conservation(&subject, &events.result);
        /* A run that was interrupted ends in some cycle, as the host's clock wills. */
        if (events.code != TMA_ERROR_INTERRUPTED && events.code != TMA_ERROR_FILE) {
            is_stepped = true;
            run(&subject, &cycles);
            if (cycles.code != TMA_ERROR_INTERRUPTED)
                compare(&events, &cycles);
            free(cycles.text);
        }
        free(events.text);
    }
    if (subject.is_kernel)
        tma_scenario_free(&subject.scenario);
    return 0;
}
