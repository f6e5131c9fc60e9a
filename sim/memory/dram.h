/* DRAM: channels with a data bus and banks. A bank has one open row; opening another takes time,
 * and a channel opens rows only so often, and goes away for refresh now and then, at a phase of its
 * own. In what order it then serves what has waited is drawn. */
#ifndef TMA_MEMORY_DRAM_H
#define TMA_MEMORY_DRAM_H

#include <stdbool.h>

#include "memory/address.h"
#include "memory/port.h"

struct tma_dram_bank {
    uint64_t row;         /* that is open */
    uint64_t ready_cycle; /* when it takes the next command */
};

/* A channel's data bus and its commands. */
struct tma_dram_channel {
    struct tma_port bus;
    struct tma_port activations;
    uint64_t refresh_phase;           /* cycles since a refresh began, at cycle 0 */
    uint64_t refresh_end;             /* of the last one that something waited for, */
    uint32_t refresh_waiting;         /* and how many accesses did */
    uint64_t last_access, last_cycle; /* what was read last, asked for when */
    bool writes;                      /* what the bus did last */
    bool row_opened;                  /* for the last command */
    struct {
        uint32_t count, sectors, rows_opened;
    } gathered; /* writes that it has yet to do */
};

struct tma_dram {
    const struct tma_machine *machine; /* borrowed */
    struct tma_dram_channel *channels; /* owned */
    struct tma_dram_bank *banks;       /* owned: channel x bank */
    uint64_t bus_ticks_per_sector;
    uint64_t activate_ticks;
    uint64_t turnaround_ticks, row_gap_ticks;
    uint64_t read_sectors, written_sectors;
};

enum tma_error_code tma_dram_create(struct tma_dram *dram, const struct tma_machine *machine,
                                    struct tma_error *error);
void tma_dram_free(struct tma_dram *dram);

/* Reads `sectors` sectors of one line, asked for at `cycle`: gives the cycle at which they are at
 * L2. */
uint64_t tma_dram_read(struct tma_dram *dram, const struct tma_place *place, uint32_t sectors,
                       uint64_t cycle);

/* Writes `sectors` sectors of one line, which leave L2 at `cycle`. */
void tma_dram_write(struct tma_dram *dram, const struct tma_place *place, uint32_t sectors,
                    uint64_t cycle);

/* The first cycle at which what waits for a line's channel takes it no longer than its queue holds.
 */
uint64_t tma_dram_accepts(const struct tma_dram *dram, const struct tma_place *place);

#endif
