#include "engine/sampling/sample_shares.h"

#include "base/allocation.h"

enum {
    ONE = TMA_SHARES_ONE,
    MOST_PERSISTENT = ONE / 10 * 9 /* no two halves of a run show more than that */
};

bool tma_sample_shares_create(struct tma_sample_shares *shares, uint32_t count) {
    *shares = (struct tma_sample_shares){
        .count = count,
        .earlier = tma_allocate(count, sizeof *shares->earlier),
        .later = tma_allocate(count, sizeof *shares->later),
        .now = tma_allocate(count, sizeof *shares->now),
        .shares = tma_allocate(count, sizeof *shares->shares),
    };
    return shares->earlier != NULL && shares->later != NULL && shares->now != NULL &&
           shares->shares != NULL;
}

void tma_sample_shares_free(struct tma_sample_shares *shares) {
    TMA_RELEASE(shares->earlier, shares->later, shares->now, shares->shares);
    *shares = (struct tma_sample_shares){0};
}

void tma_sample_shares_record(struct tma_sample_shares *shares, uint64_t progress) {
    if (progress < shares->recorded + shares->recorded / 5 * 2)
        return;
    uint64_t *row = shares->earlier;
    for (uint32_t i = 0; i < shares->count; i++)
        row[i] = shares->now[i];
    shares->earlier = shares->later;
    shares->later = row;
    shares->recorded = progress;
}

static int64_t mean_of(const uint64_t *values, uint32_t count) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += values[i];
    return (int64_t)(sum / count);
}

/* By how much a value is above the mean, as a fraction of it. */
static int64_t above(uint64_t value, int64_t mean) {
    return mean == 0 ? 0 : ((int64_t)value - mean) * ONE / mean;
}

/* How much of what places were ahead in the first half of the run they gained again in the second
 * half: from 0, nothing, to MOST_PERSISTENT. */
static int64_t persistence(const struct tma_sample_shares *shares) {
    int64_t before = mean_of(shares->earlier, shares->count);
    int64_t since = mean_of(shares->now, shares->count) - before;
    __int128 both = 0, first = 0;
    for (uint32_t i = 0; i < shares->count; i++) {
        int64_t a = above(shares->earlier[i], before);
        int64_t b = above(shares->now[i] - shares->earlier[i], since);
        both += (__int128)a * b;
        first += (__int128)a * a;
    }
    int64_t part = both <= 0 || first == 0 ? 0
                   : both >= first         ? ONE
                                           : (int64_t)(both * ONE / first);
    return part < MOST_PERSISTENT ? part : MOST_PERSISTENT;
}

void tma_sample_share_out(struct tma_sample_shares *shares, uint64_t units) {
    int64_t persistent = persistence(shares), mean = mean_of(shares->now, shares->count);
    int64_t least = INT64_MAX, most = INT64_MIN;
    for (uint32_t i = 0; i < shares->count; i++) {
        int64_t ahead = above(shares->now[i], mean);
        least = ahead < least ? ahead : least;
        most = ahead > most ? ahead : most;
        ahead = ahead * persistent / ONE;
        shares->shares[i] = (uint64_t)((__int128)units * (ONE + ahead) / ONE);
    }
    shares->uncertain = (most - least) * (ONE - persistent) / ONE;
}
