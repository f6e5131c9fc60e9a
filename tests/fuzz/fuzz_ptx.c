/* Any text as PTX: a module whose numbers all lie in their arrays, or errors with places. */
#include "base/diagnostics.h"
#include "fuzz.h"
#include "ptx/matrix.h"
#include "ptx/read.h"

static void check_operand(const struct tma_ptx_module *module,
                          const struct tma_ptx_function *function,
                          const struct tma_ptx_operand *operand, bool nested) {
    uint8_t kind = operand->kind == TMA_PTX_ADDRESS ? operand->base : operand->kind;
    switch ((enum tma_ptx_operand_kind)kind) {
    case TMA_PTX_REGISTER:
        FUZZ_ASSERT(operand->number < function->register_count);
        break;
    case TMA_PTX_SPECIAL:
        FUZZ_ASSERT(operand->number < TMA_PTX_SPECIAL_COUNT);
        break;
    case TMA_PTX_VARIABLE:
        FUZZ_ASSERT(operand->number < module->variable_count);
        break;
    case TMA_PTX_FUNCTION:
        FUZZ_ASSERT(operand->number < module->function_count);
        break;
    case TMA_PTX_LABEL:
        FUZZ_ASSERT(operand->number < function->instruction_count);
        break;
    case TMA_PTX_VECTOR:
        FUZZ_ASSERT(!nested);
        FUZZ_ASSERT((uint64_t)operand->list.first + operand->list.count <= module->operand_count);
        for (uint32_t i = 0; i < operand->list.count; i++)
            check_operand(module, function, &module->operands[operand->list.first + i], true);
        break;
    case TMA_PTX_NO_OPERAND:
    case TMA_PTX_IMMEDIATE:
    case TMA_PTX_ADDRESS:
    case TMA_PTX_SINK:
        break;
    }
}

static void check_instruction(const struct tma_ptx_module *module,
                              const struct tma_ptx_function *function,
                              const struct tma_ptx_instruction *instruction) {
    FUZZ_ASSERT(instruction->opcode < TMA_PTX_OPCODE_COUNT);
    FUZZ_ASSERT((instruction->opcode == TMA_PTX_UNKNOWN) == (instruction->unknown != 0));
    FUZZ_ASSERT(instruction->unknown < module->message_count);
    FUZZ_ASSERT(instruction->source < module->place_count);
    FUZZ_ASSERT(instruction->guard == TMA_PTX_NO_REGISTER ||
                instruction->guard < function->register_count);
    FUZZ_ASSERT((uint64_t)instruction->operands + instruction->operand_count <=
                module->operand_count);
    FUZZ_ASSERT(instruction->line > 0 && instruction->column > 0);
    for (uint32_t i = 0; i < instruction->operand_count; i++)
        check_operand(module, function, &module->operands[instruction->operands + i], false);
    struct tma_ptx_product product;
    if (instruction->opcode == TMA_PTX_OP_MMA || instruction->opcode == TMA_PTX_OP_WGMMA_MMA_ASYNC)
        tma_ptx_product_of(module, instruction, &product);
}

static void check_function(const struct tma_ptx_module *module,
                           const struct tma_ptx_function *function) {
    FUZZ_ASSERT((uint64_t)function->first_instruction + function->instruction_count <=
                module->instruction_count);
    FUZZ_ASSERT((uint64_t)function->first_register + function->register_count <=
                module->register_count);
    FUZZ_ASSERT((uint64_t)function->first_variable + function->variable_count <=
                module->variable_count);
    FUZZ_ASSERT((uint64_t)function->first_shared + function->shared_count <=
                module->shared_place_count);
    for (uint32_t i = 0; i < function->result_count + function->parameter_count; i++)
        check_operand(module, function, &module->operands[function->parameters + i], false);
    for (uint32_t i = 0; i < function->instruction_count; i++)
        check_instruction(module, function, &module->instructions[function->first_instruction + i]);
    if (!function->is_extern)
        FUZZ_ASSERT(function->instruction_count > 0);
    for (uint32_t i = 0; i < function->shared_count; i++)
        FUZZ_ASSERT(module->shared_places[function->first_shared + i].variable <
                    module->variable_count);
}

static void check_module(const struct tma_ptx_module *module) {
    for (size_t i = 0; i < module->function_count; i++)
        check_function(module, &module->functions[i]);
    for (size_t i = 0; i < module->variable_count; i++) {
        const struct tma_ptx_variable *variable = &module->variables[i];
        FUZZ_ASSERT(variable->alignment > 0 && variable->name != NULL);
        FUZZ_ASSERT(variable->function <= module->function_count);
        for (uint32_t j = 0; j < variable->relocation_count; j++) {
            const struct tma_ptx_relocation *relocation =
                &module->relocations[variable->first_relocation + j];
            FUZZ_ASSERT(relocation->at + relocation->bytes <= variable->bytes);
            FUZZ_ASSERT(relocation->number < (relocation->is_function ? module->function_count
                                                                      : module->variable_count));
        }
        volatile uint8_t last = 0;
        if (variable->contents != NULL && variable->bytes > 0)
            last = variable->contents[variable->bytes - 1];
        (void)last;
    }
    for (size_t i = 0; i < module->place_count; i++) {
        FUZZ_ASSERT(module->places[i].file < module->file_count);
        FUZZ_ASSERT(module->places[i].inlined_at < module->place_count);
        if (module->places[i].function != NULL)
            FUZZ_ASSERT(strlen(module->places[i].function) < SIZE_MAX);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct tma_diagnostics diagnostics = tma_diagnostics_empty();
    struct tma_ptx_module *module = tma_ptx_read((const char *)data, size, "x", &diagnostics);
    FUZZ_ASSERT((module == NULL) == (tma_diagnostics_total(&diagnostics) > 0));
    for (size_t i = 0; i < diagnostics.count; i++)
        FUZZ_ASSERT(diagnostics.items[i].text[0] != '\0' && diagnostics.items[i].at.line > 0 &&
                    diagnostics.items[i].at.column > 0);
    if (module != NULL)
        check_module(module);
    tma_ptx_module_free(module);
    tma_diagnostics_free(&diagnostics);
    return 0;
}
