/* The tokens of PTX. (PTX ISA: 4.1 source format, 4.4 identifiers, 4.5 constants.) */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum tma_ptx_token_kind {
    TMA_PTX_TOKEN_END,
    TMA_PTX_TOKEN_NAME,      /* an identifier, with its %; _ alone */
    TMA_PTX_TOKEN_DIRECTIVE, /* .word, .shared::cta, .128: with its dot */
    TMA_PTX_TOKEN_INTEGER,   /* value */
    TMA_PTX_TOKEN_FLOAT,     /* value: bits of a float64 */
    TMA_PTX_TOKEN_STRING,    /* between its quotes */
    TMA_PTX_TOKEN_SYMBOL,    /* symbol */
    TMA_PTX_TOKEN_BAD        /* fault */
};

/* Symbols of two characters; of one they are themselves. */
enum {
    TMA_PTX_SHIFT_LEFT = 256,
    TMA_PTX_SHIFT_RIGHT,
    TMA_PTX_AT_MOST,
    TMA_PTX_AT_LEAST,
    TMA_PTX_EQUAL,
    TMA_PTX_UNEQUAL,
    TMA_PTX_AND_ALSO,
    TMA_PTX_OR_ELSE
};

struct tma_ptx_token {
    enum tma_ptx_token_kind kind;
    int symbol;
    bool is_unsigned; /* INTEGER: with a U, or above 2^63 */
    uint32_t hash;    /* NAME: as tma_ptx_hash gives it */
    const char *start;
    size_t length;
    uint32_t line, column; /* from 1 */
    uint64_t value;
    const char *fault; /* BAD: what is wrong; constant */
};

struct tma_ptx_lexer {
    const char *at, *end; /* *end is 0 */
    const char *line_start;
    uint32_t line;
};

uint32_t tma_ptx_hash(const char *text, size_t length);

/* Reads the next token. */
void tma_ptx_next(struct tma_ptx_lexer *lexer, struct tma_ptx_token *token);

/* Skips white space and comments. */
void tma_ptx_skip_space(struct tma_ptx_lexer *lexer);
