/* Takes records of what L2 still has after accesses with hints:
 *
 *   build/capture-l2-hints > l2_hints.tsv
 *
 * A row has a family, its parameters as words, the part of the sampled lines that L2 still has, and
 * that of the quarters of them that were accessed first and last. Before each row L2 forgets which
 * lines to keep, and plain loads fill it. Families:
 *
 * - region: `mib` MiB are accessed `by` an instruction with a hint, and then `other` MiB by plain
 *   loads: what stays of the first.
 * - stream: 16 MiB are accessed with one hint, and then `other` MiB with another one.
 * - touch: the region is accessed with one hint, then again with another, then `other` MiB by plain
 *   loads.
 * - reset: 8 MiB to keep, what makes L2 forget that, and 96 MiB by plain loads.
 * - limit: the same as `region`, where the driver sets as much of L2 aside as it can.
 * - spread: a policy for a part of the lines: the part of lines that is as its neighbour `lines`
 *   lines further, and the part that stays again in a second run.
 * - policy: what createpolicy gives, in hexadecimal. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#include "ptx.cuh"
#include "read_all.cuh"

static const size_t mib = 1 << 20, region_bytes = 128 * mib, flush_bytes = 512 * mib;
static const int sm_count = 132, samples = 4096;
static const uint32_t block = 4096, from_dram = 560; /* cycles: a longer load was a miss of L2 */

static void check(cudaError_t code, const char *where) {
    if (code == cudaSuccess)
        return;
    fprintf(stderr, "capture-l2-hints: %s: %s\n", where, cudaGetErrorString(code));
    exit(2);
}

/* Policies: the words of createpolicy, and the fraction. */
#define POLICIES(X)                                                                                \
    X("evict_normal", "L2::evict_normal", "1.0")                                                   \
    X("evict_first", "L2::evict_first", "1.0")                                                     \
    X("evict_last", "L2::evict_last", "1.0")                                                       \
    X("evict_unchanged", "L2::evict_unchanged", "1.0")                                             \
    X("evict_first_25", "L2::evict_first", "0.25")                                                 \
    X("evict_first_50", "L2::evict_first", "0.5")                                                  \
    X("evict_first_75", "L2::evict_first", "0.75")                                                 \
    X("evict_last_25", "L2::evict_last", "0.25")                                                   \
    X("evict_last_50", "L2::evict_last", "0.5")                                                    \
    X("evict_last_75", "L2::evict_last", "0.75")                                                   \
    X("evict_last_25_first", "L2::evict_last.L2::evict_first", "0.25")                             \
    X("evict_last_50_first", "L2::evict_last.L2::evict_first", "0.5")                              \
    X("evict_last_75_first", "L2::evict_last.L2::evict_first", "0.75")                             \
    X("evict_normal_50_first", "L2::evict_normal.L2::evict_first", "0.5")                          \
    X("evict_last_3", "L2::evict_last", "0.03")                                                    \
    X("evict_last_10", "L2::evict_last", "0.1")                                                    \
    X("evict_last_40", "L2::evict_last", "0.4")                                                    \
    X("evict_last_60", "L2::evict_last", "0.6")                                                    \
    X("evict_last_97", "L2::evict_last", "0.97")

#define NAME(name, words, fraction) name,
static const char *const policy_names[] = {POLICIES(NAME)};
enum { policy_count = sizeof policy_names / sizeof policy_names[0] };

static __global__ void make_policies(uint64_t *policies) {
    int i = 0;
#define MAKE(name, words, fraction)                                                                \
    asm volatile("createpolicy.fractional." words ".b64 %0, " fraction ";" : "=l"(policies[i++]));
    POLICIES(MAKE)
}

/* How an access is made. Those before LD take no policy. */
enum by {
    PLAIN,
    CS,
    LU,
    L1_FIRST,
    L1_LAST,
    L1_NONE,
    ST_PLAIN,
    ST_CS,
    APPLY,
    PREFETCH_LAST,
    PREFETCH_NORMAL,
    LD,
    ST,
    BULK,
    BULK_STORE,
    BULK_PREFETCH,
    TENSOR
};
static const char *const by_names[] = {"ld.cg",
                                       "ld.cs",
                                       "ld.lu",
                                       "ld.L1_evict_first",
                                       "ld.L1_evict_last",
                                       "ld.L1_no_allocate",
                                       "st",
                                       "st.cs",
                                       "applypriority",
                                       "prefetch.evict_last",
                                       "prefetch.evict_normal",
                                       "ld",
                                       "st",
                                       "bulk",
                                       "bulk_store",
                                       "bulk_prefetch",
                                       "tensor"};

/* Each warp of 132 CTAs of 128 threads accesses 8 lines at a time, 4 sectors of each. */
static __global__ void access_lanes(char *from, size_t sectors, int by, uint64_t policy,
                                    uint32_t *sink) {
    uint32_t sum = 0;
    for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < sectors;
         i += size_t(gridDim.x) * blockDim.x) {
        char *p = from + i * 32;
        uint32_t got = 0;
#define LOAD(how) asm volatile("ld.global" how ".u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory")
        if (by == PLAIN)
            LOAD(".cg");
        if (by == CS)
            LOAD(".cs");
        if (by == LU)
            LOAD(".lu");
        if (by == L1_FIRST)
            LOAD(".L1::evict_first");
        if (by == L1_LAST)
            LOAD(".L1::evict_last");
        if (by == L1_NONE)
            LOAD(".L1::no_allocate");
        if (by == ST_PLAIN)
            asm volatile("st.global.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(0) : "memory");
        if (by == ST_CS)
            asm volatile("st.global.cs.v4.u32 [%0], {%1,%1,%1,%1};" ::"l"(p), "r"(0) : "memory");
        if (by == APPLY && i % 4 == 0)
            asm volatile("applypriority.global.L2::evict_normal [%0], 128;" ::"l"(p) : "memory");
        if (by == PREFETCH_LAST)
            asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(p) : "memory");
        if (by == PREFETCH_NORMAL)
            asm volatile("prefetch.global.L2::evict_normal [%0];" ::"l"(p) : "memory");
        if (by == LD)
            asm volatile("ld.global.L1::no_allocate.L2::cache_hint.u32 %0, [%1], %2;"
                         : "=r"(got)
                         : "l"(p), "l"(policy)
                         : "memory");
        if (by == ST)
            asm volatile("st.global.L2::cache_hint.v4.u32 [%0], {%1,%1,%1,%1}, %2;" ::"l"(p),
                         "r"(0), "l"(policy)
                         : "memory");
        sum ^= got;
        __syncwarp();
    }
    if (sum == 0x12345)
        *sink = sum;
}

/* One thread of each CTA accesses blocks of 4 KiB by TMA, one after the other. */
static __global__ void access_blocks(char *from, const __grid_constant__ CUtensorMap map,
                                     size_t blocks, int by, uint64_t policy) {
    extern __shared__ __align__(128) char stage[];
    __shared__ __align__(8) uint64_t full;
    uint32_t barrier = shared_address(&full), to = shared_address(stage), parity = 0;
    init(barrier, 1);
    fence_init();
    for (size_t i = blockIdx.x; i < blocks; i += gridDim.x) {
        char *p = from + i * block;
        if (by == BULK_PREFETCH) {
            asm volatile("cp.async.bulk.prefetch.L2.global.L2::cache_hint [%0], %1, %2;" ::"l"(p),
                         "r"(block), "l"(policy)
                         : "memory");
            spin(2000);
            continue;
        }
        if (by == BULK_STORE) {
            asm volatile("cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1],"
                         " %2, %3;" ::"l"(p),
                         "r"(to), "r"(block), "l"(policy)
                         : "memory");
            commit_group();
            wait_until_written();
            continue;
        }
        expect(barrier, block);
        if (by == BULK)
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes"
                         ".L2::cache_hint [%0], [%1], %2, [%3], %4;" ::"r"(to),
                         "l"(p), "r"(block), "r"(barrier), "l"(policy)
                         : "memory");
        else
            asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile"
                         ".mbarrier::complete_tx::bytes.L2::cache_hint [%0], [%1, {%2,%3}], [%4],"
                         " %5;" ::"r"(to),
                         "l"(&map), "r"(0), "r"(int(i * (block / 128))), "r"(barrier), "l"(policy)
                         : "memory");
        wait(barrier, parity);
        parity ^= 1;
    }
}

/* Sample k of `count` lies in part k of as many equal parts of the region. One thread of each CTA
 * looks at its samples one after the other. */
static __global__ void resident(const char *from, uint32_t lines, uint32_t count, uint32_t *held,
                                uint32_t *sink) {
    uint32_t sum = 0, each = lines / count;
    for (uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
        uint32_t k = i * 2731 % count; /* in another order than that of the accesses */
        const char *p = from + (uint64_t(k) * each + (k * 2654435761u >> 7) % each) * 128;
        uint64_t start = clock64();
        uint32_t got;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(got) : "l"(p) : "memory");
        sum += got;
        asm volatile("" ::"r"(sum) : "memory");
        if (sum == 0x12345)
            *sink = sum;
        held[k] = clock64() - start < from_dram;
    }
}

struct device {
    char *region, *stream, *flush;
    uint32_t *held, *sink;
    uint64_t policies[policy_count];
    CUtensorMap map[2]; /* of the region and the stream */
};

struct way {
    int by, policy; /* -1: none */
};

static void access(const device &d, bool stream, size_t mebibytes, way w) {
    char *from = stream ? d.stream : d.region;
    uint64_t policy = w.policy < 0 ? 0 : d.policies[w.policy];
    if (w.by <= ST)
        access_lanes<<<sm_count, 128>>>(from, mebibytes * mib / 32, w.by, policy, d.sink);
    else
        access_blocks<<<sm_count, 1, block>>>(from, d.map[stream], mebibytes * mib / block, w.by,
                                              policy);
    check(cudaGetLastError(), "access");
}

static int policy(const char *name) {
    for (int i = 0; i < policy_count; i++)
        if (strcmp(policy_names[i], name) == 0)
            return i;
    abort();
}

/* Lines are no longer kept, and plain ones fill L2. */
static void forget(const device &d) {
    check(cudaDeviceSynchronize(), "before");
    check(cudaCtxResetPersistingL2Cache(), "reset");
    for (bool stream : {false, true}) {
        access(d, stream, region_bytes / mib, way{APPLY, -1});
        access(d, stream, region_bytes / mib, way{LD, policy("evict_first")});
    }
    read_all<<<1056, 256>>>((const uint4 *)d.flush, flush_bytes / 16, d.sink);
    check(cudaDeviceSynchronize(), "flush");
}

static std::vector<uint32_t> held(const device &d, size_t mebibytes, uint32_t count = samples) {
    std::vector<uint32_t> all(count);
    resident<<<16, 1>>>(d.region, uint32_t(mebibytes * mib / 128), count, d.held, d.sink);
    check(cudaDeviceSynchronize(), "probe");
    check(cudaMemcpy(all.data(), d.held, count * 4, cudaMemcpyDefault), "copy");
    return all;
}

static double part(const std::vector<uint32_t> &all, size_t first, size_t end) {
    double sum = 0;
    for (size_t i = first; i < end; i++)
        sum += all[i];
    return sum / double(end - first);
}

static const char *text(way w, char *to) {
    sprintf(to, w.policy < 0 ? "%s" : "%s.%s", by_names[w.by],
            w.policy < 0 ? "" : policy_names[w.policy]);
    return to;
}

static void row(const device &d, const char *family, const char *what, size_t mebibytes) {
    std::vector<uint32_t> all = held(d, mebibytes);
    printf("%s\t%s\t%.4f\t%.4f\t%.4f\n", family, what, part(all, 0, samples),
           part(all, 0, samples / 4), part(all, samples * 3 / 4, samples));
}

static void region_row(const device &d, const char *family, way w, size_t first, size_t other) {
    char what[200], name[100];
    forget(d);
    access(d, false, first, w);
    if (other > 0)
        access(d, true, other, way{PLAIN, -1});
    snprintf(what, sizeof what, "by=%s mib=%zu other=%zu", text(w, name), first, other);
    row(d, family, what, first);
}

/* What makes L2 forget lines to keep, one means at a time. */
static void resets(const device &d) {
    const char *const names[] = {"nothing", "reset", "applypriority", "evict_first"};
    for (int how = 0; how < 4; how++) {
        char what[100];
        forget(d);
        access(d, false, 8, way{LD, policy("evict_last")});
        check(cudaDeviceSynchronize(), "evict_last");
        if (how == 1)
            check(cudaCtxResetPersistingL2Cache(), "reset");
        if (how == 2)
            access(d, false, 8, way{APPLY, -1});
        if (how == 3)
            access(d, false, 8, way{LD, policy("evict_first")});
        access(d, true, 96, way{PLAIN, -1});
        snprintf(what, sizeof what, "by=%s", names[how]);
        row(d, "reset", what, 8);
    }
}

static void regions(const device &d) {
    const int first = policy("evict_first"), last = policy("evict_last");
    const way all[] = {
        {PLAIN, -1},   {CS, -1},       {LU, -1},    {L1_FIRST, -1},      {L1_LAST, -1},
        {L1_NONE, -1}, {ST_PLAIN, -1}, {ST_CS, -1}, {PREFETCH_LAST, -1}, {PREFETCH_NORMAL, -1}};
    for (way w : all)
        for (size_t mebibytes : {size_t(8), size_t(24)})
            for (size_t other : {size_t(0), size_t(16), size_t(32), size_t(64), size_t(128)})
                region_row(d, "region", w, mebibytes, other);
    for (int p = 0; p < policy("evict_last_3"); p++)
        for (size_t mebibytes : {size_t(8), size_t(24)})
            for (size_t other : {size_t(0), size_t(16), size_t(32), size_t(64), size_t(128)})
                region_row(d, "region", way{LD, p}, mebibytes, other);
    for (int by : {ST, BULK, BULK_STORE, BULK_PREFETCH, TENSOR})
        for (int p : {policy("evict_normal"), first, last, policy("evict_unchanged"),
                      policy("evict_last_25"), policy("evict_last_50"), policy("evict_last_75"),
                      policy("evict_first_50")})
            for (size_t mebibytes : {size_t(8), size_t(24)})
                for (size_t other : {size_t(0), size_t(32), size_t(128)})
                    region_row(d, "region", way{by, p}, mebibytes, other);
    /* How much of each kind L2 holds. */
    for (int p : {first, last})
        for (size_t mebibytes : {1, 2, 4, 6, 10, 12, 16, 20, 32, 40, 48, 64})
            for (size_t other : {size_t(0), size_t(64)})
                region_row(d, "region", way{LD, p}, mebibytes, other);
}

static void streams(const device &d) {
    const way all[] = {{PLAIN, -1},
                       {LD, policy("evict_normal")},
                       {LD, policy("evict_first")},
                       {LD, policy("evict_last")},
                       {LD, policy("evict_unchanged")},
                       {LD, policy("evict_last_50")},
                       {LD, policy("evict_first_50")},
                       {ST, policy("evict_first")},
                       {CS, -1},
                       {L1_FIRST, -1},
                       {BULK, policy("evict_first")},
                       {TENSOR, policy("evict_first")},
                       {TENSOR, policy("evict_normal")}};
    for (way first : all)
        for (way second : all)
            for (size_t other : {size_t(8), size_t(16), size_t(32), size_t(48), size_t(96)}) {
                char what[300], names[2][100];
                forget(d);
                access(d, false, 16, first);
                access(d, true, other, second);
                snprintf(what, sizeof what, "by=%s stream=%s mib=16 other=%zu",
                         text(first, names[0]), text(second, names[1]), other);
                row(d, "stream", what, 16);
            }
}

static void touches(const device &d) {
    const way first[] = {{PLAIN, -1},
                         {LD, policy("evict_normal")},
                         {LD, policy("evict_first")},
                         {LD, policy("evict_last")}};
    const way second[] = {{PLAIN, -1},
                          {CS, -1},
                          {ST_PLAIN, -1},
                          {APPLY, -1},
                          {PREFETCH_LAST, -1},
                          {PREFETCH_NORMAL, -1},
                          {LD, policy("evict_normal")},
                          {LD, policy("evict_first")},
                          {LD, policy("evict_last")},
                          {LD, policy("evict_unchanged")},
                          {TENSOR, policy("evict_normal")}};
    for (way w : first)
        for (way again : second)
            for (size_t other : {size_t(8), size_t(16), size_t(32), size_t(64)}) {
                char what[300], names[2][100];
                forget(d);
                access(d, false, 4, w);
                access(d, false, 4, again);
                access(d, true, other, way{PLAIN, -1});
                snprintf(what, sizeof what, "by=%s again=%s mib=4 other=%zu", text(w, names[0]),
                         text(again, names[1]), other);
                row(d, "touch", what, 4);
            }
}

static void spreads(const device &d) {
    const uint32_t lines = 4 * mib / 128;
    for (const char *name :
         {"evict_last_25", "evict_last_50", "evict_last_75", "evict_last_50_first", "evict_last_3",
          "evict_last_10", "evict_last_40", "evict_last_60", "evict_last_97"})
        for (int by : {LD, BULK}) {
            std::vector<uint32_t> runs[2];
            char what[100];
            for (std::vector<uint32_t> &run : runs) {
                forget(d);
                access(d, false, 4, way{by, policy(name)});
                access(d, true, 96, way{PLAIN, -1});
                run = held(d, 4, lines);
            }
            uint32_t both = 0;
            for (uint32_t i = 0; i < lines; i++)
                both += runs[0][i] & runs[1][i];
            snprintf(what, sizeof what, "by=%s.%s", by_names[by], name);
            printf("spread\t%s again\t%.4f\t%.4f\t%.4f\n", what, both / double(lines),
                   part(runs[0], 0, lines), part(runs[1], 0, lines));
            for (uint32_t apart = 1; apart <= 1024; apart *= 2) {
                uint32_t same = 0;
                for (uint32_t i = 0; i < lines; i++)
                    same += runs[0][i] == runs[0][i ^ apart];
                printf("spread\t%s lines=%u\t%.4f\t\t\n", what, apart, same / double(lines));
            }
            /* The first 256 lines, as they stay. */
            printf("spread\t%s lines_of_run=", what);
            for (uint32_t i = 0; i < 256; i++)
                putchar(runs[0][i] ? '1' : '0');
            printf("\t\t\t\n");
        }
}

int main() {
    device d{};
    uint64_t *policies;
    cudaDeviceProp about;
    check(cudaGetDeviceProperties(&about, 0), "device");
    check(cudaMalloc(&d.region, region_bytes), "region");
    check(cudaMalloc(&d.stream, region_bytes), "stream");
    check(cudaMalloc(&d.flush, flush_bytes), "flush");
    check(cudaMalloc(&d.held, region_bytes / 128 * 4), "held");
    check(cudaMalloc(&d.sink, 4), "sink");
    check(cudaMalloc(&policies, sizeof d.policies), "policies");
    check(cudaMemset(d.region, 0, region_bytes), "memset");
    check(cudaMemset(d.stream, 0, region_bytes), "memset");
    check(cudaMemset(d.flush, 0, flush_bytes), "memset");
    make_policies<<<1, 1>>>(policies);
    check(cudaMemcpy(d.policies, policies, sizeof d.policies, cudaMemcpyDefault), "policies");
    for (int i = 0; i < 2; i++) {
        cuuint64_t dim[] = {32, region_bytes / 128}, stride[] = {128};
        cuuint32_t box[] = {32, block / 128}, step[] = {1, 1};
        if (cuTensorMapEncodeTiled(&d.map[i], CU_TENSOR_MAP_DATA_TYPE_UINT32, 2,
                                   i == 0 ? d.region : d.stream, dim, stride, box, step,
                                   CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE,
                                   CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                   CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
            fprintf(stderr, "capture-l2-hints: no tensor map\n");
            return 2;
        }
    }
    printf("family\twhat\theld\toldest\tnewest\n");
    for (int i = 0; i < policy_count; i++)
        printf("policy\t%s\t%016llx\t\t\n", policy_names[i], (unsigned long long)d.policies[i]);
    resets(d);
    regions(d);
    streams(d);
    touches(d);
    spreads(d);
    check(
        cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t(about.persistingL2CacheMaxSize)),
        "limit");
    printf("limit\tbytes=%d\t\t\t\n", about.persistingL2CacheMaxSize);
    for (const char *name : {"evict_normal", "evict_last", "evict_last_50"})
        for (size_t mebibytes : {size_t(8), size_t(24), size_t(48)})
            for (size_t other : {size_t(0), size_t(32), size_t(128)})
                region_row(d, "limit", way{LD, policy(name)}, mebibytes, other);
    return 0;
}
