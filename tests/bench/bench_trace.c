/* Speed of writing and comparing traces: equal traces; traces in which one early event is missing,
 * so that no later events have the same line number; and traces without equal lines. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include "bench.h"
#include "trace/trace.h"

enum { SMS = 132, SLOTS = 4, KINDS = 4, INTERVAL = 97 /* cycles between the rounds of events */ };

/* A CTA on each SM starts, has whole operations, and ends. */
enum { EVENTS = SMS * (KINDS * 3788 + 2), FILL = SMS * 7 + 76 /* one that no promise needs */ };

/* Returns an event; consecutive events are from consecutive SMs, as in a full-chip stream. */
static struct tma_event event_number(uint64_t number) {
    static const enum tma_event_kind kinds[KINDS] = {TMA_EVENT_ISSUE, TMA_EVENT_ROWS,
                                                     TMA_EVENT_L2_FILL, TMA_EVENT_ARRIVAL};
    uint64_t round = number / SMS;
    uint32_t sm = (uint32_t)(number % SMS);
    struct tma_event event = {.cycle = 100 + round * INTERVAL, .sm = sm, .cta = sm};
    if (round == 0 || round == EVENTS / SMS - 1) {
        event.kind = round == 0 ? TMA_EVENT_CTA_START : TMA_EVENT_CTA_END;
        return event;
    }
    round--;
    event.slot = (uint32_t)(round / KINDS % SLOTS);
    event.kind = kinds[round % KINDS];
    event.figures[0] = round / (SLOTS * KINDS);
    event.figures[1] = 64;
    event.figures[2] = event.kind == TMA_EVENT_ARRIVAL ? 3 * INTERVAL : 128 + number % 7;
    event.figures[3] = number % 1013;
    return event;
}

/* Writes all events but number `skipped`, with `delay` added to each cycle. */
static void write_trace(const char *path, uint64_t skipped, uint64_t delay) {
    static const struct tma_trace_header header = {.scenario = "bench"};
    FILE *file = fopen(path, "w");
    if (file == NULL)
        abort();
    struct tma_trace_writer *writer = tma_trace_writer_open(file, &header, NULL);
    struct tma_event_sink sink = tma_trace_writer_sink(writer);
    for (uint64_t i = 0; i < EVENTS; i++) {
        struct tma_event event = event_number(i);
        event.cycle += delay;
        if (i != skipped)
            sink.event(sink.context, &event);
    }
    if (tma_trace_writer_close(writer, NULL) != TMA_OK)
        abort();
    fclose(file);
}

static void bench_write(const char *name, const char *path, uint64_t skipped) {
    double start = wall_seconds();
    write_trace(path, skipped, 0);
    printf("%-32s %8.2f million events/s\n", name, EVENTS / (wall_seconds() - start) * 1e-6);
}

static void bench_diff(const char *name, const char *a, const char *b,
                       enum tma_trace_verdict expected) {
    static const struct tma_trace_tolerance exact = {0, 0};
    FILE *out = fopen("/dev/null", "w");
    enum tma_trace_verdict verdict;
    double start = wall_seconds();
    if (out == NULL || tma_trace_diff(a, b, &exact, out, &verdict, NULL) != TMA_OK ||
        verdict != expected)
        abort();
    printf("%-32s %8.2f million lines/s\n", name, 2 * EVENTS / (wall_seconds() - start) * 1e-6);
    fclose(out);
}

int main(void) {
    char directory[] = "/tmp/bench_trace.XXXXXX";
    if (mkdtemp(directory) == NULL || chdir(directory) != 0)
        abort();
    bench_write("trace write, /dev/null", "/dev/null", EVENTS);
    bench_write("trace write, file", "a", EVENTS);
    write_trace("b", FILL, 0);
    bench_diff("trace diff, equal", "a", "a", TMA_TRACE_SAME);
    bench_diff("trace diff, one event missing", "a", "b", TMA_TRACE_DIFFERENT);
    write_trace("b", EVENTS, 1);
    bench_diff("trace diff, every cycle differs", "a", "b", TMA_TRACE_DIFFERENT);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("%-32s %8.2f MiB\n", "trace peak memory", (double)usage.ru_maxrss / 1024);
    unlink("a");
    unlink("b");
    return rmdir(directory) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
