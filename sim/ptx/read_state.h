/* The state of the PTX reader, for its own files: errors, tokens and memory (read_state.c), names
 * and scopes (read_names.c), declarations and constants (read_data.c), bodies (read_body.c), the
 * module (read.c). */
#pragma once

#include "base/diagnostics.h"
#include "ptx/decoded.h"
#include "ptx/lexer.h"
#include "ptx/opcodes.h"

enum {
    TMA_PTX_MAX_DEPTH = 200,  /* of scopes, and of parentheses and braces of constants */
    TMA_PTX_MAX_OPERANDS = 24 /* of an instruction; a vector is one */
};

/* Most bytes of a variable that has values; and of any. */
#define TMA_PTX_MAX_CONTENTS (UINT64_C(1) << 28)
#define TMA_PTX_MAX_VARIABLE (UINT64_C(1) << 40)

enum tma_ptx_symbol_kind {
    TMA_PTX_SYMBOL_NONE,
    TMA_PTX_SYMBOL_REGISTER,  /* number: in module->registers */
    TMA_PTX_SYMBOL_RANGE,     /* %r<100>: number is the count, type and lanes those of each */
    TMA_PTX_SYMBOL_REGISTERS, /* .v4: number is the first of `lanes` registers */
    TMA_PTX_SYMBOL_VARIABLE,
    TMA_PTX_SYMBOL_FUNCTION,
    TMA_PTX_SYMBOL_LABEL,    /* number: instruction of the function */
    TMA_PTX_SYMBOL_TARGETS,  /* .branchtargets: number is the first of `count` operands */
    TMA_PTX_SYMBOL_PROTOTYPE /* .callprototype, .calltargets */
};

struct tma_ptx_symbol {
    uint8_t kind, type, lanes;
    uint32_t depth; /* of its scope */
    uint32_t name;
    uint32_t shadowed; /* the symbol that the name had before */
    uint32_t next;     /* in its scope */
    uint32_t number, count;
};

struct tma_ptx_name {
    const char *text;
    size_t length;
    uint32_t hash;
    uint32_t symbol, range; /* the innermost; 0: none */
    uint32_t string;        /* 1 + offset in the strings of .debug_str; 0: none */
};

/* A label that an operand names, to be found at the end of a scope. */
struct tma_ptx_fixup {
    uint32_t operand, name, line, column, next;
};

struct tma_ptx_scope {
    uint32_t symbols, fixups; /* first ones; 0: none */
    bool has_range;
};

struct tma_ptx_use {
    uint32_t function, number; /* it names a shared variable, or calls a function */
};

struct tma_ptx_block {
    struct tma_ptx_block *next;
    size_t used, size;
    uint64_t bytes[];
};

/* What a module owns: blocks of texts and contents. The arrays are the module's members. */
struct tma_ptx_memory {
    struct tma_ptx_block *blocks;
};

struct tma_ptx_cached {
    const char *text;
    size_t length;
    uint32_t hash;
    uint32_t message; /* of an unknown one */
    struct tma_ptx_mnemonic mnemonic;
};

struct tma_ptx_reader {
    struct tma_ptx_lexer lexer;
    struct tma_ptx_token token; /* the current one */
    const char *file;
    struct tma_diagnostics *diagnostics;
    struct tma_ptx_module *module;
    struct tma_ptx_memory *memory;
    bool stop; /* out of memory, or too many errors: all tokens are at the end */

    struct tma_ptx_lexicon lexicon;
    struct tma_ptx_cached *cache; /* mnemonics that were read, [0] unused */
    uint32_t *cache_slots;
    size_t cache_count, cache_capacity, cache_slot_count;

    struct tma_ptx_name *names; /* [0] is unused, as in all that follow */
    uint32_t *name_slots;
    size_t name_count, name_capacity, name_slot_count;
    struct tma_ptx_symbol *symbols;
    size_t symbol_count, symbol_capacity;
    struct tma_ptx_fixup *fixups;
    size_t fixup_count, fixup_capacity;
    struct tma_ptx_scope scopes[TMA_PTX_MAX_DEPTH];
    uint32_t depth, range_depth; /* range_depth: the innermost scope with a range */

    struct tma_ptx_use *shared_uses, *calls;
    size_t shared_use_count, shared_use_capacity, call_count, call_capacity;
    uint32_t *variable_marks; /* 1 + the last function that named the variable */
    size_t variable_mark_capacity;

    size_t instruction_capacity, operand_capacity, register_capacity, variable_capacity,
        shared_place_capacity, relocation_capacity, function_capacity, place_capacity,
        file_capacity, message_capacity;

    uint32_t function;   /* that is read */
    uint32_t source;     /* the last .loc */
    uint32_t last_label; /* its instruction */
    uint32_t *place_slots;
    size_t place_slot_count;
    struct tma_ptx_use *place_names; /* by place: name of the function's string, offset */
    size_t place_name_capacity;
    char *strings; /* of .debug_str */
    size_t string_bytes, string_capacity;
    uint8_t *values; /* of the initialiser that is read */
    size_t value_bytes, value_capacity;
};

/* ---- errors, tokens and memory (read_state.c) */

/* Adds an error at a token, or at a place. Like the next ones, for the caller: returns false. */
bool tma_ptx_error(struct tma_ptx_reader *reader, const struct tma_ptx_token *token,
                   const char *format, ...) __attribute__((format(printf, 3, 4)));
void tma_ptx_error_at(struct tma_ptx_reader *reader, uint32_t line, uint32_t column,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

/* Says that memory ran out, and stops. */
bool tma_ptx_no_memory(struct tma_ptx_reader *reader);

/* Goes to the next token; says so if it is a bad one. */
void tma_ptx_advance(struct tma_ptx_reader *reader);

/* How much of a token a message shows. */
int tma_ptx_shown_length(const struct tma_ptx_token *token);

/* Adds "expected WHAT, not TOKEN". */
bool tma_ptx_expected(struct tma_ptx_reader *reader, const char *what);

static inline bool tma_ptx_at(const struct tma_ptx_reader *reader, int symbol) {
    return reader->token.kind == TMA_PTX_TOKEN_SYMBOL && reader->token.symbol == symbol;
}

/* Takes a symbol if it stands there. */
bool tma_ptx_accept(struct tma_ptx_reader *reader, int symbol);

/* The same; it is an error if it does not. */
bool tma_ptx_expect(struct tma_ptx_reader *reader, int symbol);

/* Is the current token the directive `text`, with its dot? */
bool tma_ptx_at_directive(const struct tma_ptx_reader *reader, const char *text);
bool tma_ptx_accept_directive(struct tma_ptx_reader *reader, const char *text);

/* Skips to behind the next ; of this level, or to the } that ends it. */
void tma_ptx_skip_statement(struct tma_ptx_reader *reader);

/* Skips from a { or ( to behind its end. */
void tma_ptx_skip_group(struct tma_ptx_reader *reader);

/* Memory that lives as long as the module. NULL: none is left (the reader has stopped). */
void *tma_ptx_take(struct tma_ptx_reader *reader, size_t bytes);
const char *tma_ptx_take_text(struct tma_ptx_reader *reader, const char *text, size_t length);

/* Makes room for one more item of an array. False: no memory. */
bool tma_ptx_grow(struct tma_ptx_reader *reader, void *array, size_t count, size_t *capacity,
                  size_t size);
#define TMA_PTX_GROW(reader, items, count, capacity)                                               \
    tma_ptx_grow(reader, &(items), count, &(capacity), sizeof *(items))

/* Number of a message; 0: no memory. */
uint32_t tma_ptx_add_message(struct tma_ptx_reader *reader, const char *text);

/* ---- names and scopes (read_names.c) */

/* Number of a name; 0: no memory. */
uint32_t tma_ptx_intern(struct tma_ptx_reader *reader, const char *text, size_t length,
                        uint32_t hash);
void tma_ptx_open_scope(struct tma_ptx_reader *reader);
void tma_ptx_close_scope(struct tma_ptx_reader *reader);

/* Gives a name a meaning in the current scope; an error at the token if it has one there. NULL: an
 * error. */
struct tma_ptx_symbol *tma_ptx_define(struct tma_ptx_reader *reader,
                                      const struct tma_ptx_token *token,
                                      enum tma_ptx_symbol_kind kind);

/* What a name means here; NULL: nothing. May make a register of a range. */
const struct tma_ptx_symbol *tma_ptx_lookup(struct tma_ptx_reader *reader, uint32_t name);

/* Says that a name is not declared, and which one is near. */
void tma_ptx_undeclared(struct tma_ptx_reader *reader, const struct tma_ptx_token *token);

void tma_ptx_add_fixup(struct tma_ptx_reader *reader, uint32_t operand, uint32_t name,
                       uint32_t line, uint32_t column);

/* Number of the first of `count` new registers; UINT32_MAX: no memory. */
uint32_t tma_ptx_add_registers(struct tma_ptx_reader *reader, uint32_t name, uint8_t type,
                               uint32_t count);

/* ---- declarations and constants (read_data.c) */

struct tma_ptx_declaration {
    enum tma_ptx_space space;
    bool is_register, is_extern, in_frame, is_pointer;
    uint8_t type, lanes;
    uint32_t alignment; /* 0: that of the type */
};

/* At the directive of a space (.reg, .shared, ...)? */
bool tma_ptx_at_space(const struct tma_ptx_reader *reader);

/* Reads `.shared .align 16 .b8`, from the space on. */
bool tma_ptx_read_declaration(struct tma_ptx_reader *reader,
                              struct tma_ptx_declaration *declaration);

/* Reads the names behind a declaration, up to the ;. */
void tma_ptx_read_declarators(struct tma_ptx_reader *reader,
                              const struct tma_ptx_declaration *declaration);

/* Reads one name with its dimensions. Returns an operand for it: a REGISTER (the first, of a vector
 * of registers), a VARIABLE, or NO_OPERAND: an error, or a range. */
struct tma_ptx_operand tma_ptx_read_declarator(struct tma_ptx_reader *reader,
                                               const struct tma_ptx_declaration *declaration);

struct tma_ptx_value {
    uint64_t bits; /* of an integer, or of a float64 */
    bool is_float, is_unsigned;
};

/* Reads a constant expression; false: an error. */
bool tma_ptx_read_constant(struct tma_ptx_reader *reader, struct tma_ptx_value *value);

/* The same, for an integer from 0 to `maximum`, or an error that names `what`. */
bool tma_ptx_read_count(struct tma_ptx_reader *reader, uint64_t maximum, const char *what,
                        uint64_t *value);

/* ---- bodies (read_body.c) */

/* Reads from behind the { of a function to behind its }. */
void tma_ptx_read_body(struct tma_ptx_reader *reader);

/* Appends operands; labels among them get their numbers at the end of their scope. Returns the
 * number of the first; UINT32_MAX: no memory. */
uint32_t tma_ptx_add_operands(struct tma_ptx_reader *reader, const struct tma_ptx_operand *operands,
                              size_t count, uint32_t line, uint32_t column);

/* Reads .loc, from behind it. */
void tma_ptx_read_location(struct tma_ptx_reader *reader);
