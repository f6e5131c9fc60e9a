/* What a launch ends with, and what it notes on the way. */
#include <stdarg.h>
#include <stdio.h>

#include "base/allocation.h"
#include "base/array.h"
#include "ptx/execution_state.h"

/* Adds a finding, or counts it again. */
static void add(struct tma_executor *launch, const struct tma_warp *warp, uint32_t instruction,
                uint32_t other, const char *kind, const char *text) {
    struct tma_ptx_result *result = launch->result;
    for (uint32_t i = 0; i < result->finding_count; ++i) {
        struct tma_ptx_finding *known = &result->findings[i];
        if (known->instruction == instruction && known->other == other &&
            strcmp(known->kind, kind) == 0) {
            ++known->count;
            return;
        }
    }
    if (!TMA_GROW(result->findings, result->finding_count, launch->finding_capacity)) {
        launch->out_of_memory = true;
        return;
    }
    char *copy = tma_copy_text(text);
    if (copy == NULL) {
        launch->out_of_memory = true;
        return;
    }
    result->findings[result->finding_count++] =
        (struct tma_ptx_finding){.kind = kind,
                                 .text = copy,
                                 .instruction = instruction,
                                 .other = other,
                                 .cta = warp != NULL ? (uint32_t)warp->cta->linear : 0,
                                 .warp = warp != NULL ? warp->index : 0,
                                 .count = 1};
}

void tma_note(struct tma_executor *launch, const struct tma_warp *warp, uint32_t instruction,
              uint32_t other, const char *kind, const char *format, ...) {
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add(launch, warp, instruction, other, kind, text);
}

static const char *const kinds[] = {[TMA_PTX_COMPLETED] = "",
                                    [TMA_PTX_FAULT] = "fault",
                                    [TMA_PTX_DEADLOCK] = "deadlock",
                                    [TMA_PTX_OPAQUE] = "opaque",
                                    [TMA_PTX_UNKNOWN_INSTRUCTION] = "unknown instruction",
                                    [TMA_PTX_RUNAWAY] = "runaway"};

enum tma_step tma_stop(struct tma_warp *warp, const struct tma_op *op, enum tma_ptx_failure failure,
                       const char *format, ...) {
    struct tma_executor *launch = warp->launch;
    char text[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!launch->failed) {
        launch->failed = true;
        launch->result->failure = failure;
        add(launch, warp, op->instruction, UINT32_MAX, kinds[failure], text);
    }
    return TMA_STEP_FAILED;
}

enum tma_step tma_stop_opaque_from(struct tma_warp *warp, const struct tma_op *op, uint16_t origin,
                                   const char *what) {
    const struct tma_ptx_launch *launch = warp->launch->launch;
    if (origin >= TMA_ORIGIN_BUFFER &&
        (uint32_t)(origin - TMA_ORIGIN_BUFFER) < launch->buffer_count)
        return tma_stop(warp, op, TMA_PTX_OPAQUE,
                        "an unknown value of buffer %s reaches %s: give the buffer contents (file, "
                        "values or fill) to run this kernel",
                        launch->buffers[origin - TMA_ORIGIN_BUFFER].name, what);
    static const char *const sources[] = {
        [TMA_ORIGIN_REGISTER] = "a register that nothing has written",
        [TMA_ORIGIN_SHARED] = "shared memory that nothing has written",
        [TMA_ORIGIN_LOCAL] = "local memory that nothing has written",
        [TMA_ORIGIN_PRODUCT] = "a matrix product that is not computed"};
    return tma_stop(warp, op, TMA_PTX_OPAQUE, "a value of %s reaches %s",
                    origin < TMA_ORIGIN_BUFFER ? sources[origin] : "memory", what);
}

bool tma_known(struct tma_warp *warp, const struct tma_op *op, const struct tma_place *place,
               uint32_t lanes, const char *what) {
    if (place->absent || !(tma_opaque(warp, place) & lanes))
        return true;
    tma_stop_opaque_from(warp, op, warp->origin[place->number], what);
    return false;
}

/* The variable that has a byte of shared memory, and where it begins. Dynamic shared memory, which
 * lies behind the others, has the name of the only variable that is in it. */
static const struct tma_ptx_variable *shared_variable(const struct tma_ptx_module *module,
                                                      uint32_t function, uint32_t offset,
                                                      uint64_t *first) {
    const struct tma_ptx_function *entry = &module->functions[function];
    const struct tma_ptx_variable *found = NULL;
    for (uint32_t i = 0; i < entry->shared_count; i++) {
        const struct tma_ptx_shared_place *place = &module->shared_places[entry->first_shared + i];
        const struct tma_ptx_variable *variable = &module->variables[place->variable];
        *first = place->offset;
        if (offset >= place->offset && offset - place->offset < variable->bytes)
            return variable;
    }
    *first = entry->shared_bytes;
    for (size_t i = 0; offset >= entry->shared_bytes && i < module->variable_count; i++) {
        const struct tma_ptx_variable *variable = &module->variables[i];
        bool is_dynamic = variable->is_extern || variable->bytes == 0;
        if (variable->space != TMA_PTX_SHARED || !is_dynamic ||
            (variable->function != 0 && variable->function != function + 1))
            continue;
        if (found != NULL)
            return NULL;
        found = variable;
    }
    return found;
}

void tma_ptx_shared_name(const struct tma_ptx_module *module, uint32_t function, uint32_t offset,
                         char text[static TMA_PTX_SHARED_NAME_BYTES]) {
    enum { MOST_CHARACTERS = 80 };
    uint64_t first = 0;
    const struct tma_ptx_variable *variable = shared_variable(module, function, offset, &first);
    unsigned address = TMA_SHARED_BASE + offset;
    if (variable == NULL || strlen(variable->name) > MOST_CHARACTERS)
        snprintf(text, TMA_PTX_SHARED_NAME_BYTES, "0x%x", address);
    else if (offset == first)
        snprintf(text, TMA_PTX_SHARED_NAME_BYTES, "0x%x (%s)", address, variable->name);
    else
        snprintf(text, TMA_PTX_SHARED_NAME_BYTES, "0x%x (%s + 0x%x)", address, variable->name,
                 (unsigned)(offset - first));
}
