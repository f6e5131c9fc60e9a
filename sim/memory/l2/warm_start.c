/* Warm start: the state that an earlier kernel left in L2. Lines are allocated, marked as copies,
 * written and cleaned by the same functions of tags.h as in a run, but take no time. */
#include "memory/l2/l2.h"

/* Lines wait in a ring until the host has fetched their sets into its caches. */
enum { RING_LINES = 128, BATCH_LINES = 64 };

struct warm_line {
    struct tma_set_index index;
    bool again;       /* the same line was brought in before, for the other partition */
    bool after_miss;  /* brought in only where the line before it in the ring was missing */
    bool remote_copy; /* as in struct tma_l2_tags */
    uint8_t written;  /* sectors */
};

struct warm_ring {
    struct warm_line lines[RING_LINES];
    uint32_t put, taken; /* how many lines, in all */
    bool missed;         /* the line that was taken last was missing */
};

/* An operation of the earlier kernel. */
struct warm_operation {
    uint32_t partition; /* of its SM */
    enum tma_direction direction;
    bool promotes; /* to 256 bytes */
    bool again;
};

static void write_line(struct tma_core *core, struct tma_l2 *l2, const struct warm_line *line,
                       int way) {
    struct tma_l2_set *set = &l2->tags.sets[line->index.set];
    tma_tags_write(&l2->tags, set, way, line->written);
    tma_tags_set_remote_copy(&l2->tags, set, way, line->remote_copy);
    tma_tags_clean(&l2->tags, set, way, core->machine->l2.dirty_ways);
}

/* Whether the line is certainly present: it was brought in before, and L2 has evicted no line
 * since. */
static bool is_present(const struct tma_l2_tags *tags, const struct warm_line *line) {
    return line->again && line->written == 0 && !tags->full;
}

static void take_lines(struct tma_core *core, struct tma_l2 *l2, struct warm_ring *ring,
                       uint32_t count) {
    struct tma_l2_tags *tags = &l2->tags;
    for (uint32_t end = ring->taken + count; ring->taken != end; ring->taken++) {
        const struct warm_line *line = &ring->lines[ring->taken % RING_LINES];
        if (is_present(tags, line))
            ring->missed = false;
        if (is_present(tags, line) || (line->after_miss && !ring->missed))
            continue;
        int way = tma_tags_preload(tags, &tags->sets[line->index.set], line->index.tag,
                                   TMA_ALL_SECTORS, &ring->missed);
        if (line->written != 0)
            write_line(core, l2, line, way);
    }
}

static void put_line(const struct tma_l2_tags *tags, struct warm_ring *ring,
                     struct warm_line line) {
    ring->lines[ring->put % RING_LINES] = line;
    if (!is_present(tags, &line))
        tma_tags_prefetch(tags, line.index.set);
}

/* Brings a line in as tma_l2_receive_read would: a copy that is there answers a load, else the home
 * does; and a home that lacks the line also fetches the second one of its block, if it promotes. A
 * store leaves its line at home and in the SM's partition. (An entry that does not count is stored
 * too, and ignored: a branch would take the host longer.) */
static void bring_in(struct tma_core *core, struct tma_l2 *l2, struct warm_ring *ring,
                     const struct warm_operation *operation, uint64_t line, uint8_t sectors) {
    const struct tma_address_map *map = &core->map;
    const struct tma_page_places *page = tma_page_of(core->pages, map, line);
    const struct tma_line_on_page at = tma_line_on(page, map, line);
    bool remote = page->home != operation->partition;
    bool stored = operation->direction == TMA_STORE, loaded = operation->direction == TMA_LOAD;
    struct warm_line copy = {.index = tma_index_on(page, map, at, operation->partition)};
    struct warm_line home = {
        .index = tma_index_on(page, map, at, page->home),
        .again = operation->again,
        .after_miss = remote && loaded,
        .remote_copy = remote && stored,
        .written = tma_writes_tensor(operation->direction) ? sectors : 0,
    };
    put_line(&l2->tags, ring, loaded ? copy : home);
    ring->put += remote || !loaded;
    put_line(&l2->tags, ring, loaded ? home : copy);
    ring->put += loaded || (remote && stored);
    if (operation->promotes && tma_promotes_sectors(l2->promotion, line, sectors)) {
        struct tma_set_index second = tma_place_at_home(core, line + 1).index;
        put_line(&l2->tags, ring, (struct warm_line){.index = second, .after_miss = true});
        ring->put++;
    }
    if (ring->put - ring->taken > RING_LINES - 3)
        take_lines(core, l2, ring, BATCH_LINES);
}

/* The sectors of a line that the bytes from `first` to `last` touch. */
static uint8_t sectors_of(uint64_t line, uint64_t first, uint64_t last) {
    uint64_t start = line * TMA_LINE_BYTES, end = start + TMA_LINE_BYTES - 1;
    uint32_t from = (uint32_t)(first > start ? first - start : 0);
    return (uint8_t)tma_sector_mask(from, (uint32_t)((last < end ? last : end) - start));
}

static void bring_in_row(struct tma_core *core, struct tma_l2 *l2, struct warm_ring *ring,
                         const struct warm_operation *operation, uint64_t address, uint32_t bytes) {
    uint64_t last = address + bytes - 1;
    for (uint64_t line = address / TMA_LINE_BYTES; line <= last / TMA_LINE_BYTES; line++)
        bring_in(core, l2, ring, operation, line, sectors_of(line, address, last));
}

void tma_l2_warm(struct tma_core *core, struct tma_l2 *l2, uint32_t partition,
                 enum tma_direction direction, enum tma_l2_promotion promotion,
                 const struct tma_row_stream *rows, bool again) {
    bool reads = direction == TMA_LOAD || direction == TMA_PREFETCH;
    const struct warm_operation operation = {partition, direction,
                                             reads && promotion == TMA_L2_256B, again};
    struct tma_row_stream left = *rows;
    const struct tma_row_run *run;
    struct warm_ring ring = {.put = 0};
    uint32_t fill_lines = 0;
    while ((run = tma_rows_next_run(&left)) != NULL)
        for (uint32_t i = 0; i < run->rows; i++)
            if (run->first.data_bytes > 0)
                bring_in_row(core, l2, &ring, &operation,
                             run->first.global_address + i * run->global_step_bytes,
                             run->first.data_global_bytes);
            else if (fill_lines < TMA_FILL_LINES && direction == TMA_LOAD)
                bring_in(core, l2, &ring, &operation, tma_fill_line(fill_lines++), 0);
    take_lines(core, l2, &ring, ring.put - ring.taken);
}

void tma_l2_warm_line(struct tma_core *core, struct tma_l2 *l2, uint64_t line) {
    bool missed;
    for (uint32_t partition = 0; partition < core->map.partitions; partition++) {
        struct tma_set_index index = tma_place_in(core, line, partition).index;
        tma_tags_preload(&l2->tags, &l2->tags.sets[index.set], index.tag, TMA_ALL_SECTORS, &missed);
    }
}
