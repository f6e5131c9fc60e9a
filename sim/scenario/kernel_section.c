/* Reads the mapping `kernel`, apart from the programs of its roles. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "engine/roles/kernel_check.h"
#include "memory/topology.h"
#include "scenario/clock_keys.h"
#include "scenario/kernel_program.h"
#include "scenario/kernel_reader.h"
#include "scenario/parameters.h"
#include "scenario/value.h"

static const struct tma_names cache_names = TMA_NAMES("initial cache", {"cold", 1}, {"warm", 0});
static const struct tma_names all_names = TMA_NAMES("SMs", {"all", 0});
static const struct tma_names auto_names = TMA_NAMES("number", {"auto", 0});
static const struct tma_names machine_names = TMA_NAMES("number", {"machine", 0});
static const struct tma_names launch_names = TMA_NAMES("launch", {"all", 0}, {"resident", 1});
static const struct tma_names code_names = TMA_NAMES("code", {"cuda", 0}, {"triton", 1});
static const struct tma_names cluster_names =
    TMA_NAMES("CTAs of a cluster", {"1", 1}, {"2", 2}, {"4", 4}, {"8", 8}, {"16", 16}, {"none", 0});
static const struct tma_names scope_names = TMA_NAMES("scope", {"cta", 0}, {"cluster", 1});

struct kernel_input {
    struct tma_kernel kernel;
    const struct tma_yaml_node *tables, *rings, *buffers, *barriers, *flags, *roles;
    int launch; /* of launch_names */
    int code;   /* of code_names */
};

#define IN(member) offsetof(struct kernel_input, member)

/* What instructions take in this kernel's code; 0: what the machine says. */
#define COST(name, compared, text)                                                                 \
    {.path = "costs." #name,                                                                       \
     .kind = TMA_KEY_U32,                                                                          \
     .unit = &tma_unit_cycles,                                                                     \
     .min = 1,                                                                                     \
     .max = 10000,                                                                                 \
     .names = &machine_names,                                                                      \
     .fallback = "machine",                                                                        \
     .offset = IN(kernel.costs.name##_cycles),                                                     \
     .meaning = text},

static const struct tma_key kernel_keys[] = {
    TMA_NUMBER_KEY("ctas", U32, none, 1, 1 << 20, TMA_REQUIRED, IN(kernel.cta_count),
                   "number of CTAs in the grid"),
    TMA_WORD_KEY("launch", ENUM, launch_names, "all", IN(launch),
                 "all: so many CTAs; resident: of them, as many whole clusters as run at once, as "
                 "persistent kernels that ask cudaOccupancyMaxActiveClusters launch"),
    TMA_WORD_KEY("cluster", ENUM, cluster_names, "none", IN(kernel.cluster_ctas),
                 "number of CTAs in a cluster, which run on SMs of one GPC; none: launched without "
                 "clusters, which places CTAs differently than clusters of 1"),
    TMA_NUMBER_OR_WORD_KEY(
        "ctas_per_sm", U32, none, 1, 32, auto_names, "auto", IN(kernel.ctas_per_sm),
        "number of CTAs that an SM runs at a time; auto: what threads, registers and shared "
        "memory allow"),
    TMA_NUMBER_KEY("registers", U32, none, 0, 255, "0", IN(kernel.registers),
                   "registers of a thread; 0: they do not limit the CTAs of an SM"),
    TMA_NUMBER_OR_WORD_KEY(
        "shared_memory", U32, driver_bytes, 0, 1 << 20, auto_names, "auto", IN(kernel.shared_bytes),
        "shared memory of a CTA, in bytes; auto: what its rings and buffers take"),
    TMA_NUMBER_OR_WORD_KEY("sms", U32, none, 1, TMA_MAX_SMS, all_names, "all", IN(kernel.sm_count),
                           "number of SMs that the kernel may use"),
    {.path = "sm_clock", TMA_SM_CLOCK_KEY(IN(kernel.sm_clock_mhz))},
    {.path = "data", TMA_OPERAND_DATA_KEY(IN(kernel.data))},
    TMA_WORD_KEY("initial_cache", BOOL, cache_names, "cold", IN(kernel.cold),
                 "state of L2 at the start; cold: it holds nothing of the tensors; warm: it holds "
                 "what a run of the same kernel left"),
    TMA_WORD_KEY(
        "code", ENUM, code_names, "cuda", IN(code),
        "who wrote the code around the statements, which says what those cost that have no "
        "number below; cuda: people, in CUDA C++, as the machine's numbers are; triton: "
        "Triton's compiler"),
    TMA_KERNEL_COSTS(COST){
        .path = "tables",
        .kind = TMA_KEY_MAPPING,
        .fallback = TMA_OPTIONAL,
        .offset = IN(tables),
        .meaning = "numbers that expressions look up by `NAME(ENTRY)`, and that name the rows of a "
                   "gather, by name: `NAME: [NUMBER, ...]`, or `NAME: {...}` for random ones; keys "
                   "below"},
    TMA_PLAIN_KEY(
        "rings", MAPPING, TMA_OPTIONAL, IN(rings),
        "stages of shared memory that go round between roles, by name: `NAME: {...}`; keys "
        "below"),
    TMA_PLAIN_KEY(
        "buffers", MAPPING, TMA_OPTIONAL, IN(buffers),
        "other shared memory, such as the tile that an epilogue stores: `NAME: BYTES`; or, in "
        "the memory of a ring, `NAME: {...}`; keys below"),
    TMA_PLAIN_KEY("barriers", NODE, TMA_OPTIONAL, IN(barriers),
                  "named barriers between roles: `[NAME, ...]`, or `NAME: ARRIVALS`, the number of "
                  "roles that complete it; without that number, all roles with a statement for it; "
                  "or `NAME: {...}`; keys below"),
    TMA_PLAIN_KEY("flags", MAPPING, TMA_OPTIONAL, IN(flags),
                  "counters in global memory, which all CTAs share and which are 0 at the start: "
                  "`NAME: NUMBER`, so many of that name"),
    TMA_PLAIN_KEY("roles", MAPPING, TMA_REQUIRED, IN(roles),
                  "the warps of a CTA and their programs, by name: `NAME: {...}`; keys below"),
};

const struct tma_schema tma_kernel_schema = TMA_SCHEMA(kernel_keys);

struct table_input {
    uint32_t count, seed;
    const struct tma_yaml_node *below;
};

static const struct tma_key table_keys[] = {
    TMA_NUMBER_KEY("count", U32, none, 1, TMA_MAX_TABLE_ENTRIES, TMA_REQUIRED,
                   offsetof(struct table_input, count), "number of entries"),
    TMA_PLAIN_KEY("below", EXPRESSION, TMA_REQUIRED, offsetof(struct table_input, below),
                  "the entries are random numbers from 0 to below this one"),
    TMA_NUMBER_KEY("seed", U32, none, 0, UINT32_MAX, "1", offsetof(struct table_input, seed),
                   "the same seed gives the same entries"),
};

const struct tma_schema tma_table_schema = TMA_SCHEMA(table_keys);

/* Keys `copies` are for the reference: the document is read without them (expand.h). */
#define COPIES(type, what)                                                                         \
    {                                                                                              \
        .path = "copies", .kind = TMA_KEY_NODE, .fallback = TMA_OPTIONAL,                          \
        .offset = offsetof(struct type, copies),                                                   \
        .meaning = "number of " what ", which are NAME_0, NAME_1 and so on; `$copy` in what is "   \
                   "below it is 0, 1, ...; `{g: 2}` calls it `$g`"                                 \
    }

struct ring_input {
    const struct tma_yaml_node *copies;
    struct tma_ring ring;
    const struct tma_yaml_node *operands;
    const struct tma_yaml_node *ranks[TMA_MAX_CLUSTER];
    uint32_t rank_count;
};

#define IN_RING(member) offsetof(struct ring_input, member)

static const struct tma_key ring_keys[] = {
    TMA_NUMBER_KEY("stages", U32, none, 1, TMA_MAX_RING_DEPTH, "1", IN_RING(ring.depth),
                   "number of stages, each with a full and an empty mbarrier"),
    TMA_PLAIN_KEY("operands", NODE, TMA_OPTIONAL, IN_RING(operands),
                  "the tiles of a stage: `NAME: BYTES`, or `[NAME, ...]` with the sizes of their "
                  "loads; each is aligned to 1 KiB; default: one tile, which has the ring's name"),
    {.path = "release_to",
     .kind = TMA_KEY_EXPRESSION,
     .limit = TMA_MAX_CLUSTER,
     .names = &all_names,
     .fallback = TMA_OPTIONAL,
     .offset = IN_RING(ranks),
     .count_offset = IN_RING(rank_count),
     .meaning =
         "ranks of the cluster whose stage a release arrives at: those whose multicast fills "
         "this CTA's stage; default: the CTA's own"},
    TMA_WORD_KEY("release_scope", BOOL, scope_names, "cta", IN_RING(ring.release_cluster),
                 "cta: `mbarrier.arrive.shared::cluster`, whose default is cheap; cluster: "
                 "`.release.cluster`, which costs more"),
    COPIES(ring_input, "rings like this one"),
};

const struct tma_schema tma_ring_schema = TMA_SCHEMA(ring_keys);

struct buffer_input {
    const struct tma_yaml_node *copies;
    struct tma_buffer buffer;
    char over[TMA_KERNEL_NAME];
};

static const struct tma_key buffer_keys[] = {
    TMA_NUMBER_KEY("bytes", U32, driver_bytes, 16, 1 << 20, TMA_REQUIRED,
                   offsetof(struct buffer_input, buffer.bytes), "size of the buffer"),
    TMA_TEXT_KEY("over", CHARS, TMA_KERNEL_NAME - 1, "", offsetof(struct buffer_input, over),
                 "ring in whose shared memory the buffer lies, when its stages are no longer used; "
                 "default: it has memory of its own"),
    COPIES(buffer_input, "buffers like this one"),
};

const struct tma_schema tma_buffer_schema = TMA_SCHEMA(buffer_keys);

struct barrier_input {
    const struct tma_yaml_node *copies;
    uint32_t arrivals;
};

static const struct tma_key barrier_keys[] = {
    TMA_NUMBER_KEY("arrivals", U32, none, 0, TMA_MAX_ROLES, "0",
                   offsetof(struct barrier_input, arrivals),
                   "number of roles that complete it; 0: all roles with a statement for it"),
    COPIES(barrier_input, "barriers like this one"),
};

const struct tma_schema tma_barrier_schema = TMA_SCHEMA(barrier_keys);

struct role_input {
    const struct tma_yaml_node *copies;
    struct tma_role role;
    const struct tma_yaml_node *program;
};

static const struct tma_key role_keys[] = {
    TMA_NUMBER_KEY(
        "warps", U32, none, 1, 32, "1", offsetof(struct role_input, role.warps),
        "number of warps that run the program together; one thread issues the operations"),
    TMA_PLAIN_KEY("program", LIST, TMA_REQUIRED, offsetof(struct role_input, program),
                  "the statements, in order; below"),
    COPIES(role_input, "roles with this text"),
};

const struct tma_schema tma_role_schema = TMA_SCHEMA(role_keys);

/* A number of bytes that stands alone: the size of an operand or of a buffer. */
static const struct tma_key bytes_key = {.kind = TMA_KEY_U32,
                                         .unit = &tma_unit_driver_bytes,
                                         .min = 16,
                                         .max = 1 << 20,
                                         .fallback = TMA_REQUIRED};
static const struct tma_key arrivals_key = {
    .kind = TMA_KEY_U32, .unit = &tma_unit_none, .min = 1, .max = TMA_MAX_ROLES};

/* Returns false, with an error, for a name that is not a single word. */
static bool check_word(struct tma_kernel_reader *reader, const char *what, const char *name,
                       struct tma_location at) {
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
    size_t length = strlen(name);
    if (length > 0 && length < TMA_KERNEL_NAME && strspn(name, allowed) == length)
        return true;
    return tma_diagnose(
        reader->list, TMA_ERROR_SYNTAX, at,
        "\"%.60s\" is not a valid name of a %s; expected 1 to %d letters, digits or _", name, what,
        TMA_KERNEL_NAME - 1);
}

static bool check_room(struct tma_kernel_reader *reader, const char *what, uint32_t count,
                       uint32_t most, struct tma_location at) {
    if (count < most)
        return true;
    return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, at,
                        "the kernel has too many %s; allowed: %u", what, most);
}

/* SplitMix64 (Steele, Lea and Flood, 2014). */
static uint64_t random_bits(uint64_t number) {
    number = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
    number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
    return number ^ number >> 31;
}

/* Reads a number that no variable may be in. */
static bool read_constant(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                          const char *path, int64_t *number) {
    struct tma_value value;
    if (!tma_read_value(reader, node, path, &value))
        return false;
    *number = value.constant;
    if (value.expression == NULL)
        return true;
    return tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, node->at,
                        "%s is not the same for all CTAs; expected a number", path);
}

/* The numbers of a table; NULL after an error. */
static int64_t *read_numbers(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                             const char *path, uint32_t *count) {
    struct table_input input = {.count = 0};
    int64_t below = 0, *numbers;
    bool list = node->kind == TMA_YAML_LIST, good = true;
    if (!list && node->kind != TMA_YAML_MAPPING) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "%s: expected [NUMBER, ...], or {count: NUMBER, below: NUMBER}", path);
        return NULL;
    }
    if (!list && (!tma_schema_read(&tma_table_schema, node, path, &input, reader->list) ||
                  !read_constant(reader, input.below, path, &below)))
        return NULL;
    size_t entries = list ? tma_yaml_count(node) : input.count;
    if (entries == 0 || entries > TMA_MAX_TABLE_ENTRIES || (!list && below < 1)) {
        tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, node->at,
                     "%s has %zu entries%s; expected 1 to %d%s", path, entries,
                     list ? "" : " below a number", TMA_MAX_TABLE_ENTRIES,
                     list ? "" : ", below 1 or more");
        return NULL;
    }
    numbers = tma_allocate(entries, sizeof *numbers);
    if (numbers == NULL) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, node->at, "out of memory");
        return NULL;
    }
    *count = (uint32_t)entries;
    const struct tma_yaml_node *entry = list ? node->first : NULL;
    for (size_t i = 0; i < entries && good; i++, entry = list ? entry->next : NULL)
        if (list)
            good = read_constant(reader, entry, path, &numbers[i]);
        else
            numbers[i] = (int64_t)(random_bits((uint64_t)input.seed << 32 | i) % (uint64_t)below);
    if (good)
        return numbers;
    tma_release(numbers);
    return NULL;
}

/* A table is in scope behind itself. */
static void read_table(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    struct tma_kernel *kernel = reader->kernel;
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "kernel.tables.%.40s", node->key);
    if (!check_word(reader, "table", node->key, node->key_at) ||
        !check_room(reader, "tables", kernel->table_count, TMA_MAX_TABLES, node->key_at))
        return;
    struct tma_kernel_table *table = &kernel->tables[kernel->table_count];
    int64_t *numbers = read_numbers(reader, node, path, &table->numbers.count);
    if (numbers == NULL)
        return;
    reader->program->tables[kernel->table_count++] = numbers;
    table->numbers.values = numbers;
    snprintf(table->name, sizeof table->name, "%s", node->key);
    if (reader->name_count < TMA_MAX_SCOPE_NAMES - TMA_MAX_VARIABLES)
        reader->names[reader->name_count++] =
            (struct tma_expression_name){.name = table->name, .table = &table->numbers};
}

static void add_operand(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                        uint8_t ring, bool automatic) {
    const char *name = automatic ? node->text : node->key;
    struct tma_location at = automatic ? node->at : node->key_at;
    struct tma_ring_operand operand = {.ring = ring, .automatic = automatic};
    char path[TMA_PATH_BYTES];
    if (automatic && (node->kind != TMA_YAML_SCALAR || node->text == NULL)) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, at,
                     "kernel.rings.%s.operands: expected a name", reader->kernel->rings[ring].name);
        return;
    }
    if (!check_word(reader, "operand", name, at) ||
        !check_room(reader, "operands", reader->operand_count, TMA_MAX_RING_OPERANDS, at))
        return;
    snprintf(operand.name, sizeof operand.name, "%s", name);
    snprintf(path, sizeof path, "kernel.rings.%s.operands.%s", reader->kernel->rings[ring].name,
             name);
    struct tma_key key = bytes_key;
    key.offset = offsetof(struct tma_ring_operand, bytes);
    if (!automatic && !tma_value_read(&key, node, path, &operand, reader->list))
        operand.automatic = true; /* so that its tiles fit */
    reader->operands[reader->operand_count++] = operand;
}

/* The entry of a mapping that follows `last`, or the first one, in the order of keys; NULL: none.
 */
static const struct tma_yaml_node *next_by_name(const struct tma_yaml_node *mapping,
                                                const struct tma_yaml_node *last) {
    const struct tma_yaml_node *next = NULL;
    for (const struct tma_yaml_node *node = mapping->first; node != NULL; node = node->next)
        if ((last == NULL || strcmp(node->key, last->key) > 0) &&
            (next == NULL || strcmp(node->key, next->key) < 0))
            next = node;
    return next;
}

static void read_operands(struct tma_kernel_reader *reader, const struct tma_yaml_node *operands,
                          uint8_t ring) {
    if (operands == NULL) {
        if (reader->operand_count < TMA_MAX_RING_OPERANDS)
            reader->operands[reader->operand_count++] =
                (struct tma_ring_operand){.ring = ring, .automatic = true};
        return;
    }
    if (operands->kind == TMA_YAML_LIST) {
        for (const struct tma_yaml_node *node = operands->first; node != NULL; node = node->next)
            add_operand(reader, node, ring, true);
        return;
    }
    /* The entries of a mapping lie in the order of their names. */
    for (const struct tma_yaml_node *last = NULL, *next;
         (next = next_by_name(operands, last)) != NULL; last = next)
        add_operand(reader, next, ring, false);
}

static void read_ring(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    struct tma_kernel *kernel = reader->kernel;
    struct ring_input input = {.rank_count = 0};
    char context[TMA_PATH_BYTES];
    snprintf(context, sizeof context, "kernel.rings.%.40s", node->key);
    if (!check_word(reader, "ring", node->key, node->key_at) ||
        !check_room(reader, "rings", kernel->ring_count, TMA_MAX_RINGS, node->key_at))
        return;
    /* A ring with a wrong key still has its name, so that its uses are not wrong as well. */
    tma_schema_read(&tma_ring_schema, node, context, &input, reader->list);
    uint8_t ring = (uint8_t)kernel->ring_count++;
    struct tma_ring *made = &kernel->rings[ring];
    *made = input.ring;
    made->depth = made->depth > 0 ? made->depth : 1;
    made->shared_offset = TMA_SHARED_AUTO;
    made->line = node->key_at.line;
    made->column = node->key_at.column;
    snprintf(made->name, sizeof made->name, "%s", node->key);
    snprintf(context, sizeof context, "kernel.rings.%.40s.release_to", node->key);
    if (input.rank_count > 0)
        tma_read_ranks(reader, input.ranks, input.rank_count, context, &made->release_mask);
    read_operands(reader, input.operands, ring);
}

/* A buffer in the memory of a ring: `{bytes: BYTES, over: RING}`. */
static void read_shared_buffer(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                               const char *path, struct tma_buffer *buffer) {
    const struct tma_kernel *kernel = reader->kernel;
    struct buffer_input input = {.buffer = *buffer};
    if (!tma_schema_read(&tma_buffer_schema, node, path, &input, reader->list))
        return;
    *buffer = input.buffer;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        if (strcmp(kernel->rings[i].name, input.over) == 0)
            buffer->over = i + 1;
    if (buffer->over == 0 && input.over[0] != '\0')
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(node, "over"),
                     "%s.over is %s; expected the name of a ring", path, input.over);
}

static void read_buffer(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    struct tma_kernel *kernel = reader->kernel;
    struct tma_buffer buffer = {.shared_offset = TMA_SHARED_AUTO};
    struct tma_key key = bytes_key;
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "kernel.buffers.%.40s", node->key);
    if (!check_word(reader, "buffer", node->key, node->key_at) ||
        !check_room(reader, "buffers", kernel->buffer_count, TMA_MAX_BUFFERS, node->key_at))
        return;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        if (strcmp(kernel->rings[i].name, node->key) == 0)
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->key_at,
                         "%s has the name of a ring; expected another name", path);
    key.offset = offsetof(struct tma_buffer, bytes);
    if (node->kind == TMA_YAML_MAPPING)
        read_shared_buffer(reader, node, path, &buffer);
    else
        tma_value_read(&key, node, path, &buffer, reader->list);
    snprintf(buffer.name, sizeof buffer.name, "%s", node->key);
    kernel->buffers[kernel->buffer_count++] = buffer;
}

static void read_barrier(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                         bool in_list) {
    struct tma_kernel *kernel = reader->kernel;
    struct tma_named_barrier barrier = {.arrivals = 0};
    struct tma_key key = arrivals_key;
    struct tma_location at = in_list ? node->at : node->key_at;
    const char *name = in_list ? (node->text == NULL ? "" : node->text) : node->key;
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "kernel.barriers.%.40s", name);
    if (!check_word(reader, "barrier", name, at) ||
        !check_room(reader, "barriers", kernel->barrier_count, TMA_MAX_NAMED_BARRIERS, at))
        return;
    key.offset = offsetof(struct tma_named_barrier, arrivals);
    struct barrier_input input = {.arrivals = 0};
    if (!in_list && node->kind == TMA_YAML_MAPPING &&
        tma_schema_read(&tma_barrier_schema, node, path, &input, reader->list))
        barrier.arrivals = input.arrivals;
    else if (!in_list && node->kind != TMA_YAML_MAPPING)
        tma_value_read(&key, node, path, &barrier, reader->list);
    snprintf(barrier.name, sizeof barrier.name, "%s", name);
    kernel->barriers[kernel->barrier_count++] = barrier;
}

static void read_role(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    struct tma_kernel *kernel = reader->kernel;
    struct role_input input = {.program = NULL};
    char context[TMA_PATH_BYTES];
    snprintf(context, sizeof context, "kernel.roles.%.40s", node->key);
    if (!check_word(reader, "role", node->key, node->key_at) ||
        !check_room(reader, "roles", kernel->role_count, TMA_MAX_ROLES, node->key_at))
        return;
    tma_schema_read(&tma_role_schema, node, context, &input, reader->list);
    struct tma_role *role = &kernel->roles[kernel->role_count++];
    *role = input.role;
    role->line = node->key_at.line;
    role->column = node->key_at.column;
    role->first = kernel->statement_count;
    snprintf(role->name, sizeof role->name, "%s", node->key);
    if (input.program != NULL)
        tma_read_statements(reader, input.program);
    role->end = kernel->statement_count;
}

static void read_flag(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    static const struct tma_key key = {.kind = TMA_KEY_U32,
                                       .unit = &tma_unit_none,
                                       .min = 1,
                                       .max = TMA_MAX_FLAG_COUNT,
                                       .fallback = TMA_REQUIRED,
                                       .offset = offsetof(struct tma_flag, count)};
    struct tma_kernel *kernel = reader->kernel;
    struct tma_flag flag = {.count = 1};
    char path[TMA_PATH_BYTES];
    snprintf(path, sizeof path, "kernel.flags.%.40s", node->key);
    if (!check_word(reader, "flag", node->key, node->key_at) ||
        !check_room(reader, "flags", kernel->flag_count, TMA_MAX_FLAGS, node->key_at))
        return;
    tma_value_read(&key, node, path, &flag, reader->list);
    snprintf(flag.name, sizeof flag.name, "%s", node->key);
    kernel->flags[kernel->flag_count++] = flag;
}

/* Puts the parameters, and the variables that every kernel has, in scope. */
static void begin_scope(struct tma_kernel_reader *reader) {
    static const char *const variables[] = {[TMA_VARIABLE_CTA] = "cta",
                                            [TMA_VARIABLE_RANK] = "rank",
                                            [TMA_VARIABLE_CTAS] = "ctas",
                                            [TMA_VARIABLE_CLUSTER] = "cluster"};
    const struct tma_parameters *parameters = reader->scenario_reader->scenario->parameters;
    struct tma_kernel *kernel = reader->kernel;
    for (uint32_t i = 0; i < TMA_FIRST_LOOP_VARIABLE; i++) {
        snprintf(kernel->variables[i], TMA_KERNEL_NAME, "%s", variables[i]);
        reader->names[reader->name_count++] = (struct tma_expression_name){
            .name = kernel->variables[i], .is_variable = true, .variable = i};
    }
    kernel->variable_count = TMA_FIRST_LOOP_VARIABLE;
    for (size_t i = 0; parameters != NULL && i < parameters->count; i++)
        if (reader->name_count < TMA_MAX_SCOPE_NAMES - TMA_MAX_VARIABLES)
            reader->names[reader->name_count++] = parameters->items[i];
}

static void copy_maps(const struct tma_workload *workload, struct tma_kernel *kernel) {
    kernel->map_count = workload->map_count;
    memcpy(kernel->maps, workload->maps, sizeof workload->maps);
    memcpy(kernel->arrays, workload->arrays, sizeof workload->arrays);
    memcpy(kernel->map_places, workload->map_places, sizeof workload->map_places);
}

static void read_parts(struct tma_kernel_reader *reader, const struct kernel_input *input) {
    const struct tma_yaml_node *node;
    for (node = input->tables == NULL ? NULL : input->tables->first; node != NULL;
         node = node->next)
        read_table(reader, node);
    for (node = input->rings == NULL ? NULL : input->rings->first; node != NULL; node = node->next)
        read_ring(reader, node);
    for (node = input->buffers == NULL ? NULL : input->buffers->first; node != NULL;
         node = node->next)
        read_buffer(reader, node);
    for (node = input->barriers == NULL ? NULL : input->barriers->first; node != NULL;
         node = node->next)
        read_barrier(reader, node, input->barriers->kind == TMA_YAML_LIST);
    for (node = input->flags == NULL ? NULL : input->flags->first; node != NULL; node = node->next)
        read_flag(reader, node);
    for (node = input->roles == NULL ? NULL : input->roles->first; node != NULL; node = node->next)
        read_role(reader, node);
}

static void check_cluster(struct tma_kernel_reader *reader) {
    const struct tma_kernel *kernel = reader->kernel;
    if (kernel->cluster_ctas > 1 && kernel->cta_count % kernel->cluster_ctas != 0)
        tma_scenario_diagnose(
            reader->scenario_reader, "kernel.ctas",
            "kernel.ctas is %u; expected a multiple of kernel.cluster, which is %u",
            kernel->cta_count, kernel->cluster_ctas);
}

/* Leaves out the CTAs of further waves. */
static void launch_resident(struct tma_kernel_reader *reader) {
    const struct tma_machine *machine = &reader->scenario_reader->scenario->machine;
    struct tma_kernel *kernel = reader->kernel;
    const struct tma_grid grid = {.ctas = kernel->cta_count,
                                  .cluster_ctas = kernel->cluster_ctas,
                                  .ctas_per_sm = tma_kernel_ctas_per_sm(machine, kernel),
                                  .sms = kernel->sm_count};
    uint32_t *sms = tma_allocate(TMA_MAX_PLACES, sizeof *sms);
    uint32_t places = sms == NULL ? 0 : tma_machine_place_wave(machine, &grid, sms);
    if (sms == NULL)
        tma_scenario_diagnose(reader->scenario_reader, "kernel.launch", "out of memory");
    if (places > 0 && places < kernel->cta_count)
        kernel->cta_count = places;
    tma_release(sms);
}

/* Lays out the shared memory, and checks what the engine checks before a run, so that its errors
 * are found with the others. Whether there are too many operations is left to the run, which may be
 * told that any number is right. */
static void check_engine(struct tma_kernel_reader *reader) {
    struct tma_kernel_place place = {0};
    struct tma_error error;
    tma_kernel_lay_out(reader->kernel);
    if (!reader->scenario_reader->machine_valid)
        return;
    reader->kernel->unbounded = true;
    enum tma_error_code code = tma_kernel_check(&reader->scenario_reader->scenario->machine,
                                                reader->kernel, &place, &error);
    reader->kernel->unbounded = false;
    struct tma_location at = {reader->scenario_reader->root->at.file, place.line, place.column};
    if (place.line == 0) {
        char path[TMA_PATH_BYTES];
        snprintf(path, sizeof path, "kernel%s%s", place.key == NULL ? "" : ".",
                 place.key == NULL ? "" : place.key);
        at = tma_yaml_locate(reader->scenario_reader->root, path);
    }
    if (code != TMA_OK)
        tma_diagnose(reader->list, code, at, "%s", error.text);
    else if (reader->resident)
        launch_resident(reader);
}

static void report_use(void *context, const struct tma_kernel_place *place, const char *text) {
    struct tma_kernel_reader *reader = context;
    const struct tma_location at = {reader->scenario_reader->root->at.file, place->line,
                                    place->column};
    tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, at, "%s", text);
}

static bool maps_valid(const struct tma_scenario_reader *reader) {
    for (uint32_t i = 0; i < reader->scenario->workload.map_count; i++)
        if (!reader->map_valid[i])
            return false;
    return true;
}

void tma_read_kernel(struct tma_scenario_reader *scenario_reader,
                     const struct tma_yaml_node *node) {
    struct tma_scenario *scenario = scenario_reader->scenario;
    struct tma_kernel_reader *reader = tma_allocate(1, sizeof *reader);
    struct kernel_input *input = tma_allocate(1, sizeof *input);
    scenario->program = tma_allocate(1, sizeof *scenario->program);
    if (reader == NULL || input == NULL || scenario->program == NULL) {
        tma_diagnose(scenario_reader->list, TMA_ERROR_MEMORY, node->at, "out of memory");
        TMA_RELEASE(reader, input);
        return;
    }
    size_t errors = tma_diagnostics_total(scenario_reader->list);
    reader->scenario_reader = scenario_reader;
    reader->list = scenario_reader->list;
    reader->program = scenario->program;
    reader->kernel = &scenario->program->kernel;
    tma_schema_read(&tma_kernel_schema, node, "kernel", input, reader->list);
    *reader->kernel = input->kernel;
    if (input->code != 0)
        tma_kernel_costs_of_triton(&reader->kernel->costs);
    snprintf(reader->kernel->name, TMA_KERNEL_NAME, "%.39s", scenario->name);
    copy_maps(&scenario->workload, reader->kernel);
    reader->resident = input->launch != 0;
    begin_scope(reader);
    read_parts(reader, input);
    check_cluster(reader);
    tma_place_operands(reader);
    /* What uses a parameter with an error has no value, which the list does not say again. Nothing
     * is computed from a map that the rules refuse. */
    bool good = true,
         valid = tma_parameters_valid(scenario->parameters) && maps_valid(scenario_reader);
    if (valid && tma_diagnostics_total(reader->list) == errors)
        good = tma_kernel_check_use(reader->kernel, report_use, reader);
    if (!good)
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, node->at, "out of memory");
    if (valid && tma_diagnostics_total(reader->list) == errors)
        check_engine(reader);
    TMA_RELEASE(reader->notes, reader, input);
}
