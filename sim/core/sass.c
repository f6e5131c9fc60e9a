#include "core/sass.h"

#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "core/lowering_facts.h"

enum { NONE = UINT32_MAX };

struct tma_sass {
    uint8_t (*slots)[TMA_PIPE_COUNT]; /* owned: by index in module->instructions */
    uint8_t *last_pipe;               /* owned: of the last SASS instruction of each */
    bool *known;                      /* owned: functions that the text has */
};

/* An instruction of the text. */
struct sass_line {
    const char *opcode; /* in the text */
    uint32_t length;
    uint32_t block; /* number of its block of SASS */
    uint32_t from;  /* the PTX instruction that its line names; NONE */
    uint32_t of;    /* the PTX instruction that it is a part of, or that is issued with it; NONE */
};

struct sass_reader {
    struct tma_ptx_module *module;
    struct tma_sass *sass;
    struct sass_line *lines; /* owned */
    size_t line_count, line_capacity;
    uint32_t block_count; /* of SASS */
    uint32_t *at_line;    /* owned: the first instruction at a line of the PTX; NONE */
    uint32_t last_line;   /* of the PTX that has an instruction */
    uint32_t *ptx_block;  /* owned: of each PTX instruction: the first one of its block */
    uint32_t *order;      /* owned: where each PTX instruction stands in SASS; NONE */
    struct tma_error *error;
};

/* ---- opcodes ---- */

static bool starts(const char *at, const char *end, const char *word) {
    size_t length = strlen(word);
    return (size_t)(end - at) >= length && memcmp(at, word, length) == 0;
}

static bool begins(const struct sass_line *line, const char *start) {
    return starts(line->opcode, line->opcode + line->length, start);
}

static bool has(const struct sass_line *line, const char *modifier) {
    size_t length = strlen(modifier);
    for (uint32_t i = 0; i + length <= line->length; i++)
        if (memcmp(line->opcode + i, modifier, length) == 0)
            return true;
    return false;
}

/* What the opcodes of a pipe begin with; the first that fits counts. What none fits is logic, a
 * move, a comparison or a sum of integers. */
static const struct {
    const char *start;
    enum tma_pipe pipe;
} pipes[] = {
    {"HGMMA", TMA_PIPE_TENSOR},
    {"IGMMA", TMA_PIPE_TENSOR},
    {"QGMMA", TMA_PIPE_TENSOR},
    {"BGMMA", TMA_PIPE_TENSOR},
    {"HMMA", TMA_PIPE_TENSOR},
    {"IMMA", TMA_PIPE_TENSOR},
    {"DMMA", TMA_PIPE_TENSOR},
    {"BMMA", TMA_PIPE_TENSOR},
    {"QMMA", TMA_PIPE_TENSOR},
    {"UTMA", TMA_PIPE_CONTROL},
    {"UBLKCP", TMA_PIPE_CONTROL},
    {"UBLKRED", TMA_PIPE_CONTROL},
    {"UBLKPF", TMA_PIPE_CONTROL},
    {"UCGABAR", TMA_PIPE_CONTROL},
    {"USETMAXREG", TMA_PIPE_CONTROL},
    {"ULDC", TMA_PIPE_UNIFORM},
    {"VOTEU", TMA_PIPE_UNIFORM},
    {"S2UR", TMA_PIPE_UNIFORM},
    {"R2UR", TMA_PIPE_ALU},
    {"U", TMA_PIPE_UNIFORM},
    {"LDC", TMA_PIPE_CONTROL},
    {"LDGDEPBAR", TMA_PIPE_LSU},
    {"LD", TMA_PIPE_LSU},
    {"ST", TMA_PIPE_LSU},
    {"ATOM", TMA_PIPE_LSU},
    {"RED", TMA_PIPE_LSU},
    {"SHFL", TMA_PIPE_LSU},
    {"S2R", TMA_PIPE_CONTROL},
    {"MOVM", TMA_PIPE_LSU},
    {"CCTL", TMA_PIPE_LSU},
    {"MEMBAR", TMA_PIPE_LSU},
    {"FENCE", TMA_PIPE_LSU},
    {"SYNCS", TMA_PIPE_CONTROL},
    {"ARRIVES", TMA_PIPE_LSU},
    {"MUFU", TMA_PIPE_SFU},
    {"I2FP", TMA_PIPE_ALU},
    {"I2F", TMA_PIPE_SFU},
    {"F2I", TMA_PIPE_SFU},
    {"F2FP", TMA_PIPE_ALU},
    {"F2F", TMA_PIPE_SFU},
    {"FRND", TMA_PIPE_SFU},
    {"POPC", TMA_PIPE_SFU},
    {"FLO", TMA_PIPE_SFU},
    {"BREV", TMA_PIPE_SFU},
    {"DFMA", TMA_PIPE_FP64},
    {"DADD", TMA_PIPE_FP64},
    {"DMUL", TMA_PIPE_FP64},
    {"DSETP", TMA_PIPE_FP64},
    {"IMAD.MOV", TMA_PIPE_FMA},
    {"IMAD.SHL", TMA_PIPE_FMA},
    {"IMAD.IADD", TMA_PIPE_FMA},
    {"IMAD.X", TMA_PIPE_FMA},
    {"IMAD", TMA_PIPE_FMA_HEAVY},
    {"IDP", TMA_PIPE_FMA_HEAVY},
    {"FFMA", TMA_PIPE_FMA},
    {"FMUL", TMA_PIPE_FMA},
    {"FADD", TMA_PIPE_FMA},
    {"HFMA2", TMA_PIPE_FMA},
    {"HADD2", TMA_PIPE_FMA},
    {"HMUL2", TMA_PIPE_FMA},
    {"BRA", TMA_PIPE_CONTROL},
    {"BRX", TMA_PIPE_CONTROL},
    {"EXIT", TMA_PIPE_CONTROL},
    {"BSSY", TMA_PIPE_CONTROL},
    {"BSYNC", TMA_PIPE_CONTROL},
    {"CALL", TMA_PIPE_CONTROL},
    {"RET", TMA_PIPE_CONTROL},
    {"BAR", TMA_PIPE_CONTROL},
    {"DEPBAR", TMA_PIPE_CONTROL},
    {"WARP", TMA_PIPE_CONTROL},
    {"NANOSLEEP", TMA_PIPE_CONTROL},
    {"YIELD", TMA_PIPE_CONTROL},
    {"ERRBAR", TMA_PIPE_CONTROL},
    {"ACQBULK", TMA_PIPE_CONTROL},
    {"BPT", TMA_PIPE_CONTROL},
};

static enum tma_pipe pipe_of(const struct sass_line *line) {
    for (size_t i = 0; i < sizeof pipes / sizeof *pipes; i++)
        if (begins(line, pipes[i].start))
            return pipes[i].pipe;
    return TMA_PIPE_ALU;
}

static bool is_product(const struct sass_line *line) {
    return begins(line, "HGMMA") || begins(line, "IGMMA") || begins(line, "QGMMA") ||
           begins(line, "BGMMA");
}

static bool ends_block(const struct sass_line *line) {
    return begins(line, "BRA") || begins(line, "BRX") || begins(line, "EXIT") ||
           begins(line, "RET") || begins(line, "CALL");
}

/* ---- the text ---- */

static bool add_line(struct sass_reader *reader, const char *opcode, uint32_t length,
                     uint32_t from) {
    if (!TMA_GROW(reader->lines, reader->line_count, reader->line_capacity))
        return false;
    reader->lines[reader->line_count++] = (struct sass_line){
        .opcode = opcode, .length = length, .block = reader->block_count, .from = from, .of = NONE};
    return true;
}

static const char *skip(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The line of the PTX that `//## File ".nv_debug_ptx_txt", line N` names; 0: it is none of these.
 */
static uint32_t named_line(const char *at, const char *end) {
    static const char file[] = "//## File \".nv_debug_ptx_txt\", line ";
    uint32_t line = 0;
    if (!starts(at, end, file))
        return 0;
    for (at += sizeof file - 1; at < end && *at >= '0' && *at <= '9' && line < UINT32_MAX / 16;
         at++)
        line = 10 * line + (uint32_t)(*at - '0');
    return line;
}

/* The opcode of a line of code: behind its address and its guard. NULL: it has none. */
static const char *opcode_of(const char *at, const char *end, uint32_t *length) {
    if (!starts(at, end, "/*"))
        return NULL;
    while (at < end && !starts(at, end, "*/"))
        at++;
    at = skip(at + (at < end ? 2 : 0), end);
    if (at < end && *at == '@') {
        while (at < end && *at != ' ')
            at++;
        at = skip(at, end);
    }
    const char *first = at;
    while (at < end && *at != ' ' && *at != ';')
        at++;
    *length = (uint32_t)(at - first);
    return first < end && *first >= 'A' && *first <= 'Z' ? first : NULL;
}

/* Reads the section of the kernel. */
static enum tma_error_code read_lines(struct sass_reader *reader, const char *text, size_t length,
                                      const char *kernel) {
    const char *end = text + length;
    bool inside = false, found = false, lines = false, after_branch = false;
    uint32_t from = NONE;
    size_t kernel_length = strlen(kernel);
    for (const char *at = text; at < end;) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        stop = stop == NULL ? end : stop;
        const char *first = skip(at, stop);
        uint32_t line, opcode_length;
        const char *opcode;
        if (starts(first, stop, ".text.")) {
            const char *name = first + strlen(".text.");
            inside = starts(name, stop, kernel) && name + kernel_length < stop &&
                     name[kernel_length] == ':';
            found |= inside;
        } else if (starts(first, stop, "//----")) {
            inside = false;
        } else if (inside && (line = named_line(first, stop)) != 0) {
            lines = true;
            from = line <= reader->last_line ? reader->at_line[line] : NONE;
        } else if (inside && first < stop && stop[-1] == ':') {
            after_branch = true; /* a label */
        } else if (inside && (opcode = opcode_of(first, stop, &opcode_length)) != NULL &&
                   !starts(opcode, stop, "NOP")) {
            reader->block_count += after_branch;
            if (!add_line(reader, opcode, opcode_length, from))
                return tma_fail(reader->error, TMA_ERROR_MEMORY, "out of memory");
            after_branch = ends_block(&reader->lines[reader->line_count - 1]);
        }
        at = stop + (stop < end);
    }
    reader->block_count++;
    if (!found)
        return tma_fail(reader->error, TMA_ERROR_SYNTAX,
                        "has no section .text.%.200s; expected the text of nvdisasm -c -gp",
                        kernel);
    if (!lines)
        return tma_fail(reader->error, TMA_ERROR_SYNTAX,
                        "names no lines of the PTX; expected the text of nvdisasm -c -gp, of what "
                        "ptxas made with -lineinfo");
    return TMA_OK;
}

/* ---- blocks of PTX ---- */

static bool ends_ptx_block(const struct tma_ptx_instruction *instruction) {
    return instruction->opcode == TMA_PTX_OP_BRA || instruction->opcode == TMA_PTX_OP_BRX_IDX ||
           instruction->opcode == TMA_PTX_OP_CALL || instruction->opcode == TMA_PTX_OP_RET ||
           instruction->opcode == TMA_PTX_OP_EXIT;
}

/* Finds the first instruction of each block, and the lines of instructions. */
static enum tma_error_code find_blocks(struct sass_reader *reader) {
    const struct tma_ptx_module *module = reader->module;
    size_t count = module->instruction_count;
    for (size_t i = 0; i < count; i++)
        if (module->instructions[i].line > reader->last_line)
            reader->last_line = module->instructions[i].line;
    reader->at_line = tma_allocate((size_t)reader->last_line + 1, sizeof *reader->at_line);
    reader->ptx_block = tma_allocate(count + 1, sizeof *reader->ptx_block);
    reader->order = tma_allocate(count + 1, sizeof *reader->order);
    bool *leads = tma_allocate(count + 1, sizeof *leads);
    if (reader->at_line == NULL || reader->ptx_block == NULL || reader->order == NULL ||
        leads == NULL) {
        tma_release(leads);
        return tma_fail(reader->error, TMA_ERROR_MEMORY, "out of memory");
    }
    memset(reader->at_line, 0xff, ((size_t)reader->last_line + 1) * sizeof *reader->at_line);
    memset(reader->order, 0xff, (count + 1) * sizeof *reader->order);
    for (size_t i = count; i-- > 0;)
        reader->at_line[module->instructions[i].line] = (uint32_t)i;
    for (size_t f = 0; f < module->function_count; f++) {
        const struct tma_ptx_function *function = &module->functions[f];
        uint32_t first = function->first_instruction;
        leads[first] = true;
        for (uint32_t i = first; i < first + function->instruction_count; i++) {
            const struct tma_ptx_instruction *instruction = &module->instructions[i];
            leads[i + 1] |= ends_ptx_block(instruction);
            tma_lowering_mark_labels(module, instruction, function->instruction_count,
                                     leads + first);
        }
    }
    for (size_t i = 0; i < count; i++)
        reader->ptx_block[i] = leads[i] || i == 0 ? (uint32_t)i : reader->ptx_block[i - 1];
    tma_release(leads);
    return TMA_OK;
}

/* ---- which PTX instruction issues what ---- */

/* A wait's first try is in line; its loop, where the try fails, is behind the code. */
static bool is_out_of_line(const struct sass_reader *reader, size_t first, size_t end,
                           const bool *waited) {
    bool tries = false;
    for (size_t i = first; i < end; i++) {
        const struct sass_line *line = &reader->lines[i];
        if (begins(line, "SYNCS"))
            tries |= line->from != NONE && waited[line->from];
        else if (!begins(line, "BRA") && !begins(line, "NANOSLEEP") && !begins(line, "WARPSYNC"))
            return false;
    }
    return tries;
}

/* The block of PTX that most instructions of a block of SASS come from. */
static uint32_t block_of(const struct sass_reader *reader, size_t first, size_t end,
                         uint32_t *votes) {
    uint32_t best = NONE;
    for (size_t i = first; i < end; i++)
        if (reader->lines[i].from != NONE) {
            uint32_t block = reader->ptx_block[reader->lines[i].from];
            votes[block]++;
            if (best == NONE || votes[block] > votes[best])
                best = block;
        }
    for (size_t i = first; i < end; i++)
        if (reader->lines[i].from != NONE)
            votes[reader->ptx_block[reader->lines[i].from]] = 0;
    return best;
}

/* wgmma of a block, one after the other: the lines of their HGMMA are not their own. */
static uint32_t next_product(const struct sass_reader *reader, uint32_t block, uint32_t after) {
    const struct tma_ptx_module *module = reader->module;
    for (uint32_t i = after == NONE ? block : after + 1;
         i < module->instruction_count && reader->ptx_block[i] == block; i++)
        if (module->instructions[i].opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC)
            return i;
    return after == NONE ? NONE : next_product(reader, block, NONE);
}

/* Each instruction of a block of SASS belongs to the PTX instruction of its line, if that is of the
 * same block; what ptxas moved there from elsewhere is issued with the one before it. */
static void attribute_block(struct sass_reader *reader, size_t first, size_t end, uint32_t block,
                            uint32_t *products, bool *waited) {
    uint32_t before = block;
    for (size_t i = first; i < end; i++) {
        struct sass_line *line = &reader->lines[i];
        if (is_product(line)) {
            uint32_t product = next_product(reader, block, products[block]);
            products[block] = product;
            before = product == NONE ? before : product;
        } else if (line->from != NONE && reader->ptx_block[line->from] == block) {
            before = line->from;
        }
        if (begins(line, "SYNCS") && line->from != NONE)
            waited[line->from] = true;
        line->of = before;
    }
}

static enum tma_error_code attribute(struct sass_reader *reader) {
    size_t count = reader->module->instruction_count + 1;
    uint32_t *votes = tma_allocate(count, sizeof *votes),
             *products = tma_allocate(count, sizeof *products);
    bool *waited = tma_allocate(count, sizeof *waited);
    bool good = votes != NULL && products != NULL && waited != NULL;
    if (good)
        memset(products, 0xff, count * sizeof *products);
    for (size_t first = 0, end; good && first < reader->line_count; first = end) {
        for (end = first;
             end < reader->line_count && reader->lines[end].block == reader->lines[first].block;)
            end++;
        uint32_t block = block_of(reader, first, end, votes);
        if (block != NONE && !is_out_of_line(reader, first, end, waited))
            attribute_block(reader, first, end, block, products, waited);
    }
    TMA_RELEASE(votes, products, waited);
    return good ? TMA_OK : tma_fail(reader->error, TMA_ERROR_MEMORY, "out of memory");
}

/* Is there one for each of the PTX? */
static bool is_anchor(const struct sass_line *line) {
    static const char *const starts_of[] = {"HGMMA", "IGMMA", "QGMMA", "HMMA", "IMMA", "UTMA",
                                            "LDG",   "STG",   "LDS",   "STS",  "BAR",  "SHFL",
                                            "ATOM",  "RED",   "SYNCS", "MUFU"};
    for (size_t i = 0; i < sizeof starts_of / sizeof *starts_of; i++)
        if (begins(line, starts_of[i]))
            return !has(line, "DEPBAR");
    return false;
}

/* How often a loop's body stands in SASS, as ptxas unrolls it: copies[first of a block]. */
static bool count_copies(const struct sass_reader *reader, uint32_t *copies) {
    size_t count = reader->module->instruction_count;
    uint32_t *anchors = tma_allocate(count + 1, sizeof *anchors);
    if (anchors == NULL)
        return false;
    for (size_t i = 0; i < reader->line_count; i++)
        if (reader->lines[i].of != NONE && is_anchor(&reader->lines[i]))
            anchors[reader->lines[i].of]++;
    for (size_t i = 0; i < count; i++) {
        uint32_t *least = &copies[reader->ptx_block[i]];
        if (anchors[i] != 0 && (*least == 0 || anchors[i] < *least))
            *least = anchors[i];
    }
    tma_release(anchors);
    return true;
}

/* Counts slots, and finds where each PTX instruction stands: at the last instruction of its first
 * copy. */
static enum tma_error_code count_slots(struct sass_reader *reader) {
    const struct tma_ptx_module *module = reader->module;
    struct tma_sass *sass = reader->sass;
    size_t count = module->instruction_count;
    uint32_t *copies = tma_allocate(count + 1, sizeof *copies),
             (*sums)[TMA_PIPE_COUNT] = tma_allocate(count + 1, sizeof *sums),
             *seen = tma_allocate(count + 1, sizeof *seen);
    bool good = copies != NULL && sums != NULL && seen != NULL && count_copies(reader, copies);
    for (size_t i = 0; good && i < reader->line_count; i++) {
        const struct sass_line *line = &reader->lines[i];
        if (line->of == NONE)
            continue;
        uint32_t pipe = pipe_of(line), *copy = &copies[reader->ptx_block[line->of]];
        sums[line->of][pipe]++;
        *copy = *copy == 0 ? 1 : *copy;
        /* A copy of a body begins where the ones before have as many instructions as each. */
        if (++seen[line->of] == 1 || *copy == 1) {
            reader->order[line->of] = (uint32_t)i;
            sass->last_pipe[line->of] = (uint8_t)pipe;
        }
    }
    uint32_t rests[TMA_PIPE_COUNT] = {0};
    for (size_t i = 0; good && i < count; i++) {
        uint32_t copy = copies[reader->ptx_block[i]];
        if (reader->ptx_block[i] == i)
            memset(rests, 0, sizeof rests);
        for (uint32_t pipe = 0; copy != 0 && pipe < TMA_PIPE_COUNT; pipe++) {
            uint32_t sum = sums[i][pipe] + rests[pipe], slots = sum / copy;
            slots = slots < UINT8_MAX ? slots : UINT8_MAX;
            rests[pipe] = sum % copy;
            sass->slots[i][pipe] = (uint8_t)slots;
        }
    }
    TMA_RELEASE(copies, sums, seen);
    return good ? TMA_OK : tma_fail(reader->error, TMA_ERROR_MEMORY, "out of memory");
}

/* ---- the order ---- */

enum access { ACCESS_NONE, ACCESS_LOAD, ACCESS_STORE, ACCESS_ORDER };

static bool reads_clock(const struct tma_ptx_module *module,
                        const struct tma_ptx_instruction *instruction) {
    const struct tma_ptx_operand *operand = &module->operands[instruction->operands + 1];
    return operand->kind == TMA_PTX_SPECIAL && operand->number >= TMA_PTX_SREG_CLOCK &&
           operand->number <= TMA_PTX_SREG_GLOBALTIMER_HI;
}

static enum access access_of(const struct tma_ptx_module *module,
                             const struct tma_ptx_instruction *instruction) {
    bool strong = tma_ptx_has(instruction, TMA_PTX_DOT_VOLATILE) ||
                  tma_ptx_has(instruction, TMA_PTX_DOT_RELAXED) ||
                  tma_ptx_has(instruction, TMA_PTX_DOT_ACQUIRE) ||
                  tma_ptx_has(instruction, TMA_PTX_DOT_RELEASE);
    switch ((enum tma_ptx_opcode)instruction->opcode) {
    case TMA_PTX_OP_LD:
    case TMA_PTX_OP_LDU:
    case TMA_PTX_OP_MULTIMEM_LD_REDUCE:
        if (tma_ptx_space_of(instruction) == TMA_PTX_PARAM ||
            tma_ptx_space_of(instruction) == TMA_PTX_CONST)
            return ACCESS_NONE;
        return strong ? ACCESS_ORDER : ACCESS_LOAD;
    case TMA_PTX_OP_LDMATRIX:
        return ACCESS_LOAD;
    case TMA_PTX_OP_ST:
        return strong ? ACCESS_ORDER : ACCESS_STORE;
    case TMA_PTX_OP_STMATRIX:
        return ACCESS_STORE;
    case TMA_PTX_OP_MOV:
        return reads_clock(module, instruction) ? ACCESS_ORDER : ACCESS_NONE;
    case TMA_PTX_OP_SHFL:
    case TMA_PTX_OP_VOTE:
    case TMA_PTX_OP_MATCH:
    case TMA_PTX_OP_REDUX:
    case TMA_PTX_OP_MMA:
        return ACCESS_NONE;
    case TMA_PTX_OP_CALL:
        return ACCESS_ORDER;
    default:
        return instruction->target_count == 0 || tma_ptx_has(instruction, TMA_PTX_DOT_CC) ||
                       instruction->opcode == TMA_PTX_OP_ADDC ||
                       instruction->opcode == TMA_PTX_OP_SUBC ||
                       instruction->opcode == TMA_PTX_OP_MADC ||
                       instruction->opcode == TMA_PTX_OP_ATOM ||
                       instruction->opcode == TMA_PTX_OP_ALLOCA ||
                       instruction->opcode == TMA_PTX_OP_STACKSAVE ||
                       instruction->opcode == TMA_PTX_OP_ELECT ||
                       instruction->opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC ||
                       instruction->opcode == TMA_PTX_OP_BARRIER_RED ||
                       instruction->opcode == TMA_PTX_OP_MBARRIER_ARRIVE ||
                       instruction->opcode == TMA_PTX_OP_MBARRIER_ARRIVE_DROP ||
                       instruction->opcode == TMA_PTX_OP_MBARRIER_TEST_WAIT ||
                       instruction->opcode == TMA_PTX_OP_MBARRIER_TRY_WAIT ||
                       instruction->opcode == TMA_PTX_OP_ACTIVEMASK
                   ? ACCESS_ORDER
                   : ACCESS_NONE;
    }
}

/* Where the instructions behind stand in SASS that read or write a register, or memory. */
struct later {
    uint32_t *read, *write; /* by register of the function */
    uint32_t access[ACCESS_ORDER + 1];
};

static void least(uint32_t *value, uint32_t other) {
    *value = other < *value ? other : *value;
}

/* Goes through the registers of an operand: with `place`, those behind get to know where the
 * instruction stands; without, *before becomes the least of where they stand. */
static void meet(const struct tma_ptx_module *module, const struct tma_ptx_operand *operand,
                 bool target, struct later *later, const uint32_t *place, uint32_t *before) {
    bool is_register = operand->kind == TMA_PTX_REGISTER ||
                       (operand->kind == TMA_PTX_ADDRESS && operand->base == TMA_PTX_REGISTER);
    if (operand->kind == TMA_PTX_VECTOR)
        for (uint32_t i = 0; i < operand->list.count; i++)
            meet(module, &module->operands[operand->list.first + i], target, later, place, before);
    if (!is_register)
        return;
    bool writes = target && operand->kind == TMA_PTX_REGISTER;
    if (place != NULL) {
        least(writes ? &later->write[operand->number] : &later->read[operand->number], *place);
        return;
    }
    least(before, later->write[operand->number]);
    if (writes)
        least(before, later->read[operand->number]);
}

static void meet_all(const struct tma_ptx_module *module,
                     const struct tma_ptx_instruction *instruction, struct later *later,
                     const uint32_t *place, uint32_t *before) {
    const struct tma_ptx_operand guard = {.kind = TMA_PTX_REGISTER, .number = instruction->guard};
    if (instruction->guard != TMA_PTX_NO_REGISTER)
        meet(module, &guard, false, later, place, before);
    for (uint32_t k = 0; k < instruction->operand_count; k++)
        meet(module, &module->operands[instruction->operands + k], k < instruction->target_count,
             later, place, before);
}

struct ordered {
    struct tma_ptx_instruction instruction;
    uint32_t place, number;
    uint8_t slots[TMA_PIPE_COUNT], last_pipe;
};

static int by_place(const void *a, const void *b) {
    const struct ordered *x = a, *y = b;
    if (x->place != y->place)
        return x->place < y->place ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/* Orders a block: each instruction where SASS has it, or where the first one stands that must come
 * behind it. */
static void order_block(struct sass_reader *reader, uint32_t first, uint32_t end,
                        struct later *later, struct ordered *block) {
    struct tma_ptx_module *module = reader->module;
    struct tma_sass *sass = reader->sass;
    memset(later->access, 0xff, sizeof later->access);
    for (uint32_t i = end; i-- > first;) {
        struct ordered *ordered = &block[i - first];
        ordered->instruction = module->instructions[i];
        ordered->number = i;
        ordered->last_pipe = sass->last_pipe[i];
        memcpy(ordered->slots, sass->slots[i], sizeof ordered->slots);
        uint32_t place = reader->order[i];
        enum access access = access_of(module, &ordered->instruction);
        meet_all(module, &ordered->instruction, later, NULL, &place);
        for (uint32_t other = ACCESS_LOAD; access != ACCESS_NONE && other <= ACCESS_ORDER; other++)
            if (access != ACCESS_LOAD || other != ACCESS_LOAD)
                least(&place, later->access[other]);
        meet_all(module, &ordered->instruction, later, &place, NULL);
        least(&later->access[access], place);
        ordered->place = place;
    }
    qsort(block, end - first, sizeof *block, by_place);
    for (uint32_t i = first; i < end; i++) {
        module->instructions[i] = block[i - first].instruction;
        sass->last_pipe[i] = block[i - first].last_pipe;
        memcpy(sass->slots[i], block[i - first].slots, sizeof sass->slots[i]);
    }
}

/* Orders the blocks of a function. */
static enum tma_error_code order_function(struct sass_reader *reader, uint32_t number) {
    const struct tma_ptx_module *module = reader->module;
    const struct tma_ptx_function *function = &module->functions[number];
    size_t registers = (size_t)function->register_count + 1;
    struct later later = {.read = tma_allocate(registers, sizeof *later.read),
                          .write = tma_allocate(registers, sizeof *later.write)};
    struct ordered *block = tma_allocate((size_t)function->instruction_count + 1, sizeof *block);
    bool good = later.read != NULL && later.write != NULL && block != NULL;
    uint32_t stop = function->first_instruction + function->instruction_count;
    for (uint32_t first = function->first_instruction, end; good && first < stop; first = end) {
        for (end = first + 1; end < stop && reader->ptx_block[end] == first;)
            end++;
        memset(later.read, 0xff, registers * sizeof *later.read);
        memset(later.write, 0xff, registers * sizeof *later.write);
        order_block(reader, first, end - ends_ptx_block(&module->instructions[end - 1]), &later,
                    block);
    }
    TMA_RELEASE(later.read, later.write, block);
    return good ? TMA_OK : tma_fail(reader->error, TMA_ERROR_MEMORY, "out of memory");
}

/* ---- all of it ---- */

static enum tma_error_code read_sass(struct sass_reader *reader, const char *text, size_t length,
                                     uint32_t function) {
    const struct tma_ptx_module *module = reader->module;
    struct tma_sass *sass = reader->sass;
    size_t count = module->instruction_count;
    sass->slots = tma_allocate(count + 1, sizeof *sass->slots);
    sass->last_pipe = tma_allocate(count + 1, sizeof *sass->last_pipe);
    sass->known = tma_allocate(module->function_count + 1, sizeof *sass->known);
    if (sass->slots == NULL || sass->last_pipe == NULL || sass->known == NULL)
        return tma_fail(reader->error, TMA_ERROR_MEMORY, "out of memory");
    enum tma_error_code code = find_blocks(reader);
    if (code == TMA_OK)
        code = read_lines(reader, text, length, module->functions[function].name);
    if (code == TMA_OK)
        code = attribute(reader);
    if (code == TMA_OK)
        code = count_slots(reader);
    for (size_t i = 0; code == TMA_OK && i < reader->line_count; i++)
        for (size_t f = 0; reader->lines[i].of != NONE && f < module->function_count; f++)
            sass->known[f] |= reader->lines[i].of >= module->functions[f].first_instruction &&
                              reader->lines[i].of - module->functions[f].first_instruction <
                                  module->functions[f].instruction_count;
    if (code == TMA_OK && !sass->known[function])
        code = tma_fail(reader->error, TMA_ERROR_SYNTAX,
                        "names lines of another PTX: none is an instruction of %.200s",
                        module->functions[function].name);
    for (uint32_t f = 0; code == TMA_OK && f < module->function_count; f++)
        if (sass->known[f])
            code = order_function(reader, f);
    return code;
}

enum tma_error_code tma_sass_read(const char *text, size_t length, struct tma_ptx_module *module,
                                  uint32_t function, struct tma_sass **sass,
                                  struct tma_error *error) {
    struct sass_reader reader = {.module = module, .error = error};
    reader.sass = *sass = tma_allocate(1, sizeof **sass);
    enum tma_error_code code = reader.sass == NULL
                                   ? tma_fail(error, TMA_ERROR_MEMORY, "out of memory")
                                   : read_sass(&reader, text, length, function);
    TMA_RELEASE(reader.lines, reader.at_line, reader.ptx_block, reader.order);
    if (code != TMA_OK) {
        tma_sass_free(*sass);
        *sass = NULL;
    }
    return code;
}

void tma_sass_lower(const struct tma_sass *sass, const struct tma_ptx_module *module,
                    uint32_t function, struct tma_lowered *lowered) {
    const struct tma_ptx_function *of = &module->functions[function];
    if (!sass->known[function])
        return;
    for (uint32_t i = of->first_instruction; i < of->first_instruction + of->instruction_count;
         i++) {
        bool issues = false;
        for (uint32_t pipe = 0; pipe < TMA_PIPE_COUNT; pipe++)
            issues |= sass->slots[i][pipe] != 0;
        memcpy(lowered[i].slots, sass->slots[i], sizeof lowered[i].slots);
        lowered[i].latency = issues ? tma_lowering_latency((enum tma_pipe)sass->last_pipe[i]) : 0;
    }
}

void tma_sass_free(struct tma_sass *sass) {
    if (sass == NULL)
        return;
    TMA_RELEASE(sass->slots, sass->last_pipe, sass->known, sass);
}
