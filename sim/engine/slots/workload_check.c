#include "engine/slots/workload_check.h"

#include "memory/core/address_map.h"
#include "memory/system.h"
#include "memory/topology.h"
#include "tensormap/legal.h"

enum tma_error_code tma_maps_check(const struct tma_tensor_map *maps, uint32_t count,
                                   struct tma_error *error) {
    for (uint32_t i = 0; i < count; i++) {
        struct tma_error why;
        if (tma_tensor_map_require_legal(&maps[i], &why) != TMA_OK)
            return tma_fail(error, TMA_ERROR_TENSOR_MAP, "tensor map %u: %.480s", i, why.text);
    }
    return TMA_OK;
}

static enum tma_error_code check_cluster(const struct tma_machine *machine,
                                         const struct tma_workload *workload,
                                         struct tma_error *error) {
    uint32_t ctas = tma_cluster_ctas(workload), masks = 0, sms[TMA_MAX_SMS];
    for (uint32_t i = 0; i < workload->operation_count; i++)
        masks |= workload->operations[i].operation.cta_mask;
    if (ctas > TMA_MAX_CLUSTER || (ctas & (ctas - 1)) != 0 || workload->cta_count % ctas != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "clusters of %u CTAs in a grid of %u; allowed: 1, 2, 4, 8 and 16, of which "
                        "the grid is a multiple",
                        ctas, workload->cta_count);
    if (masks >> ctas != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "cta_mask is 0x%x; a cluster has ranks 0 to %u",
                        masks, ctas - 1);
    if (masks != 0 && workload->depth > TMA_MAX_CLUSTER_DEPTH)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "depth is %u; with multicast loads, allowed: 1 to %d", workload->depth,
                        TMA_MAX_CLUSTER_DEPTH);
    if (ctas > workload->sm_count || tma_machine_place_clusters(machine, ctas, 1, sms) == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a cluster of %u CTAs does not fit on %u SMs with those of a GPC", ctas,
                        workload->sm_count);
    return TMA_OK;
}

enum tma_error_code tma_workload_check(const struct tma_machine *machine,
                                       const struct tma_workload *workload,
                                       struct tma_error *error) {
    if (workload->operation_count == 0 || workload->operation_count > TMA_MAX_STAGE_OPERATIONS)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "a stage has %u operations; allowed: 1 to %d",
                        workload->operation_count, TMA_MAX_STAGE_OPERATIONS);
    if (workload->cta_count == 0 || workload->iterations == 0 || workload->depth == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "CTAs, iterations and depth are at least 1");
    if (tma_workload_descriptor(workload, workload->map_count, 0) > TMA_MAX_DESCRIPTORS)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "more than %d tensor maps",
                        TMA_MAX_DESCRIPTORS - 1);
    if (workload->sm_count == 0 || workload->sm_count > machine->sm_count)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%u SMs; allowed: 1 to %u", workload->sm_count,
                        machine->sm_count);
    enum tma_error_code code = tma_maps_check(workload->maps, workload->map_count, error);
    return code == TMA_OK ? check_cluster(machine, workload, error) : code;
}
