#include "engine/roles/program_cursor.h"

#include <assert.h>

static const struct tma_statement *statement_at(const struct tma_program_cursor *cursor,
                                                uint32_t index) {
    return &cursor->kernel->statements[index];
}

void tma_tile_position(int64_t tile, int64_t tiles_m, int64_t tiles_n, int64_t group, int64_t *m,
                       int64_t *n) {
    if (group == 0) {
        *m = tile % tiles_m;
        *n = tile / tiles_m;
        return;
    }
    int64_t first = tile / (group * tiles_n) * group, rest = tile % (group * tiles_n);
    int64_t rows = tiles_m - first < group ? tiles_m - first : group;
    *m = first + rest % rows;
    *n = rest / rows;
}

static void fail(struct tma_program_cursor *cursor, enum tma_error_code code) {
    cursor->code = code;
}

static bool evaluate(struct tma_program_cursor *cursor, const struct tma_program_place *place,
                     const struct tma_value *value, int64_t *result) {
    if (tma_value_at(value, place->variables, result, &cursor->error))
        return true;
    fail(cursor, cursor->error.code);
    return false;
}

void tma_cursor_begin(struct tma_program_cursor *cursor, const struct tma_kernel *kernel,
                      uint32_t role, uint32_t cta) {
    *cursor = (struct tma_program_cursor){
        .kernel = kernel, .role = role, .ahead_loop = UINT32_MAX, .code = TMA_OK};
    cursor->main.next = kernel->roles[role].first;
    tma_kernel_cta_variables(kernel, cta, cursor->main.variables);
}

static struct tma_program_frame *push(struct tma_program_place *place, uint32_t index,
                                      uint32_t end) {
    assert(place->depth < TMA_MAX_LOOP_DEPTH); /* tma_kernel_check */
    struct tma_program_frame *frame = &place->frames[place->depth++];
    *frame = (struct tma_program_frame){.statement = index, .end = end};
    place->next = index + 1;
    return frame;
}

/* AHEAD statements inside a loop. */
static uint32_t parts_of(const struct tma_program_cursor *cursor, uint32_t loop) {
    uint32_t parts = 0;
    for (uint32_t i = loop + 1; i < statement_at(cursor, loop)->end; i++)
        parts += statement_at(cursor, i)->kind == TMA_STATEMENT_AHEAD;
    return parts;
}

/* The loop begins in the main place with a part that runs ahead: the parts of its first iterations
 * are owed. */
static void start_ahead(struct tma_program_cursor *cursor, uint32_t loop) {
    cursor->ahead = cursor->main;
    cursor->ahead_loop = loop;
    cursor->ahead_frame = cursor->main.depth;
    cursor->ahead_owed = statement_at(cursor, loop)->ahead * parts_of(cursor, loop);
    cursor->ahead_ended = false;
}

/* Leaves the innermost frame. */
static void pop(struct tma_program_cursor *cursor, struct tma_program_place *place) {
    uint32_t loop = place->frames[--place->depth].statement;
    place->next = statement_at(cursor, loop)->end;
    if (place == &cursor->main && loop == cursor->ahead_loop)
        cursor->ahead_loop = UINT32_MAX;
    if (place == &cursor->ahead && place->depth < cursor->ahead_frame)
        cursor->ahead_ended = true;
}

/* Sets the variables of the tile that a frame has; leaves the loop after the last tile. */
static void set_tile(struct tma_program_cursor *cursor, struct tma_program_place *place,
                     struct tma_program_frame *frame) {
    const struct tma_statement *loop = statement_at(cursor, frame->statement);
    int64_t m = 0, n = 0, tiles_m, tiles_n, group;
    if (frame->value >= frame->limit) {
        pop(cursor, place);
        return;
    }
    if (!evaluate(cursor, place, &loop->tiles_m, &tiles_m) ||
        !evaluate(cursor, place, &loop->tiles_n, &tiles_n) ||
        !evaluate(cursor, place, &loop->group, &group))
        return;
    tma_tile_position(frame->value, tiles_m, tiles_n, group, &m, &n);
    place->variables[loop->variable] = frame->value;
    place->variables[loop->variable_m] = m;
    place->variables[loop->variable_n] = n;
    place->next = frame->statement + 1;
    if (place == &cursor->main && loop->ahead > 0 && frame->index == 0)
        start_ahead(cursor, frame->statement);
}

/* Begins a loop over tiles; true if the caller has to give the first tile. */
static bool begin_tiles(struct tma_program_cursor *cursor, struct tma_program_place *place,
                        uint32_t index) {
    const struct tma_statement *loop = statement_at(cursor, index);
    int64_t tiles_m, tiles_n, group, tiles;
    if (!evaluate(cursor, place, &loop->tiles_m, &tiles_m) ||
        !evaluate(cursor, place, &loop->tiles_n, &tiles_n) ||
        !evaluate(cursor, place, &loop->group, &group))
        return false;
    if (tiles_m < 0 || tiles_n < 0 || group < 0 ||
        __builtin_mul_overflow(tiles_m, tiles_n, &tiles)) {
        fail(cursor, tma_fail(&cursor->error, TMA_ERROR_ARGUMENT,
                              "%lld x %lld output tiles in groups of %lld", (long long)tiles_m,
                              (long long)tiles_n, (long long)group));
        return false;
    }
    struct tma_program_frame *frame = push(place, index, loop->end);
    frame->limit = tiles;
    frame->value = place->variables[TMA_VARIABLE_CTA];
    frame->step = loop->schedule == TMA_TILES_ONE ? tiles : (int64_t)cursor->kernel->cta_count;
    if (loop->schedule == TMA_TILES_DYNAMIC)
        return true;
    set_tile(cursor, place, frame);
    return false;
}

static void begin_for(struct tma_program_cursor *cursor, struct tma_program_place *place,
                      uint32_t index) {
    const struct tma_statement *loop = statement_at(cursor, index);
    int64_t from, to, step = 1;
    if (!evaluate(cursor, place, &loop->from, &from) || !evaluate(cursor, place, &loop->to, &to) ||
        !evaluate(cursor, place, &loop->step, &step))
        return;
    if (step < 1) {
        fail(cursor, tma_fail(&cursor->error, TMA_ERROR_ARGUMENT,
                              "the loop over %s never ends: its step is %lld; allowed: 1 or more",
                              cursor->kernel->variables[loop->variable], (long long)step));
        return;
    }
    if (from >= to) {
        place->next = loop->end;
        return;
    }
    struct tma_program_frame *frame = push(place, index, loop->end);
    *frame = (struct tma_program_frame){
        .statement = index, .end = loop->end, .value = from, .limit = to, .step = step};
    place->variables[loop->variable] = from;
    if (place == &cursor->main && loop->ahead > 0)
        start_ahead(cursor, index);
}

static void begin_if(struct tma_program_cursor *cursor, struct tma_program_place *place,
                     uint32_t index) {
    const struct tma_statement *branch = statement_at(cursor, index);
    int64_t condition;
    if (!evaluate(cursor, place, &branch->condition, &condition))
        return;
    uint32_t otherwise = branch->otherwise > index ? branch->otherwise : branch->end;
    if (condition != 0) {
        push(place, index, otherwise);
    } else if (otherwise < branch->end) {
        push(place, index, branch->end);
        place->next = otherwise;
    } else {
        place->next = branch->end;
    }
}

/* How far the loop of a frame goes on to its next iteration: by one step, or over the cut. */
static int64_t stride_of(struct tma_program_cursor *cursor, const struct tma_program_place *place,
                         const struct tma_program_frame *frame) {
    struct tma_loop_cut *cut = cursor->cut;
    const struct tma_loop_gap *gap = cursor->gap;
    uint64_t by = 0;
    int64_t stride;
    if (cut == NULL)
        return frame->step;
    if (cut->loops[cursor->role] == frame->statement) {
        if (place == &cursor->main)
            cut->passes += cursor->role == cut->counted;
        by = gap != NULL && frame->index == gap->after + 1 ? gap->by : 0;
    }
    if (by == 0)
        return frame->step;
    return __builtin_mul_overflow(frame->step, (int64_t)by + 1, &stride) ? INT64_MAX : stride;
}

/* The innermost body has ended: its next iteration, or what follows it. True if the caller has to
 * give the next tile. */
static bool end_body(struct tma_program_cursor *cursor, struct tma_program_place *place) {
    struct tma_program_frame *frame = &place->frames[place->depth - 1];
    const struct tma_statement *owner = statement_at(cursor, frame->statement);
    int64_t next;
    switch (owner->kind) {
    case TMA_STATEMENT_FOR:
        frame->index++;
        if (__builtin_add_overflow(frame->value, stride_of(cursor, place, frame), &next) ||
            next >= frame->limit) {
            pop(cursor, place);
            return false;
        }
        frame->value = next;
        place->variables[owner->variable] = next;
        place->next = frame->statement + 1;
        return false;
    case TMA_STATEMENT_TILES:
        frame->index++;
        if (owner->schedule == TMA_TILES_DYNAMIC) {
            stride_of(cursor, place, frame);
            return true;
        }
        if (__builtin_add_overflow(frame->value, stride_of(cursor, place, frame), &next))
            next = frame->limit;
        frame->value = owner->schedule == TMA_TILES_ONE ? frame->limit : next;
        set_tile(cursor, place, frame);
        return false;
    case TMA_STATEMENT_IF:
    case TMA_STATEMENT_AHEAD:
    case TMA_STATEMENT_ACQUIRE: /* from here on: no body */
    case TMA_STATEMENT_OPERATION:
    TMA_PLAIN_STATEMENTS:
    case TMA_STATEMENT_EXCHANGE:
    case TMA_STATEMENT_EXIT:
    case TMA_STATEMENT_KIND_COUNT:
        break;
    }
    pop(cursor, place);
    return false;
}

/* Whether the AHEAD parts have something to do before the rest goes on. */
static bool owes_part(const struct tma_program_cursor *cursor) {
    return cursor->ahead_loop != UINT32_MAX && cursor->ahead_owed > 0 && !cursor->ahead_ended;
}

static enum tma_cursor_state want_tile(struct tma_program_cursor *cursor,
                                       const struct tma_program_place *place) {
    const struct tma_program_frame *frame = &place->frames[place->depth - 1];
    cursor->statement = statement_at(cursor, frame->statement);
    cursor->tile_index = frame->index;
    return TMA_CURSOR_TILE;
}

void tma_cursor_give_tile(struct tma_program_cursor *cursor, uint64_t tile) {
    struct tma_program_place *place = tma_cursor_place(cursor);
    struct tma_program_frame *frame = &place->frames[place->depth - 1];
    frame->value = tile < (uint64_t)frame->limit ? (int64_t)tile : frame->limit;
    set_tile(cursor, place, frame);
}

/* Whether the place `ahead` is inside an AHEAD part. */
static bool in_part(const struct tma_program_cursor *cursor) {
    for (uint32_t d = cursor->ahead.depth; d > 0; d--)
        if (statement_at(cursor, cursor->ahead.frames[d - 1].statement)->kind ==
            TMA_STATEMENT_AHEAD)
            return true;
    return false;
}

/* Enters or takes the next statement of a place. True if the caller gets *state. */
static bool enter(struct tma_program_cursor *cursor, struct tma_program_place *place,
                  uint32_t index, enum tma_cursor_state *state) {
    const struct tma_statement *statement = statement_at(cursor, index);
    switch (statement->kind) {
    case TMA_STATEMENT_FOR:
        begin_for(cursor, place, index);
        return false;
    case TMA_STATEMENT_TILES:
        if (!begin_tiles(cursor, place, index))
            return false;
        *state = want_tile(cursor, place);
        return true;
    case TMA_STATEMENT_IF:
        begin_if(cursor, place, index);
        return false;
    case TMA_STATEMENT_EXIT:
        *state = TMA_CURSOR_END;
        return true;
    case TMA_STATEMENT_AHEAD:
    case TMA_STATEMENT_ACQUIRE:
    case TMA_STATEMENT_OPERATION:
    TMA_PLAIN_STATEMENTS:
    case TMA_STATEMENT_EXCHANGE:
    case TMA_STATEMENT_KIND_COUNT:
        break;
    }
    place->next = index + 1;
    cursor->statement = statement;
    *state = TMA_CURSOR_STATEMENT;
    return true;
}

/* One step in a place. True if the caller gets *state. */
static bool take_step(struct tma_program_cursor *cursor, struct tma_program_place *place,
                      enum tma_cursor_state *state) {
    bool ahead = place == &cursor->ahead;
    uint32_t index = place->next;
    if (place->depth > 0 && index >= place->frames[place->depth - 1].end) {
        const struct tma_program_frame *frame = &place->frames[place->depth - 1];
        if (ahead && statement_at(cursor, frame->statement)->kind == TMA_STATEMENT_AHEAD) {
            /* The part has ended: the rest goes on, unless further parts are owed. */
            pop(cursor, place);
            cursor->in_part = false;
            cursor->ahead_owed--;
            return false;
        }
        if (!end_body(cursor, place))
            return false;
        *state = want_tile(cursor, place);
        return true;
    }
    if (place->depth == 0 && index >= cursor->kernel->roles[cursor->role].end) {
        *state = TMA_CURSOR_END;
        return true;
    }
    const struct tma_statement *statement = statement_at(cursor, index);
    if (ahead && !in_part(cursor)) {
        if (statement->kind == TMA_STATEMENT_AHEAD)
            push(place, index, statement->end);
        else if (statement->kind == TMA_STATEMENT_EXIT)
            cursor->ahead_ended = true;
        else if (statement->end == index + 1 || parts_of(cursor, index) == 0)
            place->next = statement->end;
        else
            return enter(cursor, place, index, state);
        return false;
    }
    if (statement->kind == TMA_STATEMENT_AHEAD) {
        /* With no loop that is ahead, its statements are like any others. */
        bool inline_part = cursor->ahead_loop == UINT32_MAX;
        place->next = inline_part ? index + 1 : statement->end;
        cursor->ahead_owed += !inline_part;
        return false;
    }
    return enter(cursor, place, index, state);
}

enum tma_cursor_state tma_cursor_next(struct tma_program_cursor *cursor) {
    enum tma_cursor_state state = TMA_CURSOR_END;
    for (;;) {
        if (cursor->code != TMA_OK)
            return TMA_CURSOR_FAILED;
        cursor->steps++;
        cursor->in_part = owes_part(cursor);
        if (take_step(cursor, tma_cursor_place(cursor), &state))
            return cursor->code == TMA_OK ? state : TMA_CURSOR_FAILED;
    }
}

enum tma_cursor_state tma_cursor_next_statement(struct tma_program_cursor *cursor) {
    enum tma_cursor_state state;
    while ((state = tma_cursor_next(cursor)) == TMA_CURSOR_TILE)
        tma_cursor_give_tile(cursor, (uint64_t)cursor->main.variables[TMA_VARIABLE_CTA] +
                                         cursor->tile_index * cursor->kernel->cta_count);
    return state;
}

struct tma_loop_values tma_cursor_loops(const struct tma_program_cursor *cursor) {
    const struct tma_program_place *place = cursor->in_part ? &cursor->ahead : &cursor->main;
    struct tma_loop_values loops = {0};
    for (uint32_t d = place->depth; d-- > 0 && loops.count < TMA_SPAN_VARIABLES;) {
        const struct tma_statement *loop = &cursor->kernel->statements[place->frames[d].statement];
        if (loop->kind != TMA_STATEMENT_FOR && loop->kind != TMA_STATEMENT_TILES)
            continue;
        loops.variables[loops.count] = (uint8_t)loop->variable;
        loops.values[loops.count++] = place->variables[loop->variable];
    }
    return loops;
}
