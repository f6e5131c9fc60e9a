#include "records/timing_record.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "engine/workload.h"
#include "placement/operation_check.h"
#include "tensormap/legal.h"
#include "tensormap/types.h"

/* Address of the tensor. Records do not state one, and none depends on it. */
static const uint64_t tensor_address = UINT64_C(0x7f0000000000);

enum { MAX_VALUE = 256, MOST_TILES = 1 << 30 };

/* Reads the words of one record, and remembers the first one that is out of range. */
struct words_reader {
    const char *words;
    struct tma_error *error;
    enum tma_error_code code;
};

static void refuse(struct words_reader *reader, const char *key, const char *text, int64_t least,
                   int64_t most) {
    if (reader->code == TMA_OK)
        reader->code =
            tma_fail(reader->error, TMA_ERROR_SYNTAX,
                     "%s=%s in the scenario column; expected integers from %" PRId64 " to %" PRId64,
                     key, text, least, most);
}

/* Reads the integers of a word, each from `least` to `most`. Values that the word lacks are
 * `fallback`. */
static void read_list(struct words_reader *reader, const char *key, int64_t *values, size_t count,
                      int64_t least, int64_t most, int64_t fallback) {
    char text[MAX_VALUE];
    for (size_t i = 0; i < count; i++)
        values[i] = fallback;
    if (!tma_find_key_value(reader->words, key, text, sizeof text))
        return;
    int64_t given[TMA_MAX_RANK];
    size_t found = tma_parse_list(text, given, count), commas = 0;
    for (const char *at = text; *at != '\0'; at++)
        commas += *at == ',';
    bool good = found > 0 && (found == commas + 1 || found == count);
    for (size_t i = 0; i < found; i++) {
        values[i] = given[i];
        good = good && given[i] >= least && given[i] <= most;
    }
    if (!good)
        refuse(reader, key, text, least, most);
}

/* Reads the integer of a word, which the record must have unless `fallback` is in range. */
static int64_t read_number(struct words_reader *reader, const char *key, int64_t least,
                           int64_t most, int64_t fallback) {
    int64_t value;
    read_list(reader, key, &value, 1, least, most, fallback);
    if (value < least || value > most)
        refuse(reader, key, "(none)", least, most);
    return value;
}

static int read_choice(struct words_reader *reader, const char *key, int last) {
    return (int)read_number(reader, key, 0, last, 0);
}

static void read_unsigned(struct words_reader *reader, const char *key, uint32_t *to, size_t count,
                          uint32_t least, uint32_t fallback) {
    int64_t values[TMA_MAX_RANK];
    read_list(reader, key, values, count, least, MOST_TILES, fallback);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint32_t)values[i];
}

static void read_signed(struct words_reader *reader, const char *key, int32_t *to, size_t count) {
    int64_t values[TMA_MAX_RANK];
    read_list(reader, key, values, count, INT32_MIN, INT32_MAX, 0);
    for (size_t i = 0; i < count; i++)
        to[i] = (int32_t)values[i];
}

static void read_large(struct words_reader *reader, const char *key, uint64_t *to, size_t count,
                       int64_t least, int64_t fallback) {
    int64_t values[TMA_MAX_RANK];
    read_list(reader, key, values, count, least, INT64_C(1) << 40, fallback);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint64_t)values[i];
}

static void read_map(struct words_reader *reader, struct tma_tensor_map *map) {
    bool tiled = read_choice(reader, "mode", 1) == 0;
    *map = (struct tma_tensor_map){
        .kind = tiled ? TMA_MAP_TILED : TMA_MAP_IM2COL,
        .data_type =
            (enum tma_data_type)read_choice(reader, "dtype", (int)tma_data_type_names.count - 1),
        .rank = (uint32_t)read_number(reader, "rank", 1, TMA_MAX_RANK, 0),
        .global_address = tensor_address,
        .channels_per_pixel = (uint32_t)read_number(reader, "cpp", 0, UINT32_MAX, 0),
        .pixels_per_column = (uint32_t)read_number(reader, "ppc", 0, UINT32_MAX, 0),
        .interleave = (enum tma_interleave)read_choice(reader, "interleave",
                                                       (int)tma_interleave_names.count - 1),
        .swizzle =
            (enum tma_swizzle)read_choice(reader, "swizzle", (int)tma_swizzle_names.count - 1),
        .l2_promotion =
            (enum tma_l2_promotion)read_choice(reader, "l2", (int)tma_l2_promotion_names.count - 1),
    };
    read_large(reader, "dim", map->global_dim, TMA_MAX_RANK, 1, 1);
    read_large(reader, "stride", map->global_strides, TMA_MAX_RANK - 1, 0, 0);
    read_unsigned(reader, "box", map->box_dim, TMA_MAX_RANK, 1, 1);
    read_unsigned(reader, "estride", map->element_strides, TMA_MAX_RANK, 1, 1);
    read_signed(reader, "lower", map->lower_corner, 3);
    read_signed(reader, "upper", map->upper_corner, 3);
}

static void read_operation(struct words_reader *reader, struct tma_stage_operation *stage) {
    bool tiled = read_choice(reader, "mode", 1) == 0;
    int64_t offsets[3];
    *stage = (struct tma_stage_operation){
        .operation = {.direction = (enum tma_direction)read_choice(reader, "op", TMA_PREFETCH),
                      .access = tiled ? TMA_ACCESS_TILE : TMA_ACCESS_IM2COL,
                      .reduction = TMA_REDUCE_ADD},
        .walk = {.order = (enum tma_walk_order)read_choice(reader, "order", TMA_WALK_FIXED)},
    };
    read_list(reader, "off", offsets, 3, 0, UINT16_MAX, 0);
    for (int i = 0; i < 3; i++)
        stage->operation.im2col_offsets[i] = (uint16_t)offsets[i];
    read_signed(reader, "start", stage->walk.start, TMA_MAX_RANK);
    read_unsigned(reader, "nt", stage->walk.tiles, TMA_MAX_RANK, 1, 1);
    read_signed(reader, "step", stage->walk.step, TMA_MAX_RANK);
}

/* No record of a GPU launches so many operations that they would take minutes to simulate. */
static void check_operations(struct words_reader *reader, const struct tma_workload *workload) {
    uint64_t operations = (uint64_t)workload->cta_count * workload->iterations;
    if (reader->code == TMA_OK && operations > TMA_LIMIT_RECORD_OPERATIONS)
        reader->code = tma_fail(
            reader->error, TMA_ERROR_SYNTAX,
            "grid=%u and iters=%u in the scenario column are %" PRIu64 " operations; allowed: %d",
            workload->cta_count, workload->iterations, operations, TMA_LIMIT_RECORD_OPERATIONS);
}

/* What the instructions of scripts/capture/operations.cuh take in the loop of a slot.
 *
 * A slot of the capture program reads the coordinates of its next operation from shared memory, and
 * moves each into a register of the TMA instruction, so each dimension takes time. All figures are
 * those of kernels of one SM that an H200 ran (loops.tsv): cycles from an operation to the slot's
 * next one, less those of the program behind timing.tsv with the same operation. */
/* With one slot, CTA 0 writes the clocks of each operation to its log. */
enum { LOG_CYCLES = 7 };

enum loop { LOAD, LOAD_IM2COL, STORE, REDUCE, LOOPS };

/* By the rank of the tensor map, with one slot, and with several: the program then waits for stores
 * with another instruction. */
static const int32_t more_cycles[LOOPS][2][TMA_MAX_RANK] = {
    [LOAD] = {{-8, 0, 8, 15, 22}, {-8, 0, 8, 15, 22}},
    [LOAD_IM2COL] = {{0, 0, 11, 16, 51}, {0, 0, 11, 16, 51}},
    [STORE] = {{-47, -34, -20, -5, 9}, {-42, -27, -11, 6, 22}},
    [REDUCE] = {{-41, -36, -30, -23, -16}, {-35, -28, -20, -9, -3}},
};

static enum loop loop_of(const struct tma_operation *operation) {
    if (operation->direction == TMA_STORE)
        return STORE;
    if (operation->direction == TMA_REDUCE)
        return REDUCE;
    return operation->access == TMA_ACCESS_IM2COL ? LOAD_IM2COL : LOAD;
}

/* The loop code of a workload of one operation, as the program `capture` executes it. */
static struct tma_loop_code capture_loop_code(const struct tma_workload *workload) {
    const struct tma_operation *operation = &workload->operations[0].operation;
    uint32_t rank = workload->maps[0].rank;
    if (operation->direction == TMA_PREFETCH || rank == 0)
        return (struct tma_loop_code){0};
    bool several = workload->depth > 1;
    return (struct tma_loop_code){
        .more_cycles = more_cycles[loop_of(operation)][several][rank - 1],
        .cta0_cycles = several ? 0 : LOG_CYCLES,
    };
}

/* The program that ran the kernel. Records without this column are of the one whose instructions
 * the turnarounds of the machine describe. */
static void read_program(struct words_reader *reader, const char *program,
                         struct tma_workload *workload) {
    if (strcmp(program, "capture") == 0)
        workload->loop_code = capture_loop_code(workload);
    else if (*program != '\0' && reader->code == TMA_OK)
        reader->code = tma_fail(reader->error, TMA_ERROR_SYNTAX,
                                "\"%s\" in the program column; allowed: capture", program);
}

/* The engine takes the rules of a tensor map and of an operation as given. */
static void check_rules(struct words_reader *reader, const struct tma_workload *workload) {
    if (reader->code == TMA_OK)
        reader->code = tma_tensor_map_require_legal(&workload->maps[0], reader->error);
    if (reader->code == TMA_OK)
        reader->code = tma_operation_check(&workload->maps[0], &workload->operations[0].operation,
                                           reader->error);
}

enum tma_error_code tma_timing_record_read(const struct tma_tsv *records, size_t row,
                                           const struct tma_machine *machine,
                                           struct tma_workload *workload, struct tma_error *error) {
    struct words_reader reader = {tma_tsv_cell(records, row, "scenario"), error, TMA_OK};
    *workload = (struct tma_workload){
        .map_count = 1,
        .cta_count = (uint32_t)read_number(&reader, "grid", 1, TMA_LIMIT_RECORD_CTAS, 0),
        .sm_count = machine->sm_count,
        .iterations = (uint32_t)read_number(&reader, "iters", 1, TMA_LIMIT_RECORD_OPERATIONS, 0),
        .depth = (uint32_t)read_number(&reader, "depth", 1, TMA_LIMIT_RECORD_DEPTH, 0),
        .stage_bytes = (uint32_t)read_number(&reader, "stage", 0, TMA_LIMIT_RECORD_WINDOW_BYTES, 0),
        .operation_count = 1,
        .cold = read_choice(&reader, "cold", 1) != 0,
    };
    read_map(&reader, &workload->maps[0]);
    read_operation(&reader, &workload->operations[0]);
    /* Only loads complete bytes on an mbarrier. */
    uint64_t expect_bytes =
        (uint64_t)read_number(&reader, "tx", 0, TMA_LIMIT_RECORD_WINDOW_BYTES, 0);
    if (workload->operations[0].operation.direction == TMA_LOAD)
        workload->expect_bytes = expect_bytes;
    read_program(&reader, tma_tsv_cell(records, row, "program"), workload);
    check_operations(&reader, workload);
    check_rules(&reader, workload);
    return reader.code;
}

uint64_t tma_timing_record_cost(const struct tma_machine *machine, const struct tma_tsv *records,
                                size_t row) {
    struct tma_workload workload;
    if (tma_timing_record_read(records, row, machine, &workload, NULL) != TMA_OK)
        return 0;
    const struct tma_tensor_map *map = &workload.maps[0];
    uint64_t rows = map->kind == TMA_MAP_TILED ? 1 : map->pixels_per_column;
    for (uint32_t i = 1; i < map->rank && map->kind == TMA_MAP_TILED; i++)
        rows *= map->box_dim[i];
    uint64_t operations = (uint64_t)workload.cta_count * workload.iterations;
    return operations * (rows + workload.stage_bytes / TMA_LINE_BYTES);
}

void tma_timing_record_compare(struct tma_record_outcome *outcome) {
    const double tolerance = 0.10;
    double error = outcome->predicted / outcome->measured - 1;
    outcome->verdict = fabs(error) <= tolerance ? TMA_RECORD_AGREES : TMA_RECORD_DIFFERS;
    if (outcome->verdict == TMA_RECORD_DIFFERS)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "measured %.0f cycles, model %.0f: %+.1f %%", outcome->measured,
                 outcome->predicted, 100 * error);
}
