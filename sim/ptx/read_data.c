#include <string.h>

#include "base/allocation.h"
#include "ptx/read_state.h"
#include "ptx/widen.h"

/* ---- constant expressions (PTX ISA 4.5.5 to 4.5.8) */

static bool read_conditional(struct tma_ptx_reader *reader, struct tma_ptx_value *value, int depth);

static double as_double(const struct tma_ptx_value *value) {
    double number;
    if (!value->is_float)
        return value->is_unsigned ? (double)value->bits : (double)(int64_t)value->bits;
    memcpy(&number, &value->bits, sizeof number);
    return number;
}

static void set_double(struct tma_ptx_value *value, double number) {
    *value = (struct tma_ptx_value){.is_float = true};
    memcpy(&value->bits, &number, sizeof number);
}

/* The type of a cast, (.s64) or (.u64), at the current token. */
static bool at_cast(const struct tma_ptx_reader *reader) {
    return tma_ptx_at_directive(reader, ".s64") || tma_ptx_at_directive(reader, ".u64");
}

static bool read_primary(struct tma_ptx_reader *reader, struct tma_ptx_value *value, int depth) {
    const struct tma_ptx_token *token = &reader->token;
    if (depth > TMA_PTX_MAX_DEPTH)
        return tma_ptx_error(reader, token, "a constant with more than %d levels",
                             TMA_PTX_MAX_DEPTH);
    if (token->kind == TMA_PTX_TOKEN_INTEGER || token->kind == TMA_PTX_TOKEN_FLOAT) {
        *value = (struct tma_ptx_value){token->value, token->kind == TMA_PTX_TOKEN_FLOAT,
                                        token->is_unsigned};
        tma_ptx_advance(reader);
        return true;
    }
    if (token->kind == TMA_PTX_TOKEN_NAME && token->length == 7 &&
        memcmp(token->start, "WARP_SZ", 7) == 0) {
        *value = (struct tma_ptx_value){32, false, false};
        tma_ptx_advance(reader);
        return true;
    }
    if (token->kind != TMA_PTX_TOKEN_SYMBOL)
        return tma_ptx_expected(reader, "a constant");
    int symbol = token->symbol;
    if (symbol == '(') {
        tma_ptx_advance(reader);
        if (at_cast(reader)) {
            bool is_unsigned = reader->token.start[1] == 'u';
            tma_ptx_advance(reader);
            if (!tma_ptx_expect(reader, ')') || !read_primary(reader, value, depth + 1))
                return false;
            value->is_unsigned = is_unsigned;
            return true;
        }
        return read_conditional(reader, value, depth + 1) && tma_ptx_expect(reader, ')');
    }
    if (symbol != '-' && symbol != '+' && symbol != '~' && symbol != '!')
        return tma_ptx_expected(reader, "a constant");
    tma_ptx_advance(reader);
    if (!read_primary(reader, value, depth + 1))
        return false;
    if (symbol == '!')
        *value = (struct tma_ptx_value){value->bits == 0, false, false};
    else if (symbol == '~')
        value->bits = ~value->bits;
    else if (symbol == '-' && value->is_float)
        value->bits ^= UINT64_C(1) << 63;
    else if (symbol == '-')
        *value = (struct tma_ptx_value){-value->bits, false, false};
    return true;
}

/* How tightly a binary operator binds; 0: the symbol is none. */
static int precedence(int symbol) {
    switch (symbol) {
    case '*':
    case '/':
    case '%':
        return 10;
    case '+':
    case '-':
        return 9;
    case TMA_PTX_SHIFT_LEFT:
    case TMA_PTX_SHIFT_RIGHT:
        return 8;
    case '<':
    case '>':
    case TMA_PTX_AT_MOST:
    case TMA_PTX_AT_LEAST:
        return 7;
    case TMA_PTX_EQUAL:
    case TMA_PTX_UNEQUAL:
        return 6;
    case '&':
        return 5;
    case '^':
        return 4;
    case '|':
        return 3;
    case TMA_PTX_AND_ALSO:
        return 2;
    case TMA_PTX_OR_ELSE:
        return 1;
    }
    return 0;
}

static int order(const struct tma_ptx_value *a, const struct tma_ptx_value *b) {
    if (a->is_float || b->is_float)
        return as_double(a) < as_double(b) ? -1 : as_double(a) > as_double(b);
    if (a->is_unsigned || b->is_unsigned)
        return a->bits < b->bits ? -1 : a->bits > b->bits;
    return (int64_t)a->bits < (int64_t)b->bits ? -1 : (int64_t)a->bits > (int64_t)b->bits;
}

static void apply_float(int symbol, struct tma_ptx_value *a, const struct tma_ptx_value *b) {
    double x = as_double(a), y = as_double(b);
    set_double(a, symbol == '*' ? x * y : symbol == '/' ? x / y : symbol == '+' ? x + y : x - y);
}

/* Division as in C; by 0, and of the least number by -1, it gives 0. */
static uint64_t divide(int symbol, uint64_t a, uint64_t b, bool is_unsigned) {
    if (b == 0)
        return 0;
    if (is_unsigned)
        return symbol == '/' ? a / b : a % b;
    if ((int64_t)b == -1)
        return symbol == '/' ? -a : 0;
    return (uint64_t)(symbol == '/' ? (int64_t)a / (int64_t)b : (int64_t)a % (int64_t)b);
}

static void apply(int symbol, struct tma_ptx_value *a, const struct tma_ptx_value *b) {
    bool is_unsigned = a->is_unsigned || b->is_unsigned, truth = true;
    uint64_t x = a->bits, y = b->bits;
    if ((a->is_float || b->is_float) && precedence(symbol) >= 9 && symbol != '%') {
        apply_float(symbol, a, b);
        return;
    }
    switch (symbol) {
    case '<':
        x = order(a, b) < 0;
        break;
    case '>':
        x = order(a, b) > 0;
        break;
    case TMA_PTX_AT_MOST:
        x = order(a, b) <= 0;
        break;
    case TMA_PTX_AT_LEAST:
        x = order(a, b) >= 0;
        break;
    case TMA_PTX_EQUAL:
        x = order(a, b) == 0;
        break;
    case TMA_PTX_UNEQUAL:
        x = order(a, b) != 0;
        break;
    case TMA_PTX_AND_ALSO:
        x = x != 0 && y != 0;
        break;
    case TMA_PTX_OR_ELSE:
        x = x != 0 || y != 0;
        break;
    default:
        truth = false;
    }
    if (truth) {
        *a = (struct tma_ptx_value){x, false, false};
        return;
    }
    switch (symbol) {
    case '*':
        x *= y;
        break;
    case '/':
    case '%':
        x = divide(symbol, x, y, is_unsigned);
        break;
    case '+':
        x += y;
        break;
    case '-':
        x -= y;
        break;
    case TMA_PTX_SHIFT_LEFT:
        x = y > 63 ? 0 : x << y;
        is_unsigned = a->is_unsigned;
        break;
    case TMA_PTX_SHIFT_RIGHT:
        is_unsigned = a->is_unsigned;
        if (y > 63)
            y = 63, x = is_unsigned ? 0 : x;
        x = is_unsigned ? x >> y : (uint64_t)((int64_t)x >> y);
        break;
    case '&':
        x &= y;
        break;
    case '^':
        x ^= y;
        break;
    case '|':
        x |= y;
        break;
    }
    *a = (struct tma_ptx_value){x, false, is_unsigned};
}

/* Reads operators that bind at least as tightly as `least`. */
static bool read_binary(struct tma_ptx_reader *reader, struct tma_ptx_value *value, int least,
                        int depth) {
    if (!read_primary(reader, value, depth))
        return false;
    while (reader->token.kind == TMA_PTX_TOKEN_SYMBOL) {
        int symbol = reader->token.symbol, binds = precedence(symbol);
        struct tma_ptx_value right;
        if (binds == 0 || binds < least)
            break;
        tma_ptx_advance(reader);
        if (!read_binary(reader, &right, binds + 1, depth + 1))
            return false;
        apply(symbol, value, &right);
    }
    return true;
}

static bool read_conditional(struct tma_ptx_reader *reader, struct tma_ptx_value *value,
                             int depth) {
    if (!read_binary(reader, value, 1, depth))
        return false;
    if (!tma_ptx_accept(reader, '?'))
        return true;
    struct tma_ptx_value yes, no;
    if (!read_conditional(reader, &yes, depth + 1) || !tma_ptx_expect(reader, ':') ||
        !read_conditional(reader, &no, depth + 1))
        return false;
    *value = value->bits != 0 ? yes : no;
    return true;
}

bool tma_ptx_read_constant(struct tma_ptx_reader *reader, struct tma_ptx_value *value) {
    return read_conditional(reader, value, 0);
}

bool tma_ptx_read_count(struct tma_ptx_reader *reader, uint64_t maximum, const char *what,
                        uint64_t *value) {
    struct tma_ptx_token at = reader->token;
    struct tma_ptx_value constant;
    if (!tma_ptx_read_constant(reader, &constant))
        return false;
    if (constant.is_float || constant.bits > maximum)
        return tma_ptx_error(reader, &at, "%s is a whole number from 0 to %llu", what,
                             (unsigned long long)maximum);
    *value = constant.bits;
    return true;
}

uint64_t tma_ptx_immediate(const struct tma_ptx_operand *operand, enum tma_ptx_type type) {
    const struct tma_ptx_type_facts *facts = &tma_ptx_types[type];
    bool is_float = facts->kind == TMA_PTX_FLOAT;
    uint64_t bits = operand->bits;
    /* A float32 constant may be the bits of an integer type, too. */
    if (facts->bits == 64 && is_float && !operand->is_float) {
        double number = (double)(int64_t)bits;
        memcpy(&bits, &number, sizeof number);
    } else if (facts->bits == 32 && facts->elements == 1 && operand->is_float) {
        bits = tma_ptx_narrow(bits);
    } else if (facts->bits == 32 && facts->elements == 1 && is_float) {
        float number = (float)(int64_t)bits;
        bits = 0;
        memcpy(&bits, &number, sizeof number);
    }
    return facts->bits >= 64 ? bits : bits & ((UINT64_C(1) << facts->bits) - 1);
}

/* ---- declarations (PTX ISA 5.4) */

static const struct {
    const char *text;
    enum tma_ptx_space space;
} spaces[] = {{".reg", TMA_PTX_GENERIC},   {".shared", TMA_PTX_SHARED}, {".param", TMA_PTX_PARAM},
              {".global", TMA_PTX_GLOBAL}, {".local", TMA_PTX_LOCAL},   {".const", TMA_PTX_CONST},
              {".tex", TMA_PTX_GLOBAL}};

static size_t find_space(const struct tma_ptx_reader *reader) {
    size_t i = 0;
    while (i < sizeof spaces / sizeof *spaces && !tma_ptx_at_directive(reader, spaces[i].text))
        ++i;
    return i;
}

bool tma_ptx_at_space(const struct tma_ptx_reader *reader) {
    return reader->token.kind == TMA_PTX_TOKEN_DIRECTIVE &&
           find_space(reader) < sizeof spaces / sizeof *spaces;
}

static bool read_alignment(struct tma_ptx_reader *reader, uint32_t *alignment) {
    struct tma_ptx_token at = reader->token;
    uint64_t value = 0;
    if (!tma_ptx_read_count(reader, 1 << 20, "an alignment", &value))
        return false;
    if (value == 0 || (value & (value - 1)) != 0)
        return tma_ptx_error(reader, &at, "an alignment is a power of two");
    *alignment = (uint32_t)value;
    return true;
}

/* The type of the current token, .b32; NO_TYPE: it is none. */
static uint8_t token_type(const struct tma_ptx_reader *reader) {
    for (uint8_t i = 1; i < TMA_PTX_TYPE_COUNT; ++i)
        if (strlen(tma_ptx_types[i].name) == reader->token.length - 1 &&
            memcmp(tma_ptx_types[i].name, reader->token.start + 1, reader->token.length - 1) == 0)
            return i;
    return TMA_PTX_NO_TYPE;
}

bool tma_ptx_read_declaration(struct tma_ptx_reader *reader,
                              struct tma_ptx_declaration *declaration) {
    size_t space = find_space(reader);
    *declaration = (struct tma_ptx_declaration){.space = spaces[space].space,
                                                .is_register = space == 0,
                                                .is_extern = declaration->is_extern,
                                                .in_frame = declaration->in_frame,
                                                .lanes = 1};
    tma_ptx_advance(reader);
    while (reader->token.kind == TMA_PTX_TOKEN_DIRECTIVE) {
        uint8_t type = token_type(reader);
        uint32_t pointed;
        if (type != TMA_PTX_NO_TYPE) {
            if (declaration->type != TMA_PTX_NO_TYPE)
                return tma_ptx_error(reader, &reader->token, "a declaration with two types");
            declaration->type = type;
            tma_ptx_advance(reader);
        } else if (tma_ptx_accept_directive(reader, ".align")) {
            /* Behind .ptr it is what the parameter points to. */
            if (!read_alignment(reader,
                                declaration->is_pointer ? &pointed : &declaration->alignment))
                return false;
        } else if (tma_ptx_accept_directive(reader, ".v2")) {
            declaration->lanes = 2;
        } else if (tma_ptx_accept_directive(reader, ".v4")) {
            declaration->lanes = 4;
        } else if (tma_ptx_accept_directive(reader, ".v8")) {
            declaration->lanes = 8;
        } else if (tma_ptx_accept_directive(reader, ".ptr")) {
            declaration->is_pointer = true;
        } else if (declaration->is_pointer && tma_ptx_at_space(reader)) {
            tma_ptx_advance(reader);
        } else if (tma_ptx_accept_directive(reader, ".attribute")) {
            if (!tma_ptx_at(reader, '('))
                break;
            tma_ptx_skip_group(reader);
        } else {
            break;
        }
    }
    if (declaration->type == TMA_PTX_NO_TYPE ||
        (!declaration->is_register && tma_ptx_types[declaration->type].bits % 8 != 0))
        return tma_ptx_expected(reader, "the type of a declaration");
    return true;
}

enum { MAX_DIMENSIONS = 8 };

struct dimensions {
    uint32_t count;
    bool open;                            /* the first is [] */
    uint64_t strides[MAX_DIMENSIONS + 1]; /* bytes of an element of each level */
};

/* Reads [4][5]; *bytes: of the whole, where [] counts as 0. */
static bool read_dimensions(struct tma_ptx_reader *reader, uint64_t element,
                            struct dimensions *dimensions, uint64_t *bytes) {
    uint64_t sizes[MAX_DIMENSIONS];
    *dimensions = (struct dimensions){.count = 0};
    while (tma_ptx_at(reader, '[')) {
        struct tma_ptx_token at = reader->token;
        if (dimensions->count == MAX_DIMENSIONS)
            return tma_ptx_error(reader, &at, "an array with more than %d dimensions",
                                 MAX_DIMENSIONS);
        tma_ptx_advance(reader);
        if (tma_ptx_at(reader, ']')) {
            if (dimensions->count > 0)
                return tma_ptx_error(reader, &at, "only the first dimension of an array may be []");
            dimensions->open = true;
            sizes[0] = 0;
        } else if (!tma_ptx_read_count(reader, TMA_PTX_MAX_VARIABLE, "the size of an array",
                                       &sizes[dimensions->count])) {
            return false;
        }
        ++dimensions->count;
        if (!tma_ptx_expect(reader, ']'))
            return false;
    }
    *bytes = element;
    for (uint32_t i = dimensions->count; i-- > 0;) {
        dimensions->strides[i] = *bytes;
        if (__builtin_mul_overflow(*bytes, sizes[i], bytes) || *bytes > TMA_PTX_MAX_VARIABLE)
            return tma_ptx_error(reader, &reader->token, "a variable has at most %llu bytes",
                                 (unsigned long long)TMA_PTX_MAX_VARIABLE);
    }
    dimensions->strides[dimensions->count] = element;
    return true;
}

/* ---- initialisers */

/* Makes `bytes` bytes of the values readable; new ones are 0. */
static bool reserve_values(struct tma_ptx_reader *reader, uint64_t bytes) {
    if (bytes > TMA_PTX_MAX_CONTENTS)
        return tma_ptx_error(reader, &reader->token,
                             "a variable with values has at most %llu bytes",
                             (unsigned long long)TMA_PTX_MAX_CONTENTS);
    if (bytes > reader->value_capacity) {
        size_t capacity = bytes < 4096 ? 8192 : 2 * bytes;
        uint8_t *values = tma_resize(reader->values, capacity, 1);
        if (values == NULL)
            return tma_ptx_no_memory(reader);
        reader->values = values;
        reader->value_capacity = capacity;
    }
    if (bytes > reader->value_bytes) {
        memset(reader->values + reader->value_bytes, 0, bytes - reader->value_bytes);
        reader->value_bytes = bytes;
    }
    return true;
}

/* Reads NAME, NAME+8, or generic(NAME)+8: an address that the contents have at `at`. */
static bool read_address(struct tma_ptx_reader *reader, struct tma_ptx_relocation relocation) {
    struct tma_ptx_module *module = reader->module;
    bool wrapped = reader->token.length == 7 && memcmp(reader->token.start, "generic", 7) == 0;
    if (wrapped) {
        tma_ptx_advance(reader);
        if (!tma_ptx_expect(reader, '('))
            return false;
        relocation.generic = true;
    }
    if (reader->token.kind != TMA_PTX_TOKEN_NAME)
        return tma_ptx_expected(reader, "the name of a variable");
    uint32_t name =
        tma_ptx_intern(reader, reader->token.start, reader->token.length, reader->token.hash);
    const struct tma_ptx_symbol *symbol = name == 0 ? NULL : tma_ptx_lookup(reader, name);
    if (symbol == NULL ||
        (symbol->kind != TMA_PTX_SYMBOL_VARIABLE && symbol->kind != TMA_PTX_SYMBOL_FUNCTION)) {
        tma_ptx_undeclared(reader, &reader->token);
        return false;
    }
    relocation.is_function = symbol->kind == TMA_PTX_SYMBOL_FUNCTION;
    relocation.number = symbol->number;
    tma_ptx_advance(reader);
    if (wrapped && !tma_ptx_expect(reader, ')'))
        return false;
    if (tma_ptx_at(reader, '+') || tma_ptx_at(reader, '-')) {
        struct tma_ptx_value addend;
        if (!tma_ptx_read_constant(reader, &addend))
            return false;
        relocation.addend = (int64_t)addend.bits;
    }
    if (!TMA_PTX_GROW(reader, module->relocations, module->relocation_count,
                      reader->relocation_capacity))
        return false;
    module->relocations[module->relocation_count++] = relocation;
    return true;
}

/* Reads one value at `at`: a number, an address, or 0xFF00(address). */
static bool read_value(struct tma_ptx_reader *reader, uint8_t type, uint64_t at) {
    uint32_t bytes = tma_ptx_types[type].bits / 8u;
    struct tma_ptx_relocation relocation = {.at = at, .bytes = (uint8_t)(bytes > 8 ? 8 : bytes)};
    if (!reserve_values(reader, at + bytes))
        return false;
    if (reader->token.kind == TMA_PTX_TOKEN_NAME)
        return read_address(reader, relocation);
    struct tma_ptx_value value;
    if (!tma_ptx_read_constant(reader, &value))
        return false;
    if (tma_ptx_at(reader, '(')) { /* the mask of one byte of an address */
        while (value.bits > 0xff) {
            value.bits >>= 8;
            relocation.shift = (uint8_t)(relocation.shift + 8);
        }
        tma_ptx_advance(reader);
        return read_address(reader, relocation) && tma_ptx_expect(reader, ')');
    }
    struct tma_ptx_operand constant = {.is_float = value.is_float, .bits = value.bits};
    uint64_t bits = tma_ptx_immediate(&constant, (enum tma_ptx_type)type);
    memcpy(reader->values + at, &bits, bytes > 8 ? 8 : bytes);
    return true;
}

/* Reads {1, 2, {3, 4}}, or one value, of a level of the array. *at: behind what was read. */
static bool read_values(struct tma_ptx_reader *reader, uint8_t type,
                        const struct dimensions *dimensions, uint32_t level, uint64_t *at) {
    uint32_t bytes = tma_ptx_types[type].bits / 8u;
    if (!tma_ptx_at(reader, '{')) {
        uint64_t start = *at;
        *at += bytes;
        return read_value(reader, type, start);
    }
    if (level > MAX_DIMENSIONS)
        return tma_ptx_error(reader, &reader->token, "values with more braces than dimensions");
    tma_ptx_advance(reader);
    uint64_t stride = level < dimensions->count ? dimensions->strides[level] : bytes;
    while (!tma_ptx_at(reader, '}')) {
        bool inner = tma_ptx_at(reader, '{');
        uint64_t start = *at;
        if (!read_values(reader, type, dimensions, level + 1, at))
            return false;
        if (inner && *at < start + stride)
            *at = start + stride;
        if (!tma_ptx_accept(reader, ','))
            break;
    }
    return tma_ptx_expect(reader, '}');
}

static void read_initialiser(struct tma_ptx_reader *reader, struct tma_ptx_variable *variable,
                             const struct dimensions *dimensions) {
    struct tma_ptx_token at = reader->token;
    uint32_t first = (uint32_t)reader->module->relocation_count;
    uint64_t end = 0;
    reader->value_bytes = 0;
    if (!read_values(reader, (uint8_t)variable->type, dimensions, 0, &end))
        return;
    if (dimensions->open)
        variable->bytes = end;
    if (end > variable->bytes) {
        tma_ptx_error(reader, &at, "a variable of %llu bytes has values of %llu",
                      (unsigned long long)variable->bytes, (unsigned long long)end);
        return;
    }
    if (!reserve_values(reader, variable->bytes))
        return;
    uint8_t *contents = tma_ptx_take(reader, variable->bytes);
    if (contents == NULL)
        return;
    if (variable->bytes > 0)
        memcpy(contents, reader->values, variable->bytes);
    variable->contents = contents;
    variable->first_relocation = first;
    variable->relocation_count = (uint32_t)reader->module->relocation_count - first;
}

/* ---- declarators */

/* A register: %r, %r<100>, or a vector of registers. */
static struct tma_ptx_operand read_register(struct tma_ptx_reader *reader,
                                            const struct tma_ptx_declaration *declaration,
                                            const struct tma_ptx_token *name) {
    struct tma_ptx_operand operand = {.kind = TMA_PTX_NO_OPERAND};
    struct tma_ptx_symbol *symbol;
    if (tma_ptx_at(reader, '<')) {
        uint64_t count;
        tma_ptx_advance(reader);
        struct tma_ptx_token at = reader->token;
        if (at.kind != TMA_PTX_TOKEN_INTEGER || at.value > UINT32_MAX) {
            tma_ptx_expected(reader, "how many registers there are");
            return operand;
        }
        count = at.value;
        tma_ptx_advance(reader);
        if (!tma_ptx_expect(reader, '>'))
            return operand;
        symbol = tma_ptx_define(reader, name, TMA_PTX_SYMBOL_RANGE);
        if (symbol != NULL) {
            symbol->type = declaration->type;
            symbol->lanes = declaration->lanes;
            symbol->number = (uint32_t)count;
        }
        return operand;
    }
    bool vector = declaration->lanes > 1;
    symbol =
        tma_ptx_define(reader, name, vector ? TMA_PTX_SYMBOL_REGISTERS : TMA_PTX_SYMBOL_REGISTER);
    if (symbol == NULL)
        return operand;
    symbol->type = declaration->type;
    symbol->lanes = declaration->lanes;
    symbol->number =
        tma_ptx_add_registers(reader, symbol->name, declaration->type, declaration->lanes);
    if (symbol->number != UINT32_MAX)
        operand = (struct tma_ptx_operand){.kind = TMA_PTX_REGISTER, .number = symbol->number};
    return operand;
}

static uint64_t align(uint64_t offset, uint32_t alignment) {
    return (offset + alignment - 1) & ~(uint64_t)(alignment - 1);
}

/* Gives a variable of a function its place in the function's own memory. */
static void place_variable(struct tma_ptx_reader *reader, struct tma_ptx_variable *variable) {
    struct tma_ptx_function *function = &reader->module->functions[reader->function];
    uint64_t *end = variable->space == TMA_PTX_LOCAL ? &function->local_bytes
                    : variable->in_frame             ? &function->frame_bytes
                                                     : &function->parameter_bytes;
    variable->offset = align(*end, variable->alignment);
    *end = variable->offset + variable->bytes;
}

struct tma_ptx_operand tma_ptx_read_declarator(struct tma_ptx_reader *reader,
                                               const struct tma_ptx_declaration *declaration) {
    struct tma_ptx_operand operand = {.kind = TMA_PTX_NO_OPERAND};
    struct tma_ptx_module *module = reader->module;
    struct tma_ptx_token name = reader->token;
    if (name.kind != TMA_PTX_TOKEN_NAME) {
        tma_ptx_expected(reader, "a name");
        return operand;
    }
    tma_ptx_advance(reader);
    if (declaration->is_register) {
        if (reader->depth == 0) {
            tma_ptx_error(reader, &name, "registers belong to functions");
            return operand;
        }
        return read_register(reader, declaration, &name);
    }
    bool unnamed = name.length == 1 && *name.start == '_';
    uint32_t earlier = UINT32_MAX;
    if (!unnamed) {
        /* .extern x; may stand before the definition of x. */
        uint32_t text = tma_ptx_intern(reader, name.start, name.length, name.hash);
        if (text == 0)
            return operand;
        const struct tma_ptx_symbol *old = &reader->symbols[reader->names[text].symbol];
        if (reader->depth == 0 && old->kind == TMA_PTX_SYMBOL_VARIABLE &&
            (module->variables[old->number].is_extern || declaration->is_extern))
            earlier = old->number;
    }
    uint32_t element = tma_ptx_types[declaration->type].bits / 8u * declaration->lanes;
    struct dimensions dimensions;
    struct tma_ptx_variable variable = {
        .name = "",
        .space = declaration->space,
        .type = (enum tma_ptx_type)declaration->type,
        .alignment = declaration->alignment == 0 ? element : declaration->alignment,
        .function = reader->depth == 0 ? 0 : reader->function + 1,
        .is_extern = declaration->is_extern,
        .in_frame = declaration->in_frame && declaration->space == TMA_PTX_PARAM,
        .is_pointer = declaration->is_pointer};
    if (!read_dimensions(reader, element, &dimensions, &variable.bytes))
        return operand;
    if (reader->depth > 0 &&
        (declaration->space == TMA_PTX_LOCAL || declaration->space == TMA_PTX_PARAM))
        place_variable(reader, &variable);
    if (reader->depth == 0 && declaration->space == TMA_PTX_LOCAL)
        tma_ptx_error(reader, &name, "local variables belong to functions");
    if (tma_ptx_accept(reader, '='))
        read_initialiser(reader, &variable, &dimensions);
    /* mlir-opt writes `.extern .shared .align 16 .b8 x;` for dynamic shared memory. */
    if (declaration->is_extern && declaration->space == TMA_PTX_SHARED && dimensions.count == 0 &&
        element == 1)
        variable.bytes = 0;
    if (earlier != UINT32_MAX) {
        if (!declaration->is_extern) {
            variable.name = module->variables[earlier].name;
            module->variables[earlier] = variable;
        }
        operand.kind = TMA_PTX_VARIABLE;
        operand.number = earlier;
        return operand;
    }
    if (!TMA_PTX_GROW(reader, module->variables, module->variable_count, reader->variable_capacity))
        return operand;
    if (!unnamed) {
        struct tma_ptx_symbol *symbol = tma_ptx_define(reader, &name, TMA_PTX_SYMBOL_VARIABLE);
        if (symbol == NULL)
            return operand;
        symbol->number = (uint32_t)module->variable_count;
        variable.name = reader->names[symbol->name].text;
    }
    operand.kind = TMA_PTX_VARIABLE;
    operand.number = (uint32_t)module->variable_count;
    module->variables[module->variable_count++] = variable;
    if (reader->depth > 0)
        ++module->functions[reader->function].variable_count;
    return operand;
}

void tma_ptx_read_declarators(struct tma_ptx_reader *reader,
                              const struct tma_ptx_declaration *declaration) {
    size_t before = tma_diagnostics_total(reader->diagnostics);
    do
        tma_ptx_read_declarator(reader, declaration);
    while (tma_diagnostics_total(reader->diagnostics) == before && tma_ptx_accept(reader, ','));
    if (tma_diagnostics_total(reader->diagnostics) != before)
        tma_ptx_skip_statement(reader);
    else
        tma_ptx_expect(reader, ';');
}
