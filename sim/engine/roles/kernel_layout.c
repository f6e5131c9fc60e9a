#include <string.h>

#include "base/numbers.h"
#include "engine/roles/kernel.h"

enum { SHARED_ALIGNMENT = 1024, WARP_THREADS = 32 };

/* The order of names, which items of `size` bytes begin with: as indices. Items of one name stay in
 * their order. */
static void order_by_name(const void *items, size_t size, uint32_t count, uint32_t *order) {
    const char *names = items;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && strcmp(names + i * size, names + order[at - 1] * size) < 0; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

void tma_kernel_role_order(const struct tma_kernel *kernel, uint32_t order[TMA_MAX_ROLES]) {
    order_by_name(kernel->roles, sizeof kernel->roles[0], kernel->role_count, order);
}

/* The end of what lies at an offset; 0 where it has none yet. */
static uint64_t end_of(uint32_t offset, uint64_t bytes) {
    return offset == TMA_SHARED_AUTO ? 0 : offset + bytes;
}

static uint64_t ring_bytes(const struct tma_ring *ring) {
    return (uint64_t)ring->depth * ring->stage_bytes;
}

/* Places one item behind `end`, if it has no place. Returns the end with it. */
static uint64_t place(uint32_t *offset, uint64_t bytes, uint64_t end) {
    if (*offset == TMA_SHARED_AUTO) {
        end = tma_round_up(end, SHARED_ALIGNMENT);
        *offset = end + bytes < TMA_SHARED_AUTO ? (uint32_t)end : TMA_SHARED_AUTO - 1;
        return end + bytes;
    }
    return end_of(*offset, bytes) > end ? end_of(*offset, bytes) : end;
}

void tma_kernel_lay_out(struct tma_kernel *kernel) {
    uint32_t rings[TMA_MAX_RINGS], buffers[TMA_MAX_BUFFERS];
    uint64_t end = 0;
    order_by_name(kernel->rings, sizeof kernel->rings[0], kernel->ring_count, rings);
    order_by_name(kernel->buffers, sizeof kernel->buffers[0], kernel->buffer_count, buffers);
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        if (end_of(kernel->rings[i].shared_offset, ring_bytes(&kernel->rings[i])) > end)
            end = end_of(kernel->rings[i].shared_offset, ring_bytes(&kernel->rings[i]));
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (end_of(kernel->buffers[i].shared_offset, kernel->buffers[i].bytes) > end)
            end = end_of(kernel->buffers[i].shared_offset, kernel->buffers[i].bytes);
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        end = place(&kernel->rings[rings[i]].shared_offset, ring_bytes(&kernel->rings[rings[i]]),
                    end);
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (kernel->buffers[i].over > 0)
            kernel->buffers[i].shared_offset =
                kernel->rings[kernel->buffers[i].over - 1].shared_offset;
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        end = place(&kernel->buffers[buffers[i]].shared_offset, kernel->buffers[buffers[i]].bytes,
                    end);
    if (kernel->shared_bytes == 0)
        kernel->shared_bytes = end < UINT32_MAX ? (uint32_t)end : UINT32_MAX;
}

uint32_t tma_kernel_threads(const struct tma_kernel *kernel) {
    uint32_t warps = 0;
    for (uint32_t i = 0; i < kernel->role_count; i++)
        warps += kernel->roles[i].warps;
    return warps * WARP_THREADS;
}

uint32_t tma_kernel_ctas_per_sm(const struct tma_machine *machine,
                                const struct tma_kernel *kernel) {
    uint32_t fit = tma_machine_ctas_per_sm(machine, tma_kernel_threads(kernel), kernel->registers,
                                           kernel->shared_bytes);
    return kernel->ctas_per_sm > 0 && kernel->ctas_per_sm < fit ? kernel->ctas_per_sm : fit;
}
