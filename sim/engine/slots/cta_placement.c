#include "engine/workload.h"
#include "memory/system.h"
#include "memory/topology.h"

uint32_t tma_workload_place(const struct tma_machine *machine, const struct tma_workload *workload,
                            uint32_t sms[TMA_MAX_SMS]) {
    uint32_t ctas = tma_cluster_ctas(workload);
    uint32_t count =
        workload->cta_count < workload->sm_count ? workload->cta_count : workload->sm_count;
    if (ctas > 1)
        return ctas * tma_machine_place_clusters(machine, ctas, count / ctas, sms);
    tma_machine_place(machine, count, sms);
    return count;
}
