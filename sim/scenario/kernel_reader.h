/* The context of reading the mapping `kernel` of a scenario, and the steps that share it. Internal
 * to this folder.
 *
 * The steps run in this order: the kernel's own keys, rings, buffers and barriers are read; then
 * the programs of the roles, statement by statement; then operands get their places in the stages;
 * then tiles are checked against operands, and the rings' use is checked over all roles. */
#pragma once

#include "engine/roles/kernel.h"
#include "scenario/kernel_program.h"
#include "scenario/scenario.h"
#include "scenario/scenario_reader.h"
#include "scenario/sections.h"

enum {
    TMA_MAX_RING_OPERANDS = 64, /* of all rings and buffers together */
    TMA_NO_OPERAND = 255,
    TMA_MAX_SCOPE_NAMES = 512,
    TMA_OPERAND_ALIGNMENT_BYTES = 1024 /* of swizzle atoms, as CUTLASS aligns its stages */
};

/* A part of each stage of a ring, which has a name: the tile of A. */
struct tma_ring_operand {
    char name[TMA_KERNEL_NAME]; /* "": the whole stage */
    uint8_t ring;
    bool automatic;  /* its size is that of its largest tile */
    uint32_t bytes;  /* so far, if automatic */
    uint32_t offset; /* in the stage */
};

/* What a statement needs besides its own struct. */
struct tma_statement_note {
    const struct tma_yaml_node *node;       /* where it is in the document */
    uint8_t operand;                        /* of an operation, access or wavefronts; index, or
                                               TMA_NO_OPERAND */
    uint8_t mma_operands[TMA_MMA_OPERANDS]; /* of a product; index, or TMA_NO_OPERAND */
    uint8_t source;                         /* of what a copy reads; index, or TMA_NO_OPERAND */
    uint32_t footprint_bytes;               /* of an operation's tile; 0: unknown */
};

struct tma_kernel_reader {
    struct tma_scenario_reader *scenario_reader;
    struct tma_diagnostics *list;
    struct tma_kernel_program *program;
    struct tma_kernel *kernel; /* that of the program */
    bool resident;             /* the grid has no more CTAs than run at once */

    struct tma_ring_operand operands[TMA_MAX_RING_OPERANDS];
    uint32_t operand_count;
    struct tma_statement_note *notes; /* owned; by statement */
    size_t note_capacity, statement_capacity;

    /* Names that an expression may use at this point of a program. */
    struct tma_expression_name names[TMA_MAX_SCOPE_NAMES];
    size_t name_count;

    uint32_t depth;       /* statements with a body around the current one */
    uint32_t loops;       /* loops among them */
    uint32_t ahead_loops; /* loops among them that say `ahead` */
    bool in_ahead;        /* inside an `ahead` statement */
    bool never;           /* in a part of an if whose condition parameters rule out */
};

/* Tables of keys, for reading and for the reference. */
extern const struct tma_schema tma_kernel_schema, tma_ring_schema, tma_buffer_schema,
    tma_role_schema, tma_tiles_schema, tma_tile_operation_schema, tma_mma_schema,
    tma_mma_operand_schema, tma_instructions_schema, tma_wavefronts_schema, tma_acquire_schema,
    tma_release_schema, tma_wait_stores_schema, tma_dsmem_schema, tma_table_schema,
    tma_barrier_schema, tma_add_flag_schema, tma_wait_flag_schema;

/* Reads the mapping `kernel`. Appends every error to the list. The program is that of the scenario.
 */
void tma_read_kernel(struct tma_scenario_reader *reader, const struct tma_yaml_node *node);

/* Reads the statements of a role's program, or of the body of a statement. */
void tma_read_statements(struct tma_kernel_reader *reader, const struct tma_yaml_node *list);

/* Reads an expression of the names in scope into *value. Appends an error, which begins with
 * `name`, and returns false if it is not one. */
bool tma_read_value(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                    const char *name, struct tma_value *value);

/* Makes a value from the text of an expression, as tma_read_value does; errors are at `node`. */
bool tma_make_value(struct tma_kernel_reader *reader, const char *text,
                    const struct tma_yaml_node *node, const char *name, struct tma_value *value);

/* Reads the ranks of CTAs of a cluster, a list of expressions or the word "all", as a mask. */
bool tma_read_ranks(struct tma_kernel_reader *reader, const struct tma_yaml_node *const *nodes,
                    uint32_t count, const char *name, struct tma_value *mask);

/* Declares the variable of a loop from here on. Returns its number, or false after an error. */
bool tma_declare_variable(struct tma_kernel_reader *reader, const char *name,
                          const struct tma_yaml_node *node, uint32_t *variable);

/* Finds a ring, buffer or barrier. Returns false, with an error at the node, if there is none. */
bool tma_find_ring(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                   const char *name, uint8_t *ring);
bool tma_find_flag(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                   const char *name, uint8_t *flag);
bool tma_find_barrier(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                      const char *name, uint8_t *barrier);

/* Finds "RING", "RING.OPERAND" or "BUFFER". One of *ring and *buffer is TMA_NO_RING. */
bool tma_find_place(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                    const char *name, uint8_t *ring, uint8_t *operand, uint8_t *buffer);

/* Reads the value of an operation or of a shared-memory access into the statement. */
bool tma_read_operation(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                        const char *word, enum tma_direction direction, enum tma_mover mover,
                        struct tma_statement *statement, struct tma_statement_note *note);
bool tma_read_access(struct tma_kernel_reader *reader, const struct tma_yaml_node *node,
                     struct tma_statement *statement, struct tma_statement_note *note);

/* The keys of an `access`, in an array of the caller. Returns their number. */
enum { TMA_MAX_ACCESS_KEYS = 32 };
size_t tma_access_keys(struct tma_key keys[TMA_MAX_ACCESS_KEYS]);

/* Gives operands their places in the stages, and stages their sizes; then checks tiles against
 * operands and buffers. */
void tma_place_operands(struct tma_kernel_reader *reader);

/* Appends one error, made as printf does, at a statement. */
void tma_statement_diagnose(struct tma_kernel_reader *reader, uint32_t statement,
                            const char *format, ...) __attribute__((format(printf, 3, 4)));
