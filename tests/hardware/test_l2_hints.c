/* Replays l2_hints.tsv of an H100: how much of a region L2 still has after accesses with hints. As
 * in scripts/capture/l2_hints.cu, SMs in turn access blocks of 4 KiB, and some thousand lines are
 * on their way at a time. */
#include <math.h>
#include <string.h>

#include "gpus.h"
#include "memory/core/address_map.h"
#include "memory/core/packet.h"
#include "memory/l2/tags.h"
#include "memory/topology.h"

enum {
    MIB_LINES = (1 << 20) / TMA_LINE_BYTES,
    BLOCK_LINES = 4096 / TMA_LINE_BYTES,
    FLUSHED_MIB = 100, /* twice what L2 holds */
    SAMPLES = 4096,
    IN_FLIGHT = 132 * 32, /* lines: a warp of 132 times 4 has 8 */
    EVERY = 9             /* row of the records is replayed */
};

/* Mean and 95th percentile of the differences of the part that L2 still has: today's, rounded up.
 */
static const double mean_ceiling = 0.03, p95_ceiling = 0.13;

static struct tma_machine machine;
static struct tma_tsv records;
static struct tma_address_map map;
static uint32_t partitions[TMA_MAX_SMS]; /* next to which the SM of a CTA lies */
static struct tma_l2_tags flushed, tags;

/* Lines whose data are on their way. */
static struct pending {
    struct tma_l2_set *set;
    uint32_t tag;
} pending[IN_FLIGHT];
static uint32_t next;

static struct tma_set_index index_in(uint64_t line, uint32_t partition) {
    struct tma_line_location location = tma_locate(&map, line);
    return tma_set_index(&map, partition, &location);
}

static void arrive(struct pending *of) {
    if (of->set == NULL)
        return;
    int way = tma_tags_find(&tags, of->set, of->tag);
    if (way >= 0)
        tma_tags_end_fill(of->set, way, TMA_ALL_SECTORS, 0);
    of->set = NULL;
}

/* Returns whether the partition had the line. */
static bool access_in(uint64_t line, uint32_t partition, enum tma_l2_hint hint) {
    struct tma_set_index index = index_in(line, partition);
    struct tma_l2_set *set = &tags.sets[index.set];
    struct tma_l2_victim victim;
    bool had = tma_tags_find(&tags, set, index.tag) >= 0;
    int way = tma_tags_allocate(&tags, set, index.tag, &victim);
    if (way < 0)
        return had;
    tma_tags_access(&tags, set, way, TMA_ALL_SECTORS);
    tma_tags_hint(&tags, set, way, hint);
    if (had)
        return true;
    tma_tags_begin_fill(&tags, set, way, TMA_ALL_SECTORS);
    arrive(&pending[next]);
    pending[next] = (struct pending){set, index.tag};
    next = (next + 1) % IN_FLIGHT;
    return false;
}

static uint32_t home_of(uint64_t line) {
    return tma_locate(&map, line).server.home;
}

struct way {
    uint32_t policy;
    enum tma_l2_hint hint; /* without a policy */
    bool known;
};

static void access_all(uint64_t first, uint64_t mebibytes, const struct way *way) {
    for (uint64_t i = 0; i < mebibytes * MIB_LINES; i++) {
        uint64_t line = first + i;
        uint32_t home = home_of(line), near = partitions[i / BLOCK_LINES % machine.sm_count];
        enum tma_l2_hint hint =
            way->policy != 0 ? tma_l2_policy_hint(way->policy, line) : way->hint;
        if (!access_in(line, near, hint) && near != home)
            access_in(line, home, hint);
    }
    for (uint32_t i = 0; i < IN_FLIGHT; i++)
        arrive(&pending[i]);
}

static bool has(uint64_t line, uint32_t partition) {
    struct tma_set_index index = index_in(line, partition);
    return tma_tags_find(&tags, &tags.sets[index.set], index.tag) >= 0;
}

/* SMs next to either partition look in turn; a line that theirs lacks may be at home. */
static double held(uint64_t first, uint64_t mebibytes) {
    uint64_t each = mebibytes * MIB_LINES / SAMPLES, found = 0;
    for (uint64_t i = 0; i < SAMPLES; i++) {
        uint64_t line = first + i * each + i % each;
        found += has(line, i / 7 % 2) || has(line, home_of(line));
    }
    return (double)found / SAMPLES;
}

/* Reads "ld.evict_last_50_first" up to a space: an instruction and its policy. Stores are not
 * replayed: theirs wrote half of each sector, which a later load has to fill. */
static struct way read_way(const char *text) {
    static const struct {
        const char *name;
        enum tma_l2_hint hint;
    } plain[] = {{"ld.cg", TMA_L2_HINT_NONE},
                 {"ld.L1_evict_last", TMA_L2_HINT_NONE},
                 {"ld.cs", TMA_L2_HINT_FIRST},
                 {"ld.lu", TMA_L2_HINT_FIRST},
                 {"ld.L1_evict_first", TMA_L2_HINT_FIRST},
                 {"ld.L1_no_allocate", TMA_L2_HINT_FIRST}};
    static const struct {
        const char *name;
        uint32_t bits;
    } priorities[] = {{"evict_first", TMA_L2_POLICY_FIRST},
                      {"evict_last", TMA_L2_POLICY_LAST},
                      {"evict_normal", TMA_L2_POLICY_NORMAL},
                      {"evict_unchanged", 0}};
    static const char *const by[] = {"ld.", "bulk.", "tensor."};
    size_t length = strcspn(text, " ");
    for (size_t i = 0; i < TABLE_ROWS(plain); i++)
        if (strlen(plain[i].name) == length && strncmp(text, plain[i].name, length) == 0)
            return (struct way){.hint = plain[i].hint, .known = true};
    for (size_t b = 0; b < TABLE_ROWS(by); b++)
        for (size_t p = 0; p < TABLE_ROWS(priorities); p++) {
            size_t head = strlen(by[b]), name = strlen(priorities[p].name);
            const char *rest = text + head + name;
            if (strncmp(text, by[b], head) != 0 ||
                strncmp(text + head, priorities[p].name, name) != 0)
                continue;
            double part = *rest == '_' ? strtod(rest + 1, NULL) / 100 : 1;
            const char *others = strstr(text, "_first ");
            bool others_first = *rest == '_' && others != NULL && others < text + length;
            return (struct way){.policy = TMA_L2_POLICY_BASE | priorities[p].bits |
                                          (others_first ? TMA_L2_POLICY_OTHERS_FIRST : 0) |
                                          tma_l2_policy_part(part),
                                .known = true};
        }
    return (struct way){.known = false};
}

/* The way behind `key=`; with `none`, a plain load where there is none. */
static struct way way_of(const char *what, const char *key, bool none) {
    const char *at = strstr(what, key);
    return at != NULL ? read_way(at + strlen(key)) : (struct way){.known = none};
}

static void copy_flushed(void) {
    memcpy(tags.sets, flushed.sets, tags.set_count * sizeof *tags.sets);
    memset(tags.priorities, 0, tags.set_count * sizeof *tags.priorities);
    tags.empty_ways = flushed.empty_ways;
    tags.hinted = false;
    tags.high_tag = flushed.high_tag;
    tags.first_tag = flushed.first_tag;
    tags.tag_span = flushed.tag_span;
}

static void set_up(void) {
    uint32_t gpcs[TMA_MAX_SMS];
    const uint64_t first = FIRST_ADDRESS / TMA_LINE_BYTES;
    machine = shipped_machine("h100_sxm");
    map = tma_address_map_of(&machine);
    read_records("tests/hardware/h100/l2_hints.tsv", &records);
    tma_machine_gpcs(&machine, gpcs);
    for (uint32_t cta = 0; cta < machine.sm_count; cta++)
        partitions[cta] = machine.topology.gpc_partition[gpcs[machine.topology.placement[cta]]];
    ck_assert_int_eq(tma_tags_create(&flushed, &machine, NULL), TMA_OK);
    ck_assert_int_eq(tma_tags_create(&tags, &machine, NULL), TMA_OK);
    access_all(first + 1024 * MIB_LINES, FLUSHED_MIB, &(struct way){.hint = TMA_L2_HINT_NONE});
    memcpy(flushed.sets, tags.sets, tags.set_count * sizeof *tags.sets);
    flushed.empty_ways = tags.empty_ways;
    flushed.high_tag = tags.high_tag;
    flushed.first_tag = tags.first_tag;
    flushed.tag_span = tags.tag_span;
}

static void tear_down(void) {
    tma_tags_free(&flushed);
    tma_tags_free(&tags);
    tma_tsv_free(&records);
}

TEST(test_what_stays) {
    const uint64_t region = FIRST_ADDRESS / TMA_LINE_BYTES, stream = region + 256 * MIB_LINES;
    const bool say = getenv("TMASIM_TEST_SAY") != NULL;
    static double errors[4096];
    size_t count = 0;
    double sum = 0;
    for (size_t row = 0; row < records.rows; row += EVERY) {
        const char *family = tma_tsv_cell(&records, row, "family"),
                   *what = tma_tsv_cell(&records, row, "what");
        struct way by = way_of(what, "by=", false), again = way_of(what, "again=", true),
                   with = way_of(what, "stream=", true);
        bool counts = strcmp(family, "region") == 0 || strcmp(family, "stream") == 0 ||
                      strcmp(family, "touch") == 0;
        if (!counts || !by.known || !again.known || !with.known)
            continue;
        uint64_t mebibytes = record_word(what, "mib");
        copy_flushed();
        access_all(region, mebibytes, &by);
        if (strstr(what, "again=") != NULL)
            access_all(region, mebibytes, &again);
        access_all(stream, record_word(what, "other"), &with);
        double predicted = held(region, mebibytes),
               measured = strtod(tma_tsv_cell(&records, row, "held"), NULL);
        errors[count] = fabs(predicted - measured);
        sum += errors[count++];
        if (say)
            printf("%s %s: %.3f, predicted %.3f\n", family, what, measured, predicted);
    }
    double mean = sum / (double)count, p95 = percentile_95(errors, count);
    if (say)
        printf("%zu rows: mean %.4f, p95 %.4f\n", count, mean, p95);
    ck_assert_uint_gt(count, 100);
    ck_assert_msg(mean <= mean_ceiling && p95 <= p95_ceiling, "mean %.4f, p95 %.4f of %zu rows",
                  mean, p95, count);
}

/* What createpolicy made, on the GPU. */
TEST(test_policies) {
    size_t count = 0;
    for (size_t row = 0; row < records.rows; row++) {
        if (strcmp(tma_tsv_cell(&records, row, "family"), "policy") != 0)
            continue;
        char text[64];
        snprintf(text, sizeof text, "ld.%s ", tma_tsv_cell(&records, row, "what"));
        uint64_t measured = strtoull(tma_tsv_cell(&records, row, "held"), NULL, 16);
        ck_assert_msg(measured == (uint64_t)read_way(text).policy << TMA_L2_POLICY_SHIFT, "%s",
                      text);
        count++;
    }
    ck_assert_uint_eq(count, 19);
}

TEST_SUITE("L2 hints", .set_up_once = set_up, .tear_down_once = tear_down, .timeout = 120);
