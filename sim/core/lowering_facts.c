#include "core/lowering_facts.h"

#include <string.h>

#include "base/allocation.h"

bool tma_lowering_has_effect(const struct tma_ptx_instruction *instruction) {
    switch (instruction->opcode) {
    case TMA_PTX_OP_ATOM:
    case TMA_PTX_OP_BARRIER_RED:
    case TMA_PTX_OP_CALL:
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_MULTIMEM_LD_REDUCE: /* what it reads, others may have written since */
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
    case TMA_PTX_OP_ALLOCA:
        return true;
    case TMA_PTX_OP_LD:
        return tma_ptx_has(instruction, TMA_PTX_DOT_VOLATILE) ||
               tma_ptx_has(instruction, TMA_PTX_DOT_ACQUIRE);
    default:
        return instruction->target_count == 0;
    }
}

bool tma_lowering_is_convergent(const struct tma_ptx_instruction *instruction) {
    switch (instruction->opcode) {
    case TMA_PTX_OP_ACTIVEMASK:
    case TMA_PTX_OP_ELECT:
    case TMA_PTX_OP_LDMATRIX:
    case TMA_PTX_OP_MATCH:
    case TMA_PTX_OP_MMA:
    case TMA_PTX_OP_MOVMATRIX:
    case TMA_PTX_OP_REDUX:
    case TMA_PTX_OP_SHFL:
    case TMA_PTX_OP_VOTE:
        return true;
    default:
        return false;
    }
}

uint32_t tma_lowering_register(const struct tma_lowering_facts *facts, uint32_t instruction,
                               uint32_t k) {
    const struct tma_ptx_operand *operand = tma_lowering_operand(facts, instruction, k);
    if (k >= facts->code[instruction].operand_count || operand->kind != TMA_PTX_REGISTER)
        return TMA_LOWERING_NONE;
    return facts->values[operand->number].copy_of;
}

bool tma_lowering_constant(const struct tma_lowering_facts *facts, uint32_t instruction, uint32_t k,
                           uint64_t *bits) {
    const struct tma_ptx_operand *operand = tma_lowering_operand(facts, instruction, k);
    if (k >= facts->code[instruction].operand_count)
        return false;
    if (operand->kind == TMA_PTX_IMMEDIATE) {
        uint8_t type = facts->code[instruction].type_count > 0 ? facts->code[instruction].types[0]
                                                               : TMA_PTX_B64;
        *bits = operand->is_float ? tma_ptx_immediate(operand, type) : operand->bits;
        return true;
    }
    if (operand->kind != TMA_PTX_REGISTER || !facts->values[operand->number].constant)
        return false;
    *bits = facts->values[operand->number].bits;
    return true;
}

/* The registers of an operand; of the parts of a vector, too. Returns how many; with NULL, counts
 * only. */
static uint32_t add_registers(const struct tma_lowering_facts *facts,
                              const struct tma_ptx_operand *operand, uint32_t *to) {
    uint32_t count = 0;
    if (operand->kind == TMA_PTX_REGISTER ||
        (operand->kind == TMA_PTX_ADDRESS && operand->base == TMA_PTX_REGISTER)) {
        if (to != NULL)
            *to = operand->number;
        return 1;
    }
    if (operand->kind == TMA_PTX_VECTOR)
        for (uint32_t i = 0; i < operand->list.count; i++) {
            const struct tma_ptx_operand *part = &facts->module->operands[operand->list.first + i];
            count += add_registers(facts, part, to == NULL ? NULL : to + count);
        }
    return count;
}

/* Those written, then those read. Returns how many; with NULL, counts only. */
static uint32_t list_registers(const struct tma_lowering_facts *facts, uint32_t i, uint32_t *to,
                               uint16_t *written) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    uint32_t count = 0, results = instruction->target_count;
    for (uint32_t k = 0; k < instruction->operand_count && k < results; k++)
        count +=
            add_registers(facts, tma_lowering_operand(facts, i, k), to == NULL ? NULL : to + count);
    *written = (uint16_t)count;
    if (instruction->guard != TMA_PTX_NO_REGISTER) {
        if (to != NULL)
            to[count] = instruction->guard;
        count++;
    }
    /* wgmma adds to what it writes */
    uint32_t from = instruction->opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC ? 0 : results;
    for (uint32_t k = from; k < instruction->operand_count; k++)
        count +=
            add_registers(facts, tma_lowering_operand(facts, i, k), to == NULL ? NULL : to + count);
    return count;
}

static bool find_registers(struct tma_lowering_facts *facts) {
    uint32_t total = 0;
    facts->first_register = tma_allocate((size_t)facts->count + 1, sizeof *facts->first_register);
    facts->written = tma_allocate(facts->count, sizeof *facts->written);
    if (facts->first_register == NULL || facts->written == NULL)
        return false;
    for (uint32_t i = 0; i < facts->count; i++) {
        facts->first_register[i] = total;
        total += list_registers(facts, i, NULL, &facts->written[i]);
    }
    facts->first_register[facts->count] = total;
    facts->registers = tma_allocate(total, sizeof *facts->registers);
    facts->uses = tma_allocate(total, sizeof *facts->uses);
    if (facts->registers == NULL || facts->uses == NULL)
        return false;
    for (uint32_t i = 0; i < facts->count; i++)
        list_registers(facts, i, facts->registers + facts->first_register[i], &facts->written[i]);
    for (uint32_t v = 0; v < facts->value_count; v++)
        facts->values[v] = (struct tma_lowering_value){
            .definition = TMA_LOWERING_NONE, .copy_of = v, .uniform = true, .possible = UINT32_MAX};
    for (uint32_t i = 0; i < facts->count; i++)
        for (uint32_t k = 0; k < facts->written[i]; k++) {
            struct tma_lowering_value *value =
                &facts->values[facts->registers[facts->first_register[i] + k]];
            if (value->definitions++ == 0)
                value->definition = i;
        }
    return true;
}

/* Does it execute in all lanes? Inline assembly has predicates that are always true. */
static bool is_unconditional(const struct tma_lowering_facts *facts, uint32_t i) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    if (instruction->guard == TMA_PTX_NO_REGISTER)
        return true;
    const struct tma_lowering_value *value = &facts->values[instruction->guard];
    if (value->definitions != 1 || facts->code[value->definition].opcode != TMA_PTX_OP_MOV)
        return false;
    const struct tma_ptx_operand *source = tma_lowering_operand(facts, value->definition, 1);
    return source->kind == TMA_PTX_IMMEDIATE && (source->bits != 0) != instruction->guard_negated;
}

/* Marks what is written again in its block before it is read: such as zeros in the registers of a
 * load. Returns false if memory runs out. */
static bool find_overwritten(struct tma_lowering_facts *facts) {
    uint32_t *last = tma_allocate(facts->value_count, sizeof *last); /* behind who wrote it, or 0 */
    if (last == NULL)
        return false;
    for (uint32_t i = 0; i < facts->count; i++) {
        uint32_t first = facts->blocks[facts->block_of[i]].first,
                 end = facts->first_register[i + 1];
        const uint32_t *written = facts->registers + facts->first_register[i];
        for (uint32_t r = facts->first_register[i] + facts->written[i]; r < end; r++)
            last[facts->registers[r]] = 0;
        bool unconditional = is_unconditional(facts, i);
        for (uint32_t k = 0; k < facts->written[i]; k++) {
            uint32_t before = last[written[k]];
            struct tma_lowering_value *value = &facts->values[written[k]];
            if (unconditional && before > first) {
                facts->dead[before - 1] = true;
                value->definitions--;
                if (value->definition == before - 1)
                    value->definition = i;
            }
            last[written[k]] =
                unconditional && facts->code[i].opcode == TMA_PTX_OP_MOV && facts->written[i] == 1
                    ? i + 1
                    : 0;
        }
    }
    tma_release(last);
    return true;
}

/* Marks what computes values that nothing uses, until there is no more. */
static void find_dead(struct tma_lowering_facts *facts, bool remove) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t v = 0; v < facts->value_count; v++)
            facts->values[v].use_count = 0;
        for (uint32_t i = 0; i < facts->count; i++)
            if (!facts->dead[i])
                for (uint32_t r = facts->first_register[i] + facts->written[i];
                     r < facts->first_register[i + 1]; r++)
                    facts->values[facts->registers[r]].use_count++;
        for (uint32_t i = 0; remove && i < facts->count; i++) {
            if (facts->dead[i] || facts->written[i] == 0 ||
                tma_lowering_has_effect(&facts->code[i]))
                continue;
            bool used = false;
            for (uint32_t k = 0; k < facts->written[i]; k++) {
                const struct tma_lowering_value *value =
                    &facts->values[facts->registers[facts->first_register[i] + k]];
                used = used || value->use_count > 0;
            }
            facts->dead[i] = !used;
            changed = changed || !used;
        }
    }
}

static uint32_t bits_of(enum tma_ptx_type type) {
    return tma_ptx_types[type].bits;
}

static float as_float(uint64_t bits) {
    uint32_t word = (uint32_t)bits;
    float value;
    memcpy(&value, &word, sizeof value);
    return value;
}

static uint64_t as_bits(float value) {
    uint32_t word;
    memcpy(&word, &value, sizeof word);
    return word;
}

/* Counts of elements, as means and variances have them, are sums and quotients of constants. */
static bool evaluate_float(const struct tma_lowering_facts *facts, uint32_t i, uint64_t a,
                           uint64_t b, uint64_t *bits) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    float x = as_float(a), y = as_float(b);
    if (instruction->types[0] != TMA_PTX_F32)
        return false;
    switch (instruction->opcode) {
    case TMA_PTX_OP_ADD:
        *bits = as_bits(x + y);
        return true;
    case TMA_PTX_OP_SUB:
        *bits = as_bits(x - y);
        return true;
    case TMA_PTX_OP_MUL:
        *bits = as_bits(x * y);
        return true;
    case TMA_PTX_OP_DIV:
        *bits = as_bits(x / y);
        return true;
    case TMA_PTX_OP_SETP:
        *bits = x == y;
        return tma_ptx_has(instruction, TMA_PTX_DOT_EQ);
    default:
        return false;
    }
}

static bool evaluate_integer(const struct tma_lowering_facts *facts, uint32_t i, uint64_t a,
                             uint64_t b, uint64_t *bits) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    switch (instruction->opcode) {
    case TMA_PTX_OP_ADD:
        *bits = a + b;
        break;
    case TMA_PTX_OP_SUB:
        *bits = a - b;
        break;
    case TMA_PTX_OP_AND:
        *bits = a & b;
        break;
    case TMA_PTX_OP_OR:
        *bits = a | b;
        break;
    case TMA_PTX_OP_XOR:
        *bits = a ^ b;
        break;
    case TMA_PTX_OP_SHL:
        *bits = b < 64 ? a << b : 0;
        break;
    default:
        return false;
    }
    if (bits_of(instruction->types[0]) < 64)
        *bits &= (UINT64_C(1) << bits_of(instruction->types[0])) - 1;
    return true;
}

/* The value of an instruction whose operands are constants, as far as addresses and counts of
 * elements need it. */
static bool evaluate(const struct tma_lowering_facts *facts, uint32_t i, uint64_t *bits) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    uint64_t a, b, which;
    if (instruction->type_count == 0 || instruction->guard != TMA_PTX_NO_REGISTER)
        return false;
    if (instruction->opcode == TMA_PTX_OP_SHFL) /* gives each lane what all have */
        return tma_lowering_constant(facts, i, 2, bits);
    uint32_t first = instruction->opcode == TMA_PTX_OP_SETP ? 2 : 1;
    if (!tma_lowering_constant(facts, i, first, &a))
        return false;
    if (instruction->opcode == TMA_PTX_OP_MOV) {
        *bits = a;
        return true;
    }
    if (!tma_lowering_constant(facts, i, first + 1, &b))
        return false;
    if (instruction->opcode == TMA_PTX_OP_SELP) {
        if (!tma_lowering_constant(facts, i, 3, &which))
            return false;
        *bits = which != 0 ? a : b;
        return true;
    }
    return tma_ptx_types[instruction->types[0]].kind == TMA_PTX_FLOAT
               ? evaluate_float(facts, i, a, b, bits)
               : evaluate_integer(facts, i, a, b, bits);
}

/* Constants and copies, in the order of the text: what is defined later is not known. */
static void find_constants(struct tma_lowering_facts *facts) {
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct tma_ptx_instruction *instruction = &facts->code[i];
        if (facts->written[i] != 1 || facts->dead[i])
            continue;
        struct tma_lowering_value *value =
            &facts->values[facts->registers[facts->first_register[i]]];
        if (value->definitions != 1)
            continue;
        if (evaluate(facts, i, &value->bits)) {
            value->constant = true;
            continue;
        }
        bool moves =
            (instruction->opcode == TMA_PTX_OP_MOV || instruction->opcode == TMA_PTX_OP_CVTA) &&
            instruction->guard == TMA_PTX_NO_REGISTER;
        uint32_t source = moves ? tma_lowering_register(facts, i, 1) : TMA_LOWERING_NONE;
        if (source != TMA_LOWERING_NONE && facts->values[source].definitions == 1)
            value->copy_of = source;
    }
}

static bool same_operand(const struct tma_lowering_facts *facts, uint32_t i, uint32_t j,
                         uint32_t k) {
    const struct tma_ptx_operand *a = tma_lowering_operand(facts, i, k);
    const struct tma_ptx_operand *b = tma_lowering_operand(facts, j, k);
    if (a->kind != b->kind || a->negated != b->negated)
        return false;
    if (a->kind == TMA_PTX_IMMEDIATE)
        return a->bits == b->bits && a->is_float == b->is_float;
    if (a->kind == TMA_PTX_SPECIAL)
        return a->number == b->number;
    uint32_t number = tma_lowering_register(facts, i, k);
    return number != TMA_LOWERING_NONE && number == tma_lowering_register(facts, j, k) &&
           facts->values[number].definitions == 1;
}

/* Does `j` compute what `i` does? */
static bool same(const struct tma_lowering_facts *facts, uint32_t i, uint32_t j) {
    const struct tma_ptx_instruction *a = &facts->code[i], *b = &facts->code[j];
    if (a->opcode != b->opcode || a->operand_count != b->operand_count ||
        a->type_count != b->type_count || a->word_count != b->word_count ||
        a->guard != TMA_PTX_NO_REGISTER || b->guard != TMA_PTX_NO_REGISTER ||
        memcmp(a->types, b->types, sizeof a->types) != 0 ||
        memcmp(a->words, b->words, a->word_count * sizeof *a->words) != 0)
        return false;
    for (uint32_t k = 1; k < a->operand_count; k++)
        if (!same_operand(facts, i, j, k))
            return false;
    return true;
}

enum { BUCKETS = 256 };

static uint32_t bucket(const struct tma_lowering_facts *facts, uint32_t i) {
    uint32_t hash = facts->code[i].opcode * 31u;
    for (uint32_t k = 1; k < facts->code[i].operand_count; k++) {
        uint32_t number = tma_lowering_register(facts, i, k);
        hash = hash * 31u + (number != TMA_LOWERING_NONE
                                 ? number
                                 : (uint32_t)tma_lowering_operand(facts, i, k)->bits);
    }
    return hash % BUCKETS;
}

/* What is computed twice in a block is one value. Returns false if memory runs out. */
static bool find_common(struct tma_lowering_facts *facts) {
    uint32_t *next = tma_allocate(facts->count, sizeof *next);
    uint32_t heads[BUCKETS];
    if (next == NULL)
        return false;
    for (uint32_t i = 0; i < facts->count; i++) {
        if (i == facts->blocks[facts->block_of[i]].first)
            memset(heads, 0xFF, sizeof heads);
        const struct tma_ptx_instruction *instruction = &facts->code[i];
        if (facts->written[i] != 1 || facts->dead[i] || tma_lowering_has_effect(instruction) ||
            tma_lowering_is_convergent(instruction) || instruction->opcode == TMA_PTX_OP_LD ||
            instruction->operand_count < 2 ||
            tma_lowering_operand(facts, i, 0)->kind != TMA_PTX_REGISTER)
            continue;
        struct tma_lowering_value *value =
            &facts->values[facts->registers[facts->first_register[i]]];
        uint32_t *head = &heads[bucket(facts, i)], j = *head;
        while (j != TMA_LOWERING_NONE && !same(facts, i, j))
            j = next[j];
        if (value->definitions != 1)
            continue;
        if (j != TMA_LOWERING_NONE) {
            value->copy_of = facts->values[facts->registers[facts->first_register[j]]].copy_of;
            continue;
        }
        next[i] = *head;
        *head = i;
    }
    tma_release(next);
    return true;
}

/* Uses, of copies by those of what they copy. */
static void find_uses(struct tma_lowering_facts *facts) {
    uint32_t total = 0;
    for (uint32_t v = 0; v < facts->value_count; v++)
        facts->values[v].use_count = 0;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < facts->count; i++) {
            bool copies = facts->written[i] == 1 &&
                          facts->values[facts->registers[facts->first_register[i]]].copy_of !=
                              facts->registers[facts->first_register[i]];
            if (facts->dead[i] || copies)
                continue;
            for (uint32_t r = facts->first_register[i] + facts->written[i];
                 r < facts->first_register[i + 1]; r++) {
                struct tma_lowering_value *value =
                    &facts->values[facts->values[facts->registers[r]].copy_of];
                if (pass > 0)
                    facts->uses[value->first_use + value->use_count] = i;
                value->use_count++;
            }
        }
        for (uint32_t v = 0; pass == 0 && v < facts->value_count; v++) {
            facts->values[v].first_use = total;
            total += facts->values[v].use_count;
            facts->values[v].use_count = 0;
        }
    }
}

static bool ends_block(const struct tma_ptx_instruction *instruction) {
    return instruction->opcode == TMA_PTX_OP_BRA || instruction->opcode == TMA_PTX_OP_BRX_IDX ||
           instruction->opcode == TMA_PTX_OP_RET || instruction->opcode == TMA_PTX_OP_EXIT;
}

/* The target of a branch, counted from the function's first instruction. */
uint32_t tma_lowering_target(const struct tma_lowering_facts *facts, uint32_t i) {
    return facts->code[i].opcode == TMA_PTX_OP_BRA &&
                   tma_lowering_operand(facts, i, 0)->kind == TMA_PTX_LABEL
               ? tma_lowering_operand(facts, i, 0)->number
               : TMA_LOWERING_NONE;
}

void tma_lowering_mark_labels(const struct tma_ptx_module *module,
                              const struct tma_ptx_instruction *instruction, uint32_t count,
                              bool *starts) {
    for (uint32_t k = 0; k < instruction->operand_count; k++) {
        const struct tma_ptx_operand *operand = &module->operands[instruction->operands + k];
        if (operand->kind == TMA_PTX_LABEL && operand->number < count)
            starts[operand->number] = true;
        for (uint32_t l = 0; operand->kind == TMA_PTX_VECTOR && l < operand->list.count; l++) {
            const struct tma_ptx_operand *label = &module->operands[operand->list.first + l];
            if (label->kind == TMA_PTX_LABEL && label->number < count)
                starts[label->number] = true;
        }
    }
}

static bool find_blocks(struct tma_lowering_facts *facts) {
    bool *starts = tma_allocate((size_t)facts->count + 1, sizeof *starts);
    facts->block_of = tma_allocate(facts->count, sizeof *facts->block_of);
    facts->blocks = tma_allocate((size_t)facts->count + 1, sizeof *facts->blocks);
    facts->loops = tma_allocate((size_t)facts->count + 1, sizeof *facts->loops);
    if (starts == NULL || facts->block_of == NULL || facts->blocks == NULL ||
        facts->loops == NULL) {
        tma_release(starts);
        return false;
    }
    starts[0] = true;
    for (uint32_t i = 0; i < facts->count; i++) {
        const struct tma_ptx_instruction *instruction = &facts->code[i];
        if (!ends_block(instruction))
            continue;
        starts[i + 1] = true;
        tma_lowering_mark_labels(facts->module, instruction, facts->count, starts);
        /* A branch back closes a loop; those to one place are one loop. */
        uint32_t target = tma_lowering_target(facts, i);
        if (target <= i) {
            uint32_t l = 0;
            while (l < facts->loop_count && facts->loops[l].first != target)
                l++;
            if (l == facts->loop_count)
                facts->loop_count++;
            facts->loops[l] = (struct tma_lowering_loop){
                .first = target, .end = i + 1, .outer = TMA_LOWERING_NONE};
        }
    }
    for (uint32_t i = 0; i < facts->count; i++) {
        if (starts[i])
            facts->blocks[facts->block_count++] =
                (struct tma_lowering_block){.first = i, .loop = TMA_LOWERING_NONE};
        facts->block_of[i] = facts->block_count - 1;
        facts->blocks[facts->block_count - 1].end = i + 1;
    }
    tma_release(starts);
    return true;
}

uint32_t tma_lowering_successors(const struct tma_lowering_facts *facts, uint32_t block,
                                 uint32_t next[2]) {
    uint32_t last = facts->blocks[block].end - 1, count = 0;
    const struct tma_ptx_instruction *instruction = &facts->code[last];
    uint32_t target = tma_lowering_target(facts, last);
    bool leaves = ends_block(instruction) && instruction->guard == TMA_PTX_NO_REGISTER;
    if (target != TMA_LOWERING_NONE && target < facts->count)
        next[count++] = facts->block_of[target];
    if (!leaves && block + 1 < facts->block_count)
        next[count++] = block + 1;
    return count;
}

static bool inside(const struct tma_lowering_loop *loop, uint32_t first, uint32_t end) {
    return loop->first <= first && end <= loop->end;
}

static void find_loops(struct tma_lowering_facts *facts) {
    for (uint32_t l = 0; l < facts->loop_count; l++)
        for (uint32_t o = 0; o < facts->loop_count; o++) {
            const struct tma_lowering_loop *outer = &facts->loops[facts->loops[l].outer];
            if (o != l && inside(&facts->loops[o], facts->loops[l].first, facts->loops[l].end) &&
                (facts->loops[l].outer == TMA_LOWERING_NONE ||
                 inside(outer, facts->loops[o].first, facts->loops[o].end)))
                facts->loops[l].outer = o;
        }
    for (uint32_t b = 0; b < facts->block_count; b++) {
        struct tma_lowering_block *block = &facts->blocks[b];
        for (uint32_t l = 0; l < facts->loop_count; l++)
            if (inside(&facts->loops[l], block->first, block->end) &&
                (block->loop == TMA_LOWERING_NONE ||
                 inside(&facts->loops[block->loop], facts->loops[l].first, facts->loops[l].end)))
                block->loop = l;
    }
}

static bool is_uniform_special(uint32_t number) {
    switch (number) {
    case TMA_PTX_SREG_TID_X:
    case TMA_PTX_SREG_TID_Y:
    case TMA_PTX_SREG_TID_Z:
    case TMA_PTX_SREG_LANEID:
    case TMA_PTX_SREG_WARPID:
    case TMA_PTX_SREG_LANEMASK_EQ:
    case TMA_PTX_SREG_LANEMASK_LE:
    case TMA_PTX_SREG_LANEMASK_LT:
    case TMA_PTX_SREG_LANEMASK_GE:
    case TMA_PTX_SREG_LANEMASK_GT:
    case TMA_PTX_SREG_CLOCK:
    case TMA_PTX_SREG_CLOCK_HI:
    case TMA_PTX_SREG_CLOCK64:
    case TMA_PTX_SREG_GLOBALTIMER:
    case TMA_PTX_SREG_GLOBALTIMER_LO:
    case TMA_PTX_SREG_GLOBALTIMER_HI:
        return false;
    default:
        return true;
    }
}

/* Does an instruction give all lanes one value, if its operands are uniform? */
static bool keeps_uniform(const struct tma_lowering_facts *facts, uint32_t i) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    switch (instruction->opcode) {
    case TMA_PTX_OP_LD:
        return tma_ptx_space_of(instruction) == TMA_PTX_PARAM ||
               tma_ptx_space_of(instruction) == TMA_PTX_CONST;
    case TMA_PTX_OP_ATOM:
    case TMA_PTX_OP_ELECT:
    case TMA_PTX_OP_ACTIVEMASK:
    case TMA_PTX_OP_LDMATRIX:
    case TMA_PTX_OP_MMA:
    case TMA_PTX_OP_MOVMATRIX:
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
    case TMA_PTX_OP_MBARRIER_TRY_WAIT:
    case TMA_PTX_OP_MBARRIER_TEST_WAIT:
    case TMA_PTX_OP_MBARRIER_ARRIVE:
    case TMA_PTX_OP_MBARRIER_ARRIVE_DROP:
    case TMA_PTX_OP_CALL:
        return false;
    case TMA_PTX_OP_SHFL: {
        /* from one lane for all: the lane and the clamp are constants */
        uint64_t lane;
        return tma_ptx_has(instruction, TMA_PTX_DOT_IDX) &&
               tma_lowering_constant(facts, i, 3, &lane);
    }
    case TMA_PTX_OP_VOTE:
    case TMA_PTX_OP_REDUX:
        return true;
    case TMA_PTX_OP_MOV:
        if (tma_lowering_operand(facts, i, 1)->kind == TMA_PTX_SPECIAL)
            return is_uniform_special(tma_lowering_operand(facts, i, 1)->number);
        return true;
    default:
        return true;
    }
}

static bool takes_any(const struct tma_ptx_instruction *instruction) {
    return instruction->opcode == TMA_PTX_OP_VOTE || instruction->opcode == TMA_PTX_OP_REDUX ||
           (instruction->opcode == TMA_PTX_OP_SHFL && tma_ptx_has(instruction, TMA_PTX_DOT_IDX));
}

/* The number of a warp, by a shift or a mask of the thread's: lanes of a warp have one, in CTAs of
 * one dimension. */
static bool is_warp(const struct tma_lowering_facts *facts, uint32_t i) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    bool shift = instruction->opcode == TMA_PTX_OP_SHR,
         mask = instruction->opcode == TMA_PTX_OP_AND;
    uint64_t bits;
    if ((!shift && !mask) || facts->function->required_threads[1] != 1 ||
        facts->function->required_threads[2] != 1 || !tma_lowering_constant(facts, i, 2, &bits) ||
        (shift ? bits < 5 : (bits & 31) != 0))
        return false;
    uint32_t number = tma_lowering_register(facts, i, 1);
    uint32_t j = tma_lowering_definition(facts, number);
    while (j != TMA_LOWERING_NONE && j < i && facts->code[j].opcode == TMA_PTX_OP_AND) {
        i = j; /* upwards in the text only: what is computed from itself has no end */
        number = tma_lowering_register(facts, j, 1);
        j = tma_lowering_definition(facts, number);
    }
    return j != TMA_LOWERING_NONE && facts->code[j].opcode == TMA_PTX_OP_MOV &&
           tma_lowering_operand(facts, j, 1)->kind == TMA_PTX_SPECIAL &&
           tma_lowering_operand(facts, j, 1)->number == TMA_PTX_SREG_TID_X;
}

/* Lanes that part may leave a register with different values where some of its definitions are
 * inside what they do apart, and some outside. */
static bool separate(struct tma_lowering_facts *facts, uint32_t first, uint32_t end) {
    bool changed = false;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < facts->written[i]; k++)
            facts->values[facts->registers[facts->first_register[i] + k]].inside = 0;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < facts->written[i]; k++)
            facts->values[facts->registers[facts->first_register[i] + k]].inside++;
    for (uint32_t i = first; i < end; i++)
        for (uint32_t k = 0; k < facts->written[i]; k++) {
            struct tma_lowering_value *value =
                &facts->values[facts->registers[facts->first_register[i] + k]];
            bool apart = value->inside < value->definitions;
            changed = changed || (apart && value->uniform);
            value->uniform = value->uniform && !apart;
        }
    return changed;
}

/* A branch by which lanes part makes what is between it and its target divergent. */
static bool part(struct tma_lowering_facts *facts, uint32_t i) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    uint32_t target = tma_lowering_target(facts, i);
    if (instruction->guard == TMA_PTX_NO_REGISTER || target == TMA_LOWERING_NONE ||
        facts->values[facts->values[instruction->guard].copy_of].uniform)
        return false;
    uint32_t first = target <= i ? target : i + 1, end = target <= i ? i + 1 : target;
    bool changed = separate(facts, first, end);
    for (uint32_t b = 0; b < facts->block_count; b++)
        if (facts->blocks[b].first >= first && facts->blocks[b].first < end &&
            !facts->blocks[b].divergent) {
            facts->blocks[b].divergent = true;
            changed = true;
        }
    return changed;
}

/* All values are uniform until one of their definitions is not. */
static void find_uniform(struct tma_lowering_facts *facts) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t i = 0; i < facts->count; i++) {
            const struct tma_ptx_instruction *instruction = &facts->code[i];
            bool uniform = keeps_uniform(facts, i);
            uint32_t first = facts->first_register[i];
            bool any = takes_any(instruction) || is_warp(facts, i);
            for (uint32_t r = first + facts->written[i];
                 uniform && !any && r < facts->first_register[i + 1]; r++)
                uniform = facts->values[facts->registers[r]].uniform;
            for (uint32_t k = 0; k < facts->written[i]; k++) {
                struct tma_lowering_value *value = &facts->values[facts->registers[first + k]];
                changed = changed || (value->uniform && !uniform);
                value->uniform = value->uniform && uniform;
            }
            if (instruction->opcode == TMA_PTX_OP_BRA && part(facts, i))
                changed = true;
        }
    }
}

/* Which bits of the low word can be set: the disjoint ones of two values add as `or` does. */
static uint32_t possible(const struct tma_lowering_facts *facts, uint32_t i, uint32_t k) {
    uint64_t bits;
    if (tma_lowering_constant(facts, i, k, &bits))
        return (uint32_t)bits;
    uint32_t number = tma_lowering_register(facts, i, k);
    return number == TMA_LOWERING_NONE || facts->values[number].definitions != 1
               ? UINT32_MAX
               : facts->values[number].possible;
}

static uint32_t filled(uint32_t bits) {
    for (uint32_t shift = 1; shift < 32; shift *= 2)
        bits |= bits >> shift;
    return bits;
}

static uint32_t possible_result(const struct tma_lowering_facts *facts, uint32_t i) {
    const struct tma_ptx_instruction *instruction = &facts->code[i];
    uint64_t bits, length;
    const struct tma_ptx_operand *source = tma_lowering_operand(facts, i, 1);
    switch (instruction->opcode) {
    case TMA_PTX_OP_MOV:
        if (source->kind == TMA_PTX_SPECIAL && source->number <= TMA_PTX_SREG_TID_Z)
            return 1023;
        return source->kind == TMA_PTX_REGISTER ? possible(facts, i, 1) : UINT32_MAX;
    case TMA_PTX_OP_AND:
        return possible(facts, i, 1) & possible(facts, i, 2);
    case TMA_PTX_OP_OR:
    case TMA_PTX_OP_XOR:
        return possible(facts, i, 1) | possible(facts, i, 2);
    case TMA_PTX_OP_SHL:
        return tma_lowering_constant(facts, i, 2, &bits) && bits < 32
                   ? possible(facts, i, 1) << bits
                   : UINT32_MAX;
    case TMA_PTX_OP_SHR:
        return tma_lowering_constant(facts, i, 2, &bits) && bits < 32 &&
                       (tma_ptx_types[instruction->types[0]].kind != TMA_PTX_SIGNED ||
                        possible(facts, i, 1) >> 31 == 0)
                   ? possible(facts, i, 1) >> bits
                   : UINT32_MAX;
    case TMA_PTX_OP_BFE:
        return instruction->types[0] == TMA_PTX_U32 &&
                       tma_lowering_constant(facts, i, 3, &length) && length < 32
                   ? (UINT32_C(1) << length) - 1
                   : UINT32_MAX;
    case TMA_PTX_OP_SELP:
        return possible(facts, i, 1) | possible(facts, i, 2);
    case TMA_PTX_OP_ADD:
        /* without a carry out of the highest bit that can be set, the sum has one bit more */
        return (possible(facts, i, 1) | possible(facts, i, 2)) >> 31 == 0
                   ? filled(possible(facts, i, 1) | possible(facts, i, 2)) << 1 | 1
                   : UINT32_MAX;
    default:
        return UINT32_MAX;
    }
}

static void find_possible(struct tma_lowering_facts *facts) {
    for (uint32_t i = 0; i < facts->count; i++)
        if (facts->written[i] == 1 && !facts->dead[i] && facts->code[i].type_count > 0 &&
            facts->code[i].operand_count > 1) {
            struct tma_lowering_value *value =
                &facts->values[facts->registers[facts->first_register[i]]];
            if (value->definitions == 1 && bits_of(facts->code[i].types[0]) == 32)
                value->possible = possible_result(facts, i);
        }
}

enum tma_error_code tma_lowering_facts_create(const struct tma_ptx_module *module,
                                              uint32_t function,
                                              const struct tma_lowering_options *options,
                                              struct tma_lowering_facts *facts,
                                              struct tma_error *error) {
    const struct tma_ptx_function *of = &module->functions[function];
    *facts = (struct tma_lowering_facts){.module = module,
                                         .function = of,
                                         .code = module->instructions + of->first_instruction,
                                         .count = of->instruction_count,
                                         .value_count = of->register_count};
    facts->values = tma_allocate(facts->value_count, sizeof *facts->values);
    facts->dead = tma_allocate(facts->count, sizeof *facts->dead);
    if (facts->values == NULL || facts->dead == NULL || !find_registers(facts) ||
        !find_blocks(facts))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (!options->off[TMA_LOWERING_DEAD] && !find_overwritten(facts))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    find_dead(facts, !options->off[TMA_LOWERING_DEAD]);
    if (!options->off[TMA_LOWERING_CONSTANTS])
        find_constants(facts);
    if (!options->off[TMA_LOWERING_COMMON] && !find_common(facts))
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    find_loops(facts);
    find_uniform(facts);
    find_possible(facts);
    find_uses(facts);
    return TMA_OK;
}

void tma_lowering_facts_free(struct tma_lowering_facts *facts) {
    TMA_RELEASE(facts->values, facts->registers, facts->first_register, facts->written, facts->uses,
                facts->block_of, facts->blocks, facts->loops, facts->dead);
}
