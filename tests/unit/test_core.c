/* The timing of compiled kernels: what instructions cost beside each other. Each row has two
 * kernels, and by how many cycles the second one takes longer than the first. A kernel gets the
 * address of 1 MiB in %in. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/diagnostics.h"
#include "core/core_run.h"
#include "machine.h"
#include "ptx/read.h"
#include "scenario/machine_file.h"
#include "suite.h"

struct row {
    const char *name;
    uint32_t threads;
    const char *less, *more;
    int64_t least, most; /* cycles that `more` takes longer */
};

#define HEAD                                                                                       \
    ".reg .b64 %in, %rd<8>; .reg .b32 %t, %r<16>; .reg .pred %p<4>; .reg .f32 %f<64>;\n"           \
    ".shared .align 1024 .b8 s[16384]; .shared .align 8 .b64 m;\n"                                 \
    "ld.param.u64 %in, [in]; mov.u32 %t, %tid.x; cvt.rn.f32.u32 %f0, %t; mul.f32 %f1, %f0, %f0; "  \
    "shl.b32 %r0, %t, 2; mov.u32 %r1, s; add.u32 %r2, %r1, %r0; mul.wide.u32 %rd0, %t, 4; "        \
    "add.s64 %rd0, %rd0, %in;\n"
#define FOUR(text)    text text text text
#define SIXTEEN(text) FOUR(text) FOUR(text) FOUR(text) FOUR(text)
#define KEEP(value)   "st.global.f32 [%rd0], " value "; ret;"

#define CHAIN  "fma.rn.f32 %f1, %f1, %f0, %f0; "
#define SHARED "ld.volatile.shared.f32 %f2, [%r2]; add.f32 %f1, %f1, %f2; "

/* A map of 256 x 256 halves at %in, with boxes of 64 x 64, made in shared memory and put at %rd1.
 */
#define REPLACE(field, type, value)                                                                \
    "@%p0 tensormap.replace.tile." field ".shared::cta.b1024." type " [%r1], " value "; "
#define MAP                                                                                        \
    "setp.eq.u32 %p0, %t, 0; mov.u32 %r3, m; @%p0 mbarrier.init.shared.b64 [%r3], 1; "             \
    "mov.u32 %r5, 0; st.shared.u32 [%r2], %r5; add.u32 %r4, %r1, 1024; "                           \
    "add.s64 %rd1, %in, 524288; bar.warp.sync 0xffffffff; " REPLACE(                               \
        "global_address", "b64", "%in") REPLACE("rank", "b32", "1")                                \
        REPLACE("box_dim", "b32", "0, 64") REPLACE("box_dim", "b32", "1, 64")                      \
            REPLACE("global_dim", "b32", "0, 256") REPLACE("global_dim", "b32", "1, 256")          \
                REPLACE("global_stride", "b64", "0, 512") REPLACE("element_stride", "b32", "0, 1") \
                    REPLACE("element_stride", "b32", "1, 1") REPLACE("elemtype", "b32", "6")       \
                        REPLACE("interleave_layout", "b32", "0")                                   \
                            REPLACE("swizzle_mode", "b32", "3")                                    \
                                REPLACE("fill_mode", "b32",                                        \
                                        "0") "tensormap.cp_fenceproxy.global.shared::cta."         \
                                             "tensormap::generic.release.gpu.sync.aligned "        \
                                             "[%rd1], [%r1], 128; "
#define ACQUIRE "fence.proxy.tensormap::generic.acquire.gpu [%rd1], 128; "
#define LOAD(label, parity)                                                                        \
    "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 8192; @%p0 "                              \
    "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r4], [%rd1, "   \
    "{%r5, %r5}], [%r3]; " label ": mbarrier.try_wait.parity.shared.b64 %p1, [%r3], " parity       \
    "; @!%p1 bra " label "; "

static const struct row rows[] = {
    {"a chain of 64 products and sums has their latencies", 32, KEEP("%f1"),
     FOUR(SIXTEEN(CHAIN)) KEEP("%f1"), 4 * 63, 4 * 64 + 8},
    {"two chains beside each other take no longer than one", 32, FOUR(SIXTEEN(CHAIN)) KEEP("%f1"),
     FOUR(SIXTEEN(
         "fma.rn.f32 %f1, %f1, %f0, %f0; fma.rn.f32 %f2, %f2, %f0, %f0; ")) "add.f32 %f1, %f1, "
                                                                            "%f2; " KEEP("%f1"),
     0, 16},
    {"eight warps share the issue slots of four schedulers", 512, SIXTEEN(CHAIN) KEEP("%f1"),
     FOUR(SIXTEEN(CHAIN)) KEEP("%f1"), 48 * 4, 48 * 4 + 64},
    {"a special function occupies its pipe for eight cycles", 128,
     "ex2.approx.f32 %f1, %f0; " KEEP("%f1"),
     SIXTEEN("ex2.approx.f32 %f2, %f0; add.f32 %f1, %f1, %f2; ") KEEP("%f1"), 15 * 8, 15 * 20},
    {"lanes that hit one bank take their turns", 32,
     "mov.u32 %r3, %r2; ld.volatile.shared.f32 %f2, [%r3]; add.f32 %f1, %f1, %f2; " KEEP("%f1"),
     "mad.lo.u32 %r3, %t, 128, %r1; ld.volatile.shared.f32 %f2, [%r3]; add.f32 %f1, %f1, "
     "%f2; " KEEP("%f1"),
     31, 40},
    {"a second load of a line hits in L1", 32, "ld.global.f32 %f1, [%rd0]; " KEEP("%f1"),
     "ld.global.f32 %f1, [%rd0]; cvt.rzi.u32.f32 %r4, %f1; and.b32 %r4, %r4, 0; cvt.u64.u32 %rd1, "
     "%r4; add.s64 %rd1, %rd1, %rd0; ld.global.f32 %f2, [%rd1]; add.f32 %f1, %f1, %f2; " KEEP(
         "%f1"),
     30, 120},
    {"an access past L1 goes to L2 again", 32, "ld.global.cg.f32 %f1, [%rd0]; " KEEP("%f1"),
     "ld.global.cg.f32 %f1, [%rd0]; cvt.rzi.u32.f32 %r4, %f1; and.b32 %r4, %r4, 0; cvt.u64.u32 "
     "%rd1, %r4; add.s64 %rd1, %rd1, %rd0; ld.global.cg.f32 %f2, [%rd1]; add.f32 %f1, %f1, "
     "%f2; " KEEP("%f1"),
     180, 500},
    {"a barrier waits for the last warp", 64, "bar.sync 0; " KEEP("%f1"),
     "setp.ge.u32 %p0, %t, 32; @%p0 nanosleep.u32 1000; bar.sync 0; " KEEP("%f1"), 1980, 2100},
    {"a bulk copy ends with its bytes", 32, "ret;",
     "mov.u32 %r3, m; setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0; "
     "@%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 4096; @%p0 "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 4096, [%r3]; "
     "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra W; ret;",
     700, 1600},
    /* An H100: the second load takes 440 cycles, or 680 behind a fence that acquires its map. */
    {"a fence that acquires a tensor map lets the next load fetch it", 32,
     MAP ACQUIRE LOAD("V", "0") LOAD("W", "1") "ret;",
     MAP ACQUIRE LOAD("V", "0") ACQUIRE LOAD("W", "1") "ret;", 200, 290},
    {"a fence that acquires a tensor map waits until it is written", 32,
     MAP FOUR(SIXTEEN(CHAIN)) KEEP("%f1"), MAP ACQUIRE FOUR(SIXTEEN(CHAIN)) KEEP("%f1"), 150, 600},
    {"a fence waits for stores", 32,
     "st.global.f32 [%rd0], %f1; membar.cta; " FOUR(SIXTEEN(CHAIN)) KEEP("%f1"),
     "st.global.f32 [%rd0], %f1; membar.gl; " FOUR(SIXTEEN(CHAIN)) KEEP("%f1"), 180, 1200},
    /* An H100: 675 cycles with clocks around it, whatever stores are before (h100/fences.tsv). */
    {"stores end while a fence takes its time", 32, "membar.gl; " KEEP("%f1"),
     FOUR("st.global.f32 [%rd0+4096], %f1; ") "membar.gl; " KEEP("%f1"), 0, 40},
    {"fences of an SM follow each other by 51.6 cycles", 512, KEEP("%f1"),
     FOUR("membar.gl; ") KEEP("%f1"), 3150, 3330},
    {"an atomic whose result nothing reads is a reduction", 32,
     "red.global.add.f32 [%rd0], %f1; " FOUR(SIXTEEN(CHAIN)) KEEP("%f1"),
     "atom.global.add.f32 %f2, [%rd0], %f1; " FOUR(SIXTEEN(CHAIN)) KEEP("%f1"), 0, 0},
    {"a launch ends when its write is in L2", 32, "ret;", KEEP("%f1"), 180, 700},
    {"what needs a load does not hold up another one", 32,
     "ld.global.f32 %f2, [%rd0]; add.f32 %f1, %f1, %f2; " KEEP("%f1"),
     "ld.global.f32 %f2, [%rd0]; add.f32 %f1, %f1, %f2; ld.global.f32 %f3, [%rd0+65536]; add.f32 "
     "%f1, %f1, %f3; " KEEP("%f1"),
     0, 150},
    {"what an instruction reads may be written anew while it waits for a load", 32,
     "ld.global.f32 %f2, [%rd0]; add.f32 %f3, %f1, %f2; add.f32 %f4, %f3, %f2; " KEEP("%f4"),
     "ld.global.f32 %f2, [%rd0]; add.f32 %f3, %f1, %f2; add.f32 %f1, %f3, %f2; " KEEP("%f1"), 0, 0},
    {"but a store does, which needs it", 32,
     "ld.global.f32 %f2, [%rd0]; st.global.f32 [%rd0+4096], %f2; " KEEP("%f1"),
     "ld.global.f32 %f2, [%rd0]; st.global.f32 [%rd0+4096], %f2; ld.global.f32 %f3, [%rd0+65536]; "
     "add.f32 %f1, %f1, %f3; " KEEP("%f1"),
     400, 1200},
};

/* How launches run, and what they executed. */
static struct way {
    uint32_t ctas, shared;
    uint64_t sample_from, instructions;
} way = {.ctas = 1};

/* `before`: functions that stand before the kernel. */
static void run_behind(const char *before, const char *name, const char *body, uint32_t threads,
                       struct tma_core_result *timing, uint64_t *warps) {
    static char text[1 << 16];
    static uint8_t memory[1 << 20];
    static uint8_t opaque[1 << 17];
    struct tma_machine machine;
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    ck_assert(tma_machine_read("configs/gpus/h200.yaml", &machine, &diagnostics));
    snprintf(text, sizeof text,
             ".version 8.7\n.target sm_90a\n.address_size 64\n%s.visible .entry k(.param .u64 in)\n"
             "{\n%s%s\n}\n",
             before, HEAD, body);
    struct tma_ptx_module *module = tma_ptx_read(text, strlen(text), "k.ptx", &diagnostics);
    ck_assert_msg(module != NULL, "%s: %s", name,
                  diagnostics.count > 0 ? diagnostics.items[0].text : "?");
    memset(memory, 0, sizeof memory);
    memset(opaque, 0, sizeof opaque);
    struct tma_ptx_buffer buffer = {"in", 0x700000000, sizeof memory, memory, opaque};
    uint64_t parameter = buffer.address;
    struct tma_ptx_launch launch = {.module = module,
                                    .function = tma_ptx_find_function(module, "k"),
                                    .grid = {way.ctas, 1, 1},
                                    .block = {threads, 1, 1},
                                    .cluster = {1, 1, 1},
                                    .dynamic_shared = way.shared,
                                    .parameters = (const uint8_t *)&parameter,
                                    .buffers = &buffer,
                                    .buffer_count = 1,
                                    .resident_ctas = 132};
    struct tma_ptx_result result;
    struct tma_error error;
    const struct tma_ptx_options options = {.sample_from = way.sample_from};
    ck_assert_msg(tma_core_run(&machine, &launch, &options, &result, timing, &error) == TMA_OK,
                  "%s: %s", name, error.text);
    ck_assert_msg(result.failure == TMA_PTX_COMPLETED, "%s: %s", name,
                  result.finding_count > 0 ? result.findings[0].text : "");
    /* What lines take is what all of it takes. */
    uint64_t sums[TMA_STALL_COUNT] = {0}, all = 0;
    for (size_t i = 0; i < module->instruction_count; ++i)
        for (int stall = 0; stall < TMA_STALL_COUNT; ++stall)
            sums[stall] += timing->line_stalls[i][stall];
    for (int stall = 0; stall < TMA_STALL_COUNT; ++stall) {
        ck_assert_msg(sums[stall] == timing->stalls[stall], "%s: %s", name,
                      tma_core_stall_key((enum tma_core_stall)stall));
        all += sums[stall];
    }
    way.instructions = result.instructions;
    *warps = (uint64_t)way.ctas * ((threads + 31) / 32);
    ck_assert_msg(timing->sampled_cycles > 0 || all <= *warps * (timing->cycles + 1),
                  "%s: warps are busy for longer than the run", name);
    tma_ptx_result_free(&result);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&diagnostics);
}

static void run(const char *name, const char *body, uint32_t threads,
                struct tma_core_result *timing, uint64_t *warps) {
    run_behind("", name, body, threads, timing, warps);
}

TEST_ROWS(instructions_cost_what_they_should, TABLE_ROWS(rows)) {
    const struct row *row = &rows[_i];
    struct tma_core_result less, more, again;
    uint64_t warps;
    run(row->name, row->less, row->threads, &less, &warps);
    run(row->name, row->more, row->threads, &more, &warps);
    run(row->name, row->more, row->threads, &again, &warps);
    int64_t longer = (int64_t)more.cycles - (int64_t)less.cycles;
    ck_assert_msg(row->least <= longer && longer <= row->most,
                  "%s: %lld cycles longer (%llu, %llu)", row->name, (long long)longer,
                  (unsigned long long)less.cycles, (unsigned long long)more.cycles);
    ck_assert_msg(more.cycles == again.cycles && more.issue_slots == again.issue_slots,
                  "%s: another time", row->name);
    tma_core_result_free(&less);
    tma_core_result_free(&more);
    tma_core_result_free(&again);
}

/* Functions that a kernel does not call change nothing, wherever they stand. */
TEST_ROWS(other_functions_do_not_matter, TABLE_ROWS(rows)) {
    static char other[1 << 12];
    const struct row *row = &rows[_i];
    struct tma_core_result alone, behind;
    uint64_t warps;
    size_t at = (size_t)snprintf(other, sizeof other, ".entry other() {\n.reg .b32 %%o<90>;\n");
    for (int i = 0; i < 90; ++i)
        at += (size_t)snprintf(other + at, sizeof other - at, "mov.u32 %%o%d, %d;\n", i, i);
    snprintf(other + at, sizeof other - at, "ret;\n}\n");
    run(row->name, row->more, row->threads, &alone, &warps);
    run_behind(other, row->name, row->more, row->threads, &behind, &warps);
    ck_assert_uint_eq(alone.cycles, behind.cycles);
    ck_assert_uint_eq(alone.issue_slots, behind.issue_slots);
    tma_core_result_free(&alone);
    tma_core_result_free(&behind);
}

/* The GPU starts one CTA after the other. */
TEST(ctas_start_one_after_the_other) {
    enum { CTAS = 4096 };
    struct tma_core_result timing;
    uint64_t warps;
    way.ctas = CTAS;
    run("CTAs that do nothing", "ret;", 128, &timing, &warps);
    way.ctas = 1;
    ck_assert_msg(timing.cycles >= CTAS * 119 / 100 && timing.cycles <= CTAS * 119 / 100 + 400,
                  "%llu cycles", (unsigned long long)timing.cycles);
    tma_core_result_free(&timing);
}

/* A function that the kernel calls takes time and issue slots, as its instructions in the kernel
 * do. */
TEST(called_functions_take_time) {
    struct tma_core_result plain, calls;
    uint64_t warps;
    run("without a call", KEEP("%f1"), 32, &plain, &warps);
    run_behind(".func (.reg .f32 %o) chain(.reg .f32 %f0)\n"
               "{\n.reg .f32 %f1; mov.f32 %f1, %f0;\n" SIXTEEN(CHAIN) "mov.f32 %o, %f1; ret;\n}\n",
               "with a call", "call (%f1), chain, (%f1); " KEEP("%f1"), 32, &calls, &warps);
    ck_assert_msg(calls.cycles >= plain.cycles + 4 * 15, "%llu, %llu cycles",
                  (unsigned long long)calls.cycles, (unsigned long long)plain.cycles);
    ck_assert_uint_ge(calls.issue_slots, plain.issue_slots + 16);
    tma_core_result_free(&plain);
    tma_core_result_free(&calls);
}

/* What stands before products: in the second case a lane waits for bytes, and its warp for it. */
static const struct {
    const char *text;
    uint64_t most_cycles; /* besides those of the tensor cores */
} before_products[] = {
    {"", 600},
    {"mov.u32 %r3, m; setp.eq.u32 %p0, %t, 0; @%p0 mbarrier.init.shared.b64 [%r3], 1; bar.sync 0; "
     "@!%p0 bra J; mbarrier.arrive.expect_tx.shared.b64 _, [%r3], 4096; "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%in], 4096, [%r3]; "
     "W: mbarrier.try_wait.parity.shared.b64 %p1, [%r3], 0; @!%p1 bra W; J: ",
     2600}};

/* Eight products of 64 x 256 x 16 take the tensor cores 128 cycles each. */
TEST_ROWS(products_take_the_tensor_cores, TABLE_ROWS(before_products)) {
    static char body[1 << 14], list[2048];
    struct tma_core_result timing;
    uint64_t warps;
    size_t at = 0;
    for (int i = 0; i < 128; ++i)
        at += (size_t)snprintf(list + at, sizeof list - at, "%s%%d%d", i ? "," : "", i);
    at = (size_t)snprintf(body, sizeof body,
                          ".reg .f32 %%d<128>; .reg .b64 %%da; .reg .pred %%q; mov.b64 %%da, "
                          "0x4000000000000040; setp.eq.u32 %%q, %%t, 5000; %s"
                          "wgmma.fence.sync.aligned;",
                          before_products[_i].text);
    for (int i = 0; i < 8; ++i)
        at += (size_t)snprintf(body + at, sizeof body - at,
                               "wgmma.mma_async.sync.aligned.m64n256k16.f32.f16.f16 {%s}, %%da, "
                               "%%da, 1, 1, 1, 0, 0;\n",
                               list);
    snprintf(body + at, sizeof body - at,
             "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0; st.global.f32 "
             "[%%rd0], %%d0; ret;");
    run("products", body, 128, &timing, &warps);
    ck_assert_uint_eq(timing.tensor_cycles, 8 * 128);
    ck_assert_uint_eq(timing.macs[TMA_MMA_HALF], UINT64_C(8) * 64 * 256 * 16);
    ck_assert(timing.cycles > 8 * 128 && timing.cycles < 8 * 128 + before_products[_i].most_cycles);
    ck_assert(timing.stalls[TMA_STALL_PRODUCT] > 0);
    tma_core_result_free(&timing);
}

/* A ring of one stage, filled by the TMA unit %u times. */
#define RING                                                                                       \
    "mov.u32 %%r3, m; setp.eq.u32 %%p0, %%t, 0; @%%p0 mbarrier.init.shared.b64 [%%r3], 1; "        \
    "bar.sync 0; mov.u32 %%r4, 0; mov.u32 %%r5, 0;\n"                                              \
    "L: @%%p0 mbarrier.arrive.expect_tx.shared.b64 _, [%%r3], 4096; @%%p0 "                        \
    "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%%r1], [%%in], 4096, "     \
    "[%%r3];\n"                                                                                    \
    "W: mbarrier.try_wait.parity.shared.b64 %%p1, [%%r3], %%r5; @!%%p1 bra W;\n"                   \
    "ld.volatile.shared.f32 %%f2, [%%r2]; add.f32 %%f1, %%f1, %%f2; bar.sync 0; "                  \
    "xor.b32 %%r5, %%r5, 1; add.u32 %%r4, %%r4, 1; setp.lt.u32 %%p2, %%r4, %u; @%%p2 bra L; "      \
    "st.global.f32 [%%rd0], %%f1; ret;"

/* Iterations of a loop, or CTAs: what is left out is added to the time and to the counts. */
static const struct {
    const char *name;
    uint32_t ctas, shared, iterations;
} repeating[] = {{"iterations", 1, 0, 2000}, {"CTAs", 132 * 24, 200000, 24}};

TEST_ROWS(what_repeats_can_be_left_out, TABLE_ROWS(repeating)) {
    char body[2048];
    struct tma_core_result whole, part;
    uint64_t warps;
    snprintf(body, sizeof body, RING, repeating[_i].iterations);
    way = (struct way){.ctas = repeating[_i].ctas, .shared = repeating[_i].shared};
    run(repeating[_i].name, body, 64, &whole, &warps);
    uint64_t instructions = way.instructions;
    ck_assert_uint_eq(whole.sampled_cycles, 0);
    way.sample_from = 1000;
    run(repeating[_i].name, body, 64, &part, &warps);
    ck_assert_msg(part.sampled_cycles > part.cycles / 5, "%s: %" PRIu64 " of %" PRIu64,
                  repeating[_i].name, part.sampled_cycles, part.cycles);
    ck_assert_uint_eq(way.instructions, instructions);
    uint64_t off =
        part.cycles > whole.cycles ? part.cycles - whole.cycles : whole.cycles - part.cycles;
    ck_assert_msg(off <= whole.cycles / 33, "%s: %" PRIu64 " instead of %" PRIu64,
                  repeating[_i].name, part.cycles, whole.cycles);
    ck_assert(part.error_cycles < part.cycles / 10);
    way = (struct way){.ctas = 1};
    tma_core_result_free(&whole);
    tma_core_result_free(&part);
}

TEST_SUITE("core", .timeout = 60);
