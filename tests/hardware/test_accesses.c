/* Replays accesses.tsv: loads, stores and atomics of warps on an H100. As in
 * scripts/capture/accesses.cu, each warp does eight accesses, waits for them, and does the next
 * eight. */
#include "families.h"
#include "memory/core/sectors.h"

enum {
    CLOCK_CYCLES = 10, /* that reading the clock adds to a load by itself: 290 for 279, 44 for 35 */
    BURST_CYCLES = 233, /* barrier and instructions of a burst: what four loads take beyond 279, */
    COLD_BURST_CYCLES = 334, /* and beyond 680 after L2 was emptied */
    CHUNK_CYCLES = 20,       /* from the last data of a chunk to the first access of the next one */
    ISSUE_CYCLES = 4,        /* between accesses of a warp */
    WARM_ROWS = 256,
};

/* Brings `bytes` bytes from the first address on into L2, for SMs of both partitions. */
static void warm(struct tma_memory *memory, uint64_t bytes) {
    const struct tma_tensor_map map = {
        .kind = TMA_MAP_TILED,
        .data_type = TMA_FLOAT16,
        .rank = 2,
        .global_address = FIRST_ADDRESS,
        .global_dim = {TMA_LINE_BYTES / 2, 1 << 24},
        .global_strides = {TMA_LINE_BYTES},
        .box_dim = {TMA_LINE_BYTES / 2, WARM_ROWS},
        .element_strides = {1, 1},
    };
    uint32_t sms[2] = {0, 0};
    while (tma_memory_partition(memory, sms[1]) == tma_memory_partition(memory, sms[0]))
        sms[1]++;
    for (uint64_t row = 0; row < bytes / TMA_LINE_BYTES; row += WARM_ROWS)
        for (int i = 0; i < 2; i++) {
            const struct tma_operation operation = {.direction = TMA_LOAD,
                                                    .coordinates = {0, (int32_t)row}};
            struct tma_row_stream rows;
            struct tma_operation_size size;
            struct tma_error error;
            ck_assert(tma_rows_begin(&rows, &map, &operation, &size, &error) == TMA_OK);
            tma_memory_warm(memory, sms[i], TMA_LOAD, map.l2_promotion, &rows, i == 1);
        }
}

static void set_kind(struct tma_access *access, const char *what) {
    access->kind = kind_of(what);
    access->caching = has(what, "op=ld.cg") ? TMA_CACHING_L2 : TMA_CACHING_ALL;
}

/* Lanes of `bytes` bytes each, `stride` bytes apart. */
static void add_lanes(struct tma_access *access, uint64_t address, uint32_t stride, uint32_t lanes,
                      uint32_t bytes) {
    uint32_t covered[LANES] = {0};
    access->line_count = 0;
    access->wavefronts = (lanes * bytes + TMA_LINE_BYTES - 1) / TMA_LINE_BYTES;
    for (uint32_t lane = 0; lane < lanes; lane++) {
        uint64_t first = address + (uint64_t)lane * stride;
        uint32_t at = 0, offset = (uint32_t)(first % TMA_LINE_BYTES);
        while (at < access->line_count && access->lines[at].line != first / TMA_LINE_BYTES)
            at++;
        struct tma_access_line *line = &access->lines[at];
        if (at == access->line_count) {
            *line = (struct tma_access_line){.line = first / TMA_LINE_BYTES};
            access->line_count++;
        }
        line->sectors |= (uint8_t)tma_sector_mask(offset, offset + bytes - 1);
        line->rounds = (uint8_t)(stride == 0 ? lanes : 1);
        covered[at] += stride == 0 && lane > 0 ? 0 : bytes;
    }
    for (uint32_t i = 0; i < access->line_count; i++) {
        uint32_t sectors = tma_sector_count(access->lines[i].sectors);
        access->lines[i].partial = access->kind == TMA_ACCESS_STORE
                                       ? covered[i] < sectors * TMA_SECTOR_BYTES
                                       : sectors == 1 && covered[i] <= TMA_SECTOR_BYTES / 2;
    }
}

/* The latency of one access. */
static uint64_t latency(struct tma_memory *memory, struct tma_access *access) {
    struct tma_access_completion done;
    access->cycle = tma_memory_now(memory) + 2000;
    ck_assert(tma_memory_access(memory, access) && tma_memory_drain(memory));
    ck_assert(tma_memory_take_access(memory, &done));
    return done.cycle - access->cycle;
}

static double replay_latency(const char *what, bool *replayed) {
    struct tma_memory *memory = create();
    struct tma_access access = {.sm = record_word(what, "sm")};
    bool l1 = has(what, "where=l1");
    uint32_t lines = l1 ? 64 : 2000;
    double sum = 0;
    set_kind(&access, what);
    *replayed = access.kind == TMA_ACCESS_LOAD || access.kind == TMA_ACCESS_ATOMIC;
    if (has(what, "shared"))
        *replayed = false;
    if (!has(what, "where=dram"))
        warm(memory, 32 << 20);
    for (uint32_t pass = 0; *replayed && pass < (has(what, "where=dram") ? 1 : 2); pass++) {
        sum = 0;
        for (uint32_t i = 0; i < lines; i++) {
            uint32_t line = l1 ? i : i * 131 % (1 << 18);
            add_lanes(&access, FIRST_ADDRESS + (uint64_t)line * TMA_LINE_BYTES, 0, 1, 4);
            sum += (double)latency(memory, &access);
        }
    }
    tma_memory_free(memory);
    return sum / lines + (has(what, "chain") ? 0 : CLOCK_CYCLES);
}

/* The accesses of a record by all warps of some SMs, `rounds` times eight of each. Returns the
 * cycles of the slowest SM. */
static double run_rate(struct tma_memory *memory, const char *what, uint32_t rounds) {
    static struct warp warps[TMA_MAX_SMS][MAX_WARPS];
    uint32_t sms = record_word(what, "sms"), count = record_word(what, "warps"), left = 0;
    uint32_t range = record_word(what, "range");
    uint64_t sm_range = record_word(what, "sm_range"), start = tma_memory_now(memory) + 1000,
             last = 0;
    struct tma_access access = {0};
    struct tma_access_completion done;
    set_kind(&access, what);
    bool loads = access.kind == TMA_ACCESS_LOAD || access.kind == TMA_ACCESS_ATOMIC;
    for (uint32_t sm = 0; sm < sms; sm++)
        for (uint32_t i = 0; i < count; i++, left++)
            warps[sm][i] = (struct warp){.ready = start + i};
    for (uint64_t cycle = start; left > 0; cycle++) {
        for (uint32_t sm = 0; sm < sms; sm++)
            for (uint32_t i = 0; i < count; i++) {
                struct warp *warp = &warps[sm][i];
                if (warp->ready > cycle || warp->issued == rounds * CHUNK ||
                    (loads && warp->issued % CHUNK == 0 && warp->waiting > 0))
                    continue;
                uint64_t at = (uint64_t)i * record_word(what, "warp_step") +
                              (uint64_t)warp->issued * record_word(what, "step");
                access.cycle = cycle;
                access.sm = sm;
                access.tag = (uint64_t)sm * MAX_WARPS + i;
                add_lanes(&access, FIRST_ADDRESS + sm * sm_range + at % range,
                          record_word(what, "stride"), LANES, record_word(what, "bytes"));
                ck_assert(tma_memory_access(memory, &access));
                warp->issued++;
                warp->waiting++;
                warp->ready = cycle + ISSUE_CYCLES;
                if (!loads)
                    warp->ready += tma_memory_waiting_accesses(memory, sm);
            }
        ck_assert(tma_memory_advance(memory, cycle + 1));
        while (tma_memory_take_access(memory, &done)) {
            struct warp *warp = &warps[done.tag / MAX_WARPS][done.tag % MAX_WARPS];
            warp->waiting--;
            if (loads && warp->waiting == 0 && done.cycle + CHUNK_CYCLES > warp->ready)
                warp->ready = done.cycle + CHUNK_CYCLES;
            last = done.cycle > last ? done.cycle : last;
            left -= warp->waiting == 0 && warp->issued == rounds * CHUNK;
        }
    }
    return (double)(last - start);
}

static double replay_rate(const char *what, bool *replayed) {
    uint32_t sms = record_word(what, "sms"), count = record_word(what, "warps");
    uint32_t rounds = sms == 1 ? 32 : 4;
    /* Fewer warps had found part of their lines in DRAM. */
    *replayed = !has(what, "where=dram") && (sms == 1 || record_word(what, "stride") <= 32) &&
                !(sms > 1 && has(what, "where=same")) && (count == 32 || has(what, "where=l1"));
    if (!*replayed)
        return 0;
    struct tma_memory *memory = create();
    warm(memory, sms == 1 ? 4 << 20 : sms * (uint64_t)record_word(what, "sm_range"));
    if (has(what, "op=ld.ca"))
        run_rate(memory, what, rounds);
    double cycles = run_rate(memory, what, rounds);
    tma_memory_free(memory);
    return cycles / (rounds * CHUNK * count);
}

/* Cycles until all lanes have their sectors. */
static double replay_burst(const char *what, bool *replayed) {
    uint32_t warps = record_word(what, "warps"), each = record_word(what, "each"),
             lanes = record_word(what, "lanes");
    *replayed = record_word(what, "loads") >= 256;
    struct tma_memory *memory = create();
    struct tma_access access = {.kind = TMA_ACCESS_LOAD, .caching = TMA_CACHING_L2};
    struct tma_access_completion done;
    uint64_t last = 0;
    if (has(what, "where=l2"))
        warm(memory, 4096 * TMA_LINE_BYTES);
    for (uint32_t i = 0; i < warps * each; i++) {
        access.cycle = 1000 + i;
        add_lanes(&access, FIRST_ADDRESS + (uint64_t)i * lanes * TMA_LINE_BYTES, TMA_LINE_BYTES,
                  lanes, 4);
        ck_assert(tma_memory_access(memory, &access));
    }
    ck_assert(tma_memory_drain(memory));
    while (tma_memory_take_access(memory, &done))
        last = done.cycle > last ? done.cycle : last;
    tma_memory_free(memory);
    return (double)(last - 1000) + (has(what, "where=l2") ? BURST_CYCLES : COLD_BURST_CYCLES);
}

/* A load takes 7.2 cycles if all hit, and 36.4 if none does. */
static double replay_capacity(const char *what, bool *replayed) {
    uint32_t lines = record_word(what, "kib") * 8;
    *replayed = record_word(what, "shared_kib") > 0 && lines >= 20 * 8;
    struct tma_memory *memory = create();
    struct tma_access access = {.kind = TMA_ACCESS_LOAD};
    struct tma_memory_counters before = {0}, after;
    tma_memory_carve_out(memory, (uint64_t)record_word(what, "shared_kib") * 1024 + 1024);
    for (uint32_t pass = 0; pass < 4; pass++) {
        before = tma_memory_count(memory);
        for (uint32_t i = 0; i < lines; i++) {
            add_lanes(&access, FIRST_ADDRESS + (uint64_t)i * TMA_LINE_BYTES, 4, LANES, 4);
            latency(memory, &access);
        }
    }
    after = tma_memory_count(memory);
    tma_memory_free(memory);
    double hits = (double)(after.l1_hit_sectors - before.l1_hit_sectors) /
                  (double)(after.l1_sectors - before.l1_sectors);
    return 7.2 * hits + 36.4 * (1 - hits);
}

static const struct family families[] = {
    {"latency", replay_latency, 6, "op="}, {"capacity", replay_capacity, 12, "kib="},
    {"burst", replay_burst, 8, "where="},  {"rate", replay_rate, 12, "op=ld.ca"},
    {"rate", replay_rate, 12, "op=ld.cg"}, {"rate", replay_rate, 12, "op=st"},
    {"rate", replay_rate, 15, "op=red"},   {"rate", replay_rate, 15, "op=atom"},
};

TEST_ROWS(test_family, TABLE_ROWS(families)) {
    static double errors[MOST_RECORDS];
    const struct family *family = &families[_i];
    const char *column = strcmp(family->name, "latency") == 0 ? "mean" : "median";
    uint32_t count = replay_family(family, column, errors);
    double mean = mean_of(errors, count), worst = 0;
    for (uint32_t i = 0; i < count; i++)
        worst = fmax(worst, errors[i]);
    printf("%s %s: %u records, mean error %.1f %%, worst %.1f %%\n", family->name, family->only,
           count, mean, worst);
    check_mean(family, mean);
}

static void read_files(void) {
    struct tma_diagnostics list = {0};
    ck_assert(tma_machine_read("configs/gpus/h100_sxm.yaml", &machine, &list));
    tma_diagnostics_free(&list);
    ck_assert(tma_tsv_read("tests/hardware/h100/accesses.tsv", &records, NULL) == TMA_OK);
}

static void free_files(void) {
    tma_tsv_free(&records);
}

TEST_SUITE("accesses of warps on an H100", .set_up_once = read_files, .tear_down_once = free_files,
           .timeout = NO_TIMEOUT);
