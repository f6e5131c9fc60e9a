#include "core/core_plan.h"

#include <stdlib.h>

#include "base/allocation.h"
#include "base/array.h"

/* ---- registers ---- */

struct builder {
    const struct tma_ptx_module *module;
    const struct tma_stepper *stepper;
    struct tma_core_plan *plan;
};

static bool add(struct builder *builder, uint32_t module_register, uint16_t *count) {
    struct tma_core_plan *plan = builder->plan;
    uint32_t *grown = tma_array_grow(plan->numbers, plan->number_count, &plan->number_capacity,
                                     sizeof *plan->numbers);
    if (grown == NULL)
        return false;
    plan->numbers = grown;
    plan->numbers[plan->number_count++] = tma_stepper_number(builder->stepper, module_register);
    ++*count;
    return true;
}

static bool add_operand(struct builder *builder, const struct tma_ptx_operand *operand, bool target,
                        uint16_t *count) {
    switch ((enum tma_ptx_operand_kind)operand->kind) {
    case TMA_PTX_REGISTER:
        return add(builder, operand->number, count);
    case TMA_PTX_ADDRESS:
        return target || operand->base != TMA_PTX_REGISTER || add(builder, operand->number, count);
    case TMA_PTX_VECTOR:
        for (uint32_t i = 0; i < operand->list.count; ++i)
            if (!add_operand(builder, &builder->module->operands[operand->list.first + i], target,
                             count))
                return false;
        return true;
    default:
        return true;
    }
}

/* The accumulators of wgmma are the tensor cores' until wait_group. */
static bool add_registers(struct builder *builder, const struct tma_ptx_instruction *instruction,
                          struct tma_core_instruction *planned) {
    const struct tma_ptx_operand *operands = &builder->module->operands[instruction->operands];
    uint32_t targets = instruction->target_count;
    planned->first = (uint32_t)builder->plan->number_count;
    if (instruction->guard != TMA_PTX_NO_REGISTER &&
        !add(builder, instruction->guard, &planned->read_count))
        return false;
    for (uint32_t i = targets; i < instruction->operand_count; ++i)
        if (!add_operand(builder, &operands[i], false, &planned->read_count))
            return false;
    if (planned->kind == TMA_CORE_PRODUCT)
        return true;
    for (uint32_t i = 0; i < targets && i < instruction->operand_count; ++i)
        if (!add_operand(builder, &operands[i], true, &planned->write_count))
            return false;
    return true;
}

/* ---- kinds and costs ---- */

static bool has(const struct tma_ptx_instruction *instruction, enum tma_ptx_word word) {
    for (uint32_t i = 0; i < instruction->word_count; ++i)
        if (instruction->words[i] == word)
            return true;
    return false;
}

static uint8_t count_of(const struct tma_ptx_module *module,
                        const struct tma_ptx_instruction *instruction) {
    const struct tma_ptx_operand *operand = &module->operands[instruction->operands];
    return instruction->operand_count > 0 && operand->kind == TMA_PTX_IMMEDIATE
               ? (uint8_t)operand->bits
               : 0;
}

static bool is_float(const struct tma_ptx_instruction *instruction) {
    return instruction->type_count > 0 &&
           tma_ptx_types[instruction->types[0]].kind == TMA_PTX_FLOAT;
}

static void set(struct tma_core_instruction *planned, enum tma_core_kind kind,
                enum tma_core_pipe pipe, uint8_t issues, uint8_t busy, uint8_t latency) {
    planned->kind = (uint8_t)kind;
    planned->pipe = (uint8_t)pipe;
    planned->issues = issues;
    planned->busy = busy;
    planned->latency = latency;
}

static void classify(const struct tma_ptx_module *module,
                     const struct tma_ptx_instruction *instruction,
                     struct tma_core_instruction *planned) {
    bool wide = instruction->type_count > 0 && tma_ptx_types[instruction->types[0]].bits == 64;
    switch ((enum tma_ptx_opcode)instruction->opcode) {
    case TMA_PTX_OP_LD:
    case TMA_PTX_OP_LDU:
        if (has(instruction, TMA_PTX_DOT_PARAM)) {
            set(planned, TMA_CORE_PLAIN, TMA_CORE_ALU, 0, 0, 0);
            return;
        }
        set(planned, TMA_CORE_ACCESS, TMA_CORE_LSU, 1, 1, 23);
        return;
    case TMA_PTX_OP_ST:
    case TMA_PTX_OP_ATOM:
    case TMA_PTX_OP_RED:
    case TMA_PTX_OP_LDMATRIX:
    case TMA_PTX_OP_STMATRIX:
        set(planned, TMA_CORE_ACCESS, TMA_CORE_LSU, 1, 1, 23);
        return;
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
        set(planned, TMA_CORE_PRODUCT, TMA_CORE_CONTROL, 2, 2, 0);
        planned->serialised = getenv("SER") != NULL;
        return;
    case TMA_PTX_OP_WGMMA_COMMIT_GROUP:
        set(planned, TMA_CORE_PRODUCT_COMMIT, TMA_CORE_CONTROL, 0, 0, 0);
        return;
    case TMA_PTX_OP_WGMMA_WAIT_GROUP:
        set(planned, TMA_CORE_PRODUCT_WAIT, TMA_CORE_CONTROL, 1, 1, 0);
        planned->count = count_of(module, instruction);
        return;
    case TMA_PTX_OP_WGMMA_FENCE:
        set(planned, TMA_CORE_PLAIN, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_MMA:
        set(planned, TMA_CORE_MMA, TMA_CORE_CONTROL, 1, 16, 33);
        return;
    case TMA_PTX_OP_CP_ASYNC_BULK:
    case TMA_PTX_OP_CP_ASYNC_BULK_TENSOR:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        set(planned, TMA_CORE_BULK, TMA_CORE_UNIFORM, 6, 6, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP:
        set(planned, TMA_CORE_BULK_COMMIT, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_BULK_WAIT_GROUP:
        set(planned,
            has(instruction, TMA_PTX_DOT_READ) ? TMA_CORE_BULK_WAIT_READ : TMA_CORE_BULK_WAIT,
            TMA_CORE_CONTROL, 1, 1, 0);
        planned->count = count_of(module, instruction);
        return;
    case TMA_PTX_OP_CP_ASYNC:
        set(planned, TMA_CORE_COPY, TMA_CORE_LSU, 1, 1, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_COMMIT_GROUP:
        set(planned, TMA_CORE_COPY_COMMIT, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_WAIT_GROUP:
        set(planned, TMA_CORE_COPY_WAIT, TMA_CORE_CONTROL, 1, 1, 0);
        planned->count = count_of(module, instruction);
        return;
    case TMA_PTX_OP_CP_ASYNC_WAIT_ALL:
        set(planned, TMA_CORE_COPY_WAIT_ALL, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_MBARRIER_ARRIVE:
        set(planned, TMA_CORE_COPY_ARRIVE, TMA_CORE_LSU, 1, 1, 0);
        return;
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
        set(planned, TMA_CORE_MBARRIER_WAIT, TMA_CORE_LSU, 1, 1, 20);
        return;
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_MBARRIER_EXPECT_TX:
    case TMA_PTX_OP_MBARRIER_COMPLETE_TX:
    case TMA_PTX_OP_MBARRIER_INIT:
    case TMA_PTX_OP_MBARRIER_INVAL:
        set(planned, TMA_CORE_MBARRIER, TMA_CORE_LSU, 1, 1, 20);
        return;
    case TMA_PTX_OP_BARRIER_SYNC:
    case TMA_PTX_OP_BARRIER_ARRIVE:
    case TMA_PTX_OP_BARRIER_RED:
        set(planned, TMA_CORE_BARRIER, TMA_CORE_CONTROL, 1, 1, 20);
        return;
    case TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE:
    case TMA_PTX_OP_BARRIER_CLUSTER_WAIT:
        set(planned, TMA_CORE_CLUSTER, TMA_CORE_CONTROL, 1, 1, 20);
        return;
    case TMA_PTX_OP_FENCE:
    case TMA_PTX_OP_MEMBAR:
        set(planned, TMA_CORE_FENCE, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_BRA:
    case TMA_PTX_OP_BRX_IDX:
    case TMA_PTX_OP_CALL:
    case TMA_PTX_OP_RET:
        set(planned, TMA_CORE_BRANCH, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_EXIT:
        set(planned, TMA_CORE_EXIT, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_NANOSLEEP:
        set(planned, TMA_CORE_SLEEP, TMA_CORE_CONTROL, 1, 1, 0);
        return;
    case TMA_PTX_OP_SHFL:
        set(planned, TMA_CORE_PLAIN, TMA_CORE_LSU, 1, 2, 23);
        return;
    case TMA_PTX_OP_EX2:
    case TMA_PTX_OP_LG2:
    case TMA_PTX_OP_RCP:
    case TMA_PTX_OP_RSQRT:
    case TMA_PTX_OP_SIN:
    case TMA_PTX_OP_COS:
    case TMA_PTX_OP_TANH:
        set(planned, TMA_CORE_PLAIN, TMA_CORE_SFU, 1, 8, 23);
        return;
    case TMA_PTX_OP_DIV:
    case TMA_PTX_OP_SQRT:
    case TMA_PTX_OP_REM:
        set(planned, TMA_CORE_PLAIN, TMA_CORE_FMA, 10, 10, 40);
        return;
    case TMA_PTX_OP_MOV:
        set(planned, TMA_CORE_PLAIN, TMA_CORE_ALU, 0, 0, 0);
        return;
    case TMA_PTX_OP_FMA:
    case TMA_PTX_OP_MUL:
    case TMA_PTX_OP_MAD:
        set(planned, TMA_CORE_PLAIN, wide && is_float(instruction) ? TMA_CORE_FP64 : TMA_CORE_FMA,
            1, is_float(instruction) && !wide ? 1 : 2, 4);
        return;
    case TMA_PTX_OP_ADD:
    case TMA_PTX_OP_SUB:
        if (is_float(instruction)) {
            set(planned, TMA_CORE_PLAIN, wide ? TMA_CORE_FP64 : TMA_CORE_FMA, 1, wide ? 2 : 1, 4);
            return;
        }
        set(planned, TMA_CORE_PLAIN, TMA_CORE_ALU, wide ? 2 : 1, wide ? 4 : 2, 4);
        return;
    default:
        set(planned, TMA_CORE_PLAIN, TMA_CORE_ALU, 1, 2, 4);
    }
}

enum tma_error_code tma_core_plan_create(const struct tma_ptx_launch *launch,
                                         const struct tma_stepper *stepper,
                                         struct tma_core_plan *plan, struct tma_error *error) {
    const struct tma_ptx_module *module = launch->module;
    struct builder builder = {module, stepper, plan};
    *plan = (struct tma_core_plan){0};
    plan->instructions = tma_allocate(module->instruction_count + 1, sizeof *plan->instructions);
    if (plan->instructions == NULL)
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (size_t i = 0; i < module->instruction_count; ++i) {
        classify(module, &module->instructions[i], &plan->instructions[i]);
        if (!add_registers(&builder, &module->instructions[i], &plan->instructions[i]))
            return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    return TMA_OK;
}

void tma_core_plan_free(struct tma_core_plan *plan) {
    tma_release(plan->instructions);
    tma_release(plan->numbers);
}
