/* The PTX reader: what it makes of each construct, what it says of bad texts, which instructions it
 * knows, where it puts shared memory. */
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "ptx/read.h"
#include "ptx/widen.h"
#include "scenario/text_file.h"
#include "suite.h"

static struct tma_ptx_module *read_text(const char *text, size_t size) {
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    struct tma_ptx_module *module = tma_ptx_read(text, size, "x.ptx", &diagnostics);
    ck_assert_msg(module != NULL, "%u:%u: %s in\n%s", diagnostics.items[0].at.line,
                  diagnostics.items[0].at.column, diagnostics.items[0].text, text);
    tma_diagnostics_free(&diagnostics);
    return module;
}

/* The text of a file, which the caller frees. */
static char *read_whole(const char *path) {
    char *text;
    size_t size;
    ck_assert_msg(tma_text_read(path, &text, &size, NULL) == TMA_OK, "%s", path);
    return text;
}

static struct tma_ptx_module *read_path(const char *path) {
    char *text = read_whole(path);
    struct tma_ptx_module *module = read_text(text, strlen(text));
    free(text);
    return module;
}

static struct tma_ptx_module *features;

static void set_up(void) {
    features = read_path("tests/unit/ptx/features.ptx");
}

static void tear_down(void) {
    tma_ptx_module_free(features);
}

static const struct tma_ptx_function *function(const char *name) {
    uint32_t number = tma_ptx_find_function(features, name);
    ck_assert_uint_ne(number, UINT32_MAX);
    return &features->functions[number];
}

static uint32_t variable(const char *name) {
    for (uint32_t i = 0; i < features->variable_count; ++i)
        if (strcmp(features->variables[i].name, name) == 0)
            return i;
    ck_abort_msg("no variable %s", name);
    return 0;
}

TEST(test_header) {
    ck_assert_uint_eq(features->version, 87);
    ck_assert_str_eq(features->target, "sm_90a");
    ck_assert_uint_eq(features->address_bits, 64);
    ck_assert_uint_eq(features->file_count, 3);
    ck_assert_str_eq(features->files[2], "inner.py");
}

TEST(test_signature) {
    const struct tma_ptx_function *kernel = function("kernel");
    ck_assert(kernel->is_entry && !kernel->is_extern && kernel->explicit_cluster);
    ck_assert_uint_eq(kernel->parameter_count, 3);
    ck_assert_uint_eq(kernel->parameter_bytes, 144);
    ck_assert_uint_eq(kernel->required_threads[0], 128);
    ck_assert_uint_eq(kernel->required_threads[1], 2);
    ck_assert_uint_eq(kernel->required_threads[2], 1);
    ck_assert_uint_eq(kernel->maximum_threads[0], 0);
    ck_assert_uint_eq(kernel->required_cluster[0], 2);
    ck_assert_uint_eq(kernel->maximum_registers, 168);
    ck_assert_uint_eq(kernel->minimum_ctas, 2);
    ck_assert_uint_eq(kernel->local_bytes, 40);
    const struct tma_ptx_operand *parameters = features->operands + kernel->parameters;
    const struct tma_ptx_variable *out = &features->variables[parameters[2].number];
    ck_assert_str_eq(out->name, "out");
    ck_assert_uint_eq(out->offset, 136);
    ck_assert(!out->in_frame);
    const struct tma_ptx_function *print = function("vprintf");
    ck_assert(print->is_extern && !print->is_entry);
    ck_assert_uint_eq(print->result_count, 1);
    ck_assert_uint_eq(print->parameter_count, 2);
    ck_assert_uint_eq(print->frame_bytes, 24); /* 4, then 8 and 8 aligned */
}

/* Parameters in registers: a vector is as many. */
TEST(test_registers_as_parameters) {
    const struct tma_ptx_function *add_up = function("add_up");
    ck_assert_uint_eq(add_up->result_count, 1);
    ck_assert_uint_eq(add_up->parameter_count, 3);
    for (uint32_t i = 0; i < 4; ++i) {
        const struct tma_ptx_operand *parameter = features->operands + add_up->parameters + i;
        ck_assert_uint_eq(parameter->kind, TMA_PTX_REGISTER);
        ck_assert_uint_eq(parameter->number, i);
    }
    /* Its body runs off its end. */
    ck_assert_uint_eq(add_up->instruction_count, 3);
    ck_assert_uint_eq(features->instructions[add_up->first_instruction + 2].opcode, TMA_PTX_OP_RET);
}

TEST(test_shared_places) {
    static const struct {
        const char *name;
        uint64_t offset;
    } places[] = {{"tile", 0}, {"counter", 100}, {"first", 104}, {"dynamic", 1024}};
    const struct tma_ptx_function *kernel = function("kernel");
    ck_assert_uint_eq(kernel->shared_count, 4);
    ck_assert_uint_eq(kernel->shared_bytes, 1024);
    for (uint32_t i = 0; i < 4; ++i) {
        const struct tma_ptx_shared_place *place =
            &features->shared_places[kernel->first_shared + i];
        ck_assert_str_eq(features->variables[place->variable].name, places[i].name);
        ck_assert_uint_eq(place->offset, places[i].offset);
    }
}

TEST(test_initialisers) {
    static const uint32_t floats[] = {0x3fc00000, 0x40000000, 0xc0000000, 0x3f000000};
    static const uint8_t bytes[] = {1, 2, 0, 0xff, 4, 5}, grown[] = {1, 0, 0, 0, 2, 0, 0, 0, 3};
    const struct tma_ptx_variable *all = features->variables;
    ck_assert_mem_eq(all[variable("table")].contents, floats, sizeof floats);
    ck_assert_mem_eq(all[variable("bytes")].contents, bytes, sizeof bytes);
    ck_assert_uint_eq(all[variable("grown")].bytes, 12);
    ck_assert_mem_eq(all[variable("grown")].contents, grown, sizeof grown);
    const struct tma_ptx_variable *pointers = &all[variable("pointers")];
    ck_assert_uint_eq(pointers->relocation_count, 2);
    ck_assert_uint_eq(pointers->contents[16], 0x10);
    const struct tma_ptx_relocation *relocation =
        &features->relocations[pointers->first_relocation + 1];
    ck_assert(relocation->generic && !relocation->is_function);
    ck_assert_uint_eq(relocation->number, variable("table"));
    ck_assert_uint_eq(relocation->at, 8);
    ck_assert_uint_eq(relocation->bytes, 8);
    ck_assert_int_eq(relocation->addend, 8);
    relocation = &features->relocations[all[variable("masked")].first_relocation + 1];
    ck_assert_uint_eq(relocation->number, variable("pointers"));
    ck_assert_uint_eq(relocation->bytes, 1);
    ck_assert_uint_eq(relocation->shift, 8);
}

/* Instruction `index` of the kernel. */
static const struct tma_ptx_instruction *at(uint32_t index) {
    const struct tma_ptx_function *kernel = function("kernel");
    ck_assert_uint_lt(index, kernel->instruction_count);
    return &features->instructions[kernel->first_instruction + index];
}

static const struct tma_ptx_operand *operand(uint32_t index, uint32_t number) {
    ck_assert_uint_lt(number, at(index)->operand_count);
    return &features->operands[at(index)->operands + number];
}

static const char *register_name(const struct tma_ptx_operand *of) {
    ck_assert_uint_eq(of->kind, TMA_PTX_REGISTER);
    return features->registers[function("kernel")->first_register + of->number].name;
}

/* The kernel's instructions, one behind the other. */
static const struct {
    enum tma_ptx_opcode opcode;
    uint32_t line, column, operands;
} instructions[] = {
    {TMA_PTX_OP_MOV, 40, 2, 2},
    {TMA_PTX_OP_MOV, 40, 23, 2},
    {TMA_PTX_OP_MOV, 41, 2, 2},
    {TMA_PTX_OP_MOV, 41, 21, 2},
    {TMA_PTX_OP_MOV, 42, 2, 2},
    {TMA_PTX_OP_LD, 43, 2, 2},
    {TMA_PTX_OP_LD, 45, 2, 2},
    {TMA_PTX_OP_LD, 46, 2, 2},
    {TMA_PTX_OP_LD, 47, 2, 2},
    {TMA_PTX_OP_SETP, 48, 2, 5},
    {TMA_PTX_OP_BRA, 49, 8, 1},
    {TMA_PTX_OP_BARRIER_SYNC, 50, 2, 1},
    {TMA_PTX_OP_BARRIER_SYNC, 51, 2, 2},
    {TMA_PTX_OP_MBARRIER_TRY_WAIT, 54, 2, 4},
    {TMA_PTX_OP_BRA, 55, 7, 1},
    {TMA_PTX_OP_BRA, 56, 2, 1},
    {TMA_PTX_OP_BRA, 60, 8, 1},
    {TMA_PTX_OP_SHFL, 63, 2, 6},
    {TMA_PTX_OP_SHFL, 64, 2, 6},
    {TMA_PTX_OP_CP_ASYNC_BULK_TENSOR, 65, 2, 4},
    {TMA_PTX_OP_WGMMA_MMA_ASYNC, 67, 2, 8},
    {TMA_PTX_OP_CALL, 68, 2, 3},
    {TMA_PTX_OP_BRX_IDX, 70, 2, 2},
    {TMA_PTX_OP_MOV, 71, 6, 2},
    {TMA_PTX_UNKNOWN, 72, 2, 0},
    {TMA_PTX_OP_RET, 74, 1, 0},
};

TEST_ROWS(test_instructions, TABLE_ROWS(instructions)) {
    ck_assert_uint_eq(function("kernel")->instruction_count, TABLE_ROWS(instructions));
    ck_assert_uint_eq(at((uint32_t)_i)->opcode, instructions[_i].opcode);
    ck_assert_uint_eq(at((uint32_t)_i)->line, instructions[_i].line);
    ck_assert_uint_eq(at((uint32_t)_i)->column, instructions[_i].column);
    ck_assert_uint_eq(at((uint32_t)_i)->operand_count, instructions[_i].operands);
}

TEST(test_operands) {
    ck_assert_uint_eq(operand(0, 1)->kind, TMA_PTX_SPECIAL);
    ck_assert_uint_eq(operand(0, 1)->number, TMA_PTX_SREG_TID_X);
    ck_assert_uint_eq(operand(3, 1)->kind, TMA_PTX_VARIABLE);
    ck_assert_uint_eq(operand(3, 1)->number, variable("dynamic"));
    ck_assert_int_eq(operand(3, 1)->offset, 64);
    /* [%r2+-16] into a vector of registers, [dynamic + 8] into one with a hole */
    ck_assert_uint_eq(operand(6, 0)->kind, TMA_PTX_VECTOR);
    ck_assert_uint_eq(operand(6, 0)->list.count, 4);
    ck_assert_uint_eq(operand(6, 1)->base, TMA_PTX_REGISTER);
    ck_assert_int_eq(operand(6, 1)->offset, -16);
    ck_assert_uint_eq(features->operands[operand(7, 0)->list.first + 1].kind, TMA_PTX_SINK);
    ck_assert_uint_eq(operand(7, 1)->base, TMA_PTX_VARIABLE);
    ck_assert_int_eq(operand(7, 1)->offset, 8);
    /* %p1|%p2, ..., !%p3 */
    ck_assert_str_eq(register_name(operand(9, 1)), "%p2");
    ck_assert_uint_eq(operand(9, 3)->bits, (uint64_t)-5);
    ck_assert(operand(9, 4)->negated);
    ck_assert(at(10)->guard_negated && at(10)->guard != TMA_PTX_NO_REGISTER);
    ck_assert(!at(14)->guard_negated && at(13)->guard == TMA_PTX_NO_REGISTER);
    /* The second destination that is missing, and that is there. */
    ck_assert_uint_eq(operand(17, 1)->kind, TMA_PTX_SINK);
    ck_assert_str_eq(register_name(operand(18, 1)), "%p2");
    ck_assert_uint_eq(operand(18, 5)->bits, 0xffffffff);
    ck_assert_uint_eq(operand(19, 1)->kind, TMA_PTX_ADDRESS);
    ck_assert_uint_eq(operand(19, 2)->kind, TMA_PTX_VECTOR);
    ck_assert_uint_eq(operand(19, 2)->list.count, 2);
    ck_assert_uint_eq(operand(21, 1)->kind, TMA_PTX_FUNCTION);
    ck_assert_uint_eq(operand(21, 1)->number, tma_ptx_find_function(features, "add_up"));
    ck_assert_uint_eq(operand(21, 2)->list.count, 3);
}

TEST(test_words) {
    ck_assert(tma_ptx_has(at(11), TMA_PTX_DOT_ALIGNED)); /* bar.sync */
    ck_assert(!tma_ptx_has(at(12), TMA_PTX_DOT_ALIGNED));
    ck_assert_uint_eq(tma_ptx_space_of(at(13)), TMA_PTX_SHARED);
    struct tma_ptx_shape shape = tma_ptx_shape_of(at(20));
    ck_assert_uint_eq(shape.m, 64);
    ck_assert_uint_eq(shape.n, 8);
    ck_assert_uint_eq(shape.k, 16);
    ck_assert_uint_eq(at(20)->type_count, 3);
    ck_assert_uint_eq(at(20)->types[0], TMA_PTX_F32);
    ck_assert_uint_eq(at(20)->types[2], TMA_PTX_F16);
    ck_assert_str_eq(features->messages[at(24)->unknown],
                     "PTX has no instruction 'tanhh.approx.f32': did you mean 'tanh'?");
}

/* Labels are those of the nearest braces; the same name may be in others. */
TEST(test_labels) {
    static const struct {
        uint32_t from, to;
    } branches[] = {{10, 17}, {14, 16}, {15, 13}, {16, 16}};
    for (size_t i = 0; i < sizeof branches / sizeof *branches; ++i) {
        ck_assert_uint_eq(operand(branches[i].from, 0)->kind, TMA_PTX_LABEL);
        ck_assert_uint_eq(operand(branches[i].from, 0)->number, branches[i].to);
    }
    const struct tma_ptx_operand *targets = features->operands + operand(22, 1)->list.first;
    ck_assert_uint_eq(targets[0].number, 23);
    ck_assert_uint_eq(targets[1].number, 25); /* the ret at the end */
}

TEST(test_source_places) {
    const struct tma_ptx_place *outer = &features->places[at(0)->source],
                               *inner = &features->places[at(6)->source];
    ck_assert_str_eq(features->files[outer->file], "kernel.py");
    ck_assert_uint_eq(outer->line, 10);
    ck_assert_uint_eq(outer->column, 3);
    ck_assert_uint_eq(outer->inlined_at, 0);
    ck_assert_ptr_null(outer->function);
    ck_assert_str_eq(features->files[inner->file], "inner.py");
    ck_assert_str_eq(inner->function, "inner");
    ck_assert_uint_eq(inner->inlined_at, at(0)->source);
}

/* What compilers write has no unknown instruction. */
TEST_ROWS(test_compilers, 3) {
    static const char *const paths[] = {"tests/unit/ptx/llc.ptx", "tests/unit/ptx/nvcc.ptx",
                                        "tests/unit/ptx/triton.ptx"};
    struct tma_ptx_module *module = read_path(paths[_i]);
    ck_assert_uint_gt(module->instruction_count, 20);
    for (size_t i = 0; i < module->instruction_count; ++i)
        ck_assert_msg(module->instructions[i].unknown == 0, "%s:%u: %s", paths[_i],
                      module->instructions[i].line,
                      module->messages[module->instructions[i].unknown]);
    tma_ptx_module_free(module);
}

#define HEADER "\n.version 8.7\n.target sm_90a\n.address_size 64\n"
#define BODY                                                                                       \
    HEADER ".entry k(.param .u64 a) { .reg .pred %p<9>; .reg .b16 %h<9>; .reg .b32 %r<9>; "        \
           ".reg .b64 %d<9>; .reg .f32 %f<9>; .shared .b8 s[64];\n"

/* Instructions that can be executed (NULL), or why they can't. */
static const struct {
    const char *text, *problem;
} statements[] = {
    {"add.s32 %r1, %r2, -3;", NULL},
    {"add.s32 %r1, %r2, %r3 ;", NULL},
    {"add.f32 %f1, %f2, 0f3F800000;", NULL},
    {"add.f32 %r1, %r2, 1.5;", NULL},
    {"mov.b32 %r1, {%h1, %h2};", NULL},
    {"mov.b64 {%h1, %h2, %h3, _}, %d1;", NULL},
    {"ld.global.b32 {%r1}, [%d1];", NULL},
    {"ld.global.nc.L1::no_allocate.L2::128B.v4.b32 {%r1,%r2,%r3,%r4}, [%d1+16];", NULL},
    {"ld.global.u8 %r1, [%d1];", NULL},
    {"cvt.u64.u8 %d1, %r1;", NULL},
    {"mad.wide.u32 %d1, %r1, 4, %d2;", NULL},
    {"elect.sync %r1|%p1, -1;", NULL},
    {"elect.sync _|%p1, -1;", NULL},
    {"match.all.sync.b32 %r1, %r2, -1;", NULL},
    {"lop3.b32 %r1, %r2, %r3, %r4, 0x96;", NULL},
    {"atom.shared::cta.cas.b32 %r1, [s+4], %r2, %r3;", NULL},
    {"mbarrier.arrive.shared::cluster.b64 _, [%r1], 2;", NULL},
    {"cp.async.bulk.tensor.3d.shared::cluster.global.im2col.mbarrier::complete_tx::bytes"
     ".multicast::cluster.L2::cache_hint [s], [%d1, {%r1,%r2,%r3}], [%r4], {%h1}, %h2, %d2;",
     NULL},
    {"stmatrix.sync.aligned.x2.m8n8.shared.b16 [%r1], {%r2, %r3};", NULL},
    {"setp.eq.s32 %p1, %r1, WARP_SZ - 4 * (2 + 1) / 3;", NULL},
    {"red.global.add.f32 [%d1], %f1;", NULL},
    {"barrier.red.popc.u32 %r1, 0, 64, !%p1;", NULL},
    {"bar.red.or.pred %p1, 0, %p2;", NULL},
    {"mov.u32 %r1, %envreg3;", NULL},
    {"add.u32 %r1, %r2+4, 1;", NULL},
    {"ad.s32 %r1, %r2, %r3;", "PTX has no instruction 'ad.s32': did you mean 'add'?"},
    {"bar.synk 0;", "PTX has no instruction 'bar.synk': did you mean 'bar.sync'?"},
    {"mbarrier.try_wiat.b64 %p1, [s], %d1;",
     "PTX has no instruction 'mbarrier.try_wiat.b64': did you mean 'mbarrier.try_wait'?"},
    {"frobnicate.everything;", "PTX has no instruction 'frobnicate.everything'"},
    {"add.fzt.f32 %f1, %f2, %f3;", "'add.fzt.f32': add takes no .fzt: did you mean .ftz?"},
    {"add.ftz.s32 %r1, %r2, %r3;", "'add.ftz.s32': add does not take .s32 with these modifiers"},
    {"setp.s32 %p1, %r1, %r2;",
     "'setp.s32' lacks one of "
     ".eq,.ne,.lt,.le,.gt,.ge,.lo,.ls,.hi,.hs,.equ,.neu,.ltu,.leu,.gtu,.geu,.num,.nan"},
    {"shfl.bfly.b32 %r1, %r2, 1, 31;", "'shfl.bfly.b32' lacks .sync"},
    {"add.s32 %r1, %r2;", "'add.s32' takes 3 operands, not 2"},
    {"add.s32 %r1, %r2, %r3, %r4;", "'add.s32' takes 3 operands, not 4"},
    {"mbarrier.init.b64 [s];", "'mbarrier.init.b64' takes 2 operands, not 1"},
    {"add.s32 %r1, %d2, %r3;",
     "operand 2 of 'add.s32' has another kind or size than the instruction takes"},
    {"add.s32 3, %r2, %r3;",
     "operand 1 of 'add.s32' has another kind or size than the instruction takes"},
    {"add.s32 %r1, %p1, %r3;",
     "operand 2 of 'add.s32' has another kind or size than the instruction takes"},
    {"ld.global.v2.b32 {%r1, %r2, %r3}, [%d1];",
     "operand 1 of 'ld.global.v2.b32' has another kind or size than the instruction takes"},
    {"elect.sync %r1, -1;", "'elect.sync' takes 3 operands, not 2"},
    {"tex.2d.v4.f32.s32 {a,b,c,d}, [t, {e,f}];", "textures are not simulated"},
    {"vadd.s32.s32.s32 x, y, z;", "video instructions are not simulated"},
    {"tcgen05.alloc.x y;", "sm_90a has no tcgen05: it needs sm_100a"},
    {"mma.sp.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32 {a},{b},{c},{d},e,0;",
     "'mma.sp.sync.aligned.m16n8k64.row.col.f32.f16.f16.f32': mma does not take .f16 with these "
     "modifiers"},
};

TEST_ROWS(test_statements, TABLE_ROWS(statements)) {
    char text[2000];
    snprintf(text, sizeof text, "%s%s ret; }", BODY, statements[_i].text);
    struct tma_ptx_module *module = read_text(text, strlen(text));
    const struct tma_ptx_instruction *last = &module->instructions[module->instruction_count - 2];
    const char *problem = module->messages[last->unknown];
    ck_assert_str_eq(problem, statements[_i].problem == NULL ? "" : statements[_i].problem);
    ck_assert((last->opcode == TMA_PTX_UNKNOWN) == (last->unknown != 0));
    tma_ptx_module_free(module);
}

/* Bad texts: all that is wrong, with line and column. Line 5 is the one behind the header. */
static const struct {
    const char *text, *errors;
} bad_texts[] = {
    {"", "1:1: the text has no .version: it is not PTX\n"},
    {"hello", "1:1: expected a directive, not 'hello'\n"
              "1:1: the text has no .version: it is not PTX\n"},
    {BODY "add.s32 %r1, %r99, nothing;\nmov.b32 %rr1, 0;\n}",
     "6:14: '%r99' is not declared\n"
     "7:9: '%rr1' is not declared: did you mean '%r1'?\n"},
    {BODY "bra somewhere;\n{ there: }\nbra there;\n}",
     "6:1: no label 'somewhere' is in reach\n8:1: no label 'there' is in reach\n"},
    {BODY "a: b: a: ret; }", "6:7: 'a' is declared twice in one scope\n"},
    {BODY "mov.b32 %r1 %r2;\nret; }", "6:13: expected ',' or ';', not '%r2'\n"},
    {BODY "mov.b32 %r1, 0x;\nmov.b32 %r1, 09;\nmov.f32 %f1, 0f3f;\nmov.b32 %r1, #;\n}",
     "6:14: a number without digits\n7:14: a number with letters\n"
     "8:14: 0f needs 8 hexadecimal digits\n9:14: a character that PTX does not have\n"},
    {BODY "@%r1 bra x;\n@nothing ret;\n.frob;\n}",
     "6:2: '%r1' is no predicate\n7:2: 'nothing' is not declared\n"
     "8:1: a body has no directive '.frob'\n"},
    {BODY "ret;", "6:5: expected the '}' of the body, not the end of the text\n"},
    {HEADER ".global .align 3 .b8 x;", "5:16: an alignment is a power of two\n"},
    {HEADER ".global .b8 x[2] = {1, 2, 3};", "5:20: a variable of 2 bytes has values of 3\n"},
    {HEADER ".global x;", "5:9: expected the type of a declaration, not 'x'\n"},
    {HEADER ".global .b8 x[99999999999999999999];", "5:15: a number above 18446744073709551615\n"},
    {HEADER ".global .b32 x[1000000][1000000];",
     "5:33: a variable has at most 1099511627776 bytes\n"},
    {HEADER ".func f { ret; }\n.func f { ret; }", "6:7: 'f' has two bodies\n"},
    {HEADER ".entry k(.param .u32 a, .param .u32 a) { ret; }",
     "5:37: 'a' is declared twice in one scope\n"},
    {HEADER ".reg .b32 x;", "5:11: registers belong to functions\n"},
    {HEADER ".nothing here;", "5:1: PTX has no directive '.nothing' here\n"},
};

TEST_ROWS(test_errors, TABLE_ROWS(bad_texts)) {
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    const char *text = bad_texts[_i].text;
    ck_assert_ptr_null(tma_ptx_read(text, strlen(text), "x.ptx", &diagnostics));
    char errors[4000];
    size_t at_end = 0;
    for (size_t i = 0; i < diagnostics.count; ++i) {
        const struct tma_diagnostic *error = &diagnostics.items[i];
        ck_assert_str_eq(error->at.file, "x.ptx");
        at_end += (size_t)snprintf(errors + at_end, sizeof errors - at_end, "%u:%u: %s\n",
                                   error->at.line, error->at.column, error->text);
    }
    ck_assert_str_eq(errors, bad_texts[_i].errors);
    tma_diagnostics_free(&diagnostics);
}

/* Constant expressions, as an operand of 64 bits. */
static const struct {
    const char *text;
    uint64_t value;
} constants[] = {
    {"42", 42},
    {"0x1F", 31},
    {"017", 15},
    {"0b101", 5},
    {"-1", UINT64_MAX},
    {"~0", UINT64_MAX},
    {"!5", 0},
    {"2 + 3 * 4", 14},
    {"(2 + 3) * 4", 20},
    {"1 << 4 | 3", 19},
    {"-8 >> 1", (uint64_t)-4},
    {"0x8000000000000000 >> 63", 1},
    {"(.s64)0x8000000000000000 >> 63", UINT64_MAX},
    {"-7 / 2", (uint64_t)-3},
    {"-7 % 2", UINT64_MAX},
    {"5 / 0", 0},
    {"-1 < 1", 1},
    {"-1 < 1U", 0},
    {"1 ? 2 : 3", 2},
    {"3 == 3 && 2 != 2 || 0", 0},
    {"18446744073709551615", UINT64_MAX},
};

TEST_ROWS(test_constants, TABLE_ROWS(constants)) {
    char text[1000];
    snprintf(text, sizeof text, "%s mov.b64 %%d1, %s; }", BODY, constants[_i].text);
    struct tma_ptx_module *module = read_text(text, strlen(text));
    const struct tma_ptx_operand *constant =
        &module->operands[module->instructions[0].operands + 1];
    ck_assert_uint_eq(constant->kind, TMA_PTX_IMMEDIATE);
    ck_assert_uint_eq(constant->bits, constants[_i].value);
    tma_ptx_module_free(module);
}

static const struct {
    const char *text;
    enum tma_ptx_type type;
    uint64_t bits;
} immediates[] = {
    {"0f3F800000", TMA_PTX_F32, 0x3f800000},
    {"0f3F800000", TMA_PTX_B32, 0x3f800000},
    {"0fFFC00001", TMA_PTX_F32, 0xffc00001}, /* a NaN keeps its bits */
    {"0f7F800001", TMA_PTX_F32, 0x7f800001},
    {"0d3FF8000000000000", TMA_PTX_F64, 0x3ff8000000000000},
    {"1.5", TMA_PTX_F32, 0x3fc00000},
    {"-2.5e-1", TMA_PTX_F64, 0xbfd0000000000000},
    {"1.0 + 2", TMA_PTX_F32, 0x40400000},
    {"3", TMA_PTX_F32, 0x40400000},
    {"-1", TMA_PTX_S16, 0xffff},
    {"-1", TMA_PTX_U32, 0xffffffff},
    {"0x1234", TMA_PTX_B8, 0x34},
    {"1", TMA_PTX_PRED, 1},
};

TEST_ROWS(test_immediates, TABLE_ROWS(immediates)) {
    char text[1000];
    snprintf(text, sizeof text, "%s mov.b64 %%d1, %s; }", BODY, immediates[_i].text);
    struct tma_ptx_module *module = read_text(text, strlen(text));
    ck_assert_uint_eq(tma_ptx_immediate(&module->operands[module->instructions[0].operands + 1],
                                        immediates[_i].type),
                      immediates[_i].bits);
    tma_ptx_module_free(module);
}

/* A register that a scope declares again, and one of a range of it. */
TEST(test_register_scopes) {
    const char *text = BODY "mov.b32 %r1, 1; { .reg .b64 %r<3>; mov.b64 %r1, 2; mov.b32 %r5, 3; "
                            "{ mov.b64 %r1, 4; } } mov.b32 %r1, 5; ret; }";
    static const uint32_t bits[] = {32, 64, 32, 64, 32};
    struct tma_ptx_module *module = read_text(text, strlen(text));
    for (uint32_t i = 0; i < 5; ++i) {
        uint32_t number = module->operands[module->instructions[i].operands].number;
        ck_assert_uint_eq(module->instructions[i].unknown, 0);
        ck_assert_uint_eq(tma_ptx_types[module->registers[number].type].bits, bits[i]);
    }
    ck_assert_uint_eq(module->operands[module->instructions[0].operands].number,
                      module->operands[module->instructions[4].operands].number);
    ck_assert_uint_eq(module->operands[module->instructions[1].operands].number,
                      module->operands[module->instructions[3].operands].number);
    ck_assert_uint_eq(module->register_count, 3);
    tma_ptx_module_free(module);
}

/* Where ptxas of CUDA 13.0 put variables of several entries: as its code shows. */
TEST(test_layouts) {
    static const struct {
        const char *module, *own, *used;
        uint64_t offsets[8], bytes;
    } layouts[] = {
        {".shared .align 4 .b8 z[4]; .shared .align 8 .b8 b[24]; .shared .align 8 .b8 c[8]; "
         ".shared .align 4 .b8 a[12];",
         ".shared .align 4 .b8 y[4]; .shared .align 4 .b8 d[8]; .shared .align 16 .b8 x[16]; "
         ".shared .align 1 .b8 w;",
         "w b d a y z",
         {12, 24, 4, 48, 0, 16},
         80},
        {".extern .shared .align 1024 .b8 e[]; .extern .shared .align 16 .b8 f[]; "
         ".shared .align 4 .b8 z[20];",
         ".shared .align 512 .b8 y[4];",
         "z y e f",
         {4, 0, 1024, 1024},
         1024},
        {".shared .align 4 .b8 z[40]; .shared .align 8 .b8 b[24]; .shared .align 32 .b8 c[8]; "
         ".shared .align 1 .b8 a[12];",
         "",
         "a b c z",
         {72, 40, 64, 0},
         84},
    };
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; ++i) {
        char text[2000];
        int length = snprintf(text, sizeof text, "%s%s.entry k() { .reg .b32 %%r; %s\n", HEADER,
                              layouts[i].module, layouts[i].own);
        for (const char *name = layouts[i].used; *name != '\0'; name += name[1] != '\0' ? 2 : 1)
            length +=
                snprintf(text + length, sizeof text - (size_t)length, "mov.u32 %%r, %c;\n", *name);
        snprintf(text + length, sizeof text - (size_t)length, "}");
        struct tma_ptx_module *module = read_text(text, strlen(text));
        ck_assert_uint_eq(module->functions[0].shared_bytes, layouts[i].bytes);
        for (uint32_t j = 0; 2 * j < strlen(layouts[i].used); ++j) {
            uint32_t named = module->operands[module->instructions[j].operands + 1].number, k = 0;
            while (module->shared_places[k].variable != named)
                ++k;
            ck_assert_msg(module->shared_places[k].offset == layouts[i].offsets[j],
                          "%zu: %s at %llu", i, module->variables[named].name,
                          (unsigned long long)module->shared_places[k].offset);
        }
        tma_ptx_module_free(module);
    }
}

/* Braces, parentheses and errors without end. */
TEST_ROWS(test_hostile, 11) {
    static const char *const parts[] = {
        "{", "(", "{{", "bra x;", "nothing %q;", ".b8 {", "mov.b32 %r1, (", "@ ", "[", "-", "x:"};
    enum { TIMES = 20000 };
    static char text[TIMES * 16];
    for (int with_body = 0; with_body < 2; ++with_body) {
        size_t length = 0;
        length += (size_t)snprintf(text, sizeof text, "%s", with_body ? BODY : HEADER);
        for (int i = 0; i < TIMES; ++i)
            length += (size_t)snprintf(text + length, sizeof text - length, "%s", parts[_i]);
        struct tma_diagnostics diagnostics = tma_diagnostics_empty();
        ck_assert_ptr_null(tma_ptx_read(text, length, "x.ptx", &diagnostics));
        ck_assert_uint_gt(tma_diagnostics_total(&diagnostics), 0);
        ck_assert_uint_lt(tma_diagnostics_total(&diagnostics), 1100);
        tma_diagnostics_free(&diagnostics);
    }
}

static long allocations_left;

static bool fail_allocation(void) {
    return allocations_left-- == 0;
}

/* Each allocation fails in turn: the reader says so, and frees all. */
TEST(test_out_of_memory) {
    char *text = read_whole("tests/unit/ptx/features.ptx");
    size_t size = strlen(text);
    tma_allocation_fails = fail_allocation;
    for (long number = 0;; ++number) {
        struct tma_diagnostics diagnostics = tma_diagnostics_empty();
        allocations_left = number;
        struct tma_ptx_module *module = tma_ptx_read(text, size, "x.ptx", &diagnostics);
        bool failed = allocations_left < 0;
        ck_assert_msg((module == NULL) == failed, "allocation %ld", number);
        ck_assert(tma_diagnostics_lack_memory(&diagnostics) == failed);
        tma_ptx_module_free(module);
        tma_diagnostics_free(&diagnostics);
        if (!failed)
            break;
    }
    tma_allocation_fails = NULL;
    free(text);
}

TEST_SUITE("ptx_read", .set_up_once = set_up, .tear_down_once = tear_down);
