/* Records of launches: one JSON object a line. What a record has besides the keys below describes
 * how it was taken, and is not read. */
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/text_distance.h"
#include "base/utf8.h"
#include "launch/launch_reader.h"
#include "scenario/document.h"
#include "tensormap/descriptor.h"

static void missing(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                    const char *key, const char *expected) {
    tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at, "%s is missing or is not %s", key,
                 expected);
}

static const char *text(struct tma_launch_reader *reader, const struct tma_yaml_node *mapping,
                        const char *key) {
    const struct tma_yaml_node *node = tma_yaml_find(mapping, key);
    if (node != NULL && node->kind == TMA_YAML_SCALAR)
        return node->text;
    missing(reader, mapping, key, "a text");
    return "";
}

/* A number of the type; `fallback` where the key is missing. */
static uint64_t number(struct tma_launch_reader *reader, const struct tma_yaml_node *mapping,
                       const char *key, enum tma_element type, uint64_t fallback) {
    const struct tma_yaml_node *node = tma_yaml_find(mapping, key);
    uint64_t bits = fallback;
    if (node != NULL)
        tma_launch_number(reader, type, node, &bits);
    return bits;
}

static double decimal(const struct tma_yaml_node *mapping, const char *key, double fallback) {
    const char *word = tma_launch_text(mapping, key);
    return word == NULL ? fallback : strtod(word, NULL);
}

/* Reads a list of numbers, and reverses it where records have the slowest dimension first. Returns
 * its length. */
static uint32_t list(struct tma_launch_reader *reader, const struct tma_yaml_node *mapping,
                     const char *key, uint64_t *numbers, uint32_t most, bool reverse) {
    const struct tma_yaml_node *node = tma_yaml_find(mapping, key);
    size_t count = node == NULL || node->kind != TMA_YAML_LIST ? 0 : tma_yaml_count(node);
    if (count == 0 || count > most) {
        missing(reader, mapping, key, "a list of numbers");
        return 0;
    }
    size_t index = 0;
    for (const struct tma_yaml_node *item = node->first; item != NULL; item = item->next, index++)
        tma_launch_number(reader, TMA_ELEMENT_UINT64, item,
                          &numbers[reverse ? count - 1 - index : index]);
    return (uint32_t)count;
}

static void read_dimensions(struct tma_launch_reader *reader, const struct tma_yaml_node *root,
                            const char *key, uint32_t *dimensions) {
    uint64_t numbers[TMA_LAUNCH_DIMENSIONS] = {1, 1, 1};
    list(reader, root, key, numbers, TMA_LAUNCH_DIMENSIONS, false);
    for (uint32_t i = 0; i < TMA_LAUNCH_DIMENSIONS; i++) {
        if (numbers[i] == 0 || numbers[i] > INT32_MAX)
            missing(reader, root, key, "three numbers from 1 to 2147483647");
        dimensions[i] = (uint32_t)numbers[i];
    }
}

/* Is the type's data worth knowing also where only time and control flow are of interest? Whole
 * numbers may be indices. */
static bool is_control(enum tma_element type) {
    return !tma_element_is_float(type);
}

static void read_fill(struct tma_launch_reader *reader, const struct tma_yaml_node *fill,
                      bool known, struct tma_launch_buffer *buffer) {
    buffer->values = fill == NULL ? NULL : tma_yaml_find(fill, "values");
    buffer->file = fill == NULL ? NULL : tma_launch_text(fill, "file");
    if (fill == NULL || fill->kind != TMA_YAML_MAPPING)
        return;
    if (buffer->values != NULL || buffer->file != NULL) {
        buffer->contents = buffer->file != NULL ? TMA_CONTENTS_FILE : TMA_CONTENTS_VALUES;
    } else if (!known) {
        buffer->contents = TMA_CONTENTS_OPAQUE;
    } else if (tma_yaml_find(fill, "seed") != NULL) {
        buffer->contents = TMA_CONTENTS_FILL;
        buffer->fill.seed = number(reader, fill, "seed", TMA_ELEMENT_UINT64, 0);
        buffer->fill.low = (int64_t)number(reader, fill, "low", TMA_ELEMENT_INT64, 0);
        buffer->fill.count = number(reader, fill, "count", TMA_ELEMENT_UINT64, 1);
        buffer->fill.scale = decimal(fill, "scale", 1);
        if (buffer->fill.count == 0)
            missing(reader, fill, "count", "a positive number");
    } else {
        buffer->contents = TMA_CONTENTS_ZERO;
    }
}

static const struct tma_names result_names =
    TMA_NAMES("result", {"f16", TMA_ELEMENT_FLOAT16}, {"bf16", TMA_ELEMENT_BFLOAT16},
              {"f32", TMA_ELEMENT_FLOAT32}, {"f64", TMA_ELEMENT_FLOAT64},
              {"f16x2", TMA_ELEMENT_FLOAT16}, {"bf16x2", TMA_ELEMENT_BFLOAT16});

/* The type of the result of a record of one instruction, which stands in the low bytes of each
 * element. */
static void read_result(const struct tma_yaml_node *root, struct tma_launch_buffer *buffer) {
    const char *result = tma_launch_text(root, "result");
    int type;
    if (result == NULL || !tma_value_of(&result_names, result, &type))
        return;
    buffer->compared = (enum tma_element)type;
    buffer->compared_pitch = tma_element_bytes(buffer->type);
    if (strchr(result, 'x') != NULL) /* both halves; those behind them are zero */
        buffer->compared_pitch = tma_element_bytes(buffer->compared);
}

static void read_buffer(struct tma_launch_reader *reader, const struct tma_yaml_node *root,
                        const struct tma_yaml_node *node, bool known) {
    struct tma_launch_buffer *buffer = tma_launch_add_buffer(reader);
    const struct tma_yaml_node *outputs = tma_yaml_find(root, "outputs");
    int type = TMA_ELEMENT_UINT8;
    if (buffer == NULL)
        return;
    buffer->at = node->at;
    buffer->name = text(reader, node, "name");
    buffer->bytes = number(reader, node, "bytes", TMA_ELEMENT_UINT64, 0);
    if (buffer->bytes > TMA_LAUNCH_MOST_BYTES)
        missing(reader, node, "bytes", "a number up to 2^40");
    const char *word = tma_launch_text(node, "dtype");
    if (word != NULL && !tma_value_of(&tma_element_names, word, &type))
        missing(reader, node, "dtype", "a type of elements");
    buffer->type = buffer->compared = (enum tma_element)type;
    buffer->compared_pitch = tma_element_bytes(buffer->type);
    read_fill(reader, tma_yaml_find(node, "fill"), known || is_control(buffer->type), buffer);
    buffer->expect = outputs == NULL ? NULL : tma_launch_text(outputs, buffer->name);
    buffer->expect_at = buffer->at;
    buffer->tolerance_ulp = decimal(root, "tolerance_ulp", -1);
    if (buffer->expect != NULL)
        read_result(root, buffer);
}

/* Scratch memory of the kernel is no buffer of the record, but is known by its size for each CTA.
 */
static int32_t scratch(struct tma_launch_reader *reader, const struct tma_yaml_node *root,
                       const struct tma_yaml_node *node) {
    const struct tma_launch *launch = reader->launch;
    uint64_t bytes = number(reader, root, "scratch_per_cta", TMA_ELEMENT_UINT64, 0);
    if (bytes == 0)
        return tma_launch_find_buffer(reader, node);
    for (int i = 0; i < TMA_LAUNCH_DIMENSIONS; i++)
        if (__builtin_mul_overflow(bytes, launch->grid[i], &bytes) ||
            bytes > TMA_LAUNCH_MOST_BYTES) {
            missing(reader, root, "scratch_per_cta", "at most 1 TiB in all CTAs");
            return -1;
        }
    struct tma_launch_buffer *buffer = tma_launch_add_buffer(reader);
    if (buffer == NULL)
        return -1;
    *buffer = (struct tma_launch_buffer){.name = node->text,
                                         .at = node->at,
                                         .bytes = bytes,
                                         .contents = TMA_CONTENTS_ZERO,
                                         .compared_pitch = 1};
    return (int32_t)launch->buffer_count - 1;
}

static int32_t buffer_of(struct tma_launch_reader *reader, const struct tma_yaml_node *root,
                         const struct tma_yaml_node *node) {
    const struct tma_yaml_node *name = tma_yaml_find(node, "buffer");
    if (name == NULL || name->kind != TMA_YAML_SCALAR || strcmp(name->text, "null") == 0)
        return -1;
    int32_t index = tma_launch_buffer_index(reader->launch, name->text);
    return index >= 0 ? index : scratch(reader, root, name);
}

static void read_map(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                     struct tma_tensor_map *map) {
    uint64_t shape[TMA_MAX_RANK] = {0}, strides[TMA_MAX_RANK] = {0}, box[TMA_MAX_RANK] = {0};
    uint32_t rank = list(reader, node, "shape", shape, TMA_MAX_RANK, true);
    bool whole = list(reader, node, "strides", strides, TMA_MAX_RANK, true) == rank &&
                 list(reader, node, "box", box, TMA_MAX_RANK, true) == rank && rank > 0;
    uint64_t element = number(reader, node, "elem_size", TMA_ELEMENT_UINT64, 0);
    uint64_t type = number(reader, node, "elem_type", TMA_ELEMENT_UINT64, 0);
    uint64_t swizzle = number(reader, node, "swizzle", TMA_ELEMENT_UINT64, 0);
    if (!whole)
        missing(reader, node, "box", "a list as long as shape and strides");
    if (type > TMA_16U6_ALIGN16B)
        missing(reader, node, "elem_type", "a number of CUtensorMapDataType");
    if (swizzle > TMA_SWIZZLE_128B_ATOM_64B)
        missing(reader, node, "swizzle", "a number of CUtensorMapSwizzle");
    *map = (struct tma_tensor_map){.kind = TMA_MAP_TILED,
                                   .data_type = (enum tma_data_type)type,
                                   .rank = rank,
                                   .swizzle = (enum tma_swizzle)swizzle,
                                   .l2_promotion = TMA_L2_128B};
    for (uint32_t d = 0; d < rank; d++) {
        map->global_dim[d] = shape[d];
        map->box_dim[d] = (uint32_t)box[d];
        map->element_strides[d] = 1;
        if (d > 0)
            map->global_strides[d - 1] = strides[d] * element;
    }
}

static void read_parameter(struct tma_launch_reader *reader, const struct tma_yaml_node *root,
                           const struct tma_yaml_node *node) {
    const char *kind = text(reader, node, "kind");
    int type;
    struct tma_launch_parameter *parameter = tma_launch_add_parameter(reader);
    struct tma_launch_part *part = parameter == NULL ? NULL : tma_launch_add_part(reader);
    if (part == NULL)
        return;
    parameter->at = part->place = node->at;
    parameter->name = tma_launch_text(node, "name");
    part->offset = number(reader, node, "offset", TMA_ELEMENT_UINT64, 0);
    if (strcmp(kind, "tensor_map") == 0) {
        part->kind = TMA_PART_MAP;
        part->bytes = TMA_DESCRIPTOR_BYTES;
        part->buffer = buffer_of(reader, root, node);
        read_map(reader, node, &part->map);
    } else if (strcmp(kind, "pointer") == 0) {
        part->kind = TMA_PART_POINTER;
        part->bytes = 8;
        part->buffer = buffer_of(reader, root, node);
    } else if (tma_value_of(&tma_launch_number_names, kind, &type)) {
        part->kind = TMA_PART_NUMBER;
        part->bytes = tma_element_bytes((enum tma_element)type);
        part->bits = number(reader, node, "value", (enum tma_element)type, 0);
    } else {
        missing(reader, node, "kind", "tensor_map, pointer or a type of a number");
    }
    parameter->bytes = part->bytes;
}

static void read_root(struct tma_launch_reader *reader, const struct tma_yaml_node *root) {
    struct tma_launch *launch = reader->launch;
    const struct tma_yaml_node *buffers = tma_yaml_find(root, "buffers"),
                               *parameters = tma_yaml_find(root, "params"),
                               *cluster = tma_yaml_find(root, "cluster");
    bool known = tma_yaml_find(root, "outputs") != NULL;
    launch->at = launch->ptx_at = launch->kernel_at = root->at;
    launch->name = text(reader, root, "label");
    launch->family = tma_launch_text(root, "family");
    launch->family = launch->family == NULL ? "" : launch->family;
    launch->kernel = text(reader, root, "kernel");
    launch->ptx = text(reader, root, "ptx");
    launch->dynamic_shared =
        (uint32_t)number(reader, root, "dynamic_shared", TMA_ELEMENT_UINT32, 0);
    launch->registers = (uint32_t)number(reader, root, "registers", TMA_ELEMENT_UINT32, 0);
    launch->measured = tma_yaml_find(root, "measured");
    launch->cluster[0] = launch->cluster[1] = launch->cluster[2] = 1;
    read_dimensions(reader, root, "grid", launch->grid);
    read_dimensions(reader, root, "block", launch->block);
    if (cluster != NULL) {
        read_dimensions(reader, root, "cluster", launch->cluster);
        launch->cluster_given =
            launch->cluster[0] > 1 || launch->cluster[1] > 1 || launch->cluster[2] > 1;
    }
    if (buffers == NULL || buffers->kind != TMA_YAML_LIST)
        missing(reader, root, "buffers", "a list");
    else
        for (const struct tma_yaml_node *node = buffers->first; node != NULL; node = node->next)
            read_buffer(reader, root, node, known);
    if (parameters == NULL || parameters->kind != TMA_YAML_LIST)
        missing(reader, root, "params", "a list");
    else
        for (const struct tma_yaml_node *node = parameters->first; node != NULL; node = node->next)
            read_parameter(reader, root, node);
}

/* Each record is parsed alone, as if its line were the first one of the file. */
static void move_to_line(struct tma_yaml_node *node, unsigned line) {
    for (; node != NULL; node = node->next) {
        node->at.line += line - 1;
        node->key_at.line += line - 1;
        move_to_line(node->first, line);
    }
}

bool tma_launch_read_record(const char *line_text, size_t length, const char *name, unsigned line,
                            struct tma_launch *launch, struct tma_diagnostics *found) {
    size_t before = tma_diagnostics_total(found), first = found->count;
    *launch = (struct tma_launch){.at = {.file = name, .line = line}};
    launch->document = tma_yaml_parse_mapping(line_text, length, name, found);
    for (size_t i = first; i < found->count; i++)
        if (found->items[i].at.line > 0)
            found->items[i].at.line += line - 1;
    move_to_line(launch->document, line);
    struct tma_launch_reader reader = {.launch = launch, .list = found};
    /* A line may also be a launch file. */
    if (launch->document != NULL && tma_yaml_find(launch->document, "parameters") != NULL)
        tma_launch_read_root(&reader, launch->document);
    else if (launch->document != NULL) {
        read_root(&reader, launch->document);
        launch->data = TMA_DATA_SMALL; /* records have buffers of small integers */
    }
    return tma_diagnostics_total(found) == before;
}

/* ---- what GPUs did ---- */

static uint64_t figure(const struct tma_yaml_node *measured, const char *key) {
    const char *word = tma_launch_text(measured, key);
    return word == NULL ? 0 : strtoull(word, NULL, 10);
}

/* Whether SMs counted the cycles: CUPTI and events tell times. */
static bool counts_cycles(const struct tma_yaml_node *measured) {
    const char *by = tma_launch_text(measured, "by");
    return by == NULL || (strcmp(by, "cupti") != 0 && strcmp(by, "events") != 0);
}

bool tma_launch_measurement(const struct tma_launch *launch, const char *machine,
                            struct tma_launch_measured *measured) {
    const struct tma_yaml_node *all = launch->measured;
    if (all == NULL || all->kind != TMA_YAML_MAPPING)
        return false;
    for (const struct tma_yaml_node *node = all->first; node != NULL; node = node->next) {
        if (node->kind != TMA_YAML_MAPPING || node->key == NULL ||
            !tma_has_word(machine, node->key))
            continue;
        *measured = (struct tma_launch_measured){
            .gpu = node->key,
            .cycles = counts_cycles(node) ? figure(node, "cycles") : 0,
            .ns = figure(node, "ns"),
            .instructions = figure(node, "instructions"),
            .alu = figure(node, "alu"),
            .fma = figure(node, "fma"),
            .xu = figure(node, "xu"),
            .lsu = figure(node, "lsu"),
            .shared_load_wavefronts = figure(node, "shared_load_wavefronts"),
            .shared_load_conflicts = figure(node, "shared_load_conflicts"),
            .shared_store_wavefronts = figure(node, "shared_store_wavefronts"),
            .shared_store_conflicts = figure(node, "shared_store_conflicts"),
            .dram_read_sectors = figure(node, "dram_read_sectors"),
            .dram_write_sectors = figure(node, "dram_write_sectors"),
            .l2_sectors = figure(node, "l2_sectors"),
            .warm_ns = figure(node, "warm_ns"),
            .empty_ns = figure(node, "empty_ns"),
            .launch_mhz = figure(node, "launch_mhz")};
        return measured->ns > 0;
    }
    return false;
}
