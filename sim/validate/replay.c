#include "validate/replay.h"

#include <string.h>

#include "base/allocation.h"
#include "cli/files/config_files.h"
#include "cli/files/temporary.h"
#include "cli/messages.h"
#include "cli/progress.h"
#include "cli/tasks.h"
#include "workers/pool.h"

enum { PIECE_ROWS = 128 }; /* of kinds whose records take no time worth telling */

/* Records of a file, replayed with one seed: the work of a task. */
struct piece {
    uint32_t file;
    uint32_t draw; /* 0: the seed of the machine */
    uint32_t row, rows;
};

/* One file, with one seed. */
struct unit {
    struct tma_record_outcome *outcomes; /* owned; NULL before the first and after the last */
    bool *replayed;                      /* owned; by row */
    size_t left;                         /* pieces that are not there */
};

struct pieces {
    struct piece *items; /* owned */
    struct tma_task *tasks;
    size_t count, capacity;
};

struct replay_state {
    const struct cli_replay *replay;
    struct cli_replay_result *result;
    struct tma_record_file *files; /* owned */
    size_t file_count, opened;
    struct unit *units; /* owned; by file, then by draw */
    struct pieces pieces;
    struct pieces again; /* the records of pieces whose worker died, one by one */
    struct cli_progress progress;
    struct cli_config_path library;
    const char *kernels; /* folder of the library, or NULL */
    bool out_of_memory;
};

/* In a worker: replays the records of a piece. */
static void work(void *context, size_t number, const void *bytes, size_t size,
                 struct tma_reply *reply) {
    const struct replay_state *state = context;
    struct tma_machine machine = *state->replay->machine;
    struct piece piece;
    (void)number;
    memcpy(&piece, bytes, size);
    if (piece.draw > 0)
        machine.topology.seed = piece.draw;
    for (uint32_t row = piece.row; row < piece.row + piece.rows; row++) {
        struct tma_record_outcome outcome;
        tma_record_replay(&state->files[piece.file], &machine, row, &outcome);
        tma_reply_append(reply, &outcome, sizeof outcome);
        if (outcome.simulated_cycles > 0)
            tma_reply_note(reply, &outcome.simulated_cycles, sizeof outcome.simulated_cycles);
    }
}

static struct unit *unit_of(const struct replay_state *state, const struct piece *piece) {
    return &state->units[piece->file * (state->replay->draws + 1) + piece->draw];
}

/* Makes room for the outcomes of a unit when its first one comes. */
static bool begin_unit(struct unit *unit, size_t rows) {
    if (unit->outcomes != NULL)
        return true;
    unit->outcomes = tma_allocate(rows, sizeof *unit->outcomes);
    unit->replayed = tma_allocate(rows, sizeof *unit->replayed);
    return unit->outcomes != NULL && unit->replayed != NULL;
}

static void free_unit(struct unit *unit) {
    TMA_RELEASE(unit->outcomes, unit->replayed);
    unit->outcomes = NULL;
    unit->replayed = NULL;
}

/* Adds up the outcomes of a unit that are there. */
static bool sum_up(struct replay_state *state, uint32_t file, uint32_t draw) {
    const struct tma_record_file *records = &state->files[file];
    struct unit *unit = unit_of(state, &(struct piece){.file = file, .draw = draw});
    struct tma_validation validation;
    if (!tma_validation_begin(records, &validation))
        return false;
    for (size_t row = 0; row < records->records.rows && unit->outcomes != NULL; row++)
        if (unit->replayed[row])
            tma_validation_add(records, row, &unit->outcomes[row], &validation);
    free_unit(unit);
    bool good = tma_validation_finish(&validation);
    if (draw == 0) {
        state->result->validations[file] = validation;
        return good;
    }
    good = good && cli_draws_add(&state->result->draws[file], &validation);
    tma_validation_free(&validation);
    return good;
}

static bool add_piece(struct pieces *pieces, struct piece piece, uint64_t cost) {
    if (pieces->count == pieces->capacity) {
        size_t capacity = 2 * pieces->capacity + 64;
        struct piece *items = tma_resize(pieces->items, capacity, sizeof *items);
        if (items == NULL)
            return false;
        pieces->items = items;
        struct tma_task *tasks = tma_resize(pieces->tasks, capacity, sizeof *tasks);
        if (tasks == NULL)
            return false;
        pieces->tasks = tasks;
        pieces->capacity = capacity;
    }
    pieces->items[pieces->count] = piece;
    pieces->tasks[pieces->count++] = (struct tma_task){.size = sizeof piece, .cost = cost};
    return true;
}

/* A record without an outcome. */
static void report_failure(struct replay_state *state, const struct piece *piece,
                           const char *reason) {
    const struct cli_options *options = state->replay->options;
    cli_progress_clear(&state->progress);
    cli_error("%s: %s: %s", options->operands.items[piece->file],
              tma_record_name(&state->files[piece->file], piece->row).text, reason);
    state->result->failed = true;
}

/* Takes the outcomes of a piece, whose unit has room for them. */
static void take_outcomes(struct replay_state *state, const struct piece *piece,
                          const struct tma_record_outcome *outcomes) {
    struct unit *unit = unit_of(state, piece);
    for (uint32_t i = 0; i < piece->rows; i++) {
        uint32_t row = piece->row + i;
        if (outcomes[i].out_of_memory) {
            report_failure(state, &(struct piece){piece->file, piece->draw, row, 1},
                           "out of memory");
            continue;
        }
        unit->outcomes[row] = outcomes[i];
        unit->replayed[row] = true;
        state->result->replayed++;
    }
}

/* Without its records, which may be replayed one by one, a piece has failed. */
static void take_failure(struct replay_state *state, const struct piece *piece,
                         const char *reason) {
    if (piece->rows == 1) {
        report_failure(state, piece, reason);
        return;
    }
    unit_of(state, piece)->left += piece->rows;
    for (uint32_t i = 0; i < piece->rows; i++)
        state->out_of_memory |= !add_piece(
            &state->again, (struct piece){piece->file, piece->draw, piece->row + i, 1}, 1);
}

static bool take_piece(struct replay_state *state, const struct piece *piece,
                       const struct tma_task_outcome *outcome) {
    struct unit *unit = unit_of(state, piece);
    size_t rows = state->files[piece->file].records.rows;
    if (!begin_unit(unit, rows))
        state->out_of_memory = true;
    else if (outcome->failure != NULL)
        take_failure(state, piece, outcome->failure);
    else
        take_outcomes(state, piece, outcome->bytes);
    if (--unit->left == 0 && !state->out_of_memory)
        state->out_of_memory = !sum_up(state, piece->file, piece->draw);
    return !state->out_of_memory;
}

static bool take(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct replay_state *state = context;
    return take_piece(state, &state->pieces.items[number], outcome);
}

static bool take_again(void *context, size_t number, const struct tma_task_outcome *outcome) {
    struct replay_state *state = context;
    return take_piece(state, &state->again.items[number], outcome);
}

static void note(void *context, size_t number, const void *bytes, size_t size) {
    struct replay_state *state = context;
    (void)number;
    cli_progress_note(&state->progress, bytes, size);
}

static bool idle(void *context, size_t done, uint64_t done_cost) {
    struct replay_state *state = context;
    return cli_progress_look(&state->progress, done, done_cost);
}

/* Cuts the records of a file into pieces: one record each where replays simulate. */
static bool cut_file(struct replay_state *state, uint32_t file, uint32_t draw) {
    const struct tma_record_file *records = &state->files[file];
    struct piece piece = {.file = file, .draw = draw};
    struct unit *unit = unit_of(state, &piece);
    bool simulates = records->kind != NULL && records->kind->cost != NULL;
    size_t rows = records->kind == NULL ? 0 : records->records.rows, step;
    for (size_t row = 0; row < rows; row += step) {
        size_t left = rows - row;
        step = simulates ? 1 : left < PIECE_ROWS ? left : PIECE_ROWS;
        piece.row = (uint32_t)row;
        piece.rows = (uint32_t)step;
        uint64_t cost = tma_record_cost(records, state->replay->machine, row) + 1;
        if (!add_piece(&state->pieces, piece, cost))
            return false;
        state->progress.total_work += cost;
        unit->left++;
    }
    state->result->total += rows;
    return rows > 0 || sum_up(state, file, draw);
}

static bool open_files(struct replay_state *state) {
    const struct cli_options *options = state->replay->options;
    struct tma_error error;
    for (; state->opened < state->file_count; state->opened++) {
        if (tma_records_open(options->operands.items[state->opened], &state->files[state->opened],
                             &error) != TMA_OK)
            return cli_error("%s", error.text);
        struct tma_record_file *file = &state->files[state->opened];
        file->records.kernels = state->kernels;
        file->records.exact = state->replay->exact;
        file->records.traffic = state->replay->traffic;
    }
    for (uint32_t file = 0; file < state->file_count; file++)
        if (tma_records_require(&state->files[file], &error) != TMA_OK)
            return cli_error("%s: %s", cli_file_name(options->operands.items[file]), error.text);
    for (uint32_t file = 0; file < state->file_count; file++)
        for (uint32_t draw = 0; draw <= state->replay->draws; draw++)
            if (!cut_file(state, file, draw))
                state->out_of_memory = true;
    return true;
}

static bool run_pieces(struct replay_state *state, struct tma_workers *workers,
                       struct pieces *pieces,
                       bool (*take_one)(void *, size_t, const struct tma_task_outcome *)) {
    struct tma_batch batch = {.tasks = pieces->tasks,
                              .count = pieces->count,
                              .context = state,
                              .take = take_one,
                              .note = note,
                              .idle = idle};
    struct tma_error error;
    for (size_t i = 0; i < pieces->count; i++)
        pieces->tasks[i].bytes = &pieces->items[i];
    if (tma_workers_run(workers, &batch, &error) == TMA_OK)
        return true;
    cli_progress_clear(&state->progress);
    return cli_error("%s", error.text);
}

/* After an interrupt, units lack some or all outcomes. */
static void sum_up_rest(struct replay_state *state) {
    for (uint32_t file = 0; file < state->file_count; file++)
        for (uint32_t draw = 0; draw <= state->replay->draws; draw++)
            if (unit_of(state, &(struct piece){.file = file, .draw = draw})->left > 0)
                state->out_of_memory |= (draw == 0 || state->units[file].outcomes != NULL) &&
                                        !sum_up(state, file, draw);
}

static bool replay_files(struct replay_state *state) {
    const struct cli_options *options = state->replay->options;
    struct tma_worker_code code = {.work = work, .context = state};
    struct tma_workers *workers = tma_workers_create(cli_jobs(options), &code);
    if (workers == NULL)
        return cli_error("out of memory");
    cli_progress_begin(&state->progress, options->quiet);
    state->progress.unit = state->pieces.count == state->result->total ? "records" : "parts";
    state->progress.total = state->pieces.count;
    bool good = run_pieces(state, workers, &state->pieces, take);
    if (good && state->again.count > 0 && !cli_interrupted())
        good = run_pieces(state, workers, &state->again, take_again);
    tma_workers_free(workers);
    cli_progress_clear(&state->progress);
    if (good && cli_interrupted())
        sum_up_rest(state);
    for (uint32_t file = 0; good && file < state->file_count; file++)
        state->out_of_memory |=
            !cli_draws_finish(&state->result->draws[file], &state->result->validations[file]);
    return good;
}

static void free_state(struct replay_state *state) {
    for (size_t i = 0; i < state->opened; i++)
        tma_records_close(&state->files[i]);
    for (size_t i = 0; state->units != NULL && i < state->file_count * (state->replay->draws + 1);
         i++)
        free_unit(&state->units[i]);
    TMA_RELEASE(state->files, state->units, state->pieces.items, state->pieces.tasks,
                state->again.items, state->again.tasks);
}

bool cli_replay(const struct cli_replay *replay, struct cli_replay_result *result) {
    struct replay_state state = {.replay = replay, .result = result};
    cli_interrupts_hold(true);
    state.file_count = replay->options->operands.count;
    state.kernels = cli_config_find("kernels", &state.library) ? state.library.text : NULL;
    state.files = tma_allocate(state.file_count, sizeof *state.files);
    state.units = tma_allocate(state.file_count * ((size_t)replay->draws + 1), sizeof *state.units);
    bool good = true;
    if (state.files == NULL || state.units == NULL)
        state.out_of_memory = true;
    else
        good = open_files(&state) && (state.out_of_memory || replay_files(&state));
    free_state(&state);
    if (good && state.out_of_memory)
        cli_error("out of memory");
    return good && !state.out_of_memory;
}
