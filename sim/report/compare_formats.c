#include <inttypes.h>

#include "base/numbers.h"
#include "report/decimal.h"
#include "report/escape.h"
#include "report/findings_formats.h"
#include "report/format_table.h"
#include "report/json_writer.h"
#include "report/labels.h"
#include "report/svg.h"
#include "report/swizzle_comparison.h"

static void write_modes(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fprintf(out, "%-22s %10s %12s %12s %12s %5s %5s %14s\n", "swizzle", "cycles", "ideal",
            "wavefronts", "excess", "ways", "banks", "bytes/cycle/SM");
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal)
            continue;
        fprintf(out,
                "%-22s %10" PRIu64 " %12" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5" PRIu32
                " %5" PRIu32 " %14s\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle), mode->cycles,
                mode->ideal_wavefronts, mode->wavefronts, mode->wavefronts - mode->ideal_wavefronts,
                mode->ways, tma_count_bits(mode->banks_used),
                tma_decimal(mode->bytes_per_cycle_per_sm, 2).text);
    }
}

static void write_draws(const struct tma_swizzle_comparison *comparison, FILE *out) {
    bool heading = false;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (!mode->legal || mode->draws.count == 0)
            continue;
        if (!heading)
            fprintf(out, "\ncycles of %" PRIu32 " launches %9s %12s %12s\n", mode->draws.count,
                    "least", "median", "most");
        heading = true;
        fprintf(out, "  %-21s %9" PRIu64 " %12" PRIu64 " %12" PRIu64 "\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle), mode->draws.least,
                mode->draws.median, mode->draws.most);
    }
}

static void write_layout(const struct tma_compared_layout *layout, FILE *out) {
    const struct tma_consumer_report *pass = layout->pass;
    fprintf(out, "  %-21s %22" PRIu64 " %12" PRIu64 " %12" PRIu64 " %5" PRIu32 " %5" PRIu32,
            layout->name, pass->ideal_wavefronts, pass->wavefronts,
            pass->wavefronts - pass->ideal_wavefronts, pass->worst.ways,
            tma_count_bits(pass->banks_used));
    if (pass->worst.ways > 1)
        fprintf(out, " instruction %" PRIu64 ", lanes %s, bank %" PRIu32, pass->worst_index,
                tma_bit_list(pass->worst.worst_lanes).text, pass->worst.worst_bank);
    fputc('\n', out);
}

static void write_consumer(const struct tma_swizzle_comparison *comparison, uint32_t consumer,
                           FILE *out) {
    struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
    size_t count = tma_compared_layouts(comparison, consumer, layouts);
    if (count == 0)
        return;
    const struct tma_tile *tile = layouts[0].tile;
    fprintf(out,
            "\nconsumer %" PRIu32 ": %s (%" PRIu32 " rows of %" PRIu32
            " bytes); one pass of %" PRIu64 " instructions and its worst conflict\n",
            consumer, tma_consumer_label(&comparison->workload->consumers[consumer]).text,
            tile->rows, tile->row_bytes, layouts[0].pass->instructions);
    for (size_t i = 0; i < count; i++)
        write_layout(&layouts[i], out);
}

static void write_padding(const struct tma_swizzle_comparison *comparison, FILE *out) {
    uint32_t depth = comparison->workload->depth;
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++) {
        const struct tma_compared_padding *padding = &comparison->padding[i];
        fprintf(out, "%s  operation %" PRIu32 ": ", i == 0 ? "\npadding:\n" : "",
                padding->operation);
        if (!padding->possible) {
            fputs("not possible: ", out);
            tma_write_printable(padding->reason, out);
            fputc('\n', out);
            continue;
        }
        uint32_t gap = padding->tile.pitch_bytes - padding->tile.row_bytes;
        fprintf(out,
                "%" PRIu32 " bytes after every row cost %" PRIu32 " bytes of shared memory per "
                "stage, %" PRIu32 " for depth %" PRIu32 "\n               (%s)\n",
                gap, padding->extra_bytes, padding->extra_bytes * depth, depth,
                gap % 16 == 0
                    ? "a tensor map can do this: split dimension 0 into parts as long as a row; "
                      "out-of-bounds fill pads a wider box"
                    : "no tensor map can do this: the rows of a box are multiples of 16 bytes");
    }
}

static void write_illegal(const struct tma_swizzle_comparison *comparison, FILE *out) {
    bool heading = false;
    for (size_t i = 0; i < comparison->mode_count; i++) {
        const struct tma_compared_mode *mode = &comparison->modes[i];
        if (mode->legal)
            continue;
        fprintf(out, "%s  %-21s ", heading ? "" : "\nillegal modes:\n",
                tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
        tma_write_printable(mode->reason, out);
        fputc('\n', out);
        heading = true;
    }
}

static void compare_text(const struct tma_swizzle_comparison *comparison, FILE *out) {
    fputs("scenario  ", out);
    tma_write_printable(comparison->scenario, out);
    fputs("\nmachine   ", out);
    tma_write_printable(comparison->machine, out);
    fprintf(out, "%s\n\n", tma_timing_note(&comparison->trust));
    write_modes(comparison, out);
    write_draws(comparison, out);
    for (uint32_t i = 0; i < comparison->workload->consumer_count; i++)
        write_consumer(comparison, i, out);
    write_padding(comparison, out);
    write_illegal(comparison, out);
    fprintf(out, "\nrecommendation: %s\n", comparison->recommendation);
}

static void write_pass(struct tma_json *json, const struct tma_compared_layout *layout) {
    const struct tma_consumer_report *pass = layout->pass;
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "layout", layout->name);
    tma_json_unsigned(json, "pitch_bytes", layout->tile->pitch_bytes);
    tma_json_unsigned(json, "extra_bytes", layout->extra_bytes);
    TMA_JSON_COUNTS(json, pass, instructions, ideal_wavefronts, wavefronts);
    tma_json_unsigned(json, "excess_wavefronts", pass->wavefronts - pass->ideal_wavefronts);
    tma_json_unsigned(json, "banks_used", tma_count_bits(pass->banks_used));
    tma_json_begin_object(json, "worst");
    tma_json_unsigned(json, "ways", pass->worst.ways);
    tma_json_unsigned(json, "instruction", pass->worst_index);
    tma_json_unsigned(json, "bank", pass->worst.worst_bank);
    tma_json_bits(json, "lanes", pass->worst.worst_lanes);
    tma_json_end_object(json);
    tma_json_end_object(json);
}

static void json_write_consumer(struct tma_json *json,
                                const struct tma_swizzle_comparison *comparison, uint32_t index) {
    const struct tma_consumer *consumer = &comparison->workload->consumers[index];
    struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
    size_t count = tma_compared_layouts(comparison, index, layouts);
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "instruction", tma_shared_instruction_info(consumer->instruction)->name);
    tma_json_string(json, "lanes", tma_name_of(&tma_lane_map_names, (int)consumer->lanes));
    tma_json_bool(json, "transposed", consumer->transposed);
    tma_json_unsigned(json, "operation", consumer->operation);
    tma_json_begin_array(json, "layouts");
    for (size_t i = 0; i < count; i++)
        write_pass(json, &layouts[i]);
    tma_json_end_array(json);
    tma_json_end_object(json);
}

static void write_mode(struct tma_json *json, const struct tma_compared_mode *mode) {
    tma_json_begin_object(json, NULL);
    tma_json_string(json, "swizzle", tma_name_of(&tma_swizzle_names, (int)mode->swizzle));
    tma_json_bool(json, "legal", mode->legal);
    if (mode->legal) {
        tma_json_unsigned(json, "cycles", mode->cycles);
        tma_launches_write_json(&mode->draws, json);
        TMA_JSON_COUNTS(json, mode, ideal_wavefronts, wavefronts);
        tma_json_unsigned(json, "excess_wavefronts", mode->wavefronts - mode->ideal_wavefronts);
        tma_json_unsigned(json, "worst_ways", mode->ways);
        tma_json_unsigned(json, "banks_used", tma_count_bits(mode->banks_used));
        tma_json_decimal(json, "bytes_per_cycle", mode->bytes_per_cycle, 3);
        tma_json_decimal(json, "bytes_per_cycle_per_sm", mode->bytes_per_cycle_per_sm, 3);
    } else {
        tma_json_string(json, "reason", mode->reason);
    }
    tma_json_end_object(json);
}

static void json_write_padding(struct tma_json *json, const struct tma_compared_padding *padding) {
    tma_json_begin_object(json, NULL);
    tma_json_unsigned(json, "operation", padding->operation);
    tma_json_bool(json, "possible", padding->possible);
    if (padding->possible) {
        tma_json_unsigned(json, "gap_bytes", padding->tile.pitch_bytes - padding->tile.row_bytes);
        tma_json_unsigned(json, "extra_bytes", padding->extra_bytes);
    } else {
        tma_json_string(json, "reason", padding->reason);
    }
    tma_json_end_object(json);
}

static void compare_json(const struct tma_swizzle_comparison *comparison, FILE *out) {
    struct tma_json json = {.out = out};
    tma_json_begin_object(&json, NULL);
    tma_json_string(&json, "scenario", comparison->scenario);
    tma_json_string(&json, "machine", comparison->machine);
    tma_timing_write_json(&comparison->trust, &json);
    tma_json_begin_array(&json, "modes");
    for (size_t i = 0; i < comparison->mode_count; i++)
        write_mode(&json, &comparison->modes[i]);
    tma_json_end_array(&json);
    tma_json_begin_array(&json, "consumers");
    for (uint32_t i = 0; i < comparison->workload->consumer_count; i++)
        json_write_consumer(&json, comparison, i);
    tma_json_end_array(&json);
    tma_json_begin_array(&json, "padding");
    for (size_t i = 0; comparison->show_padding && i < comparison->padding_count; i++)
        json_write_padding(&json, &comparison->padding[i]);
    tma_json_end_array(&json);
    if (comparison->best != NULL)
        tma_json_string(&json, "best",
                        tma_name_of(&tma_swizzle_names, (int)comparison->best->swizzle));
    else
        tma_json_null(&json, "best");
    tma_json_string(&json, "recommendation", comparison->recommendation);
    tma_json_end_object(&json);
}

/* An SVG drawing with one panel for each consumer and layout. A panel shows a part of the tile, row
 * below row, and says what it leaves out. Each chunk of 16 bytes has the colour of its banks, so
 * chunks of one colour share their banks. A thin outline marks the lanes of one phase of the worst
 * instruction; a thick outline marks the lanes that conflict. */

enum {
    CHUNK_BYTES = 16,
    CHUNK_WIDTH = 36,
    MAX_CHUNKS = 16, /* columns of a panel */
    MAX_ROWS = 32,   /* rows of a panel */
    ROW_LABEL_WIDTH = 44,
    PANEL_GAP = 40,
    TITLE_WIDTH = 290,
    TITLE_HEIGHT = 44,
    HEADING_HEIGHT = 30,
    LEGEND_HEIGHT = 42,
    LEFT_OUT_HEIGHT = 16,
    LINE_CHARACTERS = 180,
    MIN_PAGE_WIDTH = 1240, /* fits the legend and a line of LINE_CHARACTERS */
};

/* The part of a tile that a panel shows. It contains the worst access. */
struct window {
    uint32_t row, rows;
    uint32_t chunk, chunks;
};

struct place {
    uint32_t row, byte;
};

/* The row and the byte of a tile that lie at `address`. A swizzle is its own inverse. */
static struct place place_of(const struct tma_tile *tile, uint32_t address) {
    uint32_t offset = tma_swizzle_address(tile->swizzle, address) - tile->shared_address;
    return (struct place){offset / tile->pitch_bytes, offset % tile->pitch_bytes};
}

static struct window window_of(const struct tma_compared_layout *layout) {
    const struct tma_tile *tile = layout->tile;
    const struct tma_warp_access *access = &layout->pass->worst_access;
    uint32_t lanes = tma_bank_phase_lanes(access, layout->pass->worst.worst_phase);
    uint32_t chunks = (tile->row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES;
    struct window window = {.row = tile->rows - 1, .chunk = chunks - 1};
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        struct place place = place_of(tile, access->address[lane]);
        window.row = tma_least(window.row, place.row);
        window.chunk = tma_least(window.chunk, place.byte / CHUNK_BYTES);
    }
    window.row -= window.row % 8;
    if (chunks <= MAX_CHUNKS)
        window.chunk = 0;
    window.rows = tma_least(tile->rows - window.row, MAX_ROWS);
    window.chunks = tma_least(chunks - window.chunk, MAX_CHUNKS);
    return window;
}

/* The x coordinate of a byte of a row, relative to the panel. */
static int x_of(const struct window *window, uint32_t byte) {
    return ROW_LABEL_WIDTH + (int)(byte - window->chunk * CHUNK_BYTES) * CHUNK_WIDTH / CHUNK_BYTES;
}

/* The y coordinate of a row, relative to the panel. */
static int y_of(const struct window *window, uint32_t row) {
    return TITLE_HEIGHT + (int)(row - window->row) * TMA_SVG_CELL_HEIGHT;
}

/* Draws 16 bytes, or the rest of the row, with the colour of their first bank; or its number. */
static void write_chunk(const struct tma_tile *tile, const struct window *window, uint32_t row,
                        uint32_t byte, bool number, FILE *out) {
    uint32_t address = tma_tile_address(tile, row, byte);
    uint32_t bank = address / TMA_BANK_BYTES % TMA_BANKS;
    int width = (int)tma_least(CHUNK_BYTES, tile->row_bytes - byte) * CHUNK_WIDTH / CHUNK_BYTES;
    if (number)
        tma_svg_text(out, x_of(window, byte) + width / 2, y_of(window, row) + 13, "cell over",
                     "%" PRIu32, bank);
    else
        tma_svg_box(
            (struct tma_svg_box){x_of(window, byte), y_of(window, row), width, TMA_SVG_CELL_HEIGHT},
            tma_svg_bank_class(bank), out);
}

/* Draws the cells; or the numbers, which lie above the outlines of lanes. */
static void write_rows(const struct tma_tile *tile, const struct window *window, bool numbers,
                       FILE *out) {
    for (uint32_t row = window->row; row < window->row + window->rows; row++) {
        if (!numbers)
            tma_svg_text(out, ROW_LABEL_WIDTH - 6, y_of(window, row) + 13, "row", "%" PRIu32, row);
        for (uint32_t chunk = window->chunk; chunk < window->chunk + window->chunks; chunk++)
            write_chunk(tile, window, row, chunk * CHUNK_BYTES, numbers, out);
    }
}

/* Says below the rows which part of the tile the panel leaves out. */
static void write_left_out(const struct tma_tile *tile, const struct window *window, FILE *out) {
    uint32_t chunks = (tile->row_bytes + CHUNK_BYTES - 1) / CHUNK_BYTES - window->chunks;
    uint32_t rows = tile->rows - window->rows;
    int y = y_of(window, window->row + window->rows) + LEFT_OUT_HEIGHT;
    char text[40] = "";
    if (chunks > 0)
        snprintf(text, sizeof text, "%" PRIu32 " more chunks of each row", chunks);
    if (rows > 0)
        tma_svg_text(out, ROW_LABEL_WIDTH, y, "note", "%" PRIu32 " more rows%s%s", rows,
                     chunks > 0 ? ", " : "", text);
    else if (chunks > 0)
        tma_svg_text(out, ROW_LABEL_WIDTH, y, "note", "%s", text);
}

/* Draws an outline around the bytes of each lane in `lanes`. */
static void outline(const struct tma_compared_layout *layout, const struct window *window,
                    uint32_t lanes, const char *class, FILE *out) {
    const struct tma_warp_access *access = &layout->pass->worst_access;
    uint32_t bytes = tma_shared_instruction_info(access->instruction)->lane_bytes;
    for (uint32_t lane = 0; lane < TMA_WARP_LANES; lane++) {
        if ((lanes >> lane & 1) == 0)
            continue;
        struct place place = place_of(layout->tile, access->address[lane]);
        place.byte -= place.byte % bytes; /* a swizzle may exchange the halves of a chunk */
        if (place.row >= window->row + window->rows ||
            place.byte >= (window->chunk + window->chunks) * CHUNK_BYTES)
            continue;
        tma_svg_box((struct tma_svg_box){x_of(window, place.byte), y_of(window, place.row),
                                         (int)bytes * CHUNK_WIDTH / CHUNK_BYTES,
                                         TMA_SVG_CELL_HEIGHT},
                    class, out);
    }
}

static void write_title(const struct tma_compared_layout *layout, FILE *out) {
    const struct tma_consumer_report *pass = layout->pass;
    tma_svg_text(out, ROW_LABEL_WIDTH, 14, "title",
                 "%s: %" PRIu64 " wavefronts, %" PRIu64 " excess", layout->name, pass->wavefronts,
                 pass->wavefronts - pass->ideal_wavefronts);
    if (pass->worst.ways > 1)
        tma_svg_text(out, ROW_LABEL_WIDTH, 32, "",
                     "%" PRIu32 "-way: %" PRIu32 " lanes of instruction %" PRIu64
                     " access bank %" PRIu32,
                     pass->worst.ways, tma_count_bits(pass->worst.worst_lanes), pass->worst_index,
                     pass->worst.worst_bank);
    else
        tma_svg_text(out, ROW_LABEL_WIDTH, 32, "", "no conflict");
}

static void write_panel(const struct tma_compared_layout *layout, const struct window *window,
                        int x, int y, FILE *out) {
    const struct tma_consumer_report *pass = layout->pass;
    uint32_t phase_lanes = tma_bank_phase_lanes(&pass->worst_access, pass->worst.worst_phase);
    tma_svg_begin_group(x, y, out);
    write_title(layout, out);
    write_rows(layout->tile, window, false, out);
    write_left_out(layout->tile, window, out);
    outline(layout, window, phase_lanes, "lane", out);
    if (pass->worst.ways > 1)
        outline(layout, window, pass->worst.worst_lanes, "worst", out);
    write_rows(layout->tile, window, true, out);
    tma_svg_end_group(out);
}

static int panel_width(const struct window *window) {
    int grid = (int)window->chunks * CHUNK_WIDTH;
    return ROW_LABEL_WIDTH + (grid > TITLE_WIDTH ? grid : TITLE_WIDTH) + PANEL_GAP;
}

struct extent {
    int width, height;
};

/* Places the panels of a consumer side by side and returns their extent. Draws them where `out` is
 * not NULL. */
static struct extent draw_consumer(const struct tma_swizzle_comparison *comparison,
                                   uint32_t consumer, int y, FILE *out) {
    struct tma_compared_layout layouts[TMA_MAX_COMPARED_MODES + 1];
    size_t count = tma_compared_layouts(comparison, consumer, layouts);
    struct extent extent = {2 * TMA_SVG_MARGIN - PANEL_GAP, 0};
    for (size_t i = 0; i < count; i++) {
        struct window window = window_of(&layouts[i]);
        int height =
            HEADING_HEIGHT + TITLE_HEIGHT + (int)window.rows * TMA_SVG_CELL_HEIGHT + TMA_SVG_MARGIN;
        if (out != NULL)
            write_panel(&layouts[i], &window, extent.width - TMA_SVG_MARGIN + PANEL_GAP,
                        y + HEADING_HEIGHT, out);
        extent.width += panel_width(&window);
        extent.height = height > extent.height ? height : extent.height;
    }
    if (out != NULL)
        tma_svg_text(out, TMA_SVG_MARGIN, y + 14, "heading", "consumer %" PRIu32 ": %s", consumer,
                     tma_consumer_label(&comparison->workload->consumers[consumer]).text);
    return extent;
}

static void write_legend(int y, FILE *out) {
    tma_svg_bank_legend(TMA_SVG_MARGIN, y, out);
    tma_svg_text(out, TMA_SVG_MARGIN + TMA_SVG_LEGEND_WIDTH + 12, y + 13, "",
                 "outlined: lanes of one phase of the worst instruction; thick: lanes that "
                 "conflict");
}

static void write_head(const struct tma_swizzle_comparison *comparison, int width, int height,
                       FILE *out) {
    char title[1024];
    snprintf(title, sizeof title, "%s on %s%s", comparison->scenario, comparison->machine,
             tma_timing_note(&comparison->trust));
    tma_svg_begin(width, height, title, out);
    tma_svg_text(out, TMA_SVG_MARGIN, 24, "heading", "%s", title);
}

static int write_recommendation(const struct tma_swizzle_comparison *comparison, FILE *out) {
    return tma_svg_wrapped(comparison->recommendation, TMA_SVG_MARGIN, HEADING_HEIGHT + 4,
                           LINE_CHARACTERS, out);
}

static void compare_svg(const struct tma_swizzle_comparison *comparison, FILE *out) {
    uint32_t consumers = comparison->workload->consumer_count;
    int legend = write_recommendation(comparison, NULL) + 6;
    int y = legend + LEGEND_HEIGHT;
    int width = MIN_PAGE_WIDTH, height = y;
    for (uint32_t i = 0; i < consumers; i++) {
        struct extent extent = draw_consumer(comparison, i, 0, NULL);
        width = extent.width > width ? extent.width : width;
        height += extent.height;
    }
    write_head(comparison, width, height, out);
    write_recommendation(comparison, out);
    write_legend(legend, out);
    for (uint32_t i = 0; i < consumers; i++)
        y += draw_consumer(comparison, i, y, out).height;
    tma_svg_end(out);
}

#define TMA_COMPARE_FORMATS(X)                                                                     \
    X(text)                                                                                        \
    X(json)                                                                                        \
    X(svg)
TMA_FORMAT_NAMES(tma_compare_format_names, TMA_COMPARE_FORMATS);

void tma_compare_write(const struct tma_swizzle_comparison *comparison, int format, FILE *out) {
#define WRITER(name) compare_##name,
    static void (*const writers[])(const struct tma_swizzle_comparison *,
                                   FILE *) = {TMA_COMPARE_FORMATS(WRITER)};
#undef WRITER
    writers[format](comparison, out);
}
