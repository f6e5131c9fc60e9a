#include "memory/sm/transfer.h"

#include "base/allocation.h"
#include "base/array.h"
#include "base/fuzzing.h"

/* The pools grow by doubling. */
enum {
    FIRST_TRANSFERS = TMA_UNLESS_FUZZING(1024, 16),
    FIRST_COMPLETIONS = TMA_UNLESS_FUZZING(1024, 16)
};

/* Transfer 0 is none of a TMA unit: LSUs count under it. */
enum { FIRST_OF_UNITS = 1 };

bool tma_transfers_grow(struct tma_core *core, struct tma_sms *sms) {
    uint32_t old = sms->transfer_count, count = old == 0 ? FIRST_TRANSFERS : 2 * old;
    if (!tma_core_reserve_transfers(core, count))
        return false;
    struct tma_transfer *transfers =
        tma_resize_aligned(sms->transfers, old * sizeof *transfers, count * sizeof *transfers);
    if (transfers == NULL)
        return false;
    for (uint32_t i = count; i > tma_later(old, FIRST_OF_UNITS); i--) {
        transfers[i - 1].next = sms->free_transfer;
        sms->free_transfer = i - 1;
    }
    sms->transfers = transfers;
    sms->transfer_count = count;
    return true;
}

uint32_t tma_transfer_new(struct tma_core *core, struct tma_sms *sms) {
    if (sms->free_transfer == TMA_NONE && !tma_transfers_grow(core, sms)) {
        core->out_of_memory = true;
        return TMA_NONE;
    }
    uint32_t transfer = sms->free_transfer;
    sms->free_transfer = sms->transfers[transfer].next;
    sms->transfers_used++;
    core->fill_counts[transfer] = (struct tma_fill_counts){0};
    return transfer;
}

static bool push_completion(struct tma_sms *sms, const struct tma_completion *completion) {
    if (sms->completion_count == sms->completion_capacity) {
        uint32_t old = sms->completion_capacity, capacity = old == 0 ? FIRST_COMPLETIONS : 2 * old;
        struct tma_completion *ring = tma_allocate(capacity, sizeof *ring);
        if (ring == NULL)
            return false;
        for (uint32_t i = 0; i < sms->completion_count; i++)
            ring[i] = sms->completions[(sms->completion_head + i) % old];
        tma_release(sms->completions);
        sms->completions = ring;
        sms->completion_capacity = capacity;
        sms->completion_head = 0;
    }
    uint32_t at = (sms->completion_head + sms->completion_count) % sms->completion_capacity;
    sms->completions[at] = *completion;
    sms->completion_count++;
    return true;
}

bool tma_sms_take_completion(struct tma_sms *sms, struct tma_completion *completion) {
    if (sms->completion_count == 0)
        return false;
    *completion = sms->completions[sms->completion_head];
    sms->completion_head = (sms->completion_head + 1) % sms->completion_capacity;
    sms->completion_count--;
    return true;
}

bool tma_sms_take_fills(struct tma_sms *sms, struct tma_late_fills *fills) {
    if (sms->report_count == 0)
        return false;
    *fills = sms->reports[--sms->report_count];
    return true;
}

/* Reports what L2 fetched for a transfer that had completed before. */
TMA_RARE static void report_fills(struct tma_sms *sms, uint32_t id) {
    const struct tma_fill_counts *counts = &sms->core->fill_counts[id];
    if (!TMA_GROW(sms->reports, sms->report_count, sms->report_capacity)) {
        sms->core->out_of_memory = true;
        return;
    }
    sms->reports[sms->report_count++] =
        (struct tma_late_fills){.number = sms->transfers[id].completion.late_fills,
                                .cycle = counts->last_cycle,
                                .fills = counts->fills,
                                .fill_sectors = counts->fill_sectors,
                                .miss_sectors = counts->miss_sectors};
}

static void free_if_done(struct tma_sms *sms, uint32_t id) {
    struct tma_transfer *transfer = &sms->transfers[id];
    if (!transfer->completed || transfer->outstanding > 0)
        return;
    if (transfer->completion.late_fills > 0)
        report_fills(sms, id);
    transfer->next = sms->free_transfer;
    sms->free_transfer = id;
    sms->transfers_used--;
}

/* Adds to a completion what the row splitter and L2 counted. */
static void add_counts(struct tma_completion *completion, const struct tma_row_splitter *splitter,
                       const struct tma_fill_counts *counts) {
    completion->rows = splitter->rows;
    completion->rows_out_of_bounds = splitter->rows_out_of_bounds;
    completion->tensor_bytes = splitter->tensor_bytes;
    completion->miss_sectors = counts->miss_sectors;
    completion->fills = counts->fills;
    completion->fill_sectors = counts->fill_sectors;
    completion->fill_cycle = counts->last_cycle;
}

void tma_transfer_complete(struct tma_core *core, struct tma_sms *sms, uint32_t id,
                           uint64_t cycle) {
    struct tma_transfer *transfer = &sms->transfers[id];
    /* A prefetch, too, can be found a cycle late to be at its end, and a store unit whose packets
     * take no time falls further behind. */
    uint64_t least = core->cycle + tma_machine_completion_cycles(core->machine);
    transfer->completion.cycle = tma_later(cycle, least);
    transfer->completed = true;
    bool distant = transfer->peer != TMA_NONE;
    if (sms->reports_fills && transfer->direction != TMA_LOAD && !distant &&
        transfer->outstanding > 0)
        transfer->completion.late_fills = ++sms->late_transfers;
    if (distant || !transfer->completion.copied)
        add_counts(&transfer->completion, &transfer->splitter, &core->fill_counts[id]);
    if (!push_completion(sms, &transfer->completion))
        core->out_of_memory = true;
    free_if_done(sms, id);
}

void tma_transfer_drop(struct tma_sms *sms, uint32_t id) {
    sms->transfers[id].outstanding--;
    free_if_done(sms, id);
}
