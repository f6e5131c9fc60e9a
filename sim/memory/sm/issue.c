/* How an operation becomes a transfer, or several: a multicast load has one for each SM. */
#include "memory/sm/transfer.h"

/* Adds a transfer for each further SM of a multicast load. False when out of memory. */
static bool add_copies(struct tma_core *core, struct tma_sms *sms, uint32_t id,
                       const struct tma_issue *issue) {
    uint32_t last = id;
    for (uint32_t i = 0; i < issue->copy_count; i++) {
        uint32_t copy = tma_transfer_new(core, sms);
        if (copy == TMA_NONE)
            return false;
        sms->transfers[copy] =
            (struct tma_transfer){.sm = issue->copies[i],
                                  .copies = TMA_NONE,
                                  .half = (uint8_t)tma_shared_half(issue->shared_address),
                                  .peer = TMA_NONE,
                                  .completion = {.tag = issue->tag,
                                                 .sm = issue->copies[i],
                                                 .copied = true,
                                                 .bytes = issue->size->transaction_bytes,
                                                 .issue_cycle = issue->cycle}};
        sms->transfers[last].copies = copy;
        last = copy;
    }
    return true;
}

bool tma_sm_issue(struct tma_core *core, struct tma_sms *sms, const struct tma_issue *issue) {
    uint32_t id = tma_transfer_new(core, sms);
    if (id == TMA_NONE)
        return false;
    struct tma_transfer *transfer = &sms->transfers[id];
    *transfer = (struct tma_transfer){
        .sm = issue->sm,
        .descriptor = issue->descriptor,
        .promotion = (uint8_t)issue->map->l2_promotion,
        .policy = (uint16_t)issue->policy,
        .half = (uint8_t)tma_shared_half(issue->shared_address),
        .direction = issue->direction,
        .warp = (uint8_t)issue->warp,
        .copies = TMA_NONE,
        .peer = issue->distant ? issue->peer : TMA_NONE,
        .completion = {.tag = issue->tag,
                       .sm = issue->distant ? issue->peer : issue->sm,
                       .copied = issue->distant && issue->peer != issue->sm,
                       .writes = !issue->distant && tma_writes_tensor(issue->direction),
                       .bytes = issue->distant ? issue->size->moved_bytes
                                               : issue->size->transaction_bytes,
                       .issue_cycle = issue->cycle}};
    tma_row_splitter_init(&transfer->splitter, issue->rows, issue->direction,
                          issue->map->data_type);
    if (issue->copy_count > 0 && !add_copies(core, sms, id, issue))
        return false;
    uint64_t queued = issue->cycle + core->machine->tma.issue_cycles;
    if (tma_writes_tensor(issue->direction))
        tma_store_unit_enqueue(core, sms, id, issue->size, queued);
    else
        tma_load_unit_enqueue(core, sms, id, queued);
    return true;
}
