#include "memory/sm/l1.h"

#include "base/allocation.h"

static uint32_t line_count(const struct tma_l1 *l1) {
    return l1->sets * l1->ways;
}

static void unlink_line(struct tma_l1 *l1, uint32_t number) {
    const struct tma_l1_line *line = &l1->lines[number];
    l1->lines[line->newer].older = line->older;
    l1->lines[line->older].newer = line->newer;
}

/* Puts a line behind another one: before it in time. */
static void link_before(struct tma_l1 *l1, uint32_t number, uint32_t newer) {
    struct tma_l1_line *line = &l1->lines[number];
    line->newer = newer;
    line->older = l1->lines[newer].older;
    l1->lines[line->older].newer = number;
    l1->lines[newer].older = number;
}

static uint32_t set_of(const struct tma_l1 *l1, uint64_t line) {
    return (uint32_t)(line % l1->sets);
}

/* What stands between the oldest line of a set and its newest one. */
static uint32_t end_of_set(const struct tma_l1 *l1, uint64_t line) {
    return line_count(l1) + set_of(l1, line);
}

bool tma_l1_create(struct tma_l1 *l1, uint64_t bytes, uint32_t ways) {
    uint32_t sets = (uint32_t)(bytes / TMA_LINE_BYTES / ways);
    sets = sets > 0 ? sets : 1;
    *l1 = (struct tma_l1){.sets = sets, .ways = ways, .bucket_bits = 1};
    while (1u << l1->bucket_bits < line_count(l1))
        l1->bucket_bits++;
    l1->lines = tma_allocate(line_count(l1) + sets, sizeof *l1->lines);
    l1->buckets = tma_allocate((size_t)1 << l1->bucket_bits, sizeof *l1->buckets);
    l1->used = tma_allocate(sets, sizeof *l1->used);
    if (l1->lines == NULL || l1->buckets == NULL || l1->used == NULL)
        return false;
    for (uint32_t i = 0; i < 1u << l1->bucket_bits; i++)
        l1->buckets[i] = TMA_NONE;
    for (uint32_t set = 0; set < sets; set++) {
        uint32_t end = line_count(l1) + set;
        l1->lines[end].newer = l1->lines[end].older = end;
    }
    return true;
}

void tma_l1_free(struct tma_l1 *l1) {
    TMA_RELEASE(l1->lines, l1->buckets, l1->used);
    *l1 = (struct tma_l1){0};
}

uint32_t tma_l1_find(const struct tma_l1 *l1, uint64_t line) {
    uint32_t number = *tma_l1_bucket(l1, line);
    while (number != TMA_NONE && l1->lines[number].line != line)
        number = l1->lines[number].chain;
    return number;
}

void tma_l1_use(struct tma_l1 *l1, uint32_t number, bool evict_first) {
    uint32_t end = end_of_set(l1, l1->lines[number].line);
    unlink_line(l1, number);
    link_before(l1, number, evict_first ? l1->lines[end].newer : end);
}

/* Takes a line out of the list of its hash. */
static void forget(struct tma_l1 *l1, uint32_t number) {
    uint32_t *link = tma_l1_bucket(l1, l1->lines[number].line);
    while (*link != number)
        link = &l1->lines[*link].chain;
    *link = l1->lines[number].chain;
}

/* The line of a set that goes next, or TMA_NONE. A line to keep is spared once. */
static uint32_t victim_of(struct tma_l1 *l1, uint32_t end) {
    uint32_t spared = 0, number = l1->lines[end].newer;
    while (number != end) {
        struct tma_l1_line *line = &l1->lines[number];
        uint32_t next = line->newer;
        if (line->pending == 0 && !line->keep)
            return number;
        if (line->pending == 0) {
            line->keep = false;
            unlink_line(l1, number);
            link_before(l1, number, end);
            if (++spared == l1->ways)
                return number;
        }
        number = next;
    }
    return TMA_NONE;
}

uint32_t tma_l1_allocate(struct tma_l1 *l1, uint64_t line) {
    uint32_t set = set_of(l1, line), end = end_of_set(l1, line), number;
    if (l1->used[set] < l1->ways) {
        number = set * l1->ways + l1->used[set]++;
    } else {
        number = victim_of(l1, end);
        if (number == TMA_NONE)
            return TMA_NONE;
        forget(l1, number);
        unlink_line(l1, number);
    }
    uint32_t *bucket = tma_l1_bucket(l1, line);
    struct tma_l1_line *allocated = &l1->lines[number];
    allocated->line = line;
    allocated->chain = *bucket;
    allocated->first = TMA_NONE;
    allocated->valid = allocated->pending = 0;
    allocated->keep = false;
    *bucket = number;
    link_before(l1, number, end);
    return number;
}

void tma_l1_invalidate(struct tma_l1 *l1) {
    for (uint32_t i = 0; tma_l1_exists(l1) && i < line_count(l1); i++)
        l1->lines[i].valid = 0;
}
