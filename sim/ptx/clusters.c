#include "base/allocation.h"
#include "ptx/check_calls.h"
#include "ptx/execution_state.h"

void tma_free_cluster(struct tma_ptx_cluster *cluster) {
    if (cluster == NULL)
        return;
    tma_watch_end(cluster, false);
    TMA_RELEASE(cluster->ctas, cluster);
}

static bool allocate_cta(struct tma_executor *launch, struct tma_ptx_cta *cta) {
    struct tma_arena *arena = &launch->arena;
    size_t shared = (launch->shared_bytes + 127u) & ~127u;
    size_t local = (size_t)launch->local_bytes * 32;
    cta->warp_count = (launch->threads + 31) / 32;
    cta->warps = tma_arena_take(arena, cta->warp_count, sizeof *cta->warps);
    cta->shared.bytes = tma_arena_take(arena, shared + 128, 1);
    cta->shared.opaque = tma_arena_take(arena, shared / 8 + 16, 1);
    cta->shared.origins = tma_arena_take(arena, shared / 128 + 1, sizeof *cta->shared.origins);
    cta->mbarriers = tma_arena_take(arena, shared / 64 + 1, 1);
    if (cta->warps == NULL || cta->shared.bytes == NULL || cta->shared.opaque == NULL ||
        cta->shared.origins == NULL || cta->mbarriers == NULL)
        return false;
    for (uint32_t w = 0; w < cta->warp_count; ++w) {
        struct tma_warp *warp = &cta->warps[w];
        warp->file = tma_arena_take(arena, (launch->file_bytes + 63u) & ~63u, 1);
        warp->values = tma_arena_take(arena, launch->register_count, sizeof *warp->values);
        warp->forms = tma_arena_take(arena, launch->register_count, sizeof *warp->forms);
        warp->opaque = tma_arena_take(arena, launch->register_count, sizeof *warp->opaque);
        warp->origin = tma_arena_take(arena, launch->register_count, sizeof *warp->origin);
        warp->local = tma_arena_take(arena, local + 8, 1);
        warp->local_opaque = tma_arena_take(arena, local / 8 + 8, 1);
        if (warp->file == NULL || warp->values == NULL || warp->forms == NULL ||
            warp->opaque == NULL || warp->origin == NULL || warp->local == NULL ||
            warp->local_opaque == NULL)
            return false;
    }
    return true;
}

static void start_warp(struct tma_executor *launch, struct tma_ptx_cta *cta, uint32_t index) {
    struct tma_warp *warp = &cta->warps[index];
    size_t local = (size_t)launch->local_bytes * 32;
    uint8_t *bytes = warp->local, *opaque_bits = warp->local_opaque;
    uint32_t *opaque = warp->opaque;
    uint16_t *origin = warp->origin;
    *warp = (struct tma_warp){.launch = launch,
                              .cta = cta,
                              .file = warp->file,
                              .constants = launch->constants,
                              .values = warp->values,
                              .forms = warp->forms,
                              .opaque = opaque,
                              .origin = origin,
                              .local = bytes,
                              .local_opaque = opaque_bits,
                              .index = index};
    memset(warp->values, 0, launch->register_count * sizeof *warp->values);
    memcpy(warp->forms, launch->forms, launch->register_count * sizeof *warp->forms);
    memset(opaque, 255, launch->register_count * sizeof *opaque);
    opaque[0] = opaque[1] = 0;
    memset(origin, 0, launch->register_count * sizeof *origin);
    memset(bytes, 0, local);
    memset(opaque_bits, 255, local / 8 + 8);
    warp->local_region = (struct tma_region){.name = "local memory",
                                             .size = local,
                                             .bytes = bytes,
                                             .opaque = opaque_bits,
                                             .origin = TMA_ORIGIN_LOCAL,
                                             .tainted = true};
    uint32_t threads = launch->threads - index * 32 < 32 ? launch->threads - index * 32 : 32;
    warp->alive = threads == 32 ? TMA_ALL_LANES : (UINT32_C(1) << threads) - 1;
    warp->registers = launch->registers;
    warp->path_count = 1;
    warp->paths[0].lanes = warp->alive;
    warp->paths[0].pc = launch->module->functions[launch->launch->function].first_instruction;
    tma_set_specials(warp);
}

static void start_cta(struct tma_executor *launch, struct tma_ptx_cluster *cluster, uint32_t rank) {
    const struct tma_ptx_launch *given = launch->launch;
    const uint32_t *size = given->cluster;
    struct tma_ptx_cta *cta = &cluster->ctas[rank];
    size_t shared = (launch->shared_bytes + 127u) & ~127u;
    cta->cluster = cluster;
    cta->rank = rank;
    cta->id[0] = cluster->id[0] * size[0] + rank % size[0];
    cta->id[1] = cluster->id[1] * size[1] + rank / size[0] % size[1];
    cta->id[2] = cluster->id[2] * size[2] + rank / size[0] / size[1];
    cta->linear = cta->id[0] +
                  (uint64_t)given->grid[0] * (cta->id[1] + (uint64_t)given->grid[1] * cta->id[2]);
    struct tma_region *region = &cta->shared;
    region->name = "the shared memory of its CTA";
    region->address = TMA_SHARED_BASE | (uint64_t)rank << TMA_SHARED_RANK_BIT;
    region->size = launch->shared_bytes;
    region->tainted = true;
    memset(region->bytes, 0, shared);
    memset(region->opaque, 255, shared / 8 + 16);
    tma_region_mark(region, launch->reserved_at, launch->shared_bytes - launch->reserved_at, false,
                    0);
    for (size_t i = 0; i <= shared / 128; ++i)
        region->origins[i] = TMA_ORIGIN_SHARED;
    memset(cta->mbarriers, 0, shared / 64 + 1);
    memset(cta->barriers, 0, sizeof cta->barriers);
    cta->alive_warps = cta->warp_count;
    cta->free_registers = 0;
    cta->alive_threads = launch->threads;
    for (uint32_t w = 0; w < cta->warp_count; ++w)
        start_warp(launch, cta, w);
}

struct tma_ptx_cluster *tma_start_cluster(struct tma_executor *launch,
                                          struct tma_ptx_cluster **unused, uint64_t index) {
    const struct tma_ptx_launch *given = launch->launch;
    struct tma_ptx_cluster *cluster = *unused;
    if (cluster != NULL) {
        *unused = cluster->next;
        cluster->next = NULL;
    } else {
        cluster = tma_allocate(1, sizeof *cluster);
        if (cluster == NULL)
            return NULL;
        cluster->cta_count = launch->cluster_ctas;
        cluster->ctas = tma_allocate(cluster->cta_count, sizeof *cluster->ctas);
        for (uint32_t i = 0; cluster->ctas != NULL && i < cluster->cta_count; ++i)
            if (!allocate_cta(launch, &cluster->ctas[i])) {
                tma_free_cluster(cluster);
                return NULL;
            }
        if (cluster->ctas == NULL) {
            tma_release(cluster);
            return NULL;
        }
    }
    uint64_t columns = given->grid[0] / given->cluster[0],
             rows = given->grid[1] / given->cluster[1];
    cluster->id[0] = (uint32_t)(index % columns);
    cluster->id[1] = (uint32_t)(index / columns % rows);
    cluster->id[2] = (uint32_t)(index / columns / rows);
    cluster->arrived = 0;
    cluster->generation = 0;
    for (uint32_t i = 0; i < cluster->cta_count; ++i)
        start_cta(launch, cluster, i);
    if (!tma_watch_begin(launch, cluster, index * launch->cluster_ctas)) {
        tma_free_cluster(cluster);
        return NULL;
    }
    return cluster;
}

bool tma_cluster_ended(const struct tma_ptx_cluster *cluster) {
    for (uint32_t i = 0; i < cluster->cta_count; ++i)
        if (cluster->ctas[i].alive_warps != 0)
            return false;
    return true;
}
