/* Tiles in shared memory under each swizzle mode: where each chunk lies, and the worst access of
 * each consumer, lane by lane. A mode that the tensor map cannot have says why. */
#include <inttypes.h>

#include "base/numbers.h"
#include "engine/workload.h"
#include "report/explain.h"
#include "report/labels.h"
#include "report/page_data.h"
#include "tensormap/rules.h"

enum { MOST_TILES = 8, MOST_ROWS = 32, MOST_CHUNKS = 32, CHUNK_BYTES = 16 };

/* A tile that the page shows. */
struct shown_tile {
    const struct tma_tensor_map *map;
    const char *map_name;
    const char *direction;
    struct tma_tile tile;
    const struct tma_consumer *consumer; /* NULL: none reads it */
};

static uint32_t chunks_of(const struct tma_tile *tile) {
    return (tile->row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
}

/* The part of a tile that the page shows. */
struct part {
    uint32_t row, chunk; /* the first ones */
};

/* A part with the first lanes of an access, NULL: with the beginning of the tile. */
static struct part part_of(const struct tma_tile *tile, const struct tma_explanation *access) {
    uint32_t rows = tile->rows, chunks = chunks_of(tile);
    struct part part = {rows, chunks};
    for (uint32_t i = 0; access != NULL && i < access->lane_count; i++) {
        part.row = tma_least(part.row, access->lanes[i].row / 8 * 8);
        part.chunk = tma_least(part.chunk, access->lanes[i].byte / CHUNK_BYTES);
    }
    part.row = access == NULL || rows <= MOST_ROWS ? 0 : tma_least(part.row, rows - MOST_ROWS);
    part.chunk =
        access == NULL || chunks <= MOST_CHUNKS ? 0 : tma_least(part.chunk, chunks - MOST_CHUNKS);
    return part;
}

/* Writes the group of four banks of each chunk: a text of digits for each row. */
static void write_rows(const struct tma_tile *tile, struct part part, struct tma_json *json) {
    uint32_t rows = tma_least(tile->rows, MOST_ROWS),
             chunks = tma_least(chunks_of(tile), MOST_CHUNKS);
    tma_json_unsigned(json, "first_row", part.row);
    tma_json_unsigned(json, "first_chunk", part.chunk);
    tma_json_begin_list(json, "rows");
    for (uint32_t row = 0; row < rows; row++) {
        char text[MOST_CHUNKS + 1];
        for (uint32_t chunk = 0; chunk < chunks; chunk++) {
            uint32_t address =
                tma_tile_address(tile, part.row + row, (part.chunk + chunk) * CHUNK_BYTES);
            text[chunk] = (char)('0' + address / CHUNK_BYTES % 8);
        }
        text[chunks] = '\0';
        tma_json_string(json, NULL, text);
    }
    tma_json_end_array(json);
}

/* Writes seven numbers for each lane: itself, wavefront, row, byte, first and last bank, and 1 for
 * a lane of the worst conflict. */
static void write_lanes(const struct tma_explanation *explanation, struct tma_json *json) {
    tma_json_begin_list(json, "lanes");
    for (uint32_t i = 0; i < explanation->lane_count; i++) {
        const struct tma_explained_lane *lane = &explanation->lanes[i];
        bool worst = explanation->report.ways > 1 &&
                     lane->phase == explanation->report.worst_phase &&
                     (explanation->report.worst_lanes >> lane->lane & 1) != 0;
        const uint32_t numbers[] = {lane->lane,       lane->wavefront, lane->row, lane->byte,
                                    lane->first_bank, lane->last_bank, worst};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++)
            tma_json_unsigned(json, NULL, numbers[k]);
    }
    tma_json_end_array(json);
}

static void write_access(const struct shown_tile *shown, const struct tma_tile *tile,
                         struct tma_json *json) {
    struct tma_explanation explanation;
    struct tma_error error;
    if (tma_explain(shown->consumer, tile, TMA_EXPLAIN_WORST, &explanation, &error) != TMA_OK) {
        tma_json_string(json, "no_access", error.text);
        write_rows(tile, part_of(tile, NULL), json);
        return;
    }
    write_rows(tile, part_of(tile, &explanation), json);
    struct tma_consumer_report pass = tma_consumer_measure(shown->consumer, tile);
    TMA_JSON_COUNTS(json, &pass, wavefronts, ideal_wavefronts);
    tma_json_unsigned(json, "ways", pass.worst.ways);
    tma_json_unsigned(json, "instruction", explanation.index);
    tma_json_unsigned(json, "instructions", explanation.instructions);
    tma_json_unsigned(json, "instruction_wavefronts", explanation.report.wavefronts);
    tma_json_unsigned(json, "lane_bytes",
                      tma_shared_instruction_info(shown->consumer->instruction)->lane_bytes);
    write_lanes(&explanation, json);
}

static void write_mode(const struct tma_page_input *input, const struct shown_tile *shown,
                       const struct tma_name *mode, struct tma_json *json) {
    struct tma_violation violation;
    struct tma_tensor_map map = *shown->map;
    struct tma_tile tile = shown->tile;
    map.swizzle = tile.swizzle = (enum tma_swizzle)mode->value;
    size_t violations = tma_tensor_map_check(&map, input->machine->architecture, &violation, 1);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "name", mode->name);
    tma_json_bool(json, "current", mode->value == (int)shown->map->swizzle);
    if (violations > 0) {
        char reason[TMA_ERROR_TEXT_BYTES];
        tma_violation_text(&violation, reason, sizeof reason);
        tma_json_string(json, "illegal", reason);
    } else if (shown->consumer == NULL) {
        write_rows(&tile, part_of(&tile, NULL), json);
    } else {
        write_access(shown, &tile, json);
    }
    tma_json_end_object(json);
}

static void write_tile(const struct tma_page_input *input, const struct shown_tile *shown,
                       struct tma_json *json) {
    const struct tma_tile *tile = &shown->tile;
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "map", shown->map_name);
    tma_json_string(json, "direction", shown->direction);
    tma_json_string(json, "consumer",
                    shown->consumer == NULL ? "" : tma_consumer_label(shown->consumer).text);
    tma_json_unsigned(json, "tile_rows", tile->rows);
    TMA_JSON_COUNTS(json, tile, row_bytes, pitch_bytes);
    tma_json_unsigned(json, "address", tile->shared_address);
    tma_json_begin_array(json, "modes");
    for (size_t i = 0; i < tma_swizzle_names.count; i++)
        write_mode(input, shown, &tma_swizzle_names.items[i], json);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void add_tile(struct shown_tile *shown, enum tma_direction direction,
                     struct shown_tile *tiles, size_t *count) {
    static const char *const names[] = {
        [TMA_LOAD] = "load", [TMA_STORE] = "store", [TMA_REDUCE] = "reduction"};
    shown->direction = names[direction];
    if (*count < MOST_TILES)
        tiles[*count] = *shown;
    ++*count;
}

/* The tiles that consumers read, then those of other operations. Returns their number, of which the
 * first MOST_TILES are in `tiles`. */
static size_t tiles_of_workload(const struct tma_page_input *input, struct shown_tile *tiles) {
    const struct tma_workload *workload = input->workload;
    size_t count = 0;
    for (uint32_t i = 0; i < workload->consumer_count + workload->operation_count; i++) {
        const struct tma_consumer *consumer =
            i < workload->consumer_count ? &workload->consumers[i] : NULL;
        uint32_t index = consumer != NULL ? consumer->operation : i - workload->consumer_count;
        const struct tma_stage_operation *operation = &workload->operations[index];
        bool read = operation->operation.direction == TMA_PREFETCH;
        for (uint32_t c = 0; consumer == NULL && c < workload->consumer_count; c++)
            read = read || workload->consumers[c].operation == index;
        struct shown_tile shown = {.map = &workload->maps[operation->map],
                                   .map_name = input->map_names[operation->map],
                                   .consumer = consumer};
        if (read || tma_workload_tile(workload, 0, index, &shown.tile, NULL) != TMA_OK)
            continue;
        add_tile(&shown, operation->operation.direction, tiles, &count);
    }
    return count;
}

/* Whether a statement before this one has the same tile. */
static bool is_repeated(const struct tma_kernel *kernel, uint32_t index) {
    const struct tma_statement *statement = &kernel->statements[index];
    for (uint32_t i = 0; i < index; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_OPERATION &&
            kernel->statements[i].map == statement->map &&
            kernel->statements[i].operation.direction == statement->operation.direction)
            return true;
    return false;
}

static bool is_consumed(const struct tma_kernel *kernel, uint32_t index) {
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_COMPUTE &&
            kernel->statements[i].work == TMA_WORK_CONSUMER &&
            kernel->statements[i].consumer.operation == index)
            return true;
    return false;
}

static size_t tiles_of_kernel(const struct tma_page_input *input, struct shown_tile *tiles) {
    const struct tma_kernel *kernel = input->kernel;
    size_t count = 0;
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        const struct tma_statement *statement = &kernel->statements[i];
        bool consumes =
            statement->kind == TMA_STATEMENT_COMPUTE && statement->work == TMA_WORK_CONSUMER;
        bool shows = statement->kind == TMA_STATEMENT_OPERATION &&
                     statement->operation.direction != TMA_PREFETCH && !is_consumed(kernel, i) &&
                     !is_repeated(kernel, i);
        if (!consumes && !shows)
            continue;
        const struct tma_statement *operation =
            consumes ? &kernel->statements[statement->consumer.operation] : statement;
        struct shown_tile shown = {.map = &kernel->maps[operation->map],
                                   .map_name = input->map_names[operation->map],
                                   .consumer = consumes ? &statement->consumer : NULL};
        if (tma_statement_tile(kernel, operation, 0, &shown.tile, NULL) != TMA_OK)
            continue;
        add_tile(&shown, operation->operation.direction, tiles, &count);
    }
    return count;
}

void tma_page_write_tiles(const struct tma_page_input *input, struct tma_json *json) {
    struct shown_tile tiles[MOST_TILES];
    size_t count =
        input->kernel == NULL ? tiles_of_workload(input, tiles) : tiles_of_kernel(input, tiles);
    tma_json_unsigned(json, "tile_count", count);
    tma_json_begin_array(json, "tiles");
    for (size_t i = 0; i < count && i < MOST_TILES; i++)
        write_tile(input, &tiles[i], json);
    tma_json_end_array(json);
}
