#include "banks/wgmma_descriptor.h"

enum { CHUNK_BYTES = 16, ADDRESS_MASK = 0x3ffff, FIELD_MASK = 0x3fff };

/* By the two bits of a descriptor. */
static const enum tma_swizzle modes[4] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_128B, TMA_SWIZZLE_64B,
                                          TMA_SWIZZLE_32B};

struct tma_wgmma_descriptor tma_wgmma_decode(uint64_t value) {
    return (struct tma_wgmma_descriptor){
        (uint32_t)(value & FIELD_MASK) << 4, (uint32_t)(value >> 16 & FIELD_MASK) << 4,
        (uint32_t)(value >> 32 & FIELD_MASK) << 4, (uint32_t)(value >> 49 & 7), modes[value >> 62]};
}

uint64_t tma_wgmma_encode(const struct tma_wgmma_descriptor *descriptor) {
    uint64_t mode = 0;
    while (modes[mode] != descriptor->swizzle)
        mode++;
    return (uint64_t)(descriptor->start_bytes >> 4 & FIELD_MASK) |
           (uint64_t)(descriptor->leading_bytes >> 4) << 16 |
           (uint64_t)(descriptor->stride_bytes >> 4) << 32 |
           (uint64_t)descriptor->base_offset << 49 | mode << 62;
}

uint32_t tma_wgmma_descriptor_address(uint64_t value, bool mn_major, uint32_t line,
                                      uint32_t chunk) {
    /* Bytes of the rows that are swizzled: none, 128, 64, 32. */
    static const uint32_t widths[4] = {16, 128, 64, 32};
    struct tma_wgmma_descriptor fields = tma_wgmma_decode(value);
    uint32_t width = widths[value >> 62], chunks = width / CHUNK_BYTES, address;
    if (mn_major && chunks == 1)
        address =
            line % 8 * CHUNK_BYTES + line / 8 * fields.leading_bytes + chunk * fields.stride_bytes;
    else /* along K, only B of a sparse product is wider than a row of 32 bytes */
        address = line % 8 * width + line / 8 * fields.stride_bytes + chunk % chunks * CHUNK_BYTES +
                  chunk / chunks * fields.leading_bytes;
    address = (fields.start_bytes + address) & ADDRESS_MASK;
    /* The pattern repeats each 8 rows of 128 bytes; `base_offset` says in which of them the matrix
     * begins. */
    uint32_t row = (address >> 7) - fields.base_offset;
    return address ^ (row & (chunks - 1)) << 4;
}

enum tma_error_code tma_wgmma_walk_of(const struct tma_tile *tile, uint32_t mn, bool mn_major,
                                      struct tma_wgmma_walk *walk, struct tma_error *error) {
    struct tma_wgmma_operand operand = {.mn = mn, .mn_major = mn_major};
    if (mn == 0 && !mn_major && tile->rows % 64 != 0)
        operand.mn = tile->rows;
    if (mn == 0 && mn_major && tile->element_bytes > 0 &&
        tile->row_bytes / tile->element_bytes < 64)
        operand.mn = tile->row_bytes / tile->element_bytes;
    return tma_wgmma_check(&operand, tile, walk, error);
}

uint32_t tma_wgmma_step_count(const struct tma_wgmma_walk *walk) {
    return walk->rows / walk->step_rows * (walk->row_bytes / walk->step_bytes);
}

/* Row and byte of the operand at which an instruction begins. */
static void step_begin(const struct tma_wgmma_walk *walk, uint32_t step, uint32_t *row,
                       uint32_t *byte) {
    uint32_t row_steps = walk->row_bytes / walk->step_bytes;
    *row = step / row_steps * walk->step_rows;
    *byte = step % row_steps * walk->step_bytes;
}

/* The place of an operand's byte in the tile, before the swizzle. */
static uint32_t place(const struct tma_wgmma_walk *walk, const struct tma_tile *tile, uint32_t row,
                      uint32_t byte) {
    uint32_t panel = byte / tile->row_bytes;
    return tile->shared_address + (panel * walk->rows + row) * tile->pitch_bytes +
           byte % tile->row_bytes;
}

struct tma_wgmma_step tma_wgmma_step(const struct tma_wgmma_walk *walk, const struct tma_tile *tile,
                                     uint32_t index) {
    const struct tma_wgmma_operand *operand = &walk->operand;
    uint32_t row, byte, element = tile->element_bytes;
    step_begin(walk, index, &row, &byte);
    struct tma_wgmma_descriptor fields = {place(walk, tile, row, byte), operand->leading_bytes,
                                          operand->stride_bytes, 0, operand->swizzle};
    return (struct tma_wgmma_step){tma_wgmma_encode(&fields),
                                   operand->mn_major ? byte / element : row,
                                   operand->mn_major ? row : byte / element};
}

struct tma_wgmma_comparison tma_wgmma_compare(const struct tma_wgmma_walk *walk,
                                              const struct tma_tile *tile, uint64_t value) {
    struct tma_wgmma_comparison result = {.step = 0};
    bool mn_major = walk->operand.mn_major;
    uint32_t first_row, first_byte, start = tma_wgmma_decode(value).start_bytes;
    for (uint32_t i = tma_wgmma_step_count(walk); i-- > 0;)
        if (tma_wgmma_decode(tma_wgmma_step(walk, tile, i).descriptor).start_bytes == start) {
            result.step = i;
            result.named = true;
        }
    step_begin(walk, result.step, &first_row, &first_byte);
    for (uint32_t line = 0; line < walk->step_rows; line++)
        for (uint32_t chunk = 0; chunk < walk->step_bytes / CHUNK_BYTES; chunk++) {
            uint32_t row = first_row + line, byte = first_byte + CHUNK_BYTES * chunk;
            uint32_t has = tma_swizzle_address(tile->swizzle, place(walk, tile, row, byte));
            uint32_t reads = tma_wgmma_descriptor_address(value, mn_major, line, chunk);
            result.rows++;
            if ((has & ADDRESS_MASK) == reads || result.wrong++ > 0)
                continue;
            result.mn = mn_major ? byte / tile->element_bytes : row;
            result.k = mn_major ? row : byte / tile->element_bytes;
            result.has = has;
            result.reads = reads;
        }
    return result;
}
