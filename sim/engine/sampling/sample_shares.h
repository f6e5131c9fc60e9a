/* How much of a skipped part falls to each CTA, or cluster, where CTAs go on over it. CTAs are not
 * equally fast: those of a GPC with more SMs get less of its port. In a whole run they come apart,
 * and the slowest ones end it. So those that are faster skip more, as far as they stay faster: a
 * CTA that was ahead by chance in one half of the run is not in the other. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Places of CTAs, by number. */
struct tma_sample_shares {
    uint32_t count;
    uint64_t *earlier,
        *later;        /* owned: progress of each at two times; the caller fills in `later` */
    uint64_t *now;     /* owned: progress of each; the caller fills it in */
    uint64_t *shares;  /* owned: what each skips */
    int64_t uncertain; /* part of what was shared out, by which places may differ otherwise */
    uint64_t recorded; /* progress of the run when `later` was written */
};

/* False when out of memory: the caller then frees the shares all the same. */
bool tma_sample_shares_create(struct tma_sample_shares *shares, uint32_t count);
void tma_sample_shares_free(struct tma_sample_shares *shares);

/* Records `now`, where the run, at that progress, has gone on by two fifths since the last record.
 */
void tma_sample_shares_record(struct tma_sample_shares *shares, uint64_t progress);

/* What a whole is in parts of tma_sample_shares.uncertain. */
enum { TMA_SHARES_ONE = 1 << 20 };

/* Shares out a part, of `units` for each place on average, to all places. */
void tma_sample_share_out(struct tma_sample_shares *shares, uint64_t units);
