/* Launch files: YAML or JSON. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/utf8.h"
#include "launch/launch_reader.h"
#include "launch/launch_sections.h"
#include "scenario/clock_keys.h"
#include "scenario/document.h"
#include "scenario/map_file.h"
#include "scenario/schema.h"
#include "scenario/setting.h"
#include "tensormap/descriptor.h"

/* Mangled names of kernels that are made of templates have thousands of characters. */
enum { TEXT_BYTES = 1024, NAME_BYTES = 32768, PATH_BYTES = 128 };

struct launch_input {
    char text[NAME_BYTES + 1]; /* room for each text, which is taken from its node */
    const struct tma_yaml_node *dimensions[3][TMA_LAUNCH_DIMENSIONS];
    uint32_t dimension_counts[3];
    uint32_t dynamic_shared, registers, ctas_per_sm, sm_clock_mhz;
    enum tma_operand_data data;
    const struct tma_yaml_node *buffers, *parameters, *measured;
};

enum { GRID, BLOCK, CLUSTER };
static const char *const dimension_names[] = {"grid", "block", "cluster"};

#define IN(member) offsetof(struct launch_input, member)
#define DIMENSIONS(which)                                                                          \
    .kind = TMA_KEY_EXPRESSION, .limit = TMA_LAUNCH_DIMENSIONS, .offset = IN(dimensions[which]),   \
    .count_offset = IN(dimension_counts[which])

static const struct tma_key launch_keys[] = {
    TMA_TEXT_KEY("name", CHARS, NAME_BYTES, TMA_OPTIONAL, IN(text),
                 "name of the launch, for reports; default: that of the kernel"),
    TMA_TEXT_KEY("description", CHARS, TEXT_BYTES, TMA_OPTIONAL, IN(text), "one line about it"),
    TMA_TEXT_KEY("ptx", CHARS, TEXT_BYTES, TMA_REQUIRED, IN(text),
                 "PTX file, beside this file or in its folder `ptx`"),
    TMA_TEXT_KEY("sass", CHARS, TEXT_BYTES, TMA_OPTIONAL, IN(text),
                 "what `nvdisasm -c -gp` says of the kernel, beside this file or in its folder "
                 "`sass`: issue slots and the order inside blocks come from it"),
    TMA_TEXT_KEY("kernel", CHARS, NAME_BYTES, TMA_OPTIONAL, IN(text),
                 "name of the entry (`.entry`); default: the only one"),
    TMA_TEXT_KEY("gpu", CHARS, TEXT_BYTES, TMA_OPTIONAL, IN(text),
                 "name or path of the machine; default: h200"),
    {.path = "grid", DIMENSIONS(GRID), .meaning = "CTAs in x, y and z; what is left out is 1"},
    {.path = "block",
     DIMENSIONS(BLOCK),
     .fallback = TMA_OPTIONAL,
     .meaning = "threads of a CTA in x, y and z; default: those that the kernel requires "
                "(`.reqntid`)"},
    {.path = "cluster",
     DIMENSIONS(CLUSTER),
     .fallback = TMA_OPTIONAL,
     .meaning = "CTAs of a cluster in x, y and z; default: those that the kernel requires "
                "(`.reqnctapercluster`), else 1"},
    TMA_NUMBER_KEY("dynamic_shared", U32, driver_bytes, 0, UINT32_MAX, "0", IN(dynamic_shared),
                   "bytes of dynamic shared memory"),
    TMA_NUMBER_KEY("registers", U32, none, 0, 255, "0", IN(registers),
                   "registers of a thread, as ptxas -v says; 0: not known"),
    TMA_NUMBER_KEY("ctas_per_sm", U32, none, 0, 32, "0", IN(ctas_per_sm),
                   "CTAs that an SM runs at a time, also more than its registers and shared memory "
                   "allow: what if; 0: as many as they allow"),
    {.path = "sm_clock", TMA_SM_CLOCK_KEY(IN(sm_clock_mhz))},
    {.path = "data", TMA_OPERAND_DATA_KEY(IN(data))},
    TMA_PLAIN_KEY("buffers", MAPPING, TMA_OPTIONAL, IN(buffers), "global memory by name"),
    TMA_PLAIN_KEY("parameters", LIST, TMA_OPTIONAL, IN(parameters),
                  "the kernel's parameters, in the order of its signature"),
    TMA_PLAIN_KEY(
        "measured", MAPPING, TMA_OPTIONAL, IN(measured),
        "what a GPU did, by a word of its machine's name: `{h100: {ns: N, empty_ns: N}}`, "
        "of which the last is what a kernel that does nothing took; with it, reports "
        "compare times. `launch_mhz` is the clock of the SMs during the launch. With "
        "`cycles`, which a profiler counts on SMs, time passes at the clock of the "
        "measurement, and reports compare cycles"),
};
static const struct tma_schema launch_schema = TMA_SCHEMA(launch_keys);

struct launch_buffer {
    uint64_t bytes, address;
    int type;
    const struct tma_yaml_node *contents, *expect;
};

static const struct tma_key buffer_keys[] = {
    TMA_NUMBER_KEY("bytes", U64, driver_bytes, 1, (double)TMA_LAUNCH_MOST_BYTES, TMA_REQUIRED,
                   offsetof(struct launch_buffer, bytes), "size"),
    TMA_NUMBER_KEY("address", U64, none, 1, (double)TMA_LAUNCH_MOST_ADDRESS, TMA_OPTIONAL,
                   offsetof(struct launch_buffer, address),
                   "where it lies, for pointers to it in the contents of other buffers; default: "
                   "behind the buffer before it"),
    TMA_WORD_KEY("data_type", ENUM, tma_element_names, "uint8",
                 offsetof(struct launch_buffer, type),
                 "type of an element, for values, fills and comparisons"),
    TMA_TEXT_KEY("contents", CHARS_OR_MAPPING, TEXT_BYTES, TMA_OPTIONAL,
                 offsetof(struct launch_buffer, contents),
                 "`opaque` (default: unknown data), `zero`, `{file: PATH}`, `{values: [...]}`, or "
                 "`{seed: N, low: N, count: N, scale: X}`: element i is "
                 "(random(i, seed) mod count + low) * scale"),
    TMA_TEXT_KEY("expect", CHARS_OR_MAPPING, TEXT_BYTES, TMA_OPTIONAL,
                 offsetof(struct launch_buffer, expect),
                 "file of the bytes that the buffer has after the launch, or `{file: PATH, "
                 "tolerance_ulp: N}`; without a tolerance, 0, or 2 where the kernel has "
                 "approximate instructions"),
};
static const struct tma_schema buffer_schema = TMA_SCHEMA(buffer_keys);

struct contents_input {
    char file[TEXT_BYTES + 1];
    const struct tma_yaml_node *values;
    uint64_t seed, count;
    int32_t low;
    double scale;
};

static const struct tma_key contents_keys[] = {
    TMA_TEXT_KEY("file", CHARS, TEXT_BYTES, TMA_OPTIONAL, offsetof(struct contents_input, file),
                 "file of the first bytes, beside this file or in its folder `data`; the rest is "
                 "zero"),
    TMA_PLAIN_KEY("values", LIST, TMA_OPTIONAL, offsetof(struct contents_input, values),
                  "the first elements; the rest is zero"),
    TMA_NUMBER_KEY("seed", U64, none, 0, UINT32_MAX, TMA_OPTIONAL,
                   offsetof(struct contents_input, seed), "of the fill function"),
    TMA_NUMBER_KEY("low", I32, none, INT32_MIN, INT32_MAX, "-3",
                   offsetof(struct contents_input, low), "least number of the fill function"),
    TMA_NUMBER_KEY("count", U64, none, 1, UINT32_MAX, "7", offsetof(struct contents_input, count),
                   "how many numbers the fill function has"),
    TMA_NUMBER_KEY("scale", F64, none, -1e9, 1e9, "1", offsetof(struct contents_input, scale),
                   "factor of the numbers"),
};
static const struct tma_schema contents_schema = TMA_SCHEMA(contents_keys);

struct expect_input {
    char file[TEXT_BYTES + 1];
    double tolerance_ulp;
};

static const struct tma_key expect_keys[] = {
    TMA_TEXT_KEY("file", CHARS, TEXT_BYTES, TMA_REQUIRED, offsetof(struct expect_input, file),
                 "the expected bytes, beside this file or in its folder `outputs`"),
    TMA_NUMBER_KEY("tolerance_ulp", F64, none, 0, 1e18, TMA_OPTIONAL,
                   offsetof(struct expect_input, tolerance_ulp),
                   "how far an element may be off, in units of the last place of its type"),
};
static const struct tma_schema expect_schema = TMA_SCHEMA(expect_keys);

void tma_launch_sections(tma_section_visitor visit, void *context) {
    const struct tma_section sections[] = {
        {"launch", "A launch file", launch_schema},
        {"buffer", "`buffers.NAME`: a buffer", buffer_schema},
        {"contents", "`buffers.NAME.contents`: what a buffer has", contents_schema},
        {"expect", "`buffers.NAME.expect`: what it has after the launch", expect_schema},
    };
    for (size_t i = 0; i < sizeof sections / sizeof sections[0]; i++)
        visit(context, &sections[i]);
}

void tma_launch_parameter_reference(FILE *out) {
    fputs(
        "\n## `parameters`: one for each parameter of the kernel, in order\n\n"
        "| form | bytes | what it is |\n| --- | --- | --- |\n"
        "| `{map: {...}, buffer: NAME, offset: N}` | 128 | a tensor map, with the keys of "
        "`tensor_maps` in scenarios, on a buffer |\n"
        "| `{map_bytes: HEX, buffer: NAME, offset: N}` | 128 | a tensor map as 256 hexadecimal "
        "digits; with a buffer, its address is replaced |\n"
        "| `{pointer: NAME, offset: N}`, `{pointer: null}` | 8 | an address in a buffer, or 0 |\n",
        out);
    for (size_t i = 0; i < tma_launch_number_names.count; i++)
        fprintf(out, "%s`{%s: N}`%s", i == 0 ? "| " : ", ", tma_launch_number_names.items[i].name,
                i + 1 == tma_launch_number_names.count ? " | 1 to 8 | a number |\n" : "");
    fputs(
        "| `{bytes: N, patches: [{at: N, ...}, ...]}` | N | a struct: zeros, with any of the forms "
        "above at byte `at` |\n\nEach may have a `name`, for messages.\n",
        out);
}

static void read_contents(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                          const char *context, struct tma_launch_buffer *buffer) {
    struct contents_input input = {0};
    if (node == NULL || (node->kind == TMA_YAML_SCALAR && strcmp(node->text, "opaque") == 0)) {
        buffer->contents = TMA_CONTENTS_OPAQUE;
    } else if (node->kind == TMA_YAML_SCALAR && strcmp(node->text, "zero") == 0) {
        buffer->contents = TMA_CONTENTS_ZERO;
    } else if (node->kind == TMA_YAML_SCALAR) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "%s is \"%.*s\"; expected opaque, zero, or a mapping with file, values or "
                     "seed",
                     context, tma_text_cut(node->text, 60), node->text);
    } else if (tma_schema_read(&contents_schema, node, context, &input, reader->list)) {
        const struct tma_yaml_node *seed = tma_yaml_find(node, "seed");
        buffer->file = tma_launch_text(node, "file");
        buffer->values = input.values;
        buffer->fill = (struct tma_fill){input.seed, input.low, input.count, input.scale};
        buffer->contents = buffer->file != NULL     ? TMA_CONTENTS_FILE
                           : buffer->values != NULL ? TMA_CONTENTS_VALUES
                                                    : TMA_CONTENTS_FILL;
        if ((buffer->file != NULL) + (buffer->values != NULL) + (seed != NULL) != 1)
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                         "%s has not one of file, values and seed; expected one of them", context);
    }
}

static void read_expect(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                        const char *context, struct tma_launch_buffer *buffer) {
    struct expect_input input = {.tolerance_ulp = -1};
    buffer->expect_at = node->at;
    buffer->tolerance_ulp = -1;
    if (node->kind == TMA_YAML_SCALAR) {
        buffer->expect = node->text;
    } else if (tma_schema_read(&expect_schema, node, context, &input, reader->list)) {
        buffer->expect = tma_launch_text(node, "file");
        buffer->tolerance_ulp = input.tolerance_ulp;
    }
}

static void read_buffer(struct tma_launch_reader *reader, const struct tma_yaml_node *node) {
    char context[PATH_BYTES], path[PATH_BYTES + 16];
    struct launch_buffer input = {0};
    snprintf(context, sizeof context, "buffers.%.*s", tma_text_cut(node->key, 80), node->key);
    struct tma_launch_buffer *buffer = tma_launch_add_buffer(reader);
    if (buffer == NULL)
        return;
    buffer->name = node->key;
    buffer->at = node->key_at;
    if (node->kind != TMA_YAML_MAPPING) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "%s is not a mapping; expected {bytes: N, ...}", context);
        return;
    }
    if (!tma_schema_read(&buffer_schema, node, context, &input, reader->list))
        return;
    buffer->bytes = input.bytes;
    buffer->address = input.address;
    buffer->type = buffer->compared = (enum tma_element)input.type;
    buffer->compared_pitch = tma_element_bytes(buffer->type);
    snprintf(path, sizeof path, "%s.contents", context);
    read_contents(reader, input.contents, path, buffer);
    snprintf(path, sizeof path, "%s.expect", context);
    if (input.expect != NULL)
        read_expect(reader, input.expect, path, buffer);
}

/* Refuses keys other than those allowed (NULL ends them); the first one says the kind. */
static void check_keys(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                       const char *const *allowed, const char *context) {
    for (const struct tma_yaml_node *key = node->first; key != NULL; key = key->next) {
        const char *const *known = allowed;
        while (*known != NULL && strcmp(key->key, *known) != 0)
            known++;
        if (*known == NULL)
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, key->key_at,
                         "unknown key \"%.*s\" in %s, beside %s", tma_text_cut(key->key, 60),
                         key->key, context, allowed[0]);
    }
}

static void read_count(struct tma_launch_reader *reader, const struct tma_yaml_node *mapping,
                       const char *key, uint64_t *value) {
    const struct tma_yaml_node *node = tma_yaml_find(mapping, key);
    if (node != NULL)
        tma_launch_number(reader, TMA_ELEMENT_UINT64, node, value);
}

/* Reads the value of a part: what stands at the key that says its kind. */
static void read_value(struct tma_launch_reader *reader, const struct tma_yaml_node *value,
                       const char *context, enum tma_element type, struct tma_launch_part *part) {
    char path[PATH_BYTES + 40];
    size_t length;
    switch (part->kind) {
    case TMA_PART_MAP:
        snprintf(path, sizeof path, "%s.map", context);
        tma_map_read_node(value, path, &part->map, reader->list);
        break;
    case TMA_PART_MAP_BYTES:
        part->hex = value->text;
        length = value->kind == TMA_YAML_SCALAR ? strlen(value->text) : 0;
        if (length != 256 || strspn(value->text, "0123456789abcdefABCDEF") != length)
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, value->at,
                         "%s.map_bytes is not 256 hexadecimal digits, the 128 bytes of a tensor "
                         "map",
                         context);
        break;
    case TMA_PART_POINTER:
        if (value->kind != TMA_YAML_SCALAR || strcmp(value->text, "null") != 0)
            part->buffer = tma_launch_find_buffer(reader, value);
        break;
    case TMA_PART_NUMBER:
        tma_launch_number(reader, type, value, &part->bits);
        break;
    }
}

/* The kind of a part, by the key that says it. */
static bool find_kind(const char *key, struct tma_launch_part *part, enum tma_element *type) {
    static const struct {
        const char *word;
        enum tma_launch_part_kind kind;
        uint32_t bytes;
    } kinds[] = {{"map", TMA_PART_MAP, TMA_DESCRIPTOR_BYTES},
                 {"map_bytes", TMA_PART_MAP_BYTES, TMA_DESCRIPTOR_BYTES},
                 {"pointer", TMA_PART_POINTER, 8}};
    int number;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(key, kinds[i].word) == 0) {
            part->kind = kinds[i].kind;
            part->bytes = kinds[i].bytes;
            return true;
        }
    if (!tma_value_of(&tma_launch_number_names, key, &number))
        return false;
    *type = (enum tma_element)number;
    part->kind = TMA_PART_NUMBER;
    part->bytes = tma_element_bytes(*type);
    return true;
}

/* Reads a part, which is neither `bytes` nor a list of patches. A patch says where it lies. Returns
 * NULL when out of memory. */
static const struct tma_launch_part *read_part(struct tma_launch_reader *reader,
                                               const struct tma_yaml_node *node, bool patch,
                                               const char *context) {
    struct tma_launch_part *part = tma_launch_add_part(reader);
    if (part == NULL)
        return NULL;
    enum tma_element type = TMA_ELEMENT_UINT8;
    const struct tma_yaml_node *value = node->kind == TMA_YAML_MAPPING ? node->first : NULL;
    part->place = node->at;
    while (value != NULL && !find_kind(value->key, part, &type))
        value = value->next;
    if (value == NULL) {
        tma_diagnose(
            reader->list, TMA_ERROR_SYNTAX, node->at,
            "%s says no kind; expected a mapping with map, map_bytes, pointer, bytes, u8, u16, "
            "u32, u64, s8, s16, s32, s64, f16, f32 or f64",
            context);
        return part;
    }
    const char *allowed[6] = {value->key, "name"};
    size_t count = 2;
    bool has_buffer = part->kind == TMA_PART_MAP || part->kind == TMA_PART_MAP_BYTES;
    const struct tma_yaml_node *buffer = has_buffer ? tma_yaml_find(node, "buffer") : NULL;
    if (patch) {
        allowed[count++] = "at";
        read_count(reader, node, "at", &part->at);
    }
    if (part->kind != TMA_PART_NUMBER) {
        allowed[count++] = "offset";
        read_count(reader, node, "offset", &part->offset);
    }
    if (has_buffer)
        allowed[count++] = "buffer";
    check_keys(reader, node, allowed, context);
    read_value(reader, value, context, type, part);
    if (buffer != NULL)
        part->buffer = tma_launch_find_buffer(reader, buffer);
    else if (part->kind == TMA_PART_MAP)
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, node->at,
                     "%s.buffer is missing; expected the name of the buffer that the map describes",
                     context);
    return part;
}

static void read_bytes(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                       const char *context, struct tma_launch_parameter *parameter) {
    static const char *const allowed[] = {"bytes", "patches", "name", NULL};
    const struct tma_yaml_node *patches = tma_yaml_find(node, "patches");
    unsigned number = 0;
    uint64_t bytes = 0;
    check_keys(reader, node, allowed, context);
    tma_launch_number(reader, TMA_ELEMENT_UINT32, tma_yaml_find(node, "bytes"), &bytes);
    parameter->bytes = bytes;
    if (patches == NULL)
        return;
    if (patches->kind != TMA_YAML_LIST) {
        tma_diagnose(reader->list, TMA_ERROR_SYNTAX, patches->at,
                     "%s.patches is not a list; expected [{at: N, pointer: BUFFER}, ...]", context);
        return;
    }
    for (const struct tma_yaml_node *patch = patches->first; patch != NULL; patch = patch->next) {
        char path[PATH_BYTES + 32];
        snprintf(path, sizeof path, "%s.patches.%u", context, number++);
        const struct tma_launch_part *part = read_part(reader, patch, true, path);
        if (part != NULL && (part->at > bytes || part->bytes > bytes - part->at))
            tma_diagnose(reader->list, TMA_ERROR_SYNTAX, patch->at,
                         "%s ends at byte %llu; the parameter has %llu", path,
                         (unsigned long long)(part->at + part->bytes), (unsigned long long)bytes);
    }
}

static void read_parameter(struct tma_launch_reader *reader, const struct tma_yaml_node *node,
                           unsigned index) {
    char context[PATH_BYTES];
    snprintf(context, sizeof context, "parameters.%u", index);
    struct tma_launch_parameter *parameter = tma_launch_add_parameter(reader);
    if (parameter == NULL)
        return;
    parameter->at = node->at;
    bool is_mapping = node->kind == TMA_YAML_MAPPING;
    parameter->name = is_mapping ? tma_launch_text(node, "name") : NULL;
    if (is_mapping && tma_yaml_find(node, "bytes") != NULL) {
        read_bytes(reader, node, context, parameter);
        return;
    }
    const struct tma_launch_part *part = read_part(reader, node, false, context);
    if (part != NULL)
        parameter->bytes = part->bytes;
}

static void read_dimensions(struct tma_launch_reader *reader, const struct launch_input *input,
                            int which, uint32_t *dimensions) {
    for (uint32_t i = 0; i < TMA_LAUNCH_DIMENSIONS; i++)
        dimensions[i] = 1;
    for (uint32_t i = 0; i < input->dimension_counts[which]; i++) {
        const struct tma_yaml_node *node = input->dimensions[which][i];
        if (node == NULL) /* neither a number nor a word: an error already */
            continue;
        uint64_t value = 0;
        if (!tma_launch_parse_number(TMA_ELEMENT_UINT32, node, &value) || value == 0 ||
            value > INT32_MAX)
            tma_diagnose(
                reader->list, TMA_ERROR_SYNTAX, node->at,
                "%s is \"%.*s\"; expected a whole number from 1 to 2147483647, or a list of "
                "up to 3 such as [8, 1, 1]",
                dimension_names[which], tma_text_cut(node->text, 60), node->text);
        dimensions[i] = (uint32_t)value;
    }
}

void tma_launch_read_root(struct tma_launch_reader *reader, const struct tma_yaml_node *root) {
    struct tma_launch *launch = reader->launch;
    struct launch_input input = {0};
    tma_schema_read(&launch_schema, root, "", &input, reader->list);
    const struct tma_yaml_node *ptx = tma_yaml_find(root, "ptx"),
                               *sass = tma_yaml_find(root, "sass"),
                               *kernel = tma_yaml_find(root, "kernel"),
                               *gpu = tma_yaml_find(root, "gpu"),
                               *ctas_per_sm = tma_yaml_find(root, "ctas_per_sm");
    launch->at = root->at;
    launch->name = tma_launch_text(root, "name");
    launch->family = "";
    launch->ptx = ptx == NULL ? NULL : ptx->text;
    launch->ptx_at = ptx == NULL ? root->at : ptx->at;
    launch->sass = sass == NULL ? NULL : sass->text;
    launch->sass_at = sass == NULL ? root->at : sass->at;
    launch->kernel = kernel == NULL ? NULL : kernel->text;
    launch->kernel_at = kernel == NULL ? root->at : kernel->at;
    launch->gpu = gpu == NULL ? NULL : gpu->text;
    launch->gpu_at = gpu == NULL ? root->at : gpu->at;
    launch->dynamic_shared = input.dynamic_shared;
    launch->registers = input.registers;
    launch->ctas_per_sm = input.ctas_per_sm;
    launch->ctas_per_sm_at = ctas_per_sm == NULL ? root->at : ctas_per_sm->at;
    launch->measured = input.measured;
    launch->sm_clock_mhz = input.sm_clock_mhz;
    launch->data = input.data;
    launch->cluster_given = input.dimension_counts[CLUSTER] > 0;
    read_dimensions(reader, &input, GRID, launch->grid);
    read_dimensions(reader, &input, BLOCK, launch->block);
    read_dimensions(reader, &input, CLUSTER, launch->cluster);
    if (input.dimension_counts[BLOCK] == 0)
        launch->block[0] = launch->block[1] = launch->block[2] = 0;
    if (input.buffers != NULL)
        for (const struct tma_yaml_node *node = input.buffers->first; node != NULL;
             node = node->next)
            read_buffer(reader, node);
    unsigned index = 0;
    if (input.parameters != NULL)
        for (const struct tma_yaml_node *node = input.parameters->first; node != NULL;
             node = node->next)
            read_parameter(reader, node, index++);
}

/* Keeps a setting such as "gpu.l2.hash=even" without its front. False: it is one of the launch. */
static bool keep_for_machine(struct tma_launch *launch, const char *setting, size_t most,
                             struct tma_diagnostics *list) {
    static const char front[] = "gpu.";
    if (strncmp(setting, front, sizeof front - 1) != 0)
        return false;
    if (launch->gpu_settings == NULL)
        launch->gpu_settings = tma_allocate(most, sizeof *launch->gpu_settings);
    char *copy = launch->gpu_settings == NULL ? NULL : tma_copy_text(setting + sizeof front - 1);
    if (copy == NULL)
        tma_diagnose(list, TMA_ERROR_MEMORY, launch->at, "out of memory");
    else
        launch->gpu_settings[launch->gpu_setting_count++] = copy;
    return true;
}

bool tma_launch_choose_machine(struct tma_launch *launch, const char *const *settings,
                               size_t setting_count, struct tma_diagnostics *list) {
    static const char whole[] = "gpu=";
    size_t before = tma_diagnostics_total(list);
    for (size_t i = 0; i < setting_count; i++)
        if (strncmp(settings[i], whole, sizeof whole - 1) == 0) {
            launch->gpu = settings[i] + sizeof whole - 1;
            launch->gpu_at = (struct tma_location){.file = "--set"};
        } else if (!keep_for_machine(launch, settings[i], setting_count, list))
            tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                         "--set %.100s: a record takes its machine only: gpu=MACHINE, "
                         "gpu.KEY=VALUE; launch files take all keys",
                         settings[i]);
    return tma_diagnostics_total(list) == before;
}

/* Whether a setting has a key below kernel, which is one text in a launch file: reports it. */
static bool is_of_scenario(const char *setting, struct tma_diagnostics *list) {
    static const char front[] = "kernel.";
    if (strncmp(setting, front, sizeof front - 1) != 0)
        return false;
    tma_diagnose(list, TMA_ERROR_SYNTAX, (struct tma_location){"--set", 0, 0},
                 "a launch file has its keys without kernel. in front; did you mean %.200s?",
                 setting + sizeof front - 1);
    return true;
}

bool tma_launch_read(const char *text, size_t length, const char *name, const char *const *settings,
                     size_t setting_count, struct tma_launch *launch,
                     struct tma_diagnostics *list) {
    size_t before = tma_diagnostics_total(list);
    *launch = (struct tma_launch){.at = {.file = name}};
    launch->document = tma_yaml_parse_mapping(text, length, name, list);
    if (launch->document == NULL)
        return false;
    for (size_t i = 0; i < setting_count; i++)
        if (!is_of_scenario(settings[i], list) &&
            !tma_setting_names_clock(settings[i], "sm_clock", "--set", list) &&
            !keep_for_machine(launch, settings[i], setting_count, list))
            tma_yaml_set(launch->document, settings[i], "--set", list);
    struct tma_launch_reader reader = {.launch = launch, .list = list};
    tma_launch_read_root(&reader, launch->document);
    tma_diagnostics_sort(list);
    return tma_diagnostics_total(list) == before;
}
