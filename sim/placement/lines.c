#include "placement/lines.h"

#include <string.h>

enum { LINE_BYTES = 128 };

/* How one 128-byte line is swizzled. */
struct line_swizzle {
    uint32_t flip_chunks; /* XORed into the addresses of its chunks */
    bool flip_halves;     /* the 8-byte halves of each chunk are exchanged */
};

static struct line_swizzle swizzle_of_line(const struct tma_swizzle_info *swizzle,
                                           uint32_t address) {
    uint32_t number = address / LINE_BYTES % swizzle->lines;
    return (struct line_swizzle){number * swizzle->atom_bytes,
                                 swizzle->flips_8b && number % 2 == 1};
}

/* How many of the `count` bytes from `address` on lie in its line. */
static uint32_t within_line(uint32_t address, uint32_t count) {
    uint32_t left = LINE_BYTES - address % LINE_BYTES;
    return count < left ? count : left;
}

static void put_flipped(uint8_t *to, const uint8_t *from, uint32_t count) {
    uint32_t low = count < 8 ? count : 8;
    memcpy(to + 8, from, low);
    memcpy(to, from + low, count - low);
}

static void put_line(struct line_swizzle line, const struct tma_shared_memory *shared,
                     uint32_t address, const uint8_t *from, uint32_t count) {
    for (; count > 0; address += TMA_CHUNK_BYTES, from += TMA_CHUNK_BYTES) {
        uint32_t bytes = count < TMA_CHUNK_BYTES ? count : TMA_CHUNK_BYTES;
        uint8_t *to = shared->bytes + ((address ^ line.flip_chunks) - shared->address);
        if (line.flip_halves)
            put_flipped(to, from, bytes);
        else
            memcpy(to, from, bytes);
        count -= bytes;
    }
}

/* The swizzle that exchanges halves is legal for loads only, which put lines. */
static void get_line(struct line_swizzle line, const struct tma_shared_memory *shared,
                     uint32_t address, uint8_t *into, uint32_t count) {
    for (; count > 0; address += TMA_CHUNK_BYTES, into += TMA_CHUNK_BYTES) {
        uint32_t bytes = count < TMA_CHUNK_BYTES ? count : TMA_CHUNK_BYTES;
        const uint8_t *from = shared->bytes + ((address ^ line.flip_chunks) - shared->address);
        memcpy(into, from, bytes);
        count -= bytes;
    }
}

void tma_lines_put(const struct tma_swizzle_info *swizzle, const struct tma_shared_memory *shared,
                   uint32_t address, const uint8_t *from, uint32_t count) {
    while (count > 0) {
        uint32_t bytes = within_line(address, count);
        put_line(swizzle_of_line(swizzle, address), shared, address, from, bytes);
        address += bytes;
        from += bytes;
        count -= bytes;
    }
}

void tma_lines_get(const struct tma_swizzle_info *swizzle, const struct tma_shared_memory *shared,
                   uint32_t address, uint8_t *into, uint32_t count) {
    while (count > 0) {
        uint32_t bytes = within_line(address, count);
        get_line(swizzle_of_line(swizzle, address), shared, address, into, bytes);
        address += bytes;
        into += bytes;
        count -= bytes;
    }
}
