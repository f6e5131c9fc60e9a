#include "expression/tokens.h"

#include <string.h>

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

struct tma_token tma_token_read(const char *text, const struct tma_expression_scope *scope) {
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
