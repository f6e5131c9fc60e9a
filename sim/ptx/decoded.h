/* A PTX module in decoded form: what the reader (ptx/read.h) makes of a text, and what execution
 * walks. (PTX ISA: 4 syntax, 5 state spaces, 6 operands, 8 instructions.)
 *
 * Nothing here depends on a launch. Register numbers count within a function; an entry's functions
 * get their places in the register file of a warp when a launch is prepared. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ptx/words.h" /* enum tma_ptx_opcode, enum tma_ptx_word, enum tma_ptx_type */

enum tma_ptx_space {
    TMA_PTX_GENERIC, /* no space named */
    TMA_PTX_GLOBAL,
    TMA_PTX_SHARED, /* .shared::cta and .shared::cluster too: the words say which */
    TMA_PTX_LOCAL,
    TMA_PTX_CONST,
    TMA_PTX_PARAM
};

/* How the lanes of a register are kept. */
enum tma_ptx_width {
    TMA_PTX_PREDICATE, /* one bit a lane */
    TMA_PTX_WORD,      /* 8, 16 and 32 bits: 32 bits a lane; what the type does not fill is zero */
    TMA_PTX_DOUBLE,    /* 64 bits */
    TMA_PTX_QUAD       /* 128 bits */
};

struct tma_ptx_register {
    const char *name;       /* with its %, if it has one */
    enum tma_ptx_type type; /* as declared */
    enum tma_ptx_width width;
};

enum tma_ptx_operand_kind {
    TMA_PTX_NO_OPERAND,
    TMA_PTX_REGISTER,  /* number */
    TMA_PTX_IMMEDIATE, /* bits: an integer, or with `is_float` a float64, to which a 0f constant is
                          widened. tma_ptx_immediate gives the bits for a type */
    TMA_PTX_SPECIAL,   /* number: enum tma_ptx_special (%tid.x, %clock64, ...); bits: which of
                          the numbered ones (%envreg3) */
    TMA_PTX_ADDRESS,   /* [base + offset]: base is a register (number), a variable, or nothing. The
                          coordinates of a tensor, [base, {x, y}], are a VECTOR behind it */
    TMA_PTX_VARIABLE,  /* the address of a variable (number: in module->variables) plus offset */
    TMA_PTX_FUNCTION,  /* number: in module->functions */
    TMA_PTX_LABEL,     /* number: index of the instruction in its function */
    TMA_PTX_VECTOR,    /* {a, b, ...}: `count` operands from `first` in module->operands. Also the
                          coordinates of a tensor, the labels of a brx.idx, and the results and
                          arguments of a call, whose operands are always (results), callee,
                          (arguments); a callee is a FUNCTION, or a REGISTER */
    TMA_PTX_SINK /* _; also in the place of a second destination, d|p, that the text leaves out */
};

struct tma_ptx_operand {
    uint8_t kind;  /* enum tma_ptx_operand_kind */
    uint8_t base;  /* ADDRESS: kind of the base: REGISTER, VARIABLE, or IMMEDIATE for none */
    bool negated;  /* !p */
    bool is_float; /* IMMEDIATE */
    uint32_t number;
    union {
        uint64_t bits;  /* IMMEDIATE */
        int64_t offset; /* ADDRESS, VARIABLE: bytes */
        struct {
            uint32_t first, count; /* VECTOR */
        } list;
    };
};

enum { TMA_PTX_NO_REGISTER = UINT32_MAX };

struct tma_ptx_instruction {
    uint16_t opcode; /* enum tma_ptx_opcode; TMA_PTX_UNKNOWN: see `unknown` */
    uint8_t type_count, word_count, operand_count;
    uint8_t target_count;              /* the first so many operands are written */
    bool guard_negated;                /* @!p */
    uint8_t types[TMA_PTX_MAX_TYPES];  /* enum tma_ptx_type, in the order of the text */
    uint16_t words[TMA_PTX_MAX_WORDS]; /* enum tma_ptx_word, in the order of the text */
    uint32_t guard;                    /* register of @p; TMA_PTX_NO_REGISTER: none */
    uint32_t operands;     /* index of the first one in module->operands, in the order of
                              the text; `d|p` is two, always */
    uint32_t line, column; /* of the opcode in the PTX text, from 1 */
    uint32_t source;       /* index in module->places: the .loc before it; 0: none */
    uint32_t unknown;      /* index in module->messages: why it cannot be executed, an
                              error only where it is reached; 0: it can */
};

/* A source line (.loc), with the place that it was inlined at. */
struct tma_ptx_place {
    uint32_t file; /* index in module->files */
    uint32_t line, column;
    uint32_t inlined_at;  /* index in module->places; 0: not inlined */
    const char *function; /* of an inlined place; NULL: unknown */
};

struct tma_ptx_variable {
    const char *name;
    enum tma_ptx_space space;
    enum tma_ptx_type type;
    uint32_t alignment; /* bytes */
    uint64_t bytes;     /* 0: extern without a size (dynamic shared memory) */
    uint32_t function;  /* 1 + the function that it belongs to; 0: the module */
    bool is_extern;
    /* PARAM: is it of a frame? Parameters of an entry are not; those of a .func are, as are those
     * that bodies declare for calls. */
    bool in_frame;
    bool is_pointer; /* PARAM: its declaration says so (.ptr); compilers may leave that out */
    /* PARAM: in the parameters of the entry, or in the frame. LOCAL: in the local memory of the
     * function. SHARED variables have a place in each entry: tma_ptx_shared_place. */
    uint64_t offset;
    const uint8_t *contents; /* owned by the module; NULL: zeros, or nothing */
    /* Addresses of other variables or functions in the contents: tma_ptx_relocation. */
    uint32_t first_relocation, relocation_count;
};

struct tma_ptx_relocation {
    uint64_t at;      /* byte in the contents of its variable */
    uint8_t bytes;    /* that it fills */
    uint8_t shift;    /* of the address to the right, before: 0xFF00(x) is byte 1 of it */
    bool is_function; /* `number` is in module->functions, else in module->variables */
    bool generic;     /* the generic address */
    uint32_t number;
    int64_t addend; /* to the address */
};

/* Where ptxas puts a static .shared variable for one entry: first its own that it names, then the
 * module's that it names, then its own others, each in the order of the text, aligned. */
struct tma_ptx_shared_place {
    uint32_t variable;
    uint64_t offset; /* from the first byte that a CTA may use */
};

struct tma_ptx_function {
    const char *name;
    bool is_entry, is_extern; /* extern: without a body (vprintf, ...) */
    uint32_t line, column;
    /* In module->instructions. A body that could run off its end gets a `ret` there. */
    uint32_t first_instruction, instruction_count;
    uint32_t first_register, register_count; /* in module->registers */
    uint32_t first_variable, variable_count; /* of all spaces; its parameters come first */
    /* In module->operands: results, then parameters, each a VARIABLE, or a REGISTER of a .func. */
    uint32_t parameters, result_count, parameter_count;
    uint64_t parameter_bytes; /* of an entry */
    uint64_t frame_bytes;     /* of its PARAM variables that are `in_frame` */
    uint64_t local_bytes;     /* of its LOCAL variables */
    /* Of an entry, what its callees name included: in module->shared_places. */
    uint32_t first_shared, shared_count;
    uint64_t
        shared_bytes; /* static; dynamic shared memory begins here, aligned for its variables */
    uint32_t required_threads[3], maximum_threads[3]; /* .reqntid, .maxntid; 0: not given */
    uint32_t required_cluster[3];                     /* .reqnctapercluster; 0: not given */
    bool explicit_cluster;
    uint32_t minimum_ctas;      /* .minnctapersm */
    uint32_t maximum_registers; /* .maxnreg */
};

struct tma_ptx_module {
    uint32_t version;   /* 87: .version 8.7 */
    const char *target; /* "sm_90a" */
    uint32_t address_bits;
    struct tma_ptx_instruction *instructions;
    struct tma_ptx_operand *operands;
    struct tma_ptx_register *registers;
    struct tma_ptx_variable *variables; /* in the order of the text */
    struct tma_ptx_shared_place *shared_places;
    struct tma_ptx_relocation *relocations;
    struct tma_ptx_function *functions;
    struct tma_ptx_place *places; /* [0] is no place */
    const char **files;           /* by the number of .file; NULL: not named */
    const char **messages;        /* [0] is no message */
    size_t instruction_count, operand_count, register_count, variable_count, shared_place_count,
        relocation_count, function_count, place_count, file_count, message_count;
    void *memory; /* of the reader: frees all of it */
};

/* The bits of an IMMEDIATE as a value of a type: what the type does not fill is zero. */
uint64_t tma_ptx_immediate(const struct tma_ptx_operand *operand, enum tma_ptx_type type);

/* Does the instruction have this modifier? */
static inline bool tma_ptx_has(const struct tma_ptx_instruction *instruction,
                               enum tma_ptx_word word) {
    for (uint32_t i = 0; i < instruction->word_count; ++i)
        if (instruction->words[i] == word)
            return true;
    return false;
}

/* The space that the instruction names; the first one, if it names two. TMA_PTX_GENERIC: none. */
static inline enum tma_ptx_space tma_ptx_space_of(const struct tma_ptx_instruction *instruction) {
    for (uint32_t i = 0; i < instruction->word_count; ++i)
        switch (instruction->words[i]) {
        case TMA_PTX_DOT_GLOBAL:
            return TMA_PTX_GLOBAL;
        case TMA_PTX_DOT_SHARED:
        case TMA_PTX_DOT_SHARED_CTA:
        case TMA_PTX_DOT_SHARED_CLUSTER:
            return TMA_PTX_SHARED;
        case TMA_PTX_DOT_LOCAL:
            return TMA_PTX_LOCAL;
        case TMA_PTX_DOT_CONST:
            return TMA_PTX_CONST;
        case TMA_PTX_DOT_PARAM:
        case TMA_PTX_DOT_PARAM_ENTRY:
        case TMA_PTX_DOT_PARAM_FUNC:
            return TMA_PTX_PARAM;
        }
    return TMA_PTX_GENERIC;
}

/* The shape of a matrix instruction; {0, 0, 0}: it names none. */
static inline struct tma_ptx_shape tma_ptx_shape_of(const struct tma_ptx_instruction *instruction) {
    for (uint32_t i = 0; i < instruction->word_count; ++i)
        if (instruction->words[i] & TMA_PTX_SHAPE)
            return tma_ptx_word_shape(instruction->words[i]);
    return (struct tma_ptx_shape){0, 0, 0};
}
