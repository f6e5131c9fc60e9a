#include "memory/dram/address.h"

#include "memory/core/random.h"

/* Bits of a block's number whose parity is a bit of the channel and of the bank, as an H200 has
 * them: bits 0 and 1 and 2 to 4 differ within 8 KiB of a slice, those from bit 7 on are of the row.
 * The bits of the bank are numbered in the order in which an H200 refreshes banks. */
enum { CHANNEL = 0xfffff };
static const uint32_t bank_bits[] = {0x99198, 0x6af1a, 0xb5a94, 0x51d10};

enum {
    BANK_BITS = sizeof bank_bits / sizeof *bank_bits,
    PLACE_BITS = BANK_BITS + 1,
    COLUMN_BITS = 2,
    COLUMN_SHIFT = 5,
    COLUMNS = 1 << COLUMN_BITS,
    ROW_SHIFT = COLUMN_SHIFT + COLUMN_BITS,
};

/* Channel and bank that follow from some bits of a block's number. */
static uint32_t sum_of(uint64_t bits) {
    uint32_t sum = (uint32_t)__builtin_parityll(bits & CHANNEL);
    for (uint32_t i = 0; i < BANK_BITS; i++)
        sum |= (uint32_t)__builtin_parityll(bits & bank_bits[i]) << (i + 1);
    return sum;
}

_Static_assert(1 << PLACE_BITS == TMA_DRAM_PLACES, "places of a slice");

/* A place of a slice: its number counts channels first. */
static struct tma_dram_slice_place slice_place(const struct tma_dram *dram, uint64_t number) {
    uint64_t turn = tma_divide(number, &dram->by_slice_channels);
    uint32_t bank = (uint32_t)tma_modulo(turn, &dram->by_banks);
    uint32_t group = bank / dram->group_banks;
    return (struct tma_dram_slice_place){
        .channel = (uint16_t)(number - turn * dram->by_slice_channels.by),
        .bank = (uint16_t)(bank % dram->group_banks * dram->groups + group),
        .group = (uint8_t)group,
    };
}

void tma_dram_prepare_places(struct tma_dram *dram) {
    for (uint32_t i = 0; i < TMA_DRAM_PLACES; i++)
        dram->places[i] = slice_place(dram, i);
    for (uint32_t part = 0; part < TMA_DRAM_PLACE_PARTS; part++)
        for (uint32_t i = 0; i < TMA_DRAM_PLACE_SUMS; i++)
            dram->place_sums[part][i] = (uint8_t)sum_of((uint64_t)i << part * TMA_DRAM_PLACE_BITS);
}

struct tma_dram_place tma_dram_place_of(const struct tma_dram *dram, uint32_t slice,
                                        uint64_t block) {
    uint64_t column = block >> COLUMN_SHIFT & (COLUMNS - 1);
    uint64_t in_bank = (block >> ROW_SHIFT) * COLUMNS + column;
    uint64_t row = tma_divide(in_bank, &dram->by_row_blocks);
    uint64_t number = row << ROW_SHIFT | (block & ((1 << ROW_SHIFT) - 1));
    uint32_t sum = 0;
    for (uint32_t part = 0; part < TMA_DRAM_PLACE_PARTS; part++)
        sum ^= dram->place_sums[part]
                               [number >> part * TMA_DRAM_PLACE_BITS & (TMA_DRAM_PLACE_SUMS - 1)];
    struct tma_dram_slice_place place = dram->places[sum];
    if (dram->by_slice_channels.by * dram->by_banks.by > TMA_DRAM_PLACES)
        place = slice_place(dram, sum | tma_mix64(row) >> 32 << PLACE_BITS);
    return (struct tma_dram_place){
        .row = row,
        .channel = dram->slice_channels[slice] + place.channel,
        .bank = place.bank,
        .group = place.group,
        .line = (uint16_t)((in_bank - row * dram->by_row_blocks.by) * TMA_BLOCK_LINES),
    };
}
