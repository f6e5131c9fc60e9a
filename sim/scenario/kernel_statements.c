/* Reads the statements of a role's program. */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/limits.h"
#include "scenario/kernel_reader.h"
#include "scenario/suggestion.h"
#include "scenario/value.h"

enum { TILES_M_FASTEST = 0, MAX_PLACE = 96 };

static const struct tma_names schedule_names =
    TMA_NAMES("schedule", {"persistent", TMA_TILES_PERSISTENT}, {"one", TMA_TILES_ONE},
              {"dynamic", TMA_TILES_DYNAMIC});
static const struct tma_names group_names = TMA_NAMES("group", {"all", TILES_M_FASTEST});
static const struct tma_names type_names =
    TMA_NAMES("type", {"float16", TMA_MMA_HALF}, {"bfloat16", TMA_MMA_HALF},
              {"tfloat32", TMA_MMA_TF32}, {"float8", TMA_MMA_BYTE}, {"int8", TMA_MMA_BYTE},
              {"float4", TMA_MMA_NIBBLE}, {"float64", TMA_MMA_FP64});
static const struct tma_names major_names = TMA_NAMES("major", {"k", 0}, {"mn", 1});
static const struct tma_names until_names =
    TMA_NAMES("state of stores", {"complete", 0}, {"read", 1});

/* A key with an expression, which can be left out. */
#define EXPRESSION_KEY(key, input, member, text)                                                   \
    {                                                                                              \
        .path = key, .kind = TMA_KEY_EXPRESSION, .fallback = TMA_OPTIONAL,                         \
        .offset = offsetof(struct input, member), .meaning = text                                  \
    }

struct tiles_input {
    const struct tma_yaml_node *m, *n, *group;
    enum tma_tile_schedule schedule;
};

static const struct tma_key tiles_keys[] = {
    TMA_PLAIN_KEY("m", EXPRESSION, TMA_REQUIRED, offsetof(struct tiles_input, m),
                  "number of output tiles along m; the tile's own is the variable `m`"),
    TMA_PLAIN_KEY("n", EXPRESSION, TMA_OPTIONAL, offsetof(struct tiles_input, n),
                  "number of output tiles along n; the tile's own is the variable `n`; default: 1"),
    TMA_WORD_KEY(
        "group_m", EXPRESSION, group_names, TMA_OPTIONAL, offsetof(struct tiles_input, group),
        "order of the tiles: so many along m, then the next n, as Triton groups them; 1: n "
        "varies fastest; all: m varies fastest; default: all"),
    TMA_WORD_KEY(
        "schedule", ENUM, schedule_names, "persistent", offsetof(struct tiles_input, schedule),
        "tiles of a CTA; persistent: `cta`, `cta + ctas`, ...; one: `cta`, if there is such "
        "a tile; dynamic: the next one of a counter in global memory"),
};

const struct tma_schema tma_tiles_schema = TMA_SCHEMA(tiles_keys);

struct mma_input {
    const struct tma_yaml_node *shape[3];
    uint32_t shape_count;
    const struct tma_yaml_node *operands[TMA_MMA_OPERANDS];
    enum tma_mma_type type;
    uint32_t in_flight;
};

static const struct tma_key mma_keys[] = {
    {.path = "shape",
     .kind = TMA_KEY_EXPRESSION,
     .limit = 3,
     .offset = offsetof(struct mma_input, shape),
     .count_offset = offsetof(struct mma_input, shape_count),
     .meaning = "m, n and k of the product, in elements, all warps of the role together"},
    TMA_TEXT_KEY("a", CHARS_OR_MAPPING, MAX_PLACE - 1, TMA_REQUIRED,
                 offsetof(struct mma_input, operands[TMA_MMA_A]),
                 "the operand A, of m x k: `RING.OPERAND` in the current stage, a buffer, or "
                 "`registers`; `{tile: ...}` with the keys below, where it is not all of a K-major "
                 "tile"),
    TMA_TEXT_KEY("b", CHARS_OR_MAPPING, MAX_PLACE - 1, TMA_REQUIRED,
                 offsetof(struct mma_input, operands[TMA_MMA_B]),
                 "the operand B, of n x k, as `a`; it is in shared memory"),
    TMA_WORD_KEY("type", ENUM, type_names, "float16", offsetof(struct mma_input, type),
                 "type of the operands, which sets the rate of the tensor cores"),
    TMA_NUMBER_KEY("in_flight", U32, none, 0, 7, "0", offsetof(struct mma_input, in_flight),
                   "number of groups, this one included, that may still run when the role goes on"),
};

const struct tma_schema tma_mma_schema = TMA_SCHEMA(mma_keys);

struct mma_operand_input {
    char tile[MAX_PLACE];
    const struct tma_yaml_node *at[2];
    uint32_t at_count;
    bool mn_major;
};

static const struct tma_key mma_operand_keys[] = {
    {.path = "tile",
     .kind = TMA_KEY_CHARS,
     .min = 1,
     .max = MAX_PLACE - 1,
     .offset = offsetof(struct mma_operand_input, tile),
     .meaning = "`RING.OPERAND` in the current stage, or a buffer. A tile of several boxes has one "
                "behind the other: each continues the rows of the one before, or has further rows"},
    TMA_WORD_KEY(
        "major", BOOL, major_names, "k", offsetof(struct mma_operand_input, mn_major),
        "the contiguous dimension of the tile; k: its rows are those of A or columns of B; "
        "mn: its rows are steps along K, as those of V in attention"),
    {.path = "at",
     .kind = TMA_KEY_EXPRESSION,
     .limit = 2,
     .fallback = TMA_OPTIONAL,
     .offset = offsetof(struct mma_operand_input, at),
     .count_offset = offsetof(struct mma_operand_input, at_count),
     .meaning =
         "the element of the tile with which the product begins, contiguous dimension first; "
         "default: [0, 0]"},
};

const struct tma_schema tma_mma_operand_schema = TMA_SCHEMA(mma_operand_keys);

struct instructions_input {
    const struct tma_yaml_node *amount[TMA_AMOUNTS];
};

#define INSTRUCTIONS(key, which, text)                                                             \
    [which] = EXPRESSION_KEY(key, instructions_input, amount[which], text)

static const struct tma_key instructions_keys[TMA_AMOUNTS] = {
    INSTRUCTIONS("fma", TMA_FMA,
                 "multiplications, additions, or both in one instruction: operations of all "
                 "threads of the role together, as in the next three"),
    INSTRUCTIONS("alu", TMA_ALU, "maxima, comparisons, conversions, logic, additions of integers"),
    INSTRUCTIONS("sfu", TMA_SFU, "special functions: ex2, rsqrt, rcp"),
    INSTRUCTIONS("other", TMA_OTHER,
                 "instructions of none of these pipes, which take an issue slot: shuffles, uniform "
                 "integers"),
    INSTRUCTIONS("chain", TMA_CHAIN,
                 "instructions of a warp that wait for one another, in a row: the sum of 64 "
                 "elements has 64"),
};

#undef INSTRUCTIONS

const struct tma_schema tma_instructions_schema = {
    instructions_keys, sizeof instructions_keys / sizeof instructions_keys[0]};

struct wavefronts_input {
    const struct tma_yaml_node *count, *offset, *bytes;
    char read[MAX_PLACE], write[MAX_PLACE];
};

static const struct tma_key wavefronts_keys[] = {
    TMA_PLAIN_KEY("count", EXPRESSION, TMA_REQUIRED, offsetof(struct wavefronts_input, count),
                  "number of wavefronts"),
    TMA_TEXT_KEY("read", CHARS, MAX_PLACE - 1, TMA_OPTIONAL,
                 offsetof(struct wavefronts_input, read),
                 "what they read: a buffer, or `RING.OPERAND` in the current stage"),
    TMA_TEXT_KEY(
        "write", CHARS, MAX_PLACE - 1, TMA_OPTIONAL, offsetof(struct wavefronts_input, write),
        "what they write: a buffer, or `RING.OPERAND` in the current stage; without `read` "
        "and `write`, races with them are not found"),
    TMA_PLAIN_KEY("offset", EXPRESSION, TMA_OPTIONAL, offsetof(struct wavefronts_input, offset),
                  "bytes from the start of the operand or buffer; default: 0"),
    TMA_PLAIN_KEY("bytes", EXPRESSION, TMA_OPTIONAL, offsetof(struct wavefronts_input, bytes),
                  "bytes that they read or write; default: the rest of the operand or buffer"),
};

const struct tma_schema tma_wavefronts_schema = TMA_SCHEMA(wavefronts_keys);

struct acquire_input {
    char ring[MAX_PLACE];
    const struct tma_yaml_node *expect;
};

static const struct tma_key acquire_keys[] = {
    TMA_TEXT_KEY("ring", CHARS, MAX_PLACE - 1, TMA_REQUIRED, offsetof(struct acquire_input, ring),
                 "name of the ring"),
    TMA_PLAIN_KEY("expect", EXPRESSION, TMA_OPTIONAL, offsetof(struct acquire_input, expect),
                  "bytes that the full mbarrier expects of this arrival, as a kernel may have them "
                  "wrong; default: those of the loads that follow"),
};

const struct tma_schema tma_acquire_schema = TMA_SCHEMA(acquire_keys);

struct flag_input {
    char flag[TMA_KERNEL_NAME];
    const struct tma_yaml_node *index, *number;
};

#define FLAG_KEYS(number_key, text)                                                                \
    {                                                                                              \
        {.path = "flag",                                                                           \
         .kind = TMA_KEY_CHARS,                                                                    \
         .max = TMA_KERNEL_NAME - 1,                                                               \
         .offset = offsetof(struct flag_input, flag),                                              \
         .meaning = "name of the flag"},                                                           \
            EXPRESSION_KEY("index", flag_input, index, "which of its counters; default: 0"),       \
            EXPRESSION_KEY(number_key, flag_input, number, text)                                   \
    }

static const struct tma_key add_flag_keys[] =
    FLAG_KEYS("add", "what is added to the counter; default: 1");
static const struct tma_key wait_flag_keys[] =
    FLAG_KEYS("until", "the role goes on when the counter is so much, or more; default: 1");

#undef FLAG_KEYS

const struct tma_schema tma_add_flag_schema = TMA_SCHEMA(add_flag_keys);
const struct tma_schema tma_wait_flag_schema = TMA_SCHEMA(wait_flag_keys);

struct release_input {
    char ring[96];
    uint32_t behind;
};

static const struct tma_key release_keys[] = {
    TMA_TEXT_KEY("ring", CHARS, 95, TMA_REQUIRED, offsetof(struct release_input, ring),
                 "name of the ring"),
    TMA_NUMBER_KEY(
        "behind", U32, none, 0, TMA_MAX_RING_DEPTH - 1, "0", offsetof(struct release_input, behind),
        "releases the stage that was the current one so many waits ago, if there were so "
        "many: 1 behind an mma with `in_flight: 1`"),
};

const struct tma_schema tma_release_schema = TMA_SCHEMA(release_keys);

struct wait_stores_input {
    bool read_only;
    uint32_t in_flight;
};

static const struct tma_key wait_stores_keys[] = {
    TMA_WORD_KEY(
        "until", BOOL, until_names, "complete", offsetof(struct wait_stores_input, read_only),
        "read: shared memory can be written again; complete: the data are in global memory"),
    TMA_NUMBER_KEY("in_flight", U32, none, 0, 63, "0",
                   offsetof(struct wait_stores_input, in_flight),
                   "number of groups that may be left"),
};

const struct tma_schema tma_wait_stores_schema = TMA_SCHEMA(wait_stores_keys);

struct dsmem_input {
    const struct tma_yaml_node *rank, *offset, *from_offset, *bytes;
    char read[MAX_PLACE], write[MAX_PLACE], from[MAX_PLACE], into[MAX_PLACE];
    uint32_t lane_bytes, active;
    enum tma_piece_order order;
    int32_t reduction; /* or NO_REDUCTION */
    bool returns;
};

enum { NO_REDUCTION = -1 };

static const struct tma_names returns_names = TMA_NAMES("result", {"nothing", 0}, {"value", 1});
static const struct tma_names reach_names =
    TMA_NAMES("order of lanes", {"contiguous", TMA_PIECES_CONTIGUOUS}, {"same", TMA_PIECES_SAME});

#define PLACE(key, member, text)                                                                   \
    {                                                                                              \
        .path = key, .kind = TMA_KEY_CHARS, .max = MAX_PLACE - 1, .fallback = TMA_OPTIONAL,        \
        .offset = offsetof(struct dsmem_input, member), .meaning = text                            \
    }

static const struct tma_key dsmem_keys[] = {
    TMA_PLAIN_KEY("rank", EXPRESSION, TMA_REQUIRED, offsetof(struct dsmem_input, rank),
                  "rank of the CTA in the cluster whose shared memory it is"),
    PLACE("read", read,
          "dsmem: what the lanes load: a buffer, or `RING.OPERAND` in the stage whose number is "
          "that of the own current one"),
    PLACE("write", write,
          "dsmem: where the lanes store: a buffer (`st`, `red`); or `RING.OPERAND` in the stage "
          "whose number is that of the own acquired one, on whose full mbarrier there the bytes "
          "complete (`st.async`, `red.async`)"),
    PLACE("into", into, "bulk: where the copy goes: `RING.OPERAND`, as `write`"),
    PLACE("from", from,
          "bulk: what is copied, of the own CTA: a buffer, or `RING.OPERAND` in the current stage"),
    EXPRESSION_KEY("offset", dsmem_input, offset,
                   "bytes from the start of the place in the other CTA; default: 0"),
    EXPRESSION_KEY("from_offset", dsmem_input, from_offset,
                   "bulk: bytes from the start of `from`; default: 0"),
    EXPRESSION_KEY("bytes", dsmem_input, bytes,
                   "bytes that are moved; default: the rest of the place"),
    TMA_NUMBER_KEY(
        "lane_bytes", U32, driver_bytes, 1, 16, TMA_OPTIONAL,
        offsetof(struct dsmem_input, lane_bytes),
        "dsmem: bytes that a lane accesses with an instruction: 1, 2, 4, 8 or 16; default: "
        "16, with `reduction` 4"),
    TMA_WORD_KEY("lanes", ENUM, reach_names, "contiguous", offsetof(struct dsmem_input, order),
                 "dsmem: what a lane has; contiguous: neighbours; same: all lanes of the role have "
                 "the first piece"),
    TMA_NUMBER_KEY("active", U32, none, 1, 1 << 20, TMA_OPTIONAL,
                   offsetof(struct dsmem_input, active),
                   "dsmem with `lanes: same`: number of lanes; default: all of the role"),
    TMA_WORD_KEY("reduction", ENUM, tma_reduction_words, TMA_OPTIONAL,
                 offsetof(struct dsmem_input, reduction),
                 "dsmem with `write`: combines with what is there (`red`)"),
    TMA_WORD_KEY("returns", BOOL, returns_names, "nothing", offsetof(struct dsmem_input, returns),
                 "dsmem with `reduction`; nothing: `red`; value: `atom`, which wait_loads waits "
                 "for"),
};

#undef PLACE

const struct tma_schema tma_dsmem_schema = TMA_SCHEMA(dsmem_keys);

/* One statement while it is read. */
struct statement_context {
    struct tma_kernel_reader *reader;
    const struct tma_yaml_node *node;  /* the statement: a mapping, or a word alone */
    const struct tma_yaml_node *value; /* of its first key; the word itself if it is alone */
    const char *word;
    uint32_t index; /* in the kernel's statements; they move when they grow */
};

static struct tma_statement *statement_of(const struct statement_context *context) {
    return &context->reader->kernel->statements[context->index];
}

static void diagnose_value(const struct statement_context *context, const char *expected) {
    const struct tma_yaml_node *value = context->value;
    tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX, value->at, "%s %s%.60s%s; expected %s",
                 context->word,
                 value->kind == TMA_YAML_LIST      ? "is a list"
                 : value->kind == TMA_YAML_MAPPING ? "is a mapping"
                 : value->text[0] == '\0'          ? "has no value"
                                                   : "is \"",
                 value->kind == TMA_YAML_SCALAR ? value->text : "",
                 value->kind == TMA_YAML_SCALAR && value->text[0] != '\0' ? "\"" : "", expected);
}

/* Returns the text of the statement's value, or NULL after an error. */
static const char *name_of(const struct statement_context *context, const char *expected) {
    if (context->value->kind == TMA_YAML_SCALAR && context->value->text[0] != '\0')
        return context->value->text;
    diagnose_value(context, expected);
    return NULL;
}

/* Returns the key beside the statement's own ("do"), or NULL. */
static const struct tma_yaml_node *beside(const struct statement_context *context,
                                          const char *key) {
    for (const struct tma_yaml_node *node = context->node->first; node != NULL; node = node->next)
        if (strcmp(node->key, key) == 0)
            return node;
    return NULL;
}

/* Appends an empty statement at the node. Returns its index, or UINT32_MAX after an error. */
static uint32_t add_statement(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    struct tma_kernel *kernel = reader->kernel;
    if (!TMA_GROW(kernel->statements, kernel->statement_count, reader->statement_capacity) ||
        !TMA_GROW(reader->notes, kernel->statement_count, reader->note_capacity)) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, node->at, "out of memory");
        return UINT32_MAX;
    }
    uint32_t index = kernel->statement_count++;
    kernel->statements[index] = (struct tma_statement){.end = index + 1,
                                                       .otherwise = index + 1,
                                                       .line = node->at.line,
                                                       .column = node->at.column,
                                                       .ring = TMA_NO_RING,
                                                       .buffer = TMA_NO_RING,
                                                       .flag = TMA_NO_RING};
    reader->notes[index] =
        (struct tma_statement_note){.node = node,
                                    .operand = TMA_NO_OPERAND,
                                    .mma_operands = {TMA_NO_OPERAND, TMA_NO_OPERAND},
                                    .source = TMA_NO_OPERAND};
    return index;
}

/* Reads a body that has to be there. */
static void read_body(struct statement_context *context, const char *key) {
    const struct tma_yaml_node *body = beside(context, key);
    if (body == NULL || body->kind != TMA_YAML_LIST || body->first == NULL)
        tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX,
                     body == NULL ? context->node->at : body->at,
                     "%s %s; expected `%s`, a list of statements, beside `%s`", context->word,
                     body == NULL ? "has no body" : "has a body that is not a list with statements",
                     key, context->word);
    else
        tma_read_statements(context->reader, body);
}

/* Enters a body. Returns false, with an error, if it is too deep. */
static bool enter(struct statement_context *context) {
    if (context->reader->depth < TMA_MAX_LOOP_DEPTH) {
        context->reader->depth++;
        return true;
    }
    return tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX, context->node->at,
                        "statements are nested too deeply; allowed: %d levels", TMA_MAX_LOOP_DEPTH);
}

static void leave(struct statement_context *context) {
    context->reader->depth--;
    statement_of(context)->end = context->reader->kernel->statement_count;
}

/* Reads the range of a loop: COUNT, [FROM, TO] or [FROM, TO, STEP]. */
static void read_range(struct statement_context *context, const struct tma_yaml_node *node,
                       struct tma_statement *statement) {
    struct tma_kernel_reader *reader = context->reader;
    statement->kind = TMA_STATEMENT_FOR;
    statement->step.constant = 1;
    if (node->kind == TMA_YAML_SCALAR) {
        tma_read_value(reader, node, "for", &statement->to);
        return;
    }
    size_t count = tma_yaml_count(node);
    if (count < 2 || count > 3) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "for has a list of length %zu; expected [FROM, TO] or [FROM, TO, STEP]",
                     count);
        return;
    }
    tma_read_value(reader, node->first, "for", &statement->from);
    tma_read_value(reader, node->first->next, "for", &statement->to);
    if (count < 3)
        return;
    const struct tma_yaml_node *step = node->first->next->next;
    if (tma_read_value(reader, step, "for", &statement->step) &&
        statement->step.expression == NULL && statement->step.constant <= 0)
        tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, step->at,
                     "for has the step %lld, with which the loop never ends; expected 1 or more",
                     (long long)statement->step.constant);
}

static void read_tiles(struct statement_context *context, const struct tma_yaml_node *node,
                       struct tma_statement *statement) {
    struct tma_kernel_reader *reader = context->reader;
    struct tiles_input input = {.m = NULL};
    statement->kind = TMA_STATEMENT_TILES;
    if (!tma_schema_read(&tma_tiles_schema, node, "for", &input, reader->list))
        return;
    statement->schedule = input.schedule;
    statement->tiles_n.constant = 1;
    tma_read_value(reader, input.m, "for.m", &statement->tiles_m);
    if (input.n != NULL)
        tma_read_value(reader, input.n, "for.n", &statement->tiles_n);
    statement->group.constant = TILES_M_FASTEST;
    bool all = input.group == NULL ||
               (input.group->kind == TMA_YAML_SCALAR && strcmp(input.group->text, "all") == 0);
    if (!all && tma_read_value(reader, input.group, "for.group_m", &statement->group) &&
        statement->group.expression == NULL && statement->group.constant < 1)
        tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, input.group->at,
                     "for.group_m is %lld; expected all, or 1 or more",
                     (long long)statement->group.constant);
}

/* Reads the key `ahead` of a loop. */
static void read_ahead_count(struct statement_context *context, struct tma_statement *statement) {
    static const struct tma_key key = {.kind = TMA_KEY_U32,
                                       .unit = &tma_unit_none,
                                       .min = 0,
                                       .max = TMA_MAX_RING_DEPTH,
                                       .fallback = TMA_REQUIRED,
                                       .offset = offsetof(struct tma_statement, ahead)};
    const struct tma_yaml_node *node = beside(context, "ahead");
    if (node != NULL)
        tma_value_read(&key, node, "ahead", statement, context->reader->list);
}

static bool has_ahead(const struct tma_kernel *kernel, uint32_t loop) {
    for (uint32_t i = loop + 1; i < kernel->statements[loop].end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_AHEAD)
            return true;
    return false;
}

static void read_for(struct statement_context *context, int with) {
    (void)with;
    struct tma_kernel_reader *reader = context->reader;
    const struct tma_yaml_node *variable = context->value->first;
    if (context->value->kind != TMA_YAML_MAPPING || variable == NULL || variable->next != NULL) {
        diagnose_value(context, "one variable with its range, such as {k: ceil(K / BK)}");
        return;
    }
    if (!enter(context))
        return;
    size_t names = reader->name_count;
    struct tma_statement statement = *statement_of(context);
    if (variable->kind == TMA_YAML_MAPPING)
        read_tiles(context, variable, &statement);
    else
        read_range(context, variable, &statement);
    bool tiles = statement.kind == TMA_STATEMENT_TILES;
    tma_declare_variable(reader, variable->key, variable, &statement.variable);
    if (tiles) {
        tma_declare_variable(reader, "m", variable, &statement.variable_m);
        tma_declare_variable(reader, "n", variable, &statement.variable_n);
    }
    read_ahead_count(context, &statement);
    bool says_ahead = beside(context, "ahead") != NULL;
    statement.has_ahead = says_ahead;
    *statement_of(context) = statement;
    reader->loops++;
    reader->ahead_loops += says_ahead;
    read_body(context, "do");
    reader->ahead_loops -= says_ahead;
    reader->loops--;
    reader->name_count = names;
    leave(context);
    if (says_ahead && !has_ahead(reader->kernel, context->index))
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, beside(context, "ahead")->key_at,
                     "ahead: no statement `ahead` in this loop says what runs ahead");
}

/* Reads `let`: a loop that runs once for each of its names, in each other. What follows it in its
 * list stands in its `do` (expand.h). */
static void read_let(struct statement_context *context, int with) {
    (void)with;
    struct tma_kernel_reader *reader = context->reader;
    struct statement_context loops[TMA_MAX_LOOP_DEPTH];
    size_t names = reader->name_count, count = 0;
    if (context->value->kind != TMA_YAML_MAPPING || context->value->first == NULL) {
        diagnose_value(context, "names with their values, such as {row: tile / 4}");
        return;
    }
    for (const struct tma_yaml_node *node = context->value->first; node != NULL;
         node = node->next) {
        char to[TMA_LIMIT_EXPRESSION_BYTES + 8];
        struct statement_context *loop = &loops[count];
        *loop = *context;
        loop->index = count == 0 ? context->index : add_statement(reader, context->node);
        if (loop->index == UINT32_MAX || !enter(loop))
            break;
        struct tma_statement statement = *statement_of(loop);
        statement.kind = TMA_STATEMENT_FOR;
        statement.once = true;
        statement.step.constant = 1;
        count++;
        if (tma_read_value(reader, node, node->key, &statement.from)) {
            snprintf(to, sizeof to, "(%.*s) + 1", TMA_LIMIT_EXPRESSION_BYTES, node->text);
            tma_make_value(reader, to, node, node->key, &statement.to);
        }
        tma_declare_variable(reader, node->key, node, &statement.variable);
        *statement_of(loop) = statement;
    }
    if (beside(context, "do") != NULL)
        read_body(context, "do");
    while (count > 0)
        leave(&loops[--count]);
    reader->name_count = names;
}

/* Its copies stand in its place, unless something is wrong with it, which has been said. */
static void read_each(struct statement_context *context, int with) {
    (void)context;
    (void)with;
}

static void read_if(struct statement_context *context, int with) {
    (void)with;
    struct tma_kernel_reader *reader = context->reader;
    if (!enter(context))
        return;
    struct tma_value condition;
    tma_read_value(reader, context->value, "if", &condition);
    statement_of(context)->kind = TMA_STATEMENT_IF;
    statement_of(context)->condition = condition;
    bool known = condition.expression == NULL, never = reader->never;
    reader->never = never || (known && condition.constant == 0);
    read_body(context, "then");
    uint32_t otherwise = reader->kernel->statement_count;
    reader->never = never || (known && condition.constant != 0);
    if (beside(context, "else") != NULL)
        read_body(context, "else");
    reader->never = never;
    leave(context);
    statement_of(context)->otherwise = otherwise;
}

static void read_ahead(struct statement_context *context, int with) {
    (void)with;
    struct tma_kernel_reader *reader = context->reader;
    statement_of(context)->kind = TMA_STATEMENT_AHEAD;
    if (reader->in_ahead || reader->ahead_loops == 0) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, context->node->at,
                     reader->in_ahead
                         ? "ahead is not allowed in another one"
                         : "ahead: no loop around it says how far, with `ahead: NUMBER` "
                           "beside `for`");
        return;
    }
    if (!enter(context))
        return;
    reader->in_ahead = true;
    read_body(context, "ahead");
    reader->in_ahead = false;
    leave(context);
}

static void read_ring_statement(struct statement_context *context, int kind) {
    const char *name = name_of(context, "the name of a ring");
    struct tma_statement *statement = statement_of(context);
    statement->kind = (enum tma_statement_kind)kind;
    if (name == NULL)
        return;
    tma_find_ring(context->reader, context->value, name, &statement->ring);
    bool fills = kind == TMA_STATEMENT_ACQUIRE;
    if (context->reader->in_ahead && !fills)
        tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX, context->node->at,
                     "%s is not allowed in ahead; allowed: acquire, load, prefetch, for and if",
                     context->word);
}

/* Reads the bytes that an acquire expects. */
static void read_acquire(struct statement_context *context, int with) {
    struct acquire_input input = {.expect = NULL};
    struct tma_kernel_reader *reader = context->reader;
    if (context->value->kind != TMA_YAML_MAPPING) {
        read_ring_statement(context, with);
        return;
    }
    struct tma_statement statement = *statement_of(context);
    statement.kind = TMA_STATEMENT_ACQUIRE;
    if (tma_schema_read(&tma_acquire_schema, context->value, "acquire", &input, reader->list)) {
        tma_find_ring(reader, tma_yaml_find(context->value, "ring"), input.ring, &statement.ring);
        statement.expects = input.expect != NULL;
        if (input.expect != NULL &&
            tma_read_value(reader, input.expect, "acquire.expect", &statement.expect) &&
            statement.expect.expression == NULL && statement.expect.constant < 0)
            tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, input.expect->at,
                         "acquire.expect is %lld; expected 0 or more",
                         (long long)statement.expect.constant);
    }
    *statement_of(context) = statement;
}

static void read_release(struct statement_context *context, int with) {
    (void)with;
    struct release_input input = {.behind = 0};
    if (context->value->kind != TMA_YAML_MAPPING) {
        read_ring_statement(context, TMA_STATEMENT_RELEASE);
        return;
    }
    struct tma_statement *statement = statement_of(context);
    statement->kind = TMA_STATEMENT_RELEASE;
    if (!tma_schema_read(&tma_release_schema, context->value, "release", &input,
                         context->reader->list))
        return;
    tma_find_ring(context->reader, tma_yaml_find(context->value, "ring"), input.ring,
                  &statement->ring);
    statement->lag = input.behind;
    if (statement->ring != TMA_NO_RING &&
        input.behind >= context->reader->kernel->rings[statement->ring].depth)
        tma_diagnose(
            context->reader->list, TMA_ERROR_ARGUMENT, tma_yaml_locate(context->value, "behind"),
            "release.behind is %u; expected less than the stages of ring %s, which has %u",
            input.behind, input.ring, context->reader->kernel->rings[statement->ring].depth);
}

static void read_operation(struct statement_context *context, enum tma_direction direction,
                           enum tma_mover mover) {
    struct tma_statement statement = *statement_of(context);
    struct tma_statement_note *note = &context->reader->notes[context->index];
    statement.kind = TMA_STATEMENT_OPERATION;
    if (context->value->kind != TMA_YAML_MAPPING)
        diagnose_value(context, "{map: NAME, at: [...], ...}");
    else
        tma_read_operation(context->reader, context->value, context->word, direction, mover,
                           &statement, note);
    *statement_of(context) = statement;
}

static void read_transfer(struct statement_context *context, int direction) {
    read_operation(context, (enum tma_direction)direction, TMA_BY_TMA);
}

/* Finds the place of shared memory that a statement names. */
static bool find_shared(struct statement_context *context, const struct tma_yaml_node *node,
                        const char *name, struct tma_shared_place *place, uint8_t *operand) {
    uint8_t ring, buffer;
    if (!tma_find_place(context->reader, node, name, &ring, operand, &buffer))
        return false;
    place->kind = ring != TMA_NO_RING ? TMA_PLACE_RING : TMA_PLACE_BUFFER;
    place->index = ring != TMA_NO_RING ? ring : buffer;
    return true;
}

static bool fail_dsmem(const struct statement_context *context, const char *key, const char *text) {
    return tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX,
                        tma_yaml_locate(context->value, key), "%s.%s %s", context->word, key, text);
}

/* Which keys an access or a copy has. */
static bool check_dsmem(const struct statement_context *context, bool copies,
                        const struct dsmem_input *input) {
    static const struct {
        const char *key;
        bool copies, accesses;
    } rules[] = {{"read", false, true},   {"write", false, true},       {"into", true, false},
                 {"from", true, false},   {"from_offset", true, false}, {"lane_bytes", false, true},
                 {"lanes", false, true},  {"active", false, true},      {"reduction", false, true},
                 {"returns", false, true}};
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++)
        if (tma_yaml_find(context->value, rules[i].key) != NULL &&
            !(copies ? rules[i].copies : rules[i].accesses))
            return fail_dsmem(context, rules[i].key,
                              copies ? "is only for dsmem" : "is only for bulk");
    if (copies && (input->from[0] == '\0' || input->into[0] == '\0'))
        return fail_dsmem(context, input->from[0] == '\0' ? "from" : "into",
                          "is missing; expected the name of a ring or buffer");
    if (!copies && (input->read[0] == '\0') == (input->write[0] == '\0'))
        return fail_dsmem(context, "write",
                          "and read: expected one of them, a buffer or RING.OPERAND");
    if (input->reduction != NO_REDUCTION && input->write[0] == '\0')
        return fail_dsmem(context, "reduction", "needs write");
    if (input->returns && input->reduction == NO_REDUCTION)
        return fail_dsmem(context, "returns", "needs a reduction");
    if ((input->lane_bytes & (input->lane_bytes - 1)) != 0)
        return fail_dsmem(context, "lane_bytes", "is not 1, 2, 4, 8 or 16");
    if (input->active != 0 && input->order != TMA_PIECES_SAME)
        return fail_dsmem(context, "active", "needs lanes: same");
    return true;
}

/* Reads an access to the shared memory of another CTA, or a copy into it. */
static void read_dsmem(struct statement_context *context, int mover) {
    struct tma_kernel_reader *reader = context->reader;
    struct tma_kernel *kernel = reader->kernel;
    struct dsmem_input input = {.reduction = NO_REDUCTION};
    struct tma_statement statement = *statement_of(context);
    const struct tma_yaml_node *value = context->value;
    bool copies = mover == TMA_BY_BULK;
    char name[32];
    statement.kind = TMA_STATEMENT_EXCHANGE;
    statement.lanes.by = (enum tma_mover)mover;
    if (value->kind != TMA_YAML_MAPPING) {
        diagnose_value(context, "{rank: RANK, read: PLACE} or {rank: RANK, write: PLACE}");
    } else if (tma_schema_read(&tma_dsmem_schema, value, context->word, &input, reader->list) &&
               check_dsmem(context, copies, &input)) {
        const char *key = copies ? "into" : input.read[0] != '\0' ? "read" : "write";
        const char *place = copies ? input.into : input.read[0] != '\0' ? input.read : input.write;
        const struct {
            const char *key;
            const struct tma_yaml_node *node;
            struct tma_value *value;
        } numbers[] = {{"rank", input.rank, &statement.peer},
                       {"offset", input.offset, &statement.shared_offset},
                       {"from_offset", input.from_offset, &statement.source_offset},
                       {"bytes", input.bytes, &statement.touched_bytes}};
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            snprintf(name, sizeof name, "%s.%s", context->word, numbers[i].key);
            if (numbers[i].node != NULL)
                tma_read_value(reader, numbers[i].node, name, numbers[i].value);
        }
        statement.operation.direction = input.read[0] != '\0'             ? TMA_LOAD
                                        : input.reduction != NO_REDUCTION ? TMA_REDUCE
                                                                          : TMA_STORE;
        if (input.reduction != NO_REDUCTION)
            statement.operation.reduction = (enum tma_reduction)input.reduction;
        statement.lanes.order = input.order;
        statement.lanes.returns = input.returns;
        if (!copies)
            statement.lanes.lane_bytes = input.lane_bytes != 0             ? input.lane_bytes
                                         : input.reduction != NO_REDUCTION ? 4
                                                                           : 16;
        if (input.order == TMA_PIECES_SAME)
            statement.lanes.active =
                input.active != 0 ? input.active : 32 * kernel->roles[kernel->role_count - 1].warps;
        if (find_shared(context, tma_yaml_find(value, key), place, &statement.touched,
                        &reader->notes[context->index].operand) &&
            statement.touched.kind == TMA_PLACE_RING)
            statement.ring = statement.touched.index;
        if (copies && statement.ring == TMA_NO_RING)
            fail_dsmem(context, "into", "is no ring, on whose mbarrier the copy could complete");
        if (input.returns && statement.ring != TMA_NO_RING)
            fail_dsmem(context, "returns", "is for buffers: red.async has no result");
        if (copies)
            find_shared(context, tma_yaml_find(value, "from"), input.from, &statement.source,
                        &reader->notes[context->index].source);
    }
    *statement_of(context) = statement;
}

/* Reads a bulk copy, a cp_async or an atomic. The direction of a bulk copy follows from its keys.
 */
static void read_moved(struct statement_context *context, int mover) {
    enum tma_direction direction = mover == TMA_BY_WARPS ? TMA_REDUCE : TMA_LOAD;
    if (mover == TMA_BY_BULK && tma_yaml_find(context->value, "rank") != NULL) {
        read_dsmem(context, mover);
        return;
    }
    if (mover == TMA_BY_BULK && tma_yaml_find(context->value, "from") != NULL)
        direction = tma_yaml_find(context->value, "reduction") != NULL ? TMA_REDUCE : TMA_STORE;
    read_operation(context, direction, (enum tma_mover)mover);
}

/* wait_loads and wait_mma: how many groups may be left in flight. */
static void read_leaving(struct statement_context *context, int kind) {
    const struct tma_key key = {.kind = TMA_KEY_U32,
                                .unit = &tma_unit_none,
                                .max = kind == TMA_STATEMENT_WAIT_MMA ? 7 : 255,
                                .fallback = TMA_REQUIRED,
                                .offset = offsetof(struct tma_statement, leaving)};
    statement_of(context)->kind = (enum tma_statement_kind)kind;
    tma_value_read(&key, context->value, context->word, statement_of(context),
                   context->reader->list);
}

static void read_work(struct statement_context *context, int work) {
    struct tma_value amount = {0};
    if (tma_read_value(context->reader, context->value, context->word, &amount) &&
        amount.expression == NULL && amount.constant < 0)
        tma_diagnose(context->reader->list, TMA_ERROR_ARGUMENT, context->value->at,
                     "%s is %lld; expected 0 or more", context->word, (long long)amount.constant);
    statement_of(context)->kind = TMA_STATEMENT_COMPUTE;
    statement_of(context)->work = (enum tma_work)work;
    statement_of(context)->amount[0] = amount;
}

/* Instructions of one pipe: their number. */
static void read_pipe(struct statement_context *context, int kind) {
    read_work(context, TMA_WORK_INSTRUCTIONS);
    struct tma_statement *statement = statement_of(context);
    struct tma_value amount = statement->amount[0];
    statement->amount[0] = (struct tma_value){0};
    statement->amount[kind] = amount;
}

static void read_instructions(struct statement_context *context, int with) {
    (void)with;
    struct tma_kernel_reader *reader = context->reader;
    struct instructions_input input = {.amount = {NULL}};
    struct tma_statement statement = *statement_of(context);
    statement.kind = TMA_STATEMENT_COMPUTE;
    statement.work = TMA_WORK_INSTRUCTIONS;
    if (context->value->kind != TMA_YAML_MAPPING)
        diagnose_value(context, "{fma: N, alu: N, sfu: N, other: N, chain: N}");
    else if (tma_schema_read(&tma_instructions_schema, context->value, "compute", &input,
                             reader->list))
        for (int i = 0; i < TMA_AMOUNTS; i++) {
            char path[24];
            snprintf(path, sizeof path, "compute.%s", instructions_keys[i].path);
            if (input.amount[i] != NULL &&
                tma_read_value(reader, input.amount[i], path, &statement.amount[i]) &&
                statement.amount[i].expression == NULL && statement.amount[i].constant < 0)
                tma_diagnose(reader->list, TMA_ERROR_ARGUMENT, input.amount[i]->at,
                             "%s is %lld; expected 0 or more", path,
                             (long long)statement.amount[i].constant);
        }
    *statement_of(context) = statement;
}

static void read_mma_operand(struct statement_context *context, const struct tma_yaml_node *node,
                             int which, struct tma_statement *statement) {
    struct tma_kernel_reader *reader = context->reader;
    struct mma_operand_input input = {.tile = ""};
    struct tma_mma_operand *operand = &statement->operands[which];
    const char *name = which == TMA_MMA_A ? "mma.a" : "mma.b", *tile = node->text;
    const struct tma_yaml_node *at = node;
    if (node->kind == TMA_YAML_MAPPING) {
        if (!tma_schema_read(&tma_mma_operand_schema, node, name, &input, reader->list))
            return;
        tile = input.tile;
        at = tma_yaml_find(node, "tile");
    } else if (which == TMA_MMA_A && strcmp(tile, "registers") == 0) {
        statement->a_in_registers = true;
        return;
    }
    operand->mn_major = input.mn_major;
    if (input.at_count == 1)
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(node, "at"),
                     "%s.at has length 1; expected 2", name);
    for (uint32_t i = 0; i < input.at_count; i++) {
        char path[24];
        snprintf(path, sizeof path, "%s.at.%u", name, i);
        tma_read_value(reader, input.at[i], path, &operand->at[i]);
    }
    find_shared(context, at, tile, &operand->place,
                &reader->notes[context->index].mma_operands[which]);
}

static void read_flag(struct statement_context *context, int kind) {
    struct tma_kernel_reader *reader = context->reader;
    struct flag_input input = {.flag = ""};
    bool adds = kind == TMA_STATEMENT_ADD_FLAG;
    struct tma_statement statement = *statement_of(context);
    statement.kind = (enum tma_statement_kind)kind;
    statement.amount[1].constant = 1;
    if (context->value->kind != TMA_YAML_MAPPING) {
        diagnose_value(context, "{flag: NAME, index: NUMBER}");
    } else if (tma_schema_read(adds ? &tma_add_flag_schema : &tma_wait_flag_schema, context->value,
                               context->word, &input, reader->list)) {
        tma_find_flag(reader, tma_yaml_find(context->value, "flag"), input.flag, &statement.flag);
        if (input.index != NULL)
            tma_read_value(reader, input.index, "index", &statement.amount[0]);
        if (input.number != NULL)
            tma_read_value(reader, input.number, adds ? "add" : "until", &statement.amount[1]);
    }
    *statement_of(context) = statement;
}

static void read_mma(struct statement_context *context, int with) {
    (void)with;
    struct tma_kernel_reader *reader = context->reader;
    struct mma_input input = {.shape_count = 0};
    struct tma_statement statement = *statement_of(context);
    statement.kind = TMA_STATEMENT_COMPUTE;
    statement.work = TMA_WORK_MMA;
    if (context->value->kind != TMA_YAML_MAPPING) {
        diagnose_value(context, "{shape: [M, N, K], a: RING.OPERAND, b: RING.OPERAND, ...}");
    } else if (tma_schema_read(&tma_mma_schema, context->value, "mma", &input, reader->list)) {
        statement.type = input.type;
        statement.leaving = input.in_flight;
        if (input.shape_count != 3)
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, tma_yaml_locate(context->value, "shape"),
                         "mma.shape has length %u; expected m, n and k", input.shape_count);
        for (uint32_t i = 0; i < input.shape_count; i++)
            tma_read_value(reader, input.shape[i], "mma.shape", &statement.amount[i]);
        for (int i = 0; i < TMA_MMA_OPERANDS; i++)
            read_mma_operand(context, input.operands[i], i, &statement);
    }
    *statement_of(context) = statement;
}

/* Reads wavefronts: their number, or that and what they read or write. */
static void read_wavefronts(struct statement_context *context, int work) {
    struct tma_kernel_reader *reader = context->reader;
    struct wavefronts_input input = {.count = NULL};
    const struct tma_yaml_node *value = context->value;
    if (value->kind != TMA_YAML_MAPPING) {
        read_work(context, work);
        return;
    }
    struct tma_statement statement = *statement_of(context);
    statement.kind = TMA_STATEMENT_COMPUTE;
    statement.work = (enum tma_work)work;
    if (tma_schema_read(&tma_wavefronts_schema, value, context->word, &input, reader->list)) {
        bool reads = input.read[0] != '\0', writes = input.write[0] != '\0';
        tma_read_value(reader, input.count, "shared_wavefronts.count", &statement.amount[0]);
        if (input.offset != NULL)
            tma_read_value(reader, input.offset, "shared_wavefronts.offset",
                           &statement.shared_offset);
        if (input.bytes != NULL)
            tma_read_value(reader, input.bytes, "shared_wavefronts.bytes",
                           &statement.touched_bytes);
        statement.writes = writes;
        if (reads == writes)
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, value->at,
                         "shared_wavefronts: expected `read` or `write`, a buffer or RING.OPERAND");
        else if (find_shared(context, tma_yaml_find(value, reads ? "read" : "write"),
                             reads ? input.read : input.write, &statement.touched,
                             &reader->notes[context->index].operand) &&
                 statement.touched.kind == TMA_PLACE_RING)
            statement.ring = statement.touched.index;
    }
    *statement_of(context) = statement;
}

static void read_access(struct statement_context *context, int with) {
    (void)with;
    struct tma_statement statement = *statement_of(context);
    statement.kind = TMA_STATEMENT_COMPUTE;
    statement.work = TMA_WORK_CONSUMER;
    tma_read_access(context->reader, context->value, &statement,
                    &context->reader->notes[context->index]);
    *statement_of(context) = statement;
}

static void read_wait_stores(struct statement_context *context, int with) {
    (void)with;
    struct wait_stores_input input = {.in_flight = 0};
    int value;
    struct tma_statement *statement = statement_of(context);
    statement->kind = TMA_STATEMENT_WAIT_STORES;
    if (context->value->kind == TMA_YAML_MAPPING) {
        tma_schema_read(&tma_wait_stores_schema, context->value, "wait_stores", &input,
                        context->reader->list);
        statement->read_only = input.read_only;
        statement->leaving = input.in_flight;
    } else if (context->value->kind == TMA_YAML_SCALAR &&
               tma_value_of(&until_names, context->value->text, &value)) {
        statement->read_only = value != 0;
    } else {
        diagnose_value(context, "read, complete, or {until: read, in_flight: 1}");
    }
}

static void read_barrier(struct statement_context *context, int arrive_only) {
    const char *name = name_of(context, "the name of a barrier");
    struct tma_statement *statement = statement_of(context);
    statement->kind = TMA_STATEMENT_BARRIER;
    statement->arrive_only = arrive_only != 0;
    if (name != NULL)
        tma_find_barrier(context->reader, context->value, name, &statement->barrier);
}

static void read_word(struct statement_context *context, int kind) {
    statement_of(context)->kind = (enum tma_statement_kind)kind;
    if (context->value != context->node &&
        (context->value->kind != TMA_YAML_SCALAR || context->value->text[0] != '\0'))
        diagnose_value(context, "the word alone");
}

/* In the order of the reference. */
const struct tma_statement_form tma_statement_forms[] = {
    {read_for, 0, "for",
     "`{VARIABLE: COUNT}`, `{VARIABLE: [FROM, TO, STEP]}`, or `{VARIABLE: {...}}` for output "
     "tiles, whose keys are below",
     "do, ahead",
     "runs the statements of `do` with the variable 0, 1, ..., COUNT - 1; or from FROM, below TO, "
     "by "
     "STEP (default 1); or for each output tile that the CTA takes",
     "", "of output tiles: warp.tile where dynamic"},
    {read_if, 0, "if", "a condition", "then, else",
     "runs the statements of `then` where the condition is not 0, else those of `else`", "", ""},
    {read_let, 0, "let", "`{NAME: EXPRESSION, ...}`", "do",
     "names numbers for the statements behind it in its list, or for those of `do`; a later one "
     "can use an earlier one",
     "", ""},
    {read_each, 0, "each", "`{NAME: COUNT}` or `{NAME: [FROM, TO]}`", "do",
     "stands for the statements of `do` once for each number, written one behind the other: in "
     "them `$NAME` and `$(EXPRESSION)`, also as a part of a name, are that number",
     "", ""},
    {read_ahead, 0, "ahead", "a list of statements", "",
     "runs these statements for the iteration that is as many ahead as the key `ahead` of a loop "
     "around it says, and for the first ones before the loop: what Triton's num_stages does",
     "", ""},
    {read_acquire, TMA_STATEMENT_ACQUIRE, "acquire", "a ring, or keys below", "",
     "waits until the ring's next stage is empty; the loads behind it fill that stage, and its "
     "full "
     "mbarrier expects their bytes",
     "mbarrier.try_wait, mbarrier.arrive.expect_tx", "warp.wait, warp.wake, warp.expect"},
    {read_transfer, TMA_LOAD, "load", "keys below", "",
     "loads a tile from global memory into the acquired stage",
     "cp.async.bulk.tensor.shared::cluster.global; by warps: ld.global",
     "warp.issue, then tma.*; by warps: core.lsu, then l1.*"},
    {read_moved, TMA_BY_CP_ASYNC, "cp_async", "keys below", "",
     "loads a tile from global memory into the acquired stage by lanes of the role's warps; its "
     "bytes complete on the stage's full mbarrier",
     "cp.async, cp.async.mbarrier.arrive.noinc", "core.lsu, then l1.*; warp.arrive_latency"},
    {read_moved, TMA_BY_BULK, "bulk", "keys below", "",
     "copies a tile without a tensor map, as one copy where its rows lie together, else one for "
     "each row: `into` a stage from global memory; `from` a stage or buffer to it; with a "
     "`reduction`, combined with it",
     "cp.async.bulk, cp.reduce.async.bulk", "warp.issue, then tma.*"},
    {read_dsmem, TMA_BY_WARPS, "dsmem", "keys below", "",
     "accesses shared memory of another CTA of the cluster by lanes of the role's warps: loads it "
     "into registers, stores registers, or combines them with it; with `rank`, `bulk` copies there",
     "ld.shared::cluster, st, red, atom; st.async, red.async; bulk: "
     "cp.async.bulk.shared::cluster.shared::cta",
     "core.lsu, then dsmem.*; bulk: warp.issue, then tma.* and dsmem.*"},
    {read_leaving, TMA_STATEMENT_WAIT_LOADS, "wait_loads", "a number of loads", "",
     "waits until at most so many of the role's loads by warps or dsmem, and of its atomics that "
     "return a value, are left",
     "the use of a register that is loaded", ""},
    {read_ring_statement, TMA_STATEMENT_SIGNAL, "signal", "a ring", "",
     "arrives on the full mbarrier of the acquired stage, which the role itself has filled",
     "mbarrier.arrive", "warp.arrive"},
    {read_ring_statement, TMA_STATEMENT_WAIT, "wait", "a ring", "",
     "waits until the ring's next stage is full; it is the current one from then on",
     "mbarrier.try_wait", "warp.wait, warp.wake"},
    {read_release, 0, "release", "a ring, or keys below", "",
     "arrives on the empty mbarrier of the current stage, or of an earlier one", "mbarrier.arrive",
     "warp.arrive; to another CTA warp.remote_arrive"},
    {read_mma, 0, "mma", "keys below", "",
     "multiplies matrices on the tensor cores, as one asynchronous group; then waits until at most "
     "in_flight groups are left",
     "wgmma.mma_async, commit_group, wait_group", "warp.mma_issue, warp.mma_wait, sm.mma_*"},
    {read_leaving, TMA_STATEMENT_WAIT_MMA, "wait_mma", "a number of groups", "",
     "waits until at most so many groups of mma are left", "wgmma.wait_group", "warp.mma_wait"},
    {read_work, TMA_WORK_CYCLES, "cycles", "a number", "", "keeps the role busy for so many cycles",
     "", "warp.spin"},
    {read_instructions, 0, "compute", "keys below", "",
     "executes instructions of several pipes, which run beside one another: the longest of them, "
     "their issue slots or their chain is the time",
     "fma, add, max, cvt, ex2",
     "core.fma, core.alu, core.special, core.chain, core.mma_issue, core.mma_warp_issue, "
     "core.first"},
    {read_pipe, TMA_FMA, "alu", "a number", "",
     "does so many operations of single precision, all threads of the role together: "
     "`compute: {fma: N}`",
     "fma, add", "core.fma"},
    {read_pipe, TMA_SFU, "sfu", "a number", "",
     "computes so many special functions, all threads of the role together: `compute: {sfu: N}`",
     "ex2, rsqrt", "core.special"},
    {read_wavefronts, TMA_WORK_SHARED, "shared_wavefronts", "a number, or keys below", "",
     "takes the shared-memory port for so many wavefronts", "ld.shared, st.shared", ""},
    {read_access, 0, "access", "keys below", "",
     "accesses the tile `RING.OPERAND` of the current stage, or that of a buffer, as a consumer "
     "does",
     "ld.shared, st.shared, ldmatrix, stmatrix", ""},
    {read_transfer, TMA_STORE, "store", "keys below", "",
     "stores a tile from a stage or a buffer to global memory",
     "cp.async.bulk.tensor.global.shared::cta; by warps: st.global",
     "warp.issue, then tma.*; by warps: core.lsu, then l1.*"},
    {read_moved, TMA_BY_WARPS, "atomic", "keys below", "",
     "combines registers of the lanes with global memory, in L2", "red.global, atom.global",
     "core.lsu, then l1.*"},
    {read_transfer, TMA_REDUCE, "reduce", "keys below", "",
     "combines a tile of a stage or a buffer with global memory", "cp.reduce.async.bulk.tensor",
     "warp.issue, then tma.*"},
    {read_transfer, TMA_PREFETCH, "prefetch", "keys below", "",
     "prefetches a tile from global memory into L2", "cp.async.bulk.prefetch.tensor",
     "warp.issue, then tma.*"},
    {read_word, TMA_STATEMENT_COMMIT, "commit", "nothing", "",
     "makes the stores since the last commit a group", "cp.async.bulk.commit_group", "warp.commit"},
    {read_wait_stores, 0, "wait_stores", "read, complete, or keys below", "",
     "waits until groups of stores have been read from shared memory, or are complete",
     "cp.async.bulk.wait_group, .read", "warp.wait_group, warp.store_wake"},
    {read_barrier, false, "sync", "a barrier", "",
     "arrives at the barrier and waits until it is complete", "bar.sync", "warp.barrier"},
    {read_barrier, true, "arrive", "a barrier", "", "arrives at the barrier and goes on",
     "bar.arrive", "warp.barrier_arrive"},
    {read_flag, TMA_STATEMENT_ADD_FLAG, "add_flag", "keys below", "",
     "adds to a counter in global memory, which all CTAs see: what was written before is there",
     "red.release.gpu", "core.lsu"},
    {read_flag, TMA_STATEMENT_WAIT_FLAG, "wait_flag", "keys below", "",
     "loads a counter in global memory again and again, until it is high enough", "ld.acquire.gpu",
     "warp.tile for each time"},
    {read_word, TMA_STATEMENT_EXIT, "exit", "nothing", "", "ends the role's program", "exit", ""},
};
const size_t tma_statement_form_count = sizeof tma_statement_forms / sizeof tma_statement_forms[0];

/* True for a statement that may run ahead: it fills stages and computes nothing. */
static bool may_run_ahead(const char *word) {
    static const char *const words[] = {"acquire", "load", "cp_async", "bulk", "prefetch",
                                        "for",     "if",   "let",      "each", "ahead",
                                        "signal",  "wait", "release"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcmp(words[i], word) == 0)
            return true; /* the last four report an error of their own */
    return false;
}

static const struct tma_statement_form *find_form(struct tma_kernel_reader *reader,
                                                  const char *word, struct tma_location at) {
    struct tma_suggestion suggestion = {.wanted = word};
    char text[400] = "";
    for (size_t i = 0; i < tma_statement_form_count; i++) {
        if (strcmp(tma_statement_forms[i].word, word) == 0)
            return &tma_statement_forms[i];
        tma_suggest(&suggestion, tma_statement_forms[i].word);
        strcat(strcat(text, i == 0 ? "" : ", "), tma_statement_forms[i].word);
    }
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, at, "\"%.60s\" is not a statement; %sallowed: %s",
                 word, tma_hint_of(&suggestion).text, text);
    return NULL;
}

/* Whether a statement may have a key beside its own. */
static bool may_have(const struct tma_statement_form *form, const char *key) {
    size_t length = strlen(key);
    const char *found = strstr(form->beside, key);
    return length > 0 && found != NULL && (found[length] == ',' || found[length] == '\0') &&
           (found == form->beside || found[-1] == ' ');
}

/* Reports keys beside the statement's own that it does not have. */
static void check_beside(const struct statement_context *context,
                         const struct tma_statement_form *form) {
    const struct tma_yaml_node *node =
        context->value == context->node ? NULL : context->node->first;
    for (; node != NULL; node = node->next) {
        if (node == context->value || may_have(form, node->key))
            continue;
        tma_diagnose(context->reader->list, TMA_ERROR_SYNTAX, node->key_at,
                     "\"%.60s\" is not allowed beside %s; %s%s", node->key, form->word,
                     form->beside[0] == '\0' ? "each statement is an entry of the list of its own"
                                             : "allowed: ",
                     form->beside);
    }
}

/* The entry of a mapping that says which statement it is, as its keys may be in any order: that
 * which may have all others beside it. Where none may, the first one. */
static const struct tma_yaml_node *find_word(const struct tma_yaml_node *mapping) {
    for (const struct tma_yaml_node *node = mapping->first; node != NULL; node = node->next)
        for (size_t i = 0; i < tma_statement_form_count; i++) {
            if (strcmp(tma_statement_forms[i].word, node->key) != 0)
                continue;
            const struct tma_yaml_node *other = mapping->first;
            while (other != NULL &&
                   (other == node || may_have(&tma_statement_forms[i], other->key)))
                other = other->next;
            if (other == NULL)
                return node;
        }
    return mapping->first;
}

static void read_statement(struct tma_kernel_reader *reader, const struct tma_yaml_node *node) {
    struct statement_context context = {.reader = reader, .node = node, .value = node};
    bool mapping = node->kind == TMA_YAML_MAPPING && node->first != NULL;
    if (node->kind == TMA_YAML_LIST || (!mapping && node->kind == TMA_YAML_MAPPING) ||
        (!mapping && node->text[0] == '\0')) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "expected a statement, such as `acquire: RING`");
        return;
    }
    if (mapping)
        context.value = find_word(node);
    context.word = mapping ? context.value->key : node->text;
    const struct tma_statement_form *form =
        find_form(reader, context.word, mapping ? context.value->key_at : node->at);
    if (form == NULL)
        return;
    bool alone = strcmp(form->takes, "nothing") == 0;
    if (!mapping && !alone) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at, "%s has no value; it takes %s",
                     form->word, form->takes);
        return;
    }
    if (reader->in_ahead && !may_run_ahead(form->word))
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "%s is not allowed in ahead; allowed: acquire, load, prefetch, for and if",
                     form->word);
    check_beside(&context, form);
    context.index = add_statement(reader, node);
    if (context.index != UINT32_MAX)
        form->read(&context, form->with);
}

void tma_read_statements(struct tma_kernel_reader *reader, const struct tma_yaml_node *list) {
    for (const struct tma_yaml_node *node = list->first; node != NULL; node = node->next)
        read_statement(reader, node);
}
