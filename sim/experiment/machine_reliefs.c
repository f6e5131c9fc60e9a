/* Reliefs of the machine. Each makes one part of it a tenth better, or takes away one of its
 * overheads. */
#include <stdio.h>
#include <string.h>

#include "experiment/improvement.h"
#include "experiment/relief.h"

/* The interval is a few cycles, of which a tenth is no whole cycle. */
static bool relieve_dispatch(struct tma_relieved *relieved) {
    uint32_t before = relieved->machine.tma.dispatch_interval_cycles;
    if (before == 0)
        return false;
    snprintf(relieved->change, sizeof relieved->change,
             "an operation every %u cycles instead of every %u", before - 1, before);
    relieved->machine.tma.dispatch_interval_cycles = before - 1;
    return true;
}

/* Loads that pass by L1, or find nothing there, gain nothing from more of it. */
static bool misses_l1(struct tma_relieved *relieved) {
    const struct tma_counters *counters = &relieved->before->counters;
    return counters->l1_sectors > counters->l1_hit_sectors;
}

static bool uses_dram(struct tma_relieved *relieved) {
    const struct tma_counters *counters = &relieved->before->counters;
    return counters->dram_read_sectors + counters->dram_write_sectors > 0;
}

/* Words with a comma in them need one behind them. */
static bool close_comma(struct tma_relieved *relieved) {
    size_t length = strlen(relieved->change);
    snprintf(relieved->change + length, sizeof relieved->change - length, ",");
    return true;
}

/* An entry for every fetch is enough. Each SM has to fetch each map once. */
static bool relieve_tensor_maps(struct tma_relieved *relieved) {
    const struct tma_counters *counters = &relieved->before->counters;
    enum { MOST_MAPS = 65536 };
    uint64_t fetches = counters->descriptor_fetches;
    uint32_t maps = fetches < MOST_MAPS ? (uint32_t)fetches : MOST_MAPS;
    /* A pipeline knows how long its slots waited. */
    uint64_t waited = relieved->before->slot_cycles > 0
                          ? relieved->before->cause_cycles[TMA_CAUSE_DESCRIPTOR]
                          : counters->descriptor_cycles;
    if (waited == 0 || maps <= relieved->machine.tma.descriptors)
        return false;
    snprintf(relieved->change, sizeof relieved->change,
             "caches that keep all of them, not %u in an SM and %u in a GPC,",
             relieved->machine.tma.descriptors, relieved->machine.tma.gpc_descriptors);
    relieved->machine.tma.descriptors = maps;
    if (maps > relieved->machine.tma.gpc_descriptors)
        relieved->machine.tma.gpc_descriptors = maps;
    return true;
}

bool tma_relief_apply(const struct tma_relief *relief, struct tma_relieved *relieved) {
    uint64_t used = 1;
    if (relief->used != 0)
        memcpy(&used, (const char *)relieved->before + relief->used, sizeof used);
    if (used == 0)
        return false;
    if (relief->part != TMA_RELIEF_OF_none)
        tma_relieve_part(relieved, (enum tma_relief_part)relief->part);
    return relief->apply == NULL || relief->apply(relieved);
}

static const struct tma_relief *const reliefs[] = {
    TMA_RELIEF("tma", "TMA request rate", TMA_BUSY(tma), TMA_PART(tma)),
    TMA_RELIEF("tma_dispatch", "TMA operation rate", TMA_BUSY(tma), .apply = relieve_dispatch),
    TMA_RELIEF("tensor_maps", "tensor maps", .apply = relieve_tensor_maps),
    TMA_RELIEF("sm_port", "SM port", TMA_BUSY(sm_port), TMA_USED(sm_read_sectors),
               TMA_PART(sm_port)),
    TMA_RELIEF("gpc_ports", "GPC ports", TMA_BUSY(crossbar), TMA_USED(sm_read_sectors),
               TMA_PART(gpc_ports)),
    TMA_RELIEF("l2", "L2 slices", TMA_BUSY(l2), TMA_USED(l2_requests), TMA_PART(l2)),
    TMA_RELIEF("lsu", "load/store units", TMA_BUSY(lsu), TMA_USED(accesses), TMA_PART(lsu)),
    TMA_RELIEF("l1", "L1", TMA_USED(l1_hit_sectors), TMA_PART(l1), .apply = misses_l1),
    TMA_RELIEF("l1_misses", "L1 misses", TMA_BUSY(l1_misses), TMA_USED(accesses),
               TMA_PART(l1_misses)),
    TMA_RELIEF("dsmem", "links between SMs", TMA_BUSY(dsmem), TMA_USED(dsmem_flits),
               TMA_PART(dsmem)),
    TMA_RELIEF("atomics", "reductions and atomics", TMA_BUSY(atomics),
               .used = offsetof(struct tma_result, busy_atomics), TMA_PART(atomics)),
    TMA_RELIEF("dram", "DRAM bandwidth", TMA_BUSY(dram), TMA_PART(dram), .apply = uses_dram),
    TMA_RELIEF("latency", "latency", TMA_WAITS_FOR_DATA, TMA_PART(latency), .apply = close_comma),
    TMA_RELIEF("cluster", "clusters",
               .used = offsetof(struct tma_result, cause_cycles[TMA_CAUSE_CLUSTER]),
               TMA_PART(cluster)),
};

const struct tma_reliefs tma_machine_reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]};
