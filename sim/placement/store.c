#include <assert.h>
#include <string.h>

#include "placement/bytes.h"
#include "placement/reduction.h"

/* .b6p2x16: packs the low 6 bits of each of 16 bytes into 12 bytes. */
static void pack_6_bits(uint8_t *bytes, uint32_t count) {
    for (uint32_t i = 0; i < count / 4; i++) {
        uint32_t packed = 0;
        for (uint32_t j = 0; j < 4; j++)
            packed |= (uint32_t)(bytes[4 * i + j] & 63) << 6 * j;
        for (uint32_t j = 0; j < 3; j++)
            bytes[3 * i + j] = (uint8_t)(packed >> 8 * j);
    }
}

static void write_row(const struct tma_execution *execution, const struct tma_row *row,
                      const uint8_t *bytes) {
    const struct tma_global_memory *global = execution->global;
    uint32_t count = row->data_global_bytes;
    if (global->bytes != NULL)
        memcpy(global->bytes + (row->global_address - global->address), bytes, count);
    else
        global->write(global->context, row->global_address, bytes, count);
}

static void reduce_row(const struct tma_execution *execution, const struct tma_row *row,
                       const uint8_t *bytes) {
    const struct tma_global_memory *global = execution->global;
    enum tma_data_type type = execution->map->data_type;
    uint32_t count = row->data_global_bytes;
    uint32_t elements = count * 8 / tma_type_info(type)->global_bits;
    if (global->bytes != NULL) {
        tma_reduce(execution->operation->reduction, type,
                   global->bytes + (row->global_address - global->address), bytes, elements);
        return;
    }
    uint8_t old[TMA_MAX_ROW_BYTES];
    global->read(global->context, row->global_address, old, count);
    tma_reduce(execution->operation->reduction, type, old, bytes, elements);
    global->write(global->context, row->global_address, old, count);
}

static void store_row(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                      const struct tma_row *row) {
    uint8_t bytes[TMA_MAX_ROW_BYTES];
    uint32_t count = row->before_bytes + row->data_bytes;
    assert(count <= sizeof bytes && row->before_bytes == 0);
    tma_lines_get(execution->swizzle, shared, row->shared_address, bytes, count);
    if (execution->map->data_type == TMA_16U6_ALIGN16B)
        pack_6_bits(bytes, count);
    if (execution->operation->direction == TMA_REDUCE)
        reduce_row(execution, row, bytes);
    else
        write_row(execution, row, bytes);
}

void tma_store_run(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                   const struct tma_row_run *run) {
    struct tma_row row = run->first;
    if (row.data_bytes == 0 || tma_copy_out(execution, shared, run))
        return;
    for (uint32_t i = 0; i < run->rows; i++) {
        store_row(execution, shared, &row);
        row.global_address += run->global_step_bytes;
        row.shared_address += run->shared_step_bytes;
    }
}
