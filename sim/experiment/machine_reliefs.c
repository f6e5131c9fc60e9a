/* Reliefs of the machine. Each makes one part of it a tenth better, or takes away one of its
 * overheads. */
#include <stddef.h>
#include <stdio.h>

#include "experiment/improvement.h"
#include "experiment/relief.h"

#define BETTER(member, improvement)                                                                \
    { offsetof(struct tma_machine, member), TMA_##improvement }

static const struct tma_better tma_rate[] = {
    BETTER(tma.row_millicycles, FASTER),           BETTER(tma.store_sector_millicycles, FASTER),
    BETTER(tma.store_partial_millicycles, FASTER), BETTER(tma.reduce_request_millicycles, FASTER),
    BETTER(tma.reduce_sector_millicycles, FASTER),
};
static const struct tma_better sm_port[] = {BETTER(crossbar.sm_port_bytes_per_kcycle, MORE)};
static const struct tma_better gpc_ports[] = {BETTER(crossbar.gpc_port_bytes_per_kcycle, MORE),
                                              BETTER(crossbar.link_bytes_per_kcycle, MORE)};
static const struct tma_better l2[] = {
    BETTER(l2.request_millicycles, FASTER),       BETTER(l2.line_conflict_millicycles, FASTER),
    BETTER(l2.sector_millicycles, FASTER),        BETTER(l2.missing_sectors, MORE),
    BETTER(l2.fill_sector_millicycles, FASTER),   BETTER(l2.fill_flit_millicycles, FASTER),
    BETTER(l2.replay_millicycles, FASTER),        BETTER(l2.fill_millicycles, FASTER),
    BETTER(l2.write_flit_millicycles, FASTER),    BETTER(l2.write_request_millicycles, FASTER),
    BETTER(l2.invalidate_millicycles, FASTER),    BETTER(l2.write_sector_millicycles, FASTER),
    BETTER(l2.reduce_sector_millicycles, FASTER),
};
static const struct tma_better dram[] = {
    BETTER(dram.clock_mhz, MORE), BETTER(dram.trrd_ps, FASTER), BETTER(dram.tccd_long_ps, FASTER),
    BETTER(dram.trtw_ps, FASTER), BETTER(dram.twtr_ps, FASTER),
};
static const struct tma_better latency[] = {
    BETTER(tma.issue_cycles, SHORTER),
    BETTER(tma.descriptor_fetch_cycles, SHORTER),
    BETTER(tma.complete_cycles, SHORTER),
    BETTER(tma.store_complete_cycles, SHORTER),
    BETTER(tma.reduce_complete_cycles, SHORTER),
    BETTER(tma.turnaround_cycles, SHORTER),
    BETTER(tma.store_turnaround_cycles, SHORTER),
    BETTER(crossbar.request_cycles, SHORTER),
    BETTER(crossbar.response_cycles, SHORTER),
    BETTER(crossbar.spread_cycles, SHORTER),
    BETTER(crossbar.partition_cycles, SHORTER),
    BETTER(crossbar.partition_spread_cycles, SHORTER),
    BETTER(l2.lookup_cycles, SHORTER),
    BETTER(dram.access_ps, SHORTER),
    BETTER(dram.trcd_ps, SHORTER),
};
static const struct tma_better handshake[] = {
    BETTER(tma.cluster_release_cycles, NONE),
    BETTER(tma.cluster_arrive_cycles, NONE),
};

static bool improve_all(struct tma_relieved *relieved, const struct tma_better *better,
                        size_t count, const char *change) {
    tma_improve_all(&relieved->machine, better, count);
    snprintf(relieved->change, sizeof relieved->change, "%s", change);
    return true;
}

#define IMPROVE(relieved, table, change)                                                           \
    improve_all(relieved, table, sizeof(table) / sizeof(table)[0], change)

static bool relieve_tma(struct tma_relieved *relieved) {
    return IMPROVE(relieved, tma_rate, "10 % more requests per cycle");
}

/* The interval is a few cycles, of which a tenth is no whole cycle. */
static bool relieve_dispatch(struct tma_relieved *relieved) {
    uint32_t *interval = &relieved->machine.tma.dispatch_interval_cycles;
    if (*interval == 0)
        return false;
    snprintf(relieved->change, sizeof relieved->change,
             "an operation every %u cycles instead of every %u", *interval - 1, *interval);
    --*interval;
    return true;
}

static bool relieve_sm_port(struct tma_relieved *relieved) {
    return relieved->before->counters.sm_read_sectors > 0 &&
           IMPROVE(relieved, sm_port, "10 % more bandwidth");
}

static bool relieve_gpc_ports(struct tma_relieved *relieved) {
    return relieved->before->counters.sm_read_sectors > 0 &&
           IMPROVE(relieved, gpc_ports, "10 % more bandwidth");
}

static bool relieve_l2(struct tma_relieved *relieved) {
    return relieved->before->counters.l2_requests > 0 &&
           IMPROVE(relieved, l2, "10 % more requests per cycle");
}

static bool relieve_dram(struct tma_relieved *relieved) {
    const struct tma_counters *counters = &relieved->before->counters;
    return counters->dram_read_sectors + counters->dram_write_sectors > 0 &&
           IMPROVE(relieved, dram, "10 % more of it");
}

static bool relieve_latency(struct tma_relieved *relieved) {
    return IMPROVE(relieved, latency, "10 % less of it, from issue to L2, DRAM and back,");
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
           IMPROVE(relieved, handshake, "releases of shared tiles that take no time");
}

#define RELIEF(function, key_text, name_text)                                                      \
    &(const struct tma_relief) {                                                                   \
        .key = key_text, .name = name_text, .variants = 1, .apply = function                       \
    }

static const struct tma_relief *const reliefs[] = {
    RELIEF(relieve_tma, "tma", "TMA request rate"),
    RELIEF(relieve_dispatch, "tma_dispatch", "TMA operation rate"),
    RELIEF(relieve_tensor_maps, "tensor_maps", "tensor maps"),
    RELIEF(relieve_sm_port, "sm_port", "SM port"),
    RELIEF(relieve_gpc_ports, "gpc_ports", "GPC ports"),
    RELIEF(relieve_l2, "l2", "L2 slices"),
    RELIEF(relieve_dram, "dram", "DRAM bandwidth"),
    RELIEF(relieve_latency, "latency", "latency"),
    RELIEF(relieve_handshake, "cluster", "clusters"),
};

const struct tma_reliefs tma_machine_reliefs = {reliefs, sizeof reliefs / sizeof reliefs[0]};
