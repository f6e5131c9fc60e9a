#include "scenario/machine_file.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "memory/host_bytes.h"
#include "memory/machine_parameter.h"
#include "memory/topology.h"
#include "scenario/document.h"
#include "scenario/schema_describe.h"
#include "scenario/setting.h"

/* The digest leaves out the keys that change no value of the timing. Which seed a launch has is not
 * a value of the machine, and the architecture decides which tensor maps are legal. */
#define DIGEST_KEY "validated_digest"
#define PUBLIC_KEY "public_data"
static const char *const undigested[] = {"name",     "architecture", "validated",
                                         DIGEST_KEY, PUBLIC_KEY,     "topology.draw"};

/* The struct that the schema fills. */
struct machine_input {
    struct tma_machine machine;
    char validated_digest[TMA_DIGEST_BYTES];

    /* Lengths of the lists whose length follows from other values. */
    struct {
#define TMA_BOUND_LIST(section, key, ...) uint32_t key##_count;
#include "memory/machine_rows.h"
    } bound;
};

#define IN(member) offsetof(struct machine_input, machine.member)

/* A parameter of memory/machine_rows.h, which gives least and largest values in the base unit of
 * the unit. No number has a default, so that a machine file states every assumption. */
#define NUMBER(kind, path, field, unit, least, most, presence, meaning)                            \
    {path, kind, &tma_unit_##unit, least, most, TMA_##presence, IN(field), NULL, 0, 0, meaning},
#define TMA_GPU(key, member, unit, least, most, meaning)                                           \
    NUMBER(TMA_KEY_U32, #key, member, unit, least, most, REQUIRED, meaning)
#define TMA_TIME(section, key, member, unit, least, most, clock, relief, ablation, off, meaning)   \
    NUMBER(TMA_KEY_U32, #section "." #key, section.member, unit, least, most, REQUIRED, meaning)
#define TMA_RATE TMA_TIME
#define TMA_RATE_IF_ANY(section, key, member, unit, least, most, clock, relief, ablation, off,     \
                        meaning)                                                                   \
    NUMBER(TMA_KEY_U32, #section "." #key, section.member, unit, least, most, OPTIONAL, meaning)
#define TMA_COUNT(section, key, member, unit, least, most, relief, ablation, off, meaning)         \
    NUMBER(TMA_KEY_U32, #section "." #key, section.member, unit, least, most, REQUIRED, meaning)
#define TMA_POWER(section, key, member, unit, least, most, meaning)                                \
    NUMBER(TMA_KEY_U32, #section "." #key, section.member, unit, least, most, OPTIONAL, meaning)
#define TMA_SIZE(section, key, member, unit, least, most, meaning)                                 \
    NUMBER(TMA_KEY_U64, #section "." #key, section.member, unit, least, most, REQUIRED, meaning)
/* The first name of an optional policy is the default. */
#define TMA_WORD(section, key, member, type, words, presence, off, meaning)                        \
    {#section "." #key,  TMA_KEY_ENUM,         NULL, 0, 0,      TMA_##presence,                    \
     IN(section.member), &tma_##words##_names, 0,    0, meaning},
#define NUMBERS(section, key, count_offset, length, most, presence, meaning)                       \
    {#section "." #key,                                                                            \
     TMA_KEY_U32,                                                                                  \
     &tma_unit_none,                                                                               \
     0,                                                                                            \
     most,                                                                                         \
     TMA_##presence,                                                                               \
     IN(section.key),                                                                              \
     NULL,                                                                                         \
     length,                                                                                       \
     count_offset,                                                                                 \
     meaning},
#define TMA_LIST(section, key, count, length, most, presence, meaning)                             \
    NUMBERS(section, key, IN(section.count), length, most, presence, meaning)
#define TMA_BOUND_LIST(section, key, length, most, meaning)                                        \
    NUMBERS(section, key, offsetof(struct machine_input, bound.key##_count), length, most,         \
            REQUIRED, meaning)

static const struct tma_key keys[] = {
    {"name", TMA_KEY_CHARS, NULL, 1, TMA_MAX_NAME - 1, TMA_REQUIRED, IN(name), NULL, 0, 0,
     "name of the machine in reports"},
    {"architecture", TMA_KEY_ENUM, NULL, 0, 0, TMA_REQUIRED, IN(architecture),
     &tma_architecture_names, 0, 0, "compute capability; selects the rules for tensor maps"},
    {"validated", TMA_KEY_BOOL, NULL, 0, 1, TMA_REQUIRED, IN(trust.validated), NULL, 0, 0,
     "whether the timing was compared with measurements of a real GPU of this kind"},
    {PUBLIC_KEY, TMA_KEY_BOOL, NULL, 0, 1, "false", IN(trust.public_data), NULL, 0, 0,
     "whether the timing follows from public figures alone; reports then say so"},
    {DIGEST_KEY, TMA_KEY_CHARS, NULL, 0, TMA_DIGEST_BYTES - 1, TMA_OPTIONAL,
     offsetof(struct machine_input, validated_digest), NULL, 0, 0,
     "digest of the values that were compared, from tmasim validate --format json; with other "
     "values, or without this key, the timing is not validated"},
#include "memory/machine_rows.h"
};

const struct tma_schema tma_machine_schema = TMA_SCHEMA(keys);

bool tma_machine_value_off(const struct tma_key *key, char *text, size_t size) {
    static const struct {
        const char *path, *off;
    } words[] = {
#define TMA_WORD(section, key, member, type, words, presence, off, meaning)                        \
    {#section "." #key, #off},
#include "memory/machine_rows.h"
    };
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i].path, key->path) == 0)
            return snprintf(text, size, "%s", words[i].off) > 0;
    const struct tma_machine_parameter *parameter = tma_machine_parameter_find(key->path);
    if (parameter == NULL)
        return false;
    switch (parameter->off.kind) {
    case TMA_OFF_KEPT:
        return false;
    case TMA_OFF_FAST:
        return snprintf(text, size, "1000 times") > 0;
    case TMA_OFF_LEAST:
        tma_unit_format(key->unit, (int64_t)key->min, text, size);
        return true;
    case TMA_OFF_MOST:
        tma_unit_format(key->unit, (int64_t)key->max, text, size);
        return true;
    case TMA_OFF_AT:
        tma_unit_format(key->unit, parameter->off.value, text, size);
        return true;
    }
    return false;
}

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
    for (uint32_t i = 0; i < machine->topology.gpc_count; i++)
        sum += machine->topology.gpc_size[i];
    if (sum != sms)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "topology.gpc_size"),
                     "topology.gpc_size adds up to %u SMs; expected sm_count, which is %u", sum,
                     sms);
    check_count(root, "topology.gpc_partition", input->bound.gpc_partition_count,
                machine->topology.gpc_count, "one for each GPC", list);
    for (uint32_t i = 0; i < input->bound.gpc_partition_count; i++)
        if (machine->topology.gpc_partition[i] >= machine->l2.partitions)
            tma_diagnose(
                list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "topology.gpc_partition"),
                "topology.gpc_partition has an entry %u; allowed: less than l2.partitions, "
                "which is %u",
                machine->topology.gpc_partition[i], machine->l2.partitions);
    if (machine->topology.slice_distance_count > 0)
        check_count(root, "topology.slice_distances", machine->topology.slice_distance_count,
                    machine->topology.gpc_count * tma_machine_slice_groups(machine),
                    "one for each GPC and eight slices", list);
    if (machine->topology.partition_distance_count > 0)
        check_count(root, "topology.partition_distances",
                    machine->topology.partition_distance_count, tma_machine_slice_groups(machine),
                    "one for each eight slices of a partition", list);
    if (machine->topology.tpc_distance_count > 0)
        check_count(root, "topology.tpc_distances", machine->topology.tpc_distance_count,
                    (sms + TMA_TPC_SMS - 1) / TMA_TPC_SMS, "one for each TPC", list);
    check_count(root, "topology.sms", input->bound.sms_count, sms, "one for each SM", list);
    check_count(root, "topology.placement", input->bound.placement_count, sms, "one for each SM",
                list);
    check_permutation(root, "topology.sms", machine->topology.sms, input->bound.sms_count, list);
    check_permutation(root, "topology.placement", machine->topology.placement,
                      input->bound.placement_count, list);
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
    if (machine->power.cap_watts > 0 && machine->power.peak_watts == 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, tma_yaml_locate(root, "power"),
                     "power.cap needs power.peak beside it");
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

/* No cycle depends on the section `power`. */
static bool is_digested(const char *key) {
    if (strncmp(key, "power.", strlen("power.")) == 0)
        return false;
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
    if (input.machine.trust.validated) {
        struct tma_machine_digest digest;
        if (!tma_machine_digest(&input.machine, &digest))
            tma_diagnose(list, TMA_ERROR_MEMORY, root->at, "out of memory");
        input.machine.trust.edited = strcmp(digest.text, input.validated_digest) != 0;
        input.machine.trust.validated = !input.machine.trust.edited;
    }
    *machine = input.machine;
    return tma_diagnostics_total(list) == before;
}

bool tma_machine_read_set(const char *path, char *const *settings, size_t count,
                          struct tma_machine *machine, struct tma_diagnostics *list) {
    struct tma_yaml_node *root = tma_yaml_read(path, list);
    bool good = root != NULL;
    for (size_t i = 0; i < count && root != NULL; i++)
        good = tma_yaml_set(root, settings[i], "--set", list) && good;
    good = good && tma_machine_from(root, machine, list);
    tma_yaml_free(root);
    return good;
}

bool tma_machine_read(const char *path, struct tma_machine *machine, struct tma_diagnostics *list) {
    return tma_machine_read_set(path, NULL, 0, machine, list);
}

void tma_machine_describe(const struct tma_machine *machine,
                          const struct tma_describer *describer) {
    struct machine_input input = {
        .machine = *machine,
        .bound = {.gpc_partition_count = machine->topology.gpc_count,
                  .sms_count = machine->sm_count,
                  .placement_count = machine->sm_count},
    };
    tma_schema_describe(&tma_machine_schema, &input, describer);
}
