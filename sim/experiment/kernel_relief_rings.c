/* More stages in the rings hide more of the latency. */
#include <stdio.h>

#include "experiment/kernel_reliefs.h"

enum { SHARED_ALIGNMENT_BYTES = 1024 };

/* Whether the statements from `first` to `end` acquire a ring of the mask. */
static bool acquires(const struct tma_kernel *kernel, uint32_t first, uint32_t end, uint32_t mask) {
    for (uint32_t i = first; i < end; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_ACQUIRE &&
            (mask >> kernel->statements[i].ring & 1) != 0)
            return true;
    return false;
}

/* Loads that run ahead in a loop run so many more iterations ahead. False where the loop also loads
 * into rings that stay as they are: these have no stages for it. */
static bool run_further_ahead(struct tma_kernel *kernel, uint32_t rings, uint32_t more) {
    for (uint32_t i = 0; i < kernel->statement_count; i++) {
        struct tma_statement *loop = &kernel->statements[i];
        if (!loop->has_ahead)
            continue;
        for (uint32_t part = i + 1; part < loop->end; part++) {
            const struct tma_statement *statement = &kernel->statements[part];
            if (statement->kind != TMA_STATEMENT_AHEAD ||
                !acquires(kernel, part + 1, statement->end, rings))
                continue;
            if (acquires(kernel, part + 1, statement->end, ~rings))
                return false;
            loop->ahead += more;
            break;
        }
    }
    return true;
}

/* What lies behind a ring in shared memory moves, to make room. */
static void make_room(struct tma_kernel *kernel, uint32_t ring, uint32_t more) {
    uint32_t end = kernel->rings[ring].shared_offset +
                   kernel->rings[ring].depth * kernel->rings[ring].stage_bytes;
    uint32_t bytes = (more * kernel->rings[ring].stage_bytes + SHARED_ALIGNMENT_BYTES - 1) /
                     SHARED_ALIGNMENT_BYTES * SHARED_ALIGNMENT_BYTES;
    for (uint32_t i = 0; i < kernel->ring_count; i++)
        if (kernel->rings[i].shared_offset >= end)
            kernel->rings[i].shared_offset += bytes;
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (kernel->buffers[i].shared_offset >= end)
            kernel->buffers[i].shared_offset += bytes;
    kernel->shared_bytes += bytes;
    kernel->rings[ring].depth += more;
}

/* Gives the rings of a mask `more` stages each. An SM has to hold as many CTAs as before. */
static bool deepen(struct tma_relieved *relieved, uint32_t rings, uint32_t more) {
    struct tma_kernel *kernel = tma_kernel_of(relieved);
    uint32_t ctas = tma_kernel_ctas_per_sm(&relieved->machine, kernel);
    if (!run_further_ahead(kernel, rings, more))
        return false;
    for (uint32_t i = 0; i < kernel->ring_count; i++) {
        if ((rings >> i & 1) == 0)
            continue;
        if (kernel->rings[i].depth + more > TMA_MAX_RING_DEPTH)
            return false;
        make_room(kernel, i, more);
    }
    return tma_kernel_ctas_per_sm(&relieved->machine, kernel) == ctas;
}

/* Variant 0 is all rings, which differ from a single one where there are several; variant 1 + r is
 * ring r. Stages that a role fills without loads have no latency of memory. */
static uint32_t rings_of_variant(const struct tma_relieved *relieved,
                                 const struct tma_kernel *kernel) {
    uint32_t loaded = 0;
    for (uint32_t i = 0; i < kernel->statement_count; i++)
        if (kernel->statements[i].kind == TMA_STATEMENT_OPERATION &&
            kernel->statements[i].operation.direction == TMA_LOAD &&
            kernel->statements[i].ring != TMA_NO_RING)
            loaded |= 1u << kernel->statements[i].ring;
    if (relieved->variant > 0)
        return loaded & 1u << (relieved->variant - 1);
    return (loaded & (loaded - 1)) != 0 ? loaded : 0;
}

static bool one_more(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = tma_kernel_of(relieved);
    uint32_t rings = rings_of_variant(relieved, kernel);
    if (rings == 0)
        return false;
    if (relieved->variant == 0)
        snprintf(relieved->change, sizeof relieved->change, "one more stage in every ring");
    else
        snprintf(relieved->change, sizeof relieved->change,
                 "one more stage in ring %s (%u instead of %u)",
                 kernel->rings[relieved->variant - 1].name,
                 kernel->rings[relieved->variant - 1].depth + 1,
                 kernel->rings[relieved->variant - 1].depth);
    return deepen(relieved, rings, 1);
}

/* The most stages for which the CTA's shared memory has room, up to twice as many; at least two
 * more. */
static bool twice(struct tma_relieved *relieved) {
    const struct tma_kernel *kernel = tma_kernel_of(relieved);
    uint32_t rings = rings_of_variant(relieved, kernel);
    if (relieved->variant == 0 || rings == 0)
        return false;
    const struct tma_ring *ring = &kernel->rings[relieved->variant - 1];
    uint32_t before = ring->depth, more = before;
    uint32_t limit = relieved->machine.shared_memory_cta_bytes;
    uint32_t room = limit > kernel->shared_bytes ? limit - kernel->shared_bytes : 0;
    if (ring->stage_bytes > 0 && room / ring->stage_bytes < more)
        more = room / ring->stage_bytes;
    snprintf(relieved->change, sizeof relieved->change, "more stages in ring %s (%u instead of %u)",
             ring->name, before + more, before);
    return more >= 2 && deepen(relieved, rings, more);
}

const struct tma_relief tma_relief_ring_stage = {
    .key = "stages", .name = "latency", .variants = 1 + TMA_MAX_RINGS, .apply = one_more};
const struct tma_relief tma_relief_ring_depth = {.key = "stages_doubled",
                                                 .name = "depth of rings",
                                                 .advice = true,
                                                 .smaller = &tma_relief_ring_stage,
                                                 .variants = 1 + TMA_MAX_RINGS,
                                                 .apply = twice};
