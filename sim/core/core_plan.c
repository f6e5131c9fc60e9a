#include "core/core_plan.h"

#include <string.h>

#include "base/allocation.h"
#include "base/array.h"

/* ---- registers ---- */

struct tma_core_builder {
    const struct tma_ptx_module *module;
    const struct tma_ptx_function *function;
    const struct tma_stepper *stepper;
    const struct tma_core_ablation *ablation;
    const struct tma_sass *sass;
    struct tma_core_plan *plan;
    struct tma_core_result *result;
};

static bool add(struct tma_core_builder *builder, uint32_t number, uint16_t *count) {
    struct tma_core_plan *plan = builder->plan;
    if (!TMA_GROW(plan->numbers, plan->number_count, plan->number_capacity))
        return false;
    plan->numbers[plan->number_count++] =
        tma_stepper_number(builder->stepper, builder->function->first_register + number);
    ++*count;
    return true;
}

static bool add_operand(struct tma_core_builder *builder, const struct tma_ptx_operand *operand,
                        bool target, uint16_t *count) {
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

/* The accumulators of wgmma are the tensor cores' until wait_group. A reduction has no result. */
static bool add_registers(struct tma_core_builder *builder,
                          const struct tma_ptx_instruction *instruction,
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
    if (planned->kind == TMA_CORE_PRODUCT || planned->access == TMA_ACCESS_REDUCE)
        return true;
    for (uint32_t i = 0; i < targets && i < instruction->operand_count; ++i)
        if (!add_operand(builder, &operands[i], true, &planned->write_count))
            return false;
    return true;
}

/* ---- kinds and costs ---- */

/* Groups that a wait leaves; more than 255 are as 255. */
static uint8_t count_of(const struct tma_ptx_module *module,
                        const struct tma_ptx_instruction *instruction) {
    const struct tma_ptx_operand *operand = &module->operands[instruction->operands];
    return instruction->operand_count > 0 && operand->kind == TMA_PTX_IMMEDIATE
               ? (uint8_t)(operand->bits < 255 ? operand->bits : 255)
               : 0;
}

static void set(struct tma_core_instruction *planned, enum tma_core_kind kind, uint32_t latency) {
    planned->kind = (uint8_t)kind;
    planned->latency = (uint16_t)latency;
}

/* Which caches an access may use (PTX ISA 9.7.8.1, cache operators). */
static enum tma_caching caching_of(const struct tma_ptx_instruction *instruction) {
    static const enum tma_ptx_word coherent[] = {TMA_PTX_DOT_CV, TMA_PTX_DOT_VOLATILE,
                                                 TMA_PTX_DOT_RELAXED, TMA_PTX_DOT_ACQUIRE};
    static const struct {
        enum tma_ptx_word word;
        enum tma_caching caching;
    } others[] = {{TMA_PTX_DOT_CG, TMA_CACHING_L2},
                  {TMA_PTX_DOT_L1_NO_ALLOCATE, TMA_CACHING_NO_ALLOCATE},
                  {TMA_PTX_DOT_L1_EVICT_FIRST, TMA_CACHING_EVICT_FIRST},
                  {TMA_PTX_DOT_CS, TMA_CACHING_EVICT_FIRST},
                  {TMA_PTX_DOT_LU, TMA_CACHING_EVICT_FIRST},
                  {TMA_PTX_DOT_L1_EVICT_LAST, TMA_CACHING_EVICT_LAST}};
    for (size_t i = 0; i < sizeof coherent / sizeof coherent[0]; ++i)
        if (tma_ptx_has(instruction, coherent[i]))
            return TMA_CACHING_COHERENT;
    for (size_t i = 0; i < sizeof others / sizeof others[0]; ++i)
        if (tma_ptx_has(instruction, others[i].word))
            return others[i].caching;
    return TMA_CACHING_ALL;
}

static bool has_scope_of_gpu(const struct tma_ptx_instruction *instruction) {
    return tma_ptx_has(instruction, TMA_PTX_DOT_GPU) || tma_ptx_has(instruction, TMA_PTX_DOT_SYS) ||
           tma_ptx_has(instruction, TMA_PTX_DOT_GL);
}

/* Is it a fence beyond the CTA, MEMBAR.GPU in SASS, or has it one before it? */
static bool is_fenced(const struct tma_ptx_instruction *instruction) {
    bool beyond = tma_ptx_has(instruction, TMA_PTX_DOT_CLUSTER) || has_scope_of_gpu(instruction);
    bool relaxed = tma_ptx_has(instruction, TMA_PTX_DOT_RELAXED),
         releases = tma_ptx_has(instruction, TMA_PTX_DOT_RELEASE) ||
                    tma_ptx_has(instruction, TMA_PTX_DOT_ACQ_REL);
    switch ((enum tma_ptx_opcode)instruction->opcode) {
    case TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE:
        return !relaxed;
    case TMA_PTX_OP_MBARRIER_ARRIVE:
        return beyond && !relaxed;
    case TMA_PTX_OP_FENCE:
        return beyond && (tma_ptx_has(instruction, TMA_PTX_DOT_SC) ||
                          tma_ptx_has(instruction, TMA_PTX_DOT_ACQ_REL));
    case TMA_PTX_OP_MEMBAR:
        return beyond;
    case TMA_PTX_OP_ST:
    case TMA_PTX_OP_RED:
    case TMA_PTX_OP_ATOM:
        return beyond && releases;
    default:
        return false;
    }
}

static bool is_proxy_fence(const struct tma_ptx_instruction *instruction) {
    return instruction->opcode == TMA_PTX_OP_FENCE && tma_ptx_has(instruction, TMA_PTX_DOT_PROXY) &&
           tma_ptx_has(instruction, TMA_PTX_DOT_ASYNC);
}

static bool is_shared_fence(const struct tma_ptx_instruction *instruction) {
    return is_proxy_fence(instruction) && tma_ptx_space_of(instruction) == TMA_PTX_SHARED;
}

/* A fence of the asynchronous proxy for all memory is a fence of the GPU, and one of shared memory
 * behind it. */
static uint16_t fence_cycles(const struct tma_machine *machine,
                             const struct tma_ptx_instruction *instruction) {
    if (is_proxy_fence(instruction) && !is_shared_fence(instruction))
        return (uint16_t)machine->core.proxy_fence_cycles;
    return is_fenced(instruction) ? (uint16_t)machine->core.fence_cycles : 0;
}

/* What the core does with an instruction, and the latency of results that no fixed pipe gives. */
static void classify(const struct tma_machine *machine, const struct tma_ptx_module *module,
                     const struct tma_ptx_instruction *instruction,
                     struct tma_core_instruction *planned) {
    uint32_t shared = machine->core.shuffle_latency_cycles;
    set(planned, TMA_CORE_PLAIN, 0);
    planned->fence = fence_cycles(machine, instruction);
    planned->access = TMA_ACCESS_LOAD;
    switch ((enum tma_ptx_opcode)instruction->opcode) {
    case TMA_PTX_OP_LD:
    case TMA_PTX_OP_LDU:
    case TMA_PTX_OP_MULTIMEM_LD_REDUCE:
        if (tma_ptx_has(instruction, TMA_PTX_DOT_PARAM))
            return;
        set(planned, TMA_CORE_ACCESS, shared);
        planned->caching = (uint8_t)caching_of(instruction);
        return;
    case TMA_PTX_OP_ST:
    case TMA_PTX_OP_MULTIMEM_ST:
        set(planned, TMA_CORE_ACCESS, 0);
        planned->access = TMA_ACCESS_STORE;
        return;
    case TMA_PTX_OP_ATOM:
        set(planned, TMA_CORE_ACCESS, shared);
        planned->access = TMA_ACCESS_ATOMIC;
        return;
    case TMA_PTX_OP_RED:
    case TMA_PTX_OP_MULTIMEM_RED:
        set(planned, TMA_CORE_ACCESS, 0);
        planned->access = TMA_ACCESS_REDUCE;
        return;
    case TMA_PTX_OP_LDMATRIX:
    case TMA_PTX_OP_STMATRIX:
        set(planned, TMA_CORE_ACCESS, shared);
        return;
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
        set(planned, TMA_CORE_PRODUCT, 0);
        return;
    case TMA_PTX_OP_WGMMA_COMMIT_GROUP:
        set(planned, TMA_CORE_PRODUCT_COMMIT, 0);
        return;
    case TMA_PTX_OP_WGMMA_WAIT_GROUP:
        set(planned, TMA_CORE_PRODUCT_WAIT, 0);
        planned->count = count_of(module, instruction);
        return;
    case TMA_PTX_OP_MMA:
        set(planned, TMA_CORE_MMA, machine->core.matrix_latency_cycles);
        return;
    case TMA_PTX_OP_CP_ASYNC_BULK:
    case TMA_PTX_OP_CP_ASYNC_BULK_TENSOR:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH:
    case TMA_PTX_OP_CP_ASYNC_BULK_PREFETCH_TENSOR:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK:
    case TMA_PTX_OP_CP_REDUCE_ASYNC_BULK_TENSOR:
        set(planned, TMA_CORE_BULK, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_BULK_COMMIT_GROUP:
        set(planned, TMA_CORE_BULK_COMMIT, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_BULK_WAIT_GROUP:
        set(planned,
            tma_ptx_has(instruction, TMA_PTX_DOT_READ) ? TMA_CORE_BULK_WAIT_READ
                                                       : TMA_CORE_BULK_WAIT,
            0);
        planned->count = count_of(module, instruction);
        return;
    case TMA_PTX_OP_CP_ASYNC:
        set(planned, TMA_CORE_COPY, 0);
        planned->caching = (uint8_t)caching_of(instruction);
        return;
    case TMA_PTX_OP_CP_ASYNC_COMMIT_GROUP:
        set(planned, TMA_CORE_COPY_COMMIT, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_WAIT_GROUP:
        set(planned, TMA_CORE_COPY_WAIT, 0);
        planned->count = count_of(module, instruction);
        return;
    case TMA_PTX_OP_CP_ASYNC_WAIT_ALL:
        set(planned, TMA_CORE_COPY_WAIT_ALL, 0);
        return;
    case TMA_PTX_OP_CP_ASYNC_MBARRIER_ARRIVE:
        set(planned, TMA_CORE_COPY_ARRIVE, 0);
        return;
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
        set(planned, TMA_CORE_MBARRIER_WAIT, shared);
        return;
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_MBARRIER_EXPECT_TX:
    case TMA_PTX_OP_MBARRIER_COMPLETE_TX:
    case TMA_PTX_OP_MBARRIER_INIT:
    case TMA_PTX_OP_MBARRIER_INVAL:
        set(planned, TMA_CORE_MBARRIER, shared);
        return;
    case TMA_PTX_OP_BARRIER_SYNC:
    case TMA_PTX_OP_BARRIER_ARRIVE:
    case TMA_PTX_OP_BARRIER_RED:
        set(planned, TMA_CORE_BARRIER, machine->core.barrier_cycles);
        planned->meets = instruction->opcode != TMA_PTX_OP_BARRIER_ARRIVE;
        return;
    case TMA_PTX_OP_BARRIER_CLUSTER_ARRIVE:
    case TMA_PTX_OP_BARRIER_CLUSTER_WAIT:
        set(planned, TMA_CORE_CLUSTER, 0);
        return;
    case TMA_PTX_OP_FENCE:
    case TMA_PTX_OP_MEMBAR:
        if (is_shared_fence(instruction))
            set(planned, TMA_CORE_SHARED_FENCE, 0);
        else if (planned->fence != 0 || has_scope_of_gpu(instruction))
            set(planned, TMA_CORE_FENCE, 0);
        planned->renews = planned->kind == TMA_CORE_FENCE &&
                          tma_ptx_has(instruction, TMA_PTX_DOT_TENSORMAP_GENERIC) &&
                          tma_ptx_has(instruction, TMA_PTX_DOT_ACQUIRE);
        return;
    case TMA_PTX_OP_TENSORMAP_CP_FENCEPROXY:
        set(planned, TMA_CORE_ACCESS, 0);
        planned->access = TMA_ACCESS_STORE;
        return;
    case TMA_PTX_OP_BRA:
    case TMA_PTX_OP_BRX_IDX:
    case TMA_PTX_OP_CALL:
    case TMA_PTX_OP_RET:
        set(planned, TMA_CORE_BRANCH, machine->core.branch_cycles);
        return;
    case TMA_PTX_OP_EXIT:
        set(planned, TMA_CORE_EXIT, 0);
        return;
    case TMA_PTX_OP_NANOSLEEP:
        set(planned, TMA_CORE_SLEEP, 0);
        return;
    case TMA_PTX_OP_SHFL:
        set(planned, TMA_CORE_PLAIN, shared);
        return;
    case TMA_PTX_OP_VOTE:
    case TMA_PTX_OP_MATCH:
        set(planned, TMA_CORE_PLAIN, machine->core.vote_latency_cycles);
        return;
    case TMA_PTX_OP_REDUX:
        set(planned, TMA_CORE_PLAIN, machine->core.reduce_latency_cycles);
        return;
    case TMA_PTX_OP_ELECT:
        set(planned, TMA_CORE_PLAIN, machine->core.chain_cycles);
        return;
    default:
        set(planned, TMA_CORE_PLAIN, machine->core.special_latency_cycles);
    }
}

/* Issue slots, pipes, and the latency of pipes that have a fixed one. What ptxas makes of one
 * instruction is a chain: each needs the result of the one before. Where the order of SASS is known
 * (`scheduled`), others stand between them. */
static void price(const struct tma_machine *machine, const struct tma_core_ablation *ablation,
                  bool scheduled, const struct tma_lowered *lowered,
                  struct tma_core_instruction *planned) {
    const uint32_t intervals[TMA_PIPE_COUNT] = {[TMA_PIPE_ALU] = machine->core.alu_cycles,
                                                [TMA_PIPE_FMA] = machine->core.fma_cycles,
                                                [TMA_PIPE_FMA_HEAVY] =
                                                    machine->core.fma_heavy_cycles,
                                                [TMA_PIPE_SFU] = machine->core.special_cycles,
                                                [TMA_PIPE_FP64] = machine->core.fp64_cycles,
                                                [TMA_PIPE_UNIFORM] = machine->core.uniform_cycles,
                                                [TMA_PIPE_LSU] = machine->core.lsu_cycles,
                                                [TMA_PIPE_TENSOR] = machine->core.matrix_cycles,
                                                [TMA_PIPE_CONTROL] = 1};
    static const bool reads[TMA_PIPE_COUNT] = {[TMA_PIPE_ALU] = true,
                                               [TMA_PIPE_FMA] = true,
                                               [TMA_PIPE_FMA_HEAVY] = true,
                                               [TMA_PIPE_SFU] = true,
                                               [TMA_PIPE_FP64] = true};
    uint32_t issues = 0, readers = 0, uses = 0;
    for (uint32_t pipe = 0; pipe < TMA_PIPE_COUNT; ++pipe) {
        if (lowered->slots[pipe] == 0)
            continue;
        issues += lowered->slots[pipe];
        readers += reads[pipe] ? lowered->slots[pipe] : 0;
        /* wgmma goes to a queue, which sm.mma_queue limits. */
        bool queued = pipe == TMA_PIPE_TENSOR && planned->kind == TMA_CORE_PRODUCT;
        bool at_once = queued || (ablation != NULL && ablation->pipes[pipe]);
        uint32_t interval = at_once ? 1 : intervals[pipe], cycles = lowered->slots[pipe] * interval;
        if (uses < TMA_CORE_USES) {
            planned->uses[uses].pipe = (uint8_t)pipe;
            planned->uses[uses++].busy = (uint8_t)(cycles > 255 ? 255 : cycles);
        }
    }
    planned->issues = (uint8_t)(issues > 255 ? 255 : issues);
    planned->readers = (uint8_t)(readers > 255 ? 255 : readers);
    planned->turn = lowered->turn;
    planned->serialised = lowered->serialised;
    planned->scoreboard = issues > 0 && lowered->latency == 0;
    if (lowered->latency != 0 || (issues == 0 && planned->kind == TMA_CORE_PLAIN))
        planned->latency = lowered->latency;
    if (issues > 1 && !scheduled)
        planned->latency = (uint16_t)(planned->latency + (issues - 1) * machine->core.chain_cycles);
}

/* One note for each instruction because of which ptxas serialises products or spills registers. */
static void note(struct tma_core_result *result, const struct tma_lowered *lowered,
                 uint32_t instruction) {
    bool spills = lowered->spill_bytes != 0;
    if (!spills && !(lowered->serialised && lowered->slots[TMA_PIPE_TENSOR] > 0))
        return;
    struct tma_core_note *notes = result->notes;
    uint32_t at = 0;
    while (at < result->note_count &&
           (notes[at].reason != lowered->reason || notes[at].spills != spills))
        at++;
    if (at == TMA_CORE_NOTES)
        return;
    if (at == result->note_count) {
        notes[at] = (struct tma_core_note){
            .spills = spills, .instruction = instruction, .reason = lowered->reason};
        ++result->note_count;
    }
    notes[at].count += spills ? lowered->spill_bytes : 1;
}

static enum tma_error_code plan_function(struct tma_core_builder *builder,
                                         const struct tma_machine *machine, uint32_t registers,
                                         struct tma_lowered *lowered, struct tma_error *error) {
    const struct tma_ptx_module *module = builder->module;
    size_t first = builder->function->first_instruction,
           end = first + builder->function->instruction_count;
    const struct tma_core_ablation *ablation = builder->ablation;
    struct tma_lowering_options rules = {.sass = NULL};
    if (ablation != NULL)
        rules = ablation->rules;
    rules.sass = builder->sass;
    enum tma_error_code code = tma_lower(module, (uint32_t)(builder->function - module->functions),
                                         registers, &rules, lowered, NULL, error);
    for (size_t i = first; code == TMA_OK && i < end; ++i) {
        struct tma_core_instruction *planned = &builder->plan->instructions[i];
        classify(machine, module, &module->instructions[i], planned);
        planned->polls = lowered[i].polls;
        if (lowered[i].unread)
            planned->access = TMA_ACCESS_REDUCE;
        note(builder->result, &lowered[i], (uint32_t)i);
        price(machine, ablation, builder->sass != NULL, &lowered[i], planned);
        if (!add_registers(builder, &module->instructions[i], planned))
            code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    return code;
}

static void add_group(struct tma_core_registers *soon, uint16_t group) {
    for (uint32_t i = 0; i < TMA_CORE_SOON_GROUPS && soon->groups[i] != group; ++i)
        if (soon->groups[i] == TMA_CORE_NO_GROUP) {
            soon->groups[i] = group;
            return;
        }
}

static void find_soon(struct tma_core_plan *plan, size_t instruction_count) {
    enum { BEHIND = 8 };
    for (size_t i = 0; i < instruction_count; ++i) {
        memset(&plan->soon[i], 255, sizeof plan->soon[i]);
        for (size_t at = i; at < i + BEHIND && at < instruction_count; ++at) {
            const struct tma_core_instruction *planned = &plan->instructions[at];
            uint32_t count = (uint32_t)planned->read_count + planned->write_count;
            for (uint32_t n = 0; n < count; ++n)
                add_group(&plan->soon[i],
                          (uint16_t)(plan->numbers[planned->first + n] / TMA_CORE_GROUP_REGISTERS));
        }
    }
}

enum tma_error_code tma_core_plan_create(const struct tma_machine *machine,
                                         const struct tma_ptx_launch *launch,
                                         const struct tma_stepper *stepper,
                                         const struct tma_core_ablation *ablation,
                                         struct tma_core_plan *plan, struct tma_core_result *result,
                                         struct tma_error *error) {
    const struct tma_ptx_module *module = launch->module;
    struct tma_core_builder builder = {.module = module,
                                       .stepper = stepper,
                                       .ablation = ablation,
                                       .sass = launch->sass,
                                       .plan = plan,
                                       .result = result};
    *plan = (struct tma_core_plan){0};
    plan->instructions = tma_allocate(module->instruction_count + 1, sizeof *plan->instructions);
    plan->soon = tma_allocate(module->instruction_count + 1, sizeof *plan->soon);
    struct tma_lowered *lowered = tma_allocate(module->instruction_count + 1, sizeof *lowered);
    enum tma_error_code code = TMA_OK;
    if (plan->instructions == NULL || plan->soon == NULL || lowered == NULL)
        code = tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    for (uint32_t f = 0; code == TMA_OK && f < module->function_count; ++f) {
        builder.function = &module->functions[f];
        if (builder.function->instruction_count > 0 && tma_stepper_reaches(stepper, f))
            code = plan_function(&builder, machine, launch->registers, lowered, error);
    }
    if (code == TMA_OK)
        find_soon(plan, module->instruction_count);
    tma_release(lowered);
    return code;
}

void tma_core_plan_free(struct tma_core_plan *plan) {
    TMA_RELEASE(plan->instructions, plan->soon, plan->numbers);
}
