/* Kernels with roles: what each statement takes, derived by hand on the small machine; the programs
 * that people write; and what is refused. */
#include <stdio.h>
#include <string.h>

#include "engine/roles/kernel.h"
#include "machine.h"
#include "suite.h"
#include "traffic.h"

enum {
    /* Load of one row whose line L2 has, in the partition of the SM: as in test_engine_cluster.c.
     */
    HIT = 10 + 30 + 3 + 15 + 20 + 2 + 4 + 5,
    /* Costs of the small machine (machine.h). */
    START = 5,
    LAUNCH = 40,
    WAIT = 3,
    WAKE = 2,
    ARRIVE = 4,
    ARRIVED = 6,
    EXPECT = 1,
    ISSUE = 2,
    BARRIER = 5,
    SPIN = 1,
    MMA_ISSUE = 2,
    MMA_WAIT = 3,
    TILE = 50,
    SMS = 4,
    STATEMENTS = 64,
    VARIABLE = TMA_FIRST_LOOP_VARIABLE,
    ROW_OF_TILES = VARIABLE + 4,
    COLUMN_OF_TILES = VARIABLE + 5,
    ROW_BYTES = 128
};

static struct tma_machine machine;
static struct tma_kernel kernel;
static struct tma_statement statements[STATEMENTS];
static struct tma_expression *expressions[STATEMENTS];
static uint32_t expression_count;
static struct tma_result result;
static struct tma_error error;

static struct tma_value number(int64_t value) {
    return (struct tma_value){.constant = value};
}

/* An expression of cta, rank, and the loop variables i, j, k, t, m and n. */
static struct tma_value expression(const char *text) {
    static const struct tma_expression_name names[] = {
        {.name = "cta", .is_variable = true, .variable = TMA_VARIABLE_CTA},
        {.name = "rank", .is_variable = true, .variable = TMA_VARIABLE_RANK},
        {.name = "i", .is_variable = true, .variable = VARIABLE},
        {.name = "j", .is_variable = true, .variable = VARIABLE + 1},
        {.name = "k", .is_variable = true, .variable = VARIABLE + 2},
        {.name = "t", .is_variable = true, .variable = VARIABLE + 3},
        {.name = "m", .is_variable = true, .variable = ROW_OF_TILES},
        {.name = "n", .is_variable = true, .variable = COLUMN_OF_TILES},
    };
    static const struct tma_expression_scope scope = {.names = names, .name_count = 8};
    struct tma_expression **made = &expressions[expression_count++];
    ck_assert_int_eq(tma_expression_parse(text, &scope, made, NULL, &error), TMA_OK);
    return (struct tma_value){.expression = *made};
}

/* A warm kernel of one CTA without roles. */
static void set_up(void) {
    static const char *const names[] = {"cta", "rank", "ctas", "cluster", "i",
                                        "j",   "k",    "t",    "m",       "n"};
    machine = flat_machine();
    memset(&kernel, 0, sizeof kernel);
    kernel.statements = statements;
    kernel.cta_count = 1;
    kernel.maps[0] = line_map(1);
    kernel.map_count = 1;
    kernel.variable_count = 10;
    for (uint32_t i = 0; i < 10; i++)
        snprintf(kernel.variables[i], sizeof kernel.variables[i], "%s", names[i]);
    expression_count = 0;
}

static void tear_down(void) {
    while (expression_count > 0)
        tma_expression_free(expressions[--expression_count]);
}

static struct tma_statement *add(enum tma_statement_kind kind) {
    struct tma_statement *statement = &statements[kernel.statement_count++];
    ck_assert_uint_le(kernel.statement_count, STATEMENTS);
    *statement = (struct tma_statement){
        .kind = kind, .end = kernel.statement_count, .ring = TMA_NO_RING, .step = number(1)};
    statement->line = kernel.statement_count;
    return statement;
}

static struct tma_statement *add_ring(enum tma_statement_kind kind, uint8_t ring) {
    struct tma_statement *statement = add(kind);
    statement->ring = ring;
    return statement;
}

static void close(struct tma_statement *statement) {
    statement->end = kernel.statement_count;
}

static struct tma_statement *loop(uint32_t variable, int64_t to) {
    struct tma_statement *statement = add(TMA_STATEMENT_FOR);
    statement->variable = variable;
    statement->to = number(to);
    return statement;
}

static struct tma_statement *when(const char *condition) {
    struct tma_statement *statement = add(TMA_STATEMENT_IF);
    statement->condition = expression(condition);
    return statement;
}

static struct tma_statement *tiles(enum tma_tile_schedule schedule, int64_t m, int64_t n) {
    struct tma_statement *statement = add(TMA_STATEMENT_TILES);
    statement->schedule = schedule;
    statement->variable = VARIABLE + 3;
    statement->variable_m = ROW_OF_TILES;
    statement->variable_n = COLUMN_OF_TILES;
    statement->tiles_m = number(m);
    statement->tiles_n = number(n);
    return statement;
}

/* Instructions of four warps, one in each scheduler. */
static struct tma_statement *instruct(enum tma_instruction_kind kind, int64_t operations) {
    struct tma_statement *statement = add(TMA_STATEMENT_COMPUTE);
    statement->work = TMA_WORK_INSTRUCTIONS;
    statement->amount[kind] = number(operations);
    kernel.roles[kernel.role_count - 1].warps = 4;
    return statement;
}

static void compute(enum tma_work work, int64_t amount) {
    struct tma_statement *statement = add(TMA_STATEMENT_COMPUTE);
    statement->work = work;
    statement->amount[0] = number(amount);
}

static void multiply(int64_t m, int64_t n, int64_t k, uint32_t leaving) {
    struct tma_statement *statement = add(TMA_STATEMENT_COMPUTE);
    statement->work = TMA_WORK_MMA;
    kernel.roles[kernel.role_count - 1].warps = 4; /* a warp group */
    statement->amount[0] = number(m);
    statement->amount[1] = number(n);
    statement->amount[2] = number(k);
    statement->leaving = leaving;
}

static void load(uint8_t ring, const char *row) {
    struct tma_statement *statement = add_ring(TMA_STATEMENT_OPERATION, ring);
    statement->operation.direction = TMA_LOAD;
    statement->coordinates[1] = expression(row);
}

static void store_from(uint8_t ring, enum tma_direction direction, const char *row) {
    struct tma_statement *statement = add_ring(TMA_STATEMENT_OPERATION, ring);
    statement->operation.direction = direction;
    statement->coordinates[1] = expression(row);
}

static void wait_stores(uint32_t leaving, bool read_only) {
    struct tma_statement *statement = add(TMA_STATEMENT_WAIT_STORES);
    statement->leaving = leaving;
    statement->read_only = read_only;
}

static void ring(uint32_t depth) {
    struct tma_ring *added = &kernel.rings[kernel.ring_count];
    *added =
        (struct tma_ring){.depth = depth, .stage_bytes = 1024, .shared_offset = TMA_SHARED_AUTO};
    snprintf(added->name, sizeof added->name, "ring%u", kernel.ring_count++);
}

static void buffer(void) {
    kernel.buffers[kernel.buffer_count++] =
        (struct tma_buffer){.name = "tile", .bytes = 1024, .shared_offset = TMA_SHARED_AUTO};
}

static void begin(const char *name) {
    struct tma_role *role = &kernel.roles[kernel.role_count++];
    snprintf(role->name, sizeof role->name, "%s", name);
    role->warps = 1;
    role->first = role->end = kernel.statement_count;
}

static void end(void) {
    kernel.roles[kernel.role_count - 1].end = kernel.statement_count;
}

static enum tma_error_code run_kernel(struct tma_kernel_place *place) {
    tma_kernel_lay_out(&kernel);
    return tma_kernel_run(&machine, &kernel, NULL, &result, place, &error);
}

static void run(void) {
    ck_assert_msg(run_kernel(NULL) == TMA_OK, "%s", error.text);
}

TEST(compute_takes_its_time) {
    begin("r");
    compute(TMA_WORK_CYCLES, 100);
    instruct(TMA_FMA, 320);    /* 32 a cycle */
    instruct(TMA_ALU, 160);    /* 16 a cycle */
    instruct(TMA_SFU, 41);     /* 4 a cycle: 10.25 cycles, and the next whole one */
    instruct(TMA_OTHER, 1280); /* 128 a cycle */
    instruct(TMA_FMA, 32)->amount[TMA_CHAIN] = number(3); /* 4 cycles each */
    compute(TMA_WORK_SHARED, 7);
    end();
    run();
    ck_assert_uint_eq(result.cycles, START + 100 + SPIN + 10 + 10 + 11 + 10 + 12 + 7);
    ck_assert_uint_eq(result.role_cycles[0][TMA_ROLE_COMPUTE], 100 + SPIN + 10 + 10 + 11 + 10 + 12);
    ck_assert_uint_eq(result.role_cycles[0][TMA_ROLE_SHARED], 7);
}

/* 64 x 8 x 16 products at 64 a cycle are 128 cycles. */
TEST(products_run_beside_the_role) {
    begin("r");
    multiply(64, 8, 16, 1);
    multiply(64, 8, 16, 1);
    compute(TMA_WORK_CYCLES, 10);
    add(TMA_STATEMENT_WAIT_MMA);
    end();
    run();
    ck_assert_uint_eq(result.cycles, START + MMA_ISSUE + 2 * 128 + MMA_WAIT);
}

/* Four instructions of 128 cycles each, of which two are in flight: the third and fourth are issued
 * when the first and second are done. Arithmetic is done meanwhile, what follows it is not. */
TEST(products_wait_for_those_in_flight) {
    machine.sm.mma_queue = 2;
    begin("r");
    multiply(64, 8, 64, 1);
    instruct(TMA_OTHER, 12800); /* 100 cycles, also beside products */
    compute(TMA_WORK_CYCLES, 500);
    end();
    run();
    ck_assert_uint_eq(result.cycles, START + MMA_ISSUE + 2 * 128 + 500 + SPIN);
    machine.sm.mma_queue = 4;
    run();
    ck_assert_uint_eq(result.cycles, START + MMA_ISSUE + 100 + 500 + SPIN);
}

TEST(roles_share_the_tensor_cores) {
    for (int i = 0; i < 2; i++) {
        begin(i == 0 ? "a" : "b");
        multiply(64, 8, 16, 0);
        end();
    }
    run();
    ck_assert_uint_eq(result.cycles, START + MMA_ISSUE + 2 * 128 + MMA_WAIT);
    ck_assert_uint_eq(result.role_cycles[0][TMA_ROLE_PRODUCTS], MMA_ISSUE + 128 + MMA_WAIT);
    ck_assert_uint_eq(result.role_cycles[1][TMA_ROLE_PRODUCTS], MMA_ISSUE + 128 + MMA_WAIT);
    ck_assert_uint_eq(result.role_cycles[1][TMA_ROLE_TENSOR_QUEUE], 128);
    ck_assert_uint_eq(result.counters.multiply_adds, 2 * 64 * 8 * 16);
}

/* FMA pipes, 32 a cycle, and special functions, 4 a cycle, work for 100 cycles each while a product
 * of 128 does. */
TEST(work_beside_products_is_known) {
    begin("r");
    multiply(64, 8, 16, 1);
    instruct(TMA_FMA, 3200);
    instruct(TMA_SFU, 400);
    add(TMA_STATEMENT_WAIT_MMA);
    end();
    run();
    double cycles = (double)result.cycles;
    ck_assert_double_eq_tol(result.busy_fma * cycles, 100, 0.01);
    ck_assert_double_eq_tol(result.overlap_fma * cycles, 100, 0.01);
    ck_assert_double_eq_tol(result.busy_sfu * cycles, 100, 0.01);
    ck_assert_double_eq_tol(result.overlap_sfu * cycles, 28, 0.01);
}

/* Two roles want the same pipe, each all of it for 100 cycles: of a quarter, all goes to the first
 * one, and of the rest half. It does 5/8 of a cycle's work in a cycle, until it ends. Then the
 * other one has the pipe alone. What they take longer than alone is waiting for units. */
TEST(roles_share_a_pipe) {
    static const struct {
        uint32_t first_percent, waits[2];
    } turns[] = {{25, {60, 100}}, {0, {100, 100}}, {100, {0, 100}}};
    for (int i = 0; i < 2; i++) {
        begin(i == 0 ? "a" : "b");
        instruct(TMA_FMA, 3200);
        end();
    }
    for (int i = 0; i < TABLE_ROWS(turns); i++) {
        machine.core.first_percent = turns[i].first_percent;
        run();
        for (int role = 0; role < 2; role++) {
            ck_assert_uint_eq(result.role_cycles[role][TMA_ROLE_COMPUTE], 100);
            ck_assert_uint_eq(result.role_cycles[role][TMA_ROLE_UNITS], turns[i].waits[role]);
        }
    }
}

/* What runs in another pipe costs nothing; without products, nor do issue slots. */
TEST(pipes_run_beside_one_another) {
    for (int i = 0; i < 2; i++) {
        begin(i == 0 ? "a" : "b");
        instruct(i == 0 ? TMA_FMA : TMA_SFU, i == 0 ? 3200 : 400);
        end();
    }
    run();
    ck_assert_uint_eq(result.role_cycles[0][TMA_ROLE_COMPUTE], 100);
    ck_assert_uint_eq(result.role_cycles[1][TMA_ROLE_COMPUTE], 100);
}

/* 100 multiplications of each warp take 400 cycles; beside products they are 6 cycles apart, so
 * that 88 of 600 cycles of them are left when the products end after 512. Other instructions, 1
 * cycle each, are as fast as ever. */
TEST(products_slow_instructions_down) {
    machine.core.mma_warp_issue_millicycles = 6000;
    begin("r");
    multiply(64, 8, 64, 1);
    instruct(TMA_FMA, 100 * 128);
    end();
    run();
    ck_assert_uint_eq(result.cycles, START + MMA_ISSUE + 512 + 59);
    statements[1].amount[TMA_FMA] = number(0);
    statements[1].amount[TMA_OTHER] = number(100 * 128);
    run();
    ck_assert_uint_eq(result.cycles, START + MMA_ISSUE + 512 + MMA_WAIT);
}

TEST(a_barrier_waits_for_the_last_role) {
    kernel.barrier_count = 1;
    for (int i = 0; i < 2; i++) {
        begin(i == 0 ? "a" : "b");
        if (i == 0)
            compute(TMA_WORK_CYCLES, 10);
        add(TMA_STATEMENT_BARRIER);
        end();
    }
    run();
    ck_assert_uint_eq(result.cycles, START + 10 + SPIN + BARRIER);
    ck_assert_uint_eq(result.role_cycles[1][TMA_ROLE_BARRIER], 10 + SPIN + BARRIER);
}

/* A producer that loads rows one after the other, and a consumer that waits and releases. */
static void stream(uint32_t depth, int64_t steps) {
    ring(depth);
    begin("producer");
    struct tma_statement *steps_of = loop(VARIABLE, steps);
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    load(0, "i");
    close(steps_of);
    end();
    begin("consumer");
    steps_of = loop(VARIABLE, steps);
    add_ring(TMA_STATEMENT_WAIT, 0);
    add_ring(TMA_STATEMENT_RELEASE, 0);
    close(steps_of);
    end();
}

TEST(a_stage_goes_round) {
    /* The load is issued when the producer has looked and expects the bytes; the consumer wakes
     * when they are there. Then the producer sees the release, and so on. */
    enum {
        FIRST = START + WAIT + EXPECT + HIT + WAKE,
        ROUND = ARRIVED + WAKE + EXPECT + HIT + WAKE
    };
    for (int64_t steps = 1; steps <= 4; steps++) {
        set_up();
        stream(1, steps);
        run();
        ck_assert_uint_eq(result.cycles, FIRST + (uint64_t)(steps - 1) * ROUND + ARRIVE);
        ck_assert_uint_eq(result.counters.operations, (uint64_t)steps);
        tear_down();
    }
    set_up();
}

TEST(deep_rings_are_bound_by_the_producer) {
    enum { STEPS = 50, TURN = WAIT + EXPECT + ISSUE };
    stream(64, STEPS);
    run();
    /* The last load is issued before the producer's ISSUE; the TMA unit starts one each 8 cycles.
     */
    uint64_t least = START + (STEPS - 1) * TURN + WAIT + EXPECT + HIT;
    ck_assert_uint_ge(result.cycles, least);
    ck_assert_uint_le(result.cycles, least + (STEPS - 1) * 8);
}

TEST(the_next_cta_follows_on_its_sm) {
    begin("r");
    compute(TMA_WORK_CYCLES, 100);
    end();
    kernel.cta_count = 3 * SMS;
    kernel.ctas_per_sm = 1;
    run();
    ck_assert_uint_eq(result.cycles, 3 * (START + 100 + SPIN) + 2 * LAUNCH);
    ck_assert_uint_eq(result.cta_cycles.count, 3 * SMS);
}

/* Two CTAs on each SM come to the first statement at once, and wait for the same fetch. The CTAs
 * with the higher numbers come to the second one first, and fetch it; the others find it there. */
TEST(an_sm_fetches_a_statement_once) {
    enum { FETCH = 100, LATE = 200, EARLY = 10, REST = 50 };
    machine.warp.fetch_cycles = FETCH;
    begin("r");
    compute(TMA_WORK_CYCLES, 0);
    statements[0].amount[0] = expression("cta < 4 ? 200 : 10");
    compute(TMA_WORK_CYCLES, REST);
    end();
    kernel.cta_count = 2 * SMS;
    kernel.ctas_per_sm = 2;
    run();
    ck_assert_uint_eq(result.cycles, START + FETCH + LATE + SPIN + REST + SPIN);
    ck_assert_uint_eq(result.role_cycles[0][TMA_ROLE_FETCH], SMS * (FETCH + 2 * FETCH));
    ck_assert_uint_eq(result.cta_cycles.min, START + FETCH + EARLY + SPIN + FETCH + REST + SPIN);
}

TEST(occupancy_follows_from_resources) {
    begin("r");
    end();
    kernel.roles[0].warps = 8;
    ck_assert_uint_eq(tma_kernel_ctas_per_sm(&machine, &kernel), 8); /* 2048 threads */
    kernel.registers = 128; /* 65536 registers are two CTAs */
    ck_assert_uint_eq(tma_kernel_ctas_per_sm(&machine, &kernel), 2);
    kernel.shared_bytes = 40 * 1024; /* of 64 KiB */
    ck_assert_uint_eq(tma_kernel_ctas_per_sm(&machine, &kernel), 1);
}

TEST(dynamic_tiles_come_from_a_counter) {
    begin("r");
    struct tma_statement *tiles_of = tiles(TMA_TILES_DYNAMIC, 3, 1);
    compute(TMA_WORK_CYCLES, 100);
    close(tiles_of);
    end();
    run();
    /* The first tile is that of the CTA; the last time it asks, there is none. */
    ck_assert_uint_eq(result.cycles, START + 3 * (100 + SPIN) + 3 * TILE);
    ck_assert_uint_eq(result.role_cycles[0][TMA_ROLE_TILE], 3 * TILE);
}

/* Loads of the warps that compute run two iterations ahead: each step issues the load of the step
 * after the next, and the last two none. */
TEST(loads_run_ahead) {
    ring(3);
    begin("r");
    struct tma_statement *steps = loop(VARIABLE, 5);
    steps->ahead = 2;
    add_ring(TMA_STATEMENT_WAIT, 0);
    compute(TMA_WORK_CYCLES, 1000);
    add_ring(TMA_STATEMENT_RELEASE, 0);
    struct tma_statement *ahead = add(TMA_STATEMENT_AHEAD);
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    load(0, "i");
    close(ahead);
    close(steps);
    end();
    run();
    ck_assert_uint_eq(result.counters.operations, 5);
    ck_assert_uint_eq(result.counters.bytes, 5 * ROW_BYTES);
    /* After the first, every wait finds its stage full: 5 computes, 4 waits that look, 3 loads
     * behind computes, and no mbarrier tells what the role knows itself. */
    uint64_t first = START + EXPECT + HIT + WAKE, body = 1000 + SPIN;
    ck_assert_uint_eq(result.cycles, first + 5 * body + 4 * WAIT + 3 * (EXPECT + ISSUE));
}

/* Both waits, with and without .read, end when the store has been read from shared memory. */
TEST(a_store_is_waited_for) {
    enum { READ = 10 + 4 + 6, STORE_WAKE = 3 };
    for (int full = 0; full < 2; full++) {
        set_up();
        buffer();
        begin("r");
        store_from(TMA_NO_RING, TMA_STORE, "0");
        add(TMA_STATEMENT_COMMIT);
        wait_stores(0, full == 0);
        end();
        run();
        ck_assert_uint_eq(result.cycles, START + READ + STORE_WAKE);
        tear_down();
    }
    set_up();
}

/* Programs that people write. Each builds its kernel, and says how many operations, loaded and
 * stored rows it has. */
static void attention(void) { /* Q once, K and V in rings of different depth */
    ring(1);
    ring(2);
    ring(3);
    begin("producer");
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    load(0, "0");
    struct tma_statement *steps = loop(VARIABLE, 6);
    for (uint8_t r = 1; r <= 2; r++) {
        add_ring(TMA_STATEMENT_ACQUIRE, r);
        load(r, "i");
    }
    close(steps);
    end();
    begin("consumer");
    add_ring(TMA_STATEMENT_WAIT, 0);
    steps = loop(VARIABLE, 6);
    for (uint8_t r = 1; r <= 2; r++) {
        add_ring(TMA_STATEMENT_WAIT, r);
        multiply(64, 8, 16, 0);
        instruct(TMA_SFU, 40);
        add_ring(TMA_STATEMENT_RELEASE, r);
    }
    close(steps);
    end();
}

static void taps(void) { /* nine filter taps of a convolution, innermost loops */
    ring(4);
    for (int role = 0; role < 2; role++) {
        begin(role == 0 ? "producer" : "consumer");
        struct tma_statement *channels = loop(VARIABLE, 2), *y = loop(VARIABLE + 1, 3),
                             *x = loop(VARIABLE + 2, 3);
        if (role == 0) {
            add_ring(TMA_STATEMENT_ACQUIRE, 0);
            load(0, "i * 16 + j * 4 + k");
        } else {
            add_ring(TMA_STATEMENT_WAIT, 0);
            add_ring(TMA_STATEMENT_RELEASE, 0);
        }
        close(x);
        close(y);
        close(channels);
        end();
    }
}

static void ping_pong(void) { /* two consumers take tiles by turns, in the order of two barriers */
    ring(2);
    ring(2);
    kernel.barrier_count = 2;
    begin("producer");
    struct tma_statement *steps = loop(VARIABLE, 8);
    for (uint8_t r = 0; r < 2; r++) {
        add_ring(TMA_STATEMENT_ACQUIRE, r);
        load(r, "i");
    }
    close(steps);
    end();
    for (uint8_t r = 0; r < 2; r++) {
        begin(r == 0 ? "first" : "second");
        if (r == 1) { /* lets the first one begin */
            struct tma_statement *arrive = add(TMA_STATEMENT_BARRIER);
            arrive->barrier = 0;
            arrive->arrive_only = true;
        }
        steps = loop(VARIABLE, 8);
        add(TMA_STATEMENT_BARRIER)->barrier = r;
        add_ring(TMA_STATEMENT_WAIT, r);
        multiply(64, 8, 16, 0);
        add_ring(TMA_STATEMENT_RELEASE, r);
        struct tma_statement *last = when(r == 0 ? "1" : "i < 7");
        struct tma_statement *arrive = add(TMA_STATEMENT_BARRIER);
        arrive->barrier = r == 0 ? 1 : 0;
        arrive->arrive_only = true;
        close(last);
        close(steps);
        end();
    }
}

static void split_k(void) { /* CTAs of the same tile add their parts by reductions */
    stream(2, 4);
    kernel.cta_count = 4;
    buffer();
    kernel.role_count--; /* a consumer of another kind */
    kernel.statement_count = kernel.roles[1].first;
    begin("consumer");
    struct tma_statement *steps = loop(VARIABLE, 4);
    add_ring(TMA_STATEMENT_WAIT, 0);
    add_ring(TMA_STATEMENT_RELEASE, 0);
    close(steps);
    store_from(TMA_NO_RING, TMA_REDUCE, "cta % 2");
    add(TMA_STATEMENT_COMMIT);
    wait_stores(0, false);
    end();
}

static void two_consumers(void) { /* a producer that feeds two roles from one ring */
    stream(3, 6);
    begin("other");
    struct tma_statement *steps = loop(VARIABLE, 6);
    add_ring(TMA_STATEMENT_WAIT, 0);
    compute(TMA_WORK_CYCLES, 30);
    add_ring(TMA_STATEMENT_RELEASE, 0);
    close(steps);
    end();
}

static void dynamic(void) {
    kernel.cta_count = 3;
    kernel.ctas_per_sm = 1;
    ring(2);
    for (int role = 0; role < 2; role++) {
        begin(role == 0 ? "producer" : "consumer");
        struct tma_statement *all = tiles(TMA_TILES_DYNAMIC, 4, 5);
        add_ring(role == 0 ? TMA_STATEMENT_ACQUIRE : TMA_STATEMENT_WAIT, 0);
        if (role == 0)
            load(0, "m * 5 + n");
        else
            add_ring(TMA_STATEMENT_RELEASE, 0);
        close(all);
        end();
    }
}

static void cluster(void) { /* each of four CTAs loads a part for all */
    machine.topology.gpc_count = 1;
    machine.topology.gpc_size[0] = SMS;
    kernel.cta_count = kernel.cluster_ctas = 4;
    stream(2, 5);
    for (uint32_t i = 0; i < kernel.statement_count; i++)
        if (statements[i].kind == TMA_STATEMENT_OPERATION) {
            statements[i].cta_mask = number(15);
            statements[i].shared_offset = expression("rank * 128");
            statements[i].coordinates[1] = expression("i * 4 + rank");
        }
    kernel.rings[0].release_mask = number(15);
}

static void early_exit(void) { /* CTAs past the tiles have nothing to do */
    kernel.cta_count = 4;
    ring(2);
    for (int role = 0; role < 2; role++) {
        begin(role == 0 ? "producer" : "consumer");
        struct tma_statement *past = when("cta >= 2");
        add(TMA_STATEMENT_EXIT);
        close(past);
        struct tma_statement *steps = loop(VARIABLE, 3);
        add_ring(role == 0 ? TMA_STATEMENT_ACQUIRE : TMA_STATEMENT_WAIT, 0);
        if (role == 0)
            load(0, "cta * 8 + i");
        else
            add_ring(TMA_STATEMENT_RELEASE, 0);
        close(steps);
        end();
    }
}

static void store_pipeline(void) { /* one role fills stages, another one stores them */
    ring(2);
    begin("maths");
    struct tma_statement *steps = loop(VARIABLE, 6);
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    compute(TMA_WORK_CYCLES, 50);
    add_ring(TMA_STATEMENT_SIGNAL, 0);
    close(steps);
    end();
    begin("storer");
    steps = loop(VARIABLE, 6);
    add_ring(TMA_STATEMENT_WAIT, 0);
    store_from(0, TMA_STORE, "i");
    add(TMA_STATEMENT_COMMIT);
    wait_stores(1, true);
    add_ring(TMA_STATEMENT_RELEASE, 0)->lag = 1;
    close(steps);
    wait_stores(0, false);
    end();
}

static const struct {
    const char *what;
    void (*build)(void);
    uint64_t operations, loaded, stored, reduced; /* rows */
} programs[] = {
    {"Q once, K and V in rings", attention, 13, 13, 0, 0},
    {"nine taps", taps, 18, 18, 0, 0},
    {"ping-pong", ping_pong, 16, 16, 0, 0},
    {"split K", split_k, 20, 16, 0, 4},
    {"two roles are fed", two_consumers, 6, 6, 0, 0},
    {"dynamic tiles", dynamic, 20, 20, 0, 0},
    {"cluster of four", cluster, 20, 80, 0, 0},
    {"early exit", early_exit, 6, 6, 0, 0},
    {"store pipeline", store_pipeline, 6, 0, 6, 0},
};

/* The spans of each role of each CTA, which follow each other without a gap. */
enum { MOST_CTAS = 16 };
static struct role_time { uint64_t first, end, cycles; } times[MOST_CTAS][TMA_MAX_ROLES];
static uint64_t starts[MOST_CTAS], ends[MOST_CTAS];

static void add_span(void *context, const struct tma_span *span) {
    (void)context;
    ck_assert_uint_lt(span->cta, MOST_CTAS);
    if (span->kind == TMA_SPAN_CTA) {
        starts[span->cta] = span->start_cycle;
        ends[span->cta] = span->end_cycle;
    }
    if (span->kind != TMA_SPAN_ROLE)
        return;
    struct role_time *time = &times[span->cta][span->slot];
    if (time->cycles == 0)
        time->first = time->end = span->start_cycle;
    ck_assert_uint_eq(span->start_cycle, time->end);
    time->end = span->end_cycle;
    time->cycles += span->end_cycle - span->start_cycle;
}

TEST_ROWS(programs_run, TABLE_ROWS(programs)) {
    const struct tma_span_sink sink = {.span = add_span};
    const struct tma_watch watch = {.spans = &sink};
    programs[_i].build();
    run();
    ck_assert_uint_eq(result.counters.operations, programs[_i].operations);
    ck_assert_uint_eq(result.counters.bytes, programs[_i].loaded * ROW_BYTES);
    ck_assert_uint_eq(result.counters.stored_bytes, programs[_i].stored * ROW_BYTES);
    ck_assert_uint_eq(result.counters.reduced_bytes, programs[_i].reduced * ROW_BYTES);
    struct tma_result again = result;
    memset(times, 0, sizeof times);
    ck_assert_int_eq(tma_kernel_run_watched(&machine, &kernel, NULL, &watch, &result, NULL, &error),
                     TMA_OK);
    ck_assert_uint_eq(result.cycles, again.cycles);
    /* All time of a role has a cause, from its start to its end. */
    for (uint32_t r = 0; r < kernel.role_count; r++) {
        uint64_t spent = 0, lasted = 0;
        for (int cause = 0; cause < TMA_ROLE_CAUSE_COUNT; cause++)
            spent += result.role_cycles[r][cause];
        for (uint32_t cta = 0; cta < kernel.cta_count; cta++) {
            lasted += times[cta][r].end - times[cta][r].first;
            if (times[cta][r].cycles > 0)
                ck_assert_uint_eq(times[cta][r].first, starts[cta] + START);
            ck_assert_uint_le(times[cta][r].end, ends[cta]);
        }
        ck_assert_uint_eq(spent, lasted);
    }
}

/* Programs whose cycles follow from the machine's numbers, because one role works all the time.
 *
 * FIRST is when a consumer goes on with the first tile. Then each of its turns finds its stage
 * full: it looks (WAIT), works (WORK, SPIN), and arrives (ARRIVE). */
enum {
    WORK = 1000,
    FIRST = START + WAIT + EXPECT + HIT + WAKE,
    TURN = WAIT + WORK + SPIN + ARRIVE,
    /* The TMA unit starts the second load of a producer so much later. */
    NEXT_LOAD = 8,
    /* A row arrives at an SM in as many cycles as it has sectors. */
    ROW_ARRIVES = 4,
    /* The unit gets the operation, reads a row of 4 sectors, and the warp goes on. A sector takes a
     * cycle, and for a reduction 1.5 cycles after one for the request. */
    STORED = 10 + 4 + 6 + 3,
    REDUCED = 10 + 1 + 6 + 9 + 3,
    COMMIT = 1,
    WAIT_GROUP = 2,
    /* From the signal of a stage until the release of the one before is seen: the storing role
     * wakes up, stores, and releases. In that time the other role has arrived and looked. */
    HAND_BACK = ARRIVED + WAKE + ISSUE + COMMIT + WAIT_GROUP + ARRIVED + WAKE - ARRIVE - WAIT
};

/* A consumer that works on `steps` stages of each ring in turn. */
static void consume(uint8_t first, uint8_t end_ring, int64_t steps) {
    struct tma_statement *all = loop(VARIABLE, steps);
    for (uint8_t r = first; r <= end_ring; r++) {
        add_ring(TMA_STATEMENT_WAIT, r);
        compute(TMA_WORK_CYCLES, WORK);
        add_ring(TMA_STATEMENT_RELEASE, r);
    }
    close(all);
}

static void produce(uint8_t first, uint8_t end_ring, int64_t steps) {
    struct tma_statement *all = loop(VARIABLE, steps);
    for (uint8_t r = first; r <= end_ring; r++) {
        add_ring(TMA_STATEMENT_ACQUIRE, r);
        load(r, "i");
    }
    close(all);
}

/* Q, then six K and six V. Q's tile is not worked on, so that the consumer waits for the first K.
 */
static void attention_of_known_cycles(void) {
    ring(1);
    ring(2);
    ring(3);
    begin("producer");
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    load(0, "0");
    produce(1, 2, 6);
    end();
    begin("consumer");
    add_ring(TMA_STATEMENT_WAIT, 0);
    consume(1, 2, 6);
    end();
}

static void taps_of_known_cycles(void) {
    taps();
    kernel.role_count--; /* a consumer that works */
    kernel.statement_count = kernel.roles[1].first;
    begin("consumer");
    consume(0, 0, 18);
    end();
}

/* Two consumers take turns: the tensor cores, or what stands for them, are handed over by named
 * barriers, and each turn is followed by the next. The barrier opens when the other one arrives, in
 * its turn's last statement. */
static void ping_pong_of_known_cycles(void) {
    ping_pong();
    for (uint32_t i = 0; i < kernel.statement_count; i++)
        if (statements[i].kind == TMA_STATEMENT_COMPUTE) {
            statements[i].work = TMA_WORK_CYCLES;
            statements[i].amount[0] = number(WORK);
        }
}

/* At the end the CTA's tile is read for the reduction. */
static void split_k_of_known_cycles(void) {
    split_k();
    kernel.cta_count = 1;
    kernel.role_count--;
    kernel.statement_count = kernel.roles[1].first;
    begin("consumer");
    consume(0, 0, 4);
    store_from(TMA_NO_RING, TMA_REDUCE, "0");
    add(TMA_STATEMENT_COMMIT);
    wait_stores(0, false);
    end();
}

static void two_depths_of_known_cycles(void) {
    ring(4);
    ring(2);
    begin("producer");
    produce(0, 1, 5);
    end();
    begin("consumer");
    consume(0, 1, 5);
    end();
}

/* The slower of two readers decides when a stage is empty. */
static void two_readers_of_known_cycles(void) {
    stream(3, 6);
    begin("slow");
    consume(0, 0, 6);
    end();
}

/* One CTA takes all ten tiles; the consumer's next tile is known by the time that it wants it. */
static void dynamic_of_known_cycles(void) {
    ring(2);
    begin("producer");
    struct tma_statement *all = tiles(TMA_TILES_DYNAMIC, 5, 2);
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    load(0, "m * 2 + n");
    close(all);
    end();
    begin("consumer");
    all = tiles(TMA_TILES_DYNAMIC, 5, 2);
    add_ring(TMA_STATEMENT_WAIT, 0);
    compute(TMA_WORK_CYCLES, WORK);
    add_ring(TMA_STATEMENT_RELEASE, 0);
    close(all);
    end();
}

/* All four consumers work alike, on parts that each CTA loads for all. The four parts of the first
 * tile arrive one after the other. */
static void cluster_of_known_cycles(void) {
    cluster();
    kernel.role_count--;
    kernel.statement_count = kernel.roles[1].first;
    begin("consumer");
    consume(0, 0, 5);
    end();
}

/* All CTAs but one leave at once. */
static void early_exit_of_known_cycles(void) {
    kernel.cta_count = 4;
    ring(2);
    for (int role = 0; role < 2; role++) {
        begin(role == 0 ? "producer" : "consumer");
        struct tma_statement *others = when("cta > 0");
        add(TMA_STATEMENT_EXIT);
        close(others);
        if (role == 0)
            produce(0, 0, 3);
        else
            consume(0, 0, 3);
        end();
    }
}

/* The first role works longer than the second one stores. But a stage is released behind the next
 * one, so that from the third stage on the first role waits for the second one. */
static void store_pipeline_of_known_cycles(void) {
    store_pipeline();
    for (uint32_t i = 0; i < kernel.statement_count; i++)
        if (statements[i].kind == TMA_STATEMENT_COMPUTE)
            statements[i].amount[0] = number(WORK);
}

static const struct {
    const char *what;
    void (*build)(void);
    uint64_t cycles;
} known[] = {
    {"Q once, K and V in rings", attention_of_known_cycles, FIRST + NEXT_LOAD + 12 * TURN - WAIT},
    {"nine taps", taps_of_known_cycles, FIRST + 18 * TURN - WAIT},
    {"ping-pong", ping_pong_of_known_cycles, FIRST + 16 * (TURN + BARRIER) - WAIT - BARRIER},
    {"split K", split_k_of_known_cycles, FIRST + 4 * TURN - WAIT + REDUCED},
    {"two depths", two_depths_of_known_cycles, FIRST + 10 * TURN - WAIT},
    {"two roles are fed", two_readers_of_known_cycles, FIRST + 6 * TURN - WAIT},
    {"dynamic tiles", dynamic_of_known_cycles, FIRST + 10 * TURN - WAIT},
    {"cluster of four", cluster_of_known_cycles, FIRST + 3 * ROW_ARRIVES + 5 * TURN - WAIT},
    {"early exit", early_exit_of_known_cycles, FIRST + 3 * TURN - WAIT},
    {"store pipeline", store_pipeline_of_known_cycles,
     START + 6 * (TURN + EXPECT) + 4 * HAND_BACK - ARRIVE + ARRIVED + WAKE + STORED},
};

TEST_ROWS(programs_take_their_time, TABLE_ROWS(known)) {
    known[_i].build();
    run();
    ck_assert_msg(result.cycles == known[_i].cycles, "%s: %llu cycles instead of %llu",
                  known[_i].what, (unsigned long long)result.cycles,
                  (unsigned long long)known[_i].cycles);
}

/* What is refused, or found while it runs: with a part of its text. */
static void never_filled(void) {
    ring(1);
    begin("consumer");
    add_ring(TMA_STATEMENT_WAIT, 0);
    end();
}

static void never_released(void) {
    stream(2, 3);
    kernel.roles[1].end = --kernel.statement_count; /* without its RELEASE */
    statements[kernel.roles[1].first].end = kernel.statement_count;
}

/* What depends on a condition is found while the program runs. */
static void released_twice(void) {
    stream(2, 3);
    struct tma_statement *first = when("cta == 0");
    add_ring(TMA_STATEMENT_RELEASE, 0);
    close(first);
    kernel.roles[1].end = kernel.statement_count;
}

static void too_few_releases(void) {
    stream(1, 3);
    statements[kernel.roles[1].first].to = number(1);
}

static void endless(void) {
    begin("r");
    loop(VARIABLE, 3)->step = number(0);
    end();
}

static void too_many(void) {
    stream(2, INT64_C(1) << 40);
    kernel.cta_count = 4;
}

static void past_coordinates(void) {
    stream(2, 2);
    kernel.maps[0].box_dim[0] = 32;
    statements[2].coordinates[0] = number(4); /* 8 bytes */
}

static void too_large(void) {
    stream(2, 2);
    kernel.rings[0].stage_bytes = 60000;
}

static void too_many_threads(void) {
    stream(2, 2);
    kernel.roles[0].warps = 40;
}

static void store_while_filling(void) {
    ring(1);
    begin("r");
    add_ring(TMA_STATEMENT_ACQUIRE, 0);
    load(0, "0");
    struct tma_statement *others = when("cta > 0");
    add_ring(TMA_STATEMENT_WAIT, 0);
    close(others);
    store_from(0, TMA_STORE, "1");
    end();
}

static void missing_barrier(void) {
    kernel.barrier_count = 1;
    kernel.barriers[0].arrivals = 2;
    snprintf(kernel.barriers[0].name, sizeof kernel.barriers[0].name, "meet");
    begin("r");
    add(TMA_STATEMENT_BARRIER);
    end();
    begin("s");
    struct tma_statement *others = when("cta > 0");
    add(TMA_STATEMENT_BARRIER);
    close(others);
    end();
}

/* A box of that stride has no size: nothing may count with it. */
static void refused_map(void) {
    stream(2, 2);
    kernel.maps[0].element_strides[1] = 0;
}

static const struct {
    const char *what;
    void (*build)(void);
    enum tma_error_code code;
    const char *text;
    uint32_t line; /* of the statement; 0: none */
} refusals[] = {
    {"never filled", never_filled, TMA_ERROR_ARGUMENT, "which no role acquires", 1},
    {"never released", never_released, TMA_ERROR_ARGUMENT, "is never released", 2},
    {"released twice", released_twice, TMA_ERROR_FAULT, "releases a stage a second time", 8},
    {"too few releases", too_few_releases, TMA_ERROR_DEADLOCK,
     "role producer (i = 2) waits for stage 0 of ring ring0 to be empty", 2},
    {"endless", endless, TMA_ERROR_ARGUMENT, "the loop over i never ends", 0},
    {"too many", too_many, TMA_ERROR_ARGUMENT, "more than 1000000000 need the option --yes", 0},
    {"coordinates", past_coordinates, TMA_ERROR_FAULT, "role producer, operation 0", 3},
    {"too large", too_large, TMA_ERROR_ARGUMENT, "bytes of shared memory", 0},
    {"threads", too_many_threads, TMA_ERROR_ARGUMENT, "threads", 0},
    {"store while filling", store_while_filling, TMA_ERROR_FAULT, "still being filled", 5},
    {"map", refused_map, TMA_ERROR_TENSOR_MAP, "element_strides[1] is 0 elements", 0},
    {"barrier", missing_barrier, TMA_ERROR_DEADLOCK, "at barrier meet, which 1 of 2", 1},
};

TEST_ROWS(faults_are_named, TABLE_ROWS(refusals)) {
    struct tma_kernel_place place = {0};
    refusals[_i].build();
    enum tma_error_code code = run_kernel(&place);
    ck_assert_msg(code == refusals[_i].code, "%s: %d, %s", refusals[_i].what, code, error.text);
    ck_assert_msg(strstr(error.text, refusals[_i].text) != NULL, "%s: %s", refusals[_i].what,
                  error.text);
    if (refusals[_i].line != 0)
        ck_assert_uint_eq(place.line, refusals[_i].line);
}

/* At half the SM clock, DRAM's latency is half as many cycles. */
TEST(memory_keeps_its_clock) {
    kernel.cold = true;
    stream(1, 1);
    run();
    uint64_t usual = result.cycles;
    kernel.sm_clock_mhz = machine.sm_clock_mhz / 2;
    run();
    struct tma_machine slow = tma_machine_at_clock(&machine, machine.sm_clock_mhz / 2);
    ck_assert_uint_eq(tma_machine_dram_cycles(&slow), tma_machine_dram_cycles(&machine) / 2);
    ck_assert_uint_eq(slow.crossbar.gpc_port_bytes_per_kcycle,
                      2 * machine.crossbar.gpc_port_bytes_per_kcycle);
    ck_assert_uint_lt(result.cycles, usual);
    ck_assert_uint_ge(2 * result.cycles, usual);
}

TEST_SUITE("kernel_run", .set_up = set_up, .tear_down = tear_down);
