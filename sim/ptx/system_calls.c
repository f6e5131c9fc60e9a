#include "ptx/system_calls.h"

#include <stdio.h>
#include <string.h>

enum { TEXT_BYTES = 400, SPEC_BYTES = 16, MOST_DIGITS = 3 };

enum tma_system_call tma_system_call(const char *name, uint32_t parameters) {
    if (strcmp(name, "vprintf") == 0 && parameters == 2)
        return TMA_SYSTEM_PRINT;
    return strcmp(name, "__assertfail") == 0 && parameters == 5 ? TMA_SYSTEM_ASSERT
                                                                : TMA_NO_SYSTEM_CALL;
}

/* Reads an argument of a lane. False: it is not known, or was told to be wrong. */
static bool read_argument(struct tma_warp *warp, const struct tma_op *op, uint32_t number,
                          uint32_t lane, uint64_t *value) {
    const struct tma_place *place = &warp->launch->places[op->list2 + number];
    if (place->kind != TMA_PLACE_FRAME) {
        *value = tma_lane_value(warp, place, lane);
        return tma_known(warp, op, place, UINT32_C(1) << lane, "an argument of a call");
    }
    uint64_t at = (uint64_t)lane * warp->launch->local_bytes + place->offset;
    uint32_t bytes = place->number < 8 ? place->number : 8;
    *value = 0;
    memcpy(value, warp->local + at, bytes);
    if (!tma_region_opaque(&warp->local_region, at, bytes))
        return true;
    tma_stop_opaque_from(warp, op, TMA_ORIGIN_LOCAL, "an argument of a call");
    return false;
}

/* Reads bytes at a generic address. *known: all of them are. False, with a fault: there are none.
 */
static bool read_bytes(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                       uint64_t address, void *to, uint32_t bytes, bool *known) {
    uint64_t offset;
    const struct tma_region *region =
        tma_locate(warp, op, TMA_PTX_GENERIC, address, bytes, 1, lane, &offset);
    if (region == NULL)
        return false;
    *known = !tma_region_opaque(region, offset, bytes);
    if (*known)
        memcpy(to, region->bytes + offset, bytes);
    return true;
}

/* Reads a text, up to its end or that of `text`. What is not known is a question mark. */
static bool read_text(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                      uint64_t address, char text[TEXT_BYTES]) {
    for (uint32_t i = 0; i + 1 < TEXT_BYTES; ++i) {
        bool known;
        char byte = '?';
        if (!read_bytes(warp, op, lane, address + i, &byte, 1, &known))
            return false;
        text[i] = byte;
        if (byte == '\0')
            return true;
    }
    text[TEXT_BYTES - 1] = '\0';
    return true;
}

/* What vprintf writes. */
struct output {
    char text[TEXT_BYTES];
    size_t length;
};

static void put(struct output *output, const char *text) {
    size_t left = sizeof output->text - output->length - 1, length = strlen(text);
    length = length < left ? length : left;
    memcpy(output->text + output->length, text, length);
    output->length += length;
    output->text[output->length] = '\0';
}

/* The arguments of a vprintf: each lies at a multiple of its size. */
struct print_arguments {
    uint64_t address, at;
    uint32_t count;
};

static bool take(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                 struct print_arguments *arguments, uint32_t bytes, uint64_t *value, bool *known) {
    arguments->at = (arguments->at + bytes - 1) & -(uint64_t)bytes;
    uint64_t address = arguments->address + arguments->at;
    arguments->at += bytes;
    ++arguments->count;
    *value = 0;
    return read_bytes(warp, op, lane, address, value, bytes, known);
}

/* Copies the flags, the width and the precision of a conversion, with values for stars. */
static bool read_spec(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                      struct print_arguments *arguments, const char **format,
                      char spec[SPEC_BYTES]) {
    size_t length = 1;
    spec[0] = '%';
    for (; **format != '\0' && strchr("-+ #0123456789.*", **format) != NULL; ++*format) {
        uint64_t star = 0;
        bool known;
        if (**format == '*' && !take(warp, op, lane, arguments, 4, &star, &known))
            return false;
        if (length + MOST_DIGITS + 4 >= SPEC_BYTES)
            continue; /* no one needs as many */
        if (**format == '*')
            length +=
                (size_t)snprintf(spec + length, SPEC_BYTES - length, "%u", (uint32_t)star % 100);
        else
            spec[length++] = **format;
    }
    spec[length] = '\0';
    /* A width of many digits would only be blanks. */
    if (strspn(spec + 1, "0123456789") > MOST_DIGITS)
        strcpy(spec, "%");
    return true;
}

/* Writes one conversion; *format is behind its %. */
static bool convert(struct tma_warp *warp, const struct tma_op *op, uint32_t lane,
                    struct print_arguments *arguments, const char **format, struct output *output) {
    char spec[SPEC_BYTES], text[TEXT_BYTES] = "?";
    if (!read_spec(warp, op, lane, arguments, format, spec))
        return false;
    bool wide = false, known = true;
    for (; **format != '\0' && strchr("hlLqjzt", **format) != NULL; ++*format)
        wide = wide || **format != 'h';
    char kind = **format;
    *format += kind != '\0';
    uint64_t value = 0;
    double number;
    size_t length = strlen(spec);
    if (kind == '%' || kind == '\0') {
        put(output, "%");
        return true;
    }
    bool integer = strchr("diuoxXc", kind) != NULL;
    if (!take(warp, op, lane, arguments, integer && !wide ? 4 : 8, &value, &known))
        return false;
    if (integer && kind != 'c') {
        if (!wide && (kind == 'd' || kind == 'i'))
            value = (uint64_t)(int64_t)(int32_t)value;
        snprintf(spec + length, SPEC_BYTES - length, "ll%c", kind);
        if (known)
            snprintf(text, sizeof text, spec, value);
    } else if (kind == 'c') {
        text[0] = known ? (char)value : '?';
    } else if (strchr("fFeEgGaA", kind) != NULL) {
        memcpy(&number, &value, sizeof number);
        snprintf(spec + length, SPEC_BYTES - length, "%c", kind);
        if (known)
            snprintf(text, sizeof text, spec, number);
    } else if (kind == 'p') {
        snprintf(text, sizeof text, "0x%llx", (unsigned long long)value);
    } else if (kind == 's' && known && !read_text(warp, op, lane, value, text)) {
        return false;
    }
    put(output, text);
    return true;
}

/* vprintf(format, arguments): how many arguments it took. What it prints is a note. */
static bool print(struct tma_warp *warp, const struct tma_op *op, uint32_t lane, uint64_t *result) {
    uint64_t text;
    struct print_arguments arguments = {0};
    char format[TEXT_BYTES];
    struct output output = {.length = 0};
    if (!read_argument(warp, op, 0, lane, &text) ||
        !read_argument(warp, op, 1, lane, &arguments.address) ||
        !read_text(warp, op, lane, text, format))
        return false;
    for (const char *at = format; *at != '\0';) {
        char byte[2] = {*at++, '\0'};
        if (byte[0] == '%' && !convert(warp, op, lane, &arguments, &at, &output))
            return false;
        if (byte[0] != '%')
            put(&output, byte[0] == '\n' ? (*at == '\0' ? "" : " ") : byte);
    }
    *result = arguments.count;
    tma_note(warp->launch, warp, op->instruction, UINT32_MAX, "note", "printf: %s", output.text);
    return true;
}

/* __assertfail(what, file, line, function, bytes of a character) */
static void fail(struct tma_warp *warp, const struct tma_op *op, uint32_t lane) {
    uint64_t values[4];
    char texts[4][TEXT_BYTES];
    for (uint32_t i = 0; i < 4; ++i)
        if (!read_argument(warp, op, i, lane, &values[i]) ||
            (i != 2 && !read_text(warp, op, lane, values[i], texts[i])))
            return;
    tma_stop(warp, op, TMA_PTX_FAULT, "lane %u: the assertion `%s' of %s fails (%s:%u)", lane,
             texts[0], texts[3], texts[1], (uint32_t)values[2]);
}

enum tma_step tma_run_system_call(struct tma_warp *warp, const struct tma_op *op, uint32_t lanes) {
    if (op->mode2 == TMA_SYSTEM_ASSERT && lanes != 0) {
        fail(warp, op, (uint32_t)__builtin_ctz(lanes));
        return TMA_STEP_FAILED;
    }
    TMA_EACH_OF(i, lanes) {
        uint64_t result = 0;
        if (!print(warp, op, i, &result))
            return TMA_STEP_FAILED;
        const struct tma_place *to = op->list_count == 0 ? NULL : &warp->launch->places[op->list];
        if (to != NULL && to->kind == TMA_PLACE_FRAME) {
            uint64_t at = (uint64_t)i * warp->launch->local_bytes + to->offset;
            memcpy(warp->local + at, &result, to->number < 8 ? to->number : 8);
            tma_region_mark(&warp->local_region, at, to->number, false, TMA_ORIGIN_LOCAL);
        } else if (to != NULL && !to->absent) {
            tma_set_lane(warp, to, i, result);
            tma_mark(warp, to, UINT32_C(1) << i, 0, 0);
        }
    }
    return TMA_STEP_NEXT;
}
