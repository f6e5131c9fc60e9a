/* Small machines with round numbers, so that tests of the timing model can derive what they expect.
 */
#pragma once

#include "memory/machine.h"

/* 4 SMs in 2 GPCs, 2 L2 partitions with one GPC each, 4 slices and 4 DRAM channels. */
static inline struct tma_machine small_machine(void) {
    return (struct tma_machine){
        .name = "small",
        .sm_count = 4,
        .sm_clock_mhz = 1000,
        .shared_memory_bytes = 64 * 1024,
        .shared_memory_cta_bytes = 64 * 1024,
        .topology = {.gpc_count = 2,
                     .gpc_size = {2, 2},
                     .gpc_partition = {0, 1},
                     .sms = {0, 1, 2, 3},
                     .placement = {0, 2, 1, 3}},
        .tma = {.issue_cycles = 10,
                .descriptors = 2,
                .gpc_descriptors = 4,
                .descriptor_fetch_cycles = 6,
                .dispatch_interval_cycles = 8,
                .row_millicycles = 2000,
                .complete_cycles = 5,
                .prefetch_gap_cycles = 4,
                .store_sector_millicycles = 1000,
                .store_partial_millicycles = 2000,
                .reduce_request_millicycles = 1000,
                .reduce_sector_millicycles = 1500,
                .store_complete_cycles = 6,
                .reduce_complete_cycles = 9,
                .store_issue_cycles = 2,
                .store_turnaround_cycles = 8,
                .store_operations = 1000,
                .write_flits = 64, /* 16 lines */
                .turnaround_cycles = 7,
                .cluster_release_cycles = 12,
                .cluster_arrive_cycles = 9},
        .l1 = {.capacity_bytes = 64 * 1024,
               .carve_outs = {0, 32, 56},
               .carve_out_count = 3,
               .ways = 16,
               .issue_cycles = 4,
               .tag_millicycles = 1000,
               .wavefront_millicycles = 1000,
               .hit_cycles = 6,
               .fill_cycles = 3,
               .port_bytes_per_kcycle = 32000,
               .misses = 16,
               .write_flits = 16},
        .dsmem = {.way_cycles = 40, .flit_millicycles = 1500, .atomic_millicycles = 2000},
        .tlb = {.block_bytes = 1 << 20,
                .miss_cycles = 40,
                .far_cycles = 10,
                .misses = 2,
                .walk_cycles = 200,
                .walk_interval_cycles = 50},
        .crossbar = {.request_cycles = 30,
                     .response_cycles = 20,
                     .spread_cycles = 0,
                     .partition_cycles = 25,
                     .sm_port_bytes_per_kcycle = 32000,  /* a sector a cycle */
                     .gpc_port_bytes_per_kcycle = 64000, /* two sectors a cycle */
                     .link_bytes_per_kcycle = 64000,     /* each GPC has one */
                     .partition_link_bytes_per_kcycle = 1000000000,
                     .coalesced_requests = 1},
        .l2 = {.capacity_bytes = 64 * 1024, /* 32 sets in each slice */
               .partitions = 2,
               .slices = 4,
               .ways = 4,
               .dirty_ways = 4,
               .kept_permille = 500,
               .reduction_operands = 40,
               .lookup_cycles = 15,
               .request_millicycles = 1000,
               .sector_millicycles = 750, /* 3 cycles for a line */
               .queue_reads = 1000,
               .missing_sectors = 1000,
               .fill_millicycles = 3000,
               .write_flit_millicycles = 1000,
               .write_request_millicycles = 1000,
               .invalidate_millicycles = 4000,
               .write_sector_millicycles = 1000,
               .reduce_sector_millicycles = 1000},
        .dram = {.bus_bits = 128, /* 32 bytes a cycle: a sector in 4 cycles of a channel */
                 .clock_mhz = 1000,
                 .channels = 4,
                 .stacks = 4,
                 .banks = 4,
                 .ranks = 1,
                 .bank_groups = 2,
                 .row_bytes = 512,
                 .queue = 16,
                 .bypass = 4,
                 .write_queue = 16,
                 .write_high = 8,
                 .write_low = 2,
                 .access_ps = 100000, /* at the SM clock, 1000 ps are a cycle */
                 .trcd_ps = 30000,
                 .trp_ps = 20000,
                 .tras_ps = 50000,
                 .trtp_ps = 4000,
                 .twr_ps = 10000,
                 .trrd_ps = 6000,
                 .tccd_long_ps = 6000,
                 .trtw_ps = 3000,
                 .twtr_ps = 5000,
                 .refresh_policy = TMA_REFRESH_none,
                 .trfc_ps = 50000,
                 .trefi_ps = 500000,
                 .trrefd_ps = 125000},
        .shared = {.wavefront_cycles = 1},
        .warp = {.start_cycles = 5,
                 .launch_cycles = 40,
                 .wait_cycles = 3,
                 .wake_cycles = 2,
                 .arrive_cycles = 4,
                 .arrive_latency_cycles = 6,
                 .remote_arrive_cycles = 20,
                 .expect_cycles = 1,
                 .issue_cycles = 2,
                 .commit_cycles = 1,
                 .wait_group_cycles = 2,
                 .store_wake_cycles = 3,
                 .barrier_arrive_cycles = 2,
                 .barrier_cycles = 5,
                 .spin_cycles = 1,
                 .mma_issue_cycles = 2,
                 .mma_wait_cycles = 3,
                 .tile_cycles = 50},
        .sm = {.threads = 2048,
               .cta_threads = 1024,
               .ctas = 8,
               .registers = 65536,
               .mma_half = 64,
               .mma_tf32 = 32,
               .mma_byte = 128,
               .mma_fp64 = 8},
        /* Of an SM in a cycle: 32 multiplications, 16 maxima, 4 special functions. */
        .core = {.fma_cycles = 4,
                 .alu_cycles = 8,
                 .special_cycles = 32,
                 .chain_cycles = 4,
                 .mma_issue_millicycles = 2000,
                 .mma_warp_issue_millicycles = 3000,
                 .first_percent = 25},
    };
}

/* The small machine with one partition, no service time in the slices, and tensor maps that need no
 * fetch: every hit has the same latency, and the SM's port limits the rate of all boxes. */
static inline struct tma_machine flat_machine(void) {
    struct tma_machine machine = small_machine();
    machine.l2.partitions = 1;
    machine.topology.gpc_partition[1] = 0;
    machine.l2.request_millicycles = machine.l2.sector_millicycles = 0;
    machine.l2.lookup_cycles += 3;
    machine.tma.descriptor_fetch_cycles = 0;
    return machine;
}
