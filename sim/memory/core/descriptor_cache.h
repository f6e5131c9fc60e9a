/* A cache of tensor maps (descriptors), fully associative with LRU replacement. An SM has one that
 * its load unit and its store unit share; the SMs of a GPC share a larger one behind it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct tma_descriptor_cache {
    uint32_t *entries; /* owned: numbers of tensor maps, the most recently used first */
    uint32_t count, capacity;
};

/* Makes `caches` caches of `capacity` tensor maps each. NULL when out of memory. */
struct tma_descriptor_cache *tma_descriptor_caches_new(uint32_t caches, uint32_t capacity);
void tma_descriptor_caches_free(struct tma_descriptor_cache *caches, uint32_t count);

/* Uses a tensor map. False where the cache does not hold it. */
bool tma_descriptor_cache_use(struct tma_descriptor_cache *cache, uint32_t descriptor);

/* Uses a tensor map, which replaces the least recently used one if the cache does not hold it. */
void tma_descriptor_cache_put(struct tma_descriptor_cache *cache, uint32_t descriptor);
