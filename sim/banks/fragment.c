#include "banks/fragment.h"

enum { WARP_THREADS = 32, GROUP_THREADS = 128, REGISTER_BITS = 32, K_BITS = 256 };

const struct tma_names tma_fragment_names = TMA_NAMES(
    "fragment", {"wgmma_d", TMA_FRAGMENT_WGMMA_D}, {"wgmma_a", TMA_FRAGMENT_WGMMA_A},
    {"mma_a", TMA_FRAGMENT_MMA_A}, {"mma_b", TMA_FRAGMENT_MMA_B}, {"mma_d", TMA_FRAGMENT_MMA_D},
    {"ldmatrix", TMA_FRAGMENT_LDMATRIX}, {"ldmatrix_trans", TMA_FRAGMENT_LDMATRIX_TRANS});

static bool is_matrix_load(enum tma_fragment_kind kind) {
    return kind == TMA_FRAGMENT_LDMATRIX || kind == TMA_FRAGMENT_LDMATRIX_TRANS;
}

static bool is_accumulator(enum tma_fragment_kind kind) {
    return kind == TMA_FRAGMENT_WGMMA_D || kind == TMA_FRAGMENT_MMA_D;
}

static enum tma_error_code check_size(enum tma_fragment_kind kind, uint32_t size,
                                      struct tma_error *error) {
    if (kind == TMA_FRAGMENT_WGMMA_D && (size % 8 != 0 || size > 256))
        return tma_fail(error, TMA_ERROR_ARGUMENT,
                        "an accumulator of wgmma has %u columns; allowed: multiples of 8 up to 256",
                        size);
    if (is_matrix_load(kind) && size != 0 && size != 1 && size != 2 && size != 4)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "ldmatrix takes %u matrices; allowed: 1, 2 or 4",
                        size);
    if (kind != TMA_FRAGMENT_WGMMA_D && !is_matrix_load(kind) && size != 0)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "%s has one size: it takes none",
                        tma_name_of(&tma_fragment_names, (int)kind));
    return TMA_OK;
}

static enum tma_error_code check_bits(enum tma_fragment_kind kind, uint32_t bits,
                                      struct tma_error *error) {
    bool good = is_matrix_load(kind)   ? bits == 16
                : is_accumulator(kind) ? bits == 16 || bits == 32
                                       : bits == 8 || bits == 16 || bits == 32;
    if (good)
        return TMA_OK;
    return tma_fail(error, TMA_ERROR_ARGUMENT, "%s has no elements of %u bits; allowed: %s",
                    tma_name_of(&tma_fragment_names, (int)kind), bits,
                    is_matrix_load(kind)   ? "16"
                    : is_accumulator(kind) ? "16 or 32"
                                           : "8, 16 or 32");
}

enum tma_error_code tma_fragment_of(enum tma_fragment_kind kind, uint32_t bits, uint32_t size,
                                    struct tma_fragment *fragment, struct tma_error *error) {
    bool group = kind == TMA_FRAGMENT_WGMMA_D || kind == TMA_FRAGMENT_WGMMA_A;
    if (bits == 0)
        bits = is_accumulator(kind) ? 32 : 16;
    enum tma_error_code code = check_size(kind, size, error);
    if (code == TMA_OK)
        code = check_bits(kind, bits, error);
    if (code != TMA_OK)
        return code;
    *fragment = (struct tma_fragment){.kind = kind,
                                      .bits = bits,
                                      .rows = group ? 64 : 16,
                                      .columns = K_BITS / bits,
                                      .threads = group ? GROUP_THREADS : WARP_THREADS};
    if (kind == TMA_FRAGMENT_WGMMA_D)
        fragment->columns = size == 0 ? 64 : size;
    if (kind == TMA_FRAGMENT_MMA_D)
        fragment->columns = 8;
    if (kind == TMA_FRAGMENT_MMA_B) {
        fragment->rows = K_BITS / bits;
        fragment->columns = 8;
    }
    if (is_matrix_load(kind)) {
        fragment->rows = 8 * (size == 0 ? 4 : size);
        fragment->columns = 8;
    }
    fragment->elements = fragment->rows * fragment->columns / fragment->threads;
    return TMA_OK;
}

uint32_t tma_fragment_register(const struct tma_fragment *fragment, uint32_t element) {
    return element * fragment->bits / REGISTER_BITS;
}

uint32_t tma_fragment_bit(const struct tma_fragment *fragment, uint32_t element) {
    return element * fragment->bits % REGISTER_BITS;
}

/* All fragments are made of pieces of 8 rows of 16 bytes of A, or 8 columns of B, or 8 rows of 8
 * columns of an accumulator: a row belongs to four neighbouring lanes, each of which has a register
 * of it, or a pair of elements of an accumulator. */
void tma_fragment_element(const struct tma_fragment *fragment, struct tma_fragment_place place,
                          uint32_t *row, uint32_t *column) {
    uint32_t lane = place.thread % WARP_THREADS, warp = place.thread / WARP_THREADS;
    uint32_t pack = is_accumulator(fragment->kind) ? 2 : REGISTER_BITS / fragment->bits;
    uint32_t piece = place.element / pack, in_pack = place.element % pack;
    uint32_t eighth = lane / 4, along = lane % 4 * pack + in_pack;
    switch (fragment->kind) {
    case TMA_FRAGMENT_WGMMA_D:
    case TMA_FRAGMENT_WGMMA_A:
    case TMA_FRAGMENT_MMA_A:
    case TMA_FRAGMENT_MMA_D:
        *row = 16 * warp + eighth + 8 * (piece % 2);
        *column = along + 4 * pack * (piece / 2);
        break;
    case TMA_FRAGMENT_MMA_B:
        *row = along + 4 * pack * piece;
        *column = eighth;
        break;
    case TMA_FRAGMENT_LDMATRIX:
        *row = 8 * piece + eighth;
        *column = along;
        break;
    case TMA_FRAGMENT_LDMATRIX_TRANS:
        *row = 8 * piece + along;
        *column = eighth;
        break;
    }
}

struct tma_fragment_place tma_fragment_find(const struct tma_fragment *fragment, uint32_t row,
                                            uint32_t column) {
    struct tma_fragment_place place = {0, 0};
    for (place.thread = 0; place.thread < fragment->threads; place.thread++)
        for (place.element = 0; place.element < fragment->elements; place.element++) {
            uint32_t r = 0, c = 0;
            tma_fragment_element(fragment, place, &r, &c);
            if (r == row && c == column)
                return place;
        }
    return place;
}
