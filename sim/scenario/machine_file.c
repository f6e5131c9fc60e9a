#include "scenario/machine_file.h"

#include <stdio.h>

#include "memory/l2.h"
#include "scenario/document.h"
#include "scenario/schema_describe.h"

/* What the table fills: the machine, and how long its lists were. */
struct machine_input {
    struct tma_machine machine;
    uint32_t sizes, partitions, sms, placement;
};

#define IN(member)       offsetof(struct machine_input, machine.member)
#define COUNT_IN(member) offsetof(struct machine_input, member)

/* path, unit, least, most, member, meaning: always given, so that nothing is assumed silently */
#define U32(path, unit, min, max, member, meaning)                                                 \
    { path, TMA_KEY_U32, &tma_unit_##unit, min, max, TMA_REQUIRED, IN(member), NULL, 0, 0, meaning }
#define U64(path, unit, min, max, member, meaning)                                                 \
    { path, TMA_KEY_U64, &tma_unit_##unit, min, max, TMA_REQUIRED, IN(member), NULL, 0, 0, meaning }
#define LIST(path, max, member, limit, count, meaning)                                             \
    {                                                                                              \
        path, TMA_KEY_U32, &tma_unit_none, 0, max, TMA_REQUIRED, IN(member), NULL, limit,          \
            COUNT_IN(count), meaning                                                               \
    }

static const struct tma_key keys[] = {
    {"name", TMA_KEY_CHARS, NULL, 1, TMA_MAX_NAME - 1, TMA_REQUIRED, IN(name), NULL, 0, 0,
     "how reports call it"},
    {"architecture", TMA_KEY_ENUM, NULL, 0, 0, TMA_REQUIRED, IN(architecture),
     &tma_architecture_names, 0, 0, "whose rules tensor maps follow"},
    {"validated", TMA_KEY_BOOL, NULL, 0, 1, TMA_REQUIRED, IN(validated), NULL, 0, 0,
     "its timing was compared with records of a real one"},
    U32("sm_count", none, 1, TMA_MAX_SMS, sm_count, "streaming multiprocessors"),
    U32("sm_clock", mhz, 1, 10000, sm_clock_mhz, "what one cycle is"),
    U32("shared_memory", bytes, 1024, 1 << 20, shared_memory_bytes, "of one SM"),
    U32("shared_memory_cta", bytes, 1024, 1 << 20, shared_memory_cta_bytes,
        "that one CTA can have"),

    LIST("topology.gpc_size", TMA_MAX_SMS, topology.gpc_size, TMA_MAX_GPCS, sizes,
         "SMs of each GPC"),
    LIST("topology.gpc_partition", 1, topology.gpc_partition, TMA_MAX_GPCS, partitions,
         "L2 partition that each GPC is next to"),
    LIST("topology.sms", TMA_MAX_SMS - 1, topology.sms, TMA_MAX_SMS, sms,
         "SMs, GPC by GPC, end to end"),
    U32("topology.launch_interval", cycles, 0, 10000, topology.launch_interval_cycles,
        "from the start of a GPC's CTA to that of its next"),
    U32("topology.draw", none, 0, 1e9, topology.draw,
        "what differs from launch to launch is drawn by this: who is first, how long polling "
        "takes, refresh; 0: nothing is"),
    LIST("topology.placement", TMA_MAX_SMS - 1, topology.placement, TMA_MAX_SMS, placement,
         "SMs in the order in which a growing grid takes them"),

    U32("tma.issue", cycles, 0, 10000, tma.issue_cycles,
        "from the instruction to the TMA unit's queue"),
    U32("tma.descriptors", none, 1, 65536, tma.descriptors,
        "tensor maps that an SM's cache holds,"),
    U32("tma.gpc_descriptors", none, 1, 65536, tma.gpc_descriptors,
        "and that of its GPC, behind it"),
    U32("tma.descriptor_fetch", cycles, 0, 10000, tma.descriptor_fetch_cycles,
        "from the GPC's cache into the SM's"),
    U32("tma.dispatch_interval", cycles, 0, 10000, tma.dispatch_interval_cycles,
        "least time from one operation's start to the next's"),
    U32("tma.row", millicycles, 1, 1000000, tma.row_millicycles, "for each request"),
    U32("tma.complete", cycles, 1, 10000, tma.complete_cycles,
        "last data in shared memory to the mbarrier's phase"),
    U32("tma.prefetch_gap", cycles, 0, 10000, tma.prefetch_gap_cycles,
        "after each prefetch, until the next operation"),
    U32("tma.store_sector", millicycles, 0, 1000000, tma.store_sector_millicycles,
        "reading shared memory for a store: each sector,"),
    U32("tma.store_partial", millicycles, 0, 1000000, tma.store_partial_millicycles,
        "more for a request that writes part of one"),
    U32("tma.reduce_request", millicycles, 0, 1000000, tma.reduce_request_millicycles,
        "for a reduction: each request,"),
    U32("tma.reduce_sector", millicycles, 0, 1000000, tma.reduce_sector_millicycles,
        "and each whole sector"),
    U32("tma.store_complete", cycles, 0, 10000, tma.store_complete_cycles,
        "last byte read from shared memory to the end of wait_group"),
    U32("tma.reduce_complete", cycles, 0, 10000, tma.reduce_complete_cycles,
        "the same for a reduction"),
    U32("tma.wait_group", cycles, 0, 10000, tma.wait_group_cycles,
        "that wait_group ends after wait_group.read"),
    U32("tma.first_pass", cycles, 0, 10000, tma.first_pass_cycles,
        "that the first operation of a pipeline's slot comes late"),
    U32("tma.store_first_pass", cycles, 0, 10000, tma.store_first_pass_cycles,
        "that the first store of a pipeline's slot comes late"),
    U32("tma.store_turnaround", cycles, 0, 10000, tma.store_turnaround_cycles,
        "as turnaround, after a store or reduction"),
    U32("tma.store_issue", cycles, 0, 10000, tma.store_issue_cycles,
        "least time between stores of two warps of a scheduler"),
    U32("tma.store_operations", none, 1, 1e6, tma.store_operations,
        "stores and reductions that are worked on in turn"),
    U32("tma.write_flits", none, 1, 1e6, tma.write_flits, "that an SM may have on their way to L2"),
    U32("tma.poll", millicycles, 0, 1000000, tma.poll_millicycles,
        "that the polling of each further slot of a scheduler adds to turnaround, on average"),
    U32("tma.turnaround", cycles, 0, 10000, tma.turnaround_cycles,
        "a waiting warp sees the phase, and issues again"),
    U32("tma.wake_interval", cycles, 0, 10000, tma.wake_interval_cycles,
        "how often warps can see phases, and least time between two of an SM that issue again"),
    U32("tma.cluster_release", cycles, 0, 10000, tma.cluster_release_cycles,
        "a warp that is done with a multicast tile makes that known to its cluster,"),
    U32("tma.cluster_arrive", cycles, 0, 10000, tma.cluster_arrive_cycles,
        "and arrives on another SM's mbarrier"),

    U32("crossbar.request", cycles, 1, 10000, crossbar.request_cycles,
        "SM to the nearest L2 slice"),
    U32("crossbar.response", cycles, 1, 10000, crossbar.response_cycles,
        "nearest L2 slice, past the GPC's port, to the SM's"),
    U32("crossbar.spread", cycles, 0, 10000, crossbar.spread_cycles,
        "how much further the furthest slice is, both ways together"),
    U32("crossbar.partition", cycles, 1, 10000, crossbar.partition_cycles,
        "from one L2 partition to the other, one way"),
    U32("crossbar.sm_port", bytes_per_kcycle, 1, 1e9, crossbar.sm_port_bytes_per_kcycle,
        "L2 to one SM"),
    U32("crossbar.gpc_port", bytes_per_kcycle, 1, 1e9, crossbar.gpc_port_bytes_per_kcycle,
        "L2 to one GPC"),
    U32("crossbar.coalesced", none, 1, TMA_MAX_COALESCED, crossbar.coalesced_requests,
        "requests of a GPC for the same sectors that L2 answers as one, at most"),

    U64("l2.capacity", bytes, 1024, 1ull << 40, l2.capacity_bytes, "of all partitions"),
    U32("l2.partitions", none, 1, 2, l2.partitions, "halves that share a chip"),
    U32("l2.slices", none, 1, 1024, l2.slices, "of all partitions"),
    {"l2.hash", TMA_KEY_ENUM, NULL, 0, 0, TMA_REQUIRED, IN(l2.hash), &tma_slice_hash_names, 0, 0,
     "which slice answers for a line"},
    U32("l2.ways", none, 1, TMA_L2_MAX_WAYS, l2.ways, "lines of a set"),
    U32("l2.dirty_ways", none, 1, TMA_L2_MAX_WAYS, l2.dirty_ways,
        "that a set has at most: one more is written back"),
    U32("l2.lookup", cycles, 0, 10000, l2.lookup_cycles, "tag look-up and data, without waiting"),
    U32("l2.interval", millicycles, 0, 1000000, l2.interval_millicycles,
        "least time from a slice's request to its next"),
    U32("l2.request", millicycles, 0, 1000000, l2.request_millicycles,
        "a slice reads data: for each request,"),
    U32("l2.sector", millicycles, 0, 1000000, l2.sector_millicycles, "and for each sector"),
    U32("l2.fill", millicycles, 0, 1000000, l2.fill_millicycles,
        "or where they stand for what is out of bounds;"),
    U32("l2.join", millicycles, 0, 1000000, l2.join_millicycles,
        "for each further request that is answered with the first"),
    U32("l2.write_flit", millicycles, 0, 1000000, l2.write_flit_millicycles,
        "a slice takes a write: each 32 bytes that come in,"),
    U32("l2.write_request", millicycles, 0, 1000000, l2.write_request_millicycles, "its tags,"),
    U32("l2.invalidate", millicycles, 0, 1e6, l2.invalidate_millicycles,
        "more where the other partition has a copy"),
    U32("l2.write_sector", millicycles, 0, 1000000, l2.write_sector_millicycles,
        "and each sector that is written or reduced"),
    U32("l2.promotion_wait", cycles, 0, 100000, l2.promotion_wait_cycles,
        "a promotion that would wait longer in the other partition is dropped"),

    U32("dram.bus", bits, 1, 65536, dram.bus_bits, "width of all channels"),
    U32("dram.clock", mhz, 1, 100000, dram.clock_mhz, "data moves on both edges"),
    U32("dram.channels", none, 1, 1024, dram.channels, "that work on their own"),
    U32("dram.banks", none, 1, 1024, dram.banks, "of one channel"),
    U32("dram.row", bytes, TMA_LINE_BYTES, 1 << 20, dram.row_bytes, "of one bank's open row"),
    U32("dram.access", cycles, 0, 100000, dram.access_cycles,
        "L2 miss to first data, open row, without waiting"),
    U32("dram.activate", cycles, 0, 100000, dram.activate_cycles, "opening another row first"),
    U32("dram.activate_interval", millicycles, 0, 1e8, dram.activate_interval_millicycles,
        "least time between activations in a channel"),
    U32("dram.row_gap", millicycles, 0, 1e6, dram.row_gap_millicycles,
        "that the bus pauses for a row that is opened"),
    U32("dram.turnaround", millicycles, 0, 1e6, dram.turnaround_millicycles,
        "of a channel's bus from reads to writes or back"),
    U32("dram.write_batch", none, 1, 1000, dram.write_batch,
        "writes that a channel gathers, and then does at once"),
    U32("dram.refresh", cycles, 0, 1e6, dram.refresh_cycles, "how long a channel is away"),
    U32("dram.refresh_interval", cycles, 1, 1e9, dram.refresh_interval_cycles, "how often"),
    U32("dram.refresh_in_order", none, 0, 1e6, dram.refresh_in_order,
        "accesses that wait for its end and are then served in order;"),
    U32("dram.refresh_disorder", cycles, 0, 10000, dram.refresh_disorder_cycles,
        "the others' lines are there up to so much later: drawn"),
    U32("dram.queue", cycles, 0, 1e9, dram.queue_cycles,
        "that a channel may be behind before writes wait"),

    U32("shared.wavefront", cycles, 1, 1000, shared.wavefront_cycles, "of one wavefront"),
};

const struct tma_schema tma_machine_schema = {keys, sizeof keys / sizeof keys[0]};

static void check_count(const struct tma_yaml_node *root, const char *path, uint32_t count,
                        uint32_t expected, const char *why, struct tma_diagnostics *list) {
    if (count != expected)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, path),
                     "%s has %u entries; expected %u, %s", path, count, expected, why);
}

/* Each SM exactly once: a missing one would never get a CTA, a double one two. */
static void check_permutation(const struct tma_yaml_node *root, const char *path,
                              const uint32_t *sms, uint32_t count, struct tma_diagnostics *list) {
    bool seen[TMA_MAX_SMS] = {false};
    for (uint32_t i = 0; i < count; i++) {
        char entry[64];
        snprintf(entry, sizeof entry, "%s.%u", path, i);
        if (sms[i] >= count)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, entry),
                         "%s is %u; SMs are 0 to %u", entry, sms[i], count - 1);
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
    for (uint32_t i = 0; i < input->sizes; i++)
        sum += machine->topology.gpc_size[i];
    if (sum != sms)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "topology.gpc_size"),
                     "topology.gpc_size adds up to %u SMs; sm_count is %u", sum, sms);
    check_count(root, "topology.gpc_partition", input->partitions, input->sizes, "one for each GPC",
                list);
    for (uint32_t i = 0; i < input->partitions; i++)
        if (machine->topology.gpc_partition[i] >= machine->l2.partitions)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "topology.gpc_partition"),
                         "topology.gpc_partition has a %u; l2.partitions is %u",
                         machine->topology.gpc_partition[i], machine->l2.partitions);
    check_count(root, "topology.sms", input->sms, sms, "one for each SM", list);
    check_count(root, "topology.placement", input->placement, sms, "one for each SM", list);
    check_permutation(root, "topology.sms", machine->topology.sms, input->sms, list);
    check_permutation(root, "topology.placement", machine->topology.placement, input->placement,
                      list);
}

static void check_sizes(const struct tma_yaml_node *root, const struct tma_machine *machine,
                        struct tma_diagnostics *list) {
    if (machine->shared_memory_cta_bytes > machine->shared_memory_bytes)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "shared_memory_cta"),
                     "shared_memory_cta is %u B; an SM has %u B", machine->shared_memory_cta_bytes,
                     machine->shared_memory_bytes);
    if (machine->l2.slices % machine->l2.partitions != 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "l2.slices"),
                     "l2.slices is %u; expected a multiple of the %u partitions",
                     machine->l2.slices, machine->l2.partitions);
    if (machine->l2.hash == TMA_HASH_H200 &&
        machine->l2.slices != TMA_H200_SLICES * machine->l2.partitions)
        tma_diagnose(
            list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "l2.hash"),
            "l2.hash is h200, and l2.slices %u; expected %u, of which the hash is, or even",
            machine->l2.slices, TMA_H200_SLICES * machine->l2.partitions);
    uint64_t least_bytes = (uint64_t)machine->l2.slices * machine->l2.ways * TMA_LINE_BYTES;
    if (machine->l2.capacity_bytes < least_bytes)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "l2.capacity"),
                     "l2.capacity is %llu B; %u slices of %u ways have %llu B at least",
                     (unsigned long long)machine->l2.capacity_bytes, machine->l2.slices,
                     machine->l2.ways, (unsigned long long)least_bytes);
    if (tma_machine_dram_bytes_per_kcycle(machine) == 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "dram.bus"),
                     "dram.bus and dram.clock move less than a byte in 1000 SM cycles");
}

/* The engine knows of what completes `complete` cycles ahead: nothing may take less. */
static void check_completions(const struct tma_yaml_node *root, const struct tma_machine *machine,
                              struct tma_diagnostics *list) {
    const struct {
        const char *path;
        uint32_t cycles;
    } others[] = {{"tma.store_complete", machine->tma.store_complete_cycles},
                  {"tma.reduce_complete", machine->tma.reduce_complete_cycles}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].cycles < machine->tma.complete_cycles)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, others[i].path),
                         "%s is %u cycles; expected at least tma.complete, which is %u",
                         others[i].path, others[i].cycles, machine->tma.complete_cycles);
}

bool tma_machine_from(const struct tma_yaml_node *root, struct tma_machine *machine,
                      struct tma_diagnostics *list) {
    struct machine_input input = {0};
    size_t before = list->count;
    if (!tma_schema_read(&tma_machine_schema, root, "", &input, list))
        return false;
    check_topology(root, &input, list);
    check_sizes(root, &input.machine, list);
    check_completions(root, &input.machine, list);
    input.machine.topology.gpc_count = input.sizes;
    *machine = input.machine;
    return list->count == before;
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
        .sizes = machine->topology.gpc_count,
        .partitions = machine->topology.gpc_count,
        .sms = machine->sm_count,
        .placement = machine->sm_count,
    };
    tma_schema_describe(&tma_machine_schema, &input, describer);
}
