/* Cuts the text of an expression into tokens. Internal to this folder. */
#ifndef TMA_EXPRESSION_TOKENS_H
#define TMA_EXPRESSION_TOKENS_H

#include "expression/expression.h"

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

/* Returns the token at `text`, behind white space. A number takes in the unit behind it, if the
 * scope has that unit. */
struct tma_token tma_token_read(const char *text, const struct tma_expression_scope *scope);

#endif
