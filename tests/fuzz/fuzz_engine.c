/* The timing engine against the same engine advanced cycle by cycle (stepped_engine.h), and what
 * must hold of every run: a random workload or a random kernel with roles, on a random small
 * machine. Both runs have to fail with the same words, or to give the same trace and the same
 * report.
 *
 * The first byte says how. 255: SimGrid moves the first run. Else a plain clock does, which takes a
 * tenth of the time, and the workload or kernel is a small one, so that there are many of them. The
 * clock steps the actors of a cycle from the first to the last, or if the byte is odd from the last
 * to the first; the second run the other way round. Other bits say how long an SM fetches the
 * instructions of a statement. */
#include "../unit/conservation.h"
#include "../unit/machine.h"
#include "../unit/random_workload.h"
#include "cached_machine.h"
#include "engine/roles/kernel_run.h"
#include "engine/slots/run.h"
#include "fuzz.h"
#include "random_kernel.h"
#include "report/report.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "stepped_engine.h"
#include "trace/trace.h"

enum { LONGEST_CYCLES = 30000, LONGEST_SMALL_CYCLES = 6000, SMALL_ITERATIONS = 3, SMALL_CTAS = 4 };

static const char *const map_names[] = {"A", "B", "C"};

/* What is run: a workload, or a kernel. */
struct subject {
    struct tma_machine machine;
    struct tma_workload workload;
    struct tma_scenario scenario; /* of the kernel */
    bool is_kernel, is_small;
};

/* How the actors of a run are moved. */
struct pace {
    enum engine_clock clock;
    bool is_backwards;
};

/* What a run gives. */
struct outcome {
    enum tma_error_code code;
    struct tma_error error;
    uint64_t events; /* a digest of all of them */
    struct tma_result result;
};

/* A small machine, of which most of what decides about order and look-ahead varies. */
static struct tma_machine draw_machine(struct fuzz_input *input, uint32_t fetch_cycles) {
    struct tma_machine machine = small_machine();
    machine.warp.fetch_cycles = fetch_cycles;
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

static bool draw(struct fuzz_input *input, uint32_t fetch_cycles, struct subject *subject) {
    static struct yaml_text yaml;
    struct tma_diagnostics list = {0};
    struct expected expected;
    subject->machine = draw_machine(input, fetch_cycles);
    subject->is_kernel = fuzz_bits(input, 1) % 2 == 1;
    if (!subject->is_kernel) {
        uint64_t state = fuzz_bits(input, 8) | 1; /* a generator of random numbers needs a bit */
        struct tma_workload *workload = &subject->workload;
        while (!draw_workload(&state, workload, &expected))
            ;
        if (subject->is_small) {
            workload->iterations = (workload->iterations - 1) % SMALL_ITERATIONS + 1;
            workload->cta_count = (workload->cta_count - 1) % SMALL_CTAS / 2 * 2 + 2;
        }
        return true;
    }
    draw_kernel(input, subject->is_small ? &small_kernel : &usual_kernel, &yaml);
    bool good = tma_scenario_read_text(yaml.bytes, "input", NULL, 0, &subject->scenario, &list);
    tma_diagnostics_free(&list);
    return good;
}

static bool look(void *context, const struct tma_run_state *state) {
    const struct subject *subject = context;
    return state->cycle < (subject->is_small ? LONGEST_SMALL_CYCLES : LONGEST_CYCLES);
}

static void report(const struct subject *subject, const struct tma_result *result, FILE *out) {
    const int json = 1;
    if (subject->is_kernel) {
        struct tma_report_input input = {.scenario = "random",
                                         .machine = &subject->machine,
                                         .kernel = &subject->scenario.program->kernel,
                                         .result = result,
                                         .map_names = map_names};
        tma_report_write(&input, json, out);
    } else {
        struct tma_report_input input = {
            .scenario = "random",
            .machine = &subject->machine,
            .workload = &subject->workload,
            .result = result,
            .map_names = map_names,
        };
        tma_report_write(&input, json, out);
    }
}

static void run(struct subject *subject, const struct pace *pace, const struct tma_event_sink *sink,
                struct outcome *outcome) {
    const struct tma_watch watch = {.look = look, .context = subject};
    engine_clock = pace->clock;
    is_backwards = pace->is_backwards;
    outcome->error = (struct tma_error){0};
    if (subject->is_kernel)
        subject->scenario.program->kernel.allow_races = true; /* many have some */
    outcome->code =
        subject->is_kernel
            ? tma_kernel_run_watched(&subject->machine, &subject->scenario.program->kernel, sink,
                                     &watch, &outcome->result, NULL, &outcome->error)
            : tma_run_watched(&subject->machine, &subject->workload, sink, &watch, &outcome->result,
                              &outcome->error);
    FUZZ_ASSERT(outcome->code != TMA_ERROR_MODEL);
}

static void digest_event(void *context, const struct tma_event *event) {
    uint64_t *digest = context;
    const uint64_t words[] = {event->cycle,      event->sm,         event->cta,
                              event->slot,       event->kind,       event->figures[0],
                              event->figures[1], event->figures[2], event->figures[3]};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        *digest = (*digest ^ words[i]) * UINT64_C(0x9e3779b97f4a7c15);
}

static void run_and_digest(struct subject *subject, const struct pace *pace,
                           struct outcome *outcome) {
    const struct tma_event_sink sink = {digest_event, &outcome->events};
    outcome->events = 0;
    run(subject, pace, &sink, outcome);
}

/* The trace and the report of a run, or what was wrong, as a text that the caller frees. */
static char *run_and_write(struct subject *subject, const struct pace *pace) {
    static struct outcome outcome;
    /* Loads may arrive at other CTAs, too. */
    static const struct tma_trace_field multicast = {"load.multicast", "all"};
    const struct tma_trace_header header = {
        .scenario = "random", .fields = &multicast, .field_count = 1, .checks = true};
    char *text = NULL;
    size_t length;
    FILE *out = open_memstream(&text, &length);
    FUZZ_ASSERT(out != NULL);
    struct tma_trace_writer *writer = tma_trace_writer_open(out, &header, NULL);
    FUZZ_ASSERT(writer != NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    run(subject, pace, &sink, &outcome);
    struct tma_error error;
    enum tma_error_code closed = tma_trace_writer_close(writer, &error);
    if (outcome.code == TMA_OK && closed != TMA_OK)
        FUZZ_FAIL(error.text);
    if (outcome.code == TMA_OK)
        report(subject, &outcome.result, out);
    else
        fputs(outcome.error.text, out);
    fclose(out);
    return text;
}

static bool is_same(const struct outcome *a, const struct outcome *b) {
    if (a->code != b->code || strcmp(a->error.text, b->error.text) != 0)
        return false;
    return a->code != TMA_OK ||
           (a->events == b->events && memcmp(&a->result, &b->result, sizeof a->result) == 0);
}

/* Runs both again, and prints where their texts begin to differ. */
static void compare_texts(struct subject *subject, const struct pace paces[2]) {
    char *first = run_and_write(subject, &paces[0]), *second = run_and_write(subject, &paces[1]);
    size_t line = 0;
    if (strcmp(first, second) != 0) {
        for (size_t i = 0; first[i] != '\0' && first[i] == second[i]; i++)
            if (first[i] == '\n')
                line = i + 1;
        fprintf(stderr, "events: %.300s\ncycles: %.300s\n", first + line, second + line);
        FUZZ_FAIL("the engine and the engine advanced cycle by cycle differ");
    }
    free(first);
    free(second);
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

/* A run that was interrupted ends in some cycle, as the host's clock wills. Roles execute ahead of
 * time: which one of several faults comes first, and whether a stage that is filled again too early
 * is noticed, is left open. */
static bool ends_anywhere(const struct outcome *outcome) {
    return outcome->code == TMA_ERROR_INTERRUPTED || outcome->code == TMA_ERROR_FILE ||
           outcome->code == TMA_ERROR_FAULT;
}

enum { MOVED_BY_SIMGRID = 255 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct subject subject;
    static struct outcome events, cycles;
    struct fuzz_input input = {data, size};
    uint64_t choice = fuzz_bits(&input, 1);
    bool by_simgrid = choice == MOVED_BY_SIMGRID;
    if (by_simgrid)
        choice = 0;
    const struct pace paces[] = {{by_simgrid ? CLOCK_OF_SIMGRID : CLOCK_OF_EVENTS, choice % 2 == 1},
                                 {CLOCK_OF_CYCLES, choice % 2 == 0}};
    subject.is_small = !by_simgrid;
    if (draw(&input, (uint32_t)choice / 2 % 16 * 8, &subject)) {
        run_and_digest(&subject, &paces[0], &events);
        if (events.code == TMA_OK)
            check_conservation(&subject, &events.result);
        if (!ends_anywhere(&events)) {
            run_and_digest(&subject, &paces[1], &cycles);
            if (!ends_anywhere(&cycles) && !is_same(&events, &cycles))
                compare_texts(&subject, paces);
        }
    }
    if (subject.is_kernel)
        tma_scenario_free(&subject.scenario);
    return 0;
}
