/* Groups of wgmma on an H100, from shared memory and from registers, sparse and dense:
 * product_rates.tsv has the cycles of one more in a group (scripts/capture/ptx_sparse.py --rates),
 * product_groups.tsv those of groups of several sizes behind each other, of which some are in
 * flight (scripts/capture/product_groups.cu). */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/core_run.h"
#include "gpus.h"
#include "ptx/read.h"

enum { FEW = 4, MANY = 12, GROUPS = 64, TEXT_BYTES = 1 << 17 };

/* The largest mean errors, in percent: today's, rounded up. */
static const double most_rate = 9, most_group = 9;

struct products {
    const char *sums, *type;
    uint32_t n, count, leave, warp_groups;
    bool in_registers, sparse;
};

static struct tma_machine machine;
static char text[TEXT_BYTES];
static size_t length;

__attribute__((format(printf, 1, 2))) static void add(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    length += (size_t)vsnprintf(text + length, sizeof text - length, format, arguments);
    va_end(arguments);
    ck_assert_uint_lt(length, sizeof text);
}

static void add_registers(char name, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        add("%s%%%c%" PRIu32, i == 0 ? "{" : ",", name, i);
    add("}");
}

static void write_kernel(const struct products *products) {
    const char *type = products->type;
    uint32_t bits = strcmp(type, "tf32") == 0 ? 32 : strstr(type, "f16") != NULL ? 16 : 8;
    uint32_t columns = (products->sparse ? 512 : 256) / bits;
    bool halves = bits == 16, floats = type[0] != 's';
    length = 0;
    add(".version 8.5\n.target sm_90a\n.address_size 64\n.extern .shared .align 1024 .b8 sm[];\n"
        ".visible .entry k() {\n.reg .b64 %%da, %%db; .reg .b32 %%r<2>, %%a<4>, %%d<%" PRIu32
        ">, %%e; .reg .pred %%p;\nmov.b32 %%r0, sm; shr.u32 %%r0, %%r0, 4; cvt.u64.u32 %%da, %%r0; "
        "or.b64 %%da, %%da, 0x4000004000010000; add.s64 %%db, %%da, 2048; mov.b32 %%r1, 0;\nL: "
        "wgmma.fence.sync.aligned;\n",
        products->n / 2);
    for (uint32_t i = 0; i < products->count; i++) {
        add("wgmma.mma_async%s.sync.aligned.m64n%" PRIu32 "k%" PRIu32 ".%s.%s.%s ",
            products->sparse ? ".sp" : "", products->n, columns, products->sums, type, type);
        add_registers('d', products->n / 2);
        add(",");
        if (products->in_registers)
            add_registers('a', 4);
        else
            add("%%da");
        add(", %%db, %s1%s%s;\n", products->sparse ? "%e, 0, " : "", floats ? ", 1, 1" : "",
            !halves                  ? ""
            : products->in_registers ? ", 0"
                                     : ", 0, 0");
    }
    add("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned %" PRIu32
        ";\nadd.u32 %%r1, %%r1, 1; setp.lt.u32 %%p, %%r1, %d; @%%p bra L; "
        "wgmma.wait_group.sync.aligned 0; ret;\n}\n",
        products->leave, GROUPS);
}

/* Cycles of the launch. */
static double run(const struct products *products) {
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_error error;
    struct tma_ptx_result result;
    struct tma_core_result timing;
    write_kernel(products);
    struct tma_ptx_module *module = tma_ptx_read(text, length, "k.ptx", &list);
    ck_assert_msg(module != NULL, "%s", list.count > 0 ? list.items[0].text : "?");
    struct tma_ptx_launch launch = {.module = module,
                                    .function = tma_ptx_find_function(module, "k"),
                                    .grid = {1, 1, 1},
                                    .block = {128 * products->warp_groups, 1, 1},
                                    .cluster = {1, 1, 1},
                                    .dynamic_shared = 65536,
                                    .resident_ctas = 1};
    ck_assert(tma_core_run(&machine, &launch, NULL, &result, &timing, &error) == TMA_OK);
    ck_assert_msg(result.failure == TMA_PTX_COMPLETED, "%s",
                  result.finding_count > 0 ? result.findings[0].text : "");
    double cycles = (double)timing.cycles;
    tma_core_result_free(&timing);
    tma_ptx_result_free(&result);
    tma_ptx_module_free(module);
    return cycles;
}

static double error_of(double predicted, double measured, const struct products *products) {
    double error = 100 * (predicted / measured - 1);
    if (getenv("VERBOSE") != NULL)
        printf("%s%s n=%u %s count=%u leave=%u groups=%u: %.1f, measured %.1f: %+.1f %%\n",
               products->type, products->sparse ? " sparse" : "", products->n,
               products->in_registers ? "registers" : "shared", products->count, products->leave,
               products->warp_groups, predicted, measured, error);
    return fabs(error);
}

TEST(test_rates) {
    struct tma_tsv records;
    double sum = 0;
    read_records("tests/hardware/h100/product_rates.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        struct products products = {
            .sums = tma_tsv_cell(&records, row, "sums"),
            .type = tma_tsv_cell(&records, row, "type"),
            .n = record_number(&records, row, "n"),
            .count = FEW,
            .warp_groups = 1,
            .in_registers = strcmp(tma_tsv_cell(&records, row, "a"), "registers") == 0,
            .sparse = record_number(&records, row, "sparse") == 1,
        };
        double few = run(&products);
        products.count = MANY;
        sum += error_of((run(&products) - few) / (GROUPS * (MANY - FEW)),
                        strtod(tma_tsv_cell(&records, row, "cycles_a_wgmma"), NULL), &products);
    }
    double mean = sum / (double)records.rows;
    printf("%zu rates of products: mean error %.1f %%\n", records.rows, mean);
    ck_assert_msg(mean <= most_rate, "mean error %.1f %%", mean);
    tma_tsv_free(&records);
}

TEST(test_groups) {
    struct tma_tsv records;
    double sum = 0;
    read_records("tests/hardware/h100/product_groups.tsv", &records);
    for (size_t row = 0; row < records.rows; row++) {
        struct products products = {
            .sums = "f32",
            .type = "f16",
            .n = record_number(&records, row, "n"),
            .count = record_number(&records, row, "products"),
            .leave = record_number(&records, row, "leave"),
            .warp_groups = record_number(&records, row, "groups"),
        };
        sum += error_of(run(&products) / GROUPS,
                        strtod(tma_tsv_cell(&records, row, "cycles"), NULL), &products);
    }
    double mean = sum / (double)records.rows;
    printf("%zu groups of products: mean error %.1f %%\n", records.rows, mean);
    ck_assert_msg(mean <= most_group, "mean error %.1f %%", mean);
    tma_tsv_free(&records);
}

static void set_up(void) {
    machine = shipped_machine("h100_sxm");
}

TEST_SUITE("product rates", .timeout = 300, .set_up_once = set_up);
