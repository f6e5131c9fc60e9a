/* tmasim launch: a template of the launch file of a kernel, from the signature in its PTX. */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/allocation.h"
#include "base/diagnostics.h"
#include "base/limits.h"
#include "cli/files/output.h"
#include "cli/messages.h"
#include "cli/verbs/verbs.h"
#include "ptx/read.h"
#include "scenario/text_file.h"
#include "tensormap/descriptor.h"

struct launch_options {
    struct cli_options common;
    const char *kernel; /* NULL: the only one */
};

/* Finds the entry; prints the error and returns NULL if there is none, or a choice. */
static const struct tma_ptx_function *find_entry(const struct tma_ptx_module *module,
                                                 const char *file, const char *wanted) {
    const struct tma_ptx_entry entry = tma_ptx_find_entry(module, wanted);
    if (entry.number != UINT32_MAX)
        return &module->functions[entry.number];
    if (entry.count == 0)
        cli_error("%s has no entry (.entry)", file);
    else if (wanted == NULL)
        cli_error("%s has %" PRIu32 " entries; expected --kernel NAME, such as %s", file,
                  entry.count, entry.closest);
    else
        cli_error("%s has no entry %s; did you mean %s?", file, wanted, entry.closest);
    return NULL;
}

enum parameter_kind { MAP, POINTER, NUMBER, BYTES };

/* Does PTX say of pointers that they are (`.ptr`)? Then parameters without that are none. */
static bool marks_pointers(const struct tma_ptx_module *module) {
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].is_pointer)
            return true;
    return false;
}

/* The PTX of which a template is written. */
struct launch_template {
    const struct tma_ptx_module *module;
    const struct tma_ptx_function *function;
    bool marks_pointers;
};

/* What a parameter most likely is: a tensor map has 128 bytes and lies at a multiple of 64. */
static enum parameter_kind kind_of(const struct launch_template *template,
                                   const struct tma_ptx_variable *parameter) {
    bool is_float = parameter->type == TMA_PTX_F64 || parameter->type == TMA_PTX_F32;
    if (parameter->bytes == TMA_DESCRIPTOR_BYTES &&
        parameter->alignment >= TMA_DESCRIPTOR_ALIGNMENT_BYTES)
        return MAP;
    if (parameter->bytes == 8 && parameter->alignment >= 8 && !is_float &&
        (!template->marks_pointers || parameter->is_pointer))
        return POINTER;
    if (parameter->bytes == 1 || parameter->bytes == 2 || parameter->bytes == 4 ||
        parameter->bytes == 8)
        return NUMBER;
    return BYTES;
}

static void put_number(const struct tma_ptx_variable *parameter, FILE *out) {
    if (parameter->type == TMA_PTX_F64 || parameter->type == TMA_PTX_F32)
        fprintf(out, "{f%" PRIu64 ": 1.0}", 8 * parameter->bytes);
    else
        fprintf(out, "{u%" PRIu64 ": 1}", 8 * parameter->bytes);
}

static void put_parameter(const struct launch_template *template,
                          const struct tma_ptx_variable *parameter, uint32_t index, FILE *out) {
    fputs("  - ", out);
    switch (kind_of(template, parameter)) {
    case MAP:
        fprintf(out,
                "{map: {data_type: float16, global_dim: [1024, 1024], box_dim: [64, 64], "
                "swizzle: 128b}, buffer: b%" PRIu32 "}",
                index);
        break;
    case POINTER:
        fprintf(out, "{pointer: b%" PRIu32 "}", index);
        break;
    case NUMBER:
        put_number(parameter, out);
        break;
    case BYTES:
        fprintf(out, "{bytes: %" PRIu64 ", patches: []}", parameter->bytes);
        break;
    }
    fprintf(out, " # %s, %" PRIu64 " bytes", parameter->name, parameter->bytes);
    if (kind_of(template, parameter) == POINTER)
        fputs("; a number is {u64: N}", out);
    if (kind_of(template, parameter) == BYTES)
        fprintf(out, "; its members are {at: N, pointer: NAME}, {at: N, u32: N}%s",
                parameter->alignment >= TMA_DESCRIPTOR_ALIGNMENT_BYTES
                    ? ", {at: N, map: {...}, buffer: NAME}"
                    : "");
    fputc('\n', out);
}

static void put_threads(const struct tma_ptx_function *function, FILE *out) {
    const uint32_t *required = function->required_threads, *most = function->maximum_threads;
    if (required[0] > 0)
        fprintf(out, "# block: [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], which it requires\n",
                required[0], required[1] > 0 ? required[1] : 1, required[2] > 0 ? required[2] : 1);
    else if (most[0] > 0)
        fprintf(out, "block: [%" PRIu32 "] # the most that it allows\n",
                most[0] * (most[1] > 0 ? most[1] : 1) * (most[2] > 0 ? most[2] : 1));
    else
        fputs("block: [128] # threads of a CTA\n", out);
    if (function->required_cluster[0] > 0)
        fprintf(out, "# cluster: [%" PRIu32 ", %" PRIu32 ", %" PRIu32 "], which it requires\n",
                function->required_cluster[0], function->required_cluster[1],
                function->required_cluster[2]);
    else
        fputs("# cluster: [2]\n", out);
}

/* The name of the dynamic shared memory; NULL: the module has none. */
static const char *dynamic_shared(const struct tma_ptx_module *module) {
    for (size_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].space == TMA_PTX_SHARED && module->variables[i].is_extern)
            return module->variables[i].name;
    return NULL;
}

/* How the launch file names the PTX: it lies beside it, or is named by its whole path. Returns NULL
 * when out of memory; the caller frees it. */
static char *name_of_ptx(const char *ptx, const char *output) {
    char ptx_path[PATH_MAX];
    if (output == NULL)
        return tma_copy_text(ptx);
    const char *slash = strrchr(ptx, '/'), *other = strrchr(output, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - ptx) + 1;
    size_t other_length = other == NULL ? 0 : (size_t)(other - output) + 1;
    if (length == other_length && strncmp(ptx, output, length) == 0)
        return tma_copy_text(ptx + length);
    return tma_copy_text(realpath(ptx, ptx_path) == NULL ? ptx : ptx_path);
}

static void write_template(const struct launch_template *template, const char *ptx, FILE *out) {
    const struct tma_ptx_module *module = template->module;
    const struct tma_ptx_function *function = template->function;
    const struct tma_ptx_variable *parameters = &module->variables[function->first_variable];
    bool has_buffers = false;
    uint32_t cluster = function->required_cluster[0];
    fprintf(out,
            "# Fill in what the PTX does not say: the grid, sizes of buffers, tensor maps and "
            "numbers.\n# `tmasim help launch-file` has the keys.\nname: %s\nptx: %s\nkernel: %s\n",
            function->name, ptx, function->name);
    fprintf(out, "grid: [%" PRIu32 "] # CTAs in x, y and z\n", cluster > 0 ? cluster : 1);
    put_threads(function, out);
    const char *shared = dynamic_shared(module);
    if (shared != NULL)
        fprintf(out, "dynamic_shared: 0 # bytes of %s, as the launch gives them\n", shared);
    else
        fputs("# dynamic_shared: 0 # bytes\n", out);
    for (uint32_t i = 0; i < function->parameter_count; i++) {
        enum parameter_kind kind = kind_of(template, &parameters[i]);
        if (kind != MAP && kind != POINTER)
            continue;
        fputs(has_buffers ? "" : "\nbuffers: # contents: zero, {file: F}, {seed: N}\n", out);
        fprintf(out, "  b%" PRIu32 ": {bytes: 2 MiB, data_type: float16}\n", i);
        has_buffers = true;
    }
    fputs(function->parameter_count > 0 ? "\nparameters:\n" : "", out);
    for (uint32_t i = 0; i < function->parameter_count; i++)
        put_parameter(template, &parameters[i], i, out);
}

static int run(const struct cli_options *options) {
    const struct launch_options *own = (const struct launch_options *)options;
    const char *path = options->operands.items[0];
    struct tma_diagnostics list = tma_diagnostics_empty();
    struct tma_ptx_module *module = NULL;
    struct tma_error error;
    struct cli_output output;
    char *text = NULL, *name = NULL;
    size_t length;
    int status = CLI_ERROR;
    if (tma_text_read_up_to(path, TMA_LIMIT_PTX_BYTES, &text, &length, &error) != TMA_OK)
        cli_error("%s %s", cli_file_name(path), error.text);
    else
        module = tma_ptx_read(text, length, path, &list);
    tma_diagnostics_sort(&list);
    cli_print_diagnostics(&list);
    const struct tma_ptx_function *function =
        module == NULL ? NULL : find_entry(module, cli_file_name(path), own->kernel);
    if (function != NULL && (name = name_of_ptx(path, options->output)) == NULL)
        cli_error("out of memory");
    if (name != NULL && cli_output_open(&output, options->output)) {
        const struct launch_template template = {module, function, marks_pointers(module)};
        write_template(&template, name, output.file);
        if (cli_output_close(&output, true))
            status = CLI_OK;
    }
    TMA_RELEASE(name, text);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&list);
    return status;
}

static const struct cli_option options[] = {
    CLI_VALUE_OPTION("--kernel", "NAME", TEXT, offsetof(struct launch_options, kernel),
                     "the entry of the PTX; default: the only one"),
    CLI_OPTION_OUTPUT,
};

const struct cli_verb cli_launch = {
    .name = "launch",
    .operands = "KERNEL.ptx",
    .takes_files = true,
    .example = "copy.ptx -o launch.yaml",
    .summary = "Write a template of the launch file of a kernel, from the signature in its PTX.",
    .details = "What the PTX does not say is filled in by hand; as it is, the file can be read and "
               "checked. Launches\nof a program on a GPU are recorded by tmasim-capture.",
    .statuses = "0 done, 2 error",
    .min_operands = 1,
    .max_operands = 1,
    CLI_RUNS_WITH(launch_options),
};
