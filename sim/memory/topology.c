#include "memory/topology.h"

#include <assert.h>

#include "memory/core/slice_hash.h"

uint32_t tma_machine_hash_slices(const struct tma_machine *machine) {
    return tma_slice_hash_policy(machine->l2.hash)->slices;
}

void tma_machine_place(const struct tma_machine *machine, uint32_t count, uint32_t *sms) {
    assert(count <= machine->sm_count);
    bool taken[TMA_MAX_SMS] = {false};
    for (uint32_t i = 0; i < count; i++)
        taken[machine->topology.placement[i]] = true;
    uint32_t cta = 0;
    for (uint32_t i = 0; i < machine->sm_count; i++)
        if (taken[machine->topology.sms[i]])
            sms[cta++] = machine->topology.sms[i];
    assert(cta == count);
}

/* The first SM of each TPC in the order of `placement`, in rounds: a round ends with the TPC with
 * which all GPCs have had one that have any left. Returns the end of the round that begins at
 * `first`. */
static uint32_t end_of_round(const uint32_t *gpcs, const uint32_t *tpcs, uint32_t count,
                             uint32_t first) {
    bool left[TMA_MAX_GPCS] = {false};
    uint32_t waiting = 0, i = first;
    for (uint32_t t = first; t < count; t++) {
        waiting += !left[gpcs[tpcs[t]]];
        left[gpcs[tpcs[t]]] = true;
    }
    for (; i < count && waiting > 0; i++) {
        waiting -= left[gpcs[tpcs[i]]];
        left[gpcs[tpcs[i]]] = false;
    }
    return i;
}

void tma_machine_place_shared(const struct tma_machine *machine, uint32_t count, uint32_t *sms) {
    uint32_t gpcs[TMA_MAX_SMS], tpcs[TMA_MAX_SMS], tpc_count = 0, placed = 0;
    tma_machine_gpcs(machine, gpcs);
    for (uint32_t i = 0; i < machine->sm_count; i++)
        if (machine->topology.placement[i] % TMA_TPC_SMS == 0)
            tpcs[tpc_count++] = machine->topology.placement[i];
    for (uint32_t first = 0; first < tpc_count && placed < count;) {
        uint32_t end = end_of_round(gpcs, tpcs, tpc_count, first);
        for (uint32_t half = 0; half < TMA_TPC_SMS; half++)
            for (uint32_t t = first; t < end && placed < count; t++)
                if (tpcs[t] + half < machine->sm_count)
                    sms[placed++] = tpcs[t] + half;
        first = end;
    }
    assert(placed == count);
}

/* Whether an SM forms clusters with the other SM of its TPC only. */
static bool is_lone(const struct tma_machine *machine, uint32_t sm) {
    for (uint32_t i = 0; i < machine->topology.lone_tpc_count; i++)
        if (machine->topology.lone_tpcs[i] == sm / TMA_TPC_SMS)
            return true;
    return false;
}

/* Places a cluster of two on a TPC. False where a part of it is not free. */
static bool take_tpc(const struct tma_machine *machine, uint32_t sm, bool *taken, uint32_t *sms) {
    uint32_t first = sm / TMA_TPC_SMS * TMA_TPC_SMS;
    if (first + TMA_TPC_SMS > machine->sm_count || taken[first] || taken[first + 1])
        return false;
    for (uint32_t i = 0; i < TMA_TPC_SMS; i++) {
        sms[i] = first + i;
        taken[first + i] = true;
    }
    return true;
}

/* Places one cluster on an SM and the free SMs after it in its GPC, whose end its start follows.
 * False where too few are free. */
static bool take_cluster(const struct tma_machine *machine, uint32_t sm, uint32_t ctas, bool *taken,
                         uint32_t *sms) {
    if (ctas == TMA_TPC_SMS)
        return take_tpc(machine, sm, taken, sms);
    if (is_lone(machine, sm))
        return false;
    const uint32_t *gpc = machine->topology.sms, *sizes = machine->topology.gpc_size;
    uint32_t at = 0, found = 0;
    while (gpc[at] != sm)
        if (++at == *sizes) {
            gpc += *sizes++;
            at = 0;
        }
    for (uint32_t i = 0; i < *sizes && found < ctas; i++) {
        uint32_t next = gpc[(at + i) % *sizes];
        if (!taken[next] && !is_lone(machine, next))
            sms[found++] = next;
    }
    for (uint32_t i = 0; i < ctas && found == ctas; i++)
        taken[sms[i]] = true;
    return found == ctas;
}

uint32_t tma_machine_place_clusters(const struct tma_machine *machine, uint32_t ctas,
                                    uint32_t count, uint32_t *sms) {
    bool taken[TMA_MAX_SMS] = {false};
    uint32_t placed = 0;
    for (uint32_t i = 0; i < machine->sm_count && placed < count; i++) {
        uint32_t sm = machine->topology.placement[i];
        if (!taken[sm] && take_cluster(machine, sm, ctas, taken, &sms[placed * ctas]))
            placed++;
    }
    return placed;
}

uint32_t tma_machine_place_wave(const struct tma_machine *machine, const struct tma_grid *grid,
                                uint32_t *sms) {
    uint32_t limit = grid->sms > 0 && grid->sms < machine->sm_count ? grid->sms : machine->sm_count;
    uint32_t placed = 0, ctas = grid->cluster_ctas;
    for (uint32_t layer = 0; layer < grid->ctas_per_sm && placed < grid->ctas; layer++) {
        uint64_t left = grid->ctas - placed;
        uint32_t count = left < limit ? (uint32_t)left : limit;
        if (placed + count > TMA_MAX_PLACES)
            break;
        if (ctas > 1)
            count = ctas * tma_machine_place_clusters(machine, ctas, count / ctas, sms + placed);
        else if (ctas == 1)
            tma_machine_place_shared(machine, count, sms + placed);
        else
            tma_machine_place(machine, count, sms + placed);
        if (count == 0)
            break;
        placed += count;
    }
    return placed;
}

void tma_machine_gpcs(const struct tma_machine *machine, uint32_t *gpcs) {
    const uint32_t *sm = machine->topology.sms;
    for (uint32_t gpc = 0; gpc < machine->topology.gpc_count; gpc++)
        for (uint32_t i = 0; i < machine->topology.gpc_size[gpc]; i++)
            gpcs[*sm++] = gpc;
}

/* The TPCs of a GPC are dealt to its CPCs one by one, in order of their numbers. */
void tma_machine_cpcs(const struct tma_machine *machine, uint32_t *cpcs) {
    uint32_t gpcs[TMA_MAX_SMS], tpcs[TMA_MAX_GPCS] = {0};
    tma_machine_gpcs(machine, gpcs);
    for (uint32_t sm = 0; sm < machine->sm_count; sm++) {
        uint32_t gpc = gpcs[sm];
        bool begins = sm % TMA_TPC_SMS == 0 || gpcs[sm - 1] != gpc;
        tpcs[gpc] += begins;
        cpcs[sm] = gpc * TMA_GPC_CPCS + (tpcs[gpc] - 1) % TMA_GPC_CPCS;
    }
}

uint32_t tma_machine_sm_distance(const struct tma_machine *machine, uint32_t sm) {
    uint32_t tpc = sm / TMA_TPC_SMS;
    return tpc < machine->topology.tpc_distance_count ? machine->topology.tpc_distances[tpc] : 0;
}

/* The least distance above `distance` of a TPC; UINT32_MAX: there is none. */
static uint32_t next_distance(const struct tma_machine *machine, uint32_t distance) {
    uint32_t next = UINT32_MAX;
    for (uint32_t tpc = 0; tpc < machine->topology.tpc_distance_count; tpc++)
        if (machine->topology.tpc_distances[tpc] > distance &&
            machine->topology.tpc_distances[tpc] < next)
            next = machine->topology.tpc_distances[tpc];
    return next;
}

/* The CTAs from `first` on that run on different SMs: one for each. Returns their end. */
static uint32_t end_of_layer(const uint32_t *sms, uint32_t count, uint32_t first) {
    bool taken[TMA_MAX_SMS] = {false};
    uint32_t i = first;
    for (; i < count && !taken[sms[i]]; i++)
        taken[sms[i]] = true;
    return i;
}

void tma_machine_launch(const struct tma_machine *machine, const uint32_t *sms, uint32_t count,
                        uint32_t ctas, uint32_t warps, uint64_t *cycles) {
    uint32_t gpcs[TMA_MAX_SMS], at_once = warps < TMA_SCHEDULERS ? warps : TMA_SCHEDULERS;
    uint64_t launched[TMA_MAX_GPCS] = {0};
    uint64_t interval = UINT64_C(1000) * machine->topology.launch_interval_cycles +
                        (uint64_t)machine->topology.launch_warp_millicycles * at_once;
    tma_machine_gpcs(machine, gpcs);
    for (uint32_t first = 0, end; first < count; first = end) {
        end = end_of_layer(sms, count, first);
        for (uint32_t near = 0; near != UINT32_MAX; near = next_distance(machine, near))
            for (uint32_t i = first; i < end; i += ctas)
                if (tma_machine_sm_distance(machine, sms[i]) == near)
                    cycles[i] = launched[gpcs[sms[i]]]++ * interval / 1000;
    }
    for (uint32_t i = 0; i < count; i++)
        cycles[i] = cycles[i - i % ctas];
}
