/* Parses an expression by recursive descent, one function a level of precedence. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text_distance.h"
#include "expression/expression.h"
#include "expression/syntax_tree.h"

/* Cuts the text of an expression into tokens. */

enum tma_token_kind {
    TMA_TOKEN_END,
    TMA_TOKEN_NUMBER,
    TMA_TOKEN_NAME,
    TMA_TOKEN_SYMBOL, /* one or two characters, such as "<=" */
    TMA_TOKEN_BAD,    /* no expression has this */
};

struct tma_token {
    enum tma_token_kind kind;
    const char *start; /* in the text */
    size_t length;     /* characters */
    int64_t value;     /* of a number, with its unit */
    const char *fault; /* what is wrong with a bad token */
};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_word(char c) {
    return is_digit(c) || c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int digit_value(char c, int base) {
    int value = is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
    if (c >= 'A' && c <= 'F')
        value = c - 'A' + 10;
    return value < base ? value : -1;
}

/* Returns the longest unit that stands at `text`, or NULL. */
static const struct tma_expression_unit *find_unit(const char *text,
                                                   const struct tma_expression_scope *scope) {
    const struct tma_expression_unit *best = NULL;
    size_t best_length = 0;
    for (size_t i = 0; i < scope->unit_count; i++) {
        size_t length = strlen(scope->units[i].name);
        if (length > best_length && strncmp(text, scope->units[i].name, length) == 0 &&
            !is_word(text[length])) {
            best = &scope->units[i];
            best_length = length;
        }
    }
    return best;
}

static struct tma_token bad(struct tma_token token, const char *fault) {
    token.kind = TMA_TOKEN_BAD;
    token.fault = fault;
    return token;
}

static struct tma_token read_number(struct tma_token token,
                                    const struct tma_expression_scope *scope) {
    int base = token.start[0] == '0' && token.start[1] == 'x' ? 16 : 10;
    const char *at = token.start + (base == 16 ? 2 : 0);
    const char *first = at;
    bool fits = true;
    for (int digit; (digit = digit_value(*at, base)) >= 0; at++)
        fits = fits && !__builtin_mul_overflow(token.value, base, &token.value) &&
               !__builtin_add_overflow(token.value, digit, &token.value);
    token.length = (size_t)(at - token.start);
    if (at == first)
        return bad(token, "a hexadecimal number without digits");
    if (base == 10 && token.start[0] == '0' && token.length > 1)
        return bad(token, "a number with a leading zero: write it without, or in hex");
    if (*at == '.')
        return bad(token, "a number that is not whole");
    if (!fits)
        return bad(token, "a number above 9223372036854775807");
    const char *behind = at + strspn(at, " ");
    const struct tma_expression_unit *unit = find_unit(behind, scope);
    if (unit != NULL) {
        if (__builtin_mul_overflow(token.value, unit->scale, &token.value))
            return bad(token, "a number above 9223372036854775807");
        token.length = (size_t)(behind - token.start) + strlen(unit->name);
    } else if (is_word(*at)) {
        return bad(token, "a number with letters");
    }
    return token;
}

/* Returns the token at `text`, behind white space. A number takes in the unit behind it, if the
 * scope has that unit. */
static struct tma_token token_read(const char *text, const struct tma_expression_scope *scope) {
    static const char *const symbols[] = {"||", "&&", "==", "!=", "<=", ">=", "<", ">", "+", "-",
                                          "*",  "/",  "%",  "!",  "?",  ":",  "(", ")", ","};
    struct tma_token token = {.start = text + strspn(text, " \t\r\n"), .length = 1};
    if (*token.start == '\0') {
        token.length = 0;
        return token;
    }
    if (is_digit(*token.start)) {
        token.kind = TMA_TOKEN_NUMBER;
        return read_number(token, scope);
    }
    if (is_word(*token.start)) {
        token.kind = TMA_TOKEN_NAME;
        while (is_word(token.start[token.length]))
            token.length++;
        return token;
    }
    for (size_t i = 0; i < sizeof symbols / sizeof symbols[0]; i++)
        if (strncmp(token.start, symbols[i], strlen(symbols[i])) == 0) {
            token.kind = TMA_TOKEN_SYMBOL;
            token.length = strlen(symbols[i]);
            return token;
        }
    if (strchr("&|=", *token.start) != NULL)
        return bad(token, *token.start == '&'   ? "an operator; did you mean \"&&\"?"
                          : *token.start == '|' ? "an operator; did you mean \"||\"?"
                                                : "an operator; did you mean \"==\"?");
    /* A character of several bytes is one token. */
    while (((unsigned char)token.start[token.length] & 0xc0) == 0x80)
        token.length++;
    return bad(token, "a character that expressions do not have");
}

struct parser {
    const char *text;
    const struct tma_expression_scope *scope;
    struct tma_syntax_tree *tree;
    struct tma_token token; /* the next one */
    unsigned depth;
    bool failed;
    unsigned column; /* of the first error */
    struct tma_error *error;
};

static uint32_t parse_conditional(struct parser *parser);

static uint32_t column_of(const struct parser *parser, const struct tma_token *token) {
    return (uint32_t)(token->start - parser->text) + 1;
}

/* Keeps the first error, at a token. Returns a node that nobody looks at. */
__attribute__((format(printf, 3, 4))) static uint32_t
fail(struct parser *parser, const struct tma_token *token, const char *format, ...) {
    if (parser->failed)
        return 0;
    char why[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, sizeof why, format, arguments);
    va_end(arguments);
    parser->failed = true;
    parser->column = column_of(parser, token);
    tma_fail(parser->error, TMA_ERROR_SYNTAX, "\"%.160s\", column %u: %s", parser->text,
             parser->column, why);
    return 0;
}

static void advance(struct parser *parser) {
    parser->token = token_read(parser->token.start + parser->token.length, parser->scope);
}

static bool at_symbol(const struct parser *parser, const char *symbol) {
    return parser->token.kind == TMA_TOKEN_SYMBOL && parser->token.length == strlen(symbol) &&
           strncmp(parser->token.start, symbol, parser->token.length) == 0;
}

static uint32_t fail_here(struct parser *parser, const char *expected) {
    const struct tma_token *token = &parser->token;
    if (token->kind == TMA_TOKEN_BAD)
        return fail(parser, token, "\"%.*s\" is %s", (int)token->length, token->start,
                    token->fault);
    if (token->kind == TMA_TOKEN_END)
        return fail(parser, token, "the expression ends here; expected %s", expected);
    return fail(parser, token, "\"%.*s\" does not fit here; expected %s",
                (int)(token->length < 40 ? token->length : 40), token->start, expected);
}

static void expect(struct parser *parser, const char *symbol) {
    char quoted[8];
    snprintf(quoted, sizeof quoted, "\"%s\"", symbol);
    if (at_symbol(parser, symbol))
        advance(parser);
    else
        fail_here(parser, quoted);
}

static uint32_t new_node(struct parser *parser, const struct tma_token *token,
                         struct tma_syntax_node node) {
    if (parser->failed)
        return 0;
    if (parser->tree->count == TMA_LIMIT_EXPRESSION_NODES)
        return fail(parser, token,
                    "the expression is too long; allowed: %d names, numbers and operators",
                    TMA_LIMIT_EXPRESSION_NODES);
    node.column = column_of(parser, token);
    parser->tree->nodes[parser->tree->count] = node;
    return parser->tree->count++;
}

static uint32_t new_number(struct parser *parser, const struct tma_token *token, int64_t value) {
    return new_node(parser, token,
                    (struct tma_syntax_node){.kind = TMA_SYNTAX_NUMBER, .value = value});
}

static uint32_t new_arithmetic(struct parser *parser, const struct tma_token *token,
                               enum tma_arithmetic operation, uint32_t a, uint32_t b) {
    return new_node(parser, token,
                    (struct tma_syntax_node){
                        .kind = TMA_SYNTAX_ARITHMETIC, .operation = operation, .operands = {a, b}});
}

static bool is_name(const struct tma_token *token, const char *name) {
    return strlen(name) == token->length && strncmp(token->start, name, token->length) == 0;
}

static uint32_t fail_unknown(struct parser *parser, const struct tma_token *token) {
    char wanted[TMA_MAX_SUGGESTION], hint[TMA_MAX_SUGGESTION + 32] = "";
    snprintf(wanted, sizeof wanted, "%.*s", (int)(token->length < 60 ? token->length : 60),
             token->start);
    struct tma_suggestion suggestion = {.wanted = wanted};
    for (size_t i = 0; i < parser->scope->name_count; i++)
        tma_suggest(&suggestion, parser->scope->names[i].name);
    if (suggestion.best[0] != '\0')
        snprintf(hint, sizeof hint, "; did you mean \"%s\"?", suggestion.best);
    return fail(parser, token, "unknown name \"%s\"%s", wanted, hint);
}

/* Notes a name that the expression uses, for messages. */
static void note_use(struct parser *parser, const struct tma_expression_name *name) {
    struct tma_syntax_tree *tree = parser->tree;
    for (uint32_t i = 0; i < tree->used_count; i++)
        if (tree->used[i] == name)
            return;
    if (tree->used_count < TMA_LIMIT_EXPRESSION_NODES)
        tree->used[tree->used_count++] = name;
}

static uint32_t parse_name(struct parser *parser, const struct tma_token *token) {
    for (size_t i = parser->scope->name_count; i-- > 0;) {
        const struct tma_expression_name *name = &parser->scope->names[i];
        if (!is_name(token, name->name))
            continue;
        if (name->table != NULL)
            return fail(parser, token, "%s is a table; expected %s(NUMBER), an entry of it",
                        name->name, name->name);
        note_use(parser, name);
        if (!name->is_variable)
            return new_number(parser, token, name->value);
        return new_node(
            parser, token,
            (struct tma_syntax_node){.kind = TMA_SYNTAX_VARIABLE, .value = name->variable});
    }
    return fail_unknown(parser, token);
}

/* The rest of min(a, b, ...) or max(a, b, ...), behind the parenthesis. */
static uint32_t parse_extreme(struct parser *parser, const struct tma_token *token,
                              enum tma_arithmetic operation) {
    uint32_t value = parse_conditional(parser);
    if (!at_symbol(parser, ","))
        return fail_here(parser, "\",\": min and max take two values or more");
    while (at_symbol(parser, ",") && !parser->failed) {
        advance(parser);
        uint32_t other = parse_conditional(parser);
        value = new_arithmetic(parser, token, operation, value, other);
    }
    expect(parser, ")");
    return value;
}

static bool is_quotient(const struct parser *parser, uint32_t node) {
    const struct tma_syntax_node *at = &parser->tree->nodes[node];
    return at->kind == TMA_SYNTAX_ARITHMETIC && at->operation == TMA_DIVIDE && !at->whole;
}

static uint32_t make_whole(struct parser *parser, uint32_t node) {
    if (!parser->failed)
        parser->tree->nodes[node].whole = true;
    return node;
}

/* The rest of ceil(a / b) or floor(a / b), behind the parenthesis. a / b / c is the exact
 * a / (b * c), rounded once; (a / b) / c has the whole number a / b. */
static uint32_t parse_rounding(struct parser *parser, const struct tma_token *token,
                               enum tma_arithmetic operation) {
    uint32_t quotient = parse_conditional(parser);
    expect(parser, ")");
    if (parser->failed)
        return 0;
    if (!is_quotient(parser, quotient))
        return fail(parser, token, "%.*s takes a quotient, such as %.*s(a / b)", (int)token->length,
                    token->start, (int)token->length, token->start);
    uint32_t dividend = parser->tree->nodes[quotient].operands[0];
    uint32_t divisor = parser->tree->nodes[quotient].operands[1];
    while (is_quotient(parser, dividend)) {
        uint32_t inner = parser->tree->nodes[dividend].operands[1];
        divisor = new_arithmetic(parser, token, TMA_MULTIPLY, inner, divisor);
        dividend = parser->tree->nodes[dividend].operands[0];
    }
    return make_whole(parser, new_arithmetic(parser, token, operation, dividend, divisor));
}

static uint32_t parse_call(struct parser *parser, const struct tma_token *token) {
    if (is_name(token, "min"))
        return parse_extreme(parser, token, TMA_MINIMUM);
    if (is_name(token, "max"))
        return parse_extreme(parser, token, TMA_MAXIMUM);
    if (is_name(token, "ceil"))
        return parse_rounding(parser, token, TMA_DIVIDE_ROUND_UP);
    if (is_name(token, "floor"))
        return parse_rounding(parser, token, TMA_DIVIDE);
    if (is_name(token, "pow2")) {
        uint32_t exponent = parse_conditional(parser);
        expect(parser, ")");
        return new_arithmetic(parser, token, TMA_POWER_OF_TWO, exponent,
                              new_number(parser, token, 0));
    }
    for (size_t i = parser->scope->name_count; i-- > 0;) {
        const struct tma_expression_name *name = &parser->scope->names[i];
        if (name->table == NULL || !is_name(token, name->name))
            continue;
        uint32_t number = parse_conditional(parser);
        expect(parser, ")");
        return new_node(parser, token,
                        (struct tma_syntax_node){.kind = TMA_SYNTAX_LOOK_UP,
                                                 .operands = {number, number, number},
                                                 .table = name->table});
    }
    return fail(parser, token, "unknown function \"%.*s\"; allowed: ceil, floor, max, min, pow2",
                (int)(token->length < 60 ? token->length : 60), token->start);
}

static uint32_t parse_primary(struct parser *parser) {
    struct tma_token token = parser->token;
    if (token.kind == TMA_TOKEN_NUMBER) {
        advance(parser);
        return new_number(parser, &token, token.value);
    }
    if (token.kind == TMA_TOKEN_NAME) {
        advance(parser);
        if (!at_symbol(parser, "("))
            return parse_name(parser, &token);
        advance(parser);
        return parse_call(parser, &token);
    }
    if (!at_symbol(parser, "("))
        return fail_here(parser, "a number, a name or \"(\"");
    advance(parser);
    uint32_t inner = parse_conditional(parser);
    expect(parser, ")");
    return make_whole(parser, inner);
}

/* Enters one more level of nesting. Each level of parentheses, of signs and of conditions counts.
 */
static bool enter(struct parser *parser) {
    if (++parser->depth > TMA_LIMIT_EXPRESSION_DEPTH)
        fail(parser, &parser->token, "nested too deeply; allowed: %d levels",
             TMA_LIMIT_EXPRESSION_DEPTH);
    return !parser->failed;
}

static uint32_t parse_sign(struct parser *parser) {
    struct tma_token token = parser->token;
    bool minus = at_symbol(parser, "-"), not = at_symbol(parser, "!");
    if (!minus && !not )
        return parse_primary(parser);
    if (!enter(parser))
        return 0;
    advance(parser);
    uint32_t operand = parse_sign(parser), zero = new_number(parser, &token, 0);
    parser->depth--;
    if (minus)
        return new_arithmetic(parser, &token, TMA_SUBTRACT, zero, operand);
    return new_arithmetic(parser, &token, TMA_EQUAL, operand, zero);
}

struct binary_operator {
    const char *symbol;
    unsigned level; /* of precedence; higher ones bind more */
    enum tma_syntax_kind kind;
    enum tma_arithmetic operation;
};

enum { LEVEL_OR, LEVEL_AND, LEVEL_COMPARISON, LEVEL_SUM, LEVEL_PRODUCT, LEVEL_SIGN };

static const struct binary_operator binary_operators[] = {
    {"||", LEVEL_OR, TMA_SYNTAX_OR, TMA_ADD},
    {"&&", LEVEL_AND, TMA_SYNTAX_AND, TMA_ADD},
    {"==", LEVEL_COMPARISON, TMA_SYNTAX_ARITHMETIC, TMA_EQUAL},
    {"!=", LEVEL_COMPARISON, TMA_SYNTAX_ARITHMETIC, TMA_UNEQUAL},
    {"<=", LEVEL_COMPARISON, TMA_SYNTAX_ARITHMETIC, TMA_LESS_EQUAL},
    {">=", LEVEL_COMPARISON, TMA_SYNTAX_ARITHMETIC, TMA_GREATER_EQUAL},
    {"<", LEVEL_COMPARISON, TMA_SYNTAX_ARITHMETIC, TMA_LESS},
    {">", LEVEL_COMPARISON, TMA_SYNTAX_ARITHMETIC, TMA_GREATER},
    {"+", LEVEL_SUM, TMA_SYNTAX_ARITHMETIC, TMA_ADD},
    {"-", LEVEL_SUM, TMA_SYNTAX_ARITHMETIC, TMA_SUBTRACT},
    {"*", LEVEL_PRODUCT, TMA_SYNTAX_ARITHMETIC, TMA_MULTIPLY},
    {"/", LEVEL_PRODUCT, TMA_SYNTAX_ARITHMETIC, TMA_DIVIDE},
    {"%", LEVEL_PRODUCT, TMA_SYNTAX_ARITHMETIC, TMA_REMAINDER},
};

static const struct binary_operator *operator_here(const struct parser *parser, unsigned level) {
    for (size_t i = 0; i < sizeof binary_operators / sizeof binary_operators[0]; i++)
        if (binary_operators[i].level == level && at_symbol(parser, binary_operators[i].symbol))
            return &binary_operators[i];
    return NULL;
}

static uint32_t parse_binary(struct parser *parser, unsigned level) {
    if (level == LEVEL_SIGN)
        return parse_sign(parser);
    uint32_t left = parse_binary(parser, level + 1);
    const struct binary_operator *operator;
    for (bool again = false; !parser->failed && (operator= operator_here(parser, level)) != NULL;
         again = true) {
        struct tma_token token = parser->token;
        if (level == LEVEL_COMPARISON && again)
            return fail(parser, &token, "comparisons do not chain; write a < b && b < c");
        advance(parser);
        uint32_t right = parse_binary(parser, level + 1);
        left = new_node(parser, &token,
                        (struct tma_syntax_node){.kind = operator->kind,
                                                 .operation = operator->operation,
                                                 .operands = {left, right}});
    }
    return left;
}

static uint32_t parse_conditional(struct parser *parser) {
    if (!enter(parser))
        return 0;
    uint32_t condition = parse_binary(parser, LEVEL_OR);
    struct tma_token token = parser->token;
    if (at_symbol(parser, "?")) {
        advance(parser);
        uint32_t yes = parse_conditional(parser);
        expect(parser, ":");
        uint32_t no = parse_conditional(parser);
        condition = new_node(parser, &token,
                             (struct tma_syntax_node){.kind = TMA_SYNTAX_CONDITIONAL,
                                                      .operands = {condition, yes, no}});
    }
    parser->depth--;
    return condition;
}

enum tma_error_code tma_syntax_parse(const char *text, const struct tma_expression_scope *scope,
                                     struct tma_syntax_tree *tree, unsigned *column,
                                     struct tma_error *error) {
    struct parser parser = {.text = text, .scope = scope, .tree = tree, .error = error};
    tree->count = tree->used_count = 0;
    parser.token = (struct tma_token){.start = text};
    if (strlen(text) > TMA_LIMIT_EXPRESSION_BYTES) {
        fail(&parser, &parser.token, "the expression is too long; allowed: %d bytes",
             TMA_LIMIT_EXPRESSION_BYTES);
    } else {
        advance(&parser);
        tree->root = parse_conditional(&parser);
        if (!parser.failed && parser.token.kind != TMA_TOKEN_END)
            fail_here(&parser, "an operator or the end");
    }
    if (parser.failed && column != NULL)
        *column = parser.column;
    return parser.failed ? TMA_ERROR_SYNTAX : TMA_OK;
}
