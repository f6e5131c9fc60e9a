#include "report/limit_figures.h"

#include <math.h>

#include "memory/machine.h"
#include "report/decimal.h"

struct tma_report_limits tma_report_limits_of(const struct tma_machine *machine,
                                              const struct tma_result *result) {
    return (struct tma_report_limits){
        .sm_bytes_per_cycle = machine->crossbar.sm_port_bytes_per_kcycle / 1000.0,
        .gpc_bytes_per_cycle =
            result->gpcs * (machine->crossbar.gpc_port_bytes_per_kcycle / 1000.0),
        .dram_bytes_per_cycle = (double)tma_machine_dram_bytes_per_kcycle(machine) / 1000.0,
        .dsmem_bytes_per_cycle =
            tma_ratio(TMA_SECTOR_BYTES * 1000.0, machine->dsmem.flit_millicycles),
        .l1_misses = machine->l1.misses,
    };
}

/* A machine without such servers has no fraction. */
static double known(double fraction) {
    return isfinite(fraction) ? fraction : 0;
}

/* The limit of a rate; both rates are in bytes per cycle of all SMs. */
static struct tma_limit_figure rate_limit(const char *key, const char *text, double peak,
                                          double used, double sms) {
    return (struct tma_limit_figure){.key = key,
                                     .text = text,
                                     .bytes_per_cycle_per_sm = tma_ratio(peak, sms),
                                     .used_bytes_per_cycle_per_sm = tma_ratio(used, sms),
                                     .used = tma_ratio(used, peak)};
}

/* `used` of the time of a run, in which the busy fraction of a server was that on average. */
static struct tma_limit_figure time_limit(const char *key, const char *text, const char *mean,
                                          double used, double cycles) {
    return (struct tma_limit_figure){.key = key,
                                     .text = text,
                                     .mean = mean,
                                     .is_time = true,
                                     .busy_cycles = known(used) * cycles,
                                     .cycles = cycles,
                                     .used = known(used)};
}

/* A GPC's port passes one response for all SMs of a multicast load, so its bytes follow from the
 * time that it is busy. */
void tma_limit_figures_of(const struct tma_report_limits *limits, const struct tma_result *result,
                          const struct tma_memory_figures *memory, uint32_t sms,
                          struct tma_limit_figure figures[TMA_LIMIT_COUNT]) {
    double cycles = (double)result->cycles, memory_cycles = (double)memory->cycles;
    double sm_bytes = (double)result->counters.sm_read_sectors * TMA_SECTOR_BYTES;
    double dram_bytes = (double)(memory->dram_read_bytes + memory->dram_write_bytes);
    double flit_bytes = (double)result->counters.dsmem_flits * TMA_SECTOR_BYTES;
    double gpc_used = known(result->busy_crossbar);
    figures[TMA_LIMIT_SM_PORT] = rate_limit("sm_port", "SM port", limits->sm_bytes_per_cycle * sms,
                                            tma_ratio(sm_bytes, cycles), sms);
    figures[TMA_LIMIT_GPC_PORTS] =
        rate_limit("gpc_ports", "GPC ports in use", limits->gpc_bytes_per_cycle,
                   limits->gpc_bytes_per_cycle * gpc_used, sms);
    figures[TMA_LIMIT_L2] =
        time_limit("l2", "L2 slices", "on average", result->busy_l2, memory_cycles);
    figures[TMA_LIMIT_DRAM] = rate_limit("dram", "DRAM bus", limits->dram_bytes_per_cycle,
                                         tma_ratio(dram_bytes, memory_cycles), sms);
    figures[TMA_LIMIT_LSU] =
        time_limit("lsu", "load/store units", "on average", result->busy_lsu, cycles);
    figures[TMA_LIMIT_L1_MISSES] =
        time_limit("l1_misses", "L1", "on average", result->busy_l1_misses, cycles);
    figures[TMA_LIMIT_L1_MISSES].servers = limits->l1_misses;
    figures[TMA_LIMIT_DSMEM] =
        rate_limit("dsmem", "links between SMs", limits->dsmem_bytes_per_cycle * sms,
                   tma_ratio(flit_bytes, cycles), sms);
    figures[TMA_LIMIT_ATOMICS] =
        time_limit("atomics", "reductions and atomics", "in the L2 slice with most of them",
                   result->busy_atomics, memory_cycles);
    figures[TMA_LIMIT_LSU].is_unused = figures[TMA_LIMIT_L1_MISSES].is_unused =
        result->counters.accesses == 0;
    figures[TMA_LIMIT_DSMEM].is_unused = flit_bytes == 0;
    figures[TMA_LIMIT_ATOMICS].is_unused = figures[TMA_LIMIT_ATOMICS].used == 0;
}

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
