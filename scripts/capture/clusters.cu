/* Takes records of where the clusters of a kernel run:
 *
 *   build/capture-clusters > cluster_placement.tsv
 *
 * Each CTA takes all shared memory of an SM. A row is one grid: the CTAs of a cluster, how many
 * such clusters the driver says run at once, the clusters of this grid, and the SM of each CTA, by
 * CTA. `launches`: how many of LAUNCHES launches had exactly this placement (the most frequent
 * one). */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <map>
#include <vector>

#include "ptx.cuh"

enum { SHARED_BYTES = 227 * 1024, MAX_CTAS = 256, LAUNCHES = 10 };

static __global__ void where(uint32_t *sms) {
    extern __shared__ uint8_t shared[];
    uint32_t sm = sm_number();
    if (threadIdx.x == 0)
        sms[blockIdx.x] = sm;
    uint64_t start = clock64();
    while (clock64() - start < 100000)
        shared[threadIdx.x] = uint8_t(start);
}

static void check(cudaError_t code) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "clusters: %s\n", cudaGetErrorString(code));
    exit(1);
}

int main() {
    uint32_t *device;
    check(cudaMalloc(&device, MAX_CTAS * sizeof *device));
    check(cudaFuncSetAttribute(where, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    check(cudaFuncSetAttribute(where, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    printf("cluster\tat_once\tclusters\tlaunches\tsm_of_cta\n");
    for (unsigned size : {2u, 4u, 8u, 16u}) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute = {};
        int at_once = 0;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim = {size, 1, 1};
        config.blockDim = dim3(128);
        config.gridDim = dim3(size);
        config.dynamicSmemBytes = SHARED_BYTES;
        config.attrs = &attribute;
        config.numAttrs = 1;
        check(cudaOccupancyMaxActiveClusters(&at_once, where, &config));
        for (unsigned count = 1; count <= unsigned(at_once); count++) {
            if (count > 8 && count < unsigned(at_once) && size < 4 && count % 6 != 0)
                continue;
            std::map<std::vector<uint32_t>, int> seen;
            config.gridDim = dim3(size * count);
            for (int i = 0; i < LAUNCHES; i++) {
                std::vector<uint32_t> sms(size * count);
                check(cudaLaunchKernelEx(&config, where, device));
                check(cudaMemcpy(sms.data(), device, sms.size() * sizeof sms[0],
                                 cudaMemcpyDeviceToHost));
                seen[sms]++;
            }
            auto best = seen.begin();
            for (auto each = seen.begin(); each != seen.end(); each++)
                if (each->second > best->second)
                    best = each;
            printf("%u\t%d\t%u\t%d\t", size, at_once, count, best->second);
            for (size_t i = 0; i < best->first.size(); i++)
                printf("%s%u", i == 0 ? "" : ",", best->first[i]);
            printf("\n");
        }
    }
    return 0;
}
