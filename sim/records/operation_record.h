/* Reads one row of load_tile, load_im2col, store or reduce records: the operation, its outcome, and
 * the contents of the memories before it (format: tests/hardware/README.md). */
#pragma once

#include "placement/execute.h"
#include "records/tsv.h"

#define TMA_DESCRIPTOR_DIFFERS_REASON "the descriptor does not match the arguments"

struct tma_operation_record {
    struct tma_tensor_map map;      /* its addresses count from the start of the buffer */
    struct tma_operation operation; /* its addresses count from the start of the window */
    uint32_t window_bytes;          /* size of the window in shared memory */
    /* The driver's descriptor does not match the encoder's arguments. Then `map` is decoded from
     * the descriptor, because that is what ran, but the coordinates may belong to another
     * operation. */
    bool descriptor_differs;
    bool faulted;               /* the hardware reported a fault; the fields below are then 0 */
    uint32_t transaction_bytes; /* loads: bytes completed on the mbarrier */
    uint32_t crc;               /* loads: of the window; else of the changed words */
    uint64_t changed_words;     /* stores and reductions: 32-bit words of global memory */
};

/* Fails with TMA_ERROR_SYNTAX if a cell is malformed, or with TMA_ERROR_TENSOR_MAP if the map
 * breaks a rule on every architecture. */
enum tma_error_code tma_operation_record_read(const struct tma_tsv *records, size_t row,
                                              struct tma_operation_record *record,
                                              struct tma_error *error);

/* Write the `count` bytes that global or shared memory holds from `address` on before the
 * operation. */
void tma_record_global_bytes(uint64_t address, uint8_t *bytes, uint64_t count);
void tma_record_shared_bytes(uint32_t address, uint8_t *bytes, uint32_t count);
