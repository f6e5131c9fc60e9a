/* What ptxas makes of PTX, rule by rule. Each case is a body; beside each of its lines stand the
 * SASS instructions that it takes, one letter each, in the order of the pipes: a ALU, f FMA, h FMA
 * heavy, s SFU, d FP64, u uniform, l LSU, t tensor, c control. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "core/lowering.h"
#include "ptx/read.h"
#include "suite.h"

enum { MOST_LINES = 24, TEXT_BYTES = 8192 };

#define RULE(name) (1 + TMA_LOWERING_##name) /* off: 0 is none */

static const struct rule_case {
    const char *name;
    int off; /* RULE */
    struct {
        const char *ptx, *sass;
    } lines[MOST_LINES];
} cases[] = {
    {"constants and copies are operands",
     0,
     {{"mov.u32 %r1, 5;", ""},
      {"mov.u32 %r2, %r1;", ""},
      {"mov.u32 %r3, %tid.x;", "c"},
      {"mad.lo.s32 %r4, %r3, %r2, %r3;", "h"},
      {"st.shared.u32 [%r3], %r4;", "l"}}},
    {"what has no use goes", 0, {{"mov.u32 %r1, %tid.x;", ""}, {"mul.lo.s32 %r2, %r1, %r1;", ""}}},
    {"lop3 reads its first source",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"mul.lo.s32 %r3, %r1, %r2;", "h"},
      {"lop3.b32 %r4, %r3, %r1, %r2, 150;", "a"},
      {"st.shared.u32 [%r1], %r4;", "l"}}},
    {"what is overwritten goes, also by a load whose predicate is always true",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.pred %p1, -1;", ""},
      {"mov.u32 %r2, 0;", ""},
      {"@%p1 ld.shared.u32 %r2, [%r1];", "l"},
      {"st.shared.u32 [%r1], %r2;", "l"}}},
    {"but not where the predicate may be false",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"setp.eq.u32 %p1, %r1, 3;", "a"},
      {"mov.u32 %r2, 7;", "f"},
      {"@%p1 ld.shared.u32 %r2, [%r1];", "l"},
      {"st.shared.u32 [%r1], %r2;", "l"}}},
    {"counts of elements are constants",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.f32 %f1, 0f41000000;", ""},
      {"shfl.sync.bfly.b32 %f2, %f1, 16, 31, -1;", ""},
      {"add.f32 %f3, %f1, %f2;", ""},
      {"setp.eq.f32 %p1, %f3, 0f00000000;", ""},
      {"div.full.f32 %f4, %f2, %f3;", ""},
      {"selp.f32 %f5, 0f00000000, %f4, %p1;", ""},
      {"ld.shared.f32 %f6, [%r1];", "l"},
      {"mul.f32 %f7, %f6, %f5;", "f"},
      {"st.shared.f32 [%r1], %f7;", "l"}}},
    {"unless it is kept",
     RULE(DEAD),
     {{"mov.u32 %r1, %tid.x;", "c"}, {"mul.lo.s32 %r2, %r1, %r1;", "h"}}},
    {"shift and sum are LEA",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"shl.b32 %r3, %r1, 4;", ""},
      {"add.s32 %r4, %r3, %r2;", "a"},
      {"st.shared.u32 [%r1], %r4;", "l"}}},
    {"or of other bits is a sum",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"and.b32 %r2, %r1, 15;", "a"},
      {"shl.b32 %r3, %r1, 4;", ""},
      {"or.b32 %r4, %r3, %r2;", "a"},
      {"st.shared.u32 [%r1], %r4;", "l"}}},
    {"product and sum are IMAD, wide ones IMAD.WIDE",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"mul.lo.s32 %r3, %r1, %r2;", ""},
      {"add.s32 %r4, %r3, %r1;", "h"},
      {"st.shared.u32 [%r1], %r4;", "l"},
      {"ld.param.u64 %rd1, [P0];", "c"},
      {"mul.wide.s32 %rd2, %r1, 12;", ""},
      {"add.s64 %rd3, %rd1, %rd2;", "h"},
      {"st.global.u32 [%rd3], %r4;", "l"}}},
    {"without the rule they stay two",
     RULE(FUSE),
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"mul.lo.s32 %r3, %r1, %r2;", "h"},
      {"add.s32 %r4, %r3, %r1;", "a"},
      {"st.shared.u32 [%r1], %r4;", "l"}}},
    {"three addends are IADD3",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"mov.u32 %r3, %tid.y;", "c"},
      {"add.s32 %r4, %r1, %r2;", ""},
      {"add.s32 %r5, %r4, %r3;", "f"},
      {"st.shared.u32 [%r1], %r5;", "l"}}},
    {"logic of three is LOP3",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"and.b32 %r3, %r1, 112;", ""},
      {"xor.b32 %r4, %r3, %r2;", "a"},
      {"st.shared.u32 [%r1], %r4;", "l"}}},
    {"offsets take constants",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"add.s32 %r2, %r1, 512;", ""},
      {"ld.shared.u32 %r3, [%r2];", "l"},
      {"st.shared.u32 [%r2+64], %r3;", "l"}}},
    {"a comparison takes the predicate",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"mov.u32 %r2, %laneid;", "c"},
      {"setp.lt.u32 %p1, %r1, 32;", ""},
      {"elect.sync %r3|%p2, -1;", "a"},
      {"and.pred %p3, %p1, %p2;", "a"},
      {"@%p3 st.shared.u32 [%r1], %r2;", "l"}}},
    {"LOP3 says whether it is zero",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"and.b32 %r2, %r1, 31;", "a"},
      {"setp.eq.s32 %p1, %r2, 0;", ""},
      {"@%p1 st.shared.u32 [%r1], %r2;", "l"}}},
    {"products and sums of floats contract",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"ld.shared.f32 %f1, [%r1];", "l"},
      {"mul.f32 %f2, %f1, %f1;", ""},
      {"neg.f32 %f3, %f1;", ""},
      {"add.f32 %f4, %f2, %f3;", "f"},
      {"mul.rn.f32 %f5, %f4, %f4;", "f"},
      {"add.f32 %f6, %f5, %f1;", "f"},
      {"st.shared.f32 [%r1], %f6;", "l"}}},
    {"quotients of one divisor share its reciprocal",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"ld.shared.f32 %f1, [%r1];", "l"},
      {"ld.shared.f32 %f2, [%r1+4];", "l"},
      {"div.full.f32 %f3, %f1, %f2;", "aafffffs"},
      {"div.full.f32 %f4, %f2, %f2;", "fff"},
      {"st.shared.f32 [%r1], %f3;", "l"},
      {"st.shared.f32 [%r1], %f4;", "l"}}},
    {"special functions",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"ld.shared.f32 %f1, [%r1];", "l"},
      {"ex2.approx.ftz.f32 %f2, %f1;", "s"},
      {"lg2.approx.f32 %f3, %f2;", "affs"},
      {"st.shared.f32 [%r1], %f3;", "l"}}},
    {"halves of constants that are zero are free",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"ld.shared.u64 %rd1, [%r1];", "l"},
      {"or.b64 %rd2, %rd1, 4611686293305294848;", "a"},
      {"st.shared.u64 [%r1], %rd2;", "l"}}},
    {"a try_wait is a shift and SYNCS",
     0,
     {{"mov.u32 %r1, %tid.x;", "c"},
      {"L: mbarrier.try_wait.parity.shared.b64 %p1, [%r1], 1;", "ac"},
      {"@!%p1 bra L;", "c"}}},
    {"what multimem.ld_reduce reads may be other each time",
     0,
     {{"ld.param.u64 %rd1, [P0];", "c"},
      {"multimem.ld_reduce.weak.global.add.u32 %r1, [%rd1];", "l"},
      {"multimem.ld_reduce.weak.global.add.u32 %r2, [%rd1];", "l"},
      {"add.s32 %r3, %r1, %r2;", "f"},
      {"st.global.u32 [%rd1], %r3;", "l"}}},
};

static void write_body(const struct rule_case *rule, char *text) {
    int length = snprintf(text, TEXT_BYTES,
                          ".version 8.7\n.target sm_90a\n.address_size 64\n"
                          ".visible .entry k(.param .u64 P0)\n{\n"
                          ".reg .pred %%p<9>;\n.reg .b32 %%r<9>;\n.reg .b64 %%rd<9>;\n"
                          ".reg .f32 %%f<9>;\n");
    for (int i = 0; i < MOST_LINES && rule->lines[i].ptx != NULL; i++)
        length +=
            snprintf(text + length, (size_t)(TEXT_BYTES - length), "%s\n", rule->lines[i].ptx);
    snprintf(text + length, (size_t)(TEXT_BYTES - length), "ret;\n}\n");
}

static void write_slots(const struct tma_lowered *lowered, char *text) {
    for (int pipe = 0; pipe < TMA_PIPE_COUNT; pipe++)
        for (int i = 0; i < lowered->slots[pipe]; i++)
            *text++ = "afhsdultc"[pipe];
    *text = '\0';
}

TEST_ROWS(instructions_become_those_of_ptxas, TABLE_ROWS(cases)) {
    const struct rule_case *rule = &cases[_i];
    char text[TEXT_BYTES], slots[256 * TMA_PIPE_COUNT];
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_lowering_options options = {0};
    struct tma_error error;
    write_body(rule, text);
    struct tma_ptx_module *module = tma_ptx_read(text, strlen(text), rule->name, &list);
    ck_assert_msg(module != NULL, "%s", rule->name);
    struct tma_lowered *lowered = tma_allocate(module->instruction_count, sizeof *lowered);
    ck_assert_ptr_nonnull(lowered);
    if (rule->off > 0)
        options.off[rule->off - 1] = true;
    ck_assert(tma_lower(module, 0, 0, &options, lowered, NULL, &error) == TMA_OK);
    for (int i = 0; i < MOST_LINES && rule->lines[i].ptx != NULL; i++) {
        write_slots(&lowered[i], slots);
        ck_assert_msg(strcmp(slots, rule->lines[i].sass) == 0, "%s: %s: %s instead of %s",
                      rule->name, rule->lines[i].ptx, slots, rule->lines[i].sass);
    }
    tma_release(lowered);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&list);
}

/* Values that fit nowhere are stored and loaded. */
TEST(registers_that_do_not_fit_are_spilled) {
    char text[1 << 16];
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_lowered_function whole;
    struct tma_error error;
    int length = snprintf(text, sizeof text,
                          ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n"
                          ".reg .b32 %%r<300>;\nmov.u32 %%r0, %%tid.x;\n");
    for (int i = 1; i <= 260; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "ld.shared.u32 %%r%d, [%%r0+%d];\n", i, 4 * i);
    length += snprintf(text + length, sizeof text - (size_t)length, "bar.sync 0;\n");
    for (int i = 1; i <= 260; i++)
        length += snprintf(text + length, sizeof text - (size_t)length,
                           "st.shared.u32 [%%r0+%d], %%r%d;\n", 4 * i, i);
    snprintf(text + length, sizeof text - (size_t)length, "ret;\n}\n");
    struct tma_ptx_module *module = tma_ptx_read(text, strlen(text), "spills", &list);
    ck_assert_ptr_nonnull(module);
    struct tma_lowered *lowered = tma_allocate(module->instruction_count, sizeof *lowered);
    ck_assert_ptr_nonnull(lowered);
    ck_assert(tma_lower(module, 0, 0, NULL, lowered, &whole, &error) == TMA_OK);
    ck_assert_uint_eq(whole.live_registers, 261);
    ck_assert_uint_eq(whole.spilled, 6);
    uint32_t bytes = 0;
    for (size_t i = 0; i < module->instruction_count; i++)
        bytes += lowered[i].spill_bytes;
    ck_assert_uint_eq(bytes, 6 * 2 * 4);
    ck_assert(tma_lower(module, 0, 128, NULL, lowered, &whole, &error) == TMA_OK);
    ck_assert_uint_eq(whole.spilled, 133);
    tma_release(lowered);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&list);
}

TEST(rules_have_keys) {
    for (int rule = 0; rule < TMA_LOWERING_RULE_COUNT; rule++) {
        ck_assert(tma_lowering_key((enum tma_lowering_rule)rule)[0] != '\0');
        ck_assert(tma_lowering_text((enum tma_lowering_rule)rule)[0] != '\0');
    }
    for (int pipe = 0; pipe < TMA_PIPE_COUNT; pipe++)
        ck_assert(tma_pipe_name((enum tma_pipe)pipe)[0] != '\0');
}

TEST_SUITE("lowering");
