/* What must hold of the result of any run: bytes and sectors add up from the SMs to DRAM, the time
 * of slots and roles is shared out to its causes, and no server is busy for longer than the run.
 * Each function says what does not hold, or returns NULL. */
#pragma once

#include "engine/result.h"
#include "engine/roles/kernel.h"
#include "report/figures.h"
#include "tensormap/types.h"

/* Bytes of shared memory that a sector of global memory fills. Types that are padded in shared
 * memory take more there. */
static inline uint64_t most_bytes_of_a_sector(const struct tma_tensor_map *maps, uint32_t count) {
    uint64_t most = TMA_SECTOR_BYTES;
    for (uint32_t i = 0; i < count; i++) {
        const struct tma_type_info *type = tma_type_info(maps[i].data_type);
        uint64_t bytes =
            ((uint64_t)TMA_SECTOR_BYTES * type->shared_bits - 1) / type->global_bits + 1;
        most = bytes > most ? bytes : most;
    }
    return most;
}

/* From the SMs to DRAM. */
static inline const char *what_counters_lose(const struct tma_result *result,
                                             const struct tma_tensor_map *maps,
                                             uint32_t map_count) {
    const struct tma_counters *counters = &result->counters;
    uint64_t sector_bytes = most_bytes_of_a_sector(maps, map_count);
    uint64_t from_maps = counters->descriptor_dram_fetches * 4; /* sectors of a tensor map */
    if (counters->tensor_bytes > counters->bytes)
        return "fill";
    if (counters->copied_bytes > counters->bytes)
        return "copies";
    if (counters->tensor_bytes > counters->sm_read_sectors * sector_bytes)
        return "sectors to SMs";
    if (counters->stored_bytes + counters->reduced_bytes >
        counters->sm_write_sectors * sector_bytes)
        return "sectors from SMs";
    if (counters->l2_sector_hits + counters->l2_sector_misses != counters->l2_sectors)
        return "hits and misses";
    if (counters->l2_requests > counters->l2_sectors)
        return "requests";
    if (counters->l2_fills > counters->l2_fill_sectors)
        return "fills";
    if (counters->l2_fill_unused_sectors > counters->l2_fill_sectors)
        return "over-fetch";
    if (counters->dram_read_sectors < counters->l2_fill_sectors ||
        counters->dram_read_sectors > counters->l2_fill_sectors + from_maps)
        return "sectors read and filled";
    if (counters->descriptor_dram_fetches > counters->descriptor_l2_fetches ||
        counters->descriptor_l2_fetches > counters->descriptor_fetches)
        return "tensor maps";
    const double busy[] = {result->busy_tma,    result->busy_sm_port, result->busy_crossbar,
                           result->busy_l2,     result->busy_dram,    result->busy_shared,
                           result->busy_tensor, result->busy_fma,     result->busy_alu,
                           result->busy_sfu,    result->busy_issue,   result->busy_lsu,
                           result->busy_dsmem,  result->busy_atomics, result->busy_l1_misses};
    for (size_t i = 0; i < sizeof busy / sizeof *busy; i++)
        if (!(busy[i] >= 0 && busy[i] <= 1))
            return "a server is busy for longer than the run";
    return NULL;
}

/* Whether the tenths of a percent of the causes add up to 100 %. */
static inline bool is_shared_out(const uint64_t *cycles, uint32_t count, uint64_t sum) {
    uint32_t tenths[TMA_CAUSE_COUNT + TMA_ROLE_CAUSE_COUNT], total = 0;
    tma_share_out_tenths(cycles, count, tenths);
    for (uint32_t i = 0; i < count; i++)
        total += tenths[i];
    return total == 1000 || sum == 0;
}

/* Of a workload. */
static inline const char *what_causes_lose(const struct tma_result *result) {
    uint64_t sum = 0;
    for (int i = 0; i < TMA_CAUSE_COUNT; i++) {
        if (result->cause_cycles[i] > result->slot_cycles)
            return "a cause is negative";
        sum += result->cause_cycles[i];
    }
    if (sum != result->slot_cycles)
        return "causes do not add up";
    return is_shared_out(result->cause_cycles, TMA_CAUSE_COUNT, sum) ? NULL : "percents of causes";
}

/* Of a kernel with roles. */
static inline const char *what_roles_lose(const struct tma_result *result,
                                          const struct tma_kernel *kernel) {
    uint64_t longest = kernel->cta_count * result->cta_cycles.max;
    for (uint32_t r = 0; r < kernel->role_count; r++) {
        uint64_t sum = 0;
        for (int i = 0; i < TMA_ROLE_CAUSE_COUNT; i++) {
            if (result->role_cycles[r][i] > longest)
                return "a role's cause is negative";
            sum += result->role_cycles[r][i];
        }
        if (sum > longest)
            return "a role has more time than its CTAs";
        if (!is_shared_out(result->role_cycles[r], TMA_ROLE_CAUSE_COUNT, sum))
            return "percents of a role's causes";
    }
    return NULL;
}
