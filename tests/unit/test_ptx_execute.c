/* Execution of PTX: control flow, memory, barriers and clusters, and how launches go wrong, without
 * time and with it. Each row is a kernel that gets a buffer of 64 words in %in (word i is i, the
 * second half opaque) and one of 64 words in %out. */
#include <stdio.h>
#include <string.h>

#include "base/diagnostics.h"
#include "core/core_run.h"
#include "machine.h"
#include "ptx/execution.h"
#include "ptx/read.h"
#include "suite.h"

enum { WORDS = 64 };

struct row {
    const char *name;
    const char *body; /* of the kernel; may begin with functions, up to a line of @@ */
    uint32_t ctas, threads, cluster;
    enum tma_ptx_failure failure;
    const char *text; /* in the first finding; NULL: none */
    int thread;       /* -1, or whose word of %out is checked */
    uint32_t word;
};

/* %w: the address of the thread's word in %out. */
#define HEAD                                                                                       \
    ".reg .b64 %in, %out, %w, %rd<8>; .reg .b32 %t, %c, %r<16>; .reg .pred %p<4>; .reg .f32 "      \
    "%f<4>;\nld.param.u64 %in, [in]; ld.param.u64 %out, [out]; mov.u32 %t, %tid.x; mov.u32 %c, "   \
    "%ctaid.x; mov.u32 %r15, %ntid.x; mad.lo.u32 %r15, %c, %r15, %t; mul.wide.u32 %w, %r15, 4; "   \
    "add.s64 %w, %w, %out;\n"

/* Each thread copies its word, arrives, waits, and reads a word that the other warp copied. */
#define COPY(arrive)                                                                               \
    ".shared .align 16 .b8 s[256]; .shared .align 8 .b64 m; setp.eq.u32 %p0, %t, 0; @%p0 "         \
    "mbarrier.init.shared.b64 [m], 64; bar.sync 0; mov.u32 %r0, s; shl.b32 %r1, %t, 2; add.u32 "   \
    "%r2, %r0, %r1; mul.wide.u32 %rd0, %t, 4; add.s64 %rd0, %in, %rd0; "                           \
    "cp.async.ca.shared.global [%r2], [%rd0], 4; " arrive                                          \
    " W: mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra W; xor.b32 %r1, %r1, 128; "    \
    "add.u32 %r2, %r0, %r1; ld.shared.u32 %r3, [%r2]; st.global.u32 [%w], %r3; ret;"

/* Two warps of 64 registers a thread; the first one waits for what the second one gives up. */
#define POOL(registers)                                                                            \
    "setp.lt.u32 %p0, %t, 32; @%p0 bra A; setmaxnreg.dec.sync.aligned.u32 24; bra B; A: "          \
    "setmaxnreg.inc.sync.aligned.u32 " registers "; B: bar.sync 0; st.global.u32 [%w], %t; ret;"

/* From %r0 to %r1, by way of all widths: whether all lanes share %r0 makes no difference. */
#define CHAIN                                                                                      \
    "shr.s32 %r2, %r0, 2; mul.wide.s32 %rd0, %r2, 7; add.s64 %rd0, %rd0, 1000; shr.u64 %rd0, "     \
    "%rd0, 1; cvt.u32.u64 %r3, %rd0; bfe.u32 %r4, %r3, 2, 6; mad.lo.u32 %r5, %r4, 3, %r2; "        \
    "min.s32 %r6, %r5, %r2; max.u32 %r6, %r6, %r4; div.s32 %r7, %r2, 3; setp.lt.s32 %p1, %r7, "    \
    "0; selp.b32 %r8, %r6, %r5, %p1; prmt.b32 %r9, %r8, %r3, 0x4102; popc.b32 %r10, %r9; "         \
    "cvt.rn.f32.s32 %f0, %r2; mul.f32 %f0, %f0, 0f40400000; cvt.rzi.s32.f32 %r11, %f0; xor.b32 "   \
    "%r1, %r9, %r10; sub.u32 %r1, %r1, %r11; "

static const struct row rows[] = {
    {"values that all lanes share, and the same values of each lane",
     "mov.b32 %r0, -20; " CHAIN "mov.b32 %r12, %r1; and.b32 %r0, %t, 0; sub.u32 %r0, %r0, 20; "
     "mov.b32 %r1, 0; " CHAIN "sub.u32 %r12, %r12, %r1; add.u32 %r12, %r12, %t; st.global.u32 "
     "[%w], %r12; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 9, 9},
    {"some lanes write a register that all share",
     "mov.b32 %r0, 7; setp.lt.u32 %p0, %t, 3; @%p0 add.u32 %r0, %r0, 30; st.global.u32 [%w], %r0; "
     "ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 2, 37},
    {"lanes that do not write a register that all share",
     "mov.b32 %r0, 7; setp.lt.u32 %p0, %t, 3; @%p0 mov.b32 %r0, %t; st.global.u32 [%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 3, 7},
    {"all lanes get the value of one",
     "shl.b32 %r0, %t, 1; shfl.sync.idx.b32 %r1, %r0, 5, 31, -1; add.u32 %r1, %r1, %t; "
     "st.global.u32 [%w], %r1; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 3, 13},
    {"lanes of segments get the value of one of theirs",
     "shl.b32 %r0, %t, 1; shfl.sync.idx.b32 %r1, %r0, 5, 0x181f, -1; add.u32 %r1, %r1, %t; "
     "st.global.u32 [%w], %r1; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 20, 62},
    {"one address in local memory, a word of each thread",
     ".local .align 4 .b32 l[4]; st.local.u32 [l+4], %t; ld.local.u32 %r0, [l+4]; st.global.u32 "
     "[%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 17, 17},
    {"one address in global memory, and an opaque one",
     "ld.global.u32 %r0, [%in+12]; ld.global.f32 %f0, [%in+200]; add.u32 %r0, %r0, %t; "
     "st.global.u32 [%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 4, 7},
    {"vectors that change places",
     "mov.b32 %r0, 3; mov.b32 %r1, 40; mov.v2.b32 {%r0, %r1}, {%r1, %r0}; sub.u32 %r0, %r0, %r1; "
     "st.global.u32 [%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 1, 37},
    {"lanes that part meet again behind the branch",
     "setp.lt.u32 %p0, %t, 3; @%p0 bra A; mov.u32 %r0, 7; bra B; A: mov.u32 %r0, 5; B: "
     "activemask.b32 "
     "%r1; add.u32 %r0, %r0, %r1; st.global.u32 [%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 2, 4},
    {"a branch by index",
     "ts: .branchtargets A, B, C; and.b32 %r0, %t, 1; brx.idx %r0, ts; A: mov.u32 %r1, 10; bra.uni "
     "D; "
     "B: mov.u32 %r1, 20; bra.uni D; C: mov.u32 %r1, 30; D: st.global.u32 [%w], %r1; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 3, 20},
    {"a call with values in parameters",
     ".func (.param .b32 r) twice(.param .b32 x) { .reg .b32 %a; ld.param.b32 %a, [x]; add.u32 %a, "
     "%a, "
     "%a; st.param.b32 [r], %a; ret; }\n@@"
     "{ .param .b32 p; .param .b32 q; st.param.b32 [p], %t; call (q), twice, (p); ld.param.b32 "
     "%r0, "
     "[q]; } st.global.u32 [%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 21, 42},
    {"local memory of each thread",
     ".local .align 4 .b32 l[4]; st.local.u32 [l+4], %t; mov.u64 %rd0, l; cvta.local.u64 %rd0, "
     "%rd0; "
     "ld.u32 %r0, [%rd0+4]; st.global.u32 [%w], %r0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 17, 17},
    {"shared memory behind a barrier",
     ".shared .align 4 .b32 s[64]; mov.u32 %r0, s; shl.b32 %r1, %t, 2; add.u32 %r1, %r0, %r1; "
     "st.shared.u32 [%r1], %t; bar.sync 0; xor.b32 %r2, %t, 63; shl.b32 %r2, %r2, 2; add.u32 %r2, "
     "%r0, "
     "%r2; ld.shared.u32 %r3, [%r2]; st.global.u32 [%w], %r3; ret;",
     1, 64, 1, TMA_PTX_COMPLETED, NULL, 5, 58},
    {"atomic operations of all threads", "atom.global.add.u32 %r0, [%out], 3; bar.sync 0; ret;", 1,
     64, 1, TMA_PTX_COMPLETED, NULL, 0, 192},
    {"an mbarrier whose phase ends with the bytes of a bulk copy",
     ".shared .align 16 .b8 s[64]; .shared .align 8 .b64 m; setp.eq.u32 %p0, %t, 0; @%p0 "
     "mbarrier.init.shared.b64 [m], 1; bar.sync 0; mov.u32 %r0, s; mov.u32 %r1, m; @%p0 "
     "mbarrier.arrive.expect_tx.shared.b64 _, [%r1], 64; @%p0 "
     "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r0], [%in], 64, [%r1]; "
     "W: "
     "mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 0; @!%p1 bra W; and.b32 %r2, %t, 15; shl.b32 "
     "%r2, %r2, 2; add.u32 %r2, %r2, %r0; ld.shared.u32 %r3, [%r2]; st.global.u32 [%w], %r3; ret;",
     1, 64, 1, TMA_PTX_COMPLETED, NULL, 30, 14},
    {"cp.async with zeros behind the source",
     ".shared .align 16 .b8 s[16]; mov.u32 %r0, s; setp.eq.u32 %p0, %t, 0; @%p0 "
     "cp.async.cg.shared.global [%r0], [%in], 16, 8; cp.async.commit_group; cp.async.wait_group 0; "
     "bar.sync 0; ld.shared.v4.u32 {%r1, %r2, %r3, %r4}, [s]; mad.lo.u32 %r2, %r2, 100, %r3; "
     "st.global.u32 [%w], %r2; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 9, 100},
    {"cp.async that arrives on an mbarrier", COPY("cp.async.mbarrier.arrive.noinc.shared.b64 [m];"),
     1, 64, 1, TMA_PTX_COMPLETED, NULL, 40, 8},
    {"cp.async that is tracked by an mbarrier",
     COPY("cp.async.mbarrier.arrive.shared.b64 [m]; mbarrier.arrive.shared.b64 _, [m];"), 1, 64, 1,
     TMA_PTX_COMPLETED, NULL, 40, 8},
    {"cp.async that no mbarrier tracks", COPY("mbarrier.arrive.shared.b64 _, [m];"), 1, 64, 1,
     TMA_PTX_COMPLETED, "which cp.async of warp", -1, 0},
    {"cp.async that arrives where no mbarrier is",
     ".shared .align 8 .b64 m; cp.async.mbarrier.arrive.shared.b64 [m]; ret;", 1, 1, 1,
     TMA_PTX_FAULT, "which mbarrier.init has not initialised", -1, 0},
    {"registers that another warp gives up", POOL("104"), 1, 64, 1, TMA_PTX_COMPLETED, NULL, 40,
     40},
    {"registers that no warp gives up", POOL("112"), 1, 64, 1, TMA_PTX_DEADLOCK,
     "setmaxnreg.inc to 112 registers of a thread, of which it has 64; other warps of the CTA have "
     "given up 40",
     -1, 0},
    {"registers that an exit leaves",
     "setp.ge.u32 %p0, %t, 32; @%p0 bra A; ret; A: setmaxnreg.inc.sync.aligned.u32 128; "
     "st.global.u32 [%w], %t; ret;",
     1, 64, 1, TMA_PTX_COMPLETED, NULL, 40, 40},
    {"the shared memory of another CTA of the cluster",
     ".shared .align 4 .b32 s; mov.u32 %r0, s; st.shared.u32 [%r0], %c; barrier.cluster.arrive; "
     "barrier.cluster.wait; xor.b32 %r1, %c, 1; mapa.shared::cluster.u32 %r2, %r0, %r1; "
     "ld.shared::cluster.u32 %r3, [%r2]; barrier.cluster.arrive; barrier.cluster.wait; "
     "st.global.u32 "
     "[%w], %r3; ret;",
     2, 32, 2, TMA_PTX_COMPLETED, NULL, 3, 1},
    {"CTAs that wait for later ones in global memory",
     "setp.ne.u32 %p0, %c, 0; @%p0 bra S; W: ld.acquire.gpu.global.u32 %r0, [%out+252]; "
     "setp.eq.u32 "
     "%p1, %r0, 0; @%p1 bra W; st.global.u32 [%w], %r0; ret; S: mov.u32 %r1, 9; "
     "st.release.gpu.global.u32 [%out+252], %r1; ret;",
     2, 1, 1, TMA_PTX_COMPLETED, NULL, 0, 9},
    {"a sum of known and opaque values is opaque, and costs no error",
     "ld.global.f32 %f0, [%in+200]; ld.global.f32 %f1, [%in]; add.f32 %f0, %f0, %f1; st.global.f32 "
     "[%w], %f0; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, -1, 0},
    {"an opaque value in a branch",
     "ld.global.u32 %r0, [%in+200]; setp.eq.u32 %p0, %r0, 3; @%p0 bra A; A: ret;", 1, 32, 1,
     TMA_PTX_OPAQUE, "an unknown value of buffer in reaches a branch: give the buffer contents", -1,
     0},
    {"an opaque value in an address",
     "ld.global.u32 %r0, [%in+200]; cvt.u64.u32 %rd0, %r0; add.s64 %rd0, %in, %rd0; ld.global.u32 "
     "%r1, "
     "[%rd0]; ret;",
     1, 32, 1, TMA_PTX_OPAQUE, "an unknown value of buffer in reaches an address", -1, 0},
    {"a selection by a known predicate drops the opaque operand",
     "ld.global.u32 %r0, [%in+200]; setp.eq.u32 %p0, %t, %t; selp.b32 %r1, %t, %r0, %p0; "
     "st.global.u32 "
     "[%w], %r1; setp.eq.u32 %p1, %r1, 0; @%p1 bra A; A: ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 4, 4},
    {"a comparison of halves, combined with a predicate",
     "setp.lt.u32 %p0, %t, 6; mov.b32 %r0, 0x3c003c00; set.eq.and.f16x2.f16x2 %r1, %r0, %r0, %p0; "
     "st.global.u32 [%w], %r1; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 5, 0x3c003c00},
    {"and with one that does not hold",
     "setp.lt.u32 %p0, %t, 6; mov.b32 %r0, 0x3c003c00; set.eq.and.f16x2.f16x2 %r1, %r0, %r0, %p0; "
     "add.u32 %r1, %r1, 7; st.global.u32 [%w], %r1; ret;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, 6, 7},
    {"an access out of bounds", "ld.global.u32 %r0, [%in+256]; ret;", 1, 1, 1, TMA_PTX_FAULT,
     "lane 0 accesses 4 bytes at 0x700000100, which is in + 256 (it has 256 bytes): no buffer has "
     "them",
     -1, 0},
    {"a misaligned access", "ld.global.u32 %r0, [%in+2]; ret;", 1, 1, 1, TMA_PTX_FAULT,
     "which is not a multiple of 4", -1, 0},
    {"a trap", "setp.eq.u32 %p0, %t, 5; @%p0 trap; ret;", 1, 32, 1, TMA_PTX_FAULT,
     "lane 5 executes trap", -1, 0},
    {"an instruction that is not known, where it is not reached", "ret; frobnicate.u32 %r0, %r1;",
     1, 32, 1, TMA_PTX_COMPLETED, NULL, -1, 0},
    {"and where it is", "frobnicate.u32 %r0, %r1; ret;", 1, 32, 1, TMA_PTX_UNKNOWN_INSTRUCTION,
     "frobnicate", -1, 0},
    {"an mbarrier that no one completes",
     ".shared .align 8 .b64 m; mbarrier.init.shared.b64 [m], 2; mbarrier.arrive.shared.b64 _, [m]; "
     "W: "
     "mbarrier.try_wait.parity.shared.b64 %p1, [m], 0; @!%p1 bra W; ret;",
     1, 1, 1, TMA_PTX_DEADLOCK,
     "the end of a phase of parity 0 of mbarrier 0x400 (m), which needs 1 more of 2 arrivals and 0 "
     "more "
     "bytes",
     -1, 0},
    {"a barrier that half of the threads miss",
     "setp.lt.u32 %p0, %t, 32; @%p0 bra A; bar.sync 1, 64; A: ret;", 1, 64, 1, TMA_PTX_DEADLOCK,
     "barrier 1, at which 32 of 64 threads have arrived", -1, 0},
    {"one arrival too many",
     ".shared .align 8 .b64 m; mbarrier.init.shared.b64 [m], 1; "
     "mbarrier.arrive.noComplete.shared.b64 "
     "%rd0, [m], 2; ret;",
     1, 1, 1, TMA_PTX_FAULT, "arrives 2 times at mbarrier 0x400 (m)", -1, 0},
    {"an mbarrier that is none", ".shared .align 8 .b64 m; mbarrier.arrive.shared.b64 _, [m]; ret;",
     1, 1, 1, TMA_PTX_FAULT, "which mbarrier.init has not initialised", -1, 0},
    {"a loop without an end", "A: bra A;", 1, 1, 1, TMA_PTX_RUNAWAY, "the limit", -1, 0},
};

static void build(const struct row *row, char *text, size_t size) {
    const char *body = strstr(row->body, "@@");
    int functions = body != NULL ? (int)(body - row->body) : 0;
    snprintf(
        text, size,
        ".version 8.7\n.target sm_90a\n.address_size 64\n%.*s.visible .entry k(.param .u64 in, "
        ".param .u64 out)\n.maxnreg 64\n{\n%s%s\n}\n",
        functions, row->body, HEAD, body != NULL ? body + 2 : row->body);
}

TEST_ROWS(kernels_do_what_they_should, 2 * TABLE_ROWS(rows)) {
    const struct row *row = &rows[_i / 2];
    bool timed = _i % 2 == 1;
    static char text[8192];
    build(row, text, sizeof text);
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    struct tma_ptx_module *module = tma_ptx_read(text, strlen(text), "k.ptx", &diagnostics);
    ck_assert_msg(module != NULL, "%s: %s", row->name,
                  diagnostics.count > 0 ? diagnostics.items[0].text : "?");
    uint32_t in[WORDS], out[WORDS] = {0};
    uint8_t in_opaque[WORDS / 2] = {0}, out_opaque[WORDS / 2] = {0};
    for (uint32_t i = 0; i < WORDS; ++i)
        in[i] = i;
    memset(in_opaque + WORDS / 4, 255, WORDS / 4);
    struct tma_ptx_buffer buffers[] = {
        {"in", 0x700000000, sizeof in, (uint8_t *)in, in_opaque},
        {"out", 0x710000000, sizeof out, (uint8_t *)out, out_opaque}};
    uint64_t parameters[] = {buffers[0].address, buffers[1].address};
    struct tma_ptx_launch launch = {.module = module,
                                    .function = tma_ptx_find_function(module, "k"),
                                    .grid = {row->ctas, 1, 1},
                                    .block = {row->threads, 1, 1},
                                    .cluster = {row->cluster, 1, 1},
                                    .parameters = (const uint8_t *)parameters,
                                    .buffers = buffers,
                                    .buffer_count = 2,
                                    .resident_ctas = 132};
    struct tma_ptx_options options = {.sanitize_ctas = 2, .maximum_instructions = 200000};
    struct tma_ptx_result result;
    struct tma_error error;
    struct tma_machine machine = small_machine();
    struct tma_core_result timing = {0};
    enum tma_error_code code =
        timed ? tma_core_run(&machine, &launch, &options, &result, &timing, &error)
              : tma_ptx_execute(&launch, &options, &result, &error);
    ck_assert_msg(code == TMA_OK, "%s: %s", row->name, error.text);
    const char *said = result.finding_count > 0 ? result.findings[0].text : "";
    ck_assert_msg(result.failure == row->failure, "%s: %d: %s", row->name, (int)result.failure,
                  said);
    ck_assert_msg(row->text == NULL || strstr(said, row->text) != NULL, "%s: %s", row->name, said);
    if (row->failure == TMA_PTX_COMPLETED && row->text == NULL)
        ck_assert_msg(result.finding_count == 0, "%s: %s", row->name, said);
    if (row->thread >= 0)
        ck_assert_msg(out[row->thread] == row->word, "%s: %u", row->name, out[row->thread]);
    if (timed && row->failure == TMA_PTX_COMPLETED)
        ck_assert_msg(timing.cycles > 0 && timing.issue_slots > 0, "%s", row->name);
    tma_core_result_free(&timing);
    tma_ptx_result_free(&result);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&diagnostics);
}

TEST_SUITE("ptx execution");
