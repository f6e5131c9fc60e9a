/* wgmma and cute: the matrix descriptors with which wgmma reads a tile, and layouts in CuTe's
 * notation. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "banks/cute.h"
#include "banks/operation_tile.h"
#include "banks/wgmma_descriptor.h"
#include "serve/answers.h"

enum { MOST_STEPS = 64 };

static void write_value(struct tma_reply_line *reply, const char *key, uint64_t value) {
    char text[24];
    snprintf(text, sizeof text, "0x%016" PRIx64, value);
    tma_reply_text(reply, key, text);
}

static bool read_value(const struct tma_request *request, uint64_t *value,
                       struct tma_request_error *error) {
    const char *text = request->words[TMA_REQUEST_VALUE].text;
    char *end;
    errno = 0;
    *value = strtoull(text, &end, 0);
    if (end != text && *end == '\0' && errno == 0 && *text != '-')
        return true;
    return tma_request_fail(error, request, TMA_REQUEST_VALUE,
                            "value is \"%.40s\"; expected 64 bits, as in 0x4000004000010000", text);
}

/* The fields of a descriptor; and, where wgmma can read the tile, what it gets wrong. */
static void write_comparison(struct tma_reply_line *reply, const struct tma_wgmma_walk *walk,
                             const struct tma_tile *tile, uint64_t value) {
    struct tma_wgmma_descriptor fields = tma_wgmma_decode(value);
    tma_reply_open(reply, "given", '{');
    tma_reply_unsigned(reply, "start", fields.start_bytes);
    tma_reply_unsigned(reply, "leading", fields.leading_bytes);
    tma_reply_unsigned(reply, "stride", fields.stride_bytes);
    tma_reply_unsigned(reply, "base_offset", fields.base_offset);
    tma_reply_text(reply, "swizzle", tma_name_of(&tma_swizzle_names, (int)fields.swizzle));
    write_value(reply, "unknown_bits", value ^ tma_wgmma_encode(&fields));
    if (walk != NULL) {
        struct tma_wgmma_comparison comparison = tma_wgmma_compare(walk, tile, value);
        tma_reply_unsigned(reply, "step", comparison.step);
        tma_reply_bool(reply, "named", comparison.named);
        tma_reply_unsigned(reply, "rows", comparison.rows);
        tma_reply_unsigned(reply, "wrong", comparison.wrong);
        if (comparison.wrong > 0) {
            tma_reply_unsigned(reply, "mn", comparison.mn);
            tma_reply_unsigned(reply, "k", comparison.k);
            tma_reply_unsigned(reply, "has", comparison.has);
            tma_reply_unsigned(reply, "reads", comparison.reads);
        }
    }
    tma_reply_close(reply, '}');
}

static void write_steps(struct tma_reply_line *reply, const struct tma_wgmma_walk *walk,
                        const struct tma_tile *tile) {
    uint32_t count = tma_wgmma_step_count(walk);
    tma_reply_unsigned(reply, "mn", walk->operand.mn);
    tma_reply_unsigned(reply, "k", TMA_WGMMA_K_BYTES / tile->element_bytes);
    tma_reply_unsigned(reply, "steps", count);
    tma_reply_open(reply, "descriptors", '[');
    for (uint32_t i = 0; i < count && i < MOST_STEPS; i++) {
        struct tma_wgmma_step step = tma_wgmma_step(walk, tile, i);
        tma_reply_open(reply, NULL, '{');
        write_value(reply, "value", step.descriptor);
        tma_reply_unsigned(reply, "mn", step.mn);
        tma_reply_unsigned(reply, "k", step.k);
        tma_reply_close(reply, '}');
    }
    tma_reply_close(reply, ']');
}

bool tma_answer_wgmma(const struct tma_request *request, struct tma_reply_line *reply,
                      struct tma_request_error *error) {
    struct tma_tensor_map map;
    struct tma_operation operation;
    struct tma_operation_size size;
    struct tma_tile tile;
    struct tma_wgmma_walk walk;
    struct tma_error why = {0};
    uint64_t value = 0;
    char layout[TMA_CUTE_TEXT_BYTES];
    bool given = tma_request_has(request, TMA_REQUEST_VALUE);
    bool mn_major = tma_request_has(request, TMA_REQUEST_MN_MAJOR) &&
                    request->numbers[TMA_REQUEST_MN_MAJOR][0] != 0;
    int64_t mn = tma_request_has(request, TMA_REQUEST_MN) ? request->numbers[TMA_REQUEST_MN][0] : 0;
    if (!tma_answer_placement(request, &map, &operation, &size, error) ||
        (given && !read_value(request, &value, error)))
        return false;
    if (mn > TMA_WGMMA_MAX_MN)
        return tma_request_fail(error, request, TMA_REQUEST_MN, "mn is %lld; allowed: 0 to %d",
                                (long long)mn, TMA_WGMMA_MAX_MN);
    if (tma_operation_tile(&map, &operation, &tile, &why) != TMA_OK)
        return tma_request_fail_whole(error, why.code, why.text);
    if (tile.element_bytes > 0 && tile.swizzle <= TMA_SWIZZLE_128B) {
        struct tma_cute_layout cute = tma_cute_of_tile(&tile);
        tma_cute_write(&cute, layout);
        tma_reply_text(reply, "cute", layout);
    }
    bool reads = tma_wgmma_walk_of(&tile, (uint32_t)mn, mn_major, &walk, &why) == TMA_OK;
    tma_reply_bool(reply, "reads", reads);
    if (reads)
        write_steps(reply, &walk, &tile);
    else
        tma_reply_text(reply, "reason", why.text);
    if (given)
        write_comparison(reply, reads ? &walk : NULL, &tile, value);
    return true;
}

bool tma_answer_cute(const struct tma_request *request, struct tma_reply_line *reply,
                     struct tma_request_error *error) {
    struct tma_cute_layout layout;
    struct tma_error why = {0};
    uint32_t box[TMA_MAX_RANK], modes[TMA_MAX_RANK], rank;
    char text[TMA_CUTE_TEXT_BYTES];
    if (!tma_request_has(request, TMA_REQUEST_LAYOUT))
        return tma_request_fail_whole(error, TMA_ERROR_ARGUMENT, "layout is missing");
    if (tma_cute_read(request->words[TMA_REQUEST_LAYOUT].text, &layout, &why) != TMA_OK)
        return tma_request_fail(error, request, TMA_REQUEST_LAYOUT, "%s", why.text);
    tma_cute_write(&layout, text);
    tma_reply_text(reply, "layout", text);
    bool one = tma_cute_box(&layout, box, modes, &rank, &why) == TMA_OK;
    tma_reply_bool(reply, "one_box", one);
    if (!one) {
        tma_reply_text(reply, "reason", why.text);
        return true;
    }
    tma_reply_text(reply, "data_type", tma_cute_data_type(&layout));
    tma_reply_open(reply, "box_dim", '[');
    for (uint32_t d = 0; d < rank; d++)
        tma_reply_unsigned(reply, NULL, box[d]);
    tma_reply_close(reply, ']');
    tma_reply_text(reply, "swizzle", tma_name_of(&tma_swizzle_names, (int)layout.swizzle));
    tma_reply_open(reply, "modes", '[');
    for (uint32_t d = 0; d < rank; d++)
        tma_reply_unsigned(reply, NULL, modes[d]);
    tma_reply_close(reply, ']');
    return true;
}
