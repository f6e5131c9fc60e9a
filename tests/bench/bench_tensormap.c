/* Speed of the check, the encoder and the decoder on one core, over every tensor map that an H200's
 * driver accepted or rejected (tests/hardware/h200/encode.tsv). */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "records/map_record.h"
#include "tensormap/rules.h"

struct pool {
    struct tma_tensor_map *maps;        /* all `count` maps */
    struct tma_tensor_map *legal;       /* the `legal_count` accepted maps */
    struct tma_descriptor *descriptors; /* those of the accepted maps */
    size_t count, legal_count;
};

static bool read_pool(const char *path, struct pool *pool) {
    struct tma_tsv records;
    struct tma_error error = {0};
    if (tma_tsv_read(path, &records, &error) != TMA_OK) {
        fprintf(stderr, "%s\n", error.text);
        return false;
    }
    *pool = (struct pool){.maps = calloc(records.rows, sizeof *pool->maps),
                          .legal = calloc(records.rows, sizeof *pool->legal),
                          .descriptors = aligned_alloc(_Alignof(struct tma_descriptor),
                                                       records.rows * sizeof *pool->descriptors)};
    bool have_memory = pool->maps != NULL && pool->legal != NULL && pool->descriptors != NULL;
    for (size_t row = 0; have_memory && row < records.rows; row++) {
        struct tma_tensor_map *map = &pool->maps[pool->count++];
        if (tma_map_record_read(&records, row, map, NULL) != TMA_OK)
            continue;
        if (!tma_record_is_accepted(&records, row))
            continue;
        pool->legal[pool->legal_count] = *map;
        tma_descriptor_encode(map, &pool->descriptors[pool->legal_count++]);
    }
    tma_tsv_free(&records);
    return have_memory;
}

static size_t check_all(const struct pool *pool) {
    size_t found = 0;
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    for (size_t i = 0; i < pool->count; i++)
        found += tma_tensor_map_check(&pool->maps[i], TMA_SM_90, violations, TMA_MAX_VIOLATIONS);
    return found;
}

static size_t encode_all(const struct pool *pool) {
    size_t sum = 0;
    struct tma_descriptor descriptor;
    for (size_t i = 0; i < pool->legal_count; i++) {
        tma_descriptor_encode(&pool->legal[i], &descriptor);
        sum += descriptor.words[2];
    }
    return sum;
}

static size_t decode_all(const struct pool *pool) {
    size_t sum = 0;
    struct tma_tensor_map map;
    struct tma_finding findings[TMA_MAX_FINDINGS];
    for (size_t i = 0; i < pool->legal_count; i++)
        sum += tma_descriptor_decode(&pool->descriptors[i], &map, findings, TMA_MAX_FINDINGS) +
               map.rank;
    return sum;
}

/* Prints how many millions of maps a second `all` processes. Prints the sum so that the compiler
 * cannot remove any work. */
static void measure(const char *name, size_t (*all)(const struct pool *), const struct pool *pool,
                    size_t count) {
    enum { LEAST_SECONDS = 1 };
    size_t sum = 0, rounds = 0;
    double start = cpu_seconds(), elapsed;
    do {
        sum += all(pool);
        rounds++;
        elapsed = cpu_seconds() - start;
    } while (elapsed < LEAST_SECONDS);
    printf("%-8s %8.2f million/s   (%zu maps, checksum %zu)\n", name,
           (double)(rounds * count) / elapsed * 1e-6, count, sum / rounds);
}

int main(void) {
    struct pool pool = {0};
    if (!read_pool("tests/hardware/h200/encode.tsv", &pool))
        return EXIT_FAILURE;
    measure("check", check_all, &pool, pool.count);
    measure("encode", encode_all, &pool, pool.legal_count);
    measure("decode", decode_all, &pool, pool.legal_count);
    free(pool.maps);
    free(pool.legal);
    free(pool.descriptors);
    return EXIT_SUCCESS;
}
