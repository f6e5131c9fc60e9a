/* One row of load_tile, load_im2col, store or reduce records: what was asked, what happened, and
 * what the memories held before (docs of the records: tests/hardware/README.md). */
#ifndef TMA_RECORDS_OPERATION_RECORD_H
#define TMA_RECORDS_OPERATION_RECORD_H

#include "placement/execute.h"
#include "records/tsv.h"

#define TMA_DESCRIPTOR_DIFFERS_REASON "the descriptor is not that of the arguments"

struct tma_operation_record {
    struct tma_tensor_map map;      /* at address tensor_offset: the buffer begins at address 0 */
    struct tma_operation operation; /* shared memory's window begins at address 0 */
    uint32_t window_bytes;
    bool stray; /* its descriptor is not that of its arguments: the map is the descriptor's, which
                   is what ran, but the coordinates may be those of another operation */
    bool faulted;
    uint32_t transaction_bytes; /* loads */
    uint32_t crc;
    uint64_t changed_words; /* stores and reductions */
};

/* Fails with TMA_ERROR_SYNTAX where a cell is not what its column has, or with TMA_ERROR_TENSOR_MAP
 * where no driver takes the map. */
enum tma_error_code tma_operation_record_read(const struct tma_tsv *records, size_t row,
                                              struct tma_operation_record *record,
                                              struct tma_error *error);

/* `count` bytes of global memory from `address` on, and of shared memory, before the operation. */
void tma_record_global_bytes(uint64_t address, uint8_t *bytes, uint64_t count);
void tma_record_shared_bytes(uint32_t address, uint8_t *bytes, uint32_t count);

#endif
