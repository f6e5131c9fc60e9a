/* Reliefs of the machine. Each makes one part of it a tenth better, or takes away one of its
 * overheads. */
#include <stddef.h>
#include <stdio.h>

#include "experiment/relief.h"

enum improvement {
    MORE,    /* a rate becomes a tenth larger */
    FASTER,  /* a service time becomes as short as with a rate that is a tenth larger */
    SHORTER, /* a latency becomes a tenth shorter */
    NONE     /* a latency becomes 0 */
};

/* A parameter, and what becomes of it. */
struct better {
    size_t offset; /* of a uint32_t in struct tma_machine */
    enum improvement improvement;
};

#define BETTER(member, improvement)                                                                \
    { offsetof(struct tma_machine, member), improvement }

static const struct better tma_rate[] = {
    BETTER(tma.row_millicycles, FASTER),           BETTER(tma.store_sector_millicycles, FASTER),
    BETTER(tma.store_partial_millicycles, FASTER), BETTER(tma.reduce_request_millicycles, FASTER),
    BETTER(tma.reduce_sector_millicycles, FASTER),
};
static const struct better sm_port[] = {BETTER(crossbar.sm_port_bytes_per_kcycle, MORE)};
static const struct better gpc_ports[] = {BETTER(crossbar.gpc_port_bytes_per_kcycle, MORE)};
static const struct better l2[] = {
    BETTER(l2.interval_millicycles, FASTER),      BETTER(l2.request_millicycles, FASTER),
    BETTER(l2.sector_millicycles, FASTER),        BETTER(l2.fill_millicycles, FASTER),
    BETTER(l2.merge_millicycles, FASTER),         BETTER(l2.write_flit_millicycles, FASTER),
    BETTER(l2.write_request_millicycles, FASTER), BETTER(l2.invalidate_millicycles, FASTER),
    BETTER(l2.write_sector_millicycles, FASTER),
};
static const struct better dram[] = {
    BETTER(dram.clock_mhz, MORE), BETTER(dram.trrd_ps, FASTER), BETTER(dram.tccd_long_ps, FASTER),
    BETTER(dram.trtw_ps, FASTER), BETTER(dram.twtr_ps, FASTER),
};
static const struct better latency[] = {
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
    BETTER(l2.lookup_cycles, SHORTER),
    BETTER(dram.access_ps, SHORTER),
    BETTER(dram.trcd_ps, SHORTER),
};
static const struct better handshake[] = {
    BETTER(tma.cluster_release_cycles, NONE),
    BETTER(tma.cluster_arrive_cycles, NONE),
};

/* Rounds to the nearest whole number. A latency or a rate that is at least 1 stays so. */
static uint32_t improve(uint32_t value, enum improvement improvement) {
    uint64_t wide = value;
    switch (improvement) {
    case MORE:
        return (uint32_t)((wide * 11 + 5) / 10);
    case FASTER:
        return (uint32_t)((wide * 20 + 11) / 22);
    case SHORTER:
        return (uint32_t)((wide * 9 + 5) / 10);
    case NONE:
        break;
    }
    return 0;
}

static bool improve_all(struct tma_relieved *relieved, const struct better *better, size_t count,
                        const char *change) {
    for (size_t i = 0; i < count; i++) {
        uint32_t *value = (uint32_t *)((char *)&relieved->machine + better[i].offset);
        *value = improve(*value, better[i].improvement);
    }
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
    if (relieved->before->cause_cycles[TMA_CAUSE_DESCRIPTOR] == 0 ||
        maps <= relieved->machine.tma.descriptors)
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
