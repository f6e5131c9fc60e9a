#include "memory/core/descriptor_cache.h"

#include <string.h>

#include "base/allocation.h"

struct tma_descriptor_cache *tma_descriptor_caches_new(uint32_t count, uint32_t capacity) {
    struct tma_descriptor_cache *caches = tma_allocate(count, sizeof *caches);
    for (uint32_t i = 0; caches != NULL && i < count; i++) {
        caches[i].capacity = capacity;
        caches[i].entries = tma_allocate(capacity, sizeof *caches[i].entries);
        if (caches[i].entries == NULL) {
            tma_descriptor_caches_free(caches, i);
            return NULL;
        }
    }
    return caches;
}

void tma_descriptor_caches_free(struct tma_descriptor_cache *caches, uint32_t count) {
    for (uint32_t i = 0; caches != NULL && i < count; i++)
        tma_release(caches[i].entries);
    tma_release(caches);
}

static void move_to_front(struct tma_descriptor_cache *cache, uint32_t at, uint32_t descriptor) {
    memmove(&cache->entries[1], cache->entries, at * sizeof *cache->entries);
    cache->entries[0] = descriptor;
}

bool tma_descriptor_cache_use(struct tma_descriptor_cache *cache, uint32_t descriptor) {
    if (cache->entries[0] == descriptor)
        return true;
    uint32_t at = 1;
    while (at < cache->count && cache->entries[at] != descriptor)
        at++;
    if (at >= cache->count)
        return false;
    move_to_front(cache, at, descriptor);
    return true;
}

void tma_descriptor_cache_put(struct tma_descriptor_cache *cache, uint32_t descriptor) {
    if (tma_descriptor_cache_use(cache, descriptor))
        return;
    if (cache->count < cache->capacity)
        cache->count++;
    move_to_front(cache, cache->count - 1, descriptor);
}
