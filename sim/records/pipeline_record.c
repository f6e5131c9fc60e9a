/* The kernel of a record is that of the program which took it: one producer warp fills a ring, and
 * consumer warps empty it. Each part of it is beside the function that adds it. */
#include "records/pipeline_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/limits.h"
#include "engine/roles/mma.h"
#include "tensormap/legal.h"

/* Where the tensors lie; the program gives each 3 GiB. */
static const uint64_t tensor_address = UINT64_C(0x7f0000000000);
#define TENSOR_BYTES (UINT64_C(3) << 30)

enum { ELEMENT_BYTES = 2, STORE_COLUMNS = 64, ALIGNMENT = 1024 };
enum { TILE = TMA_FIRST_LOOP_VARIABLE, ROW, COLUMN, STEP, VARIABLES };

/* The words of the scenario column. */
struct words {
    uint32_t loads, store, depth, ktiles, tm, tn, order, compute, epi, bm, bn, bk, cluster, mc,
        warps, mma, per_sm, l2, cold, grid;
};

struct pipeline_builder {
    struct tma_pipeline_record *record;
    struct words words;
    const struct tma_machine *machine;
    const char *text;
    struct tma_error *error;
    enum tma_error_code code;
};

static uint32_t read_word(struct pipeline_builder *builder, const char *key, uint32_t least,
                          uint32_t most, uint32_t fallback) {
    char text[64];
    int64_t value = fallback;
    if (tma_find_key_value(builder->text, key, text, sizeof text) &&
        (tma_parse_list(text, &value, 1) != 1 || value < least || value > most)) {
        if (builder->code == TMA_OK)
            builder->code =
                tma_fail(builder->error, TMA_ERROR_SYNTAX,
                         "%s=%s in the scenario column; expected an integer from %u to %u", key,
                         text, least, most);
        return least;
    }
    return (uint32_t)value;
}

static void read_words(struct pipeline_builder *builder) {
    struct words *words = &builder->words;
    words->loads = read_word(builder, "loads", 1, 2, 2);
    words->store = read_word(builder, "store", 0, 2, 0);
    words->depth = read_word(builder, "depth", 1, TMA_MAX_RING_DEPTH, 4);
    words->ktiles = read_word(builder, "ktiles", 1, 1 << 20, 16);
    words->tm = read_word(builder, "tm", 1, 1 << 16, 8);
    words->tn = read_word(builder, "tn", 1, 1 << 16, 8);
    words->order = read_word(builder, "order", 0, 1 << 16, 0);
    words->compute = read_word(builder, "compute", 0, 1 << 24, 0);
    words->epi = read_word(builder, "epi", 0, 1 << 24, 0);
    words->bm = read_word(builder, "bm", 1, 256, 128);
    words->bn = read_word(builder, "bn", 1, 256, 128);
    words->bk = read_word(builder, "bk", 8, 64, 64);
    words->cluster = read_word(builder, "cluster", 1, TMA_MAX_CLUSTER, 1);
    words->mc = read_word(builder, "mc", 0, 1, 0);
    words->mma = read_word(builder, "mma", 0, 256, 0);
    words->warps = words->mma > 0 ? words->bm / TMA_MMA_ROWS * TMA_WARP_GROUP_WARPS
                                  : read_word(builder, "warps", 1, 31, TMA_WARP_GROUP_WARPS);
    words->per_sm = read_word(builder, "per_sm", 1, 32, 1);
    words->l2 = read_word(builder, "l2", 0, 3, 3);
    words->cold = read_word(builder, "cold", 0, 1, 0);
    words->grid = read_word(builder, "grid", 1, TMA_LIMIT_RECORD_CTAS, 132);
    uint64_t stages = (uint64_t)words->tm * words->tn * words->ktiles;
    if (builder->code == TMA_OK && stages > TMA_LIMIT_RECORD_OPERATIONS)
        builder->code = tma_fail(builder->error, TMA_ERROR_SYNTAX,
                                 "%" PRIu64 " stages in the scenario column; allowed: %d", stages,
                                 TMA_LIMIT_RECORD_OPERATIONS);
}

static struct tma_value number(int64_t constant) {
    return (struct tma_value){.constant = constant};
}

/* An expression of the loop variables t, m, n, k and of rank. */
static struct tma_value expression(struct pipeline_builder *builder, const char *format, uint32_t a,
                                   uint32_t b) {
    static const struct tma_expression_name names[] = {
        {.name = "rank", .is_variable = true, .variable = TMA_VARIABLE_RANK},
        {.name = "m", .is_variable = true, .variable = ROW},
        {.name = "n", .is_variable = true, .variable = COLUMN},
        {.name = "k", .is_variable = true, .variable = STEP},
    };
    static const struct tma_expression_scope scope = {.names = names,
                                                      .name_count = sizeof names / sizeof names[0]};
    struct tma_pipeline_record *record = builder->record;
    char text[80];
    struct tma_expression *made;
    if (builder->code != TMA_OK || record->expression_count == TMA_PIPELINE_EXPRESSIONS)
        return number(0);
    /* NOLINTNEXTLINE(clang-diagnostic-format-nonliteral) */
    snprintf(text, sizeof text, format, a, b);
    builder->code = tma_expression_parse(text, &scope, &made, NULL, builder->error);
    if (builder->code != TMA_OK)
        return number(0);
    record->expressions[record->expression_count++] = made;
    return (struct tma_value){.expression = made};
}

static struct tma_statement *add(struct pipeline_builder *builder, enum tma_statement_kind kind) {
    struct tma_kernel *kernel = &builder->record->kernel;
    uint32_t index = kernel->statement_count++;
    struct tma_statement *statement = &builder->record->statements[index];
    *statement = (struct tma_statement){
        .kind = kind, .end = index + 1, .ring = TMA_NO_RING, .step = number(1)};
    return statement;
}

static struct tma_statement *add_ring(struct pipeline_builder *builder,
                                      enum tma_statement_kind kind) {
    struct tma_statement *statement = add(builder, kind);
    statement->ring = 0;
    return statement;
}

/* Everything since then is the body of the statement. */
static void close(struct pipeline_builder *builder, struct tma_statement *statement) {
    statement->end = builder->record->kernel.statement_count;
}

/* Without cycles there is no statement. */
static void add_cycles(struct pipeline_builder *builder, uint64_t cycles) {
    if (cycles == 0)
        return;
    struct tma_statement *compute = add(builder, TMA_STATEMENT_COMPUTE);
    compute->work = TMA_WORK_CYCLES;
    compute->amount[0] = number((int64_t)cycles);
}

/* The warps read the clock in a loop until so many cycles have passed. */
static void add_loop(struct pipeline_builder *builder, uint64_t cycles) {
    uint64_t step = builder->machine->warp.spin_step_cycles;
    add_cycles(builder, (cycles + step - 1) / step * step);
}

/* A division for tiles in the order of one dimension; groups of tiles take two. */
static void add_place(struct pipeline_builder *builder) {
    uint64_t divisions = builder->words.order == 0 ? 1 : 2;
    add_cycles(builder, divisions * builder->machine->warp.place_cycles);
}

static struct tma_statement *add_tiles(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    struct tma_statement *loop = add(builder, TMA_STATEMENT_TILES);
    loop->schedule = TMA_TILES_PERSISTENT;
    loop->variable = TILE;
    loop->variable_m = ROW;
    loop->variable_n = COLUMN;
    loop->tiles_m = number(words->tm);
    loop->tiles_n = number(words->tn);
    loop->group = number(words->order);
    return loop;
}

static struct tma_statement *add_steps(struct pipeline_builder *builder) {
    struct tma_statement *loop = add(builder, TMA_STATEMENT_FOR);
    loop->variable = STEP;
    loop->from = number(0);
    loop->to = number(builder->words.ktiles);
    return loop;
}

static void begin_role(struct pipeline_builder *builder, const char *name, uint32_t warps) {
    struct tma_kernel *kernel = &builder->record->kernel;
    struct tma_role *role = &kernel->roles[kernel->role_count++];
    snprintf(role->name, sizeof role->name, "%s", name);
    role->warps = warps;
    role->first = kernel->statement_count;
}

static void end_role(struct pipeline_builder *builder) {
    struct tma_kernel *kernel = &builder->record->kernel;
    kernel->roles[kernel->role_count - 1].end = kernel->statement_count;
}

static uint32_t align(uint32_t bytes) {
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static uint32_t b_rows(const struct words *words) {
    return words->mc ? words->bn / words->cluster : words->bn;
}

/* The producer loads a box of A and, with two loads, one of B: in a cluster, its part of B for all.
 */
static void add_producer(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    begin_role(builder, "producer", 1);
    struct tma_statement *tiles = add_tiles(builder);
    add_place(builder);
    struct tma_statement *steps = add_steps(builder);
    add_ring(builder, TMA_STATEMENT_ACQUIRE);
    struct tma_statement *a = add_ring(builder, TMA_STATEMENT_OPERATION);
    a->operation.direction = TMA_LOAD;
    a->coordinates[0] = expression(builder, "k * %u", words->bk, 0);
    a->coordinates[1] = expression(builder, "m * %u", words->bm, 0);
    if (words->loads > 1) {
        struct tma_statement *b = add_ring(builder, TMA_STATEMENT_OPERATION);
        uint32_t rows = b_rows(words);
        b->map = 1;
        b->operation.direction = TMA_LOAD;
        b->operation.shared_address = align(words->bm * words->bk * ELEMENT_BYTES);
        b->coordinates[0] = expression(builder, "k * %u", words->bk, 0);
        b->coordinates[1] = words->mc ? expression(builder, "n * %u + rank * %u", words->bn, rows)
                                      : expression(builder, "n * %u", words->bn, 0);
        if (words->mc) {
            b->cta_mask = number((1 << words->cluster) - 1);
            b->shared_offset =
                expression(builder, "rank * %u", rows * words->bk * ELEMENT_BYTES, 0);
        }
    }
    close(builder, steps);
    close(builder, tiles);
    end_role(builder);
}

/* A consumer with wgmma leaves one group in flight, and releases the stage before. */
static void add_products(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    add_ring(builder, TMA_STATEMENT_WAIT);
    struct tma_statement *product = add(builder, TMA_STATEMENT_COMPUTE);
    product->work = TMA_WORK_MMA;
    product->amount[0] = number(words->bm);
    product->amount[1] = number(words->mma);
    product->amount[2] = number(words->bk);
    product->type = TMA_MMA_HALF;
    product->leaving = 1;
    uint32_t a_bytes = words->bm * words->bk * ELEMENT_BYTES;
    uint32_t b_bytes = words->bn * words->bk * ELEMENT_BYTES;
    product->operands[TMA_MMA_A].place =
        (struct tma_shared_place){TMA_PLACE_RING, .bytes = a_bytes};
    if (words->loads > 1)
        product->operands[TMA_MMA_B].place = (struct tma_shared_place){
            TMA_PLACE_RING, .offset_bytes = align(a_bytes), .bytes = b_bytes};
    struct tma_statement *later = add(builder, TMA_STATEMENT_IF);
    later->condition = expression(builder, "k > 0", 0, 0);
    add_ring(builder, TMA_STATEMENT_RELEASE)->lag = 1;
    close(builder, later);
}

/* Another one spins; a copy then stores the stage, and waits until it has been read. */
static void add_spin(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    add_ring(builder, TMA_STATEMENT_WAIT);
    add_loop(builder, words->compute);
    if (words->store == 2) {
        struct tma_statement *store = add_ring(builder, TMA_STATEMENT_OPERATION);
        store->map = builder->record->kernel.map_count - 1;
        store->operation.direction = TMA_STORE;
        store->coordinates[0] = expression(builder, "k * %u", words->bk, 0);
        store->coordinates[1] = expression(builder, "m * %u", words->bm, 0);
        add(builder, TMA_STATEMENT_COMMIT);
        add(builder, TMA_STATEMENT_WAIT_STORES)->read_only = true;
    }
    add_ring(builder, TMA_STATEMENT_RELEASE);
}

/* The epilogue: the warps meet, and one thread stores the tile of C, in boxes of 64 columns, after
 * the one before has been read. */
static void add_epilogue(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    if (words->mma > 0) {
        add(builder, TMA_STATEMENT_WAIT_MMA);
        add_ring(builder, TMA_STATEMENT_RELEASE);
    }
    add_loop(builder, words->epi);
    if (words->store != 1)
        return;
    add(builder, TMA_STATEMENT_BARRIER);
    add(builder, TMA_STATEMENT_WAIT_STORES)->read_only = true;
    for (uint32_t j = 0; j < words->bn / STORE_COLUMNS; j++) {
        struct tma_statement *store = add(builder, TMA_STATEMENT_OPERATION);
        store->map = builder->record->kernel.map_count - 1;
        store->operation.direction = TMA_STORE;
        store->operation.shared_address = j * words->bm * STORE_COLUMNS * ELEMENT_BYTES;
        store->coordinates[0] = expression(builder, "n * %u + %u", words->bn, j * STORE_COLUMNS);
        store->coordinates[1] = expression(builder, "m * %u", words->bm, 0);
    }
    add(builder, TMA_STATEMENT_COMMIT);
}

static void add_consumer(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    begin_role(builder, "consumer", words->warps);
    struct tma_statement *tiles = add_tiles(builder);
    if (words->store > 0)
        add_place(builder);
    struct tma_statement *steps = add_steps(builder);
    if (words->mma > 0)
        add_products(builder);
    else
        add_spin(builder);
    close(builder, steps);
    add_epilogue(builder);
    close(builder, tiles);
    if (words->store > 0)
        add(builder, TMA_STATEMENT_WAIT_STORES);
    end_role(builder);
}

static void add_map(struct pipeline_builder *builder, uint32_t tensor, uint64_t columns,
                    uint64_t rows, uint32_t box_columns, uint32_t box_rows) {
    struct tma_kernel *kernel = &builder->record->kernel;
    enum tma_swizzle swizzle = box_columns == 64   ? TMA_SWIZZLE_128B
                               : box_columns == 32 ? TMA_SWIZZLE_64B
                                                   : TMA_SWIZZLE_32B;
    struct tma_tensor_map *map = &kernel->maps[kernel->map_count++];
    *map = (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                   .data_type = TMA_FLOAT16,
                                   .rank = 2,
                                   .global_address = tensor_address + tensor * TENSOR_BYTES,
                                   .global_dim = {columns, rows, 1, 1, 1},
                                   .global_strides = {columns * ELEMENT_BYTES},
                                   .box_dim = {box_columns, box_rows, 1, 1, 1},
                                   .element_strides = {1, 1, 1, 1, 1},
                                   .swizzle = swizzle,
                                   .l2_promotion = (enum tma_l2_promotion)builder->words.l2};
    if (builder->code == TMA_OK)
        builder->code = tma_tensor_map_require_legal(map, builder->error);
}

static void add_maps(struct pipeline_builder *builder) {
    const struct words *words = &builder->words;
    uint64_t k = (uint64_t)words->ktiles * words->bk, m = (uint64_t)words->tm * words->bm,
             n = (uint64_t)words->tn * words->bn;
    add_map(builder, 0, k, m, words->bk, words->bm);
    add_map(builder, 1, k, n, words->bk, b_rows(words));
    if (words->store == 1)
        add_map(builder, 2, n, m, STORE_COLUMNS, words->bm);
    else if (words->store == 2)
        add_map(builder, 2, k, m, words->bk, words->bm);
}

enum tma_error_code tma_pipeline_record_read(const struct tma_tsv *records, size_t row,
                                             const struct tma_machine *machine,
                                             struct tma_pipeline_record *record,
                                             struct tma_error *error) {
    struct pipeline_builder builder = {.record = record,
                                       .text = tma_tsv_cell(records, row, "scenario"),
                                       .machine = machine,
                                       .error = error};
    struct tma_kernel *kernel = &record->kernel;
    const struct words *words = &builder.words;
    static const char *const names[VARIABLES] = {"cta",  "rank", "ctas", "cluster",
                                                 "tile", "m",    "n",    "k"};
    memset(record, 0, sizeof *record);
    read_words(&builder);
    snprintf(kernel->name, sizeof kernel->name, "%.39s", tma_tsv_cell(records, row, "name"));
    for (uint32_t i = 0; i < VARIABLES; i++)
        snprintf(kernel->variables[i], sizeof kernel->variables[i], "%s", names[i]);
    kernel->variable_count = VARIABLES;
    kernel->statements = record->statements;
    kernel->cta_count = words->grid;
    kernel->cluster_ctas = words->cluster;
    kernel->ctas_per_sm = words->per_sm;
    kernel->cold = words->cold != 0;
    uint32_t stage = align(words->bm * words->bk * ELEMENT_BYTES) +
                     (words->loads > 1 ? align(words->bn * words->bk * ELEMENT_BYTES) : 0);
    kernel->ring_count = 1;
    kernel->rings[0] = (struct tma_ring){
        .name = "stages", .depth = words->depth, .stage_bytes = stage, .shared_offset = 0};
    if (words->mc)
        kernel->rings[0].release_mask = number((1 << words->cluster) - 1);
    if (words->store == 1) {
        kernel->buffer_count = 1;
        kernel->buffers[0] = (struct tma_buffer){.name = "output",
                                                 .bytes = words->bm * words->bn * ELEMENT_BYTES,
                                                 .shared_offset = words->depth * stage};
        kernel->barrier_count = 1;
        snprintf(kernel->barriers[0].name, sizeof kernel->barriers[0].name, "epilogue");
    }
    add_maps(&builder);
    add_producer(&builder);
    add_consumer(&builder);
    tma_kernel_lay_out(kernel);
    return builder.code;
}

void tma_pipeline_record_free(struct tma_pipeline_record *record) {
    for (uint32_t i = 0; i < record->expression_count; i++)
        tma_expression_free(record->expressions[i]);
    record->expression_count = 0;
}
