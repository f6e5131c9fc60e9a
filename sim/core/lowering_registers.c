#include <string.h>

#include "base/allocation.h"
#include "core/lowering_facts.h"

enum { WORD_BITS = 64, MOST_DEPTH = 4, TURNS = 16 };

static bool writes(const struct tma_lowering_facts *facts, uint32_t i, uint32_t number) {
    for (uint32_t k = 0; k < facts->written[i]; k++)
        if (facts->registers[facts->first_register[i] + k] == number)
            return true;
    return false;
}

/* Has a product of which `commits` groups are committed, its own the first, ended behind this one?
 */
static bool ends_product(const struct tma_lowering_facts *facts, uint32_t i, uint32_t commits) {
    uint64_t left;
    return facts->code[i].opcode == TMA_PTX_OP_WGMMA_WAIT_GROUP &&
           tma_lowering_constant(facts, i, 0, &left) && (left == 0 || left < commits);
}

/* Does an instruction write an accumulator of a wgmma? */
static bool intrudes(const struct tma_lowering_facts *facts, uint32_t i, uint32_t product) {
    for (uint32_t k = 0; k < facts->written[i]; k++)
        if (writes(facts, product, facts->registers[facts->first_register[i] + k]))
            return true;
    return false;
}

/* A part of the text that a product is in flight in. */
struct flight {
    uint32_t product, commits;
    uint32_t intruder; /* the first one that is no wgmma; TMA_LOWERING_NONE */
};

/* Goes on until the product ends; false: it does not before `end`. */
static bool follow(const struct tma_lowering_facts *facts, uint32_t first, uint32_t end,
                   struct flight *flight) {
    for (uint32_t j = first; j < end; j++) {
        uint16_t opcode = facts->code[j].opcode;
        if (ends_product(facts, j, flight->commits))
            return true;
        flight->commits += opcode == TMA_PTX_OP_WGMMA_COMMIT_GROUP;
        if (flight->intruder == TMA_LOWERING_NONE && opcode != TMA_PTX_OP_WGMMA_MMA_ASYNC &&
            intrudes(facts, j, flight->product))
            flight->intruder = j;
    }
    return false;
}

/* ptxas looks at a product from its wgmma to the wait behind which it has ended, in the order of
 * the text; of a loop that it is in flight at the end of, at the loop's begin, too. Where something
 * else writes an accumulator there, it waits for each wgmma of the function, so that a wait leaves
 * none in flight. */
bool tma_lowering_serialise(const struct tma_lowering_facts *facts, struct tma_lowered *lowered) {
    uint32_t reason = TMA_LOWERING_NONE;
    for (uint32_t i = 0; i < facts->count && reason == TMA_LOWERING_NONE; i++) {
        if (facts->code[i].opcode != TMA_PTX_OP_WGMMA_MMA_ASYNC)
            continue;
        struct flight flight = {.product = i, .intruder = TMA_LOWERING_NONE};
        bool ended = false;
        uint32_t at = i + 1;
        for (uint32_t l = facts->blocks[facts->block_of[i]].loop; l != TMA_LOWERING_NONE && !ended;
             l = facts->loops[l].outer) {
            ended = follow(facts, at, facts->loops[l].end, &flight);
            struct flight again = flight;
            if (!ended)
                follow(facts, facts->loops[l].first, i, &again);
            flight.intruder = again.intruder;
            at = facts->loops[l].end;
        }
        if (!ended)
            follow(facts, at, facts->count, &flight);
        reason = flight.intruder;
    }
    for (uint32_t i = 0; i < facts->count && reason != TMA_LOWERING_NONE; i++) {
        bool product = facts->code[i].opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC;
        lowered[i].serialised = product || facts->code[i].opcode == TMA_PTX_OP_WGMMA_WAIT_GROUP;
        if (product)
            lowered[i].reason = reason + facts->function->first_instruction;
    }
    return reason != TMA_LOWERING_NONE;
}

/* One bit a register: is it live at the start of a block? */
struct liveness {
    uint64_t *in; /* owned: block_count times `words` */
    uint64_t *now;
    uint32_t words;
};

/* From behind instruction i to before it. */
static void step_back(const struct tma_lowering_facts *facts, uint32_t i, uint64_t *live) {
    bool whole = facts->code[i].guard == TMA_PTX_NO_REGISTER;
    uint32_t first = facts->first_register[i];
    for (uint32_t k = 0; k < facts->written[i] && whole; k++) {
        uint32_t number = facts->registers[first + k];
        live[number / WORD_BITS] &= ~(UINT64_C(1) << number % WORD_BITS);
    }
    for (uint32_t r = first + facts->written[i]; r < facts->first_register[i + 1]; r++) {
        uint32_t number = facts->values[facts->registers[r]].copy_of;
        live[number / WORD_BITS] |= UINT64_C(1) << number % WORD_BITS;
    }
}

static void leave_block(const struct tma_lowering_facts *facts, struct liveness *liveness,
                        uint32_t block) {
    uint32_t next[2];
    uint32_t count = tma_lowering_successors(facts, block, next);
    memset(liveness->now, 0, liveness->words * sizeof *liveness->now);
    for (uint32_t n = 0; n < count; n++)
        for (uint32_t w = 0; w < liveness->words; w++)
            liveness->now[w] |= liveness->in[(size_t)next[n] * liveness->words + w];
}

static void find_live(const struct tma_lowering_facts *facts, struct liveness *liveness) {
    bool changed = true;
    while (changed) {
        changed = false;
        for (uint32_t b = facts->block_count; b-- > 0;) {
            uint64_t *in = &liveness->in[(size_t)b * liveness->words];
            leave_block(facts, liveness, b);
            for (uint32_t i = facts->blocks[b].end; i-- > facts->blocks[b].first;)
                if (!facts->dead[i])
                    step_back(facts, i, liveness->now);
            changed =
                changed || memcmp(in, liveness->now, liveness->words * sizeof *liveness->now) != 0;
            memcpy(in, liveness->now, liveness->words * sizeof *liveness->now);
        }
    }
}

static uint32_t words_of(const struct tma_lowering_facts *facts, uint32_t number) {
    switch (facts->module->registers[facts->function->first_register + number].width) {
    case TMA_PTX_PREDICATE:
        return 0;
    case TMA_PTX_WORD:
        return 1;
    case TMA_PTX_DOUBLE:
        return 2;
    case TMA_PTX_QUAD:
        return 4;
    }
    return 1;
}

static bool is_live(const uint64_t *live, uint32_t number) {
    return (live[number / WORD_BITS] >> number % WORD_BITS & 1) != 0;
}

static uint32_t count_live(const struct tma_lowering_facts *facts, const uint64_t *live,
                           const bool *in_file) {
    uint32_t count = 0;
    for (uint32_t number = 0; number < facts->value_count; number++)
        if (in_file[number] && is_live(live, number))
            count += words_of(facts, number);
    return count;
}

/* What a spill of each register costs: its definitions and uses, those in loops many times. */
static void find_costs(const struct tma_lowering_facts *facts, uint64_t *costs) {
    for (uint32_t i = 0; i < facts->count; i++) {
        uint64_t turns = 1;
        uint32_t depth = 0;
        for (uint32_t l = facts->blocks[facts->block_of[i]].loop;
             l != TMA_LOWERING_NONE && depth < MOST_DEPTH; l = facts->loops[l].outer, depth++)
            turns *= TURNS;
        for (uint32_t r = facts->first_register[i]; r < facts->first_register[i + 1]; r++)
            costs[facts->values[facts->registers[r]].copy_of] += turns;
    }
}

/* Puts a register into local memory: stored behind what writes it, loaded before what reads it. */
static void spill_one(const struct tma_lowering_facts *facts, uint32_t number, uint32_t at,
                      struct tma_lowered *lowered) {
    for (uint32_t i = 0; i < facts->count; i++)
        for (uint32_t r = facts->first_register[i]; r < facts->first_register[i + 1]; r++)
            if (facts->values[facts->registers[r]].copy_of == number) {
                tma_lowering_add(&lowered[i], "l", 'a');
                lowered[i].spill_bytes =
                    (uint16_t)(lowered[i].spill_bytes + 4 * words_of(facts, number));
                lowered[i].reason = at + facts->function->first_instruction;
                if (r < facts->first_register[i] + facts->written[i])
                    break; /* one store; a read of it by the same instruction needs no load */
            }
}

/* Does list scheduling keep it in its place? */
static bool stays(const struct tma_ptx_instruction *instruction) {
    switch (instruction->opcode) {
    case TMA_PTX_OP_BARRIER_ARRIVE:
    case TMA_PTX_OP_BARRIER_SYNC:
    case TMA_PTX_OP_BARRIER_RED:
    case TMA_PTX_OP_FENCE:
    case TMA_PTX_OP_MEMBAR:
    case TMA_PTX_OP_WGMMA_FENCE:
    case TMA_PTX_OP_WGMMA_MMA_ASYNC:
    case TMA_PTX_OP_WGMMA_WAIT_GROUP:
        return true;
    default:
        return false;
    }
}

static enum tma_error_code spill(const struct tma_lowering_facts *facts, const bool *in_file,
                                 uint32_t limit, struct liveness *liveness,
                                 struct tma_lowered *lowered, struct tma_lowered_function *whole,
                                 struct tma_error *error) {
    uint32_t at = 0;
    uint64_t *most = tma_allocate(liveness->words, sizeof *most);
    bool *spilled = tma_allocate(facts->value_count, sizeof *spilled);
    uint64_t *costs = tma_allocate(facts->value_count, sizeof *costs);
    if (most == NULL || spilled == NULL || costs == NULL) {
        TMA_RELEASE(most, spilled, costs);
        return tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    }
    for (uint32_t b = 0; b < facts->block_count; b++) {
        leave_block(facts, liveness, b);
        for (uint32_t i = facts->blocks[b].end; i-- > facts->blocks[b].first;) {
            if (!facts->dead[i])
                step_back(facts, i, liveness->now);
            /* What is between instructions that stay in place can be ordered to need less. */
            if (!stays(&facts->code[i]) && i != facts->blocks[b].first)
                continue;
            uint32_t count = count_live(facts, liveness->now, in_file);
            if (count <= whole->live_registers)
                continue;
            whole->live_registers = count;
            memcpy(most, liveness->now, liveness->words * sizeof *most);
            at = i;
        }
    }
    uint32_t excess = whole->live_registers > limit ? whole->live_registers - limit : 0;
    whole->spilled = excess;
    if (excess > 0)
        find_costs(facts, costs);
    while (excess > 0) {
        uint32_t best = TMA_LOWERING_NONE;
        uint64_t least = UINT64_MAX;
        for (uint32_t number = 0; number < facts->value_count; number++) {
            if (!in_file[number] || spilled[number] || !is_live(most, number) ||
                words_of(facts, number) == 0)
                continue;
            if (costs[number] < least) {
                least = costs[number];
                best = number;
            }
        }
        if (best == TMA_LOWERING_NONE)
            break;
        spilled[best] = true;
        spill_one(facts, best, at, lowered);
        excess -= words_of(facts, best) < excess ? words_of(facts, best) : excess;
    }
    TMA_RELEASE(most, spilled, costs);
    return TMA_OK;
}

/* False when out of memory. Call free_liveness in either case. */
static bool create_liveness(const struct tma_lowering_facts *facts, struct liveness *liveness) {
    *liveness = (struct liveness){.words = facts->value_count / WORD_BITS + 1};
    liveness->in = tma_allocate((size_t)facts->block_count * liveness->words, sizeof *liveness->in);
    liveness->now = tma_allocate(liveness->words, sizeof *liveness->now);
    if (liveness->in == NULL || liveness->now == NULL)
        return false;
    find_live(facts, liveness);
    return true;
}

static void free_liveness(struct liveness *liveness) {
    TMA_RELEASE(liveness->in, liveness->now);
}

enum tma_error_code tma_lowering_spill(const struct tma_lowering_facts *facts, const bool *in_file,
                                       uint32_t limit, struct tma_lowered *lowered,
                                       struct tma_lowered_function *whole,
                                       struct tma_error *error) {
    struct liveness liveness;
    enum tma_error_code code = create_liveness(facts, &liveness)
                                   ? spill(facts, in_file, limit, &liveness, lowered, whole, error)
                                   : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    free_liveness(&liveness);
    return code;
}

enum tma_error_code tma_lowering_live(const struct tma_lowering_facts *facts, uint32_t instruction,
                                      bool *live, struct tma_error *error) {
    struct liveness liveness;
    enum tma_error_code code = create_liveness(facts, &liveness)
                                   ? TMA_OK
                                   : tma_fail(error, TMA_ERROR_MEMORY, "out of memory");
    if (code == TMA_OK) {
        const uint64_t *in = &liveness.in[(size_t)facts->block_of[instruction] * liveness.words];
        for (uint32_t number = 0; number < facts->value_count; number++)
            live[number] = is_live(in, number);
    }
    free_liveness(&liveness);
    return code;
}
