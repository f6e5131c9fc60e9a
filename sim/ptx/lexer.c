#include "ptx/lexer.h"

#include <stdlib.h>
#include <string.h>

#include "ptx/widen.h"

/* What a character may be part of. */
enum { SPACE = 1, NAME_START = 2, NAME = 4, DIGIT = 8, HEX_DIGIT = 16, PART = 32 };

/* Digits, letters, and the rest of ASCII. */
#define D (NAME | DIGIT | HEX_DIGIT | PART)
#define H (NAME_START | NAME | HEX_DIGIT | PART)
#define L (NAME_START | NAME | PART)
static const uint8_t classes_of[256] = {
    ['\t'] = SPACE,
    ['\n'] = SPACE,
    ['\v'] = SPACE,
    ['\f'] = SPACE,
    ['\r'] = SPACE,
    [' '] = SPACE,
    ['$'] = NAME_START | NAME,
    ['%'] = NAME_START,
    ['_'] = L,
    ['0'] = D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    D,
    ['A'] = H,
    H,
    H,
    H,
    H,
    H,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    ['a'] = H,
    H,
    H,
    H,
    H,
    H,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
    L,
};
#undef D
#undef H
#undef L

static bool is(char c, int classes) {
    return (classes_of[(unsigned char)c] & classes) != 0;
}

uint32_t tma_ptx_hash(const char *text, size_t length) {
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < length; ++i)
        hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    return hash;
}

static void count_line(struct tma_ptx_lexer *lexer) {
    ++lexer->line;
    lexer->line_start = lexer->at + 1;
}

/* Skips a comment that begins at `at`; false: there is none. A comment without an end runs to the
 * end of the text. */
static bool skip_comment(struct tma_ptx_lexer *lexer) {
    if (lexer->at[0] != '/' || (lexer->at[1] != '/' && lexer->at[1] != '*'))
        return false;
    if (lexer->at[1] == '/') {
        const char *end = memchr(lexer->at, '\n', (size_t)(lexer->end - lexer->at));
        lexer->at = end == NULL ? lexer->end : end;
        return true;
    }
    for (lexer->at += 2; lexer->at < lexer->end; ++lexer->at) {
        if (*lexer->at == '\n')
            count_line(lexer);
        else if (lexer->at[0] == '*' && lexer->at[1] == '/') {
            lexer->at += 2;
            return true;
        }
    }
    return true;
}

void tma_ptx_skip_space(struct tma_ptx_lexer *lexer) {
    for (;;) {
        char c = *lexer->at;
        if (c == '\n')
            count_line(lexer);
        else if (c != ' ' && c != '\t' && !is(c, SPACE)) {
            if (c != '/' || !skip_comment(lexer))
                return;
            continue;
        }
        ++lexer->at;
    }
}

static void bad(struct tma_ptx_token *token, const char *fault) {
    token->kind = TMA_PTX_TOKEN_BAD;
    token->fault = fault;
}

static unsigned digit_value(char c) {
    return is(c, DIGIT) ? (unsigned)(c - '0') : (unsigned)((c | 32) - 'a' + 10);
}

/* Reads digits of a base; the number ends at the first character that is no part of a name. */
static void read_integer(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token, unsigned base) {
    const char *first = lexer->at;
    bool fits = true;
    for (; is(*lexer->at, HEX_DIGIT) && digit_value(*lexer->at) < base; ++lexer->at)
        fits = fits && !__builtin_mul_overflow(token->value, base, &token->value) &&
               !__builtin_add_overflow(token->value, digit_value(*lexer->at), &token->value);
    bool empty = lexer->at == first;
    if (*lexer->at == 'U') {
        token->is_unsigned = true;
        ++lexer->at;
    }
    token->is_unsigned = token->is_unsigned || token->value > INT64_MAX;
    if (is(*lexer->at, NAME)) {
        while (is(*lexer->at, NAME))
            ++lexer->at;
        bad(token, "a number with letters");
    } else if (empty)
        bad(token, "a number without digits");
    else if (!fits)
        bad(token, "a number above 18446744073709551615");
}

/* 0f3F800000 and 0d3FF0000000000000. */
static void read_float_bits(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    size_t wanted = (lexer->at[1] | 32) == 'f' ? 8 : 16;
    const char *first = lexer->at += 2;
    while (is(*lexer->at, HEX_DIGIT))
        token->value = token->value << 4 | digit_value(*lexer->at++);
    token->kind = TMA_PTX_TOKEN_FLOAT;
    if ((size_t)(lexer->at - first) != wanted || is(*lexer->at, NAME)) {
        while (is(*lexer->at, NAME))
            ++lexer->at;
        bad(token,
            wanted == 8 ? "0f needs 8 hexadecimal digits" : "0d needs 16 hexadecimal digits");
    } else if (wanted == 8)
        token->value = tma_ptx_widen((uint32_t)token->value);
}

/* 1.5, 1e-3. strtod reads numbers of the C locale where the program never calls setlocale. */
static void read_decimal_float(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    char digits[64];
    const char *first = lexer->at;
    while (is(*lexer->at, DIGIT))
        ++lexer->at;
    if (*lexer->at == '.')
        ++lexer->at;
    while (is(*lexer->at, DIGIT))
        ++lexer->at;
    if ((*lexer->at | 32) == 'e') {
        lexer->at += 1 + (lexer->at[1] == '+' || lexer->at[1] == '-');
        while (is(*lexer->at, DIGIT))
            ++lexer->at;
    }
    size_t length = (size_t)(lexer->at - first);
    token->kind = TMA_PTX_TOKEN_FLOAT;
    if (length >= sizeof digits) {
        bad(token, "a number with more than 63 characters");
        return;
    }
    memcpy(digits, first, length);
    digits[length] = '\0';
    double value = strtod(digits, NULL);
    memcpy(&token->value, &value, sizeof value);
    if (is(*lexer->at, NAME)) {
        while (is(*lexer->at, NAME))
            ++lexer->at;
        bad(token, "a number with letters");
    }
}

static void read_number(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    const char *at = lexer->at;
    char second = (char)(at[1] | 32);
    token->kind = TMA_PTX_TOKEN_INTEGER;
    if (*at == '0' && second == 'x') {
        lexer->at += 2;
        read_integer(lexer, token, 16);
    } else if (*at == '0' && second == 'b') {
        lexer->at += 2;
        read_integer(lexer, token, 2);
    } else if (*at == '0' && (second == 'f' || second == 'd')) {
        read_float_bits(lexer, token);
    } else {
        while (is(*at, DIGIT))
            ++at;
        if ((*at == '.' && is(at[1], DIGIT)) || (*at | 32) == 'e')
            read_decimal_float(lexer, token);
        else
            read_integer(lexer, token, *lexer->at == '0' ? 8 : 10);
    }
}

/* .word::word::128 */
static void read_directive(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    token->kind = TMA_PTX_TOKEN_DIRECTIVE;
    do {
        lexer->at += *lexer->at == '.' ? 1 : 2;
        while (is(*lexer->at, PART))
            ++lexer->at;
    } while (lexer->at[0] == ':' && lexer->at[1] == ':' && is(lexer->at[2], PART));
}

static void read_string(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    token->kind = TMA_PTX_TOKEN_STRING;
    token->start = ++lexer->at;
    while (lexer->at < lexer->end && *lexer->at != '"' && *lexer->at != '\n')
        lexer->at += 1 + (lexer->at[0] == '\\' && lexer->at[1] != '\n' && lexer->at[1] != '\0');
    token->length = (size_t)(lexer->at - token->start);
    if (*lexer->at == '"')
        ++lexer->at;
    else
        bad(token, "a string without its end");
}

static void read_symbol(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    static const struct {
        char text[3];
        int symbol;
    } pairs[] = {{"<<", TMA_PTX_SHIFT_LEFT}, {">>", TMA_PTX_SHIFT_RIGHT}, {"<=", TMA_PTX_AT_MOST},
                 {">=", TMA_PTX_AT_LEAST},   {"==", TMA_PTX_EQUAL},       {"!=", TMA_PTX_UNEQUAL},
                 {"&&", TMA_PTX_AND_ALSO},   {"||", TMA_PTX_OR_ELSE}};
    char c = *lexer->at;
    token->kind = TMA_PTX_TOKEN_SYMBOL;
    token->symbol = (unsigned char)c;
    if (c == '<' || c == '>' || c == '=' || c == '!' || c == '&' || c == '|')
        for (size_t i = 0; i < sizeof pairs / sizeof *pairs; ++i)
            if (memcmp(lexer->at, pairs[i].text, 2) == 0) {
                token->symbol = pairs[i].symbol;
                ++lexer->at;
                break;
            }
    ++lexer->at;
    if (memchr("{}()[],;:|!@+-*/%<>=&^~?", c, 24) == NULL)
        bad(token, "a character that PTX does not have");
}

void tma_ptx_next(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token) {
    tma_ptx_skip_space(lexer);
    const char *start = lexer->at;
    *token = (struct tma_ptx_token){
        .start = start, .line = lexer->line, .column = (uint32_t)(start - lexer->line_start) + 1};
    char c = *start;
    if (lexer->at >= lexer->end) {
        token->kind = TMA_PTX_TOKEN_END;
        return;
    }
    if (is(c, NAME_START) && (c != '%' || is(start[1], NAME))) {
        uint32_t hash = (2166136261u ^ (unsigned char)c) * 16777619u;
        const char *at = start + 1;
        for (; is(*at, NAME); ++at)
            hash = (hash ^ (unsigned char)*at) * 16777619u;
        token->kind = TMA_PTX_TOKEN_NAME;
        token->hash = hash;
        lexer->at = at;
    } else if (is(c, DIGIT)) {
        read_number(lexer, token);
    } else if (c == '.' && is(start[1], PART)) {
        read_directive(lexer, token);
    } else if (c == '"') {
        read_string(lexer, token);
        return;
    } else {
        read_symbol(lexer, token);
    }
    token->length = (size_t)(lexer->at - start);
}
