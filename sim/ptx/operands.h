/* The places of operands. Internal to this folder. */
#pragma once

#include "ptx/execution_state.h"

/* An instruction that is being prepared. */
struct tma_operands {
    struct tma_executor *launch;
    struct tma_op *op;
    const struct tma_ptx_instruction *instruction;
    uint32_t function;
};

/* Operand `index` of the instruction; NULL past the last one. */
const struct tma_ptx_operand *tma_operand(const struct tma_operands *operands, uint32_t index);

/* The place that an operand of a type is read from. An operand past the last one is absent. */
struct tma_place tma_source(const struct tma_operands *operands, uint32_t index,
                            enum tma_ptx_type type);
struct tma_place tma_source_of(const struct tma_operands *operands,
                               const struct tma_ptx_operand *operand, enum tma_ptx_type type);
/* The place that it is written to. */
struct tma_place tma_target(const struct tma_operands *operands, uint32_t index);
struct tma_place tma_target_of(const struct tma_operands *operands,
                               const struct tma_ptx_operand *operand);

/* The base and the offset of an address. *space: becomes LOCAL if it is a place in a frame. */
struct tma_place tma_base(const struct tma_operands *operands, uint32_t index, int64_t *offset,
                          uint8_t *space);

/* Puts a place, or those of a vector or of one operand, into launch->places. */
void tma_list_place(const struct tma_operands *operands, struct tma_place place, uint32_t *list,
                    uint32_t *count);
void tma_list_sources(const struct tma_operands *operands, uint32_t index, enum tma_ptx_type type,
                      uint32_t *list, uint32_t *count);
void tma_list_targets(const struct tma_operands *operands, uint32_t index, uint32_t *list,
                      uint32_t *count);

/* Gives an access to memory room for what it cost last time. False when out of memory. */
bool tma_need_cost(const struct tma_operands *operands);

struct tma_place tma_constant(struct tma_executor *launch, uint64_t value, uint8_t width);
struct tma_place tma_absent(void);
/* A register more in the file of each warp. */
struct tma_place tma_new_register(struct tma_executor *launch, uint8_t width);

/* Prepares ldmatrix, stmatrix, movmatrix, mma and wgmma.mma_async (matrices.c). False: not with
 * these operands. */
bool tma_prepare_matrix(const struct tma_operands *operands);
