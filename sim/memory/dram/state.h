/* The state of DRAM: channels, each with a data bus, and banks, each with a row buffer. */
#ifndef TMA_MEMORY_DRAM_STATE_H
#define TMA_MEMORY_DRAM_STATE_H

#include <stdbool.h>

#include "memory/core/divisor.h"
#include "memory/core/port.h"
#include "memory/machine.h"

struct tma_dram_scheduler_policy;
struct tma_refresh_policy;

struct tma_dram_bank {
    uint64_t row;         /* in the row buffer: its number plus 1; 0: none */
    uint64_t ready_cycle; /* the bank takes its next command */
};

struct tma_dram_channel {
    struct tma_port bus;         /* data */
    struct tma_port activations; /* commands that open a row */
    uint64_t refresh_phase;      /* cycles from the begin of a refresh to cycle 0 */
    uint64_t refresh_end;        /* of the last refresh that an access waited for */
    uint32_t refresh_waiting;    /* accesses that waited for it */
    uint64_t last_row;           /* of the last access, whose bank is last_bank */
    uint32_t last_bank;
    uint64_t last_access; /* location of the last read */
    uint64_t last_cycle;  /* the cycle of that read */
    bool writing;         /* direction of the last transfer on the bus */
    struct {
        uint32_t count;       /* of writes */
        uint32_t sectors;     /* of these writes */
        uint32_t rows_opened; /* for these writes */
    } write_buffer;           /* writes that the scheduler holds back */
};

struct tma_dram {
    const struct tma_machine *machine; /* borrowed */
    const struct tma_dram_scheduler_policy *scheduler;
    const struct tma_refresh_policy *refresh;
    struct tma_dram_channel *channels; /* owned */
    struct tma_dram_bank *banks;       /* owned: by channel and bank */
    uint16_t *slice_channels;  /* owned: the channel of each L2 slice, by partition and slice */
    uint32_t partition_slices; /* L2 slices of one partition */

    struct tma_divisor by_row_lines; /* lines of a row */
    struct tma_divisor by_banks;     /* banks of a channel */
    struct tma_divisor by_refresh;   /* refresh interval, in cycles; by 1: none */
    uint64_t bus_ticks_per_sector;
    uint64_t activate_ticks;   /* least time between activations of a channel */
    uint64_t turnaround_ticks; /* of the bus, between reads and writes */
    uint64_t row_gap_ticks;    /* of the bus, for each activation */
    uint64_t read_sectors, written_sectors;
};

#endif
