/* What is in flight, in words: for the message about a fault of the model. */
#include <inttypes.h>
#include <stdio.h>

#include "memory/sm/sms.h"

static bool is_free(const struct tma_sms *sms, uint32_t id) {
    uint32_t free = sms->free_transfer;
    while (free != TMA_NONE && free != id)
        free = sms->transfers[free].next;
    return free == id;
}

static const char *name_of(const struct tma_transfer *transfer) {
    switch (transfer->direction) {
    case TMA_LOAD:
        return transfer->completion.copied ? "copy of a multicast load" : "load";
    case TMA_STORE:
        return "store";
    case TMA_REDUCE:
        return "reduction";
    case TMA_PREFETCH:
        break;
    }
    return "prefetch";
}

static const char *state_of(const struct tma_transfer *transfer) {
    if (transfer->generated)
        return "all made";
    return transfer->begun ? "not all made" : "none made";
}

void tma_sms_describe(const struct tma_sms *sms, char *text, size_t size) {
    enum { NAMED = 3 };
    uint32_t named = 0;
    int used = snprintf(text, size, "%" PRIu32 " in flight", sms->transfers_used);
    for (uint32_t i = 1; i < sms->transfer_count && named < sms->transfers_used && named < NAMED;
         i++) {
        const struct tma_transfer *transfer = &sms->transfers[i];
        if (used < 0 || (size_t)used >= size || is_free(sms, i))
            continue;
        named++;
        used += snprintf(text + used, size - (size_t)used,
                         "; %s of SM %" PRIu32 " issued at cycle %" PRIu64 ": packets %s, %" PRIu32
                         " not answered",
                         name_of(transfer), transfer->sm, transfer->completion.issue_cycle,
                         state_of(transfer), transfer->outstanding);
    }
    if (sms->lsus.accesses_used > 0 && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, "; %" PRIu32 " accesses of warps",
                 sms->lsus.accesses_used);
}
