#include "engine/observe/observer.h"

#include "base/allocation.h"
#include "engine/observe/series_columns.h"

_Static_assert((int)TMA_SERIES_TICKS == (int)TMA_TICKS, "series have the ticks of ports");

bool tma_observer_create(struct tma_observer *observer, const struct tma_watch *watch,
                         uint32_t cause_count) {
    *observer = (struct tma_observer){0};
    if (watch == NULL)
        return true;
    observer->spans = watch->spans;
    observer->series = watch->series;
    if (watch->series == NULL)
        return true;
    tma_series_clear(watch->series, cause_count);
    observer->busy_ticks =
        tma_allocate((size_t)2 * watch->series->columns, sizeof *observer->busy_ticks);
    return observer->busy_ticks != NULL;
}

void tma_observer_free(struct tma_observer *observer) {
    tma_release(observer->busy_ticks);
    *observer = (struct tma_observer){0};
}

/* Part of a window's figure belongs to the window before it. */
static void move_back(uint64_t *row, uint64_t *before, uint32_t column, uint64_t late) {
    uint64_t part = late < row[column] ? late : row[column];
    row[column] -= part;
    before[column] += part;
}

/* Moves what DRAM had done when the last sample was taken, but was not known then, to the window
 * that ended there. */
static void move_late_work(const struct tma_observer *observer, const struct tma_memory *memory,
                           uint64_t *row) {
    struct tma_series *series = observer->series;
    if (observer->sampled_cycle == 0)
        return;
    uint64_t *before = tma_series_row(series, observer->sampled_cycle - 1);
    uint32_t first = tma_server_column(series, TMA_SERVER_DRAM_CHANNEL);
    for (uint32_t i = 0; i < series->servers[TMA_SERVER_DRAM_CHANNEL]; i++)
        move_back(row, before, first + i, tma_memory_late_ticks(memory, i));
    move_back(row, before, TMA_SERIES_DRAM_READ_SECTORS, tma_memory_late_sectors(memory, false));
    move_back(row, before, TMA_SERIES_DRAM_WRITE_SECTORS, tma_memory_late_sectors(memory, true));
}

/* Adds to the window that ends at `cycle`, or later, what has happened since the last sample. Work
 * accepted since then can be in the future: a server's busy time may seem to shrink for a moment,
 * which counts as none. */
static void sample(struct tma_observer *observer, const struct tma_memory *memory, uint64_t cycle,
                   uint64_t busy_until) {
    struct tma_series *series = observer->series;
    uint64_t *row = tma_series_row(series, cycle - 1);
    uint64_t *now = observer->busy_ticks + series->columns, *before = observer->busy_ticks;
    uint32_t first = tma_server_column(series, 0), end = tma_first_cause_column(series);
    tma_memory_busy_ticks(memory, busy_until, &now[first]);
    for (uint32_t column = first; column < end; column++)
        if (now[column] > before[column]) {
            row[column] += now[column] - before[column];
            before[column] = now[column];
        }
    struct tma_memory_counters counters = tma_memory_count(memory);
    const struct tma_memory_counters *last = &observer->counters;
    row[TMA_SERIES_L2_SECTORS] += counters.sectors - last->sectors;
    row[TMA_SERIES_L2_MISS_SECTORS] += counters.miss_sectors - last->miss_sectors;
    row[TMA_SERIES_SM_READ_SECTORS] += counters.response_sectors - last->response_sectors;
    row[TMA_SERIES_SM_WRITE_SECTORS] += counters.write_sectors - last->write_sectors;
    row[TMA_SERIES_DRAM_READ_SECTORS] += counters.dram_read_sectors - last->dram_read_sectors;
    row[TMA_SERIES_DRAM_WRITE_SECTORS] += counters.dram_write_sectors - last->dram_write_sectors;
    move_late_work(observer, memory, row);
    observer->counters = counters;
    observer->sampled_cycle = cycle;
}

static uint64_t next_sample(const struct tma_observer *observer) {
    uint64_t window = observer->series->window_cycles;
    return (observer->sampled_cycle / window + 1) * window;
}

bool tma_observe_advance(struct tma_observer *observer, struct tma_memory *memory, uint64_t until) {
    if (observer->series == NULL)
        return tma_memory_advance(memory, until);
    for (uint64_t next; (next = next_sample(observer)) <= until;) {
        if (!tma_memory_advance(memory, next))
            return false;
        sample(observer, memory, next, next);
        tma_memory_observe(memory, next);
    }
    return tma_memory_advance(memory, until);
}

bool tma_observe_drain(struct tma_observer *observer, struct tma_memory *memory) {
    if (observer->series == NULL)
        return tma_memory_drain(memory);
    while (!tma_memory_is_drained(memory))
        if (!tma_observe_advance(observer, memory, next_sample(observer)))
            return false;
    return true;
}

static const struct tma_span_place no_place = {.stage = TMA_NO_SPAN_STAGE};

static void give(struct tma_observer *observer, enum tma_span_kind kind,
                 struct tma_event_source source, uint32_t cause, uint64_t start, uint64_t end,
                 uint64_t bytes, const struct tma_span_place *place) {
    const struct tma_span span = {.kind = kind,
                                  .sm = source.sm,
                                  .cta = source.cta,
                                  .slot = source.slot,
                                  .cause = cause,
                                  .start_cycle = start,
                                  .end_cycle = end,
                                  .bytes = bytes,
                                  .place = *place};
    observer->spans->span(observer->spans->context, &span);
}

/* Adds the time from start to end, so often, to a figure. */
static void add(struct tma_observer *observer, enum tma_series_figure figure, uint64_t start,
                uint64_t end, uint64_t weight) {
    if (observer->series != NULL)
        tma_series_add(observer->series, figure, start, end, weight, 1);
}

/* Time that a slot or role spent for a cause, which has this number among all causes. */
static void spend(struct tma_observer *observer, enum tma_span_kind kind,
                  struct tma_event_source source, uint32_t cause, uint32_t number, uint64_t start,
                  uint64_t end, const struct tma_span_place *place) {
    if (observer->series != NULL)
        tma_series_add(observer->series, tma_first_cause_column(observer->series) + number, start,
                       end, 1, 1);
    if (observer->spans != NULL && end > start)
        give(observer, kind, source, cause, start, end, 0, place);
}

void tma_observe_cta(struct tma_observer *observer, struct tma_event_source source, uint64_t start,
                     uint64_t end) {
    add(observer, TMA_SERIES_CTA_CYCLES, start, end, 1);
    if (observer->spans != NULL)
        give(observer, TMA_SPAN_CTA, source, 0, start, end, 0, &no_place);
}

void tma_observe_slot(struct tma_observer *observer, struct tma_event_source source, uint64_t start,
                      const uint64_t cycles[TMA_CAUSE_COUNT]) {
    static const enum tma_cause order[TMA_CAUSE_COUNT] = {
        TMA_CAUSE_CLUSTER,        TMA_CAUSE_ISSUE,        TMA_CAUSE_TMA_QUEUE,
        TMA_CAUSE_DESCRIPTOR,     TMA_CAUSE_TMA_ROWS,     TMA_CAUSE_CROSSBAR,
        TMA_CAUSE_CROSSBAR_QUEUE, TMA_CAUSE_L2,           TMA_CAUSE_DRAM,
        TMA_CAUSE_DRAM_QUEUE,     TMA_CAUSE_SHARED_WRITE, TMA_CAUSE_WAKE,
        TMA_CAUSE_CONSUME_QUEUE,  TMA_CAUSE_CONSUME};
    if (observer->series == NULL && observer->spans == NULL)
        return;
    uint64_t cycle = start;
    for (int i = 0; i < TMA_CAUSE_COUNT; i++) {
        enum tma_cause cause = order[i];
        uint64_t end = cycle + cycles[cause];
        spend(observer, TMA_SPAN_SLOT, source, cause, cause, cycle, end, &no_place);
        cycle = end;
    }
}

void tma_observe_role(struct tma_observer *observer, struct tma_event_source source,
                      enum tma_role_cause cause, uint64_t start, uint64_t end,
                      const struct tma_span_place *place) {
    spend(observer, TMA_SPAN_ROLE, source, cause, source.slot * TMA_ROLE_CAUSE_COUNT + cause, start,
          end, place);
}

void tma_observe_work(struct tma_observer *observer, enum tma_span_kind kind,
                      struct tma_event_source source, uint64_t start, uint64_t end,
                      const struct tma_span_place *place) {
    if (observer->spans != NULL && end > start)
        give(observer, kind, source, 0, start, end, 0, place);
}

void tma_observe_completion(struct tma_observer *observer, struct tma_event_source source,
                            enum tma_direction direction, const struct tma_completion *completion,
                            const struct tma_span_place *place) {
    uint64_t bytes = direction == TMA_LOAD ? completion->bytes : completion->tensor_bytes;
    if (observer->series != NULL) {
        uint64_t *row = tma_series_row(observer->series, completion->cycle - 1);
        row[TMA_SERIES_OPERATIONS] += !completion->copied;
        row[TMA_SERIES_BYTES] += bytes;
    }
    add(observer, TMA_SERIES_FLIGHT_BYTE_CYCLES, completion->issue_cycle, completion->cycle, bytes);
    if (completion->copied)
        return;
    add(observer, TMA_SERIES_FLIGHT_CYCLES, completion->issue_cycle, completion->cycle, 1);
    if (observer->spans != NULL)
        give(observer, TMA_SPAN_OPERATION, source, direction, completion->start_cycle,
             completion->rows_cycle, bytes, place);
}

void tma_observe_full_stage(struct tma_observer *observer, uint64_t start, uint64_t end) {
    add(observer, TMA_SERIES_FULL_STAGE_CYCLES, start, end, 1);
}

void tma_observe_unit(struct tma_observer *observer, enum tma_series_figure figure,
                      uint64_t end_ticks, uint64_t busy_ticks) {
    if (observer->series != NULL)
        tma_series_add(observer->series, figure, end_ticks - busy_ticks, end_ticks, 1, TMA_TICKS);
}

void tma_observe_end(struct tma_observer *observer, const struct tma_memory *memory,
                     uint64_t cycles, const struct tma_histogram *latencies) {
    struct tma_series *series = observer->series;
    if (series == NULL || cycles == 0)
        return;
    sample(observer, memory, cycles, UINT64_MAX);
    series->windows = (uint32_t)((cycles - 1) / series->window_cycles + 1);
    series->cycles = cycles;
    series->latencies = tma_histogram_bars(latencies);
}
