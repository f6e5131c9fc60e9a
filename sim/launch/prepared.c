#include "launch/prepared.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/allocation.h"
#include "base/limits.h"
#include "base/numbers.h"
#include "base/utf8.h"
#include "core/sass.h"
#include "launch/launch_reader.h"
#include "ptx/read.h"
#include "scenario/text_file.h"
#include "tensormap/descriptor.h"
#include "tensormap/dump.h"
#include "tensormap/rules.h"

/* Where buffers lie: as allocations of their own, with a gap behind each, so that an access past
 * the end of one reaches none. */
enum { ALLOCATION_BYTES = 2 << 20 };
#define FIRST_ADDRESS UINT64_C(0x7f0000000000)

static void out_of_memory(const struct tma_launch *launch, struct tma_diagnostics *list) {
    tma_diagnose(list, TMA_ERROR_MEMORY, launch->at, "out of memory");
}

static bool read_module(struct tma_prepared *prepared, struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    struct tma_error error;
    char *text;
    size_t length;
    prepared->ptx_path = tma_launch_find(launch, launch->ptx, "ptx");
    if (prepared->ptx_path == NULL) {
        out_of_memory(launch, list);
        return false;
    }
    enum tma_error_code code =
        tma_text_read_up_to(prepared->ptx_path, TMA_LIMIT_PTX_BYTES, &text, &length, &error);
    if (code != TMA_OK)
        return tma_diagnose(list, code, launch->ptx_at, "%s %s", prepared->ptx_path, error.text);
    prepared->module = tma_ptx_read(text, length, prepared->ptx_path, list);
    tma_release(text);
    return prepared->module != NULL;
}

static bool read_sass(struct tma_prepared *prepared, struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    struct tma_error error;
    char *text = NULL;
    size_t length;
    char *path = tma_launch_find(launch, launch->sass, "sass");
    if (path == NULL) {
        out_of_memory(launch, list);
        return false;
    }
    enum tma_error_code code =
        tma_text_read_up_to(path, TMA_LIMIT_PTX_BYTES, &text, &length, &error);
    if (code == TMA_OK)
        code = tma_sass_read(text, length, prepared->module, prepared->execution.function,
                             &prepared->sass, &error);
    if (code != TMA_OK)
        tma_diagnose(list, code, launch->sass_at, "%s %s", path, error.text);
    prepared->execution.sass = prepared->sass;
    TMA_RELEASE(text, path);
    return code == TMA_OK;
}

static bool find_kernel(struct tma_prepared *prepared, struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    const struct tma_ptx_entry entry = tma_ptx_find_entry(prepared->module, launch->kernel);
    prepared->execution.function = entry.number;
    if (entry.number != UINT32_MAX)
        return true;
    if (entry.count == 0)
        tma_diagnose(list, TMA_ERROR_SYNTAX, launch->ptx_at, "%s has no entry (.entry)",
                     prepared->ptx_path);
    else if (launch->kernel == NULL)
        tma_diagnose(
            list, TMA_ERROR_SYNTAX, launch->ptx_at,
            "%s has %u entries; expected the key `kernel` with the name of one, such as %s",
            prepared->ptx_path, entry.count, entry.closest);
    else
        tma_diagnose(list, TMA_ERROR_SYNTAX, launch->kernel_at,
                     "%s has no entry %.200s; did you mean %s?", prepared->ptx_path, launch->kernel,
                     entry.closest);
    return false;
}

/* Threads of a CTA and CTAs of a cluster: as given, or as the kernel requires them. */
static void set_shape(struct tma_prepared *prepared, struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    struct tma_ptx_launch *execution = &prepared->execution;
    const struct tma_ptx_function *function = &prepared->module->functions[execution->function];
    const uint32_t *required = function->required_threads, *cluster = function->required_cluster;
    bool given = launch->block[0] > 0, needs = required[0] > 0;
    memcpy(execution->grid, launch->grid, sizeof launch->grid);
    memcpy(execution->block, given || !needs ? launch->block : required, sizeof launch->block);
    memcpy(execution->cluster, launch->cluster_given || cluster[0] == 0 ? launch->cluster : cluster,
           sizeof launch->cluster);
    for (int i = 0; i < TMA_LAUNCH_DIMENSIONS; i++) {
        execution->block[i] += execution->block[i] == 0;
        execution->cluster[i] += execution->cluster[i] == 0;
    }
    if (!given && !needs)
        tma_diagnose(list, TMA_ERROR_SYNTAX, launch->at,
                     "block is missing, and %s does not require one (.reqntid)", function->name);
    for (int i = 0; i < TMA_LAUNCH_DIMENSIONS; i++) {
        static const char axes[] = "xyz";
        uint32_t wanted = required[i] > 0 ? required[i] : 1;
        if (given && needs && wanted != execution->block[i])
            tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                         "block has %u threads in %c; %s requires %u (.reqntid)",
                         execution->block[i], axes[i], function->name, wanted);
        if (execution->grid[i] % execution->cluster[i] != 0)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                         "the grid has %u CTAs in %c, no multiple of the %u of a cluster",
                         execution->grid[i], axes[i], execution->cluster[i]);
    }
}

static void check_machine(struct tma_prepared *prepared, const struct tma_machine *machine,
                          struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    struct tma_ptx_launch *execution = &prepared->execution;
    uint64_t threads = tma_ptx_count(execution->block), ctas = tma_ptx_count(execution->cluster);
    uint64_t shared =
        prepared->module->functions[execution->function].shared_bytes + launch->dynamic_shared;
    if (threads > machine->sm.cta_threads)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                     "a CTA has %" PRIu64 " threads; the machine allows %u", threads,
                     machine->sm.cta_threads);
    if (ctas > TMA_PTX_MAX_CLUSTER_CTAS)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                     "a cluster has %" PRIu64 " CTAs; allowed: %d", ctas, TMA_PTX_MAX_CLUSTER_CTAS);
    if (shared > machine->shared_memory_cta_bytes)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                     "a CTA takes %" PRIu64 " bytes of shared memory, %u of them dynamic; the "
                     "machine allows %u",
                     shared, launch->dynamic_shared, machine->shared_memory_cta_bytes);
    if (threads > machine->sm.cta_threads || shared > machine->shared_memory_cta_bytes)
        return;
    uint32_t fit = tma_machine_ctas_per_sm(machine, threads, launch->registers, shared);
    if (fit == 0)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                     "no CTA fits on an SM: %" PRIu64 " threads of %u registers", threads,
                     launch->registers);
    if (launch->ctas_per_sm > 0) {
        fit = tma_machine_ctas_per_sm(machine, threads, 0, 0);
        if (launch->ctas_per_sm > fit)
            tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->ctas_per_sm_at,
                         "ctas_per_sm is %u; the threads of an SM are enough for 1 to %u CTAs of "
                         "%" PRIu64 " threads",
                         launch->ctas_per_sm, fit, threads);
        fit = launch->ctas_per_sm;
    }
    execution->ctas_per_sm = launch->ctas_per_sm;
    execution->dynamic_shared = launch->dynamic_shared;
    execution->registers = launch->registers;
    execution->resident_ctas = fit * machine->sm_count;
}

static void check_map(const struct tma_tensor_map *map, struct tma_location place,
                      enum tma_architecture architecture, struct tma_diagnostics *list) {
    struct tma_violation violations[TMA_MAX_VIOLATIONS];
    size_t count = tma_tensor_map_check(map, architecture, violations, TMA_MAX_VIOLATIONS);
    for (size_t i = 0; i < count; i++) {
        char text[TMA_ERROR_TEXT_BYTES];
        tma_violation_text(&violations[i], text, sizeof text);
        tma_diagnose(list, TMA_ERROR_TENSOR_MAP, place, "tensor map: %s", text);
    }
}

/* Gives each buffer its place. */
static bool place_buffers(struct tma_prepared *prepared, struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    struct tma_ptx_launch *execution = &prepared->execution;
    uint64_t next = FIRST_ADDRESS;
    execution->buffers = tma_allocate(launch->buffer_count, sizeof *execution->buffers);
    if (execution->buffers == NULL) {
        out_of_memory(launch, list);
        return false;
    }
    execution->buffer_count = (uint32_t)launch->buffer_count;
    for (size_t i = 0; i < launch->buffer_count; i++) {
        const struct tma_launch_buffer *buffer = &launch->buffers[i];
        execution->buffers[i] =
            (struct tma_ptx_buffer){.name = buffer->name,
                                    .address = buffer->address != 0 ? buffer->address : next,
                                    .size = buffer->bytes};
        next = tma_round_up(execution->buffers[i].address + buffer->bytes, ALLOCATION_BYTES) +
               ALLOCATION_BYTES;
    }
    return true;
}

/* Writes a part of a parameter, and checks a map. */
static void write_part(const struct tma_prepared *prepared, const struct tma_launch_part *part,
                       enum tma_architecture architecture, uint8_t *bytes,
                       struct tma_diagnostics *list) {
    const struct tma_ptx_buffer *buffer =
        part->buffer < 0 ? NULL : &prepared->execution.buffers[part->buffer];
    uint64_t address = buffer == NULL ? 0 : buffer->address + part->offset;
    struct tma_descriptor descriptor;
    if (buffer != NULL && part->offset > buffer->size)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, part->place,
                     "offset %" PRIu64 " lies behind buffer %s, which has %" PRIu64 " bytes",
                     part->offset, buffer->name, buffer->size);
    switch (part->kind) {
    case TMA_PART_MAP: {
        struct tma_tensor_map map = part->map;
        map.global_address = address;
        check_map(&map, part->place, architecture, list);
        tma_descriptor_encode(&map, &descriptor);
        tma_descriptor_encode_oob_base(&map, architecture, &descriptor);
        tma_descriptor_to_bytes(&descriptor, bytes);
        break;
    }
    case TMA_PART_MAP_BYTES: {
        struct tma_error error;
        if (tma_dump_read(part->hex, strlen(part->hex), &descriptor, NULL, &error) != TMA_OK ||
            (buffer != NULL &&
             tma_descriptor_replace_address(&descriptor, address, &error) != TMA_OK))
            tma_diagnose(list, TMA_ERROR_ARGUMENT, part->place, "%s", error.text);
        tma_descriptor_to_bytes(&descriptor, bytes);
        break;
    }
    case TMA_PART_POINTER:
        tma_element_put_bits(TMA_ELEMENT_UINT64, address, bytes);
        break;
    case TMA_PART_NUMBER:
        for (uint64_t i = 0; i < part->bytes; i++)
            bytes[i] = (uint8_t)(part->bits >> 8 * i);
        break;
    }
}

static bool set_parameters(struct tma_prepared *prepared, enum tma_architecture architecture,
                           struct tma_diagnostics *list) {
    const struct tma_launch *launch = prepared->launch;
    const struct tma_ptx_module *module = prepared->module;
    const struct tma_ptx_function *function = &module->functions[prepared->execution.function];
    prepared->parameters = tma_allocate(function->parameter_bytes, 1);
    prepared->execution.parameters = prepared->parameters;
    if (prepared->parameters == NULL) {
        out_of_memory(launch, list);
        return false;
    }
    if (launch->parameter_count != function->parameter_count)
        tma_diagnose(list, TMA_ERROR_ARGUMENT, launch->at,
                     "the launch has %zu parameters; %s takes %u (%s:%u)", launch->parameter_count,
                     function->name, function->parameter_count, prepared->ptx_path, function->line);
    for (size_t i = 0; i < launch->parameter_count && i < function->parameter_count; i++) {
        const struct tma_launch_parameter *parameter = &launch->parameters[i];
        const struct tma_ptx_variable *variable = &module->variables[function->first_variable + i];
        if (parameter->bytes != variable->bytes) {
            tma_diagnose(
                list, TMA_ERROR_ARGUMENT, parameter->at,
                "parameter %zu%s%.100s has %" PRIu64 " bytes; %s of the kernel has %" PRIu64, i,
                parameter->name == NULL ? "" : ", ", parameter->name == NULL ? "" : parameter->name,
                parameter->bytes, variable->name, variable->bytes);
            continue;
        }
        for (uint32_t j = 0; j < parameter->part_count; j++) {
            const struct tma_launch_part *part = &launch->parts[parameter->first_part + j];
            write_part(prepared, part, architecture,
                       prepared->parameters + variable->offset + part->at, list);
        }
    }
    return true;
}

/* Does the kernel, or a function of its module, have instructions that a GPU computes by tables? */
static bool is_approximate(const struct tma_ptx_module *module) {
    for (size_t i = 0; i < module->instruction_count; i++)
        if (tma_ptx_has(&module->instructions[i], TMA_PTX_DOT_APPROX) ||
            tma_ptx_has(&module->instructions[i], TMA_PTX_DOT_FULL))
            return true;
    return false;
}

bool tma_launch_prepare(const struct tma_launch *launch, const struct tma_machine *machine,
                        bool memory, struct tma_prepared *prepared, struct tma_diagnostics *list) {
    size_t before = tma_diagnostics_total(list);
    *prepared = (struct tma_prepared){.launch = launch};
    if (!read_module(prepared, list) || !find_kernel(prepared, list))
        return false;
    prepared->execution.module = prepared->module;
    if (launch->sass != NULL && !read_sass(prepared, list))
        return false;
    prepared->approximate = is_approximate(prepared->module);
    set_shape(prepared, list);
    check_machine(prepared, machine, list);
    if (place_buffers(prepared, list) && set_parameters(prepared, machine->architecture, list) &&
        memory && tma_diagnostics_total(list) == before)
        tma_fill_buffers(launch, prepared->execution.buffers, list);
    return tma_diagnostics_total(list) == before;
}

struct tma_machine tma_launch_measured_machine(const struct tma_machine *machine,
                                               const struct tma_launch_measured *measured) {
    struct tma_machine clocked = *machine;
    if (measured->cycles > 0)
        clocked = tma_machine_at_clock(
            machine, (uint32_t)((measured->cycles * 1000 + measured->ns / 2) / measured->ns));
    if (measured->empty_ns > 0)
        /* The empty kernel writes nothing. */
        clocked.topology.launch_empty_cycles =
            (uint32_t)((measured->empty_ns * clocked.sm_clock_mhz + 500) / 1000) +
            tma_machine_write_cycles(&clocked);
    return clocked;
}

void tma_prepared_free(struct tma_prepared *prepared) {
    struct tma_ptx_launch *execution = &prepared->execution;
    for (uint32_t i = 0; execution->buffers != NULL && i < execution->buffer_count; i++) {
        TMA_RELEASE(execution->buffers[i].contents, execution->buffers[i].opaque);
    }
    TMA_RELEASE(execution->buffers, prepared->parameters);
    tma_ptx_module_free(prepared->module);
    tma_sass_free(prepared->sass);
    tma_release(prepared->ptx_path);
    *prepared = (struct tma_prepared){0};
}
