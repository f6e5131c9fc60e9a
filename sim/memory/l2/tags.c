#include "memory/l2/tags.h"

#include <assert.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/allocation.h"
#include "memory/l2/replacement.h"

/* The other fields of a set are written before they are read. */
static void empty_set(struct tma_l2_set *set, uint64_t replacement) {
    memset(set->low_tags, UINT8_MAX, sizeof set->low_tags); /* TMA_L2_EMPTY */
    set->valid = set->requested = 0;
    set->replacement = replacement;
    set->pending = set->filling = set->dirty = 0;
}

static uint64_t count_sets(const struct tma_machine *machine) {
    uint64_t slice_bytes = machine->l2.capacity_bytes / machine->l2.slices;
    return machine->l2.slices * (slice_bytes / TMA_LINE_BYTES / machine->l2.ways);
}

uint64_t tma_tags_bytes(const struct tma_machine *machine) {
    return count_sets(machine) * (sizeof(struct tma_l2_set) + sizeof(uint16_t) +
                                  sizeof(tma_sector_masks) + sizeof(struct tma_l2_priorities));
}

enum tma_error_code tma_tags_create(struct tma_l2_tags *tags, const struct tma_machine *machine,
                                    struct tma_error *error) {
    *tags = (struct tma_l2_tags){.set_count = count_sets(machine),
                                 .ways = machine->l2.ways,
                                 .all_ways = (1u << machine->l2.ways) - 1,
                                 .policy = tma_replacement_policy(machine->l2.replacement),
                                 .kept_permille = machine->l2.kept_permille,
                                 .high_tag = TMA_L2_NO_TAGS};
    assert(tags->ways >= 1 && tags->ways <= TMA_L2_MAX_WAYS && tags->set_count >= 1);
    tags->sets = tma_resize_aligned(NULL, 0, tags->set_count * sizeof *tags->sets);
    tags->remote_copies = tma_allocate(tags->set_count, sizeof *tags->remote_copies);
    tags->dirty_sectors = tma_allocate(tags->set_count, sizeof *tags->dirty_sectors);
    tags->priorities = tma_allocate(tags->set_count, sizeof *tags->priorities);
    if (tags->sets == NULL || tags->remote_copies == NULL || tags->dirty_sectors == NULL ||
        tags->priorities == NULL) {
        size_t sets = tags->set_count;
        tma_tags_free(tags);
        return tma_fail(error, TMA_ERROR_MEMORY, "no memory for %zu L2 sets", sets);
    }
    tags->empty_ways = tags->set_count * tags->ways;
    for (size_t i = 0; i < tags->set_count; i++)
        empty_set(&tags->sets[i], tags->policy->initial_state(machine->topology.seed, i));
    return TMA_OK;
}

void tma_tags_free(struct tma_l2_tags *tags) {
    TMA_RELEASE(tags->sets, tags->remote_copies, tags->dirty_sectors, tags->priorities);
    *tags = (struct tma_l2_tags){0};
}

/* The ways (bit mask) that have this half of a tag. Compilers turn a plain loop over ways into
 * several times as many instructions, and this is the busiest place of the model. */
#ifdef __SSE2__
static inline uint32_t ways_with(const uint16_t halves[TMA_L2_MAX_WAYS], uint16_t half) {
    __m128i all = _mm_set1_epi16((short)half);
    __m128i first = _mm_loadu_si128((const __m128i *)(const void *)halves);
    __m128i rest = _mm_loadu_si128((const __m128i *)(const void *)(halves + TMA_L2_MAX_WAYS / 2));
    __m128i equal = _mm_packs_epi16(_mm_cmpeq_epi16(first, all), _mm_cmpeq_epi16(rest, all));
    return (uint32_t)_mm_movemask_epi8(equal);
}
#else
/* Eight halves in one vector register of the host. */
typedef uint16_t eight __attribute__((vector_size(16)));

static const eight way_bits[TMA_L2_MAX_WAYS / 8] = {
    {1u << 0, 1u << 1, 1u << 2, 1u << 3, 1u << 4, 1u << 5, 1u << 6, 1u << 7},
    {1u << 8, 1u << 9, 1u << 10, 1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15},
};

static inline uint32_t ways_with(const uint16_t halves[TMA_L2_MAX_WAYS], uint16_t half) {
    eight equal = {0};
    for (int i = 0; i < TMA_L2_MAX_WAYS / 8; i++) {
        eight tags;
        memcpy(&tags, &halves[8 * i], sizeof tags);
        equal |= (eight)(tags == half) & way_bits[i];
    }
    uint64_t words[2];
    memcpy(words, &equal, sizeof words);
    return (uint32_t)((words[0] | words[1]) * UINT64_C(0x0001000100010001) >>
                      48); /* sum of the bits */
}
#endif

/* The ways (bit mask) that have a tag, which may be TMA_L2_EMPTY. */
static inline uint32_t ways_of(const struct tma_l2_tags *tags, const struct tma_l2_set *set,
                               uint32_t tag) {
    uint32_t ways = ways_with(set->low_tags, (uint16_t)tag);
    if (tags->high_tag == TMA_L2_MIXED && ways != 0)
        ways &= ways_with(set->high_tags, (uint16_t)(tag >> 16));
    return ways & tags->all_ways;
}

static bool is_low_empty(uint32_t tag) {
    return (uint16_t)tag == (uint16_t)TMA_L2_EMPTY;
}

/* No set can hold such a tag as yet. */
static inline bool is_unlike_others(const struct tma_l2_tags *tags, uint32_t tag) {
    return tag - tags->first_tag > tags->tag_span;
}

static inline int find(const struct tma_l2_tags *tags, const struct tma_l2_set *set, uint32_t tag) {
    if (is_unlike_others(tags, tag))
        return -1;
    uint32_t ways = ways_of(tags, set, tag);
    return ways == 0 ? -1 : __builtin_ctz(ways);
}

int tma_tags_find(const struct tma_l2_tags *tags, const struct tma_l2_set *set, uint32_t tag) {
    return find(tags, set, tag);
}

static uint32_t tag_of(const struct tma_l2_tags *tags, const struct tma_l2_set *set, int way) {
    uint32_t high = tags->high_tag == TMA_L2_MIXED ? set->high_tags[way] : tags->high_tag;
    return high << 16 | set->low_tags[way];
}

/* From now on, sets store high halves of tags. */
static void mix_tags(struct tma_l2_tags *tags) {
    for (size_t i = 0; i < tags->set_count; i++) {
        struct tma_l2_set *set = &tags->sets[i];
        for (uint32_t way = 0; way < TMA_L2_MAX_WAYS; way++)
            set->high_tags[way] =
                (uint16_t)(is_low_empty(set->low_tags[way]) ? TMA_L2_EMPTY : tags->high_tag);
    }
    tags->high_tag = TMA_L2_MIXED;
    tags->first_tag = 0;
    tags->tag_span = UINT32_MAX;
}

static void put_tag(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way, uint32_t tag) {
    set->low_tags[way] = (uint16_t)tag;
    if (tags->high_tag == TMA_L2_MIXED)
        set->high_tags[way] = (uint16_t)(tag >> 16);
}

/* Prepares for a new tag. */
static void mix_tags_for(struct tma_l2_tags *tags, uint32_t tag) {
    if (tags->high_tag == TMA_L2_NO_TAGS) {
        tags->high_tag = tag >> 16;
        tags->first_tag = tags->high_tag << 16;
        tags->tag_span = (uint16_t)TMA_L2_EMPTY - 1u;
    }
    if (is_unlike_others(tags, tag))
        mix_tags(tags);
}

/* Sectors of a way that differ from DRAM. */
static uint32_t dirty_sectors(const struct tma_l2_tags *tags, const struct tma_l2_set *set,
                              int way) {
    return (set->dirty & 1u << way) == 0
               ? 0
               : tma_sectors_of_way(*tma_tags_dirty_sectors(tags, set), way);
}

/* Forgets the sectors of a way. */
static void clear_way(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way) {
    tma_sector_masks others = ~tma_way_mask(way, TMA_ALL_SECTORS);
    set->valid &= others;
    set->requested &= others;
    set->filling = (uint16_t)(set->filling & ~(1u << way));
    set->dirty = (uint16_t)(set->dirty & ~(1u << way));
    tma_tags_set_remote_copy(tags, set, way, false);
    if (tags->hinted) {
        struct tma_l2_priorities *priorities = &tags->priorities[set - tags->sets];
        priorities->first = (uint16_t)(priorities->first & ~(1u << way));
        priorities->last = (uint16_t)(priorities->last & ~(1u << way));
    }
}

/* What a hint makes of the line of a way. Only evict_normal takes its place from a line that is to
 * stay. */
void tma_tags_set_priority(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                           enum tma_l2_hint hint) {
    struct tma_l2_priorities *priorities = &tags->priorities[set - tags->sets];
    uint32_t bit = 1u << way, first = priorities->first, last = priorities->last;
    tags->hinted = true;
    switch (hint) {
    case TMA_L2_HINT_NONE:
        first &= ~bit;
        break;
    case TMA_L2_HINT_FIRST:
        first |= bit & ~last;
        break;
    case TMA_L2_HINT_LAST:
        first &= ~bit;
        last |= bit;
        break;
    case TMA_L2_HINT_NORMAL:
        first &= ~bit;
        last &= ~bit;
        break;
    }
    *priorities = (struct tma_l2_priorities){(uint16_t)first, (uint16_t)last};
}

/* Of the lines of a set that are to stay, those that do: the ones that were accessed last, up to a
 * part of the ways, which is not the same number in each set. */
static uint32_t kept_ways(const struct tma_l2_tags *tags, const struct tma_l2_set *set,
                          uint32_t last) {
    uint64_t number = (uint64_t)(set - tags->sets), each = tags->ways * tags->kept_permille;
    uint64_t most = (number + 1) * each / 1000 - number * each / 1000;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < TMA_L2_MAX_WAYS && most > 0; i++) {
        uint32_t bit = 1u << (tags->policy->touch == NULL ? set->replacement >> 4 * i & 15 : i);
        most -= (last & bit) != 0;
        kept |= last & bit;
    }
    return kept;
}

static int choose_victim(const struct tma_l2_tags *tags, struct tma_l2_set *set) {
    uint32_t settled = tags->all_ways & ~(uint32_t)set->pending;
    if (tags->hinted) {
        const struct tma_l2_priorities *priorities = &tags->priorities[set - tags->sets];
        uint32_t first = settled & priorities->first,
                 others = settled & ~kept_ways(tags, set, priorities->last);
        settled = first != 0 ? first : others != 0 ? others : settled;
    }
    return tags->policy->victim(&set->replacement, settled);
}

/* Allocates a way for a line that the set does not hold. */
__attribute__((noinline)) static int allocate_way(struct tma_l2_tags *tags, struct tma_l2_set *set,
                                                  uint32_t tag, struct tma_l2_victim *victim) {
    uint32_t empty = tags->empty_ways == 0 ? 0 : ways_of(tags, set, TMA_L2_EMPTY);
    int way = empty != 0 ? __builtin_ctz(empty) : choose_victim(tags, set);
    if (way < 0)
        return -1;
    if (empty == 0) {
        tags->evictions++;
        *victim = (struct tma_l2_victim){tag_of(tags, set, way), dirty_sectors(tags, set, way)};
    }
    tags->empty_ways -= empty != 0;
    mix_tags_for(tags, tag);
    put_tag(tags, set, way, tag);
    clear_way(tags, set, way);
    return way;
}

static inline void touch(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way) {
    if (tags->policy->touch == NULL)
        set->replacement = tma_recency_touch(set->replacement, way);
    else
        tags->policy->touch(&set->replacement, way);
}

int tma_tags_allocate(struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag,
                      struct tma_l2_victim *victim) {
    *victim = (struct tma_l2_victim){0};
    int way = find(tags, set, tag);
    if (way < 0) {
        way = allocate_way(tags, set, tag, victim);
        /* A promoted line is new, too, though no request has touched it: else it would take the
         * place of its victim in the order, and be the next one. */
        if (way >= 0)
            touch(tags, set, way);
    }
    return way;
}

bool tma_tags_hit(const struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag,
                  uint32_t sectors) {
    int way = find(tags, set, tag);
    if (way < 0 || ((set->pending | set->filling) & 1u << way) != 0 ||
        (sectors & ~tma_sectors_of_way(set->valid & set->requested, way)) != 0)
        return false;
    touch(tags, set, way);
    return true;
}

void tma_tags_mark_requested(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                             uint32_t sectors) {
    uint32_t unused = sectors & tma_sectors_of_way(set->valid & ~set->requested, way);
    tags->unused_sectors -= tma_sector_count(unused);
    set->requested |= tma_way_mask(way, sectors);
}

uint32_t tma_tags_access(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                         uint32_t sectors) {
    touch(tags, set, way);
    tma_tags_mark_requested(tags, set, way, sectors);
    return sectors & ~tma_sectors_of_way(set->valid, way);
}

uint32_t tma_tags_access_copy(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                              uint32_t sectors, bool *first) {
    touch(tags, set, way);
    *first = (sectors & ~tma_sectors_of_way(set->requested, way)) != 0;
    set->requested |= tma_way_mask(way, sectors);
    return sectors & ~tma_sectors_of_way(set->valid, way);
}

void tma_tags_begin_copy(struct tma_l2_set *set, int way, uint32_t sectors) {
    set->valid |= tma_way_mask(way, sectors);
    if ((set->pending & 1u << way) != 0)
        return;
    set->pending = (uint16_t)(set->pending | 1u << way);
    set->filling = (uint16_t)(set->filling & ~(1u << way));
    set->fills[way] = (union tma_l2_fill){.pending = {.newest = TMA_PACKET_MASK, .awaited = 0}};
}

void tma_tags_begin_fill(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                         uint32_t sectors) {
    tags->unused_sectors += tma_sector_count(sectors & ~tma_sectors_of_way(set->requested, way));
    tma_tags_begin_copy(set, way, sectors);
    set->fills[way].pending.awaited |= sectors & TMA_ALL_SECTORS;
}

uint32_t tma_tags_end_fill(struct tma_l2_set *set, int way, uint32_t sectors, uint64_t cycle) {
    union tma_l2_fill *fill = &set->fills[way];
    fill->pending.awaited &= ~sectors & TMA_ALL_SECTORS;
    if (fill->pending.awaited != 0)
        return TMA_NONE;
    uint32_t waiting = tma_tags_wait(set, way, TMA_NONE);
    set->pending = (uint16_t)(set->pending & ~(1u << way));
    set->filling = (uint16_t)(set->filling | 1u << way);
    fill->ready_cycle = (uint32_t)cycle;
    return waiting;
}

void tma_tags_write(struct tma_l2_tags *tags, struct tma_l2_set *set, int way, uint32_t sectors) {
    tma_tags_access(tags, set, way, sectors);
    set->valid |= tma_way_mask(way, sectors);
    tma_sector_masks *dirty = tma_tags_dirty_sectors(tags, set);
    *dirty = (*dirty & ~tma_way_mask(way, TMA_ALL_SECTORS)) |
             tma_way_mask(way, dirty_sectors(tags, set, way) | sectors);
    set->dirty = (uint16_t)(set->dirty | 1u << way);
}

struct tma_l2_victim tma_tags_clean(const struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                                    uint32_t most) {
    uint32_t others = set->dirty & ~(1u << way);
    if ((uint32_t)__builtin_popcount(set->dirty) <= most || others == 0)
        return (struct tma_l2_victim){0};
    int cleaned = tags->policy->victim(&set->replacement, others);
    struct tma_l2_victim victim = {tag_of(tags, set, cleaned), dirty_sectors(tags, set, cleaned)};
    set->dirty = (uint16_t)(set->dirty & ~(1u << cleaned));
    return victim;
}

void tma_tags_fill_copy(struct tma_l2_tags *tags, struct tma_l2_set *set, int way,
                        uint32_t sectors) {
    tma_tags_access(tags, set, way, sectors);
    set->valid |= tma_way_mask(way, sectors);
}

void tma_tags_invalidate(struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag) {
    int way = tma_tags_find(tags, set, tag);
    if (way < 0 || (set->pending & 1u << way) != 0)
        return;
    tags->empty_ways++;
    put_tag(tags, set, way, TMA_L2_EMPTY);
    clear_way(tags, set, way);
}

uint64_t tma_tags_ready_cycle(struct tma_l2_set *set, int way, uint64_t now) {
    if ((set->filling & 1u << way) == 0)
        return now;
    int32_t wait = (int32_t)(set->fills[way].ready_cycle - (uint32_t)now);
    if (wait > 0)
        return now + (uint32_t)wait;
    set->filling = (uint16_t)(set->filling & ~(1u << way));
    return now;
}

int tma_tags_preload(struct tma_l2_tags *tags, struct tma_l2_set *set, uint32_t tag,
                     uint32_t sectors, bool *missed) {
    int way = find(tags, set, tag);
    *missed = way < 0;
    if (way < 0) {
        uint64_t evictions = tags->evictions;
        struct tma_l2_victim victim;
        way = allocate_way(tags, set, tag, &victim);
        tags->evictions = evictions;
        tags->full =
            tags->full || (uint32_t)way == tags->ways - 1; /* empty ways are allocated in order */
    }
    if (tags->full) /* until then, the initial state has the ways in the order of allocation */
        touch(tags, set, way);
    set->valid |= tma_way_mask(way, sectors);
    set->requested |= tma_way_mask(way, sectors);
    return way;
}

void tma_tags_age(struct tma_l2_tags *tags, uint64_t now) {
    for (size_t i = 0; i < tags->set_count; i++)
        for (uint32_t way = 0; tags->sets[i].filling != 0 && way < tags->ways; way++)
            tma_tags_ready_cycle(&tags->sets[i], (int)way, now);
}
