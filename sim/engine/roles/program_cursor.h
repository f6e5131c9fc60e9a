/* A cursor walks through the program of a role: it takes loops and branches by itself, and gives
 * the statements between them one by one. The engine executes them in time; the warm start and the
 * checks walk through the same programs without time. */
#pragma once

#include "engine/cta.h"
#include "engine/observe/span.h"
#include "engine/result.h"
#include "engine/roles/kernel.h"

/* A cut in the loops of a kernel's roles: all roles of a cluster leave out the same iterations.
 * Their rings and barriers go on as if the loops were shorter. */

struct tma_loop_cut {
    uint32_t loops[TMA_MAX_ROLES]; /* by role: the statement of its loop, or UINT32_MAX */
    uint32_t counted;              /* the role whose iterations are counted */
    uint64_t passes; /* iterations that it has begun, but for the first, in all CTAs */
};

struct tma_program_frame {
    uint32_t statement; /* that has the body */
    uint32_t end;       /* of the body; a branch may end before its statement does */
    uint64_t index;     /* how many iterations the loop has ended; dynamic tiles that it took */
    int64_t value, limit, step;
};

/* A place in the program, and the variables there. */
struct tma_program_place {
    uint32_t next; /* statement */
    uint32_t depth;
    struct tma_program_frame frames[TMA_MAX_LOOP_DEPTH];
    int64_t variables[TMA_MAX_VARIABLES];
};

enum tma_cursor_state {
    TMA_CURSOR_STATEMENT, /* tma_program_cursor.statement is to be executed */
    TMA_CURSOR_TILE,      /* the loop there takes the dynamic tile number tile_index of its CTA:
                             the caller calls tma_cursor_give_tile */
    TMA_CURSOR_END,       /* of the program */
    TMA_CURSOR_FAILED     /* an expression failed: code and error say why */
};

struct tma_program_cursor {
    const struct tma_kernel *kernel;
    uint32_t role;
    struct tma_program_place main;
    struct tma_program_place ahead; /* of the AHEAD parts of a loop */
    uint32_t ahead_loop;            /* that loop; UINT32_MAX: none is running */
    uint32_t ahead_owed;            /* parts that run before the cursor goes on */
    uint32_t ahead_frame;           /* depth of the loop's frame in `ahead` */
    bool in_part;                   /* the current statement is one of an AHEAD part */
    bool ahead_ended;
    struct tma_loop_cut *cut;       /* borrowed; NULL: no loop is cut */
    const struct tma_loop_gap *gap; /* borrowed; NULL: nothing is cut out, passes are counted */
    const struct tma_statement *statement;
    uint64_t tile_index;
    uint64_t steps; /* statements and iterations so far */
    enum tma_error_code code;
    struct tma_error error;
};

/* Begins with the program of a role, in a CTA of that number. */
void tma_cursor_begin(struct tma_program_cursor *cursor, const struct tma_kernel *kernel,
                      uint32_t role, uint32_t cta);

/* Goes on to the next statement. */
enum tma_cursor_state tma_cursor_next(struct tma_program_cursor *cursor);

/* After TMA_CURSOR_TILE: the tile that the loop takes; one past the last ends the loop. Then call
 * tma_cursor_next again. */
void tma_cursor_give_tile(struct tma_program_cursor *cursor, uint64_t tile);

/* Goes on to the next statement without time: dynamic tiles are those of a persistent loop. */
enum tma_cursor_state tma_cursor_next_statement(struct tma_program_cursor *cursor);

/* The place of the current statement: that of the AHEAD part, or of the rest. */
static inline struct tma_program_place *tma_cursor_place(struct tma_program_cursor *cursor) {
    return cursor->in_part ? &cursor->ahead : &cursor->main;
}

/* The innermost loop variables at the current statement. */
struct tma_loop_values tma_cursor_loops(const struct tma_program_cursor *cursor);

/* Computes a value with the variables of a place. False where it fails: *error says why. */
static inline bool tma_value_at(const struct tma_value *value, const int64_t *variables,
                                int64_t *result, struct tma_error *error) {
    if (value->expression == NULL) {
        *result = value->constant;
        return true;
    }
    return tma_expression_evaluate(value->expression, variables, result, error) == TMA_OK;
}

/* Whether a value is the same everywhere: *constant. */
static inline bool tma_value_is_constant(const struct tma_value *value, int64_t *constant) {
    *constant = value->constant;
    return value->expression == NULL || tma_expression_constant(value->expression, constant);
}

/* How often a FOR goes around; 0: never, not always equally often, or it is no FOR. */
static inline uint64_t tma_loop_steps(const struct tma_statement *loop) {
    int64_t from, to, step;
    if (loop->once)
        return 1;
    if (loop->kind != TMA_STATEMENT_FOR || !tma_value_is_constant(&loop->from, &from) ||
        !tma_value_is_constant(&loop->to, &to) || !tma_value_is_constant(&loop->step, &step) ||
        from >= to || step < 1)
        return 0;
    return ((uint64_t)to - (uint64_t)from - 1) / (uint64_t)step + 1;
}

/* The row m and the column n of output tile `tile`. */
void tma_tile_position(int64_t tile, int64_t tiles_m, int64_t tiles_n, int64_t group, int64_t *m,
                       int64_t *n);
