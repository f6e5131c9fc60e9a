#include "banks/wgmma.h"

#include "tensormap/types.h"

enum { CORE_ROWS = 8, CORE_ROW_BYTES = 16, DEFAULT_MN = 64, ACCESS_CORES = 4 };

/* Offsets are encoded in 14 bits, in units of 16 bytes. */
enum { MAX_OFFSET_BYTES = ((1 << 14) - 1) * 16 };

/* What the rows of one swizzle pattern hold: the span, or a core matrix's row without swizzle. */
static uint32_t span_bytes(enum tma_swizzle swizzle) {
    return swizzle == TMA_SWIZZLE_NONE ? CORE_ROW_BYTES : tma_swizzle_info(swizzle)->span_bytes;
}

/* Leading and stride offsets by what they do: from 8 rows to the next 8, and from one span of bytes
 * to the next. They change places in MN-major without swizzle. */
static uint32_t rows_offset(const struct tma_wgmma_operand *operand) {
    bool swapped = operand->mn_major && operand->claims == TMA_SWIZZLE_NONE;
    return swapped ? operand->leading_bytes : operand->stride_bytes;
}

static uint32_t span_offset(const struct tma_wgmma_operand *operand) {
    bool swapped = operand->mn_major && operand->claims == TMA_SWIZZLE_NONE;
    return swapped ? operand->stride_bytes : operand->leading_bytes;
}

/* The descriptor that is right if the tile is in canonical layout. Swizzled K-major operands do not
 * use the leading offset. */
static void derive_descriptor(struct tma_wgmma_operand *operand, const struct tma_tile *tile) {
    uint32_t rows = CORE_ROWS * tile->pitch_bytes;
    bool in_row = tile->row_bytes > span_bytes(tile->swizzle);
    bool unused = !operand->mn_major && tile->swizzle != TMA_SWIZZLE_NONE;
    uint32_t span = in_row || unused ? CORE_ROW_BYTES : operand->panel_rows * tile->pitch_bytes;
    bool swapped = operand->mn_major && tile->swizzle == TMA_SWIZZLE_NONE;
    operand->claims = tile->swizzle;
    operand->leading_bytes = swapped ? rows : span;
    operand->stride_bytes = swapped ? span : rows;
}

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
    if (operand->claims > TMA_SWIZZLE_128B)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "a wgmma descriptor cannot claim swizzle %s; allowed: none, 32b, 64b, 128b",
                        tma_name_of(&tma_swizzle_names, (int)operand->claims));
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
            "wgmma takes %u of M or N; allowed: 64 for A, multiples of 8 up to %d for B",
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
    walk->across = operand->panel_rows;
    walk->along = tile->rows / operand->panel_rows * tile->row_bytes;
    walk->step_across = mn_major ? TMA_WGMMA_K_BYTES / tile->element_bytes : operand->mn;
    walk->step_along = mn_major ? operand->mn * tile->element_bytes : TMA_WGMMA_K_BYTES;
    if (walk->across % walk->step_across != 0 || walk->along % walk->step_along != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "%s-major wgmma takes %u rows by %u bytes, which do not divide the tile's "
                        "%u rows by %u bytes",
                        mn_major ? "MN" : "K", walk->step_across, walk->step_along, walk->across,
                        walk->along);
    uint32_t steps = walk->across / walk->step_across * (walk->along / walk->step_along);
    uint32_t cores = walk->step_across / CORE_ROWS * (walk->step_along / CORE_ROW_BYTES);
    walk->step_accesses = (cores + ACCESS_CORES - 1) / ACCESS_CORES;
    walk->accesses = steps * walk->step_accesses;
    return TMA_OK;
}

/* A place in the operand, as offset from the tile's start before the swizzle. */
static uint32_t tile_offset(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                            uint32_t across, uint32_t along) {
    uint32_t panel = along / tile->row_bytes;
    return (panel * walk->across + across) * tile->pitch_bytes + along % tile->row_bytes;
}

/* Where the descriptor of the step that holds the place looks for it, as offset likewise. The start
 * address of a step is that of its first element. */
static uint32_t claimed_offset(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                               uint32_t across, uint32_t along) {
    uint32_t row = across % walk->step_across, byte = along % walk->step_along;
    uint32_t span = span_bytes(walk->operand.claims);
    return tile_offset(walk, tile, across - row, along - byte) + row % CORE_ROWS * span +
           row / CORE_ROWS * rows_offset(&walk->operand) + byte % span +
           byte / span * span_offset(&walk->operand);
}

struct mismatch {
    uint32_t count;         /* of core-matrix rows */
    uint32_t across, along; /* the first */
    uint32_t lies, looked;  /* shared-memory addresses */
};

static void compare_place(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                          uint32_t across, uint32_t along, struct mismatch *mismatch) {
    uint32_t lies = 0, looked = 0;
    /* Both halves: one swizzle exchanges them. */
    for (uint32_t half = 0; half < CORE_ROW_BYTES && lies == looked; half += 8) {
        uint32_t base = tile->shared_address + half;
        lies = tma_swizzle_address(tile->swizzle, base + tile_offset(walk, tile, across, along));
        looked = tma_swizzle_address(walk->operand.claims,
                                     base + claimed_offset(walk, tile, across, along));
    }
    if (lies == looked)
        return;
    if (mismatch->count++ == 0) {
        mismatch->across = across;
        mismatch->along = along;
        mismatch->lies = lies;
        mismatch->looked = looked;
    }
}

static enum tma_error_code check_layout(const struct tma_wgmma_walk *walk,
                                        const struct tma_tile *tile, struct tma_error *error) {
    const struct tma_wgmma_operand *operand = &walk->operand;
    struct mismatch mismatch = {0};
    for (uint32_t across = 0; across < walk->across; across++)
        for (uint32_t along = 0; along < walk->along; along += CORE_ROW_BYTES)
            compare_place(walk, tile, across, along, &mismatch);
    if (mismatch.count == 0)
        return TMA_OK;
    uint32_t element = mismatch.along / tile->element_bytes;
    return tma_fail(
        error, TMA_ERROR_ARGUMENT,
        "the tile does not lie as the wgmma descriptor claims (%s-major, swizzle %s, leading %u, "
        "stride %u bytes): element (%s %u, k %u) is at shared address %u (swizzle %s, pitch %u), "
        "the descriptor looks at %u; so for %u of %u 16-byte rows of core matrices",
        operand->mn_major ? "MN" : "K", tma_name_of(&tma_swizzle_names, (int)operand->claims),
        operand->leading_bytes, operand->stride_bytes, "m/n",
        operand->mn_major ? element : mismatch.across,
        operand->mn_major ? mismatch.across : element, mismatch.lies,
        tma_name_of(&tma_swizzle_names, (int)tile->swizzle), tile->pitch_bytes, mismatch.looked,
        mismatch.count, walk->across * (walk->along / CORE_ROW_BYTES));
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
    uint32_t core_rows = walk->step_across / CORE_ROWS;
    uint32_t steps_along = walk->along / walk->step_along;
    uint32_t across = step / steps_along * walk->step_across + core % core_rows * CORE_ROWS;
    uint32_t along = step % steps_along * walk->step_along + core / core_rows * CORE_ROW_BYTES;
    if (core >= core_rows * (walk->step_along / CORE_ROW_BYTES))
        return false;
    *row = along / tile->row_bytes * walk->across + across + lane % CORE_ROWS;
    *byte = along % tile->row_bytes;
    return true;
}
