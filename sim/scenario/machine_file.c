#include "scenario/machine_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "memory/host_bytes.h"
#include "memory/topology.h"
#include "scenario/document.h"
#include "scenario/schema_describe.h"

/* The digest leaves out the keys that change no value of the timing. Which seed a launch has is not
 * a value of the machine, and the architecture decides which tensor maps are legal. */
#define DIGEST_KEY "validated_digest"
static const char *const undigested[] = {"name", "architecture", "validated", DIGEST_KEY,
                                         "topology.draw"};

/* The struct that the schema fills. */
struct machine_input {
    struct tma_machine machine;
    char validated_digest[TMA_DIGEST_BYTES];

    /* Lengths of the lists. */
    uint32_t gpc_size_count, gpc_partition_count, sms_count, placement_count;
};

#define IN(member)       offsetof(struct machine_input, machine.member)
#define COUNT_IN(member) offsetof(struct machine_input, member)

/* Arguments: path, unit, least and largest value in the unit's base unit, member, meaning. No
 * parameter has a default, so that a machine file states every assumption. */
#define U32(path, unit, min, max, member, meaning)                                                 \
    { path, TMA_KEY_U32, &tma_unit_##unit, min, max, TMA_REQUIRED, IN(member), NULL, 0, 0, meaning }
/* A policy: one of the names of memory/policies.h, the first of which is the default. */
#define POLICY(path, member, names, meaning)                                                       \
    { path, TMA_KEY_ENUM, NULL, 0, 0, TMA_OPTIONAL, IN(member), names, 0, 0, meaning }
#define U64(path, unit, min, max, member, meaning)                                                 \
    { path, TMA_KEY_U64, &tma_unit_##unit, min, max, TMA_REQUIRED, IN(member), NULL, 0, 0, meaning }
#define LIST(path, max, member, limit, count, meaning)                                             \
    {                                                                                              \
        path, TMA_KEY_U32, &tma_unit_none, 0, max, TMA_REQUIRED, IN(member), NULL, limit,          \
            COUNT_IN(count), meaning                                                               \
    }

static const struct tma_key keys[] = {
    {"name", TMA_KEY_CHARS, NULL, 1, TMA_MAX_NAME - 1, TMA_REQUIRED, IN(name), NULL, 0, 0,
     "name of the machine in reports"},
    {"architecture", TMA_KEY_ENUM, NULL, 0, 0, TMA_REQUIRED, IN(architecture),
     &tma_architecture_names, 0, 0, "compute capability; selects the rules for tensor maps"},
    {"validated", TMA_KEY_BOOL, NULL, 0, 1, TMA_REQUIRED, IN(validated), NULL, 0, 0,
     "whether the timing was compared with measurements of a real GPU of this kind"},
    {DIGEST_KEY, TMA_KEY_CHARS, NULL, 0, TMA_DIGEST_BYTES - 1, TMA_OPTIONAL,
     offsetof(struct machine_input, validated_digest), NULL, 0, 0,
     "digest of the values that were compared, from tmasim validate --format json; with other "
     "values, or without this key, the timing is not validated"},
    U32("sm_count", none, 1, TMA_MAX_SMS, sm_count, "number of streaming multiprocessors (SMs)"),
    U32("sm_clock", mhz, 1, 10000, sm_clock_mhz,
        "clock of the SMs; all durations in cycles are cycles of it"),
    U32("shared_memory", bytes, 1024, 1 << 20, shared_memory_bytes, "shared memory of one SM"),
    U32("shared_memory_cta", bytes, 1024, 1 << 20, shared_memory_cta_bytes,
        "largest shared memory of one CTA"),

    LIST("topology.gpc_size", TMA_MAX_SMS, topology.gpc_size, TMA_MAX_GPCS, gpc_size_count,
         "number of SMs in each GPC"),
    LIST("topology.gpc_partition", 1, topology.gpc_partition, TMA_MAX_GPCS, gpc_partition_count,
         "L2 partition, 0 or 1, that each GPC is attached to"),
    LIST("topology.sms", TMA_MAX_SMS - 1, topology.sms, TMA_MAX_SMS, sms_count,
         "numbers of the SMs, GPC by GPC, in the order in which a GPC's CTAs are numbered"),
    U32("topology.launch", cycles, 0, 1e6, topology.launch_cycles,
        "time that a profiler counts for a launch beyond that of its CTAs: launch and drain. "
        "Reports "
        "do not have it"),
    U32("topology.launch_interval", cycles, 0, 10000, topology.launch_interval_cycles,
        "least time between the starts of two CTAs of a GPC; the nearest SMs are first"),
    U32("topology.launch_warp", millicycles, 0, 1e6, topology.launch_warp_millicycles,
        "additional time between these for each warp of a CTA, up to one on each scheduler"),
    U32("topology.draw", none, 0, 1e9, topology.seed,
        "seed for what varies between launches: which slot and which SM issues first, how long a "
        "warp polls, when DRAM refreshes, and how much longer each of its accesses takes; 0: no "
        "variation"),
    LIST("topology.placement", TMA_MAX_SMS - 1, topology.placement, TMA_MAX_SMS, placement_count,
         "numbers of the SMs in the order in which a growing grid occupies them"),
    {"topology.lone_tpcs", TMA_KEY_U32, &tma_unit_none, 0, TMA_MAX_SMS / TMA_TPC_SMS - 1,
     TMA_OPTIONAL, IN(topology.lone_tpcs), NULL, TMA_MAX_SMS / TMA_TPC_SMS,
     IN(topology.lone_tpc_count),
     "TPCs whose two SMs form clusters with each other only: TPC k has SMs 2k and 2k + 1"},
    {"topology.slice_distances", TMA_KEY_U32, &tma_unit_none, 0, 100, TMA_OPTIONAL,
     IN(topology.slice_distances), NULL, TMA_MAX_SLICE_DISTANCES, IN(topology.slice_distance_count),
     "distances of each GPC from each eight slices of a partition, GPC by GPC, in percent of "
     "crossbar.spread; without this key slices lie at evenly spread distances"},
    {"topology.partition_distances", TMA_KEY_U32, &tma_unit_none, 0, 100, TMA_OPTIONAL,
     IN(topology.partition_distances), NULL, TMA_MAX_SLICE_GROUPS,
     IN(topology.partition_distance_count),
     "distances of each eight slices of a partition from those of the other one, in percent of "
     "crossbar.partition_spread; without this key they are evenly spread"},
    {"topology.tpc_distances", TMA_KEY_U32, &tma_unit_none, 0, 1000, TMA_OPTIONAL,
     IN(topology.tpc_distances), NULL, TMA_MAX_SMS / TMA_TPC_SMS, IN(topology.tpc_distance_count),
     "how much longer than from the nearest TPC the way from each TPC to L2 and back takes, in "
     "cycles; without this key all are equally near"},

    U32("tma.issue", cycles, 0, 10000, tma.issue_cycles,
        "latency from the TMA instruction to the queue of the TMA unit"),
    U32("tma.descriptors", none, 1, 65536, tma.descriptors,
        "capacity of an SM's descriptor cache, in tensor maps"),
    U32("tma.gpc_descriptors", none, 1, 65536, tma.gpc_descriptors,
        "capacity of a GPC's descriptor cache, in tensor maps; serves the misses of its SMs"),
    U32("tma.descriptor_fetch", cycles, 0, 10000, tma.descriptor_fetch_cycles,
        "latency of a fetch from the GPC's descriptor cache into the SM's"),
    U32("tma.dispatch_interval", cycles, 0, 10000, tma.dispatch_interval_cycles,
        "least time between the starts of two operations of a TMA unit"),
    U32("tma.row", millicycles, 1, 1000000, tma.row_millicycles,
        "time that the TMA unit takes to generate one line request, the part of a row in one "
        "128-byte line"),
    U32("tma.complete", cycles, 1, 10000, tma.complete_cycles,
        "latency from a load's last byte in shared memory to the end of its mbarrier's phase"),
    U32("tma.prefetch_gap", cycles, 0, 10000, tma.prefetch_gap_cycles,
        "time that the TMA unit pauses after each prefetch"),
    U32("tma.store_sector", millicycles, 0, 1000000, tma.store_sector_millicycles,
        "stores: time to read one 32-byte sector from shared memory"),
    U32("tma.store_partial", millicycles, 0, 1000000, tma.store_partial_millicycles,
        "stores: additional time for a request that writes only part of a sector"),
    U32("tma.reduce_request", millicycles, 0, 1000000, tma.reduce_request_millicycles,
        "reductions: time to read shared memory, for each request"),
    U32("tma.reduce_sector", millicycles, 0, 1000000, tma.reduce_sector_millicycles,
        "reductions: additional time for each whole sector of a request"),
    U32("tma.store_complete", cycles, 1, 10000, tma.store_complete_cycles,
        "stores: latency from the last read of shared memory to the end of wait_group.read"),
    U32("tma.reduce_complete", cycles, 1, 10000, tma.reduce_complete_cycles,
        "reductions: latency from the last read of shared memory to the end of wait_group.read"),
    U32("tma.first_pass", cycles, 0, 10000, tma.first_pass_cycles,
        "delay of the first load of each slot, while its warp fetches instructions"),
    U32("tma.store_first_pass", cycles, 0, 10000, tma.store_first_pass_cycles,
        "the same delay of a slot's first store or reduction"),
    U32("tma.store_first_warp", cycles, 0, 10000, tma.store_first_warp_cycles,
        "what each further slot of the same scheduler adds to tma.store_first_pass"),
    U32("tma.first_scheduler", none, 0, 100, tma.first_scheduler_percent,
        "percentage of launches in which the warps of an SM's first scheduler begin before those "
        "of the others; else another one is first"),
    U32("tma.store_turnaround", cycles, 0, 10000, tma.store_turnaround_cycles,
        "time from the end of wait_group.read to the warp's next store or reduction"),
    U32("tma.store_issue", cycles, 0, 10000, tma.store_issue_cycles,
        "least time between stores or reductions of two warps of one scheduler"),
    U32("tma.store_backlog", cycles, 0, 10000, tma.store_backlog_cycles,
        "most work that the store unit has if more than two warps of a scheduler issue stores or "
        "reductions before the first of them commits"),
    U32("tma.store_operations", none, 1, 1e6, tma.store_operations,
        "number of stores and reductions that the store unit serves in round robin"),
    U32("tma.write_flits", none, 1, 1e6, tma.write_flits,
        "largest number of 32-byte flits that an SM has in flight to L2"),
    U32("tma.poll", millicycles, 0, 1000000, tma.poll_millicycles,
        "what each further slot that polls on the same scheduler adds to turnaround, on average"),
    U32("tma.turnaround", cycles, 0, 10000, tma.turnaround_cycles,
        "time from the end of an mbarrier's phase to the next operation that the waiting warp "
        "issues"),
    U32("tma.wake_interval", cycles, 0, 10000, tma.wake_interval_cycles,
        "interval at which a warp can see the end of a phase; also the least time between the "
        "issues of two warps of an SM"),
    U32("tma.cluster_release", cycles, 0, 10000, tma.cluster_release_cycles,
        "time that a warp takes to release a multicast tile to its cluster"),
    U32("tma.cluster_arrive", cycles, 0, 10000, tma.cluster_arrive_cycles,
        "latency from that release to the arrival on an mbarrier of another SM"),

    U32("crossbar.request", cycles, 1, 10000, crossbar.request_cycles,
        "latency from an SM to the nearest L2 slice"),
    U32("crossbar.response", cycles, 1, 10000, crossbar.response_cycles,
        "latency from the nearest L2 slice through the GPC's port to the SM's port"),
    U32("crossbar.spread", cycles, 0, 10000, crossbar.spread_cycles,
        "how much longer the furthest slice takes than the nearest one, request and response "
        "together"),
    U32("crossbar.partition", cycles, 1, 10000, crossbar.partition_cycles,
        "latency from a slice to the nearest one of the other L2 partition, one way"),
    U32("crossbar.partition_spread", cycles, 0, 10000, crossbar.partition_spread_cycles,
        "additional latency to the furthest one, one way"),
    U32("crossbar.sm_port", bytes_per_kcycle, 1, 1e9, crossbar.sm_port_bytes_per_kcycle,
        "bandwidth of the response port of an SM"),
    U32("crossbar.gpc_port", bytes_per_kcycle, 1, 1e9, crossbar.gpc_port_bytes_per_kcycle,
        "bandwidth of the response port of a GPC, which its SMs share"),
    U32("crossbar.link", bytes_per_kcycle, 1, 1e9, crossbar.link_bytes_per_kcycle,
        "bandwidth of a link to that port, from eight L2 slices"),
    U32("crossbar.coalesced", none, 1, TMA_MAX_COALESCED, crossbar.coalesced_requests,
        "largest number of loads of the same sectors that a GPC's coalescer merges into one "
        "request"),

    U64("l2.capacity", bytes, 1024, 1ull << 40, l2.capacity_bytes, "capacity of all partitions"),
    U32("l2.partitions", none, 1, 2, l2.partitions, "number of partitions of the cache"),
    U32("l2.slices", none, 1, 1024, l2.slices, "number of slices in all partitions"),
    {"l2.hash", TMA_KEY_ENUM, NULL, 0, 0, TMA_REQUIRED, IN(l2.hash), &tma_slice_hash_names, 0, 0,
     "hash that maps a line's address to its slice"},
    POLICY("l2.replacement", l2.replacement, &tma_replacement_names,
           "policy that chooses the victim in a full set; without this key: lru"),
    POLICY("l2.promotion", l2.promotion, &tma_promotion_names,
           "policy that chooses the accesses which fetch the second line of a 256-byte block; "
           "without this key: first_sector"),
    U32("l2.ways", none, 1, TMA_L2_MAX_WAYS, l2.ways, "associativity: lines of a set"),
    U32("l2.dirty_ways", none, 1, TMA_L2_MAX_WAYS, l2.dirty_ways,
        "largest number of dirty lines in a set; one more causes a write-back"),
    U32("l2.reduction_operands", none, 1, 1e6, l2.reduction_operands,
        "32-byte operands that a slice keeps for reductions which wait for their lines"),
    U32("l2.lookup", cycles, 0, 10000, l2.lookup_cycles,
        "latency of tag look-up and data access in an idle slice"),
    U32("l2.request", millicycles, 0, 1000000, l2.request_millicycles,
        "reads: time that a slice's tags take for each line that they look up"),
    U32("l2.line_conflict", millicycles, 0, 1000000, l2.line_conflict_millicycles,
        "additional time of a slice's tags for a line that is that of the last look-up but "
        "one, and not that of the last one"),
    U32("l2.sector", millicycles, 0, 1000000, l2.sector_millicycles,
        "reads: time that a slice's data array takes for each sector, while its tags look up"),
    U32("l2.queue", none, 1, 1e6, l2.queue_reads,
        "reads that wait in the queue of a slice; further ones wait in queues of the CPCs, which "
        "the slice serves in turn"),
    U32("l2.missing", none, 1, 1e6, l2.missing_sectors,
        "sectors that a slice waits for at once, from DRAM and, apart from these, from the other "
        "partition; reads of further ones wait, with all reads behind them"),
    U32("l2.fill_sector", millicycles, 0, 1000000, l2.fill_sector_millicycles,
        "fills from DRAM and copies from the other partition: time that a slice takes for each "
        "sector that arrives"),
    U32("l2.fill_flit", millicycles, 0, 1000000, l2.fill_flit_millicycles,
        "fills: time that a slice's port from DRAM takes for each sector"),
    U32("l2.replay", millicycles, 0, 1000000, l2.replay_millicycles,
        "additional time of that port for a line that further requests wait for, however many"),
    U32("l2.fill", millicycles, 0, 1000000, l2.fill_millicycles,
        "time that a slice takes for a read of the lines that out-of-bounds elements come from"),
    U32("l2.write_flit", millicycles, 0, 1000000, l2.write_flit_millicycles,
        "writes: time that a slice's input port takes for each 32-byte flit"),
    U32("l2.write_request", millicycles, 0, 1000000, l2.write_request_millicycles,
        "writes: time that a slice's tags take for each request"),
    U32("l2.invalidate", millicycles, 0, 1e6, l2.invalidate_millicycles,
        "writes: additional time of the tags to invalidate the copy of the other partition"),
    U32("l2.write_sector", millicycles, 0, 1000000, l2.write_sector_millicycles,
        "stores: time that a slice's data array takes for each sector"),
    U32("l2.reduce_sector", millicycles, 0, 1000000, l2.reduce_sector_millicycles,
        "reductions: time that a slice's data array takes for each sector"),
    U32("l2.promotion_wait", cycles, 0, 100000, l2.promotion_wait_cycles,
        "largest queueing delay of a promotion to 256 bytes in the other partition; a promotion "
        "that would wait longer is dropped"),

    POLICY("dram.scheduler", dram.scheduler, &tma_dram_scheduler_names,
           "order in which a channel serves its requests; without this key: fr_fcfs"),
    POLICY("dram.refresh_policy", dram.refresh_policy, &tma_refresh_names,
           "which banks of a channel refresh at once; without this key: per_bank"),
    U32("dram.bus", bits, 1, 65536, dram.bus_bits, "width of the data bus, all channels together"),
    U32("dram.clock", mhz, 1, 100000, dram.clock_mhz,
        "clock of the data bus, which transfers data on both edges"),
    U32("dram.channels", none, 1, 1024, dram.channels, "number of independent channels"),
    U32("dram.stacks", none, 1, 1024, dram.stacks,
        "number of stacks of memory, which reports and pictures group channels by"),
    U32("dram.ranks", none, 1, TMA_DRAM_MAX_GROUPS, dram.ranks,
        "number of ranks of a channel, whose banks the scheduler serves in turn"),
    U32("dram.banks", none, 1, 1024, dram.banks, "number of banks in a channel, in all ranks"),
    U32("dram.bank_groups", none, 1, TMA_DRAM_MAX_GROUPS, dram.bank_groups,
        "number of bank groups in a rank"),
    U32("dram.row", bytes, 2 * TMA_LINE_BYTES, 1 << 20, dram.row_bytes,
        "size of the row buffer of a bank"),
    U32("dram.queue", none, 1, 65536, dram.queue,
        "number of reads, and of writes, that a channel's scheduler chooses from"),
    U32("dram.bypass", none, 0, 1e6, dram.bypass,
        "number of requests for the open row of a bank that may be served before an earlier "
        "request for another row of it"),
    U32("dram.write_queue", none, 1, 1e6, dram.write_queue,
        "number of writes of a channel above which further ones wait in L2 (back-pressure)"),
    U32("dram.write_high", none, 1, 1e6, dram.write_high,
        "number of writes at which a channel begins to write"),
    U32("dram.write_low", none, 0, 1e6, dram.write_low,
        "number of writes at which a channel reads again"),
    U32("dram.access", ps, 0, 1e8, dram.access_ps,
        "latency from an L2 miss to the first data, on a row-buffer hit in an idle channel"),
    U32("dram.access_spread", ps, 0, 1e8, dram.access_spread_ps,
        "an access takes up to so much longer, by a random time"),
    U32("dram.trcd", ps, 0, 1e8, dram.trcd_ps,
        "tRCD: from an activation to the first access of the row"),
    U32("dram.trp", ps, 0, 1e8, dram.trp_ps,
        "tRP: from the precharge that closes a row to the activation of the next"),
    U32("dram.tras", ps, 0, 1e8, dram.tras_ps,
        "tRAS: from an activation to the precharge, at least"),
    U32("dram.trtp", ps, 0, 1e8, dram.trtp_ps, "tRTP: from a read to the precharge, at least"),
    U32("dram.twr", ps, 0, 1e8, dram.twr_ps,
        "tWR: from the end of a write's data to the precharge, at least"),
    U32("dram.trrd", ps, 0, 1e8, dram.trrd_ps,
        "tRRD: between two activations of a channel, at least"),
    U32("dram.tccd_long", ps, 0, 1e8, dram.tccd_long_ps,
        "tCCD_L: between two bursts of eight beats to one bank group, at least"),
    U32("dram.trtw", ps, 0, 1e8, dram.trtw_ps, "pause of the data bus from reads to writes"),
    U32("dram.twtr", ps, 0, 1e8, dram.twtr_ps, "pause of the data bus from writes to reads"),
    U32("dram.trfc", ps, 0, 1e9, dram.trfc_ps, "tRFC: duration of a refresh"),
    U32("dram.trefi", ps, 1, 1e9, dram.trefi_ps,
        "tREFI: time between the starts of two refreshes of a bank"),
    U32("dram.trrefd", ps, 0, 1e9, dram.trrefd_ps,
        "tRREFD: time from the start of a bank's refresh to that of the next bank, if the banks "
        "fit into dram.trefi so"),
    U32("dram.refresh_spread", ps, 0, 1e9, dram.refresh_spread_ps,
        "time within which the channels of a partition begin to refresh the same bank; partitions "
        "follow each other, dram.trrefd apart"),
    U32("dram.refresh_drift", ps, 0, 1e8, dram.refresh_drift_ps,
        "by how much refreshes come apart while DRAM is busy, until all channels halt: standard "
        "deviation after a microsecond, which grows with the square root of time"),
    U32("dram.idle_before", ps, 0, 1e8, dram.idle_before_ps,
        "for how long DRAM is idle before a kernel that starts with an empty L2: since the kernel "
        "that emptied it"),
    U32("dram.halt", ps, 0, 1e8, dram.halt_ps,
        "time for which all channels halt at once; the data buses are slower by its share of "
        "dram.halt_interval"),
    U32("dram.halt_interval", ps, 1e6, 4e9, dram.halt_interval_ps,
        "time between the starts of two such halts"),

    U32("shared.wavefront", cycles, 1, 1000, shared.wavefront_cycles,
        "time that shared memory takes for one wavefront"),
    U32("warp.start", cycles, 0, 100000, warp.start_cycles,
        "time from the start of a CTA to the first instruction of its roles' programs"),
    U32("warp.fetch", cycles, 0, 100000, warp.fetch_cycles,
        "additional time of a statement that runs on an SM for the first time: its instructions "
        "are "
        "not in the SM's cache"),
    U32("warp.launch", cycles, 0, 100000, warp.launch_cycles,
        "time from the end of a CTA to the start of the next one on its SM"),
    U32("warp.wait", cycles, 0, 10000, warp.wait_cycles,
        "time of a wait on an mbarrier whose phase is complete"),
    U32("warp.wake", cycles, 0, 10000, warp.wake_cycles,
        "time from the end of an mbarrier's phase to the next instruction of a warp that waits for "
        "it"),
    U32("warp.arrive", cycles, 0, 10000, warp.arrive_cycles,
        "time of an arrival on an mbarrier, in the warp that arrives"),
    U32("warp.arrive_latency", cycles, 0, 10000, warp.arrive_latency_cycles,
        "latency of an arrival until the phase of an mbarrier of the own CTA ends"),
    U32("warp.remote_arrive", cycles, 0, 10000, warp.remote_arrive_cycles,
        "the same latency for another CTA of the cluster, without .release.cluster"),
    U32("warp.expect", cycles, 0, 10000, warp.expect_cycles, "time of an arrival with expect_tx"),
    U32("warp.issue", cycles, 0, 10000, warp.issue_cycles,
        "time of a TMA instruction in the warp that issues it"),
    U32("warp.commit", cycles, 0, 10000, warp.commit_cycles, "time to commit a group of stores"),
    U32("warp.wait_group", cycles, 0, 10000, warp.wait_group_cycles,
        "time of a wait for groups of stores that are done"),
    U32("warp.store_wake", cycles, 0, 10000, warp.store_wake_cycles,
        "time from the end of a group of stores to the next instruction of a warp that waits for "
        "it"),
    U32("warp.barrier", cycles, 0, 10000, warp.barrier_cycles,
        "time from the last arrival at a named barrier to the next instruction of its warps"),
    U32("warp.spin", cycles, 0, 10000, warp.spin_cycles,
        "what a role takes longer than the cycles of a compute statement"),
    U32("warp.mma_issue", cycles, 0, 10000, warp.mma_issue_cycles,
        "time to issue a group of matrix products and to commit it"),
    U32("warp.mma_wait", cycles, 0, 10000, warp.mma_wait_cycles,
        "time from the end of a group of matrix products to the next instruction of the warps that "
        "wait for it"),
    U32("warp.tile", cycles, 0, 100000, warp.tile_cycles,
        "time to take the next tile from a counter in global memory, and to tell the roles of the "
        "CTA"),
    U32("sm.threads", none, 32, 1 << 20, sm.threads, "most threads of an SM"),
    U32("sm.cta_threads", none, 32, 1 << 20, sm.cta_threads, "most threads of a CTA"),
    U32("sm.ctas", none, 1, 64, sm.ctas, "most CTAs of an SM"),
    U32("sm.registers", none, 1, 1 << 24, sm.registers, "registers of an SM, of 32 bits"),
    U32("sm.reserved", bytes, 0, 1 << 20, sm.reserved_bytes,
        "shared memory that each CTA takes besides its own"),
    U32("sm.mma_half", none, 1, 1 << 20, sm.mma_half,
        "multiply-adds that the tensor cores of an SM do in a cycle: f16, bf16"),
    U32("sm.mma_tf32", none, 1, 1 << 20, sm.mma_tf32, "the same: tf32"),
    U32("sm.mma_byte", none, 1, 1 << 20, sm.mma_byte, "the same: 8-bit types"),
    U32("sm.mma_fp64", none, 1, 1 << 20, sm.mma_fp64, "the same: f64"),
    U32("sm.mma_a", bytes, 0, 1 << 20, sm.mma_a_bytes,
        "bytes of the operand A that a warp group takes from shared memory in a cycle; "
        "0: any number"),
    U32("sm.mma_b", bytes, 0, 1 << 20, sm.mma_b_bytes, "the same: the operand B"),
    U32("sm.mma_queue", none, 0, 1 << 20, sm.mma_queue,
        "wgmma instructions that a warp group has in flight; its warps wait before they issue a "
        "further one; 0: any number"),
    U32("sm.alu", none, 1, 1 << 20, sm.alu, "operations of single precision of an SM in a cycle"),
    U32("sm.sfu", none, 1, 1 << 20, sm.sfu, "special functions of an SM in a cycle"),
};

const struct tma_schema tma_machine_schema = {keys, sizeof keys / sizeof keys[0]};

static void check_count(const struct tma_yaml_node *root, const char *path, uint32_t count,
                        uint32_t expected, const char *why, struct tma_diagnostics *list) {
    if (count != expected)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, path),
                     "%s has length %u; expected %u, %s", path, count, expected, why);
}

/* Checks that the list has each SM exactly once. A missing SM would never get a CTA, a duplicate
 * one would get two. */
static void check_permutation(const struct tma_yaml_node *root, const char *path,
                              const uint32_t *sms, uint32_t count, struct tma_diagnostics *list) {
    bool seen[TMA_MAX_SMS] = {false};
    for (uint32_t i = 0; i < count; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "%s.%u", path, i);
        if (sms[i] >= count)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, entry),
                         "%s is %u; allowed: SMs 0 to %u", entry, sms[i], count - 1);
        else if (seen[sms[i]])
            tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, entry),
                         "%s is %u, which is in the list already", entry, sms[i]);
        else
            seen[sms[i]] = true;
    }
}

static void check_topology(const struct tma_yaml_node *root, const struct machine_input *input,
                           struct tma_diagnostics *list) {
    const struct tma_machine *machine = &input->machine;
    uint32_t sms = machine->sm_count, sum = 0;
    for (uint32_t i = 0; i < input->gpc_size_count; i++)
        sum += machine->topology.gpc_size[i];
    if (sum != sms)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "topology.gpc_size"),
                     "topology.gpc_size adds up to %u SMs; expected sm_count, which is %u", sum,
                     sms);
    check_count(root, "topology.gpc_partition", input->gpc_partition_count, input->gpc_size_count,
                "one for each GPC", list);
    for (uint32_t i = 0; i < input->gpc_partition_count; i++)
        if (machine->topology.gpc_partition[i] >= machine->l2.partitions)
            tma_diagnose(
                list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "topology.gpc_partition"),
                "topology.gpc_partition has an entry %u; allowed: less than l2.partitions, "
                "which is %u",
                machine->topology.gpc_partition[i], machine->l2.partitions);
    if (machine->topology.slice_distance_count > 0)
        check_count(root, "topology.slice_distances", machine->topology.slice_distance_count,
                    input->gpc_size_count * tma_machine_slice_groups(machine),
                    "one for each GPC and eight slices", list);
    if (machine->topology.partition_distance_count > 0)
        check_count(root, "topology.partition_distances",
                    machine->topology.partition_distance_count, tma_machine_slice_groups(machine),
                    "one for each eight slices of a partition", list);
    if (machine->topology.tpc_distance_count > 0)
        check_count(root, "topology.tpc_distances", machine->topology.tpc_distance_count,
                    (sms + TMA_TPC_SMS - 1) / TMA_TPC_SMS, "one for each TPC", list);
    check_count(root, "topology.sms", input->sms_count, sms, "one for each SM", list);
    check_count(root, "topology.placement", input->placement_count, sms, "one for each SM", list);
    check_permutation(root, "topology.sms", machine->topology.sms, input->sms_count, list);
    check_permutation(root, "topology.placement", machine->topology.placement,
                      input->placement_count, list);
}

static void check_dram(const struct tma_yaml_node *root, const struct tma_machine *machine,
                       struct tma_diagnostics *list) {
    uint64_t groups = (uint64_t)machine->dram.ranks * machine->dram.bank_groups;
    if (groups > TMA_DRAM_MAX_GROUPS)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.bank_groups"),
                     "dram.ranks times dram.bank_groups is %llu; allowed: up to %d",
                     (unsigned long long)groups, TMA_DRAM_MAX_GROUPS);
    if (machine->dram.banks % groups != 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.banks"),
                     "dram.banks is %u; expected a multiple of dram.ranks times dram.bank_groups, "
                     "which is %llu",
                     machine->dram.banks, (unsigned long long)groups);
    if (machine->dram.write_low >= machine->dram.write_high)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.write_low"),
                     "dram.write_low is %u; expected less than dram.write_high, which is %u",
                     machine->dram.write_low, machine->dram.write_high);
    if (machine->dram.write_high > machine->dram.write_queue)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.write_high"),
                     "dram.write_high is %u; allowed: up to dram.write_queue, which is %u",
                     machine->dram.write_high, machine->dram.write_queue);
    /* A line has to fit between two refreshes. */
    uint64_t line_ps = UINT64_C(1000000) * TMA_LINE_BYTES * 8 * machine->dram.channels /
                       ((uint64_t)machine->dram.bus_bits * 2 * machine->dram.clock_mhz);
    uint64_t least_ps = (uint64_t)machine->dram.trfc_ps + machine->dram.trcd_ps + line_ps + 1000;
    if (machine->dram.trefi_ps < least_ps)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.trefi"),
                     "dram.trefi leaves no time between refreshes; expected at least %llu ns",
                     (unsigned long long)(least_ps + 999) / 1000);
    if (machine->dram.halt_ps >= machine->dram.halt_interval_ps)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.halt"),
                     "dram.halt is %u ns; expected less than dram.halt_interval, which is %u ns",
                     machine->dram.halt_ps / 1000, machine->dram.halt_interval_ps / 1000);
}

static void check_sizes(const struct tma_yaml_node *root, const struct tma_machine *machine,
                        struct tma_diagnostics *list) {
    if (machine->shared_memory_cta_bytes > machine->shared_memory_bytes)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "shared_memory_cta"),
                     "shared_memory_cta is %u B; allowed: up to shared_memory, which is %u B",
                     machine->shared_memory_cta_bytes, machine->shared_memory_bytes);
    if (machine->l2.slices % machine->l2.partitions != 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "l2.slices"),
                     "l2.slices is %u; expected a multiple of l2.partitions, which is %u",
                     machine->l2.slices, machine->l2.partitions);
    uint32_t hash_slices = tma_machine_hash_slices(machine) * machine->l2.partitions;
    if (hash_slices > 0 && machine->l2.slices != hash_slices)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "l2.hash"),
                     "l2.hash is %s, which is a hash of %u slices, but l2.slices is %u; expected "
                     "that number of slices, or hash even",
                     tma_name_of(&tma_slice_hash_names, (int)machine->l2.hash), hash_slices,
                     machine->l2.slices);
    uint64_t least_bytes = (uint64_t)machine->l2.slices * machine->l2.ways * TMA_LINE_BYTES;
    if (machine->l2.capacity_bytes < least_bytes)
        tma_diagnose(
            list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "l2.capacity"),
            "l2.capacity is %llu B; expected at least one set in each of %u slices of %u ways: "
            "%llu B",
            (unsigned long long)machine->l2.capacity_bytes, machine->l2.slices, machine->l2.ways,
            (unsigned long long)least_bytes);
    if (tma_machine_dram_bytes_per_kcycle(machine) == 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.bus"),
                     "dram.bus and dram.clock transfer less than one byte in 1000 SM cycles");
    check_dram(root, machine, list);
}

/* Says what the machine would take on the host before anything takes it. */
static void check_memory(const struct tma_yaml_node *root, const struct tma_machine *machine,
                         struct tma_diagnostics *list) {
    struct tma_memory_bytes bytes = tma_memory_bytes(machine);
    const struct {
        const char *path, *what;
        uint64_t bytes;
    } parts[] = {{"l2.capacity", "the tags of L2", bytes.l2_tags},
                 {"dram.queue", "the queues of the DRAM channels", bytes.dram_channels}};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].bytes > TMA_LIMIT_MACHINE_BYTES)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, parts[i].path),
                         "%s: to simulate %s would take %" PRIu64
                         " bytes of memory; allowed: up to %d",
                         parts[i].path, parts[i].what, parts[i].bytes, TMA_LIMIT_MACHINE_BYTES);
}

static bool is_digested(const char *key) {
    for (size_t i = 0; i < sizeof undigested / sizeof *undigested; i++)
        if (strcmp(key, undigested[i]) == 0)
            return false;
    return true;
}

/* FNV-1a, over a text and the zero that ends it. */
static void digest_text(uint64_t *digest, const char *text) {
    do
        *digest = (*digest ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
    while (*text++ != '\0');
}

struct digesting {
    uint64_t digest;
    bool complete; /* false when out of memory */
};

static void digest_pair(void *context, const char *key, const char *value) {
    struct digesting *to = context;
    key++; /* the point after the empty prefix */
    if (!is_digested(key))
        return;
    to->complete = to->complete && value != NULL;
    digest_text(&to->digest, key);
    digest_text(&to->digest, value == NULL ? "" : value);
}

bool tma_machine_digest(const struct tma_machine *machine, struct tma_machine_digest *digest) {
    struct digesting to = {.digest = UINT64_C(0xcbf29ce484222325), .complete = true};
    const struct tma_describer describer = {digest_pair, &to, ""};
    tma_machine_describe(machine, &describer);
    snprintf(digest->text, sizeof digest->text, "%016" PRIx64, to.digest);
    return to.complete;
}

bool tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                      struct tma_diagnostics *list) {
    struct machine_input input = {0};
    size_t before = tma_diagnostics_total(list);
    if (!tma_schema_read(&tma_machine_schema, root, "", &input, list))
        return false;
    check_topology(root, &input, list);
    check_sizes(root, &input.machine, list);
    if (tma_diagnostics_total(list) == before)
        check_memory(root, &input.machine, list);
    input.machine.topology.gpc_count = input.gpc_size_count;
    if (input.machine.validated) {
        struct tma_machine_digest digest;
        if (!tma_machine_digest(&input.machine, &digest))
            tma_diagnose(list, TMA_ERROR_MEMORY, root->at, "out of memory");
        input.machine.edited = strcmp(digest.text, input.validated_digest) != 0;
        input.machine.validated = !input.machine.edited;
    }
    *machine = input.machine;
    return tma_diagnostics_total(list) == before;
}

bool tma_machine_read(const char *path, struct tma_machine *machine, struct tma_diagnostics *list) {
    struct tma_yaml_node *root = tma_yaml_read(path, list);
    if (root == NULL)
        return false;
    bool good = tma_machine_from(root, machine, list);
    tma_yaml_free(root);
    return good;
}

void tma_machine_describe(const struct tma_machine *machine,
                          const struct tma_describer *describer) {
    struct machine_input input = {
        .machine = *machine,
        .gpc_size_count = machine->topology.gpc_count,
        .gpc_partition_count = machine->topology.gpc_count,
        .sms_count = machine->sm_count,
        .placement_count = machine->sm_count,
    };
    tma_schema_describe(&tma_machine_schema, &input, describer);
}
