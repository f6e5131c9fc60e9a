/* An SVG drawing with one panel for each consumer and layout. A panel shows a part of the tile, row
 * below row. Each chunk of 16 bytes has the colour of its banks, so chunks of one colour share
 * their banks. A thin outline marks the lanes of one phase of the worst instruction; a thick
 * outline marks the lanes that conflict. */
#include <inttypes.h>
#include <string.h>

#include "report/compare_formats.h"
#include "report/compare_layouts.h"
#include "report/escape.h"
#include "report/labels.h"

enum {
    CHUNK_BYTES = 16,
    CHUNK_WIDTH = 36,
    CHUNK_HEIGHT = 18,
    MAX_CHUNKS = 16, /* columns of a panel */
    MAX_ROWS = 32,   /* rows of a panel */
    MARGIN = 24,
    ROW_LABEL_WIDTH = 44,
    PANEL_GAP = 40,
    TITLE_WIDTH = 290,
    TITLE_HEIGHT = 44,
    HEADING_HEIGHT = 30,
    LEGEND_HEIGHT = 42,
    LINE_HEIGHT = 17,
    LINE_CHARACTERS = 180,
    MIN_PAGE_WIDTH = 1240, /* fits the legend and a line of LINE_CHARACTERS */
};

/* By group of four banks. The colours differ in hue and in lightness. */
static const char *const colours[] = {"#4477aa", "#ee9944", "#66ccbb", "#dd7788",
                                      "#aacc66", "#9966bb", "#f0d860", "#a9a9b4"};

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

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
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
        window.row = least(window.row, place.row);
        window.chunk = least(window.chunk, place.byte / CHUNK_BYTES);
    }
    window.row -= window.row % 8;
    if (chunks <= MAX_CHUNKS)
        window.chunk = 0;
    window.rows = least(tile->rows - window.row, MAX_ROWS);
    window.chunks = least(chunks - window.chunk, MAX_CHUNKS);
    return window;
}

/* The x coordinate of a byte of a row, relative to the panel. */
static int x_of(const struct window *window, uint32_t byte) {
    return ROW_LABEL_WIDTH + (int)(byte - window->chunk * CHUNK_BYTES) * CHUNK_WIDTH / CHUNK_BYTES;
}

/* The y coordinate of a row, relative to the panel. */
static int y_of(const struct window *window, uint32_t row) {
    return TITLE_HEIGHT + (int)(row - window->row) * CHUNK_HEIGHT;
}

/* Draws 16 bytes, or the rest of the row, with the colour and the number of their first bank. */
static void write_chunk(const struct tma_tile *tile, const struct window *window, uint32_t row,
                        uint32_t byte, FILE *out) {
    uint32_t address = tma_tile_address(tile, row, byte);
    uint32_t bank = address / TMA_BANK_BYTES % TMA_BANKS;
    int x = x_of(window, byte), y = y_of(window, row);
    int width = (int)least(CHUNK_BYTES, tile->row_bytes - byte) * CHUNK_WIDTH / CHUNK_BYTES;
    fprintf(out,
            "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\"/>"
            "<text x=\"%d\" y=\"%d\" class=\"bank\">%" PRIu32 "</text>\n",
            x, y, width, CHUNK_HEIGHT, colours[bank / 4], x + width / 2, y + 13, bank);
}

static void write_rows(const struct tma_tile *tile, const struct window *window, FILE *out) {
    for (uint32_t row = window->row; row < window->row + window->rows; row++) {
        fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"row\">%" PRIu32 "</text>\n",
                ROW_LABEL_WIDTH - 6, y_of(window, row) + 13, row);
        for (uint32_t chunk = window->chunk; chunk < window->chunk + window->chunks; chunk++)
            write_chunk(tile, window, row, chunk * CHUNK_BYTES, out);
    }
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
        fprintf(out, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" class=\"%s\"/>\n",
                x_of(window, place.byte), y_of(window, place.row),
                (int)bytes * CHUNK_WIDTH / CHUNK_BYTES, CHUNK_HEIGHT, class);
    }
}

static void write_title(const struct tma_compared_layout *layout, FILE *out) {
    const struct tma_consumer_report *pass = layout->pass;
    fprintf(out,
            "<text x=\"%d\" y=\"14\" class=\"title\">%s: %" PRIu64 " wavefronts, %" PRIu64
            " excess</text>\n",
            ROW_LABEL_WIDTH, layout->name, pass->wavefronts,
            pass->wavefronts - pass->ideal_wavefronts);
    if (pass->worst.ways > 1)
        fprintf(out,
                "<text x=\"%d\" y=\"32\">%" PRIu32 "-way: %" PRIu32 " lanes of instruction %" PRIu64
                " access bank %" PRIu32 "</text>\n",
                ROW_LABEL_WIDTH, pass->worst.ways, tma_count_bits(pass->worst.worst_lanes),
                pass->worst_index, pass->worst.worst_bank);
    else
        fprintf(out, "<text x=\"%d\" y=\"32\">no conflict</text>\n", ROW_LABEL_WIDTH);
}

static void write_panel(const struct tma_compared_layout *layout, const struct window *window,
                        int x, int y, FILE *out) {
    const struct tma_consumer_report *pass = layout->pass;
    uint32_t phase_lanes = tma_bank_phase_lanes(&pass->worst_access, pass->worst.worst_phase);
    fprintf(out, "<g transform=\"translate(%d,%d)\">\n", x, y);
    write_title(layout, out);
    write_rows(layout->tile, window, out);
    outline(layout, window, phase_lanes, "lane", out);
    if (pass->worst.ways > 1)
        outline(layout, window, pass->worst.worst_lanes, "worst", out);
    fputs("</g>\n", out);
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
    struct extent extent = {2 * MARGIN - PANEL_GAP, 0};
    for (size_t i = 0; i < count; i++) {
        struct window window = window_of(&layouts[i]);
        int height = HEADING_HEIGHT + TITLE_HEIGHT + (int)window.rows * CHUNK_HEIGHT + MARGIN;
        if (out != NULL)
            write_panel(&layouts[i], &window, extent.width - MARGIN + PANEL_GAP, y + HEADING_HEIGHT,
                        out);
        extent.width += panel_width(&window);
        extent.height = height > extent.height ? height : extent.height;
    }
    if (out != NULL)
        fprintf(out, "<text x=\"%d\" y=\"%d\" class=\"heading\">consumer %" PRIu32 ": %s</text>\n",
                MARGIN, y + 14, consumer,
                tma_consumer_label(&comparison->workload->consumers[consumer]).text);
    return extent;
}

static void write_legend(int y, FILE *out) {
    for (int group = 0; group < 8; group++)
        fprintf(out,
                "<rect x=\"%d\" y=\"%d\" width=\"76\" height=\"%d\" fill=\"%s\"/>"
                "<text x=\"%d\" y=\"%d\" class=\"bank\">banks %d-%d</text>\n",
                MARGIN + group * 80, y, CHUNK_HEIGHT, colours[group], MARGIN + group * 80 + 38,
                y + 13, 4 * group, 4 * group + 3);
    fprintf(out,
            "<text x=\"%d\" y=\"%d\">outlined: lanes of one phase of the worst instruction; "
            "thick: lanes that conflict</text>\n",
            MARGIN + 8 * 80 + 12, y + 13);
}

/* Length of the next line where the text is wrapped at spaces to at most `most` characters. */
static size_t line_length(const char *text, size_t most) {
    size_t length = strlen(text);
    if (length <= most)
        return length;
    for (length = most; length > 0 && text[length] != ' '; length--)
        ;
    return length > 0 ? length : most;
}

/* Writes the text as lines below y, or only measures it where `out` is NULL. Returns the y below
 * the text. */
static int write_wrapped(const char *text, int y, FILE *out) {
    while (*text != '\0') {
        size_t length = line_length(text, LINE_CHARACTERS);
        char line[LINE_CHARACTERS + 1];
        snprintf(line, sizeof line, "%.*s", (int)length, text);
        if (out != NULL) {
            fprintf(out, "<text x=\"%d\" y=\"%d\">", MARGIN, y + 13);
            tma_write_xml(line, out);
            fputs("</text>\n", out);
        }
        y += LINE_HEIGHT;
        for (text += length; *text == ' '; text++)
            ;
    }
    return y;
}

static void write_head(const struct tma_swizzle_comparison *comparison, int width, int height,
                       FILE *out) {
    fprintf(out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
            "viewBox=\"0 0 %d %d\">\n"
            "<style>text{font:12px sans-serif;fill:#111}.bank{font-size:10px;text-anchor:middle}"
            ".row{font-size:10px;text-anchor:end}.title{font-weight:bold}"
            ".heading{font-size:14px;font-weight:bold}"
            ".lane{fill:none;stroke:#111;stroke-width:1.5}"
            ".worst{fill:none;stroke:#111;stroke-width:3}</style>\n"
            "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n"
            "<text x=\"%d\" y=\"24\" class=\"heading\">",
            width, height, width, height, width, height, MARGIN);
    tma_write_xml(comparison->scenario, out);
    fputs(" on ", out);
    tma_write_xml(comparison->machine, out);
    fprintf(out, "%s</text>\n",
            tma_timing_note(comparison->timing_validated, comparison->timing_edited));
}

void tma_compare_write_svg(const struct tma_swizzle_comparison *comparison, FILE *out) {
    uint32_t consumers = comparison->workload->consumer_count;
    int legend = write_wrapped(comparison->recommendation, HEADING_HEIGHT + 4, NULL) + 6;
    int y = legend + LEGEND_HEIGHT;
    int width = MIN_PAGE_WIDTH, height = y;
    for (uint32_t i = 0; i < consumers; i++) {
        struct extent extent = draw_consumer(comparison, i, 0, NULL);
        width = extent.width > width ? extent.width : width;
        height += extent.height;
    }
    write_head(comparison, width, height, out);
    write_wrapped(comparison->recommendation, HEADING_HEIGHT + 4, out);
    write_legend(legend, out);
    for (uint32_t i = 0; i < consumers; i++)
        y += draw_consumer(comparison, i, y, out).height;
    fputs("</svg>\n", out);
}
