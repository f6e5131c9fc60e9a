/* The compiled form of an expression: steps of a stack machine. Internal to this folder. */
#pragma once

#include "expression/arithmetic.h"
#include "expression/expression.h"

enum { TMA_MAX_EXPRESSION_STACK = 64 };

enum tma_step_kind {
    TMA_STEP_NUMBER,      /* pushes `value` */
    TMA_STEP_VARIABLE,    /* pushes variable `value` */
    TMA_STEP_ARITHMETIC,  /* takes two values, pushes the result */
    TMA_STEP_WITH_NUMBER, /* as TMA_STEP_ARITHMETIC, with `value` as the second operand */
    TMA_STEP_TRUTH,       /* turns the value into 0 or 1 */
    TMA_STEP_AND,         /* takes a value; if it is 0, pushes 0 and jumps to `target` */
    TMA_STEP_OR,          /* takes a value; if it is not 0, pushes 1 and jumps to `target` */
    TMA_STEP_UNLESS,      /* takes a value; if it is 0, jumps to `target` */
    TMA_STEP_JUMP,        /* jumps to `target` */
    TMA_STEP_LOOK_UP,     /* turns a number into that entry of `table` */
};

struct tma_expression_step {
    uint8_t kind;      /* enum tma_step_kind */
    uint8_t operation; /* enum tma_arithmetic */
    uint16_t column;   /* in the text, from 1, of what may fail here */
    uint32_t target;   /* index of a step */
    union {
        int64_t value;
        const struct tma_expression_table *table; /* TMA_STEP_LOOK_UP */
    };
};

/* A name of the text, for messages. */
struct tma_used_name {
    char *name; /* owned */
    bool is_variable;
    uint32_t variable;
    int64_t value;
};

struct tma_expression {
    char *text; /* owned */
    uint64_t variables;
    struct tma_used_name *names; /* owned */
    uint32_t name_count;
    uint32_t step_count;
    struct tma_expression_step steps[]; /* the first one is a number where all is constant */
};
