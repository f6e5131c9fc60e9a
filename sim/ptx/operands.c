#include "ptx/operands.h"

#include "base/allocation.h"
#include "base/array.h"

const struct tma_ptx_operand *tma_operand(const struct tma_operands *operands, uint32_t index) {
    const struct tma_ptx_instruction *instruction = operands->instruction;
    return index < instruction->operand_count
               ? &operands->launch->module->operands[instruction->operands + index]
               : NULL;
}

/* The constants begin with 512 zero bytes: an absent source reads as zero. */
struct tma_place tma_absent(void) {
    return (struct tma_place){.kind = TMA_PLACE_CONSTANT, .width = TMA_PTX_WORD, .absent = true};
}

/* What is written to no register goes to the first 512 bytes of the file, with number 1. */
static struct tma_place sink(void) {
    return (struct tma_place){.number = 1, .width = TMA_PTX_WORD, .absent = true};
}

static uint32_t width_bytes(uint8_t width) {
    return width == TMA_PTX_DOUBLE ? 256 : width == TMA_PTX_QUAD ? 512 : 128;
}

void tma_fill_lanes(const struct tma_warp *warp, const struct tma_place *place) {
    uint64_t value = warp->values[place->number];
    uint8_t *at = warp->file + place->offset;
    warp->forms[place->number] |= TMA_FORM_LANES;
    if (place->width == TMA_PTX_WORD)
        for (uint32_t lane = 0; lane < 32; ++lane)
            ((uint32_t *)(void *)at)[lane] = (uint32_t)value;
    else
        for (uint32_t lane = 0, words = place->width == TMA_PTX_QUAD ? 2 : 1; lane < 32; ++lane) {
            ((uint64_t *)(void *)at)[words * lane] = value;
            ((uint64_t *)(void *)at)[words * lane + words - 1] = words == 2 ? 0 : value;
        }
}

struct tma_place tma_constant(struct tma_executor *launch, uint64_t value, uint8_t width) {
    struct tma_place place = {.kind = TMA_PLACE_CONSTANT, .width = width};
    for (uint32_t i = 0; i < launch->constant_count; ++i)
        if (launch->constant_values[3 * i] == value &&
            launch->constant_values[3 * i + 1] == width) {
            place.offset = (uint32_t)launch->constant_values[3 * i + 2];
            return place;
        }
    uint32_t bytes = width_bytes(width);
    while (launch->constant_bytes + bytes > launch->constant_capacity) {
        size_t capacity = launch->constant_capacity == 0 ? 4096 : 2 * launch->constant_capacity;
        uint8_t *grown = tma_resize(launch->constants, capacity, 1);
        if (grown == NULL) {
            launch->out_of_memory = true;
            return tma_absent();
        }
        launch->constants = grown;
        launch->constant_capacity = capacity;
    }
    if (!tma_array_grow(&launch->constant_values, launch->constant_count,
                        &launch->constant_value_capacity, 3 * sizeof *launch->constant_values)) {
        launch->out_of_memory = true;
        return tma_absent();
    }
    uint8_t *at = launch->constants + launch->constant_bytes;
    memset(at, 0, bytes);
    for (uint32_t lane = 0; lane < 32; ++lane)
        switch ((enum tma_ptx_width)width) {
        case TMA_PTX_PREDICATE:
            ((uint32_t *)(void *)at)[0] = value & 1 ? TMA_ALL_LANES : 0;
            break;
        case TMA_PTX_WORD:
            ((uint32_t *)(void *)at)[lane] = (uint32_t)value;
            break;
        case TMA_PTX_DOUBLE:
            ((uint64_t *)(void *)at)[lane] = value;
            break;
        case TMA_PTX_QUAD:
            ((uint64_t *)(void *)at)[2 * lane] = value;
            break;
        }
    place.offset = launch->constant_bytes;
    uint64_t *values = &launch->constant_values[3 * launch->constant_count];
    values[0] = value;
    values[1] = width;
    values[2] = place.offset;
    ++launch->constant_count;
    launch->constant_bytes += bytes;
    return place;
}

static uint8_t width_of(enum tma_ptx_type type) {
    uint32_t bits = tma_ptx_types[type].bits;
    return type == TMA_PTX_PRED ? TMA_PTX_PREDICATE
           : bits <= 32         ? TMA_PTX_WORD
           : bits <= 64         ? TMA_PTX_DOUBLE
                                : TMA_PTX_QUAD;
}

struct tma_place tma_new_register(struct tma_executor *launch, uint8_t width) {
    struct tma_place place = {
        .offset = launch->file_bytes, .number = launch->register_count, .width = width};
    launch->file_bytes += width_bytes(width);
    ++launch->register_count;
    return place;
}

/* The address of a variable within its space. */
static uint64_t variable_address(const struct tma_operands *operands, uint32_t variable) {
    return operands->launch->variable_addresses[variable];
}

/* The place that holds the address of a variable, plus an offset, within its space. */
static struct tma_place variable_place(const struct tma_operands *operands, uint32_t variable,
                                       int64_t *offset, uint8_t width) {
    struct tma_executor *launch = operands->launch;
    uint64_t address = variable_address(operands, variable);
    if (launch->module->variables[variable].space == TMA_PTX_SHARED &&
        launch->shared_places != NULL) {
        struct tma_place *place = &launch->shared_places[2 * variable + (width != TMA_PTX_WORD)];
        if (place->offset == 0)
            *place = tma_new_register(launch, width);
        return *place;
    }
    address += (uint64_t)*offset;
    *offset = 0;
    return tma_constant(launch, width == TMA_PTX_WORD ? (uint32_t)address : address, width);
}

struct tma_place tma_source_of(const struct tma_operands *operands,
                               const struct tma_ptx_operand *operand, enum tma_ptx_type type) {
    struct tma_executor *launch = operands->launch;
    if (operand == NULL)
        return tma_absent();
    switch ((enum tma_ptx_operand_kind)operand->kind) {
    case TMA_PTX_REGISTER: {
        uint32_t number =
            launch->module->functions[operands->function].first_register + operand->number;
        return (struct tma_place){.offset = launch->register_offsets[number],
                                  .number = launch->register_numbers[number],
                                  .width = (uint8_t)launch->module->registers[number].width,
                                  .negated = operand->negated};
    }
    case TMA_PTX_IMMEDIATE: {
        uint64_t bits = tma_ptx_immediate(operand, type);
        if (operand->negated)
            bits = !bits;
        return tma_constant(launch, bits, width_of(type));
    }
    case TMA_PTX_SPECIAL: {
        struct tma_place *place = &launch->specials[operand->number];
        if (operand->number == TMA_PTX_SREG_ENVREG || operand->number == TMA_PTX_SREG_PM ||
            operand->number == TMA_PTX_SREG_PM_64)
            return tma_constant(launch, 0, width_of(type));
        uint32_t bits = tma_ptx_special_bits((enum tma_ptx_special)operand->number);
        if (place->offset == 0)
            *place = tma_new_register(launch, bits == 1    ? TMA_PTX_PREDICATE
                                              : bits == 64 ? TMA_PTX_DOUBLE
                                                           : TMA_PTX_WORD);
        if (operand->number >= TMA_PTX_SREG_CLOCK && operand->number <= TMA_PTX_SREG_GLOBALTIMER_HI)
            operands->op->samples = true;
        struct tma_place result = *place;
        result.negated = operand->negated;
        return result;
    }
    case TMA_PTX_VARIABLE: {
        int64_t offset = operand->offset;
        uint8_t width = tma_ptx_types[type].bits == 64 ? TMA_PTX_DOUBLE : TMA_PTX_WORD;
        struct tma_place place = variable_place(operands, operand->number, &offset, width);
        if (offset != 0) { /* the address depends on the CTA, and there is an offset, too */
            operands->op->offset = offset;
            operands->op->mode2 = 1;
        }
        return place;
    }
    case TMA_PTX_FUNCTION:
        return tma_constant(launch, operand->number + 1, TMA_PTX_DOUBLE);
    case TMA_PTX_NO_OPERAND:
    case TMA_PTX_ADDRESS:
    case TMA_PTX_LABEL:
    case TMA_PTX_VECTOR:
    case TMA_PTX_SINK:
        break;
    }
    return tma_absent();
}

struct tma_place tma_source(const struct tma_operands *operands, uint32_t index,
                            enum tma_ptx_type type) {
    return tma_source_of(operands, tma_operand(operands, index), type);
}

struct tma_place tma_target_of(const struct tma_operands *operands,
                               const struct tma_ptx_operand *operand) {
    return operand != NULL && operand->kind == TMA_PTX_REGISTER
               ? tma_source_of(operands, operand, TMA_PTX_B32)
               : sink();
}

struct tma_place tma_target(const struct tma_operands *operands, uint32_t index) {
    return tma_target_of(operands, tma_operand(operands, index));
}

struct tma_place tma_base(const struct tma_operands *operands, uint32_t index, int64_t *offset,
                          uint8_t *space) {
    const struct tma_ptx_operand *operand = tma_operand(operands, index);
    if (operand == NULL || operand->kind != TMA_PTX_ADDRESS)
        return tma_absent();
    *offset = operand->offset;
    if (operand->base == TMA_PTX_REGISTER) {
        struct tma_ptx_operand base = {.kind = TMA_PTX_REGISTER, .number = operand->number};
        return tma_source_of(operands, &base, TMA_PTX_B64);
    }
    if (operand->base == TMA_PTX_VARIABLE) {
        const struct tma_ptx_variable *variable =
            &operands->launch->module->variables[operand->number];
        if (space != NULL && variable->space == TMA_PTX_PARAM && variable->in_frame)
            *space = TMA_PTX_LOCAL;
        else if (space != NULL && *space == TMA_PTX_GENERIC)
            *space = (uint8_t)variable->space;
        return variable_place(operands, operand->number, offset,
                              variable->space == TMA_PTX_GLOBAL ? TMA_PTX_DOUBLE : TMA_PTX_WORD);
    }
    uint64_t address = (uint64_t)*offset;
    *offset = 0;
    return tma_constant(operands->launch, address, TMA_PTX_DOUBLE);
}

void tma_list_place(const struct tma_operands *operands, struct tma_place place, uint32_t *list,
                    uint32_t *count) {
    struct tma_executor *launch = operands->launch;
    if (!TMA_GROW(launch->places, launch->place_count, launch->place_capacity)) {
        launch->out_of_memory = true;
        return;
    }
    if (*count == 0)
        *list = launch->place_count;
    launch->places[launch->place_count++] = place;
    ++*count;
}

void tma_list_sources(const struct tma_operands *operands, uint32_t index, enum tma_ptx_type type,
                      uint32_t *list, uint32_t *count) {
    const struct tma_ptx_operand *operand = tma_operand(operands, index);
    if (operand == NULL)
        return;
    if (operand->kind != TMA_PTX_VECTOR) {
        tma_list_place(operands, tma_source_of(operands, operand, type), list, count);
        return;
    }
    for (uint32_t i = 0; i < operand->list.count; ++i)
        tma_list_place(operands,
                       tma_source_of(operands,
                                     &operands->launch->module->operands[operand->list.first + i],
                                     type),
                       list, count);
}

void tma_list_targets(const struct tma_operands *operands, uint32_t index, uint32_t *list,
                      uint32_t *count) {
    const struct tma_ptx_operand *operand = tma_operand(operands, index);
    if (operand == NULL)
        return;
    if (operand->kind != TMA_PTX_VECTOR) {
        tma_list_place(operands, tma_target_of(operands, operand), list, count);
        return;
    }
    for (uint32_t i = 0; i < operand->list.count; ++i)
        tma_list_place(
            operands,
            tma_target_of(operands, &operands->launch->module->operands[operand->list.first + i]),
            list, count);
}

bool tma_need_cost(const struct tma_operands *operands) {
    operands->op->cost = tma_allocate(1, sizeof *operands->op->cost);
    if (operands->op->cost == NULL)
        operands->launch->out_of_memory = true;
    return operands->op->cost != NULL;
}
