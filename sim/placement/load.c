#include <assert.h>
#include <string.h>

#include "placement/bytes.h"
#include "placement/float.h"

/* Out-of-bounds fill: zeros, or 0x7ff7 in every 16 bits for every type. */
static void fill(enum tma_oob_fill kind, uint8_t *bytes, uint32_t count) {
    if (kind == TMA_OOB_ZEROS) {
        memset(bytes, 0, count);
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        bytes[i] = i % 2 == 0 ? 0xf7 : 0x7f;
}

static void convert_tf32(uint8_t *bytes, uint32_t count) {
    uint32_t word;
    for (uint32_t i = 0; i < count; i += 4) {
        memcpy(&word, bytes + i, 4);
        word = tma_tf32_of_float(word);
        memcpy(bytes + i, &word, 4);
    }
}

static void read_global(const struct tma_global_memory *global, uint64_t address, uint8_t *into,
                        uint32_t count) {
    if (global->bytes != NULL)
        memcpy(into, global->bytes + (address - global->address), count);
    else
        global->read(global->context, address, into, count);
}

/* Moves packed groups apart, to one in every 16 bytes. Starts with the last: they overlap. */
static void expand_groups(uint8_t *bytes, uint32_t group_bytes, uint32_t packed_bytes) {
    for (uint32_t i = packed_bytes / group_bytes; i-- > 0;)
        memmove(bytes + TMA_CHUNK_BYTES * i, bytes + group_bytes * i, group_bytes);
}

/* Composes the row's bytes in shared memory, before swizzling. */
static void compose_row(const struct tma_execution *execution, const struct tma_row *row,
                        uint8_t *bytes) {
    enum tma_data_type type = execution->map->data_type;
    uint8_t *data = bytes + row->before_bytes;
    fill(execution->map->oob_fill, bytes, row->before_bytes);
    fill(execution->map->oob_fill, data + row->data_bytes, row->after_bytes);
    if (row->data_bytes == 0)
        return;
    read_global(execution->global, row->global_address, data, row->data_global_bytes);
    if (type == TMA_TFLOAT32 || type == TMA_TFLOAT32_FTZ)
        convert_tf32(data, row->data_bytes);
    if (execution->group_bytes != 0)
        expand_groups(data, execution->group_bytes, row->data_global_bytes);
}

/* Writes a row. Padded types write the packed bytes of each 16-byte group only. */
static void put_row(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                    uint32_t address, const uint8_t *bytes, uint32_t count) {
    uint32_t group = execution->group_bytes;
    if (group == 0) {
        tma_lines_put(execution->swizzle, shared, address, bytes, count);
        return;
    }
    for (uint32_t i = 0; i < count; i += TMA_CHUNK_BYTES)
        tma_lines_put(execution->swizzle, shared, address + i, bytes + i, group);
}

static void mark_row(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                     uint32_t address, uint32_t count) {
    uint8_t flags[TMA_CHUNK_BYTES] = {0};
    if (execution->group_bytes != 0)
        memset(flags + execution->group_bytes, 1, TMA_CHUNK_BYTES - execution->group_bytes);
    struct tma_shared_memory marks = *shared;
    marks.bytes = shared->undefined;
    for (uint32_t i = 0; i < count; i += TMA_CHUNK_BYTES)
        tma_lines_put(execution->swizzle, &marks, address + i, flags, TMA_CHUNK_BYTES);
}

void tma_load_run(const struct tma_execution *execution, const struct tma_shared_memory *shared,
                  const struct tma_row_run *run) {
    if (tma_copy_in(execution, shared, run))
        return;
    uint8_t bytes[TMA_MAX_ROW_BYTES];
    struct tma_row row = run->first;
    uint32_t count = row.before_bytes + row.data_bytes + row.after_bytes;
    assert(count <= sizeof bytes);
    for (uint32_t i = 0; i < run->rows; i++) {
        if (i == 0 || row.data_bytes > 0) /* all fill rows are equal */
            compose_row(execution, &row, bytes);
        put_row(execution, shared, row.shared_address, bytes, count);
        if (shared->undefined != NULL)
            mark_row(execution, shared, row.shared_address, count);
        row.global_address += run->global_step_bytes;
        row.shared_address += run->shared_step_bytes;
    }
}
