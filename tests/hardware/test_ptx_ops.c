/* Single instructions of PTX against GPUs: tests/hardware/ptx/ops has 796 forms, each with 256 rows
 * of operands and what an H100 gave; tests/hardware/ptx/forms what an H200 gave for 290 forms that
 * need memory, mbarriers or clusters, with 128 rows (scripts/capture/ptx_forms.py). Each form
 * becomes a kernel, which the reader and the executor run as the GPU ran it: 8 CTAs of one warp, a
 * row a thread. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/float_value.h"
#include "../unit/suite.h"
#include "base/diagnostics.h"
#include "ptx/execution.h"
#include "ptx/read.h"

enum { ROWS = 256, OPERANDS = 3, WORD_BYTES = 8 };

/* A type of the records: its register, and its bytes. */
struct type {
    const char *name, *register_type;
    uint32_t bytes;
};

static const struct type types[] = {
    {"s8", "b16", 1},     {"u8", "b16", 1},    {"s16", "b16", 2},    {"u16", "b16", 2},
    {"b16", "b16", 2},    {"f16", "b16", 2},   {"bf16", "b16", 2},   {"e4m3x2", "b16", 2},
    {"e5m2x2", "b16", 2}, {"s32", "b32", 4},   {"u32", "b32", 4},    {"b32", "b32", 4},
    {"f32", "b32", 4},    {"f16x2", "b32", 4}, {"bf16x2", "b32", 4}, {"tf32", "b32", 4},
    {"s64", "b64", 8},    {"u64", "b64", 8},   {"b64", "b64", 8},    {"f64", "b64", 8}};

static const struct type *type_of(const char *name, size_t length) {
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i)
        if (strlen(types[i].name) == length && strncmp(types[i].name, name, length) == 0)
            return &types[i];
    ck_abort_msg("unknown type %.*s", (int)length, name);
    return NULL;
}

struct form {
    char text[2400];
    const struct type *result, *operands[OPERANDS];
    uint32_t operand_count;
    uint32_t cluster, shared; /* CTAs; bytes of dynamic shared memory */
    uint32_t rows;            /* with records; the other threads have operands of zero */
    double tolerance_ulp;     /* negative: absolute */
};

/* The kernel of a form, as the one that took the records. */
static void write_kernel(const struct form *form, char *text, size_t size) {
    FILE *out = fmemopen(text, size, "w");
    ck_assert_ptr_nonnull(out);
    fputs(".version 8.4\n.target sm_90a\n.address_size 64\n", out);
    if (form->shared != 0)
        fputs(".extern .shared .align 1024 .b8 dynamic[];\n", out);
    fputs(".visible .entry k(.param .u64 k_param_0, .param .u64 k_param_1)\n", out);
    if (form->cluster > 1)
        fprintf(out, ".explicitcluster\n.reqnctapercluster %u, 1, 1\n", form->cluster);
    fputs("{\n.reg .b64 %in, %out, %rd0;\n.reg .b32 %r0, %r1;\n", out);
    for (uint32_t i = 0; i < form->operand_count; ++i)
        fprintf(out, ".reg .%s %%%c;\n", form->operands[i]->register_type, "abc"[i]);
    fprintf(out, ".reg .%s %%d;\n", form->result->register_type);
    fputs("ld.param.b64 %in, [k_param_0];\nld.param.b64 %out, [k_param_1];\n"
          "mov.u32 %r0, %ctaid.x;\nmov.u32 %r1, %tid.x;\nmad.lo.s32 %r0, %r0, 32, %r1;\n"
          "mul.wide.u32 %rd0, %r0, 24;\nadd.s64 %in, %in, %rd0;\n"
          "mul.wide.u32 %rd0, %r0, 8;\nadd.s64 %out, %out, %rd0;\n",
          out);
    for (uint32_t i = 0; i < form->operand_count; ++i)
        fprintf(out, "ld.global.%s %%%c, [%%in+%u];\n",
                form->operands[i]->bytes == 1 ? form->operands[i]->name
                                              : form->operands[i]->register_type,
                "abc"[i], 8 * i);
    fprintf(out, "mov.%s %%d, 0;\n",
            form->result->bytes <= 2 ? "u16" : form->result->register_type);
    const char *predicate = strstr(form->text, "PP");
    if (predicate != NULL)
        fprintf(out, "{ .reg .pred pp; %.*spp%s selp.b32 %%d, 1, 0, pp; }\n",
                (int)(predicate - form->text), form->text, predicate + 2);
    else
        fprintf(out, "{ %s }\n", form->text);
    if (form->result->bytes == 1)
        fputs("and.b16 %d, %d, 255;\n", out);
    fprintf(out, "st.global.%s [%%out], %%d;\nret;\n}\n", form->result->register_type);
    ck_assert_int_eq(fclose(out), 0);
}

/* The value of an element of a result, for forms with a tolerance: f16, bf16 or f32. */
static double value_of(const char *type, uint64_t bits) {
    if (type[0] == 'f' && type[1] == '1')
        return value_of_f16(bits);
    return value_of_f32(type[0] == 'b' ? bits << 16 : bits);
}

/* Do two results agree within the tolerance? */
static bool agree(const struct form *form, uint64_t got, uint64_t wanted) {
    if (got == wanted)
        return true;
    if (form->tolerance_ulp == 0)
        return false;
    const char *type = form->result->name;
    bool packed = strstr(type, "x2") != NULL;
    for (uint32_t half = 0; half < (packed ? 2u : 1u); ++half) {
        uint64_t mask = form->result->bytes == 4 && !packed ? 0xffffffff : 0xffff;
        uint64_t a = got >> 16 * half & mask, b = wanted >> 16 * half & mask;
        if (a == b)
            continue;
        double x = value_of(type, a), y = value_of(type, b);
        if (form->tolerance_ulp <
            0) { /* sin, cos, lg2: 2^-20.5 at least; relative where it is large */
            if (!(fabs(x - y) <= 1e-6 + 1e-6 * fabs(y)))
                return false;
            continue;
        }
        int64_t p = (int64_t)(a & mask >> 1), q = (int64_t)(b & mask >> 1);
        if (a >> (mask == 0xffff ? 15 : 31))
            p = -p;
        if (b >> (mask == 0xffff ? 15 : 31))
            q = -q;
        if (!((double)llabs(p - q) <= form->tolerance_ulp))
            return false;
    }
    return true;
}

static uint64_t take(const uint8_t **at, uint32_t bytes) {
    uint64_t value = 0;
    memcpy(&value, *at, bytes);
    *at += bytes;
    return value;
}

/* Runs a form. Returns the number of rows that differ. */
static uint32_t run(const struct form *form, const uint8_t **rows) {
    static uint64_t in[ROWS * OPERANDS], out[ROWS], wanted[ROWS];
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    for (uint32_t row = 0; row < form->rows; ++row)
        for (uint32_t i = 0; i < form->operand_count; ++i)
            in[row * OPERANDS + i] = take(rows, form->operands[i]->bytes);
    for (uint32_t row = 0; row < form->rows; ++row)
        wanted[row] = take(rows, form->result->bytes);
    char text[4096];
    write_kernel(form, text, sizeof text);
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    struct tma_ptx_module *module = tma_ptx_read(text, strlen(text), "form", &diagnostics);
    if (module == NULL) {
        printf("%s: %s\n", form->text, diagnostics.count ? diagnostics.items[0].text : "?");
        tma_diagnostics_free(&diagnostics);
        return ROWS;
    }
    struct tma_ptx_buffer buffers[] = {
        {.name = "in", .address = 0x700000000, .size = sizeof in, .contents = (uint8_t *)in},
        {.name = "out", .address = 0x710000000, .size = sizeof out, .contents = (uint8_t *)out}};
    uint64_t parameters[] = {buffers[0].address, buffers[1].address};
    struct tma_ptx_launch launch = {.module = module,
                                    .function = tma_ptx_find_function(module, "k"),
                                    .grid = {ROWS / 32, 1, 1},
                                    .block = {32, 1, 1},
                                    .cluster = {form->cluster, 1, 1},
                                    .dynamic_shared = form->shared,
                                    .parameters = (const uint8_t *)parameters,
                                    .buffers = buffers,
                                    .buffer_count = 2,
                                    .resident_ctas = 132};
    struct tma_ptx_options options = {.maximum_instructions = 1000000};
    struct tma_ptx_result result;
    struct tma_error error;
    uint32_t differ = 0;
    if (tma_ptx_execute(&launch, &options, &result, &error) != TMA_OK) {
        printf("%s: %s\n", form->text, error.text);
        differ = ROWS;
    } else {
        if (result.failure != TMA_PTX_COMPLETED) {
            printf("%s: %s\n", form->text,
                   result.finding_count ? result.findings[0].text : "failed");
            differ = ROWS;
        }
        tma_ptx_result_free(&result);
    }
    for (uint32_t row = 0; row < form->rows && differ < ROWS; ++row)
        if (!agree(form, out[row], wanted[row]) && differ++ == 0)
            printf("%s: row %u of %llx, %llx, %llx is %llx; the GPU gave %llx\n", form->text, row,
                   (unsigned long long)in[3 * row], (unsigned long long)in[3 * row + 1],
                   (unsigned long long)in[3 * row + 2], (unsigned long long)out[row],
                   (unsigned long long)wanted[row]);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&diagnostics);
    return differ;
}

static bool read_form(FILE *file, struct form *form) {
    char line[2600];
    if (fgets(line, sizeof line, file) == NULL)
        return false;
    memset(form, 0, sizeof *form);
    char *rest = NULL, *text = strtok_r(line, "\t\n", &rest),
         *result = strtok_r(NULL, "\t\n", &rest), *operands = strtok_r(NULL, "\t\n", &rest),
         *tolerance = strtok_r(NULL, "\t\n", &rest), *cluster = strtok_r(NULL, "\t\n", &rest),
         *shared = strtok_r(NULL, "\t\n", &rest);
    ck_assert_ptr_nonnull(tolerance);
    ck_assert_uint_lt(strlen(text), sizeof form->text);
    memcpy(form->text, text, strlen(text) + 1);
    form->result = type_of(result, strlen(result));
    for (const char *at = operands; *at != '-' && *at != 0;) {
        size_t length = strcspn(at, ",");
        ck_assert_uint_lt(form->operand_count, OPERANDS);
        form->operands[form->operand_count++] = type_of(at, length);
        at += length + (at[length] == ',');
    }
    form->cluster = cluster == NULL ? 1 : (uint32_t)atoi(cluster);
    form->shared = shared == NULL ? 0 : (uint32_t)atoi(shared);
    form->tolerance_ulp = strcmp(tolerance, "absolute") == 0 ? -1 : atof(tolerance);
    return true;
}

static uint8_t *read_rows(const char *folder, size_t *size) {
    char path[100];
    snprintf(path, sizeof path, "%s/rows.bin", folder);
    FILE *file = fopen(path, "rb");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fseek(file, 0, SEEK_END), 0);
    *size = (size_t)ftell(file);
    rewind(file);
    uint8_t *rows = malloc(*size);
    ck_assert_ptr_nonnull(rows);
    ck_assert_uint_eq(fread(rows, 1, *size, file), *size);
    fclose(file);
    return rows;
}

static const struct {
    const char *folder;
    uint32_t rows, forms;
} records[] = {{"tests/hardware/ptx/ops", ROWS, 796}, {"tests/hardware/ptx/forms", 128, 290}};

TEST_ROWS(forms_give_what_a_gpu_gave, 2) {
    size_t size;
    uint8_t *rows = read_rows(records[_i].folder, &size);
    const uint8_t *at = rows;
    char path[100];
    snprintf(path, sizeof path, "%s/forms.tsv", records[_i].folder);
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    char header[200];
    ck_assert_ptr_nonnull(fgets(header, sizeof header, file));
    struct form form;
    uint32_t forms = 0, wrong = 0;
    while (read_form(file, &form)) {
        ++forms;
        form.rows = records[_i].rows;
        wrong += run(&form, &at) != 0;
    }
    fclose(file);
    ck_assert_uint_eq((size_t)(at - rows), size);
    free(rows);
    ck_assert_uint_eq(forms, records[_i].forms);
    ck_assert_msg(wrong == 0, "%u of %u forms differ", wrong, forms);
}

TEST_SUITE("ptx_ops", .timeout = 120);
