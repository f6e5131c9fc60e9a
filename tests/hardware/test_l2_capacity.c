/* Replays l2_capacity.tsv: how much of a region that was loaded once, block by block, each
 * partition of L2 still holds. */
#include <math.h>
#include <string.h>

#include "gpus.h"
#include "memory/core/address_map.h"
#include "memory/l2/tags.h"

enum { BLOCK_LINES = 32, BLOCKS_OF_MEBIBYTE = 256, SAMPLED_LINE = 7 };

/* The largest difference of a part: today's, rounded up. */
static const double ceiling = 0.04;

static struct tma_machine machine;
static struct tma_tsv records;
static struct tma_address_map map;

static struct tma_set_index index_in(uint64_t line, bool away) {
    struct tma_line_location location = tma_locate(&map, line);
    return tma_set_index(&map, location.server.home ^ (uint32_t)away, &location);
}

/* A load by an SM next to the home of a line, or `away` from it: the home gets the line, too. */
static void load(struct tma_l2_tags *tags, uint64_t line, bool away) {
    bool missed;
    for (int copy = 0; copy <= away; copy++) {
        struct tma_set_index index = index_in(line, copy != 0);
        tma_tags_preload(tags, &tags->sets[index.set], index.tag, TMA_ALL_SECTORS, &missed);
    }
}

static void load_block(struct tma_l2_tags *tags, uint64_t block, bool near, bool far) {
    for (uint64_t line = block * BLOCK_LINES; line < (block + 1) * BLOCK_LINES; line++) {
        if (near)
            load(tags, line, false);
        if (far)
            load(tags, line, true);
    }
}

/* The part of the first `blocks` that L2 holds at home, or away from it, by a sample. */
static double held(const struct tma_l2_tags *tags, uint64_t blocks, bool away) {
    uint64_t found = 0, lines = 0;
    for (uint64_t line = 0; line < blocks * BLOCK_LINES; line += SAMPLED_LINE) {
        struct tma_set_index index = index_in(line, away);
        found += tma_tags_find(tags, &tags->sets[index.set], index.tag) >= 0;
        lines++;
    }
    return (double)found / (double)lines;
}

static double part(size_t row, const char *column) {
    return strtod(tma_tsv_cell(&records, row, column), NULL);
}

static void check(const char *readers, const char *column, size_t row, double predicted) {
    ck_assert_msg(fabs(predicted - part(row, column)) <= ceiling,
                  "%s, %s MiB: %s is %s, predicted %.3f", readers,
                  tma_tsv_cell(&records, row, "mebibytes"), column,
                  tma_tsv_cell(&records, row, column), predicted);
}

/* Whether an SM next to a block's home loads it, and one next to the other partition. */
static const struct {
    const char *readers;
    bool near, far;
} loops[] = {{"near", true, false}, {"far", false, true}, {"both", true, true}};

TEST_ROWS(test_what_is_held, GPUS *TABLE_ROWS(loops)) {
    const int gpu = _i % GPUS, loop = _i / GPUS;
    size_t replayed = 0;
    read_gpu(gpu, &machine);
    map = tma_address_map_of(&machine);
    read_gpu_records(gpu, "l2_capacity.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        uint64_t mebibytes = record_number(&records, row, "mebibytes");
        uint64_t blocks = mebibytes * BLOCKS_OF_MEBIBYTE;
        struct tma_l2_tags tags;
        if (strcmp(tma_tsv_cell(&records, row, "readers"), loops[loop].readers) != 0)
            continue;
        ck_assert_int_eq(tma_tags_create(&tags, &machine, NULL), TMA_OK);
        for (uint64_t block = 0; block < blocks; block++)
            load_block(&tags, block, loops[loop].near, loops[loop].far);
        bool reader_away = !loops[loop].near;
        check(loops[loop].readers, "in_partition", row, held(&tags, blocks, reader_away));
        check(loops[loop].readers, "in_other", row, held(&tags, blocks, !reader_away));
        tma_tags_free(&tags);
        replayed++;
    }
    tma_tsv_free(&records);
    ck_assert_uint_eq(replayed, 15);
}

TEST_SUITE("L2 capacity", .timeout = 60);
