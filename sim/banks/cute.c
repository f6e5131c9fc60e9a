#include "banks/cute.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tensormap/types.h"

enum { CHUNK_BITS = 4, MOST_DEPTH = 2, MOST_BYTES = 1 << 20, MOST_ELEMENTS = 1 << 20 };

/* The text that is read, and where. */
struct cute_cursor {
    const char *start, *at;
    struct tma_error *error;
};

static void skip_spaces(struct cute_cursor *cursor) {
    while (isspace((unsigned char)*cursor->at))
        cursor->at++;
}

static bool take(struct cute_cursor *cursor, const char *word) {
    skip_spaces(cursor);
    if (strncmp(cursor->at, word, strlen(word)) != 0)
        return false;
    cursor->at += strlen(word);
    return true;
}

static enum tma_error_code wrong(const struct cute_cursor *cursor, const char *expected) {
    return tma_fail(cursor->error, TMA_ERROR_ARGUMENT, "column %d: expected %s, as in %s",
                    (int)(cursor->at - cursor->start) + 1, expected,
                    "Swizzle<3,4,3> o smem_ptr[16b](0x0) o (8,64):(64,1)");
}

static bool take_number(struct cute_cursor *cursor, uint32_t *value) {
    char *end;
    skip_spaces(cursor);
    if (*cursor->at == '_') /* a static number: _8 */
        cursor->at++;
    if (!isdigit((unsigned char)*cursor->at))
        return false;
    unsigned long number = strtoul(cursor->at, &end, 0);
    if (number > UINT32_C(1) << 20)
        return false;
    *value = (uint32_t)number;
    cursor->at = end;
    return true;
}

/* Reads "8", "(8,64)" or "((8,16),64)": the numbers of each top-level mode. */
static enum tma_error_code read_tuple(struct cute_cursor *cursor, uint32_t numbers[TMA_CUTE_MODES],
                                      uint32_t first[TMA_CUTE_MODES + 1], uint32_t *modes) {
    uint32_t count = 0, depth = 0;
    *modes = 0;
    do {
        bool opened = false;
        for (; take(cursor, "("); opened = true)
            if (++depth > MOST_DEPTH)
                return wrong(cursor, "at most two levels of parentheses");
        if (depth <= 1 || opened)
            first[(*modes)++] = count;
        if (count == TMA_CUTE_MODES || *modes > TMA_CUTE_MODES)
            return wrong(cursor, "at most 8 numbers");
        if (!take_number(cursor, &numbers[count]))
            return wrong(cursor, "a number up to 2^20");
        count++;
        while (depth > 0 && take(cursor, ")"))
            depth--;
    } while (depth > 0 && take(cursor, ","));
    first[*modes] = count;
    return depth == 0 ? TMA_OK : wrong(cursor, "a comma or a closing parenthesis");
}

static enum tma_error_code read_swizzle(struct cute_cursor *cursor, uint32_t swizzle[3]) {
    for (int i = 0; i < 3; i++)
        if (!take_number(cursor, &swizzle[i]) || !take(cursor, i < 2 ? "," : ">"))
            return wrong(cursor, "three numbers of a swizzle");
    if (!take(cursor, "o"))
        return wrong(cursor, "o");
    return TMA_OK;
}

/* smem_ptr, smem_ptr[16b], smem_ptr[16b](0x400) or smem_ptr[16b](unset). */
static enum tma_error_code read_pointer(struct cute_cursor *cursor,
                                        struct tma_cute_layout *layout) {
    if (take(cursor, "[")) {
        if (!take_number(cursor, &layout->element_bits) || !take(cursor, "b") || !take(cursor, "]"))
            return wrong(cursor, "the bits of an element");
    }
    if (take(cursor, "(")) {
        if ((!take(cursor, "unset") && !take_number(cursor, &layout->address)) ||
            !take(cursor, ")"))
            return wrong(cursor, "an address below 1 MB");
    }
    return take(cursor, "o") ? TMA_OK : wrong(cursor, "o");
}

/* By B of Swizzle<B,4,3> in bytes. */
static const enum tma_swizzle modes_by_bits[] = {TMA_SWIZZLE_NONE, TMA_SWIZZLE_32B, TMA_SWIZZLE_64B,
                                                 TMA_SWIZZLE_128B};

/* The mode of Swizzle<B,M,S>; the M of bytes is 4: chunks of 16 bytes. */
static enum tma_error_code find_mode(const struct cute_cursor *cursor, const uint32_t swizzle[3],
                                     bool in_bytes, struct tma_cute_layout *layout) {
    uint32_t base = swizzle[1] + (in_bytes ? 0 : (uint32_t)__builtin_ctz(layout->element_bits / 8));
    if (swizzle[0] > 3 || base != CHUNK_BITS || swizzle[2] != 3)
        return tma_fail(
            cursor->error, TMA_ERROR_ARGUMENT,
            "TMA has no Swizzle<%u,%u,%u> of %s; allowed: <1,%u,3>, <2,%u,3> and "
            "<3,%u,3> for 32b, 64b and 128b%s",
            swizzle[0], swizzle[1], swizzle[2], in_bytes ? "bytes behind smem_ptr" : "elements",
            CHUNK_BITS + swizzle[1] - base, CHUNK_BITS + swizzle[1] - base,
            CHUNK_BITS + swizzle[1] - base,
            in_bytes ? "" : "; where CuTe counts bytes, write smem_ptr[16b] o before the shape");
    layout->swizzle = modes_by_bits[swizzle[0]];
    return TMA_OK;
}

/* Elements that overlap, with a stride of 0 for example, may be more than there are bytes. */
static enum tma_error_code check_size(const struct tma_cute_layout *layout,
                                      struct tma_error *error) {
    uint32_t count = layout->first[layout->mode_count];
    for (uint32_t i = 0; i < count; i++)
        if (layout->extents[i] == 0)
            return tma_fail(error, TMA_ERROR_ARGUMENT, "an extent of 0");
    uint64_t last = layout->address, elements = 1;
    for (uint32_t i = 0; i < count; i++)
        last += (uint64_t)(layout->extents[i] - 1) * layout->strides[i] * layout->element_bits / 8;
    if (last >= MOST_BYTES)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "the layout reaches beyond 1 MB");
    for (uint32_t i = 0; i < count && elements <= MOST_ELEMENTS; i++)
        elements *= layout->extents[i];
    if (elements > MOST_ELEMENTS)
        return tma_fail(error, TMA_ERROR_ARGUMENT, "the layout has more than 2^20 elements");
    return TMA_OK;
}

/* CUTLASS's names of the layouts that wgmma reads (cute/atom/mma_traits_sm90_gmma.hpp):
 * Layout_K_SW128_Atom<half_t> is 8 rows of 128 bytes, Layout_MN_SW64_Atom 64 bytes of M or N by 8
 * of K. INTER has rows of 16 bytes and no swizzle. */
static bool read_atom(const char *text, struct tma_cute_layout *layout) {
    static const struct {
        const char *name;
        enum tma_swizzle swizzle;
        uint32_t bytes;
    } modes[] = {{"_INTER_Atom", TMA_SWIZZLE_NONE, 16},
                 {"_SW32_Atom", TMA_SWIZZLE_32B, 32},
                 {"_SW64_Atom", TMA_SWIZZLE_64B, 64},
                 {"_SW128_Atom", TMA_SWIZZLE_128B, 128}};
    static const struct {
        const char *name;
        uint32_t bits;
    } types[] = {{"int8", 8},  {"uint8", 8},   {"e4m3", 8},   {"e5m2", 8},   {"float32", 32},
                 {"tf32", 32}, {"float>", 32}, {"int32", 32}, {"double", 64}};
    enum { ROWS = 8 };
    const char *mn = strstr(text, "Layout_MN"), *at = mn != NULL ? mn : strstr(text, "Layout_K");
    uint32_t bytes = 0;
    for (size_t i = 0; at != NULL && i < sizeof modes / sizeof *modes; i++)
        if (strstr(at, modes[i].name) != NULL) {
            bytes = modes[i].bytes;
            layout->swizzle = modes[i].swizzle;
        }
    if (bytes == 0)
        return false;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strstr(at, types[i].name) != NULL)
            layout->element_bits = types[i].bits;
    uint32_t along = 8 * bytes / layout->element_bits;
    layout->mode_count = 2;
    layout->first[1] = 1;
    layout->first[2] = 2;
    layout->extents[0] = layout->strides[1] = mn != NULL ? along : ROWS;
    layout->extents[1] = layout->strides[0] = mn != NULL ? ROWS : along;
    layout->strides[mn != NULL ? 0 : 1] = 1;
    return true;
}

enum tma_error_code tma_cute_read(const char *text, struct tma_cute_layout *layout,
                                  struct tma_error *error) {
    struct cute_cursor cursor = {text, text, error};
    uint32_t swizzle[3] = {0, CHUNK_BITS, 3}, first[TMA_CUTE_MODES + 1] = {0}, modes = 0;
    bool in_bytes = false;
    enum tma_error_code code = TMA_OK;
    *layout = (struct tma_cute_layout){.swizzle = TMA_SWIZZLE_NONE, .element_bits = 16};
    if (read_atom(text, layout))
        return TMA_OK;
    if (take(&cursor, "Swizzle<") || take(&cursor, "Sw<"))
        code = read_swizzle(&cursor, swizzle);
    if (code == TMA_OK && take(&cursor, "smem_ptr")) {
        in_bytes = true;
        code = read_pointer(&cursor, layout);
    }
    if (code == TMA_OK && layout->element_bits != 8 && layout->element_bits != 16 &&
        layout->element_bits != 32 && layout->element_bits != 64)
        code = tma_fail(error, TMA_ERROR_ARGUMENT, "elements of %u bits; allowed: 8, 16, 32 and 64",
                        layout->element_bits);
    if (code == TMA_OK && swizzle[0] > 0)
        code = find_mode(&cursor, swizzle, in_bytes, layout);
    if (code == TMA_OK)
        code = read_tuple(&cursor, layout->extents, layout->first, &layout->mode_count);
    if (code == TMA_OK && !take(&cursor, ":"))
        code = wrong(&cursor, ": and strides");
    if (code == TMA_OK)
        code = read_tuple(&cursor, layout->strides, first, &modes);
    skip_spaces(&cursor);
    if (code == TMA_OK && *cursor.at != '\0')
        code = wrong(&cursor, "the end");
    if (code == TMA_OK && (modes != layout->mode_count ||
                           memcmp(first, layout->first, (modes + 1) * sizeof first[0]) != 0))
        code = wrong(&cursor, "strides with the parentheses of the shape");
    return code == TMA_OK ? check_size(layout, error) : code;
}

struct tma_cute_layout tma_cute_of_tile(const struct tma_tile *tile) {
    uint32_t element_bytes = tile->element_bytes;
    return (struct tma_cute_layout){
        .swizzle = tile->swizzle,
        .element_bits = 8 * element_bytes,
        .address = tile->shared_address,
        .mode_count = 2,
        .first = {0, 1, 2},
        .extents = {tile->rows, tile->row_bytes / element_bytes},
        .strides = {tile->pitch_bytes / element_bytes, 1},
    };
}

static size_t write_tuple(const struct tma_cute_layout *layout, const uint32_t *numbers, char *text,
                          size_t size) {
    size_t at = (size_t)snprintf(text, size, "(");
    for (uint32_t mode = 0; mode < layout->mode_count; mode++) {
        uint32_t begin = layout->first[mode], end = layout->first[mode + 1];
        at += (size_t)snprintf(text + at, size - at, "%s%s", mode == 0 ? "" : ",",
                               end - begin > 1 ? "(" : "");
        for (uint32_t i = begin; i < end; i++)
            at += (size_t)snprintf(text + at, size - at, "%s%u", i == begin ? "" : ",", numbers[i]);
        at += (size_t)snprintf(text + at, size - at, "%s", end - begin > 1 ? ")" : "");
    }
    return at + (size_t)snprintf(text + at, size - at, ")");
}

void tma_cute_write(const struct tma_cute_layout *layout, char text[TMA_CUTE_TEXT_BYTES]) {
    unsigned bits = 0;
    while (modes_by_bits[bits] != layout->swizzle)
        bits++;
    size_t at =
        (size_t)snprintf(text, TMA_CUTE_TEXT_BYTES, "Swizzle<%u,4,3> o smem_ptr[%ub](0x%x) o ",
                         bits, layout->element_bits, layout->address);
    at += write_tuple(layout, layout->extents, text + at, TMA_CUTE_TEXT_BYTES - at);
    at += (size_t)snprintf(text + at, TMA_CUTE_TEXT_BYTES - at, ":");
    write_tuple(layout, layout->strides, text + at, TMA_CUTE_TEXT_BYTES - at);
}

uint32_t tma_cute_extent(const struct tma_cute_layout *layout, uint32_t mode) {
    uint32_t extent = 1;
    for (uint32_t i = layout->first[mode]; i < layout->first[mode + 1]; i++)
        extent *= layout->extents[i];
    return extent;
}

uint32_t tma_cute_address(const struct tma_cute_layout *layout,
                          const uint32_t indices[TMA_CUTE_MODES]) {
    uint32_t offset = 0;
    for (uint32_t mode = 0; mode < layout->mode_count; mode++) {
        uint32_t left = indices[mode];
        for (uint32_t i = layout->first[mode]; i < layout->first[mode + 1]; i++) {
            offset += left % layout->extents[i] * layout->strides[i];
            left /= layout->extents[i];
        }
    }
    return tma_swizzle_address(layout->swizzle,
                               layout->address + offset * layout->element_bits / 8);
}

enum tma_error_code tma_cute_box(const struct tma_cute_layout *layout, uint32_t box[TMA_MAX_RANK],
                                 uint32_t modes[TMA_MAX_RANK], uint32_t *rank,
                                 struct tma_error *error) {
    uint32_t next = 1, count = layout->first[layout->mode_count];
    bool used[TMA_CUTE_MODES] = {false};
    *rank = 0;
    for (uint32_t found = 0; found < count; found++) {
        uint32_t at = count, mode = 0;
        for (uint32_t i = 0; i < count; i++)
            if (!used[i] && (layout->strides[i] == next || layout->extents[i] == 1))
                at = at == count || layout->extents[i] == 1 ? i : at;
        if (at == count)
            return tma_fail(error, TMA_ERROR_ARGUMENT,
                            "no extent has the stride %u: a box fills shared memory without gaps, "
                            "each dimension behind the one before",
                            next);
        while (layout->first[mode + 1] <= at)
            mode++;
        used[at] = true;
        if (layout->extents[at] == 1)
            continue;
        next *= layout->extents[at];
        if (*rank > 0 && modes[*rank - 1] == mode)
            box[*rank - 1] *= layout->extents[at];
        else if (*rank == TMA_MAX_RANK)
            return tma_fail(error, TMA_ERROR_ARGUMENT, "a box has at most %d dimensions",
                            TMA_MAX_RANK);
        else {
            box[*rank] = layout->extents[at];
            modes[(*rank)++] = mode;
        }
    }
    uint32_t row_bytes = *rank == 0 ? 0 : box[0] * layout->element_bits / 8;
    uint32_t span = tma_swizzle_info(layout->swizzle)->span_bytes;
    if (layout->swizzle != TMA_SWIZZLE_NONE && row_bytes > span)
        return tma_fail(
            error, TMA_ERROR_ARGUMENT,
            "rows of %u bytes are longer than the %u of the swizzle: TMA writes them as "
            "%u boxes of %u elements, each behind the one before, which is the layout "
            "with (%u,%u):(1,%u) in that mode",
            row_bytes, span, row_bytes / span, span * 8 / layout->element_bits,
            span * 8 / layout->element_bits, row_bytes / span, next / (row_bytes / span));
    return TMA_OK;
}

const char *tma_cute_data_type(const struct tma_cute_layout *layout) {
    static const char *const types[] = {"uint8", "float16", "float32", "float64"};
    return types[__builtin_ctz(layout->element_bits / 8)];
}
