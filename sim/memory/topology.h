/* Where things lie on a machine: SMs in GPCs, CTAs on SMs, lines in slices. */
#pragma once

#include "memory/machine.h"

/* Slices of one partition for which the machine's slice hash is made; 0: any number. */
uint32_t tma_machine_hash_slices(const struct tma_machine *machine);

/* The SMs on which the CTAs of a grid of `count` run: CTA i on sms[i]. */
void tma_machine_place(const struct tma_machine *machine, uint32_t count, uint32_t *sms);

/* The same where several CTAs fit on an SM: CTAs are numbered over the GPCs in turn, TPC by TPC.
 * One round takes the next TPCs of all GPCs: first one SM of each, then the other one. */
void tma_machine_place_shared(const struct tma_machine *machine, uint32_t count, uint32_t *sms);

/* The same for `count` clusters of `ctas` (2 or more) CTAs: cluster i on sms[i * ctas] and the SMs
 * after it. Two CTAs are on a TPC, more on one GPC. Returns the number of clusters for which there
 * is room, at most `count`.
 */
uint32_t tma_machine_place_clusters(const struct tma_machine *machine, uint32_t ctas,
                                    uint32_t count, uint32_t *sms);

enum { TMA_MAX_PLACES = TMA_MAX_SMS * 64 /* of CTAs that run at once */ };

struct tma_grid {
    uint64_t ctas;
    uint32_t cluster_ctas; /* 0: it is launched without clusters */
    uint32_t ctas_per_sm;
    uint32_t sms; /* that it may use; 0, or more than there are: all of them */
};

/* The same for the first wave of a grid: it fills all SMs once before an SM gets a second CTA.
 * `sms` has room for TMA_MAX_PLACES. Returns the number of its CTAs; 0: there is room for none. */
uint32_t tma_machine_place_wave(const struct tma_machine *machine, const struct tma_grid *grid,
                                uint32_t *sms);

/* The GPC of each SM, by the SM's number. */
void tma_machine_gpcs(const struct tma_machine *machine, uint32_t *gpcs);

/* The CPC of each SM, by the SM's number: those of GPC g begin at g * TMA_GPC_CPCS. */
void tma_machine_cpcs(const struct tma_machine *machine, uint32_t *cpcs);

/* The distance of an SM's TPC (topology.tpc_distances), in cycles. */
uint32_t tma_machine_sm_distance(const struct tma_machine *machine, uint32_t sm);

/* The cycles at which the first `count` CTAs start, of `warps` warps each, in clusters of `ctas` (1
 * or more): CTA i on sms[i]. In each GPC the nearest SMs are first; all SMs have a CTA before one
 * has its second. */
void tma_machine_launch(const struct tma_machine *machine, const uint32_t *sms, uint32_t count,
                        uint32_t ctas, uint32_t warps, uint64_t *cycles);
