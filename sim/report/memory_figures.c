#include "report/memory_figures.h"

#include "memory/machine.h"
#include "report/ratio.h"

struct tma_memory_figures tma_memory_figures_of(const struct tma_result *result,
                                                uint32_t sm_clock_mhz) {
    const struct tma_counters *counters = &result->counters;
    struct tma_memory_figures figures = {
        .cycles = result->memory_cycles > result->cycles ? result->memory_cycles : result->cycles,
        .l2_hit_fraction =
            tma_ratio((double)counters->l2_sector_hits, (double)counters->l2_sectors),
        .l2_fill_bytes = counters->l2_fill_sectors * TMA_SECTOR_BYTES,
        .l2_fill_unused_bytes = counters->l2_fill_unused_sectors * TMA_SECTOR_BYTES,
        .l2_over_fetch_fraction =
            tma_ratio((double)counters->l2_fill_unused_sectors, (double)counters->l2_fill_sectors),
        .dram_read_bytes = counters->dram_read_sectors * TMA_SECTOR_BYTES,
        .dram_write_bytes = counters->dram_write_sectors * TMA_SECTOR_BYTES,
    };
    figures.dram_gigabytes_per_second =
        tma_ratio((double)(figures.dram_read_bytes + figures.dram_write_bytes),
                  tma_ratio((double)figures.cycles * 1000, sm_clock_mhz));
    return figures;
}
