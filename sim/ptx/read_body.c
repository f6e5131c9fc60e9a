#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "ptx/read_state.h"

/* ---- operands */

/* Bits of a register. */
static uint32_t register_bits(const struct tma_ptx_reader *reader, uint32_t number) {
    const struct tma_ptx_module *module = reader->module;
    const struct tma_ptx_register *registers =
        module->registers + module->functions[reader->function].first_register;
    return tma_ptx_types[registers[number].type].bits;
}

/* What an instruction's operands are until all of them are read. */
struct operand_list {
    struct tma_ptx_operand items[TMA_PTX_MAX_OPERANDS];
    bool piped[TMA_PTX_MAX_OPERANDS]; /* stood behind a | */
    uint32_t count;
};

uint32_t tma_ptx_add_operands(struct tma_ptx_reader *reader, const struct tma_ptx_operand *operands,
                              size_t count, uint32_t line, uint32_t column) {
    struct tma_ptx_module *module = reader->module;
    uint32_t first = (uint32_t)module->operand_count;
    for (size_t i = 0; i < count; ++i) {
        if (!TMA_PTX_GROW(reader, module->operands, module->operand_count,
                          reader->operand_capacity))
            return UINT32_MAX;
        if (operands[i].kind == TMA_PTX_LABEL)
            tma_ptx_add_fixup(reader, (uint32_t)module->operand_count, operands[i].number, line,
                              column);
        module->operands[module->operand_count++] = operands[i];
    }
    return first;
}

/* Remembers that the function names a shared variable, for its layout. */
static void note_variable(struct tma_ptx_reader *reader, uint32_t variable) {
    struct tma_ptx_module *module = reader->module;
    if (module->variables[variable].space != TMA_PTX_SHARED)
        return;
    while (variable >= reader->variable_mark_capacity) {
        size_t old = reader->variable_mark_capacity;
        if (!TMA_PTX_GROW(reader, reader->variable_marks, old, reader->variable_mark_capacity))
            return;
        memset(reader->variable_marks + old, 0,
               (reader->variable_mark_capacity - old) * sizeof *reader->variable_marks);
    }
    if (reader->variable_marks[variable] == reader->function + 1 ||
        !TMA_PTX_GROW(reader, reader->shared_uses, reader->shared_use_count,
                      reader->shared_use_capacity))
        return;
    reader->variable_marks[variable] = reader->function + 1;
    reader->shared_uses[reader->shared_use_count++] =
        (struct tma_ptx_use){reader->function, variable};
}

static void note_call(struct tma_ptx_reader *reader, uint32_t callee) {
    if (TMA_PTX_GROW(reader, reader->calls, reader->call_count, reader->call_capacity))
        reader->calls[reader->call_count++] = (struct tma_ptx_use){reader->function, callee};
}

/* A special register: %tid.x, with its component at the lexer. */
static bool find_special(struct tma_ptx_reader *reader, const struct tma_ptx_token *token,
                         struct tma_ptx_operand *operand) {
    char name[32];
    const char *at = reader->lexer.at;
    size_t length = token->length - 1;
    if (*token->start != '%' || length + 2 >= sizeof name)
        return false;
    memcpy(name, token->start + 1, length);
    name[length] = '\0';
    *operand = (struct tma_ptx_operand){.kind = TMA_PTX_SPECIAL};
    for (uint32_t i = 0; i < TMA_PTX_SPECIAL_COUNT; ++i) {
        const char *special = tma_ptx_special_name((enum tma_ptx_special)i);
        size_t stem = strlen(special);
        operand->number = i;
        if (strcmp(special, name) == 0)
            return true;
        if (stem == length + 2 && special[length] == '.' && memcmp(special, name, length) == 0 &&
            at[0] == '.' && at[1] == special[length + 1]) {
            reader->lexer.at += 2;
            return true;
        }
    }
    unsigned number;
    int end = 0;
    if (sscanf(name, "envreg%2u%n", &number, &end) == 1 && name[end] == '\0' && number < 32)
        operand->number = TMA_PTX_SREG_ENVREG;
    else if (sscanf(name, "pm%1u%n", &number, &end) == 1 && name[end] == '\0' && number < 8)
        operand->number = TMA_PTX_SREG_PM;
    else if (sscanf(name, "pm%1u_64%n", &number, &end) == 1 && end > 0 && name[end] == '\0' &&
             number < 8)
        operand->number = TMA_PTX_SREG_PM_64;
    else
        return false;
    operand->bits = number;
    return true;
}

/* The four components of %tid and its like, as a vector. */
static bool find_special_vector(struct tma_ptx_reader *reader, const struct tma_ptx_token *token,
                                struct tma_ptx_operand *operand) {
    for (uint32_t i = 0; i + 3 < TMA_PTX_SPECIAL_COUNT; ++i) {
        const char *special = tma_ptx_special_name((enum tma_ptx_special)i);
        size_t stem = token->length - 1;
        if (*token->start != '%' || strlen(special) != stem + 2 ||
            strcmp(special + stem, ".x") != 0 || memcmp(special, token->start + 1, stem) != 0)
            continue;
        struct tma_ptx_operand parts[4];
        for (uint32_t j = 0; j < 4; ++j)
            parts[j] = (struct tma_ptx_operand){.kind = TMA_PTX_SPECIAL, .number = i + j};
        uint32_t first = tma_ptx_add_operands(reader, parts, 4, token->line, token->column);
        *operand = (struct tma_ptx_operand){.kind = TMA_PTX_VECTOR, .list = {first, 4}};
        return first != UINT32_MAX;
    }
    return false;
}

/* A vector register as a whole, or its component v.x. */
static bool read_vector_register(struct tma_ptx_reader *reader, const struct tma_ptx_symbol *symbol,
                                 const struct tma_ptx_token *token,
                                 struct tma_ptx_operand *operand) {
    static const char components[] = "xyzwrgba";
    const char *at = reader->lexer.at;
    const char *component = at[0] == '.' && at[1] != '\0' ? strchr(components, at[1]) : NULL;
    if (component != NULL) {
        uint32_t lane = (uint32_t)(component - components) % 4;
        reader->lexer.at += 2;
        *operand =
            (struct tma_ptx_operand){.kind = TMA_PTX_REGISTER, .number = symbol->number + lane};
        if (lane < symbol->lanes)
            return true;
        return tma_ptx_error(reader, token, "a vector of %u registers has no .%c", symbol->lanes,
                             *component);
    }
    struct tma_ptx_operand parts[8];
    uint32_t lanes = symbol->lanes;
    for (uint32_t i = 0; i < lanes; ++i)
        parts[i] = (struct tma_ptx_operand){.kind = TMA_PTX_REGISTER, .number = symbol->number + i};
    uint32_t first = tma_ptx_add_operands(reader, parts, lanes, token->line, token->column);
    *operand = (struct tma_ptx_operand){.kind = TMA_PTX_VECTOR, .list = {first, lanes}};
    return first != UINT32_MAX;
}

/* Reads a name that is an operand, with its offset if it is a variable. `label`: it names one. */
static bool read_name(struct tma_ptx_reader *reader, bool label, struct tma_ptx_operand *operand) {
    struct tma_ptx_token token = reader->token;
    uint32_t name = tma_ptx_intern(reader, token.start, token.length, token.hash);
    if (name == 0)
        return false;
    if (label) {
        *operand = (struct tma_ptx_operand){.kind = TMA_PTX_LABEL, .number = name};
        tma_ptx_advance(reader);
        return true;
    }
    const struct tma_ptx_symbol *symbol = tma_ptx_lookup(reader, name);
    *operand = (struct tma_ptx_operand){.kind = TMA_PTX_SINK};
    if (symbol == NULL) {
        if (token.length == 1 && *token.start == '_') {
            tma_ptx_advance(reader);
            return true;
        }
        struct tma_ptx_value value;
        if (token.length == 7 && memcmp(token.start, "WARP_SZ", 7) == 0) {
            if (!tma_ptx_read_constant(reader, &value))
                return false;
            *operand = (struct tma_ptx_operand){.kind = TMA_PTX_IMMEDIATE, .bits = value.bits};
            return true;
        }
        if (!find_special(reader, &token, operand) &&
            !find_special_vector(reader, &token, operand)) {
            tma_ptx_undeclared(reader, &token);
            return false;
        }
        tma_ptx_advance(reader);
        return true;
    }
    operand->number = symbol->number;
    switch ((enum tma_ptx_symbol_kind)symbol->kind) {
    case TMA_PTX_SYMBOL_REGISTER:
        operand->kind = TMA_PTX_REGISTER;
        break;
    case TMA_PTX_SYMBOL_REGISTERS:
        if (!read_vector_register(reader, symbol, &token, operand))
            return false;
        break;
    case TMA_PTX_SYMBOL_VARIABLE:
        operand->kind = TMA_PTX_VARIABLE;
        note_variable(reader, symbol->number);
        break;
    case TMA_PTX_SYMBOL_FUNCTION:
        operand->kind = TMA_PTX_FUNCTION;
        note_call(reader, symbol->number);
        break;
    case TMA_PTX_SYMBOL_TARGETS:
        *operand = (struct tma_ptx_operand){.kind = TMA_PTX_VECTOR,
                                            .list = {symbol->number, symbol->count}};
        break;
    case TMA_PTX_SYMBOL_NONE:
    case TMA_PTX_SYMBOL_RANGE:
    case TMA_PTX_SYMBOL_LABEL:
    case TMA_PTX_SYMBOL_PROTOTYPE:
        return tma_ptx_error(reader, &token, "a label is no operand of this instruction");
    }
    tma_ptx_advance(reader);
    return true;
}

static bool read_immediate(struct tma_ptx_reader *reader, struct tma_ptx_operand *operand) {
    struct tma_ptx_value value;
    /* Most constants stand alone. */
    const struct tma_ptx_token *token = &reader->token;
    char next = *reader->lexer.at;
    if (token->kind == TMA_PTX_TOKEN_INTEGER && (next == ',' || next == ';' || next == ']')) {
        *operand = (struct tma_ptx_operand){.kind = TMA_PTX_IMMEDIATE, .bits = token->value};
        tma_ptx_advance(reader);
        return true;
    }
    if (!tma_ptx_read_constant(reader, &value))
        return false;
    *operand = (struct tma_ptx_operand){
        .kind = TMA_PTX_IMMEDIATE, .is_float = value.is_float, .bits = value.bits};
    return true;
}

/* Reads `+4` or `-4` behind the base of an address. */
static bool read_offset(struct tma_ptx_reader *reader, int64_t *offset) {
    struct tma_ptx_value value;
    if (!tma_ptx_at(reader, '+') && !tma_ptx_at(reader, '-'))
        return true;
    if (!tma_ptx_read_constant(reader, &value))
        return false;
    *offset = (int64_t)((uint64_t)*offset + value.bits);
    return true;
}

/* Reads {a, b, ...} or (a, b, ...), from its bracket on: registers, constants, variables. */
static bool read_list(struct tma_ptx_reader *reader, int close, bool label,
                      struct tma_ptx_operand *operand) {
    struct tma_ptx_token start = reader->token;
    uint32_t first = (uint32_t)reader->module->operand_count, count = 0;
    tma_ptx_advance(reader);
    while (!tma_ptx_at(reader, close)) {
        struct tma_ptx_operand item;
        if (!(reader->token.kind == TMA_PTX_TOKEN_NAME ? read_name(reader, label, &item)
                                                       : read_immediate(reader, &item)))
            return false;
        if (item.kind == TMA_PTX_VECTOR && close == ')') {
            /* A call takes the registers of a vector one by one. They stand where they belong. */
            count += item.list.count;
        } else if (item.kind == TMA_PTX_VECTOR) {
            return tma_ptx_error(reader, &start, "a vector within a vector");
        } else {
            if (tma_ptx_add_operands(reader, &item, 1, start.line, start.column) == UINT32_MAX)
                return false;
            ++count;
        }
        if (!tma_ptx_accept(reader, ','))
            break;
    }
    if (!tma_ptx_expect(reader, close))
        return false;
    *operand = (struct tma_ptx_operand){.kind = TMA_PTX_VECTOR, .list = {first, count}};
    return true;
}

static bool append(struct tma_ptx_reader *reader, struct operand_list *list,
                   const struct tma_ptx_operand *operand, bool piped) {
    if (list->count == TMA_PTX_MAX_OPERANDS)
        return tma_ptx_error(reader, &reader->token,
                             "an instruction with more operands than any has");
    list->piped[list->count] = piped;
    list->items[list->count++] = *operand;
    return true;
}

/* Reads [base+offset], and the coordinates in it. */
static bool read_address(struct tma_ptx_reader *reader, struct operand_list *list) {
    struct tma_ptx_operand operand = {.kind = TMA_PTX_ADDRESS, .base = TMA_PTX_IMMEDIATE};
    tma_ptx_advance(reader);
    struct tma_ptx_token token = reader->token;
    if (token.kind == TMA_PTX_TOKEN_NAME) {
        struct tma_ptx_operand base;
        if (!read_name(reader, false, &base))
            return false;
        if (base.kind != TMA_PTX_REGISTER && base.kind != TMA_PTX_VARIABLE)
            return tma_ptx_error(reader, &token, "an address begins with a register or a variable");
        operand.base = base.kind;
        operand.number = base.number;
        if (!read_offset(reader, &operand.offset))
            return false;
    } else {
        struct tma_ptx_value value;
        if (!tma_ptx_read_constant(reader, &value))
            return false;
        operand.offset = (int64_t)value.bits;
    }
    if (!append(reader, list, &operand, false))
        return false;
    if (tma_ptx_accept(reader, ',')) {
        if (!tma_ptx_at(reader, '{')) {
            return tma_ptx_expected(reader, "the coordinates of a tensor, {x, y}");
        }
        if (!read_list(reader, '}', false, &operand) || !append(reader, list, &operand, false))
            return false;
    }
    return tma_ptx_expect(reader, ']');
}

static struct tma_ptx_instruction *add_instruction(struct tma_ptx_reader *reader);

/* ptxas takes %r1+4 as an operand: an addition to a register of its own, before the instruction. */
static bool read_sum(struct tma_ptx_reader *reader, struct tma_ptx_operand *operand) {
    struct tma_ptx_token at = reader->token;
    int64_t offset = 0;
    if (!read_offset(reader, &offset) || reader->stop)
        return false;
    uint32_t bits = register_bits(reader, operand->number);
    if (bits != 32 && bits != 64)
        return tma_ptx_error(reader, &at, "only a register of 32 or 64 bits may have an offset");
    uint8_t type = bits == 64 ? TMA_PTX_S64 : TMA_PTX_S32;
    uint32_t sum = tma_ptx_add_registers(
        reader, tma_ptx_intern(reader, "sum", 3, tma_ptx_hash("sum", 3)), type, 1);
    if (sum == UINT32_MAX)
        return false;
    struct tma_ptx_operand operands[3] = {
        {.kind = TMA_PTX_REGISTER, .number = sum},
        *operand,
        {.kind = TMA_PTX_IMMEDIATE, .bits = (uint64_t)offset},
    };
    uint32_t first = tma_ptx_add_operands(reader, operands, 3, at.line, at.column);
    struct tma_ptx_instruction *instruction = first == UINT32_MAX ? NULL : add_instruction(reader);
    if (instruction == NULL)
        return false;
    *instruction = (struct tma_ptx_instruction){.opcode = TMA_PTX_OP_ADD,
                                                .type_count = 1,
                                                .types = {type},
                                                .operand_count = 3,
                                                .operands = first,
                                                .guard = TMA_PTX_NO_REGISTER,
                                                .line = at.line,
                                                .column = at.column,
                                                .source = reader->source};
    operand->number = sum;
    return true;
}

/* Reads one operand; an address with coordinates gives two. */
static bool read_operand(struct tma_ptx_reader *reader, struct operand_list *list, bool label,
                         bool piped) {
    struct tma_ptx_operand operand = {.kind = TMA_PTX_NO_OPERAND};
    bool negated = false;
    if (tma_ptx_at(reader, '['))
        return read_address(reader, list);
    if (tma_ptx_at(reader, '{')) {
        if (!read_list(reader, '}', false, &operand))
            return false;
    } else {
        if (tma_ptx_at(reader, '!')) {
            tma_ptx_advance(reader);
            negated = true;
        }
        if (reader->token.kind == TMA_PTX_TOKEN_NAME) {
            if (!read_name(reader, label, &operand))
                return false;
            if (operand.kind == TMA_PTX_VARIABLE && !read_offset(reader, &operand.offset))
                return false;
            if (operand.kind == TMA_PTX_REGISTER && tma_ptx_at(reader, '+') &&
                !read_sum(reader, &operand))
                return false;
        } else if (!read_immediate(reader, &operand)) {
            return false;
        } else if (negated) {
            operand.bits = operand.bits == 0;
        }
    }
    operand.negated = negated && operand.kind == TMA_PTX_REGISTER;
    if (negated && operand.kind != TMA_PTX_REGISTER && operand.kind != TMA_PTX_IMMEDIATE)
        return tma_ptx_error(reader, &reader->token, "only a predicate can be negated");
    return append(reader, list, &operand, piped);
}

/* Reads the operands of a call: (results), callee, (arguments), prototype. */
static bool read_call(struct tma_ptx_reader *reader, struct operand_list *list) {
    struct tma_ptx_operand results = {.kind = TMA_PTX_VECTOR}, callee, arguments = results;
    results.list.first = arguments.list.first = (uint32_t)reader->module->operand_count;
    if (tma_ptx_at(reader, '(') &&
        !(read_list(reader, ')', false, &results) && tma_ptx_expect(reader, ',')))
        return false;
    struct tma_ptx_token token = reader->token;
    if (token.kind != TMA_PTX_TOKEN_NAME)
        return tma_ptx_expected(reader, "the function to call");
    if (!read_name(reader, false, &callee))
        return false;
    if (callee.kind != TMA_PTX_FUNCTION && callee.kind != TMA_PTX_REGISTER)
        return tma_ptx_error(reader, &token,
                             "only a function, or its address in a register, is called");
    if (tma_ptx_accept(reader, ',')) {
        if (tma_ptx_at(reader, '(') && !read_list(reader, ')', false, &arguments))
            return false;
        if (tma_ptx_at(reader, ',') || reader->token.kind == TMA_PTX_TOKEN_NAME) {
            tma_ptx_accept(reader, ','); /* the prototype, or the possible callees */
            if (reader->token.kind != TMA_PTX_TOKEN_NAME)
                return tma_ptx_expected(reader, "the name of a .callprototype");
            tma_ptx_advance(reader);
        }
    }
    return append(reader, list, &results, false) && append(reader, list, &callee, false) &&
           append(reader, list, &arguments, false);
}

static bool read_operands(struct tma_ptx_reader *reader, enum tma_ptx_opcode opcode,
                          struct operand_list *list) {
    list->count = 0;
    if (tma_ptx_at(reader, ';'))
        return true;
    if (opcode == TMA_PTX_OP_CALL)
        return read_call(reader, list);
    bool piped = false;
    for (;;) {
        if (!read_operand(reader, list, opcode == TMA_PTX_OP_BRA, piped))
            return false;
        piped = tma_ptx_accept(reader, '|');
        if (!piped && !tma_ptx_accept(reader, ','))
            return true;
    }
}

/* ---- do the operands fit the form? */

/* Does a value, no vector, fit a slot of so many bits? 1 bit is a predicate. */
static bool value_fits(const struct tma_ptx_reader *reader, const struct tma_ptx_operand *operand,
                       uint32_t bits, bool wider, bool destination) {
    switch ((enum tma_ptx_operand_kind)operand->kind) {
    case TMA_PTX_REGISTER: {
        uint32_t have = register_bits(reader, operand->number);
        return (have == bits || (wider && have > bits && bits > 1)) &&
               (!operand->negated || (bits == 1 && !destination));
    }
    case TMA_PTX_SINK:
        return destination;
    case TMA_PTX_IMMEDIATE:
    case TMA_PTX_SPECIAL:
        return !destination;
    case TMA_PTX_VARIABLE:
    case TMA_PTX_FUNCTION:
        return !destination && bits >= 32;
    case TMA_PTX_NO_OPERAND:
    case TMA_PTX_ADDRESS:
    case TMA_PTX_LABEL:
    case TMA_PTX_VECTOR:
        return false;
    }
    return false;
}

static uint32_t vector_lanes(const struct tma_ptx_mnemonic *mnemonic) {
    for (uint32_t i = 0; i < mnemonic->word_count; ++i)
        switch (mnemonic->words[i]) {
        case TMA_PTX_DOT_V2:
            return 2;
        case TMA_PTX_DOT_V4:
            return 4;
        case TMA_PTX_DOT_V8:
            return 8;
        }
    return 1;
}

/* A vector has as many elements as .v4 says. Without it, it may have one element; or a mov packs or
 * unpacks its elements. */
static bool vector_fits(const struct tma_ptx_reader *reader,
                        const struct tma_ptx_mnemonic *mnemonic,
                        const struct tma_ptx_operand *operand, uint32_t bits, bool wider,
                        bool destination) {
    const struct tma_ptx_operand *items = reader->module->operands + operand->list.first;
    uint32_t lanes = vector_lanes(mnemonic), count = operand->list.count;
    if (lanes == 1 && count != 1) {
        if (mnemonic->opcode != TMA_PTX_OP_MOV || (count != 2 && count != 4) || bits / count < 8)
            return false;
        bits /= count;
    } else if (lanes != count) {
        return false;
    }
    for (uint32_t i = 0; i < count; ++i)
        if (!value_fits(reader, &items[i], bits, wider, destination))
            return false;
    return true;
}

static uint32_t slot_bits(const struct tma_ptx_mnemonic *mnemonic, char slot) {
    uint32_t type = slot == 'W' ? 0 : (uint32_t)(slot - '0');
    switch (slot) {
    case 'p':
        return 1;
    case 'h':
        return 16;
    case 'w':
        return 32;
    case 'l':
        return 64;
    }
    if (type >= mnemonic->type_count)
        return 0;
    return tma_ptx_types[mnemonic->types[type]].bits * (slot == 'W' ? 2u : 1u);
}

static bool operand_fits(const struct tma_ptx_reader *reader,
                         const struct tma_ptx_mnemonic *mnemonic,
                         const struct tma_ptx_operand *operand, char slot, bool wider,
                         bool destination) {
    switch (slot) {
    case 'a':
    case 'm':
        return operand->kind == TMA_PTX_ADDRESS &&
               (operand->base != TMA_PTX_REGISTER || register_bits(reader, operand->number) == 32 ||
                register_bits(reader, operand->number) == 64);
    case 'v':
        return operand->kind == TMA_PTX_VECTOR;
    case 'i':
        return operand->kind == TMA_PTX_IMMEDIATE && !operand->is_float;
    case 'L':
        return operand->kind == TMA_PTX_LABEL;
    case '*':
        return operand->kind != TMA_PTX_ADDRESS && operand->kind != TMA_PTX_LABEL;
    }
    uint32_t bits = slot_bits(mnemonic, slot);
    bool lanes = slot >= '0' && slot <= '3' && vector_lanes(mnemonic) > 1;
    if (operand->kind == TMA_PTX_VECTOR)
        return slot >= '0' && slot <= '3' &&
               vector_fits(reader, mnemonic, operand, bits, wider, destination);
    return !lanes && value_fits(reader, operand, bits, wider, destination);
}

/* Fits a list to one alternative of a form's operands, up to a / or the end. Puts a sink where a
 * second destination is missing. Returns 0, or 1 + the operand that does not fit. */
static uint32_t fit_alternative(const struct tma_ptx_reader *reader,
                                const struct tma_ptx_mnemonic *mnemonic, const char *form,
                                struct operand_list *list) {
    uint32_t at = 0;
    while (*form != '\0' && *form != '/') {
        bool piped = false, destination = false, wider = false, optional = false;
        for (; *form == ' ' || *form == '|' || *form == '>'; ++form) {
            piped = piped || *form == '|';
            destination = destination || *form == '>';
        }
        char slot = *form++;
        for (; *form == '+' || *form == '?'; ++form) {
            wider = wider || *form == '+';
            optional = optional || *form == '?';
        }
        if (piped && (at >= list->count || !list->piped[at])) {
            if (!optional || list->count == TMA_PTX_MAX_OPERANDS)
                return at + 1;
            memmove(&list->items[at + 1], &list->items[at],
                    (list->count - at) * sizeof *list->items);
            memmove(&list->piped[at + 1], &list->piped[at], list->count - at);
            list->items[at] = (struct tma_ptx_operand){.kind = TMA_PTX_SINK};
            list->piped[at] = true;
            ++list->count;
        }
        if (at >= list->count) {
            if (optional)
                return 0;
            return at + 1;
        }
        if (list->piped[at] != piped ||
            !operand_fits(reader, mnemonic, &list->items[at], slot, wider, destination))
            return at + 1;
        ++at;
        if (slot == 'm' && (at >= list->count || list->items[at++].kind != TMA_PTX_VECTOR))
            return at;
    }
    return at == list->count ? 0 : at + 1;
}

/* How many operands of a form are written: those of a call are its results. */
static uint8_t count_targets(const struct tma_ptx_mnemonic *mnemonic) {
    uint32_t count = mnemonic->opcode == TMA_PTX_OP_CALL ? 1 : 0;
    for (const char *form = mnemonic->operands; *form != '\0' && *form != '/'; ++form)
        count += *form == '>';
    return (uint8_t)count;
}

/* How many operands the first alternative of a form has, in the text. */
static void count_operands(const char *form, uint32_t *least, uint32_t *most) {
    *least = *most = 0;
    for (; *form != '\0' && *form != '/'; ++form) {
        if (strchr(" >|+", *form) != NULL)
            continue;
        if (*form == '?') {
            --*least;
            continue;
        }
        ++*least;
        ++*most;
    }
}

/* Says what is wrong with the operands; 0: nothing is. */
static uint32_t check_operands(struct tma_ptx_reader *reader,
                               const struct tma_ptx_mnemonic *mnemonic, const char *text,
                               size_t length, struct operand_list *list) {
    const char *form = mnemonic->operands;
    uint32_t given = list->count, bad = fit_alternative(reader, mnemonic, form, list);
    if (bad == 0)
        return 0;
    for (const char *next = strchr(form, '/'); next != NULL; next = strchr(next, '/'))
        if (fit_alternative(reader, mnemonic, ++next, list) == 0)
            return 0;
    uint32_t least, most;
    char problem[300];
    int shown = length > 100 ? 100 : (int)length;
    count_operands(form, &least, &most);
    if (strchr(form, 'm') == NULL && (given < least || given > most) && strchr(form, '/') == NULL)
        snprintf(problem, sizeof problem, "'%.*s' takes %u operands, not %u", shown, text,
                 given < least ? least : most, given);
    else
        snprintf(problem, sizeof problem,
                 "operand %u of '%.*s' has another kind or size than the instruction takes", bad,
                 shown, text);
    return tma_ptx_add_message(reader, problem);
}

/* ---- instructions */

static bool grow_cache_slots(struct tma_ptx_reader *reader) {
    size_t count = reader->cache_slot_count == 0 ? 256 : 2 * reader->cache_slot_count;
    uint32_t *slots = tma_allocate(count, sizeof *slots);
    if (slots == NULL)
        return tma_ptx_no_memory(reader);
    for (uint32_t i = 1; i < reader->cache_count; ++i) {
        size_t slot = reader->cache[i].hash & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i;
    }
    tma_release(reader->cache_slots);
    reader->cache_slots = slots;
    reader->cache_slot_count = count;
    return true;
}

/* What a mnemonic means: read once, and remembered. */
static const struct tma_ptx_cached *find_mnemonic(struct tma_ptx_reader *reader, const char *text,
                                                  size_t length) {
    uint32_t hash = tma_ptx_hash(text, length);
    if (2 * (reader->cache_count + 1) > reader->cache_slot_count && !grow_cache_slots(reader))
        return NULL;
    size_t mask = reader->cache_slot_count - 1, slot = hash & mask;
    for (; reader->cache_slots[slot] != 0; slot = (slot + 1) & mask) {
        const struct tma_ptx_cached *cached = &reader->cache[reader->cache_slots[slot]];
        if (cached->hash == hash && cached->length == length &&
            memcmp(cached->text, text, length) == 0)
            return cached;
    }
    if (reader->cache_count == 0)
        reader->cache_count = 1;
    struct tma_ptx_cached cached = {.length = length, .hash = hash};
    cached.text = tma_ptx_take_text(reader, text, length);
    if (cached.text == NULL ||
        !TMA_PTX_GROW(reader, reader->cache, reader->cache_count, reader->cache_capacity))
        return NULL;
    if (!tma_ptx_mnemonic_read(&reader->lexicon, text, length, &cached.mnemonic)) {
        tma_ptx_no_memory(reader);
        return NULL;
    }
    if (cached.mnemonic.problem != NULL) {
        cached.message = tma_ptx_add_message(reader, cached.mnemonic.problem);
        tma_release(cached.mnemonic.problem);
        cached.mnemonic.problem = NULL;
        if (cached.message == 0)
            return NULL;
    }
    reader->cache_slots[slot] = (uint32_t)reader->cache_count;
    reader->cache[reader->cache_count] = cached;
    return &reader->cache[reader->cache_count++];
}

static struct tma_ptx_instruction *add_instruction(struct tma_ptx_reader *reader) {
    struct tma_ptx_module *module = reader->module;
    if (!TMA_PTX_GROW(reader, module->instructions, module->instruction_count,
                      reader->instruction_capacity))
        return NULL;
    ++module->functions[reader->function].instruction_count;
    return &module->instructions[module->instruction_count++];
}

enum { MAX_MNEMONIC = 400 };

/* Reads the mnemonic at the current token, white space between its parts included. */
static const struct tma_ptx_cached *read_mnemonic(struct tma_ptx_reader *reader) {
    struct tma_ptx_lexer *lexer = &reader->lexer;
    const char *start = reader->token.start;
    char buffer[MAX_MNEMONIC];
    size_t length = reader->token.length;
    bool parted = false;
    for (;;) {
        if (*lexer->at != '.') {
            tma_ptx_skip_space(lexer);
            if (*lexer->at != '.')
                break;
        }
        struct tma_ptx_token part;
        tma_ptx_next(lexer, &part);
        if (part.kind != TMA_PTX_TOKEN_DIRECTIVE) {
            tma_ptx_error(reader, &part, "a modifier has letters or digits behind its dot");
            return NULL;
        }
        if (length + part.length > sizeof buffer) {
            tma_ptx_error(reader, &part, "an instruction with more modifiers than any has");
            return NULL;
        }
        if (part.start != start + length && !parted) {
            memcpy(buffer, start, length);
            parted = true;
        }
        if (parted)
            memcpy(buffer + length, part.start, part.length);
        length += part.length;
    }
    return find_mnemonic(reader, parted ? buffer : start, length);
}

/* Reads an instruction, from its opcode on. */
static bool read_instruction(struct tma_ptx_reader *reader, uint32_t guard, bool guard_negated) {
    struct tma_ptx_token start = reader->token;
    if (start.kind != TMA_PTX_TOKEN_NAME)
        return tma_ptx_expected(reader, "an instruction");
    if (start.length > MAX_MNEMONIC)
        return tma_ptx_error(reader, &start,
                             "a name with more than %d characters is no instruction", MAX_MNEMONIC);
    const struct tma_ptx_cached *cached = read_mnemonic(reader);
    if (cached == NULL)
        return false;
    const struct tma_ptx_mnemonic mnemonic = cached->mnemonic;
    const char *text = cached->text;
    size_t length = cached->length;
    uint32_t unknown = cached->message;
    tma_ptx_advance(reader);
    struct operand_list list = {.count = 0};
    if (unknown != 0) {
        tma_ptx_skip_statement(reader); /* its operands may be of any kind */
    } else {
        if (!read_operands(reader, (enum tma_ptx_opcode)mnemonic.opcode, &list))
            return false;
        if (!tma_ptx_at(reader, ';')) {
            return tma_ptx_expected(reader, "',' or ';'");
        }
        if (reader->stop)
            return false;
        unknown = check_operands(reader, &mnemonic, text, length, &list);
        tma_ptx_advance(reader);
    }
    if (unknown != 0)
        list.count = 0;
    uint32_t operands =
        tma_ptx_add_operands(reader, list.items, list.count, start.line, start.column);
    struct tma_ptx_instruction *instruction =
        operands == UINT32_MAX ? NULL : add_instruction(reader);
    if (instruction == NULL)
        return false;
    *instruction = (struct tma_ptx_instruction){
        .opcode = unknown != 0 ? (uint16_t)TMA_PTX_UNKNOWN : mnemonic.opcode,
        .type_count = mnemonic.type_count,
        .word_count = mnemonic.word_count,
        .operand_count = (uint8_t)list.count,
        .target_count = unknown != 0 ? 0 : count_targets(&mnemonic),
        .guard = guard,
        .guard_negated = guard_negated,
        .operands = operands,
        .line = start.line,
        .column = start.column,
        .source = reader->source,
        .unknown = unknown};
    memcpy(instruction->types, mnemonic.types, sizeof instruction->types);
    memcpy(instruction->words, mnemonic.words, sizeof instruction->words);
    return true;
}

/* Reads @p or @!p. */
static bool read_guard(struct tma_ptx_reader *reader, uint32_t *guard, bool *negated) {
    struct tma_ptx_operand operand;
    tma_ptx_advance(reader);
    *negated = tma_ptx_accept(reader, '!');
    struct tma_ptx_token token = reader->token;
    if (token.kind != TMA_PTX_TOKEN_NAME)
        return tma_ptx_expected(reader, "a predicate");
    if (!read_name(reader, false, &operand))
        return false;
    if (operand.kind != TMA_PTX_REGISTER || reader->stop ||
        register_bits(reader, operand.number) != 1)
        return tma_ptx_error(reader, &token, "'%.*s' is no predicate",
                             token.length > 100 ? 100 : (int)token.length, token.start);
    *guard = operand.number;
    return true;
}

/* ---- statements */

/* Two tables of places: by all that they are, and the last one of a file, line and column. */
static uint32_t place_hash(const struct tma_ptx_place *place) {
    uint32_t words[3] = {place->file, place->line, place->column};
    return tma_ptx_hash((const char *)words, sizeof words);
}

static uint32_t whole_hash(const struct tma_ptx_place *place, const struct tma_ptx_use *name) {
    uint32_t words[3] = {place->inlined_at, name->function, name->number};
    return place_hash(place) * 31 + tma_ptx_hash((const char *)words, sizeof words);
}

static bool same_line(const struct tma_ptx_place *a, const struct tma_ptx_place *b) {
    return a->file == b->file && a->line == b->line && a->column == b->column;
}

/* Makes both tables larger. */
static bool grow_place_slots(struct tma_ptx_reader *reader) {
    const struct tma_ptx_module *module = reader->module;
    size_t count = reader->place_slot_count == 0 ? 256 : 2 * reader->place_slot_count;
    uint32_t *slots = tma_allocate(2 * count, sizeof *slots);
    if (slots == NULL)
        return tma_ptx_no_memory(reader);
    for (uint32_t i = 1; i < module->place_count; ++i) {
        const struct tma_ptx_place *place = &module->places[i];
        size_t slot = whole_hash(place, &reader->place_names[i]) & (count - 1);
        while (slots[slot] != 0)
            slot = (slot + 1) & (count - 1);
        slots[slot] = i;
        slot = place_hash(place) & (count - 1);
        while (slots[count + slot] != 0 && !same_line(&module->places[slots[count + slot]], place))
            slot = (slot + 1) & (count - 1);
        slots[count + slot] = i;
    }
    tma_release(reader->place_slots);
    reader->place_slots = slots;
    reader->place_slot_count = count;
    return true;
}

/* Where the last place of a file, line and column is noted. */
static uint32_t *last_place(const struct tma_ptx_reader *reader,
                            const struct tma_ptx_place *place) {
    uint32_t *slots = reader->place_slots + reader->place_slot_count;
    size_t mask = reader->place_slot_count - 1, slot = place_hash(place) & mask;
    while (slots[slot] != 0 && !same_line(&reader->module->places[slots[slot]], place))
        slot = (slot + 1) & mask;
    return &slots[slot];
}

/* The number of a place, a new one if it was not seen; 0: no memory. */
static uint32_t find_place(struct tma_ptx_reader *reader, const struct tma_ptx_place *place,
                           const struct tma_ptx_use *name) {
    struct tma_ptx_module *module = reader->module;
    if (2 * (module->place_count + 1) > reader->place_slot_count && !grow_place_slots(reader))
        return 0;
    size_t mask = reader->place_slot_count - 1, slot = whole_hash(place, name) & mask;
    uint32_t found;
    for (; (found = reader->place_slots[slot]) != 0; slot = (slot + 1) & mask) {
        const struct tma_ptx_use *its = &reader->place_names[found];
        if (same_line(&module->places[found], place) &&
            module->places[found].inlined_at == place->inlined_at &&
            its->function == name->function && its->number == name->number)
            break;
    }
    if (found == 0) {
        if (!TMA_PTX_GROW(reader, module->places, module->place_count, reader->place_capacity) ||
            !TMA_PTX_GROW(reader, reader->place_names, module->place_count,
                          reader->place_name_capacity))
            return 0;
        found = (uint32_t)module->place_count++;
        module->places[found] = *place;
        reader->place_names[found] = *name;
        reader->place_slots[slot] = found;
    }
    *last_place(reader, place) = found;
    return found;
}

static bool read_place(struct tma_ptx_reader *reader, struct tma_ptx_place *place) {
    uint32_t *numbers[3] = {&place->file, &place->line, &place->column};
    for (int i = 0; i < 3; ++i) {
        if (reader->token.kind != TMA_PTX_TOKEN_INTEGER || reader->token.value > UINT32_MAX)
            return tma_ptx_expected(reader, "the numbers of a file, a line and a column");
        *numbers[i] = (uint32_t)reader->token.value;
        tma_ptx_advance(reader);
    }
    return true;
}

static bool accept_word(struct tma_ptx_reader *reader, const char *word) {
    if (reader->token.kind != TMA_PTX_TOKEN_NAME || strlen(word) != reader->token.length ||
        memcmp(word, reader->token.start, reader->token.length) != 0)
        return false;
    tma_ptx_advance(reader);
    return true;
}

void tma_ptx_read_location(struct tma_ptx_reader *reader) {
    struct tma_ptx_place place = {0}, outside = {0};
    struct tma_ptx_use name = {0, 0};
    if (!read_place(reader, &place))
        return;
    while (tma_ptx_accept(reader, ',')) {
        if (accept_word(reader, "function_name")) {
            if (reader->token.kind != TMA_PTX_TOKEN_NAME) {
                tma_ptx_expected(reader, "the label of a function's name");
                return;
            }
            name.function = tma_ptx_intern(reader, reader->token.start, reader->token.length,
                                           reader->token.hash);
            tma_ptx_advance(reader);
            if (tma_ptx_accept(reader, '+')) {
                uint64_t offset = 0;
                if (!tma_ptx_read_count(reader, UINT32_MAX, "an offset", &offset))
                    return;
                name.number = (uint32_t)offset;
            }
        } else if (accept_word(reader, "inlined_at")) {
            if (!read_place(reader, &outside))
                return;
            /* What it was inlined at may itself be inlined: the last .loc there says so. */
            if (reader->place_slot_count != 0)
                place.inlined_at = *last_place(reader, &outside);
            if (place.inlined_at == 0)
                place.inlined_at = find_place(reader, &outside, &(struct tma_ptx_use){0, 0});
        } else {
            tma_ptx_expected(reader, "function_name or inlined_at");
            return;
        }
    }
    reader->source = place.line == 0 ? 0 : find_place(reader, &place, &name);
}

/* Reads what stands behind `label:` if it is a directive with a list: .branchtargets and its like.
 * False: it is an ordinary label. */
static bool read_list_directive(struct tma_ptx_reader *reader, const struct tma_ptx_token *label) {
    bool targets = tma_ptx_at_directive(reader, ".branchtargets");
    if (!targets && !tma_ptx_at_directive(reader, ".callprototype") &&
        !tma_ptx_at_directive(reader, ".calltargets"))
        return false;
    tma_ptx_advance(reader);
    uint32_t first = (uint32_t)reader->module->operand_count, count = 0;
    while (targets && reader->token.kind == TMA_PTX_TOKEN_NAME) {
        struct tma_ptx_operand target;
        struct tma_ptx_token at = reader->token;
        if (!read_name(reader, true, &target) ||
            tma_ptx_add_operands(reader, &target, 1, at.line, at.column) == UINT32_MAX)
            return true;
        ++count;
        if (!tma_ptx_accept(reader, ','))
            break;
    }
    if (targets && !tma_ptx_at(reader, ';'))
        tma_ptx_expected(reader, "labels and ';'");
    tma_ptx_skip_statement(reader);
    struct tma_ptx_symbol *symbol =
        tma_ptx_define(reader, label, targets ? TMA_PTX_SYMBOL_TARGETS : TMA_PTX_SYMBOL_PROTOTYPE);
    if (symbol != NULL) {
        symbol->number = first;
        symbol->count = count;
    }
    return true;
}

/* Is the current name a label? A : stands behind it, and no second one. */
static bool at_label(struct tma_ptx_reader *reader) {
    if (reader->token.kind != TMA_PTX_TOKEN_NAME)
        return false;
    if (*reader->lexer.at == '.')
        return false;
    tma_ptx_skip_space(&reader->lexer);
    return reader->lexer.at[0] == ':' && reader->lexer.at[1] != ':';
}

static void read_label(struct tma_ptx_reader *reader) {
    struct tma_ptx_token label = reader->token;
    tma_ptx_advance(reader);
    tma_ptx_advance(reader);
    if (read_list_directive(reader, &label))
        return;
    struct tma_ptx_symbol *symbol = tma_ptx_define(reader, &label, TMA_PTX_SYMBOL_LABEL);
    if (symbol != NULL)
        symbol->number = reader->last_label =
            reader->module->functions[reader->function].instruction_count;
}

static void read_directive(struct tma_ptx_reader *reader) {
    struct tma_ptx_declaration declaration = {.in_frame = true};
    if (tma_ptx_at_space(reader)) {
        if (tma_ptx_read_declaration(reader, &declaration))
            tma_ptx_read_declarators(reader, &declaration);
        else
            tma_ptx_skip_statement(reader);
    } else if (tma_ptx_accept_directive(reader, ".loc")) {
        tma_ptx_read_location(reader);
    } else if (tma_ptx_at_directive(reader, ".pragma") ||
               tma_ptx_at_directive(reader, ".callprototype")) {
        tma_ptx_skip_statement(reader);
    } else {
        tma_ptx_error(reader, &reader->token, "a body has no directive '%.*s'",
                      reader->token.length > 100 ? 100 : (int)reader->token.length,
                      reader->token.start);
        tma_ptx_skip_statement(reader);
    }
}

static void read_statement(struct tma_ptx_reader *reader) {
    uint32_t guard = TMA_PTX_NO_REGISTER;
    bool negated = false;
    if (tma_ptx_at(reader, '@') && !read_guard(reader, &guard, &negated)) {
        tma_ptx_skip_statement(reader);
        return;
    }
    if (!read_instruction(reader, guard, negated))
        tma_ptx_skip_statement(reader);
}

/* Can control pass an instruction? */
static bool goes_on(const struct tma_ptx_instruction *instruction) {
    return instruction->guard != TMA_PTX_NO_REGISTER ||
           (instruction->opcode != TMA_PTX_OP_RET && instruction->opcode != TMA_PTX_OP_EXIT &&
            instruction->opcode != TMA_PTX_OP_TRAP && instruction->opcode != TMA_PTX_OP_BRA);
}

/* Ends a body that could run off its end with a ret. */
static void end_body(struct tma_ptx_reader *reader, uint32_t line, uint32_t column) {
    const struct tma_ptx_module *module = reader->module;
    uint32_t count = module->functions[reader->function].instruction_count;
    bool needed = count == 0 || goes_on(&module->instructions[module->instruction_count - 1]);
    needed = needed || reader->last_label == count;
    struct tma_ptx_instruction *instruction = needed ? add_instruction(reader) : NULL;
    if (instruction != NULL)
        *instruction = (struct tma_ptx_instruction){.opcode = TMA_PTX_OP_RET,
                                                    .guard = TMA_PTX_NO_REGISTER,
                                                    .line = line,
                                                    .column = column,
                                                    .source = reader->source};
}

/* Labels that no scope of the function has. */
static void report_labels(struct tma_ptx_reader *reader, uint32_t fixup) {
    for (; fixup != 0; fixup = reader->fixups[fixup].next) {
        const struct tma_ptx_fixup *at = &reader->fixups[fixup];
        tma_ptx_error_at(reader, at->line, at->column, "no label '%s' is in reach",
                         reader->names[at->name].text);
    }
}

void tma_ptx_read_body(struct tma_ptx_reader *reader) {
    uint32_t outside = reader->depth;
    tma_ptx_open_scope(reader);
    while (reader->depth > outside) {
        struct tma_ptx_token token = reader->token;
        if (token.kind == TMA_PTX_TOKEN_END) {
            tma_ptx_expected(reader, "the '}' of the body");
            while (reader->depth > outside)
                tma_ptx_close_scope(reader);
        } else if (token.kind == TMA_PTX_TOKEN_DIRECTIVE) {
            read_directive(reader);
        } else if (tma_ptx_accept(reader, ';')) {
            continue;
        } else if (tma_ptx_at(reader, '{')) {
            if (reader->depth + 1 == TMA_PTX_MAX_DEPTH) {
                tma_ptx_error(reader, &token, "more than %d braces within one another",
                              TMA_PTX_MAX_DEPTH);
                tma_ptx_skip_group(reader);
                continue;
            }
            tma_ptx_advance(reader);
            tma_ptx_open_scope(reader);
        } else if (tma_ptx_at(reader, '}')) {
            if (reader->depth == outside + 1)
                end_body(reader, token.line, token.column);
            tma_ptx_close_scope(reader);
            tma_ptx_advance(reader);
        } else if (at_label(reader)) {
            read_label(reader);
        } else {
            read_statement(reader);
        }
    }
    if (!reader->stop)
        report_labels(reader, reader->scopes[outside].fixups);
    reader->scopes[outside].fixups = 0;
}
