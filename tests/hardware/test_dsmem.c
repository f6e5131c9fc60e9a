/* Replays what copies.tsv says about the shared memory of other CTAs, on an H100 and an H200:
 * latencies, rates of stores and atomics, and copies from CTA to CTA. As in
 * scripts/capture/copies.cu, a warp stores without a wait and ends with a load; before eight
 * more atomics it waits for the results of the eight before the last ones. */
#include "families.h"
#include "memory/core/sectors.h"

enum {
    COUNT = 512,      /* accesses of a warp, copies of a CTA */
    NEXT_CYCLES = 14, /* from a store to the load behind it */
    TURN_CYCLES = 85, /* from the end of an mbarrier's phase to the next copy */
    COPY_CYCLES = 61, /* from a copy to the next one of a thread */
    UNIT_BYTES = 16,
};

/* Lanes of `bytes` bytes each, `stride` bytes apart. */
static void add_lanes(struct tma_access *access, uint32_t stride, uint32_t lanes, uint32_t bytes) {
    uint32_t covered[TMA_MAX_ACCESS_LINES] = {0}, words[LANES] = {0}, most = 1;
    access->line_count = 0;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint32_t first = lane * stride, offset = first % TMA_LINE_BYTES;
        struct tma_access_line *line = &access->lines[first / TMA_LINE_BYTES];
        if (first / TMA_LINE_BYTES == access->line_count) {
            *line = (struct tma_access_line){.line = first / TMA_LINE_BYTES};
            access->line_count++;
        }
        line->sectors |= (uint8_t)tma_sector_mask(offset, offset + bytes - 1);
        line->units |= (uint8_t)(1u << offset / UNIT_BYTES);
        line->rounds = (uint8_t)(stride == 0 ? lanes : 1);
        covered[first / TMA_LINE_BYTES] += stride == 0 && lane > 0 ? 0 : bytes;
        if (stride != 0 && ++words[first / 4 % LANES] > most)
            most = words[first / 4 % LANES];
    }
    for (uint32_t i = 0; i < access->line_count; i++)
        access->lines[i].partial =
            covered[i] < TMA_SECTOR_BYTES * tma_sector_count(access->lines[i].sectors);
    uint32_t least = (lanes * bytes + TMA_LINE_BYTES - 1) / TMA_LINE_BYTES;
    access->wavefronts = most > least ? most : least;
}

/* The latency of one lane's access to the SM beside, in a chain; a store with a load behind it. */
static double replay_latency(const char *what, bool *replayed) {
    struct tma_memory *memory = create();
    struct tma_access access = {.distant = true, .sm = 0, .peer = 1, .cycle = 1000};
    struct tma_access_completion done;
    uint64_t sum = 0;
    *replayed = record_word(what, "from") != record_word(what, "to");
    for (int pass = 0; pass < (kind_of(what) == TMA_ACCESS_STORE ? 2 : 1); pass++) {
        access.kind = pass == 0 ? kind_of(what) : TMA_ACCESS_LOAD;
        add_lanes(&access, 4, 1, 4);
        ck_assert(tma_memory_access(memory, &access));
        if (pass == 0 && access.kind == TMA_ACCESS_STORE) {
            access.cycle += NEXT_CYCLES;
            sum += NEXT_CYCLES;
            continue;
        }
        while (!tma_memory_take_access(memory, &done) || done.tag != access.tag)
            ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + 1));
        sum += done.cycle - access.cycle;
    }
    tma_memory_free(memory);
    return (double)sum;
}

/* Cycles for an access of one SM's warps; with `both` the other SM has as many. */
static double replay_rate(const char *what, bool *replayed) {
    static struct warp warps[2][MAX_WARPS];
    uint32_t count = record_word(what, "warps"), sms = 1 + record_word(what, "both"), left = 0;
    uint32_t bytes = has(what, "16 warps") ? 16 : 4;
    enum tma_access_kind kind = kind_of(what);
    bool waits = kind == TMA_ACCESS_ATOMIC;
    struct tma_access access = {.distant = true, .kind = kind};
    struct tma_access_completion done;
    uint64_t start = 1000, last = 0;
    /* Loads are no record. Fewer warps of 66 clusters take twice as long, which nothing explains.
     */
    *replayed = kind != TMA_ACCESS_LOAD && (record_word(what, "clusters") == 1 || count >= 8);
    if (!*replayed)
        return 0;
    struct tma_memory *memory = create();
    add_lanes(&access, record_word(what, "stride"), LANES, bytes);
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < count; i++, left++)
            warps[sm][i] = (struct warp){.ready = start + i};
    for (uint64_t cycle = start; left > 0; cycle++) {
        for (uint32_t sm = 0; sm < sms; sm++)
            for (uint32_t i = 0; i < count; i++) {
                struct warp *warp = &warps[sm][i];
                if (warp->ready > cycle || warp->issued == COUNT ||
                    (waits && warp->issued % CHUNK == 0 && warp->waiting > CHUNK))
                    continue;
                access.cycle = cycle;
                access.sm = sm;
                access.peer = 1 - sm;
                access.tag = (uint64_t)sm * MAX_WARPS + i;
                ck_assert(tma_memory_access(memory, &access));
                warp->issued++;
                warp->waiting++;
                warp->ready = cycle + 1 + tma_memory_waiting_accesses(memory, sm);
            }
        ck_assert(tma_memory_advance(memory, cycle + 1));
        while (tma_memory_take_access(memory, &done)) {
            struct warp *warp = &warps[done.tag / MAX_WARPS][done.tag % MAX_WARPS];
            warp->waiting--;
            last = done.cycle > last ? done.cycle : last;
            left -= warp->waiting == 0 && warp->issued == COUNT;
        }
    }
    tma_memory_free(memory);
    return (double)(last - start) / (COUNT * count);
}

/* A copy of `bytes` bytes from SM 0 to SM 1 at `cycle`. */
static void copy(struct tma_memory *memory, uint32_t bytes, uint64_t cycle) {
    struct tma_row_stream rows;
    struct tma_operation_size size;
    struct tma_error error;
    const struct tma_tensor_map map = tma_map_of_bytes(1024, bytes);
    const struct tma_operation store = {.direction = TMA_STORE, .access = TMA_ACCESS_TILE};
    ck_assert(tma_rows_begin(&rows, &map, &store, &size, &error) == TMA_OK);
    ck_assert(tma_memory_issue(memory, &(struct tma_issue){.cycle = cycle,
                                                           .direction = TMA_STORE,
                                                           .map = &map,
                                                           .rows = &rows,
                                                           .size = &size,
                                                           .distant = true,
                                                           .peer = 1}));
}

/* The end of the last copy of `count`, `interval` cycles apart. */
static uint64_t copies(uint32_t bytes, uint32_t count, uint64_t interval) {
    struct tma_memory *memory = create();
    struct tma_completion done;
    uint64_t last = 0;
    for (uint32_t i = 0; i < count; i++) {
        copy(memory, bytes, i * interval);
        ck_assert(tma_memory_advance(memory, (i + 1) * interval));
    }
    for (uint32_t left = count; left > 0;) {
        if (tma_memory_take(memory, &done)) {
            last = done.cycle > last ? done.cycle : last;
            left--;
        } else {
            ck_assert(tma_memory_advance(memory, tma_memory_now(memory) + 1));
        }
    }
    tma_memory_free(memory);
    return last;
}

static double replay_copy(const char *what, bool *replayed) {
    *replayed = has(what, "way=peer");
    return (double)copies(record_word(what, "bytes"), 1, 1) + TURN_CYCLES;
}

static double replay_copies(const char *what, bool *replayed) {
    enum { FEW = 63 };
    *replayed = has(what, "way=peer");
    return (double)copies(record_word(what, "bytes"), FEW, COPY_CYCLES) / FEW;
}

static const struct family families[] = {
    {"dsmem_latency", replay_latency, 4, "op="}, {"dsmem_rate", replay_rate, 5, "op=st"},
    {"dsmem_rate", replay_rate, 7, "op=atom"},   {"dsmem_rate", replay_rate, 4, "op=red"},
    {"bulk_latency", replay_copy, 10, "way="},   {"bulk_rate", replay_copies, 4, "way="},
};
enum { FAMILIES = sizeof families / sizeof *families };

static const struct {
    const char *records, *machine;
} gpus[] = {{"tests/hardware/h100/copies.tsv", "h100_sxm"},
            {"tests/hardware/h200/copies.tsv", "h200"}};

TEST_ROWS(test_family, FAMILIES *(int)(sizeof gpus / sizeof *gpus)) {
    static double errors[MOST_RECORDS];
    const struct family *family = &families[_i % FAMILIES];
    int gpu = _i / FAMILIES;
    machine = shipped_machine(gpus[gpu].machine);
    read_records(gpus[gpu].records, &records);
    uint32_t count = replay_family(family, "value", errors);
    double mean = mean_of(errors, count);
    printf("%s %s %s: %u records, mean error %.1f %%, 95 of 100 within %.1f %%\n",
           gpus[gpu].machine, family->name, family->only, count, mean,
           percentile_95(errors, count));
    check_mean(family, mean);
    tma_tsv_free(&records);
}

TEST_SUITE("shared memory of other CTAs on an H100 and an H200", .timeout = NO_TIMEOUT);
