/* PTX ISA 5.5.7: the swizzle tables row by row, the base offset, table 14, figures 25 to 37. */
#include "placement/rows.h"
#include "suite.h"

enum { LINE = 128, CHUNK = 16, CHUNKS = 8 };

/* The document's tables: cell j of line i holds the number of the chunk of line i before the
 * swizzle that lies there after it. The document's tables for larger atoms give two or four chunks
 * a cell; here each chunk has a cell. */
static const struct {
    const char *name;
    enum tma_swizzle swizzle;
    int lines;
    int chunks[8][CHUNKS];
} tables[] = {
    {"No swizzle mode", TMA_SWIZZLE_NONE, 2, {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7}}},
    {"32 byte swizzle mode",
     TMA_SWIZZLE_32B,
     2,
     {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}}},
    {"64 byte swizzle mode",
     TMA_SWIZZLE_64B,
     4,
     {{0, 1, 2, 3, 4, 5, 6, 7},
      {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5},
      {3, 2, 1, 0, 7, 6, 5, 4}}},
    {"96 byte swizzle mode",
     TMA_SWIZZLE_96B,
     2,
     {{0, 1, 2, 3, 4, 5, 6, 7}, {1, 0, 3, 2, 5, 4, 7, 6}}},
    {"128 byte swizzle mode, 16-byte atomicity",
     TMA_SWIZZLE_128B,
     8,
     {{0, 1, 2, 3, 4, 5, 6, 7},
      {1, 0, 3, 2, 5, 4, 7, 6},
      {2, 3, 0, 1, 6, 7, 4, 5},
      {3, 2, 1, 0, 7, 6, 5, 4},
      {4, 5, 6, 7, 0, 1, 2, 3},
      {5, 4, 7, 6, 1, 0, 3, 2},
      {6, 7, 4, 5, 2, 3, 0, 1},
      {7, 6, 5, 4, 3, 2, 1, 0}}},
    {"32-byte atomicity sub-mode",
     TMA_SWIZZLE_128B_ATOM_32B,
     4,
     {{0, 1, 2, 3, 4, 5, 6, 7},
      {2, 3, 0, 1, 6, 7, 4, 5},
      {4, 5, 6, 7, 0, 1, 2, 3},
      {6, 7, 4, 5, 2, 3, 0, 1}}},
    {"32-byte atomicity with 8-byte flip sub-mode",
     TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B,
     4,
     {{0, 1, 2, 3, 4, 5, 6, 7},
      {2, 3, 0, 1, 6, 7, 4, 5},
      {4, 5, 6, 7, 0, 1, 2, 3},
      {6, 7, 4, 5, 2, 3, 0, 1}}},
    {"64-byte atomicity sub-mode",
     TMA_SWIZZLE_128B_ATOM_64B,
     2,
     {{0, 1, 2, 3, 4, 5, 6, 7}, {4, 5, 6, 7, 0, 1, 2, 3}}},
};

/* Checks each byte of each chunk, over two periods of the pattern. The flip exchanges the 8-byte
 * halves of a chunk "at every alternate shared memory line": byte b lies at b XOR 8 in odd lines.
 */
TEST_ROWS(every_byte_lies_where_the_table_says, TABLE_ROWS(tables)) {
    bool flips = tables[_i].swizzle == TMA_SWIZZLE_128B_ATOM_32B_FLIP_8B;
    for (int line = 0; line < 2 * tables[_i].lines; line++)
        for (int cell = 0; cell < CHUNKS; cell++)
            for (int byte = 0; byte < CHUNK; byte++) {
                int chunk = tables[_i].chunks[line % tables[_i].lines][cell];
                int flip = flips && line % 2 == 1 ? 8 : 0;
                uint32_t source = (uint32_t)(LINE * line + CHUNK * chunk + byte);
                uint32_t place = (uint32_t)(LINE * line + CHUNK * cell + (byte ^ flip));
                uint32_t got = tma_swizzle_address(tables[_i].swizzle, source);
                if (got != place || tma_swizzle_address(tables[_i].swizzle, place) != source)
                    ck_abort_msg("%s, line %d, cell %d, byte %d: %u, not %u", tables[_i].name, line,
                                 cell, byte, got, place);
            }
}

/* The document's table of the boundaries at which "the value of swizzle base offset is 0", and the
 * modulus in its formula, (address / 128) % modulus. */
static const struct {
    enum tma_swizzle swizzle;
    uint32_t pattern_bytes;
    uint32_t modulus;
} offsets[] = {
    {TMA_SWIZZLE_128B, 1024, 8},
    {TMA_SWIZZLE_96B, 256, 2},
    {TMA_SWIZZLE_64B, 512, 4},
    {TMA_SWIZZLE_32B, 256, 2},
};

TEST_ROWS(base_offset_follows_formula, TABLE_ROWS(offsets)) {
    ck_assert_uint_eq(tma_swizzle_pattern_bytes(offsets[_i].swizzle), offsets[_i].pattern_bytes);
    for (uint32_t destination = 0; destination < 4096; destination += LINE)
        ck_assert_uint_eq(tma_swizzle_base_offset(offsets[_i].swizzle, destination),
                          destination / 128 % offsets[_i].modulus);
    for (uint32_t n = 0; n < 4; n++)
        ck_assert_uint_eq(
            tma_swizzle_base_offset(offsets[_i].swizzle, n * offsets[_i].pattern_bytes), 0);
}

/* Where the document's tables put a chunk of the box, in a pattern that begins at address 0. */
static uint32_t table_address(enum tma_swizzle swizzle, uint32_t address) {
    int table = 0, cell = 0;
    while (tables[table].swizzle != swizzle)
        table++;
    const int *chunks = tables[table].chunks[address / LINE % (uint32_t)tables[table].lines];
    while ((uint32_t)chunks[cell] != address % LINE / CHUNK)
        cell++;
    return address / LINE * LINE + CHUNK * (uint32_t)cell;
}

/* The document's rule for a destination off the boundary: the box sees the pattern from line `base
 * offset` on. tma_swizzle_address() takes absolute addresses instead; both give the same places. */
TEST_ROWS(base_offset_shifts_the_pattern, TABLE_ROWS(offsets)) {
    enum tma_swizzle swizzle = offsets[_i].swizzle;
    for (uint32_t destination = 0; destination < 4096; destination += LINE)
        for (uint32_t offset = 0; offset < 2048; offset += CHUNK) {
            uint32_t ahead = destination / LINE % offsets[_i].modulus * LINE;
            uint32_t in_box = table_address(swizzle, offset + ahead) - ahead;
            if (tma_swizzle_address(swizzle, destination + offset) != destination + in_box)
                ck_abort_msg("destination %u, offset %u", destination, offset);
        }
}

/* Table 14: the atoms that a swizzle span has. */
static const struct {
    uint32_t span_bytes, atom_bytes;
    bool flips_8b;
} valid_atoms[] = {
    {0, 0, false},    {32, 16, false},  {64, 16, false}, {96, 16, false},
    {128, 16, false}, {128, 32, false}, {128, 32, true}, {128, 64, false},
};

TEST(atoms_are_those_of_table_14) {
    static const uint32_t spans[] = {0, 32, 64, 96, 128}, atoms[] = {0, 16, 32, 64};
    for (int span = 0; span < TABLE_ROWS(spans); span++)
        for (int atom = 0; atom < TABLE_ROWS(atoms); atom++)
            for (int flip = 0; flip < 2; flip++) {
                bool valid = false;
                for (int i = 0; i < TABLE_ROWS(valid_atoms); i++)
                    valid |= valid_atoms[i].span_bytes == spans[span] &&
                             valid_atoms[i].atom_bytes == atoms[atom] &&
                             valid_atoms[i].flips_8b == (flip == 1);
                ck_assert(tma_swizzle_atom_valid(spans[span], atoms[atom], flip == 1) == valid);
            }
}

/* clang-format off */

/* Figures 25 to 34: whole tiles of the document's tensors, and where the figures put chunk `chunk` of
 * pixel `pixel` for a destination at address 0. */
static const struct {
    const char *name;
    enum tma_interleave interleave;
    enum tma_swizzle swizzle;
    uint32_t rank;
    uint64_t sizes[5];
    uint64_t strides[4];
    uint32_t box[5];
    int32_t coordinates[5];
    uint64_t global_address; /* of the tile's first byte */
    uint32_t pixels, pixel_bytes;
    struct {
        uint32_t pixel, chunk, place;
    } places[8];
} tiles[] = {
    /* 1x2x10x10xC16 at 2 bytes: pixels of 32 bytes lie end to end, four to a line. The slice with
     * C/(32B) = 0 begins at 0, the slice with 1 at 10 * 10 * 32 = 3200 (figure 26). Figure 27: line 0
     * keeps its order. On line 1 (pixels 4 to 7) the two chunks of each pixel are exchanged. */
    {"figures 25 to 27, C/(32B) = 0", TMA_INTERLEAVE_32B, TMA_SWIZZLE_32B, 4, {10, 10, 2, 1},
     {320, 3200, 6400}, {10, 10, 1, 1}, {0, 0, 0, 0}, 0, 100, 32,
     {{0, 0, 0}, {0, 1, 16}, {3, 1, 112}, {4, 0, 144}, {4, 1, 128}, {7, 0, 240}, {8, 0, 256},
      {99, 1, 3184}}},
    {"figures 25 to 27, C/(32B) = 1", TMA_INTERLEAVE_32B, TMA_SWIZZLE_32B, 4, {10, 10, 2, 1},
     {320, 3200, 6400}, {10, 10, 1, 1}, {0, 0, 1, 0}, 3200, 100, 32,
     {{0, 0, 0}, {0, 1, 16}, {3, 1, 112}, {4, 0, 144}, {4, 1, 128}, {7, 0, 240}, {8, 0, 256},
      {99, 1, 3184}}},
    /* 1x10x10x64 at 2 bytes, 32 channels: rows of 64 bytes, two to a line. Line 1 exchanges
     * neighbours, line 2 pairs, line 3 both: chunk c of the first pixel goes to cell c XOR line. */
    {"figures 28 to 30", TMA_INTERLEAVE_NONE, TMA_SWIZZLE_64B, 4, {64, 10, 10, 1},
     {128, 1280, 12800}, {32, 10, 10, 1}, {0, 0, 0, 0}, 0, 100, 64,
     {{0, 0, 0}, {1, 3, 112}, {2, 0, 144}, {3, 2, 240}, {4, 0, 288}, {5, 3, 336}, {6, 0, 432},
      {8, 1, 528}}},
    /* The same with 64 channels: one row to a line, chunk c of row r at cell c XOR (r mod 8). */
    {"figures 32 to 34", TMA_INTERLEAVE_NONE, TMA_SWIZZLE_128B, 4, {64, 10, 10, 1},
     {128, 1280, 12800}, {64, 10, 10, 1}, {0, 0, 0, 0}, 0, 100, 128,
     {{0, 7, 112}, {1, 0, 144}, {2, 1, 304}, {3, 3, 384}, {4, 0, 576}, {5, 2, 752}, {7, 7, 896},
      {99, 0, 12720}}},
};

/* clang-format on */

TEST_ROWS(chunks_lie_where_the_figures_show, TABLE_ROWS(tiles)) {
    struct tma_tensor_map map = {.kind = TMA_MAP_TILED,
                                 .data_type = TMA_FLOAT16,
                                 .rank = tiles[_i].rank,
                                 .interleave = tiles[_i].interleave,
                                 .swizzle = tiles[_i].swizzle};
    struct tma_operation load = {0};
    struct tma_row_stream rows;
    struct tma_row row;
    uint32_t bytes = 0;
    for (int d = 0; d < TMA_MAX_RANK; d++) {
        map.global_dim[d] = tiles[_i].sizes[d];
        map.box_dim[d] = tiles[_i].box[d];
        map.element_strides[d] = 1;
        load.coordinates[d] = tiles[_i].coordinates[d];
        if (d < TMA_MAX_RANK - 1)
            map.global_strides[d] = tiles[_i].strides[d];
    }
    ck_assert(tma_rows_begin(&rows, &map, &load, NULL, NULL) == TMA_OK);
    while (tma_rows_next(&rows, &row)) {
        if (bytes == 0)
            ck_assert_uint_eq(row.global_address, tiles[_i].global_address);
        ck_assert_uint_eq(row.shared_address, bytes);
        bytes += row.data_bytes;
    }
    ck_assert_uint_eq(bytes, tiles[_i].pixels * tiles[_i].pixel_bytes);
    for (int i = 0; i < 8; i++) {
        uint32_t source =
            tiles[_i].places[i].pixel * tiles[_i].pixel_bytes + CHUNK * tiles[_i].places[i].chunk;
        ck_assert_uint_eq(tma_swizzle_address(map.swizzle, source), tiles[_i].places[i].place);
    }
}

/* Figure 31: rows of 96 bytes lie 96 bytes apart, so a line can begin in the middle of a row. Row 1
 * is at 96 to 191. Its chunks 0 and 1 are on line 0 and keep their places (96, 112). The other four
 * are on line 1 (128, 144, 160, 176) and are exchanged with their neighbours. */
TEST(rows_of_96_bytes_straddle_lines) {
    static const uint32_t places[6] = {96, 112, 144, 128, 176, 160};
    for (uint32_t chunk = 0; chunk < 6; chunk++)
        ck_assert_uint_eq(tma_swizzle_address(TMA_SWIZZLE_96B, 96 + CHUNK * chunk), places[chunk]);
}

TEST_SUITE("swizzle");
