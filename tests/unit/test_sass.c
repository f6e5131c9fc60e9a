/* What nvdisasm says of a kernel: slots of each PTX instruction, and their order. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "core/sass.h"
#include "ptx/read.h"
#include "suite.h"

/* Lines 5 to 16 of the PTX are the kernel's instructions. */
static const char ptx[] = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                          ".entry k(.param .u64 p) { .reg .b32 %r<9>; .reg .pred %q;\n"
                          "mov.u32 %r0, %tid.x;\n"          /* 5 */
                          "ld.shared.u32 %r1, [%r0];\n"     /* 6 */
                          "add.s32 %r2, %r1, 1;\n"          /* 7 */
                          "mul.lo.s32 %r3, %r0, %r0;\n"     /* 8 */
                          "ld.shared.u32 %r4, [%r0+64];\n"  /* 9 */
                          "st.shared.u32 [%r0+128], %r2;\n" /* 10 */
                          "LOOP:\n"                         /* 11 */
                          "st.shared.u32 [%r0], %r3;\n"     /* 12 */
                          "add.s32 %r3, %r3, %r4;\n"        /* 13 */
                          "setp.lt.s32 %q, %r3, 100;\n"     /* 14 */
                          "@%q bra LOOP;\n"                 /* 15 */
                          "ret; }\n";                       /* 16 */

#define LINE(number) "\t//## File \".nv_debug_ptx_txt\", line " #number "\n"
#define CODE(opcode) "        /*0000*/              @!P0 " opcode " R1, R2 ;\n"

/* The second load goes first; the loop is unrolled twice, and its sum is one for both. */
static const char sass[] = ".text.other:\n" LINE(5)
    CODE("S2R") "//-----\n"
                ".text.k:\n" LINE(5) CODE("S2R") LINE(9) CODE("LDS") LINE(6) CODE("LDS") LINE(8)
                    CODE("IMAD") CODE("SHF.L") LINE(7) CODE("IADD3") LINE(10) CODE("STS")
                        CODE("NOP") ".L_x_0:\n" LINE(12) CODE("STS") LINE(13) CODE("IADD3") LINE(12)
                            CODE("STS") LINE(13) CODE("IADD3") LINE(14) CODE("ISETP.LT")
                                CODE("ISETP.LT") LINE(15) CODE("BRA") LINE(16) CODE("EXIT");

struct module {
    struct tma_ptx_module *module;
    struct tma_sass *sass;
    struct tma_diagnostics list;
    struct tma_error error;
};

static enum tma_error_code open_kernel(const char *kernel, const char *text, struct module *into) {
    into->list = tma_diagnostics_empty();
    into->module = tma_ptx_read(kernel, strlen(kernel), "k.ptx", &into->list);
    ck_assert_ptr_nonnull(into->module);
    return tma_sass_read(text, strlen(text), into->module, 0, &into->sass, &into->error);
}

static enum tma_error_code open_module(const char *text, struct module *into) {
    return open_kernel(ptx, text, into);
}

static void close_module(struct module *module) {
    tma_sass_free(module->sass);
    tma_ptx_module_free(module->module);
    tma_diagnostics_free(&module->list);
}

TEST(slots_and_order_are_those_of_the_text) {
    static const struct {
        uint32_t line;
        const char *slots; /* letters of lowering */
    } expected[] = {{5, "c"},  {9, "l"},  {6, "l"},  {8, "ah"}, {7, "a"}, {10, "l"},
                    {12, "l"}, {13, "a"}, {14, "a"}, {15, ""},  {16, "c"}};
    struct module module;
    ck_assert(open_module(sass, &module) == TMA_OK);
    size_t count = module.module->instruction_count;
    ck_assert_uint_eq(count, sizeof expected / sizeof *expected);
    struct tma_lowered *lowered = tma_allocate(count, sizeof *lowered);
    tma_sass_lower(module.sass, module.module, 0, lowered);
    for (size_t i = 0; i < count; i++) {
        char slots[TMA_PIPE_COUNT * UINT8_MAX + 1] = "";
        for (int pipe = 0; pipe < TMA_PIPE_COUNT; pipe++)
            for (int n = 0; n < lowered[i].slots[pipe]; n++)
                strcat(slots, (const char[2]){"afhsdultc"[pipe], '\0'});
        ck_assert_uint_eq(module.module->instructions[i].line, expected[i].line);
        ck_assert_msg(expected[i].line == 15 || strcmp(slots, expected[i].slots) == 0,
                      "line %u: %s, not %s", expected[i].line, slots, expected[i].slots);
    }
    tma_release(lowered);
    close_module(&module);
}

/* A store stays behind the loads before it, whatever the text says; what the text does not have
 * goes last. */
TEST(memory_keeps_its_order) {
    static const char text[] = ".text.k:\n" LINE(5) CODE("S2R") LINE(10) CODE("STS") LINE(9)
        CODE("LDS") LINE(7) CODE("IADD3") LINE(6) CODE("LDS");
    struct module module;
    ck_assert(open_module(text, &module) == TMA_OK);
    ck_assert_uint_eq(module.module->instructions[4].line, 10);
    ck_assert_uint_eq(module.module->instructions[5].line, 8);
    close_module(&module);
}

/* So does multimem.ld_reduce: it reads what the store before it writes. */
TEST(multimem_keeps_its_order) {
    static const char kernel[] = ".version 8.1\n.target sm_90a\n.address_size 64\n"
                                 ".entry k(.param .u64 p) { .reg .b32 %r<3>; .reg .b64 %d;\n"
                                 "ld.param.u64 %d, [p];\n"                             /* 5 */
                                 "mov.u32 %r0, %tid.x;\n"                              /* 6 */
                                 "st.global.u32 [%d], %r0;\n"                          /* 7 */
                                 "multimem.ld_reduce.weak.global.add.u32 %r1, [%d];\n" /* 8 */
                                 "st.global.u32 [%d+4], %r1;\n"                        /* 9 */
                                 "ret; }\n";                                           /* 10 */
    static const char text[] = ".text.k:\n" LINE(5) CODE("LDC") LINE(8) CODE("LDGMC") LINE(6)
        CODE("S2R") LINE(7) CODE("STG") LINE(9) CODE("STG") LINE(10) CODE("EXIT");
    struct module module;
    ck_assert(open_kernel(kernel, text, &module) == TMA_OK);
    for (uint32_t i = 0; i < module.module->instruction_count; i++)
        ck_assert_uint_eq(module.module->instructions[i].line, 5 + i);
    close_module(&module);
}

TEST(other_texts_are_refused) {
    static const struct {
        const char *text, *error;
    } cases[] = {{"", "has no section .text.k"},
                 {".text.kk:\n" LINE(5) CODE("S2R"), "has no section .text.k"},
                 {".text.k:\n" CODE("S2R"), "names no lines of the PTX"},
                 {".text.k:\n" LINE(99999) CODE("S2R"), "names lines of another PTX"},
                 {".text.k:\n" LINE(99999999999999999999) CODE("S2R"), "names lines of another"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct module module;
        ck_assert(open_module(cases[i].text, &module) == TMA_ERROR_SYNTAX);
        ck_assert_msg(strstr(module.error.text, cases[i].error) != NULL, "%s", module.error.text);
        ck_assert_ptr_null(module.sass);
        close_module(&module);
    }
}

TEST_SUITE("sass");
