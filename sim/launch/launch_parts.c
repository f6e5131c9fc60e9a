/* The lists of a launch, and the numbers of its parameters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/utf8.h"
#include "launch/launch_reader.h"

static const struct tma_name number_names[] = {
    {"u8", 8},
    {"u16", 16},
    {"u32", 32},
    {"u64", 64},
    {"s8", 8 | TMA_NUMBER_SIGNED},
    {"s16", 16 | TMA_NUMBER_SIGNED},
    {"s32", 32 | TMA_NUMBER_SIGNED},
    {"s64", 64 | TMA_NUMBER_SIGNED},
    {"f16", 16 | TMA_NUMBER_FLOAT},
    {"f32", 32 | TMA_NUMBER_FLOAT},
    {"f64", 64 | TMA_NUMBER_FLOAT},
};
const struct tma_names tma_launch_number_names = {"type of a number", number_names,
                                                  sizeof number_names / sizeof number_names[0]};

static void *append(struct tma_launch_reader *reader, void *array, size_t *count, size_t *capacity,
                    size_t size) {
    char **items = array;
    char *grown = tma_array_grow(*items, *count, capacity, size);
    if (grown == NULL) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, reader->launch->at, "out of memory");
        return NULL;
    }
    *items = grown;
    char *item = grown + (*count)++ * size;
    memset(item, 0, size);
    return item;
}

struct tma_launch_buffer *tma_launch_add_buffer(struct tma_launch_reader *reader) {
    struct tma_launch *launch = reader->launch;
    return append(reader, &launch->buffers, &launch->buffer_count, &launch->buffer_capacity,
                  sizeof *launch->buffers);
}

struct tma_launch_parameter *tma_launch_add_parameter(struct tma_launch_reader *reader) {
    struct tma_launch *launch = reader->launch;
    struct tma_launch_parameter *parameter =
        append(reader, &launch->parameters, &launch->parameter_count, &launch->parameter_capacity,
               sizeof *launch->parameters);
    if (parameter != NULL)
        parameter->first_part = (uint32_t)launch->part_count;
    return parameter;
}

struct tma_launch_part *tma_launch_add_part(struct tma_launch_reader *reader) {
    struct tma_launch *launch = reader->launch;
    struct tma_launch_part *part = append(reader, &launch->parts, &launch->part_count,
                                          &launch->part_capacity, sizeof *launch->parts);
    if (part != NULL) {
        part->buffer = -1;
        launch->parameters[launch->parameter_count - 1].part_count++;
    }
    return part;
}

int32_t tma_launch_find_buffer(struct tma_launch_reader *reader, const struct tma_yaml_node *node) {
    const struct tma_launch *launch = reader->launch;
    const char *name = node->kind == TMA_YAML_SCALAR ? node->text : "";
    for (size_t i = 0; i < launch->buffer_count; i++)
        if (strcmp(launch->buffers[i].name, name) == 0)
            return (int32_t)i;
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                 "\"%.*s\" is no buffer of the launch; expected a name in `buffers`",
                 tma_text_cut(name, 60), name);
    return -1;
}

static bool read_float(int bits, const char *text, uint64_t *value) {
    static const enum tma_element types[] = {TMA_ELEMENT_FLOAT16, TMA_ELEMENT_FLOAT32,
                                             TMA_ELEMENT_FLOAT64};
    uint8_t bytes[8] = {0};
    char *end;
    /* strtod reads numbers of the C locale, as the program never calls setlocale. */
    double number = strtod(text, &end);
    if (end == text || *end != '\0')
        return false;
    tma_element_from_number(types[bits == 16 ? 0 : bits == 32 ? 1 : 2], number, bytes);
    *value = 0;
    for (int i = 0; i < 8; i++)
        *value |= (uint64_t)bytes[i] << 8 * i;
    return true;
}

static bool read_integer(int bits, bool is_signed, const char *text, uint64_t *value) {
    char *end;
    bool negative = text[0] == '-';
    const char *digits = text + negative;
    if (digits[0] < '0' || digits[0] > '9')
        return false;
    errno = 0;
    uint64_t magnitude = strtoull(digits, &end, digits[1] == 'x' ? 16 : 10);
    uint64_t most = UINT64_MAX >> (64 - bits), half = (most >> 1) + 1;
    if (*end != '\0' || errno != 0 ||
        magnitude > (negative    ? half
                     : is_signed ? half - 1
                                 : most) ||
        (negative && !is_signed && magnitude > 0))
        return false;
    *value = (negative ? 0 - magnitude : magnitude) & most;
    return true;
}

bool tma_launch_number(struct tma_launch_reader *reader, int type, const struct tma_yaml_node *node,
                       uint64_t *bits) {
    int width = type & 0xff;
    bool is_float = (type & TMA_NUMBER_FLOAT) != 0, is_signed = (type & TMA_NUMBER_SIGNED) != 0;
    if (node->kind == TMA_YAML_SCALAR &&
        (is_float ? read_float(width, node->text, bits)
                  : read_integer(width, is_signed, node->text, bits)))
        return true;
    const char *text = node->kind == TMA_YAML_SCALAR ? node->text : "a list or mapping";
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at, "\"%.*s\" is no %s number of %d bits",
                 tma_text_cut(text, 60), text,
                 is_float    ? "floating-point"
                 : is_signed ? "signed"
                             : "unsigned",
                 width);
    return false;
}
