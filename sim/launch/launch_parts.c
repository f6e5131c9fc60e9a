/* The lists of a launch, and the numbers of its parameters. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/array.h"
#include "base/utf8.h"
#include "launch/launch_reader.h"

const struct tma_names tma_launch_number_names = TMA_NAMES(
    "type of a number", {"u8", TMA_ELEMENT_UINT8}, {"u16", TMA_ELEMENT_UINT16},
    {"u32", TMA_ELEMENT_UINT32}, {"u64", TMA_ELEMENT_UINT64}, {"s8", TMA_ELEMENT_INT8},
    {"s16", TMA_ELEMENT_INT16}, {"s32", TMA_ELEMENT_INT32}, {"s64", TMA_ELEMENT_INT64},
    {"f16", TMA_ELEMENT_FLOAT16}, {"f32", TMA_ELEMENT_FLOAT32}, {"f64", TMA_ELEMENT_FLOAT64});

static void *append(struct tma_launch_reader *reader, void *array, size_t *count, size_t *capacity,
                    size_t size) {
    char **items = array;
    if (!tma_array_grow(array, *count, capacity, size)) {
        tma_diagnose(reader->list, TMA_ERROR_MEMORY, reader->launch->at, "out of memory");
        return NULL;
    }
    char *item = *items + (*count)++ * size;
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

const char *tma_launch_text(const struct tma_yaml_node *mapping, const char *key) {
    const struct tma_yaml_node *node = tma_yaml_find(mapping, key);
    return node == NULL ? NULL : node->text;
}

int32_t tma_launch_buffer_index(const struct tma_launch *launch, const char *name) {
    for (size_t i = 0; i < launch->buffer_count; i++)
        if (strcmp(launch->buffers[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

int32_t tma_launch_find_buffer(struct tma_launch_reader *reader, const struct tma_yaml_node *node) {
    const char *name = node->kind == TMA_YAML_SCALAR ? node->text : "";
    int32_t index = tma_launch_buffer_index(reader->launch, name);
    if (index < 0)
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "\"%.*s\" is no buffer of the launch; expected a name in `buffers`",
                     tma_text_cut(name, 60), name);
    return index;
}

static bool read_float(enum tma_element type, const char *text, uint64_t *value) {
    uint8_t bytes[8];
    char *end;
    /* strtod reads numbers of the C locale, as the program never calls setlocale. */
    double number = strtod(text, &end);
    if (end == text || *end != '\0')
        return false;
    tma_element_from_number(type, number, bytes);
    *value = tma_element_bits(type, bytes);
    return true;
}

static bool read_integer(enum tma_element type, const char *text, uint64_t *value) {
    char *end;
    bool negative = text[0] == '-', is_signed = tma_element_is_signed(type);
    const char *digits = text + negative;
    if (digits[0] < '0' || digits[0] > '9')
        return false;
    errno = 0;
    uint64_t magnitude = strtoull(digits, &end, digits[1] == 'x' ? 16 : 10);
    uint64_t most = UINT64_MAX >> (64 - 8 * tma_element_bytes(type)), half = (most >> 1) + 1;
    if (*end != '\0' || errno != 0 ||
        magnitude > (negative    ? half
                     : is_signed ? half - 1
                                 : most) ||
        (negative && !is_signed && magnitude > 0))
        return false;
    *value = (negative ? 0 - magnitude : magnitude) & most;
    return true;
}

bool tma_launch_parse_number(enum tma_element type, const struct tma_yaml_node *node,
                             uint64_t *bits) {
    return node->kind == TMA_YAML_SCALAR &&
           (tma_element_is_float(type) ? read_float(type, node->text, bits)
                                       : read_integer(type, node->text, bits));
}

bool tma_launch_number(struct tma_launch_reader *reader, enum tma_element type,
                       const struct tma_yaml_node *node, uint64_t *bits) {
    if (tma_launch_parse_number(type, node, bits))
        return true;
    const char *text = node->kind == TMA_YAML_SCALAR ? node->text : "a list or mapping";
    return tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                        "\"%.*s\" is no %s number of %u bits", tma_text_cut(text, 60), text,
                        tma_element_is_float(type)    ? "floating-point"
                        : tma_element_is_signed(type) ? "signed"
                                                      : "unsigned",
                        8 * tma_element_bytes(type));
}
