/* The parameters of a machine: one row each, and nothing else lists them. What includes this file
 * defines the kinds of rows that it wants, and the file drops the definitions. From the rows come
 * the fields of struct tma_machine (memory/machine.h), what clocks, reliefs and ablations do with
 * them (memory/machine_parameter.h), the keys of machine files, their reference and JSON Schema
 * (scenario/machine_file.c), and the values with which scripts/ablate switches mechanisms off.
 *
 * TMA_TIME, TMA_RATE and TMA_COUNT are a time, a rate of work, and what is neither. Their columns:
 *
 *   section, key   the path in machine files: section.key
 *   member         the field in struct tma_machine, a uint32_t; its name has the unit
 *   unit           of the values that follow and of the field: a tma_unit_... of scenario/units.h
 *   least, most    the values that a machine file may give
 *   clock          SM, L2 or DRAM: what it keeps its pace with. A count has no clock. If the SMs
 *                  run at another clock (tma_machine_at_clock), times and rates of L2 stay what
 *                  they are in nanoseconds, and are another number of cycles of the SMs
 *   relief         what becomes of it where a part of the machine gets better: a RATE or a COUNT
 *                  has MORE(part), a service time is FASTER(part), as for a rate that is a tenth
 *                  larger, a latency SHORTER(part) by a tenth, an overhead GONE(part); or KEPT. The
 *                  parts are in TMA_RELIEF_PARTS (memory/machine_parameter.h)
 *   ablation       the part without which `validate --ablate` replays: memory, compute, issue,
 *                  launch, or none
 *   off            the value without its mechanism, for scripts/ablate: LEAST, MOST, AT(value), a
 *                  rate that is FAST (a thousand times as high), or KEPT
 *   meaning        one line of the reference
 *
 * TMA_POWER is a number that only the clock of the SMs and the power follow from (memory/power.h):
 * no cycle depends on it, and a machine file may leave it out, which is 0.
 *
 * TMA_RATE_IF_ANY is a rate that a machine file may leave out: what does not exist, at a rate of 0.
 * TMA_GPU is a number of the GPU as a whole, TMA_SIZE a uint64_t, TMA_WORD one of the names of a
 * policy, TMA_LIST a list of numbers with a field for its length, TMA_BOUND_LIST one whose length
 * follows from other values. */

#ifndef TMA_GPU
#define TMA_GPU(...)
#endif
#ifndef TMA_SECTION
#define TMA_SECTION(...)
#endif
#ifndef TMA_SECTION_END
#define TMA_SECTION_END(...)
#endif
#ifndef TMA_TIME
#define TMA_TIME(...)
#endif
#ifndef TMA_RATE
#define TMA_RATE(...)
#endif
#ifndef TMA_RATE_IF_ANY
#define TMA_RATE_IF_ANY TMA_RATE
#endif
#ifndef TMA_COUNT
#define TMA_COUNT(...)
#endif
#ifndef TMA_POWER
#define TMA_POWER(...)
#endif
#ifndef TMA_SIZE
#define TMA_SIZE(...)
#endif
#ifndef TMA_WORD
#define TMA_WORD(...)
#endif
#ifndef TMA_LIST
#define TMA_LIST(...)
#endif
#ifndef TMA_BOUND_LIST
#define TMA_BOUND_LIST(...)
#endif

TMA_GPU(sm_count, sm_count, none, 1, TMA_MAX_SMS, "number of streaming multiprocessors (SMs)")
TMA_GPU(sm_clock, sm_clock_mhz, mhz, 1, 10000,
        "clock of the SMs; all durations in cycles are cycles of it")
TMA_GPU(shared_memory, shared_memory_bytes, bytes, 1024, 1 << 20, "shared memory of one SM")
TMA_GPU(shared_memory_cta, shared_memory_cta_bytes, bytes, 1024, 1 << 20,
        "largest shared memory of one CTA")

/* Which SMs share a GPC's port, GPC by GPC, in the order in which CTAs are numbered. */
TMA_SECTION(topology)
TMA_LIST(topology, gpc_size, gpc_count, TMA_MAX_GPCS, TMA_MAX_SMS, REQUIRED,
         "number of SMs in each GPC")
TMA_BOUND_LIST(topology, gpc_partition, TMA_MAX_GPCS, 1,
               "L2 partition, 0 or 1, that each GPC is attached to")
TMA_BOUND_LIST(topology, sms, TMA_MAX_SMS, TMA_MAX_SMS - 1,
               "numbers of the SMs, GPC by GPC, in the order in which a GPC's CTAs are numbered")
TMA_TIME(topology, launch, launch_cycles, cycles, 0, 1e6, SM, KEPT, launch, LEAST,
         "time that a profiler counts for a launch beyond that of its CTAs: launch and drain. "
         "Reports do not have it")
TMA_TIME(topology, launch_empty, launch_empty_cycles, cycles, 0, 1e6, SM, KEPT, launch, LEAST,
         "the same time of a kernel whose CTAs do next to nothing. It is added to compiled kernels")
TMA_TIME(topology, launch_interval, launch_interval_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "least time between the starts of two CTAs of a GPC; the nearest SMs are first")
TMA_TIME(topology, launch_warp, launch_warp_millicycles, millicycles, 0, 1e6, SM, KEPT, none, LEAST,
         "additional time between these for each warp of a CTA, up to one on each scheduler")
TMA_COUNT(
    topology, draw, seed, none, 0, 1e9, KEPT, none, LEAST,
    "seed for what varies between launches: which slot and which SM issues first, how long a warp "
    "polls, when DRAM refreshes, and how much longer each of its accesses takes; 0: no variation")
TMA_BOUND_LIST(topology, placement, TMA_MAX_SMS, TMA_MAX_SMS - 1,
               "numbers of the SMs in the order in which a growing grid occupies them")
TMA_LIST(topology, lone_tpcs, lone_tpc_count, TMA_MAX_SMS / TMA_TPC_SMS,
         TMA_MAX_SMS / TMA_TPC_SMS - 1, OPTIONAL,
         "TPCs whose two SMs form clusters with each other only: TPC k has SMs 2k and 2k + 1")
TMA_LIST(topology, slice_distances, slice_distance_count, TMA_MAX_SLICE_DISTANCES, 100, OPTIONAL,
         "distances of each GPC from each eight slices of a partition, GPC by GPC, in percent of "
         "crossbar.spread; without this key slices lie at evenly spread distances")
TMA_LIST(topology, partition_distances, partition_distance_count, TMA_MAX_SLICE_GROUPS, 100,
         OPTIONAL,
         "distances of each eight slices of a partition from those of the other one, in percent of "
         "crossbar.partition_spread; without this key they are evenly spread")
TMA_LIST(topology, tpc_distances, tpc_distance_count, TMA_MAX_SMS / TMA_TPC_SMS, 1000, OPTIONAL,
         "how much longer than from the nearest TPC the way from each TPC to L2 and back takes, in "
         "cycles; without this key all are equally near")
TMA_SECTION_END(topology)

TMA_SECTION(tma)
TMA_TIME(tma, issue, issue_cycles, cycles, 0, 10000, SM, SHORTER(latency), none, LEAST,
         "latency from the TMA instruction to the queue of the TMA unit")
TMA_COUNT(tma, descriptors, descriptors, none, 1, 65536, KEPT, none, MOST,
          "capacity of an SM's descriptor cache, in tensor maps")
TMA_COUNT(tma, gpc_descriptors, gpc_descriptors, none, 1, 65536, KEPT, none, MOST,
          "capacity of a GPC's descriptor cache, in tensor maps; serves the misses of its SMs")
TMA_TIME(tma, descriptor_fetch, descriptor_fetch_cycles, cycles, 0, 10000, SM, SHORTER(latency),
         none, LEAST, "latency of a fetch from the GPC's descriptor cache into the SM's")
TMA_TIME(tma, dispatch_interval, dispatch_interval_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "least time between the starts of two operations of a TMA unit")
TMA_TIME(tma, row, row_millicycles, millicycles, 1, 1e6, SM, FASTER(tma), memory, LEAST,
         "time that the TMA unit takes to generate one line request, the part of a row in one "
         "128-byte line")
TMA_TIME(tma, complete, complete_cycles, cycles, 1, 10000, SM, SHORTER(latency), none, LEAST,
         "latency from a load's last byte in shared memory to the end of its mbarrier's phase")
TMA_TIME(tma, prefetch_gap, prefetch_gap_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "time that the TMA unit pauses after each prefetch")
TMA_TIME(tma, store_sector, store_sector_millicycles, millicycles, 0, 1e6, SM, FASTER(tma), none,
         LEAST, "stores: time to read one 32-byte sector from shared memory")
TMA_TIME(tma, store_partial, store_partial_millicycles, millicycles, 0, 1e6, SM, FASTER(tma), none,
         LEAST, "stores: additional time for a request that writes only part of a sector")
TMA_TIME(tma, reduce_request, reduce_request_millicycles, millicycles, 0, 1e6, SM, FASTER(tma),
         none, LEAST, "reductions: time to read shared memory, for each request")
TMA_TIME(tma, reduce_sector, reduce_sector_millicycles, millicycles, 0, 1e6, SM, FASTER(tma), none,
         LEAST, "reductions: additional time for each whole sector of a request")
TMA_TIME(tma, store_complete, store_complete_cycles, cycles, 1, 10000, SM, SHORTER(latency), none,
         LEAST, "stores: latency from the last read of shared memory to the end of wait_group.read")
TMA_TIME(tma, reduce_complete, reduce_complete_cycles, cycles, 1, 10000, SM, SHORTER(latency), none,
         LEAST,
         "reductions: latency from the last read of shared memory to the end of wait_group.read")
TMA_TIME(tma, first_pass, first_pass_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "delay of the first load of each slot, while its warp fetches instructions")
TMA_TIME(tma, store_first_pass, store_first_pass_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "the same delay of a slot's first store or reduction")
TMA_TIME(tma, store_first_warp, store_first_warp_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "what each further slot of the same scheduler adds to tma.store_first_pass")
TMA_COUNT(tma, first_scheduler, first_scheduler_percent, none, 0, 100, KEPT, none, AT(25),
          "percentage of launches in which the warps of an SM's first scheduler begin before those "
          "of the others; else another one is first")
TMA_TIME(tma, store_turnaround, store_turnaround_cycles, cycles, 0, 10000, SM, SHORTER(latency),
         none, LEAST, "time from the end of wait_group.read to the warp's next store or reduction")
TMA_TIME(tma, store_issue, store_issue_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "least time between stores or reductions of two warps of one scheduler")
TMA_TIME(tma, store_backlog, store_backlog_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "most work that the store unit has if more than two warps of a scheduler issue stores or "
         "reductions before the first of them commits")
TMA_COUNT(tma, store_operations, store_operations, none, 1, 1e6, KEPT, none, LEAST,
          "number of stores and reductions that the store unit serves in round robin")
TMA_COUNT(tma, write_flits, write_flits, none, 1, 1e6, KEPT, none, MOST,
          "largest number of 32-byte flits that an SM has in flight to L2")
TMA_TIME(tma, poll, poll_millicycles, millicycles, 0, 1e6, SM, KEPT, none, LEAST,
         "what each further slot that polls on the same scheduler adds to turnaround, on average")
TMA_TIME(
    tma, turnaround, turnaround_cycles, cycles, 0, 10000, SM, SHORTER(latency), none, LEAST,
    "time from the end of an mbarrier's phase to the next operation that the waiting warp issues")
TMA_TIME(tma, wake_interval, wake_interval_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "interval at which a warp can see the end of a phase; also the least time between the "
         "issues of two warps of an SM")
TMA_TIME(tma, cluster_release, cluster_release_cycles, cycles, 0, 10000, SM, GONE(cluster), none,
         LEAST, "time that a warp takes to release a multicast tile to its cluster")
TMA_TIME(tma, cluster_arrive, cluster_arrive_cycles, cycles, 0, 10000, SM, GONE(cluster), none,
         LEAST, "latency from that release to the arrival on an mbarrier of another SM")
TMA_SECTION_END(tma)

/* The load/store unit of an SM (LSU) and its L1 cache: ordinary loads and stores of warps. */
TMA_SECTION(l1)
TMA_SIZE(l1, capacity, capacity_bytes, bytes, 1024, 1 << 24,
         "storage of an SM, of which L1 has what shared memory leaves")
TMA_LIST(l1, carve_outs, carve_out_count, TMA_MAX_CARVE_OUTS, 1 << 14, REQUIRED,
         "shared memory that an SM can set apart from its storage, in KiB, in rising order")
TMA_COUNT(l1, reserved, reserved_bytes, bytes, 0, 1 << 20, KEPT, none, LEAST,
          "what L1 has less than carve-outs leave")
TMA_COUNT(l1, ways, ways, none, 1, 1024, KEPT, none, KEPT, "associativity: lines of a set")
TMA_TIME(l1, issue, issue_cycles, cycles, 0, 10000, SM, SHORTER(latency), none, LEAST,
         "latency from a load or store to the first wavefront that it has on the SM's data path")
TMA_TIME(
    l1, wavefront, wavefront_millicycles, millicycles, 0, 1e6, SM, FASTER(lsu), none, LEAST,
    "time of a wavefront of an access to global memory on the data path of the SM, which is that "
    "of shared memory")
TMA_TIME(l1, access, access_millicycles, millicycles, 0, 1e6, SM, FASTER(lsu), none, LEAST,
         "least time from an access to the next one")
TMA_TIME(l1, tag, tag_millicycles, millicycles, 0, 1e6, SM, FASTER(lsu), none, LEAST,
         "time that the look-up of a line takes")
TMA_TIME(l1, hit, hit_cycles, cycles, 1, 10000, SM, SHORTER(latency), none, LEAST,
         "latency from the last wavefront of a load that hits to its data in registers")
TMA_TIME(l1, fill, fill_cycles, cycles, 1, 10000, SM, SHORTER(latency), none, LEAST,
         "latency from the response port of the SM to data in registers")
TMA_RATE(l1, port, port_bytes_per_kcycle, bytes_per_kcycle, 1, 1e9, SM, MORE(sm_port), memory, FAST,
         "bandwidth of the response port of the SM for its L1")
TMA_TIME(l1, write_flit, write_flit_millicycles, millicycles, 0, 1e6, SM, FASTER(lsu), none, LEAST,
         "time of a 32-byte flit of a store or atomic on its way out of the SM")
TMA_COUNT(l1, misses, misses, none, 1, 1e6, MORE(l1_misses), none, MOST,
          "requests of loads that an SM has on their way to L2; further ones wait, with all "
          "accesses behind them")
TMA_COUNT(l1, write_flits, write_flits, none, 1, 1e6, MORE(l1_misses), none, MOST,
          "32-byte flits of stores and atomics of warps that an SM has in flight to L2")
TMA_SECTION_END(l1)

/* The network between the SMs of a cluster: distributed shared memory. */
TMA_SECTION(dsmem)
TMA_TIME(dsmem, way, way_cycles, cycles, 1, 10000, SM, SHORTER(latency), none, LEAST,
         "latency from an SM to another one of its cluster")
TMA_TIME(dsmem, flit, flit_millicycles, millicycles, 0, 1e6, SM, FASTER(dsmem), none, LEAST,
         "time of a 32-byte flit on the link that an SM has to the others, in each direction")
TMA_TIME(dsmem, atomic, atomic_millicycles, millicycles, 0, 1e6, SM, FASTER(dsmem), none, LEAST,
         "time that an SM takes for a word of an atomic or reduction of another one; different "
         "words of an instruction go at once")
TMA_SECTION_END(dsmem)

/* Translation of addresses: a TLB for each CPC, and one of the GPU behind them. */
TMA_SECTION(tlb)
TMA_WORD(tlb, start, start, translation, translation, OPTIONAL, warm,
         "what the TLBs hold when a run starts: all, as after a run on the same tensors (warm), or "
         "nothing, as for memory that was never used (cold); without this key: warm")
TMA_COUNT(tlb, block, block_bytes, bytes, 4096, 1 << 30, KEPT, none, MOST,
          "memory that one translation covers")
TMA_TIME(tlb, miss, miss_cycles, cycles, 0, 1e5, SM, SHORTER(latency), none, LEAST,
         "latency of a translation from the TLB of the GPU to that of a CPC")
TMA_TIME(tlb, far, far_cycles, cycles, 0, 1e5, SM, SHORTER(latency), none, LEAST,
         "the same: what it takes longer for CPCs next to partition 1 of L2")
TMA_COUNT(tlb, misses, misses, none, 1, TMA_MAX_TLB_MISSES, KEPT, none, MOST,
          "translations that a CPC waits for at once; further ones wait")
TMA_TIME(tlb, walk, walk_cycles, cycles, 0, 1e5, SM, SHORTER(latency), none, LEAST,
         "additional latency of a translation that the TLB of the GPU lacks")
TMA_TIME(tlb, walk_interval, walk_interval_cycles, cycles, 0, 1e5, SM, KEPT, none, LEAST,
         "least time between two of these")
TMA_SECTION_END(tlb)

TMA_SECTION(crossbar)
TMA_TIME(crossbar, request, request_cycles, cycles, 1, 10000, SM, SHORTER(latency), memory, LEAST,
         "latency from an SM to the nearest L2 slice")
TMA_TIME(crossbar, response, response_cycles, cycles, 1, 10000, SM, SHORTER(latency), memory, LEAST,
         "latency from the nearest L2 slice through the GPC's port to the SM's port")
TMA_TIME(
    crossbar, spread, spread_cycles, cycles, 0, 10000, SM, SHORTER(latency), memory, LEAST,
    "how much longer the furthest slice takes than the nearest one, request and response together")
TMA_TIME(crossbar, partition, partition_cycles, cycles, 1, 10000, L2, SHORTER(latency), memory,
         LEAST, "latency from a slice to the nearest one of the other L2 partition, one way")
TMA_TIME(crossbar, partition_spread, partition_spread_cycles, cycles, 0, 10000, L2,
         SHORTER(latency), memory, LEAST, "additional latency to the furthest one, one way")
TMA_RATE(crossbar, sm_port, sm_port_bytes_per_kcycle, bytes_per_kcycle, 1, 1e9, SM, MORE(sm_port),
         memory, FAST, "bandwidth of the response port of an SM")
TMA_RATE(crossbar, gpc_port, gpc_port_bytes_per_kcycle, bytes_per_kcycle, 1, 1e9, L2,
         MORE(gpc_ports), memory, FAST,
         "bandwidth of the response port of a GPC, which its SMs share")
TMA_RATE(crossbar, link, link_bytes_per_kcycle, bytes_per_kcycle, 1, 1e9, L2, MORE(gpc_ports),
         memory, FAST, "bandwidth of a link to that port, from eight L2 slices")
TMA_RATE(crossbar, partition_link, partition_link_bytes_per_kcycle, bytes_per_kcycle, 1, 1e9, L2,
         MORE(l2), memory, FAST,
         "bandwidth of a link from eight L2 slices to those of the other partition, each way")
TMA_COUNT(
    crossbar, coalesced, coalesced_requests, none, 1, TMA_MAX_COALESCED, KEPT, none, LEAST,
    "largest number of loads of the same sectors that a GPC's coalescer merges into one request")
TMA_SECTION_END(crossbar)

TMA_SECTION(l2)
TMA_SIZE(l2, capacity, capacity_bytes, bytes, 1024, 1ull << 40, "capacity of all partitions")
TMA_COUNT(l2, partitions, partitions, none, 1, 2, KEPT, none, KEPT,
          "number of partitions of the cache")
TMA_COUNT(l2, slices, slices, none, 1, 1024, KEPT, none, KEPT, "number of slices in all partitions")
TMA_WORD(l2, hash, hash, slice_hash, slice_hash, REQUIRED, even,
         "hash that maps a line's address to its slice")
TMA_WORD(l2, replacement, replacement, replacement, replacement, OPTIONAL, random,
         "policy that chooses the victim in a full set; without this key: lru")
TMA_WORD(l2, promotion, promotion, promotion, promotion, OPTIONAL, none,
         "policy that chooses the accesses which fetch the second line of a 256-byte block; "
         "without this key: first_sector")
TMA_COUNT(l2, ways, ways, none, 1, TMA_L2_MAX_WAYS, KEPT, none, KEPT,
          "associativity: lines of a set")
TMA_COUNT(l2, kept, kept_permille, percent, 0, 1000, KEPT, none, LEAST,
          "part of the lines of a set that stay where they were loaded with evict_last: those that "
          "were accessed last; others of them age as all lines do")
TMA_COUNT(l2, dirty_ways, dirty_ways, none, 1, TMA_L2_MAX_WAYS, KEPT, none, MOST,
          "largest number of dirty lines in a set; one more causes a write-back")
TMA_COUNT(l2, reduction_operands, reduction_operands, none, 1, 1e6, KEPT, none, MOST,
          "32-byte operands that a slice keeps, of reductions which wait for their lines, and of "
          "lines that reductions make it write back until DRAM has written them")
TMA_TIME(l2, lookup, lookup_cycles, cycles, 0, 10000, L2, SHORTER(latency), memory, LEAST,
         "latency of tag look-up and data access in an idle slice")
TMA_TIME(l2, request, request_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "reads: time that a slice's tags take for each line that they look up")
TMA_TIME(l2, line_conflict, line_conflict_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory,
         LEAST,
         "additional time of a slice's tags for a line that is that of the last look-up but one, "
         "and not that of the last one")
TMA_TIME(l2, sector, sector_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "reads: time that a slice's data array takes for each sector, while its tags look up")
TMA_COUNT(l2, queue, queue_reads, none, 1, 1e6, KEPT, none, MOST,
          "reads that wait in the queue of a slice; further ones wait in queues of the CPCs, which "
          "the slice serves in turn")
TMA_COUNT(l2, missing, missing_sectors, none, 1, 1e6, MORE(l2), none, MOST,
          "sectors that a slice waits for at once, from DRAM and, apart from these, from the other "
          "partition; reads of further ones wait, with all reads behind them")
TMA_TIME(l2, fill_sector, fill_sector_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory,
         LEAST,
         "fills from DRAM and copies from the other partition: time that a slice takes for each "
         "sector that arrives")
TMA_TIME(l2, fill_flit, fill_flit_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "fills: time that a slice's port from DRAM takes for each sector")
TMA_TIME(l2, replay, replay_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "additional time of that port for a line that further requests wait for, however many")
TMA_TIME(l2, fill, fill_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "time that a slice takes for a read of the lines that out-of-bounds elements come from")
TMA_TIME(l2, write_flit, write_flit_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "writes: time that a slice's input port takes for each 32-byte flit")
TMA_TIME(l2, write_request, write_request_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory,
         LEAST, "writes: time that a slice's tags take for each request")
TMA_TIME(l2, invalidate, invalidate_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory, LEAST,
         "writes: additional time of the tags to invalidate the copy of the other partition")
TMA_TIME(l2, write_sector, write_sector_millicycles, millicycles, 0, 1e6, L2, FASTER(l2), memory,
         LEAST, "stores: time that a slice's data array takes for each sector")
TMA_TIME(l2, reduce_sector, reduce_sector_millicycles, millicycles, 0, 1e6, L2, FASTER(atomics),
         memory, LEAST, "reductions: time that a slice's data array takes for each sector")
TMA_TIME(l2, atomic, atomic_cycles, cycles, 0, 10000, L2, SHORTER(latency), memory, LEAST,
         "additional latency of an atomic at its home")
TMA_TIME(l2, promotion_wait, promotion_wait_cycles, cycles, 0, 1e5, L2, KEPT, none, MOST,
         "largest queueing delay of a promotion to 256 bytes in the other partition; a promotion "
         "that would wait longer is dropped")
TMA_SECTION_END(l2)

TMA_SECTION(dram)
TMA_WORD(dram, scheduler, scheduler, dram_scheduler, dram_scheduler, OPTIONAL, fcfs,
         "order in which a channel serves its requests; without this key: fr_fcfs")
TMA_WORD(dram, refresh_policy, refresh_policy, refresh_kind, refresh, OPTIONAL, none,
         "which banks of a channel refresh at once; without this key: per_bank")
TMA_COUNT(dram, bus, bus_bits, bits, 1, 65536, KEPT, none, KEPT,
          "width of the data bus, all channels together")
TMA_RATE(dram, clock, clock_mhz, mhz, 1, 1e5, DRAM, MORE(dram), memory, KEPT,
         "clock of the data bus, which transfers data on both edges")
TMA_COUNT(dram, channels, channels, none, 1, 1024, KEPT, none, KEPT,
          "number of independent channels")
TMA_COUNT(dram, stacks, stacks, none, 1, 1024, KEPT, none, KEPT,
          "number of stacks of memory, which reports and pictures group channels by")
TMA_COUNT(dram, ranks, ranks, none, 1, TMA_DRAM_MAX_GROUPS, KEPT, none, LEAST,
          "number of ranks of a channel, whose banks the scheduler serves in turn")
TMA_COUNT(dram, banks, banks, none, 1, 1024, KEPT, none, MOST,
          "number of banks in a channel, in all ranks")
TMA_COUNT(dram, bank_groups, bank_groups, none, 1, TMA_DRAM_MAX_GROUPS, KEPT, none, KEPT,
          "number of bank groups in a rank")
TMA_COUNT(dram, row, row_bytes, bytes, 2 * TMA_LINE_BYTES, 1 << 20, KEPT, none, KEPT,
          "size of the row buffer of a bank")
TMA_COUNT(dram, queue, queue, none, 1, 65536, KEPT, none, AT(1024),
          "number of reads, and of writes, that a channel's scheduler chooses from")
TMA_COUNT(dram, bypass, bypass, none, 0, 1e6, KEPT, none, MOST,
          "number of requests for the open row of a bank that may be served before an earlier "
          "request for another row of it")
TMA_COUNT(dram, write_queue, write_queue, none, 1, 1e6, KEPT, none, MOST,
          "number of writes of a channel above which further ones wait in L2 (back-pressure)")
TMA_COUNT(dram, write_high, write_high, none, 1, 1e6, KEPT, none, KEPT,
          "number of writes at which a channel begins to write")
TMA_COUNT(dram, write_low, write_low, none, 0, 1e6, KEPT, none, LEAST,
          "number of writes at which a channel reads again")
TMA_TIME(dram, access, access_ps, ps, 0, 1e8, DRAM, SHORTER(latency), memory, LEAST,
         "latency from an L2 miss to the first data, on a row-buffer hit in an idle channel")
TMA_TIME(dram, access_spread, access_spread_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "an access takes up to so much longer, by a random time")
TMA_TIME(dram, trcd, trcd_ps, ps, 0, 1e8, DRAM, SHORTER(latency), memory, LEAST,
         "tRCD: from an activation to the first access of the row")
TMA_TIME(dram, trp, trp_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "tRP: from the precharge that closes a row to the activation of the next")
TMA_TIME(dram, tras, tras_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "tRAS: from an activation to the precharge, at least")
TMA_TIME(dram, trtp, trtp_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "tRTP: from a read to the precharge, at least")
TMA_TIME(dram, twr, twr_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "tWR: from the end of a write's data to the precharge, at least")
TMA_TIME(dram, trrd, trrd_ps, ps, 0, 1e8, DRAM, FASTER(dram), memory, LEAST,
         "tRRD: between two activations of a channel, at least")
TMA_TIME(dram, tccd_long, tccd_long_ps, ps, 0, 1e8, DRAM, FASTER(dram), memory, LEAST,
         "tCCD_L: between two bursts of eight beats to one bank group, at least")
TMA_TIME(dram, trtw, trtw_ps, ps, 0, 1e8, DRAM, FASTER(dram), memory, LEAST,
         "pause of the data bus from reads to writes")
TMA_TIME(dram, twtr, twtr_ps, ps, 0, 1e8, DRAM, FASTER(dram), memory, LEAST,
         "pause of the data bus from writes to reads")
TMA_TIME(dram, trfc, trfc_ps, ps, 0, 1e9, DRAM, KEPT, none, LEAST, "tRFC: duration of a refresh")
TMA_TIME(dram, trefi, trefi_ps, ps, 1, 1e9, DRAM, KEPT, none, KEPT,
         "tREFI: time between the starts of two refreshes of a bank")
TMA_TIME(dram, trrefd, trrefd_ps, ps, 0, 1e9, DRAM, KEPT, none, LEAST,
         "tRREFD: time from the start of a bank's refresh to that of the next bank, if the banks "
         "fit into dram.trefi so")
TMA_TIME(dram, refresh_spread, refresh_spread_ps, ps, 0, 1e9, DRAM, KEPT, none, LEAST,
         "time within which the channels of a partition begin to refresh the same bank; partitions "
         "follow each other, dram.trrefd apart")
TMA_TIME(dram, refresh_drift, refresh_drift_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "by how much refreshes come apart while DRAM is busy, until all channels halt: standard "
         "deviation after a microsecond, which grows with the square root of time")
TMA_TIME(dram, idle_before, idle_before_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "for how long DRAM is idle before a kernel that starts with an empty L2: since the kernel "
         "that emptied it")
TMA_TIME(dram, halt, halt_ps, ps, 0, 1e8, DRAM, KEPT, none, LEAST,
         "time for which all channels halt at once; the data buses are slower by its share of "
         "dram.halt_interval")
TMA_TIME(dram, halt_interval, halt_interval_ps, ps, 1e6, 4e9, DRAM, KEPT, none, KEPT,
         "time between the starts of two such halts")
TMA_SECTION_END(dram)

TMA_SECTION(shared)
TMA_TIME(shared, wavefront, wavefront_cycles, cycles, 1, 1000, SM, KEPT, none, LEAST,
         "time that shared memory takes for one wavefront")
TMA_SECTION_END(shared)

/* What the instructions of a role take (kernels with roles). */
TMA_SECTION(warp)
TMA_TIME(warp, start, start_cycles, cycles, 0, 1e5, SM, SHORTER(launch), launch, LEAST,
         "time from the start of a CTA to the first instruction of its roles' programs")
TMA_TIME(warp, fetch, fetch_cycles, cycles, 0, 1e5, SM, SHORTER(launch), launch, LEAST,
         "additional time of a statement that runs on an SM for the first time: its instructions "
         "are not in the SM's cache")
TMA_TIME(warp, launch, launch_cycles, cycles, 0, 1e5, SM, SHORTER(launch), launch, LEAST,
         "time from the end of a CTA to the start of the next one on its SM")
TMA_TIME(warp, wait, wait_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time of a wait on an mbarrier whose phase is complete")
TMA_TIME(warp, poll, poll_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "what each other warp of the CTA on its scheduler adds to an mbarrier instruction")
TMA_TIME(
    warp, wake, wake_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
    "time from the end of an mbarrier's phase to the next instruction of a warp that waits for it")
TMA_TIME(warp, arrive, arrive_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time of an arrival on an mbarrier, in the warp that arrives")
TMA_TIME(warp, arrive_latency, arrive_latency_cycles, cycles, 0, 10000, SM, SHORTER(instructions),
         none, LEAST, "latency of an arrival until the phase of an mbarrier of the own CTA ends")
TMA_TIME(warp, remote_arrive, remote_arrive_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "the same latency for another CTA of the cluster, without .release.cluster")
TMA_TIME(warp, expect, expect_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time of an arrival with expect_tx")
TMA_TIME(warp, issue, issue_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time of a TMA instruction in the warp that issues it")
TMA_TIME(warp, commit, commit_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time to commit a group of stores")
TMA_TIME(warp, wait_group, wait_group_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue,
         LEAST, "time of a wait for groups of stores that are done")
TMA_TIME(
    warp, store_wake, store_wake_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
    "time from the end of a group of stores to the next instruction of a warp that waits for it")
TMA_TIME(warp, barrier_arrive, barrier_arrive_cycles, cycles, 0, 10000, SM, SHORTER(instructions),
         issue, LEAST, "time of an arrival at a named barrier, in the warps that arrive and go on")
TMA_TIME(warp, barrier, barrier_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time from the last arrival at a named barrier to the next instruction of its warps")
TMA_TIME(warp, spin, spin_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "what a role takes longer than the cycles of a compute statement")
TMA_TIME(warp, spin_step, spin_step_cycles, cycles, 1, 10000, SM, KEPT, none, KEPT,
         "time between two readings of the clock in the loop that records of pipelines.tsv compute "
         "in: they take multiples of it")
TMA_TIME(warp, place, place_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
         "time to find the row and the column of a tile by division, without warp.spin, in records "
         "of pipelines.tsv")
TMA_TIME(warp, mma_issue, mma_issue_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue,
         LEAST, "time to issue a group of matrix products and to commit it")
TMA_TIME(warp, mma_wait, mma_wait_cycles, cycles, 0, 10000, SM, SHORTER(instructions), issue, LEAST,
         "time from the end of a group of matrix products to the next instruction of the warps "
         "that wait for it")
TMA_TIME(
    warp, tile, tile_cycles, cycles, 0, 1e5, SM, SHORTER(tile_counter), none, LEAST,
    "time to take the next tile from a counter in global memory, and to tell the roles of the CTA")
TMA_SECTION_END(warp)

/* What the CTAs of an SM share, besides shared memory. */
TMA_SECTION(sm)
TMA_COUNT(sm, threads, threads, none, 32, 1 << 20, KEPT, none, KEPT, "most threads of an SM")
TMA_COUNT(sm, cta_threads, cta_threads, none, 32, 1 << 20, KEPT, none, KEPT,
          "most threads of a CTA")
TMA_COUNT(sm, ctas, ctas, none, 1, 64, KEPT, none, KEPT, "most CTAs of an SM")
TMA_COUNT(sm, registers, registers, none, 1, 1 << 24, KEPT, none, KEPT,
          "registers of an SM, of 32 bits")
TMA_COUNT(sm, reserved, reserved_bytes, bytes, 0, 1 << 20, KEPT, none, KEPT,
          "shared memory that each CTA takes besides its own")
TMA_RATE(sm, mma_half, mma_half, none, 1, 1 << 20, SM, MORE(tensor_cores), compute, FAST,
         "multiply-adds that the tensor cores of an SM do in a cycle: f16, bf16")
TMA_RATE(sm, mma_tf32, mma_tf32, none, 1, 1 << 20, SM, MORE(tensor_cores), compute, FAST,
         "the same: tf32")
TMA_RATE(sm, mma_byte, mma_byte, none, 1, 1 << 20, SM, MORE(tensor_cores), compute, FAST,
         "the same: 8-bit types")
TMA_RATE_IF_ANY(sm, mma_nibble, mma_nibble, none, 1, 1 << 20, SM, MORE(tensor_cores), compute, FAST,
                "the same: 4-bit types, two in a byte; without this key they have none")
TMA_RATE(sm, mma_fp64, mma_fp64, none, 1, 1 << 20, SM, MORE(tensor_cores), compute, FAST,
         "the same: f64")
TMA_RATE(
    sm, mma_a, mma_a_bytes, bytes, 0, 1 << 20, SM, MORE(shared_memory), compute, FAST,
    "bytes of the operand A that a warp group takes from shared memory in a cycle; 0: any number")
TMA_RATE(sm, mma_b, mma_b_bytes, bytes, 0, 1 << 20, SM, MORE(shared_memory), compute, FAST,
         "the same: the operand B")
TMA_COUNT(sm, mma_queue, mma_queue, none, 0, 1 << 20, KEPT, issue, LEAST,
          "wgmma instructions that a warp group has in flight; its warps wait before they issue a "
          "further one; 0: any number")
TMA_SECTION_END(sm)

/* What instructions take, in compiled kernels and in compute statements of roles. The interval of a
 * pipe is the time for which an instruction of a warp occupies it: each scheduler has its own. */
TMA_SECTION(core)
TMA_TIME(core, cta_interval, cta_interval_millicycles, millicycles, 0, 1e6, SM, KEPT, launch, LEAST,
         "least time between the starts of two CTAs of the GPU")
TMA_TIME(core, alu, alu_cycles, cycles, 1, 10000, SM, KEPT, compute, LEAST,
         "interval of the pipe for logic, comparisons and additions of integers")
TMA_TIME(core, fma, fma_cycles, cycles, 1, 10000, SM, KEPT, compute, LEAST,
         "interval of the pipe for float32 and packed halves")
TMA_TIME(core, fma_heavy, fma_heavy_cycles, cycles, 1, 10000, SM, KEPT, none, LEAST,
         "interval of the half of that pipe that multiplies integers")
TMA_TIME(core, special, special_cycles, cycles, 1, 10000, SM, KEPT, compute, LEAST,
         "interval of the pipe for special functions and conversions (MUFU, XU)")
TMA_TIME(core, fp64, fp64_cycles, cycles, 1, 10000, SM, KEPT, none, LEAST,
         "interval of the pipe for float64")
TMA_TIME(core, uniform, uniform_cycles, cycles, 1, 10000, SM, KEPT, none, LEAST,
         "interval of the uniform datapath")
TMA_TIME(core, lsu, lsu_cycles, cycles, 1, 10000, SM, KEPT, none, LEAST,
         "interval of the queue to the load/store unit")
TMA_TIME(core, matrix, matrix_cycles, cycles, 1, 10000, SM, KEPT, none, LEAST,
         "interval of an mma.sync on the tensor core of a scheduler")
TMA_TIME(core, special_latency, special_latency_cycles, cycles, 1, 10000, SM, SHORTER(instructions),
         none, LEAST, "latency of a special function")
TMA_TIME(core, shuffle_latency, shuffle_latency_cycles, cycles, 1, 10000, SM, SHORTER(instructions),
         none, LEAST, "latency of a shuffle, and of an mbarrier's test")
TMA_TIME(core, vote_latency, vote_latency_cycles, cycles, 1, 10000, SM, SHORTER(instructions), none,
         LEAST, "latency of a vote")
TMA_TIME(core, reduce_latency, reduce_latency_cycles, cycles, 1, 10000, SM, SHORTER(instructions),
         none, LEAST, "latency of redux.sync")
TMA_TIME(core, matrix_latency, matrix_latency_cycles, cycles, 1, 10000, SM, SHORTER(instructions),
         none, LEAST, "latency of mma.sync")
TMA_TIME(core, shared_latency, shared_latency_cycles, cycles, 1, 10000, SM, SHORTER(instructions),
         none, LEAST,
         "latency from the last wavefront of a load of shared memory to its data in registers")
TMA_TIME(core, chain, chain_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
         "what each further instruction adds that waits for the one before")
TMA_TIME(core, branch, branch_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
         "time until the instruction behind a branch can issue, taken or not")
TMA_TIME(core, arrive, arrive_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
         "latency of an arrival on an mbarrier of the own CTA until its phase ends")
TMA_TIME(core, remote_arrive, remote_arrive_cycles, cycles, 0, 10000, SM, KEPT, none, LEAST,
         "the same latency for another CTA of the cluster, or for its barrier")
TMA_TIME(core, barrier, barrier_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
         "latency from the last arrival at a barrier to its end")
TMA_TIME(core, barrier_arrive, barrier_arrive_cycles, cycles, 0, 10000, SM, SHORTER(instructions),
         none, LEAST, "time that each warp's arrival takes the barriers of an SM")
TMA_TIME(core, cluster_barrier, cluster_barrier_cycles, cycles, 0, 10000, SM, SHORTER(instructions),
         none, LEAST,
         "latency from the last arrival at a barrier of the cluster to its warps, in all CTAs")
TMA_TIME(core, fence, fence_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
         "time of a fence of the cluster, the GPU or the system, also of one that an instruction "
         "with .release has before it")
TMA_TIME(core, fence_interval, fence_interval_millicycles, millicycles, 0, 1e6, SM,
         SHORTER(instructions), none, LEAST,
         "time for which each such fence takes the fences of its SM")
TMA_TIME(core, proxy_fence, proxy_fence_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none,
         LEAST, "time of a fence of the asynchronous proxy that is not of shared memory alone")
TMA_TIME(
    core, shared_fence, shared_fence_millicycles, millicycles, 0, 1e6, SM, SHORTER(instructions),
    none, LEAST,
    "time for which a fence of the asynchronous proxy for shared memory takes the SM, once the "
    "warp's stores have ended")
TMA_TIME(
    core, wake, wake_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none, LEAST,
    "latency from the end of a phase or a barrier to the next instruction of a warp that waits for "
    "it")
TMA_TIME(core, product_tail, product_tail_cycles, cycles, 0, 10000, SM, SHORTER(instructions), none,
         LEAST, "time from the end of a group's last matrix product to its results")
TMA_TIME(
    core, mma_issue, mma_issue_millicycles, millicycles, 0, 1e6, SM, KEPT, compute, LEAST,
    "time from one instruction of arithmetic that a scheduler issues beside matrix products to "
    "the next")
TMA_TIME(core, mma_warp_issue, mma_warp_issue_millicycles, millicycles, 0, 1e6, SM, KEPT, compute,
         LEAST, "the same time of a warp")
TMA_COUNT(
    core, first, first_percent, none, 0, 100, KEPT, none, LEAST,
    "percentage of a pipe that goes to the warps that have come to it first, while several ask for "
    "more than it has; the rest is shared evenly; of roles")
TMA_COUNT(
    core, shared_queue, shared_queue, none, 1, 1e6, KEPT, none, MOST,
    "wavefronts of shared memory that wait; the warp that asks for more waits before it issues "
    "its next instruction")
TMA_COUNT(
    core, access_queue, access_queue, none, 1, 1e6, KEPT, none, MOST,
    "accesses to global memory of an SM that wait for L1; warps wait before they issue further "
    "ones")
TMA_SECTION_END(core)

TMA_SECTION(power)
TMA_POWER(
    power, cap, cap_watts, watts, 1, 1e5,
    "power to which the driver brings launches without a pause; without this key the SMs keep "
    "their clock")
TMA_POWER(
    power, peak, peak_watts, watts, 1, 1e5,
    "power that the SMs can take in one launch; more lowers the clock at once. Required where "
    "there is a cap")
TMA_POWER(power, peak_memory, peak_memory_permille, percent, 0, 1000,
          "part of the power of L2 and DRAM that counts there, too")
TMA_POWER(power, rest, rest_watts, watts, 0, 1e5, "power of the GPU while it does nothing")
TMA_POWER(power, active, active_watts, watts, 0, 1e5,
          "additional power of all SMs while they have CTAs, whatever these do")
TMA_POWER(power, mma_half, mma_half_fj, femtojoules, 0, 1e6,
          "energy of a multiply-add of a matrix product of 16-bit types, of random numbers")
TMA_POWER(power, mma_half_small, mma_half_small_fj, femtojoules, 0, 1e6,
          "the same of small integers")
TMA_POWER(power, mma_half_zeros, mma_half_zeros_fj, femtojoules, 0, 1e6, "the same of zeros")
TMA_POWER(power, mma_tf32, mma_tf32_fj, femtojoules, 0, 1e6, "the same for tf32: random numbers")
TMA_POWER(power, mma_tf32_small, mma_tf32_small_fj, femtojoules, 0, 1e6, "small integers")
TMA_POWER(power, mma_tf32_zeros, mma_tf32_zeros_fj, femtojoules, 0, 1e6, "zeros")
TMA_POWER(power, mma_byte, mma_byte_fj, femtojoules, 0, 1e6,
          "the same for 8-bit types: random numbers")
TMA_POWER(power, mma_byte_small, mma_byte_small_fj, femtojoules, 0, 1e6, "small integers")
TMA_POWER(power, mma_byte_zeros, mma_byte_zeros_fj, femtojoules, 0, 1e6, "zeros")
TMA_POWER(power, mma_nibble, mma_nibble_fj, femtojoules, 0, 1e6, "4-bit types, whatever the data")
TMA_POWER(power, mma_fp64, mma_fp64_fj, femtojoules, 0, 1e6, "float64, whatever the data")
TMA_POWER(power, instruction, instruction_fj, femtojoules, 0, 1e9,
          "energy of an instruction of a warp")
TMA_POWER(power, shared, shared_fj, femtojoules, 0, 1e6,
          "energy of a byte from or to shared memory, but for operands of matrix products")
TMA_POWER(power, l2, l2_fj, femtojoules, 0, 1e6, "energy of a byte between L2 and the SMs")
TMA_POWER(power, dram, dram_fj, femtojoules, 0, 1e6, "energy of a byte from or to DRAM")
TMA_POWER(power, bytes_small, bytes_small_permille, percent, 0, 1000,
          "energy of bytes of small integers, in that of random ones")
TMA_POWER(power, bytes_zeros, bytes_zeros_permille, percent, 0, 1000, "the same of zeros")
TMA_POWER(power, voltage_slope, voltage_slope_permille, percent, 0, 1000,
          "by which part of itself the voltage of the SMs falls where the clock falls by all of it")
TMA_POWER(power, voltage_least, voltage_least_permille, percent, 1, 1000,
          "least voltage, in that at boost")
TMA_POWER(power, tensor_clock, tensor_clock_mhz, mhz, 1, 10000,
          "clock of the SMs of a GPC while its tensor cores work; without this key: sm_clock")
TMA_POWER(power, tensor_sms, tensor_sms, none, 0, TMA_MAX_SMS,
          "SMs of a grid that are in all GPCs: with fewer, a GPC keeps the boost clock, and a "
          "profiler counts its cycles")
TMA_POWER(power, tensor_drop, tensor_drop_permille, percent, 0, 900,
          "by which part the sustained clock is lower than tensor_clock with products of 16 bits "
          "that keep tensor cores busy, whatever the power is")
TMA_POWER(power, tensor_drop_from, tensor_drop_from_permille, percent, 0, 1000,
          "part of the time for which tensor cores are busy from which on this begins")
TMA_POWER(power, settle, settle_us, microseconds, 0, 1e6,
          "for how long the clock is lower at the start of a launch that takes power.peak")
TMA_POWER(power, settle_drop, settle_drop_permille, percent, 0, 900,
          "by which part it is lower; less power, less of it")
TMA_SECTION_END(power)

#undef TMA_GPU
#undef TMA_SECTION
#undef TMA_SECTION_END
#undef TMA_TIME
#undef TMA_RATE
#undef TMA_RATE_IF_ANY
#undef TMA_COUNT
#undef TMA_POWER
#undef TMA_SIZE
#undef TMA_WORD
#undef TMA_LIST
#undef TMA_BOUND_LIST
