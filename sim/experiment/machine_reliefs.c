/* Reliefs of the machine. Each makes one part of it a tenth better, or takes away one of its
 * overheads. */
#include <stdio.h>
#include <string.h>

#include "experiment/improvement.h"
#include "experiment/relief.h"

static bool relieve_tma(struct tma_relieved *relieved) {
    return tma_relieve_part(relieved, TMA_RELIEF_OF_tma);
}

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

static bool relieve_sm_port(struct tma_relieved *relieved) {
    return relieved->before->counters.sm_read_sectors > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_sm_port);
}

static bool relieve_gpc_ports(struct tma_relieved *relieved) {
    return relieved->before->counters.sm_read_sectors > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_gpc_ports);
}

static bool relieve_l2(struct tma_relieved *relieved) {
    return relieved->before->counters.l2_requests > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_l2);
}

static bool relieve_lsu(struct tma_relieved *relieved) {
    return relieved->before->counters.accesses > 0 && tma_relieve_part(relieved, TMA_RELIEF_OF_lsu);
}

/* Loads that pass by L1, or find nothing there, gain nothing from more of it. */
static bool relieve_l1(struct tma_relieved *relieved) {
    const struct tma_counters *counters = &relieved->before->counters;
    return counters->l1_sectors > counters->l1_hit_sectors && counters->l1_hit_sectors > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_l1);
}

static bool relieve_l1_misses(struct tma_relieved *relieved) {
    return relieved->before->counters.accesses > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_l1_misses);
}

static bool relieve_dsmem(struct tma_relieved *relieved) {
    return relieved->before->counters.dsmem_flits > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_dsmem);
}

static bool relieve_atomics(struct tma_relieved *relieved) {
    return relieved->before->busy_atomics > 0 && tma_relieve_part(relieved, TMA_RELIEF_OF_atomics);
}

static bool relieve_dram(struct tma_relieved *relieved) {
    const struct tma_counters *counters = &relieved->before->counters;
    return counters->dram_read_sectors + counters->dram_write_sectors > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_dram);
}

/* Words with a comma in them need one behind them. */
static bool close_comma(struct tma_relieved *relieved) {
    size_t length = strlen(relieved->change);
    snprintf(relieved->change + length, sizeof relieved->change - length, ",");
    return true;
}

static bool relieve_latency(struct tma_relieved *relieved) {
    return tma_relieve_part(relieved, TMA_RELIEF_OF_latency) && close_comma(relieved);
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

static bool relieve_handshake(struct tma_relieved *relieved) {
    return relieved->before->cause_cycles[TMA_CAUSE_CLUSTER] > 0 &&
           tma_relieve_part(relieved, TMA_RELIEF_OF_cluster);
}

#define RELIEF(function, key_text, name_text, busy_offset)                                         \
    &(const struct tma_relief) {                                                                   \
        .key = key_text, .name = name_text, .busy = busy_offset, .variants = 1, .apply = function  \
    }
#define BUSY(part) offsetof(struct tma_result, busy_##part)

static const struct tma_relief *const reliefs[] = {
    RELIEF(relieve_tma, "tma", "TMA request rate", BUSY(tma)),
    RELIEF(relieve_dispatch, "tma_dispatch", "TMA operation rate", BUSY(tma)),
    RELIEF(relieve_tensor_maps, "tensor_maps", "tensor maps", 0),
    RELIEF(relieve_sm_port, "sm_port", "SM port", BUSY(sm_port)),
    RELIEF(relieve_gpc_ports, "gpc_ports", "GPC ports", BUSY(crossbar)),
    RELIEF(relieve_l2, "l2", "L2 slices", BUSY(l2)),
    RELIEF(relieve_lsu, "lsu", "load/store units", BUSY(lsu)),
    RELIEF(relieve_l1, "l1", "L1", 0),
    RELIEF(relieve_l1_misses, "l1_misses", "L1 misses", BUSY(l1_misses)),
    RELIEF(relieve_dsmem, "dsmem", "links between SMs", BUSY(dsmem)),
    RELIEF(relieve_atomics, "atomics", "reductions and atomics", BUSY(atomics)),
    RELIEF(relieve_dram, "dram", "DRAM bandwidth", BUSY(dram)),
    RELIEF(relieve_latency, "latency", "latency", 0),
    RELIEF(relieve_handshake, "cluster", "clusters", 0),
};

const struct tma_reliefs tma_machine_reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]};
