#include "memory/sm/descriptor_waits.h"

#define UNKNOWN UINT64_MAX

/* The wait of a transfer, or a free one (TMA_NONE). NULL where there is none. */
static struct tma_descriptor_wait *wait_of(struct tma_descriptor_wait *waits, uint32_t transfer) {
    for (int i = 0; i < TMA_DESCRIPTOR_WAITS; i++)
        if (waits[i].transfer == transfer)
            return &waits[i];
    return NULL;
}

/* Asks the GPC for the tensor map of a transfer. */
static struct tma_descriptor_wait *fetch(struct tma_core *core, struct tma_sms *sms,
                                         struct tma_descriptor_wait *waits, uint32_t id) {
    const struct tma_transfer *transfer = &sms->transfers[id];
    struct tma_descriptor_wait *wait = wait_of(waits, TMA_NONE);
    assert(wait != NULL);
    *wait = (struct tma_descriptor_wait){id, UNKNOWN, UNKNOWN};
    core->counters.descriptor_fetches++;
    uint32_t packet = tma_packet_new(core);
    if (packet == TMA_NONE)
        return wait;
    *tma_packet_at(core, packet) = (struct tma_packet){
        .kind = TMA_PACKET_DESCRIPTOR,
        .line = core->descriptor_line + transfer->descriptor - 1,
        .transfer = id,
        .sent_cycle = core->cycle,
        .sectors = TMA_ALL_SECTORS,
        .wanted = TMA_ALL_SECTORS,
        .sm = (uint8_t)transfer->sm,
        .gpc = (uint8_t)core->sm_gpc[transfer->sm],
        .promotion = transfer->promotion & 3u,
        .merged = TMA_NONE,
    };
    tma_pass(core, TMA_TO_DESCRIPTORS, packet, core->cycle);
    return wait;
}

/* The SM has the tensor map of a transfer, which can begin. */
static void end_wait(struct tma_core *core, struct tma_sms *sms, struct tma_descriptor_wait *wait) {
    struct tma_transfer *transfer = &sms->transfers[wait->transfer];
    uint64_t held =
        wait->held_cycle < wait->available_cycle ? wait->available_cycle - wait->held_cycle : 0;
    transfer->completion.descriptor_cycles = (uint32_t)held & TMA_DESCRIPTOR_CYCLES_MASK;
    core->counters.descriptor_cycles += held;
    tma_descriptor_cache_put(&sms->descriptors[transfer->sm], transfer->descriptor);
    wait->transfer = TMA_NONE;
}

bool tma_descriptor_ready(struct tma_core *core, struct tma_sms *sms,
                          struct tma_descriptor_wait *waits, uint32_t id, uint64_t free_cycle,
                          uint64_t cycle) {
    const struct tma_transfer *transfer = &sms->transfers[id];
    if (transfer->descriptor == 0)
        return true;
    uint64_t begin_cycle = tma_later(free_cycle, cycle);
    struct tma_descriptor_wait *wait = wait_of(waits, id);
    if (wait == NULL) {
        if (tma_descriptor_cache_use(&sms->descriptors[transfer->sm], transfer->descriptor))
            return true;
        if (free_cycle > cycle) /* the SMs of a GPC ask its cache in order of time */
            return false;
        wait = fetch(core, sms, waits, id);
    }
    if (wait->available_cycle > begin_cycle) {
        if (wait->held_cycle == UNKNOWN)
            wait->held_cycle = begin_cycle;
        return false;
    }
    end_wait(core, sms, wait);
    return true;
}

uint64_t tma_descriptor_cycle(const struct tma_descriptor_wait *waits, uint32_t transfer) {
    for (int i = 0; i < TMA_DESCRIPTOR_WAITS; i++)
        if (waits[i].transfer == transfer)
            return waits[i].available_cycle;
    return 0;
}

void tma_descriptor_arrive(struct tma_descriptor_wait *waits, uint32_t transfer, uint64_t cycle) {
    struct tma_descriptor_wait *wait = wait_of(waits, transfer);
    assert(wait != NULL);
    wait->available_cycle = cycle;
}

/* Whether a unit waits for a tensor map. */
static bool awaits(const struct tma_sms *sms, const struct tma_descriptor_wait *waits,
                   uint32_t descriptor) {
    for (int i = 0; i < TMA_DESCRIPTOR_WAITS; i++)
        if (waits[i].transfer != TMA_NONE &&
            sms->transfers[waits[i].transfer].descriptor == descriptor)
            return true;
    return false;
}

void tma_descriptor_look_ahead(struct tma_core *core, struct tma_sms *sms,
                               struct tma_descriptor_wait *waits, uint32_t id) {
    const struct tma_transfer *transfer = &sms->transfers[id];
    if (transfer->descriptor != 0 && !awaits(sms, waits, transfer->descriptor) &&
        !tma_descriptor_cache_use(&sms->descriptors[transfer->sm], transfer->descriptor))
        fetch(core, sms, waits, id);
}
