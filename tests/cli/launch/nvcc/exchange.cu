// CTAs of a cluster, and warps, that exchange bytes. nvcc -ptx -arch=sm_90a -std=c++17 made
// exchange.ptx.
#include <cooperative_groups.h>
#include <cuda/ptx>
namespace cg = cooperative_groups;
namespace ptx = cuda::ptx;

// Each CTA sends its tile to the next one, three times around, and adds 1 on the way.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(128)
    ring(const int *x, int *y) {
    __shared__ __align__(128) int a[256], b[256];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned next = (cluster.block_rank() + 1) % 4;
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
    }
    for (int i = threadIdx.x; i < 256; i += 128)
        a[i] = x[blockIdx.x * 256 + i];
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    int *from = a, *to = b;
    for (int round = 0; round < 3; ++round) {
        if (threadIdx.x == 0) {
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &bar, 1024);
            ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared,
                               cluster.map_shared_rank(to, next), from, 1024,
                               cluster.map_shared_rank(&bar, next));
        }
        while (!ptx::mbarrier_try_wait_parity(&bar, round & 1))
            ;
        for (int i = threadIdx.x; i < 256; i += 128)
            to[i] += 1;
        ptx::fence_proxy_async(ptx::space_shared);
        cluster.sync();
        int *free = from;
        from = to;
        to = free;
    }
    for (int i = threadIdx.x; i < 256; i += 128)
        y[blockIdx.x * 256 + i] = from[i];
}

// Different warps write the bytes of one word.
extern "C" __global__ void __launch_bounds__(128) bytes(const int *x, int *y) {
    __shared__ uint8_t tile[32][4];
    tile[threadIdx.x % 32][threadIdx.x / 32] = (uint8_t)(x[threadIdx.x] + 3);
    __syncthreads();
    y[threadIdx.x] = tile[threadIdx.x / 4][threadIdx.x % 4];
}

// Each CTA adds its tile to that of the first one, by a bulk reduction.
extern "C" __global__ void __cluster_dims__(4, 1, 1) __launch_bounds__(64)
    sum(const int *x, int *y) {
    __shared__ __align__(128) int tile[256], total[256];
    __shared__ uint64_t bar;
    auto cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&bar, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        if (rank == 0)
            ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared,
                                           &bar, 4096);
    }
    for (int i = threadIdx.x; i < 256; i += 64) {
        tile[i] = x[rank * 256 + i] + (int)rank;
        total[i] = -3;
    }
    ptx::fence_proxy_async(ptx::space_shared);
    cluster.sync();
    if (threadIdx.x == 0)
        ptx::cp_reduce_async_bulk(ptx::space_cluster, ptx::space_shared, ptx::op_add,
                                  cluster.map_shared_rank(total, 0), tile, 1024,
                                  cluster.map_shared_rank(&bar, 0));
    if (rank == 0) {
        while (!ptx::mbarrier_try_wait_parity(&bar, 0))
            ;
        for (int i = threadIdx.x; i < 256; i += 64)
            y[i] = total[i];
    }
    cluster.sync();
}
