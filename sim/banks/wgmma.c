#include "banks/wgmma.h"

#include <stdio.h>

#include "tensormap/types.h"

enum { CORE_ROWS = 8, CORE_ROW_BYTES = 16, DEFAULT_MN = 64, ACCESS_CORES = 4 };

/* A descriptor encodes an offset in 14 bits, in units of 16 bytes. */
enum { MAX_OFFSET_BYTES = ((1 << 14) - 1) * 16 };

/* Bytes of a row in one swizzle pattern: the swizzle span, or without swizzle the row of a core
 * matrix. */
static uint32_t span_bytes(enum tma_swizzle swizzle) {
    return swizzle == TMA_SWIZZLE_NONE ? CORE_ROW_BYTES : tma_swizzle_info(swizzle)->span_bytes;
}

/* MN-major layouts without swizzle exchange the meanings of the leading and the stride offset. */
static bool swaps_offsets(bool mn_major, enum tma_swizzle swizzle) {
    return mn_major && swizzle == TMA_SWIZZLE_NONE;
}

/* The descriptor's offset from 8 rows to the next 8 rows. */
static uint32_t rows_offset(const struct tma_wgmma_operand *operand) {
    bool swapped = swaps_offsets(operand->mn_major, operand->swizzle);
    return swapped ? operand->leading_bytes : operand->stride_bytes;
}

/* The descriptor's offset from one span of a row's bytes to the next span. */
static uint32_t span_offset(const struct tma_wgmma_operand *operand) {
    bool swapped = swaps_offsets(operand->mn_major, operand->swizzle);
    return swapped ? operand->stride_bytes : operand->leading_bytes;
}

/* Fills in the descriptor for a tile in canonical layout. Swizzled K-major operands do not use the
 * leading offset. */
static void derive_descriptor(struct tma_wgmma_operand *operand, const struct tma_tile *tile) {
    uint32_t rows = CORE_ROWS * tile->pitch_bytes;
    bool in_row = tile->row_bytes > span_bytes(tile->swizzle);
    bool unused = !operand->mn_major && tile->swizzle != TMA_SWIZZLE_NONE;
    uint32_t span = in_row || unused ? CORE_ROW_BYTES : operand->panel_rows * tile->pitch_bytes;
    bool swapped = swaps_offsets(operand->mn_major, tile->swizzle);
    operand->swizzle = tile->swizzle;
    operand->leading_bytes = swapped ? rows : span;
    operand->stride_bytes = swapped ? span : rows;
}

/* Replaces the operand's zeros by their defaults. */
static void complete(struct tma_wgmma_operand *operand, const struct tma_tile *tile) {
    if (operand->mn == 0)
        operand->mn = DEFAULT_MN;
    if (operand->panel_rows == 0)
        operand->panel_rows = tile->rows;
    if (!operand->descriptor_given)
        derive_descriptor(operand, tile);
}

static enum tma_error_code check_descriptor(const struct tma_wgmma_operand *operand,
                                            struct tma_error *error) {
    if (operand->swizzle > TMA_SWIZZLE_128B)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a wgmma descriptor cannot have swizzle %s; allowed: none, 32b, 64b, 128b",
                        tma_name_of(&tma_swizzle_names, (int)operand->swizzle));
    const uint32_t offsets[] = {operand->leading_bytes, operand->stride_bytes};
    for (unsigned i = 0; i < 2; i++)
        if (offsets[i] % 16 != 0 || offsets[i] > MAX_OFFSET_BYTES)
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "the %s dimension byte offset of a wgmma descriptor is %u; allowed: "
                            "multiples of 16 up to %d",
                            i == 0 ? "leading" : "stride", offsets[i], MAX_OFFSET_BYTES);
    return TMA_OK;
}

static enum tma_error_code check_operand(const struct tma_wgmma_operand *operand,
                                         const struct tma_tile *tile, struct tma_error *error) {
    if (tile->element_bytes == 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "wgmma takes elements of whole bytes; the tile's are smaller");
    if (tile->rows % operand->panel_rows != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "wgmma panels of %u rows do not divide the tile's %u rows",
                        operand->panel_rows, tile->rows);
    if (operand->mn % 8 != 0 || operand->mn > TMA_WGMMA_MAX_MN)
        return tma_fail(
            error, TMA_ERROR_ARGUMENT,
            "wgmma takes %u elements of M or N; allowed: 64 for A, multiples of 8 up to %d for B",
            operand->mn, TMA_WGMMA_MAX_MN);
    if (operand->mn_major && tile->element_bytes != 2)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "an MN-major wgmma operand has elements of 2 bytes; the tile's have %u",
                        tile->element_bytes);
    if (tile->shared_address % 16 != 0 || tile->pitch_bytes % 16 != 0 || tile->row_bytes % 16 != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a wgmma operand's address %u, pitch %u and row of %u bytes must be "
                        "multiples of 16",
                        tile->shared_address, tile->pitch_bytes, tile->row_bytes);
    return TMA_OK;
}

static enum tma_error_code find_steps(struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                                      struct tma_error *error) {
    const struct tma_wgmma_operand *operand = &walk->operand;
    bool mn_major = operand->mn_major;
    walk->rows = operand->panel_rows;
    walk->row_bytes = tile->rows / operand->panel_rows * tile->row_bytes;
    walk->step_rows = mn_major ? TMA_WGMMA_K_BYTES / tile->element_bytes : operand->mn;
    walk->step_bytes = mn_major ? operand->mn * tile->element_bytes : TMA_WGMMA_K_BYTES;
    if (walk->rows % walk->step_rows != 0 || walk->row_bytes % walk->step_bytes != 0) {
        char advice[96] = "";
        if (mn_major && walk->step_bytes % walk->row_bytes == 0)
            snprintf(advice, sizeof advice,
                     "; an operand of several boxes is a consumer of each, with mn: %u",
                     walk->row_bytes / tile->element_bytes);
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s-major wgmma takes %u rows by %u bytes, which do not divide the tile's "
                        "%u rows by %u bytes%s",
                        mn_major ? "MN" : "K", walk->step_rows, walk->step_bytes, walk->rows,
                        walk->row_bytes, advice);
    }
    uint32_t steps = walk->rows / walk->step_rows * (walk->row_bytes / walk->step_bytes);
    uint32_t cores = walk->step_rows / CORE_ROWS * (walk->step_bytes / CORE_ROW_BYTES);
    walk->step_accesses = (cores + ACCESS_CORES - 1) / ACCESS_CORES;
    walk->accesses = steps * walk->step_accesses;
    return TMA_OK;
}

/* The offset of an operand's byte from the tile's start, before the swizzle. */
static uint32_t tile_offset(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                            uint32_t row, uint32_t byte) {
    uint32_t panel = byte / tile->row_bytes;
    return (panel * walk->rows + row) * tile->pitch_bytes + byte % tile->row_bytes;
}

/* The offset at which wgmma looks for the same byte with the operand's descriptor. Each instruction
 * gets a descriptor whose start address is that of the instruction's first element. */
static uint32_t descriptor_offset(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                                  uint32_t row, uint32_t byte) {
    uint32_t step_row = row % walk->step_rows, step_byte = byte % walk->step_bytes;
    uint32_t span = span_bytes(walk->operand.swizzle);
    return tile_offset(walk, tile, row - step_row, byte - step_byte) + step_row % CORE_ROWS * span +
           step_row / CORE_ROWS * rows_offset(&walk->operand) + step_byte % span +
           step_byte / span * span_offset(&walk->operand);
}

struct mismatch {
    uint32_t count;    /* misplaced core-matrix rows */
    uint32_t row;      /* row of the first one */
    uint32_t byte;     /* byte of the first one in that row */
    uint32_t actual;   /* its shared-memory address */
    uint32_t expected; /* the shared-memory address that the descriptor gives it */
};

static void compare_core_row(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                             uint32_t row, uint32_t byte, struct mismatch *mismatch) {
    uint32_t actual = 0, expected = 0;
    /* Compare both 8-byte halves, as one swizzle mode exchanges them. */
    for (uint32_t half = 0; half < CORE_ROW_BYTES && actual == expected; half += 8) {
        uint32_t base = tile->shared_address + half;
        actual = tma_swizzle_address(tile->swizzle, base + tile_offset(walk, tile, row, byte));
        expected = tma_swizzle_address(walk->operand.swizzle,
                                       base + descriptor_offset(walk, tile, row, byte));
    }
    if (actual == expected)
        return;
    if (mismatch->count++ == 0) {
        mismatch->row = row;
        mismatch->byte = byte;
        mismatch->actual = actual;
        mismatch->expected = expected;
    }
}

/* Says which swizzle lays out the rows of a tile as a descriptor can say it, if one does. */
static const char *fitting_swizzle(const struct tma_tile *tile) {
    if (tile->swizzle != TMA_SWIZZLE_NONE)
        return "";
    return tile->pitch_bytes == 32    ? "; with swizzle 32b there is a descriptor of it"
           : tile->pitch_bytes == 64  ? "; with swizzle 64b there is a descriptor of it"
           : tile->pitch_bytes == 128 ? "; with swizzle 128b there is a descriptor of it"
                                      : "";
}

static enum tma_error_code check_layout(const struct tma_wgmma_walk *walk,
                                        const struct tma_tile *tile, struct tma_error *error) {
    const struct tma_wgmma_operand *operand = &walk->operand;
    struct mismatch mismatch = {0};
    for (uint32_t row = 0; row < walk->rows; row++)
        for (uint32_t byte = 0; byte < walk->row_bytes; byte += CORE_ROW_BYTES)
            compare_core_row(walk, tile, row, byte, &mismatch);
    if (mismatch.count == 0)
        return TMA_OK;
    uint32_t element = mismatch.byte / tile->element_bytes;
    return tma_fail(
        error, TMA_ERROR_ARGUMENT,
        "the tile does not have the layout of the wgmma descriptor (%s-major, swizzle %s, leading "
        "%u, "
        "stride %u bytes): element (m/n %u, k %u) is at shared address %u (swizzle %s, pitch %u), "
        "but the descriptor gives %u; %u of %u 16-byte rows of core matrices are misplaced%s",
        operand->mn_major ? "MN" : "K", tma_name_of(&tma_swizzle_names, (int)operand->swizzle),
        operand->leading_bytes, operand->stride_bytes, operand->mn_major ? element : mismatch.row,
        operand->mn_major ? mismatch.row : element, mismatch.actual,
        tma_name_of(&tma_swizzle_names, (int)tile->swizzle), tile->pitch_bytes, mismatch.expected,
        mismatch.count, walk->rows * (walk->row_bytes / CORE_ROW_BYTES), fitting_swizzle(tile));
}

enum tma_error_code tma_wgmma_check(const struct tma_wgmma_operand *operand,
                                    const struct tma_tile *tile, struct tma_wgmma_walk *walk,
                                    struct tma_error *error) {
    struct tma_wgmma_walk result = {.operand = *operand};
    complete(&result.operand, tile);
    enum tma_error_code code = check_operand(&result.operand, tile, error);
    if (code == TMA_OK)
        code = check_descriptor(&result.operand, error);
    if (code == TMA_OK)
        code = find_steps(&result, tile, error);
    if (code == TMA_OK)
        code = check_layout(&result, tile, error);
    if (code == TMA_OK)
        *walk = result;
    return code;
}

bool tma_wgmma_place(const struct tma_wgmma_walk *walk, const struct tma_tile *tile, uint32_t index,
                     uint32_t lane, uint32_t *row, uint32_t *byte) {
    uint32_t step = index / walk->step_accesses;
    uint32_t core = index % walk->step_accesses * ACCESS_CORES + lane / CORE_ROWS;
    uint32_t core_rows = walk->step_rows / CORE_ROWS;
    uint32_t row_steps = walk->row_bytes / walk->step_bytes;
    uint32_t operand_row = step / row_steps * walk->step_rows + core % core_rows * CORE_ROWS;
    uint32_t operand_byte = step % row_steps * walk->step_bytes + core / core_rows * CORE_ROW_BYTES;
    if (core >= core_rows * (walk->step_bytes / CORE_ROW_BYTES))
        return false;
    *row = operand_byte / tile->row_bytes * walk->rows + operand_row + lane % CORE_ROWS;
    *byte = operand_byte % tile->row_bytes;
    return true;
}
